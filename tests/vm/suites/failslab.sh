# SPDX-License-Identifier: GPL-2.0
#
# Each allocation of each create path fails once. Debug kernel only.
. "$VM/lib/guest.sh"
. "$VM/lib/testdev.sh"

if ! [ -e /proc/thread-self/fail-nth ]; then
	echo "skip: the kernel has no fault injection"
	exit 0
fi
for knob in failslab fail_page_alloc; do
	echo N >/sys/kernel/debug/$knob/ignore-gfp-wait
	echo 0 >/sys/kernel/debug/$knob/verbose
done
echo N >/sys/kernel/debug/fail_page_alloc/ignore-gfp-highmem
echo 0 >/sys/kernel/debug/fail_page_alloc/min-order

# What each object saw is worth keeping in the log.
sweep() { # NAME ARGUMENT...
	_what=$1
	shift
	check "$_what" "$programs/failslab_sweep" "$@"
	sed 's/^/     /' "$work/output"
}

check "the module loads" td_load link=ib || exit 1
for words in "link=ib" "link=ib virt_dma=1"; do
	check "a device, $words" td_add testdev0 $words
	sweep "sweep, $words" testdev0
	check "it goes, $words" td_del testdev0
	check "nothing is left, $words" td_all_zero
done

check "network devices" net_up
check "a RoCE device" td_add testdev1 link=roce netdev=eth0
sweep "sweep on RoCE" testdev1
check "it goes" td_del testdev1
check "nothing is left of it" td_all_zero

# Registration has hundreds of allocations: all of them only in a full run.
stride=$(awk -v s="$SCALE" 'BEGIN { print s < 1 ? 13 : 1 }')
sweep "registration" --write $td/ctl \
	"add testdev2" "del testdev2" "$stride"
check "nothing is left of any" td_all_zero

# Without CQs and QPs: there stock rxe's own error paths lose a queue and stop
# timers that were never set up, on the stock core as well.
check "rxe beside it" link_up
sweep "sweep on rxe" rxe0 context pd "comp channel" mr mw ah srq mcast \
	"qp to INIT" "qp to RTR" "qp to RTS" "notify cq" "query qp" "query srq"
link_down
check "the modules go" td_unload
