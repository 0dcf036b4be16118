# SPDX-License-Identifier: GPL-2.0
#
# ofed_iwarp and a kernel consumer: what programs can not ask for.
DRIVER=iwarp
. "$VM/lib/guest.sh"
. "$VM/lib/iwarp.sh"

# Works that send come late if there is another thread to run.
busy() {
	burning=
	for i in 1 2 3 4; do
		sh -c 'while :; do :; done' &
		burning="$burning $!"
	done
}
idle() {
	kill $burning
	wait $burning 2>/dev/null
}

need_link
check "a kernel consumer" modprobe ofed_iwtest address=$gid_ip || exit 1
for way in Y N; do
	echo $way >/sys/module/ofed_iwarp/parameters/loopback
	table "kernel consumer, loopback=$way" cat /sys/kernel/debug/ofed_iwtest
	busy
	table "once more, loopback=$way, busy" cat /sys/kernel/debug/ofed_iwtest
	idle
done
check "it goes" rmmod ofed_iwtest
private_data "ours and ours"
check "$dev goes" link_down
check "the modules go" unload_stack
