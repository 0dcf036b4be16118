# SPDX-License-Identifier: GPL-2.0
#
# NFS over the kernel's own rpcrdma, both its ends: a folder is exported at the
# device's own address, mounted from there, and a file tree copied both ways.
. "$VM/lib/guest.sh"
. "$VM/lib/ulp.sh"

mb=$(count 100)
[ $mb -ge 4 ] || mb=4
export=$work/export
mnt=$work/mnt
tree=$work/tree

# Sizes around a page, an inline message and the largest read and write; names,
# modes and kinds of files.
plant() {
	mkdir -p "$tree/deep/er/still" "$tree/many" "$tree/empty" &&
	for _size in 0 1 1000 4095 4096 4097 65536 262145 1048576 1048577; do
		head -c $_size /dev/urandom >"$tree/deep/$_size" || return
	done
	head -c $((mb * 1048576)) /dev/urandom >"$tree/large" &&
	for _i in $(seq 100); do
		echo $_i >"$tree/many/file-with-a-name-that-fills-a-directory-reply-$_i" || return
	done
	ln -s ../1000 "$tree/deep/er/link" && ln "$tree/deep/4097" "$tree/deep/er/still/hard" &&
	chmod 751 "$tree/deep/er" && chmod 4711 "$tree/deep/1" && mkfifo "$tree/deep/fifo"
}
# What diff -r does not compare.
facts() { # FOLDER
	(cd "$1" && find . -printf '%P %y %m %s %n %T@ %l\n' | grep -v '^ ' |
		awk '$2 == "d" { $4 = "-" } { print }' | sort)
}
same() { # FOLDER: as the tree
	diff -r --no-dereference -x fifo "$tree" "$1" || return
	facts "$tree" >"$work/facts"
	facts "$1" | diff "$work/facts" -
}

server_up() {
	mkdir -p "$export" "$mnt" /run/rpc_pipefs /var/lib/nfs/nfsdcld &&
	mount -t tmpfs -o size=80% export "$export" &&
	mount -t rpc_pipefs rpc_pipefs /run/rpc_pipefs &&
	mount -t nfsd nfsd /proc/fs/nfsd &&
	nfsdcld -s /var/lib/nfs/nfsdcld && rpc.mountd -N 3 &&
	exportfs -i -o rw,no_root_squash,insecure,no_subtree_check,fsid=0 "*:$export" &&
	rpc.nfsd -N 3 -V 4 -V 4.0 --rdma=20049 4 &&
	has "rdma 20049" /proc/fs/nfsd/portlist
}
server_down() {
	rpc.nfsd 0
	exportfs -ua
	kill $(pidof rpc.mountd nfsdcld)
	wait_for 10 sh -c "! pidof rpc.mountd nfsdcld" &&
	umount /proc/fs/nfsd && umount /run/rpc_pipefs && umount "$export"
}

mounted() { # VERSION
	mount -t nfs4 -o "vers=$1,proto=rdma,port=20049" $gid_ip:/ "$mnt" &&
	grep -q " $mnt nfs4 .*vers=$1,.*proto=rdma" /proc/mounts &&
	awk -v at="$mnt" '/^device/ { here = $5 == at } here && /xprt:/ { print $2 }' \
		/proc/self/mountstats | grep -qx rdma
}

copied() { # there, and back
	cp -a "$tree" "$mnt/" && umount "$mnt" && mounted "$1" &&
	same "$mnt/tree" && same "$export/tree" &&
	umount "$mnt" && mounted "$1" &&
	cp -a "$mnt/tree" "$work/back" && same "$work/back"
}
direct() { # past the page cache, in the largest pieces
	dd if="$tree/large" of="$mnt/direct" bs=1M oflag=direct conv=fsync status=none &&
	cmp "$tree/large" "$export/direct" &&
	dd if="$mnt/direct" of="$work/direct" bs=1M iflag=direct status=none &&
	cmp "$tree/large" "$work/direct"
}

need_link
check "rpcrdma is the distribution's" distributions rpcrdma nfsd nfsv4
check "it loads" modprobe -a nfsd nfsv4 rpcrdma || exit 1
check "a file tree" plant
check "a server that listens on the device" server_up || { dmesg | tail -n 20; exit 1; }

for w in $ways; do
	way $w
	# Which of the two does not matter to the other: all pairs in a full run only.
	versions="4.2 4.0"
	case $SCALE,$DRIVER,$w in
	1,*) ;;
	*,roce,0) versions=4.0 ;;
	*) versions=4.2 ;;
	esac
	for version in $versions; do
		mark
		check "NFS $version, $name" mounted $version || { dmesg | tail -n 20; continue; }
		check "the tree goes there and back" copied $version
		check "the large file past the cache" direct
		check "the device carried them" carried $((4 * mb * 1048576))
		sed 's/^/     /' "$work/output"
		rm -rf "$work/back" "$mnt/tree" "$mnt/direct"
		check "nothing is left" [ -z "$(ls "$export")" ]
		check "umount" umount "$mnt"
	done
done

check "the server ends" server_down
check "rpcrdma goes" unloads rpcrdma
check "$dev goes" link_down
check "the modules go" unload_stack
