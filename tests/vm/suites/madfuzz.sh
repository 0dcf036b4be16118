# SPDX-License-Identifier: GPL-2.0
#
# Management datagrams that no honest host sends, to QP1 of the device at the other
# end of the wire, while connections come and go there. What is tested besides the
# silence of the kernel: that they got there, that the connections of others do not
# notice, and that nothing is left.
. "$VM/lib/guest.sh"
. "$VM/lib/cm.sh"

fuzz=$programs/madfuzz
limit=$((limit * 20))
n=${MADS:-$(count 200000)}
echo "seed $SEED, $n datagrams"

# The other end without another namespace, which rdma_rxe has not: what goes from
# one address of ours to the other is made to take the wire.
here_wire() {
	ip route add 10.0.0.2 dev eth0 src 10.0.0.1 table 100 &&
	ip route add 10.0.0.1 dev eth1 src 10.0.0.2 table 101 || return
	for _if in lo eth0; do ip rule add pref 1 iif $_if to 10.0.0.2 lookup 100; done
	for _if in lo eth1; do ip rule add pref 1 iif $_if to 10.0.0.1 lookup 101; done
	ip rule add pref 10 lookup local &&
	ip rule del pref 0 &&
	rdma link add $peer type $DRIVER netdev eth1 &&
	wait_for 60 gid_of $peer 0000:0000:0000:0000:0000:ffff:0a00:0002 || return
	at4=10.0.0.2 from4=10.0.0.1
}
need_cm
if [ "$DRIVER" = rxe ]; then
	# After one that is too long for its buffer rdma_rxe loses some that follow.
	peer=rxeb longest=256
	check "a device at the other end" here_wire || exit 1
else
	peer=roceb longest=1024
	check "another namespace" here_apart || exit 1
fi
way 4

# ---- a connection beside, with ids that the fuzzer does not know -------------------
rping="rping -a $at -p 7180 -V -S 200 -C 1000000000"
switches() { awk '/ctxt_switches/ { n += $2 } END { print n + 0 }' /proc/$live/task/*/status; }
moves() {
	kill -0 $live && kill -0 $live_server || return
	_before=$(switches)
	wait_for 60 moved
}
moved() { [ "$(switches)" -gt $((_before + 20)) ]; }
begin_live() {
	$there $rping -s >"$work/live-server" 2>&1 &
	live_server=$!
	wait_for 120 listens_or_over tcp 7180 $live_server
	listens tcp 7180 || return
	$rping -c >"$work/live" 2>&1 &
	live=$!
	wait_for 60 both_connected && moves
}
both_connected() {
	[ "$(rdma resource show cm_id | grep -c "state CONNECT .*:7180\b")" = 2 ]
}
told_live() {
	moves && return
	cat "$work/live-server" "$work/live"
	return 1
}
check "a connection beside" begin_live

# ---- the datagrams ------------------------------------------------------------------
all_ids() { rdma resource show | sed -n 's/.* cm_id \([0-9]*\).*/\1/p' | awk '{ n += $1 } END { print n + 0 }'; }
as_before() { [ "$(all_ids)" = $before ]; }
as_before_now() {
	wait_for 120 as_before && return
	echo "$before ids before"
	rdma resource show
	rdma resource show cm_id
	return 1
}
before=$(all_ids)

targets() {
	$there "$fuzz" serve $at 7501 $from >"$work/target-there" 2>&1 &
	target_there=$!
	"$fuzz" serve $from 7501 $at >"$work/target-here" 2>&1 &
	target_here=$!
	wait_for 120 both_listen
}
both_listen() {
	{ $there rdma resource show cm_id; rdma resource show cm_id; } |
		grep -w "state LISTEN" >"$work/listen"
	has "src-addr $at:7501" "$work/listen" && has "src-addr $from:7501" "$work/listen"
}
counts() { grep . /sys/class/infiniband/$peer/ports/1/cm_rx_*/* | sed 's|.*/ports/1/||'; }
quiet() { # LINES: not one for a datagram; a few at most for all of them
	_new=$(($(dmesg | wc -l) - $1))
	[ $_new -le $((5 + n / 100)) ] && return
	dmesg | tail -n $_new | head -n 20
	return 1
}
check "the targets are there" targets
lines=$(dmesg | wc -l)
check "$n datagrams" "$fuzz" fuzz $dev $from $peer $at 7501 eth0 \
	"$n" "$SEED" ${LONGEST:-$longest}
sed 's/^/     /' "$work/output"
counts >"$OUT/counters"
check "nothing was logged" quiet "$lines"
check "the connection beside has not noticed" told_live
still() { kill -0 $target_there && kill -0 $target_here; }
check "the targets are still there" still
kill $target_there $target_here
over() { ! kill -0 $target_there && ! kill -0 $target_here; } 2>/dev/null
check "they end" wait_for 120 over || exit 1
wait $target_there $target_here
sed 's/^/     /' "$work/target-there" "$work/target-here"
check "their ids are gone, the others are there" as_before_now

# ---- afterwards ---------------------------------------------------------------------
check "a new connection" talk tcp 7174 "rping -s -a $at -V -C 100 -S 1000" \
	"rping -c -a $at -V -C 100 -S 1000"
check "a new unconnected service" talk udp 7174 "udaddy -b $at -c 4" "udaddy -s $at -c 4"
# Told of it, rping waits for its receive to be flushed. librxe posts one to a QP
# that has failed without a word to the kernel, on the stock core as well.
end_live() {
	kill $live
	wait_for 60 has "DISCONNECT EVENT" "$work/live-server" || return
	kill -9 $live_server
	wait $live_server
	return 0
}
check "the connection beside ends when it is told to" end_live
if [ $place = one ]; then
	check "$peer goes" rdma link delete $peer
else
	check "the namespace goes" leave_apart
fi
cm_down
