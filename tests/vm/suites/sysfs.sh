# SPDX-License-Identifier: GPL-2.0
#
# Every file of the device in sysfs, with mode and content, as on the stock core.
. "$VM/lib/guest.sh"

need_link

dump() { python3 "$TOP/tests/programs/core/sysfs_dump.py" "$@"; }
# Numbers that are another in every run.
normal() {
	sed -E -e "/(counters|hw_counters|power)\/[^/]* = /s/= '-?[0-9.]+/= 'N/" \
		-e "/uverbs[0-9]+\/dev = /s/= .*/= MAJ:MIN/" \
		-e "s/= '(MAJOR|MINOR)=[0-9]+/= '\1=N/"
}
{
	dump infiniband/rxe0 /sys/class/infiniband/rxe0
	! have_uverbs || dump infiniband_verbs/uverbs0 /sys/class/infiniband_verbs/uverbs0
	for c in infiniband infiniband_verbs infiniband_mad; do
		[ -d /sys/class/$c ] || continue
		echo "class $c/"
		ls /sys/class/$c | sed "s|^|class $c/|"
	done
	! have_uverbs || stat -c '%A %U %G %n' /dev/infiniband /dev/infiniband/*
	for f in /sys/class/infiniband_verbs/abi_version /sys/class/infiniband_mad/abi_version; do
		[ -e $f ] && echo "$(stat -c %A $f) $f = $(cat $f)"
	done
} | normal >"$work/sysfs"

# Without the character device of ours, its files are not compared.
if ! have_uverbs; then

	grep -vE 'uverbs|infiniband_verbs|/dev/infiniband' "$work/sysfs" >"$work/only"
	mv "$work/only" "$work/sysfs"
	without='uverbs|infiniband_verbs|/dev/infiniband'
fi
same_as_list "sysfs as on the stock core" "$work/sysfs" sysfs-rxe

# What administrators look at first reads all of it.
check "ibstat" sh -c "ibstat rxe0 | grep -q 'Link layer: Ethernet'"
check "ibstat, one port" sh -c "ibstat rxe0 1 | grep -q 'State: Active'"
check "ibstatus" sh -c "ibstatus rxe0:1 | grep -q 'phys state:.*5: LinkUp'"
check "ibstatus, all" sh -c "ibstatus | grep -q \"Infiniband device 'rxe0' port 1\""

# Two writes that the files of a device without hardware take.
check "node_desc takes a text" sh -c 'echo hello >/sys/class/infiniband/rxe0/node_desc &&
	grep -qx hello /sys/class/infiniband/rxe0/node_desc'
expect_fail "node_desc by another user" as_user sh -c 'echo no >/sys/class/infiniband/rxe0/node_desc'
expect_fail "node_guid cannot be written" sh -c 'echo 1 >/sys/class/infiniband/rxe0/node_guid'
check "rxe0 goes" link_down
