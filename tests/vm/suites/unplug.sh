# SPDX-License-Identifier: GPL-2.0
#
# A device goes while processes use all of it.
. "$VM/lib/guest.sh"
. "$VM/lib/testdev.sh"

blocked() { # PID: it sleeps in the kernel and cannot be interrupted
	grep -q '^State:.D' "/proc/$1/status"
}

check "the module loads" td_load link=ib || exit 1

for virt in 0 1; do
	check "a device, virt_dma=$virt" td_add testdev0 virt_dma=$virt
	check "a client with everything, virt_dma=$virt" td_use unplug testdev0
	check "the device goes, virt_dma=$virt" td_del testdev0
	check "the client notices and closes, virt_dma=$virt" td_ended
	check "nothing is left, virt_dma=$virt" td_all_zero
done

check "kill -9 and removal at once, $(count 100) times" \
	td_race "$(count 100)" unplug testdev1

many() {
	td_add testdev2 || return
	_pids=
	for _i in 1 2 3 4; do
		td_use unplug testdev2 || return
		_pids="$_pids $client"
	done
	td_del testdev2 || return
	for client in $_pids; do
		td_ended || return
	done
}
check "four clients of one device" many
check "nothing is left of four" td_all_zero
check "no object of a program is listed" no_user_objects

check "a device on eth0" net_up
check "is added" td_add testdev3 link=roce netdev=eth0
check "and used" td_use unplug testdev3
net_down
check "its network device takes it along" wait_for 20 td_gone testdev3
check "its client is told" td_ended
check "nothing is left of it" wait_for 10 td_all_zero

# Without disassociate_ucontext the device cannot be taken from its users.
check "a device that waits for its users" td_add testdev4 disassociate=0
check "one user" td_use unplug testdev4 hold
expect_fail "the module stays while it is used" rmmod ofed_testdev
td_del testdev4 &
del=$!
check "removal waits" wait_for 20 blocked $del
rm -f "$work/ready"
check "the user can still work, and leaves" td_ended
check "then the device goes" wait $del
check "nothing is left behind" td_all_zero

# With it the module itself may go.
check "a device and a user" td_add testdev5
check "of all of it" td_use unplug testdev5
check "the module goes" rmmod ofed_testdev
check "the user is told" td_ended
check "the rest goes" unload_stack
