# SPDX-License-Identifier: GPL-2.0
#
# A port that is slower than its senders: 200 Mbit/s with a queue that marks packets (RED), and
# with one of 100 KB that drops what does not fit. Four connections share it, evenly. Then a wire
# that marks packets at random, of which CNPs notify the senders, and a peer out of raw packets,
# which marks and notifies itself.
DRIVER=roce
. "$VM/lib/guest.sh"
. "$VM/lib/rates.sh"

# MB/s of the port, headers included.
port=25
connections=4

# 2.6 ms of the rate. The timer of the port is as late as any other of an emulated processor: with
# 10 KB the port had a quarter of its rate, without any sender that slowed down.
burst=64kb

slow() { # QUEUE'S WORDS
	for _n in 0 1; do
		tc qdisc replace dev eth$_n root handle 1: tbf rate 200mbit burst $burst limit 400000 &&
		# Unquoted on purpose: words.
		tc qdisc replace dev eth$_n parent 1: $1 || return
	done
}
# A kernel of ours has netem alone, which counts packets: of 1,078 bytes each.
dropping() {
	case $KERNEL in
	um*)	for _n in 0 1; do
			tc qdisc replace dev eth$_n root netem rate 200mbit limit 93 || return
		done ;;
	*)	slow "bfifo limit 100000" ;;
	esac
}
red="red limit 400000 min 15000 max 45000 probability 0.1 avpkt 1000 burst 25 bandwidth 200mbit ecn"

# shares ROW: what the latest row says, in soak of ours
shares() {
	[ $kind = roce ] && [ "$SCALE" = 1 ] || return 0
	check "$1: 0.7 of the port, shared evenly" awk -v port=$port '
		{ for (i = 2; i <= NF; i++) { if ($i ~ /^MB/) mb = $(i - 1); if ($(i - 1) == "Jain") jain = $i } }
		END { print mb, jain; exit !(mb >= 0.7 * port && jain >= 0.9) }' "$work/rate"
}

row() { # NAME KIND
	rate "$1" "$2" 65536 4
}

marking() {
	check "a port that marks" slow "$red"
	row "RED: WRITE 64 KiB" write
	shares "RED: WRITE 64 KiB"
	row "RED: READ 64 KiB" read
	shares "RED: READ 64 KiB"
}
measure() {
	case $KERNEL in um*) ;; *) marking ;; esac
	[ $kind = rxe ] || marked
	check "a port that drops" dropping
	row "100 KB: WRITE 64 KiB" write
	shares "100 KB: WRITE 64 KiB"
	row "100 KB: READ 64 KiB" read
	shares "100 KB: READ 64 KiB"
	[ $kind = rxe ] && return
	# Losses slow a sender by this value alone.
	check "the parameter" sh -c "echo 2 >/sys/module/ofed_soft/parameters/congestion"
	row "100 KB, congestion=2: WRITE 64 KiB" write
	row "100 KB, congestion=2: READ 64 KiB" read
}

# A guest may be slower than the port: then no queue builds up, and RED marks nothing.
random() {
	for _n in 0 1; do
		tc qdisc replace dev eth$_n root netem loss 5% ecn limit 10000 || return
	done
}

# WRITEs are marked on their way to roce1, answers of READs on theirs to roce0.
marked() {
	check "a wire that marks 5 %" random
	row "marks: WRITE 64 KiB" write
	row "marks: READ 64 KiB" read
	for _d in roce0 roce1; do
		check "$_d has seen marks" [ "$(counter np_ecn_marked_roce_packets $_d)" -gt 0 ]
		check "and told the sender" [ "$(counter np_cnp_sent $_d)" -gt 0 ]
		check "$_d was told of some" [ "$(counter rp_cnp_handled $_d)" -gt 0 ]
		check "by its peers alone" [ "$(counter rp_cnp_ignored $_d)" -eq 0 ]
		check "$_d: fewer CNPs than marks" [ "$(counter np_cnp_sent $_d)" -le \
			"$(counter np_ecn_marked_roce_packets $_d)" ]
	done
}

peer_up() {
	tc qdisc del dev eth0 root && rdma link delete roce1 && ip netns add peer &&
	ip link set eth1 netns peer && ip -n peer link set eth1 up &&
	for _a in 10.0.0.2/24 10.0.0.3/24 "fd00::2/64 nodad" "fd00::3/64 nodad"; do
		# Unquoted on purpose: an address and a word.
		ip -n peer addr add $_a dev eth1 || return
	done
	ip addr add fd00::1/64 dev eth0 nodad &&
	wait_for 10 gid_of roce0 fd00:0000:0000:0000:0000:0000:0000:0001
}

# Its interface is that of both: another suite makes them anew.
peer_down() { net_down && ip netns del peer; }

raw_peer() { # OWN ITS OTHER GID
	python3 "$TOP/tests/programs/wire/ecn.py" roce0 "$(gid_of roce0 "$4")" peer "$1" "$2" "$3"
}

tracing=/sys/kernel/tracing
traced() { # 1 or 0
	mountpoint -q $tracing || mount -t tracefs tracefs $tracing || return
	for _e in ibt_cnp_tx ibt_cnp_rx; do
		echo "$1" >$tracing/events/ibt/$_e/enable || return
	done
}
shows() { # EVENT PATTERN
	grep -Eq ": $1: $2" $tracing/trace || { tail $tracing/trace; return 1; }
}

check "two interfaces" net_up
check "packets are not divided late" single
# Of one processor all are.
case $KERNEL in um*) ;; *) check "and are received in their order" one_queue ;; esac
rates measure
check "a peer in another namespace" peer_up
check "tracing begins" traced 1
check "marks and CNPs, IPv4" raw_peer 10.0.0.2 10.0.0.1 10.0.0.3 $gid_hex
check "ibt_cnp_tx" shows ibt_cnp_tx 'dev=[0-9]+ qpn=[1-9][0-9]* peer=[1-9]'
check "ibt_cnp_rx" shows ibt_cnp_rx 'dev=[0-9]+ qpn=[1-9][0-9]* rate=[1-9]'
check "tracing ends" traced 0
check "marks and CNPs, IPv6" raw_peer fd00::2 fd00::1 fd00::3 \
	fd00:0000:0000:0000:0000:0000:0000:0001
check "the device goes" rdma link delete roce0
check "the peer goes" peer_down
