# SPDX-License-Identifier: GPL-2.0
#
# Sourced after guest.sh and ulp.sh: a loop device on $work/disk, offered at $gid_ip by the
# kernel's nvmet-rdma, and a controller of its nvme-rdma.
nqn=nqn.2024-01.test.ofed:disk
config=/sys/kernel/config/nvmet
host="hostnqn=nqn.2014-08.org.nvmexpress:uuid:00000000-0000-0000-0000-00000000000f"
host="$host,hostid=00000000-0000-0000-0000-00000000000f"

target_up() { # MB
	truncate -s $(($1 + 32))M "$work/disk" && backing=$(losetup -f --show "$work/disk") &&
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
