# SPDX-License-Identifier: GPL-2.0
#
# Ports of Omni-Path's kind: MADs of 2 KiB between two software HCAs, and none where only one
# of the two, or neither, is such a port.
. "$VM/lib/guest.sh"
. "$VM/lib/ib.sh"

opa_is() { [ "$(cat "$configfs/hcas/$1/opa")" = "$2" ]; }
gid0() { cat "$ibsys/$1/ports/1/gids/0"; }
node_up() { [ -c /dev/infiniband/umad0 ] && [ -c /dev/infiniband/umad1 ] && all_active; }

check "two HCAs and a cable" fabric_up pair || exit 1
begin_opensm sm hca1
check "they are active" wait_for 60 node_up || { cat "$work/sm.log"; exit 1; }
check "they are of InfiniBand alone" opa_is hca1 0
expect_fail "not while there is power" sh -c "echo 1 >$configfs/hcas/hca1/opa"
check "it stays so" opa_is hca1 0
table "without long MADs" "$programs/opa_mad" hca1 "$(gid0 hca1)" hca2 "$(gid0 hca2)" ib
end_opensm sm
for hca in hca1 hca2; do
	check "$hca is made one of Omni-Path" opa_power $hca 1
done
expect_fail "2 is no answer" sh -c "echo 2 >$configfs/hcas/hca1/opa"
mkdir "$configfs/switches/x"
check "a switch is not asked" [ ! -e "$configfs/switches/x/opa" ]
rmdir "$configfs/switches/x"
begin_opensm sm hca1
check "they are active again" wait_for 60 node_up || { cat "$work/sm.log"; exit 1; }
table "long MADs" "$programs/opa_mad" hca1 "$(gid0 hca1)" hca2 "$(gid0 hca2)"
check "what InfiniBand has is there as before" \
	pair 18701 hca1 hca2 ibv_rc_pingpong -n 100 -c -s 65536
check "smpquery" says "NodeType:........................Channel Adapter" \
	smpquery -C hca1 nodeinfo "$(lid_of hca2)"
end_opensm sm
check "all goes" fabric_down
check "all modules" unload_stack
