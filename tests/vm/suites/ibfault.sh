# SPDX-License-Identifier: GPL-2.0
#
# Cables of software InfiniBand that damage, lose, delay packets, or are no faster than
# their width and speed say, and what is seen of it from outside.
. "$VM/lib/guest.sh"
. "$VM/lib/ib.sh"

check "a star" fabric_up star || exit 1
check "umad" wait_for 60 [ -c /dev/infiniband/umad3 ]
# What it hears is told to the verbose alone.
begin_opensm sm hca1 -D 7
check "all active" wait_for 120 all_active
cable=$(echo $configfs/cables/*hca2*)
lid2=$(lid_of hca2)
lid_sw=$(ibswitches -C hca1 | sed -n 's/.* lid \([0-9]*\) .*/\1/p')
n=$(count 10000)
# One packet in a hundred is damaged or lost: that none is, of so many, one run in 20,000 sees.
[ "$n" -ge 1000 ] || n=1000
port=18700

asks() { # FILE VALUE...
	while [ $# -gt 0 ]; do
		echo "$2" >"$cable/$1" || return
		shift 2
	done
}
talks() { # OPTION...: hca1 and hca2, data compared
	port=$((port + 1))
	pair $port hca1 hca2 ibv_rc_pingpong -e -c "$@"
}
# A pingpong that has all its messages ends. When the cable loses its last acknowledgement,
# the other end retries in vain. Here both ends stay until both have all.
talks_lossy() {
	"$programs/all_to_all" -t 16 "$n" 4096 hca1 hca2
}
counter() { # NAME: of the port of hca2
	perfquery -C hca1 "$lid2" 1 | awk -F. -v n="$1" '$1 ~ "^" n ":" { print $NF }'
}
counts() { # NAME TEST VALUE
	_n=$(counter "$1")
	echo "$1: $_n"
	[ "$_n" "$2" "$3" ]
}
clear_counts() { perfquery -C hca1 -R "$lid2" 1; }

trapped() { grep -q "Received Generic Notice type:[0-9]* num:$1 " "$work/sm.log"; }

# ---- damaged and lost ------------------------------------------------------------------
check "damaged packets are sent again" asks errors 10000 seed "$SEED"
check "they talk" talks_lossy
check "none any more" asks errors 0
check "SymbolErrorCounter has them" counts SymbolErrorCounter -gt 0
check "PortRcvErrors has as many" counts PortRcvErrors -eq "$(counter SymbolErrorCounter)"
errors=$(counter PortRcvErrors)
check "PortLocalPhysicalErrors is all of them" \
	[ "$(pma PortLocalPhysicalErrors -E "$lid2" 1)" = "$errors" ]
check "each in one of the lanes" [ "$(pma ErrorDetectionCounterLane -T "$lid2" 1)" = "$errors" ]
found() { ibqueryerrors -C hca1 >"$work/errors"; grep -q "hca2" "$work/errors" && has PortRcvErrors "$work/errors"; }
check "ibqueryerrors finds the port" found
check "counters are cleared" clear_counts
check "and those of lanes" perfquery -C hca1 -T -R "$lid2" 1
check "that is seen" counts SymbolErrorCounter -eq 0
check "lost packets are sent again" asks losses 10000
check "they talk" talks_lossy
check "none any more" asks losses 0
check "SymbolErrorCounter has them" counts SymbolErrorCounter -gt 0
check "PortRcvErrors has not" counts PortRcvErrors -eq 0
check "UnknownBlockCounter has as many" \
	[ "$(pma UnknownBlockCounter -T "$lid2" 1)" = "$(counter SymbolErrorCounter)" ]

# More than LocalPhyErrors, which opensm has set, in a row.
breaks() {
	asks errors 1000000
	timeout 60 ibping -C hca1 -c 30 -f -L "$lid2" >/dev/null 2>&1
	for _i in $(seq 30); do
		smpquery -C hca1 -t 20 nodeinfo "$lid2" >/dev/null 2>&1
	done
	asks errors 0
}
check "nothing gets through" breaks
check "the link's integrity is lost" counts LocalLinkIntegrityErrors -gt 0
check "and recovered" counts LinkErrorRecoveryCounter -gt 0
check "opensm is told by a trap" wait_for 30 trapped 129
check "they talk after that" talks -n "$n"

# ---- slow ----------------------------------------------------------------------------------
seconds() { sed -n 's/.* iters in \([0-9.]*\) seconds.*/\1/p' "$work/client"; }
takes() { # SECONDS OPTION...: at least
	_least=$1
	shift
	talks "$@" || return
	awk -v s="$(seconds)" -v l="$_least" 'BEGIN { exit !(s >= l) }'
}
check "5 ms each way" asks delay 5000
check "a hundred messages, one after the other" takes 0.5 -n 50
check "no delay" asks delay 0
slowest() {
	asks plugged 0 width 1x speed SDR plugged 1 limit 1
}
check "the slowest cable there is" slowest
check "it is active" wait_for 60 port_is hca2 rate "2.5 Gb/sec (1X SDR)"
check "and so are the ports" wait_for 60 all_active
for end in "$(lid_of hca1) 1" "$lid_sw 1"; do
	# Unquoted on purpose: LID and port.
	for option in "" --flowctlcounters --vlxmitcounters; do
		check "counters are cleared" perfquery -C hca1 $option -R $end
	done
done
# 2 Gbit/s of data: 80 MB take 320 ms.
check "80 megabytes" takes 0.31 -n 40 -s 1048576
# hca1 has to wait for the switch, which waits for hca2: each has room for 32 packets, and nothing
# comes back for 200 ms. A host that is busy may be slower than the cable, but not than this.
check "100 ms each way" asks delay 100000
check "four megabytes" talks -n 2 -s 1048576
check "no delay again" asks delay 0
check "hca1 waits for credits" [ "$(pma PortVLXmitWait0 --vlxmitcounters "$(lid_of hca1)" 1)" -gt 0 ]
credits=$(pma PortRcvFlowPkts --flowctlcounters "$(lid_of hca1)" 1)
check "and is given them" [ "$credits" -gt 0 ]
check "by the switch" [ "$(pma PortXmitFlowPkts --flowctlcounters "$lid_sw" 1)" = "$credits" ]
# A fast cable, and a sender that asks for 2.5 Gbit/s itself: IBV_RATE_2_5_GBPS is 2.
check "fast again, with a limit" asks plugged 0 width 12x speed HDR plugged 1
check "the ports are active" wait_for 60 all_active
rated() { # SECONDS OPTION...: 100 MB there, and back at once, take so long
	_least=$1
	shift
	"$programs/all_to_all" "$@" 100 1048576 hca1 hca2 >"$work/rated" || return
	cat "$work/rated"
	awk -v l="$_least" '{ exit !($(NF - 1) >= l) }' "$work/rated"
}
check "a static rate" rated 0.39 -r 2
check "fast again" asks limit 0
check "they talk" talks -n "$n"

# ---- all of it, and the cable pulled under it -----------------------------------------------
rounds=$(count 100)
pulled() {
	asks errors 2000 losses 2000 delay 200 limit 1
	begin_traffic || return
	for _i in $(seq 1 "$rounds"); do
		asks plugged 0 seed "$_i" plugged 1 delay $((_i % 2 * 300)) || return
		wait_for 120 all_active || return
	done
	end_traffic
	asks errors 0 losses 0 delay 0 limit 0
}
check "pulled $rounds times in all of this" pulled
check "they talk at last" talks -n "$n"

refuses() { ! asks "$@" 2>/dev/null; }
check "more than all" refuses errors 1000001
check "longer than a second" refuses delay 1000001
check "half a limit" refuses limit 2
check "a word" refuses losses many

end_opensm sm
check "the star goes" fabric_down

# ---- keys, with traps about them ------------------------------------------------------------
# A second partition that hca2 is not in.
partitions=$work/partitions
cat >"$partitions" <<-END
	Default=0x7fff, defmember=full : ALL=full;
	Apart=0x0001 : $(printf '0x%s' 0200000000020101)=full;
END
apart() { # index of the P_Key at hca1
	grep -l 0x8001 $ibsys/hca1/ports/1/pkeys/* | sed 's/.*[/]//'
}
asks_badly() { # QKEY PKEY-INDEX [HCA]
	python3 "$TOP/tests/programs/wire/bad_key.py" hca1 "$(lid_of ${3:-hca2})" "$1" "$2"
}
violations() { # NAME [HCA]: of its PortInfo
	smpquery -C hca1 portinfo "$(lid_of ${2:-hca2})" 1 | awk -F. -v n="$1" '$1 ~ "^" n ":" { print $NF }'
}
for topology in pair star; do
	check "a $topology" fabric_up $topology
	check "umad" wait_for 60 [ -c /dev/infiniband/umad1 ]
	begin_opensm sm hca1 -D 7
	check "all active" wait_for 120 all_active
	check "the partition" wait_for 30 apart
	check "a wrong Q_Key" asks_badly 0x1234 0
	check "is refused" [ "$(violations QkeyViolations)" -gt 0 ]
	check "and told" wait_for 30 trapped 258
	check "a wrong P_Key" asks_badly 0x80010000 "$(apart)"
	# Of a cable without a switch the HCA finds it, else the switch does before.
	case $topology in
	pair)	check "is refused" [ "$(violations PkeyViolations)" -gt 0 ]
		check "and told" wait_for 30 trapped 257 ;;
	star)	check "does not get there" [ "$(violations PkeyViolations)" -eq 0 ]
		check "and is told" wait_for 30 trapped 259 ;;
	esac
	# To the port itself the receiver is called with the sender's locks held.
	check "a wrong Q_Key to itself" asks_badly 0x1234 0 hca1
	check "is refused" [ "$(violations QkeyViolations hca1)" -gt 0 ]
	end_opensm sm
	check "the $topology goes" fabric_down
done
check "all modules" unload_stack
