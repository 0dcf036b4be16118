# SPDX-License-Identifier: GPL-2.0
#
# perftest by LID and by GID between two HCAs, and rdma-core's own tests on one of them:
# all that it does not skip passes. Nothing here looks at the speed.
. "$VM/lib/guest.sh"
. "$VM/lib/ib.sh"
. "$VM/lib/pyverbs.sh"

check "a star" fabric_up star || exit 1
check "umad" wait_for 60 [ -c /dev/infiniband/umad3 ]
begin_opensm sm hca1
check "all active" wait_for 120 all_active

port=18600
n=$(count 5000)
[ "$n" -ge 20 ] || n=20
try() { # TRANSPORT PROGRAM [option...]
	transport=$1
	shift
	for by in LID GID; do
		port=$((port + 1))
		# Unquoted on purpose: nothing, or two words.
		[ $by = GID ] && index="-x 0" || index=
		check "$* $transport by $by" pair $port hca1 hca2 "$@" -c "$transport" $index -n "$n" -F
		# A program that measured prints its table; zero exit alone proves little.
		check "$* $transport by $by printed a result line" \
			grep -qE '^ *[0-9]+ +[0-9]+ ' "$work/client"
	done
}
for op in write read send; do
	try RC ib_${op}_bw -s 65536
	try RC ib_${op}_lat -s 64
done
try RC ib_atomic_bw -A FETCH_AND_ADD
try RC ib_atomic_lat -A CMP_AND_SWAP
for op in write send; do
	try UC ib_${op}_bw -s 4096
	try UC ib_${op}_lat -s 64
done
try UD ib_send_bw -s 1024
try UD ib_send_lat -s 64
try RC ib_write_bw -s 4096 -b
try RC ib_write_bw -s 4096 -q 4

check "completion events that wait for each other" "$programs/moderation" hca1

# ---- rdma-core's tests -----------------------------------------------------------------
limit=$((limit * 4))
# Those of rdma_cm look for an interface of the HCA, and its address.
with_ipoib() {
	_n=$(ndev_of hca1) && ip addr add 10.9.0.1/24 dev "$_n" && ip link set "$_n" up &&
		wait_for 60 sh -c "ip link show $_n | grep -q LOWER_UP"
}
check "ib_ipoib" modprobe ib_ipoib
check "an interface of hca1 with an address" with_ipoib
log=$OUT/ibpyverbs.log
check "the tests run to their end" py_tests "$log" hca1 0
py_results "$log" >"$work/results"
failing() {
	grep -vE ' ok$' "$work/results" >"$work/failing"
	while read -r t _; do
		echo "$t"
		py_why "$log" "$t" | tail -n 12
	done <"$work/failing"
	[ ! -s "$work/failing" ]
}
check "none fails" failing
grep -c ' ok$' "$work/results"
check "there were some" [ "$(grep -c ' ok$' "$work/results")" -ge 60 ]
check "of rdma_cm too" [ "$(grep -c '^tests.test_rdmacm.* ok$' "$work/results")" -ge 5 ]

end_opensm sm
check "ib_ipoib goes" wait_for 60 rmmod ib_ipoib
check "all goes" fabric_down
check "all modules" unload_stack
