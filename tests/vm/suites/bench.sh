# SPDX-License-Identifier: GPL-2.0
#
# Figures, by 'make bench': rounds in which each setup has its turn, so that what
# happens to the machine meanwhile happens to all of them. It fails when one of ours
# breaks down; how fast they are is asked by tests/bench/report.py.
#
#   TREE_OFED, TREE_STOCK   folders made by tests/vm/modules
#   SIW_CRC                 a siw with CRCs (tests/vm/siw)
#   QUICK=1                 fewer cells, for less time each
#   ROUNDS, SETUPS (with commas), CELL_TIME (seconds), ONLY (an expression that cells
#                           match, without blanks)
#   KALLSYMS=1              leave the symbols of the kernel for tests/bench/profile
#   CLOCK                   MHz of the host, where the guest has its time stamp counter
. "$VM/lib/guest.sh"
. "$TOP/tests/bench/setups.sh"
. "$TOP/tests/bench/cells.sh"

csv=$OUT/bench.csv port=18600
# siw refuses even root what is above the limit.
ulimit -l unlimited
list=all
[ "${QUICK:-}" != 1 ] || list=quick
ROUNDS=${ROUNDS:-3}
[ -n "${CELL_TIME:-}" ] || { CELL_TIME=0.5; [ $list = all ] || CELL_TIME=0.25; }
[ -n "${SETUPS:-}" ] || SETUPS=rxe,ours,driver,tcp,iwarp,iwplain$(has_siw && echo ,siw)${SIW_CRC:+,siwcrc}

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
	[ "$setup" = tcp ] || counted
	case $setup in rxe|siw|siwcrc) ;; *) failures=$((failures + 1)) ;; esac
}

# The same by the program that is well known, as a check of ours. It polls, but one
# side only, for a WRITE or a READ; it wants to read a clock rate.
perftest() { # PLACE OP SIZE MTU
	_ends="-d $dev0 -x $gid0"
	_far=$_ends
	[ "$1" = host ] || _far="-d $dev1 -x $gid1"
	_n=$((33554432 / $3))
	[ "$_n" -le 2000 ] || _n=2000
	port=$((port + 1))
	# Its greeting takes the loopback, what is measured does not.
	_options="-s $3 -m $4 -n $_n -F -p $port"
	timeout -k 5 "$limit" ib_$2_bw $_far $_options >"$work/server" 2>&1 &
	_server=$!
	wait_for 30 listening $port &&
		timeout -k 5 "$limit" ib_$2_bw $_ends $_options 127.0.0.1 >"$work/line" 2>"$work/error"
	_status=$?
	[ $_status -eq 0 ] || kill $_server 2>/dev/null
	wait $_server || _status=1
	# Its MB are of 2^20 bytes.
	_rate=$(awk -v s="$3" '$1 == s { printf "%.3f", $4 * 1.048576 }' "$work/line")
	[ $_status -eq 0 ] && [ -n "$_rate" ] || { tail -n 5 "$work/server"; return 1; }
	# On a busy machine it does not trust the clock that it has measured.
	[ "$_rate" != 0.000 ] || { echo "     $setup: $*: perftest has no clock"; return; }
	echo "$KERNEL,$round,$setup,$1,perftest,$2,rc,$3,1,$4,poll,,$_n,$_rate,,,,,,,,,,,,,ok" >>$csv
}

has_clock_rate() {
	grep -q '^cpu MHz' /proc/cpuinfo && return
	{ cat /proc/cpuinfo; echo "cpu MHz : ${CLOCK:-1000.000}"; } >"$work/cpuinfo" &&
		mount -o bind "$work/cpuinfo" /proc/cpuinfo
}

all_of() { # lines of cells
	while read -r _line; do
		has_place ${_line%% *} || continue
		case $_line in
		*" perftest "*)
			set -- $_line
			perftest $1 $3 $5 $7 || {
				echo "     $setup: $_line: $(tail -n 1 "$work/error")"
				[ "$setup" = rxe ] || failures=$((failures + 1))
			} ;;
		*)	cell $_line ;;
		esac
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
	[ -z "${KALLSYMS:-}" ] || cp /proc/kallsyms "$OUT/kallsyms"
	all_of <"$work/cells"
	check "round $round: $setup, $done cells" [ $failures -eq 0 ]
	check "round $round: $setup goes" setup_end
}

check "a clock rate for perftest" has_clock_rate
for round in $(seq "$ROUNDS"); do
	for setup in $(echo $SETUPS | tr , ' '); do
		turn
	done
	# The best counts, so a moment without other work is enough.
	check "round $round: what limits any of them" ceilings $csv
done
