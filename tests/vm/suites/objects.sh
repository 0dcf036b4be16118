# SPDX-License-Identifier: GPL-2.0
#
# What 7.x adds to the ioctl() interface: DMA handles, completion counters, dma-bufs of mmap()
# offsets, buffers of queues, rights by open files, regions by one method and from pools. Each call
# answers as on the stock core, well formed or not.
. "$VM/lib/guest.sh"
. "$VM/lib/testdev.sh"
limit=$((limit * 4))

# lines PROGRAM LIST WORD...: what it prints is as on the stock core
lines() {
	_list=$2
	_program=$1
	shift 2
	run "$programs/$_program" "$@" >"$work/$_list" 2>"$work/$_list.err"
	_status=$?
	cp "$work/$_list" "$OUT/$_list.all"
	check "$_program $* ran to its end" test $_status -le 1 ||
		tail -n 3 "$work/$_list" "$work/$_list.err"
	sed 's/ STATE CHANGED.*//' "$work/$_list" >"$work/lines"
	same_as_list "$_program $*: as on the stock core" "$work/lines" "$_list"
}

need_link
lines badioctl badioctl-7 $dev 7
check "$dev goes" link_down

check "a device with every object" td_load link=ib || exit 1
check "is added" td_add testdev0
lines badioctl badioctl-7-testdev testdev0 7
lines ioctl_objects_7 objects testdev0
python3 "$TOP/tests/programs/core/nldev_cases.py" testdev0 1 pools >"$work/pools" 2>&1
same_as_list "pools of regions, by netlink" "$work/pools" pools
check "it goes" td_del testdev0
check "a device that checks lengths" td_add testdev1 robust=1
lines ioctl_lengths lengths testdev1
check "it goes too" td_del testdev1
check "nothing is left" td_all_zero
check "the modules go" td_unload
