# SPDX-License-Identifier: GPL-2.0
#
# Sourced after guest.sh by suites of ofed_iwarp, whatever DRIVER says:
#
#   iwarp0 eth0 10.0.0.1 fd00::1 --veth-- eth1 10.0.0.2 fd00::2 iwarp1
#                                         (namespace b)
DRIVER=iwarp
b="ip netns exec b"

# perftest asks /proc/cpuinfo how fast the clock is, which um does not say.
clock() {
	grep -q '^cpu MHz' /proc/cpuinfo && return
	{ cat /proc/cpuinfo; echo "cpu MHz : 1000.000"; } >"$work/cpuinfo" &&
		mount -o bind "$work/cpuinfo" /proc/cpuinfo
}

wire_up() {
	ip netns add b && ip link set lo up && ip -n b link set lo up &&
	ip link add eth0 address 02:00:00:00:00:01 type veth \
		peer name eth1 address 02:00:00:00:00:02 netns b || return
	echo 0 >/proc/sys/net/ipv6/conf/eth0/accept_dad
	$b sh -c 'echo 0 >/proc/sys/net/ipv6/conf/eth1/accept_dad'
	ip addr add 10.0.0.1/24 dev eth0 && ip addr add fd00::1/64 dev eth0 &&
	ip -n b addr add 10.0.0.2/24 dev eth1 && ip -n b addr add fd00::2/64 dev eth1 &&
	ip link set eth0 up && ip -n b link set eth1 up
}

# here PORT SERVER... -- CLIENT...: as over, with the server on this side
here() {
	_b=$b
	b=
	over "$@"
	_status=$?
	b=$_b
	return $_status
}

devices_up() {
	load_stack &&
	rdma link add iwarp0 type iwarp netdev eth0 &&
	$b rdma link add iwarp1 type iwarp netdev eth1 &&
	wait_for 10 active iwarp0 && wait_for 10 active iwarp1
}

# private_data TITLE PARAMETER...: by the iWARP CM alone, which carries more of it than
# rdma_cm; what may be in use behind that is gone
private_data() {
	_title=$1
	shift
	check "a module for private data, $_title" \
		insmod "$TOP/build/$KERNEL/tests/modules/ofed_iwpd.ko" "$@" || return
	table "$_title" cat /sys/kernel/debug/ofed_iwpd
	check "it goes, $_title" rmmod ofed_iwpd
	check "no connection is left, $_title" wait_for 20 quiet 7400
}

# TCP is in none but TIME_WAIT.
quiet() { # PORT
	_port=$(printf ':%04X' "$1")
	! { cat /proc/net/tcp; [ ! -e /run/netns/b ] || $b cat /proc/net/tcp; } |
		grep -v ' 06 ' | awk '{ print $2, $3 }' | grep -q "$_port"
}

counter() { cat /sys/class/infiniband/iwarp0/ports/1/hw_counters/$1; }

# Of connections made from here on: messages between two ends of this host without TCP.
loopback() { # Y|N
	echo "$1" >/sys/module/ofed_iwarp/parameters/loopback
}

# locally yes|no COMMAND...: did FPDUs of iwarp0 go without TCP meanwhile?
locally() {
	_want=$1 _before=$(counter tx_local_fpdus)
	shift
	"$@" || return
	_now=$(counter tx_local_fpdus) _did=no
	[ "$_now" -eq "$_before" ] || _did=yes
	echo "$((_now - _before)) FPDUs went without TCP"
	[ $_did = $_want ]
}

listens() { # PORT: a program does in namespace b
	$b cat /proc/net/tcp /proc/net/tcp6 | awk -v p="$(printf ':%04X' "$1")" \
		'$4 == "0A" && substr($2, length($2) - 4) == p { f = 1 } END { exit !f }'
}

# begin PORT SERVER... -- CLIENT...: the server, in namespace b, until it listens;
# the client's words are in $client
begin() {
	_port=$1 _cmd=
	shift
	while [ "$1" != -- ]; do _cmd="$_cmd $1"; shift; done
	shift
	client=$*
	$b timeout -k 5 "$limit" $_cmd >"$work/server" 2>&1 &
	_server=$!
	up_or_over() { listens "$_port" || ! kill -0 $_server; }
	wait_for 30 up_or_over && listens "$_port" && return
	kill $_server 2>/dev/null
	wait $_server
	echo "server never listened:"
	cat "$work/server"
	return 1
}

told() { # STATUS-OF-CLIENT STATUS-OF-SERVER
	echo "server ($2):"; cat "$work/server"
	echo "client ($1):"; cat "$work/client"
}

# over PORT SERVER... -- CLIENT...: both end well. perftest connects twice: as soon as
# the first connection is there its client asks for the second one, for which its
# server only then begins to listen. On a busy host that is too late, and the client
# does not try again.
over() {
	try_over "$@" && return
	grep -qs 'EVENT_REJECTED; error: -111' "$work/client" || return
	echo "once more:"
	try_over "$@"
}

try_over() {
	begin "$@" || return
	timeout -k 5 "$limit" $client >"$work/client" 2>&1
	_client=$?
	ended_well $_client "$work/client" || kill $_server 2>/dev/null
	wait $_server
	_status=$?
	told $_client $_status
	ended_well $_client "$work/client" && ended_well $_status "$work/server"
}

# ask PORT SERVER... -- CLIENT...: the same with a server that does not end itself
ask() {
	begin "$@" || return
	timeout -k 5 "$limit" $client >"$work/client" 2>&1
	_client=$?
	kill $_server
	wait $_server
	told $_client -
	[ $_client -eq 0 ]
}
