# SPDX-License-Identifier: GPL-2.0
#
# The end of a process, a device, a network device, a namespace and the modules,
# each in the middle of traffic, again and again. Then stock rdma_rxe beside ours.
DRIVER=roce
. "$VM/lib/guest.sh"

sys=/sys/class/infiniband
# Of both ways.
n=$(count 100)
[ "$n" -gt 1 ] || n=2
# A round of all of it is minutes there; many are um-debug's.
[ "$KERNEL" != debug ] || n=$(((n + 1) / 2))
remote_hex=0000:0000:0000:0000:0000:ffff:0a00:0002
gone() { ! [ -e "$sys/$1" ]; }
# The context of a user is the last of its objects that goes.
no_users() {
	case $(rdma resource show) in
	*" ctx "[1-9]*) return 1 ;;
	esac
}
all_released() {
	wait_for 20 no_users && return
	rdma resource show
	rdma resource show qp
	return 1
}
# What is there need not be loaded: that takes its time on the debug kernel.
loaded() { [ -d /sys/module/ofed_$DRIVER ] || load_stack; }

move_apart() {
	ip -batch - <<-END || return
		netns add b
		link set eth1 netns b
	END
	# Its settings and addresses stayed behind.
	ip netns exec b sysctl -qw net.ipv6.conf.eth1.accept_dad=0
	ip -n b -batch - <<-END
		link set lo up
		addr add 10.0.0.2/24 dev eth1
		link set eth1 up
	END
}
# Traffic is packets in one round, and none in the next.
way=off
other_way() {
	[ $way = off ] && way=peer || way=off
	echo $way >/sys/module/ofed_soft/parameters/direct
}
# eth0 here, eth1 in namespace b, a device on each.
apart_up() {
	net_up && loaded && move_apart && other_way || return
	rdma link add $dev type roce netdev eth0 &&
	ip netns exec b rdma link add roceb type roce netdev eth1 &&
	wait_for 10 ready $dev && wait_for 10 gid_of roceb $remote_hex
}
apart_down() {
	gone roceb || rdma link delete roceb
	gone $dev || rdma link delete $dev
	ip netns del b 2>/dev/null
	net_down
	wait_for 30 gone roceb
}

ready_or_dead() { [ -e "$2" ] || ! kill -0 "$1"; } # PID FILE
clients=
traffic() { # NAME DEVICE ADDRESS PEER-DEVICE PEER-ADDRESS: in the background
	_which=$1
	shift
	rm -f "$work/ready-$_which"
	timeout -k 5 "$limit" "$programs/traffic" "$@" "$work/ready-$_which" \
		>"$work/traffic-$_which" 2>&1 &
	_client=$!
	clients="$clients $_client:$_which"
	# Ready, or dead: no use in waiting then.
	wait_for 60 ready_or_dead $_client "$work/ready-$_which"
	[ -e "$work/ready-$_which" ] && return
	cat "$work/traffic-$_which"
	return 1
}
start_traffic() {
	clients=
	traffic alone $dev 10.0.0.1 $dev 10.0.0.1 &&
		traffic across $dev 10.0.0.1 roceb 10.0.0.2
}
ended_well() { # each saw the end, and every descriptor answered
	_failed=0
	for _c in $clients; do
		wait "${_c%%:*}" && continue
		echo "${_c#*:}:"
		cat "$work/traffic-${_c#*:}"
		_failed=1
	done
	return $_failed
}
stopped() { # NAME...: killed on purpose or ended
	for _c in $clients; do
		kill -9 "$(pgrep -P "${_c%%:*}" 2>/dev/null || echo "${_c%%:*}")" 2>/dev/null
		wait "${_c%%:*}"
	done
	return 0
}

# kill -9 in the middle; the devices stay.
killed() {
	apart_up || return
	for _i in $(seq "$n"); do
		start_traffic && stopped && all_released || return
	done
	apart_down
}
check "kill -9, $n times" killed

deleted() {
	for _i in $(seq "$n"); do
		apart_up && start_traffic || return
		rdma link delete $dev || return
		ended_well && all_released || return
		apart_down
	done
}
check "rdma link delete, $n times" deleted

unplugged() {
	for _i in $(seq "$n"); do
		apart_up && start_traffic || return
		# The other end of a veth goes along.
		ip link del eth0 || return
		wait_for 30 gone $dev && wait_for 30 gone roceb || return
		ended_well || return
		apart_down
	done
}
check "network device deleted, $n times" unplugged

exited() {
	for _i in $(seq "$n"); do
		apart_up && clients= && traffic across roceb 10.0.0.2 $dev 10.0.0.1 || return
		ip netns del b || return
		wait_for 60 gone roceb && ended_well && all_released || return
		apart_down
	done
}
check "namespace deleted, $n times" exited

unloaded() {
	for _i in $(seq "$n"); do
		apart_up && start_traffic || return
		rmmod ofed_roce && rmmod ofed_soft || return
		gone $dev && gone roceb || return
		ended_well || return
		apart_down
	done
}
check "modules unloaded, $n times" unloaded

# All at once, and the first one wins.
at_once() {
	for _i in $(seq "$n"); do
		apart_up && start_traffic || return
		rdma link delete $dev >/dev/null 2>&1 &
		_a=$!
		ip netns del b >/dev/null 2>&1 &
		_b=$!
		ip link del eth0 >/dev/null 2>&1 &
		_c=$!
		rmmod ofed_roce
		wait $_a
		wait $_b
		wait $_c
		wait_for 60 gone $dev && wait_for 60 gone roceb || return
		ended_well || return
		net_down
		ip netns del b 2>/dev/null
	done
	return 0
}
check "all of it at once, $n times" at_once

# Its network device goes while the core has taken the device from all clients, to
# move it. 'ip link del' returns when no reference to the network device is left.
to_and_fro() {
	while [ -e "$work/moving" ]; do
		rdma dev set $dev netns b
		ip netns exec b rdma dev set $dev netns home
	done >/dev/null 2>&1
}
nowhere() { gone $dev && ! ip netns exec b test -e "$sys/$dev"; }
moved() {
	loaded && wait_for 20 rdma system set netns exclusive || return
	ip netns add b && ip netns attach home $$ || return
	for _i in $(seq $((n + 8))); do
		net_up && rdma link add $dev type roce netdev eth0 || return
		touch "$work/moving"
		to_and_fro &
		_mover=$!
		# At another place of the round each time.
		sleep 0.$((_i * 13 % 60 + 10))
		timeout -k 5 60 ip link del eth0 || { echo "eth0 is pinned"; return 1; }
		wait_for 30 nowhere || return
		rm "$work/moving"
		wait $_mover
	done
	ip netns del b && ip netns del home &&
		wait_for 20 rdma system set netns shared
}
check "moved, and its network device deleted, $((n + 8)) times" moved

# ---- stock rdma_rxe ------------------------------------------------------------
# It takes all devices of its driver_id for its own, ours among them, when a
# network device of theirs has news or when it is unloaded.
news() { # NETNS-ARGUMENT INTERFACE
	ip $1 link set "$2" down && ip $1 link set "$2" up &&
	ip $1 link set "$2" mtu 1400 && ip $1 link set "$2" mtu 1500 &&
	ip $1 addr add 10.9.9.9/24 dev "$2" && ip $1 addr del 10.9.9.9/24 dev "$2" &&
	ip $1 link set "$2" down && ip $1 link set "$2" address 02:00:00:00:00:0$3 &&
	ip $1 link set "$2" name "lan$3" && ip $1 link set "lan$3" name "$2" &&
	ip $1 link set "$2" up
}

beside() {
	for _i in $(seq "$n"); do
		net_up && loaded && move_apart || return
		ip netns exec b rdma link add roceb type roce netdev eth1 || return
		modprobe rdma_rxe && rdma link add rxe0 type rxe netdev eth0 || return
		wait_for 10 gid_of roceb $remote_hex || return
		clients=
		traffic beside roceb 10.0.0.2 roceb 10.0.0.2 || return
		news "" eth0 5 && news "-n b" eth1 6 || return
		wait_for 20 active rxe0 && wait_for 20 active roceb || return
		# With its devices, and with ours.
		rmmod rdma_rxe || return
		gone rxe0 || return
		if gone roceb; then
			echo "gone with rxe"
		else
			kill -0 "${clients%%:*}" || return
			rdma link delete roceb || return
		fi
		ended_well || return
		ip netns del b
		net_down
	done
	return 0
}
check "stock rdma_rxe beside ours, $n times" beside

# Its network device goes while both have one.
rxe_unplugged() {
	net_up && loaded && modprobe rdma_rxe || return
	rdma link add rxe0 type rxe netdev eth0 || return
	ip netns add b && ip -n b link add eth9 type dummy &&
		ip -n b link set eth9 up || return
	ip netns exec b rdma link add roceb type roce netdev eth9 || return
	ip link del eth0
	wait_for 20 gone rxe0 || return
	ip netns del b
	wait_for 30 gone roceb || return
	rmmod rdma_rxe
}
check "both lose their network devices" rxe_unplugged

check "the modules go" unload_stack
