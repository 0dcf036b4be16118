# SPDX-License-Identifier: GPL-2.0
#
# 'rdma link add' of our types: node GUIDs of interfaces that share a MAC address, and what
# is said of a link that cannot be.
DRIVER=roce
. "$VM/lib/guest.sh"

sys=/sys/class/infiniband
guid() { cat "$sys/$1/node_guid"; }
differ() { # DEV...: no two have one GUID
	for _d in "$@"; do
		echo "$_d $(guid $_d)"
	done >"$work/guids"
	cat "$work/guids"
	[ "$(awk '{ print $2 }' "$work/guids" | sort -u | wc -l)" = $# ]
}

need_link
check "iWARP" modprobe ofed_iwarp

# ---- GUIDs ---------------------------------------------------------------------------
# on NAME TYPE INTERFACE
on() { rdma link add "$1" type "$2" netdev "$3"; }
ip link add link eth0 name eth0.5 type vlan id 5
ip link add link eth0 name eth0.6 type vlan id 6
check "a device on a VLAN" on roce5 roce eth0.5
check "and on another one" on roce6 roce eth0.6
check "an iWARP device on the same interface" on iwarp0 iwarp eth0
check "and on the VLAN" on iwarp5 iwarp eth0.5
all="$dev roce5 roce6 iwarp0 iwarp5"
if ip link add link eth0 name eth0ip type ipvlan mode l2 2>/dev/null; then
	check "a device on an ipvlan" on roceip roce eth0ip
	all="$all roceip"
fi
check "the device of the interface has its EUI-64" \
	[ "$(guid $dev)" = 0000:00ff:fe00:0001 ]
check "no two GUIDs are equal" differ $all
check "nor those of libibverbs" sh -c \
	"! ibv_devices | awk 'NR > 2 { print \$2 }' | sort | uniq -d | grep ."
# Where the other one was first, too.
ip netns add b
ip -n b link add eth9 address 02:00:00:00:00:01 type dummy
check "the same MAC in another namespace" ip netns exec b rdma link add roce9 type roce netdev eth9
check "no two GUIDs are equal still" differ $all roce9
old=$(guid roce5) old_iwarp=$(guid iwarp0)
rdma link delete roce5
rdma link delete iwarp0
again() {
	on roce5 roce eth0.5 && on iwarp0 iwarp eth0 &&
		[ "$(guid roce5)" = "$old" ] && [ "$(guid iwarp0)" = "$old_iwarp" ]
}
check "a device that comes again has its GUID again" again
ip netns del b
check "the namespace's device goes" wait_for 20 sh -c "! [ -e $sys/roce9 ]"

# ---- reasons ---------------------------------------------------------------------------
# refuses NAME ERRNO-TEXT REASON COMMAND...: our core has a reason, the stock one has none
refuses() {
	_title=$1 _errno=$2 _reason=$3
	shift 3
	says_why() {
		! timeout -k 5 "$limit" "$@" >"$work/why" 2>&1
		_status=$?
		cat "$work/why"
		[ $_status -eq 0 ] && has "error: $_errno" "$work/why" || return
		[ "$CORE" = stock ] || has "Error: $_reason." "$work/why"
	}
	check "$_title" says_why "$@"
}
add="rdma link add"
refuses "a name that is taken" "Too many open files in system" \
	"A device of this name exists" $add $dev type roce netdev eth1
refuses "by a device of another kind" "Too many open files in system" \
	"A device of this name exists" $add $dev type iwarp netdev eth1
refuses "an interface that has one" "File exists" \
	"The interface has a link of this type already" $add roce1 type roce netdev eth0
refuses "an interface that is not there" "No such device" \
	"No such interface in this network namespace" $add roce1 type roce netdev nosuch
refuses "an unknown type" "Invalid argument" \
	"Unknown link type, or its module may not be loaded (see dmesg)" \
	$add roce1 type nosuch netdev eth1
refuses "a name that is none" "Invalid argument" "Not a name for a device" \
	$add 'roce%d' type roce netdev eth1
if ip link add wg0 type wireguard 2>/dev/null; then
	refuses "an interface without Ethernet" "Invalid argument" \
		"The interface cannot carry a link of this type" \
		$add roce1 type roce netdev wg0
	ip link del wg0
fi
refuses "no privilege" "Operation not permitted" \
	"CAP_NET_ADMIN of the initial user namespace is required" \
	setpriv $nobody $add roce1 type roce netdev eth1

rdma link delete iwarp0
rdma link delete iwarp5
check "iWARP's module goes" wait_for 20 rmmod ofed_iwarp
echo "blacklist ofed_iwarp" >/etc/modprobe.d/not-iwarp.conf
refuses "a module that may not be loaded" "Invalid argument" \
	"Unknown link type, or its module may not be loaded (see dmesg)" \
	$add iwarp0 type iwarp netdev eth0
rm /etc/modprobe.d/not-iwarp.conf
check "it may" on iwarp0 iwarp eth0

ip link del eth0
check "all go with the interface" wait_for 20 sh -c "! ls $sys/* 2>/dev/null | grep ."
check "the modules go" wait_for 20 unload_stack
