# SPDX-License-Identifier: GPL-2.0
#
# Two VMs on one wire (tests/vm/pair): every operation in both roles, and what the
# wire saw of it.
. "$VM/lib/guest.sh"
. "$VM/lib/wire.sh"
. "$VM/lib/peer.sh"

both_begin

# To connect would take the peer's one connection: look at its table.
listens="awk -v p=:\$(printf %04X PORT) '\$4 == \"0A\" && substr(\$2, length(\$2) - 4) == p { f = 1 } END { exit !f }' /proc/net/tcp /proc/net/tcp6"

way() { # 4|6|v1: which GIDs are meant from here on
	case $1 in
	4) own=$gid4 theirs=$peer_gid4 name=IPv4 ;;
	6) own=$gid6 theirs=$peer_gid6 name=IPv6 ;;
	v1) own=$gid_v1 theirs=$peer_gid_v1 name="version 1" ;;
	esac
}
spell() { # DEV GID COMMAND...: with DEV and GID in their places
	_d=$1 _g=$2
	shift 2
	echo "$*" | sed "s/@DEV/$_d/g; s/@GID/$_g/g"
}
# What we say ourselves is in $work/own, too.
asks() { # PORT COMMAND...: we are the client
	_port=$1
	shift
	give "$(spell $peer_dev $theirs "$@") -p $_port & s=\$!
		i=0
		until $(echo "$listens" | sed "s/PORT/$_port/") || [ \$i -ge 200 ]; do
			sleep 0.1; i=\$((i + 1))
		done
		touch $share/listening-$_port
		wait \$s"
	wait_for 60 [ -e $share/listening-$_port ]
	timeout -k 5 "$limit" $(spell $dev $own "$@") -p $_port 10.0.1.$other >"$work/own" 2>&1
	_status=$?
	cat "$work/own"
	answer && [ $_status -eq 0 ]
}
serves() { # PORT COMMAND...: we are the server
	_port=$1
	shift
	timeout -k 5 "$limit" $(spell $dev $own "$@") -p $_port >"$work/own" 2>&1 &
	_server=$!
	wait_for 30 listening $_port
	give "$(spell $peer_dev $theirs "$@") -p $_port 10.0.1.$number"
	answer
	_answer=$?
	[ $_answer -eq 0 ] || kill $_server 2>/dev/null
	wait $_server
	_status=$?
	cat "$work/own"
	[ $_answer -eq 0 ] && [ $_status -eq 0 ]
}
port=18900
both() { # NAME COMMAND...
	_what=$1
	shift
	port=$((port + 2))
	check "$_what, $name, to the peer" asks $port "$@"
	check "$_what, $name, from the peer" serves $((port + 1)) "$@"
}

# rows NAME asks|serves PROGRAM ARG...: each row that the program prints counts
rows() {
	_what=$1 _how=$2
	shift 2
	port=$((port + 1))
	$_how $port "$@" -d @DEV -g @GID >"$work/all" 2>&1
	_all=$?
	while IFS= read -r _line; do
		case $_line in
		"ok   "*) ok "${_line#ok   }, $_what" ;;
		"FAIL "*) bad "${_line#FAIL }, $_what" ;;
		*) echo "     $_line" ;;
		esac
	done <"$work/own"
	check "the whole table, $_what" sh -c "[ $_all -eq 0 ] || { cat '$work/all'; exit 1; }"
}

# Both ask and both answer in a table; which of them calls does not matter to it.
operations() { # WAY
	way "$1"
	rows "MTU 1024, $name" asks "$programs/interop" -m 1024 -s "$SEED"
	rows "MTU 4096, $name" serves "$programs/interop" -m 4096 -s "$SEED"
}

# rdma_rxe leaves membership of the interface to the user of it.
member=
[ "$peer_driver" = roce ] || member=eth0
group() { # MGID BYTES: both ways
	rm -f $share/joined
	give "$programs/mcast $peer_dev 0 $1 50,$2 receive $share/joined $member"
	wait_for 20 [ -e $share/joined ] &&
		"$programs/mcast" $dev "$own" "$1" "50,$2" send
	_status=$?
	answer && [ $_status -eq 0 ] || return
	rm -f $share/joined
	timeout -k 5 "$limit" "$programs/mcast" $dev 0 "$1" "50,$2" receive $share/joined \
		>"$work/receiver" 2>&1 &
	_receiver=$!
	wait_for 20 [ -e $share/joined ] &&
		give "$programs/mcast $peer_dev $theirs $1 50,$2 send" && answer
	_status=$?
	wait $_receiver
	_received=$?
	cat "$work/receiver"
	[ $_status -eq 0 ] && [ $_received -eq 0 ]
}
all_groups() { # WAY MGID
	way "$1"
	for bytes in 1024 4096; do
		check "group, messages to $bytes bytes, $name, to the peer and from it" \
			group "$2" $bytes
	done
}

# ---- every operation, and what the wire saw of it ----------------------------------
file=$work/capture.pcap
check "the capture begins" capture eth0 "$file"
operations 4
operations 6
all_groups 4 ::ffff:239.1.2.3
all_groups 6 ff0e::1:2:3
if [ "$peer_driver" = roce ]; then
	operations v1
	all_groups v1 ff0e::1:2:3
	way 4
	rows "XRC, regions" serves "$programs/xrc_rereg"
fi
check "the capture has all" capture_end "$file"
packets_are_good "$file"
all=RC,UC,UD,UD:SEND_ONLY_MULTICAST
for a in RNR_NAK NAK_INVALID_REQUEST NAK_REMOTE_ACCESS NAK_REMOTE_OPERATION; do
	all=$all,RC:$a
done
check "every opcode, every answer" $icrc --seen "$file" IPv4=$all IPv6=$all \
	$([ "$peer_driver" != roce ] || echo v1=$all)

# ---- programs that others wrote ----------------------------------------------------
n=$(count 2000)
families=4
[ "$SCALE" != 1 ] || families="4 6"
for family in $families; do
	way $family
	for kind in rc uc ud; do
		both "ibv_${kind}_pingpong" \
			ibv_${kind}_pingpong -d @DEV -g @GID -n "$n" -c
	done
done
bandwidth() { # MTU TRANSPORT SIZE OPERATION...
	_mtu=$1 _transport=$2 _size=$3
	shift 3
	for _op in "$@"; do
		both "ib_${_op}_bw $_transport, MTU $_mtu" \
			ib_${_op}_bw -c $_transport -d @DEV -x @GID -n 50 -s $_size -m $_mtu -F
	done
}
# Streams; what they are made of was shown above, so in full in a full run only.
if [ "$SCALE" = 1 ]; then
	for family in 4 6; do
		way $family
		for mtu in 1024 4096; do
			bandwidth $mtu RC 65536 send write read
			bandwidth $mtu UC 4096 send write
		done
		both "ib_send_lat UD" ib_send_lat -c UD -d @DEV -x @GID -n 50 -s 512 -F
		for op in FETCH_AND_ADD CMP_AND_SWAP; do
			both "ib_atomic_lat $op" \
				ib_atomic_lat -A $op -d @DEV -x @GID -n 50 -F
		done
	done
else
	way 4
	bandwidth 1024 RC 65536 send read
	way 6
	bandwidth 4096 RC 65536 write
fi

# ---- the end -----------------------------------------------------------------------
zero() { # COUNTER
	_value=$(cat /sys/class/infiniband/$dev/ports/1/hw_counters/$1)
	[ "$_value" = 0 ] || { echo "$1 = $_value"; return 1; }
}
check "every ICRC was right" zero rx_icrc_errors
check "every packet was well-formed" zero rx_malformed
grep . /sys/class/infiniband/$dev/ports/1/hw_counters/* | sed 's|.*/||' >"$OUT/counters"
: >$share/end
check "$dev goes" link_down
