# SPDX-License-Identifier: GPL-2.0
#
# A wire of 100 Mbit/s behind a queue that holds all of it: what many queue pairs send waits
# there for longer than their ACK timeout, and nothing is lost. So nothing is sent twice: neither
# requests, which wait in their own host, nor answers, which wait in that of the peer.
DRIVER=roce
. "$VM/lib/guest.sh"
. "$VM/lib/rates.sh"

# 67 ms; the device may have 2 MB in the queue, which is 168 ms.
timeout=14
streams=16

# Packets of the stack's runs would be divided behind the queue.
whole() {
	for _n in 0 1; do
		ethtool -K eth$_n tso off gso off gro off || return
	done
}
slow() {
	for _n in 0 1; do
		tc qdisc replace dev eth$_n root tbf rate 100mbit burst 32kb limit 16mb || return
	done
}
dropped() { # by the queues
	tc -s qdisc show | awk '/dropped/ { sub(",", "", $7); n += $7 } END { print n + 0 }'
}
wire() { # packets that left by both
	cat /sys/class/net/eth0/statistics/tx_packets /sys/class/net/eth1/statistics/tx_packets |
		awk '{ n += $1 } END { print n }'
}
of_both() { # NAME of a counter
	cat /sys/class/infiniband/${kind}[01]/ports/1/hw_counters/"$1" |
		awk '{ n += $1 } END { print n + 0 }'
}

# at_once KIND BYTES WINDOW: so many programs as there are streams
at_once() {
	_pids=
	for _i in $(seq $streams); do
		"$programs/busy_stream" ${kind}0 "$gid0" ${kind}1 "$gid1" "$1" "$2" "$3" \
			"$seconds" $timeout >"$work/stream$_i" 2>&1 &
		_pids="$_pids $!"
	done
	_all=0
	for _pid in $_pids; do
		wait "$_pid" || _all=1
	done
	[ $_all -eq 0 ] || cat "$work"/stream*
	return $_all
}

# A host that does something else makes answers late, too: soak alone tells.
judged() { [ $kind = roce ] && [ "$SCALE" = 1 ]; }

row() { # TITLE KIND BYTES WINDOW [requests that may come twice]
	_dup=$(of_both duplicate_request) _wire=$(wire)
	if [ $kind = rxe ]; then
		at_once "$2" "$3" "$4" >/dev/null
	else
		check "$1: all completes" at_once "$2" "$3" "$4"
	fi
	_dup=$(($(of_both duplicate_request) - _dup)) _wire=$(($(wire) - _wire))
	echo "     | $kind, $1: $_wire packets on the wire, $_dup requests twice"
	[ $kind = rxe ] || for _c in early_retransmits out_of_sequence packet_seq_err; do
		echo "     | $_c: $(of_both $_c)"
	done
	judged || return 0
	check "$1: not one in a thousand twice" [ $(((_dup - ${5:-0}) * 1000)) -lt $_wire ]
}
measure() {
	row "WRITE 64 KiB" write 65536 2
	row "WRITE 512 B" write 512 64
	if judged; then
		check "no ACK is late" [ "$(of_both local_ack_timeout_err)" -eq 0 ]
	fi
	# Of the first answer nothing tells how long it takes: the timeout may be over twice.
	row "READ 64 KiB" read 65536 2 $((2 * streams))
}

check "two interfaces" net_up
check "packets are not divided late" whole
check "and are received in their order" one_queue
check "they are slow" slow
rates measure
check "the queues had room for all" [ "$(dropped)" -eq 0 ]
two_links_end
