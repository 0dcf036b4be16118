# SPDX-License-Identifier: GPL-2.0
#
# 1000 connected queue pairs (200 when scaled down) at once, with packets and without.
DRIVER=roce
. "$VM/lib/guest.sh"

loopback=/sys/module/ofed_soft/parameters/loopback
counter() { cat "/sys/class/infiniband/$dev/ports/1/hw_counters/$1"; }
told() { sed 's/^/     /' "$work/output"; }
limit=$((limit * 4))

need_link
qps=$(count 1000)
[ "$qps" -ge 200 ] || qps=200
expect_fail "one flipped bit is found" "$programs/many_qps" $dev $gid_index "$SEED" 2 break
cp "$work/output" "$work/broken"
check "by the sums" has "sums differ" "$work/broken"
for way in 1 0; do
	echo $way >$loopback
	packets=$(counter rx_packets)
	messages=$(counter local_messages)
	check "$qps queue pairs, 1 MiB of each, loopback=$way" \
		"$programs/many_qps" $dev $gid_index "$SEED" "$qps"
	told
	if [ $way = 1 ]; then
		check "they went without packets" [ "$(counter local_messages)" -gt "$messages" ]
	else
		check "they went as packets" [ "$(counter rx_packets)" -gt "$((packets + qps))" ]
	fi
done
echo 1 >$loopback
check "$dev goes" link_down
