#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# All lanes, some at a time, and their sum. SCALE=1 for the full counts.
set -eu
umask 022

cd "$(dirname "$0")/.."
passed=0 failed=0
start=$(date +%s)
log=$(tests/vm/builddir)/log
rm -f "$log"/lane-* "$log"/unlucky-*
mkdir -p "$log"

say() { printf '[%s] %s\n' "$(date +%H:%M:%S)" "$*"; }

# Seconds of processors that this shell's ended children took, into a file. In a pipe the
# shell would be another.
cpu() { # FILE
	times >"$1.times"
	awk -F '[ ms]+' 'NR == 2 { printf "%d\n", $1 * 60 + $2 + $3 * 60 + $4 }' "$1.times" >"$1"
	rm "$1.times"
}

# What says nothing of us: a clock that leapt, a guest that ended before its first suite.
unlucky='clock leapt|before a suite began'

# Its output is kept, and shown with its name in front. Where the host had no luck and
# something failed, the lane is run once more.
run() { # NAME CMD...
	_name=$1 _begin=$(date +%s)
	shift
	"$@" 2>&1 | tee "$log/lane-$_name.out" | sed -u "s/^/$_name: /" || true
	if grep -qE "$unlucky" "$log/lane-$_name.out" &&
			! tail -n 1 "$log/lane-$_name.out" | grep -q ' 0 failed$'; then
		mv "$log/lane-$_name.out" "$log/unlucky-$_name.out"
		say "lane $_name: once more: $(grep -hE "$unlucky" "$log/unlucky-$_name.out" | head -n 1)"
		"$@" 2>&1 | tee "$log/lane-$_name.out" | sed -u "s/^/$_name: /" || true
	fi
	echo $(($(date +%s) - _begin)) >"$log/lane-$_name.seconds"
	cpu "$log/lane-$_name.cpu"
}

# The last line of what it said is 'N passed, N failed', or it did not get there.
add() { # NAME
	_result=$(tail -n 1 "$log/lane-$1.out" |
		sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p')
	[ -n "$_result" ] || _result="0 1"
	passed=$((passed + ${_result% *})) failed=$((failed + ${_result#* }))
	say "lane $1: ${_result% *} passed, ${_result#* } failed, $(cat "$log/lane-$1.seconds") s, $(cat "$log/lane-$1.cpu") s of processors"
}

lane() { # NAME CMD...
	say "lane $1"
	run "$@"
	add "$1"
}

# A VM does one thing at a time most of the while, and a third of it waits: a lane more
# than there are processors, three at least and four at most, go side by side, each as
# soon as there is room. Two VMs that wait for each other are as one.
rooms=$log/rooms lanes=
rm -f "$rooms"
mkfifo "$rooms"
exec 3<>"$rooms"
printf '\n\n\n' >&3
[ "$(nproc)" -lt 3 ] || echo >&3
soon() { # NAME CMD...
	lanes="$lanes $1"
	read -r _room <&3
	say "lane $1"
	{ run "$@"; say "lane $1: $(tail -n 1 "$log/lane-$1.out")"; echo >&3; } &
}
all_of_them() {
	wait
	for _l in $lanes; do add "$_l"; done
	lanes=
}

# Unquoted on purpose: nothing, or a name.
emulated= native= backport= realtime= before= arm=
[ "${SCALE:-}" != 1 ] || {
	emulated=debug native=um backport=6.12-bpo realtime=6.1-rt before=7.2
	arm="6.12-arm64 6.12-arm64-16k"
}
tests/vm/prepare.sh um-debug $native $emulated $realtime $before $arm

# VMs of a core and a device: vm KERNEL CORE roce|ib|iwarp [few|cm], or vm KERNEL for rxe on ours
vm() {
	_suites=$(tests/vm/suites-for "$1" ${3:+"$3" "$2"} ${4:-})
	tests/vm/run "$1" "$_suites" CORE="${2:-ofed}" DRIVER="${3:-rxe}" \
		TIMEOUT="${TIMEOUT:-3000}"
}

# Our iWARP device against siw, which is built for it.
siw_vm() {
	tests/vm/run "$1" iwsiw CORE=stock DRIVER=iwarp SIW="$(tests/vm/siw "$1")" \
		SIW1="$(tests/vm/siw "$1" 1)" TIMEOUT="${TIMEOUT:-3000}"
}

# Our HCAs under opa_vnic, which is built for them.
opavnic_vm() {
	tests/vm/run "$1" opavnic CORE=ofed DRIVER=ib VNIC="$(tests/vm/opa_vnic "$1")" \
		TIMEOUT="${TIMEOUT:-1800}"
}

# On a kernel that is a process: rates that an emulated processor would limit.
native_vm() { # SUITE
	make -s modules K=um && tests/vm/run um "$1" DRIVER=roce TIMEOUT="${TIMEOUT:-1200}"
}

# Of two processors of a guest one spins for the other while the host runs another guest: the
# same takes half as long again. What does not depend on processors that race has one, on which
# kernels have to run as well. In 'make soak' all have two.
few=1
[ "${SCALE:-}" != 1 ] || few=2
on_few() {
	export CPUS=$few
	"$@"
}

# A machine of another architecture is emulated on every host: many rounds are for the kernels
# of this one.
fewer() {
	export SCALE=0.05
	"$@"
}

lane build-6.1 tests/style.sh 6.1
make -s -j"$(nproc)" -C tests/programs
# What needs no more than 6.1 goes beside the other builds.
# Unquoted on purpose: nothing, or a name.
soon style tests/style.sh 6.12 7.3 $backport $realtime $before $arm um-debug $emulated text
built=$!
soon stock-6.1-few on_few vm 6.1 "" "" few
wait $built
# The longest first, so that no long one is left alone at the end. Guests of um-debug have one
# processor each and leave another to those of QEMU, so the two kinds take turns.
if [ -n "$emulated" ]; then
	soon debug vm debug
	soon kunit-debug tests/vm/run debug kunit TIMEOUT="${TIMEOUT:-2400}"
	soon roce-debug vm debug ofed roce
	soon iwarp-debug vm debug ofed iwarp
fi
soon roce-um-debug-cm vm um-debug ofed roce cm
soon roce-6.1 vm 6.1 ofed roce
soon roce-um-debug vm um-debug ofed roce
soon stock-6.12 on_few vm 6.12
soon ib-um-debug vm um-debug ofed ib
soon pair-6.1 on_few tests/vm/pair PEER=6.1 TIMEOUT="${TIMEOUT:-3000}"
soon iwarp-um-debug vm um-debug ofed iwarp
# Its lists name two processors.
soon stock-7.3 vm 7.3
soon um-debug vm um-debug
soon iwarp-6.1 vm 6.1 ofed iwarp
soon kunit tests/vm/run um-debug kunit TIMEOUT="${TIMEOUT:-1200}"
soon roce-6.12 on_few vm 6.12 ofed roce
soon elsewhere tests/vm/elsewhere
soon roce-stock-7.3 on_few vm 7.3 stock roce
soon iwsiw-um siw_vm um-debug
soon opavnic-um opavnic_vm um-debug
soon insns tests/insns/run check 6.1
soon packages tests/vm/install/packages
if [ "${SCALE:-}" = 1 ]; then
	soon stock-6.1 vm 6.1
	soon roce-6.1-few on_few vm 6.1 ofed roce few
	soon cmpair-6.1 on_few tests/vm/pair SUITE=cmpair PEER=6.1 TIMEOUT="${TIMEOUT:-3000}"
	soon iwsiw-6.1 on_few siw_vm 6.1
	soon roce-stock-6.1 on_few vm 6.1 stock roce
	soon roce-stock-6.12 on_few vm 6.12 stock roce
	soon ib-6.12 on_few vm 6.12 ofed ib
	soon iwarp-6.12 on_few vm 6.12 ofed iwarp
	soon static tests/static.sh
	soon congest-um native_vm congest
	soon ib-6.1 vm 6.1 ofed ib
	soon opavnic-6.1 opavnic_vm 6.1
	soon ib-stock-6.1 vm 6.1 stock ib
	soon iwarp-stock-6.1 vm 6.1 stock iwarp
	soon stock-6.12-bpo vm 6.12-bpo
	soon roce-6.12-bpo vm 6.12-bpo ofed roce
	soon roce-stock-6.12-bpo vm 6.12-bpo stock roce
	soon ib-6.12-bpo vm 6.12-bpo ofed ib
	soon ib-stock-6.12-bpo vm 6.12-bpo stock ib
	soon iwarp-6.12-bpo vm 6.12-bpo ofed iwarp
	soon iwarp-stock-6.12-bpo vm 6.12-bpo stock iwarp
	soon ib-stock-6.12 vm 6.12 stock ib
	soon iwarp-stock-6.12 vm 6.12 stock iwarp
	soon roce-6.1-rt vm 6.1-rt ofed roce
	soon roce-6.12-arm64 fewer vm 6.12-arm64 ofed roce
	soon roce-6.12-arm64-16k fewer vm 6.12-arm64-16k ofed roce
	soon dkms-arm64 tests/vm/dkms-arm64
	soon gendwarfksyms tests/vm/gendwarfksyms
	soon iwsiw-6.12 siw_vm 6.12
	soon roce-7.3 vm 7.3 ofed roce
	soon ib-7.3 vm 7.3 ofed ib
	soon iwarp-7.3 vm 7.3 ofed iwarp
	soon stock-7.2 vm 7.2
	soon roce-7.2 vm 7.2 ofed roce
	soon roce-stock-7.2 vm 7.2 stock roce
	soon ib-stock-7.3 vm 7.3 stock ib
	soon iwarp-stock-7.3 vm 7.3 stock iwarp
	soon pair-7.3 tests/vm/pair OURS=7.3 CORE=stock PEER=7.3 TIMEOUT="${TIMEOUT:-3000}"
	soon pair-6.12 tests/vm/pair PEER=6.12 TIMEOUT="${TIMEOUT:-3000}"
	soon cmpair-6.12 tests/vm/pair SUITE=cmpair PEER=6.12 TIMEOUT="${TIMEOUT:-3000}"
	soon demo-elsewhere tests/vm/elsewhere demo
	soon host-13 tests/vm/otherhost 13 demo
	soon install tests/vm/install/run 6.1
	soon install-6.12 tests/vm/install/run 6.12 7.3
	soon upgrade tests/vm/install/upgrade
	soon clone-6.1 tests/vm/install/clone 6.1
	soon clone-6.12 tests/vm/install/clone 6.12
	soon ibpair-6.1 tests/vm/pair SUITE=ibpair PEER_DRIVER=ib TIMEOUT="${TIMEOUT:-6000}"
fi
all_of_them

say "all lanes: $(($(date +%s) - start)) s; the slowest: $(for _s in "$log"/lane-*.seconds; do
	echo "$(cat "$_s") $(basename "$_s" .seconds)"
done | sort -rn | head -n 3 | sed 's/\(.*\) lane-\(.*\)/\2 \1 s/' | paste -sd, | sed 's/,/, /g')"
# Once more, for a reader of the end alone.
for out in "$log"/lane-*.out "$log"/unlucky-*.out; do
	[ -e "$out" ] || continue
	grep -A 12 -E '^(peer \| )?(FAIL |reports of the kernel)|the guest died|it ended with status|clock leapt' "$out" |
		grep -v '^ok ' | cut -c 1-160 | head -n 80 |
		sed "s|^|$(basename "$out" .out): |"
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
