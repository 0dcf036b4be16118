# SPDX-License-Identifier: GPL-2.0
#
# Devices on interfaces of VRFs, two of which have the same addresses:
#
#   red   eth0 10.0.0.1 fd00::1 --veth-- eth1 10.0.0.2 fd00::2   namespace r
#         eth4 10.0.4.1 fd04::1 --veth-- eth5 10.0.4.2 fd04::2
#   blue  eth2 10.0.0.1 fd00::1 --veth-- eth1 10.0.0.2 fd00::2   namespace s
#
# Programs find each other by wires of their own, 10.8.0.0/24 and 10.9.0.0/24.
DRIVER=roce
. "$VM/lib/guest.sh"

sys=/sys/class/infiniband
loopback=/sys/module/ofed_soft/parameters/loopback
n=$(count 2000)
hex4=0000:0000:0000:0000:0000:ffff:0a00:000
hex44=0000:0000:0000:0000:0000:ffff:0a00:040
hex6=fd00:0000:0000:0000:0000:0000:0000:000
hex64=fd04:0000:0000:0000:0000:0000:0000:000

# wire HERE NAMESPACE THERE SUBNET4 [SUBNET6 VRF]
wire() {
	ip link add "$1" type veth peer name "$3" netns "$2" || return
	echo 0 >"/proc/sys/net/ipv6/conf/$1/accept_dad"
	ip netns exec "$2" sysctl -qw "net.ipv6.conf.$3.accept_dad=0"
	[ -z "${6:-}" ] || ip link set "$1" master "$6" || return
	ip addr add "$4.1/24" dev "$1" && ip -n "$2" addr add "$4.2/24" dev "$3" || return
	[ -z "${5:-}" ] || {
		ip addr add "$5::1/64" dev "$1" && ip -n "$2" addr add "$5::2/64" dev "$3" || return
	}
	ip link set "$1" up && ip -n "$2" link set "$3" up
}
wires() {
	for _v in red:10 blue:20; do
		ip link add ${_v%:*} type vrf table ${_v#*:} && ip link set ${_v%:*} up || return
	done
	for _ns in r s; do
		ip netns add $_ns && ip -n $_ns link set lo up || return
	done
	wire m0 r m1 10.8.0 && wire m2 s m1 10.9.0 &&
		wire eth0 r eth1 10.0.0 fd00 red && wire eth4 r eth5 10.0.4 fd04 red &&
		wire eth2 s eth1 10.0.0 fd00 blue
}
devices() {
	load_stack || return
	for _l in red:eth0 red4:eth4 blue:eth2; do
		rdma link add ${_l%:*} type roce netdev ${_l#*:} || return
	done
	ip netns exec r rdma link add r type roce netdev eth1 &&
		ip netns exec r rdma link add r4 type roce netdev eth5 &&
		ip netns exec s rdma link add s type roce netdev eth1 &&
		wait_for 20 gid_of red ${hex4}1 && wait_for 20 gid_of blue ${hex6}1 &&
		wait_for 20 gid_of red4 ${hex64}1 && wait_for 20 gid_of r4 ${hex64}2 &&
		wait_for 20 gid_of s ${hex6}2
}

# over PORT NAMESPACE ADDRESS DEVICE-THERE GID DEVICE-HERE GID PROGRAM ARG...
over() {
	_port=$1 _ns=$2 _at=$3 _there=$4 _tgid=$5 _here=$6 _hgid=$7
	shift 7
	timeout -k 5 "$limit" ip netns exec "$_ns" "$@" -d "$_there" -p "$_port" \
		-g "$(gid_of "$_there" "$_tgid")" >"$work/server" 2>&1 &
	_server=$!
	_hex=$(printf ':%04X 0' "$_port")
	wait_for 30 ip netns exec "$_ns" grep -q "$_hex" /proc/net/tcp /proc/net/tcp6
	timeout -k 5 "$limit" "$@" -d "$_here" -p "$_port" -g "$(gid_of "$_here" "$_hgid")" "$_at" \
		>"$work/client" 2>&1
	_client=$?
	[ $_client -eq 0 ] || kill $_server 2>/dev/null
	wait $_server
	_status=$?
	cat "$work/server" "$work/client"
	[ $_client -eq 0 ] && [ $_status -eq 0 ]
}

modprobe -q vrf
check "VRFs and wires" wires || exit 1
check "devices" devices || exit 1
port=18900
for kind in rc ud; do
	for family in 4 6; do
		eval "hex=\$hex$family hexb=\$hex${family}4"
		port=$((port + 3))
		check "ibv_${kind}_pingpong in red, IPv$family" \
			over $port r 10.8.0.2 r ${hex}2 red ${hex}1 ibv_${kind}_pingpong -n "$n" -c
		check "ibv_${kind}_pingpong in blue, IPv$family" \
			over $((port + 1)) s 10.9.0.2 s ${hex}2 blue ${hex}1 ibv_${kind}_pingpong -n "$n" -c
		check "ibv_${kind}_pingpong by the other interface of red, IPv$family" \
			over $((port + 2)) r 10.8.0.2 r4 ${hexb}2 red4 ${hexb}1 \
			ibv_${kind}_pingpong -n "$n" -c
	done
done
for way in Y N; do
	echo $way >$loopback
	for dev in red blue; do
		for family in 4 6; do
			eval "hex=\$hex$family"
			port=$((port + 3))
			check "$dev alone, IPv$family, loopback=$way" duo $port ibv_rc_pingpong \
				-d $dev -g "$(gid_of $dev ${hex}1)" -n "$n" -c
		done
	done
done
echo Y >$loopback
# Programs of rdma_cm say which address is theirs, as the main table has no route.
cm() { # ADDRESS-HERE ADDRESS-THERE NAMESPACE
	timeout -k 5 "$limit" ip netns exec "$3" rping -s -a "$2" -p 7190 -V -C 10 >"$work/server" 2>&1 &
	_server=$!
	wait_for 30 sh -c "rdma resource show cm_id | grep -q LISTEN" &&
		timeout -k 5 "$limit" rping -c -I "$1" -a "$2" -p 7190 -V -C 10 >"$work/client" 2>&1
	_client=$?
	[ $_client -eq 0 ] || kill $_server 2>/dev/null
	wait $_server
	_status=$?
	cat "$work/server" "$work/client"
	ended_well $_client "$work/client" && ended_well $_status "$work/server"
}
if [ -e /dev/infiniband/rdma_cm ]; then
	check "rping by the other interface of red" cm 10.0.4.1 10.0.4.2 r
	check "the same, IPv6" cm fd04::1 fd04::2 r
fi
ip netns del r
ip netns del s
check "all go" wait_for 30 sh -c "! ls $sys/* 2>/dev/null | grep ."
ip link del red
ip link del blue
check "the modules go" unload_stack
