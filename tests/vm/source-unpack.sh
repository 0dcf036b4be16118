#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The kernel's source as the distribution has it, in $OFED_CACHE/linux-source-SERIES.
#
# usage: source-unpack.sh SERIES [FOLDER...]	all of it, or these folders
set -eu

cache=${OFED_CACHE:-/var/cache/ofed}
package=linux-source-$1
source=$cache/$package
shift
version=$(apt-cache policy "$package" | sed -n 's/.*Candidate: //p')
[ -n "$version" ] || { echo "no package $package" >&2; exit 1; }
stamp="$version${*:+ $*}"
case $(cat "$source/.version-deb" 2>/dev/null || true) in
"$version"|"$stamp")	exit 0 ;;	# where all of it is, so are the folders
esac

printf '[%s] unpacking %s %s (1 minute)\n' "$(date +%H:%M:%S)" "$package" "$version" >&2
mkdir -p "$cache/deb"
rm -rf "$source.new"
mkdir "$source.new"
(cd "$cache/deb" && rm -f "${package}"_*.deb && apt-get -qq download "$package")
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
