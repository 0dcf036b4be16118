# SPDX-License-Identifier: GPL-2.0
#
# Counters of queue pairs by 'rdma statistic qp', of our devices: bound by hand and by itself,
# without packets and by packets. DRIVER=roce or ib.
DRIVER=${DRIVER:-roce}
. "$VM/lib/guest.sh"
. "$VM/lib/ourdev.sh"

params=/sys/module/ofed_soft/parameters

need_device
echo Y >$params/loopback
table "without packets" "$programs/qp_counters" $dev $gid_index none
echo N >$params/loopback
table "by packets" "$programs/qp_counters" $dev $gid_index packets
echo Y >$params/loopback

# ---- ends -----------------------------------------------------------------------------------
bound() { rdma statistic qp show link $dev/1 | grep -c LQPN; }
auto() { rdma statistic qp set link $dev/1 auto "$@"; }
talk() {
	ibv_rc_pingpong -e -d $dev -g $gid_index -n 100000000 >"$work/talk" 2>&1 &
	_server=$!
	wait_for 30 listening 18515
	ibv_rc_pingpong -e -d $dev -g $gid_index -n 100000000 127.0.0.1 >"$work/talk" 2>&1 &
	_client=$!
	wait_for 30 both
}
both() { [ "$(bound)" -ge 2 ]; }
none() { [ "$(bound)" -eq 0 ]; }
ended() {
	kill -9 $_server $_client
	wait $_server $_client
	wait_for 20 none
}
check "counters for each process" auto type on
for _round in 1 2 3; do
	check "two processes have theirs" talk
	check "which go with them" ended
done
check "two processes have theirs" talk
check "$dev goes under them" device_down
kill -9 $_server $_client 2>/dev/null
check "$dev again" device_up
check "it has no counter" none
check "no object of a program is left" no_user_objects
check "$dev goes" all_down
check "the modules go" unload_stack
