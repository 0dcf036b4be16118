# SPDX-License-Identifier: GPL-2.0
#
# NVMe over Fabrics, the kernel's own nvme-rdma and nvmet-rdma: a loop device on a
# file is offered at the device's own address and used from there.
. "$VM/guest.sh"
. "$VM/ulp.sh"

mb=$(count 200)
nqn=nqn.2024-01.test.ofed:disk
config=/sys/kernel/config/nvmet
host="hostnqn=nqn.2014-08.org.nvmexpress:uuid:00000000-0000-0000-0000-00000000000f"
host="$host,hostid=00000000-0000-0000-0000-00000000000f"

target_up() {
	truncate -s $((mb + 32))M "$work/disk" && backing=$(losetup -f --show "$work/disk") &&
	mkdir $config/subsystems/$nqn &&
	echo 1 >$config/subsystems/$nqn/attr_allow_any_host &&
	mkdir $config/subsystems/$nqn/namespaces/1 &&
	echo -n "$backing" >$config/subsystems/$nqn/namespaces/1/device_path &&
	echo 1 >$config/subsystems/$nqn/namespaces/1/enable &&
	mkdir $config/ports/1 &&
	echo ipv4 >$config/ports/1/addr_adrfam &&
	echo rdma >$config/ports/1/addr_trtype &&
	echo $gid_ip >$config/ports/1/addr_traddr &&
	echo 4420 >$config/ports/1/addr_trsvcid &&
	ln -s $config/subsystems/$nqn $config/ports/1/subsystems/$nqn
}
target_down() {
	rm $config/ports/1/subsystems/$nqn && rmdir $config/ports/1 &&
	echo 0 >$config/subsystems/$nqn/namespaces/1/enable &&
	rmdir $config/subsystems/$nqn/namespaces/1 $config/subsystems/$nqn &&
	losetup -d "$backing"
}

controller() { # sets it: its folder in sysfs
	controller=$(grep -lx $nqn /sys/class/nvme/*/subsysnqn 2>/dev/null) || return
	controller=${controller%/*}
}
gone() { ! grep -qx $nqn /sys/class/nvme/*/subsysnqn 2>/dev/null; }
# There is one subsystem and one namespace in it.
disk=/dev/nvme0n1
connect() { # ADDRESS [OPTIONS]
	echo "transport=rdma,traddr=$1,trsvcid=4420,nqn=$nqn,$host${2:+,$2}" >/dev/nvme-fabrics
}
connected() {
	connect $gid_ip "$1" && wait_for 10 [ -b $disk ] && controller &&
	[ "$(cat "$controller/transport")" = rdma ] && [ "$(cat "$controller/state")" = live ]
}
disconnected() {
	echo 1 >"$controller/delete_controller" && wait_for 20 gone && ! [ -e $disk ]
}

need_link
check "the modules are the distribution's" distributions nvme-rdma nvmet-rdma
check "they load" modprobe -a loop nvmet-rdma nvme-rdma || exit 1
mountpoint -q /sys/kernel/config || mount -t configfs none /sys/kernel/config
check "a target on a loop device" target_up || exit 1

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
