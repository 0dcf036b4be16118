# SPDX-License-Identifier: GPL-2.0
#
# What an administrator sees of each kind of device, whatever DRIVER says: the figures of
# Debian's prometheus-node-exporter before and after a transfer, files of sysfs, the
# firmware in three places, the log. Commands are those of Documentation/reference/counters.md.
#
#   roce0  eth0 10.0.0.1 --veth-- eth1 10.0.0.2 roceb		(namespace b)
#   iwarp0 eth2 10.0.1.1 --veth-- eth3 10.0.1.2 iwarpb		(namespace b)
#   hca1 --switch-- hca2					(here)
. "$VM/lib/guest.sh"
. "$VM/lib/ib.sh"
. "$VM/lib/iwarp.sh"
DRIVER=roce
dev=roce0

sys=/sys/class/infiniband
page=$work/metrics
exporter_up() {
	prometheus-node-exporter --collector.disable-defaults --collector.infiniband \
		--web.listen-address=127.0.0.1:9100 >"$work/exporter" 2>&1 &
	_exporter=$!
	wait_for 60 listening 9100
}
fetch() { busybox wget -q -O "$page" http://127.0.0.1:9100/metrics; }
succeeds() {
	fetch && grep -x 'node_scrape_collector_success{collector="infiniband"} 1' "$page"
}
# metric NAME DEV: as a whole number; the page has it like 1.23e+06
metric() {
	awk -v name="$1" -v dev="device=\"$2\"" '
		index($1, "node_infiniband_" name "{") == 1 && index($1, dev) {
			printf "%.0f\n", $2; n++ }
		END { exit n != 1 }' "$page"
}
counter_of() { cat "$sys/$1/ports/1/$2"; } # DEV FILE

# ---- devices of each kind ------------------------------------------------------------
# Of two devices with one address rdma_cm takes either.
second_wire() {
	ip link add eth2 type veth peer name eth3 netns b &&
	ip addr add 10.0.1.1/24 dev eth2 && ip -n b addr add 10.0.1.2/24 dev eth3 &&
	ip link set eth2 up && ip -n b link set eth3 up
}
devices() {
	wire_up && second_wire && load_stack && modprobe ofed_iwarp &&
	rdma link add roce0 type roce netdev eth0 &&
	rdma link add iwarp0 type iwarp netdev eth2 &&
	$b rdma link add roceb type roce netdev eth1 &&
	$b rdma link add iwarpb type iwarp netdev eth3 &&
	wait_for 20 ready roce0 && wait_for 20 active iwarp0 && wait_for 20 active iwarpb
}
dmesg -C
check "RoCE and iWARP" devices || exit 1
check "software InfiniBand" fabric_up pair
check "a subnet manager" begin_opensm sm hca1
check "its ports" wait_for 120 sh -c \
	"! grep -L ACTIVE $sys/hca[12]/ports/1/state | grep ."

check "the exporter" exporter_up || exit 1
check "its infiniband collector succeeds" succeeds

# ---- what there is to see --------------------------------------------------------------
# same_firmware DEV: in verbs, sysfs and netlink
same_firmware() {
	_fw=$(cat "$sys/$1/fw_ver")
	echo "sysfs: $_fw"
	ibv_devinfo -d "$1" | grep fw_ver
	rdma -d dev show "$1"
	[ -n "$_fw" ] && ibv_devinfo -d "$1" | grep -q "fw_ver:[[:space:]]*$_fw\$" &&
		rdma -d dev show "$1" | grep -q " fw $_fw "
}
files="excessive_buffer_overrun_errors link_downed link_error_recovery
local_link_integrity_errors multicast_rcv_packets multicast_xmit_packets port_rcv_constraint_errors
port_rcv_data port_rcv_errors port_rcv_packets port_rcv_remote_physical_errors
port_rcv_switch_relay_errors port_xmit_constraint_errors port_xmit_data port_xmit_discards
port_xmit_packets port_xmit_wait symbol_error unicast_rcv_packets unicast_xmit_packets
VL15_dropped"
has_counters() { # DEV
	for _f in $files; do
		_value=$(counter_of "$1" "counters/$_f") || return
		case $_value in *[!0-9]*|"") echo "$_f: $_value"; return 1 ;; esac
	done
	counter_of "$1" hw_counters/tx_bytes && counter_of "$1" hw_counters/rx_bytes
}
for d in roce0 iwarp0 hca1; do
	module=ofed_${d%0}
	[ $d != hca1 ] || module=ofed_ib
	check "$d: hca_type" grep -qx $module $sys/$d/hca_type
	check "$d: board_id" grep -qx software $sys/$d/board_id
	check "$d: hw_rev" grep -qx 1 $sys/$d/hw_rev
	check "$d: one firmware" same_firmware $d
	check "$d: the version of its module" \
		grep -qx "$(modinfo -F version $module)" $sys/$d/fw_ver
	check "$d: the exporter has them" grep -q \
		"^node_infiniband_info{board_id=\"software\",device=\"$d\",firmware_version=\"[0-9.]*\",hca_type=\"$module\"} 1\$" \
		"$page"
	check "$d: each counter of sysfs, read by a user" as_user cat \
		$sys/$d/ports/1/counters/port_xmit_data
	check "$d: the counters of hardware" has_counters $d
	expect_fail "$d: no counter is written" sh -c \
		"echo 0 >$sys/$d/ports/1/counters/port_xmit_data"
done
check "roce0: ibstat" sh -c "ibstat roce0 | grep 'CA type: ofed_roce'"
check "hca1: ibstat" sh -c "ibstat hca1 | grep 'CA type: ofed_ib'"
for m in ofed_core ofed_uverbs ofed_ucma ofed_umad ofed_ucm ofed_soft ofed_roce ofed_ib ofed_iwarp; do
	[ "$CORE" = ofed ] || modinfo $m >/dev/null 2>&1 || continue
	check "$m: version and author" sh -c \
		"modinfo -F version $m | grep . && modinfo -F author $m | grep ."
done

# ---- a transfer ------------------------------------------------------------------------
# Of what a transfer adds to each figure: no less than its bytes, and not half as much again.
fits() { # WHAT BEFORE AFTER BYTES
	echo "$1: $(($3 - $2)) for $4 bytes"
	[ $(($3 - $2)) -ge "$4" ] && [ $(($3 - $2)) -le $(($4 * 3 / 2)) ]
}
figures() { # DEV
	echo "$(metric port_data_transmitted_bytes_total $1)" \
		"$(metric port_data_received_bytes_total $1)" \
		"$(counter_of $1 hw_counters/tx_bytes)" "$(counter_of $1 hw_counters/rx_bytes)" \
		"$(metric port_packets_transmitted_total $1)" \
		"$(metric port_packets_received_total $1)"
}
# counts DEV BYTES COMMAND...: so many in each direction
counts() {
	_dev=$1 _bytes=$2
	shift 2
	fetch && _before=$(figures $_dev) || return
	"$@" || return
	fetch && _after=$(figures $_dev) || return
	echo "before: $_before"
	echo "after:  $_after"
	set -- $_before $_after
	fits "exporter, sent" $1 $7 $_bytes && fits "exporter, received" $2 $8 $_bytes &&
		fits tx_bytes $3 $9 $_bytes && fits rx_bytes $4 ${10} $_bytes &&
		[ ${11} -gt $5 ] && [ ${12} -gt $6 ]
}
# The file of sysfs counts in units of four bytes.
agrees() { # DEV
	fetch && [ "$(metric port_data_transmitted_bytes_total $1)" = \
		"$(($(counter_of $1 counters/port_xmit_data) * 4))" ]
}
n=$(count 2000)
size=65536 ping=60000
roce_pair() { # LOCAL|REMOTE: with itself, or over the wire
	port=$((port + 1))
	_at=$b _peer=roceb _to=10.0.0.2
	[ "$1" = remote ] || _at= _peer=roce0 _to=10.0.0.1
	_gid=$(gid_of $_peer 0000:0000:0000:0000:0000:ffff:0a00:000${_to#10.0.0.}) || return
	timeout -k 5 "$limit" $_at ibv_rc_pingpong -d $_peer -g "$_gid" -s $size -n $n \
		-p $port >"$work/server" 2>&1 &
	_server=$!
	wait_for 30 sh -c "$_at cat /proc/net/tcp /proc/net/tcp6 | grep -qi ':$(printf %04X $port) '" &&
	timeout -k 5 "$limit" ibv_rc_pingpong -d roce0 -g $gid_index -s $size -n $n -p $port $_to &&
	wait $_server
}
iwarp_pair() { # over TCP, or without it
	port=$((port + 1))
	over $port rping -s -a 10.0.1.2 -p $port -S $ping -C $n -- \
		rping -c -a 10.0.1.2 -p $port -S $ping -C $n
}
ib_pair() {
	port=$((port + 1))
	pair $port hca2 hca1 ibv_rc_pingpong -s $size -n $n
}
port=17900
bytes=$((n * size))
check "roce0: the figures of $bytes bytes each way" counts roce0 $bytes roce_pair remote
check "roce0: without packets, both ends are its own" \
	counts roce0 $((2 * bytes)) roce_pair local
check "roce0: sysfs and the exporter agree" agrees roce0
check "iwarp0: the figures of $((n * ping)) bytes each way" \
	counts iwarp0 $((n * ping)) iwarp_pair
check "iwarp0: sysfs and the exporter agree" agrees iwarp0
check "hca1: the figures of $bytes bytes each way" counts hca1 $bytes ib_pair
check "the collector still succeeds" succeeds

# A figure that grows only when the connection ends says nothing of one that lasts.
live() {
	port=$((port + 1))
	begin $port rping -s -a 10.0.1.2 -p $port -S $ping -- true || return
	rping -c -a 10.0.1.2 -p $port -S $ping -C 1000000 >/dev/null 2>&1 &
	_client=$!
	_old=$(counter_of iwarp0 hw_counters/rx_bytes)
	wait_for 30 sh -c "[ \$(cat $sys/iwarp0/ports/1/hw_counters/rx_bytes) -gt $((_old + ping)) ]" &&
		kill -0 $_client
	_status=$?
	kill $_client $_server
	wait $_client $_server 2>/dev/null
	return $_status
}
check "iwarp0: bytes of a connection that lasts" live

# ---- a queue pair ----------------------------------------------------------------------
ctl() { $as "$TOP/tools/ofedctrl/ofedctrl" "$@"; }
# qp_is DEV FILTER: of jq, true for one of its queue pairs
qp_is() {
	ctl qp --json "$1" >"$work/qps" 2>&1
	jq -e "any(.[]; $2)" "$work/qps" || { cat "$work/qps"; return 1; }
}
as=
faults=/sys/kernel/debug/ofed_soft/roce0
loopback=/sys/module/ofed_soft/parameters/loopback
mountpoint -q /sys/kernel/debug || mount -t debugfs debugfs /sys/kernel/debug
# For so long that one may look; 34 s of retries when nothing is answered. A look takes a
# second on an emulated processor, so there are not many in a row.
stream() {
	"$programs/busy_stream" roce0 $gid_index roce0 $gid_index write 65536 4 1000 20 \
		>"$work/stream" 2>&1 &
	_stream=$!
}
end_stream() { kill $_stream; wait $_stream 2>/dev/null; return 0; }
without_packets() { wait_for 5 qp_is roce0 '.way == "loopback" and .retries == 7'; }
by_packets() {
	wait_for 5 qp_is roce0 \
		'(.way == "packets" or .way == "gso") and .srtt_ns > 0 and .window > 1' &&
	wait_for 5 qp_is roce0 '.next_psn > 0 and .waits_for != null and .type == "RC"'
}
# All of it is lost: it does not move while one looks.
lost() {
	echo 10000 >$faults/drop || return
	wait_for 5 qp_is roce0 '.recovery == "probing" and .unanswered > 0 and .window == 1 and
		.waits_for == "window" and .backoff > 0 and .una_psn != .next_psn and
		(.timer == "early" or .timer == "ack") and .retries <= 7'
}
qpn_of() { jq -r '[.[] | select(.recovery == "probing")][0].lqpn' "$work/qps"; }
in_words() {
	_qpn=$(qpn_of) && ctl qp roce0 "$_qpn" >"$work/words" && cat "$work/words" &&
		grep -q "^roce0 QP $_qpn: RC, RTS, port 1, peer QP [0-9]*, of busy_stream" \
			"$work/words" &&
		grep -q '^  waits for  *ACKs, as the window is full$' "$work/words" &&
		grep -q '^  next timer  *' "$work/words"
}
by_a_user() { as=as_user; qp_is "$@"; _user=$?; as=; return $_user; }
stream
check "roce0: a queue pair, without packets" without_packets
end_stream
echo 0 >$loopback
stream
check "roce0: by packets" by_packets
check "roce0: what waits for answers that are lost" lost
check "roce0: in words" in_words
check "roce0: shown to a user as well" by_a_user roce0 '.recovery == "probing"'
echo 0 >$faults/drop
# Not that it has WQEs: on one processor all are done when another program runs.
check "roce0: it goes on" wait_for 10 qp_is roce0 \
	'.recovery == "none" and .backoff == 0 and .retries == 7 and .way != "loopback"'
end_stream
echo 1 >$loopback
check "hca1: QP1 waits for nothing" qp_is hca1 \
	'.lqpn == 1 and .waits_for == "nothing" and .wqes == 0 and .send_task == "idle"'
connected() {
	port=$((port + 1))
	begin $port rping -s -a 10.0.1.2 -p $port -S $ping -- true || return
	rping -c -a 10.0.1.2 -p $port -S $ping -C 1000000 >/dev/null 2>&1 &
	_client=$!
	wait_for 5 qp_is iwarp0 '.connection == "open" and .stream == "open" and .way == "tcp" and
		.mpa_revision == 2 and .crc <= 1 and .direct_bytes == 0 and .built_bytes != null'
	_status=$?
	ctl qp iwarp0 "$(jq '.[0].lqpn' "$work/qps")" |
		grep '^  connection  *open$' || _status=1
	kill $_client $_server
	wait $_client $_server 2>/dev/null
	return $_status
}
check "iwarp0: the queue pair of a connection" connected

downs() { counter_of "$1" counters/link_downed; }
for d in roce0 iwarp0; do
	was=$(downs $d) ndev=eth0
	[ $d = roce0 ] || ndev=eth2
	ip link set $ndev down
	check "$d: a port that goes down" wait_for 10 sh -c \
		"[ \$(cat $sys/$d/ports/1/counters/link_downed) -eq $((was + 1)) ]"
	ip link set $ndev up
	check "$d: it is up again" wait_for 20 active $d
done
check "rdma statistic shows the bytes" sh -c \
	"rdma statistic show link roce0/1 | grep -q ' tx_bytes [1-9].* rx_bytes [1-9]'"
check "dmesg, as the page has it" sh -c \
	"dmesg | grep 'link roce0' | grep 'ofed_roce: link roce0 on eth0 added'"

# ---- the log ---------------------------------------------------------------------------
lines() { dmesg | grep -c "$1"; }
once() { [ "$(lines "$1")" = 1 ]; }
check "roce0: one line that it came" once 'ofed_roce: link roce0 on eth0 added$'
check "iwarp0: one line that it came" once 'ofed_iwarp: link iwarp0 on eth2 added$'
users_try() {
	for _n in 1 2 3; do
		as_user rdma link add roce9 type roce netdev eth0
		as_user rdma link delete roce0
		as_user ibv_devinfo
		as_user unshare -Urn sh -c 'ip link set lo up; rdma link add u0 type roce netdev lo'
	done >/dev/null 2>&1
	[ "$(lines 'link .* on')" = $old ]
}
old=$(lines 'link .* on')
check "a user adds none" users_try

end_exporter() { kill $_exporter; wait $_exporter; return 0; }
check "the exporter ends" end_exporter
check "roce0 goes" rdma link delete roce0
check "the namespace goes, and iwarp0 with its interface" ip netns del b
check "no device is left on Ethernet" wait_for 20 sh -c "! ls $sys | grep -qE '^(roce|iwarp)'"
check "roce0: one line that it went" \
	wait_for 10 once 'ofed_roce: link roce0 on eth0 removed$'
check "iwarp0: one line that it went" \
	wait_for 10 once 'ofed_iwarp: link iwarp0 on eth2 removed$'
end_opensm sm
check "the fabric goes" wait_for 20 fabric_down
check "the modules go" wait_for 20 unload_stack
