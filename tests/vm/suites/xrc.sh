# SPDX-License-Identifier: GPL-2.0
#
# XRC and regions that are registered again, between two processes, without
# packets and with them. librxe has neither: commands and rings by hand.
DRIVER=roce
. "$VM/lib/guest.sh"

need_link
for way in 1 0; do
	echo $way >/sys/module/ofed_soft/parameters/loopback
	duo $((18900 + way)) "$programs/xrc_rereg" -d $dev -g $gid_index >"$work/xrc" 2>&1
	# Each row counts by itself.
	while IFS= read -r line; do
		case $line in
		"ok   "*) ok "${line#ok   } (loopback=$way)" ;;
		"FAIL "*) bad "${line#FAIL } (loopback=$way)" ;;
		*) echo "$line" ;;
		esac
	done <"$work/xrc"
	check "the whole table, loopback=$way" grep -q '[0-9] checks, ' "$work/xrc"
done
echo 1 >/sys/module/ofed_soft/parameters/loopback

# The stock core has but the inode of a file, and the file system goes from under it.
if [ "$CORE" = ofed ]; then
	table "a mount" "$programs/xrc_mount" $dev
	busy() { dmesg | grep -i 'busy inodes'; }
	expect_fail "no inode was left behind" busy
fi
check "$dev goes" link_down
