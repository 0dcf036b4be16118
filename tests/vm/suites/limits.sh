# SPDX-License-Identifier: GPL-2.0
#
# A device gives as many objects of each kind as it announces, not one more, and all of
# them again after whatever has ended those before; what they cost is charged to the
# memory cgroup of their owner, and the RDMA controller counts them. DRIVER=roce, ib or iwarp,
# on our core.
#
# A device with small limits has each kind; another, with limits as they are, has those
# of KINDS in full. The cgroup that is filled has 64 MiB in soak and 16 in the check.
. "$VM/lib/guest.sh"
[ "$DRIVER" != ib ] || . "$VM/lib/ib.sh"

small=100
kinds="pd cq srq qp mr mw ah"
[ "$DRIVER" != iwarp ] || kinds="pd cq srq qp mr"
# The cheapest one. Each ring of a um is a mapping of the host, of which a process has too few,
# and a kernel that watches needs twice the memory.
full=pd
[ "$SCALE" != 1 ] || case $KERNEL in
um*|debug) [ "$DRIVER" = iwarp ] || full="pd ah" ;;
*) full=$kinds ;;
esac
full=${KINDS:-$full}
limit=$((limit * 4))
# What a processor has charged in advance is little beside either.
mib=16 chances=20000
[ "$SCALE" != 1 ] || mib=64 chances=40000

# A network device for the link, and the parameter that a new device asks for.
modules_up() {
	if [ "$DRIVER" = ib ]; then
		modprobe ofed_ib && load_users
	else
		net_up && load_stack
	fi
}

device_up() { # OBJECTS of each kind, 0: as many as there may be
	echo "$1" >/sys/module/ofed_soft/parameters/max_objects || return
	if [ "$DRIVER" = ib ]; then
		dev=hca1
		fabric_up pair && wait_for 10 listed
	else
		rdma link add $dev type "$DRIVER" netdev eth0 && wait_for 10 ready $dev
	fi
}

listed() { ibv_devices | grep -qw $dev; }

device_down() {
	if [ "$DRIVER" = ib ]; then
		fabric_down
	else
		rdma link delete $dev
	fi
}

resources() { rdma resource show $dev; }

shown() { resources | sed -n "s/.* $1 \([0-9]*\).*/\1/p"; }

# Those of the kernel. A region of all memory, which each of its PDs has, is not shown; windows
# and address handles are not at all, and the kernel's handles do not count.
used() {
	case $1 in
	mr) echo $(($(shown mr) + $(shown pd))) ;;
	mw|ah) echo 0 ;;
	*) shown "$1" ;;
	esac
}

# Regions pin more than the usual limit of a process, and that one is not asked here.
unprivileged="prlimit --memlock=unlimited setpriv $nobody $programs/object_limits"

as_before() {
	resources >"$work/after"
	diff "$work/before" "$work/after"
}

announces() { ibv_devinfo -v -d $dev | awk -v k="max_$1:" '$1 == k { print $2 }'; }

each() { # TITLE KIND...
	_of=$1
	shift
	resources >"$work/before"
	for kind in "$@"; do
		# Unquoted on purpose: nothing, or a word.
		table "$kind, $_of" $unprivileged $dev "$kind" "$(used "$kind")" $times
		check "$kind, $_of: nothing is left" wait_for 20 as_before
	done
}

check "modules" modules_up || exit 1
check "a device with small limits" device_up $small || exit 1
for kind in $kinds; do
	check "announces max_$kind" [ "$(announces "$kind")" -eq $small ]
done
times=
# Unquoted on purpose: a list.
each "$small" $kinds
if [ "$DRIVER" = iwarp ]; then
	check "no windows, which nothing could bind" [ "$(announces mw)" -eq 0 ]
	expect_fail "nor is one made" $unprivileged $dev mw 0
fi
check "it goes" device_down

check "a device" device_up 0 || exit 1

# ---- why a call is refused ----------------------------------------------------------
# The kernel's log says so when it is asked to, and else nothing.
control=/sys/kernel/debug/dynamic_debug/control
say_why() { # +p|-p
	for _m in ofed_core ofed_uverbs ofed_soft ofed_roce ofed_ib ofed_iwarp; do
		echo "module $_m $1" >$control || return
	done
}
refused() { "$programs/look" $dev 0 refused; }
told() { dmesg | grep -E "$dev: $1\$"; }
mountpoint -q /sys/kernel/debug || mount -t debugfs debugfs /sys/kernel/debug
if [ -e $control ]; then
	dmesg -C
	check "calls that are refused" refused
	check "the log has nothing of them" sh -c "! dmesg | grep ' at most '"
	check "reasons are wanted" say_why +p
	check "calls that are refused" refused
	cqe=1048575 send=65536 srq=131072
	modify="pkey_index: 60000, port 1 has [0-9]+ entries"
	[ "$DRIVER" != iwarp ] || cqe=1048576 send=32768 \
		modify="QP [0-9]+ has no connection"
	check "why, of a CQ" told "cqe: 16777216, at most $cqe"
	check "why, of a QP" told "max_send_wr: 16777216, at most $send"
	check "why, of an SRQ" told "max_wr of an SRQ: 16777216, at most $srq"
	check "why, of a limit" told "srq_limit: 16777216, at most [0-9]+"
	check "why, of a state" told "$modify"
	check "why, of a region" told "8192 bytes at 0xfffffffffffff000 go beyond the last address"
	if [ "$CORE" = ofed ]; then
		check "why, of a vector" told "comp_vector: 10000, the device has [0-9]+"
		check "why, of rights" told "access flags 0x2 of a region"
	fi
	check "no more of it" say_why -p
else
	echo "     no dynamic debug in this kernel"
fi

# Ends of all kinds have been asked with few objects; so many take minutes each time.
times=twice
each full $full

# ---- memory cgroups -----------------------------------------------------------------

groups=/sys/fs/cgroup

cgroups_up() {
	mountpoint -q $groups || mount -t cgroup2 none $groups || return
	grep -qw memory $groups/cgroup.controllers || return
	echo +memory +rdma >$groups/cgroup.subtree_control
	for _g in full beside; do
		mkdir $groups/$_g || return
	done
	echo ${mib}M >$groups/full/memory.max
}

cgroups_down() { rmdir $groups/full $groups/beside; }

# in_group GROUP NAME KIND NUM: makes objects when asked, and says so in $work/NAME
in_group() {
	_group=$1 _output=$2
	shift 2
	: >"$work/$_output"
	sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' $groups/"$_group" \
		$unprivileged $dev "$1" fill "$2" >"$work/$_output" 2>&1 &
	eval "${_output}_pid=$!"
	wait_for 20 has begun "$work/$_output"
}

go_on() { # NAME TEXT: until it says TEXT
	eval "kill -USR1 \$${1}_pid" && wait_for 100 has "$2" "$work/$1"
}

ended() { # NAME: by the OOM killer, or it was refused
	eval "_pid=\$${1}_pid"
	has ", then: Cannot allocate memory" "$work/$1" || ! kill -0 "$_pid" 2>/dev/null
}

killed() { awk -v e=oom_kill '$1 == e { print $2 }' "$groups/$1/memory.events"; }

charge() { cat $groups/full/memory.current; }

# Each of NUM costs BYTES at least. A processor has up to 256 KiB charged in advance, so that
# less is asked than they take.
charged() { # KIND NUM BYTES
	in_group full filler "$1" "$2" || return
	_before=$(charge)
	go_on filler "made $2" || return
	_after=$(charge)
	echo "$1: $(((_after - _before) / $2)) bytes each"
	kill -9 "$filler_pid"
	wait "$filler_pid" 2>/dev/null
	[ $((_after - _before)) -ge $(($2 * $3)) ]
}

# Events that no process reads, which threads of the kernel report: 64 bytes each. A chance is a
# queue pair that fails and is reset: where the reset comes before the thread of the kernel has
# run, there is no event. So many are enough to be more than what is charged in advance.
events_charged() { # CHANCES
	in_group full filler event "$1" || return
	_before=$(charge)
	go_on filler "made $1" || return
	_after=$(charge)
	go_on filler "events: " && wait "$filler_pid" || return
	_events=$(sed -n 's/^events: //p' "$work/filler")
	echo "$_events events: $((_after - _before)) bytes"
	[ "$_events" -ge $(($1 / 8)) ] && [ $((_after - _before)) -ge $((_events * 30)) ]
}

# Requests that a program in the cgroup does not read, of one outside. A thread of the kernel takes
# them: what each of them costs, all of it, is the listener's.
requests_charged() { # NUM BYTES
	: >"$work/unread" && : >"$work/asker"
	sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' $groups/full \
		setpriv $nobody "$programs/cm_unread" listen 10.0.0.1 7600 "$1" >"$work/unread" 2>&1 &
	_listens=$!
	wait_for 20 has begun "$work/unread" || return
	_before=$(charge)
	prlimit --memlock=unlimited "$programs/cm_unread" connect 10.0.0.1 7600 "$1" \
		>"$work/asker" 2>&1 &
	_asks=$!
	wait_for 200 has asked "$work/asker" && wait_for 100 waiting $((2 * $1 + 1))
	_ok=$?
	_after=$(charge)
	echo "requests: $(((_after - _before) / $1)) bytes each"
	kill -9 $_asks $_listens
	wait $_asks $_listens 2>/dev/null
	cat "$work/unread" "$work/asker"
	[ $_ok -eq 0 ] && [ $((_after - _before)) -ge $(($1 * $2)) ]
}
waiting() { [ "$(rdma resource show cm_id | wc -l)" -ge "$1" ]; }

# The page of 32 KiB that a stream of iWARP keeps from its first message on: on one host it has one
# without loopback, and the message is the first one where that of p2p is not sent.
param=/sys/module/ofed_iwarp/parameters
streams_charged() { # NUM
	echo N >$param/loopback && echo N >$param/p2p || return
	: >"$work/streams"
	sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' $groups/full \
		prlimit --memlock=unlimited setpriv $nobody "$programs/iw_streams" \
		10.0.0.1 7601 "$1" >"$work/streams" 2>&1 &
	streams_pid=$!
	wait_for 100 has connected "$work/streams" || return
	_before=$(charge)
	go_on streams sent
	_ok=$?
	_after=$(charge)
	echo "streams: $(((_after - _before) / $1)) bytes each"
	kill -9 $streams_pid
	wait $streams_pid 2>/dev/null
	cat "$work/streams"
	echo Y >$param/loopback && echo Y >$param/p2p && [ $_ok -eq 0 ] &&
		[ $((_after - _before)) -ge $(($1 * 30000)) ]
}

uncharged() { [ "$(charge)" -lt $((4 << 20)) ]; }

# Until there is no memory, while another user makes objects.
overfull() { # KIND
	in_group beside neighbour pd 100 && go_on neighbour "made 100" || return
	_killed=$(killed full)
	in_group full filler "$1" 1 && go_on filler "made 1" || return
	kill -USR1 "$filler_pid"
	wait_for 200 ended filler || return
	cat "$work/filler"
	! has "then: all" "$work/filler" || return
	# The neighbour makes all that there is room for, and lives.
	go_on neighbour "then: Cannot allocate memory" && kill -0 "$neighbour_pid" || return
	cat "$work/neighbour"
	[ "$(killed beside)" -eq 0 ] || return
	if kill -0 "$filler_pid" 2>/dev/null; then
		kill -9 "$filler_pid"
	else
		[ "$(killed full)" -gt "$_killed" ] || return
	fi
	kill -9 "$neighbour_pid"
	wait "$filler_pid" "$neighbour_pid" 2>/dev/null
	return 0
}

# ---- the controller of RDMA ------------------------------------------------------------

# allows WORD...: what the cgroup may have of the device
allows() { echo "$dev $*" >$groups/full/rdma.max; }
counts() { # HANDLES OBJECTS
	cat $groups/full/rdma.current
	grep -qE "^$dev hca_handle=$1 hca_object=$2 *\$" $groups/full/rdma.current
}
counts_nothing() { ! grep "^$dev .*=[1-9]" $groups/full/rdma.current; }

# A queue that is one too many is EAGAIN, as what frees the others may come.
held_back() {
	in_group full filler cq 1 && go_on filler "made 1" &&
		go_on filler ", then: Resource temporarily unavailable" && counts 1 20
}
one_context() {
	in_group full filler pd 1 && go_on filler "made 1" && counts 1 "[0-9]+" || return
	sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' $groups/full \
		$unprivileged $dev pd fill 1 >"$work/another" 2>&1
	cat "$work/another"
	has "Resource temporarily unavailable" "$work/another"
}
ends() {
	kill -9 "$filler_pid"
	wait "$filler_pid" 2>/dev/null
	wait_for 20 counts_nothing
}
controlled() {
	check "limits of the RDMA controller" allows hca_handle=1 hca_object=20
	for _bad in hca_handle=-1 hca_object=x hca_nothing=1 hca_object; do
		expect_fail "not '$_bad'" allows "$_bad"
	done
	check "they are what was said first" grep -x "$dev hca_handle=1 hca_object=20 *" $groups/full/rdma.max
	check "20 objects, not one more" held_back
	check "which a kill gives back" ends
	check "one context" one_context
	check "which a kill gives back" ends
	check "no limits again" allows hca_handle=max hca_object=max
}

if has_memory_cgroups; then
	check "two memory cgroups" cgroups_up
	controlled
	for kind in $kinds; do
		case $kind in
		cq|srq) num=1000 bytes=4096 ;;
		qp) num=500 bytes=8192 ;;
		mr|mw) num=2000 bytes=500 ;;
		*) num=2000 bytes=200 ;;
		esac
		check "memory.current counts each $kind" charged "$kind" $num $bytes
		sed -n 's/^/     /p' "$work/output"
		check "and nothing of those that are gone" wait_for 20 uncharged
	done
	# A queue pair of iWARP that has failed is not reset.
	[ "$DRIVER" = iwarp ] || {
		check "nor do events go uncounted" events_charged $chances
		sed -n 's/^/     /p' "$work/output"
		check "when they are gone, too" wait_for 20 uncharged
	}
	# Without the id of the IB or iWARP CM, and what that has, it is 3200.
	[ "$DRIVER" = ib ] || {
		check "nor do requests" requests_charged 500 4200
		sed -n 's/^/     /p' "$work/output"
		check "when they are gone, too" wait_for 60 uncharged
	}
	[ "$DRIVER" != iwarp ] || {
		check "nor do streams" streams_charged 100
		sed -n 's/^/     /p' "$work/output"
		check "when they are gone, too" wait_for 60 uncharged
	}
	resources >"$work/before"
	for kind in mr qp; do
		check "a cgroup of $mib MiB full of $kind hurts only itself" overfull "$kind"
		sed -n 's/^/     /p' "$work/output"
		check "and gives all back" wait_for 20 uncharged
		check "$kind: nothing is left" wait_for 20 as_before
	done
	check "the cgroups go" cgroups_down
fi

check "the device goes" device_down
[ "$DRIVER" = ib ] || net_down
