# SPDX-License-Identifier: GPL-2.0
#
# Packets and rings that no honest program makes. What is tested besides the silence
# of the kernel: bytes that no packet may touch, and the messages of others.
DRIVER=roce
. "$VM/lib/guest.sh"

sys=/sys/class/infiniband
limit=$((limit * 20))
counters=$sys/$dev/ports/1/hw_counters

counter() { cat "$counters/$1"; }
keep() { # COUNTER...: their values now
	for _c in "$@"; do counter "$_c" >"$work/kept-$_c"; done
}
grew() { # COUNTER...
	for _c in "$@"; do
		[ "$(counter "$_c")" -gt "$(cat "$work/kept-$_c")" ] && continue
		echo "$_c stayed $(counter "$_c")"
		return 1
	done
}
gone() { ! [ -e "$sys/$1" ]; }
told() { # the last lines of a program that passed
	tail -n 4 "$work/output" | sed 's/^/     /'
}
# Not a line for a packet or a request: a few at most for all of them.
quiet() { # LINES
	_new=$(($(dmesg | wc -l) - $1))
	[ $_new -le 5 ] && return
	dmesg | tail -n $_new | head -n 20
	return 1
}

# ---- packets -------------------------------------------------------------------
need_link
ip netns add b
ip link set eth1 netns b
ip -n b link set lo up
ip netns exec b sysctl -qw net.ipv6.conf.eth1.accept_dad=0
for net in "-n b" ""; do
	_number=${net:+1}
	ip $net link set eth${_number:-0} mtu 4200
	ip $net link set eth${_number:-0} up
done
ip -n b addr add 10.0.0.2/24 dev eth1
ip -n b addr add 10.0.0.3/24 dev eth1
ip -n b addr add fd00::3/64 dev eth1
ip addr add fd00::1/64 dev eth0
check "a device there" ip netns exec b rdma link add roceb type roce netdev eth1
check "it is ready" wait_for 10 gid_of roceb 0000:0000:0000:0000:0000:ffff:0a00:0002
check "here too" wait_for 10 gid_of $dev fd00:0000:0000:0000:0000:0000:0000:0001
check "$dev is ready again" wait_for 10 ready $dev

n=$(count 1000000)
echo "seed $SEED, $n packets"
errors="rx_malformed rx_icrc_errors rx_no_qp rx_pkey_errors rx_qkey_errors duplicate_request
	out_of_sequence sent_nak remote_access_errors"
keep $errors
lines=$(dmesg | wc -l)
check "$n mutated packets" "$programs/pkt_fuzz" $dev eth0 roceb eth1 b "$n" "$SEED" && told
# A short run needs luck to hit all of them.
[ "$n" -lt 10000 ] || check "each kind was counted" grew $errors
check "and nothing was logged" quiet "$lines"

# A neighbour's skbs for segmentation offload arrive whole, if the kernel lets them.
hostile_runs() { # N
	ip netns exec b python3 - "$1" "$SEED" <<-'END'
		import errno, random, socket, sys
		UDP_SEGMENT = 103
		dice = random.Random(int(sys.argv[2]))
		sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
		sent = 0
		for _ in range(int(sys.argv[1])):
		    size = dice.choice([1, 7, 15, 16, 20, 28, 44, 256, 272, 1040, 4112])
		    length = min(size * dice.randrange(2, 60) + dice.randrange(size), 60000)
		    data = bytearray(dice.randbytes(length))
		    for at in range(0, length - 1, size):
		        data[at] = dice.choice([0, 1, 2, 6, 7, 8, 0x0a, 0x0c, 0x0e, 0x11, 0x64])
		        data[at + 1] = dice.choice([0, 0x40])
		    sock.setsockopt(socket.SOL_UDP, UDP_SEGMENT, size)
		    try:
		        sent += sock.sendto(data, ("10.0.0.1", 4791)) > 0
		    except OSError as why:
		        if why.errno not in (errno.EINVAL, errno.EMSGSIZE, errno.ENOBUFS):
		            raise
		print(sent, "runs were sent")
		sys.exit(not sent)
	END
}
keep rx_malformed rx_icrc_errors
lines=$(dmesg | wc -l)
check "runs that no honest sender makes" hostile_runs $(count 20000) && told
check "were counted" grew rx_malformed rx_icrc_errors
check "and nothing was logged of them" quiet "$lines"
grep . $counters/* | sed 's|.*/||' >"$OUT/counters"
check "$dev still works" duo 18700 ibv_rc_pingpong -d $dev -g $gid_index -n 100 -c
# The namespace takes its device along, its end of the veth, and so the other.
ip netns del b
check "the device there goes with its namespace" wait_for 30 gone roceb
check "and the one here with its network device" wait_for 30 gone $dev

# ---- rings ---------------------------------------------------------------------
need_link
n=$(count 200000)
echo "$n requests"
for way in 1 0; do
	echo $way >/sys/module/ofed_soft/parameters/loopback
	lines=$(dmesg | wc -l)
	check "$((n / 2)) mutated requests, loopback=$way" \
		"$programs/ring_fuzz" $dev $((n / 2)) "$SEED" && told
	check "nothing was logged, loopback=$way" quiet "$lines"
done
echo 1 >/sys/module/ofed_soft/parameters/loopback
check "$dev still works" duo 18701 ibv_rc_pingpong -d $dev -g $gid_index -n 100 -c

# ---- the end -------------------------------------------------------------------
# What programs made is gone; the rest is the kernel's own.
check "no object of a program is left" no_user_objects
check "$dev goes" rdma link delete $dev
net_down
check "the modules go" unload_stack
