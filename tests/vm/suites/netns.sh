# SPDX-License-Identifier: GPL-2.0
#
# Devices and network namespaces: copies in shared mode, moves in exclusive mode.
. "$VM/lib/guest.sh"
. "$VM/lib/testdev.sh"

sys=/sys/class/infiniband
in_ns() { ip netns exec "$@"; }
seen() { # NS DEV
	in_ns "$1" test -d $sys/"$2"
}
unseen() { ! seen "$@"; }
mode_is() { # Y|N, of the module parameter
	[ "$(cat /sys/module/*b_core/parameters/netns_mode \
		/sys/module/ofed_core/parameters/netns_mode 2>/dev/null)" = "$1" ]
}

check "the module loads" td_load link=ib || exit 1
check "shared at first" mode_is Y
check "a namespace before the device" ip netns add before
check "a device" td_add testdev0 ports=2
check "a namespace after it" ip netns add after

# ---- groups of netlink ---------------------------------------------------------------
# A request to a group's service waits as soon as the group has a listener. Of the kernels' own
# cores, some newer ones let any user be one.
joins() { # GROUP [CMD...]: as CMD runs it
	_group=$1
	shift
	"$@" python3 -c 'import socket, sys
socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 20).bind((0, 1 << int(sys.argv[1]) - 1))' "$_group"
}
if [ "$CORE" != stock ]; then
	for group in 2 3; do
		check "root listens to the service of group $group" joins $group
		expect_fail "a user does not" joins $group as_user
	done
	[ ! -e /proc/self/ns/user ] ||
		check "in a namespace of the user's own it may" joins 3 as_user unshare -Urn
	check "a user listens to events of devices" joins 4 as_user
fi

# ---- shared: each namespace is shown a copy ---------------------------------------
for ns in before after; do
	check "$ns sees the device" seen $ns testdev0
	check "$ns sees its files" in_ns $ns cat $sys/testdev0/node_guid
	check "$ns sees the driver's files" in_ns $ns grep -x ib $sys/testdev0/testdev_link
	check "$ns sees its ports" in_ns $ns cat $sys/testdev0/ports/2/gids/0
	expect_fail "$ns sees no counters of the device" \
		in_ns $ns test -e $sys/testdev0/hw_counters
	expect_fail "$ns sees no counters of a port" \
		in_ns $ns test -e $sys/testdev0/ports/1/hw_counters
done
check "at home the counters are there" cat $sys/testdev0/hw_counters/lifespan
check "a new name" rdma dev set testdev0 name renamed0
for ns in before after; do
	check "$ns sees the new name" seen $ns renamed0
	check "$ns no longer sees the old one" unseen $ns testdev0
done
check "the old name again" rdma dev set renamed0 name testdev0
expect_fail "no move in shared mode" rdma dev set testdev0 netns after
expect_fail "no other mode while there are namespaces" \
	rdma system set netns exclusive
check "a namespace goes" ip netns del before
check "the device goes" td_del testdev0
check "so does its copy" wait_for 10 unseen after testdev0
check "nothing is left" td_all_zero
check "the other namespace goes" ip netns del after

# ---- exclusive: one namespace has it -----------------------------------------
# Namespaces go on a work queue of the kernel's.
check "exclusive mode" wait_for 20 rdma system set netns exclusive
check "the parameter says so" mode_is N
check "a namespace" ip netns add here
check "a device that can be taken away" td_add testdev1 disassociate=1
check "no other namespace sees it" unseen here testdev1
check "it moves" rdma dev set testdev1 netns here
check "there it is" seen here testdev1
expect_fail "no longer at home" test -e $sys/testdev1
check "rdma finds it there" in_ns here rdma dev show testdev1
expect_fail "and not at home" rdma dev show testdev1
check "it comes home when the namespace ends" ip netns del here
check "there it is again" wait_for 20 test -d $sys/testdev1
check "the device goes" td_del testdev1
check "nothing is left of it" td_all_zero

if [ "$CORE" = ofed ]; then
	check "another namespace" ip netns add there
	check "another device" td_add testdev2 disassociate=1
	td_hook testdev2 fail enable_driver 1 EIO
	expect_fail "a move that the driver fails" \
		rdma dev set testdev2 netns there
	check "that namespace ends" ip netns del there
	check "the device comes home" wait_for 20 test -d $sys/testdev2
	expect_fail "no other namespace can use it" rdma dev show testdev2

	# A name in the request: the device has it there.
	move=$TOP/tests/programs/core/nldev_move.py
	check "a namespace for other names" ip netns add named
	check "a device to rename" td_add testdev3 disassociate=1
	check "a device with a name that is taken" td_add testdev4
	check "a move to that name is refused" \
		eval '[ "$(python3 -B "$move" testdev3 named testdev4)" = EEXIST ]'
	check "a move to no name of a device as well" \
		eval '[ "$(python3 -B "$move" testdev3 named a/b)" = EINVAL ]'
	check "the device is at home, and of use" rdma dev show testdev3
	check "a move to another name" python3 -B "$move" testdev3 named other3
	check "it has that name there" seen named other3
	check "rdma finds it by that" in_ns named rdma dev show other3
	check "it has no longer the old one" unseen named testdev3
	expect_fail "it is not at home" test -e $sys/testdev3
	check "that namespace ends as well" ip netns del named
	check "the device comes home with its new name" wait_for 20 test -d $sys/other3
fi
check "shared mode" wait_for 20 rdma system set netns shared
check "the driver goes" rmmod ofed_testdev
expect_fail "and all its devices" test -e $sys/testdev2
check "the rest goes" unload_stack
