# SPDX-License-Identifier: GPL-2.0
#
# The InfiniBand CM for programs, by /dev/infiniband/ucmN: what sysfs tells, every command and its
# errors, two ends that talk, the two examples, and what comes and goes. On InfiniBand between two
# HCAs, and on RoCE between two devices.
. "$VM/lib/guest.sh"

case $DRIVER in
ib)	. "$VM/lib/ib.sh"
	one=hca1 two=hca2 gid1=0 gid2=0 ;;
*)	. "$VM/lib/umad.sh"
	one=$dev two=$peer ;;
esac
examples=$TOP/build/examples
class=/sys/class/infiniband_cm

# ---- two devices ------------------------------------------------------------------------
ib_up() {
	check "a pair of HCAs" fabric_up pair || exit 1
	check "umad" wait_for 60 [ -c /dev/infiniband/umad1 ]
	begin_opensm sm hca1
	check "all active" wait_for 120 all_active || exit 1
	lid="-l $(lid_of hca2)"
}
roce_up() {
	umad_up
	gid1=$(gid_of $one fe80:0000:0000:0000:0000:00ff:fe00:0001)
	gid2=$(gid_of $two fe80:0000:0000:0000:0000:00ff:fe00:0002)
	lid=
}
if [ "$DRIVER" = ib ]; then ib_up; else roce_up; fi
to=$(cat "/sys/class/infiniband/$two/ports/1/gids/$gid2")
ends="$one $gid1 $two $gid2"

# ---- off, and on -------------------------------------------------------------------------
attribute() { [ "$(cat "$class/$1")" = "$2" ]; }
mode() { [ "$(stat -c %a "$1")" = "$2" ]; }
no_node() { ! ls /dev/infiniband | grep -q '^ucm'; }
check "the module, as it is" modprobe ofed_ucm
check "it is off" [ "$(cat /sys/module/ofed_ucm/parameters/enable)" = N ]
check "no class" [ ! -e $class ]
check "no node" no_node
check "it goes" rmmod ofed_ucm
check "the name that it once had" modprobe ib_ucm enable=1
check "gives ours" [ -d /sys/module/ofed_ucm ]
check "a node" wait_for 20 [ -c /dev/infiniband/ucm1 ]
check "ABI" attribute abi_version 5
check "$one is ucm0" attribute ucm0/ibdev $one
check "$two is ucm1" attribute ucm1/ibdev $two
check "numbers of ucm0" attribute ucm0/dev 231:224
check "mode of ucm0" mode /dev/infiniband/ucm0 600
expect_fail "another user" as_user dd if=/dev/infiniband/ucm0 count=0

# ---- every command ------------------------------------------------------------------------
compat=
case $KERNEL in um*|*arm64*) ;; *) compat=compat ;; esac
lines=$(dmesg | wc -l)
# Unquoted on purpose: lists of words.
table "calls" "$programs/ucm_table" $ends $compat
table "talk" "$programs/ucm_talk" $ends
check "nothing was logged" [ "$(dmesg | wc -l)" -le "$lines" ]
# As an administrator may have it: none of it wants a privilege.
chmod 666 /dev/infiniband/ucm*
# Unquoted on purpose: lists of words.
table "talk, another user" setpriv $nobody "$programs/ucm_talk" $ends
chmod 600 /dev/infiniband/ucm*

# ---- the examples ---------------------------------------------------------------------------
begin_server() { # COMMAND...
	timeout -k 5 "$limit" "$@" >"$work/server" 2>&1 &
	_server=$!
	wait_for 60 has listening "$work/server" && return
	cat "$work/server"
	return 1
}
# Unquoted on purpose: options, or none.
as_client() { timeout -k 5 "$limit" "$@" -d $one -x $gid1 $lid "$to" >"$work/client" 2>&1; }
talk() { # PROGRAM OPTION...: both sides end well
	begin_server "$@" -d $two -x $gid2 || return
	as_client "$@"
	_client=$?
	[ $_client -eq 0 ] || kill $_server 2>/dev/null
	wait $_server
	_status=$?
	cat "$work/server" "$work/client"
	[ $_client -eq 0 ] && [ $_status -eq 0 ]
}
n=$(count 5000)
post() { talk "$examples/ibcm_post" "$@"; }
check "ibcm_post: 4 connections, $n messages each" post -c 4 -m "$n"
check "ibcm_post: messages of a megabyte" post -m 3 -b 1048576
check "ibcm_post: another service" post -s 0x123456789abcdef0
datagrams() { talk "$examples/ibcm_sidr" -m 20 && has "datagram 19" "$work/server"; }
check "ibcm_sidr: 20 datagrams" datagrams
refused() { # TEXT PROGRAM
	_text=$1
	shift
	! as_client "$@" && cat "$work/client" && has "$_text" "$work/client"
}
check "ibcm_post without a server" refused "rejected, reason 8" "$examples/ibcm_post"
check "ibcm_sidr without a server" refused "refused, status 1" "$examples/ibcm_sidr"

# ---- programs that end ------------------------------------------------------------------------
rounds=$(count 100)
messages_go() { [ "$(rdma resource show qp | grep -c 'state RTS .*comm ibcm_post')" -ge 2 ]; }
nothing_left() {
	[ -z "$(rdma resource show qp | grep ibcm_post)" ] &&
		! ls -l /proc/[0-9]*/fd 2>/dev/null | grep -q infiniband/ucm
}
killed() { # the client or the server first, with connections on which messages go
	for _i in $(seq "$rounds"); do
		begin_server "$examples/ibcm_post" -d $two -x $gid2 -c 4 -m 100000000 || return
		# Unquoted on purpose: options, or none.
		timeout -k 5 "$limit" "$examples/ibcm_post" -d $one -x $gid1 -c 4 -m 100000000 \
			$lid "$to" >"$work/client" 2>&1 &
		_client=$!
		wait_for 60 messages_go || return
		if [ $((_i % 2)) -eq 0 ]; then
			pkill -9 -P $_client && pkill -9 -P $_server
		else
			pkill -9 -P $_server && pkill -9 -P $_client
		fi
		wait $_client $_server
		wait_for 60 nothing_left || return
	done
}
check "killed in the middle, $rounds times" killed
check "all are served" post -c 2
expect_fail "the module is in use while a node is open" \
	sh -c 'exec 3<>/dev/infiniband/ucm0; rmmod ofed_ucm'

# ---- namespaces -------------------------------------------------------------------------------
opens_not() { ! ip netns exec x sh -c 'exec 3<>/dev/infiniband/ucm0' 2>"$work/error" &&
	has "not permitted" "$work/error"; }
exclusive() { rdma system set netns exclusive && ip netns add x; }
shared() { ip netns del x && wait_for 20 rdma system set netns shared; }
check "devices are of one namespace each" exclusive
check "ucm0 from another" opens_not
check "ucm0 from its own" sh -c 'exec 3<>/dev/infiniband/ucm0'
check "devices are shared" shared

# ---- a device goes -----------------------------------------------------------------------------
device_off() { timeout -k 5 "$limit" rdma link delete $one; }
device_on() {
	if [ "$DRIVER" = ib ]; then
		echo 1 >"$configfs/hcas/$one/power"
	else
		rdma link add $one type $DRIVER netdev eth0
	fi && wait_for 60 attribute ucm0/ibdev $one
}
unplug() {
	rm -f "$work/ready"
	# Unquoted on purpose: a list of words.
	timeout -k 5 "$limit" "$programs/ucm_unplug" $ends "$work/ready" >"$work/unplug" 2>&1 &
	_pid=$!
	wait_for 60 [ -e "$work/ready" ] && device_off && wait $_pid
}
check "$one goes while all of it is in use" unplug
table "unplug" cat "$work/unplug"
check "$two is ucm1 still" attribute ucm1/ibdev $two
check "$one comes again, as ucm0" device_on

# ---- memory ------------------------------------------------------------------------------------
groups=/sys/fs/cgroup
cgroup_up() {
	mountpoint -q $groups || mount -t cgroup2 none $groups || return
	echo +memory >$groups/cgroup.subtree_control && mkdir $groups/ucm &&
		echo 8M >$groups/ucm/memory.max
}
# Either no id is to be had any more, or the program is killed for one.
charged() {
	# Unquoted on purpose: a list of words.
	sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' $groups/ucm "$programs/ucm_table" $ends \
		fill >"$work/filled" 2>&1
	_status=$?
	cat "$work/filled"
	[ $_status -eq 137 ] || { [ $_status -eq 0 ] && ! has "16384 ids" "$work/filled"; }
}
if has_memory_cgroups; then
	check "a cgroup of 8 MiB" cgroup_up
	check "ids are charged to it" charged
	check "it goes" wait_for 20 rmdir $groups/ucm
fi

# ---- the end -----------------------------------------------------------------------------------
check "the module goes" rmmod ofed_ucm
check "the class with it" [ ! -e $class ]
check "and all nodes" no_node
if [ "$DRIVER" = ib ]; then
	end_opensm sm
	check "the HCAs go" fabric_down
else
	check "$two goes" rdma link delete $two
	check "$one goes" link_down
fi
check "all modules" unload_stack
