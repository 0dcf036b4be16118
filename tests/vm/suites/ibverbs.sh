# SPDX-License-Identifier: GPL-2.0
#
# Verbs over software InfiniBand: by LID and by GID, through switches, while a subnet
# manager looks after them; what happens to connections when a cable is pulled, or
# the manager is gone.
. "$VM/lib/guest.sh"
. "$VM/lib/ib.sh"

n=$(count 20000)
[ "$n" -ge 200 ] || n=200
port=18700
next_port() { port=$((port + 1)); }

check "a fat tree" fabric_up fattree || exit 1
check "umad" wait_for 60 [ -c /dev/infiniband/umad15 ]
# That it takes tables is told to the verbose alone.
begin_opensm sm hca1 -R ftree -D 7
check "all active" wait_for 120 all_active
check "ftree has routed it" wait_for 60 grep -q "ftree tables configured on all switches" "$work/sm.log"

# hca1 and hca2 share a leaf, hca16 is behind a spine.
for far in hca2 hca16; do
	for kind in rc uc ud srq; do
		next_port
		check "ibv_${kind}_pingpong by LID, hca1 and $far" \
			pair $port hca1 $far ibv_${kind}_pingpong -e -n $n -c
	done
	for kind in rc uc ud; do
		next_port
		check "ibv_${kind}_pingpong by GID, hca1 and $far" \
			pair $port hca1 $far ibv_${kind}_pingpong -e -n $n -c -g 0
	done
done
next_port
check "an HCA and itself" pair $port hca1 hca1 ibv_rc_pingpong -e -n $n -c
next_port
check "in 256 byte packets" pair $port hca1 hca16 ibv_rc_pingpong -e -n $n -c -m 256 -s 20000
next_port
check "one megabyte, many at a time" pair $port hca3 hca14 ibv_rc_pingpong -e -n 40 -c -s 1048576 -r 16
next_port
check "SL 5" pair $port hca1 hca16 ibv_rc_pingpong -e -n $n -c -l 5

# ---- each with each -------------------------------------------------------------
all_to_all() { # ROUNDS BYTES HCA...
	timeout -k 5 $((limit * 5)) "$programs/all_to_all" "$@"
}
# Unquoted on purpose: names.
check "16 HCAs, each with each other" all_to_all "$(count 100)" 16384 $(hcas)
sed 's/^/     /' "$work/output"
words_of() { # LID PORT...: what each has sent and received
	_lid=$1
	shift
	for _p; do
		perfquery -C hca1 -x "$_lid" "$_p" || return
	done
}
carried() { # each port of each switch and HCA
	ibswitches -C hca1 | sed -n 's/.*"\([a-z]*\)[0-9]".* lid \([0-9]*\) .*/\1 \2/p' >"$work/switches"
	while read -r _kind _lid; do
		case $_kind in
		leaf)	words_of "$_lid" 1 2 3 4 5 6 7 8 ;;
		spine)	words_of "$_lid" 1 2 3 4 ;;
		esac || return
	done <"$work/switches" >"$work/ports"
	for _h in $(hcas); do
		words_of "$(lid_of $_h)" 1 || return
	done >>"$work/ports"
	awk -F. '/^Port(Xmit|Rcv)Data/ { n++; if (!$NF) zero++ }
		END { print n, "counters,", zero + 0, "of them 0"
			exit n != 2 * (4 * 8 + 4 * 4 + 16) || zero }' "$work/ports"
}
check "every link has carried something, both ways" carried
sed 's/^/     /' "$work/output"
ibqueryerrors -C hca1 --data -s VL15Dropped,PortXmitWait >"$work/counters" 2>&1
lossless() { ! grep -hE 'PortXmitDiscards|RelayErrors|RcvErrors' "$work/counters"; }
check "nothing was lost" lossless

# ---- rights ---------------------------------------------------------------------------------
check "another user's ibping has no umad" sh -c "! setpriv $nobody ibping -C hca1 -c 1 -L 1"

# ---- the fabric breaks --------------------------------------------------------------------------
# hca2 and hca16 talk until they are told not to, and compare each byte. Their patience
# is 17 seconds at least, which is what a manager may take to find another way.
begin_talk() { # TIMEOUT
	timeout -k 5 3600 "$programs/all_to_all" -t "$1" 0 8192 hca2 hca16 >"$work/talk" 2>&1 &
	talk=$!
	wait_for 60 talking
}
# timeout(1) passes the signal on.
end_talk() {
	kill $talk
	wait $talk
	_status=$?
	cat "$work/talk"
	return $_status
}
# What a port has received is read by its own HCA: there may be no way to it.
received() { perfquery -C hca16 -x "$(lid_of hca16)" 1 | awk -F. '/^PortRcvPkts/ { print $NF }'; }
talking() {
	_was=$(received)
	sleep 0.3
	[ "$(received)" -gt $((_was + 10)) ]
}
silent() { ! talking; }
way() { # of the path from hca2 to hca16: its spine
	ibtracert -C hca2 "$(lid_of hca2)" "$(lid_of hca16)" | sed -n 's/.*"\(spine[0-9]\)".*/\1/p' | head -n 1
}
last_cable() { echo $configfs/cables/*leaf4*$1*; }

check "hca2 and hca16 talk" begin_talk 19
check "the manager is killed" end_opensm sm KILL
without() { # a manager, for so many seconds
	for _i in $(seq 1 "$1"); do
		sleep 1
		wait_for 10 talking || return
	done
}
minute=$(count 60)
check "they talk on without one, $minute s" without "$minute"
begin_opensm second hca5 -R ftree
check "another one takes over" wait_for 120 grep -q "SUBNET UP" "$work/second.log"
check "they talk on" wait_for 60 talking
spine=$(way)
check "their way leads by a spine" [ "$spine" ]
check "which fails" sh -c "echo 0 >$configfs/switches/$spine/power"
check "they talk by another" wait_for 60 talking
rerouted() { _now=$(way); [ "$_now" ] && [ "$_now" != "$spine" ]; }
check "it is another" wait_for 60 rerouted
check "the first is back" sh -c "echo 1 >$configfs/switches/$spine/power"
all_links() { all_active && ! iblinkinfo -l -C hca1 | grep LinkUp | grep -v Active; }
check "all active again" wait_for 120 all_links
spine=$(way)
cable=$(last_cable "$spine")
check "the cable from it to hca16's leaf is pulled" sh -c "echo 0 >'$cable/plugged'"
check "they talk by another" wait_for 60 talking
check "it is another" wait_for 60 rerouted
check "the cable is back" sh -c "echo 1 >'$cable/plugged'"
check "all active again" wait_for 120 all_links
# There is no manager to find another path, until there is one.
cable=$(last_cable "$(way)")
end_opensm second KILL
check "without a manager a cable is pulled" sh -c "echo 0 >'$cable/plugged'"
check "they are silent" wait_for 60 silent
begin_opensm third hca1 -R ftree
check "a manager comes, and they talk" wait_for 60 talking
check "each byte was right" end_talk
sed 's/^/     /' "$work/output"
check "the cable is back" sh -c "echo 1 >'$cable/plugged'"
check "all active again" wait_for 120 all_links

# The last hop: there is no other way.
check "they talk again" begin_talk 14
cable=$(echo $configfs/cables/*hca16*)
gone() {
	echo 0 >"$cable/plugged"
	wait_for 120 ended
	wait $talk
	cat "$work/talk"
	has "transport retry counter exceeded" "$work/talk"
}
ended() { ! kill -0 $talk 2>/dev/null; }
check "a path that stays gone is an error" gone
echo 1 >"$cable/plugged"
check "all active at last" wait_for 120 all_active

# ---- a namespace of their own --------------------------------------------------------------
exclusive() { rdma system set netns exclusive && ip netns add x && ip -n x link set lo up; }
moves_in() { rdma dev set hca2 netns x && rdma dev set hca16 netns x; }
hidden() { [ ! -e $ibsys/hca2 ] && ip netns exec x ibv_devices | grep -q hca16; }
inside() {
	timeout -k 5 "$limit" ip netns exec x ibv_rc_pingpong -e -c -n $n -p 18990 -d hca2 >"$work/s" 2>&1 &
	_s=$!
	wait_for 30 ip netns exec x sh -c "ss -ltn | grep -q :18990" || return
	timeout -k 5 "$limit" ip netns exec x ibv_rc_pingpong -e -c -n $n -p 18990 -d hca16 127.0.0.1 &&
		wait $_s
}
shared() { ip netns del x && wait_for 20 rdma system set netns shared; }
check "devices are of one namespace each" exclusive
check "hca2 and hca16 move" moves_in
check "they are hidden here, and seen there" wait_for 20 hidden
check "they talk" inside
check "devices are shared" shared
check "hca2 and hca16 are back" wait_for 20 [ -e $ibsys/hca2 -a -e $ibsys/hca16 ]
check "and active" wait_for 60 all_active

end_opensm third
check "all goes" fabric_down

# ---- a ring: its circle of buffers must not stop it ----------------------------------------------
check "a ring" fabric_up ring
check "umad again" wait_for 60 [ -c /dev/infiniband/umad5 ]
around=$(count 1000)
circle() {
	_clients= _servers=
	for _i in 1 2 3 4 5 6; do
		timeout "$limit" ibv_rc_pingpong -e -c -n $around -s 65536 -r 64 -p $((18900 + _i)) \
			-d hca$_i >/dev/null 2>&1 &
		_servers="$_servers $!"
	done
	meet
	_status=$?
	# Servers without a client, or with one that has failed.
	# Unquoted on purpose: several.
	[ $_status -eq 0 ] || kill $_servers
	wait $_servers
	return $_status
}
meet() {
	for _i in 1 2 3 4 5 6; do
		wait_for 30 listening $((18900 + _i)) || return
		timeout "$limit" ibv_rc_pingpong -e -c -n $around -s 65536 -r 64 -p $((18900 + _i)) \
			-d hca$(((_i + 2) % 6 + 1)) 127.0.0.1 >"$work/circle.$_i" 2>&1 &
		_clients="$_clients $!"
	done
	for _c in $_clients; do wait $_c || return; done
}
# By the shortest paths alone HOQLife resolves it, and what that drops is sent again.
for routing in minhop lash; do
	begin_opensm $routing hca1 -R $routing -Q
	check "all active, $routing" wait_for 120 all_active
	check "it has routed" wait_for 60 grep -q "SUBNET UP" "$work/$routing.log"
	check "six pairs, each half around, $routing" circle
	check "each with each other, $routing" all_to_all "$(count 100)" 16384 $(hcas)
	end_opensm $routing
done
check "the ring goes" fabric_down
check "all modules" unload_stack
