# SPDX-License-Identifier: GPL-2.0
#
# NVMe over Fabrics, the kernel's own nvme-rdma and nvmet-rdma: a loop device on a
# file is offered at the device's own address and used from there.
. "$VM/lib/guest.sh"
. "$VM/lib/ulp.sh"
. "$VM/lib/nvme.sh"

mb=$(count 200)
need_link
check "the modules are the distribution's" distributions nvme-rdma nvmet-rdma
check "they load" modprobe -a loop nvmet-rdma nvme-rdma || exit 1
mountpoint -q /sys/kernel/config || mount -t configfs none /sys/kernel/config
check "a target on a loop device" target_up $mb || exit 1

expect_fail "no target at another address" connect 10.0.0.2
expect_fail "no such subsystem" sh -c \
	"echo transport=rdma,traddr=$gid_ip,trsvcid=4420,nqn=nqn.none,$host >/dev/nvme-fabrics"
for w in $ways; do
	way $w
	check "a controller, $name" connected || { dmesg | tail -n 20; continue; }
	disk_rows $mb
	check "it is disconnected" disconnected
done
check "a controller with one queue" connected nr_io_queues=1,queue_size=16 &&
	check "1 MB in blocks of 4096" written $disk 4096 1

# In use: the controller goes with it, the target's queues do, the module can.
check "$dev goes" rdma link delete $dev
check "its controller goes" wait_for 30 gone
check "the target goes" target_down
net_down
check "nvme goes" unloads nvme_rdma nvmet_rdma nvme_fabrics nvmet
check "the modules go" unload_stack
