# SPDX-License-Identifier: GPL-2.0
#
# Sourced, after guest.sh, by suites in which the distribution's own kernel
# protocols use the device.

# distributions MODULE...: each is the file that came with the kernel
distributions() {
	for _m; do
		_file=$(modinfo -n "$_m") || return
		echo "$_file"
		case $_file in
		*/updates/*) return 1 ;;
		esac
	done
}

# unloads MODULE...: users first. The last reference may be that of work under way.
unloads() {
	for _m; do
		[ -d "/sys/module/$_m" ] || continue
		wait_for 30 rmmod "$_m" || { rmmod "$_m"; lsmod; return 1; }
	done
}

# ---- that it was the device ---------------------------------------------------------
#
# Sent packets, and messages that went without any. A message of these protocols is
# at most 1 MiB and a packet at most 4096 bytes: so many bytes, so many at least. iWARP
# counts bytes.
know_counters() { # of $DRIVER, which may change
	packet=4096
	case $DRIVER in
	roce) sent_names="tx_packets local_messages" ;;
	iwarp) sent_names=tx_bytes packet=1 ;;
	*) sent_names=sent_pkts ;;
	esac
}
sent() {
	for _n in $sent_names; do
		cat "/sys/class/infiniband/$dev/ports/1/hw_counters/$_n"
	done
}
mark() { know_counters && marked=$(sent); }
# carried BYTES: since 'mark'
carried() {
	echo $marked $(sent) | awk -v bytes="$1" -v packet=$packet '{
		packets = $(NF / 2 + 1) - $1
		messages = NF > 2 ? $4 - $2 : 0
		printf "%d packets of %d, %d messages without any, %d bytes\n",
			packets, packet, messages, bytes
		exit !(packets * packet + messages * 1048576 >= bytes)
	}'
}
# idle: nothing since 'mark'
idle() { [ "$(sent)" = "$marked" ]; }

# Our device can do without packets where both ends are its own; rdma_rxe can not.
case $DRIVER in
roce) ways="1 0" ;;
*) ways=0 ;;
esac
way() { # 1|0
	name="with packets"
	[ "$1" = 0 ] || name="without packets"
	[ "$DRIVER" != roce ] || echo "$1" >/sys/module/ofed_soft/parameters/loopback
}

# ---- block devices; their other end is the file $work/disk ------------------------------

# written DEVICE BLOCK MB: what was written comes back, and is at the other end
written() {
	dd if=/dev/urandom of="$work/data" bs=1M count="$3" status=none &&
	dd if="$work/data" of="$1" bs="$2" oflag=direct conv=fsync status=none &&
	dd if="$1" of="$work/back" bs="$2" count=$(($3 * 1048576 / $2)) iflag=direct \
		status=none &&
	cmp "$work/data" "$work/back" || return
	sync
	cmp -n $(($3 * 1048576)) "$work/data" "$work/disk"
}

# files DEVICE: a tree in a file system on it
files() {
	mkdir -p "$work/mnt"
	mkfs.ext4 -q -F "$1" && mount -t ext4 "$1" "$work/mnt" &&
	cp -a "$VM" "$work/mnt/" && umount "$work/mnt" &&
	mount -t ext4 "$1" "$work/mnt" && diff -r "$VM" "$work/mnt/${VM##*/}" &&
	umount "$work/mnt" && e2fsck -fn "$1"
}

# disk_rows MB: so much in blocks of several sizes, fewer small ones; and files. $disk is
# the disk, $name how the device moves it.
disk_rows() {
	for _block in 4096 131072 1048576; do
		_size=$1
		[ $_block != 4096 ] || _size=$((($1 + 15) / 16))
		mark
		check "$_size MB in blocks of $_block, $name" written $disk $_block $_size
		check "the device carried them" carried $((2 * _size * 1048576))
		sed 's/^/     /' "$work/output"
	done
	# Kernels of our own configuration have none.
	! grep -qw ext4 /proc/filesystems && ! modprobe -q ext4 ||
		check "a file system on it, $name" files $disk
}
