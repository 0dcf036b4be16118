# SPDX-License-Identifier: GPL-2.0
#
# Sourced: the cells of the benchmark, a line for each:
#   PLACE WORK OP QP SIZE QPS MTU WAIT
# Those of TCP have no MTU: it is that of the interface.
K64=65536 M1=1048576 M4=4194304

# Two that poll need a processor each; with one, one process has both ends.
busy=poll
[ "$(nproc)" -gt 1 ] || busy=alone

streams() { # PLACE MTU OPS SIZES
	for _size in $4; do
		for _op in $3; do echo "$1 stream $_op rc $_size 1 $2 event"; done
	done
}

many() { # PLACE OP QPS SIZES
	for _size in $4; do
		for _qps in $3; do echo "$1 stream $2 rc $_size $_qps 4096 event"; done
	done
}

# The time of a round: one process with both ends, and two that sleep.
rounds() { # PLACE OPS SIZES WAITS
	for _wait in $4; do
		for _size in $3; do
			for _op in $2; do echo "$1 pingpong $_op rc $_size 1 4096 $_wait"; done
		done
	done
}

# The four ways to a message and its answer.
ways() { # PLACE SIZES
	for _size in $2; do
		echo "$1 pingpong send rc $_size 1 4096 $busy"
		for _op in send write_read write_read_quiet; do
			echo "$1 pingpong $_op rc $_size 1 4096 event"
		done
	done
}

# Ours is compared with perftest in a few.
perftests() { # PLACES OPS SIZES
	for _place in $1; do
		for _size in $3; do
			for _op in $2; do echo "$_place perftest $_op rc $_size 1 4096 poll"; done
		done
	done
}

quick_cells() {
	perftests "host veth" write "$K64 $M1"
	streams host 4096 "write read send" "$M1"
	streams host 4096 write "64 $K64"
	streams host 4096 fadd 8
	streams veth 4096 "write read send" "$K64 $M1"
	streams veth 1024 "write read send" "$K64 $M1"
	streams veth 4096 "write send" 64
	streams netns 4096 write "$K64 $M1"
	many host write 1000 64
	many veth write "8 1000" 64
	echo "veth stream send uc $K64 1 4096 event"
	echo "veth stream send ud 4096 1 4096 event"
	rounds host "write send" 8 alone
	rounds veth "write send" 8 "alone event"
	ways veth 64
	echo "host idle write rc 64 500 4096 event"
}

all_cells() {
	perftests "host veth" "write read" "$K64 $M1"
	_sizes="8 64 512 4096 $K64 $M1 $M4"
	for _place in host veth netns; do
		streams $_place 4096 "write read send" "$_sizes"
		streams $_place 4096 "fadd cswap" 8
	done
	streams veth 1024 "write read send" "512 4096 $K64 $M1 $M4"
	for _place in host veth; do
		many $_place write "8 64 1000" "64 $K64"
		many $_place send "8 64 1000" 64
		many $_place fadd 64 8
		for _size in 64 4096 $K64 $M1; do
			for _op in write send; do
				echo "$_place stream $_op uc $_size 1 4096 event"
			done
		done
		for _size in 64 1024 4096; do
			echo "$_place stream send ud $_size 1 4096 event"
		done
		rounds $_place "write send read fadd" 8 "alone event"
		rounds $_place "write send read" "4096 $K64" "alone event"
		[ $busy = alone ] || rounds $_place "write send" 8 poll
		echo "$_place pingpong send ud 64 1 4096 event"
		echo "$_place pingpong send uc 64 1 4096 event"
		ways $_place "64 4096 $K64"
	done
	echo "host idle write rc 64 1000 4096 event"
}

tcp_cells() { # SIZES
	for _place in host veth netns; do
		for _size in $1; do echo "$_place stream tcp rc $_size 1 4096 event"; done
		for _wait in alone event; do
			[ "$_place-$_wait" = netns-alone ] ||
				echo "$_place pingpong tcp rc 8 1 4096 $_wait"
		done
	done
}

# wire_cells SETUP quick|all: between two VMs
wire_cells() {
	case $1-$2 in
	tcp-quick) tcp_cells "$K64 $M1" | grep '^veth.*event$' ;;
	tcp-*) tcp_cells "64 4096 $K64 $M1 $M4" | grep '^veth.*event$' ;;
	*-quick)
		streams vms 4096 "write read send" "$K64 $M1"
		streams vms 1024 "write read send" "$K64 $M1"
		streams vms 4096 write 64
		many vms write 1000 64
		rounds vms "write send" 8 event ;;
	*)
		streams vms 4096 "write read send" "64 4096 $K64 $M1 $M4"
		streams vms 1024 "write read send" "4096 $K64 $M1"
		streams vms 4096 "fadd cswap" 8
		many vms write "8 64 1000" 64
		many vms write 64 $K64
		echo "vms stream write uc $K64 1 4096 event"
		echo "vms stream send uc $K64 1 4096 event"
		echo "vms stream send ud 4096 1 4096 event"
		rounds vms "write send read fadd" 8 event
		rounds vms "send write_read write_read_quiet" "64 4096" event ;;
	esac | sed 's/^veth/vms/'
}

# cells_of SETUP quick|all
cells_of() {
	case $1-$2 in
	tcp-quick) tcp_cells "64 $K64 $M1" ;;
	tcp-all) tcp_cells "8 64 512 4096 $K64 $M1 $M4" ;;
	siw-*|siwcrc-*|iwarp-*|iwplain-*) cells_of rxe "$2" | grep -vE ' (uc|ud|fadd|cswap|1024|perftest|idle) | 1000 | alone$' ;;
	*-quick) quick_cells ;;
	*) all_cells ;;
	esac
}
