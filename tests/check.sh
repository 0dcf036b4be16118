#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# All lanes, one after the other, and their sum. SCALE=1 for the full counts.
set -eu

top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top"
passed=0 failed=0
start=$(date +%s)
log=$top/build/log
mkdir -p "$log"

say() { printf '[%s] %s\n' "$(date +%H:%M:%S)" "$*"; }

# lane NAME CMD...: CMD's last line 'N passed, N failed' is added up
lane() {
	_name=$1
	shift
	say "lane $_name"
	_begin=$(date +%s)
	"$@" 2>&1 | tee "$log/lane-$_name.out" || true
	_result=$(tail -n 1 "$log/lane-$_name.out" |
		sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p')
	[ -n "$_result" ] || _result="0 1"
	passed=$((passed + ${_result% *})) failed=$((failed + ${_result#* }))
	say "lane $_name: ${_result% *} passed, ${_result#* } failed, $(($(date +%s) - _begin)) s"
}

tests/vm/prepare.sh debug

# VMs of a core and a device: vm KERNEL CORE roce, or vm KERNEL for rxe on ours
vm() {
	_suites=$(tests/vm/suites-for "$1" ${3:+$3 $2})
	tests/vm/run "$1" "$_suites" CORE="${2:-ofed}" DRIVER="${3:-rxe}" \
		TIMEOUT="${TIMEOUT:-3000}"
}

lane style tests/style.sh 6.1 6.12 debug
lane kunit tests/vm/run debug kunit TIMEOUT=${TIMEOUT:-900}
for k in 6.1 6.12; do lane stock-$k vm $k; done
lane debug vm debug
for k in 6.1 6.12; do
	for core in ofed stock; do
		lane roce-$k-$core vm $k $core roce
	done
	[ "${SCALE:-}" != 1 ] || lane pair-$k tests/vm/pair PEER=$k TIMEOUT=${TIMEOUT:-3000}
done
lane roce-debug tests/vm/run debug "$(tests/vm/suites-for debug roce)" \
	DRIVER=roce TIMEOUT=${TIMEOUT:-3000}

say "all lanes: $(($(date +%s) - start)) s"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
