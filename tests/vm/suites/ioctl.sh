# SPDX-License-Identifier: GPL-2.0
#
# The ioctl() interface: what a driver adds to it, and that the library takes it
# first and never falls back where the stock core does not make it.
. "$VM/lib/guest.sh"
. "$VM/lib/testdev.sh"

# ---- the driver's own objects, methods and attributes ------------------------
check "the module loads" td_load link=ib || exit 1
check "a device" td_add testdev0
exercised() { # PROGRAM DEV [hidden]
	run "$programs/$@" >"$OUT/$1-$2" 2>&1
	_status=$?
	grep -v '^ok ' "$OUT/$1-$2"
	return $_status
}
check "all that its driver defines" exercised ioctl_testdev testdev0
check "all that the core defines" exercised ioctl_objects testdev0
check "it goes" td_del testdev0
check "a device with an object more" td_add testdev1 virt_dma=1
check "all of that" exercised ioctl_testdev testdev1 hidden
check "it goes too" td_del testdev1
check "nothing is left" td_all_zero

check "a device to take away" td_add testdev2
check "a client of it" td_use ioctl_testdev testdev2
check "the device goes" td_del testdev2
check "its client is told, by each descriptor" td_ended
check "nothing is left of it" td_all_zero

killed() {
	td_add testdev3 || return
	for _i in $(seq "$1"); do
		td_use ioctl_testdev testdev3 && td_kill || return
		wait $client
		wait_for 20 td_idle testdev3 || { cat $td/testdev3/counts; return 1; }
	done
	td_del testdev3
}
check "kill -9 of a client, $(count 100) times" killed "$(count 100)"
check "nothing is left of the killed" wait_for 10 td_all_zero

check "kill -9 and removal at once, $(count 100) times" \
	td_race "$(count 100)" ioctl_testdev testdev4

# A descriptor of the driver's own keeps its module, not its device.
check "a device and a client" td_add testdev5
check "of all of it" td_use ioctl_testdev testdev5
check "the device goes alone" td_del testdev5
check "the client is told" td_ended
check "the module goes" rmmod ofed_testdev

# ---- the library ---------------------------------------------------------------
need_link
check "all that the core defines, on $dev" exercised ioctl_objects $dev
# Programs under strace take minutes there, and say what they say elsewhere.
if [ "$KERNEL" = debug ]; then
	check "$dev goes" link_down
	check "the modules go" unload_stack
	exit
fi

# With -xx names are in hexadecimal as well.
node=$(printf %s /dev/infiniband/uverbs | od -An -v -tx1 | tr -d '\n' | sed 's/ /\\\\x/g')
file="[0-9]*<$node[^>]*>"

# traced NAME CMD...: what of CMD's calls on the device came back how, once each:
# the error of an ioctl(), the number of a command that was written.
traced() {
	_traced=$1
	shift
	rm -f "$work"/trace.*
	"$@" || return
	cat "$work"/trace.* | sed -n \
		-e "s|^ioctl($file, .* = -1 \\(E[A-Z]*\\) .*|ioctl \\1|p" \
		-e "s|^ioctl($file, .* = 0\$|ioctl 0|p" \
		-e "s|^write($file, \"\\\\x\\(..\\).* = -1 \\(E[A-Z]*\\) .*|write \\1 \\2|p" \
		-e "s|^write($file, \"\\\\x\\(..\\).* = [0-9]*\$|write \\1 0|p" |
		LC_ALL=C sort -u | sed "s/^/$_traced: /" >"$work/calls"
	cat "$work/calls" >>"$work/traced"
	# An empty trace proves nothing.
	grep -q 'ioctl 0$' "$work/calls"
}
tracer="strace -f -ff -y -xx -s 16 -e trace=ioctl,write -e signal=none -o $work/trace"

watched() { # ibv_asyncwatch has no end
	# stdbuf: its one line would stay in its buffer.
	$tracer stdbuf -oL ibv_asyncwatch -d $dev >"$work/watch" 2>&1 &
	_pid=$!
	wait_for 30 grep -q "async event FD" "$work/watch"
	_status=$?
	# strace itself would wait for it; a job in the background ignores INT.
	kill -TERM "$(pgrep -P $_pid)"
	wait $_pid
	return $_status
}

# Unquoted on purpose: words of a command.
check "trace of ibv_devinfo" traced devinfo $tracer ibv_devinfo -v -d $dev
port=18820
for kind in rc ud srq; do
	port=$((port + 1))
	check "trace of ibv_${kind}_pingpong" traced $kind \
		duo $port $tracer ibv_${kind}_pingpong -d $dev -g $gid_index -n 10
done
check "trace of ib_write_bw" traced write_bw \
	duo 18830 $tracer ib_write_bw -d $dev -x $gid_index -n 10 -F
check "trace of ibv_asyncwatch" traced asyncwatch watched
same_as_list "the library's calls and how they ended" "$work/traced" strace
fallback() { ! grep -E 'ioctl (ENOTTY|EPROTONOSUPPORT)' "$work/traced"; }
check "no call was unknown" fallback
# What makes or destroys an object, and what asks, is not written; a send rings.
written() { ! grep 'write ' "$work/traced" | grep -v 'write 1c '; }
check "no command was written but the doorbell" written
check "$dev goes" link_down
check "the modules go" unload_stack
