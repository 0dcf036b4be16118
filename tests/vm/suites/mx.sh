# SPDX-License-Identifier: GPL-2.0
#
# Messages in the manner of Myrinet Express (tests/examples/mx): a request by each of the four
# ways through each of its states, at both ends. Between two namespaces and on one host.
. "$VM/lib/guest.sh"
. "$VM/lib/apps.sh"

need_apps
examples=$TOP/build/examples
messages=$(count 5000)

# rdma_cm has no table of listeners but its own.
at_port() { $_end rdma resource show cm_id | grep -q "state LISTEN.*:$port "; }
place() { # there|here
	_end=$there _to=$address
	[ "$1" = there ] || _end= _to=$home
}

# Each side has rows of its own.
states() { # WHERE NAME
	place $1
	port=20081
	check "a side that waits, $2" serve at_port $_end "$examples/mx_states" -n "$messages" ||
		return
	table "$2" "$examples/mx_states" -n "$messages" $_to
	[ $_status -eq 0 ] || kill $_server 2>/dev/null
	table "$2" cat "$work/server"
	check "the other side, $2" wait $_server
}
for where in there here; do
	states $where "$where"
done
export MX_RCACHE=0
states here "without the registration cache"
unset MX_RCACHE

# What readers begin with: a line for each message at either side.
talk() { # WHERE
	place $1
	port=20080
	serve at_port $_end "$examples/mx_talk" && asks "$examples/mx_talk" $_to &&
		[ "$(grep -c ' doneq+.*ACKED$' "$work/client")" = 5 ] &&
		[ "$(grep -c ' doneq+.*RECV_MATCHED$' "$work/server")" = 5 ]
}
for where in there here; do
	check "mx_talk, $where" talk $where
done
refused() {
	! "$examples/mx_talk" $home 2>"$work/client" && has "no connection" "$work/client"
}
check "no side waits: a clear error" refused

# The end of a process is the end of every request of its peer.
killed() {
	place here
	port=20081
	"$examples/mx_states" -n 1000000 >"$work/server" 2>&1 &
	_server=$!
	wait_for 60 at_port || return
	"$examples/mx_states" -n 1000000 $_to >"$work/client" 2>&1 &
	_client=$!
	wait_for 60 has "malloc and free" "$work/client" && kill -9 $_server &&
		wait_for 30 is_gone $_client && grep -q "the connection has ended" "$work/client"
}
is_gone() { ! [ -e "/proc/$1/exe" ]; }
check "a peer that is killed" killed

check "all goes" apps_down
check "the modules go" wait_for 20 unload_stack
