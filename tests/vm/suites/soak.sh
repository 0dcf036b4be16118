# SPDX-License-Identifier: GPL-2.0
#
# Every kind of message between two namespaces over a wire that misbehaves: not
# a wrong byte, no hang, and the right status when retries run out.
DRIVER=roce
. "$VM/lib/guest.sh"

sys=/sys/class/infiniband
far_hex=0000:0000:0000:0000:0000:ffff:0a00:0002
counter() { cat "$sys/$1/ports/1/hw_counters/$2"; }

# Other suites have the CRC that is faster here.
sliced_crc() {
	unload_stack && modprobe ofed_soft crc=slices &&
		grep -q slices /sys/module/ofed_soft/parameters/crc
}

two_ends() {
	net_up && load_stack && ip netns add b && ip link set eth1 netns b &&
	ip -n b addr add 10.0.0.2/24 dev eth1 && ip -n b link set lo up &&
	ip -n b link set eth1 up &&
	# Netem would lose ARP too, and that is not what is tested.
	ip neigh replace 10.0.0.2 lladdr 02:00:00:00:00:02 dev eth0 nud permanent &&
	ip -n b neigh replace 10.0.0.1 lladdr 02:00:00:00:00:01 dev eth1 nud permanent &&
	rdma link add $dev type roce netdev eth0 &&
	ip netns exec b rdma link add roceb type roce netdev eth1 &&
	wait_for 10 ready $dev && wait_for 10 gid_of roceb $far_hex
}

netem() { # WORD...: what netem shall do in both directions
	tc qdisc replace dev eth0 root netem limit 20000 "$@" &&
	tc -n b qdisc replace dev eth1 root netem limit 20000 "$@"
}

# Each run has a plan of its own.
seed=$SEED
soak() { # MODE
	seed=$((seed + 1))
	timeout -k 5 "$soak_limit" "$programs/roce_soak" $dev $gid_index \
		/run/netns/b roceb "$far_index" "$seed" "$1"
}

icrc_errors() { [ "$(counter roceb rx_icrc_errors)" -gt 0 ]; }

until_icrc() {
	for _try in $(seq 20); do
		icrc_errors && return
		soak run:50,4096 || return
	done
	icrc_errors
}

# Each message to roceb is one packet there at least.
as_packets() {
	_packets=$(counter roceb rx_packets)
	_messages=$(($(sed -n 's/.*B: .*here RC \([0-9]*\), UC \([0-9]*\) of .* UD \([0-9]*\) of .*/\1+\2+\3/p' \
		"$work/good")))
	echo "$_messages messages, $_packets packets"
	[ $_messages -gt 0 ] && [ "$_packets" -ge "$_messages" ]
}

told() { sed 's/^/     /' "$work/output"; }

check "CRCs of packets in turns" sliced_crc
check "a device here, a device in a namespace" two_ends || { dmesg | tail -n 20; exit 1; }
far_index=$(gid_of roceb $far_hex)
echo "     seed $SEED"
soak_limit=$(awk -v s="$SCALE" -v l="$limit" 'BEGIN { print int(l * 2 + 3600 * s) }')
limit=$soak_limit

# ---- a good wire, and a test that can fail -------------------------------------------
n=$(count 2000)
check "a good wire, $n messages" soak "run:$n,4194304"
cp "$work/output" "$work/good"
told
check "they came as packets" as_packets

# ---- no wire at all --------------------------------------------------------------------
direct=/sys/module/ofed_soft/parameters/direct
check "they are neighbours" sh -c "echo peer >$direct"
check "$n messages without packets" soak "run:$n,4194304"
told
check "most of them were so" [ "$(counter $dev direct_messages)" -gt $((n / 4)) ]
check "packets again" sh -c "echo off >$direct"

expect_fail "one flipped bit is found" soak run:16,4096,break
cp "$work/output" "$work/broken"
check "by the comparison" has "FAIL wrong bytes" "$work/broken"

# ---- bad ones -------------------------------------------------------------------------
if modprobe sch_netem 2>/dev/null && netem loss 0%; then
	n=$(count 1400)
	# Netem changes no byte of a fragment, so of a run only headers; their checksums
	# tell that: the ICRC has to find it where packets go alone.
	while read -r runs max what; do
		echo "$runs" >/sys/module/ofed_roce/parameters/runs
		# Unquoted on purpose: words of netem.
		check "netem $what, runs $runs" netem $what
		check "$n messages, netem $what" soak "run:$n,$max"
		told
	done <<-END
		1 4194304 loss 1%
		1 65536 loss 10%
		1 4194304 delay 2ms reorder 95% 25%
		1 4194304 duplicate 5%
		0 4194304 corrupt 1%
		1 4194304 corrupt 1%
		1 262144 delay 1ms 1ms loss 1% duplicate 1% corrupt 1% reorder 95%
	END
	for c in duplicate_request out_of_sequence rx_icrc_errors local_ack_timeout_err; do
		echo "     $c: $(counter roceb $c 2>/dev/null)"
	done
	# Which bits flip is chance: those of a few packets may all be of other headers.
	echo 0 >/sys/module/ofed_roce/parameters/runs
	netem corrupt 5%
	check "corrupt packets were told by their ICRC" until_icrc
	netem loss 0%
	echo 1 >/sys/module/ofed_roce/parameters/runs
	check "all is lost: retries run out" soak \
		"cut:tc qdisc replace dev eth0 root netem loss 100%"
	told
	tc qdisc del dev eth0 root
	tc -n b qdisc del dev eth1 root
else
	echo "     no sch_netem in this kernel: a good wire only"
fi

# ---- when nothing helps ---------------------------------------------------------------
check "no carrier: retries run out" soak "cut:ip -n b link set eth1 down"
told
ip -n b link set eth1 up
ip -n b neigh replace 10.0.0.1 lladdr 02:00:00:00:00:01 dev eth1 nud permanent
check "the carrier is back" wait_for 10 has ACTIVE "$sys/$dev/ports/1/state"
wait_for 10 gid_of roceb $far_hex
far_index=$(gid_of roceb $far_hex)
gid_index=$(gid_of $dev $gid_hex)
check "nothing posted to receive: RNR retries run out" soak rnr:
told
n=$(count 200)
check "and then $n messages" soak "run:$n,65536"

ip netns del b
check "the far device goes" wait_for 30 [ ! -e $sys/roceb ]
check "$dev goes with its network device" wait_for 30 [ ! -e $sys/$dev ]
