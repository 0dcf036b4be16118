# SPDX-License-Identifier: GPL-2.0
#
# Sourced, after guest.sh, by suites that print what busy_stream of tests/programs/verbs gets
# done between two devices, on eth0 and eth1; with SCALE=1 between two of rdma_rxe first, in the
# same boot.

seconds=${SECONDS_EACH:-1}
# 1 s: of a host that is busy itself a guest may get nothing for as long as 67 ms, which is
# what programs take (14).
timeout=${ACK_TIMEOUT:-18}
# Of each row.
connections=1

counter() { # NAME [DEVICE], of ours
	cat "/sys/class/infiniband/${2:-roce0}/ports/1/hw_counters/$1"
}

# A queueing discipline takes what the stack would divide later for one packet.
whole() {
	for _n in 0 1; do
		ethtool -K eth$_n tso off gso off gro off || return
	done
}

# The interface segments nothing, and our device leaves nothing to the stack: a queue would take
# an skb of several packets for one.
single() {
	whole || return
	for _n in 0 1; do
		ethtool -K eth$_n tx-udp-segmentation off && ip link set eth$_n gso_max_segs 1 || return
	done
}

# rate NAME KIND BYTES WINDOW [WRAPPER]: a row, if it is of our devices
rate() {
	_name=$1
	# Unquoted on purpose: nothing, or words.
	run ${5:-} "$programs/busy_stream" ${kind}0 "$gid0" ${kind}1 "$gid1" \
		"$2" "$3" "$4" "$seconds" "$timeout" $connections >"$work/rate" 2>&1
	_status=$?
	echo "     | $kind, $_name: $(tail -n 1 "$work/rate")"
	[ $kind = rxe ] || check "$_name" [ $_status -eq 0 ]
}

two_links() { # KIND
	kind=$1
	rdma link add ${kind}0 type $kind netdev eth0 &&
	rdma link add ${kind}1 type $kind netdev eth1 &&
	wait_for 10 active ${kind}0 && wait_for 10 active ${kind}1 &&
	gid0=$(gid_of ${kind}0 $gid_hex) && gid1=$(gid_of ${kind}1 ${gid_hex%1}2)
}

# rates FUNCTION: calls rate; ours are left
rates() {
	check "uverbs" modprobe ib_uverbs
	if [ "$SCALE" = 1 ] && modprobe -q rdma_rxe && two_links rxe; then
		"$1"
		rdma link delete rxe0
		rdma link delete rxe1
	fi
	check "our module" load_driver
	check "our devices" two_links roce || exit 1
	"$1"
}

two_links_end() {
	# What comes next has a wire that loses nothing.
	for _n in 0 1; do tc qdisc del dev eth$_n root 2>/dev/null || true; done
	check "they go" rdma link delete roce1
	check "both of them" rdma link delete roce0
}

# What waits in a queue leaves it on any processor: without this it would overtake on its way
# through the veth pair, as it cannot on a wire.
one_queue() {
	for _n in 0 1; do
		echo 1 >/sys/class/net/eth$_n/queues/rx-0/rps_cpus || return
	done
}
