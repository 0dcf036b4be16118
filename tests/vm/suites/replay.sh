# SPDX-License-Identifier: GPL-2.0
#
# Each input of the guided fuzzer's corpus once, as the user that it is of.
. "$VM/lib/guest.sh"
. "$VM/lib/guided.sh"

check "a device and a wire" world_up || exit 1
for user in user root; do
	[ -f "$corpus/$DRIVER-$user" ] || continue
	check "inputs of $user" inputs "$user" "$work/$user" replay
	tail -n 3 "$work/output" | sed 's/^/     /'
done
check "all of it goes" world_down
