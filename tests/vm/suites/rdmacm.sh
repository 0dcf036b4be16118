# SPDX-License-Identifier: GPL-2.0
#
# The programs of rdmacm-utils and perftest's -R as Debian ships them: connected
# and unconnected services, sockets over RDMA, groups; IPv4 and IPv6.
. "$VM/lib/guest.sh"
. "$VM/lib/cm.sh"

need_cm
n=$(count 10000)
few=$(count 1000)
rounds=$((few * 10))
# The check has each program, and the rest of its options in IPv4 alone or not at all.
full() { [ "$SCALE" = 1 ]; }
! full || limit=$((limit * 10))
more() { full || { [ "$family" = 4 ] && [ $place = one ]; }; }

# ---- rping: READ and WRITE by turns, data compared ---------------------------------
try_rping() { # SIZE ROUNDS
	check "rping, $1 bytes, $name" talk tcp 7174 \
		"rping -s -a $at -p 7174 -V -C $2 -S $1" \
		"rping -c -a $at -p 7174 -V -C $2 -S $1"
}
bad_client() { # STATUS CLIENT
	_bad=$((_bad + 1))
	echo "client $2 of 17 ended with status $1:"
	tail -n 2 "$work/client-$2" | cut -c 1-80
}
# One server, sixteen clients at a time. They come one by one: rping has room for
# three requests and forgets one that arrives too soon after another.
many_rpings() {
	begin_server tcp 7175 rping -s -P -a $at -p 7175 -V -S 1000 || return
	_pids=
	for _i in $(seq 16); do
		timeout -k 5 "$limit" stdbuf -oL rping -c -a $at -p 7175 -V -v -C "$rounds" \
			-S 1000 >"$work/client-$_i" 2>&1 &
		_pids="$_pids $!"
		wait_for 60 has "ping data" "$work/client-$_i" || break
	done
	_bad=0 _i=0
	for _p in $_pids; do
		_i=$((_i + 1))
		wait "$_p" || bad_client $? $_i
	done
	timeout -k 5 "$limit" rping -c -a $at -p 7175 -V -C 3 -S 1000 \
		>"$work/client-17" 2>&1 || bad_client $? 17
	end_server
	tail -n 5 "$work/server" | cut -c 1-120
	[ $_bad -eq 0 ] && [ $_i = 16 ]
}
rpings() {
	try_rping 100 "$n"
	try_rping 65535 5
	more || return
	sizes=23
	! full || sizes="23 1023 1025 4096 4097 32768"
	for size in $sizes; do
		try_rping $size 5
	done
	# A queue pair that the program made and moves itself.
	check "rping -q, $name" talk tcp 7174 "rping -s -a $at -p 7174 -V -C 5 -q" \
		"rping -c -a $at -p 7174 -V -C 5 -q"
	check "rping from an address of its own, $name" talk tcp 7174 \
		"rping -s -a $at -p 7174 -V -C 5" "rping -c -I $from -a $at -p 7174 -V -C 5"
	check "16 clients of one rping, $name" many_rpings
}

# ---- connections, datagrams ---------------------------------------------------------
try_ucmatose() { # OPTION...
	check "ucmatose $*, $name" talk tcp 7471 "ucmatose -b $at -c 4 $*" \
		"ucmatose -s $at -c 4 $*"
}
messages() {
	try_ucmatose -m
	if full; then
		try_ucmatose
		try_ucmatose -t 32
		try_ucmatose -a 16
		try_ucmatose -S 65536
	fi
	check "udaddy, $name" talk udp 7174 "udaddy -b $at -c 4" "udaddy -s $at -c 4"
	more || return
	# The kernel's own core of 7.3 rejects some of its connections, over rdma_rxe as well.
	[ "$CORE-$series" != stock-7.3 ] || return 0
	# Debian 13's invents numbers of queue pairs, the same ones at both ends. Of one device
	# they are those of a stale connection, to the kernel's own core as well.
	[ "$RELEASE" = 12 ] || [ $place = apart ] || return 0
	check "cmtime, $name" ask tcp 7471 "cmtime -b $at -c $few" "cmtime -s $at -c $few"
	check "cmtime made connections" grep -q '^disconnect' "$work/client"
}

# ---- sockets ------------------------------------------------------------------------
# Blocking calls, nonblocking ones, poll(); every byte compared.
try_stream() { # PROGRAM OPTION...
	_program=$1
	shift
	_name="$_program $*, $name"
	[ "$family" = 4 ] && set -- -f ip "$@" || set -- -f ipv6 "$@"
	check "$_name" stream "$_program" -T v -I 5 -C 20 "$@"
}
# A client that polls takes it for an error that the server has finished and gone: it ends with
# 16 (POLLHUP) now and then. Then the server's status counts, and the server has time to end.
stream() {
	_program=$1
	shift
	case "$*" in *"-T a"*) server_ends=10 ;; esac
	talk tcp 7471 "$_program -b $at $*" "$_program -s $at $*" && return
	case "$*" in *"-T a"*) [ $_status -eq 0 ] && [ $_client -eq 16 ] ;; *) false ;; esac
}
streams() {
	try_stream rstream -S 16384 -T n
	try_stream riostream -S 16384 -T b
	more || return
	try_stream rstream -S 16384 -T b
	try_stream rstream -S 16384 -T a -T r
	try_stream riostream -S 16384 -T a
	full || return
	try_stream rstream -S 16384 -T a -T n
	try_stream rstream -S all
	try_stream rstream -S 16384 -B 4096 -i 0
	try_stream riostream -S 16384 -T n
	try_stream riostream -S all
}

# A file over; what is there afterwards is what was here.
copy_file() { # BYTES
	head -c "$1" /dev/urandom >"$work/file"
	rm -f "$work/copy"
	ask tcp 7427 rcopy "rcopy $work/file $at:$work/copy" && cmp "$work/file" "$work/copy"
}

# ---- short ways to a connection -----------------------------------------------------
endpoints() {
	more || return
	check "rdma_server, $name" talk tcp 7471 \
		"rdma_server -s $at" "rdma_client -s $at"
	# It can not be told where to listen, and means IPv4.
	[ "$family" = 4 ] || return 0
	check "rdma_xserver, RC, $name" talk tcp 7471 \
		"rdma_xserver -c r" "rdma_xclient -s $at -c r"
}
# Which kind of refusal depends on the device.
no_xrc() {
	timeout -k 5 "$limit" rdma_xclient -s $at -c x >"$work/client" 2>&1
	cat "$work/client"
	has "rdma_create_ep: " "$work/client"
}

# ---- perftest ------------------------------------------------------------------------
# Its server listens when its client may have asked already, and a client that is
# refused falls over its own retry: a test that hits that asks again.
refused_early() { grep -q 'RDMA_CM_EVENT_REJECTED; error: 8' "$work/client"; }
talk_again() {
	for _try in 1 2 3; do
		talk "$@" && return
		refused_early || return
	done
	return 1
}
measure() { # TRANSPORT PROGRAM ARG...
	_t=$1
	shift
	check "$* -R $_t, $name" talk_again tcp 18515 "$* -R -c $_t -n 20 -F" \
		"$* -R -c $_t -n 20 -F $at"
	check "and it measured" grep -qE '^ *[0-9]+ +[0-9]+ ' "$work/client"
}
measures() {
	# With -R this release of it knows IPv4 only.
	[ "$family" = 4 ] || return
	measure UD ib_send_lat -s 512
	more || return
	for op in write read send; do
		measure RC ib_${op}_bw -s 65536
	done
	full || return
	for op in write read send; do
		measure RC ib_${op}_lat -s 64
	done
	measure RC ib_atomic_bw -A FETCH_AND_ADD
	measure UD ib_send_bw -s 512
	measure RC ib_write_bw -s 4096 -q 4
	measure RC ib_send_bw -s 4096 -e
}

# ---- groups --------------------------------------------------------------------------
# joined FILE: mckey waits for messages
joined_or_over() { has "joined dgid" "$1" || has "return status" "$1"; }
group() { # ADDRESS OPTION...: of the sender
	_group=$1
	shift
	timeout -k 5 "$limit" $there stdbuf -oL mckey -m "$_group" -b $at -C 10 -S 500 \
		>"$work/server" 2>&1 &
	_server=$!
	wait_for 30 joined_or_over "$work/server" &&
		timeout -k 5 "$limit" mckey -m "$_group" -b $from -C 10 -S 500 -s "$@" \
		>"$work/client" 2>&1
	_client=$?
	[ $_client -eq 0 ] || kill $_server 2>/dev/null
	wait $_server
	_status=$?
	told $_client
	[ $_client -eq 0 ] && [ $_status -eq 0 ] && has "return status 0" "$work/client" && return
	# A datagram may be lost in many places, most of which count it.
	for _side in "" "$there"; do
		# Unquoted on purpose: a list of words.
		$_side rdma statistic show
		$_side cat /proc/net/softnet_stat /proc/net/snmp
	done | cut -c 1-1000
	return 1
}
groups() {
	# The kernel's own has no IPv6 groups of RoCE version 2: ENOTSUPP.
	[ "$family" = 4 ] || return
	# On the stock core too, rdma_rxe (of 6.12) loses a datagram now and then.
	[ "$DRIVER" != rxe ] || full || return
	check "mckey, $name" group 239.1.2.3
	check "mckey, a sender that receives nothing, $name" group 239.1.2.3 -o
	check "the group is empty again, $name" sh -c \
		"! ip maddr show dev eth0 | grep 239.1.2.3"
}

families=${FAMILIES:-4 6}
all() {
	for family in $families; do
		way $family
		rpings
		messages
		streams
		endpoints
		groups
		measures
	done
	# Its HOST:FILE leaves no room for an address with colons.
	way 4
	! full || check "rcopy, 1 byte, $name" copy_file 1
	check "rcopy, 3 MB, $name" copy_file 3000000
}

all
check "no XRC by librxe" no_xrc
if [ "$DRIVER" = roce ]; then
	check "another namespace" here_apart
	all
	check "it goes" leave_apart
	here_one
fi
cm_down
