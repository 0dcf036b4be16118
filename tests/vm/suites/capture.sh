# SPDX-License-Identifier: GPL-2.0
#
# What our device puts on a wire: every opcode, in both versions, over IPv4, IPv6
# and VLANs, read by tshark and by tests/programs/wire/icrc.py.
#
#	$dev on eth0 ----- captured here ----- eth1 roceb		(namespace b)
#	10.0.0.1 fd00::1                       10.0.0.2 fd00::2
#	eth0.5 10.0.5.1                        10.0.5.2 eth1.5
DRIVER=roce
. "$VM/lib/guest.sh"
. "$VM/lib/wire.sh"

faults=/sys/kernel/debug/ofed_soft
file=$work/capture.pcap

host() { # NET-ARGUMENTS N: addresses of one end
	ip $1 addr replace 10.0.0.$(($2 + 1))/24 dev eth$2 &&
	ip $1 addr add fd00::$(($2 + 1))/64 dev eth$2 nodad &&
	ip $1 link set eth$2 mtu 4200 up &&
	ip $1 link add link eth$2 name eth$2.5 type vlan id 5 &&
	ip $1 addr add 10.0.5.$(($2 + 1))/24 dev eth$2.5 &&
	ip $1 link set eth$2.5 up
}

# Other suites have the CRC that is faster here.
crypto_crc() {
	unload_stack && modprobe ofed_soft crc=crypto &&
		! grep crc32_le /sys/module/ofed_soft/parameters/crc
}

two_ends() {
	net_up && load_stack &&
	ip netns add b && ip link set eth1 netns b &&
	ip -n b link set lo up && host "" 0 && host "-n b" 1 &&
	rdma link add $dev type roce netdev eth0 &&
	ip netns exec b rdma link add roceb type roce netdev eth1 &&
	wait_for 10 ready $dev
}

# gids WORDS TYPE: indexes at both ends, for an address that ends with 1 and 2
gids() {
	here= there=
	_known() {
		here=$(gid_of $dev "$1"1 "$2") && there=$(gid_of roceb "$1"2 "$2")
	}
	wait_for 10 _known "$@" && _known "$@"
}

port=19000
apart() { # PROGRAM ARG...: server in b, client here
	port=$((port + 1))
	timeout -k 5 "$limit" ip netns exec b "$@" -d roceb -g "$there" -p $port \
		>"$work/server" 2>&1 &
	_server=$!
	_hex=$(printf ':%04X 0' $port)
	wait_for 30 ip netns exec b grep -q "$_hex" /proc/net/tcp /proc/net/tcp6
	timeout -k 5 "$limit" "$@" -d $dev -g "$here" -p $port 10.0.0.2 >"$work/client" 2>&1
	_client=$?
	[ $_client -eq 0 ] || kill $_server 2>/dev/null
	wait $_server
	_status=$?
	cat "$work/client" "$work/server"
	[ $_client -eq 0 ] && [ $_status -eq 0 ]
}
rows() { # ARG...: of interop; a row that failed is a failure
	apart "$programs/interop" "$@" && has "all rows" "$work/client" &&
		! grep FAIL "$work/client"
}

# A device joins groups on its own interface, not on VLANs upon it.
group() { # MGID [INTERFACE]: from $dev to roceb
	rm -f "$work/joined"
	timeout -k 5 "$limit" ip netns exec b "$programs/mcast" roceb 0 "$1" 20,4000 \
		receive "$work/joined" $2 >"$work/receiver" 2>&1 &
	_receiver=$!
	wait_for 20 [ -e "$work/joined" ] &&
		timeout -k 5 "$limit" "$programs/mcast" $dev "$here" "$1" 20,4000 send
	_status=$?
	wait $_receiver
	_received=$?
	cat "$work/receiver"
	[ $_status -eq 0 ] && [ $_received -eq 0 ]
}

lossy() { # CHANCE COMMAND...: of 10000 packets so many are lost at both ends
	echo $(($SEED % 65536)) | tee $faults/$dev/seed >$faults/roceb/seed
	echo "$1" | tee $faults/$dev/drop >$faults/roceb/drop
	shift
	"$@"
	_status=$?
	echo 0 | tee $faults/$dev/drop >$faults/roceb/drop
	return $_status
}

check "the CRC of the crypto API" crypto_crc
check "a device here, a device in a namespace" two_ends || { dmesg | tail -n 20; exit 1; }
echo 0 >/sys/module/ofed_soft/parameters/loopback

v2="RoCE v2" v1="IB/RoCE v1"
zeros=0000:0000:0000:0000:0000:ffff

# ---- packets that leave together ----------------------------------------------------
# An interface that takes them whole shows them whole; where it does not, they are
# divided in front of it, and this is how all that follows is captured.
offload() { # on|off, at both ends
	python3 $TOP/tests/programs/wire/offload.py eth0 tx-udp-segmentation $1 &&
		ip netns exec b python3 $TOP/tests/programs/wire/offload.py eth1 \
			tx-udp-segmentation $1
}
counter() { cat /sys/class/infiniband/$1/ports/1/hw_counters/$2; }
check "the capture of runs begins" capture eth0 "$work/runs.pcap" || exit 1
for what in "IPv4 $zeros:0a00:000" "IPv6 fd00:0000:0000:0000:0000:0000:0000:000"; do
	check "${what% *}, GIDs" gids "${what#* }" "$v2"
	check "${what% *}, every operation, packets together" rows -m 1024 -s "$SEED"
	check "${what% *}, long messages" apart ibv_rc_pingpong -s 200001 -m 4096 -n 10 -c
done
check "the capture has all" capture_end "$work/runs.pcap"
check "packets left together" [ "$(counter $dev tx_runs)" -gt 0 ]
check "and were captured so" $icrc --divide "$work/runs.pcap" "$work/divided.pcap"
sed 's/^/     /' "$work/output"
packets_are_good "$work/divided.pcap"
check "interfaces that do not divide" offload off
before=$(counter $dev tx_runs)
check "the capture begins" capture eth0 "$file" || exit 1

while read -r what words mgid arguments; do
	type=$v2
	[ "${what#v1}" = "$what" ] || type=$v1
	check "$what, GIDs" gids "$words" "$type"
	check "$what, every operation" rows $arguments -s "$SEED"
	check "$what, multicast" group "$mgid" \
		$([ "${what#IPv4+}" = "$what" ] || echo eth1.5)
done <<-END
	IPv4 $zeros:0a00:000 ::ffff:239.1.2.3 -m 1024
	IPv6 fd00:0000:0000:0000:0000:0000:0000:000 ff0e::1:2:3 -m 1024 -q
	v1 $zeros:0a00:000 ff0e::1:2:3 -m 1024 -q
	IPv4+VLAN $zeros:0a00:050 ::ffff:239.1.2.3 -m 4096 -q
	v1+VLAN $zeros:0a00:050 ff0e::1:2:3 -m 4096 -q
END
check "GIDs" gids $zeros:0a00:000 "$v2"
check "XRC and regions registered again" apart "$programs/xrc_rereg"
# Not by a program that ends with its last message: the ACK of that is lost too at times,
# and then the other one asks the one that is gone.
check "packets that are lost, and sent again" lossy 300 \
	"$programs/roce_soak" $dev "$here" /run/netns/b roceb "$there" "$SEED" run:200,65536
check "the capture has all" capture_end "$file"

# ---- what was seen ---------------------------------------------------------------
packets_are_good "$file"
check "packets left together all the same" [ "$(counter $dev tx_runs)" -gt "$before" ]
# The stack has numbered what it divided; whatever leaves alone has number 0.
check "and are numbered" sh -c "tshark -n -r '$file' -Y 'ip.id > 0 && udp.port == 4791' |
	grep -q ."
all=RC,UC,UD,UD:SEND_ONLY_MULTICAST
for answer in RNR_NAK NAK_INVALID_REQUEST NAK_REMOTE_ACCESS NAK_REMOTE_OPERATION; do
	all=$all,RC:$answer
done
check "every opcode, every answer" $icrc --seen "$file" IPv4=$all,RC:NAK_SEQUENCE \
	IPv6=$all v1=$all IPv4+=$all v1+=$all
# Those that xrc_rereg makes.
all=XRC:ACKNOWLEDGE
for name in READ_REQUEST READ_RESPONSE_FIRST READ_RESPONSE_MIDDLE READ_RESPONSE_LAST \
	    SEND_FIRST SEND_MIDDLE SEND_LAST SEND_LAST_IMM SEND_ONLY \
	    WRITE_FIRST WRITE_MIDDLE WRITE_LAST WRITE_LAST_IMM WRITE_ONLY \
	    COMPARE_SWAP FETCH_ADD ATOMIC_ACKNOWLEDGE NAK_REMOTE_ACCESS; do
	all=$all,XRC:$name
done
check "XRC" $icrc --seen "$file" IPv4=$all
for d in $dev roceb; do
	counters=/sys/class/infiniband/$d/ports/1/hw_counters
	for c in rx_icrc_errors rx_malformed; do
		check "$d: $c is 0" grep -qx 0 $counters/$c
	done
done

# ---- short ones leave together where the stack has to sum them ----------------------
sums() { # on|off, at both ends
	python3 $TOP/tests/programs/wire/offload.py eth0 tx-checksum-ip-generic $1 &&
		ip netns exec b python3 $TOP/tests/programs/wire/offload.py eth1 \
			tx-checksum-ip-generic $1
}
sum_errors() { # of UDP
	awk '$1 == "Udp:" && $7 ~ /^[0-9]+$/ { print $8 }' /proc/net/snmp
}
# Packets with a checksum; wrong ones end the search.
summed() { # FILE ip|ipv6
	tshark -n -r "$1" -o udp.check_checksum:TRUE -Y "$2 and udp.port == 4791" \
		-T fields -e udp.checksum -e udp.checksum.status >"$work/sums" || return
	awk '$1 != "0x0000" { n++; if ($2 != 1) bad++ } END { print n " summed, " bad + 0 " wrong"
		exit bad || !n }' "$work/sums"
}
two_more_wrong() { [ $(($(sum_errors) - wrong)) -eq 2 ]; }

check "interfaces that know no checksums" sums off
before=$(counter $dev tx_runs)
check "the capture begins" capture eth0 "$work/sums.pcap" || exit 1
for what in "IPv6 fd00:0000:0000:0000:0000:0000:0000:000" "IPv4 $zeros:0a00:000"; do
	check "${what% *}, GIDs" gids "${what#* }" "$v2"
	check "${what% *}, every operation, with sums" rows -m 1024 -s "$SEED"
	check "${what% *}, long messages, with sums" apart ibv_rc_pingpong -s 200001 -m 1024 -n 10 -c
done
check "the capture has all" capture_end "$work/sums.pcap"
packets_are_good "$work/sums.pcap"
check "short packets left together" [ "$(counter $dev tx_runs)" -gt "$before" ]
check "sums are right, IPv4" summed "$work/sums.pcap" ip
check "sums are right, IPv6" summed "$work/sums.pcap" ipv6
wrong=$(sum_errors)
check "a packet, and twice with a wrong sum" \
	ip netns exec b python3 $TOP/tests/programs/wire/badsum.py "$work/sums.pcap" eth1
check "UDP has counted two" wait_for 10 two_more_wrong

ip netns del b
check "the far device goes" wait_for 30 [ ! -e /sys/class/infiniband/roceb ]
check "$dev goes with its network device" wait_for 30 [ ! -e /sys/class/infiniband/$dev ]
check "the modules go" unload_stack
