# SPDX-License-Identifier: GPL-2.0
#
# The verbs provider of this project, in place of librxe: programs as Debian ships them, what
# librxe does not do, rdma-core's own tests, librxe at the other end, and rdma_rxe beside it.
DRIVER=${DRIVER:-roce}
. "$VM/lib/guest.sh"
. "$VM/lib/libofed.sh"
. "$VM/lib/pyverbs.sh"

need_link
check "$dev is librxe's without the library" driven_by $dev rxe
check "the library is put in its place" libofed_in
check "$dev is libofed's" driven_by $dev ofed
check "ibv_devinfo -v" ibv_devinfo -v -d $dev
check "its clock is told" sh -c "ibv_devinfo -v -d $dev | grep 'hca_core_clock.*1000000'"
nothing_said() { ibv_devices 2>&1 >/dev/null | diff /dev/null -; }
check "nothing is said on stderr" nothing_said

# ---- what librxe does not do ---------------------------------------------------------------
loopback=/sys/module/ofed_soft/parameters/loopback
for way in Y N; do
	echo $way >$loopback
	table "loopback=$way" "$programs/wr_lists" $dev $gid_index
	table "loopback=$way" "$programs/sge_lists" $dev $gid_index
done
echo Y >$loopback

# ---- what the device says of itself ----------------------------------------------------------
table "of $dev" "$programs/device_attr" $dev $gid_index

# ---- memory of other devices -----------------------------------------------------------------
# 6.1's udmabuf has no mapping for the kernel.
exporters=testdev
case $KERNEL in 6.12*|7.*) exporters="testdev udmabuf" ;; esac
check "an exporter of dma-bufs" modprobe ofed_testdev
modprobe -q udmabuf
for exporter in $exporters; do
	table "dma-buf of $exporter" "$programs/dmabuf" $dev $gid_index $exporter
done
check "it goes" rmmod ofed_testdev

# ---- programs, with either library at either end ---------------------------------------------
n=$(count 20000)
port=18800
# ends SERVER CLIENT CMD...: 1 libofed, 0 librxe
ends() {
	_server_has=$1 _client_has=$2
	shift 2
	port=$((port + 1))
	RDMAV_OFED=$_server_has timeout -k 5 "$limit" "$@" -p $port >"$work/server" 2>&1 &
	_server=$!
	wait_for 30 listening $port
	RDMAV_OFED=$_client_has timeout -k 5 "$limit" "$@" -p $port 127.0.0.1 >"$work/client" 2>&1
	_client=$?
	[ $_client -eq 0 ] || kill $_server 2>/dev/null
	wait $_server
	_status=$?
	cat "$work/server" "$work/client"
	[ $_client -eq 0 ] && [ $_status -eq 0 ]
}
kinds="rc ud" tools="ib_write_lat"
[ "$SCALE" != 1 ] || kinds="rc uc srq ud" tools="ib_write_lat ib_send_bw ib_read_bw ib_atomic_bw"
for with in "1 1" "1 0" "0 1"; do
	for kind in $kinds; do
		check_byte=
		! ibv_${kind}_pingpong --help 2>&1 | grep -q -e --chk || check_byte=-c
		# Unquoted on purpose: two words, and one or none.
		check "ibv_${kind}_pingpong, with libofed: $with" \
			ends $with ibv_${kind}_pingpong -d $dev -g $gid_index -n "$n" -e $check_byte
	done
	for tool in $tools; do
		check "$tool, with libofed: $with" \
			ends $with $tool -d $dev -x $gid_index -n 100 -F
	done
done
check "ib_write_lat -I 512" ends 1 1 ib_write_lat -d $dev -x $gid_index -n 100 -s 512 -I 512 -F

# ---- rdma-core's tests, in soak -----------------------------------------------------------
none_fails() {
	while read -r t; do
		echo "$t"
		py_why "$log" "$t"
	done <"$work/not"
	! [ -s "$work/not" ]
}
# The suite cmtests has those of rdma_cm.
without_cm() { grep -v '^tests\.test_rdmacm\.' "$@"; }
missing() {
	comm -23 "$work/librxe" "$work/passed" >"$work/missing"
	cat "$work/missing"
	! [ -s "$work/missing" ]
}
more() { [ "$(wc -l <"$work/passed")" -gt "$(wc -l <"$work/librxe")" ]; }

rdma_core() {
	limit=$((limit * 4))
	log=$OUT/pyverbs.log
	check "rdma-core's tests run to their end" py_tests "$log" $dev $gid_index
	py_results "$log" >"$work/results"
	without_cm "$VM/expected/pyverbs-rxe-$lists.txt" >"$work/librxe"
	sed -n 's/ ok$//p' "$work/results" | without_cm >"$work/passed"
	sed -n 's/ \(FAIL\|ERROR\|crash\)$//p' "$work/results" | without_cm >"$work/not"
	check "none of them fails" none_fails
	check "all that pass with librxe do" missing
	check "and more: $(wc -l <"$work/passed"), not $(wc -l <"$work/librxe")" more
}
[ "$SCALE" != 1 ] || rdma_core

check "the library goes" libofed_out
check "$dev is librxe's again" driven_by $dev rxe
check "$dev goes" link_down
