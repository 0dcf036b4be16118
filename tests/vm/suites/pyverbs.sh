# SPDX-License-Identifier: GPL-2.0
#
# rdma-core's own tests. What passes on the kernel's own core and rdma_rxe must pass here,
# except expected/pyverbs-excepted.
. "$VM/lib/guest.sh"
. "$VM/lib/pyverbs.sh"

need_link
limit=$((limit * 4))
log=$OUT/pyverbs.log
check "the suite runs to its end" py_tests "$log" $dev $gid_index
grep '^module .*crashed' "$log"
py_results "$log" >"$work/results"
echo "     $(awk '{ n[$2]++ } END { for (r in n) printf "%d %s ", n[r], r }' "$work/results")"
sed -n 's/ ok$//p' "$work/results" >"$work/passed"

if [ "${RECORD:-}" = 1 ]; then
	cp "$work/passed" "$OUT/pyverbs-rxe-$lists.txt"
else
	# On our core, and on that kernel with our driver on either core.
	set --
	[ "$CORE" = stock ] || set -- "$VM/expected/pyverbs-excepted"
	_of_kernel=$VM/expected/pyverbs-excepted-$lists
	[ "$DRIVER" = rxe ] || [ ! -e "$_of_kernel" ] || set -- "$@" "$_of_kernel"
	cat /dev/null "$@" | sed -e 's/ *#.*//' -e '/^$/d' >"$work/excepted"
	grep -vE -f "$work/excepted" "$VM/expected/pyverbs-rxe-$lists.txt" >"$work/expected"
	missing() {
		comm -23 "$work/expected" "$work/passed" >"$work/missing"
		! [ -s "$work/missing" ] && return
		cat "$work/missing"
		while read -r t; do
			py_why "$log" "$t"
		done <"$work/missing"
		return 1
	}
	check "all $(wc -l <"$work/expected") tests of the list pass" missing
fi
check "$dev goes" link_down
