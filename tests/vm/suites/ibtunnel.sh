# SPDX-License-Identifier: GPL-2.0
#
# A cable between two hosts: two halves of a fabric that know each other by UDP alone,
# one opensm for both.
#
#	hca1 -- sw1 ==tunnel== sw2 -- hca2
#	 netns a, 10.7.0.1 --veth-- 10.7.0.2, netns b
. "$VM/lib/guest.sh"
. "$VM/lib/ib.sh"
hosts() {
	ip netns add a && ip netns add b && ip link add v0 netns a type veth peer name v1 netns b ||
		return
	for _h in "a v0 1" "b v1 2"; do
		# Unquoted on purpose: three words.
		set -- $_h
		ip netns exec "$1" sh -c "echo 0 >/proc/sys/net/ipv6/conf/$2/accept_dad"
		ip -n "$1" addr add "10.7.0.$3/24" dev "$2" && ip -n "$1" addr add "fd07::$3/64" dev "$2" &&
			ip -n "$1" link set lo up && ip -n "$1" link set "$2" up || return
	done
}
node() { # FOLDER NAME GUID
	mkdir "$configfs/$1/$2" && echo "$3" >"$configfs/$1/$2/guid" && echo 1 >"$configfs/$1/$2/power"
}
cable() { # NAME NODE NODE: from port 1 to port 1
	mkdir "$configfs/cables/$1" && echo "$2 1" >"$configfs/cables/$1/a" &&
		echo "$3 1" >"$configfs/cables/$1/b" && echo 1 >"$configfs/cables/$1/plugged"
}
fabric() {
	modprobe ofed_ib || return
	mountpoint -q /sys/kernel/config || mount -t configfs none /sys/kernel/config || return
	load_users && node switches sw1 0x0200000000070100 &&
		node switches sw2 0x0200000000070200 && node hcas hca1 0x0200000000071000 &&
		node hcas hca2 0x0200000000072000 && cable c1 sw1 hca1 && cable c2 sw2 hca2
}
t1=$configfs/tunnels/t1 t2=$configfs/tunnels/t2
describe() { # FOLDER NODE LOCAL PEER GUID
	echo "$2 2" >"$1/port" && echo "$3 4792" >"$1/local" && echo "$4 4792" >"$1/peer" &&
		echo "$5 2" >"$1/expect"
}
tunnels() { # NET
	describe $t1 sw1 "${1}1" "${1}2" 0x0200000000070200 &&
		describe $t2 sw2 "${1}2" "${1}1" 0x0200000000070100
}
# 'ip netns exec' would hide configfs.
plug() { # NETNS FOLDER
	nsenter --net="/run/netns/$1" sh -c "echo 1 >$2/plugged"
}
both() { plug a $t1 && plug b $t2; }
none() { echo 0 >$t1/plugged && echo 0 >$t2/plugged; }
state() { [ "$(cat "$1/state")" = "$2" ]; }
refused() { # FOLDER WHY: how many
	awk -v w="$2" '$1 == w { print $2 }' "$1/refused"
}
n=$(count 20000)
[ "$n" -ge 200 ] || n=200
port=18700
talks() { # OPTION...
	port=$((port + 1))
	pair $port hca1 hca2 ibv_rc_pingpong -e -c "$@"
}

check "two hosts" hosts || exit 1
check "half a fabric on each" fabric || exit 1
check "umad" wait_for 60 [ -c /dev/infiniband/umad1 ]
check "a tunnel's ends" mkdir $t1 $t2
refuses() { ! sh -c "echo '$1' >'$2'" 2>/dev/null; }
check "an end that is not described" refuses 1 $t1/plugged
check "an address that is none" refuses "10.7.0 4792" $t1/local
check "any address" refuses "0.0.0.0 4792" $t1/local
check "a group" refuses "224.0.0.1 4792" $t1/peer
check "no port" refuses "10.7.0.1 0" $t1/local
check "a port beyond all" refuses "sw1 258" $t1/port
check "one that is expected" refuses "0x0200000000070200 258" $t1/expect
check "an MTU between two" refuses 1500 $t1/mtu
check "they are described" tunnels 10.7.0.
check "an address of another host" refuses 1 $t1/plugged

# ---- up ------------------------------------------------------------------------------------
check "one end" plug a $t1 || exit 1
check "hears no peer" state $t1 silent
check "is not described anew" refuses 2048 $t1/mtu
check "is plugged in once" sh -c "! nsenter --net=/run/netns/a sh -c 'echo 1 >$t1/plugged'"
check "the other end" plug b $t2
check "up" wait_for 20 state $t1 up || exit 1
check "and there" wait_for 20 state $t2 up
begin_opensm sm hca1 -D 7
check "opensm sweeps across it" wait_for 120 all_active || exit 1
both_switches() { [ "$(ibswitches -C hca1 | grep -c '^Switch')" = 2 ]; }
check "both switches are found" both_switches
check "a directed route through it" says "hca2" smpquery -C hca1 -D nodedesc 0,1,2,1
check "MTUCap is that of the tunnel" says "NeighborMTU:.....................1024" \
	smpquery -C hca1 -D portinfo 0,1 2
for kind in rc uc ud srq; do
	port=$((port + 1))
	check "ibv_${kind}_pingpong" pair $port hca1 hca2 ibv_${kind}_pingpong -e -n $n -c -s 1024
done
check "one megabyte, many at a time" talks -n 40 -s 1048576 -r 16
lossless() {
	cat $t1/refused $t2/refused
	[ "$(awk '/late|overrun|malformed|no_route/ { n += $2 } END { print n }' \
		$t1/refused $t2/refused)" = 0 ] || return
	ibqueryerrors -C hca1 -s VL15Dropped,PortXmitWait | tee "$work/errors"
	! grep -E 'GUID.*port' "$work/errors"
}
check "nothing was lost, or sent without a credit" lossless

# ---- down ------------------------------------------------------------------------------------
trapped() { grep -q "Received Generic Notice type:[0-9]* num:$1 " "$work/sm.log"; }
check "the network is cut" ip -n a link set v0 down
check "the link goes down" wait_for 20 state $t1 silent
check "at both ends" wait_for 20 state $t2 silent
check "a trap tells that no credits come" wait_for 30 trapped 131
check "the network is back" ip -n a link set v0 up
check "the link is, too" wait_for 20 state $t1 up
check "all active again" wait_for 120 all_active
check "they talk" talks -n $n
disabled() { ibportstate -C hca1 -D 0,1 2 disable; }
check "one end is disabled" disabled
check "the other goes down" wait_for 20 state $t2 down
check "it is enabled" ibportstate -C hca1 -D 0,1 2 enable
check "up again" wait_for 20 state $t2 up
check "all active again" wait_for 120 all_active
check "one end is pulled" sh -c "echo 0 >$t2/plugged"
check "the other hears no peer" wait_for 20 state $t1 silent
check "and plugged in" plug b $t2
check "up again" wait_for 20 state $t1 up
check "all active again" wait_for 120 all_active
check "they talk" talks -n $n

# ---- the wrong cable ------------------------------------------------------------------------------
check "pulled" none
check "a port that is not there is expected" sh -c "echo 0x0200000000070200 3 >$t1/expect"
check "plugged in" both
wrong() { [ "$(refused $1 wrong)" -gt 3 ]; }
check "this end does not want that one" wait_for 20 wrong $t1
check "nor that end this one" wait_for 20 wrong $t2
check "it stays down" state $t1 silent
check "pulled" none

# ---- a bad network ----------------------------------------------------------------------------------
# An interface that goes down loses its addresses of IPv6.
check "an address again" ip -n a addr replace fd07::1/64 dev v0
check "IPv6, and packets that IP has to divide" tunnels fd07::
check "MTU 4096" sh -c "echo 4096 >$t1/mtu && echo 4096 >$t2/mtu"
check "plugged in" both
check "up" wait_for 20 state $t2 up
check "all active again" wait_for 120 all_active
check "MTU of the path" says "NeighborMTU:.....................4096" smpquery -C hca1 -D portinfo 0,1 2
check "they talk" talks -n $n -s 65536
# Good again before the last message: the receiver has it, goes, and acknowledges nothing any more.
late() { [ "$(refused $t2 late)" -ge 10 ]; }
badly() {
	ip netns exec a tc qdisc add dev v0 root netem delay 2ms reorder 2% loss 1% duplicate 1% ||
		return
	talks -n 3000 -s 8192 &
	_talk=$!
	wait_for 120 late && ip netns exec a tc qdisc del dev v0 root && kill -0 $_talk &&
		wait $_talk
}
check "they talk while it loses, delays and swaps, and what is late is not taken" badly
check "pulled" none
check "IPv4 again" tunnels 10.7.0.
check "MTU 1024" sh -c "echo 1024 >$t1/mtu && echo 1024 >$t2/mtu"
check "plugged in" both
check "up" wait_for 20 state $t2 up
check "all active again" wait_for 120 all_active

# ---- strangers -----------------------------------------------------------------------------------------
frames=$(count 500000)
check "$frames hostile datagrams, seed $SEED" \
	ip netns exec b python3 "$TOP/tests/programs/wire/tunnel_fuzz.py" "$SEED" "$frames" \
	10.7.0.2 10.7.0.1 4792 0x0200000000070200 2 0x0200000000070100 2
for why in foreign malformed wrong stale; do
	check "refused: $why" [ "$(refused $t1 $why)" -gt 0 ]
done
check "the link did not notice" state $t1 up
check "all active still" all_active
check "they talk" talks -n $n

# The peer itself is the hostile one.
peer() { # WAY SEED COUNT
	ip netns exec b python3 "$TOP/tests/programs/wire/tunnel_peer.py" "$1" "$2" "$3" \
		10.7.0.2 10.7.0.1 4792 0x0200000000070200 2 0x0200000000070100 2
}
check "the other end is pulled" sh -c "echo 0 >$t2/plugged"
check "it is missed" wait_for 20 state $t1 silent
check "a program plays it, and sends without credits" peer overrun "$SEED" 40
check "nothing of that is taken" [ "$(refused $t1 overrun)" -gt 9 ]
overruns() {
	perfquery -C hca1 "$(ibswitches -C hca1 | sed -n 's/.* lid \([0-9]*\) .*/\1/p' | head -n 1)" 2 |
		tee "$work/counts"
	awk -F. '/^ExcBufOverrunErrors|^ExcessiveBufferOverrunErrors/ { n = $NF } END { exit n < 1 }' \
		"$work/counts"
}
check "it is counted" overruns
check "a trap tells it" wait_for 30 trapped 130
limit=600
check "and $frames mutated packets" peer packets "$SEED" "$frames"
check "it is gone" wait_for 20 state $t1 silent
check "the real one" plug b $t2
check "up" wait_for 20 state $t1 up
check "all active again" wait_for 120 all_active
check "they talk" talks -n $n

# ---- the end --------------------------------------------------------------------------------------------
rounds=$(count 100)
pulled() {
	begin_traffic || return
	for _i in $(seq 1 "$rounds"); do
		case $((_i % 3)) in
		0)	echo 0 >$t1/plugged && plug a $t1 ;;
		1)	none && both ;;
		2)	echo 0 >$configfs/switches/sw2/power && echo 1 >$configfs/switches/sw2/power ;;
		esac && wait_for 120 state $t1 up && wait_for 120 all_active || return
	done
	end_traffic
}
check "pulled $rounds times under traffic" pulled
end_opensm sm
check "a switch goes, and has a port with a tunnel" sh -c \
	"rmdir $configfs/switches/sw2 && [ \$(cat $t2/plugged) = 1 ]"
check "the other end notices" wait_for 20 state $t1 silent
check "namespaces go" sh -c "ip netns del a && ip netns del b"
check "and pull their tunnels" wait_for 20 state $t1 unplugged
check "also that without a switch" wait_for 20 state $t2 unplugged
check "which leaves nothing to pull" none
check "all goes" fabric_down
check "all modules" unload_stack
