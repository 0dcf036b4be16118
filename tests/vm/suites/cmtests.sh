# SPDX-License-Identifier: GPL-2.0
#
# rdma-core's own tests of rdma_cm as Debian ships them, all of which pass on the
# kernel's own core. They look for an address beside the device in sysfs, where
# software devices have none: the test is told.
. "$VM/lib/guest.sh"
. "$VM/lib/cm.sh"

need_cm
mkdir "$work/rdma"
cp -r /usr/share/doc/rdma-core/tests "$work/rdma/"
# Debian compresses what lies in /usr/share/doc.
gunzip -f "$work"/rdma/tests/*.gz
cd "$work/rdma" || exit 1

limit=$((limit * 2))
addresses=10.0.0.1
[ "$SCALE" != 1 ] || addresses="$addresses fd00::1"
for address in $addresses; do
	log=$OUT/cmtests-$address.log
	timeout -k 5 $limit python3 "$TOP/tests/programs/cm/cm_pyverbs.py" $address \
		--dev $dev --gid $gid_index -v </dev/null >"$log" 2>&1
	check "the tests run to their end, $address" grep -qE '^Ran [0-9]+ tests' "$log"
	# 'test_x (tests.test_y.Class)', perhaps a docstring, then '... ok'.
	awk '/^test_[a-z0-9_]+ \(/ { name = $1 }
	     / \.\.\. / { print name, $NF }' "$log" | sort >"$work/results"
	# They make the group's address from an IPv4 one.
	[ $address = 10.0.0.1 ] || sed -i /multicast/d "$work/results"
	while read -r name result; do
		check "$name, $address" [ "$result" = ok ] ||
			grep -A 25 -E "^(FAIL|ERROR): $name " "$log" | sed 's/^/     | /'
	done <"$work/results"
	check "there were some, $address" [ "$(wc -l <"$work/results")" -ge 7 ]
done
cd /
cm_down
