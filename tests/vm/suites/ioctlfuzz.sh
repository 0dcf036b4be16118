# SPDX-License-Identifier: GPL-2.0
#
# Random and mutated ioctl() calls, with kill and removal in between, and an
# innocent beside them. What is tested is the silence of the kernel, that nothing
# is left and that the innocent is not disturbed.
. "$VM/guest.sh"
. "$VM/testdev.sh"

fuzz="$programs/ioctl_fuzz"
limit=$((limit * 10))
# Four parts of 50,000: by both kinds of ports, with unplugging, on a real device.
n=$(count 50000)
echo "seed $SEED, $n calls"

beside() { # DEV: its pid in $innocent
	rm -f "$work/stop" "$work/ready"
	timeout -k 5 "$limit" "$programs/ioctl_innocent" "$1" "$work/ready" "$work/stop" \
		>"$work/innocent" 2>&1 &
	innocent=$!
	wait_for 60 [ -e "$work/ready" ] || { cat "$work/innocent"; return 1; }
}
undisturbed() {
	: >"$work/stop"
	wait $innocent
	_status=$?
	cat "$work/innocent"
	return $_status
}
plain() { # DEV [-c]
	beside "$1" || return
	"$fuzz" -d "$1" -n "$n" -s "$SEED" $2 >"$work/fuzz" 2>&1
	_fuzz=$?
	cat "$work/fuzz"
	undisturbed && [ $_fuzz -eq 0 ]
}
told() { tail -n 3 "$work/output" | sed 's/^/     /'; }

check "the module loads" td_load link=ib || exit 1
check "network devices" net_up

# Each method succeeds at least once: the table is what it says.
check "a device with InfiniBand ports" td_add testdev0
coverage=-c
[ "$n" -ge 20000 ] || coverage=
check "$n calls" plain testdev0 $coverage
sed 's/^/     /' "$work/output"
check "all its objects are gone" wait_for 10 [ "$(td_count testdev0 ucontext)" = 0 ]
check "it goes" td_del testdev0
check "nothing is left" wait_for 10 td_all_zero

check "a RoCE device, with an object more" td_add testdev1 link=roce netdev=eth0 virt_dma=1
check "$n calls on it" plain testdev1
told
check "it goes too" td_del testdev1
check "nothing is left of it" wait_for 10 td_all_zero

in_use() { # DEV PID: PID is at work on DEV, or has ended
	! kill -0 "$2" || [ "$(td_count "$1" ucontext)" -gt 0 ]
}
# The device goes and comes while calls run.
unplugged() {
	td_add testdev2 || return
	"$fuzz" -d testdev2 -n "$n" -s "$SEED" -w >"$work/fuzz" 2>&1 &
	_pid=$!
	_times=0
	while kill -0 $_pid 2>/dev/null; do
		# A device that is gone before anybody opened it tests nothing.
		wait_for 20 in_use testdev2 $_pid
		td_del testdev2 && td_ctl add testdev2 || return
		_times=$((_times + 1))
	done
	wait $_pid
	_status=$?
	cat "$work/fuzz"
	echo "unplugged $_times times"
	return $_status
}
check "$n calls while the device comes and goes" unplugged
told
check "it goes for good" td_del testdev2
check "nothing is left of any" wait_for 10 td_all_zero

busy() { [ "$(td_count "$1" qp)" -gt 2 ]; }
endless() { # DEV SEED: $_pid is in the middle of work, wherever that is
	"$fuzz" -d "$1" -n 100000000 -s "$2" >"$work/fuzz" 2>&1 &
	_pid=$!
	wait_for 20 busy "$1"
}
# Its children go with it, a little later.
killed() {
	td_add testdev3 || return
	for _i in $(seq "$1"); do
		endless testdev3 $((SEED + _i))
		kill -9 $_pid
		wait $_pid
		wait_for 20 [ "$(td_count testdev3 ucontext)" = 0 ] || true
	done
	td_del testdev3
}
check "kill -9 in the middle, $(count 100) times" killed "$(count 100)"
check "nothing is left of the killed" wait_for 20 td_all_zero

both() {
	td_add testdev4 || return
	for _i in $(seq "$1"); do
		endless testdev4 $((SEED + _i))
		td_del testdev4 &
		_del=$!
		kill -9 $_pid
		wait $_del || return
		wait $_pid
		td_ctl add testdev4 && wait_for 10 td_ready testdev4 || return
	done
	td_del testdev4
}
check "kill -9 and removal, $(count 100) times" both "$(count 100)"
check "nothing is left of those" wait_for 20 td_all_zero

kmemleak=/sys/kernel/debug/kmemleak
if [ -e $kmemleak ]; then
	check "kmemleak finds nothing yet" no_leaks
fi
check "the module goes" rmmod ofed_testdev
check "$dev" link_up
objects() { rdma resource show $dev; }
objects >"$work/before"
check "$n calls on $dev" plain $dev
told
as_before() { objects | cmp - "$work/before"; }
check "the core holds what it held before" wait_for 20 as_before
check "$dev goes" link_down
check "the modules go" wait_for 20 unload_stack
# Stock rxe forgets the queue of an SRQ whose creation fails late, on the stock
# core as well. What is ours has been looked for before.
if [ -e $kmemleak ] && [ $DRIVER = rxe ]; then
	echo scan >$kmemleak
	echo scan >$kmemleak
	cat $kmemleak >"$OUT/kmemleak-rxe"
	echo clear >$kmemleak
fi
