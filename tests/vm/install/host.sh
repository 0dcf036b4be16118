# SPDX-License-Identifier: GPL-2.0
#
# Sourced by run, upgrade and clone: rows and their count, the packages of this tree, boots.
# It wants $here, the folder of this file, and $work, one for each of them.

cache=${OFED_CACHE:-/var/cache/ofed}
top=$(cd "$here/../../.." && pwd)
vm=$here/..
. "$vm/release.sh"
passed=0 failed=0 pid=
start=$(date +%s)
mkdir -p "$work"

say() { printf '[%s] %s\n' "$(date +%H:%M:%S)" "$*"; }
check() { # NAME CMD...
	_name=$1
	shift
	if "$@" >"$work/output" 2>&1; then
		passed=$((passed + 1)); echo "ok   $_name"
	else
		failed=$((failed + 1)); echo "FAIL $_name"
		tail -n 40 "$work/output" | sed 's/^/     | /'
		return 1
	fi
}
finish() {
	[ -z "$pid" ] || wait "$pid" 2>/dev/null || true
	say "$(($(date +%s) - start)) s"
	echo "$passed passed, $failed failed"
	[ "$failed" -eq 0 ]
	exit
}

kver() { awk -v k="$1" '$1 == k { print $2 }' "$cache/kernels"; }

# built STATUS PACKAGE KVER: as dkms says
built() { grep -F "$2/" "$1" | grep -F ", $3, " | grep -q ': installed'; }

# A step is counted by its own last line.
boot() { # BASE DISK KERNEL STEP
	"$here/boot" "$1" "$work/$2.img" "$3" "$4" 2>&1 | tee "$work/boot.out"
	_result=$(tail -n 1 "$work/boot.out" |
		sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p')
	[ -n "$_result" ] || _result="0 1"
	passed=$((passed + ${_result% *})) failed=$((failed + ${_result#* }))
	[ "${_result#* }" -eq 0 ]
}

need_programs() {
	needed="debhelper dh-dkms dpkg-dev fakeroot lintian mmdebstrap e2fsprogs qemu-system-x86"
	missing=
	for package in $needed; do
		[ "$(dpkg-query -W -f '${db:Status-Status}' $package 2>/dev/null)" = installed ] ||
			missing="$missing $package"
	done
	[ -n "$missing" ] || return 0
	say "installing:$missing"
	apt-get -qq update
	# Unquoted on purpose: a list of words.
	DEBIAN_FRONTEND=noninteractive apt-get -qq install --no-install-recommends -y \
		$missing >"$work/output" 2>&1 || { tail -n 20 "$work/output"; exit 1; }
}

# The packages of this tree, in $debs. Lanes that run at the same time make them one after
# the other, at one place, and each keeps a copy.
debs=$work/debs
make_debs() {
	{
		flock 9 && make -s -C "$top" deb && rm -rf "$debs" && mkdir "$debs" &&
			cp "$top"/build/deb/*.deb "$debs/"
	} 9>"$work/../deb.lock"
}
