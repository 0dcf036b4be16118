#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Everything the VM tests need from outside this repository, fetched or built
# once and kept in $OFED_CACHE. Safe to run again; quick when nothing changed.
#
# usage: prepare.sh [NAME...]    the kernels of source-kernel.sh too: debug, um,
#                                um-debug (15 minutes each, once)
#
# Result: $OFED_CACHE/kernels, one line per kernel:
#   <short name> <kernel release> <image> <modules root> <headers dir>
# and $OFED_CACHE/initramfs-<short name>.
set -eu
umask 022

here=$(cd "$(dirname "$0")" && pwd)
cache=${OFED_CACHE:-/var/cache/ofed}
mkdir -p "$cache/deb" "$cache/stock"

say() { printf '[%s] %s\n' "$(date +%H:%M:%S)" "$*"; }

# Every package the build and the tests use; the guest sees the host's programs.
packages="
	gcc make rsync git perl flex bison bc libelf-dev libssl-dev kmod cpio xz-utils sparse
	ccache shellcheck
	qemu-system-x86 busybox-static iproute2 procps psmisc jq
	rdma-core ibverbs-utils rdmacm-utils perftest infiniband-diags
	libibverbs-dev librdmacm-dev libibumad-dev python3 python3-pyverbs ethtool
	tshark nfs-kernel-server open-iscsi strace opensm
	prometheus-node-exporter
	ucx-utils openmpi-bin libopenmpi-dev libfabric-bin fio qperf dapl2-utils libdapl2
	linux-perf trace-cmd bpftrace
"

# ---- packages -------------------------------------------------------------

newest() { # newest kernel flavour-amd64 package whose name matches the pattern
	apt-cache pkgnames linux-headers- | grep -E "^linux-headers-$1-amd64\$" |
		sort -V | tail -n 1 | sed 's/^linux-headers-//'
}

installed() {
	[ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

updated=
update() {
	[ -n "$updated" ] && return
	say "apt-get update"
	apt-get -qq update
	updated=1
}

# A fresh machine has empty package lists.
[ -n "$(newest '6\.1\.[0-9]+-[0-9]+')" ] || update
kver61=$(newest '6\.1\.[0-9]+-[0-9]+')
kver612=$(newest '6\.12\.[0-9]+\+deb12')
[ -n "$kver61" ] && [ -n "$kver612" ] ||
	{ echo "no Debian 12 kernel packages in the package lists" >&2; exit 1; }

missing=
for p in $packages "linux-headers-$kver61" "linux-headers-$kver612"; do
	installed "$p" || missing="$missing $p"
done
if [ -n "$missing" ]; then
	update
	say "installing:$missing"
	# Unquoted on purpose: a list of words.
	DEBIAN_FRONTEND=noninteractive apt-get -qq install --no-install-recommends -y \
		$missing >"$cache/apt-install.log" 2>&1 ||
		{ tail -n 20 "$cache/apt-install.log" >&2; exit 1; }
fi

# ---- stock kernels: unpacked, never installed -----------------------------

for kver in "$kver61" "$kver612"; do
	dir=$cache/stock/$kver
	[ -s "$dir/boot/vmlinuz-$kver" ] && [ -s "$dir/lib/modules/$kver/modules.dep" ] && continue
	if ! [ -s "$dir/boot/vmlinuz-$kver" ]; then
		if ! ls "$cache/deb/linux-image-${kver}_"*.deb >/dev/null 2>&1; then
			update
			say "downloading linux-image-$kver"
			(cd "$cache/deb" && apt-get -qq download "linux-image-$kver")
		fi
		say "unpacking linux-image-$kver"
		rm -rf "$dir.new"
		dpkg -x "$cache/deb/linux-image-${kver}_"*.deb "$dir.new"
		rm -rf "$dir"
		mv "$dir.new" "$dir"
	fi
	say "depmod for $kver"
	depmod -b "$dir" "$kver"
done

# ---- the kernel's own RDMA, which tests/originality compares with ----------

# Unquoted on purpose: a list of words.
"$here/source-unpack.sh" 6.12 $("$here/../originality" --folders)

# ---- 32-bit programs: unpacked beside the host's, host apt untouched -------

packages32="ibverbs-utils libibverbs1 ibverbs-providers libnl-3-200 libnl-route-3-200 libc6 libgcc-s1"
if ! [ -e "$cache/i386/complete" ]; then
	say "downloading i386 ibverbs-utils and its libraries"
	state=$cache/apt-i386
	mkdir -p "$state/lists/partial" "$state/archives/partial" "$cache/deb/i386"
	# A private package list: adding an architecture to the host would be rude.
	apt32() {
		apt-get -qq -o APT::Architecture=i386 -o APT::Architectures=i386 \
			-o Dir::State::Lists="$state/lists" -o Dir::Cache="$state" \
			-o Dir::State::status=/dev/null "$@"
	}
	# A source without i386, or one in mid-sync, does not matter as long as the
	# packages are found.
	apt32 update >/dev/null 2>&1 || true
	# Unquoted on purpose: a list of words.
	(cd "$cache/deb/i386" && rm -f ./*.deb && apt32 download $packages32)
	rm -rf "$cache/i386"
	for deb in "$cache"/deb/i386/*.deb; do
		dpkg -x "$deb" "$cache/i386"
	done
	touch "$cache/i386/complete"
fi

# ---- kernels of our own configuration -------------------------------------

for name in "$@"; do
	"$here/source-kernel.sh" "$name"
done

# ---- table of kernels, initramfs ------------------------------------------

{
	echo "6.1 $kver61 $cache/stock/$kver61/boot/vmlinuz-$kver61 $cache/stock/$kver61 /usr/src/linux-headers-$kver61"
	echo "6.12 $kver612 $cache/stock/$kver612/boot/vmlinuz-$kver612 $cache/stock/$kver612 /usr/src/linux-headers-$kver612"
	for name in debug um um-debug; do
		dir=$cache/$name-6.1
		[ -s "$dir/stamp" ] || continue
		echo "$name $(cat "$dir/release") $dir/image $dir $dir/build"
	done
} >"$cache/kernels.new"
mv "$cache/kernels.new" "$cache/kernels"

while read -r name kver image modroot headers; do
	ramfs=$cache/initramfs-$name
	# Newer than the kernel and than the script that goes in: nothing to do.
	if [ "$ramfs" -nt "$image" ] && [ "$ramfs" -nt "$here/initramfs-init" ] &&
	   [ "$ramfs" -nt "$here/prepare.sh" ]; then
		continue
	fi
	dir=$(mktemp -d)
	mkdir -p "$dir/bin" "$dir/modules" "$dir/proc" "$dir/sys" "$dir/dev" "$dir/host" "$dir/rw" "$dir/root"
	cp /bin/busybox "$dir/bin/busybox"
	install -m 755 "$here/initramfs-init" "$dir/init"
	# What it takes to reach the host's root, in load order, not compressed:
	# busybox insmod cannot unpack. Built-in ones print 'builtin'.
	for m in virtio_pci 9pnet_virtio 9p overlay; do
		modprobe -d "$modroot" -S "$kver" --show-depends "$m" 2>/dev/null || true
	done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }' |
	while read -r ko; do
		base=$(basename "${ko%.xz}")
		case $ko in
		*.xz) xz -dc "$ko" >"$dir/modules/$base" ;;
		*) cp "$ko" "$dir/modules/$base" ;;
		esac
		echo "$base" >>"$dir/modules/order"
	done
	(cd "$dir" && find . | cpio --quiet -o -H newc | gzip -1) >"$ramfs.new"
	mv "$ramfs.new" "$ramfs"
	rm -rf "$dir"
	: "$headers"
done <"$cache/kernels"
