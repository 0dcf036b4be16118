# SPDX-License-Identifier: GPL-2.0
#
# Containers with an interface each upon that of one shared device: their addresses are
# GIDs of its port, and what is sent from them goes the ways of their namespaces.
#
#   roce0 eth0 10.0.0.1 ------veth------ eth1 10.0.0.2 rocec   (namespace c)
#         vlan0 10.0.5.1 (namespace v)  vlan1 10.0.5.2       (namespace c)
#         mva 10.0.0.11 (namespace a), mvb 10.0.0.12 (namespace b)
#
# and the same in fd00:: and fd05::.
DRIVER=roce
. "$VM/lib/guest.sh"

sys=/sys/class/infiniband
gone() { ! [ -e "$sys/$1" ]; }
hex4() { printf '0000:0000:0000:0000:0000:ffff:0a00:%02x%02x' "$1" "$2"; }
hex6() { printf 'fd%02x:0000:0000:0000:0000:0000:0000:00%02x' "$1" "$2"; }
sent() { cat $sys/$1/ports/1/hw_counters/tx_packets; }

# give NAMESPACE INTERFACE SUBNET HOST: addresses
give() {
	ip netns exec "$1" sysctl -qw "net.ipv6.conf.$2.accept_dad=0" &&
	ip -n "$1" addr add "10.0.$3.$4/24" dev "$2" &&
	ip -n "$1" addr add "fd0$3::$4/64" dev "$2" &&
	ip -n "$1" link set "$2" up
}
plug() { ip link set "$2" netns "$1" && give "$@"; }
space() { ip netns add "$1" && ip -n "$1" link set lo up; }
wire() {
	space c &&
	ip link add eth0 address 02:00:00:00:00:01 type veth \
		peer name eth1 address 02:00:00:00:00:02 &&
	ip addr add 10.0.0.1/24 dev eth0 && ip link set eth0 up && plug c eth1 0 2 &&
	load_stack &&
	rdma link add $dev type roce netdev eth0 &&
	ip netns exec c rdma link add rocec type roce netdev eth1 &&
	wait_for 10 active $dev && wait_for 10 active rocec
}
vlan_pod() {
	space v && ip link add link eth0 name vlan0 type vlan id 5 && plug v vlan0 5 1 &&
	ip -n c link add link eth1 name vlan1 type vlan id 5 && give c vlan1 5 2
}
macvlan_pod() { # NAMESPACE HOST
	space "$1" &&
	ip link add "mv$1" link eth0 address "02:00:00:00:00:$2" type macvlan mode bridge &&
	plug "$1" "mv$1" 0 "$2"
}

# ---- what they say to each other ----------------------------------------------------
listens_or_over() { # NAMESPACE PORT PID
	ip netns exec "$1" rdma resource show cm_id | grep -qiw "state LISTEN ps tcp .*:$2" ||
		! kill -0 "$3" 2>/dev/null
}
# rping SERVER'S-NAMESPACE ADDRESS CLIENT'S-NAMESPACE: data is compared, and was sent by $4
rpings() {
	_before=$(sent "$4")
	ip netns exec "$1" timeout -k 5 "$limit" rping -s -a "$2" -p 7174 -V -C 10 -S 5000 \
		>"$work/server" 2>&1 &
	_server=$!
	wait_for 60 listens_or_over "$1" 7174 $_server
	ip netns exec "$3" timeout -k 5 "$limit" rping -c -a "$2" -p 7174 -V -C 10 -S 5000 \
		>"$work/client" 2>&1
	_client=$?
	ended_well $_client "$work/client" || kill $_server 2>/dev/null
	wait $_server
	_status=$?
	echo "server ($_status):"; cat "$work/server"
	echo "client ($_client):"; cat "$work/client"
	ended_well $_client "$work/client" && ended_well $_status "$work/server" &&
		[ "$(sent "$4")" -gt "$_before" ]
}
both_ways() { # NAMESPACE SUBNET HOST OTHER-NAMESPACE OTHER-HOST WORDS
	for _way in "10.0.$2." "fd0$2::"; do
		check "rping, $6, $_way$5" rpings "$4" "$_way$5" "$1" $dev
		check "rping, $6, $_way$3" rpings "$1" "$_way$3" "$4" $dev
	done
}
listens() { # NAMESPACE PORT, of TCP
	ip netns exec "$1" cat /proc/net/tcp /proc/net/tcp6 |
		awk -v p="$(printf ':%04X' "$2")" '$4 == "0A" &&
			substr($2, length($2) - 4) == p { f = 1 } END { exit !f }'
}
pingpong() { # KIND VERSION SUBNET NAMESPACE HOST NAMESPACE HOST DEVICE-OF-BOTH...
	_i=$(gid_of $dev "$(hex4 "$3" "$5")" "$2") &&
	_j=$(gid_of "$8" "$(hex4 "$3" "$7")" "$2") || return
	ip netns exec "$6" timeout -k 5 "$limit" "ibv_${1}_pingpong" -d "$8" -g "$_j" -p 18700 \
		-n 100 -c >"$work/server" 2>&1 &
	_server=$!
	wait_for 30 listens "$6" 18700
	ip netns exec "$4" timeout -k 5 "$limit" "ibv_${1}_pingpong" -d $dev -g "$_i" -p 18700 \
		-n 100 -c "10.0.$3.$7" >"$work/client" 2>&1
	_client=$?
	[ $_client -eq 0 ] || kill $_server 2>/dev/null
	wait $_server
	_status=$?
	cat "$work/server" "$work/client"
	[ $_client -eq 0 ] && [ $_status -eq 0 ]
}
pingpongs() { # SUBNET NAMESPACE HOST NAMESPACE HOST DEVICE WORDS
	for _v in "RoCE v2" "IB/RoCE v1"; do
		for _k in rc uc ud; do
			check "ibv_${_k}_pingpong, $_v, $7" pingpong $_k "$_v" "$@"
		done
	done
}

# ---- a namespace that ends ------------------------------------------------------------
# Traffic of a process out here, from an address in there.
from_outside() { # KIND NAMESPACE SUBNET HOST
	_i=$(gid_of $dev "$(hex4 "$3" "$4")") &&
	_j=$(gid_of rocec "$(hex4 "$3" 2)") || return
	ip netns exec c timeout -k 5 "$limit" "ibv_${1}_pingpong" -d rocec -g "$_j" -p 18701 \
		-n 100000000 >"$work/server" 2>&1 &
	_server=$!
	wait_for 30 listens c 18701
	_before=$(sent $dev)
	timeout -k 5 "$limit" "ibv_${1}_pingpong" -d $dev -g "$_i" -p 18701 \
		-n 100000000 10.0.0.2 >"$work/client" 2>&1 &
	_client=$!
	wait_for 30 grew $dev $((_before + 50)) && ip netns del "$2" &&
		wait_for 60 no_gid "$(hex4 "$3" "$4")"
	_status=$?
	kill $_client $_server
	wait $_client
	wait $_server
	cat "$work/server" "$work/client"
	return $_status
}
grew() { [ "$(sent "$1")" -gt "$2" ]; }
no_gid() { ! gid_of $dev "$1"; }

# ---- port 4791 is taken -----------------------------------------------------------------
take_port() { # NAMESPACE
	ip netns exec "$1" python3 -c '
import signal, socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("0.0.0.0", 4791))
print("mine", flush=True)
signal.pause()' >"$work/taken" 2>&1 &
	_taker=$!
	wait_for 30 has mine "$work/taken"
}
# The call fails, not an event a minute later.
refuses() { # NAMESPACE ADDRESS
	ip netns exec "$1" timeout -k 5 "$limit" "$programs/cm_steps" ask -a "$2" \
		>"$work/client" 2>&1
	cat "$work/client"
	has "rdma_connect(id, &p): Address already in use" "$work/client"
}

check "two devices" wire || exit 1
check "a VLAN in another namespace" vlan_pod
for h in "$(hex4 5 1)" "$(hex6 5 1)"; do
	check "GID $h" wait_for 10 gid_of $dev "$h"
	check "GID $h of version 1" wait_for 10 gid_of $dev "$h" "IB/RoCE v1"
done
check "the GID of the other side" wait_for 10 gid_of rocec "$(hex6 5 2)"
both_ways v 5 1 c 2 "VLAN and a second device"
pingpongs 5 v 1 c 2 rocec "VLAN and a second device"
check "the namespace ends under traffic" from_outside rc v 5 1

space v
check "the port is taken" take_port v
ip link add link eth0 name vlan0 type vlan id 5
check "a VLAN there" plug v vlan0 5 1
check "has a GID" wait_for 10 gid_of $dev "$(hex4 5 1)"
check "a connection fails at once" refuses v 10.0.5.2
kill $_taker
wait $_taker
check "another address" ip -n v addr add 10.0.5.9/24 dev vlan0
check "has a GID, too" wait_for 10 gid_of $dev "$(hex4 5 9)"
check "rping, when the port is free" rpings c 10.0.5.2 v $dev
check "the namespace ends under datagrams" from_outside ud v 5 1

[ -z "${MACVLAN:-}" ] || insmod "$MACVLAN"
modprobe -q macvlan
if macvlan_pod a 11 >"$work/output" 2>&1; then
	check "a second macvlan" macvlan_pod b 12
	check "its GID" wait_for 10 gid_of $dev "$(hex6 0 18)"
	check "the GID of the first" wait_for 10 gid_of $dev "$(hex6 0 17)"
	both_ways a 0 11 b 12 "two macvlans of one device"
	both_ways a 0 11 c 2 "macvlan and a second device"
	pingpongs 0 a 11 b 12 $dev "two macvlans of one device"
	pingpongs 0 a 11 c 2 rocec "macvlan and a second device"
	check "a namespace ends under traffic" from_outside rc a 0 11
	ip netns del b
else
	cat "$work/output"
	# Ours have none.
	case $KERNEL in 6.*) check "a macvlan in another namespace" false ;; esac
fi

ip netns del c
check "the second device goes with its namespace" wait_for 30 gone rocec
check "and the interface takes ours along" wait_for 30 gone $dev
check "the modules go" unload_stack
