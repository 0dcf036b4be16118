# SPDX-License-Identifier: GPL-2.0
#
# Software InfiniBand in a few minutes, for processors that are emulated slowly: the module
# loads, two HCAs of a star move data by LID and by GID, and it goes.
. "$VM/lib/guest.sh"
. "$VM/lib/ib.sh"

n=$(count 2000)
port=18700
check "a star" fabric_up star || exit 1
check "umad" wait_for 120 [ -c /dev/infiniband/umad3 ]
begin_opensm sm hca1
check "all active" wait_for 240 all_active || { cat "$work/sm.log"; exit 1; }
check "ibv_devices lists hca2" sh -c "ibv_devices | grep -w hca2"
for kind in rc uc ud srq; do
	port=$((port + 1))
	check "ibv_${kind}_pingpong by LID" pair $port hca1 hca2 ibv_${kind}_pingpong -n "$n"
done
# -c compares every byte received.
for size in 1 1025 1048576; do
	port=$((port + 1))
	check "ibv_rc_pingpong -c -s $size by GID" \
		pair $port hca1 hca2 ibv_rc_pingpong -n 20 -c -s $size -g 0
done
end_opensm sm
check "the star goes" fabric_down
check "all modules" unload_stack
