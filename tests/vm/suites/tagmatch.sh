# SPDX-License-Identifier: GPL-2.0
#
# Tag matching: libofed posts, the responder matches, straight from one queue pair to the other,
# by packets, and with packets that are lost, late or there twice. Then rdma-core's own tests.
DRIVER=roce
. "$VM/lib/guest.sh"
. "$VM/lib/libofed.sh"
. "$VM/lib/pyverbs.sh"

params=/sys/module/ofed_soft/parameters
faults=/sys/kernel/debug/ofed_soft
limit=$((limit * 4))

need_link
check "the library is put in its place" libofed_in
check "$dev is libofed's" driven_by $dev ofed

n=$(count 1000000)
echo "seed $SEED, $n messages"
messages() { # TITLE COUNT: the device fetches data, or leaves that to the program
	table "$1" "$programs/tag_match" $dev $gid_index "$2" "$SEED" fetch
	table "$1, data is left" "$programs/tag_match" $dev $gid_index "$(($2 / 4))" "$SEED" leave
}
messages "without packets" "$n"
echo N >$params/loopback
messages "by packets" "$n"

mountpoint -q /sys/kernel/debug || mount -t debugfs debugfs /sys/kernel/debug
fault() { for _f in drop reorder duplicate; do echo "$1" >"$faults/$dev/$_f" || return; done; }
check "faults: 1 % each of drop, reorder, duplicate" fault 100
messages "with losses" "$((n / 10))"
check "no faults" fault 0
echo Y >$params/loopback

# A library that does not know tag matching is not told of it, and gets none.
no_caps() { # ibv_devinfo of rdma-core says nothing of what is not there
	RDMAV_OFED=0 "$programs/tag_match" $dev $gid_index 24 "$SEED" leave >"$work/librxe" 2>&1
	has "FAIL tag matching on RC" "$work/librxe"
}
check "librxe is told of no tag matching" no_caps

# ---- rdma-core's own -----------------------------------------------------------------------
own_tests() {
	cp -r /usr/share/doc/rdma-core/tests "$work/" || return
	find "$work/tests" -name '*.gz' -exec gunzip -f {} +
	find "$work/tests" -name 'test_*.py' ! -name test_tag_matching.py -delete
	(cd "$work" && timeout -k 5 "$limit" python3 -u "$TOP/tests/programs/verbs/pyverbs_modules.py" \
		--dev $dev --gid $gid_index -v </dev/null >"$OUT/tagmatch-own" 2>&1)
	cat "$OUT/tagmatch-own"
	for _test in test_tm_traffic test_tm_unexpected_tag test_tm_no_tag test_tm_rndv; do
		py_results "$OUT/tagmatch-own" | grep "$_test ok\$" || return
	done
}
check "rdma-core's tests of tag matching" own_tests
check "no object of a program is left" no_user_objects
check "the library goes" libofed_out
check "$dev goes" link_down
check "the modules go" unload_stack
