# SPDX-License-Identifier: GPL-2.0
#
# Sourced after guest.sh by suites that use umadN. Two devices of one host, on the
# ends of the wire: $dev with the GID $gid6, and $peer with $peer6. They are link-
# local, which take the wire, and of IPv6: the kernel's own MAD layer does not find
# the request that an answer from an IPv4 GID is for.
peer=${DRIVER}b
gid6=fe80::ff:fe00:1
peer6=fe80::ff:fe00:2

# From 6.12 on a port without subnet management has no issmN.
has_issm() { [ "$series" != 6.12 ]; }

umad_up() {
	need_link
	check "the module of umad" modprobe ib_umad || exit 1
	check "$peer on eth1" rdma link add $peer type $DRIVER netdev eth1 || exit 1
	check "its nodes" wait_for 60 [ -c /dev/infiniband/umad1 ] || exit 1
	check "the GID of $dev" wait_for 60 gid_of $dev \
		fe80:0000:0000:0000:0000:00ff:fe00:0001 || exit 1
	check "the GID of $peer" wait_for 60 gid_of $peer \
		fe80:0000:0000:0000:0000:00ff:fe00:0002 || exit 1
}

umad_down() {
	check "$dev goes" link_down
	check "all modules go" unload_stack
	check "no class is left" [ ! -e /sys/class/infiniband_mad ]
}
