# SPDX-License-Identifier: GPL-2.0
#
# Mutated calls on umadN of two ports, kill and removal of a device in the middle.
# What is tested is the silence of the kernel, that nothing is left, and that those
# that come afterwards are served.
. "$VM/lib/guest.sh"
. "$VM/lib/umad.sh"

fuzz="$programs/umad_fuzz"
limit=$((limit * 10))
n=$(count 200000)
times=$(count 100)
echo "seed $SEED, $n calls"

umad_up
ends="$dev $gid6 $peer $peer6"
ran() { # ARG...
	# Unquoted on purpose: a list of words.
	timeout -k 5 "$limit" "$fuzz" -n "$n" -s "$SEED" "$@" $ends >"$work/fuzz" 2>&1
	_status=$?
	cat "$work/fuzz"
	return $_status
}
# A short run needs luck to get to all of them.
coverage=-c
[ "$n" -ge 20000 ] || coverage=
lines=$(dmesg | wc -l)
check "$n calls" ran $coverage
sed 's/^/     /' "$work/output"
quiet() { # LINES: not one for a call
	_new=$(($(dmesg | wc -l) - $1))
	[ $_new -le $((5 + n / 1000)) ] && return
	dmesg | tail -n $_new | head -n 20
	return 1
}
# The stock module tells each refusal.
[ "$CORE" = stock ] || check "nothing was logged" quiet "$lines"

busy() { ls -l /proc/[0-9]*/fd 2>/dev/null | grep -c infiniband/umad; }
works() { [ "$(busy)" -ge 6 ]; }
endless() { # SEED
	"$fuzz" -n 100000000 -s "$1" $ends >"$work/fuzz" 2>&1 &
	_pid=$!
	wait_for 20 works
}
killed() {
	for _i in $(seq "$times"); do
		endless $((SEED + _i)) || { cat "$work/fuzz"; return 1; }
		kill -9 $_pid
		wait $_pid
		wait_for 20 sh -c '! ls -l /proc/[0-9]*/fd 2>/dev/null | grep -q infiniband/umad' || return
	done
	return 0
}
check "kill -9 in the middle, $times times" killed

unplugged() {
	endless "$SEED" || { cat "$work/fuzz"; return 1; }
	for _i in $(seq "$times"); do
		timeout -k 5 "$limit" rdma link delete $peer || return
		kill -0 $_pid || { cat "$work/fuzz"; return 1; }
		rdma link add $peer type $DRIVER netdev eth1 &&
			wait_for 60 [ -c /dev/infiniband/umad1 ] || return
	done
	kill -9 $_pid
	wait $_pid
	return 0
}
# A packet over IPv6 that finds its GID gone is the end of rdma_rxe, which then
# drops a reference that it never took. So that one goes while no program sends.
if [ "$DRIVER" != rxe ]; then
	check "the device goes in the middle, $times times" unplugged
fi
check "the GID of $peer" wait_for 60 gid_of $peer fe80:0000:0000:0000:0000:00ff:fe00:0002
# Unquoted on purpose: a list of words.
check "all are served" "$programs/umad_talk" $ends

# ---- a device goes ------------------------------------------------------------------
stack=ours
[ "$CORE" = ofed ] || stack=theirs
unplug() {
	rm -f "$work/ready"
	timeout -k 5 "$limit" "$programs/umad_unplug" $peer $peer6 "$work/ready" $stack \
		>"$work/unplug" 2>&1 &
	_pid=$!
	wait_for 60 [ -e "$work/ready" ] &&
	timeout -k 5 "$limit" rdma link delete $peer && wait $_pid && return
	cat "$work/unplug"
	return 1
}
check "$peer goes while all of it is in use" unplug
sed -n 's/^ok /ok  /p' "$work/unplug"
umad_down
