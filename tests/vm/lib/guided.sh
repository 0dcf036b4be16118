# SPDX-License-Identifier: GPL-2.0
#
# Sourced after guest.sh by suites of the guided fuzzer (tests/fuzz). DRIVER is roce, iwarp,
# ib or testdev:
#
#   roce0|iwarp0 eth0 10.0.0.1 --veth-- eth1 10.0.0.2 roceb|iwarpb     hca1 --cable-- hca2
#                                       (namespace b)
guided=$programs/guided
corpus=${CORPUS:-$TOP/tests/fuzz/corpus}

wire() {
	ip netns add b && ip link set eth1 netns b && ip -n b link set lo up || return
	echo 0 >/proc/sys/net/ipv6/conf/eth0/accept_dad
	ip netns exec b sysctl -qw net.ipv6.conf.eth1.accept_dad=0
	ip addr add fd00::1/64 dev eth0 && ip -n b addr add 10.0.0.2/24 dev eth1 &&
	ip -n b addr add 10.0.0.3/24 dev eth1 && ip -n b addr add fd00::2/64 dev eth1 &&
	ip -n b link set eth1 up && ip link set eth0 up &&
	ip netns exec b rdma link add ${DRIVER}b type $DRIVER netdev eth1 &&
	# Frames are addressed to a neighbour that nobody has to ask for.
	ip neigh replace 10.0.0.3 lladdr 02:00:00:00:00:02 dev eth0 &&
	wait_for 30 ready $dev
}

world_up() {
	mount -t configfs none /sys/kernel/config 2>/dev/null
	case $DRIVER in
	ib)	fabric_up pair && wait_for 60 [ -c /dev/infiniband/umad1 ] || return
		begin_opensm sm hca1
		wait_for 120 all_active || return
		options="-D ib -d hca1 -p hca2" again="echo 1 >$configfs/hcas/hca1/power" ;;
	testdev) td_load link=ib && net_up && td_add testdev0 || return
		options="-D testdev -d testdev0" again="echo add testdev0 >$td/ctl" ;;
	*)	link_up && wire || return
		options="-D $DRIVER -d $dev -p ${DRIVER}b -i eth1 -n b"
		again="rdma link add $dev type $DRIVER netdev eth0" ;;
	esac
}

world_down() {
	case $DRIVER in
	ib)	end_opensm sm KILL
		"$fabric" unload ;;
	testdev) td_del testdev0 && rmmod ofed_testdev ;;
	*)	ip netns del b
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
	${TELLS:+env GUIDED_TELLS=1} "$guided" $options $_root -u "$again" -s "$SEED" -o "$_into" -c "$_from" "$@"
}
