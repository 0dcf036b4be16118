# SPDX-License-Identifier: GPL-2.0
#
# Sourced after guest.sh by suites that use ofed_testdev.
td=/sys/kernel/debug/ofed_testdev

# On our core depmod knows the module; on the stock core its file is used.
td_load() { # [PARAMETER=VALUE...]
	if [ "$CORE" = ofed ]; then
		modprobe ofed_testdev "$@" && modprobe ib_uverbs
	else
		modprobe ib_uverbs &&
			insmod "${TESTDEV:-$TOP/build/$KERNEL/tests/modules/ofed_testdev.ko}" "$@"
	fi
}

# Words of 'add', see tests/modules/ofed_testdev_main.c. The shell's own echo
# is quiet about a failed write: printf is not.
td_ctl() { printf '%s\n' "$*" >$td/ctl; }
td_hook() { # DEV FILE LINE...
	_file=$td/$1/$2
	shift 2
	printf '%s\n' "$*" >"$_file"
}
td_add() { td_ctl add "$@" && wait_for 10 td_ready "$1"; }
td_del() { td_ctl del "$1"; }

# Its char device is there and has a node.
td_ready() {
	for _v in /sys/class/infiniband_verbs/uverbs*; do
		[ "$(cat "$_v/ibdev" 2>/dev/null)" = "$1" ] &&
			[ -c "/dev/infiniband/${_v##*/}" ] && return
	done
	return 1
}
td_gone() { ! [ -e "/sys/class/infiniband/$1" ]; }

# Nothing of any device that ever was is alive, the devices included.
td_all_zero() {
	awk '$2 != 0 { print; n++ } END { exit n > 0 }' $td/counts
}

td_count() { awk -v k="$2" '$1 == k { print $2 }' "$td/$1/counts"; }
# No process has it open any more.
td_idle() { [ "$(td_count "$1" ucontext)" = 0 ]; }

# td_use PROGRAM DEV [WORD]: PROGRAM holds what it has made of DEV. $client is
# 'timeout', its parent, which a SIGKILL would end alone; it leads a group of its
# own, with what PROGRAM may have forked.
td_use() {
	rm -f "$work/ready"
	timeout -k 5 "$limit" "$programs/$1" "$2" "$work/ready" $3 >"$work/client" 2>&1 &
	client=$!
	wait_for 30 [ -e "$work/ready" ] || { cat "$work/client"; return 1; }
}
td_kill() { kill -9 -$client; }
td_ended() { # the client's verdict
	wait $client
	_status=$?
	cat "$work/client" >>"$OUT/clients"
	[ $_status -eq 0 ] && return
	cat "$work/client"
	return 1
}
# td_race TIMES PROGRAM DEV: close by kill and removal meet
td_race() {
	for _i in $(seq "$1"); do
		td_add "$3" && td_use "$2" "$3" || return
		td_del "$3" &
		_del=$!
		# It may have seen the removal, and be gone.
		td_kill
		wait $_del || return
		wait $client
		wait_for 10 td_all_zero || { cat $td/counts; return 1; }
	done
}

td_unload() {
	rmmod ofed_testdev && unload_stack
}
