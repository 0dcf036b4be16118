# SPDX-License-Identifier: GPL-2.0
#
# Sourced after guest.sh by suites of software InfiniBand. The fabric is built by
# ofed-fabric, and managed by Debian's opensm.
DRIVER=ib
fabric=$TOP/tools/fabric/ofed-fabric
configfs=/sys/kernel/config/ofed_ib
ibsys=/sys/class/infiniband

fabric_up() { # TOPOLOGY
	mount -t configfs none /sys/kernel/config 2>/dev/null
	modprobe ofed_ib && load_users && "$fabric" load "$1"
}

# The modules rdma-core's udev rules would load.
load_users() {
	! have_uverbs || modprobe ib_uverbs || return
	! have_ucma || modprobe rdma_ucm || return
	! have_umad || modprobe ib_umad
}

fabric_down() { "$fabric" unload && ! ls "$ibsys"/* >/dev/null 2>&1; }

port_is() { [ "$(cat "$ibsys/$1/ports/${4:-1}/$2" 2>/dev/null)" = "$3" ]; }

hcas() { ls "$configfs/hcas"; }

# Every port of every HCA that is here.
all_active() {
	for _p in "$ibsys"/*/ports/*; do
		[ "$(cat "$_p/state")" = "4: ACTIVE" ] || return
	done
}

# The interface with a hardware address that ends with the port's GUID.
ndev_of() { # HCA
	_guid=$(sed 's/.*\(....:....:....:....\)$/\1/; s/://g' "$ibsys/$1/ports/1/gids/0")
	for _n in /sys/class/net/ib*; do
		[ "$(sed 's/://g' "$_n/address" | tail -c 17)" = "$_guid" ] && basename "$_n" && return
	done
	return 1
}

# begin_opensm NAME HCA [OPTION...]: $work/NAME.log is its log, $work/NAME.pid it
begin_opensm() {
	_sm=$1 _guid=$(sed 's/://g' "$ibsys/$2/ports/1/gids/0" | cut -c 17-)
	shift 2
	mkdir -p "$work/$_sm"
	# -d 2: what it logs can be waited for.
	OSM_TMP_DIR=$work/$_sm OSM_CACHE_DIR=$work/$_sm opensm -g "0x$_guid" \
		-f "$work/$_sm.log" -P "${partitions:-$work/none}" -d 2 "$@" \
		>"$work/$_sm.out" 2>&1 &
	echo $! >"$work/$_sm.pid"
}

end_opensm() { # NAME [SIGNAL]
	_pid=$(cat "$work/$1.pid")
	kill -"${2:-TERM}" "$_pid"
	wait "$_pid"
	return 0
}

# says TEXT CMD...: its output has TEXT
says() {
	_text=$1
	shift
	timeout -k 5 "$limit" "$@" >"$work/said" 2>&1
	_status=$?
	cat "$work/said"
	has "$_text" "$work/said" && [ $_status -eq 0 ]
}

# pma NAME OPTION... LID PORT: a counter, or the sum of all with that prefix
pma() {
	_name=$1
	shift
	perfquery -C hca1 "$@" | awk -F: -v n="$_name" \
		'index($1, n) == 1 { gsub(/[^0-9]/, "", $2); sum += $2; f = 1 } END { print f ? sum : "none" }'
}

lid_of() { printf '%d' "$(cat "$ibsys/$1/ports/1/lid")"; }

# pair PORT SERVER-DEVICE CLIENT-DEVICE CMD...: CMD -d DEVICE at both ends
pair() {
	_port=$1 _from=$2 _to=$3
	shift 3
	timeout -k 5 "$limit" "$@" -p "$_port" -d "$_from" >"$work/server" 2>&1 &
	_server=$!
	if ! wait_for 30 listening "$_port"; then
		kill $_server 2>/dev/null
		wait $_server
		cat "$work/server"
		return 1
	fi
	timeout -k 5 "$limit" "$@" -p "$_port" -d "$_to" 127.0.0.1 >"$work/client" 2>&1
	_client=$?
	[ $_client -eq 0 ] || kill $_server 2>/dev/null
	wait $_server
	_status=$?
	cat "$work/server" "$work/client"
	[ $_client -eq 0 ] && [ $_status -eq 0 ]
}

# From hca1 to hca2 without an end, as $_s and $_c, while something breaks.
begin_traffic() {
	port=$((port + 1))
	timeout 600 ibv_rc_pingpong -e -n 100000000 -s 8192 -p $port -d hca1 >/dev/null 2>&1 &
	_s=$!
	wait_for 60 listening $port || return
	timeout 600 ibv_rc_pingpong -e -n 100000000 -s 8192 -p $port -d hca2 127.0.0.1 >/dev/null 2>&1 &
	_c=$!
}
end_traffic() {
	kill $_s $_c 2>/dev/null
	wait $_s $_c
	return 0
}

# opa_power HCA 0|1: whether its ports are of Omni-Path's kind; its cables stay
opa_power() {
	echo 0 >"$configfs/hcas/$1/power" && echo "$2" >"$configfs/hcas/$1/opa" &&
		echo 1 >"$configfs/hcas/$1/power"
}
