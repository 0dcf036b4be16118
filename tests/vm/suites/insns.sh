# SPDX-License-Identifier: GPL-2.0
#
# What 'make insns' counts in: each setup has its turn, and runs its cells. The counts
# are made by a plugin of QEMU (tests/insns), this leaves their names and the symbols.
#
#   TREE_OFED, TREE_STOCK   folders made by tests/vm/modules
#   SETUPS (with commas)    of tests/bench/setups.sh, and ib: software InfiniBand, ofed_core
#   CELLS                   an expression that cells match, "SETUP PLACE KIND:SIZE"
. "$VM/lib/guest.sh"
. "$VM/lib/ib.sh"
. "$TOP/tests/bench/setups.sh"
. "$TOP/tests/insns/cells.sh"

# siw refuses even root what is above the limit.
ulimit -l unlimited

# HCAs around a switch. The manager has nothing to do when all is active.
begin_ib() {
	use_tree ofed && fabric_up star && wait_for 60 [ -c /dev/infiniband/umad3 ] || return
	begin_opensm sm hca1
	wait_for 600 all_active && end_opensm sm
}

begin() { # SETUP
	case $1 in
	ib)	setup=ib CORE=ofed
		begin_ib ;;
	*)	setup_begin $1 ;;
	esac
}

end() {
	case $setup in
	ib)	fabric_down && wait_for 30 unload_stack ;;
	*)	setup_end ;;
	esac
}

# options_of PLACE: of the program
options_of() {
	case $1 in
	switch) echo "dev=hca1 peerdev=hca2" ;;
	*)	ends_of $1 ;;
	esac
}

cell() { # PLACE KIND:SIZE
	timeout -k 5 "$limit" "$programs/insns" $(options_of $1) $2 >"$work/line" || return
	sed "s/^/$setup $1 /" "$work/line" >>"$OUT/cells"
}

turn() {
	cells_of $1 | sed "s/^/$1 /" | grep -E "${CELLS:-.}" >"$work/cells"
	[ -s "$work/cells" ] || return 0
	check "$1" begin $1 || { dmesg | tail -n 20; end; return; }
	while read -r _setup _place _what; do
		check "$_setup $_place $_what" cell $_place $_what
	done <"$work/cells"
	cp /proc/kallsyms "$OUT/kallsyms-$1"
	check "$1 goes" end
}

# Each end knows the other's address: what looks for it would count, now and then.
wire() {
	wire_up 0 && end_up 0 && end_up 1 &&
		ip neigh replace fe80::ff:fe00:2 lladdr 02:00:00:00:00:02 dev eth0 nud permanent &&
		ip neigh replace fe80::ff:fe00:1 lladdr 02:00:00:00:00:01 dev eth1 nud permanent
}

check "a wire" wire || exit 1
for setup in $(echo $SETUPS | tr , ' '); do
	turn $setup
done
