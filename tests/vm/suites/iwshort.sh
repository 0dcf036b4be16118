# SPDX-License-Identifier: GPL-2.0
#
# iWARP in a few minutes, for processors that are emulated slowly: the module loads, data moves
# between two namespaces and on one host, and it goes.
. "$VM/lib/guest.sh"
. "$VM/lib/iwarp.sh"

n=$(count 500)
check "a clock" clock
check "a wire between two namespaces" wire_up || exit 1
check "two devices" devices_up || { dmesg | tail -n 30; exit 1; }
check "ibv_devices lists iwarp0" sh -c "ibv_devices | grep -w iwarp0"
# -V compares every byte received.
check "rping" locally no over 7174 rping -s -a 10.0.0.2 -C "$n" -V -- \
	rping -c -a 10.0.0.2 -C "$n" -V
check "rping of 60000 bytes, IPv6" over 7174 rping -s -a fd00::2 -C "$n" -V -S 60000 -- \
	rping -c -a fd00::2 -C "$n" -V -S 60000
check "rstream" over 7471 rstream -b 10.0.0.2 -S 65536 -C "$n" -T v -- \
	rstream -s 10.0.0.2 -S 65536 -C "$n" -T v
for how in write read send; do
	check "ib_${how}_bw -R" over 18515 ib_${how}_bw -F -R -n "$n" -s 65536 -- \
		ib_${how}_bw -F -R -n "$n" -s 65536 10.0.0.2
done
check "rping here" locally yes here 7174 rping -s -a 10.0.0.1 -C "$n" -V -- \
	rping -c -a 10.0.0.1 -C "$n" -V
check "rdma link delete" rdma link delete iwarp0
check "the namespace goes with its device" ip netns delete b
gone() { ! rdma dev | grep -q iwarp; }
check "no device is left" wait_for 20 gone
check "the modules go" wait_for 20 unload_stack
