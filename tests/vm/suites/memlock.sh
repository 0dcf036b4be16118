# SPDX-License-Identifier: GPL-2.0
#
# RLIMIT_MEMLOCK: a user pins up to the limit, not a page more, and whatever ends
# the pinning process gives every page back.
. "$VM/lib/guest.sh"

need_link
check "up to the limit, not a page more" as_user "$programs/memlock" limit
check "exit gives back" as_user "$programs/memlock" exit
check "kill -9 gives back" as_user "$programs/memlock" kill

# The device goes while memory is pinned. A driver that cannot disassociate makes
# the removal wait for the last close; one that can does not.
removal() {
	setpriv $nobody "$programs/memlock" hold >"$work/hold" &
	holder=$!
	wait_for 20 grep -qx pinned "$work/hold" || { cat "$work/hold"; return 1; }
	rdma link delete $dev &
	remover=$!
	kill $holder
	wait $holder
	status=$?
	wait $remover
	cat "$work/hold"
	[ $status -eq 0 ] && ! [ -e /sys/class/infiniband/$dev ]
}
check "device removal gives back" removal
net_down
