# SPDX-License-Identifier: GPL-2.0
#
# Every KUnit suite of tests/kunit, or that named ONLY, loaded one after the other into a debug
# kernel; a suite is one check, its failing cases are shown.
. "$VM/lib/guest.sh"

# The verdict stands at the end of what the module printed.
suite_passes() { # MODULE
	dmesg -C
	modprobe "$1" || return
	dmesg -t | grep -E -A 4 '(not ok|EXPECTATION|ASSERTION)' | head -n 40
	dmesg -t | grep -qE '^ok [0-9]+ ' && ! dmesg -t | grep -qE '^ *not ok'
}

# A kernel from allnoconfig leaves it disabled.
check "kunit is there" modprobe kunit enable=1
# A test is linked with objects of theirs, and must not export their symbols a second time.
check "the modules under test are there" modprobe -a ofed_ucma ofed_umad ofed_ib ofed_iwarp ofed_roce
for ko in "/lib/modules/$(uname -r)"/updates/ofed/${ONLY:-*}_kunit.ko; do
	m=$(basename "$ko" .ko)
	check "$m" suite_passes "$m"
	rmmod "$m" || bad "$m does not unload"
done
