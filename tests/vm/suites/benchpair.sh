# SPDX-License-Identifier: GPL-2.0
#
# Figures of a wire between two VMs, by 'make bench' and tests/vm/pair: bench.sh with
# one end in each, and events for everything, as each has one processor.
. "$VM/lib/guest.sh"
. "$VM/lib/peer.sh"
. "$TOP/tests/bench/setups.sh"
. "$TOP/tests/bench/cells.sh"

csv=$OUT/bench.csv
list=all
[ "${QUICK:-}" != 1 ] || list=quick
ROUNDS=${ROUNDS:-3}
[ -n "${CELL_TIME:-}" ] || { CELL_TIME=1; [ $list = all ] || CELL_TIME=0.5; }
SETUPS=${SETUPS:-rxe,ours,driver,tcp}
ends=0
link_local() { echo $gid_hex; }

# In this shell: a job leaves what later ones need.
serve_here() {
	_job=1
	while ! [ -e $share/end ]; do
		if [ -e $share/job-$_job ]; then
			. $share/job-$_job >$share/out-$_job 2>&1
			echo $? >$share/status.tmp
			mv $share/status.tmp $share/done-$_job
			_job=$((_job + 1))
		else
			sleep 0.05
		fi
	done
}

# Both at once, or neither.
both() { # FUNCTION ARGUMENT...
	give "$*"
	"$@"
	_own=$?
	answer && [ $_own -eq 0 ]
}

cell_served() { # WORDS of the measuring program
	_ends=
	[ "$setup" = tcp ] || _ends="peerdev=$dev0 peergid=$gid0"
	timeout -k 5 "$limit" "$programs/bench" role=serve $_ends "$@"
}

cell() { # PLACE WORK OP QP SIZE QPS MTU WAIT
	_words="work=$2 op=$3 qp=$4 size=$5 qps=$6 mtu=$7 wait=$8 seconds=$CELL_TIME"
	_ends=
	[ "$setup" = tcp ] || _ends="dev=$dev0 gid=$gid0"
	give "cell_served $_words"
	timeout -k 5 "$limit" "$programs/bench" role=ask address=10.0.1.$other wire=eth0 \
		tag=$KERNEL,$round,$setup,$1 $_ends $_words >"$work/line" 2>"$work/error"
	_status=$?
	if answer >"$work/answer" && [ $_status -eq 0 ]; then
		cat "$work/line" >>$csv
		return
	fi
	echo "$KERNEL,$round,$setup,$1,$2,$3,$4,$5,$6,$7,$8,,,,,,,,,,,,,,,,failed" >>$csv
	echo "     $setup: $*: exit $_status: $(head -n 1 "$work/error") $(tail -n 1 "$work/answer")"
	[ "$setup" = tcp ] || counted
	[ "$setup" = rxe ] || failures=$((failures + 1))
}

turn() {
	done=0 failures=0
	check "round $round: $setup" both setup_begin $setup || { both setup_end; return; }
	wire_cells $setup $list | grep -E "${ONLY:-.}" >"$work/cells"
	while read -r _line; do
		cell $_line
		done=$((done + 1))
		[ $((done % 10)) -ne 0 ] ||
			echo "     $(cut -d. -f1 /proc/uptime) s: round $round, $setup, $done cells"
	done <"$work/cells"
	check "round $round: $setup, $done cells" [ $failures -eq 0 ]
	check "round $round: $setup goes" both setup_end
}

# ---- what the wire takes -------------------------------------------------------------

# Packets that have arrived here since the last time.
arrived() {
	cat /sys/class/net/eth0/statistics/rx_packets
}

pktgen() { # FILE WORD...
	_file=$1
	shift
	echo "$*" >/proc/net/pktgen/$_file
}

# Packets with so many bytes of payload, as a request of one packet has them over IPv4, out
# of the kernel to the interface, one after the other and none made anew; no row looks at
# them where they arrive.
flood() { # PAYLOAD
	pktgen kpktgend_0 rem_device_all && pktgen kpktgend_0 add_device eth0 || return
	for _w in "count 0" "delay 0" "pkt_size $(($1 + 14 + 20 + 8 + 12 + 4))" "dst 10.0.9.9" \
		"dst_mac 02:00:00:00:01:0$other" "clone_skb 1000" "burst 16"; do
		pktgen eth0 "$_w" || return
	done
	# It returns when that is over.
	pktgen pgctrl start &
	sleep 1.5
	pktgen pgctrl stop
	wait $!
}

# Lines like those of ceilings(): the payload that arrives in a second.
wire_limits() { # FILE
	use_tree ofed && modprobe pktgen || return
	for _size in 64 1024 4096 64 1024 4096; do
		give arrived && _before=$(answer | tail -n 1) _begin=$(date +%s%N)
		flood $_size || return
		_end=$(date +%s%N)
		give arrived && _after=$(answer | tail -n 1)
		[ "$_after" -gt "$_before" ] || return
		awk -v size=$_size -v n=$((_after - _before)) -v ns=$((_end - _begin)) \
			-v kernel=$KERNEL 'BEGIN {
			printf "%s,0,pktgen,kernel,ceiling,wire,,%d,1,,,,,%.3f,,,,,,,,,,,,,ok\n",
				kernel, size, n * size * 1000 / ns }' >>"$1"
	done
	rmmod pktgen
}

check "a network device" net_up || exit 1
if [ "$ROLE" = peer ]; then
	: >$share/peer
	check "jobs" serve_here
	exit 0
fi
"$programs/bench" head >$csv
check "what limits any of them" ceilings $csv
check "the peer is there" wait_for 300 [ -e $share/peer ] || exit 1
for round in $(seq "$ROUNDS"); do
	for setup in $(echo $SETUPS | tr , ' '); do
		turn
	done
	# The best counts, so a moment without other work is enough.
	check "round $round: what limits any of them" ceilings $csv
	check "round $round: what the wire takes" wire_limits $csv
done
: >$share/end
