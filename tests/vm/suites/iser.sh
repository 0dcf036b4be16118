# SPDX-License-Identifier: GPL-2.0
#
# iSCSI extensions for RDMA, the kernel's own ib_iser and ib_isert and Debian's
# open-iscsi: a file of the target is a disk of the initiator, on the same device.
. "$VM/lib/guest.sh"
. "$VM/lib/ulp.sh"

mb=$(count 200)
[ $mb -ge 16 ] || mb=16
config=/sys/kernel/config/target
store=$config/core/fileio_0/disk
target=iqn.2024-01.test.ofed:disk
initiator=iqn.2024-01.test.ofed:host
tpg=$config/iscsi/$target/tpgt_1
portal=$tpg/np/$gid_ip:3260

# A portal listens for TCP before it is told of RDMA, and then with both, at the same
# address and port, which is one too many where the device uses the host's own TCP. Its
# TCP is that of the namespace of its maker, its RDMA always the first one's.
elsewhere="nsenter --net=/run/netns/tcp"

target_up() {
	truncate -s $((mb + 32))M "$work/disk" &&
	mkdir -p $store &&
	echo "fd_dev_name=$work/disk,fd_dev_size=$(((mb + 32) * 1048576))" >$store/control &&
	echo 1 >$store/enable &&
	mkdir -p $tpg/lun/lun_0 &&
	ln -s $store $tpg/lun/lun_0/disk &&
	echo 0 >$tpg/attrib/authentication &&
	echo 1 >$tpg/enable
}
portal_up() {
	$elsewhere mkdir $portal && echo 1 >$portal/iser && [ "$(cat $portal/iser)" = 1 ]
}
taken() {
	mkdir $portal && ! echo 1 >$portal/iser && [ "$(cat $portal/iser)" = 0 ] && rmdir $portal
}
allow() {
	acl=$tpg/acls/$initiator
	mkdir $acl && mkdir $acl/lun_0 && ln -s $tpg/lun/lun_0 $acl/lun_0/disk
}
target_down() {
	echo 0 >$tpg/enable
	rm $acl/lun_0/disk && rmdir $acl/lun_0 $acl &&
	rmdir $portal && rm $tpg/lun/lun_0/disk && rmdir $tpg/lun/lun_0 $tpg &&
	rmdir $config/iscsi/$target $config/iscsi &&
	rmdir $store $config/core/fileio_0
}

# The daemon and its settings, but for what is too short for a slow guest.
initiator_up() {
	sed -e 's/\(timeo\.[a-z_]* = \)5$/\160/' -e 's/\(login_timeout = \).*/\130/' \
		-e 's/^iscsid.startup/#&/' /etc/iscsi/iscsid.conf >"$work/iscsid.conf" &&
	cp "$work/iscsid.conf" /etc/iscsi/iscsid.conf &&
	echo "InitiatorName=$initiator" >/etc/iscsi/initiatorname.iscsi &&
	mkdir -p /run/lock && iscsid &&
	wait_for 10 grep -q ISCSIADM_ABSTRACT_NAMESPACE /proc/net/unix
}
initiator_down() {
	iscsiadm -k 0 && wait_for 10 sh -c "! pidof iscsid"
}

at="-m node -T $target -p $gid_ip:3260"
record() { iscsiadm $at,1 -I iser -o new; }
found() {
	iscsiadm -m discovery -t sendtargets -p $gid_ip:3260 -I iser >"$work/found" &&
	cat "$work/found" && has "$gid_ip:3260,1 $target" "$work/found"
}
login() { timeout -k 5 "$limit" iscsiadm $at --login; }
refused() {
	login
	[ $? -eq 24 ]
}
disk_there() { # sets it; there is no other SCSI disk
	set -- /dev/sd?
	disk=$1
	[ -b "$disk" ]
}
disk_gone() { ! disk_there && [ -z "$(ls /sys/class/iscsi_session)" ]; }
logged_in() {
	login && wait_for 20 disk_there && iscsiadm -m session &&
	iscsiadm -m session | grep -q "^iser: .* $target "
}
logout() { iscsiadm $at --logout && wait_for 30 disk_gone; }

# The core keeps completion queues for the next consumer, as long as the device is.
resources() { rdma resource show $dev | sed 's/ cq [0-9]*//'; }
nothing_left() { resources; [ "$(resources)" = "$before" ]; }

need_link
before=$(resources)
check "the modules are the distribution's" distributions ib_iser ib_isert target_core_file
check "they load" modprobe -a target_core_file ib_isert ib_iser sd_mod || exit 1
mountpoint -q /sys/kernel/config || mount -t configfs none /sys/kernel/config
check "a target on a file" target_up || exit 1
ip netns add tcp
[ "$DRIVER" != iwarp ] || check "a portal that has taken the port for TCP" taken
check "a portal of the device" portal_up || { dmesg | tail -n 20; exit 1; }
check "an initiator" initiator_up || exit 1
check "a record of the target" record
# The target disconnects right behind its refusal, which InfiniBand may lose by that: on
# rdma_rxe, on either core, one of some is, and the initiator tries for ever.
[ "$DRIVER" != iwarp ] || check "one that is not known is refused" refused
check "it becomes known" allow
check "it finds the target" found

for w in $ways; do
	way $w
	check "a disk, $name" logged_in || { dmesg | tail -n 20; continue; }
	disk_rows $mb
	check "it is logged out" logout
done
check "the portal goes" rmdir $portal
check "nothing is left" wait_for 30 nothing_left
rdma resource show $dev

# In use: the disk stays until it is logged out, and nothing keeps the modules.
check "a portal again" portal_up
check "a disk again" logged_in && check "1 MB in blocks of 4096" written $disk 4096 1
check "$dev goes" rdma link delete $dev
check "it is logged out" logout
check "the daemon ends" initiator_down
check "the target goes" target_down
net_down
ip netns del tcp
# Those that the target brings along when it is made, too.
check "iser goes" unloads ib_iser iscsi_tcp libiscsi_tcp libiscsi scsi_transport_iscsi \
	ib_isert iscsi_target_mod target_core_user target_core_pscsi target_core_iblock \
	target_core_file target_core_mod
check "the modules go" unload_stack
