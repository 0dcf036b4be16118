# SPDX-License-Identifier: GPL-2.0
#
# What programs do beside messages: memory of all kinds, forks, limits, tracers, dumps, signals,
# descriptors that others inherit; and a device that goes under those that are stopped.
# DRIVER=roce, iwarp or ib.
. "$VM/lib/guest.sh"
. "$VM/lib/ourdev.sh"
. "$VM/lib/libofed.sh"

need_device
where=$gid_index
[ "$DRIVER" != iwarp ] || where=$gid_ip
loopback=/sys/module/ofed_$([ "$DRIVER" = iwarp ] && echo iwarp || echo soft)/parameters/loopback
for way in Y N; do
	echo $way >$loopback
	table "loopback=$way" "$programs/program_life" $dev $where
	# 2 GiB take their time by packets.
	[ "$SCALE" != 1 ] || table "loopback=$way" "$programs/program_life" $dev $where large
done
echo Y >$loopback
# Regions that are registered again are known to libofed alone.
check "the library is put in its place" libofed_in
table "libofed" "$programs/program_life" $dev $where
check "the library goes" libofed_out
unused() { ! rdma resource show qp | grep -wE 'program_life|full_queues'; }
check "all is given back" wait_for 20 unused

# ---- dumps, and who looks -------------------------------------------------------------------------
mkfifo "$work/stay"
stay() { # it waits with full queues
	sleep 1000 >"$work/stay" &
	_holder=$!
	"$programs/full_queues" $dev $where stay <"$work/stay" >"$work/stayed" 2>&1 &
	stayer=$!
	wait_for 60 has ready "$work/stayed"
}
over() { # [SIGNAL]
	[ -z "${1:-}" ] || kill -"$1" $stayer
	wait $stayer
	kill $_holder
	wait $_holder
	return 0
}
ulimit -c unlimited
echo "$work/core" >/proc/sys/kernel/core_pattern
for signal in SEGV ABRT; do
	check "a program that stays" stay
	over $signal
	check "SIG$signal leaves a core" [ -s "$work/core" ]
	check "and nothing else" wait_for 20 unused
	rm -f "$work/core"
done
ulimit -c 0
debugged() {
	timeout -k 5 "$limit" gdb -p $stayer -batch -ex 'info threads' \
		-ex "generate-core-file $work/core" && [ -s "$work/core" ]
}
looked_at() {
	for _file in smaps numa_maps maps status pagemap; do
		[ ! -e /proc/$stayer/$_file ] || head -c 1000000 /proc/$stayer/$_file >/dev/null || return
	done
	cat /proc/$stayer/fdinfo/* >/dev/null
	[ ! -e /proc/$stayer/clear_refs ] || echo 1 >/proc/$stayer/clear_refs
}
check "a program that stays" stay
check "gdb dumps it" debugged
rm -f "$work/core"
check "/proc tells of it" looked_at
over KILL
check "nothing is left" wait_for 20 unused

# ---- the device goes -----------------------------------------------------------------------------------
# A program that knows nothing of the device has its descriptors.
heir() {
	python3 - <<-END &
	import os
	from pyverbs.device import Context
	context = Context(name='$dev')
	for fd in os.listdir('/proc/self/fd'):
	  try:
	    if 'uverbs' in os.readlink('/proc/self/fd/' + fd) or 'infinibandevent' in os.readlink('/proc/self/fd/' + fd):
	      os.set_inheritable(int(fd), True)
	  except OSError:
	    pass
	os.execvp('tail', ['tail', '-f', '/dev/null'])
	END
	_heir=$!
	wait_for 60 sh -c "readlink /proc/$_heir/exe | grep -q tail" &&
		ls -l /proc/$_heir/fd | grep uverbs
}
drivers_go() {
	for _m in ofed_roce ofed_ib ofed_iwarp ofed_soft; do
		[ ! -d /sys/module/$_m ] || rmmod $_m || return
	done
}
check "a program inherits the device" heir
check "a program that stays" stay
check "is stopped" kill -STOP $stayer
case $DRIVER in
ib)	check "the device goes" all_down ;;
*)	check "the device goes" rdma link delete $dev ;;
esac
check "so do the drivers" wait_for 20 drivers_go
kill -CONT $stayer
over KILL
kill $_heir
wait $_heir
check "the modules go" wait_for 20 unload_stack
[ "$DRIVER" = ib ] || net_down
