# SPDX-License-Identifier: GPL-2.0
#
# Malformed ioctl() calls: the errno of each case as on the stock core, on rxe
# and on the device that has every object.
. "$VM/lib/guest.sh"
. "$VM/lib/testdev.sh"
limit=$((limit * 4))

# An object is gone when the answer to its destruction goes to a bad address, all the same.
state() { ! grep "STATE CHANGED" "$1" | grep -vE "$2"; }

cases() { # DEVICE LIST
	run "$programs/badioctl" "$1" >"$work/$1" 2>"$work/$1.err"
	_status=$?
	cp "$work/$1" "$OUT/$2.all"
	check "badioctl on $1 ran to its end" test $_status -le 1 ||
		tail -n 3 "$work/$1" "$work/$1.err"
	check "a refused call changes nothing on $1" state "$work/$1" \
		'^(QP|WQ|SRQ|CQ)_DESTROY DESTROY_[A-Z]*_RESP|^(EX_)?DESTROY_[A-Z]+ by ioctl, output'
	sed 's/ STATE CHANGED.*//' "$work/$1" >"$work/errnos"
	same_as_list "errno of each malformed call on $1" "$work/errnos" "$2"
}

need_link
# rdma_rxe has a completion vector for each processor; the list is of two.
[ "$(nproc)" -ge 2 ] || without='CREATE_CQ_COMP_VECTOR = 0x1:'
cases $dev badioctl
without=
check "the device still works" duo 18801 ibv_rc_pingpong -d $dev -g $gid_index -n 10 -c
check "$dev goes" link_down

check "a device with every object" td_load link=ib || exit 1
check "is added" td_add testdev0
cases testdev0 badioctl-testdev
check "it goes" td_del testdev0
check "nothing is left" td_all_zero
check "the modules go" td_unload
