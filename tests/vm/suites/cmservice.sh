# SPDX-License-Identifier: GPL-2.0
#
# Events that a program writes to rdma_cm, and services that the subnet administrator knows:
# commands that Linux has since 6.17. On older kernels there is nothing to do.
#
#	hca1 --cable-- hca2
. "$VM/lib/guest.sh"
. "$VM/lib/cm.sh"

need_cm
timeout -k 5 "$limit" "$programs/cm_service" there
if [ $? -eq 77 ]; then
	echo "skip: the kernel does not have the commands"
	cm_down
	exit 0
fi
service() { timeout -k 5 "$limit" "$programs/cm_service" "$@"; }
check "events written and read" service events
# The stock core has no such limit.
[ "$CORE" = stock ] || check "an id holds 256 of them" service bound
check "what is said of ports without SA" service refused -a 10.0.0.1
cp "$work/output" "$OUT/refused"
same_as_list "errno of each of them" "$OUT/refused" cmservice
cm_down

modprobe -qn ofed_ib || exit 0
# ---- InfiniBand ---------------------------------------------------------------------------------
. "$VM/lib/ib.sh"
check "two HCAs" fabric_up pair || exit 1
check "their umad nodes" wait_for 60 [ -c /dev/infiniband/umad1 ]
begin_opensm sm hca1
check "both ports are active" wait_for 120 all_active || exit 1
check "the subnet is up" wait_for 60 grep -q "SUBNET UP" "$work/sm.log"
many=$(count 300)
check "no such service" service find -d hca2 -n nowhere -c 0
check "one is registered" service register -d hca1 -n single -i 0x1000000000000001
# The records of the port that registers; the one that asks is the same.
check "and found by its name" service find -d hca1 -n single -i 0x1000000000000001
check "and by its id" service find -d hca1 -i 0x1000000000000001
check "several of one name" service register -d hca1 -n several -i 0x2000000000000000 -c 7
check "are found together" service find -d hca1 -n several -i 0x2000000000000000 -c 7
check "$many of one name" service register -d hca1 -n many -i 0x3000000000000000 -c "$many"
check "are found together, too" service find -d hca1 -n many -i 0x3000000000000000 -c "$many"
check "one of them alone" service find -d hca1 -i 0x3000000000000003
check "ids that end meanwhile" service ended -d hca2
end_opensm sm
check "the fabric goes" fabric_down
check "all modules go" unload_stack
