# SPDX-License-Identifier: GPL-2.0
#
# Sourced: the cells of 'make insns', a line "PLACE KIND:SIZE" for each. Places are those of
# tests/bench/setups.sh, and switch: two HCAs of software InfiniBand with a switch between.
cells_of() { # SETUP
	case $1 in
	rxe|ours)
		for _what in round-write:8 round-send:8 write:64 send:64 write:4096 write:65536 \
			     read:64 read:65536 fadd:8 cswap:8; do
			echo "veth $_what"
		done
		for _what in round-write:8 write:64 write:65536 doorbell poll \
			     reg:4096 reg:$(room); do
			echo "host $_what"
		done ;;
	direct)
		for _what in round-write:8 round-send:8 write:64 send:64 write:4096 write:65536 \
			     read:65536; do
			echo "veth $_what"
		done ;;
	siw|siwcrc|iwarp|iwplain)
		for _what in write:64 send:64 write:65536; do
			echo "veth $_what"
		done ;;
	ib)	echo "switch write:64"
		echo "switch write:65536" ;;
	esac
}

# 1 GiB, or what two thirds of the memory that is free have room for.
room() {
	awk '/^MemAvailable/ { n = 2 ^ 30; while (n > $2 * 682) n /= 2; printf "%d", n }' /proc/meminfo
}
