# SPDX-License-Identifier: GPL-2.0
#
# Software InfiniBand under Debian's opensm and infiniband-diags: each ready topology
# comes up whole and is found as it was described; every program that looks at a
# fabric, or changes it, finds what it expects.
#
#	hca1 --1 sw1 2-- hca2		the star, for the programs
#	hca3 --3     4-- hca4
. "$VM/lib/guest.sh"
. "$VM/lib/ib.sh"

# What ibnetdiscover finds, in the words of ofed-fabric.
discovers() { # HCA FILE
	timeout -k 5 "$limit" ibnetdiscover -C "$1" >"$work/found" || return
	"$fabric" list "$work/found" >"$work/found.list" &&
		"$fabric" list "$2" >"$work/asked.list" &&
		[ -s "$work/asked.list" ] && diff -u "$work/asked.list" "$work/found.list"
}

same_again() { # FILE: what show prints says the same
	"$fabric" show >"$work/shown.topo" && "$fabric" list "$work/shown.topo" >"$work/shown.list" &&
		"$fabric" list "$1" | diff -u - "$work/shown.list"
}

# These programs end with 255, which is no time-out.
fails() {
	timeout -k 5 "$limit" "$@"
	_status=$?
	[ $_status -ne 0 ] && [ $_status -ne 124 ] && [ $_status -ne 137 ]
}

managed() { # links up to switches too
	all_active && ! timeout -k 5 "$limit" iblinkinfo -l -C hca1 |
		grep -E 'LinkUp' | grep -v Active
}

# A promise of the manager's start, kept where no other test needs the machine.
managed_soon() {
	read -r _begin _ </proc/uptime
	begin_opensm sm hca1
	wait_for 60 managed || return
	read -r _end _ </proc/uptime
	awk -v b="$_begin" -v e="$_end" -v s="$SCALE" \
		'BEGIN { printf "%.1f s\n", e - b; exit s == 1 && e - b > 20 }'
}

# ---- topologies ----------------------------------------------------------------------
for topology in ${TOPOLOGIES:-pair star ring fattree}; do
	check "$topology is built" fabric_up $topology || exit 1
	check "its umad nodes" wait_for 20 [ -c "/dev/infiniband/umad$(($(hcas | wc -w) - 1))" ]
	check "$topology is found before there is a manager" discovers hca1 $topology
	check "ofed-fabric shows it" same_again $topology
	check "all links of $topology are active" managed_soon
	tail -n 1 "$work/output"
	check "$topology is found" discovers hca1 $topology
	lids=$(for h in $(hcas); do cat "$ibsys/$h/ports/1/lid"; done | sort -u | grep -vc '^0x0$')
	check "every HCA has its own LID" [ "$lids" = "$(hcas | wc -w)" ]
	[ $topology = star ] && break_here=1 || break_here=
	if [ -z "$break_here" ]; then
		end_opensm sm
		check "$topology is gone" fabric_down
		continue
	fi

	# ---- programs ----------------------------------------------------------------
	lid2=$(lid_of hca2)
	sw=$(awk '/^switch/ { print $3 }' "$work/asked.list")
	check "ibstat" says "State: Active" ibstat hca1
	check "ibstatus" says "4: ACTIVE" ibstatus hca2
	check "ibhosts" says '"hca4"' ibhosts -C hca1
	check "ibswitches" says '"sw1"' ibswitches -C hca1
	check "sminfo" says "SMINFO_MASTER" sminfo -C hca2
	check "iblinkinfo" says "25.78125 Gbps Active" iblinkinfo -C hca1
	swlid=$(ibswitches -C hca1 | sed -n 's/.* lid \([0-9]*\) .*/\1/p')
	for query in nodeinfo nodedesc "portinfo:1" "switchinfo" "pkeys:1" "sl2vl:1" "vlarb:1" \
		"guidinfo"; do
		op=${query%:*} port=
		case $query in *:*) port=${query#*:} ;; esac
		# Unquoted on purpose: nothing, or a port.
		case $op in
		guidinfo) check "smpquery $op" smpquery -C hca1 $op "$lid2" ;;
		*)	check "smpquery $op of the switch" smpquery -C hca1 $op "$swlid" $port
			check "smpquery $op by a directed route" smpquery -C hca1 -D $op 0,1 $port ;;
		esac
	done
	check "smpquery portinfo of an HCA" says "Active" smpquery -C hca1 portinfo "$lid2" 1
	# Optional, or a vendor's: the node says that it has none.
	check "smpquery portinfoextended" fails smpquery -C hca1 portinfoextended "$swlid" 1
	check "smpquery mlnxextportinfo" fails smpquery -C hca1 mlnxextportinfo "$swlid" 1
	check "smpquery portinfo of a port that is not" fails smpquery -C hca1 portinfo "$swlid" 9
	check "smpquery switchinfo of an HCA" fails smpquery -C hca1 switchinfo "$lid2"
	check "perfquery of an HCA" says "PortXmitPkts" perfquery -C hca1 "$lid2" 1
	check "perfquery of a switch" says "PortRcvPkts" perfquery -C hca1 "$swlid" 1
	check "perfquery -x" says "PortUnicastXmitPkts" perfquery -C hca1 -x "$swlid" 2
	check "perfquery of samples" says "CounterWidth:....................4" \
		perfquery -C hca1 -c "$swlid" 1
	check "perfquery of all ports" says "PortSelect:......................255" \
		perfquery -C hca1 -a "$swlid"
	reset_counts() {
		perfquery -C hca1 -R "$swlid" 3 &&
			perfquery -C hca1 "$swlid" 3 >"$work/counts" &&
			awk -F. '/^PortXmitPkts/ { n = $NF; f = 1 } END { exit !f || n > 20 }' "$work/counts"
	}
	check "perfquery -R" reset_counts
	read_and_reset() { # what is read is from before
		for _i in 1 2 3 4 5 6 7 8 9 10; do
			smpquery -C hca1 nodeinfo "$(lid_of hca3)" >/dev/null || return
		done
		perfquery -C hca1 -r "$swlid" 3 >"$work/read" &&
			perfquery -C hca1 "$swlid" 3 >"$work/counts" &&
			awk -F. '/^PortXmitPkts/ { n[++f] = $NF }
				END { exit !(f == 2 && n[1] >= 10 && n[2] < n[1]) }' \
				"$work/read" "$work/counts"
	}
	check "perfquery -r" read_and_reset
	# ---- optional counters, as far as the model has them ---------------------------
	# hca1 sends what comes in by port 1 of the switch.
	lid1=$(lid_of hca1)
	for option in -X -S -E -D -T --oprcvcounters --flowctlcounters --vloppackets --vlopdata \
		--vlxmitcounters; do
		check "perfquery $option" perfquery -C hca1 $option -R "$swlid" 1
	done
	for option in --vlxmitflowctlerrors --swportvlcong --rcvcc --slrcvfecn --slrcvbecn --xmitcc \
		--vlxmittimecc; do
		check "perfquery $option: there is none" fails perfquery -C hca1 $option "$swlid" 1
	done
	# RC SEND Only is opcode 4; 256 bytes and the headers are 70 words.
	check "SENDs are to be counted" "$programs/pma_opcode" hca1 "$swlid" 1 4 0x17 0x19 0x1a
	check "and data of SL 3" perfquery -C hca1 -X -R "$lid1" 1
	check "hca1 sends 500 of them" pair 18600 hca2 hca1 ibv_rc_pingpong -e -n 500 -s 256 -l 3
	sends=$(pma PortOpRcvPkts --oprcvcounters "$swlid" 1)
	check "500 SENDs or more came in" [ "$sends" -ge 500 ]
	check "of 70 words each" [ "$(pma PortOpRcvData --oprcvcounters "$swlid" 1)" = $((70 * sends)) ]
	check "by VL 3, as SL 3 is mapped" [ "$(pma PortVLOpPackets3 --vloppackets "$swlid" 1)" = "$sends" ]
	check "all of their data" [ "$(pma PortVLOpData3 --vlopdata "$swlid" 1)" = $((70 * sends)) ]
	sl3=$(pma RcvDataSL3 -S "$swlid" 1)
	check "SL 3 has them, and more" [ "$sl3" -gt $((70 * sends)) ]
	check "as much as hca1 sent" [ "$(pma XmtDataSL3 -X "$lid1" 1)" = "$sl3" ]
	check "SL 4 has nothing" [ "$(pma RcvDataSL4 -S "$swlid" 1)" = 0 ]
	nowhere() { ! smpquery -C hca1 -t 100 nodeinfo 0xbff0; }
	check "a LID that is nowhere" nowhere
	check "is in PortDLIDMappingErrors" [ "$(pma PortDLIDMappingErrors -E "$swlid" 1)" -gt 0 ]
	check "as in PortRcvSwitchRelayErrors" \
		[ "$(pma PortDLIDMappingErrors -E "$swlid" 1)" = "$(pma PortRcvSwitchRelayErrors "$swlid" 1)" ]
	check "and then is not" perfquery -C hca1 -R "$swlid" 1

	check "saquery" says "NodeDescription.........hca3" saquery -C hca2
	check "saquery, port records" says "PortInfoRecord" saquery -C hca2 -t 3000 PIR
	check "saquery, path" says "dlid....................$(lid_of hca3)" saquery -C hca2 -p --src-to-dst "$lid2:$(lid_of hca3)"
	check "ibtracert" says "$swlid" ibtracert -C hca1 "$(lid_of hca1)" "$lid2"
	check "ibroute" says "hca3" ibroute -C hca1 "$swlid"
	check "ibroute, groups" ibroute -C hca1 -M "$swlid"
	check "dump_lfts" says "hca4" dump_lfts -C hca1
	check "dump_mfts" dump_mfts -C hca1
	check "no errors are counted" says "0 bad nodes found" ibqueryerrors -C hca1
	check "a directed route to nowhere" fails smpquery -C hca1 -D -t 200 nodeinfo 0,1,7
	check "is counted where it ends" \
		sh -c "ibqueryerrors -C hca1 | grep -q 'port 7:.*PortXmitDiscards'"
	check "as what an inactive port discards" \
		[ "$(pma PortInactiveDiscards -D "$swlid" 7)" = "$(pma PortXmitDiscards "$swlid" 7)" ]
	timeout 120 ibping -S -C hca2 >/dev/null 2>&1 &
	ponger=$!
	answers() { timeout 20 ibping -C hca1 -c 1 -L "$lid2" | grep -q ' 0% packet loss'; }
	check "ibping" wait_for 20 answers
	check "ibping from a third" says "0% packet loss" ibping -C hca4 -c 3 -f -L "$lid2"
	kill $ponger

	# ---- what changes a fabric ----------------------------------------------------
	check "ibportstate query" says "Active" ibportstate -C hca1 "$swlid" 2 query
	check "ibportstate disable" ibportstate -C hca1 "$swlid" 2 disable
	check "the port behind it is down" wait_for 10 port_is hca2 state "1: DOWN"
	check "ibportstate enable" ibportstate -C hca1 "$swlid" 2 enable
	check "it is active again" wait_for 30 port_is hca2 state "4: ACTIVE"
	check "its LID is the old one" [ "$(lid_of hca2)" = "$lid2" ]
	check "ibportstate speed" ibportstate -C hca1 "$swlid" 2 espeed 1
	check "ibportstate reset" ibportstate -C hca1 "$swlid" 2 reset
	check "it is slower" wait_for 30 port_is hca2 rate "56 Gb/sec (4X FDR)"
	# It brings the speeds back that there were.
	check "ibportstate width" ibportstate -C hca1 "$swlid" 2 width 1
	check "ibportstate reset" ibportstate -C hca1 "$swlid" 2 reset
	check "it is narrower" wait_for 30 port_is hca2 rate "25 Gb/sec (1X EDR)"
	check "and active" wait_for 30 port_is hca2 state "4: ACTIVE"
	cable=$(echo $configfs/cables/*hca3*)
	check "a cable is pulled" sh -c "echo 0 >'$cable/plugged'"
	check "the port is down" port_is hca3 state "1: DOWN"
	check "and plugged in" sh -c "echo 1 >'$cable/plugged'"
	check "the port is active again" wait_for 30 port_is hca3 state "4: ACTIVE"
	check "the switch loses power" sh -c "echo 0 >$configfs/switches/sw1/power"
	check "hca4 is down" port_is hca4 state "1: DOWN"
	check "and gets it back" sh -c "echo 1 >$configfs/switches/sw1/power"
	check "all is managed again" wait_for 60 managed
	[ "$sw" ] || bad "the switch has no name"

	# ---- two subnet managers --------------------------------------------------------
	begin_opensm sm2 hca4 --priority 1
	standby() { sminfo -C hca1 "$(lid_of hca4)" 2>/dev/null | grep -q STANDBY; }
	is_master() { sminfo -C hca1 2>/dev/null | grep -q "guid 0x0*200000000020${1}01.*MASTER"; }
	check "the one with the higher priority takes over" wait_for 90 is_master 4
	check "then it is killed" end_opensm sm2 KILL
	check "the first is master again" wait_for 120 is_master 1
	end_opensm sm
	check "$topology is gone" fabric_down
done

# ---- what ofed-fabric takes, and takes back --------------------------------------------
# ls fails as well when one of several goes between the shell's look and its own.
nothing_there() { [ -z "$(ls -d "$configfs"/*/*/ 2>/dev/null)" ]; }
two_ends() { # FILE, LOCAL ADDRESS: two HCAs without a cable, and a tunnel between them
	cat >"$1" <<-END
		caguid=0x200000000020100
		Ca	1 "H-0200000000020100"		# "hca1"

		caguid=0x200000000020200
		Ca	1 "H-0200000000020200"		# "hca2"

		Tunnel "t1" "H-0200000000020100"[1] local 127.0.0.1 4792 peer 127.0.0.1 4793 expect 0x200000000020200 1
		Tunnel "t2" "H-0200000000020200"[1] local $2 4793 peer 127.0.0.1 4792 expect 0x200000000020100 1 mtu 2048
	END
}
tunnel_is() { grep -qx "$2" "$configfs/tunnels/$1/state"; }
ip link set lo up
check "a star" fabric_up star
expect_fail "the same again" "$fabric" load star
check "what was there stays" same_again star
two_ends "$work/tunnel.topo" 127.0.0.1
expect_fail "another with one of its HCAs" "$fabric" load "$work/tunnel.topo"
check "what was there stays" same_again star
check "the star goes, by its file" "$fabric" unload star
check "nothing is left" nothing_there
two_ends "$work/wrong.topo" 0.0.0.0
expect_fail "a tunnel that the kernel refuses" "$fabric" load "$work/wrong.topo"
check "nothing is left" nothing_there
check "two ends and a tunnel" "$fabric" load "$work/tunnel.topo"
check "it is up" wait_for 30 tunnel_is t2 up
check "the ends train" wait_for 30 port_is hca1 phys_state "5: LinkUp"
check "ofed-fabric shows tunnels" same_again "$work/tunnel.topo"
check "they are pulled" "$fabric" unplug "$work/tunnel.topo"
check "both" sh -c "cat $configfs/tunnels/*/plugged | paste -sd' ' | grep -qx '0 0'"
check "and plugged in" "$fabric" plug "$work/tunnel.topo"
check "they are up again" wait_for 30 tunnel_is t1 up
check "what is plugged in stays" "$fabric" plug "$work/tunnel.topo"
check "all goes, by its file" "$fabric" unload "$work/tunnel.topo"
check "nothing is left" nothing_there
check "without the tunnels" "$fabric" load -n "$work/tunnel.topo"
check "they are there, not plugged in" tunnel_is t1 unplugged
check "all goes" fabric_down
for what in 's/mtu/mut/' 's/ 2048//' 's/local/peer/' 's/4793/x/' 's/"t2"/"t1"/' 's/"t2"/"..\/t2"/' \
	    's/0x200000000020100 1/0x200000000020100/' 's/Tunnel "t2" "H-0/&0/'; do
	sed "$what" "$work/tunnel.topo" >"$work/wrong.topo"
	expect_fail "a wrong file: $what" "$fabric" load "$work/wrong.topo"
done
check "nothing came of them" nothing_there
star=$TOP/tools/fabric/topologies/star.topo
cat "$star" "$star" >"$work/wrong.topo"
expect_fail "a file with each node twice" "$fabric" load "$work/wrong.topo"
expect_fail "a file of nothing" "$fabric" load /dev/null
expect_fail "a folder" "$fabric" load /
sed 's/^\[4\]/[9]/' "$star" >"$work/wrong.topo"
expect_fail "a port that is not" "$fabric" load "$work/wrong.topo"
check "it is told" sh -c "'$fabric' load '$work/wrong.topo' 2>&1 | grep -q 'has no port 9'"
sed 's/^\[4\]/[3]/' "$star" >"$work/wrong.topo"
expect_fail "two cables at a port" "$fabric" load "$work/wrong.topo"
check "it is told" sh -c "'$fabric' load '$work/wrong.topo' 2>&1 | grep -q 'a second cable'"
check "nothing came of them" nothing_there
expect_fail "a user" as_user "$fabric" load star
check "it is told" sh -c "setpriv $nobody '$fabric' load star 2>&1 | grep -q 'only root'"
check "root without the folders of root" env PATH=/usr/bin:/bin "$fabric" load star
check "the star goes" fabric_down
sed 's/$/\r/' "$star" >"$work/odd.topo"
check "a file with carriage returns" "$fabric" load "$work/odd.topo"
check "says the same" same_again star
check "it goes by that file" "$fabric" unload "$work/odd.topo"
check "all of it" nothing_there
sed 's/# "hca1"$/# "LAB\\chca1"/' "$star" >"$work/odd.topo"
check "a description with a backslash" "$fabric" load "$work/odd.topo"
check "is as it was written" grep -qxF 'LAB\chca1' "$configfs/hcas/H-0200000000020100/desc"
check "what follows it is there" same_again "$work/odd.topo"
check "all goes" fabric_down
awk 'BEGIN {
	for (i = 1; i <= 400; i++)
		printf "switchguid=0x%x\nSwitch 2 \"S-%x\"\n\n", 4096 + i, 4096 + i
}' >"$work/large.topo"
half_made() { [ -e "$configfs/switches/S-1001" ]; }
interrupted() { # SIGNAL: to all its processes, as a terminal and systemd do
	setsid "$fabric" load "$work/large.topo" &
	wait_for 30 half_made && kill "-$1" "-$!"
	_status=$?
	wait $!
	return $_status
}
for signal in TERM HUP; do
	check "a load is ended by SIG$signal" interrupted $signal
	check "half a fabric does not stay" wait_for 30 nothing_there
done

# ---- configfs refuses -----------------------------------------------------------------
check "a switch" fabric_up star
refuses() { ! sh -c "echo '$1' >'$2'" 2>/dev/null; }
check "a second node of that name" sh -c "! mkdir $configfs/hcas/sw1"
check "a name that is too long" sh -c "! mkdir $configfs/hcas/a2345678901234567890"
check "a GUID under power" refuses 0x1 $configfs/hcas/hca1/guid
check "ports under power" refuses 2 $configfs/hcas/hca1/ports
mkdir $configfs/hcas/more
check "five ports" refuses 5 $configfs/hcas/more/ports
check "no ports" refuses 0 $configfs/hcas/more/ports
check "a GUID of nothing" refuses 0 $configfs/hcas/more/guid
check "four ports" sh -c "echo 4 >$configfs/hcas/more/ports && echo 1 >$configfs/hcas/more/power"
check "they are there" [ -e $ibsys/more/ports/4 ]
mkdir $configfs/cables/x
check "a cable to nowhere" refuses 1 $configfs/cables/x/plugged
echo more 1 >$configfs/cables/x/a
echo sw1 1 >$configfs/cables/x/b
check "a cable to a port that has one" refuses 1 $configfs/cables/x/plugged
echo more 2 >$configfs/cables/x/b
check "a cable from an HCA to itself" sh -c "echo 1 >$configfs/cables/x/plugged"
check "brings both up" port_is more state "2: INIT" 2
echo 0 >$configfs/hcas/more/power
check "an HCA without power is no device" [ ! -e $ibsys/more ]
check "all goes" fabric_down
check "and the module" modprobe -r ofed_ib
check "all modules" unload_stack
