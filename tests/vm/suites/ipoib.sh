# SPDX-License-Identifier: GPL-2.0
#
# The distribution's ib_ipoib on our devices: two namespaces, each with the interface
# of an HCA of the star, and rdma_cm by their addresses.
. "$VM/lib/guest.sh"
. "$VM/lib/ib.sh"

check "a star" fabric_up star || exit 1
check "umad" wait_for 60 [ -c /dev/infiniband/umad3 ]
# Full members, and two of a partition of their own, where the third is limited.
partitions=$work/partitions
guid_of() { echo "0x$(sed 's/://g' "$ibsys/$1/ports/1/gids/0" | cut -c 17-)"; }
cat >"$partitions" <<-END
	Default=0x7fff, ipoib, defmember=full : ALL=full;
	Apart=0x0001, ipoib : $(guid_of hca1)=full, $(guid_of hca2)=full, $(guid_of hca3)=limited,
		$(guid_of hca4)=limited;
END
begin_opensm sm hca1
check "all active" wait_for 120 all_active

check "ib_ipoib" modprobe ib_ipoib || exit 1
n1=$(ndev_of hca1) n2=$(ndev_of hca2) n3=$(ndev_of hca3) n4=$(ndev_of hca4)
check "interfaces of four HCAs" [ "$n1" -a "$n2" -a "$n3" -a "$n4" ] || exit 1

# As programs look for it.
check "$n2 is the HCA's" [ -e "$ibsys/hca2/device/net/$n2" -a ! -e "$ibsys/hca2/device/net/$n1" ]

into() { # NETNS NDEV ADDRESS
	ip netns add "$1" && ip link set "$2" netns "$1" && ip -n "$1" link set lo up &&
		ip -n "$1" addr add "$3/24" dev "$2" && ip -n "$1" link set "$2" up
}
check "$n1 in a namespace" into a "$n1" 10.9.0.1
check "$n2 in another" into b "$n2" 10.9.0.2
in_a() { ip netns exec a "$@"; }
in_b() { ip netns exec b "$@"; }
carrier() { ip -n "$1" link show "$2" | grep -q LOWER_UP; }
check "a carrier" wait_for 60 carrier a "$n1"
check "and there" wait_for 60 carrier b "$n2"

pings() { ip netns exec "${from:-a}" busybox ping -c 1 -W 2 "$@"; }
check "ping" wait_for 60 pings 10.9.0.2 || { ip -n a neigh; dmesg | tail -n 20; }
check "ping of 2000 bytes" pings -s 2000 10.9.0.2
check "ping of 9000 bytes, in fragments" pings -s 9000 10.9.0.2
link_local=$(ip -n b -6 addr show dev "$n2" | sed -n 's/.*inet6 \(fe80[^/]*\).*/\1/p')
check "ping by IPv6" wait_for 60 pings -6 "$link_local%$n1"

# ---- a stream, byte by byte --------------------------------------------------------------
bytes=$(count 1073741824)
stream() {
	rm -f "$work/listens"
	_begin=$(date +%s)
	timeout -k 5 $((limit * 5)) ip netns exec b python3 "$TOP/tests/programs/wire/ip_stream.py" receive \
		10.9.0.2 5001 "$work/listens" >"$work/received" &
	_receiver=$!
	wait_for 60 [ -e "$work/listens" ] || return
	timeout -k 5 $((limit * 5)) ip netns exec a python3 "$TOP/tests/programs/wire/ip_stream.py" send \
		10.9.0.2 5001 "$bytes" >"$work/sent" || return
	wait $_receiver || return
	echo "$(($(date +%s) - _begin)) s"
	diff "$work/sent" "$work/received"
}
check "TCP stream of $bytes bytes" stream
sed 's/^/     /' "$work/output"

# ---- what is left to the HCA ----------------------------------------------------------------
has_feature() { ip netns exec "$1" ethtool -k "$2" | grep -q "^$3: on"; }
for feature in tx-checksumming rx-checksumming tcp-segmentation-offload; do
	check "$feature" has_feature a "$n1" $feature
done
sent_of() { in_a cat "/sys/class/net/$n1/statistics/tx_$1"; }
# What leaves the interface at once is larger than a packet of the link.
leaves_large() {
	_bytes=$(sent_of bytes) _packets=$(sent_of packets)
	echo "$_bytes bytes in $_packets"
	[ $((_bytes / _packets)) -gt 2044 ]
}
check "a stream leaves in more than packets" leaves_large
without_offloads() {
	in_a ethtool -K "$n1" tx off tso off && in_b ethtool -K "$n2" rx off && stream &&
		in_a ethtool -K "$n1" tx on tso on && in_b ethtool -K "$n2" rx on
}
check "TCP stream without any of it" without_offloads
sed 's/^/     /' "$work/output"

# ---- what ethtool and debugfs have to do with it ------------------------------------------
coalesced() {
	says "50 8" ip netns exec b python3 "$TOP/tests/programs/wire/coalesce.py" "$n2" 50 8 &&
		says "50 8" ip netns exec b python3 "$TOP/tests/programs/wire/coalesce.py" "$n2"
}
check "ethtool -C: told of eight packets at once, or in 50 us" coalesced
check "TCP stream so" stream
debugfs=/sys/kernel/debug/ipoib
check "debugfs: the broadcast group" grep -qi "ff12:401b:ffff:0:0:0:ffff:ffff" "$debugfs/${n1}_mcg"
check "debugfs: a path" grep -q "complete: *yes" "$debugfs/${n1}_path"

# ---- groups ---------------------------------------------------------------------------------
groups=$(count 100)
joins() {
	rm -f "$work/heard"
	ip netns exec b python3 "$TOP/tests/programs/wire/groups.py" hear 10.9.0.2 "$groups" \
		"$work/heard" &
	_listener=$!
	in_a ip route add 239.0.0.0/8 dev "$n1" 2>/dev/null
	wait_for 120 sends
	wait $_listener
}
sends() { in_a python3 "$TOP/tests/programs/wire/groups.py" send "$groups" && [ -e "$work/heard" ]; }
check "$groups groups" joins

# ---- connected mode ----------------------------------------------------------------------------
connected() {
	for _x in "a $n1" "b $n2"; do
		ip netns exec ${_x% *} sh -c "echo $1 >/sys/class/net/${_x#* }/mode" &&
			ip -n ${_x% *} link set ${_x#* } mtu "$2" || return
	done
}
check "connected mode" connected connected 65520
check "ping in it" wait_for 60 pings 10.9.0.2
check "ping of 60000 bytes" wait_for 60 pings -s 60000 10.9.0.2
check "TCP stream of $bytes bytes in it" stream
sed 's/^/     /' "$work/output"
check "datagram mode" connected datagram 2044
check "ping again" wait_for 60 pings 10.9.0.2

# ---- rdma_cm by these addresses: route and path come from the interface and opensm ----------
check "rdma_cm" modprobe rdma_ucm
from_a() { # PORT SERVER... -- CLIENT...
	_port=$1
	shift
	timeout -k 5 "$limit" ip netns exec b "$@" -s -a 10.9.0.2 -p "$_port" >"$work/server" 2>&1 &
	_server=$!
	wait_for 60 pings 10.9.0.2
	sleep_until_listening() { rdma resource show cm_id 2>/dev/null | grep -q "$_port"; }
	wait_for 60 sleep_until_listening
	timeout -k 5 "$limit" ip netns exec a "$@" -c -a 10.9.0.2 -p "$_port" >"$work/client" 2>&1
	_status=$?
	[ $_status -eq 0 ] || kill $_server
	wait $_server
	cat "$work/server" "$work/client"
	return $_status
}
check "rping" from_a 7300 rping -C 20 -S 1000
group_by_cm() {
	timeout -k 5 "$limit" ip netns exec b stdbuf -oL mckey -m 239.9.9.9 -b 10.9.0.2 -C 10 >"$work/server" 2>&1 &
	_server=$!
	wait_for 60 has "receiving data transfers" "$work/server" &&
		timeout -k 5 "$limit" ip netns exec a mckey -m 239.9.9.9 -b 10.9.0.1 -s -C 10 >"$work/client" 2>&1
	_status=$?
	cat "$work/server" "$work/client"
	[ $_status -eq 0 ] && wait $_server
}
check "mckey" group_by_cm

# ---- partitions ------------------------------------------------------------------------------------
child() { # NETNS NDEV ADDRESS
	ip -n "$1" link add link "$2" name "$2.p" type ipoib pkey 0x8001 &&
		ip -n "$1" addr add "$3/24" dev "$2.p" && ip -n "$1" link set "$2.p" up
}
from_c() { from=c "$@"; }
from_d() { from=d "$@"; }
check "a child of P_Key 0x8001" child a "$n1" 10.8.0.1
check "and there" child b "$n2" 10.8.0.2
check "they see each other" wait_for 60 pings 10.8.0.2
check "$n3 in a third" into c "$n3" 10.9.0.3
check "sees the first" wait_for 60 pings 10.9.0.3
check "$n4 in a fourth" into d "$n4" 10.9.0.4
check "sees it" from_d wait_for 60 pings 10.9.0.1
# IPoIB asks for the full key, and takes that of a limited member, which both are.
check "its child" child c "$n3" 10.8.0.3
check "and that of the fourth" child d "$n4" 10.8.0.4
check "a limited member sees a full one" from_c wait_for 60 pings 10.8.0.1
check "the other one does" from_d wait_for 60 pings 10.8.0.1
apart() { ! from_c pings 10.8.0.4 && ! from_d pings 10.8.0.3; }
check "they do not see each other" apart
# An interface answers for the addresses of others, unless it is told not to.
isolated() {
	in_b sh -c "echo 1 >/proc/sys/net/ipv4/conf/all/arp_ignore" || return
	! in_a busybox ping -c 1 -W 2 -I "$n1" 10.8.0.2
}
check "nor is a child reached by a parent" isolated

# ---- up and down, under traffic -----------------------------------------------------------------------
rounds=$(count 100)
flaps() {
	ip netns exec a busybox ping -q -A 10.9.0.2 >/dev/null 2>&1 &
	_pinger=$!
	for _i in $(seq 1 "$rounds"); do
		ip -n b link set "$n2" down && ip -n b link set "$n2" up || return
	done
	wait_for 60 pings 10.9.0.2
	_status=$?
	kill $_pinger
	wait $_pinger 2>/dev/null
	return $_status
}
check "up and down $rounds times" flaps
cable=$(echo $configfs/cables/*hca2*)
check "the cable is pulled" sh -c "echo 0 >'$cable/plugged'"
lost() { ! carrier b "$n2"; }
check "the carrier is gone" wait_for 60 lost
check "and plugged in" sh -c "echo 1 >'$cable/plugged'"
check "ping once more" wait_for 120 pings 10.9.0.2

# ---- the end -------------------------------------------------------------------------------------------
check "namespaces go" sh -c "for n in a b c d; do ip netns del \$n || exit; done"
check "ib_ipoib goes" wait_for 60 rmmod ib_ipoib
end_opensm sm
check "all goes" fabric_down
check "all modules" unload_stack
