# SPDX-License-Identifier: GPL-2.0
#
# FLUSH, straight from one queue pair to the other and by packets. Kernels before 6.2
# know nothing of it, nor do their devices say that they can.
. "$VM/lib/guest.sh"

loopback=/sys/module/ofed_soft/parameters/loopback
need_link
for way in Y N; do
	echo $way >$loopback
	table "loopback=$way" "$programs/flush" $dev $gid_index
done
echo Y >$loopback
check "$dev goes" link_down
