# SPDX-License-Identifier: GPL-2.0
#
# Sourced after guest.sh by suites of programs that people run on our devices:
#
#	$dev on eth0 10.0.0.1 ----- eth1 10.0.0.2 $far		(namespace b)
#
# where each namespace has one device, as two hosts would. Of software InfiniBand they
# are HCAs of a star with IPoIB, 10.9.0.1 and 10.9.0.2; their opensm is here. rdma_rxe
# knows the first namespace alone: both of its devices are there. $address is what rdma_cm
# knows the far end by.
dev=${DRIVER}0 far=${DRIVER}b address=10.0.0.2 home=10.0.0.1
there="ip netns exec b"
case $DRIVER in
ib)
	. "$VM/lib/ib.sh"
	dev=hca1 far=hca2 address=10.9.0.2 home=10.9.0.1 ;;
rxe)
	there= ;;
esac

# ---- the two ends ---------------------------------------------------------------------

# perftest, UCX and fio ask /proc/cpuinfo how fast the clock is, which um does not say.
clock() {
	grep -q '^cpu MHz' /proc/cpuinfo && return
	{ cat /proc/cpuinfo; echo "cpu MHz : 1000.000"; } >"$work/cpuinfo" &&
		mount -o bind "$work/cpuinfo" /proc/cpuinfo
}

two_names() {
	hostname h1 && printf '10.0.0.1 h1\n10.0.0.2 h2\n' >>/etc/hosts
}

two_namespaces() {
	[ -n "$there" ] || { net_up; return; }
	wait_for 20 rdma system set netns exclusive &&
	ip netns add b && $there ip link set lo up &&
	ip link add eth0 address 02:00:00:00:00:01 type veth \
		peer name eth1 address 02:00:00:00:00:02 netns b || return
	echo 0 >/proc/sys/net/ipv6/conf/eth0/accept_dad
	$there sh -c 'echo 0 >/proc/sys/net/ipv6/conf/eth1/accept_dad'
	ip addr add 10.0.0.1/24 dev eth0 && ip link set eth0 up &&
	$there ip addr add 10.0.0.2/24 dev eth1 && $there ip link set eth1 up
}

far_active() { $there grep -q ACTIVE /sys/class/infiniband/$far/ports/1/state; }

# The stock core makes it a device of the first namespace, wherever it was asked for.
far_up() {
	$there rdma link add $far type $DRIVER netdev eth1 || return
	[ -z "$there" ] || [ ! -e /sys/class/infiniband/$far ] || rdma dev set $far netns b
}
ethernet_up() {
	load_stack && two_namespaces &&
	rdma link add $dev type $DRIVER netdev eth0 && far_up &&
	wait_for 10 ready $dev && wait_for 10 far_active
}

# The module makes both interfaces here, where hca2 is not to be seen.
two_interfaces() {
	ipoib_here=$(ndev_of hca1) &&
		ipoib_there=$(ls /sys/class/net | grep '^ib' | grep -vx "$ipoib_here")
}
# A carrier comes when the subnet manager has made the group.
ipoib_on() { # INTERFACE ADDRESS [COMMAND...]: run in front of each
	_n=$1 _address=$2
	shift 2
	"$@" ip addr add "$_address/24" dev "$_n" && "$@" ip link set "$_n" up &&
		wait_for 60 sh -c "$* ip link show $_n | grep -q LOWER_UP"
}
ipoib_up() {
	modprobe ib_ipoib && wait_for 20 two_interfaces && two_interfaces &&
		ip link set $ipoib_there netns b && ipoib_on $ipoib_here 10.9.0.1 &&
		ipoib_on $ipoib_there 10.9.0.2 $there
}

fabric_and_manager() {
	fabric_up pair && wait_for 60 [ -c /dev/infiniband/umad1 ] &&
	begin_opensm sm hca1 && wait_for 120 all_active &&
	two_namespaces && rdma dev set hca2 netns b &&
	wait_for 60 far_active && ipoib_up
}

apps_up() {
	clock && two_names || return
	case $DRIVER in
	ib) fabric_and_manager ;;
	*) ethernet_up ;;
	esac
}

apps_down() {
	if [ -n "$there" ]; then
		ip netns del b
	else
		rdma link delete $far && link_down || return
	fi
	if [ "$DRIVER" = ib ]; then
		end_opensm sm
		wait_for 60 rmmod ib_ipoib || return
		wait_for 20 fabric_down
	fi
	# With the namespace goes its interface, and with that its peer here.
	wait_for 20 sh -c "! rdma dev | grep ."
}

need_apps() {
	check "two ends: $dev here, $far in a namespace" apps_up && return
	dmesg | tail -n 20
	exit 1
}

# ---- that it was the device -----------------------------------------------------------
#
# Packets of at most $packet bytes of payload, and messages that one host needs no packet
# for; iWARP counts bytes.
case $DRIVER in
ib) packet=4096 ;;
*) packet=1024 ;;
esac
counter() { cat "/sys/class/infiniband/$dev/ports/1/hw_counters/$1"; }
counted() {
	case $DRIVER in
	iwarp) echo "$(counter tx_bytes) $(counter rx_bytes) 0" ;;
	rxe) echo "$(counter sent_pkts) $(counter rcvd_pkts) 0" ;;
	*) echo "$(counter tx_packets) $(counter rx_packets) $(counter local_messages)" ;;
	esac
}

# carries BYTES COMMAND...: so much at least, in one direction or the other, went by $dev.
# Without packets, of 64 KiB at most, where $where is 'here'.
carries() {
	_bytes=$1 _before=$(counted) _unit=$packet _message=0
	shift
	"$@" || return
	[ $DRIVER != iwarp ] || _unit=1
	[ "${where:-}" != here ] || _message=65536
	echo $_before $(counted) | awk -v bytes="$_bytes" -v unit="$_unit" -v message=$_message '{
		sent = $4 - $1; got = $5 - $2; local = $6 - $3
		printf "%d sent, %d received, of %d bytes each; %d without packets; %d bytes expected\n",
			sent, got, unit, local, bytes
		exit !((sent > got ? sent : got) * unit + local * message >= bytes) }'
}

# ---- two programs ---------------------------------------------------------------------

# A TCP port is listened at in namespace b, or here.
listens_at() { # PORT [COMMAND...]
	_at=$(printf ':%04X' "$1")
	shift
	"$@" cat /proc/net/tcp /proc/net/tcp6 |
		awk -v p="$_at" '$4 == "0A" && substr($2, length($2) - 4) == p { f = 1 } END { exit !f }'
}

# serve READY SERVER...: in the background, until READY, a command, says that it is there
serve() {
	_ready=$1
	shift
	rm -f "$work/client"
	timeout -k 5 "$limit" "$@" >"$work/server" 2>&1 &
	_server=$!
	ready_or_over() { $_ready || ! kill -0 $_server; }
	wait_for 60 ready_or_over && $_ready && return
	kill $_server 2>/dev/null
	wait $_server
	echo "the server is not there:"
	cat "$work/server"
	return 1
}

# asks CLIENT...: of that server, which ends itself with it
asks() {
	timeout -k 5 "$limit" "$@" >"$work/client" 2>&1
	_client=$?
	[ $_client -eq 0 ] || kill $_server 2>/dev/null
	wait $_server
	_status=$?
	echo "client ($_client):"; cat "$work/client"
	echo "server ($_status):"; cat "$work/server"
	[ $_client -eq 0 ] && [ $_status -eq 0 ]
}
