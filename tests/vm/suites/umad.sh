# SPDX-License-Identifier: GPL-2.0
#
# Management datagrams of programs, by /dev/infiniband/umadN and issmN: what sysfs
# and netlink tell, every call and its errors, two ports that talk, and Debian's
# programs as far as they go on Ethernet. The rows are what the kernel's own
# module does: CORE=stock has to pass as well.
. "$VM/lib/guest.sh"
. "$VM/lib/umad.sh"

# ---- the nodes ------------------------------------------------------------------
umad_up
mad=/sys/class/infiniband_mad
attribute() { [ "$(cat "$mad/$1")" = "$2" ]; }
mode() { [ "$(stat -c %a "$1")" = 600 ]; }
check "ABI" attribute abi_version 5
check "$dev is umad0" attribute umad0/ibdev $dev
check "port of umad0" attribute umad0/port 1
check "numbers of umad0" attribute umad0/dev 231:0
if has_issm; then
	check "$dev is issm0" attribute issm0/ibdev $dev
	check "port of issm0" attribute issm0/port 1
	check "numbers of issm0" attribute issm0/dev 231:64
	check "numbers of issm1" attribute issm1/dev 231:65
	check "mode of issm0" mode /dev/infiniband/issm0
else
	check "no issm0" [ ! -e $mad/issm0 ]
fi
check "$peer is umad1" attribute umad1/ibdev $peer
check "mode of umad0" mode /dev/infiniband/umad0
expect_fail "another user" as_user dd if=/dev/infiniband/umad0 count=0

# ---- the calls, and two ports ------------------------------------------------------
more= limits=
case $KERNEL in
um*)	# A file that is full takes 150,000 packets, which is for the speed of the host.
	[ "$CORE" = stock ] || limits=limits ;;
*)	more=compat ;;
esac
# Unquoted on purpose: nothing, or a word.
table "calls" "$programs/umad_table" $dev $gid6 $peer $peer6 $more
table "talk" "$programs/umad_talk" $dev $gid6 $peer $peer6 $limits

# ---- Debian's programs ---------------------------------------------------------------
check "ibstat" sh -c "ibstat $dev | grep -q 'State: Active'"
check "ibstat -p" sh -c "ibstat -p | grep -c '^0x' | grep -qx 2"
check "ibstatus" sh -c "ibstatus $dev | grep -q 'state:.*4: ACTIVE'"
# They have no addresses but LIDs.
says() { # TEXT CMD...
	_text=$1
	shift
	timeout -k 5 "$limit" "$@" >"$work/said" 2>&1
	cat "$work/said"
	has "$_text" "$work/said"
}
check "ibping has no address on Ethernet" says "send failed; Invalid argument" \
	ibping -c 1 -C $dev -L 1
check "smpquery has no QP0 on Ethernet" says "client_register for mgmt 1 failed" \
	smpquery -C $dev -D nodeinfo 0
serves() {
	ibping -S -C $dev >"$work/ibping" 2>&1 &
	_pid=$!
	wait_for 20 sh -c "ls -l /proc/$_pid/fd | grep -q infiniband/umad" || return
	kill $_pid
	wait $_pid
	return 0
}
check "ibping serves" serves

# ---- namespaces -------------------------------------------------------------------------
opens() { # MODE NODE ERROR
	(eval "exec 3$1/dev/infiniband/$2") 2>"$work/error" && return
	cat "$work/error"
	return 1
}
refused() { ! ip netns exec x sh -c "exec 3$1/dev/infiniband/$2" 2>"$work/error" && has "not permitted" "$work/error"; }
exclusive() { rdma system set netns exclusive && ip netns add x; }
shared() { ip netns del x && wait_for 20 rdma system set netns shared; }
check "devices are of one namespace each" exclusive
check "umad0 from another" refused "<>" umad0
! has_issm || check "issm0 from another" refused "<" issm0
check "umad0 from its own" opens "<>" umad0
! has_issm || check "issm0 from its own" opens "<" issm0
check "devices are shared" shared

# ---- coming and going -----------------------------------------------------------------------
check "$peer goes" rdma link delete $peer
check "umad1 with it" wait_for 10 [ ! -e $mad/umad1 ]
! has_issm || check "and issm1" [ ! -e $mad/issm1 ]
check "it comes again" rdma link add $peer type $DRIVER netdev eth1
check "as umad1" wait_for 20 attribute umad1/ibdev $peer
check "$peer goes for good" rdma link delete $peer
umad_down
