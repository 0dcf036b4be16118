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

# Its output is kept, and shown with its name in front.
run() { # NAME CMD...
	_name=$1 _begin=$(date +%s)
	shift
	"$@" 2>&1 | tee "$log/lane-$_name.out" | sed -u "s/^/$_name: /" || true
	echo $(($(date +%s) - _begin)) >"$log/lane-$_name.seconds"
}

# The last line of what it said is 'N passed, N failed', or it did not get there.
add() { # NAME
	_result=$(tail -n 1 "$log/lane-$1.out" |
		sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p')
	[ -n "$_result" ] || _result="0 1"
	passed=$((passed + ${_result% *})) failed=$((failed + ${_result#* }))
	say "lane $1: ${_result% *} passed, ${_result#* } failed, $(cat "$log/lane-$1.seconds") s"
}

lane() { # NAME CMD...
	say "lane $1"
	run "$@"
	add "$1"
}

# A VM does one thing at a time most of the while: two go side by side.
both() { # NAME CMD...: with 6.1 and with 6.12 for every %
	_both=$1
	shift
	say "lanes $_both-6.1 and $_both-6.12"
	for _k in 6.1 6.12; do
		# Unquoted on purpose: words of a command.
		run "$_both-$_k" $(echo "$*" | sed "s/%/$_k/g") &
	done
	wait
	for _k in 6.1 6.12; do add "$_both-$_k"; done
}

# Unquoted on purpose: nothing, or a name.
watched=
[ "${SCALE:-}" != 1 ] || watched=um-debug
tests/vm/prepare.sh debug $watched

# VMs of a core and a device: vm KERNEL CORE roce, or vm KERNEL for rxe on ours
vm() {
	_suites=$(tests/vm/suites-for "$1" ${3:+"$3" "$2"})
	tests/vm/run "$1" "$_suites" CORE="${2:-ofed}" DRIVER="${3:-rxe}" \
		TIMEOUT="${TIMEOUT:-3000}"
}

lane style tests/style.sh 6.1 6.12 debug
make -s -C tests/programs
if [ -n "$watched" ]; then
	make -s modules K=um-debug >"$log/modules-um-debug.out" 2>&1
	say "lanes um-debug and roce-um-debug"
	run um-debug vm um-debug &
	run roce-um-debug vm um-debug ofed roce &
	wait
	add um-debug
	add roce-um-debug
fi
both stock vm %
say "lanes debug and roce-debug"
run debug vm debug &
run roce-debug vm debug ofed roce &
wait
add debug
add roce-debug
both roce vm % ofed roce
both roce-stock vm % stock roce
# Two VMs that wait for each other leave room for a third.
say "lane kunit, and beside it those of two VMs and of packages"
run kunit tests/vm/run debug kunit TIMEOUT="${TIMEOUT:-2400}" &
for k in 6.1 ${SCALE:+6.12}; do
	lane pair-$k tests/vm/pair PEER=$k TIMEOUT="${TIMEOUT:-3000}"
	lane cmpair-$k tests/vm/pair SUITE=cmpair PEER=$k TIMEOUT="${TIMEOUT:-3000}"
done
lane install tests/vm/install/run 6.1
wait
add kunit

say "all lanes: $(($(date +%s) - start)) s"
# Once more, for whoever sees no more than the end.
for out in "$log"/lane-*.out; do
	grep -A 12 -E '^FAIL |the guest died|^reports of the kernel' "$out" |
		grep -v '^ok ' | cut -c 1-160 | head -n 80 |
		sed "s|^|$(basename "$out" .out): |"
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
