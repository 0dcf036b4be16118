# SPDX-License-Identifier: GPL-2.0
#
# What this project is, in two minutes: 'run KERNEL demo'. Each step needs those before it.
#
#   eth0 10.0.0.1 --veth-- eth1 10.0.0.2        both here, then eth1 in namespace b
#
# rdma_rxe comes first: it knows one namespace, and keeps UDP port 4791 there until it goes.
. "$VM/lib/guest.sh"
by_default
. "$VM/lib/ulp.sh"
. "$VM/lib/nvme.sh"
. "$VM/lib/cm.sh"
. "$VM/lib/ib.sh"

title() { printf '\n--- %s\n' "$*"; }
step() { # NAME CMD...
	check "$@" && return
	dmesg | tail -n 5
	title "the demo ends here: '$1' failed"
	exit 1
}
summary=$work/summary
row() { printf '%-26s %s\n' "$1" "$2" >>"$summary"; }
# What the last step printed that is worth reading.
show() { grep -E "$1" "$work/output" | sed 's/^/     /'; }

driver() { # NAME
	DRIVER=$1 dev=${1}0
	load_stack
}
device() { # NAME NETDEV [NAMESPACE]
	${3:+ip netns exec $3} rdma link add "$1" type $DRIVER netdev "$2" &&
		wait_for 20 active "$1"
}

# ---- rdma_rxe and ours, the same wire and the same program --------------------------------
wide() { ip link set eth0 mtu 4200 && ip link set eth1 mtu 4200; }
link_local() { # N: link-local addresses of one namespace take the wire
	echo fe80:0000:0000:0000:0000:00ff:fe00:000$(($1 + 1))
}
ends() {
	device ${DRIVER}0 eth0 && device ${DRIVER}1 eth1 &&
		wait_for 20 gid_of ${DRIVER}0 "$(link_local 0)" &&
		wait_for 20 gid_of ${DRIVER}1 "$(link_local 1)" &&
		index=$(gid_of ${DRIVER}0 "$(link_local 0)") &&
		[ "$index" = "$(gid_of ${DRIVER}1 "$(link_local 1)")" ]
}
wire_bytes() { cat /sys/class/net/eth0/statistics/tx_bytes; }
direct_bytes() { cat /sys/class/infiniband/roce0/ports/1/hw_counters/direct_bytes; }
# The best of three, as what else the host does comes in bursts. All of it was counted.
writes() { # wire_bytes|direct_bytes
	best=0
	for _i in 1 2 3; do
		_before=$($1)
		pair 1890$_i ${DRIVER}1 ${DRIVER}0 ib_write_bw -x "$index" -F -s 65536 -n 500 || return
		sleep 0.1	# sysfs shows counters that are up to 10 ms old
		[ $(($($1) - _before)) -ge 32768000 ] || return
		best=$(awk -v best=$best '$1 == 65536 { print ($4 > best ? $4 : best) }' "$work/client")
	done
}

title "Debian's rdma_rxe.ko on ofed_core: ib_write_bw, 500 times 64 KiB over a veth pair"
step "a veth pair" net_up
step "frames of 4 KiB and headers" wide
step "modprobe rdma_rxe" driver rxe
step "rdma link add rxe0 type rxe, and rxe1" ends
step "ib_write_bw on rdma_rxe" writes wire_bytes
rxe=$best
grep -A 1 '^ *#bytes' "$work/client" | sed 's/^/     /'
step "rdma_rxe goes" sh -c "rdma link delete rxe0 && rdma link delete rxe1 && modprobe -r rdma_rxe"

title "our RoCE device in its place: the same"
step "modprobe ofed_roce" driver roce
step "rdma link add roce0 type roce, and roce1" ends
beside_rxe() { # TITLE
	grep -A 1 '^ *#bytes' "$work/client" | sed 's/^/     /'
	row "$1" "ofed_roce $best MiB/s, rdma_rxe $rxe MiB/s in the same boot: $(awk \
		-v a="$best" -v b="$rxe" 'BEGIN { printf "%.2f", a / b }') times that"
}
neighbours() { echo "$1" >/sys/module/ofed_soft/parameters/direct; }
step "by packets, as to another host" neighbours off
step "ib_write_bw on ofed_roce" writes wire_bytes
beside_rxe "ib_write_bw, packets"
title "the two ends of a veth pair are neighbours: the same without packets"
step "without packets, as long as nothing would see them" neighbours peer
step "ib_write_bw on neighbours" writes direct_bytes
beside_rxe "ib_write_bw, neighbours"
step "roce1 goes" rdma link delete roce1

title "RoCE between two network namespaces: rping, each byte compared"
step "eth1 and a device on it in namespace b" here_apart
pings=50
step "rping, $pings messages of 4000 bytes, two namespaces" talk tcp 7174 \
	"$there rping -s -a 10.0.0.2 -p 7174 -C $pings -V -S 4000" \
	"rping -c -a 10.0.0.2 -p 7174 -C $pings -V -S 4000"
row "rping over RoCE" "$pings messages of 4000 bytes between two namespaces, each byte compared"

# ---- a protocol of the distribution's kernel ----------------------------------------------------
title "Debian's NVMe over RDMA: a disk of this host, by roce0"
mb=16
step "the modules are Debian's" distributions nvme-rdma nvmet-rdma
step "modprobe nvmet-rdma nvme-rdma" modprobe -a loop nvmet-rdma nvme-rdma
step "configfs" sh -c "mountpoint -q /sys/kernel/config || mount -t configfs none /sys/kernel/config"
step "a target at $gid_ip" target_up $mb
step "a controller: $disk" connected
mark
step "$mb MiB written, read and compared" written $disk 1048576 $mb
step "roce0 carried them" carried $((2 * mb * 1048576))
row "NVMe over RDMA" "$mb MiB written to $disk, read again and compared, by roce0"
step "it is disconnected" disconnected
step "the target goes" target_down
step "nvme goes" unloads nvme_rdma nvmet_rdma nvme_fabrics nvmet
step "the RoCE devices go" sh -c "rdma link delete roce0 && ip netns exec b rdma link delete roceb"

# ---- RDMA over TCP ------------------------------------------------------------------------------
title "our iWARP device between the same namespaces: rping"
step "modprobe ofed_iwarp" driver iwarp
step "rdma link add iwarp0 type iwarp" device iwarp0 eth0
step "iwarp1 in namespace b" device iwarp1 eth1 b
step "rping, $pings messages of 4000 bytes, over TCP" talk tcp 7174 \
	"$there rping -s -a 10.0.0.2 -p 7174 -C $pings -V -S 4000" \
	"rping -c -a 10.0.0.2 -p 7174 -C $pings -V -S 4000"
row "rping over iWARP" "$pings messages of 4000 bytes between two namespaces, each byte compared"
step "the iWARP devices go" sh -c "rdma link delete iwarp0 && ip netns exec b rdma link delete iwarp1"

# ---- InfiniBand -------------------------------------------------------------------------------------
title "InfiniBand of nothing: four HCAs around a switch, under Debian's opensm"
DRIVER=ib
step "ofed-fabric load star" fabric_up star
step "umad devices" wait_for 60 [ -c /dev/infiniband/umad3 ]
begin_opensm opensm hca1
step "opensm makes all ports active" wait_for 60 all_active
step "ibnetdiscover" ibnetdiscover -C hca1
show '^(Switch|Ca|\[)'
nodes=$(grep -cE '^(Switch|Ca)' "$work/output")
row "InfiniBand" "$nodes nodes found by ibnetdiscover, LIDs and routes from opensm"

title "Debian's IP over InfiniBand between two HCAs in namespaces: ping"
into() { # NETNS HCA ADDRESS
	_ndev=$(ndev_of "$2") || return
	ip netns add "$1" && ip link set "$_ndev" netns "$1" &&
		ip -n "$1" addr add "$3/24" dev "$_ndev" && ip -n "$1" link set "$_ndev" up
}
answers() { ip netns exec red busybox ping -c 1 -W 2 "$@" 10.9.0.2; }
step "modprobe ib_ipoib" modprobe ib_ipoib
step "the interface of hca1 in namespace red" into red hca1 10.9.0.1
step "that of hca2 in namespace blue" into blue hca2 10.9.0.2
step "an answer" wait_for 60 answers
step "ping" ip netns exec red busybox ping -c 3 -s 1000 10.9.0.2
show 'packets|round-trip'
row "IP over InfiniBand" "$(sed -n 's/^round-trip min/answers from 10.9.0.2 between two HCAs, min/p' "$work/output")"
end_opensm opensm

title "what was shown"
row "kernel" "$(uname -r), as Debian built it"
row "RDMA core" "ofed_core; ib_core is $([ -d /sys/module/ib_core ] && echo "" || echo "not ")loaded"
cat "$summary"
echo "(an emulated processor without KVM: times are no measure, ratios are)"
