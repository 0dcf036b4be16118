# SPDX-License-Identifier: GPL-2.0
#
# Sourced after testdev.sh by suites that fuzz a device, with kill and removal in
# between. They set $fuzz, the program, and $calls, what it makes.
limit=$((limit * 10))
# Four parts of 50,000: by both kinds of ports, with unplugging, on a real device.
n=$(count 50000)
echo "seed $SEED, $n $calls"

fuzzed() { # DEV [OPTION]
	timeout -k 5 "$limit" "$fuzz" -d "$1" -n "$n" -s "$SEED" $2 >"$work/fuzz" 2>&1
	_fuzz=$?
	cat "$work/fuzz"
	return $_fuzz
}
told() { tail -n "${1:-2}" "$work/output" | sed 's/^/     /'; }

in_use() { # DEV PID: PID is at work on DEV, or has ended
	! kill -0 "$2" || [ "$(td_count "$1" pd)" -gt 0 ]
}
come_and_go() { # DEV PID: as long as PID runs
	_times=0
	while kill -0 "$2" 2>/dev/null; do
		# A device that is gone before it was opened tests nothing.
		wait_for 20 in_use "$1" "$2" && td_del "$1" && td_ctl add "$1" || return
		_times=$((_times + 1))
	done
}
unplugged() { # DEV
	td_add "$1" || return
	fuzzed "$1" -w >"$work/unplugged" &
	_pid=$!
	come_and_go "$1" $_pid
	_gone=$?
	wait $_pid
	_status=$?
	cat "$work/unplugged"
	echo "unplugged $_times times"
	[ $_gone -eq 0 ] && [ $_status -eq 0 ]
}

busy() { [ "$(td_count "$1" qp)" -gt 2 ]; }
endless() { # DEV SEED: $_pid is in the middle of work, wherever that is
	"$fuzz" -d "$1" -n 100000000 -s "$2" >"$work/fuzz" 2>&1 &
	_pid=$!
	wait_for 20 busy "$1" && return
	cat "$work/fuzz" "$td/$1/counts"
	kill -9 $_pid
	return 1
}
# Its children go with it, a little later.
killed() { # DEV TIMES
	td_add "$1" || return
	for _i in $(seq "$2"); do
		endless "$1" $((SEED + _i)) || return
		kill -9 $_pid
		wait $_pid
		wait_for 20 td_idle "$1" || { cat "$td/$1/counts"; return 1; }
	done
	td_del "$1"
}
both() { # DEV TIMES
	td_add "$1" || return
	for _i in $(seq "$2"); do
		endless "$1" $((SEED + _i)) || return
		td_del "$1" &
		_del=$!
		kill -9 $_pid
		wait $_del || return
		wait $_pid
		td_ctl add "$1" && wait_for 10 td_ready "$1" || return
	done
	td_del "$1"
}

# The device or the process goes in the middle of it.
cut_short() {
	check "$n $calls while the device comes and goes" unplugged testdev2
	told 3
	check "it goes for good" td_del testdev2
	check "nothing is left of any" wait_for 20 td_all_zero
	check "kill -9 in the middle, $(count 100) times" killed testdev3 "$(count 100)"
	check "nothing is left of the killed" wait_for 20 td_all_zero
	check "kill -9 and removal, $(count 100) times" both testdev4 "$(count 100)"
	check "nothing is left of those" wait_for 20 td_all_zero
}

kmemleak=/sys/kernel/debug/kmemleak
objects() { rdma resource show $dev; }
as_before() { objects | cmp - "$work/before"; }
# On a device that moves data; the counts of the core are all that tells.
real_device() { # CMD
	[ ! -e $kmemleak ] || check "kmemleak finds nothing yet" no_leaks
	check "the module goes" rmmod ofed_testdev
	check "$dev beside it" link_up || return
	objects >"$work/before"
	check "$n $calls on $dev" "$1" $dev
	told
	check "the core holds what it held before" wait_for 20 as_before
	check "$dev goes" link_down
	check "the modules go" unload_stack
	# Stock rxe forgets the queue of an SRQ when its creation fails late, on the
	# stock core as well. What is ours has been looked for before. kmemleak says
	# nothing of what is younger than 5 s.
	if [ -e $kmemleak ] && [ $DRIVER = rxe ]; then
		sleep 6
		echo scan >$kmemleak
		echo scan >$kmemleak
		cat $kmemleak >"$OUT/kmemleak-rxe"
		echo clear >$kmemleak
	fi
}
