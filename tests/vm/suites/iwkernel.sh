# SPDX-License-Identifier: GPL-2.0
#
# ofed_iwarp and a kernel consumer: what programs can not ask for.
DRIVER=iwarp
. "$VM/guest.sh"
. "$VM/iwarp.sh"

need_link
check "a kernel consumer" modprobe ofed_iwtest address=$gid_ip || exit 1
for way in Y N; do
	echo $way >/sys/module/ofed_iwarp/parameters/loopback
	table "kernel consumer, loopback=$way" cat /sys/kernel/debug/ofed_iwtest
	table "once more" cat /sys/kernel/debug/ofed_iwtest
done
check "it goes" rmmod ofed_iwtest
private_data "ours and ours"
check "$dev goes" link_down
check "the modules go" unload_stack
