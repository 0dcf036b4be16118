# SPDX-License-Identifier: GPL-2.0
#
# Memory on demand: the device sees what the process has, without a pinned page.
. "$VM/lib/guest.sh"
. "$VM/lib/testdev.sh"

# A kernel without MMU notifiers has no such regions, and no device could use any.
if ! grep -qw mmu_interval_notifier_insert /proc/kallsyms; then
	ok "this kernel has no memory on demand"
	exit 0
fi

huge=
if echo 8 >/proc/sys/vm/nr_hugepages &&
   [ "$(cat /proc/sys/vm/nr_hugepages)" -ge 4 ]; then
	huge=huge
fi 2>/dev/null
# A length that no kvmalloc() takes: the stock core says so with a WARNING.
long=
[ "$CORE" = stock ] || long=long

# What each CPU has counted is added up now and then, or when it is told to.
pinned() {
	echo 1 >/proc/sys/vm/stat_refresh
	awk '/^(nr_foll_pin_acquired|nr_foll_pin_released) / { n = $2 - n } END { print n }' /proc/vmstat
}
none_pinned() { _now=$(pinned); echo "$1 before, $_now now"; [ "$_now" = "$1" ]; }
on_demand() { # DEV
	"$programs/odp" "$1" "$(count 20000)" $huge $long >"$OUT/odp-$1" 2>&1 && return
	grep -v '^ok ' "$OUT/odp-$1"
	return 1
}
killed() {
	"$programs/odp" testdev2 100000000 >"$OUT/odp-killed" 2>&1 &
	_pid=$!
	wait_for 60 grep -q 'fight' "$OUT/odp-killed" || return
	"$@" $_pid
}
no_regions() { [ "$(td_count testdev2 mr)" = 0 ]; }
ends() { kill -9 "$1"; wait "$1"; wait_for 20 no_regions; }

check "the module loads" td_load link=ib || exit 1
for virt in 0 1; do
	check "a device, virt_dma=$virt" td_add testdev$virt virt_dma=$virt
	pins=$(pinned)
	check "regions on demand, virt_dma=$virt ($huge)" on_demand testdev$virt
	check "no page was pinned, virt_dma=$virt" none_pinned "$pins"
	check "nothing is left, virt_dma=$virt" [ "$(td_count testdev$virt mr)" = 0 ]
	check "the device goes, virt_dma=$virt" td_del testdev$virt
	check "and leaves nothing, virt_dma=$virt" td_all_zero
done
check "a device" td_add testdev2
check "kill -9 while pages come and go" killed ends
check "it goes" td_del testdev2
check "nothing is left of it" td_all_zero
check "all of it goes" td_unload
