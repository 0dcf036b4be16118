# SPDX-License-Identifier: GPL-2.0
#
# AF_RDS sockets of the kernel's own rds_rdma: datagrams in order, and RDMA into
# lent buffers. It knows init_net only, so both ends are the device's own address.
. "$VM/lib/guest.sh"
. "$VM/lib/ulp.sh"

n=$(count 20000)
port=19300

stream() { # LARGEST
	port=$((port + 1))
	rm -f "$work/ready"
	timeout -k 5 "$limit" "$programs/rds_stream" serve $gid_ip $port "$n" "$work/ready" \
		>"$work/server" 2>&1 &
	_server=$!
	wait_for 30 [ -e "$work/ready" ] &&
	timeout -k 5 "$limit" "$programs/rds_stream" send $gid_ip $gid_ip $port "$n" "$1" \
		"$SEED" >"$work/client" 2>&1
	_client=$?
	[ $_client -eq 0 ] || kill $_server 2>/dev/null
	wait $_server
	_status=$?
	cat "$work/server" "$work/client"
	[ $_client -eq 0 ] && [ $_status -eq 0 ]
}

need_link
check "rds and rds_rdma are the distribution's" distributions rds rds_rdma
check "rds_rdma loads" modprobe rds_rdma || exit 1
for w in $ways; do
	way $w
	for largest in 4000 100000; do
		mark
		check "$n datagrams of at most $largest bytes, then RDMA, $name" stream $largest
		sed 's/^/     /' "$work/client"
		moved=$(sed -n 's/.* datagrams, \([0-9]*\) bytes.*/\1/p' "$work/client")
		check "the device carried them" carried $((2 * ${moved:-1}))
		sed 's/^/     /' "$work/output"
	done
done

# The protocol keeps its connections: they go with the device.
check "$dev goes, with the connections" rdma link delete $dev
net_down
check "rds goes" unloads rds_rdma rds
check "the modules go" unload_stack
