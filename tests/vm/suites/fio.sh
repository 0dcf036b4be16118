# SPDX-License-Identifier: GPL-2.0
#
# fio's rdma engine, between two namespaces and on one host. Which end listens is said by
# --rw: 'read' listens, 'write' connects and has the verb, RDMA READ too. It compares nothing.
#
# Of SEND the server has a buffer for each message from the beginning: fio sets no RNR retry,
# so that one message that finds none ends it.
. "$VM/lib/guest.sh"
. "$VM/lib/apps.sh"

need_apps
port=17600
mb=$(count 64)
[ "$mb" -ge 4 ] || mb=4

# rdma_cm has no table of listeners but its own.
at_port() { $_end rdma resource show cm_id | grep -q "state LISTEN.*:$port "; }
move() { # WHERE VERB MB
	_end=$there _to=$address
	[ "$1" = there ] || _end= _to=$home
	port=$((port + 1))
	_job="--ioengine=rdma --port=$port --bs=64k --size=$3m --thread"
	serve at_port $_end fio --name=server $_job --iodepth=64 --rw=read &&
		asks fio --name=client $_job --iodepth=8 --hostname=$_to --verb=$2 --rw=write
}
for where in there here; do
	for verb in write read send; do
		some=$mb
		[ $verb != send ] || some=4
		check "fio, $some MB by $verb, $where" carries $((some * 1048576)) \
			move $where $verb $some
		check "it says how fast" grep -qE '(READ|WRITE): bw=' "$work/client"
	done
done

check "all goes" apps_down
check "the modules go" wait_for 20 unload_stack
