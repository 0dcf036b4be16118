# SPDX-License-Identifier: GPL-2.0
#
# Devices of type roce: made and unmade, what network devices and namespaces do
# to them, both versions, with packets and without.
DRIVER=roce
. "$VM/lib/guest.sh"

sys=/sys/class/infiniband
loopback=/sys/module/ofed_soft/parameters/loopback
port_is() { [ "$(cat "$sys/$1/ports/1/$2")" = "$3" ]; }
gone() { ! [ -e "$sys/$1" ]; }
counter() { cat "$sys/$1/ports/1/hw_counters/$2"; }
# grew DEV COUNTER OLD
grew() { [ "$(counter "$1" "$2")" -gt "$3" ]; }

need_link
check "its link layer" port_is $dev link_layer Ethernet
check "its parent" grep -qx eth0 $sys/$dev/parent
# By which rdma-core's udev rule would rename it; rdma_rxe and siw have none.
check "no bus device behind it" [ ! -e $sys/$dev/device ]
check "its GUID" grep -qx 0000:00ff:fe00:0001 $sys/$dev/node_guid
v1_index=$(gid_of $dev $gid_hex "IB/RoCE v1")
check "a GID of version 1" [ -n "$v1_index" ]
check "a GID of version 2" [ -n "$gid_index" ]

expect_fail "a second device on eth0" rdma link add roce1 type roce netdev eth0
expect_fail "a name that is taken" rdma link add $dev type roce netdev eth1
check "a second device" rdma link add roce1 type roce netdev eth1
check "it is up" wait_for 10 port_is roce1 state "4: ACTIVE"

# ---- data: versions, with packets and without ------------------------------------
n=$(count 5000)
port=18800
for way in 1 0; do
	echo $way >$loopback
	for index in $gid_index $v1_index; do
		type=$(cat "$sys/$dev/ports/1/gid_attrs/types/$index")
		for kind in rc uc ud; do
			port=$((port + 1))
			check "ibv_${kind}_pingpong, $type, loopback=$way" \
				duo $port ibv_${kind}_pingpong -d $dev -g "$index" -n "$n" -c
		done
	done
	if [ $way = 1 ]; then
		check "messages went without packets" grew $dev local_messages 0
		packets=$(counter $dev rx_packets)
	else
		check "packets came in" grew $dev rx_packets "$packets"
	fi
done
echo 1 >$loopback
for c in rx_icrc_errors rx_malformed; do
	check "$c is 0" [ "$(counter $dev $c)" = 0 ]
done
shown() { # COUNTER: by rdma, as sysfs has it
	rdma statistic show link $dev/1 | grep -qw "$1 $(counter $dev $1)"
}
for c in tx_packets rx_packets local_messages; do
	check "rdma statistic: $c" shown $c
done
# ---- multicast --------------------------------------------------------------------
ipv4_group=::ffff:239.1.2.3 ipv6_group=ff0e::1:2:3
# group SENDER-PREFIX SENDER GID RECEIVER-PREFIX RECEIVER MGID
group() {
	rm -f "$work/joined"
	timeout -k 5 "$limit" $4 "$programs/mcast" "$5" 0 "$6" 100 receive "$work/joined" \
		>"$work/receiver" 2>&1 &
	_receiver=$!
	wait_for 20 [ -e "$work/joined" ] &&
		timeout -k 5 "$limit" $1 "$programs/mcast" "$2" "$3" "$6" 100 send
	_status=$?
	wait $_receiver
	_received=$?
	cat "$work/receiver"
	[ $_status -eq 0 ] && [ $_received -eq 0 ]
}
link_local=fe80:0000:0000:0000:0000:00ff:fe00:0001
link_local_index=$(gid_of $dev $link_local)
for way in 1 0; do
	echo $way >$loopback
	check "IPv4 group on one device, loopback=$way" \
		group "" $dev $gid_index "" $dev $ipv4_group
	check "IPv6 group on one device, loopback=$way" \
		group "" $dev $link_local_index "" $dev $ipv6_group
	check "group of version 1 on one device, loopback=$way" \
		group "" $dev "$v1_index" "" $dev $ipv6_group
	check "IPv4 group by the wire, loopback=$way" \
		group "" $dev $gid_index "" roce1 $ipv4_group
	check "IPv6 group by the wire, loopback=$way" \
		group "" $dev $link_local_index "" roce1 $ipv6_group
	check "group of version 1 by the wire, loopback=$way" \
		group "" $dev "$v1_index" "" roce1 $ipv6_group
done
echo 1 >$loopback
check "the interface is in no group of ours any more" sh -c \
	"! ip maddr show dev eth1 | grep -e 239.1.2.3 -e ff0e::1:2:3"

check "a link-local GID" gid_of $dev $link_local

# ---- what happens to a network device ---------------------------------------------
ip link set eth1 down
check "no carrier, no port" wait_for 10 port_is $dev state "1: DOWN"
ip link set eth1 up
check "and back" wait_for 10 port_is $dev state "4: ACTIVE"
ip link set eth0 mtu 4200
check "a larger MTU" wait_for 10 sh -c "ibv_devinfo -d $dev | grep 'active_mtu.*4096'"
ip link set eth0 mtu 1500
check "a smaller MTU" wait_for 10 sh -c "ibv_devinfo -d $dev | grep 'active_mtu.*1024'"
ip addr add 10.0.0.77/24 dev eth0
check "a new address, a new GID" wait_for 10 \
	gid_of $dev 0000:0000:0000:0000:0000:ffff:0a00:004d
ip addr del 10.0.0.77/24 dev eth0
check "and gone" wait_for 10 sh -c \
	"! grep -qr 0000:0000:0000:0000:0000:ffff:0a00:004d $sys/$dev/ports/1/gids"
ip link set eth0 down
ip link set eth0 name lan0
ip link set lan0 up
check "another name" grep -qx lan0 $sys/$dev/parent
check "it is up again" wait_for 10 port_is $dev state "4: ACTIVE"
ip link set lan0 down
ip link set lan0 name eth0
ip link set eth0 up
check "rdma link delete" rdma link delete roce1
check "it is gone" gone roce1
check "again on eth1" rdma link add roce1 type roce netdev eth1
ip link del eth0
check "$dev goes with its network device" wait_for 20 gone $dev
check "roce1 too" wait_for 20 gone roce1

# ---- all kinds of network devices --------------------------------------------------
ip link add dummy0 type dummy && ip link set dummy0 up
kinds="dummy0"
for kind in "vlan0 link dummy0 type vlan id 5" "macvlan0 link dummy0 type macvlan" \
	    "bridge0 type bridge" "bond0 type bond"; do
	modprobe -q "${kind##*type }" 2>/dev/null
	ip link add ${kind%% *} $(echo "$kind" | sed -e 's/^\([a-z0-9]*\)//' -e 's/^ type/ type/') \
		2>/dev/null && kinds="$kinds ${kind%% *}"
done
for netdev in $kinds; do
	ip link set "$netdev" up
	check "a device on $netdev" rdma link add "on_$netdev" type roce netdev "$netdev"
	check "it goes from $netdev" rdma link delete "on_$netdev"
done
check "more on dummy0 and vlan0 at once" sh -c \
	"rdma link add on_dummy0 type roce netdev dummy0 && rdma link add on_vlan0 type roce netdev vlan0"
ip link del dummy0
check "both go" wait_for 20 sh -c "! [ -e $sys/on_dummy0 ] && ! [ -e $sys/on_vlan0 ]"
for netdev in $kinds; do ip link del "$netdev" 2>/dev/null; done
ip link add sit9 type sit remote 10.9.9.9 local 10.9.9.8 2>/dev/null &&
	expect_fail "not on a tunnel" rdma link add on_sit type roce netdev sit9
ip link del sit9 2>/dev/null

check "a device on lo" rdma link add on_lo type roce netdev lo
lo_hex=0000:0000:0000:0000:0000:ffff:7f00:0001
check "127.0.0.1" wait_for 10 gid_of on_lo $lo_hex
for way in 0 1; do
	echo $way >$loopback
	port=$((port + 1))
	check "ibv_rc_pingpong on it, loopback=$way" \
		duo $port ibv_rc_pingpong -d on_lo -g "$(gid_of on_lo $lo_hex)" -n "$n" -c
done
check "it goes from lo" rdma link delete on_lo

# ---- namespaces ---------------------------------------------------------------------
server=10.0.0.2
apart() { # PORT PROGRAM ARG...: server in 'b' on roceb, client here on $dev
	_port=$1
	shift
	timeout -k 5 "$limit" ip netns exec b "$@" -d roceb -g "$there" -p "$_port" \
		>"$work/server" 2>&1 &
	_server=$!
	_hex=$(printf ':%04X 0' "$_port")
	wait_for 30 ip netns exec b grep -q "$_hex" /proc/net/tcp /proc/net/tcp6
	timeout -k 5 "$limit" "$@" -d $dev -g "$here" -p "$_port" "$server" \
		>"$work/client" 2>&1
	_client=$?
	[ $_client -eq 0 ] || kill $_server 2>/dev/null
	wait $_server
	_status=$?
	cat "$work/server" "$work/client"
	[ $_client -eq 0 ] && [ $_status -eq 0 ]
}

net_up
ip netns add b
ip link set eth1 netns b
ip netns exec b sysctl -qw net.ipv6.conf.eth1.accept_dad=0
ip netns exec b ip addr add 10.0.0.2/24 dev eth1
ip netns exec b ip link set lo up
ip netns exec b ip link set eth1 up
check "a device here" rdma link add $dev type roce netdev eth0
check "a device there" ip netns exec b rdma link add roceb type roce netdev eth1
check "ready here" wait_for 10 ready $dev
remote_hex=0000:0000:0000:0000:0000:ffff:0a00:0002
check "ready there" wait_for 10 gid_of roceb $remote_hex
for way in "RoCE v2" "IB/RoCE v1"; do
	here=$(gid_of $dev $gid_hex "$way")
	there=$(gid_of roceb $remote_hex "$way")
	for kind in rc uc ud; do
		port=$((port + 1))
		check "two namespaces, ibv_${kind}_pingpong, $way" \
			apart $port ibv_${kind}_pingpong -n "$n" -c
	done
done
here=$(gid_of $dev $link_local)
there=$(gid_of roceb fe80:0000:0000:0000:0000:00ff:fe00:0002)
port=$((port + 1))
check "two namespaces, link-local IPv6" apart $port ibv_rc_pingpong -n "$n" -c
check "packets came from the other namespace" grew roceb rx_packets 0

# An address that goes and comes back has a new entry in the GID table. Connections go on.
no_gid() { ! gid_of "$@"; }
moves() { # so many that no retransmissions can be all of them
	wait_for 60 grew roceb rx_packets $(($(counter roceb rx_packets) + 500))
}
comes_back() { # IP-ARGUMENT INTERFACE ADDRESS DEVICE GID
	moves && ip $1 addr del "$3/24" dev "$2" && wait_for 10 no_gid "$4" "$5" &&
		ip $1 addr add "$3/24" dev "$2" && wait_for 10 gid_of "$4" "$5" && moves
}
too_long() { awk '/^Ip: [0-9]/ { print $19 }' /proc/net/snmp; } # packets that IP has refused
narrows() { # a smaller MTU for a moment, which the stack may remember of the route
	moves && _old=$(too_long) && ip link set eth0 mtu 68 || return
	for _i in 1 2 3 4 5 6 7 8 9 10; do
		[ "$(too_long)" -eq "$_old" ] || break
	done
	ip link set eth0 mtu 1500 && moves
}
goes_on() { # COMMAND...: it succeeds beside rping, which compares what it has moved
	ip netns exec b timeout -k 5 "$limit" rping -s -a 10.0.0.2 -p 7180 -V -S 5000 \
		>"$work/server" 2>&1 &
	_server=$!
	wait_for 30 sh -c "ip netns exec b rdma resource show cm_id | grep -q LISTEN" || return
	timeout -k 5 "$limit" rping -c -a 10.0.0.2 -p 7180 -V -S 5000 >"$work/client" 2>&1 &
	_client=$!
	"$@"
	_status=$?
	kill $_client $_server
	wait $_client
	wait $_server
	cat "$work/client" "$work/server"
	[ $_status -eq 0 ] && ! grep -i mismatch "$work/client" "$work/server"
}
if [ -e /dev/infiniband/rdma_cm ]; then
	check "a connection goes on when its address comes back" \
		goes_on comes_back "" eth0 10.0.0.1 $dev $gid_hex
	check "or that of its peer" goes_on comes_back "-n b" eth1 10.0.0.2 roceb $remote_hex
	check "or when the MTU was smaller for a moment" goes_on narrows
	here=$(gid_of $dev $gid_hex)
	there=$(gid_of roceb $remote_hex)
	check "then datagrams pass" apart 18829 ibv_ud_pingpong -n "$n" -s 900 -c
	check "and a connection" goes_on moves
	ip route flush cache
fi

# What the stack has found for a packet holds for the next ones (hw/roce/rx_dst.c),
# for as long as the stack itself would find the same.
here=$(gid_of $dev $gid_hex)
there=$(gid_of roceb $remote_hex)
received=$(counter roceb rx_packets)
check "IPv4 once more" apart 18830 ibv_rc_pingpong -n "$n" -c
check "packets came" grew roceb rx_packets $((received + n))
# For what the programs tell each other before.
ip addr add 10.0.1.1/24 dev eth0
ip -n b addr add 10.0.1.2/24 dev eth1
server=10.0.1.2
own="local 10.0.0.2 dev eth1 table local"
check "an address is not this host's any more" ip -n b route del $own
expect_fail "nothing comes in" apart 18831 ibv_rc_pingpong -n "$n" -c
check "it is again" ip -n b route add $own proto kernel scope host src 10.0.0.2
check "all comes in" apart 18832 ibv_rc_pingpong -n "$n" -c
# A rule may be about the class of traffic. It stays for what follows.
classed() { # what ucmatose sends has one
	timeout -k 5 20 ip netns exec b ucmatose -b 10.0.0.2 -S 100 >"$work/server" 2>&1 &
	_server=$!
	wait_for 30 sh -c "ip netns exec b rdma resource show cm_id | grep -q LISTEN" &&
		timeout -k 5 10 ucmatose -s 10.0.0.2 -S 100 -t 16 >"$work/client" 2>&1
	_client=$?
	kill $_server 2>/dev/null
	wait $_server
	cat "$work/server" "$work/client"
	[ $_client -eq 0 ]
}
unclassed() { ! classed; }
rules_up() { # the local table comes behind what asks for the class
	ip -n b rule add pref 5 lookup local && ip -n b rule del pref 0 &&
		ip -n b rule add pref 1 iif eth1 tos 0x10 blackhole
}
if [ "$CORE" = ofed ] && [ -e /dev/infiniband/rdma_cm ]; then
	check "a class of traffic" classed
	# um has no rules.
	if rules_up; then
		check "others come in" apart 18837 ibv_rc_pingpong -n "$n" -c
		check "none of the class come in" unclassed
	fi
fi
# Whether a packet may come by another way than answers go is asked as it is looked up.
# That it is asked of all from now on does not end a route: so this tells which are kept.
there_sysctl() { ip netns exec b sh -c "echo $2 >/proc/sys/net/ipv4/$1"; }
strict() { there_sysctl conf/eth1/rp_filter "$1"; }
ip neigh replace 10.0.0.2 lladdr "$(ip netns exec b cat /sys/class/net/eth1/address)" dev eth0
ip -n b link add aside type dummy
ip -n b link set aside up
ip -n b route add 10.0.0.1/32 dev aside
check "answers would go another way" strict 0
check "all comes in still" apart 18833 ibv_rc_pingpong -n "$n" -c
check "now that is asked" strict 1
check "what has a route is not looked up" apart 18834 ibv_rc_pingpong -n "$n" -c
check "the stack keeps none for sockets" there_sysctl ip_early_demux 0
expect_fail "all is looked up" apart 18835 ibv_rc_pingpong -n "$n" -c
check "it may again" there_sysctl ip_early_demux 1
check "the route is there still" apart 18836 ibv_rc_pingpong -n "$n" -c
check "it is not asked any more" strict 0
# A rule may be about ports. Once there was one the kernel takes it that there is.
if ip -n b rule add pref 2 sport 1 lookup main; then
	check "all comes in by rules" apart 18839 ibv_rc_pingpong -n "$n" -c
	check "it is asked with a rule about ports" strict 1
	expect_fail "and all is looked up" apart 18840 ibv_rc_pingpong -n "$n" -c
fi
ip netns del b
check "its device goes with a namespace" wait_for 30 gone roceb
# An interface of this kind takes its other end along.
check "the other too" wait_for 30 gone $dev
net_down

# Exclusive: the device is where its network device is.
check "exclusive" rdma system set netns exclusive
ip netns add c
ip -n c link add eth0 type dummy
ip -n c link set eth0 up
check "a device in a namespace" ip netns exec c rdma link add rocec type roce netdev eth0
check "is seen there" ip netns exec c sh -c "rdma dev | grep -qw rocec"
check "and not here" sh -c "! rdma dev | grep -w rocec"
ip netns del c
check "it goes with its namespace" wait_for 30 sh -c "! rdma dev | grep -w rocec"
wait_for 30 rdma system set netns shared

# ---- beside the kernel's own ----------------------------------------------------------
net_up
check "rdma_rxe" modprobe rdma_rxe
if rdma link add rxe0 type rxe netdev eth1; then
	dmesg -C
	expect_fail "port 4791 is taken" rdma link add $dev type roce netdev eth0
	check "and told what has it" sh -c "dmesg | grep -q 'rdma_rxe perhaps'"
	check "it goes" rdma link delete rxe0
fi
# Ours in another namespace; the kernel's own leaves and takes along what the core
# thinks its driver has made.
ip netns add d
ip -n d link add eth0 type dummy
ip -n d link set eth0 up
check "rxe here" rdma link add rxe0 type rxe netdev eth1
check "ours elsewhere" ip netns exec d rdma link add roced type roce netdev eth0
ip link set eth1 down
ip link set eth1 mtu 4200
ip link set eth1 up
check "rdma_rxe goes" rmmod rdma_rxe
check "and ours with it" wait_for 10 gone roced
check "another" ip netns exec d rdma link add roced type roce netdev eth0
check "goes too" rdma link delete roced
ip netns del d
check "then ours" rdma link add $dev type roce netdev eth0
check "ready" wait_for 10 ready $dev
check "the modules go, device and all" unload_stack
net_down
