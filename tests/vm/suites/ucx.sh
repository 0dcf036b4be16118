# SPDX-License-Identifier: GPL-2.0
#
# UCX as Debian ships it, in its default setting but for the transports: no index of a
# GID, no device. UD, and RC that UD brings together; messages by tag, one-sided
# operations and atomics, between two namespaces and on one host. What ucx_perftest moves
# it does not compare; the mpi suite does, by the same transports.
. "$VM/lib/guest.sh"
. "$VM/lib/apps.sh"

need_apps
port=13400
# Both ends poll: where there is one processor they take turns at it.
n=$(count 500)

at_port() { listens_at $port $_end; }
# Built with MPI, as Debian 13's is, the program takes itself for a process of mpirun unless its
# input is a terminal.
#
# perf WHERE TRANSPORTS TEST SIZE BYTES: WHERE is 'there' or 'here'
perf() {
	_end=$there _to=10.0.0.2
	[ "$1" = there ] || _end= _to=127.0.0.1
	port=$((port + 1))
	serve at_port $_end script -qec "UCX_TLS=$2 ucx_perftest -p $port" /dev/null &&
		asks script -qec \
			"UCX_TLS=$2 ucx_perftest $_to -p $port -t $3 -s $4 -n $n -w 2 -f" /dev/null
}

# What UCX looks at, and what it is on InfiniBand.
loopback=/sys/module/ofed_soft/parameters/loopback
for way in 1 0; do
	[ -e $loopback ] || break
	echo $way >$loopback
	table "loopback=$way" "$programs/ud_sl" $dev
done
[ ! -e $loopback ] || echo 1 >$loopback

for where in there here; do
	for transport in ud_v rc_v; do
		while read -r test size bytes; do
			check "$test of $size bytes, $transport, $where" \
				carries $((n * bytes)) perf $where $transport,self $test $size
			check "it says how fast" grep -qE '^ +[0-9]+ +[0-9.]+ ' "$work/client"
		done <<-END
			tag_lat 8 8
			tag_lat 4096 4096
			tag_bw 65536 65536
			ucp_put_bw 8192 8192
			ucp_get 8192 8192
			ucp_add 8 8
			ucp_fadd 8 8
			ucp_cswap 8 8
		END
	done
done

check "all goes" apps_down
check "the modules go" wait_for 20 unload_stack
