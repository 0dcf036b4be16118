# SPDX-License-Identifier: GPL-2.0
#
# ofed_testdev itself: every object by raw commands, its hooks, and what the
# core has to do around a device that comes, changes and goes.
. "$VM/lib/guest.sh"
. "$VM/lib/testdev.sh"

sys=/sys/class/infiniband
port_file_is() { # DEV FILE TEXT
	[ "$(cat "$sys/$1/ports/1/$2")" = "$3" ]
}

client() { # DEV: what went wrong is what is of interest
	"$programs/testdev_client" "$1" >"$OUT/client-$1" && return
	grep -v '^ok ' "$OUT/client-$1"
	return 1
}

check "the module loads" td_load link=ib || exit 1

# ---- InfiniBand: tables by the driver, events make the caches follow --------
check "a device with InfiniBand ports" td_add testdev0 ports=2
check "client: every object, used and destroyed" client testdev0
check "two ports" [ -d $sys/testdev0/ports/2 ]
check "link layer" port_file_is testdev0 link_layer InfiniBand
check "lid" port_file_is testdev0 lid 0x1
check "pkey 3 is invalid at first" port_file_is testdev0 pkeys/3 0x0000
td_hook testdev0 port 1 pkey 3 0x8001
check "pkey 3 after a change" wait_for 5 port_file_is testdev0 pkeys/3 0x8001
td_hook testdev0 port 1 gid 2 fe80::1234
check "gid 2 after a change" wait_for 5 port_file_is testdev0 gids/2 \
	fe80:0000:0000:0000:0000:0000:0000:1234
td_hook testdev0 port 1 lid 0x77
check "lid after a change" wait_for 5 port_file_is testdev0 lid 0x77
td_hook testdev0 port 1 state 1
check "port down" wait_for 5 port_file_is testdev0 state "1: DOWN"
expect_fail "an op that is not there" td_hook testdev0 fail nonsense 1 EIO
check "it goes" td_del testdev0
check "nothing is left" td_all_zero

# ---- RoCE: tables by the core ------------------------------------------------
check "network devices" net_up
for way in get_netdev=0 get_netdev=1; do
	check "a RoCE device, $way" td_add testdev1 link=roce netdev=eth0 $way
	check "its link layer, $way" port_file_is testdev1 link_layer Ethernet
	check "it is up, $way" wait_for 10 port_file_is testdev1 state "4: ACTIVE"
	check "it has the IPv4 GID, $way" wait_for 10 grep -qr \
		0000:0000:0000:0000:0000:ffff:0a00:0001 $sys/testdev1/ports/1/gids
	ip addr add 10.0.0.77/24 dev eth0
	check "a new address, a new GID, $way" wait_for 10 grep -qr \
		0000:0000:0000:0000:0000:ffff:0a00:004d $sys/testdev1/ports/1/gids
	ip addr del 10.0.0.77/24 dev eth0
	check "and gone again, $way" wait_for 10 sh -c \
		"! grep -qr 0000:0000:0000:0000:0000:ffff:0a00:004d $sys/testdev1/ports/1/gids"
	check "client, $way" client testdev1
	check "it goes, $way" td_del testdev1
	check "nothing is left, $way" td_all_zero
done

check "rdma link add" rdma link add testdev2 type testdev netdev eth0
check "it is listed" sh -c 'rdma link | grep -w testdev2/1'
check "rdma link delete" rdma link delete testdev2
check "nothing is left of it" td_all_zero

check "another on eth0" td_add testdev3 link=roce netdev=eth0
net_down
check "it goes with its network device" wait_for 20 td_gone testdev3
check "nothing is left of that" wait_for 5 td_all_zero
net_up
check "one that only names its network device" \
	td_add testdev4 link=roce netdev=eth0 get_netdev=1
net_down
check "stays without it" [ -d $sys/testdev4 ]
check "down" wait_for 10 port_file_is testdev4 state "1: DOWN"
check "without GIDs" wait_for 10 sh -c "[ \$(awk '\$1 == \"gid\" { print \$2 }' $td/testdev4/counts) = 0 ]"
check "and can go" td_del testdev4
check "nothing is left of this one" td_all_zero

# ---- registration fails wherever the driver fails ----------------------------
for op in enable_driver query_device get_port_immutable; do
	expect_fail "no device when $op fails" td_ctl add testdev5 fail=$op:1:ENOMEM
	check "nothing is left when $op fails" td_all_zero
done
for op in query_port query_pkey query_gid \
	  alloc_hw_device_stats alloc_hw_port_stats; do
	# Whether a device can do without is the core's to say: no WARN, no leak.
	td_ctl add testdev5 fail=$op:1:ENOMEM 2>/dev/null && td_del testdev5
	check "$op fails during registration" td_all_zero
done
expect_fail "a name that is taken" sh -c "
	printf 'add testdev6' >$td/ctl && printf 'add testdev6' >$td/ctl"
td_del testdev6

# ---- completions of a queue pair that is gone -----------------------------------
# The stock core reads its memory.
if [ "$CORE" = ofed ]; then
	check "a device that leaves completions behind" td_add testdev6 leaves=1
	table "leaves=1" "$programs/late_poll" testdev6
	check "it goes" td_del testdev6
	check "nothing is left of it" td_all_zero
fi

# ---- coming and going ---------------------------------------------------------
cycles() {
	for _i in $(seq "$1"); do
		td_ctl add testdev7 split_cq=$((_i % 2)) virt_dma=$((_i / 2 % 2)) &&
			td_del testdev7 || return
	done
}
check "add and delete $(count 500) times" cycles "$(count 500)"
check "nothing is left of any" td_all_zero
check "two more" sh -c "printf 'add testdev8' >$td/ctl && printf 'add testdev9 virt_dma=1' >$td/ctl"
check "client with virtual DMA" client testdev9
check "the modules go, devices and all" td_unload
