# SPDX-License-Identifier: GPL-2.0
#
# Connections that do not come about, or do so against resistance: processes that
# die at each step, messages that get lost or come twice or late, hosts that are not
# there, more requests than a listener wants, a device that goes.
. "$VM/lib/guest.sh"
. "$VM/lib/cm.sh"

need_cm
steps=$programs/cm_steps
storm=$programs/cm_storm
edges=$programs/cm_edges
full() { [ "$SCALE" = 1 ]; }

way 4

# ---- messages that get lost -----------------------------------------------------------
fault=/sys/kernel/debug/ofed_core/mad_fault
# meet TYPE MESSAGE FATE: the first message of a kind has a fate, the
# connection is made and ended all the same
meet() {
	echo "cm $2 $3 0 1" >$fault || return
	timeout -k 5 "$limit" "$steps" once -t "$1" -a $at
	_status=$?
	cat $fault
	has "hit 1" $fault || _status=1
	echo off >$fault
	return $_status
}
fates() { # TYPE MESSAGE
	_fates="drop twice delay=300"
	# Later than the first repetition.
	! full || _fates="$_fates delay=6000"
	for _f in $_fates; do
		check "$2, $_f" meet "$1" "$2" "$_f"
	done
}
faults() {
	fates rc req
	fates rc rep
	fates rc rtu
	fates rc dreq
	fates rc drep
	fates reject rej
	fates ud sidr_req
	fates ud sidr_rep
}
if [ "$CORE" = ofed ]; then
	check "the hook of MAD" [ -w $fault ] && faults
fi

# ---- a host that is down ----------------------------------------------------------
# Its address is known, no host answers: every retry of a request is used up. That
# takes a minute or more, so the rest goes on meanwhile.
ip neigh add 10.0.0.77 lladdr 02:00:00:00:00:77 dev eth0 nud permanent
nowhere() { # TYPE: prints what became of it
	timeout -k 5 $((limit * 4)) "$steps" ask -t "$1" -a 10.0.0.77 "UNREACHABLE -110" \
		>"$work/nowhere-$1" 2>&1
}
nowhere rc & nowhere_rc=$!
nowhere ud & nowhere_ud=$!

# ---- processes that die -------------------------------------------------------------
table "$name" "$steps" kill -a $at
if full; then
	way 6
	table "$name" "$steps" kill -a $at
	way 4
fi

# ---- many ------------------------------------------------------------------------------
limit_before=$limit
limit=$((limit * 20))
n=$(count 20000)
check "$n connections, 64 at a time" "$storm" connect -a $at -n "$n" -w 64
cat "$work/output"
n=$(count 10000)
[ "$n" -ge 100 ] || n=100
check "$n requests given up, 64 that wait" "$storm" backlog -a $at -n "$n" -w 64 -l 16
cat "$work/output"
limit=$limit_before

# ---- the host that is down, once more: it needs the device ---------------------------------
given_up() { # PID TYPE
	wait "$1"
	_status=$?
	cat "$work/nowhere-$2"
	return $_status
}
check "no answer to a request" given_up $nowhere_rc rc
check "no answer, UD" given_up $nowhere_ud ud
ip neigh del 10.0.0.77 dev eth0
silent() { # ADDRESS EVENT: no neighbour of that name
	"$steps" ask -w 1000 -a "$1" "$2"
}
check "no such neighbour" silent 10.0.0.78 "ADDR_ERROR -110"
check "no such neighbour, IPv6" silent fd00::78 "ADDR_ERROR -110"
check "no listener" "$steps" ask -a $at -p 7499 "REJECTED 8"
check "no listener, UD" "$steps" ask -t ud -a $at -p 7499 "UNREACHABLE 1"
check "the server does not want" "$steps" once -t reject -a $at
# Of one service, but not that address, which is another answer than none at all.
other_family() { # TYPE SPACE EVENT
	begin_server "$2" 7403 "$steps" serve -t "$1" -a 0.0.0.0 -p 7403 || return
	timeout -k 5 "$limit" "$steps" ask -t "$1" -a $at6 -p 7403 "$3"
	_status=$?
	end_server
	return $_status
}
check "a listener for IPv4 alone" other_family rc tcp "REJECTED 28"
check "a listener for IPv4 alone, UD" other_family ud udp "UNREACHABLE 2"

# ---- a peer that gets another MAC -----------------------------------------------------
# No peer has to be there as long as nothing is connected.
moves() { # STEP ADDRESS
	ip neigh replace "$2" lladdr 02:00:00:00:00:77 dev eth0 nud permanent &&
		timeout -k 5 "$limit" "$edges" -a "$2" moved "$1" \
		"ip neigh replace $2 lladdr 02:00:00:00:00:79 dev eth0 nud permanent" \
		>"$work/moves"
	_status=$?
	ip neigh del "$2" dev eth0
	cat "$work/moves"
	# On a busy host the time of the connection that is over passes before.
	[ $_status -eq 0 ] &&
		[ "$(grep -v '^TIMEWAIT_EXIT ' "$work/moves")" = "UNREACHABLE -110" ]
}
check "the peer moves when the route is known" moves route 10.0.0.77
check "the peer moves, connected" moves established $at
check "the peer moves, disconnected" moves disconnected $at

# ---- what link-local addresses say of their interface ------------------------------------
local=fe80::ff:fe00:1
scopes() { # EXPECTED-OF-CLIENT OPTION...
	_expected="client: $1
server: $local%0 to $local%0
client, in the end: $1"
	shift
	"$edges" "$@" scopes >"$work/scopes" || { cat "$work/scopes"; return 1; }
	cat "$work/scopes"
	[ "$(cat "$work/scopes")" = "$_expected" ]
}
check "link-local, an interface for the peer" scopes "$local%eth0 to $local%eth0" -a $local%eth0
check "link-local, for both" scopes "$local%eth0 to $local%eth0" -b $local%eth0 -a $local%eth0
check "link-local, for the own side" scopes "$local%eth0 to $local%0" -b $local%eth0 -a $local
check "link-local, for none" scopes "$local%0 to $local%0" -a $local

check "all ids are gone" no_ids_left

# ---- the device goes --------------------------------------------------------------------
again() { # the device is made anew
	rdma link add $dev type "$DRIVER" netdev eth0 &&
		wait_for 60 ready $dev && wait_for 60 gid_of $dev ${cm_hex6}1
}
# removal COMMAND...: while it runs the device goes, once $work/now is there
removal() {
	rm -f "$work/now"
	timeout -k 5 "$limit" "$@" >"$work/removal" 2>&1 &
	_program=$!
	if ! wait_for "$limit" [ -e "$work/now" ]; then
		kill $_program 2>/dev/null
		cat "$work/removal"
		return 1
	fi
	# rdma_rxe waits here for the process that has it open.
	timeout -k 5 "$limit" rdma link delete $dev
	_deleted=$?
	wait $_program
	_status=$?
	cat "$work/removal"
	again && [ $_deleted -eq 0 ] && [ $_status -eq 0 ]
}
held="server:request client:connect client:addr client:established"
! full || held="$held client:route client:qp server:qp server:established"
for h in $held; do
	side=${h%:*} step=${h#*:}
	check "the device goes, $side at '$step'" removal \
		"$steps" hold $side $step "$work/now" -a $at
done
check "the device goes while 64 connect" removal \
	"$storm" connect -g -m "$work/now" -a $at -n 1000000 -w 64
tail -n 1 "$work/removal"

# A listener at any device listens at the next one too. (Not after a connection:
# librdmacm keeps devices open, and rdma_rxe waits for that.)
on_any_device() {
	begin_server tcp 7402 "$steps" serve -a 0.0.0.0 -p 7402 || return
	timeout -k 5 "$limit" rdma link delete $dev && again &&
		timeout -k 5 "$limit" "$steps" ask -a $at -p 7402
	_status=$?
	end_server
	cat "$work/server"
	return $_status
}
check "a server at any device outlives it" on_any_device
cm_down
