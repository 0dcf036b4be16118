# SPDX-License-Identifier: GPL-2.0
#
# Two devices at the ends of a veth pair, between two namespaces: messages without packets, as long
# as nothing would see packets. Each kind of watcher comes and goes, and is seen to have packets
# while it is there.
#
#   roce0 eth0 10.0.0.1 fd00::1 ------veth------ eth1 10.0.0.2 fd00::2 rocec   (namespace c)
DRIVER=roce
. "$VM/lib/guest.sh"

sys=/sys/class/infiniband
parameter=/sys/module/ofed_soft/parameters/direct
counter() { cat "$sys/$1/ports/1/hw_counters/$2"; }
gone() { ! [ -e "$sys/$1" ]; }
there="ip netns exec c"
in_c() { $there "$@"; }
addresses() { # COMMAND INTERFACE HOST: ip, or ip of a namespace
	$1 addr add "10.0.0.$3/24" dev "$2" && $1 addr add "fd00::$3/64" dev "$2" nodad &&
		$1 link set "$2" up
}
wire() {
	ip link add eth0 address 02:00:00:00:00:01 numtxqueues 2 type veth \
		peer name eth1 address 02:00:00:00:00:02 numtxqueues 2 &&
	ip link set eth1 netns c && addresses ip eth0 1 && addresses "ip -n c" eth1 2
}
devices() {
	rdma link add roce0 type roce netdev eth0 &&
	in_c rdma link add rocec type roce netdev eth1 &&
	wait_for 10 active roce0 && wait_for 10 active rocec && gids 4
}
gids() { # 4 or 6
	case $1 in
	4)	_hex=0000:0000:0000:0000:0000:ffff:0a00:000 ;;
	6)	_hex=fd00:0000:0000:0000:0000:0000:0000:000 ;;
	esac
	wait_for 10 gid_of roce0 ${_hex}1 && wait_for 10 gid_of rocec ${_hex}2 &&
		gid0=$(gid_of roce0 ${_hex}1) && gidc=$(gid_of rocec ${_hex}2)
}
listens() { in_c cat /proc/net/tcp | awk '$4 == "0A" && $2 ~ /:490C$/ { f = 1 } END { exit !f }'; }

# talk KIND: a pingpong of 50 rounds, every byte compared
talk() {
	$there timeout -k 5 "$limit" "ibv_${1}_pingpong" -d rocec -g "$gidc" -p 18700 -n 50 -c \
		>"$work/server" 2>&1 &
	_server=$!
	wait_for 30 listens
	timeout -k 5 "$limit" "ibv_${1}_pingpong" -d roce0 -g "$gid0" -p 18700 -n 50 -c \
		10.0.0.2 >"$work/client" 2>&1
	_client=$?
	[ $_client -eq 0 ] || kill $_server 2>/dev/null
	wait $_server
	_status=$?
	cat "$work/server" "$work/client"
	[ $_client -eq 0 ] && [ $_status -eq 0 ]
}
both() { echo $(($(counter roce0 "$1") + $(counter rocec "$1"))); }
# What both devices count for one talk, and the latest way of it.
counts() { # KIND: sets messages, bytes, packets
	messages=$(both direct_messages) bytes=$(both direct_bytes) packets=$(both tx_packets)
	talk "$1" || return
	messages=$(($(both direct_messages) - messages)) bytes=$(($(both direct_bytes) - bytes))
	packets=$(($(both tx_packets) - packets))
	echo "messages $messages of $bytes bytes, packets $packets"
}
# The first message of an end may be asked for by an address that is not resolved yet.
direct() { counts "$1" && [ $messages -ge 96 ] && [ $bytes -ge 100000 ] && [ $packets -le 8 ]; }
by_packets() { counts "$1" && [ $messages -eq 0 ] && [ $packets -ge 100 ]; }

# watched NAME COMMAND...: packets from when the command has run
watched() {
	_what=$1
	shift
	check "$_what comes" "$@" || return
	check "$_what: packets" by_packets rc
}
# over NAME COMMAND...: and none again
over() {
	_what=$1
	shift
	check "$_what goes" "$@"
	check "after $_what: no packets" direct rc
}
# A process that watches, in a namespace of its own choice
watcher() { # COMMAND... : of watchers.py, no function: it is killed
	"$@" >"$work/watcher" 2>&1 &
	watching=$!
	wait_for 30 has ready "$work/watcher" || { cat "$work/watcher"; return 1; }
}
no_watcher() {
	kill $watching
	wait $watching
	return 0
}
py="python3 $TOP/tests/programs/wire/watchers.py"
process() { # NAME COMMAND...
	_what=$1
	shift
	watched "$_what" watcher "$@"
	over "$_what" no_watcher
}

# Traffic without an end, of which something is taken away.
endless() {
	$there timeout -k 5 "$limit" ibv_rc_pingpong -d rocec -g "$gidc" -p 18700 -n 100000000 \
		>"$work/server" 2>&1 &
	server=$!
	wait_for 30 listens
	_begin=$(counter roce0 direct_messages)
	timeout -k 5 "$limit" ibv_rc_pingpong -d roce0 -g "$gid0" -p 18700 -n 100000000 10.0.0.2 \
		>"$work/client" 2>&1 &
	client=$!
	wait_for 60 grew $((_begin + 100))
}
grew() { [ "$(counter roce0 direct_messages)" -gt "$1" ]; }
ended() {
	kill $client $server 2>/dev/null
	wait $client
	wait $server
	return 0
}
going() { # still, by packets or without
	_now=$(both rx_bytes)
	wait_for 30 more_than "$_now"
}
more_than() { [ "$(both rx_bytes)" -gt "$1" ]; }

ip netns add c && ip -n c link set lo up
check "a pair" wire || exit 1
check "the modules" load_stack
check "they may be neighbours" sh -c "echo peer >$parameter"
check "two devices" devices || exit 1

for kind in rc uc ud; do
	check "$kind, IPv4: no packets" direct $kind
done
check "addresses of IPv6" gids 6
for kind in rc ud; do
	check "$kind, IPv6: no packets" direct $kind
done
check "addresses of IPv4" gids 4

watched "direct=off" sh -c "echo off >$parameter"
check "direct=off: datagrams are packets" by_packets ud
over "direct=off" sh -c "echo peer >$parameter"
expect_fail "another word is refused" sh -c "echo elsewhere >$parameter"

process "a capture" $py capture eth0
process "a capture of all" $py capture any
process "a capture at the other end" $there $py capture eth1
process "a capture of IPv4 alone" $py ipv4 eth0
process "a capture of IPv4 alone, of any interface" $py ipv4 any
process "the same at the other end" $there $py ipv4 any
process "sockets that share IPv4" $py fanout eth0
process "the same of any interface" $py fanout any
process "the same at the other end" $there $py fanout any
check "a capture of ARP alone, of any interface" watcher $py arp any
check "sees nothing of ours: no packets" direct rc
check "it goes" no_watcher
watched "a queue" tc qdisc add dev eth0 root pfifo
over "a queue" tc qdisc del dev eth0 root
watched "a queue at the other end" in_c tc qdisc add dev eth1 root pfifo
over "a queue at the other end" in_c tc qdisc del dev eth1 root
watched "queues of classes" tc qdisc add dev eth0 root mq
over "queues of classes" tc qdisc del dev eth0 root
case $KERNEL in
um*)	;;
*)	# Without a filter nothing looks.
	check "clsact" tc qdisc add dev eth0 clsact
	watched "a filter of tc" tc filter add dev eth0 egress matchall action ok
	over "a filter of tc" tc qdisc del dev eth0 clsact
	watched "a macvlan" ip -n c link add mv0 link eth1 type macvlan
	over "a macvlan" ip -n c link del mv0
	watched "a rule" ip rule add prio 100 from 10.9.9.9 prohibit
	over "a rule" ip rule del prio 100
	process "XDP" $py xdp eth0
	process "XDP at the other end" $there $py xdp eth1
	mkdir -p "$work/cgroup" && mount -t cgroup2 none "$work/cgroup"
	process "a program of a cgroup" $py cgroup "$work/cgroup"
	umount "$work/cgroup"
	modprobe -q xfrm_user
	watched "a policy" ip xfrm policy add dir out src 10.9.9.9 dst 10.9.9.8 action block
	over "a policy" ip xfrm policy del dir out src 10.9.9.9 dst 10.9.9.8 ;;
esac

check "endless traffic" endless
told() { rdma -dd resource show qp link roce0/1 | grep -qw direct; }
check "the state of a queue pair tells the way" wait_for 10 told
check "a capture in the middle" watcher $py capture eth0
check "goes on" going
check "without it" no_watcher
check "goes on" going
check "without packets" wait_for 30 grew "$(counter roce0 direct_messages)"
check "the interface goes down and up" sh -c 'ip link set eth0 down && ip link set eth0 up'
ended
check "after that: no packets" direct rc

check "endless traffic" endless
check "the other device goes" in_c rdma link delete rocec
check "is gone" wait_for 30 gone rocec
ended
check "it comes back" in_c rdma link add rocec type roce netdev eth1
check "is active" wait_for 10 active rocec
check "has its addresses" gids 4
check "after that: no packets" direct rc

check "endless traffic" endless
check "the interface goes to another namespace" sh -c 'ip netns add d && ip -n c link set eth1 netns d'
ended
check "its device goes" wait_for 30 gone rocec
ip netns del d
check "the other one is alone" wait_for 30 gone roce0 || rdma link delete roce0
ip netns del c

# Last: hooks of a table stay until their namespace goes, and this is the guest's own.
case $KERNEL in
6.*)	ip netns add c && ip -n c link set lo up
	check "a pair again" wire
	check "devices again" devices
	check "no packets" direct rc
	modprobe -q iptable_filter
	watched "a table of filters" watcher $there $py iptables
	no_watcher
	rdma link delete roce0
	ip netns del c ;;
esac
ip link del eth0 2>/dev/null
check "the modules go" unload_stack
