# SPDX-License-Identifier: GPL-2.0
#
# Loading and unloading: our core comes in by itself under the stock driver, the
# stock core's other halves are refused, our driver loads on either core, and
# every legal order of unloading works.
. "$VM/lib/guest.sh"

if [ "$CORE" = ofed ]; then
	core=ofed_core uverbs=ofed_uverbs other=ib_core
else
	core=ib_core uverbs=ib_uverbs other=ofed_core
fi
loaded() { [ -d "/sys/module/$1" ]; }
gone() { ! loaded "$1"; }

check "no RDMA core at boot" gone ib_core
dmesg -C
check "modprobe rdma_rxe" modprobe rdma_rxe || exit 1
dmesg -t >"$work/dmesg"
check "$core came with it" loaded $core
check "$other did not" gone $other
check "lsmod shows rdma_rxe on $core" sh -c "lsmod | grep -E '^$core .*rdma_rxe'"

# Messages: the driver's own and, for ours, the kernel's two taint lines.
quiet() {
	grep -vxE -e 'rdma_rxe: loaded' \
		-e 'ofed_[a-z]+: loading out-of-tree module taints kernel\.' \
		-e 'ofed_[a-z]+: module verification failed: signature and/or required key missing - tainting kernel' \
		"$work/dmesg"
	[ $? -eq 1 ]
}
check "no message but the taint lines" quiet

# refused NAME: insmod of the stock module fails for the want of a symbol that
# the stock core exports and no public header declares
refused() {
	dmesg -C
	insmod "$(find "/lib/modules/$(uname -r)/kernel/" -name "$1.ko*")" && return 1
	dmesg -t
	dmesg -t | sed -n "s/^$1: Unknown symbol \([a-zA-Z0-9_]*\) (err.*/\1/p" >"$work/unknown"
	while read -r symbol; do
		awk -v s="$symbol" '$2 == s && $3 ~ /core\/ib_core$/ { f = 1 } END { exit !f }' \
			"$HEADERS/Module.symvers" && return 0
	done <"$work/unknown"
	return 1
}
if [ "$CORE" = ofed ]; then
	for m in ib_uverbs ib_cm rdma_cm; do
		check "stock $m is refused" refused $m
		check "stock $m did not stay" gone $m
	done
	for m in ib_core $(have_uverbs && echo ib_uverbs) ib_umad; do
		check "modprobe $m gives ours" modprobe $m
		check "modprobe $m left the stock one out" gone $m
	done
	check "ofed_umad is loaded" loaded ofed_umad
else
	check "modprobe ib_uverbs" modprobe ib_uverbs
fi
! have_uverbs || check "$uverbs is loaded" loaded $uverbs
expect_fail "rmmod $core while it is used" rmmod $core
modprobe -r rdma_rxe
check "all modules go" unload_stack

# ---- our own driver, the same files on both cores ---------------------------
needs() { modprobe --show-depends ofed_roce | grep -q "/$1\.ko"; }
check "depmod finds $core for ofed_roce" needs $core
expect_fail "and not $other" needs $other
dmesg -C
check "modprobe ofed_roce" modprobe ofed_roce
dmesg -t >"$work/dmesg"
check "$core came with ofed_roce" loaded $core
check "$other did not come with it" gone $other
check "ofed_roce says no more than the taint lines" quiet
check "it goes, and its core" unload_stack

# What README.md and the tutorial begin with. Nothing is loaded: the tool's socket asks
# for the core, the core for the type of link; uverbs is below the driver; its
# mappings it keeps.
roce_up() {
	rdma link add roce0 type roce netdev eth0 &&
	loaded ofed_roce && loaded ofed_soft && loaded $core && gone $other
}
roce_is() { rdma link show "$1" | grep -q "state ACTIVE .*netdev eth0"; }
net_up
check "nothing is loaded" gone $core
check "rdma link add ... type roce loads what it needs" roce_up
check "rdma link show" wait_for 10 roce_is roce0/1
if have_uverbs; then
	# With the driver that needs it, or because a program asks netlink for the device's file.
	check "ibv_devinfo" sh -c "ibv_devinfo -d roce0 | grep -q PORT_ACTIVE"
	check "$uverbs came with it" loaded $uverbs
	check "GID 1 is of version 2" wait_for 10 grep -qx "RoCE v2" \
		/sys/class/infiniband/roce0/ports/1/gid_attrs/types/1
	check "ibv_rc_pingpong" duo 18950 ibv_rc_pingpong -d roce0 -g 1
fi
check "rdma link delete" rdma link delete roce0
net_down
check "all of it goes" unload_stack

# A module can leave without users: with no edge between $uverbs and
# rdma_rxe both may go first.
linked() { lsmod | awk -v u=$uverbs '$1 == u { exit $4 !~ /rdma_rxe/ }'; }
n=$(count 100)
round() { # 0..3: which of the two leaves first, with a device or without
	modprobe rdma_rxe || return
	! have_uverbs || modprobe ib_uverbs || return
	if [ $(($1 & 1)) -eq 1 ]; then
		net_up && rdma link add rxe0 type rxe netdev eth0 || return
		# Either the user deletes the device, or the driver's unload does.
		[ $(($1 & 4)) -eq 0 ] || rdma link delete rxe0 || return
	fi
	if ! have_uverbs; then
		rmmod rdma_rxe || return
	elif [ $(($1 & 2)) -eq 0 ] || linked; then
		rmmod rdma_rxe && rmmod $uverbs || return
	else
		rmmod $uverbs && rmmod rdma_rxe || return
	fi
	unload_stack && ! [ -e /sys/class/infiniband ] && ! [ -e /sys/class/infiniband_verbs ]
}
rounds() {
	i=0
	while [ $i -lt "$n" ] || [ $i -lt 8 ]; do
		round $i || { echo "round $i"; lsmod; dmesg | tail -n 20; return 1; }
		i=$((i + 1))
	done
}
check "load and unload in every legal order, $n times (at least 8)" rounds
net_down
