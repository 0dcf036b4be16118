# SPDX-License-Identifier: GPL-2.0
#
# Sourced after guest.sh by suites that connect by rdma_cm. Server and client are
# two programs, in one of two places:
#
#   one     both here, by an address of this host: 10.0.0.1 or fd00::1, on $dev
#   apart   (not for rdma_rxe, which knows only the first network namespace)
#           the server in namespace b, 10.0.0.2 and fd00::2, on roceb
#
# $there is put in front of what the server's side runs, $at4 and $at6 are where
# it listens, $from4 and $from6 the client's own addresses.
cm_hex6=fd00:0000:0000:0000:0000:0000:0000:000

need_cm() {
	need_link
	sysctl -qw net.ipv6.conf.eth0.accept_dad=0
	ip addr add fd00::1/64 dev eth0
	check "the GID of fd00::1" wait_for 60 gid_of $dev ${cm_hex6}1
	check "the module of rdma_cm" modprobe rdma_ucm || exit 1
	check "/dev/infiniband/rdma_cm" wait_for 60 [ -c /dev/infiniband/rdma_cm ] || exit 1
	here_one
}

here_one() {
	place=one there=
	at4=10.0.0.1 at6=fd00::1 from4=10.0.0.1 from6=fd00::1
}

# here_apart: the other end of the wire becomes another host
here_apart() {
	ip netns add b &&
	ip link set eth1 netns b &&
	ip netns exec b sysctl -qw net.ipv6.conf.eth1.accept_dad=0 &&
	ip -n b addr add 10.0.0.2/24 dev eth1 &&
	ip -n b addr add fd00::2/64 dev eth1 &&
	ip -n b link set lo up &&
	ip -n b link set eth1 up &&
	ip netns exec b rdma link add roceb type roce netdev eth1 &&
	wait_for 60 gid_of roceb 0000:0000:0000:0000:0000:ffff:0a00:0002 &&
	wait_for 60 gid_of roceb ${cm_hex6}2 || return
	place=apart there="ip netns exec b"
	at4=10.0.0.2 at6=fd00::2 from4=10.0.0.1 from6=fd00::1
}

leave_apart() {
	ip netns del b
	# The interface there takes ours along.
	wait_for 30 sh -c "! [ -e /sys/class/infiniband/roceb ] && ! [ -e /sys/class/infiniband/$dev ]"
}

# way 4|6: $at and $from from here on
way() {
	family=$1
	eval "at=\$at$1 from=\$from$1"
	name="IPv$1"
	[ $place = one ] || name="$name, two namespaces"
}

# A program listens there. The kernel is asked: a program that binds the port to see whether it
# is taken may be in the server's way, and a client that connects too early is refused.
listens() { # tcp|udp PORT
	$there rdma resource show cm_id 2>/dev/null | grep -qiw "state LISTEN ps $1 .*:$2"
}
listens_or_over() { # SPACE PORT PID
	listens "$1" "$2" || ! kill -0 "$3" 2>/dev/null
}

# The server runs as $_server, its output is $work/server.
begin_server() { # SPACE PORT COMMAND...
	_space=$1 _port=$2
	shift 2
	timeout -k 5 "$limit" $there "$@" >"$work/server" 2>&1 &
	_server=$!
	wait_for "$limit" listens_or_over "$_space" "$_port" $_server
	listens "$_space" "$_port" && return
	end_server
	return 1
}
end_server() {
	kill $_server 2>/dev/null
	wait $_server 2>/dev/null
	return 0
}
told() { # what both said; the client's status
	echo "server:"
	cat "$work/server"
	echo "client ($1):"
	cat "$work/client"
}

is_gone() { # PID, of a child that may be a zombie
	! [ -e "/proc/$1/exe" ]
}

# talk SPACE PORT SERVER CLIENT: two commands, each one word here; both succeed. The server
# of a client that fails may go on for $server_ends seconds, in this call alone.
talk() {
	_ends=${server_ends:-0} server_ends=
	# Unquoted on purpose: commands are lists of words.
	begin_server "$1" "$2" $3 || { cat "$work/server"; return 1; }
	timeout -k 5 "$limit" $4 >"$work/client" 2>&1
	_client=$?
	ended_well $_client "$work/client" || wait_for $_ends is_gone $_server ||
		kill $_server 2>/dev/null
	wait $_server
	_status=$?
	echo "server's status: $_status"
	told $_client
	ended_well $_client "$work/client" && ended_well $_status "$work/server"
}

# ask SPACE PORT SERVER CLIENT: the same, and the server is one that never ends
ask() {
	begin_server "$1" "$2" $3 || { cat "$work/server"; return 1; }
	timeout -k 5 "$limit" $4 >"$work/client" 2>&1
	_client=$?
	end_server
	told $_client
	[ $_client -eq 0 ]
}

# Ids of connections that a program still has, and their queue pairs. The queue
# pair of MAD is always there.
no_ids() {
	[ -e /sys/class/infiniband/$dev ] || return 0
	rdma resource show $dev | awk '
		{ for (i = 1; i < NF; i++) n[$i] = $(i + 1) }
		END { exit !(n["cm_id"] == 0 && n["qp"] <= 2 && n["ctx"] == 0) }'
}
no_ids_left() {
	wait_for 30 no_ids && return
	rdma resource show
	rdma resource show cm_id
	rdma resource show qp
	return 1
}

cm_down() {
	check "no id and no queue pair is left" no_ids_left
	# A device is gone already if its interface went with its other end.
	[ ! -e /sys/class/infiniband/$dev ] || check "$dev goes" link_down
	check "the modules go" unload_stack
}
