# SPDX-License-Identifier: GPL-2.0
#
# rdma-core's own test suite as Debian ships it with python3-pyverbs. What passes
# on the kernel's own core must pass here, except lists/pyverbs-excepted.
. "$VM/guest.sh"

need_link
limit=$((limit * 4))
mkdir "$work/rdma"
cp -r /usr/share/doc/rdma-core/tests "$work/rdma/"
# Debian compresses what lies in /usr/share/doc.
gunzip -f "$work"/rdma/tests/*.gz
cd "$work/rdma" || exit 1

python3 tests/run_tests.py --dev $dev --gid $gid_index -v </dev/null >"$OUT/pyverbs.log" 2>&1
grep -E '^(Ran|OK|FAILED)' "$OUT/pyverbs.log"

# 'test_x (tests.test_y.Class)', then perhaps a docstring line, then '... ok'.
awk '/^test_[a-z0-9_]+ \(/ { name = $2; gsub(/[()]/, "", name)
	# Newer Pythons print the method inside the parentheses too.
	if (name !~ "\\." $1 "$") name = name "." $1 }
     / \.\.\. ok$/ { print name }' "$OUT/pyverbs.log" | sort >"$work/passed"
check "the suite ran to its end" grep -qE '^Ran [0-9]+ tests' "$OUT/pyverbs.log"

if [ "${RECORD:-}" = 1 ]; then
	cp "$work/passed" "$OUT/pyverbs-rxe-$list_kernel.txt"
else
	sed -e 's/ *#.*//' -e '/^$/d' "$VM/lists/pyverbs-excepted" >"$work/excepted"
	[ "$CORE" = stock ] && : >"$work/excepted"
	grep -vE -f "$work/excepted" "$VM/lists/pyverbs-rxe-$list_kernel.txt" >"$work/expected"
	missing() {
		comm -23 "$work/expected" "$work/passed" >"$work/missing"
		! [ -s "$work/missing" ] && return
		cat "$work/missing"
		while read -r t; do
			grep -A 30 -E "^(FAIL|ERROR): ${t##*.} " "$OUT/pyverbs.log" | head -n 40
		done <"$work/missing"
		return 1
	}
	check "all $(wc -l <"$work/expected") tests of the list pass" missing
fi
cd /
check "$dev goes" link_down
