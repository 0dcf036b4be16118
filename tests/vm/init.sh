#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Process 1 of the guest after switch_root: completes the system, runs the
# suites of the job one by one, writes their results, powers off.
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export HOME=/root LC_ALL=C

option() { # NAME: its value on the kernel's command line
	case " $cmdline " in *" $1="*) _value=${cmdline##*"$1="} && echo "${_value%% *}" ;; esac
}
read -r cmdline </proc/cmdline
out=$(option ofed.out)

# The tree and the cache are at the same place in every guest, where each user of it can
# go, and where nothing is mounted over them.
guest=${0%/tests/vm/init.sh}
mkdir /ofed
mount --bind "$guest" /ofed
mkdir -p /ofed/build /ofed/cache
mount --bind "${guest%/guest}" /ofed/build
mount --bind "$(option ofed.cache)" /ofed/cache

mount -t tmpfs -o mode=1777 tmp /tmp
mount -t tmpfs -o mode=755 run /run
mkdir -p /dev/pts /dev/shm /run/out
mount -t devpts devpts /dev/pts
mount -t tmpfs -o mode=1777 shm /dev/shm
mount -t debugfs debugfs /sys/kernel/debug 2>/dev/null
if [ -n "$out" ]; then
	mount -t hostfs -o "$out" out /run/out
else
	mount -t 9p -o trans=virtio,version=9p2000.L,msize=512000 out /run/out
fi || {
	echo "init: no output directory"
	busybox poweroff -f
}

set -a
OUT=/run/out
. $OUT/job
# What names it by its place on the host.
case $CACHE in
/tmp/*|/run/*|/dev/*)
	mkdir -p "$CACHE"
	mount --bind /ofed/cache "$CACHE" ;;
esac
TOP=/ofed VM=/ofed/tests/vm CACHE=/ofed/cache
set +a

# As an installation leaves it.
if [ "$CORE" = ofed ]; then
	for conf in "$TOP"/tools/modprobe.d/*.conf; do
		[ -f "$conf" ] && cp "$conf" /etc/modprobe.d/
	done
fi
# A veth pair is the wire of most suites: what they ask of packets has to be packets.
echo "options ofed_soft direct=${DIRECT:-off}" >/etc/modprobe.d/suites.conf
# The library of this project drives our devices.
if [ "${LIBOFED:-}" = 1 ]; then
	( . "$VM/lib/libofed.sh" && libofed_in ) || {
		echo "init: no libofed"
		busybox poweroff -f
	}
fi
if [ -n "${SHARE:-}" ]; then
	mkdir -p /run/share
	mount -t 9p -o trans=virtio,version=9p2000.L,cache=none share /run/share
fi
ip link set lo up
# rdma-core's udev rules load these; there is no udev here.
cd /tmp || exit 1

# An open of a file of the host's is three requests, and each link in its path another one. What
# every row of a suite opens is copied into memory: files, and links as links.
if [ -z "$out" ]; then
	# Unquoted on purpose: patterns.
	touch -ac $(cat "$VM/in-memory")
	touch -ahc $(cat "$VM/in-memory")
fi 2>/dev/null

# Seconds since the boot, and those of them in which a processor had work. A kernel that is a process
# does not know when it had none.
clocks() { awk -v n="$(nproc)" '{ printf "%d %d\n", $1, $1 * n - $2 }' /proc/uptime; }

for suite in $SUITES; do
	echo "== suite $suite"
	before=$(clocks)
	script=$VM/suites/$suite.sh
	[ "$suite" = demo ] && script=$VM/demo.sh
	rm -f /run/counts
	sh "$script" </dev/null
	status=$?
	# A suite that ended without its counts broke down: that is a failure.
	read -r passed failed 2>/dev/null </run/counts || { passed=0 failed=1; }
	[ $status -eq 0 ] || [ "$failed" -gt 0 ] || failed=1
	after=$(clocks)
	busy=$((${after#* } - ${before#* }))
	case $KERNEL in um*) busy= ;; esac
	echo "$suite $passed $failed $((${after% *} - ${before% *})) $busy" >>$OUT/results
	echo "== $suite: $passed passed, $failed failed"
done
sync
busybox poweroff -f
