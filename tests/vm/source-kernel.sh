#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Build a kernel of our own configuration once and keep it, from the source of the first
# kernel that the host's release has: $OFED_CACHE/NAME-6.1/{image,lib,build,release}.
# Built again when a fragment beside this script, um-source.sh or the version of the source
# changes.
#
# usage: source-kernel.sh debug | um | um-debug
#   debug     x86-64 with all that watches us, for QEMU
#   um        ARCH=um, a process of the host: one CPU, native speed
#   um-debug  the same, watched
set -eu
umask 022

here=$(cd "$(dirname "$0")" && pwd)
cache=${OFED_CACHE:-/var/cache/ofed}
vm=$here
. "$vm/release.sh"
series=$(host_kernel)
name=$1
case $name in
debug)	fragments=$here/debug.config arch=x86_64 image=bzImage built=arch/x86/boot/bzImage ;;
um)	fragments=$here/um.config arch=um image=linux built=linux ;;
um-debug) fragments="$here/um.config $here/um-debug.config" arch=um image=linux built=linux ;;
*)	echo "no kernel '$name'" >&2; exit 2 ;;
esac
version=$(apt-cache policy "$(kernel_field "$series" source)" | sed -n 's/.*Candidate: //p')
source=$cache/linux-source-$series
out=$cache/$name-$series
changes=
case $name in um*) changes=$here/um-source.sh ;; esac
# Unquoted on purpose: lists of files.
stamp=$(cat $fragments $changes | sha256sum | cut -d' ' -f1)-$version

[ -s "$out/image" ] && [ "$(cat "$out/stamp" 2>/dev/null)" = "$stamp" ] && exit 0

say() { printf '[%s] %s\n' "$(date +%H:%M:%S)" "$*"; }

"$here/source-unpack.sh" "$series"

[ -z "$changes" ] || "$changes" "$source"

kmake() { make -s -C "$source" O="$out/build" ARCH="$arch" "$@"; }

say "configuring the kernel '$name'"
rm -rf "$out"
mkdir -p "$out/build"
cat $fragments >"$out/fragment"
kmake KCONFIG_ALLCONFIG="$out/fragment" allnoconfig

say "building the kernel '$name' (about 15 minutes on 2 cores)"
kmake -j"$(nproc)" $image modules >"$out/build.log" 2>&1 &
builder=$!
while kill -0 $builder 2>/dev/null; do
	sleep 60 &
	wait $! || true
	say "  $(find "$out/build" -name '*.o' | wc -l) objects"
done
wait $builder || { tail -30 "$out/build.log"; exit 1; }

cp "$out/build/$built" "$out/image"
kmake INSTALL_MOD_PATH="$out" modules_install >>"$out/build.log" 2>&1
kmake kernelrelease >"$out/release"
printf '%s\n' "$stamp" >"$out/stamp"
say "kernel '$name' $(cat "$out/release") ready in $out"
