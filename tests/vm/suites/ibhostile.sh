# SPDX-License-Identifier: GPL-2.0
#
# Software InfiniBand and hostile senders: mutated packets out of every cable
# while others talk, and fabrics that are taken apart under traffic.
. "$VM/lib/guest.sh"
. "$VM/lib/ib.sh"

files() { ls /sys/kernel/debug/ofed_ib/*/*; }
begin_talk() { # PORT SERVER CLIENT: until it is ended
	timeout "$limit" ibv_rc_pingpong -e -n 100000000 -s 8192 -p "$1" -d "$2" >/dev/null 2>&1 &
	talkers="$talkers $!"
	wait_for 60 listening "$1" || return
	timeout "$limit" ibv_rc_pingpong -e -n 100000000 -s 8192 -p "$1" -d "$3" 127.0.0.1 >/dev/null 2>&1 &
	talkers="$talkers $!"
}
end_talk() {
	# Unquoted on purpose: several.
	[ -z "$talkers" ] || kill $talkers 2>/dev/null
	wait $talkers 2>/dev/null
	talkers=
}
talkers=

# ---- packets ---------------------------------------------------------------------
check "a star" fabric_up star || exit 1
check "umad" wait_for 60 [ -c /dev/infiniband/umad3 ]
begin_opensm sm hca1
check "all active" wait_for 120 all_active
LIMIT=600
limit=3000
# Programs that may use umad may send anything.
calls=$(count 200000)
gid() { cat "$ibsys/$1/ports/1/gids/0"; }
bent_calls() {
	_coverage=-c
	[ "$calls" -ge 20000 ] || _coverage=
	_lines=$(dmesg | wc -l)
	# Unquoted on purpose: an option, or none.
	timeout -k 5 "$limit" "$programs/umad_fuzz" -n "$calls" -s "$SEED" $_coverage \
		hca1 "$(gid hca1)" hca3 "$(gid hca3)" || return
	[ $(($(dmesg | wc -l) - _lines)) -le 5 ]
}
check "$calls mutated calls to umad" bent_calls
sed 's/^/     /' "$work/output"
check "hca1 and hca2 talk" begin_talk 18700 hca1 hca2
packets=$(count 500000)
# Unquoted on purpose: a list of files.
check "$packets mutated packets, seed $SEED" "$programs/ib_inject" "$SEED" "$packets" $(files)
end_talk
# What the packets have made of it is not known; a new one begins from nothing.
end_opensm sm KILL
check "the fabric goes" fabric_down
check "a new one" fabric_up star
check "umad again" wait_for 60 [ -c /dev/infiniband/umad3 ]
begin_opensm sm hca1
check "all active again" wait_for 120 all_active
check "data is right" pair 18701 hca1 hca2 ibv_rc_pingpong -e -n 200 -c

# ---- teardown ----------------------------------------------------------------------
rounds=$(count 100)
pulled() { # what goes while they talk
	for _i in $(seq 1 "$rounds"); do
		begin_talk $((18710 + _i)) hca1 hca2 || return
		begin_talk $((18910 + _i)) hca3 hca3 || return
		case $((_i % 4)) in
		0)	echo 0 >$configfs/hcas/hca2/power && echo 1 >$configfs/hcas/hca2/power ;;
		1)	echo 0 >$configfs/switches/sw1/power && echo 1 >$configfs/switches/sw1/power ;;
		2)	for _c in $configfs/cables/*; do
				echo 0 >$_c/plugged && echo 1 >$_c/plugged || return
			done ;;
		3)	rdma dev | grep -q hca3 && echo 0 >$configfs/hcas/hca3/power &&
				echo 1 >$configfs/hcas/hca3/power ;;
		esac || return
		end_talk
		wait_for 120 all_active || return
	done
}
check "power and cables, $rounds times, under traffic" pulled
end_opensm sm

unloads() {
	for _i in $(seq 1 "$rounds"); do
		fabric_up pair && wait_for 60 [ -c /dev/infiniband/umad1 ] || return
		begin_opensm sm hca1
		wait_for 120 all_active && begin_talk $((19110 + _i)) hca1 hca2 || return
		"$fabric" unload || return
		end_talk
		end_opensm sm KILL
		wait_for 60 rmmod ofed_ib || return
	done
}
check "the fabric goes for that" fabric_down
check "everything unloaded $rounds times under traffic" unloads

# ---- another module unregisters our devices --------------------------------------------
check "a pair" fabric_up pair
check "the core ends one" rdma link delete hca1
check "it is gone" [ ! -e "$ibsys/hca1" ]
check "it has no power" [ "$(cat $configfs/hcas/hca1/power)" = 0 ]
check "the link at the far end is down" port_is hca2 state "1: DOWN"
check "power again" sh -c "echo 1 >$configfs/hcas/hca1/power"
check "it is back" port_is hca1 state "2: INIT"
check "no object of a program is left" no_user_objects
check "all goes" fabric_down
check "all modules" unload_stack
