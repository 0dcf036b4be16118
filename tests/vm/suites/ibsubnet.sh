# SPDX-License-Identifier: GPL-2.0
#
# What a subnet manager gives to ports, and what notices: LIDs and more of them, a
# prefix, keys, partitions; an HCA of four ports on a switch of 64.
#
#	quad --1,21,42,64 sw1 33-- far
#	   a --34 (full)     37-- d (no member)
#	   b --35 (limited)  36-- c (limited, of the default partition as well)
. "$VM/lib/guest.sh"
. "$VM/lib/ib.sh"

node() { # FOLDER NAME PORTS GUID
	mkdir "$configfs/$1/$2" && echo "$3" >"$configfs/$1/$2/ports" &&
		echo "$4" >"$configfs/$1/$2/guid" && echo 1 >"$configfs/$1/$2/power"
}
cable() { # NODE PORT PORT-OF-SWITCH
	mkdir "$configfs/cables/$1-$2" && echo "$1 $2" >"$configfs/cables/$1-$2/a" &&
		echo "sw1 $3" >"$configfs/cables/$1-$2/b" &&
		echo 1 >"$configfs/cables/$1-$2/plugged"
}
fabric() {
	mount -t configfs none /sys/kernel/config 2>/dev/null
	modprobe ofed_ib && load_users && node switches sw1 64 0x0200000000090100 &&
		node hcas quad 4 0x0200000000091000 || return
	_i=2
	for _h in far a b c d; do
		node hcas $_h 1 "0x020000000009${_i}000" || return
		_i=$((_i + 1))
	done
	cable quad 1 1 && cable quad 2 21 && cable quad 3 42 && cable quad 4 64 &&
		cable far 1 33 && cable a 1 34 && cable b 1 35 && cable c 1 36 && cable d 1 37
}
guid_of() { sed 's/://g; s/.*\(.\{16\}\)$/0x\1/' "$ibsys/$1/ports/1/gids/0"; }
check "a switch of 64 ports, an HCA of four, five of one" fabric || exit 1
check "umad" wait_for 60 [ -c /dev/infiniband/umad8 ]
mkdir $configfs/switches/wide $configfs/hcas/more
check "a switch has 64 ports at most" sh -c "! echo 65 >$configfs/switches/wide/ports"
check "an HCA four" sh -c "! echo 5 >$configfs/hcas/more/ports"
rmdir $configfs/switches/wide $configfs/hcas/more

# ---- what the manager says ------------------------------------------------------------------
partitions=$work/partitions
cat >"$partitions" <<-END
	Default=0x7fff : ALL_SWITCHES=full, SELF=full, 0x0200000000091001=full,
		0x0200000000091002=full, 0x0200000000091003=full, 0x0200000000091004=full,
		$(guid_of a)=full, $(guid_of b)=full, $(guid_of d)=full, $(guid_of c)=limited;
	Part=0x0001 : $(guid_of a)=full, $(guid_of b)=limited, $(guid_of c)=limited;
END
key=0x1122334455667788
cat >"$work/conf" <<-END
	subnet_prefix 0xfec0000000000007
	lmc 1
	m_key $key
	m_key_protection_level 2
	m_key_lease_period 0
END
stdbuf -oL ibv_asyncwatch -d a >"$work/events" 2>&1 &
watcher=$!
check "a program watches" wait_for 30 has "async event FD" "$work/events"
begin_opensm sm far -D 7 -F "$work/conf"
check "all nine ports are active" wait_for 120 all_active || exit 1
check "the subnet is up" wait_for 60 grep -q "SUBNET UP" "$work/sm.log"
trapped() { grep -q "Received Generic Notice type:[0-9]* num:$1 " "$work/sm.log"; }
for event in LID_CHANGE SM_CHANGE PKEY_CHANGE GID_CHANGE CLIENT_REREGISTER PORT_ACTIVE; do
	check "the event $event" wait_for 30 has "IBV_EVENT_$event" "$work/events"
done
kill $watcher
prefixes() { # of the first GID of each port
	for _p in "$ibsys"/*/ports/*; do
		grep -q '^fec0:0000:0000:0007:' "$_p/gids/0" || return
	done
}
check "GIDs have the prefix" wait_for 30 prefixes
lids=$(cat "$ibsys"/*/ports/*/lid | sort -u)
check "nine LIDs" [ "$(echo "$lids" | wc -l)" = 9 ]
# Unquoted on purpose: words.
smp="smpquery -C far -y $key"
lid=$(printf %d "$(cat $ibsys/quad/ports/3/lid)")
check "the third port has a LID" [ "$lid" -gt 0 ]
check "and the one behind it" says "LocalPort:.......................3" $smp nodeinfo $((lid + 1))
check "LMC" says "LMC:.............................1" $smp portinfo "$lid" 3
# Unquoted on purpose: ports.
ports="quad/1 quad/2 quad/3 quad/4 far a b c d"
check "each with each other" timeout $limit "$programs/all_to_all" "$(count 100)" 8192 $ports
sed 's/^/     /' "$work/output"

# ---- the M_Key --------------------------------------------------------------------------------
fails() {
	timeout -k 5 "$limit" "$@"
	_status=$?
	[ $_status -ne 0 ] && [ $_status -ne 124 ] && [ $_status -ne 137 ]
}
lid_a=$(lid_of a)
violations() { $smp portinfo "$lid_a" 1 | awk -F. '/^MkeyViolations/ { print $NF }'; }
check "a request with the key is answered" says "NumPorts:........................1" $smp nodeinfo "$lid_a"
check "one without it is not" fails smpquery -C far -t 100 nodeinfo "$lid_a"
check "nor with another" fails smpquery -C far -t 100 -y 0x1 nodeinfo "$lid_a"
check "that is counted" [ "$(violations)" -ge 2 ]
check "and told" wait_for 30 trapped 256
check "nor does it disable a port" fails ibportstate -C far -t 100 "$lid_a" 1 disable
check "it is active" port_is a state "4: ACTIVE"

# ---- partitions -----------------------------------------------------------------------------------
talks() { # HCA HCA: in that partition
	timeout $limit "$programs/all_to_all" -k 1 -t 14 "$(count 100)" 4096 "$@"
}
cannot() {
	talks "$@" >"$work/said" 2>&1 && return 1
	cat "$work/said"
	has "transport retry counter exceeded" "$work/said"
}
sw_lid=$(ibswitches -C far -y $key | sed -n 's/.* lid \([0-9]*\) .*/\1/p')
refused() { # at that port of the switch, coming or going
	perfquery -C far "$sw_lid" "$1" |
		awk -F. '/^Port(Rcv|Xmit)ConstraintErrors/ { n += $NF } END { print n }'
}
nothing_refused() { [ "$(refused 34)$(refused 35)$(refused 36)" = 000 ]; }
check "a full and a limited member talk" talks a b
check "and the other way round" talks c a
check "nothing is refused" nothing_refused
check "two limited members do not" cannot b c
check "the switch has refused it" [ "$(refused 36)" -gt 0 ]
check "and told" wait_for 30 trapped 259
outsider() {
	talks a d >"$work/said" 2>&1 && return 1
	has "partition of d" "$work/said"
}
check "a port that is no member has no key" outsider
# Of the default partition it is one, too, and switches answer as what they are.
check "a limited member asks a switch" says "PortXmitData" perfquery -C c "$sw_lid" 1
check "and the subnet administration" says "NodeDescription.........a" saquery -C c

# ---- what ports tell ------------------------------------------------------------------------------
issm=$(basename "$(grep -lx b /sys/class/infiniband_mad/issm*/ibdev | xargs dirname)")
is_sm() { $smp portinfo "$(lid_of b)" 1 | grep -q 'IsSM$'; }
is_none() { ! is_sm; }
check "it has no subnet manager" is_none
sleep 1000 <"/dev/infiniband/$issm" &
holder=$!
check "it has one" wait_for 30 is_sm
check "which is told" wait_for 30 trapped 144
kill $holder
check "it has none any more" wait_for 30 is_none
# The device goes to another namespace, where no process has that file.
sleep 1000 <"/dev/infiniband/$issm" &
holder=$!
check "it has one again" wait_for 30 is_sm
moves() { rdma system set netns exclusive && ip netns add x && rdma dev set b netns x; }
check "it moves to another namespace" moves
check "and has none there" wait_for 30 is_none
kill $holder
comes_back() { ip netns del x && wait_for 20 rdma system set netns shared; }
check "it comes back" comes_back
check "and has none" wait_for 30 is_none
: >"$work/sm.log"
check "an HCA goes" sh -c "echo 0 >$configfs/hcas/d/power"
check "its link is told" wait_for 30 trapped 128
# What an administrator writes into sysfs.
: >"$work/sm.log"
check "an HCA is called otherwise" sh -c "printf renamed >$ibsys/a/node_desc"
check "its SMA says so" says "renamed" $smp nodedesc "$lid_a"
check "the manager is told" wait_for 30 trapped 144
renamed() { saquery -C far | grep -q 'NodeDescription\.*renamed$'; }
check "and asks for it" wait_for 30 renamed
# A class without an agent here: the answer says so, and comes at once.
vendor() { # LID
	! timeout -k 5 "$limit" vendstat -C far -e -t 60000 -N "$1" >"$work/said" 2>&1
	_status=$?
	cat "$work/said"
	return $_status
}
limit=30 check "a switch answers to classes of vendors" vendor "$sw_lid"
limit=30 check "and so does an HCA" vendor "$lid_a"

end_opensm sm
check "all goes" fabric_down
check "all modules" unload_stack
