# SPDX-License-Identifier: GPL-2.0
#
# A wire that loses packets, both ways: all that was posted completes, early retransmissions
# bring what is lost at the end of a message, and no timeout of a queue pair is needed for it.
# Where nothing is lost, nothing is sent again. With SCALE=1 rdma_rxe on the same wire first.
DRIVER=roce
. "$VM/guest.sh"

seconds=${SECONDS_EACH:-1}
# 1 s: as suite busy. What the queue pair waits for would be seen in the rates.
timeout=${ACK_TIMEOUT:-18}
sys=/sys/class/infiniband
counter() { cat "$sys/roce0/ports/1/hw_counters/$1"; }

# netem takes what the stack would divide later for one packet.
whole() {
	for _n in 0 1; do
		ethtool -K eth$_n tso off gso off gro off || return
	done
}
impair() { # netem's words
	for _n in 0 1; do
		# Unquoted on purpose: words.
		tc qdisc replace dev eth$_n root netem limit 10000 $1 || return
	done
}
cell() { # NAME KIND BYTES WINDOW
	_name=$1
	run "$programs/busy_stream" ${kind}0 $gid0 ${kind}1 $gid1 \
		"$2" "$3" "$4" "$seconds" "$timeout" >"$work/cell" 2>&1
	_status=$?
	echo "     | $kind, $_name: $(tail -n 1 "$work/cell")"
	[ $kind = rxe ] || check "$_name" [ $_status -eq 0 ]
}
links() { # KIND
	kind=$1
	rdma link add ${kind}0 type $kind netdev eth0 &&
	rdma link add ${kind}1 type $kind netdev eth1 &&
	wait_for 10 active ${kind}0 && wait_for 10 active ${kind}1 &&
	gid0=$(gid_of ${kind}0 $gid_hex) && gid1=$(gid_of ${kind}1 ${gid_hex%1}2)
}
measure() {
	for _loss in 1 5; do
		check "$_loss % are lost" impair "loss $_loss% delay 1ms"
		cell "$_loss % loss: WRITE 64 KiB" write 65536 4
		cell "$_loss % loss: READ 64 KiB" read 65536 4
		cell "$_loss % loss: WRITE 64 B" write 64 16
	done
}

check "two interfaces" net_up
check "packets are not divided late" whole
check "uverbs" modprobe ib_uverbs
if [ "$SCALE" = 1 ] && modprobe -q rdma_rxe && links rxe; then
	measure
	rdma link delete rxe0
	rdma link delete rxe1
fi
check "our module" load_driver
check "our devices" links roce || exit 1
measure
check "packets came again before the timeout" [ "$(counter early_retransmits)" -gt 0 ]
check "and never after it" [ "$(counter local_ack_timeout_err)" -eq 0 ]
check "they go" rdma link delete roce1
check "both of them" rdma link delete roce0
