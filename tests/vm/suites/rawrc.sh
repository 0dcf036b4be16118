# SPDX-License-Identifier: GPL-2.0
#
# A peer that has no window, made of raw packets: what it asks behind a long READ is answered,
# each answer in its turn. One that delays its ACKs gets nothing twice. With SCALE=1 rdma_rxe is in
# the same place first; its answers are printed.
#
#   eth0 10.0.0.1, the device --veth-- eth1 10.0.0.2, in the namespace b
DRIVER=roce
. "$VM/lib/guest.sh"

long=$(count 32768)
[ "$long" -ge 2048 ] || long=2048

peer() {
	ip netns add b && ip link set eth1 netns b &&
	ip -n b addr add 10.0.0.2/24 dev eth1 && ip -n b link set lo up &&
	ip -n b link set eth1 up
}
asked() { # PROGRAM WORDS
	_program=$1
	shift
	timeout -k 5 "$limit" python3 "$TOP/tests/programs/wire/raw_$_program.py" ${kind}0 "$gid" b \
		10.0.0.2 10.0.0.1 "$@" >"$work/asked" 2>&1
	_status=$?
	sed "s/^/     | $kind, /" "$work/asked"
	return $_status
}
row() { # TITLE PROGRAM WORDS
	_title=$1
	shift
	if [ $kind = rxe ]; then
		asked "$@"
	else
		check "$_title" asked "$@"
		sed 's/^/     | roce, /' "$work/asked"
	fi
}
rows() {
	row "300 WRITEs behind a READ of $long packets" requester backlog $long 300
	row "3,000 behind one of 1,024" requester backlog 1024 3000
	row "all kinds behind a READ, and again" requester mixed 512
	row "gaps and duplicates" requester gap
	row "ACKs that come 5 ms later" responder 2000 5
}
# Another suite makes the interfaces anew.
peer_down() { net_down && ip netns del b; }

device() { # KIND
	kind=$1
	rdma link add ${kind}0 type $kind netdev eth0 && wait_for 10 active ${kind}0 &&
	gid=$(gid_of ${kind}0 $gid_hex)
}

check "two interfaces" net_up
check "one of them is the peer's" peer
check "uverbs" modprobe ib_uverbs
if [ "$SCALE" = 1 ] && modprobe -q rdma_rxe && device rxe; then
	rows
	rdma link delete rxe0
fi
check "our module" load_driver
check "our device" device roce || exit 1
rows
check "it goes" rdma link delete roce0
check "and the peer" peer_down
