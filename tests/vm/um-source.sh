#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# What a source of 6.1 lacks for an ARCH=um that is watched and runs on any host. A second time
# changes nothing.
#
# usage: um-source.sh SOURCE
set -eu

um=$1/arch/um
umask 022

# change FILE OLD NEW WITHOUT: one line; a file that has NEW already is left alone
change() {
	! grep -qF "$3" "$1" || return 0
	grep -qF "$2" "$1" || { echo "um-source.sh: $1 is another: $4" >&2; return 0; }
	OLD=$2 NEW=$3 awk '{
		at = index($0, ENVIRON["OLD"])
		if (at) $0 = substr($0, 1, at - 1) ENVIRON["NEW"] substr($0, at + length(ENVIRON["OLD"]))
		print
	}' "$1" >"$1.new"
	mv "$1.new" "$1"
}

# Processors with AMX have more registers than 6.1 has room for, and of fewer the host takes
# none back: no process would ever run. What is not there is not copied.
change "$1/arch/x86/um/user-offsets.c" '(HOST_FP_SIZE, 2696)' '(HOST_FP_SIZE, 12288)' \
	'it may not run on processors with AMX'

# Each process of the guest begins as a fork of the kernel, which needs KASAN's shadow no more:
# 512 MiB of page tables were copied, and then each page of the shadow, a third of all time.
change "$um/os-Linux/mem.c" ' 0) == MAP_FAILED) {' \
	' 0) == MAP_FAILED || madvise(start, len, MADV_WIPEONFORK)) {' 'forks take long'

# Each word of a stack was looked up among the addresses of functions, of which all but those
# in frames are thrown away: a fifth of the time that is left.
change "$um/kernel/stacktrace.c" 'if (__kernel_text_address(addr)) {' \
	'if ((unsigned long)sp == bp + sizeof(long) && __kernel_text_address(addr)) {' \
	'traces of stacks take long'
