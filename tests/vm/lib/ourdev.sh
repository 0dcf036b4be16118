# SPDX-License-Identifier: GPL-2.0
#
# Sourced after guest.sh: one device of ours, whatever its link. DRIVER=roce or iwarp: $dev on
# eth0; ib: the first of two HCAs at one cable, which opensm manages.
if [ "$DRIVER" = ib ]; then
	. "$VM/lib/ib.sh"
	dev=hca1 gid_index=0
fi

device_up() {
	if [ "$DRIVER" = ib ]; then
		fabric_up pair && wait_for 60 ls /dev/infiniband/umad1 && begin_opensm sm $dev &&
			wait_for 60 active $dev
	else
		link_up
	fi
}

device_down() {
	if [ "$DRIVER" = ib ]; then
		end_opensm sm && fabric_down
	else
		rdma link delete $dev
	fi
}

need_device() {
	check "$dev" device_up && return
	# Nothing that follows can work.
	dmesg | tail -n 20
	exit 1
}

# After the last check.
all_down() {
	device_down && { [ "$DRIVER" = ib ] || net_down; }
}
