# SPDX-License-Identifier: GPL-2.0
#
# Memory on demand on a device of this driver: pages are absent, come, and are taken away under
# traffic, straight from one queue pair to the other and by packets.
. "$VM/lib/guest.sh"

loopback=/sys/module/ofed_soft/parameters/loopback
# What each CPU has counted is added up now and then, or when it is told to: the kernel that is a
# process has one.
pinned() {
	! [ -e /proc/sys/vm/stat_refresh ] || echo 1 >/proc/sys/vm/stat_refresh
	awk '/^(nr_foll_pin_acquired|nr_foll_pin_released) / { n = $2 - n } END { print n }' /proc/vmstat
}
groups=/sys/fs/cgroup
# A kernel that is a process has no such cgroups.
group_up() {
	mountpoint -q $groups || mount -t cgroup2 none $groups || return
	grep -qw memory $groups/cgroup.controllers || return
	echo +memory >$groups/cgroup.subtree_control
	mkdir $groups/odp
} 2>/dev/null
none_pinned() { _now=$(pinned); echo "$1 before, $_now now"; [ "$_now" = "$1" ]; }
killed() {
	"$programs/odp_traffic" $dev $gid_index 100000000 >"$OUT/odp-killed" 2>&1 &
	_pid=$!
	wait_for "$limit" grep -q fight "$OUT/odp-killed" || return
	sleep 1
	kill -9 $_pid
	wait $_pid
	wait_for 20 no_regions
}
no_regions() { ! rdma resource show mr dev $dev | grep -q "pid $_pid"; }

need_link
pins=$(pinned)
if group_up; then
	table "the memory cgroup" sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' $groups/odp \
		"$programs/odp_traffic" $dev $gid_index charged 1000 $groups/odp/memory.current
	check "the memory cgroup goes" rmdir $groups/odp
fi
for way in Y N; do
	echo $way >$loopback
	table "loopback=$way" "$programs/odp_traffic" $dev $gid_index "$(count 20000)"
	check "kill -9 while pages come and go, loopback=$way" killed
done
echo Y >$loopback
check "no page is pinned" none_pinned "$pins"
check "$dev goes" link_down
