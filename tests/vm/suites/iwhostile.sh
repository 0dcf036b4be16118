# SPDX-License-Identifier: GPL-2.0
#
# ofed_iwarp and what goes wrong: statuses by their cause, peers that send nonsense,
# processes, devices and interfaces that end in the middle of traffic.
. "$VM/lib/guest.sh"
. "$VM/lib/iwarp.sh"

n=$(count 500)
check "a clock" clock
check "a wire between two namespaces" wire_up || exit 1
check "two devices" devices_up || exit 1
for way in Y N; do
	check "loopback=$way" loopback $way
	table "statuses, loopback=$way" "$programs/iw_status" 10.0.0.1
done
check "loopback=Y" loopback Y
# The kernel's own core believes any number.
[ "$CORE" != ofed ] || table "queue pairs of others" "$programs/iw_theft" 10.0.0.1

works() {
	over 7174 rping -s -a 10.0.0.2 -C 5 -V -- rping -c -a 10.0.0.2 -C 5 -V
}

# ---- a peer that does what no device would -------------------------------------------
ends() { # CASE of iw_ends and iw_peer.py
	over 7180 "$programs/iw_ends" "$1" 10.0.0.2 7180 -- \
		python3 "$TOP/tests/programs/wire/iw_peer.py" "$1" 10.0.0.2 7180
}
check "urgent bytes" ends urgent
check "a Terminate names a READ by its header" ends header
check "a Terminate names a READ by its request" ends request_alone
check "a Terminate names a READ that is none" ends stranger
check "atomics with masks, and one that is not aligned" ends atomic
asks() { # the same, and iw_ends is the one that connects
	over 7181 python3 "$TOP/tests/programs/wire/iw_peer.py" "$1" 10.0.0.2 7181 -- \
		"$programs/iw_ends" "$1" 10.0.0.2 7181
}
check "a READ that says ready counts for the ORD" asks ready_by_read
check "32768 requests are done at once" ends behind
check "32768 requests are flushed at once" ends unanswered
check "a peer that is late with its end" ends late
check "a peer that is slow to read" ends slow
patience() { echo "$1" >/sys/module/ofed_iwarp/parameters/close_time; }
check "a second for an end that closes" patience 1
check "a peer that never ends" ends never
check "a minute for an end that closes" patience 60

# ---- a peer that is none -------------------------------------------------------------
nonsense() {
	begin 7174 rping -s -P -a 10.0.0.2 -- python3 "$TOP/tests/programs/wire/iw_garbage.py" \
		10.0.0.2 7174 "$(count 1000000)" "$SEED" || return
	timeout -k 5 $((limit * 10)) $client >"$work/client" 2>&1
	_client=$?
	kill $_server
	wait $_server
	cat "$work/client"
	return $_client
}
check "nonsense" nonsense
check "and it still works" works

# As many connections without a word as a listener keeps, and more. (hw/iwarp/cm_listen.c)
silent() {
	begin 7174 rping -s -P -a 10.0.0.2 -- python3 "$TOP/tests/programs/wire/iw_silent.py" \
		10.0.0.2 7174 1300 1024 || return
	timeout -k 5 $((limit * 2)) $client
	_client=$?
	# They have ended: there is room again.
	timeout -k 5 "$limit" rping -c -a 10.0.0.2 -C 5 -V
	_status=$?
	kill $_server
	wait $_server
	[ $_client -eq 0 ] && [ $_status -eq 0 ]
}
check "silent connections are bounded, the newest stay" silent
head -n 1 "$work/output"

# Each failed attempt to hold on to a piece of an FPDU leaves it with TCP. TCP itself forgets
# a FIN that it has no memory for, and the end that closes then waits as long as it may.
fault=/sys/kernel/debug/failslab
short() {
	modprobe sch_netem && tc qdisc add dev eth0 root netem delay 1ms reorder 90% || return
	# In softirq only, where no context can wait for memory.
	echo Y >$fault/ignore-gfp-wait && echo -1 >$fault/times && echo 0 >$fault/verbose &&
		echo 5 >$fault/probability || return
	# TCP's errno of a bind() that has no memory is EADDRINUSE.
	for _try in 1 2 3 4 5; do
		over 7174 rping -s -a 10.0.0.2 -C $n -V -S 60000 -- \
			rping -c -a 10.0.0.2 -C $n -V -S 60000 >"$work/short" 2>&1
		_status=$?
		[ $_status -ne 0 ] && has "Address already in use" "$work/short" || break
	done
	cat "$work/short"
	echo 0 >$fault/probability
	tc qdisc del dev eth0 root
	return $_status
}
if [ -d $fault ]; then
	check "a few seconds for an end that closes" patience 5
	check "memory is short" short
	check "a minute again" patience 60
fi

# ---- the end of something in the middle of traffic --------------------------------------
# In the background; $_server and $_asker are its ends. Its second connection may come
# too early, as in over.
traffic() {
	try_traffic && return
	kill -9 $_asker $_server $(pgrep -P $_server) 2>/dev/null
	wait
	grep -qs 'EVENT_REJECTED; error: -111' "$work/client" && try_traffic
}
to=10.0.0.2
try_traffic() {
	begin 18515 ib_write_bw -F -R -D 30 -- ib_write_bw -F -R -D 30 $to || return
	$client >"$work/client" 2>&1 &
	_asker=$!
	wait_for 20 moving
}
moving() { [ "$(counter $what)" -gt "$base" ]; }
mark() { base=$(($(counter $what) + 1000)); }
what=tx_fpdus
ended() { ! kill -0 "$1" 2>/dev/null; }
queue_pairs() { rdma resource show qp | grep -c iwarp; }
nothing_left() { [ "$(queue_pairs)" -eq 0 ]; }

kill_one() { # asker | server
	mark
	traffic || return
	if [ "$1" = asker ]; then
		kill -9 $_asker
	else
		kill -9 $(pgrep -P $_server) $_server
	fi
	wait_for 40 ended $_asker && wait_for 40 ended $_server
	_ok=$?
	wait
	[ $_ok -eq 0 ] && wait_for 40 nothing_left
}
check "the requester is killed" kill_one asker
check "the responder is killed" kill_one server
check "and it still works" works

away() { # COMMAND...: takes a device away
	mark
	traffic || return
	"$@" || return
	kill -9 $_asker $_server $(pgrep -P $_server) 2>/dev/null
	wait
}
gone() { ! rdma dev | grep -q "$1"; }
back() {
	rdma link add iwarp0 type iwarp netdev eth0 && wait_for 10 active iwarp0
}
check "rdma link delete in the middle" away rdma link delete iwarp0
check "it comes back" back
check "and it still works" works

# The same with both ends here, and nothing of it in TCP.
_b=$b b= to=10.0.0.1 what=tx_local_fpdus
check "here: the requester is killed" kill_one asker
check "here: the responder is killed" kill_one server
check "here: rdma link delete in the middle" away rdma link delete iwarp0
check "it comes back" back
b=$_b to=10.0.0.2 what=tx_fpdus
check "and it still works" works
check "no object of a program is left" wait_for 20 no_user_objects
check "the interface goes in the middle" away ip link delete eth0
check "and takes both devices along" wait_for 40 gone iwarp
check "the namespace goes" ip netns delete b
check "the modules go" wait_for 40 unload_stack
