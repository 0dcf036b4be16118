# SPDX-License-Identifier: GPL-2.0
#
# Conversations on /dev/infiniband/rdma_cm with mutated commands; kill, and
# removal of the device, in the middle. What is tested is the silence of the
# kernel and that nothing is left.
. "$VM/lib/guest.sh"

fuzz="$programs/ucma_fuzz"
limit=$((limit * 10))
n=$(count 100000)
times=$(count 100)
echo "seed $SEED, twice $n commands"

need_link
check "the node is there" modprobe rdma_ucm || exit 1

# Ids that have found their device.
ids() { rdma resource show $dev 2>/dev/null | sed -n 's/.* cm_id \([0-9]*\).*/\1/p'; }
no_ids() { [ "$(ids)" = 0 ]; }
ran() { # ARG...
	timeout -k 5 "$limit" "$fuzz" -n "$n" -s "$SEED" "$@" >"$work/fuzz" 2>&1
	_status=$?
	cat "$work/fuzz"
	return $_status
}
# A short run needs luck to get to all of them.
coverage=-c
[ "$n" -ge 20000 ] || coverage=
check "$n commands" ran $coverage
sed 's/^/     /' "$work/output"
check "all ids are gone" wait_for 20 no_ids
check "$n commands of two threads" ran -t 2
tail -n 1 "$work/output" | sed 's/^/     /'
check "a connection still comes up" "$programs/badcma" connect

# Until it is in the middle of work, wherever that is.
busy() { [ "$(ids)" -gt 2 ] || ! kill -0 "$1"; }
endless() { # SEED
	"$fuzz" -n 100000000 -s "$1" >"$work/fuzz" 2>&1 &
	_pid=$!
	wait_for 20 busy $_pid && kill -0 $_pid
}
killed() {
	for _i in $(seq "$times"); do
		endless $((SEED + _i)) || { cat "$work/fuzz"; return 1; }
		kill -9 $_pid
		wait $_pid
		wait_for 20 no_ids || return
	done
	return 0
}
check "kill -9 in the middle, $times times" killed

# Removal waits for the users of the device, and none has it for long.
unplugged() {
	endless "$SEED" || { cat "$work/fuzz"; return 1; }
	for _i in $(seq "$times"); do
		timeout -k 5 "$limit" rdma link delete $dev || return
		kill -0 $_pid || { cat "$work/fuzz"; return 1; }
		rdma link add $dev type $DRIVER netdev eth0 && wait_for 20 ready $dev || return
	done
	kill -9 $_pid
	wait $_pid
	return 0
}
check "the device goes and comes, $times times" unplugged
check "a connection comes up after all that" "$programs/badcma" connect
check "$dev goes" link_down
# Every struct of it is freed, or the modules would not go.
check "all modules go" wait_for 20 unload_stack
