# SPDX-License-Identifier: GPL-2.0
#
# Sourced after guest.sh by suites of the guided fuzzer (tests/fuzz). DRIVER is roce, iwarp,
# ib, rxe or testdev:
#
#   roce0|iwarp0 eth0 10.0.0.1 --veth-- eth1 10.0.0.2 roceb|iwarpb     hca1 --cable-- hca2
#                                       (namespace b)
guided=$programs/guided
corpus=${CORPUS:-$TOP/tests/fuzz/corpus}

# rdma_rxe has no device in another namespace, frames come from there all the same.
wire_of_rxe() { ends && ip neigh replace 10.0.0.3 lladdr 02:00:00:00:00:02 dev eth0; }

ends() {
	ip netns add b && ip link set eth1 netns b && ip -n b link set lo up || return
	echo 0 >/proc/sys/net/ipv6/conf/eth0/accept_dad
	ip netns exec b sysctl -qw net.ipv6.conf.eth1.accept_dad=0
	ip addr add fd00::1/64 dev eth0 && ip -n b addr add 10.0.0.2/24 dev eth1 &&
	ip -n b addr add 10.0.0.3/24 dev eth1 && ip -n b addr add fd00::2/64 dev eth1 &&
	ip -n b link set eth1 up && ip link set eth0 up
}

wire() {
	ends && ip netns exec b rdma link add ${DRIVER}b type $DRIVER netdev eth1 &&
	# Frames go to a neighbour that need not be asked for.
	ip neigh replace 10.0.0.3 lladdr 02:00:00:00:00:02 dev eth0 &&
	wait_for 30 ready $dev
}

# What an input of root may have changed is as before. An input that took the device away, or its
# module, has another one behind it.
cat >"$work/again" <<-END
	exec 2>/dev/null
	# Programs take most of the time: as few as can be where all is well.
	as_before() {
		read -r mac </sys/class/net/eth0/address && [ \$mac = 02:00:00:00:00:01 ] &&
		read -r flags </sys/class/net/eth0/flags && [ \$((flags & 1)) = 1 ] &&
		[ ! -e /sys/class/net/br7 ] && [ ! -e /sys/class/net/eth0.5 ] &&
		[ -d /sys/module/ofed_uverbs ] && [ -d /sys/module/ofed_umad ] &&
		[ -d /sys/module/ofed_ucma ] && [ -e /sys/class/infiniband/$dev ] &&
		[ $DRIVER = rxe -o -e /sys/class/infiniband/${DRIVER}b ] || return
		case \$(ip addr show dev eth0) in
		*netem*)	return 1 ;;
		*"mtu 1500"*10.0.0.1/24*fd00::1*) return 0 ;;
		esac
		return 1
	}
	ip neigh replace 10.0.0.3 lladdr 02:00:00:00:00:02 dev eth0
	! as_before || exit 0
	[ -e /sys/class/net/eth0 ] || ip link set eth7 name eth0
	[ -e /sys/class/net/eth0 ] || ip -n c link set eth0 netns 1
	ip netns del c; ip link del eth0.5; ip link del br7
	tc qdisc del dev eth0 root
	ip link set eth0 down
	ip link set eth0 address 02:00:00:00:00:01 mtu 1500
	ip link set eth0 up; ip -n b link set eth1 up
	ip addr replace 10.0.0.1/24 dev eth0; ip addr replace fd00::1/64 dev eth0 nodad
	ip neigh replace 10.0.0.3 lladdr 02:00:00:00:00:02 dev eth0
	rdma dev set ${dev%0}7 name $dev
	for m in ofed_uverbs ofed_umad ofed_ucma; do [ -d /sys/module/\$m ] || modprobe \$m; done
	[ -d /sys/module/ofed_$DRIVER ] || [ $DRIVER = rxe ] || modprobe ofed_$DRIVER
	[ -e /sys/class/infiniband/${DRIVER}b ] || [ $DRIVER = rxe ] ||
		ip netns exec b rdma link add ${DRIVER}b type $DRIVER netdev eth1
	[ -e /sys/class/infiniband/$dev ] || rdma link add $dev type $DRIVER netdev eth0
	n=100
	until grep -q ACTIVE /sys/class/infiniband/$dev/ports/1/state || [ \$n = 0 ]; do
		sleep 0.05; n=\$((n - 1))
	done
	exit 0
END

# An allocation of slabs that an input counts down to fails (fail-nth).
may_fail() {
	[ -d /sys/kernel/debug/failslab ] || return 0
	for _knob in failslab fail_page_alloc; do
		echo N >/sys/kernel/debug/$_knob/ignore-gfp-wait
		echo 0 >/sys/kernel/debug/$_knob/verbose
	done
}

# A memory cgroup that a few queues fill, where the kernel has such: $cgroup
narrow() {
	cgroup=
	mkdir -p /run/cgroup
	mount -t cgroup2 none /run/cgroup 2>/dev/null
	grep -qw memory /run/cgroup/cgroup.controllers 2>/dev/null || return 0
	echo +memory >/run/cgroup/cgroup.subtree_control && mkdir -p /run/cgroup/fuzz &&
	echo "${CGROUP:-24M}" >/run/cgroup/fuzz/memory.max && cgroup="-g /run/cgroup/fuzz"
}

world_up() {
	mount -t configfs none /sys/kernel/config 2>/dev/null
	may_fail
	narrow
	case $DRIVER in
	ib)	fabric_up pair && wait_for 60 [ -c /dev/infiniband/umad1 ] || return
		begin_opensm sm hca1
		wait_for 120 all_active || return
		options="-D ib -d hca1 -p hca2" again="grep -q 1 $configfs/hcas/hca1/power || echo 1 >$configfs/hcas/hca1/power" ;;
	testdev) td_load link=${LINK:-ib} && modprobe rdma_ucm && modprobe ib_umad && net_up &&
			td_add testdev0 || return
		options="-D testdev -d testdev0"
		again="[ -e /sys/class/infiniband/testdev0 ] || echo add testdev0 >$td/ctl" ;;
	rxe)	link_up && wire_of_rxe || return
		options="-D rxe -d $dev -i eth1 -n b" again="sh $work/again" ;;
	*)	link_up && wire || return
		options="-D $DRIVER -d $dev -p ${DRIVER}b -i eth1 -n b" again="sh $work/again" ;;
	esac
	# Doorbells have threads that read them, where one processor is all that there is as well.
	[ -d /sys/module/ofed_soft ] || return 0
	echo "${POLLERS:-8}" >/sys/module/ofed_soft/parameters/pollers
	echo Y >/sys/module/ofed_soft/parameters/poll_always
}

world_down() {
	# A folder that root has made there keeps the module.
	for _dir in /sys/kernel/config/rdma_cm/*/; do
		[ ! -d "$_dir" ] || { echo "left: $_dir"; rmdir "$_dir"; }
	done
	case $DRIVER in
	ib)	end_opensm sm KILL
		"$fabric" unload ;;
	testdev) td_del testdev0 && rmmod ofed_testdev ;;
	*)	sh "$work/again"
		ip netns del b
		rdma link delete $dev 2>/dev/null
		net_down ;;
	esac
	unload_stack
}
case $DRIVER in
ib)	. "$VM/lib/ib.sh" ;;
testdev) . "$VM/lib/testdev.sh" ;;
esac

# inputs USER FOLDER OPTION... MODE: as user 65534, or as root; what is printed is
inputs() {
	_root= _from=$corpus/$DRIVER-$1 _into=$2
	[ "$1" = user ] || _root=-r
	shift 2
	mkdir -p "$_into"
	# Unquoted on purpose: several.
	${TELLS:+env GUIDED_TELLS=1} "$guided" $options $cgroup $_root -u "$again" -s "$SEED" -o "$_into" -c "$_from" "$@"
}
