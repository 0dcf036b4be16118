# SPDX-License-Identifier: GPL-2.0
#
# Sourced by every suite, in the guest. A suite is a list of 'check' lines;
# when it ends, the counts are printed and left for init.sh.

passed=0 failed=0
work=$(mktemp -d /tmp/suite.XXXXXX)
programs=$TOP/build/programs
[ "$(uname -m)" != aarch64 ] || programs=$programs-arm64
# A command of a suite that hangs is a failure, not the end of the run.
limit=${LIMIT:-300}
[ "$KERNEL" != debug ] || limit=$((limit * 2))

finish() {
	status=$?
	if [ -e /sys/kernel/debug/kmemleak ]; then
		check "kmemleak finds nothing" no_leaks
	fi
	echo "$passed $failed" >/run/counts
	[ $status -eq 0 ] && [ "$failed" -eq 0 ]
	exit
}
trap finish EXIT

ok() { passed=$((passed + 1)); echo "ok   $1"; }
bad() { failed=$((failed + 1)); echo "FAIL $1"; }

# run CMD...: with the time limit if CMD is a program (a shell function has none)
run() {
	case $(command -v "$1") in
	/*) timeout -k 5 "$limit" "$@" ;;
	*) "$@" ;;
	esac
}

# check NAME CMD...: CMD succeeds; what took long says so
check() {
	_name=$1
	read -r _since _ </proc/uptime
	shift
	run "$@" >"$work/output" 2>&1
	_status=$?
	read -r _now _ </proc/uptime
	_took=$((${_now%.*} - ${_since%.*}))
	if [ $_status -eq 0 ]; then
		[ $_took -lt 10 ] && ok "$_name" || ok "$_name ($_took s)"
	else
		bad "$_name (exit $_status, $_took s)"
		tail -n 40 "$work/output" | sed 's/^/     | /'
		return 1
	fi
}

# expect_fail NAME CMD...: CMD fails (a time-out is no such failure)
expect_fail() {
	_name=$1
	shift
	run "$@" >"$work/output" 2>&1
	_status=$?
	if [ $_status -ne 0 ] && [ $_status -ne 124 ] && [ $_status -lt 126 ]; then
		ok "$_name"
	else
		bad "$_name (exit $_status, a failure was expected)"
		tail -n 40 "$work/output" | sed 's/^/     | /'
		return 1
	fi
}

# wait_for SECONDS CMD...: until CMD succeeds; the time is a limit, not a pause
wait_for() {
	_left=$(($1 * 10))
	[ "$KERNEL" != debug ] || _left=$((_left * 5))
	shift
	until "$@" >/dev/null 2>&1; do
		_left=$((_left - 1))
		[ $_left -gt 0 ] || return 1
		sleep 0.1
	done
}

# count N: N of a full run, scaled, at least 1
count() { awk -v n="$1" -v s="$SCALE" 'BEGIN { n = int(n * s); print n < 1 ? 1 : n }'; }

# has TEXT FILE
has() { grep -qF -e "$1" "$2"; }

has_memory_cgroups() {
	grep -q ^memory /proc/cgroups || { echo "     no memory cgroups in this kernel"; return 1; }
}

# Two scans: an object allocated during the first is reported by the second only
# if it is lost, and a pointer that was in a register has settled by then.
no_leaks() {
	echo scan >/sys/kernel/debug/kmemleak
	echo scan >/sys/kernel/debug/kmemleak
	cat /sys/kernel/debug/kmemleak
	[ -z "$(head -c 1 /sys/kernel/debug/kmemleak)" ]
}

# Lists made on the stock core, of a kernel and the programs of its release: 6.12; with those
# of another: 6.12-12. What we configured is a kernel of the host's release.
lists=${LISTS:-$KERNEL}
series=${lists%%-*}

# same_as_list NAME FILE LIST: FILE equals expected/LIST-$lists.txt but for lines
# that expected/LIST-differences (regular expressions, with reasons) takes out of
# both, and expected/LIST-differences-7 on kernels of that major number. RECORD=1
# with CORE=stock only leaves FILE for 'record'.
same_as_list() {
	_ref=$VM/expected/$3-$lists.txt
	cp "$2" "$OUT/$3-$lists.txt"
	if [ "${RECORD:-}" = 1 ]; then
		check "$1 (recorded, $(wc -l <"$2") lines)" test -s "$2"
		return
	fi
	: >"$work/differences"
	# The stock core has nothing to excuse.
	for _file in "$VM/expected/$3-differences" "$VM/expected/$3-differences-${series%%.*}"; do
		[ "$CORE" != stock ] && [ -f "$_file" ] || continue
		grep -v -e '^#' -e '^$' "$_file" >>"$work/differences"
	done
	[ -z "${without:-}" ] || echo "$without" >>"$work/differences"
	grep -vE -f "$work/differences" "$_ref" >"$work/expected"
	grep -vE -f "$work/differences" "$2" >"$work/found"
	check "$1 ($(wc -l <"$work/expected") lines)" diff -u "$work/expected" "$work/found"
}

# no_user_objects [DEV]: what rdma lists is the kernel's own, for root and for other users.
no_user_objects() {
	for _type in pd cq mr qp srq ctx; do
		rdma -dd resource show $_type ${1:+dev "$1"} 2>/dev/null
		as_user rdma -dd resource show $_type ${1:+dev "$1"} 2>/dev/null
		# An oops ends the asker.
		[ $? -lt 126 ] || return
	done >"$work/resources"
	! grep -w pid "$work/resources"
}

# as_user CMD...: without any privilege. In the background use 'setpriv $nobody'
# instead, so that $! is the program and not a shell.
nobody="--reuid=65534 --regid=65534 --clear-groups --inh-caps=-all"
as_user() { timeout -k 5 "$limit" setpriv $nobody "$@"; }

# rping closes the channel of its events while a thread of it waits there: on a busy host
# that one may end the process, with a status of its own, after all is done and compared.
ended_well() { # STATUS OUTPUT
	[ "$1" -eq 0 ] && return
	[ "$1" -eq 255 ] && has "DISCONNECT EVENT" "$2" &&
		has "rdma_get_cm_event: Bad file descriptor" "$2" && ! has "failed" "$2"
}

listening() { # PORT, in any address family
	_hex=$(printf ':%04X' "$1")
	awk -v p="$_hex" '$4 == "0A" && substr($2, length($2) - 4) == p { f = 1 } END { exit !f }' \
		/proc/net/tcp /proc/net/tcp6
}

# duo PORT CMD...: CMD as server and, once that listens, as client of it
duo() {
	_port=$1
	shift
	timeout -k 5 "$limit" "$@" -p "$_port" >"$work/server" 2>&1 &
	_server=$!
	if ! wait_for 30 listening "$_port"; then
		kill $_server 2>/dev/null
		wait $_server
		echo "server never listened:"
		cat "$work/server"
		return 1
	fi
	timeout -k 5 "$limit" "$@" -p "$_port" 127.0.0.1 >"$work/client" 2>&1
	_client=$?
	[ $_client -eq 0 ] || kill $_server 2>/dev/null
	wait $_server
	_status=$?
	echo "server ($_status):"
	cat "$work/server"
	echo "client ($_client):"
	cat "$work/client"
	[ $_client -eq 0 ] && [ $_status -eq 0 ]
}

# ---- the device under test ------------------------------------------------
#
#   eth0 10.0.0.1 --veth-- eth1 10.0.0.2        $dev on eth0
#
# DRIVER=rxe (default) is the kernel's own rdma_rxe, DRIVER=roce and iwarp are ours. Fixed MAC
# addresses make GIDs and GUIDs the same in every run.
DRIVER=${DRIVER:-rxe}
dev=${DRIVER}0
gid_index=1 # of RoCE version 2 and $gid_ip; ours has version 1 beside it
gid_ip=10.0.0.1
gid_hex=0000:0000:0000:0000:0000:ffff:0a00:0001

net_up() {
	[ -e /sys/class/net/eth0 ] && return
	ip link add eth0 address 02:00:00:00:00:01 type veth \
		peer name eth1 address 02:00:00:00:00:02 || return
	for _n in 0 1; do
		# No duplicate address detection: a GID appears when its address is valid.
		echo 0 >/proc/sys/net/ipv6/conf/eth$_n/accept_dad
		echo 1 >/proc/sys/net/ipv4/conf/eth$_n/accept_local
		echo 0 >/proc/sys/net/ipv4/conf/eth$_n/rp_filter
	done
	# One program for all of it: starting one takes its time on the debug kernel.
	ip -batch - <<-END
		addr add 10.0.0.1/24 dev eth0
		addr add 10.0.0.2/24 dev eth1
		link set eth0 up
		link set eth1 up
	END
}

net_down() { ip link del eth0 2>/dev/null; }

# gid_of DEV GID [TYPE]: index of GID in the table of port 1. Tables are long and
# filled from the front, and each file costs a moment on the debug kernel.
gid_of() {
	_table=/sys/class/infiniband/$1/ports/1
	_i=0 _empty=0
	while [ $_empty -lt 32 ] && read -r _gid <"$_table/gids/$_i"; do
		case $_gid in
		"$2")	read -r _type <"$_table/gid_attrs/types/$_i" &&
				[ "$_type" = "${3:-RoCE v2}" ] && echo "$_i" && return ;;
		0000:0000:0000:0000:0000:0000:0000:0000) _empty=$((_empty + 1)) ;;
		*)	_empty=0 ;;
		esac
		_i=$((_i + 1))
	done 2>/dev/null
	return 1
}

active() { # DEV
	read -r _state <"/sys/class/infiniband/$1/ports/1/state" &&
		[ "$_state" = "4: ACTIVE" ]
}

ready() { # DEV: listed, active, and the IPv4 GID is there
	{ ! have_uverbs || ibv_devices | grep -qw "$1"; } &&
	active "$1" || return
	# iWARP has GIDs that no consumer looks for.
	[ "$DRIVER" = iwarp ] || gid_index=$(gid_of "$1" $gid_hex)
}

# A core built without its character device is still a core.
# table TITLE PROGRAM ARG...: each row that it prints counts by itself
table() {
	_title=$1
	shift
	timeout -k 5 $((limit * 5)) "$@" >"$work/table" 2>&1
	_status=$?
	while IFS= read -r _line; do
		case $_line in
		"ok   "*) ok "${_line#ok   }, $_title" ;;
		"FAIL "*) bad "${_line#FAIL }, $_title" ;;
		*) echo "     | $_line" ;;
		esac
	done <"$work/table"
	check "the whole table, $_title (status $_status)" [ $_status -eq 0 ]
}

have_uverbs() { [ "$CORE" = stock ] || modinfo ofed_uverbs >/dev/null 2>&1; }

have_ucma() { [ "$CORE" = stock ] || modinfo ofed_ucma >/dev/null 2>&1; }

have_umad() { [ "$CORE" = stock ] || modinfo ofed_umad >/dev/null 2>&1; }

# Whatever the driver is, depmod has found the core that it goes with. rdma_rxe
# keeps UDP port 4791 as long as it is loaded, and a suite may have left it.
load_driver() {
	case $DRIVER in
	rxe) modprobe rdma_rxe ;;
	*) modprobe -r rdma_rxe && modprobe ofed_$DRIVER ;;
	esac
}

# Modules have the parameters of an installation, not those of the suites (init.sh).
by_default() { rm -f /etc/modprobe.d/suites.conf; }

# The modules rdma-core's udev rules would load.
load_stack() {
	load_driver || return
	! have_uverbs || modprobe ib_uverbs || return
	! have_ucma || modprobe rdma_ucm || return
	! have_umad || modprobe ib_umad
}

link_up() {
	net_up && load_stack &&
	rdma link add $dev type $DRIVER netdev eth0 &&
	wait_for 10 ready $dev
}

link_down() { rdma link delete $dev; net_down; }

unload_stack() {
	modprobe -r rdma_rxe
	# Whatever is there, users first; names of both cores.
	for _m in ofed_roce ofed_ib ofed_iwarp ofed_soft \
		  ofed_ucm rdma_ucm ofed_ucma ib_umad ofed_umad ib_uverbs ib_uverbs_support \
		  ofed_uverbs rdma_cm iw_cm ib_cm ib_core ofed_core; do
		[ -d "/sys/module/$_m" ] && rmmod "$_m"
	done
	! [ -d /sys/module/ib_core ] && ! [ -d /sys/module/ofed_core ]
}

need_link() {
	check "$dev on eth0" link_up && return
	# Nothing that follows can work.
	dmesg | tail -n 20
	exit 1
}
