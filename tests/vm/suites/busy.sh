# SPDX-License-Identifier: GPL-2.0
#
# Hosts whose processors are taken: one by a real-time task, which no worker gets back, or both
# by programs that compute. All that was posted completes, and no ACK is late where nothing is
# lost. Rates are printed; with SCALE=1 those of the kernel's own rdma_rxe in the same boot too.
DRIVER=roce
. "$VM/guest.sh"

seconds=${SECONDS_EACH:-1}
# 1 s: of a host that is busy itself a guest may get nothing for as long as 67 ms, which is
# what programs take (14).
timeout=${ACK_TIMEOUT:-18}
sys=/sys/class/infiniband

hold() { chrt -f 50 taskset -c 1 sh -c 'while :; do :; done' & hogs=$!; }
compute() {
	hogs=
	for _cpu in 0 1; do
		taskset -c $_cpu sh -c 'while :; do :; done' &
		hogs="$hogs $!"
	done
}
let_go() { # Unquoted on purpose: a list of processes.
	kill $hogs
	wait $hogs 2>/dev/null
}

late() { cat $sys/$1/ports/1/hw_counters/local_ack_timeout_err 2>/dev/null || echo 0; }

# cell NAME KIND BYTES WINDOW [WRAPPER]: its line is left in $work/cell
cell() {
	_name=$1
	before=$(late ${kind}0)
	# Unquoted on purpose: nothing, or words.
	run ${5:-} "$programs/busy_stream" ${kind}0 $gid0 ${kind}1 $gid1 \
		"$2" "$3" "$4" "$seconds" "$timeout" >"$work/cell" 2>&1
	_status=$?
	echo "     | $kind, $_name: $(tail -n 1 "$work/cell")"
	[ $kind = roce ] || return 0
	check "$_name" [ $_status -eq 0 ]
	check "$_name: no ACK is late" [ "$(late roce0)" = "$before" ]
}
cells() {
	cell "$1: WRITE 64 KiB" write 65536 16 "$2"
	cell "$1: READ 64 KiB" read 65536 16 "$2"
	cell "$1: WRITE 64 B" write 64 64 "$2"
	cell "$1: READ 64 KiB and WRITE 64 B" mixed 65536 1 "$2"
}

links() { # KIND
	kind=$1
	rdma link add ${kind}0 type $kind netdev eth0 &&
	rdma link add ${kind}1 type $kind netdev eth1 &&
	wait_for 10 active ${kind}0 && wait_for 10 active ${kind}1 &&
	gid0=$(gid_of ${kind}0 $gid_hex) && gid1=$(gid_of ${kind}1 ${gid_hex%1}2)
}
measure() {
	[ "$SCALE" != 1 ] || cells "idle" ""
	hold
	cells "processor 1 is held" "taskset -c 0"
	let_go
	compute
	cells "both compute" ""
	let_go
}

check "two interfaces" net_up
check "uverbs" modprobe ib_uverbs
if [ "$SCALE" = 1 ] && modprobe -q rdma_rxe && links rxe; then
	measure
	rdma link delete rxe0
	rdma link delete rxe1
fi
check "our module" load_driver
check "our devices" links roce || exit 1
measure
check "they go" rdma link delete roce1
check "both of them" rdma link delete roce0
