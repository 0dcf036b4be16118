# SPDX-License-Identifier: GPL-2.0
#
# Doorbells that are stores: libofed, and the thread of a context that reads them.
#
# A guest of one processor has none for such a thread: there the call remains, and with
# poll_always the rest is asked all the same.
DRIVER=roce
. "$VM/lib/guest.sh"
. "$VM/lib/libofed.sh"

params=/sys/module/ofed_soft/parameters
limit=$((limit * 4))
poller="$programs/poller"
say() { echo "$2" >$params/$1; } # PARAMETER VALUE
no_threads() { ! grep -q '^ofed_poll/' /proc/[0-9]*/comm; }
all_gone() {
	wait_for 20 no_threads && return
	grep . /proc/[0-9]*/comm | grep ofed_poll/
	return 1
}

need_link
check "the library is put in its place" libofed_in
check "$dev is libofed's" driven_by $dev ofed
address=10.0.0.1

# ---- where a processor is free --------------------------------------------------------
n=$(count 200000)
echo "seed $SEED, $n messages"
say pollers 0
table "without the parameter" $poller $dev $gid_index 2 "$n" "$SEED" none
say pollers 8
has=thread
[ "$(nproc)" -gt 1 ] || has=none
table "processors: $(nproc)" $poller $dev $gid_index 2 "$n" "$SEED" $has
check "no thread is left" all_gone

# ---- whatever else wants the processor ---------------------------------------------------
say poll_always Y
in_cgroup() { # CMD...
	mkdir -p "$work/cgroup" && mount -t cgroup2 none "$work/cgroup" &&
		mkdir -p "$work/cgroup/poller" || return
	sh -c 'echo $$ >"$1/poller/cgroup.procs" && shift && exec "$@"' - "$work/cgroup" "$@"
	_status=$?
	rmdir "$work/cgroup/poller" && umount "$work/cgroup" || return
	return $_status
}
check "the thread is in a cgroup of its process, which can go afterwards" \
	in_cgroup $poller $dev $gid_index 2 "$n" "$SEED" thread
table "always" $poller $dev $gid_index 2 "$n" "$SEED" thread
table "100 queue pairs" $poller $dev $gid_index 100 "$n" "$SEED" thread
[ "$SCALE" != 1 ] || table "1,000 queue pairs" $poller $dev $gid_index 1000 "$n" "$SEED" thread
loopback=$params/loopback
for way in Y N; do
	echo $way >$loopback
	table "loopback=$way" "$programs/wr_lists" $dev $gid_index
done
echo Y >$loopback
port=18900
for kind in rc ud; do
	check "ibv_${kind}_pingpong" duo $((port += 1)) ibv_${kind}_pingpong -d $dev \
		-g $gid_index -n "$(count 20000)" -e
done

# ---- hostile -------------------------------------------------------------------------------
lines=$(dmesg | wc -l)
table "scribbled over" $poller $dev $gid_index 8 "$n" "$SEED" thread $address
# What the kernel says of something else meanwhile is not meant.
check "nothing was logged of it" [ "$(($(dmesg | wc -l) - lines))" -le 5 ]

# As many as the parameter says, and no more: the others call.
say pollers 1
in_background() { # a context that has the thread
	"$poller" $dev $gid_index 2 1000000000 "$SEED" thread >"$work/background" 2>&1 &
	_background=$!
	wait_for 30 thread_of $_background
}
thread_of() { grep -qx "ofed_poll/$1" /proc/[0-9]*/comm; }
check "a program has the only thread" in_background
table "beside it" $poller $dev $gid_index 2 "$(((n + 9) / 10))" "$SEED" none
kill -9 $_background
wait $_background 2>/dev/null
check "it goes with the program" all_gone
say pollers 8

# ---- ends ----------------------------------------------------------------------------------
rounds=$(count 50)
[ "$rounds" -gt 1 ] || rounds=2
killed() {
	for _i in $(seq "$rounds"); do
		in_background || return
		kill -9 $_background
		wait $_background 2>/dev/null
		all_gone || return
	done
}
check "kill -9 in the middle, $rounds times" killed

ready_or_dead() { [ -e "$2" ] || ! kill -0 "$1"; } # PID FILE
unplugged() { # by the program of the suite teardown, which looks at every descriptor
	for _i in $(seq "$rounds"); do
		rm -f "$work/ready"
		timeout -k 5 "$limit" "$programs/traffic" $dev $address $dev $address "$work/ready" \
			>"$work/traffic" 2>&1 &
		_client=$!
		wait_for 60 ready_or_dead $_client "$work/ready"
		rdma link delete $dev
		wait $_client || { cat "$work/traffic"; return 1; }
		all_gone || return
		rdma link add $dev type $DRIVER netdev eth0 && wait_for 10 ready $dev || return
	done
}
check "rdma link delete in the middle, $rounds times" unplugged

check "no object of a program is left" no_user_objects
say pollers 0
say poll_always N
check "the library goes" libofed_out
check "$dev goes" link_down
check "the modules go" unload_stack
