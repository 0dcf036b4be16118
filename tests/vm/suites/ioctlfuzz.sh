# SPDX-License-Identifier: GPL-2.0
#
# Random and mutated ioctl() calls, with kill and removal in between, and an
# innocent beside them. What is tested is the silence of the kernel, that nothing
# is left and that the innocent is not disturbed.
. "$VM/lib/guest.sh"
. "$VM/lib/testdev.sh"
fuzz="$programs/ioctl_fuzz" calls=calls
. "$VM/lib/tdfuzz.sh"

beside() { # DEV: its pid in $innocent
	rm -f "$work/stop" "$work/ready"
	timeout -k 5 "$limit" "$programs/ioctl_innocent" "$1" "$work/ready" "$work/stop" \
		>"$work/innocent" 2>&1 &
	innocent=$!
	wait_for 60 [ -e "$work/ready" ] || { cat "$work/innocent"; return 1; }
}
undisturbed() {
	: >"$work/stop"
	wait $innocent
	_status=$?
	cat "$work/innocent"
	return $_status
}
accompanied() { # DEV [OPTION]
	beside "$1" || return
	fuzzed "$@"
	_fuzzed=$?
	undisturbed && [ $_fuzzed -eq 0 ]
}

check "the module loads" td_load link=ib || exit 1
check "network devices" net_up

# Each method succeeds at least once: the table is what it says.
check "a device with InfiniBand ports" td_add testdev0
coverage=-c
[ "$n" -ge 20000 ] || coverage=
check "$n calls" accompanied testdev0 $coverage
told 99
check "all its objects are gone" wait_for 10 td_idle testdev0
check "none is listed" no_user_objects
check "it goes" td_del testdev0
check "nothing is left" wait_for 10 td_all_zero

check "a RoCE device, with an object more" td_add testdev1 link=roce netdev=eth0 virt_dma=1
check "$n calls on it" accompanied testdev1
told 3
check "it goes too" td_del testdev1
check "nothing is left of it" wait_for 10 td_all_zero

cut_short
real_device accompanied
