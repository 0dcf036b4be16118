. "$VM/guest.sh"
. "$VM/testdev.sh"
for knob in failslab fail_page_alloc; do
	echo N >/sys/kernel/debug/$knob/ignore-gfp-wait
	echo 0 >/sys/kernel/debug/$knob/verbose
done
echo N >/sys/kernel/debug/fail_page_alloc/ignore-gfp-highmem
echo 0 >/sys/kernel/debug/fail_page_alloc/min-order
link_up
for s in "context" "pd" "comp channel" "cq" "mr" "mw" "ah" "srq" "qp (rc)" "qp (ud, srq)" "mcast" "qp to INIT" "qp to RTR" "qp to RTS" "resize cq" "query qp"; do
	echo "STEP $s"
	"$programs/failslab_sweep" rxe0 "$s" 
	check "leak $s" no_leaks
	echo clear > /sys/kernel/debug/kmemleak
done
link_down
