# SPDX-License-Identifier: GPL-2.0
#
# Half a fabric of software InfiniBand in each of two VMs, a tunnel between them
# (tests/vm/pair SUITE=ibpair PEER_DRIVER=ib), and one opensm. On it the distribution's
# ib_ipoib, and by its addresses NVMe and NFS over RDMA; SMC finds no RoCE and uses TCP.
#
#	ask: hca1 -- sw1 == 10.0.1.1 --------- 10.0.1.2 == sw2 -- hca2: peer
#	  10.9.0.1                                                    10.9.0.2
[ "$SCALE" != 1 ] || LIMIT=1500
. "$VM/lib/guest.sh"
. "$VM/lib/ib.sh"
. "$VM/lib/peer.sh"

node() { # FOLDER NAME GUID
	mkdir "$configfs/$1/$2" && echo "$3" >"$configfs/$1/$2/guid" && echo 1 >"$configfs/$1/$2/power"
}
half() {
	modprobe ofed_ib || return
	mountpoint -q /sys/kernel/config || mount -t configfs none /sys/kernel/config || return
	load_users && node switches sw$number "0x02000000000${number}0100" &&
		node hcas hca$number "0x02000000000${number}1000" && mkdir $configfs/cables/c || return
	echo "sw$number 1" >$configfs/cables/c/a && echo "hca$number 1" >$configfs/cables/c/b &&
		echo 1 >$configfs/cables/c/plugged
}
tunnel=$configfs/tunnels/t
plug() {
	mkdir $tunnel && echo "sw$number 2" >$tunnel/port && echo "10.0.1.$number 4792" >$tunnel/local &&
		echo "10.0.1.$other 4792" >$tunnel/peer &&
		echo "0x02000000000${other}0100 2" >$tunnel/expect && echo 2048 >$tunnel/mtu &&
		echo 1 >$tunnel/plugged
}
state() { [ "$(cat $tunnel/state)" = "$1" ]; }

check "a network" net_up || exit 1
check "half a fabric" half || exit 1
check "umad" wait_for 60 [ -c /dev/infiniband/umad0 ]
check "one end of a tunnel" plug || exit 1
if [ "$ROLE" = peer ]; then
	: >$share/peer
	check "jobs" serve
	check "all goes" fabric_down
	check "all modules" unload_stack
	exit
fi
check "the peer is there" wait_for 300 [ -e $share/peer ] || exit 1
check "the tunnel is up" wait_for 60 state up || exit 1
partitions=$work/partitions
cat >"$partitions" <<-END
	Default=0x7fff, ipoib, defmember=full : ALL=full;
	Apart=0x0001, ipoib : ALL=full;
END
begin_opensm sm hca1
check "the port here is active" wait_for 120 all_active
remote_active() {
	give "cat $ibsys/hca2/ports/1/state"
	answer | grep -q "4: ACTIVE"
}
check "and that over there" wait_for 120 remote_active || exit 1
check "ibhosts finds it" says '"hca2"' ibhosts -C hca1
check "ibswitches finds the other switch" says '"sw2"' ibswitches -C hca1

there() { give "$@"; answer; }
n=$(count 20000)
[ "$n" -ge 200 ] || n=200
port=18700
talk() { # PROGRAM OPTION...: client over there
	port=$((port + 1))
	timeout -k 5 "$limit" "$@" -p $port -d hca1 >"$work/own" 2>&1 &
	_server=$!
	wait_for 30 listening $port || return
	give "$* -p $port -d hca2 10.0.1.1"
	answer
	_status=$?
	[ $_status -eq 0 ] || kill $_server 2>/dev/null
	wait $_server && [ $_status -eq 0 ]
}
for kind in rc uc ud srq; do
	check "ibv_${kind}_pingpong by LID" talk ibv_${kind}_pingpong -e -n $n -c -s 2048
done
check "ibv_rc_pingpong by GID" talk ibv_rc_pingpong -e -n $n -c -g 0
check "one megabyte, many at a time" talk ibv_rc_pingpong -e -n 40 -c -s 1048576 -r 16
nothing_refused() { awk '{ print } /late|overrun|malformed/ { n += $2 } END { exit n }' $tunnel/refused; }
check "nothing was refused" nothing_refused
check "nor over there" there "awk '{ print } /late|overrun|malformed/ { n += \$2 } END { exit n }' $tunnel/refused"
check "the wire is cut" ip link set eth0 down
check "the link goes down" wait_for 60 state silent
check "the wire is back" ip link set eth0 up
check "up again" wait_for 60 state up
check "active over there" wait_for 120 remote_active
check "they talk" talk ibv_rc_pingpong -e -n $n -c

# ---- IPoIB ------------------------------------------------------------------------------
ipoib_up="modprobe ib_ipoib && ip link set ib0 up && ip addr add 10.9.0.\$number/24 dev ib0"
check "ib_ipoib" sh -c "number=1; $ipoib_up" || exit 1
check "and over there" there "number=2; $ipoib_up" || exit 1
pings() { busybox ping -c 1 -W 2 "$@" 10.9.0.2; }
check "ping" wait_for 120 pings
# BYTES, ROUNDS: full counts of these alone.
bytes=${BYTES:-$(count 1073741824)}
port=5000
program=$TOP/tests/programs/wire/ip_stream.py
stream() {
	port=$((port + 1))
	give "python3 $program receive 10.9.0.2 $port $share/listens-$port"
	wait_for 60 [ -e $share/listens-$port ] || return
	python3 "$program" send 10.9.0.2 $port "$bytes" >"$work/sent" || return
	answer >"$work/received" || return
	cat "$work/received"
	grep -xF "$(cat "$work/sent")" "$work/received"
}
timed() {
	_begin=$(date +%s.%N)
	"$@" || return
	echo "$_begin $(date +%s.%N)" | awk -v b="$bytes" '{ printf "%.1f s\n", $2 - $1 }'
}
check "TCP stream of $bytes bytes" timed stream
tail -n 1 "$work/output"
mode="echo \$mode >/sys/class/net/ib0/mode && ip link set ib0 mtu \$mtu"
check "connected mode" sh -c "mode=connected mtu=65520; $mode"
check "and over there" there "mode=connected mtu=65520; $mode"
check "ping of 60000 bytes" wait_for 60 pings -s 60000
check "TCP stream of $bytes bytes in it" timed stream
tail -n 1 "$work/output"

# ---- groups, a partition of its own, up and down -----------------------------------------
groups=${ROUNDS:-$(count 100)}
sends() { python3 "$TOP/tests/programs/wire/groups.py" send "$groups" && [ -e $share/heard ]; }
joins() {
	give "python3 $TOP/tests/programs/wire/groups.py hear 10.9.0.2 $groups $share/heard"
	ip route replace 239.0.0.0/8 dev ib0 && wait_for 120 sends
	_status=$?
	answer && [ $_status -eq 0 ]
}
check "$groups groups" joins
child="ip link add link ib0 name ib0.p type ipoib pkey 0x8001 &&
ip addr add 10.8.0.\$number/24 dev ib0.p && ip link set ib0.p up"
child_pings() { busybox ping -c 1 -W 2 "$@" 10.8.0.2; }
check "a child of P_Key 0x8001" sh -c "number=1; $child"
check "and over there" there "number=2; $child"
check "they see each other" wait_for 60 child_pings
# An interface answers for the addresses of others, unless it is told not to.
check "that is asked for its own addresses alone" \
	there "echo 1 >/proc/sys/net/ipv4/conf/all/arp_ignore"
check "a child is not reached by a parent" sh -c "! busybox ping -c 1 -W 2 -I ib0 10.8.0.2"
rounds=${ROUNDS:-$(count 100)}
flaps() {
	busybox ping -q -A 10.9.0.2 >/dev/null 2>&1 &
	_pinger=$!
	there "for i in \$(seq $rounds); do ip link set ib0 down && ip link set ib0 up || exit; done"
	_status=$?
	if [ $_status -eq 0 ]; then
		wait_for 60 pings
		_status=$?
	fi
	kill $_pinger
	wait $_pinger 2>/dev/null
	return $_status
}
check "up and down $rounds times over there, under traffic" flaps
check "the children go" ip link del ib0.p
check "both" there ip link del ib0.p

# ---- NVMe over RDMA: the disk is a file over there -----------------------------------------
nqn=nqn.2024-01.test.ofed:disk
target="nvmet=/sys/kernel/config/nvmet
truncate -s 64M /tmp/disk && modprobe -a loop nvmet-rdma && backing=\$(losetup -f --show /tmp/disk) &&
mkdir \$nvmet/subsystems/$nqn && echo 1 >\$nvmet/subsystems/$nqn/attr_allow_any_host &&
mkdir \$nvmet/subsystems/$nqn/namespaces/1 &&
echo -n \$backing >\$nvmet/subsystems/$nqn/namespaces/1/device_path &&
echo 1 >\$nvmet/subsystems/$nqn/namespaces/1/enable && mkdir \$nvmet/ports/1 &&
echo ipv4 >\$nvmet/ports/1/addr_adrfam && echo rdma >\$nvmet/ports/1/addr_trtype &&
echo 10.9.0.2 >\$nvmet/ports/1/addr_traddr && echo 4420 >\$nvmet/ports/1/addr_trsvcid &&
ln -s \$nvmet/subsystems/$nqn \$nvmet/ports/1/subsystems/$nqn"
target_down="nvmet=/sys/kernel/config/nvmet
rm \$nvmet/ports/1/subsystems/$nqn && rmdir \$nvmet/ports/1 &&
echo 0 >\$nvmet/subsystems/$nqn/namespaces/1/enable &&
rmdir \$nvmet/subsystems/$nqn/namespaces/1 \$nvmet/subsystems/$nqn && losetup -D &&
modprobe -r nvmet-rdma"
host="hostnqn=nqn.2014-08.org.nvmexpress:uuid:00000000-0000-0000-0000-00000000000f"
host="$host,hostid=00000000-0000-0000-0000-00000000000f"
disk=/dev/nvme0n1
connected() {
	modprobe nvme-rdma &&
		echo "transport=rdma,traddr=10.9.0.2,trsvcid=4420,nqn=$nqn,$host" >/dev/nvme-fabrics &&
		wait_for 30 [ -b $disk ]
}
written() {
	head -c 33554432 /dev/urandom >"$work/data" &&
		dd if="$work/data" of=$disk bs=1M oflag=direct conv=fsync status=none &&
		dd if=$disk bs=64k count=512 iflag=direct status=none | cmp - "$work/data" || return
	there "head -c 33554432 /tmp/disk | sha256sum" >"$work/there" || return
	cat "$work/there"
	grep -qF "$(sha256sum <"$work/data")" "$work/there"
}
gone() { ! [ -e $disk ]; }
disconnected() {
	echo 1 >/sys/class/nvme/nvme0/delete_controller && wait_for 30 gone &&
		wait_for 30 modprobe -r nvme-rdma
}
check "a target over there" there "$target" &&
	check "NVMe controller by RDMA" connected &&
	check "32 MB, there and back" written &&
	check "it is disconnected" disconnected
check "the target goes" there "$target_down"

# ---- NFS over RDMA ------------------------------------------------------------------------------
server="modprobe -a nfsd rpcrdma && mkdir -p /tmp/export /run/rpc_pipefs /var/lib/nfs/nfsdcld &&
mount -t tmpfs export /tmp/export && mount -t rpc_pipefs rpc_pipefs /run/rpc_pipefs &&
mount -t nfsd nfsd /proc/fs/nfsd && { nfsdcld -s /var/lib/nfs/nfsdcld; rpc.mountd -N 3; } >/dev/null 2>&1 &&
exportfs -i -o rw,no_root_squash,insecure,no_subtree_check,fsid=0 '*:/tmp/export' &&
rpc.nfsd -N 3 -V 4 --rdma=20049 4"
server_down="rpc.nfsd 0; exportfs -ua; kill \$(pidof rpc.mountd nfsdcld)
while pidof rpc.mountd nfsdcld; do sleep 0.1; done
umount /proc/fs/nfsd && umount /run/rpc_pipefs && umount /tmp/export && rmmod rpcrdma"
mounted() {
	mkdir -p "$work/mnt" && modprobe -a nfsv4 rpcrdma &&
		mount -t nfs4 -o vers=4.2,proto=rdma,port=20049 10.9.0.2:/ "$work/mnt" &&
		grep -q " $work/mnt nfs4 .*proto=rdma" /proc/mounts
}
copied() {
	cp -a "$VM" "$work/mnt/tree" && cp "$work/data" "$work/mnt/data" && umount "$work/mnt" &&
		mounted && diff -r "$VM" "$work/mnt/tree" && cmp "$work/data" "$work/mnt/data" || return
	there "sha256sum </tmp/export/data" >"$work/there" || return
	cat "$work/there"
	grep -qF "$(sha256sum <"$work/data")" "$work/there"
}
unmounted() { umount "$work/mnt" && wait_for 30 rmmod rpcrdma; }
check "a server over there" there "$server" &&
	check "NFS mount by RDMA" mounted &&
	check "a tree and 32 MB, there and back" copied &&
	check "umount" unmounted
check "the server ends" there "$server_down"

# ---- SMC ---------------------------------------------------------------------------------------
smc() {
	port=$((port + 1))
	give "$programs/smc_stream serve 10.9.0.2 $port 2 200000 $share/listens-$port"
	wait_for 60 [ -e $share/listens-$port ] || return
	"$programs/smc_stream" connect 10.9.0.2 $port 2 200000 >"$work/client" || return
	answer >"$work/server" || return
	cat "$work/client" "$work/server"
	[ "$(grep -c "^tcp" "$work/client")" = 2 ] && [ "$(grep -c "^tcp" "$work/server")" = 2 ]
}
no_groups() { ! "$programs/ofed-smc" groups | grep "^version"; }
check "SMC sockets" modprobe -a smc smc_diag
check "and over there" there modprobe -a smc smc_diag
check "they fall back to TCP" smc
check "there is no link group" no_groups
check "SMC goes" wait_for 60 rmmod smc_diag smc
check "and over there" there rmmod smc_diag smc

check "ib_ipoib goes" wait_for 60 modprobe -r ib_ipoib
check "and over there" there modprobe -r ib_ipoib
end_opensm sm
check "all goes" fabric_down
check "all modules" unload_stack
