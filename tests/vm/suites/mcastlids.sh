# SPDX-License-Identifier: GPL-2.0
#
# One queue pair in one multicast group under two LIDs, by a user without privilege:
# detached by hand, at exit, after a kill, and while the HCA goes.
. "$VM/lib/guest.sh"
. "$VM/lib/ib.sh"

user() { as_user "$programs/mcast_lids" "$@"; }

many() { # TIMES CMD...
	_times=$1
	shift
	for _i in $(seq "$_times"); do
		"$@" || return
	done
}

hold() { # DEVICE [error]
	rm -f "$work/ready"
	setpriv $nobody "$programs/mcast_lids" "$1" hold "$work/ready" $2 >"$work/held" 2>&1 &
	holder=$!
	wait_for 30 [ -e "$work/ready" ] || { cat "$work/held"; return 1; }
}
power() { echo "$1" >"$configfs/hcas/hca1/power"; }
back() { power 1 && wait_for 30 [ -e "$ibsys/hca1/ports/1/state" ] && wait_for 30 listed; }
listed() { ibv_devices | grep -qw hca1; }
# The HCA goes under the queue pair, or at the same time as the process.
unplugged() {
	hold hca1 error && power 0 && kill -9 $holder
	wait $holder
	back || return
	hold hca1 error || return
	power 0 &
	_off=$!
	kill -9 $holder
	wait $_off && wait $holder
	back
}

chmod 777 "$work"
check "a fabric" fabric_up pair || exit 1
check "its HCAs" wait_for 30 listed
check "by hand" user hca1 detach
n=$(count 1000)
# A process takes a second where each is watched and emulated.
limit=$((limit + 4 * n))
# By four processes at a time, each with children one after the other.
ended() {
	_pids= _failed=0
	for _way in "close $n" "close $n error" "kill $n" "kill $n error"; do
		# Unquoted on purpose: words.
		user hca1 $_way >"$work/ended-${_way%% *}${_way##* }" 2>&1 &
		_pids="$_pids $!"
	done
	for _pid in $_pids; do
		wait "$_pid" || _failed=1
	done
	[ $_failed -eq 0 ] || tail -n 3 "$work"/ended-*
	return $_failed
}
check "left behind and killed, in the error state and not, $n times each" ended
check "none of it is left" no_user_objects
check "the HCA goes and comes, $(count 200) times" many "$(count 200)" unplugged
check "none of that is left" no_user_objects
check "the log has no word of objects that stay" \
	sh -c '! dmesg | grep "does not destroy object"'
check "all of it goes" fabric_down
check "and the module" rmmod ofed_ib
