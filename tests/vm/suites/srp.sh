# SPDX-License-Identifier: GPL-2.0
#
# SCSI over RDMA, the kernel's own ib_srp and ib_srpt, which meet by IP address: a
# file of the target is a disk of the initiator, on the same device.
. "$VM/lib/guest.sh"
. "$VM/lib/ulp.sh"

mb=$(count 200)
config=/sys/kernel/config/target
store=$config/core/fileio_0/disk
port=5555

target_up() {
	truncate -s $((mb + 32))M "$work/disk" &&
	mkdir -p $store &&
	echo "fd_dev_name=$work/disk,fd_dev_size=$(((mb + 32) * 1048576))" >$store/control &&
	echo 1 >$store/enable &&
	mkdir $config/srpt &&
	echo $port >$config/srpt/discovery_auth/rdma_cm_port || return
	# To a target of this name initiators are known by their address, to one that is
	# named as a GID by their port's identifier.
	wwn=$(cat "/sys/class/infiniband/$dev/node_guid")
	guid=$(echo $wwn | tr -d :)
	tpg=$config/srpt/$wwn/$wwn
	mkdir -p $tpg/lun/lun_0 &&
	ln -s $store $tpg/lun/lun_0/disk &&
	echo 1 >$tpg/enable
}
allow() {
	acl=$tpg/acls/$gid_ip
	mkdir $acl && mkdir $acl/lun_0 && ln -s $tpg/lun/lun_0 $acl/lun_0/disk
}
target_down() {
	echo 0 >$tpg/enable
	rm $acl/lun_0/disk && rmdir $acl/lun_0 $acl &&
	rm $tpg/lun/lun_0/disk && rmdir $tpg/lun/lun_0 $tpg $config/srpt/$wwn $config/srpt &&
	rmdir $store $config/core/fileio_0
}

login() { # ADDRESS
	echo "id_ext=$guid,ioc_guid=$guid,dest=$1:$port" \
		>"/sys/class/infiniband_srp/srp-$dev-1/add_target"
}
disk_there() { # sets it; there is no other SCSI disk
	set -- /dev/sd?
	disk=$1
	[ -b "$disk" ]
}
disk_gone() { ! disk_there && [ -z "$(ls /sys/class/srp_remote_ports)" ]; }
# What is left of a login before it stands in the way of the next for a moment.
logged_in() { wait_for 30 login $gid_ip && wait_for 20 disk_there; }
logout() {
	for _port in /sys/class/srp_remote_ports/*/delete; do
		echo 1 >"$_port" || return
	done
	wait_for 30 disk_gone
}

need_link
check "the modules are the distribution's" distributions ib_srp ib_srpt target_core_file
check "they load" modprobe -a target_core_file ib_srpt ib_srp sd_mod || exit 1
mountpoint -q /sys/kernel/config || mount -t configfs none /sys/kernel/config
check "a target on a file" target_up || exit 1
expect_fail "an initiator that is not known" login $gid_ip
check "it becomes known" allow
expect_fail "no target at another address" login 10.0.0.2

for w in $ways; do
	way $w
	check "a disk, $name" logged_in || { dmesg | tail -n 20; continue; }
	disk_rows $mb
	check "it is logged out" logout
done

# In use: the disk goes with it, and nothing keeps the modules.
check "a disk again" logged_in && check "1 MB in blocks of 4096" written $disk 4096 1
check "$dev goes" rdma link delete $dev
check "the disk goes" wait_for 60 disk_gone
check "the target goes" target_down
net_down
# Those that the target brings along when it is made, too.
check "srp goes" unloads ib_srp ib_srpt target_core_user target_core_pscsi \
	target_core_iblock target_core_file target_core_mod
check "the modules go" unload_stack
