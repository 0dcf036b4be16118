# SPDX-License-Identifier: GPL-2.0
#
# Tag matching: libofed posts, the responder matches, straight from one queue pair to the other,
# by packets, and with packets that are lost, late or there twice; a program that is killed and a
# device that goes in the middle. Then rdma-core's own tests. DRIVER=roce or ib.
DRIVER=${DRIVER:-roce}
. "$VM/lib/guest.sh"
. "$VM/lib/ourdev.sh"
. "$VM/lib/libofed.sh"
. "$VM/lib/pyverbs.sh"

params=/sys/module/ofed_soft/parameters
faults=/sys/kernel/debug/ofed_soft
limit=$((limit * 4))

need_device
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

# ---- sudden ends ------------------------------------------------------------------------------
# Of a program that matches, in the middle of its messages, at different points of it.
matcher_up() { # fetch|leave
	"$programs/tag_match" $dev $gid_index 100000000 "$SEED" "$1" >"$work/matcher" 2>&1 &
	matcher=$!
	wait_for 20 matches
}
matches() { rdma resource show srq dev $dev | grep -q "pid $matcher "; }
matcher_ends() {
	kill -9 $matcher
	wait $matcher
	[ $? -eq 137 ] && wait_for 20 no_user_objects $dev
}
for way in Y N; do
	echo $way >$params/loopback
	for kind in fetch leave fetch leave; do
		check "a program matches tags, loopback=$way, $kind" matcher_up $kind
		sleep 0.$(($(od -An -N1 -tu1 /dev/urandom) % 10))
		check "is killed, and leaves nothing" matcher_ends
	done
	messages "after them, loopback=$way" "$((n / 10))"
	check "a program matches tags, loopback=$way" matcher_up fetch
	check "$dev goes under it" device_down
	kill -9 $matcher
	wait $matcher
	check "$dev again" device_up
	messages "on a new one, loopback=$way" "$((n / 10))"
done
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
check "$dev goes" all_down
check "the modules go" unload_stack
