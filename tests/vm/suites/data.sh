# SPDX-License-Identifier: GPL-2.0
#
# Every byte that RC moves, compared by a client of ours.
. "$VM/lib/guest.sh"

need_link
check "RC data, all operations and sizes" "$programs/verbs_data" $dev $gid_index "$SEED"
tail -n 3 "$work/output"
# rdma_rxe takes the length that librxe 44 gives for the sum of unequal pieces.
[ "$DRIVER" = rxe ] || table "pieces of a message" "$programs/sge_lists" $dev $gid_index
check "$dev goes" link_down
