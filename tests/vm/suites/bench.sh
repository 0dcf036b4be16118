# SPDX-License-Identifier: GPL-2.0
#
# Figures, by 'make bench': rounds in which each setup has its turn, so that what
# happens to the machine meanwhile happens to all of them. It fails when one of ours
# breaks down; how fast they are is asked by tests/bench/report.py.
#
#   TREE_OFED, TREE_STOCK   folders made by tests/vm/modules
#   QUICK=1                 fewer cells, for less time each
#   ROUNDS, SETUPS, CELL_TIME (seconds), ONLY (an expression that cells match)
. "$VM/guest.sh"
. "$TOP/tests/bench/setups.sh"
. "$TOP/tests/bench/cells.sh"

csv=$OUT/bench.csv
list=all
[ "${QUICK:-}" != 1 ] || list=quick
ROUNDS=${ROUNDS:-3}
[ -n "${CELL_TIME:-}" ] || { CELL_TIME=0.5; [ $list = all ] || CELL_TIME=0.25; }
[ -n "${SETUPS:-}" ] || SETUPS="rxe ours driver tcp $(has_siw && echo siw)"

"$programs/bench" head >$csv
check "two wires" wires_up || exit 1
check "what limits any of them" ceilings $csv
grep ',ceiling,' $csv | cut -d, -f3,6,8,14 | sed 's/^/     /'

# An rdma_rxe that does not get there is told in the table, and is none of our faults.
cell() { # PLACE WORK OP QP SIZE QPS MTU WAIT
	timeout -k 5 "$limit" "$programs/bench" tag=$KERNEL,$round,$setup,$1 $(ends_of $1) \
		work=$2 op=$3 qp=$4 size=$5 qps=$6 mtu=$7 wait=$8 seconds=$CELL_TIME \
		>"$work/line" 2>"$work/error"
	_status=$?
	if [ $_status -eq 0 ]; then
		cat "$work/line" >>$csv
		return
	fi
	echo "$KERNEL,$round,$setup,$1,$2,$3,$4,$5,$6,$7,$8,,,,,,,,,,,,,,,,failed" >>$csv
	echo "     $setup: $*: exit $_status: $(head -n 1 "$work/error")"
	[ "$setup" = rxe ] || [ "$setup" = siw ] || failures=$((failures + 1))
}

all_of() { # lines of cells
	while read -r _line; do
		has_place ${_line%% *} || continue
		cell $_line
		done=$((done + 1))
		[ $((done % 10)) -ne 0 ] ||
			echo "     $(cut -d. -f1 /proc/uptime) s: round $round, $setup, $done cells"
	done
}

turn() {
	done=0 failures=0
	check "round $round: $setup" setup_begin $setup || {
		dmesg | tail -n 20
		setup_end
		return
	}
	cells_of $setup $list | grep -E "${ONLY:-.}" >"$work/cells"
	all_of <"$work/cells"
	check "round $round: $setup, $done cells" [ $failures -eq 0 ]
	check "round $round: $setup goes" setup_end
}

for round in $(seq "$ROUNDS"); do
	for setup in $SETUPS; do
		turn
	done
done
