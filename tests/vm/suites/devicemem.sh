# SPDX-License-Identifier: GPL-2.0
#
# Device memory and the null region by libofed: how much each user may have, what
# reaches its bytes, and that all of it is given back by what ends a program or the device. Then rdma-core's own tests.
# DRIVER=roce, ib, or iwarp: without messages, and without the null region.
DRIVER=${DRIVER:-roce}
. "$VM/lib/guest.sh"
. "$VM/lib/ourdev.sh"
. "$VM/lib/libofed.sh"
. "$VM/lib/pyverbs.sh"

params=/sys/module/ofed_soft/parameters
groups=/sys/fs/cgroup
gid() { [ "$DRIVER" = iwarp ] && echo none || echo $gid_index; }

need_device
check "the library is put in its place" libofed_in
check "$dev is libofed's" driven_by $dev ofed

for way in Y N; do
	echo $way >$params/loopback
	table "loopback=$way" "$programs/device_memory" $dev "$(gid)"
	[ "$DRIVER" != iwarp ] || break
	table "loopback=$way" "$programs/null_mr" $dev $gid_index
done
echo Y >$params/loopback

stock_knows() { # what librxe and libsiw say of it, which have no function for it
	RDMAV_OFED=0 "$programs/device_memory" $dev none >"$work/stock" 2>&1
	has "FAIL one byte: $(errno EOPNOTSUPP)" "$work/stock"
}
errno() { python3 -c "import errno; print(errno.$1)"; }
check "the stock library has none" stock_knows
no_null() {
	RDMAV_OFED=0 "$programs/null_mr" $dev 0 >"$work/stock" 2>&1
	has "FAIL a null region: $(errno EOPNOTSUPP)" "$work/stock"
}
check "nor a null region" no_null

# ---- the end of a program, and of the device --------------------------------------------------
holder_up() {
	"$programs/device_memory" $dev $gid_index hold >"$work/hold" 2>&1 &
	holder=$!
	wait_for 20 has ready "$work/hold"
}
killed() {
	kill -9 $holder
	! wait $holder
}
# All of it is to be had again.
given_back() { "$programs/device_memory" $dev none; }
if [ "$DRIVER" != iwarp ]; then
	for _round in 1 2 3; do
		check "a program with all of it, and messages" holder_up
		check "is killed" killed
		check "all of it is given back" given_back
	done
	check "a program with all of it, and messages" holder_up
	check "$dev goes" device_down
	check "the program is killed" killed
	check "$dev again" device_up
	check "all of it is there" given_back
fi

# ---- the administrator's word ------------------------------------------------------------------
of_size() { # KIB
	device_down && echo "$1" >$params/device_memory && device_up
}
# ibv_devinfo does not print it.
said() {
	python3 -c "
from pyverbs.device import Context
print(Context(name='$dev').query_device_ex().max_dm_size)"
}
check "64 KiB of it" of_size 64
check "are announced" [ "$(said)" = 65536 ]
check "and given" given_back
check "none of it" of_size 0
check "is announced" [ "$(said)" = 0 ]
check "4 MiB again" of_size 4096

# ---- memory cgroups ------------------------------------------------------------------------
charged() {
	{ mountpoint -q $groups || mount -t cgroup2 none $groups; } &&
		echo +memory >$groups/cgroup.subtree_control && mkdir $groups/dm || return
	# All of it is announced; less is asked, as what is charged in advance counts.
	sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' $groups/dm \
		"$programs/device_memory" $dev none charged $((3 << 20)) $groups/dm/memory.current
	_status=$?
	rmdir $groups/dm && return $_status
}
! has_memory_cgroups || check "it is charged to the cgroup of the program" charged

# ---- rdma-core's own -----------------------------------------------------------------------
# All that are of device memory.
own="test_create_dm test_destroy_dm test_create_dm_bad_flow test_destroy_dm_bad_flow test_dm_write
	test_dm_write_bad_flow test_dm_read test_multi_process_alloc_dm
	test_create_dm_mr test_dm_bad_access test_dm_bad_registration"
[ "$DRIVER" = iwarp ] || own="$own test_import_dm test_dm_traffic test_dm_remote_traffic"
own_tests() {
	cp -r /usr/share/doc/rdma-core/tests "$work/" || return
	find "$work/tests" -name '*.gz' -exec gunzip -f {} +
	find "$work/tests" -name 'test_*.py' ! -name test_device.py ! -name test_mr.py -delete
	(cd "$work" && timeout -k 5 "$limit" python3 -u "$TOP/tests/programs/verbs/pyverbs_modules.py" \
		--dev $dev --gid $gid_index -v </dev/null >"$OUT/devicemem-own" 2>&1)
	py_results "$OUT/devicemem-own"
	for _test in $own; do
		py_results "$OUT/devicemem-own" | grep -q "\.$_test ok\$" || {
			echo "not $_test"
			grep -A 2 "^$_test " "$OUT/devicemem-own"
			py_why "$OUT/devicemem-own" "$_test"
			return 1
		}
	done
}
check "rdma-core's tests of device memory" own_tests
check "no object of a program is left" no_user_objects
check "the library goes" libofed_out
check "$dev goes" all_down
check "the modules go" unload_stack
