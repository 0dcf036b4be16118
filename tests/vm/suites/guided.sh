# SPDX-License-Identifier: GPL-2.0
#
# 'make fuzz': inputs that reach new blocks, as a user without privilege and as root, MINUTES
# each half. With modules of COVER=1, otherwise results of calls guide it alone.
. "$VM/lib/guest.sh"
. "$VM/lib/guided.sh"

modprobe ofed_cover 2>/dev/null
check "a device and a wire" world_up || exit 1
for user in ${USERS:-user root}; do
	echo "== as $user"
	inputs "$user" "$OUT/$user" ${MORE:-} -m "${MINUTES:-2}" "${MODE:-run}" && ok "$user" || bad "$user"
done
# Of the test device an input may have ordered that.
[ $DRIVER = testdev ] || check "the log has no word of objects that stay" \
	sh -c '! dmesg | grep "does not destroy object"'
[ "${DOWN:-}" = no ] || check "all of it goes" world_down
