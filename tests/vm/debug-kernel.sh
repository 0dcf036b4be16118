#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Build the debug kernel once and keep it: $OFED_CACHE/debug-6.1/{bzImage,lib,build}.
# Built again when the fragment beside this script or the source version changes.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
cache=${OFED_CACHE:-/var/cache/ofed}
version=$(apt-cache policy linux-source-6.1 | sed -n 's/.*Candidate: //p')
source=$cache/linux-source-6.1
out=$cache/debug-6.1
stamp=$(sha256sum "$here/debug.config" | cut -d' ' -f1)-$version

[ "$(cat "$out/stamp" 2>/dev/null)" = "$stamp" ] && exit 0

say() { printf '[%s] %s\n' "$(date +%H:%M:%S)" "$*"; }

if [ "$(cat "$source/.version-deb" 2>/dev/null)" != "$version" ]; then
	say "unpacking linux-source-6.1 $version (1 minute)"
	rm -rf "$source" "$cache/unpack"
	mkdir -p "$cache/deb" "$cache/unpack"
	(cd "$cache/deb" && rm -f linux-source-6.1_*.deb && apt-get -qq download linux-source-6.1)
	dpkg -x "$cache"/deb/linux-source-6.1_*.deb "$cache/unpack"
	mkdir "$source"
	tar -C "$source" --strip-components=1 -xf "$cache/unpack/usr/src/linux-source-6.1.tar.xz"
	rm -rf "$cache/unpack"
	printf '%s\n' "$version" >"$source/.version-deb"
fi

say "configuring the debug kernel"
rm -rf "$out"
mkdir -p "$out/build"
make -s -C "$source" O="$out/build" KCONFIG_ALLCONFIG="$here/debug.config" allnoconfig

say "building the debug kernel (about 15 minutes on 2 cores)"
make -s -C "$source" O="$out/build" -j"$(nproc)" bzImage modules >"$out/build.log" 2>&1 &
builder=$!
while kill -0 $builder 2>/dev/null; do
	sleep 60 &
	wait $! || true
	say "  $(find "$out/build" -name '*.o' | wc -l) objects"
done
wait $builder || { tail -30 "$out/build.log"; exit 1; }

cp "$out/build/arch/x86/boot/bzImage" "$out/bzImage"
make -s -C "$source" O="$out/build" INSTALL_MOD_PATH="$out" modules_install >>"$out/build.log" 2>&1
make -s -C "$source" O="$out/build" kernelrelease >"$out/release"
printf '%s\n' "$stamp" >"$out/stamp"
say "debug kernel $(cat "$out/release") ready in $out"
