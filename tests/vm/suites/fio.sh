# SPDX-License-Identifier: GPL-2.0
#
# fio's rdma engine, between two namespaces and on one host. It compares nothing.
. "$VM/guest.sh"
. "$VM/apps.sh"

need_apps
port=17600
mb=$(count 64)
[ "$mb" -ge 4 ] || mb=4

# rdma_cm has no table of who listens but its own.
at_port() { $_end rdma resource show cm_id | grep -q "state LISTEN.*:$port "; }
move() { # WHERE VERB SERVER'S-DIRECTION DIRECTION
	_end=$there _to=$address
	[ "$1" = there ] || _end= _to=$home
	port=$((port + 1))
	_job="--ioengine=rdma --port=$port --bs=64k --size=${mb}m --iodepth=8 --thread"
	serve at_port $_end fio --name=server $_job --rw=$3 &&
		asks fio --name=client $_job --hostname=$_to --verb=$2 --rw=$4
}
for where in there here; do
	while read -r verb server client; do
		check "fio, $mb MB by $verb, $where" \
			carries $((mb * 1048576)) move $where $verb $server $client
		check "it says how fast" grep -qE '(READ|WRITE): bw=' "$work/client"
	done <<-END
		write read write
		send read write
	END
done

check "all goes" apps_down
check "the modules go" wait_for 20 unload_stack
