#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The source of a kernel as its distribution has it, in $OFED_CACHE/linux-source-KERNEL.
#
# usage: source-unpack.sh KERNEL [FOLDER...]	all of it, or these folders
#   KERNEL  a name of the table 'releases'
set -eu

vm=$(cd "$(dirname "$0")" && pwd)
cache=${OFED_CACHE:-/var/cache/ofed}
. "$vm/release.sh"
package=$(kernel_field "$1" source) release=$(kernel_field "$1" release)
source=$cache/linux-source-$1
shift
[ -n "$package" ] || { echo "source-unpack.sh: no such kernel" >&2; exit 1; }
version=$(release_apt "$release" cache policy "$package" | sed -n 's/.*Candidate: //p')
[ -n "$version" ] || { echo "no package $package" >&2; exit 1; }
stamp="$version${*:+ $*}"
case $(cat "$source/.version-deb" 2>/dev/null || true) in
"$version"|"$stamp")	exit 0 ;;	# where all of it is, so are the folders
esac

printf '[%s] unpacking %s %s (1 minute)\n' "$(date +%H:%M:%S)" "$package" "$version" >&2
mkdir -p "$cache/deb"
rm -rf "$source.new"
mkdir "$source.new"
(cd "$cache/deb" && rm -f "${package}"_*.deb && release_apt "$release" get -qq download "$package")
for folder; do
	shift
	set -- "$@" "$package/$folder"
done
dpkg-deb --fsys-tarfile "$cache/deb/${package}"_*.deb |
	tar -xO "./usr/src/$package.tar.xz" | xz -T0 -dc |
	tar -x -C "$source.new" --strip-components=1 "$@"
rm "$cache/deb/${package}"_*.deb
printf '%s\n' "$stamp" >"$source.new/.version-deb"
rm -rf "$source"
mv "$source.new" "$source"
