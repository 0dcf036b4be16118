# SPDX-License-Identifier: GPL-2.0
#
# A wire that loses single packets, both ways, or lets some overtake: all that was posted
# completes. Rates, and packets on the wire for each message, beside rdma_rxe and TCP with
# SCALE=1, which has more losses and delays.
DRIVER=roce
. "$VM/lib/guest.sh"
. "$VM/lib/rates.sh"

far= # nothing, or what runs a program where eth1 is
netem() { # ITS WORDS
	# Unquoted on purpose: words.
	tc qdisc replace dev eth0 root netem limit 10000 $1 &&
	$far tc qdisc replace dev eth1 root netem limit 10000 $1
}

# every FUNCTION: calls it with a title and the words of each impairment
every() {
	if [ "$SCALE" != 1 ]; then
		"$1" "1 %, 1 ms" "loss 1% delay 1ms"
		return
	fi
	for _loss in 0.1 1 5; do
		for _delay in 0 1 5; do
			"$1" "$_loss %, $_delay ms" "loss $_loss% delay ${_delay}ms"
		done
	done
	# One in a hundred does not wait for 1 ms.
	"$1" "1 % overtake, 1 ms" "delay 1ms reorder 1%"
}

wire() { # packets that have left by both
	cat /sys/class/net/eth[01]/statistics/tx_packets | awk '{ n += $1 } END { print n }'
}
counted() { # NAME KIND BYTES WINDOW: a row, and packets of a completion
	_wire=$(wire)
	rate "$@"
	_wire=$(($(wire) - _wire))
	awk -v n=$_wire '$2 ~ /^completions/ && $1 { printf "     | packets on the wire for one: %.1f\n", n / $1 }' \
		"$work/rate"
}
rows() { # TITLE WORDS
	check "$1" netem "$2"
	counted "$1: WRITE 64 KiB" write 65536 4
	counted "$1: READ 64 KiB" read 65536 4
}
measure() { every rows; }

tcp_row() { # TITLE WORDS
	netem "$2" || return
	_bw=$(run qperf -t "$seconds" -m 64K 10.0.0.2 tcp_bw | sed -n 's/^ *bw *= *//p')
	echo "     | tcp, $1: ${_bw:-nothing}"
}
# The other end is in a namespace: otherwise the bytes would not leave the host's loopback.
tcp() {
	far="ip netns exec far"
	ip netns add far && ip link set eth1 netns far && $far ip link set lo up &&
	$far ip addr add 10.0.0.2/24 dev eth1 && $far ip link set eth1 up || return
	$far qperf &
	_server=$!
	wait_for 10 qperf -t 1 10.0.0.2 tcp_lat
	echo "     | $(sysctl net.ipv4.tcp_congestion_control)"
	every tcp_row
	kill $_server
	far=
	net_down
	ip netns del far
}

check "two interfaces" net_up
if [ "$SCALE" = 1 ]; then
	check "single packets of TCP" single
	tcp
	check "two interfaces again" net_up
fi
check "single packets" single
rates measure
# At 1 % a NAK may be enough for each loss.
[ "$SCALE" != 1 ] ||
	check "packets came again before the timeout" [ "$(counter early_retransmits)" -gt 0 ]
two_links_end
