# SPDX-License-Identifier: GPL-2.0
#
# Malformed and misplaced commands on /dev/infiniband/rdma_cm: the errno of each
# case as on the stock core.
. "$VM/lib/guest.sh"

need_link
check "the node is there" modprobe rdma_ucm || exit 1
limit=$((limit * 5))
timeout -k 5 $limit "$programs/badcma" >"$work/badcma" 2>"$work/badcma.err"
status=$?
check "badcma ran to its end" test $status -le 1 || tail -n 3 "$work/badcma" "$work/badcma.err"
# What ends or moves an id has done so when the answer finds no room.
state() { ! grep "STATE CHANGED" "$work/badcma" | grep -vE '^(DESTROY_ID|LEAVE_MCAST|MIGRATE_ID) response'; }
check "a refused command changes nothing" state
check "a connection still comes up" "$programs/badcma" connect

# Nothing of it may hold the device, not even the connections that are open.
lose_device() {
	timeout -k 5 $limit "$programs/badcma" remove "rdma link delete $dev" >"$work/removed"
}
check "commands when the device has gone" lose_device
cat "$work/badcma" "$work/removed" | sed 's/ STATE CHANGED.*//' >"$work/errnos"
same_as_list "errno of each malformed command" "$work/errnos" badcma
net_down
check "all modules go" unload_stack
