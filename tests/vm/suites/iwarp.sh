# SPDX-License-Identifier: GPL-2.0
#
# ofed_iwarp by Debian's programs.
. "$VM/lib/guest.sh"
. "$VM/lib/iwarp.sh"

check "a clock" clock
check "a wire between two namespaces" wire_up || exit 1
check "two devices" devices_up || { dmesg | tail -n 30; exit 1; }
check "ibv_devices shows them" sh -c "ibv_devices | grep -w iwarp0"
check "ibv_devinfo" sh -c "ibv_devinfo -v -d iwarp0 | grep -w 'transport:.*iWARP'"
check "rdma link" sh -c "rdma link show iwarp0/1 | grep -w ACTIVE"

# An interface that can not say how fast it is: any user can ask, nothing is logged.
check "an interface without a speed" ip link add eth5 type dummy
ip link set eth5 up
check "a device there" rdma link add iwarp5 type iwarp netdev eth5
dmesg -C
rate() { as_user ibv_devinfo -v -d "$1" | grep "active_speed:[[:space:]]*$2 Gbps"; }
check "its rate" rate iwarp5 2.5
expect_fail "nothing in the log" sh -c "dmesg | grep ."
check "iwarp0 knows its speed" rate iwarp0 10.0
rdma link delete iwarp5
ip link del eth5

table "a CQ" "$programs/iw_modify_cq" iwarp0

n=$(count 500)
check "rping, $n rounds" locally no over 7174 rping -s -a 10.0.0.2 -C $n -v -- \
	rping -c -a 10.0.0.2 -C $n -v
check "rping of 60000 bytes" over 7174 rping -s -a 10.0.0.2 -C $n -V -S 60000 -- \
	rping -c -a 10.0.0.2 -C $n -V -S 60000

# ---- perftest: bandwidth and latency of each operation ------------------------------
for how in write read send; do
	for what in bw lat; do
		check "ib_${how}_$what -R" over 18515 ib_${how}_$what -F -R -n $n -s 65536 -- \
			ib_${how}_$what -F -R -n $n -s 65536 10.0.0.2
	done
done
check "ib_send_bw -F -R -a" over 18515 ib_send_bw -F -R -n 5 -a -- ib_send_bw -F -R -n 5 -a 10.0.0.2
check "ib_send_bw -F -R -b" over 18515 ib_send_bw -F -R -n $n -b -- ib_send_bw -F -R -n $n -b 10.0.0.2
check "ib_write_bw -F -R -q 4" over 18515 ib_write_bw -F -R -n $n -q 4 -- \
	ib_write_bw -F -R -n $n -q 4 10.0.0.2
# Not ib_send_bw -e: on iWARP its client has to wait for credit, which comes by WRITE,
# and it waits for a completion instead, which never comes if the server is slow.
check "ib_read_bw -R, events" over 18515 ib_read_bw -F -R -n $n -e -- ib_read_bw -F -R -n $n -e 10.0.0.2
check "ib_send_lat -R, events" over 18515 ib_send_lat -F -R -n $n -e -- ib_send_lat -F -R -n $n -e 10.0.0.2
check "ib_send_bw -R, SRQ" over 18515 ib_send_bw -F -R -n $n --use-srq -- \
	ib_send_bw -F -R -n $n --use-srq 10.0.0.2
check "ib_send_lat -R, inline" over 18515 ib_send_lat -F -R -n $n -I 64 -s 64 -- \
	ib_send_lat -F -R -n $n -I 64 -s 64 10.0.0.2

# ---- librdmacm -----------------------------------------------------------------------
check "rping over IPv6" over 7174 rping -s -a fd00::2 -C $n -V -- rping -c -a fd00::2 -C $n -V
check "ucmatose, 10 connections" over 7471 ucmatose -b 10.0.0.2 -c 10 -C 20 -- \
	ucmatose -s 10.0.0.2 -c 10 -C 20
check "ucmatose over IPv6" over 7471 ucmatose -b fd00::2 -c 4 -- ucmatose -s fd00::2 -c 4
# Debian 13's listens by TCP, too, at the port that it has given to rdma_cm. On iWARP that is taken.
[ "$RELEASE" != 12 ] || check "cmtime" ask 7471 cmtime -b 10.0.0.2 -c 100 -- cmtime -s 10.0.0.2 -c 100
check "rstream" over 7471 rstream -b 10.0.0.2 -S 65536 -C $n -T v -- \
	rstream -s 10.0.0.2 -S 65536 -C $n -T v
check "rdma_server and rdma_client" over 7471 rdma_server -s 10.0.0.2 -- rdma_client -s 10.0.0.2
check "no listener" sh -c "! timeout 20 rping -c -a 10.0.0.2 -C 1 -p 7999"

# ---- the same host --------------------------------------------------------------------
for way in Y N; do
	locally=yes
	[ $way = Y ] || locally=no
	check "loopback=$way" loopback $way
	check "rping here" locally $locally here 7174 rping -s -a 10.0.0.1 -C $n -V -S 60000 -- \
		rping -c -a 10.0.0.1 -C $n -V -S 60000
	check "rping here, IPv6" locally $locally here 7174 rping -s -a fd00::1 -C $n -V -- \
		rping -c -a fd00::1 -C $n -V
	for how in write read send; do
		check "ib_${how}_bw here" locally $locally here 18515 ib_${how}_bw -F -R -n $n -- \
			ib_${how}_bw -F -R -n $n 10.0.0.1
		check "ib_${how}_lat here" locally $locally here 18515 ib_${how}_lat -F -R -n $n -s 64 -- \
			ib_${how}_lat -F -R -n $n -s 64 10.0.0.1
	done
	check "ib_send_bw -b here, events" here 18515 ib_send_bw -F -R -n $n -b -- \
		ib_send_bw -F -R -n $n -b 10.0.0.1
	check "rstream here" here 7471 rstream -b 10.0.0.1 -S 65536 -C $n -T v -- \
		rstream -s 10.0.0.1 -S 65536 -C $n -T v
	check "ucmatose here" here 7471 ucmatose -b 10.0.0.1 -c 10 -C 20 -- \
		ucmatose -s 10.0.0.1 -c 10 -C 20
done
check "loopback=Y" loopback Y

# ---- loopback addresses ----------------------------------------------------------------
# The kernel's own core refuses them as it looks for the address.
refuses() { # ADDRESS
	timeout -k 5 "$limit" rping -c -a "$1" -C 1 >"$work/client" 2>&1
	cat "$work/client"
	has "rdma_resolve_addr: Invalid argument" "$work/client"
}
for at in 127.0.0.1 ::1 0.0.0.0 ::; do
	all=0.0.0.0
	case $at in *:*) all=:: ;; esac
	if [ "$CORE" = stock ]; then
		check "rping to $at" refuses $at
		continue
	fi
	check "rping to $at" locally yes here 7174 rping -s -a $all -C $n -V -S 60000 -- \
		rping -c -a $at -C $n -V -S 60000
	check "rping to $at in the other namespace" locally no over 7174 \
		rping -s -a $all -C $n -V -- $b rping -c -a $at -C $n -V
done
# IPv6 takes IPv4 along; and a listener at the loopback address alone.
if [ "$CORE" != stock ]; then
	check "rping to 127.0.0.1 at ::" here 7174 rping -s -a :: -C $n -V -- \
		rping -c -a 127.0.0.1 -C $n -V
	check "rping to 127.0.0.1 at 127.0.0.1" here 7174 rping -s -a 127.0.0.1 -C $n -V -- \
		rping -c -a 127.0.0.1 -C $n -V
fi
# Another namespace's is none of ours.
elsewhere() {
	begin 7174 rping -s -a 0.0.0.0 -C 1 -- true || return
	timeout -k 5 "$limit" rping -c -a 127.0.0.1 -C 1 >"$work/client" 2>&1
	_client=$?
	kill $_server
	wait $_server
	told $_client -
	[ $_client -ne 0 ] && { [ "$CORE" = stock ] ||
		has "RDMA_CM_EVENT_REJECTED, error -111" "$work/client"; }
}
check "no listener at 127.0.0.1 but in the other namespace" elsewhere

# ---- the end --------------------------------------------------------------------------
rdma statistic show link iwarp0/1 | tr ' ' '\n' | paste -d' ' - - | grep -v ' 0$' | paste -sd' '
shown() { # COUNTER: by rdma, as sysfs has it
	rdma statistic show link iwarp0/1 | grep -qw "$1 $(counter $1)"
}
for c in tx_fpdus rx_fpdus connections_made; do
	check "rdma statistic: $c" shown $c
done
check "no CRC was wrong" sh -c "rdma statistic show link iwarp0/1 | grep -q 'rx_crc_errors 0'"
check "rdma link delete" rdma link delete iwarp0
check "the namespace goes with its device" ip netns delete b
gone() { ! rdma dev | grep -q iwarp; }
check "no device is left" wait_for 20 gone
check "the modules go" wait_for 20 unload_stack
