# SPDX-License-Identifier: GPL-2.0
#
# Sourced, after guest.sh, by the suites that measure: what is measured, and where.
#
# setup   core       device
# rxe     stock      rdma_rxe, the kernel's own
# ours    ofed_core  ofed_roce, packets between two interfaces
# direct  ofed_core  ofed_roce, none between the ends of a veth pair, as by default
# driver  stock      ofed_roce
# siw     stock      siw, where there is a module file
# siwcrc  stock      siw with CRCs, where SIW_CRC is its module (tests/vm/siw)
# iwarp   ofed_core  ofed_iwarp, FPDUs with CRCs, as by default
# iwplain ofed_core  ofed_iwarp, FPDUs without: what siw does with another siw
# tcp     none       none
#
# place   from         to
# host    eth0         eth0: the device itself; of TCP: lo
# veth    eth0         eth1, the other end of a veth pair, in the same namespace
# netns   eth2         eth3, the same with the end in namespace b
# vms     eth0         eth0 of another VM
#
# Link-local addresses: what goes from one interface to the link-local address of
# another of the same namespace takes the wire, without a rule for routes. A veth
# pair counts what passes, and report.py looks at that.
kver=$(uname -r)
sys=/sys/class/infiniband
link_local() { # N: the address of eth<N>, as in a GID
	echo fe80:0000:0000:0000:0000:00ff:fe00:000$(($1 + 1))
}

# A path MTU of 4096 takes 4200; a backlog that is full would lose datagrams.
wire_up() { # N: eth<N> and its other end, eth<N+1>
	sysctl -qw net.core.netdev_max_backlog=100000
	ip link add eth$1 address 02:00:00:00:00:0$(($1 + 1)) type veth \
		peer name eth$(($1 + 1)) address 02:00:00:00:00:0$(($1 + 2)) &&
	ip link set eth$1 mtu 4200 && ip link set eth$(($1 + 1)) mtu 4200
}

end_up() { # N
	echo 0 >/proc/sys/net/ipv6/conf/eth$1/accept_dad
	ip link set eth$1 up
}

wires_up() {
	ip netns add b && ip -n b link set lo up && wire_up 0 && wire_up 2 || return
	ip link set eth3 netns b
	for _n in 0 1 2; do
		end_up $_n || return
	done
	ip netns exec b sh -c "echo 0 >/proc/sys/net/ipv6/conf/eth3/accept_dad"
	ip -n b link set eth3 up
}

# use_tree ofed|stock: what modprobe finds from here on
use_tree() {
	case $1 in
	ofed) _tree=$TREE_OFED; cp "$TOP"/tools/modprobe.d/*.conf /etc/modprobe.d/ ;;
	stock) _tree=$TREE_STOCK; (cd "$TOP/tools/modprobe.d" && cd /etc/modprobe.d &&
		rm -f $(ls "$TOP/tools/modprobe.d")) ;;
	esac
	# Its file system stays busy while a module is read; nothing else keeps it.
	umount "/lib/modules/$kver" && mount -o bind "$_tree" "/lib/modules/$kver"
}

has_siw() { find -L "$TREE_STOCK/" -name 'siw.ko*' | grep -q .; }

add_link() { # DEV NETDEV [NAMESPACE]
	${3:+ip netns exec $3} rdma link add "$1" type "$DRIVER" netdev "$2"
}

# Gives gid0..gid3 and dev0..dev3, one for each interface that has a device.
find_end() { # N
	# iWARP has GIDs that no consumer looks for.
	case $DRIVER in siw|iwarp) eval "dev$1=$DRIVER$1 gid$1=0"; return ;; esac
	wait_for 20 active ${DRIVER}$1 && wait_for 20 gid_of ${DRIVER}$1 "$(link_local $1)" || return
	eval "dev$1=${DRIVER}$1 gid$1=$(gid_of ${DRIVER}$1 "$(link_local $1)")"
}

setup_begin() { # NAME
	setup=$1
	case $setup in
	rxe) _core=stock DRIVER=rxe ;;
	ours|direct) _core=ofed DRIVER=roce ;;
	driver) _core=stock DRIVER=roce ;;
	siw|siwcrc) _core=stock DRIVER=siw ;;
	iwarp|iwplain) _core=ofed DRIVER=iwarp ;;
	tcp) return ;;
	esac
	CORE=$_core
	use_tree $_core || return
	case $setup in
	siw) modprobe siw ;;
	siwcrc) modprobe -q libcrc32c; modprobe iw_cm && insmod "$SIW_CRC" ;;
	*) load_driver ;;
	esac && modprobe ib_uverbs || return
	[ "$DRIVER" != roce ] || echo "     CRC-32: $(cat /sys/module/ofed_soft/parameters/crc)"
	case $DRIVER in siw|iwarp) modprobe rdma_ucm || return ;; esac
	[ $setup != direct ] || echo peer >/sys/module/ofed_soft/parameters/direct || return
	[ $setup != iwplain ] || echo N >/sys/module/ofed_iwarp/parameters/crc || return
	for _n in ${ends:-0 1}; do
		add_link $DRIVER$_n eth$_n && find_end $_n || return
	done
	# Only ours knows namespaces.
	[ "$DRIVER" = roce ] && [ -e /run/netns/b ] || return 0
	add_link roce2 eth2 && add_link roce3 eth3 b && find_end 2 && find_end 3
}

setup_end() {
	[ "$setup" != tcp ] || return 0
	for _d in $sys/$DRIVER*; do
		[ ! -e "$_d" ] || rdma link delete "${_d##*/}" || return
	done
	[ "$DRIVER" != siw ] || rmmod siw || return
	wait_for 30 unload_stack
}

# What the devices have counted, on one line, to find why a cell broke down.
counted() {
	for _d in $sys/$DRIVER*; do
		echo "     ${_d##*/}:" $(grep -v '^0$' /dev/null "$_d"/ports/1/hw_counters/* |
			sed -n 's|.*/\([a-z_0-9]*\):\([1-9]\)|\1=\2|p')
	done 2>/dev/null
}

# has_place PLACE: for the setup of the moment
has_place() {
	case $setup-$1 in
	tcp-*|ours-*|direct-*|driver-*) ;;
	*-netns) return 1 ;;
	esac
}

# ends_of PLACE: options of the measuring program
ends_of() {
	case $setup-$1 in
	tcp-host) echo "address=127.0.0.1" ;;
	tcp-veth) echo "address=fe80::ff:fe00:2%eth0 wire=eth0" ;;
	tcp-netns) echo "address=fe80::ff:fe00:4%eth2 netns=/run/netns/b wire=eth2" ;;
	siw-host|siwcrc-host|iwarp-host|iwplain-host)
		echo "dev=$dev0 address=fe80::ff:fe00:1%eth0 bind=fe80::ff:fe00:1%eth0" ;;
	siw-veth|siwcrc-veth|iwarp-veth|iwplain-veth)
		echo "dev=$dev0 address=fe80::ff:fe00:2%eth0 bind=fe80::ff:fe00:2%eth1 wire=eth0" ;;
	*-host) echo "dev=$dev0 gid=$gid0" ;;
	*-veth) echo "dev=$dev0 gid=$gid0 peerdev=$dev1 peergid=$gid1 wire=eth0" ;;
	*-netns) echo "dev=$dev2 gid=$gid2 peerdev=$dev3 peergid=$gid3 netns=/run/netns/b wire=eth2" ;;
	esac
}

# What limits any of them, in lines of the same table.
ceilings() { # FILE
	use_tree ofed || return
	_blank=,,,,,,,,,,,,
	echo "$KERNEL,0,machine,kernel,ceiling,cpus,,1,1,,,,,$(nproc)${_blank},ok" >>"$1"
	modprobe -q crc32-pclmul || modprobe -q crc32_generic
	modprobe -q crc32c-intel || modprobe -q crc32c_generic
	"$programs/bench" work=calls tag=$KERNEL,0,write,kernel >>"$1" || return
	modprobe ofed_ceiling || return
	while read -r _what _driver _size _rate; do
		echo "$KERNEL,0,$_driver,kernel,ceiling,$_what,,$_size,1,,,,,$_rate${_blank},ok"
	done </sys/kernel/debug/ofed_ceiling >>"$1"
	rmmod ofed_ceiling
}
