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

lane style tests/style.sh 6.1 6.12 debug
lane kunit tests/vm/run debug kunit TIMEOUT=${TIMEOUT:-900}
lane stock-6.1 tests/vm/run 6.1 "$(tests/vm/suites-for 6.1)" TIMEOUT=${TIMEOUT:-1500}
lane stock-6.12 tests/vm/run 6.12 "$(tests/vm/suites-for 6.12)" TIMEOUT=${TIMEOUT:-1500}
lane roce tests/vm/run 6.1 pingpong,data DRIVER=roce TIMEOUT=${TIMEOUT:-900}
lane debug tests/vm/run debug "$(tests/vm/suites-for debug)" TIMEOUT=${TIMEOUT:-3000}

say "all lanes: $(($(date +%s) - start)) s"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
