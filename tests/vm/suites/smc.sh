# SPDX-License-Identifier: GPL-2.0
#
# AF_SMC sockets of the kernel's own smc: SMC-R of version 1 and 2 on the device,
# TCP where there is none. In two VMs (tests/vm/pair SUITE=smc), or
#
#	$dev on eth0 10.0.0.1 ----- eth1 10.0.0.2 roceb		(namespace b)
#
# where each namespace sees its own device only, as two hosts would. rdma_rxe knows
# one namespace, does not tell SMC its interface and has no GID of version 1: with it
# all is TCP, whatever SMC has been told.
[ "$SCALE" != 1 ] || LIMIT=1500
. "$VM/lib/guest.sh"
. "$VM/lib/ulp.sh"
. "$VM/lib/wire.sh"

bytes=$(count 100000000)
admin=$programs/ofed-smc
eid=OFED.TEST.1
port=19200
file=$work/capture.pcap

# ---- the two ends ---------------------------------------------------------------------
#
# begin CMD...: at the other end; ended: its output and its status; both can see $seen
hex=0000:0000:0000:0000:0000:ffff:0a00:
if [ -n "${ROLE:-}" ]; then
	. "$VM/lib/peer.sh"
	seen=$share address=10.0.1.2 hex=${hex}0102
	begin() { give "$@"; }
	ended() { answer; }
	stop() { :; }
else
	seen=$work inside= address=$gid_ip
	[ "$DRIVER" != roce ] || inside="ip netns exec b" address=10.0.0.2 hex=${hex}0002
	begin() {
		timeout -k 5 "$limit" $inside "$@" >"$work/there" 2>&1 &
		background=$!
	}
	ended() {
		wait $background
		_status=$?
		echo "the other end ($_status):"
		cat "$work/there"
		return $_status
	}
	stop() { kill $background; }
fi
there() { begin "$@"; ended; }

two_hosts() {
	net_up && load_stack && wait_for 20 rdma system set netns exclusive &&
	ip netns add b && ip link set eth1 netns b &&
	there sysctl -qw net.ipv6.conf.eth1.accept_dad=0 &&
	ip -n b link set lo up && ip -n b addr add 10.0.0.2/24 dev eth1 &&
	ip addr add fd00::1/64 dev eth0 && ip -n b addr add fd00::2/64 dev eth1 &&
	ip -n b link set eth1 up &&
	rdma link add $dev type roce netdev eth0 && wait_for 10 ready $dev
}
device_there() {
	there rdma link add $other_dev type roce netdev $other_netdev &&
	for _gid in $hex fd00:0000:0000:0000:0000:0000:0000:0002; do
		wait_for 10 there grep -rqx $_gid \
			/sys/class/infiniband/$other_dev/ports/1/gids || return
	done
}

# ---- streams --------------------------------------------------------------------------

# stream CARRIER ADDRESS STREAMS BYTES: both ends say that CARRIER took each of them
stream() {
	port=$((port + 1))
	begin "$programs/smc_stream" serve "$2" $port "$3" "$4" $seen/listening-$port
	wait_for 60 [ -e $seen/listening-$port ]
	timeout -k 5 "$limit" "$programs/smc_stream" connect "$2" $port "$3" "$4" \
		>"$work/client" 2>&1
	_client=$?
	[ $_client -eq 0 ] || stop
	ended >"$work/server"
	_server=$?
	cat "$work/server"
	echo "this end ($_client):"
	cat "$work/client"
	[ $_client -eq 0 ] && [ $_server -eq 0 ] &&
		[ "$(grep -c "^$1" "$work/server")" = "$3" ] &&
		[ "$(grep -c "^$1" "$work/client")" = "$3" ]
}

agreed() { # VERSION: how often, as client
	"$admin" stats | awk -v n="client_v$1" '$1 == n { print $2 }'
}
# group VERSION [EID]: we have a link group of it
group() { "$admin" groups | grep "^version $1 .*${2:+ eid $2 }"; }

no_groups_there() { there "$admin" groups >"$work/groups" && ! grep "^version" "$work/groups"; }

smc_r() { # VERSION ADDRESS STREAMS BYTES
	mark
	was=$(agreed "$1")
	check "version $1, $2: $3 of $4 bytes each way" stream "smc-r roce" "$2" "$3" "$4"
	check "the device carried them" carried $(($4 * $3))
	sed 's/^/     /' "$work/output"
	check "version $1 was agreed upon" [ "$(agreed "$1")" -eq $((was + $3)) ]
}

# wire ROW OTHER VERSION: packets of the kind ROW and none of OTHER, all of them sound
wire() {
	# A run is one frame to a capture; capture.sh looks at those.
	echo 0 >/sys/module/ofed_roce/parameters/runs
	check "the capture begins" capture eth0 "$file"
	smc_r "$3" $address 2 200000
	check "the capture has all" capture_end "$file"
	check "packets of $1" $icrc --seen "$file" $1=RC:SEND_ONLY,RC:ACKNOWLEDGE
	expect_fail "none of $2" $icrc --seen "$file" $2=RC:SEND_ONLY
	check "every ICRC is right" $icrc "$file"
	echo 1 >/sys/module/ofed_roce/parameters/runs
}

falls_back() {
	mark 2>/dev/null
	check "TCP: $1" stream tcp $address 2 "$bytes"
	[ ! -e /sys/class/infiniband/$dev ] || check "the device is idle" idle
}

# ---- settings and what is listed ---------------------------------------------------------
# In a namespace that has only one device.

listed() { # COMMAND FILTER: in JSON, and the same number of lines as objects
	"$admin" -j $1 >"$work/json" && "$admin" $1 >"$work/lines" &&
		jq -e "$2" <"$work/json" >"$work/output" &&
		[ "$(jq length <"$work/json")" -eq "$(wc -l <"$work/lines")" ]
}
value_of() { "$admin" attributes | sed -n "s/^attribute $1 value //p"; }
set_and_seen() { # NAME VALUE
	"$admin" attributes set "$1=$2" && [ "$(value_of "$1")" = "$2" ]
}
fails_with() { # STATUS WORDS...
	_want=$1
	shift
	"$admin" "$@" >"$work/output" 2>&1
	[ $? -eq "$_want" ]
}
settings() {
	_was=$(value_of rmem)
	check "rmem is changed" set_and_seen rmem 131072
	check "and back" set_and_seen rmem "$_was"
	check "handshakes are limited" set_and_seen handshake_limitation 1
	check "and are not" set_and_seen handshake_limitation 0
	check "attributes in JSON" listed attributes '.[] | select(.attribute == "wmem")'
	check "the kernel refuses a value" fails_with 1 attributes set rmem=none
	check "there is no such attribute" fails_with 2 attributes set nothing=1
	check "nor a path" fails_with 2 attributes set ../../kernel/hostname=x
	check "nor a setting without a value" fails_with 2 attributes set rmem
	check "a fifth enterprise ID is refused" five_ueids
	check "a network, listed" network_listed
	check "no such interface" fails_with 1 disable nosuch0
	check "no such network" fails_with 1 pnet del NOSUCH
	check "no such command" fails_with 2 stats nothing
	check "no JSON of what lists nothing" fails_with 2 -j ueid flush
}
five_ueids() {
	for _i in 1 2 3 4; do
		"$admin" ueid add OFED.$_i || return
	done
	listed ueid 'length == 4 and .[0].eid == "OFED.1"' || return
	fails_with 1 ueid add OFED.5 && "$admin" ueid del OFED.1 && "$admin" ueid flush &&
		listed ueid 'length == 0'
}
network_listed() {
	"$admin" pnet add OFEDLO eth lo && listed pnet '.[] | select(.interface == "lo")' &&
		"$admin" pnet del OFEDLO && listed pnet 'length == 0'
}
disabled() {
	check "eth0 is disabled" "$admin" disable eth0
	check "not twice" fails_with 1 disable eth0
	falls_back "eth0 is disabled"
	check "eth0 is enabled" "$admin" enable eth0
}
what_there_is() { # while a connection's group is there
	check "groups in JSON" listed groups '.[] | select(.role == "client" and .version == 1)'
	check "an active link" listed links ".[] | select(.device == \"$dev\" and .state == \"active\")"
	check "the device" listed devices ".[] | select(.device == \"$dev\" and .interface == \"eth0\")"
}
counted_from() { # NAME VALUE
	[ "$("$admin" -j stats detailed | jq ".[0].$1")" = "$2" ]
}
counters_reset() {
	_all=$("$admin" -j stats absolute | jq .[0].tx_bytes)
	check "it has counted" [ "$_all" -gt 0 ]
	check "calls, too" sh -c "[ \"\$($admin -j stats detailed | jq .[0].tx_calls)\" -gt 0 ]"
	check "reset" "$admin" stats reset
	check "from 0 on" counted_from tx_bytes 0
	check "all are there" sh -c "[ \"\$($admin -j stats absolute | jq .[0].tx_bytes)\" -ge $_all ]"
	check "fallbacks have a reason" listed "stats fallbacks" '.[] | select(.role == "client")'
}

# ---- the suite --------------------------------------------------------------------------

check "smc is the distribution's" distributions smc smc_diag
if [ -n "${ROLE:-}" ]; then
	both_begin
	check "both devices are of our kind" [ $peer_driver = roce ] || exit 1
	other_dev=$peer_dev other_netdev=eth0
	check "smc loads there" there modprobe -a smc smc_diag || exit 1
	there rdma link delete $other_dev
elif [ "$DRIVER" = roce ]; then
	other_dev=roceb other_netdev=eth1
	check "a device at one end" two_hosts || exit 1
else
	need_link
fi
check "smc loads" modprobe -a smc smc_diag || exit 1

if [ "$DRIVER" = rxe ]; then
	falls_back "no device on that network"
	check "lo is on a network" "$admin" pnet add OFEDTEST eth lo
	check "$dev is on it" "$admin" pnet add OFEDTEST ib $dev 1
	falls_back "no GID of version 1"
	check "smc goes" unloads smc_diag smc
	check "$dev goes" link_down
	check "the modules go" unload_stack
	exit
fi

falls_back "no device at the other end"
check "a device there" device_there || exit 1
wire v1 IPv4 1
smc_r 1 $address 1 "$bytes"
smc_r 1 fd00::2 1 "$bytes"
check "a link group of version 1" group 1
if [ -z "${ROLE:-}" ]; then
	what_there_is
	counters_reset
	smc_r 1 $address 1 1000
	check "what came since" counted_from client_v1 1
	settings
	disabled
	smc_r 1 $address 1 1000
fi

check "an enterprise ID" "$admin" ueid add $eid
[ -z "${ROLE:-}" ] || check "there too" there "$admin" ueid add $eid
wire IPv4 v1 2
smc_r 2 $address 1 "$bytes"
check "a link group of version 2 with that ID" group 2 $eid

check "our device goes" rdma link delete $dev
falls_back "no device at our end"
check "and comes back" rdma link add $dev type roce netdev eth0
check "ready" wait_for 10 ready $dev
# An early end gets TCP or the other end's dead group.
check "the other end has found out" wait_for 60 no_groups_there
smc_r 2 $address 1 "$bytes"

check "smc goes" unloads smc_diag smc
if [ -n "${ROLE:-}" ]; then
	check "there too" there rmmod smc_diag smc
	: >$share/end
	check "$dev goes" link_down
else
	check "a namespace goes" ip netns del b
	check "with its device" wait_for 30 sh -c "! rdma dev | grep -w roceb"
	net_down
	wait_for 30 rdma system set netns shared
fi
check "the modules go" unload_stack
