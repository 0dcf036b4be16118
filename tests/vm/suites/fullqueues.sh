# SPDX-License-Identifier: GPL-2.0
#
# A program that posts until its send queue is full, and polls late: each completion comes,
# and there is no event. DRIVER=roce, ib and iwarp.
. "$VM/lib/guest.sh"

case $DRIVER in
ib)
	. "$VM/lib/ib.sh"
	check "two HCAs and a cable" fabric_up pair || exit 1
	begin_opensm sm hca1
	check "all active" wait_for 120 all_active
	dev=hca1 where=0
	;;
*)
	need_link
	where=$gid_index
	[ $DRIVER != iwarp ] || where=$gid_ip
	;;
esac

loopback=/sys/module/ofed_$([ $DRIVER = iwarp ] && echo iwarp || echo soft)/parameters/loopback
for way in Y N; do
	echo $way >$loopback
	table "loopback=$way" "$programs/full_queues" $dev $where
done

# ---- the end of programs and of the device ------------------------------------------------------
stay() {
	mkfifo "$work/stay"
	sleep 1000 >"$work/stay" &
	holder=$!
	"$programs/full_queues" $dev $where stay <"$work/stay" >"$work/stayed" 2>&1 &
	stayer=$!
	wait_for 60 has ready "$work/stayed"
}
go() {
	kill $holder
	wait $stayer
	_status=$?
	cat "$work/stayed"
	wait $holder
	return $_status
}
unused() { [ -z "$(rdma resource show qp | grep -w full_queues)" ]; }

check "a program ends while completions wait" "$programs/full_queues" $dev $where leave
check "another one waits with them" stay
check "it is killed" kill -9 $stayer
wait $stayer
kill $holder
rm -f "$work/stay"
check "its queue pairs go" wait_for 30 unused
check "one more waits with them" stay
if [ $DRIVER = ib ]; then
	end_opensm sm
	check "the device goes" fabric_down
else
	check "the device goes" link_down
fi
check "the program ends" go
check "the modules go" unload_stack
