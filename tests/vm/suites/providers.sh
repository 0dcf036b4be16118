# SPDX-License-Identifier: GPL-2.0
#
# The verbs provider of this project with a device of rdma_rxe beside ours, which have the same
# driver ID: each has the library that is its own, and nothing is said on stderr.
DRIVER=rxe
. "$VM/lib/guest.sh"
. "$VM/lib/ib.sh"
. "$VM/lib/libofed.sh"
DRIVER=rxe

need_link
check "a star of InfiniBand HCAs beside it" fabric_up star || exit 1
iwarp_up() {
	modprobe ofed_iwarp && rdma link add iwarp0 type iwarp netdev eth1 &&
		wait_for 10 active iwarp0
}
check "an iwarp device, too" iwarp_up
check "rxe0 is librxe's without the library" driven_by rxe0 rxe
check "so is hca1" driven_by hca1 rxe
check "iwarp0 is libsiw's" driven_by iwarp0 siw
check "the library is put in its place" libofed_in
check "rxe0 is librxe's still" driven_by rxe0 rxe-stock
check "hca1 is libofed's" driven_by hca1 ofed
check "so is iwarp0" driven_by iwarp0 ofed
said() { ibv_devices 2>&1 >"$work/devices" | diff /dev/null - && grep -w rxe0 "$work/devices"; }
check "ibv_devices lists both, and says nothing on stderr" said
check "ibv_rc_pingpong of rxe0" duo 18910 ibv_rc_pingpong -d rxe0 -g $gid_index -n 20 -c
check "with RDMAV_OFED=0 hca1 is librxe's" env RDMAV_OFED=0 sh -c \
	"'$programs/provider_of' | grep 'hca1 librxe-stock'"
check "the library goes" libofed_out
check "hca1 is librxe's again" driven_by hca1 rxe
check "iwarp0 goes" rdma link delete iwarp0
check "the star goes" "$fabric" unload
check "rxe0 goes" link_down
