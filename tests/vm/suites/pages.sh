# SPDX-License-Identifier: GPL-2.0
#
# The commands of README.md, of the tutorial and of the how-to pages, each as it is printed and
# in the order of its page. tests/pages/fences says what is a command, and which ones are left
# to another suite or to no suite. PAGES=howto/nvme, a list with commas: only these. The check
# has README.md and the texts of troubleshooting.md, soak has all.
#
#	eth0 10.0.0.1 --veth-- eth1 10.0.0.2	before each page; all else the page makes,
#						and takes away
. "$VM/lib/guest.sh"
by_default

[ "$SCALE" = 1 ] || PAGES=${PAGES:-README,troubleshooting}

fences=$TOP/tests/pages/fences

# What 'make install-utils' and systemd leave on a host that has booted.
installed() {
	mkdir -p /usr/local/sbin /usr/share/ofed/topologies /etc/ofed &&
	cp "$TOP"/tools/fabric/topologies/*.topo /usr/share/ofed/topologies/ &&
	cp "$TOP/tools/ofedctrl/ofed.conf" /etc/ofed/ &&
	cp "$TOP/tools/fabric/ofed-fabric" "$programs/ofed-smc" /usr/local/sbin/ &&
	printf '#!/bin/sh\nexec %s "$@"\n' "$TOP/tools/ofedctrl/ofedctrl" \
		>/usr/local/sbin/ofedctrl &&
	chmod 755 /usr/local/sbin/ofedctrl &&
	for _tool in ping wget; do
		command -v $_tool || ln -s /bin/busybox /usr/local/sbin/$_tool || return
	done &&
	for _fs in configfs:/sys/kernel/config tracefs:/sys/kernel/tracing; do
		mountpoint -q "${_fs#*:}" || mount -t "${_fs%:*}" "${_fs%:*}" "${_fs#*:}" || return
	done
}

# ---- commands of one block ------------------------------------------------------------
#
# A server is a block that ends with '&'. A reader types the client a moment later; the suite
# waits until more listens than did before.
listeners() {
	{ rdma resource show cm_id | grep LISTEN
	cat /proc/net/tcp /proc/net/tcp6
	ip netns list | while read -r _space _; do
		ip netns exec "$_space" cat /proc/net/tcp /proc/net/tcp6
	done; } | grep -cE 'LISTEN|:0000 0A '
}
more_listen() { [ "$(listeners)" -gt "$_listened" ]; }
as_printed() { # BLOCK
	_listened=$(listeners)
	{ echo "set -e"; cat "$1"; } >"$work/block"
	(cd /root && timeout -k 5 "$limit" sh "$work/block" </dev/null) || return
	! tail -n 1 "$1" | grep -q '[^&]&$' || wait_for 60 more_listen
}

# prints BLOCK: the command that is its name in the list
prints() { sed -n '2p' "$1" | cut -c 1-56; }

# ---- daemons that systemd starts where their package is installed -----------------------
nfs_server() {
	mkdir -p /run/rpc_pipefs /var/lib/nfs/nfsdcld &&
	mount -t rpc_pipefs rpc_pipefs /run/rpc_pipefs &&
	modprobe -a nfsd nfsv4 && mount -t nfsd nfsd /proc/fs/nfsd &&
	nfsdcld -s /var/lib/nfs/nfsdcld && rpc.mountd -N 3 && rpc.nfsd -N 3 -V 4 4
}
nfs_server_ends() {
	rpc.nfsd 0
	kill $(pidof rpc.mountd nfsdcld)
	wait_for 10 sh -c "! pidof rpc.mountd nfsdcld" &&
	umount /proc/fs/nfsd && umount /run/rpc_pipefs && wait_for 30 modprobe -r rpcrdma
}
# Its time-outs are too short for a slow guest.
iscsi_daemon() {
	sed -e 's/\(timeo\.[a-z_]* = \)5$/\160/' -e 's/\(login_timeout = \).*/\130/' \
		-e 's/^iscsid.startup/#&/' /etc/iscsi/iscsid.conf >"$work/iscsid.conf" &&
	cp "$work/iscsid.conf" /etc/iscsi/iscsid.conf &&
	echo "InitiatorName=iqn.2026-11.org.example:host" >/etc/iscsi/initiatorname.iscsi &&
	mkdir -p /run/lock && iscsid &&
	wait_for 10 grep -q ISCSIADM_ABSTRACT_NAMESPACE /proc/net/unix
}
iscsi_daemon_ends() { iscsiadm -k 0 && wait_for 10 sh -c "! pidof iscsid"; }
exporter() {
	prometheus-node-exporter --collector.disable-defaults --collector.infiniband \
		--web.listen-address=127.0.0.1:9100 >"$work/exporter" 2>&1 &
	_exporter=$!
	wait_for 60 listening 9100
}
exporter_ends() { kill $_exporter; wait $_exporter; return 0; }
daemon_of() { # PAGE
	case $1 in
	howto/nfs) echo nfs_server ;;
	howto/iser) echo iscsi_daemon ;;
	howto/prometheus) echo exporter ;;
	esac
}

# ---- a page ---------------------------------------------------------------------------
nothing_left() {
	ls /sys/class/infiniband 2>/dev/null
	ip netns list
	[ -z "$(ls /sys/class/infiniband 2>/dev/null)" ] && [ -z "$(ip netns list)" ]
}
# After a block that failed, so that the next page has what it expects.
sweep() {
	killall -q -w opensm rping dumpcap
	ofed-fabric unload
	for _link in $(ls /sys/class/infiniband); do rdma link delete "$_link"; done
	ip -all netns delete
	wait_for 10 nothing_left
}
page() { # NAME FILE
	_blocks=$work/$(echo "$1" | tr / -)
	check "$1: its commands" "$fences" "$2" "$_blocks" || return
	net_up
	_daemon=$(daemon_of "$1")
	[ -z "$_daemon" ] || check "$1: $_daemon" "$_daemon" || return
	for _block in "$_blocks"/*; do
		case $_block in
		*.sh)	_row="$1, line $(sed -n '1s/[^:]*:\([0-9]*\):.*/\1/p' "$_block"): $(prints "$_block")"
			check "$_row" as_printed "$_block" || { dmesg | tail -n 5; break; }
			cp /tmp/fabric.txt "$OUT/" 2>/dev/null ;;
		*.by)	_by=$(sed -n '1s/.*: //p' "$_block")
			check "$1: '$(prints "$_block")' is for the suite $_by" [ -e "$VM/suites/$_by.sh" ] ;;
		esac
	done
	[ -z "$_daemon" ] || check "$1: ${_daemon}_ends" "${_daemon}_ends"
	check "$1: nothing is left" wait_for 10 nothing_left || sweep >/dev/null 2>&1
	net_down
}

# rdma-core's udev rules load these; there is no udev here.
check "the modules of its character devices" modprobe -a ib_uverbs rdma_ucm ib_umad || exit 1
check "what an installation leaves" installed || exit 1
all="$TOP/README.md $TOP/Documentation/tutorial.md $TOP/Documentation/howto/*.md"
# Unquoted on purpose: patterns of files.
for file in $all; do
	name=${file#"$TOP/"}
	name=${name#Documentation/}
	name=${name%.md}
	case ,${PAGES:-$name}, in *",$name,"*) page "$name" "$file" ;; esac
done

# ---- texts of troubleshooting.md --------------------------------------------------------
page=$TOP/Documentation/troubleshooting.md
# says TEXT CMD...: it fails with that text, which the page has
says() {
	_text=$1
	shift
	"$@" >"$work/said" 2>&1
	_status=$?
	cat "$work/said"
	[ $_status -ne 0 ] && has "$_text" "$work/said" && has "$_text" "$page"
}
texts() {
	check "$dev" link_up || return
	check "no GID index" says "Failed to modify QP to RTR" duo 18515 ibv_rc_pingpong -d $dev
	check "no memory to pin" says "Couldn't register MR" run setpriv $nobody sh -c \
		"ulimit -l 64; ibv_rc_pingpong -d $dev -g 1 -s 1000000"
	check "no listener" says "cma event RDMA_CM_EVENT_REJECTED, error 8" \
		run rping -c -a 10.0.0.1 -C 1
	# An interface that no device belongs to has the way to that address.
	ip link add plain type dummy && ip addr add 10.7.0.1/24 dev plain && ip link set plain up
	check "no device" says "cma event RDMA_CM_EVENT_ADDR_ERROR, error -19" \
		run rping -c -a 10.7.0.9 -C 1
	ip link delete plain
	check "$dev goes" link_down
}
case ,${PAGES:-troubleshooting}, in *,troubleshooting,*) texts ;; esac

modprobe -q -r nvme_rdma nvmet_rdma ib_srp ib_srpt ib_iser ib_isert rds_rdma rpcrdma smc_diag smc
check "the modules go" wait_for 10 unload_stack
