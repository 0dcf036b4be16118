# SPDX-License-Identifier: GPL-2.0
#
# qperf, between two namespaces and on one host. It knows no GID: on Ethernet it does
# what rdma_cm connects for it, RC; on InfiniBand all that it can.
. "$VM/lib/guest.sh"
. "$VM/lib/apps.sh"

need_apps
size=8192

at_port() { listens_at 19765 $_end; }
begin() { # WHERE
	_end=$there to=$address
	[ "$1" = there ] || _end= to=$home
	serve at_port $_end qperf
}
quits() { qperf $to quit; wait $_server; }
# The server says which port it has, and listens there afterwards: a client that is
# faster is rejected, and does not try again.
test_of() { # TEST SIZE OPTION...
	_test=$1 _size=$2
	shift 2
	for _try in 1 2 3 4 5; do
		timeout -k 5 "$limit" qperf $to -to 60 -t 1 -m $_size "$@" $_test >"$work/qperf" 2>&1
		_status=$?
		cat "$work/qperf"
		has "Event rejected" "$work/qperf" || break
	done
	[ $_status -eq 0 ] || cat "$work/server"
	return $_status
}

tests="rc_bw rc_lat rc_rdma_write_poll_lat rc_rdma_read_bw rc_rdma_read_lat"
# Without immediate data, atomics and a receiver that makes its sender wait for a buffer.
[ $DRIVER = iwarp ] || tests="$tests rc_bi_bw rc_rdma_write_bw rc_rdma_write_lat
	rc_compare_swap_mr rc_fetch_add_mr ver_rc_compare_swap ver_rc_fetch_add"
for where in there here; do
	check "qperf serves $where" begin $where || continue
	for test in $tests; do
		case $test in
		*swap*|*add*) bytes=8 ;;
		*) bytes=$size ;;
		esac
		# A second of it: how much that is depends on the machine.
		check "$test $where" carries $((2 * bytes)) test_of $test $bytes -cm1
	done
	check "it ends" quits
done

check "all goes" apps_down
check "the modules go" wait_for 20 unload_stack
