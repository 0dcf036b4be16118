#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Everything the VM tests need from outside this repository, fetched or built
# once and kept in $OFED_CACHE. Safe to run again; quick when nothing changed.
#
# usage: prepare.sh [NAME...]    those of the table 'releases' that are named too, and the
#                                kernels of source-kernel.sh: debug, um, um-debug
#                                (15 minutes each, once)
#
# Programs and kernels of arm64 are unpacked, nothing of it is installed; the compiler for
# them is one of the release that is of this architecture.
#
# Result: $OFED_CACHE/kernels, one line per kernel:
#   <short name> <kernel release> <image> <modules root> <headers dir> <user space>
# and $OFED_CACHE/initramfs-<short name>. The user space is / or the folder of a release
# that is not the host's (the table 'releases'), and the headers are at that place in it.
set -eu
umask 022

here=$(cd "$(dirname "$0")" && pwd)
cache=${OFED_CACHE:-/var/cache/ofed}
mkdir -p "$cache/deb" "$cache/stock"

say() { printf '[%s] %s\n' "$(date +%H:%M:%S)" "$*"; }

vm=$here
. "$here/release.sh"
host=$(host_release)
[ -n "$(host_kernel)" ] || { echo "no kernel of Debian '$host' in tests/vm/releases" >&2; exit 1; }

# Every package the build and the tests use: those of the host alone, and those that each
# release's user space has, which a guest sees.
host_packages="
	rsync git perl flex bison bc libssl-dev shellcheck qemu-system-x86 mmdebstrap
"
packages="
	gcc make libelf-dev kmod cpio xz-utils sparse ccache
	busybox-static iproute2 procps psmisc jq e2fsprogs
	rdma-core ibverbs-utils rdmacm-utils perftest infiniband-diags
	libibverbs-dev librdmacm-dev libibumad-dev python3 python3-pyverbs ethtool
	tshark nfs-kernel-server open-iscsi strace opensm
	prometheus-node-exporter
	ucx-utils openmpi-bin libopenmpi-dev libfabric-bin fio qperf
	linux-perf trace-cmd bpftrace
"
# Nothing runs while these are unpacked, so what a system has to have is among them.
packages_arm64="
	base-files base-passwd bash coreutils dash debianutils diffutils findutils grep gzip
	hostname libc-bin mawk mount ncurses-base perl-base sed tar util-linux
	busybox-static kmod xz-utils iproute2 procps psmisc jq ethtool e2fsprogs libc6-dev
	rdma-core ibverbs-utils rdmacm-utils perftest infiniband-diags opensm
	libibverbs-dev librdmacm-dev libibumad-dev
"
# Those that other releases have no more, or not yet.
packages_of() { # RELEASE
	case $1 in *-arm64) echo "$packages_arm64" && return ;; esac
	echo "$packages"
	case $1 in 12) echo dapl2-utils libdapl2 ;; esac
}

# ---- packages -------------------------------------------------------------

# A version of it can be had, or is installed; names alone are known of others as well.
available() { # RELEASE PACKAGE
	release_apt "$1" cache show --no-all-versions "$2" 2>/dev/null | grep -q '^Version: '
}
# Debian signs an image after the headers of the same build have been published, a day later
# at times: those are not the newest until then.
newest() { # KERNEL: the newest with headers and an image, and a name that matches the pattern
	_of=$(kernel_field "$1" release)
	release_apt "$_of" cache pkgnames linux-headers- |
		grep -E "^linux-headers-$(kernel_field "$1" pattern)-$(flavour_of "$1")\$" |
		sort -rV | sed 's/^linux-headers-//' |
		while read -r _kver; do
			available "$_of" "linux-headers-$_kver" &&
				available "$_of" "linux-image-$_kver" || continue
			echo "$_kver"
			break
		done
}

installed() {
	[ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

updated=" "
update() { # RELEASE
	case $updated in *" $1 "*) return ;; esac
	say "apt-get update, Debian $1"
	[ "$1" != "$host" ] || apt-get -qq update
	is_host "$1" || {
		# Of where the host's mirrors are now.
		rm -f "$cache/apt-$1/sources.list"
		release_apt "$1" get -qq update
	}
	updated="$updated$1 "
}

# A fresh machine has empty package lists. Those of the host tell where its mirrors are, also
# the mirror of security updates of another release. Without lists apt still knows the names of
# packages that are installed.
[ -n "$(apt-get indextargets --format '$(FILENAME)' 'Created-By: Packages')" ] &&
	[ -n "$(newest "$(host_kernel)")" ] || update "$host"
kvers= named=
# Those that were named once stay.
for name in "$@" $(awk '{ print $1 }' "$cache/kernels" 2>/dev/null); do
	[ -z "$(release_rows 1 "$name")" ] || named="$named $name"
done
named=$(printf '%s\n' $(release_kernels) $named | awk '!seen[$0]++')
for name in $named; do
	kver=$(newest "$name")
	[ -n "$kver" ] || { update "$(kernel_field "$name" release)"; kver=$(newest "$name"); }
	# A suite drops what it replaces, and what is here stays.
	[ -n "$kver" ] || kver=$(awk -v k="$name" '$1 == k { print $2 }' "$cache/kernels" 2>/dev/null || true)
	[ -n "$kver" ] || {
		echo "no package of the kernel $name in the package lists of" \
			"$(kernel_field "$name" suite)" >&2
		exit 1
	}
	kvers="$kvers$name $kver
"
done
kver_of() { echo "$kvers" | awk -v k="$1" '$1 == k { print $2 }'; }
headers_of() { # RELEASE: packages that all kernels need that are built there
	for _name in $named; do
		_of=$(kernel_field "$_name" release)
		if [ "$_of" = "$1" ] && [ "$(arch_of "$1")" = amd64 ]; then
			echo "linux-headers-$(kver_of "$_name")"
		elif [ "$_of" != "$1" ] && [ "$(builder_of "$_of")" = "$1" ]; then
			_stem=$(kver_of "$_name" | sed 's/-arm64.*//')
			echo "gcc-aarch64-linux-gnu dkms linux-headers-$_stem-common linux-kbuild-$_stem"
		fi
	done
}

missing=
case $named in *-arm64*) host_packages="$host_packages qemu-system-arm" ;; esac
for p in $host_packages $(packages_of "$host") $(! is_host "$host" || headers_of "$host"); do
	installed "$p" || missing="$missing $p"
done
if [ -n "$missing" ]; then
	update "$host"
	say "installing:$missing"
	# Unquoted on purpose: a list of words.
	DEBIAN_FRONTEND=noninteractive apt-get -qq install --no-install-recommends -y \
		$missing >"$cache/apt-install.log" 2>&1 ||
		{ tail -n 20 "$cache/apt-install.log" >&2; exit 1; }
fi

# ---- user space of the other releases --------------------------------------

for release in $(for name in $named; do kernel_field "$name" release; done | sort -u); do
	# Unquoted on purpose: lists of words.
	"$here/user-space" "$release" $(packages_of "$release") $(headers_of "$release")
done

# ---- stock kernels: unpacked, never installed -----------------------------

# From 7.x on it is one that depends on three others, the parts.
image_packages() { # RELEASE KVER
	echo "linux-image-$2"
	release_apt "$1" cache depends "linux-image-$2" |
		sed -n "s/^ *Depends: \(linux-[a-z]*-$2\)\$/\1/p"
}
fetch() { # RELEASE PACKAGE, which is known here or is downloaded
	! ls "$cache/deb/${2}_"*.deb >/dev/null 2>&1 || return 0
	update "$1"
	say "downloading $2"
	(cd "$cache/deb" && release_apt "$1" get -qq download "$2")
}
unpack() { # RELEASE KVER TO
	rm -rf "$3.new"
	for _p in $(image_packages "$1" "$2"); do
		fetch "$1" "$_p"
		say "unpacking $_p"
		dpkg -x "$cache/deb/${_p}_"*.deb "$3.new"
	done
	[ -e "$3.new/lib" ] || ln -s usr/lib "$3.new/lib"
	# Where the parts have it.
	[ -e "$3.new/boot/vmlinuz-$2" ] || {
		mkdir -p "$3.new/boot"
		ln -s "../usr/lib/modules/$2/vmlinuz" "$3.new/boot/vmlinuz-$2"
	}
	rm -rf "$3"
	mv "$3.new" "$3"
}

# Headers of another architecture: for the compiler, and for what a guest looks up in them.
unpack_headers() { # RELEASE KVER
	[ "$(arch_of "$1")" != amd64 ] || return 0
	for _root in "$(root_of "$1")" "$(root_of "$(builder_of "$1")")"; do
		_to=$(host_path "$_root" "/usr/src/linux-headers-$2")
		[ -e "$_to/Makefile" ] && continue
		fetch "$1" "linux-headers-$2"
		rm -rf "$cache/headers.new"
		dpkg -x "$cache/deb/linux-headers-$2_"*.deb "$cache/headers.new"
		rm -rf "$_to"
		mv "$cache/headers.new/usr/src/linux-headers-$2" "$_to"
	done
	rm -rf "$cache/headers.new"
}

stock_kernel() { # KERNEL KVER
	dir=$cache/stock/$2
	release=$(kernel_field "$1" release)
	[ -s "$dir/boot/vmlinuz-$2" ] && [ -s "$dir/lib/modules/$2/modules.dep" ] && return
	[ -s "$dir/boot/vmlinuz-$2" ] || unpack "$release" "$2" "$dir"
	say "depmod for $2"
	depmod -b "$dir" "$2"
}
for name in $named; do
	stock_kernel "$name" "$(kver_of "$name")"
	unpack_headers "$(kernel_field "$name" release)" "$(kver_of "$name")"
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
	[ -n "$(release_rows 1 "$name")" ] || "$here/source-kernel.sh" "$name"
done

# ---- table of kernels, initramfs ------------------------------------------

{
	for name in $named; do
		kver=$(kver_of "$name")
		dir=$cache/stock/$kver
		echo "$name $kver $dir/boot/vmlinuz-$kver $dir /usr/src/linux-headers-$kver" \
			"$(root_of "$(kernel_field "$name" release)")"
	done
	for name in debug um um-debug; do
		dir=$cache/$name-$(host_kernel)
		[ -s "$dir/stamp" ] || continue
		echo "$name $(cat "$dir/release") $dir/image $dir $dir/build /"
	done
} >"$cache/kernels.new"
mv "$cache/kernels.new" "$cache/kernels"

while read -r name kver image modroot _ root; do
	ramfs=$cache/initramfs-$name
	# Newer than the kernel and than the script that goes in: nothing to do.
	if [ "$ramfs" -nt "$image" ] && [ "$ramfs" -nt "$here/initramfs-init" ] &&
	   [ "$ramfs" -nt "$here/prepare.sh" ]; then
		continue
	fi
	dir=$(mktemp -d)
	mkdir -p "$dir/bin" "$dir/modules" "$dir/proc" "$dir/sys" "$dir/dev" "$dir/host" "$dir/rw" "$dir/root"
	cp "$root/bin/busybox" "$dir/bin/busybox"
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
done <"$cache/kernels"

# ---- libofed is compiled with them ------------------------------------------------
[ -e "$cache/rdma-core-headers/config.h" ] || say "private headers of rdma-core"
"$here/../../tools/rdma-core-headers" "$cache/rdma-core-headers"
