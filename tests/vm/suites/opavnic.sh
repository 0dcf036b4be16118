# SPDX-License-Identifier: GPL-2.0
#
# Ethernet over Omni-Path: the in-tree opa_vnic (VNIC=module of tests/vm/opa_vnic) above HCAs of
# Omni-Path's kind, and an Ethernet manager of ours at hca1. Two virtual switches:
#
#	va 10.8.0.1  hca1 --1 sw1 2-- hca2  vb 10.8.0.2 (namespace b)	switch 33
#	vc 10.9.0.1				vd 10.9.0.2 (namespace b)	switch 34
#
# hca3, where the subnet manager is, and hca4 are of InfiniBand alone.
. "$VM/lib/guest.sh"
. "$VM/lib/ib.sh"

b="ip netns exec b"
forwarding=3 dropping=1
bad_field=28 unsupported=12		# of a MAD

# em1, em2 WORD...: of the agent of hca1, or of hca2; hca1 sends and receives
em1() { timeout -k 5 "$limit" "$programs/opa_em" hca1 "$lid1" "$@"; }
em2() { timeout -k 5 "$limit" "$programs/opa_em" hca1 "$lid2" "$@"; }
# field EM VPORT ATTRIBUTE FIELD
field() { $1 get "$3" "$2" | awk -v f="$4" '$1 == f { print $2 }'; }
field_is() { [ "$(field "$1" "$2" "$3" "$4")" = "$5" ]; }
refused() { # STATUS EM WORD...
	_want=$1
	shift
	"$@" >"$work/em"
	_refused=$?
	cat "$work/em"
	[ $_refused -eq 1 ] && has "status $_want" "$work/em"
}
# more EM VPORT ATTRIBUTE FIELD CMD...: at the end it is more than before; the difference is $grown
more() {
	_em=$1 _vport=$2 _attribute=$3 _field=$4
	_had=$(field "$1" "$2" "$3" "$4")
	shift 4
	"$@"
	_has=$(field "$_em" "$_vport" "$_attribute" "$_field")
	grown=$((_has - _had))
	echo "$_field: $_had, then $_has"
	[ $grown -gt 0 ]
}

# An address of local administration has the DLID in it, lowest byte first.
mac_of() { printf '02:00:%02x:%02x:%02x:00' "$2" $(($1 & 255)) $(($1 >> 8)); }
# interface EM VPORT NAME FIELD=VALUE...: made by a Set
interface() {
	_em=$1 _vport=$2 _called=$3
	shift 3
	ls /sys/class/net >"$work/before"
	$_em set port "$_vport" "$@" || return
	_new=$(ls /sys/class/net | grep -vxF -f "$work/before") && echo "new: $_new" &&
		ip link set "$_new" name "$_called"
}
# connect EM VPORT NAME LID SWITCH
connect() {
	interface "$1" "$2" "$3" vesw="$5" number="$4" slid="$4" mac="$(mac_of "$4" "$2")" pkey=0xffff \
		mcast_dlid="$mcast" mtu=1500 config=$forwarding
}
address() { # INTERFACE ADDRESS
	echo 1 >"/proc/sys/net/ipv6/conf/$1/disable_ipv6"
	ip addr add "$2/24" dev "$1" && ip link set "$1" up
}
pings() { busybox ping -i 0.1 -c "${n:-1}" -W 2 "$@"; }
silent() { ! pings -c 2 -W 1 "$@"; }
carrier() { [ "$(cat "/sys/class/net/$1/carrier")" = "$2" ]; }
ethtool_of() { ethtool -S va | awk -v f="$1:" '$1 == f { print $2 }'; }

# ---- the agent -------------------------------------------------------------------------------
check "a star" fabric_up star || exit 1
check "hca1 is made one of Omni-Path" opa_power hca1 1
check "hca2 too" opa_power hca2 1
check "umad" wait_for 60 [ -c /dev/infiniband/umad3 ]
# Else the switch sees to partitions: HCAs have to do it here.
begin_opensm sm hca3 -Z off
check "all are active" wait_for 120 all_active || { cat "$work/sm.log"; exit 1; }
lid1=$(lid_of hca1) lid2=$(lid_of hca2)
check "opa_vnic" insmod "$VNIC" || { dmesg | tail -n 20; exit 1; }
check "an agent at hca1" field_is em1 0 class class_version 128
check "and at hca2" field_is em2 0 class class_version 128
no_agent() { ! timeout -k 5 "$limit" "$programs/opa_em" hca1 "$(lid_of hca4)" get class 0; }
check "none at hca4" no_agent
join() { "$programs/opa_em" "$1" "$(cat $ibsys/"$1"/ports/1/sm_lid)" join ff12:1405::21; }
check "hca1 is in a group" join hca1 || cat "$work/sm.log"
check "hca2 too" join hca2
mcast=$((0xf00000 + $(awk '/^mlid/ { print $2 }' "$work/output") - 0xc000))
"$programs/opa_em" hca1 0 traps 6 >"$work/traps" 2>&1 &
traps=$!
check "traps of hca1 go to the manager" em1 set class 0 trap_lid="$lid1"
check "those of hca2 too" em2 set class 0 trap_lid="$lid1"
check "a LID is kept" field_is em2 0 class trap_lid "$lid1"

# ---- interfaces ------------------------------------------------------------------------------
check "an interface at hca1, of switch 33" connect em1 1 va "$lid1" 33
check "one at hca2" connect em2 1 vb "$lid2" 33
check "its state is as it was set" field_is em2 1 port config $forwarding
check "it is not in operation yet" field_is em2 1 port oper $dropping
check "its parent is the HCA's" sh -c "ls /sys/class/infiniband/hca2/device/net | grep -qx vb"
ip netns add b
ip link set vb netns b
check "va is up" address va 10.8.0.1
check "vb is up" $b sh -c "echo 1 >/proc/sys/net/ipv6/conf/vb/disable_ipv6
	ip addr add 10.8.0.2/24 dev vb && ip link set vb up"
check "with a carrier" wait_for 20 carrier va 1
check "vb is in operation" field_is em2 1 port oper $forwarding
trapped() { wait $traps; cat "$work/traps"; has "trap vesw 33 number $lid2 vport 1" "$work/traps"; }
check "the manager hears of it" trapped
check "ping" wait_for 5 pings 10.8.0.2 || dmesg | tail -n 20
check "the other way" $b busybox ping -c 1 -W 2 10.8.0.1
check "ping of 4000 bytes, in fragments" pings -s 4000 10.8.0.2

# ---- statistics, exactly: no ARP -----------------------------------------------------------------
ip neigh replace 10.8.0.2 lladdr "$(mac_of "$lid2" 1)" dev va nud permanent
$b ip neigh replace 10.8.0.1 lladdr "$(mac_of "$lid1" 1)" dev vb nud permanent
exactly() { # PINGS SIZE GROUP BYTES: of that length each
	n=$1
	_bytes=$(field em1 1 summary tx_bytes)
	more em1 1 summary "tx_$3" pings -s "$2" 10.8.0.2 && [ $grown -eq "$1" ] || return
	[ $(($(field em1 1 summary tx_bytes) - _bytes)) -eq $(($1 * $4)) ] || return
	more em2 1 summary "rx_$3" pings -s "$2" 10.8.0.2 && [ $grown -eq "$1" ] || return
	more em1 1 summary "rx_$3" pings -s "$2" 10.8.0.2 && [ $grown -eq "$1" ] || return
	more em2 1 summary rx_unicast pings -s "$2" 10.8.0.2 && [ $grown -eq "$1" ] || return
	n=1
}
check "10 pings of 18 bytes are frames of 64" exactly 10 18 64 60
check "of 19 bytes are longer" exactly 10 19 65_127 61
check "of 1472 bytes are the longest" exactly 10 1472 1024_1518 1514
check "all are unicast" more em1 1 summary tx_unicast pings 10.8.0.2
check "none has a VLAN" field_is em1 1 summary tx_vlan 0
broadcast() { busybox arping -c 3 -w 4 -I va 10.8.0.3; true; }
check "ARP is not" more em2 1 summary rx_mcastbcast broadcast
same_numbers() {
	for _f in tx_packets rx_packets tx_bytes rx_bytes; do
		[ "$(field em1 1 summary $_f)" = "$(ethtool_of $_f)" ] &&
			[ "$(cat /sys/class/net/va/statistics/$_f)" = "$(ethtool_of $_f)" ] || return
	done
}
check "ethtool and sysfs say the same" same_numbers
check "no errors" field_is em1 1 summary tx_errors 0
check "none at hca2" field_is em2 1 summary rx_errors 0

# ---- TCP, byte by byte ------------------------------------------------------------------------------
bytes=$(count 1073741824)
stream() { # HOW IT ENDS UP: what was received is what was sent
	rm -f "$work/listens"
	timeout -k 5 $((limit * 5)) $b python3 "$TOP/tests/programs/wire/ip_stream.py" receive \
		10.8.0.2 5001 "$work/listens" >"$work/received" &
	_receiver=$!
	wait_for 60 [ -e "$work/listens" ] || return
	timeout -k 5 $((limit * 5)) python3 "$TOP/tests/programs/wire/ip_stream.py" send \
		10.8.0.2 5001 "$bytes" >"$work/sent" || return
	wait $_receiver && diff "$work/sent" "$work/received"
}
check "TCP stream of $bytes bytes" stream
check "no errors" field_is em2 1 summary rx_errors 0
cable=$(echo $configfs/cables/*hca2*)
check "one packet of 200 is lost, and one damaged" \
	sh -c "echo 5000 >'$cable/losses' && echo 5000 >'$cable/errors'"
bytes=$(count 104857600)
check "TCP stream of $bytes bytes" stream
check "the cable is a good one again" sh -c "echo 0 >'$cable/losses' && echo 0 >'$cable/errors'"
flow() { # both ways at once, so that queues are full
	busybox ping -c 200 -i 0.01 -s 1400 10.8.0.2 >/dev/null & _p1=$!
	$b busybox ping -c 200 -i 0.01 -s 1400 10.8.0.1 >/dev/null & _p2=$!
	stream || return
	wait $_p1 && wait $_p2
}
check "a stream and pings both ways" flow

# ---- the table of MAC addresses -----------------------------------------------------------------------
universal=00:11:22:33:44:55
check "vb has an address that does not tell the LID" $b ip link set vb address $universal
check "the manager can ask for it" sh -c "'$programs/opa_em' hca1 $lid2 get ucast 1 | grep -q 'address $universal'"
ip neigh replace 10.8.0.2 lladdr $universal dev va nud permanent
check "without an entry there is no DLID" more em1 1 errors tx_dlid_zero silent 10.8.0.2
check "an entry" em1 set macs 1 offset=7 digest=4711 02:aa:aa:aa:aa:aa=9 $universal="$lid2"
check "is there" sh -c "'$programs/opa_em' hca1 $lid1 get macs 1 offset=8 entries=1 | grep -qx 'entry $universal $lid2'"
check "as the digest says" field_is em1 1 port digest 4711
check "ping" pings 10.8.0.2
check "it goes" em1 set macs 1 offset=8 digest=4712 $universal=0
check "nothing is sent" silent 10.8.0.2
check "a default port is for all that is not known" em1 set port 1 default_ports=1 ucast_dlid="$lid2"
check "ping" pings 10.8.0.2
check "hca2 lets go of its address" $b ip link set vb address "$(mac_of "$lid2" 1)"
ip neigh replace 10.8.0.2 lladdr "$(mac_of "$lid2" 1)" dev va nud permanent
check "groups that vb is in" sh -c "'$programs/opa_em' hca1 $lid2 get mcast 1 | grep -q 'address 01:00:5e:00:00:01'"

# ---- switches, partitions, states -----------------------------------------------------------------------
check "a second interface at hca1, of switch 34" connect em1 2 vc "$lid1" 34
check "one at hca2" connect em2 2 vd "$lid2" 34
ip link set vd netns b
check "vc is up" address vc 10.9.0.1
check "vd is up" $b sh -c "echo 1 >/proc/sys/net/ipv6/conf/vd/disable_ipv6
	ip addr add 10.9.0.2/24 dev vd && ip link set vd up"
check "ping in switch 34" wait_for 5 pings 10.9.0.2
apart() {
	_heard=$(field em2 2 summary rx_packets)
	pings 10.8.0.2 && [ "$(field em2 2 summary rx_packets)" = "$_heard" ]
}
check "which the other does not hear" apart
check "va goes to switch 35" em1 set port 1 vesw=35
check "where no other interface is" more em2 1 errors rx_bad_vesw silent 10.8.0.2
check "nor does the other hear of it" field_is em2 2 errors rx_errors 0
check "va comes back" em1 set port 1 vesw=33
check "ping" pings 10.8.0.2
violations() { smpquery -C hca3 portinfo "$lid2" 1 | awk -F. '/PkeyViolations/ { print $NF }'; }
before=$(violations)
check "va has the P_Key of another partition" em1 set port 1 pkey=0x8123
check "nothing comes" silent 10.8.0.2
check "hca2 counts it" [ "$(violations)" -gt "$before" ]
check "va has its own again" em1 set port 1 pkey=0xffff
check "the source is another's LID" em1 set port 1 slid="$lid2"
check "nothing is sent" more em1 1 errors tx_errors silent 10.8.0.2
check "the source is right" em1 set port 1 slid="$lid1"
check "ping" pings 10.8.0.2
check "va is to drop all" em1 set port 1 config=$dropping
check "it does" more em1 1 errors tx_drop_state silent 10.8.0.2
check "va is to forward" em1 set port 1 config=$forwarding
check "vb is to drop all" em2 set port 1 config=$dropping
check "it does" more em2 1 errors rx_drop_state silent 10.8.0.2
check "vb is to forward" em2 set port 1 config=$forwarding
check "ping" pings 10.8.0.2

# ---- lengths ---------------------------------------------------------------------------------------------
check "frames of 4000 bytes" em1 set port 1 mtu=4000
check "at hca2 too" em2 set port 1 mtu=4000
ip link set va mtu 4000
check "vb is still at 1500: they are too long" more em2 1 errors rx_oversize silent -s 3000 10.8.0.2
$b ip link set vb mtu 4000
check "ping of 3972 bytes" pings -s 3972 10.8.0.2
check "larger ones than the link has" em1 set port 1 mtu=9000
ip link set va mtu 9000
check "are not sent" more em1 1 errors tx_errors silent -s 8000 10.8.0.2
ip link set va mtu 1500
expect_fail "nor are they for an MTU that the manager did not allow" ip link set va mtu 9600

# ---- what the agent refuses, and the manager -----------------------------------------------------------
check "an attribute that is none" refused $unsupported em1 get 0x99 1
check "counters of an interface that is not" refused $bad_field em1 get summary 9
check "a table behind the end" refused $bad_field em1 set macs 1 offset=2048 $universal=1
check "a table of an interface that is not" refused $bad_field em1 set macs 9 $universal=1
expect_fail "a field that is none" em1 set port 1 colour=red
check "ping" pings 10.8.0.2

# ---- links and modules that go --------------------------------------------------------------------------
check "a cable is pulled" sh -c "echo 0 >'$cable/plugged'"
check "the carrier is gone" $b sh -c "! grep -q 1 /sys/class/net/vb/carrier"
check "and plugged in" sh -c "echo 1 >'$cable/plugged'"
check "all are active" wait_for 60 all_active
up_again() { [ "$($b cat /sys/class/net/vb/carrier)" = 1 ]; }
check "the carrier is back" wait_for 20 up_again
# The manager of the subnet has forgotten that the port was in a group.
check "hca2 is in the group again" join hca2
check "ping" wait_for 5 pings 10.8.0.2
check "the manager takes the switch away" em1 set delete 1
check "nothing is sent" silent 10.8.0.2
check "and gives it back" em1 set port 1 vesw=33 number="$lid1" slid="$lid1" pkey=0xffff \
	mac="$(mac_of "$lid1" 1)" mcast_dlid="$mcast" mtu=1500 config=$forwarding
check "ping" wait_for 5 pings 10.8.0.2
flood() { busybox ping -i 0.002 -s 1400 10.8.0.2 >/dev/null 2>&1 & flood=$!; }
flood
check "hca2 goes, under traffic" sh -c "echo 0 >$configfs/hcas/hca2/power"
check "its interfaces with it" $b sh -c "! ls /sys/class/net | grep -q '^v[bd]$'"
check "hca1 is as before" field_is em1 1 port config $forwarding
kill $flood 2>/dev/null
check "hca2 comes back" sh -c "echo 1 >$configfs/hcas/hca2/power"
check "all are active" wait_for 60 all_active
lid2=$(lid_of hca2)
check "with an agent" wait_for 30 field_is em2 0 class class_version 128
check "in the group again" join hca2
check "and an interface" connect em2 1 vb "$lid2" 33
ip link set vb netns b
check "vb is up" $b sh -c "echo 1 >/proc/sys/net/ipv6/conf/vb/disable_ipv6
	ip addr add 10.8.0.2/24 dev vb && ip link set vb up"
ip neigh replace 10.8.0.2 lladdr "$(mac_of "$lid2" 1)" dev va nud permanent
check "ping" wait_for 5 pings 10.8.0.2
flood
check "opa_vnic goes, under traffic" rmmod opa_vnic
kill $flood 2>/dev/null
check "no interface is left" sh -c "! ls /sys/class/net | grep -q '^v[abcd]$'"
check "nor in the namespace" $b sh -c "! ls /sys/class/net | grep -q '^v[abcd]$'"
check "it comes back" insmod "$VNIC"
check "with an agent" wait_for 30 field_is em1 0 class class_version 128
check "and an interface" connect em1 1 va "$lid1" 33
ip netns del b
end_opensm sm
check "all goes with an interface there" fabric_down
check "opa_vnic goes" rmmod opa_vnic
check "all modules" unload_stack
