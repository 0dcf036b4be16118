# SPDX-License-Identifier: GPL-2.0
#
# Between a device of type roce and its network device: what one asks of the
# other, and which frames pass.
DRIVER=roce
. "$VM/lib/guest.sh"
. "$VM/lib/wire.sh"

sys=/sys/class/infiniband
counter() { cat "$sys/$dev/ports/1/hw_counters/$1"; }
dropped() { cat /sys/class/net/eth0/statistics/tx_dropped; }

need_link
v1_index=$(gid_of $dev $gid_hex "IB/RoCE v1")

# ---- speed -------------------------------------------------------------------------
# An interface that can not say how fast it is: any user can ask, nothing is logged.
check "an interface without a speed" ip link add eth5 type dummy
ip link set eth5 up
check "a device there" rdma link add roce5 type roce netdev eth5
dmesg -C
rate() { as_user ibv_devinfo -v -d "$1" | grep "active_speed:[[:space:]]*$2 Gbps"; }
check "its rate" rate roce5 2.5
expect_fail "nothing in the log" sh -c "dmesg | grep ."
check "eth0 knows its speed" rate $dev 10.0
rdma link delete roce5
ip link del eth5

# ---- groups ------------------------------------------------------------------------
# IPv6 goes from an interface of less than 1280 bytes, and comes back.
group=ff0e::1:2:7
is_member() { ip -6 maddr show dev eth0 | grep -qw "$group"; }
is_none() { ! is_member; }
receiver() { # a member until it is killed
	rm -f "$work/joined"
	"$programs/mcast" $dev 0 "$group" 1 receive "$work/joined" >/dev/null 2>&1 &
	_receiver=$!
	wait_for 20 [ -e "$work/joined" ]
}
leaves() {
	kill -9 $_receiver
	wait $_receiver
	wait_for 20 sh -c "! rdma resource show qp 2>/dev/null | grep -w pid"
}
other() { # a program that knows nothing of RDMA
	python3 -c "
import socket, struct, time
s = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_JOIN_GROUP,
	socket.inet_pton(socket.AF_INET6, '$group') +
	struct.pack('I', socket.if_nametoindex('eth0')))
open('$work/other', 'w')
time.sleep(1000)" &
	_other=$!
	wait_for 20 [ -e "$work/other" ]
}
check "a member" receiver
check "is one for IPv6 too" is_member
ip link set eth0 mtu 1000
check "no IPv6, no member" is_none
ip link set eth0 mtu 1500
check "IPv6 again, a member again" wait_for 10 is_member
check "it leaves" leaves
check "no interface is a member" wait_for 10 is_none
ip link set eth0 mtu 1000
check "a member without IPv6" receiver
ip link set eth0 mtu 1500
check "another one" other
check "the first leaves" leaves
check "the other is still there" is_member
kill $_other
wait $_other 2>/dev/null
check "and goes" wait_for 10 is_none

# ---- frames of version 1 -------------------------------------------------------------
# A GRH to the MAC of eth0, a BTH, and an ICRC that is wrong: what counts is whether
# a program looked at it.
frame() { # DGID
	python3 -c "
import socket
to = socket.inet_pton(socket.AF_INET6, '$1')
of = socket.inet_pton(socket.AF_INET6, '::ffff:10.0.0.2')
grh = bytes([0x60, 0, 0, 0, 0, 16, 0x1b, 1]) + of + to
bth = bytes([0x04, 0x40, 0xff, 0xff, 0, 0, 0, 17, 0, 0, 0, 0])
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
s.bind(('eth1', 0))
s.send(bytes([2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x89, 0x15]) + grh + bth + bytes(4))"
}
looked_at() { # OLD
	[ "$(counter rx_icrc_errors)" -gt "$1" ]
}
check "GIDs are there" wait_for 20 gid_of $dev fe80:0000:0000:0000:0000:00ff:fe00:0001 "IB/RoCE v1"
old=$(counter rx_icrc_errors)
check "for another port" frame ::ffff:10.0.0.99
check "for the MAC, by its GID" frame fe80::ff:fe00:1
check "is looked at" wait_for 10 looked_at "$old"
check "once" [ "$(counter rx_icrc_errors)" -eq $((old + 1)) ]
check "for the address" frame ::ffff:10.0.0.1
check "is looked at, too" wait_for 10 looked_at $((old + 1))
check "for a group" frame ff0e::1
check "is so, too" wait_for 10 looked_at $((old + 2))
ip addr del 10.0.0.1/24 dev eth0
check "the GID goes" wait_for 10 sh -c "! grep -qrx $gid_hex $sys/$dev/ports/1/gids"
check "for an address of the past" frame ::ffff:10.0.0.1
check "for the MAC again" frame fe80::ff:fe00:1
check "is looked at alone" wait_for 10 looked_at $((old + 3))
check "alone" [ "$(counter rx_icrc_errors)" -eq $((old + 4)) ]
ip addr add 10.0.0.1/24 dev eth0
check "the address again" wait_for 10 ready $dev

# What was agreed upon when frames could be longer is not sent any more.
echo 0 >/sys/module/ofed_soft/parameters/loopback
v1_index=$(gid_of $dev $gid_hex "IB/RoCE v1")
timeout -k 5 "$limit" ibv_rc_pingpong -d $dev -g "$v1_index" -m 1024 -s 4096 -n 10000000 \
	-p 18650 >"$work/server" 2>&1 &
server=$!
check "a server" wait_for 30 listening 18650
timeout -k 5 "$limit" ibv_rc_pingpong -d $dev -g "$v1_index" -m 1024 -s 4096 -n 10000000 -p 18650 127.0.0.1 \
	>"$work/client" 2>&1 &
client=$!
old=$(counter rx_packets)
check "messages pass" wait_for 30 sh -c \
	"[ \$(cat $sys/$dev/ports/1/hw_counters/rx_packets) -gt $((old + 100)) ]"
old=$(dropped)
ip link set eth0 mtu 600
check "frames are too long now" wait_for 30 sh -c \
	"[ \$(cat /sys/class/net/eth0/statistics/tx_dropped) -gt $old ]"
# Of the two ends, the one that was about to send.
gave_up() { grep -q "transport retry counter exceeded" "$work/client" "$work/server"; }
check "one gives up for lack of answers" wait_for 60 gave_up
kill $client $server 2>/dev/null
wait
echo 1 >/sys/module/ofed_soft/parameters/loopback

# ---- priority ------------------------------------------------------------------------
# The tag of a VLAN has it: for version 1 the service level, for version 2 none, as there
# an answer has the network header of what it answers for a service level.
vlan() {
	ip link add link eth0 name eth0.5 type vlan id 5 egress-qos-map 1:1 2:2 &&
	ip addr add 10.0.5.1/24 dev eth0.5 && ip link set eth0.5 up &&
	ip neigh add 10.0.5.9 lladdr 02:00:00:00:00:02 dev eth0.5 nud permanent
}
tagged() { # TYPE SERVICE-LEVEL: three frames
	wait_for 10 gid_of $dev 0000:0000:0000:0000:0000:ffff:0a00:0501 "$1" || return
	_index=$(gid_of $dev 0000:0000:0000:0000:0000:ffff:0a00:0501 "$1")
	"$programs/ud_sl" $dev "$_index" ::ffff:10.0.5.9 "$2" 3
}
priorities() { # WANTED: of the frames that came out at eth1
	tshark -n -r "$work/vlan.pcap" -Y "vlan and ($rdma_frames)" -T fields -e vlan.priority |
		paste -sd' ' | tee "$work/priorities"
	grep -qx "$1" "$work/priorities"
}
# The kernel hands frames to a capture in blocks, and what is in an open one when it ends is lost.
written() { [ "$(tshark -n -r "$work/vlan.pcap" -Y "vlan and ($rdma_frames)" | wc -l)" -ge "$1" ]; }
check "a VLAN" vlan
check "the capture begins" capture eth1 "$work/vlan.pcap"
check "version 1, service level 2" tagged "IB/RoCE v1" 2
check "version 2, service level 1" tagged "RoCE v2" 1
check "version 2, service level 2" tagged "RoCE v2" 2
check "nine frames are captured" wait_for 60 written 9
check "the capture has all" capture_end "$work/vlan.pcap"
check "priorities are of version 1 alone" priorities "2 2 2 0 0 0 0 0 0"
ip link del eth0.5

check "$dev goes" rdma link delete $dev
net_down
check "the modules go" unload_stack
