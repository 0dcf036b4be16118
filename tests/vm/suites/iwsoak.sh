# SPDX-License-Identifier: GPL-2.0
#
# ofed_iwarp over a wire that misbehaves: no byte is wrong, whatever TCP has to
# repeat; and many connections, many at a time.
. "$VM/lib/guest.sh"
. "$VM/lib/iwarp.sh"

netem() { # WORD...: what netem shall do in both directions
	tc qdisc replace dev eth0 root netem limit 20000 "$@" &&
	tc -n b qdisc replace dev eth1 root netem limit 20000 "$@"
}

# Each run has a plan of its own.
seed=$SEED
soak() { # COUNT MAX [break]
	seed=$((seed + 1))
	timeout -k 5 "$soak_limit" "$programs/iw_soak" $far "$seed" "$@"
}
far="b 10.0.0.2"
told() { sed 's/^/     /' "$work/output"; }

check "a wire between two namespaces" wire_up || exit 1
check "two devices" devices_up || exit 1
echo "     seed $SEED"
soak_limit=$(awk -v s="$SCALE" -v l="$limit" 'BEGIN { print int(l * 2 + 3600 * s) }')

# What an FPDU has on average, in a stream of long messages, beside those of perftest
# itself, which are few. A segment of this wire has 1448 bytes.
long() { # Y|N
	echo "$1" >/sys/module/ofed_iwarp/parameters/long_fpdus
}
average() {
	_fpdus=$(counter tx_fpdus) _bytes=$(counter tx_bytes)
	over 18515 ib_write_bw -F -R -n 50 -s 65536 -- ib_write_bw -F -R -n 50 -s 65536 10.0.0.2 ||
		return
	echo $((($(counter tx_bytes) - _bytes) / ($(counter tx_fpdus) - _fpdus))) >"$work/average"
}
average_is() { # -gt|-le BYTES
	average && cat "$work/average" && [ "$(cat "$work/average")" "$@" ]
}
check "a clock" clock
check "FPDUs are longer than segments between our devices" average_is -gt 8000
tail -n 1 "$work/output"
check "not if they are not to be" eval 'long N && average_is -le 1448'
tail -n 1 "$work/output"

# ---- a good wire, and a test that can fail -------------------------------------------
n=$(count 4000)
check "a good wire, $n messages" soak "$n" 1048576
told
expect_fail "one flipped bit is found" soak 16 4096 break
cp "$work/output" "$work/broken"
check "by the comparison" has "FAIL wrong bytes" "$work/broken"

# ---- no wire --------------------------------------------------------------------------
# A process on each side, and both on this one; some of it one way, some the other.
far="- 10.0.0.1"
for way in Y N; do
	check "loopback=$way" loopback $way
	[ $way = Y ] && locally=yes || locally=no
	check "here, $n messages" locally $locally soak "$n" 1048576
	told
	expect_fail "one flipped bit is found" soak 16 4096 break
done
check "loopback=Y" loopback Y
far="b 10.0.0.2"

# ---- bad ones -------------------------------------------------------------------------
if modprobe sch_netem 2>/dev/null && netem loss 0%; then
	n=$(count 2000)
	while read -r fpdus max what; do
		long $fpdus
		# Unquoted on purpose: words of netem.
		check "netem $what" netem $what
		check "$n messages, netem $what, long FPDUs $fpdus" soak "$n" "$max"
		told
	done <<-END
		Y 1048576 loss 1%
		N 65536 loss 5%
		N 1048576 delay 2ms reorder 95% 25%
		Y 1048576 duplicate 5%
		N 262144 corrupt 1%
		Y 262144 delay 1ms 1ms loss 1% duplicate 1% corrupt 1% reorder 95%
	END
	echo "     rx_joined $(counter rx_joined), rx_crc_errors $(counter rx_crc_errors)"
	tc qdisc del dev eth0 root
	tc -n b qdisc del dev eth1 root
else
	echo "     no sch_netem in this kernel: a good wire only"
fi

# ---- connections ------------------------------------------------------------------------
n=$(count 20000)
limit=$soak_limit
check "$n connections, 64 at a time" "$programs/cm_storm" connect -a 10.0.0.2 -N b -n "$n" -w 64 -l 128
told

check "rdma link delete" rdma link delete iwarp0
check "the namespace goes with its device" ip netns delete b
gone() { ! rdma dev | grep -q iwarp; }
check "no device is left" wait_for 20 gone
check "the modules go" wait_for 20 unload_stack
