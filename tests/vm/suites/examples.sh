# SPDX-License-Identifier: GPL-2.0
#
# tests/examples, and the descriptor of an event channel.
. "$VM/lib/guest.sh"
. "$VM/lib/cm.sh"

need_cm
examples=$TOP/build/examples

add() { # A B SUM WAIT: both print it
	talk tcp 20079 "$examples/server -w $4 -n 1" "$examples/client -w $4 $at $1 $2" &&
		has "$1 + $2 = $3" "$work/client" && has "$1 + $2 = $3" "$work/server"
}
for family in 4 6; do
	way $family
	for wait in block nonblock poll select; do
		check "server and client, $wait, $name" add 17 25 42 $wait
	done
	check "a sum of 32 bits, $name" add 4294967295 3 2 block
	check "$at can be reached by RDMA" "$examples/check" $at
done
way 4
several() { # one after the other, one server
	begin_server tcp 20079 "$examples/server" -w poll -4 -n 3 || return
	for _i in 1 2 3; do
		timeout -k 5 "$limit" "$examples/client" -w select $at $_i 1 || return
	done
	wait $_server
}
check "three clients of one server" several
nobody_there() { "$examples/client" $at 1 2 2>&1 | tee "$work/client"; has REJECTED "$work/client"; }
check "without a server" nobody_there

# An address of every host names any device; for the other one there is no route.
check "127.0.0.1 has a device" "$examples/check" 127.0.0.1
no_rdma() { ! "$examples/check" "$1"; }
check "203.0.113.9 can not" no_rdma 203.0.113.9

table "event channel" "$programs/cm_channel" $at4 7400
table "event channel, IPv6" "$programs/cm_channel" $at6 7400
cm_down
