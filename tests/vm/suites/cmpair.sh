# SPDX-License-Identifier: GPL-2.0
#
# Connections between two VMs (tests/vm/pair SUITE=cmpair): ours against the kernel's
# own, each in both roles.
. "$VM/lib/guest.sh"
. "$VM/lib/peer.sh"

full() { [ "$SCALE" = 1 ]; }
! full || limit=$((limit * 20))
check "rdma_cm" modprobe rdma_ucm
both_begin
steps=$programs/cm_steps

# The check has less of IPv6: what of a request tells the families apart. The programs of
# librdmacm are those of suite 'rdmacm'; beside the kernel's own they run in soak.
more() { full || [ $family = 4 ]; }
way() { # 4|6
	family=$1 name=IPv$1
	case $1 in
	4) own=10.0.1.$number theirs=10.0.1.$other ;;
	6) own=fd00::$number theirs=fd00::$other ;;
	esac
}
spell() { # ADDRESS COMMAND: with the server's address in its place
	echo "$2" | sed "s/@AT/$1/g"
}

# A command that waits until a server listens, or the server is gone.
listens() { # tcp|udp PORT PID
	echo "until rdma resource show cm_id | grep -qiw 'state LISTEN ps $1 .*:$2' ||
		! kill -0 $3 2>/dev/null; do sleep 0.1; done"
}

# Servers that never end are stopped when the client is done.
served=0
asks() { # SPACE PORT SERVER CLIENT: we are the client
	served=$((served + 1))
	give "$(spell $theirs "$3") & s=\$!
		$(listens $1 $2 \$s); touch $share/listens-$served
		[ $endless = no ] || until [ -e $share/over-$served ]; do sleep 0.1; done
		[ $endless = no ] || kill \$s
		wait \$s; e=\$?
		[ $endless = yes ] || exit \$e"
	wait_for $limit [ -e $share/listens-$served ]
	timeout -k 5 "$limit" $(spell $theirs "$4") >"$work/own" 2>&1
	_status=$?
	touch $share/over-$served
	echo "ours ($_status):"
	cat "$work/own"
	answer && ended_well $_status "$work/own"
}
serves() { # SPACE PORT SERVER CLIENT: we are the server
	timeout -k 5 "$limit" $(spell $own "$3") >"$work/own" 2>&1 &
	_server=$!
	eval "$(listens $1 $2 $_server)"
	give "$(spell $own "$4")"
	answer
	_answer=$?
	[ $_answer -eq 0 ] && [ $endless = no ] || kill $_server 2>/dev/null
	wait $_server
	_status=$?
	[ $endless = no ] || _status=0
	echo "ours ($_status):"
	cat "$work/own"
	[ $_answer -eq 0 ] && ended_well $_status "$work/own"
}
endless=no
both() { # NAME SPACE PORT SERVER CLIENT
	_what=$1
	shift
	check "$_what, $name, to the peer" asks "$@"
	check "$_what, $name, from the peer" serves "$@"
}

# ---- groups: the first to join receives -------------------------------------------------
joined_or_over() { has "joined dgid" "$1" || has "return status" "$1"; }
mckey="timeout -k 5 $limit stdbuf -oL mckey -C 10 -S 500"
group_to() { # MADDR OPTION...: they receive
	_group=$1
	shift
	served=$((served + 1))
	give "$mckey -m $_group -b $theirs >$share/group-$served"
	wait_for $limit joined_or_over $share/group-$served
	$mckey -m "$_group" -b $own -s "$@"
	_status=$?
	cat $share/group-$served
	answer && [ $_status -eq 0 ]
}
group_from() { # MADDR OPTION...: we receive
	_group=$1
	shift
	$mckey -m "$_group" -b $own >"$work/own" 2>&1 &
	_receiver=$!
	wait_for $limit joined_or_over "$work/own"
	give "$mckey -m $_group -b $theirs -s $*"
	answer
	_answer=$?
	[ $_answer -eq 0 ] || kill $_receiver
	wait $_receiver
	_status=$?
	cat "$work/own"
	[ $_answer -eq 0 ] && [ $_status -eq 0 ]
}

# ---- a host that is down: a minute and more, meanwhile the rest -------------------------
ip neigh add 10.0.1.77 lladdr 02:00:00:00:00:77 dev eth0 nud permanent
timeout -k 5 $((limit * 4)) "$steps" ask -a 10.0.1.77 "UNREACHABLE -110" >"$work/nowhere" 2>&1 &
nowhere=$!

# ---- a server that dies, or does not want -----------------------------------------------
dies_there() { # STEP EVENT [TYPE]: what we hear
	served=$((served + 1))
	give "$steps serve -t ${3:-rc} -a $theirs -p 7403 $1 & s=\$!
		$(listens tcp 7403 \$s); touch $share/listens-$served
		until [ -e $share/over-$served ]; do sleep 0.1; done
		kill \$s 2>/dev/null; wait \$s; true"
	wait_for $limit [ -e $share/listens-$served ]
	"$steps" ask -a $theirs -p 7403 "$2"
	_status=$?
	touch $share/over-$served
	answer && [ $_status -eq 0 ]
}
dies_here() { # STEP EVENT [TYPE]: what they hear
	"$steps" serve -t "${3:-rc}" -a $own -p 7403 $1 >"$work/own" 2>&1 &
	_server=$!
	eval "$(listens tcp 7403 $_server)"
	give "$steps ask -a $own -p 7403 '$2'"
	answer
	_answer=$?
	kill $_server 2>/dev/null
	wait $_server
	cat "$work/own"
	return $_answer
}
dies() { # STEP EVENT
	check "the server there dies at '$1', $name" dies_there "$@"
	check "the server here dies at '$1', $name" dies_here "$@"
}
# There is no listener.
told_so() { # TYPE EVENT: both ways
	"$steps" ask -t "$1" -a $theirs -p 7499 "$2" || return
	give "$steps ask -t $1 -a $own -p 7499 '$2'"
	answer
}

# Of private data, so many lengths are passed over in a short run.
step=1
full || step=29
n=$(count 10000) few=$(count 1000)
for family in 4 6; do
	way $family
	both "private data" udp 7402 "$programs/cm_private serve @AT 7402 $step" \
		"$programs/cm_private ask @AT 7402 $step"
	endless=yes
	both "one connection" tcp 7403 "$steps serve -a @AT -p 7403" "$steps ask -a @AT -p 7403"
	both "an unconnected service" udp 7403 "$steps serve -t ud -a @AT -p 7403" \
		"$steps ask -t ud -a @AT -p 7403"
	endless=no
	more || continue
	dies request "REJECTED 28"
	dies established "DISCONNECTED 0"
	check "a server there that refuses, $name" dies_there "" "REJECTED 28" reject
	check "a server here that refuses, $name" dies_here "" "REJECTED 28" reject
	check "no listener, $name" told_so rc "REJECTED 8"
	check "no listener, UD, $name" told_so ud "UNREACHABLE 1"

	check "rping, $n rounds, $name" asks tcp 7174 \
		"rping -s -a @AT -V -C $n -S 1000" "rping -c -a @AT -V -C $n -S 1000"
	both "rping" tcp 7174 "rping -s -a @AT -V -C $few -S 1000" \
		"rping -c -a @AT -V -C $few -S 1000"
	! full || both "rping, 65535 bytes" tcp 7174 "rping -s -a @AT -V -C 5 -S 65535" \
		"rping -c -a @AT -V -C 5 -S 65535"
	! full || both "ucmatose" tcp 7471 "ucmatose -b @AT -c 4 -m" "ucmatose -s @AT -c 4 -m"
	! full || both "udaddy" udp 7174 "udaddy -b @AT -c 4" "udaddy -s @AT -c 4"
	format=ip
	[ $family = 4 ] || format=ipv6
	! full || both "rstream" tcp 7471 "rstream -b @AT -f $format -T v -T n -I 5 -C 20 -S 16384" \
		"rstream -s @AT -f $format -T v -T n -I 5 -C 20 -S 16384"
	# The kernel's own has no IPv6 groups of RoCE version 2.
	if [ $family = 4 ]; then
		check "mckey, to the peer" group_to 239.1.2.3
		check "mckey, from the peer" group_from 239.1.2.3
		check "mckey, for sending alone, to the peer" group_to 239.1.2.3 -o
		check "mckey, for sending alone, from the peer" group_from 239.1.2.3 -o
	fi
	full || continue
	both "riostream" tcp 7471 "riostream -b @AT -f $format -T v -I 5 -C 20 -S 16384" \
		"riostream -s @AT -f $format -T v -I 5 -C 20 -S 16384"
	endless=yes
	both "cmtime" tcp 7471 "cmtime -b @AT -c 100" "cmtime -s @AT -c 100"
	endless=no
	both "rdma_server" tcp 7471 "rdma_server -s @AT" "rdma_client -s @AT"
	# With -R this release of perftest knows IPv4 only.
	[ $family = 4 ] || continue
	for op in write read send; do
		both "ib_${op}_bw -R" tcp 18515 "ib_${op}_bw -R -n 20 -F" \
			"ib_${op}_bw -R -n 20 -F @AT"
	done
	both "ib_send_lat -R UD" tcp 18515 "ib_send_lat -R -c UD -n 20 -F" \
		"ib_send_lat -R -c UD -n 20 -F @AT"
done

given_up() {
	wait $nowhere
	_status=$?
	cat "$work/nowhere"
	return $_status
}
check "a host that is down" given_up
check "no such neighbour" "$steps" ask -w 1000 -a 10.0.1.78 "ADDR_ERROR -110"
nothing_left() {
	rdma resource show $dev
	rdma resource show $dev | awk '
		{ for (i = 1; i < NF; i++) n[$i] = $(i + 1) }
		END { exit !(n["cm_id"] == 0 && n["qp"] <= 2 && n["ctx"] == 0) }'
}
check "no id and no queue pair is left" wait_for 30 nothing_left
: >$share/end
check "$dev goes" link_down
