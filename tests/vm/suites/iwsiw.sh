# SPDX-License-Identifier: GPL-2.0
#
# ofed_iwarp against the in-tree siw, both roles; SIW is its module (tests/vm/siw), SIW1
# the same with revision 1 of MPA.
#
#   siw0 eth0 10.0.0.1 --veth-- eth1 10.0.0.2 iwarp1	(namespace b)
#
# siw knows the first network namespace only, and does not listen on a wildcard
# address for a program in another: perftest's servers are on its side.
. "$VM/lib/guest.sh"
. "$VM/lib/iwarp.sh"

n=$(count 500)
param=/sys/module/ofed_iwarp/parameters

siw_up() { # MODULE
	load_stack && modprobe -q libcrc32c
	insmod "$1" && rdma link add siw0 type siw netdev eth0 &&
	$b rdma link add iwarp1 type iwarp netdev eth1 &&
	wait_for 10 active siw0 && wait_for 10 active iwarp1
}
# Elsewhere ours has the CRC32C that is faster here.
crypto_crc() {
	unload_stack && modprobe ofed_iwarp crc32c=crypto && ! grep crc32c_le $param/crc32c
}
siw_down() { rdma link delete siw0 && rmmod siw; }

errors() { # of ours: what it complains about
	cd /sys/class/infiniband/iwarp1/ports/1/hw_counters &&
		grep . rx_crc_errors rx_malformed sent_terminate rcvd_terminate &&
		[ "$(cat rx_crc_errors rx_malformed sent_terminate | paste -sd' ')" = "0 0 0" ]
}

# theirs: ours asks
theirs() {
	_port=$1
	shift
	here "$_port" "$@" -- $b "$@" 10.0.0.1
}

# Every byte compared; the responder is in the namespace that is named.
seed=$SEED
soak() { # COMMAND...: the requester
	# siw refuses even root what is above the limit.
	ulimit -l unlimited
	seed=$((seed + 1))
	timeout -k 5 "$((limit * 2))" "$@" "$seed" $n 65536 siw
}
check "a name for this namespace" ip netns attach host 1

all() { # HOW
	check "$n messages of every kind, siw asks, $1" soak "$programs/iw_soak" b 10.0.0.2
	check "$n messages of every kind, ours asks, $1" \
		soak $b "$programs/iw_soak" host 10.0.0.1
	check "rping, siw asks, $1" over 7174 rping -s -a 10.0.0.2 -C $n -V -- \
		rping -c -a 10.0.0.2 -C $n -V
	check "rping, ours asks, $1" here 7174 rping -s -a 10.0.0.1 -C $n -V -- \
		$b rping -c -a 10.0.0.1 -C $n -V
	check "rping of 60000 bytes, siw asks, $1" over 7174 rping -s -a 10.0.0.2 -C $n -V -S 60000 -- \
		rping -c -a 10.0.0.2 -C $n -V -S 60000
	check "rping of 60000 bytes, ours asks, $1" here 7174 rping -s -a 10.0.0.1 -C $n -V -S 60000 -- \
		$b rping -c -a 10.0.0.1 -C $n -V -S 60000
	for _how in write read send; do
		check "ib_${_how}_bw, ours asks, $1" theirs 18515 ib_${_how}_bw -F -R -n $n -s 65536
	done
	check "ib_send_lat, ours asks, $1" theirs 18515 ib_send_lat -F -R -n $n -s 64
}

# siw has 8 bits for the length of what it sends, and takes 256 bytes; with the enhanced
# set-up, in which ours always asks, four of them are IRD and ORD. Of a longer reply, or
# one that its peer does not like, its kernel dies.
private() { # MPA, BYTES THAT SIW SENDS, AND TAKES
	private_data "ours asks, $1" ask=iwarp1 ask_at=10.0.0.2 ask_most=252 \
		hear=siw0 hear_at=10.0.0.1 hear_most=251
	private_data "siw asks, $1" ask=siw0 ask_at=10.0.0.1 ask_most=$2 \
		hear=iwarp1 hear_at=10.0.0.2 hear_most=$3
}

check "a clock" clock
check "a wire between two namespaces" wire_up || exit 1
check "siw and ours" siw_up "$SIW" || { dmesg | tail -n 20; exit 1; }
all "CRC"
private "MPA 2" 251 252
check "ucmatose, siw asks" over 7471 ucmatose -b 10.0.0.2 -c 4 -- ucmatose -s 10.0.0.2 -c 4
check "ucmatose, ours asks" here 7471 ucmatose -b 10.0.0.1 -c 4 -- $b ucmatose -s 10.0.0.1 -c 4
check "rstream, siw asks" over 7471 rstream -b 10.0.0.2 -S 65536 -C $n -T v -- \
	rstream -s 10.0.0.2 -S 65536 -C $n -T v
check "rstream, ours asks" here 7471 rstream -b 10.0.0.1 -S 65536 -C $n -T v -- \
	$b rstream -s 10.0.0.1 -S 65536 -C $n -T v
echo N >$param/crc
all "no CRC asked for"
echo Y >$param/crc
echo N >$param/p2p
all "no peer-to-peer"
check "nothing was complained about" errors
check "rdma link delete" rdma link delete iwarp1
check "siw goes" siw_down
check "ours, with the CRC32C of the crypto API" wait_for 20 crypto_crc
check "one that says MPA 1, and ours" siw_up "$SIW1" || { dmesg | tail -n 20; exit 1; }
all "MPA 1"
private "MPA 1" 255 256
check "nothing was complained about" errors
check "rdma link delete" rdma link delete iwarp1
check "siw goes" siw_down
check "the name goes" ip netns del host
check "the modules go" wait_for 20 unload_stack
