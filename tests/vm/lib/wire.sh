# SPDX-License-Identifier: GPL-2.0
#
# Sourced, after guest.sh, by suites that look at packets: what is on a wire, as
# tshark sees it and as tests/programs/wire/icrc.py does.

icrc="python3 $TOP/tests/programs/wire/icrc.py"
rdma_frames='udp.port == 4791 || eth.type == 0x8915 || vlan.etype == 0x8915'

# capture INTERFACE FILE: from here on
capture() {
	modprobe -q af_packet
	dumpcap -q -P -B 64 -i "$1" -w "$2" 2>"$2.log" &
	capturing=$!
	# Said when the socket is open.
	wait_for 60 has "File:" "$2.log" || { cat "$2.log"; return 1; }
}

# The kernel hands frames to a capture in blocks, and what is in an open one when it ends is lost:
# nothing more has come for a second.
settled() { # FILE
	_bytes=$(stat -c %s "$1")
	sleep 1
	[ "$(stat -c %s "$1")" = "$_bytes" ]
}

# capture_end FILE: nothing that was sent is missing in it. A copy is left to people.
capture_end() {
	wait_for 60 settled "$1"
	kill -INT $capturing
	wait $capturing
	cp "$1" "$OUT/"
	cat "$1.log"
	grep -q 'received/dropped on interface .*: [1-9][0-9]*/0 ' "$1.log"
}

# The payload of a test is random: no dissector shall guess which protocol it is. The
# UDP checksum of RoCE is 0 over IPv6 too, for the ICRC is there.
tshark_reads() { # FILE: frame, opcode, ICRC, malformed, severities
	_guesses="--disable-heuristic eth_over_ib"
	for _p in smc smb_direct rpcordma nvme-rdma lnet iser infiniband.eoib \
		  infiniband_sdp fcoib; do
		_guesses="$_guesses --disable-protocol $_p"
	done
	tshark -n -r "$1" $_guesses -o udp.ignore_ipv6_zero_checksum:TRUE \
		-Y "$rdma_frames" -T fields -e frame.number -e infiniband.bth.opcode \
		-e infiniband.invariant.crc -e _ws.malformed -e _ws.expert.severity \
		-e frame.protocols >"$work/decoded" 2>"$work/tshark"
}

# Nothing in what tshark read is malformed, nor an error in its eyes.
tshark_content() {
	cat "$work/tshark"
	wc -l <"$work/decoded"
	awk -F '\t' '$2 == "" || $4 != "" || $5 ~ /8388608/ { print; bad = 1 }
		END { exit bad || !NR }' "$work/decoded"
}

# same_packets FILE: tshark found the same packets, opcodes and, at the place where
# it looks, the ICRC that icrc.py computes. XRC (160 on) and ATOMIC WRITE (29) are
# beyond this tshark's table.
same_packets() {
	_key='{ print $1, $2, ($2 >= 160 || $2 == 29 ? "" : $3) }'
	$icrc --list "$1" | awk "$_key" >"$work/computed"
	awk -F '\t' "$_key" "$work/decoded" | diff "$work/computed" -
}

told_once() { # FILE
	! $icrc "$1" >"$work/told" && has " packets, 1 wrong" "$work/told"
}

# packets_are_good FILE: one check for each thing that is asked of them
packets_are_good() {
	check "every ICRC is right" $icrc "$1"
	sed 's/^/     /' "$work/output"
	check "tshark reads them" tshark_reads "$1"
	check "none is malformed" tshark_content
	check "tshark sees what icrc.py sees" same_packets "$1"
	# A test that can not fail proves nothing.
	check "a flipped bit is told, in each packet" $icrc --flip "$1" "$SEED"
	$icrc --spoil "$1" "$1.spoilt"
	check "one flipped bit in all is told" told_once "$1.spoilt"
	expect_fail "and not what tshark has seen" same_packets "$1.spoilt"
	rm -f "$1.spoilt"
}
