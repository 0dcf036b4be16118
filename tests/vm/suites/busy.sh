# SPDX-License-Identifier: GPL-2.0
#
# Hosts with busy processors: one by a real-time task, which no worker gets back, or both
# by programs that compute. All that was posted completes, and no ACK is late where nothing is
# lost.
DRIVER=roce
. "$VM/lib/guest.sh"
. "$VM/lib/rates.sh"

hold() { chrt -f 50 taskset -c 1 sh -c 'while :; do :; done' & hogs=$!; }
compute() {
	hogs=
	for _cpu in 0 1; do
		taskset -c $_cpu sh -c 'while :; do :; done' &
		hogs="$hogs $!"
	done
}
let_go() { # Unquoted on purpose: a list of processes.
	kill $hogs
	wait $hogs 2>/dev/null
}

cells() { # TITLE WRAPPER
	_title=$1
	[ $kind = rxe ] || late=$(counter local_ack_timeout_err)
	rate "$_title: WRITE 64 KiB" write 65536 16 "$2"
	rate "$_title: READ 64 KiB" read 65536 16 "$2"
	rate "$_title: WRITE 64 B" write 64 64 "$2"
	rate "$_title: READ 64 KiB and WRITE 64 B" mixed 65536 1 "$2"
	[ $kind = rxe ] ||
		check "$_title: no ACK is late" [ "$(counter local_ack_timeout_err)" = "$late" ]
}
measure() {
	[ "$SCALE" != 1 ] || cells "idle" ""
	hold
	cells "processor 1 is held" "taskset -c 0"
	let_go
	compute
	cells "both compute" ""
	let_go
}

check "two interfaces" net_up
rates measure
two_links_end
