# SPDX-License-Identifier: GPL-2.0
#
# Tracepoints: which there are and what they have, as on the stock core; what a
# connection is told by; every command of Documentation/howto/tracing.md.
. "$VM/lib/guest.sh"
. "$VM/lib/cm.sh"
. "$VM/lib/umad.sh"

grep -qw tracefs /proc/filesystems || {
	check "a kernel without tracing" [ "$KERNEL" = um ]
	exit
}
tracing=/sys/kernel/tracing
events=$tracing/events
page=$TOP/Documentation/howto/tracing.md
families="ib_cma ib_mad ib_umad rdma_cma rdma_core"

need_cm
mountpoint -q $tracing || mount -t tracefs tracefs $tracing
check "tracepoints of each family" ls $(printf "$events/%s/enable " $families) || exit 1

# ---- names and fields -----------------------------------------------------------
# What each event has of its own; which names its numbers have is told once for all.
# Unquoted on purpose: patterns of files.
awk 'FNR == 1 { n = split(FILENAME, part, "/"); print part[n - 2] ":" part[n - 1] }
	/^(name|ID|format):/ || /common_/ || /^$/ { next }
	{ print }' $(printf "$events/%s/*/format " $families) >"$work/all"
names='__print_symbolic\(REC->[a-z_]*, [^)]*\)'
{
	sed -E 's/(__print_symbolic\(REC->[a-z_]*), [^)]*\)/\1)/g' "$work/all"
	grep -oE "$names" "$work/all" | sort -u
} >"$work/formats"
# How the bytes of a number are swapped is up to the kernel's configuration.
case $KERNEL in um*|debug) without='bswap|fswab' ;; esac
same_as_list "events and their fields" "$work/formats" trace
without=

# ---- a connection ---------------------------------------------------------------
on() { for family in $families; do echo "$1" >$events/$family/enable || return; done; }
# Long messages are ten thousands of events: the first ones shall still be there.
begin() { echo 16384 >$tracing/buffer_size_kb && echo >$tracing/trace && on 1; }
end() { on 0 && cp $tracing/trace "$work/$1" && cp "$work/$1" "$OUT/$1"; }
pings() {
	talk tcp 7174 "rping -s -a $at -C 1" "rping -c -a $at -C 1"
}
counts() { # FILE EVENT
	grep -c ": $2: " "$work/$1"
}
some() { # FILE EVENT...
	_file=$1
	shift
	for _event; do
		counts "$_file" "$_event" >/dev/null || { echo "no $_event"; cat "$work/$_file"; return 1; }
	done
}
# Of each event once: both ends run at a time, and what is late is sent again. An MRA is
# said when the peer is late, and TimeWait may end after us.
story() {
	sed -nE 's/^.*[0-9]: ([a-z_]+: .*)$/\1/p' "$work/$1" | grep -E '^(cm|icm|ib_mad)_' |
		grep -vE 'mra|_agent: |attr_id 0x(00)?11|TIMEWAIT_EXIT' | sed -E \
		-e 's/(cm\.id|qp_num|local_id|remote_id)=[1-9][0-9]*/\1=N/g' -e 's/cm\.id=0/cm.id=N/' \
		-e 's/(src|dst)=([0-9.]+):[0-9]+/\1=\2:PORT/g' \
		-e 's/dst=(\(einval\)|0\.0\.0\.0:PORT)/dst=none/' -e "s/device=$dev/device=DEV/" \
		-e 's/state=(MRA_)?(REQ|REP)_(SENT|RCVD)/state=\2/' \
		-e 's/^(ib_mad[a-z_]*: )[0-9]+:/\1DEV:/' -e 's/agent [^ :]+/agent N/' \
		-e 's/(tid|wrtid) 0x[0-9a-f]+/\1 N/g' -e 's/[0-9]+\/[0-9]+ retries/N retries/' \
		-e 's/timeout [0-9]+/timeout N/' | sort -u
}
way 4
check "tracing begins" begin
check "rping" pings
check "tracing ends" end rping
check "events of rdma_cm" some rping cm_id_attach cm_event_handler cm_event_done cm_id_destroy
check "events of regions" some rping mr_dereg
if [ "$DRIVER" != iwarp ]; then
	check "events of the CM" some rping icm_send_req icm_send_rep icm_send_rtu icm_send_dreq icm_send_drep
	check "events of MADs" some rping ib_mad_ib_send_mad ib_mad_send_done_handler \
		ib_mad_send_done_agent ib_mad_recv_done_handler ib_mad_recv_done_agent
	check "events of completion queues" some rping cq_schedule cq_process cq_poll
	story rping >"$work/story"
	same_as_list "what they tell" "$work/story" trace-rping
fi

# ---- what goes wrong ------------------------------------------------------------
unwanted() { timeout 60 rping -c -a $at -C 1 -p 7999; [ $? -eq 255 ]; }
check "tracing begins again" begin
check "no listener" unwanted
check "tracing ends again" end refused
[ "$DRIVER" = iwarp ] || check "its events" some refused icm_issue_rej icm_no_listener_err
check "the consumer hears of it" grep -q "cm_event_handler: .* REJECTED" "$work/refused"

# ---- programs that send MADs ------------------------------------------------------
# On the emulated kernels it takes half a minute to have another port answer.
talks() { "$programs/umad_talk" $dev $gid6 $peer $peer6; }
alone() { # It has no address on Ethernet: the write fails, and is traced.
	timeout 60 ibping -c 1 -C $dev -L 1
	[ $? -ne 124 ]
}
if [ "$DRIVER" != iwarp ] && have_umad; then
	check "umad" wait_for 60 [ -c /dev/infiniband/umad0 ]
	mads="ib_mad_create_agent ib_umad_write ib_mad_unregister_agent"
	talk=alone
	case $KERNEL in
	um*)	check "$peer on eth1" rdma link add $peer type $DRIVER netdev eth1
		check "the GID of $dev" wait_for 60 gid_of $dev fe80:0000:0000:0000:0000:00ff:fe00:0001
		check "the GID of $peer" wait_for 60 gid_of $peer fe80:0000:0000:0000:0000:00ff:fe00:0002
		mads="$mads ib_umad_read_recv ib_umad_read_send"
		talk=talks ;;
	esac
	check "tracing of a program begins" begin
	check "a program" $talk
	check "tracing of a program ends" end umad
	check "its agents, what it writes and reads" some umad $mads
	[ $talk = alone ] || check "$peer goes" rdma link delete $peer
fi

# ---- a device comes and goes --------------------------------------------------------
again() { rdma link delete $dev && rdma link add $dev type $DRIVER netdev eth0 && wait_for 30 ready $dev; }
check "tracing of devices begins" begin
check "$dev goes and comes" again
check "tracing of devices ends" end device
check "events of rdma_cm's devices" some device cm_remove_one cm_add_one
[ "$DRIVER" = iwarp ] || check "events of completion queues that come and go" some device cq_free cq_alloc

# ---- the engine ---------------------------------------------------------------------
# Each event of ours once, by its cause. With packets, since those can be lost.
engine_on() {
	echo "$1" >$events/ibt/enable && echo "$1" >$events/soft_task/enable
}
# engine FILE COMMAND...: what is traced meanwhile
engine() {
	_file=$1
	shift
	echo 16384 >$tracing/buffer_size_kb && echo >$tracing/trace && engine_on 1 || return
	"$@"
	_status=$?
	engine_on 0 && cp $tracing/trace "$work/$_file" && cp "$work/$_file" "$OUT/$_file"
	return $_status
}
shows() { # FILE EVENT EXPRESSION
	grep -E ": $2: .*$3" "$work/$1" | head -n 3 | grep . ||
		{ grep ": $2: " "$work/$1" | head -n 20; return 1; }
}
stream() { # KIND TIMEOUT [WRAPPER...]
	_kind=$1 _ack=$2
	shift 2
	timeout -k 5 "$limit" "$@" "$programs/busy_stream" $dev $gid_index $dev $gid_index \
		$_kind 65536 4 1 $_ack
}
lossy() { # KIND TIMEOUT: one packet of 50
	echo 200 >$faults/drop || return
	stream "$1" "$2"
	_lost=$?
	echo 0 >$faults/drop
	return $_lost
}
# The last processor is not the program's, if there are several.
held() {
	_last=$(($(nproc) - 1))
	chrt -f 50 taskset -c $_last sh -c 'while :; do :; done' &
	_hog=$!
	stream mixed 18 taskset -c 0
	_held=$?
	kill $_hog
	wait $_hog 2>/dev/null
	return $_held
}
the_engine() {
	faults=/sys/kernel/debug/ofed_soft/$dev
	params=/sys/module/ofed_soft/parameters
	mountpoint -q /sys/kernel/debug || mount -t debugfs debugfs /sys/kernel/debug
	echo 0 >$params/loopback
	check "a SEND without a receive request" engine rnr "$programs/look" $dev $gid_index rnr
	check "ibt_qp_state" shows rnr ibt_qp_state 'RTR -> RTS$'
	check "ibt_tx" shows rnr ibt_tx 'psn=100 length=64 '
	check "ibt_rx" shows rnr ibt_rx 'psn=100 length=64 '
	check "ibt_rnr_tx" shows rnr ibt_rnr_tx 'psn=100 timer=14$'
	check "ibt_rnr_rx" shows rnr ibt_rnr_rx 'psn=100 timer=14$'
	check "ibt_retry by RNR" shows rnr ibt_retry ' rnr, again from psn=100,'
	check "a WRITE by a wrong key" engine nak "$programs/look" $dev $gid_index nak
	check "ibt_nak_tx" shows nak ibt_nak_tx 'psn=100 syndrome=0x62 remote access error$'
	check "ibt_nak_rx" shows nak ibt_nak_rx 'psn=100 syndrome=0x62 remote access error$'
	check "ibt_qp_state by a failure" shows nak ibt_qp_state '-> ERR$'
	check "WRITEs of which packets are lost" engine single lossy write 18
	check "ibt_retry of single packets" shows single ibt_retry ' selective, again from psn='
	check "ibt_nak_tx of their gap" shows single ibt_nak_tx 'syndrome=0x60 PSN sequence error$'
	echo 0 >$params/selective
	check "the same without selective retransmission" engine lost lossy write 18
	check "ibt_retry by NAK" shows lost ibt_retry ' nak, again from psn='
	check "ibt_retry early" shows lost ibt_retry ' early, again from psn='
	check "ibt_nak_tx of a gap" shows lost ibt_nak_tx 'syndrome=0x60 PSN sequence error$'
	check "soft_task_queue" shows lost soft_task_queue 'qpn=[1-9].* ibt_[a-z_]+ .*to cpu='
	check "READs of which packets are lost" engine gaps lossy read 18
	check "ibt_retry by a gap" shows gaps ibt_retry ' gap, again from psn='
	echo 0 >$params/early
	check "the same without early retransmission" engine late lossy write 12
	check "ibt_retry by timeout" shows late ibt_retry ' timeout, again from psn='
	echo 1 >$params/early
	echo 1 >$params/selective
	# A task is late where another processor was to run it.
	if [ "$(nproc)" -gt 1 ]; then
		check "a processor is held" engine held held
		check "soft_task_late" shows held soft_task_late \
			'qpn=[1-9].* taken over by a (call|timer|work) after [1-9][0-9]+ ns$'
	else
		check "soft_task_late is there" ls $events/soft_task/soft_task_late/enable
	fi
	echo 1 >$params/loopback
	check "without packets: a SEND without a receive request" \
		engine local "$programs/look" $dev $gid_index rnr
	check "without packets: ibt_rnr_tx" shows local ibt_rnr_tx 'psn=100 timer=14$'
	check "without packets: none of it" sh -c "! grep -E ': ibt_[tr]x: .*psn=100 ' $work/local"
	check "and path migration has one" ls $events/ibt/ibt_path_mig/enable
}
[ "$DRIVER" != roce ] || the_engine

# ---- their owners -----------------------------------------------------------------
owners() { rdma resource show qp link $dev/1; rdma resource show cq dev $dev; rdma resource show pd dev $dev; }
if [ "$DRIVER" != iwarp ]; then
	owners >"$work/owners"
	check "QP, CQ and PD for MADs are ib_core's" [ "$(grep -c 'comm \[ib_core\]' "$work/owners")" = 3 ]
	check "and there are no others" [ "$(grep -c comm "$work/owners")" = 3 ]
fi

# ---- the page -----------------------------------------------------------------------
# Programs of the distribution want its kernel: on the other one the page takes as long
# again, and is for the soak.
connections() {
	talk tcp 7471 "ucmatose -b $at -c 50 -C 1" "ucmatose -s $at -c 50 -C 1"
}
traffic() {
	while ! [ -e "$work/enough" ]; do
		connections || return
	done >"$work/traffic" 2>&1
}
lists_numbers() { grep -qE '^ +[1-9][0-9,]* +(rdma_core:cq_poll|rdma_cma:cm_send_req)' "$work/said"; }
# said COMMAND: it succeeds, and says something of what goes on
said() {
	timeout -k 5 "$limit" sh -c "$1" </dev/null >"$work/said" 2>&1
	_status=$?
	cat "$work/said"
	[ $_status -eq 0 ] || return
	case $1 in
	ls*)		has cm_event_handler "$work/said" ;;
	cat*)		has "unsigned long event" "$work/said" ;;
	perf*)		lists_numbers ;;
	*record*)	trace-cmd report -i /tmp/trace.dat 2>&1 | grep -q icm_send_req ;;
	*report*)	has icm_send_req "$work/said" && has "cm_event_handler" "$work/said" ;;
	bpftrace*)	grep -qE '^(@.*: [1-9]|\[.*\) +[1-9])' "$work/said" ;;
	*)		echo "the suite does not know it"; return 1 ;;
	esac
}
# On a busy host nothing may happen in the time of a command.
tells() { said "$1" || said "$1" || said "$1"; }
the_page() {
	traffic &
	traffic=$!
	"$TOP/tests/pages/fences" "$page" "$work/blocks" &&
		sed -s 1d "$work"/blocks/*.by >"$work/commands"
	check "the page has commands" [ "$(grep -c . "$work/commands")" -ge 8 ]
	while IFS= read -r command; do
		check "$(echo "$command" | cut -c 1-60)" tells "$command"
	done <"$work/commands"
	touch "$work/enough"
	check "programs went on meanwhile" wait $traffic
}
case $KERNEL-$DRIVER in
um*|*-iwarp) ;;
6.1-*)	the_page ;;
*)	[ "$SCALE" != 1 ] || the_page ;;
esac
check "$dev goes for good" link_down
check "all modules go" unload_stack
check "and their tracepoints" [ ! -e $events/rdma_cma ]
