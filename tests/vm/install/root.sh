# SPDX-License-Identifier: GPL-2.0
#
# Sourced by image, upgrade and clone, in mount and process namespaces of their own, so that
# nothing of it is left mounted: a Debian in the folder $root, in which commands run.

# root_over BASE WORK: a copy of the base, as an overlay; what is written is in WORK/upper
root_over() {
	rm -rf "$2"
	mkdir -p "$2/upper" "$2/overlay" "$2/root"
	root=$2/root
	mount -t overlay -o "lowerdir=$1,upperdir=$2/upper,workdir=$2/overlay" ofed "$root" || {
		echo "no overlay mount here: copying $1"
		cp -a "$1/." "$root/"
	}
	root_mounts
}

# dkms always compiles at the same places: what it compiled before is found again.
root_mounts() {
	mount -t proc proc "$root/proc"
	mount --rbind /dev "$root/dev"
	_ccache=${OFED_CACHE:-/var/cache/ofed}/ccache-dkms
	mkdir -p "$_ccache" "$root/mnt/ccache"
	mount --bind "$_ccache" "$root/mnt/ccache"
}

# On Debian 13 dev/pts can still be busy here; the mounts end with this namespace.
root_unmounts() {
	umount "$root/mnt/ccache"
	rmdir "$root/mnt/ccache"
	umount -R -l "$root/dev" "$root/proc"
}

# in_root CMD...: as root would type it, but for DWARF, which dkms would strip.
in_root() {
	KCFLAGS=-g0 \
	DEBIAN_KERNEL_USE_CCACHE=1 CCACHE_DIR=/mnt/ccache CCACHE_DEPEND=1 CCACHE_MAXSIZE=1G \
	DEBIAN_FRONTEND=noninteractive HOME=/root LC_ALL=C \
		PATH=/usr/sbin:/usr/bin:/sbin:/bin chroot "$root" "$@"
}

# only_kernels PATTERN...: modules and headers of other kernels are not there
only_kernels() {
	for _dir in "$root"/lib/modules/*; do
		wanted_kernel "${_dir##*/}" "$@" ||
			rm -rf "$_dir" "$root/usr/src/linux-headers-${_dir##*/}"
	done
}
wanted_kernel() { # KVER PATTERN...
	_kver=$1
	shift
	for _pattern; do
		# Unquoted on purpose: a pattern.
		case $_kver in $_pattern) return 0 ;; esac
	done
	return 1
}

# What the steps in the guest need beside the packages. It wants $here.
add_test() { # [FILE...]
	_test=$root/root/test
	mkdir "$_test" "$_test/lib"
	cp "$here/guest.sh" "$_test/step.sh"
	cp "$here/../lib/guest.sh" "$here/../lib/cm.sh" "$_test/lib/"
	[ $# -eq 0 ] || cp "$@" "$_test/"
	add_units "$root/etc/systemd/system"
	echo '/dev/vda / ext4 defaults 0 0' >"$root/etc/fstab"
	echo ofed >"$root/etc/hostname"
}

add_units() { # FOLDER
	cat >"$1/install-test.service" <<-END
		[Unit]
		Description=One step of the installation test
		ConditionKernelCommandLine=ofed.step
		[Service]
		ExecStart=/bin/sh /root/test/step.sh
	END
	cat >"$1/blue.service" <<-END
		[Unit]
		Description=A namespace with an interface
		[Service]
		Type=oneshot
		RemainAfterExit=yes
		ExecStart=/bin/sh -ec 'ip netns add blue; ip link add inner type veth peer name outer; ip link set inner netns blue; ip -n blue link set inner up'
		[Install]
		WantedBy=multi-user.target
	END
	add_mount_order "$1"
	mkdir -p "$1/network-online.target.wants" "$1/multi-user.target.wants"
	ln -s ../online.service "$1/network-online.target.wants/"
	ln -s ../at-mount.service ../install-test.service "$1/multi-user.target.wants/"
}

# at-mount begins when the first remote file system may be mounted, as a service of that kind
# does that a mount is there for before sysinit.target. What brings the network up waits for
# its interfaces, as ifupdown does.
add_mount_order() { # FOLDER
	cat >"$1/at-mount.service" <<-END
		[Unit]
		Description=RDMA devices when remote file systems are mounted
		DefaultDependencies=no
		Wants=network-online.target remote-fs-pre.target
		After=network-online.target remote-fs-pre.target
		Before=systemd-user-sessions.service
		[Service]
		Type=oneshot
		RemainAfterExit=yes
		ExecStart=/bin/sh -c 'ls /sys/class/infiniband >/run/at-mount || true'
		[Install]
		WantedBy=multi-user.target
	END
	cat >"$1/online.service" <<-END
		[Unit]
		Description=The network is up
		DefaultDependencies=no
		Wants=systemd-udev-settle.service
		After=systemd-udev-settle.service
		Before=network-online.target
		[Service]
		Type=oneshot
		RemainAfterExit=yes
		ExecStart=/bin/true
		[Install]
		WantedBy=network-online.target
	END
}

disk_of_root() { # DISK
	rm -f "$1"
	mke2fs -q -t ext4 -d "$root" -L root "$1" 8G
}
