# SPDX-License-Identifier: GPL-2.0
#
# What happens inside the installed Debian: one step of it per boot, named on the
# kernel's command line. Started by install-test.service when the system is up.
exec >/dev/ttyS0 2>&1 </dev/null
export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C
export DEBIAN_FRONTEND=noninteractive

step=$(sed -n 's/.*ofed\.step=\([a-z]*\).*/\1/p' /proc/cmdline)
TOP=/root/test VM=/root/test OUT=/run SCALE=1 KERNEL=$(uname -r | cut -d. -f1,2) CORE=ofed
LIMIT=900
. $VM/guest.sh
echo "== suite $step"

over() {
	status=$?
	[ $status -eq 0 ] || bad "the step ended early ($status)"
	echo "== $step: $passed passed, $failed failed"
	sync
	systemctl poweroff --force
}
trap over EXIT

loaded() { [ -d "/sys/module/$1" ]; }
gone() { ! loaded "$1"; }
there() { [ -e "/sys/class/infiniband/$1" ]; }
away() { ! there "$1"; }
ours() { loaded ofed_core && gone ib_core; }
theirs() { loaded ib_core && gone ofed_core; }

# rdma-core's units load kernel users of RDMA, ib_iser and rpcrdma among them, as
# soon as there is a device.
no_jobs() { ! systemctl list-jobs --no-legend | grep -q .; }
consumers_away() {
	udevadm settle
	wait_for 120 no_jobs
	for _consumer in ib_iser ib_isert ib_srpt rpcrdma ib_ipoib ib_umad; do
		! loaded $_consumer || rmmod $_consumer
	done
}
all_away() { consumers_away && unload_stack; }

addresses() {
	ip addr add 10.0.0.1/24 dev eth0
	ip link set eth0 up
}

# moves_data DEVICE: two programs of this host, with the device between them
moves_data() {
	wait_for 30 gid_of "$1" $gid_hex || {
		echo "$1 has no GID of $gid_ip:"
		grep -v 0000:0000:0000:0000:0000:0000:0000:0000 \
			/sys/class/infiniband/"$1"/ports/1/gids/*
		ip addr
		return 1
	}
	duo 18950 ibv_rc_pingpong -d "$1" -g "$(gid_of "$1" $gid_hex)" -n 200 -c
}

in_blue() { ip netns exec blue rdma link show blue0/1 | grep -q 'netdev inner'; }

# Everything that step 'new' left for later boots.
links_are_back() {
	check "the link is back" wait_for 120 there roce0
	check "the one in the namespace as well" wait_for 120 in_blue
	check "our core is live" ours
	check "nobody failed" sh -c "systemctl --failed --no-legend | grep ofed; [ \$? -eq 1 ]"
	check "the one of a later interface is not there" away late
	ip link add late0 address 02:00:00:00:00:77 type veth peer name late1
	check "it comes with its interface" wait_for 60 there late
	check "the configuration file was read" grep -qx N \
		/sys/module/ofed_soft/parameters/loopback
	addresses
	check "ibv_rc_pingpong" moves_data roce0
}

# ---- installed, for the first time ----------------------------------------------
step_new() {
	check "no RDMA core is loaded" gone ib_core
	check "nor ours" gone ofed_core
	check "modules are built" sh -c "dkms status | grep -E '^ofed-(core|drivers)/.*installed' |
		grep -c \$(uname -r) | grep -qx 2"
	check "modprobe ib_uverbs" modprobe ib_uverbs
	check "gives ours" ours
	check "ofedctrl -u" ofedctrl -u
	check "rdma link add" rdma link add roce0 type roce netdev eth0
	check "our core is live" ours
	check "ofedctrl -q" ofedctrl -q
	addresses
	check "ibv_rc_pingpong" moves_data roce0
	check "a namespace with an interface" systemctl enable --now blue.service
	check "rdma link add in it" ip netns exec blue rdma link add blue0 type roce netdev inner
	check "ofedctrl persist" ofedctrl persist
	check "both are kept" sh -c "ofedctrl persist show | grep -cE '^(roce0 type roce netdev eth0|blue0 type roce netdev inner netns blue)\$' | grep -qx 2"
	printf 'name=late\ntype=roce\nmac=02:00:00:00:00:77\n' >/etc/ofed/links.d/late.conf
	ip link add late0 address 02:00:00:00:00:77 type veth peer name late1
	check "an interface that appears gets its link" wait_for 60 there late
	echo 'options ofed_soft loopback=0' >>/etc/ofed/ofed.conf
	check "ofedctrl -c" ofedctrl -c
	check "the file of the packages has been changed, and counts" grep -qx N \
		/sys/module/ofed_soft/parameters/loopback
	check "ofedctrl status" ofedctrl status
	ofedctrl status
}

# ---- another kernel ---------------------------------------------------------------
step_again() {
	links_are_back
	check "upgrade of ofed-utils" dpkg -i $TOP/ofed-utils-next.deb
	check "links are kept" sh -c "ofedctrl persist show | wc -l | grep -qx 3"
	check "and parameters" grep -qx 'options ofed_soft loopback=0' /etc/ofed/ofed.conf
	check "the links stayed" there roce0
}

# ---- back on the first kernel, and out ----------------------------------------------
stock_rxe() {
	check "modprobe rdma_rxe" modprobe rdma_rxe
	check "on the kernel's own core" theirs
	check "rdma link add, type rxe" rdma link add rxe0 type rxe netdev eth0
	check "modprobe ib_uverbs" modprobe ib_uverbs
	check "ibv_rc_pingpong on rxe" moves_data rxe0
	check "it goes" sh -c "rdma link delete rxe0 && modprobe -r rdma_rxe"
	check "all of it" all_away
}

unbuilt() { # the packages are there, but nothing is built for this kernel
	for name in core drivers; do
		version=$(dkms status ofed-$name | sed -n 's|.*/\([^,]*\),.*|\1|p' | head -n 1)
		dkms uninstall "ofed-$name/$version" -k "$(uname -r)" || return
	done
}

links_go() {
	for link in roce0 late; do rdma link delete $link; done
	ip netns exec blue rdma link delete blue0
}

# taken_out VERB: by apt, while modules of ours are loaded
taken_out() {
	check "ours is loaded" ours
	apt-get -y "$1" ofed-core-dkms ofed-drivers-dkms ofed-utils >/run/terminal 2>&1
	check "apt $1" [ $? -eq 0 ]
	# apt gives dpkg a terminal, and so its lines end in two characters.
	tr -d '\r' </run/terminal >/run/removal
	sed 's/^/     | /' /run/removal
	check "it tells that modules are loaded" grep -q 'its modules are still loaded' /run/removal
	check "modprobe.d has nothing of ours" sh -c "! ls /lib/modprobe.d | grep ofed"
	check "the way out that it names" sh -c \
		"sed -n 's/^ *\(rmmod .*\)/\1/p' /run/removal | awk '!seen[\$0]++' | sh -x; [ ! -d /sys/module/ofed_core ]"
}

nothing_is_left() {
	check "nothing is left" sh -c "ls -d /etc/ofed /var/lib/dkms/ofed-* /usr/src/ofed-* \
		/lib/modules/*/updates/dkms/ofed* 2>/dev/null; [ \$? -eq 2 ]"
	check "no unit is left" sh -c "! systemctl list-unit-files | grep ofed-links"
}

step_back() {
	links_are_back
	check "ofedctrl -u with links" sh -c "ofedctrl -u; [ \$? -eq 3 ]"
	links_go
	check "what rdma-core loads is there" wait_for 120 loaded rpcrdma
	check "ofedctrl -u names it" sh -c \
		"ofedctrl -u >/run/held 2>&1; [ \$? -eq 3 ] && grep 'module rpcrdma' /run/held"
	consumers_away
	check "ofedctrl -u without" ofedctrl -u
	check "our core is gone" gone ofed_core
	check "dkms uninstall for this kernel" unbuilt
	for name in ib_core ib_uverbs rdma_cm; do
		check "modprobe $name" modprobe $name
		check "gives the kernel's own" loaded $name
	done
	check "ofedctrl status" sh -c "ofedctrl status | grep -q \"the kernel's own\""
	check "unload" all_away
	stock_rxe
	check "a link whose module is missing" sh -c "ofedctrl persist apply roce0; [ \$? -eq 1 ]"
	all_away

	for name in core drivers; do
		check "dkms install again" dkms install "ofed-$name/$(dkms status ofed-$name |
			sed -n 's|.*/\([^,]*\),.*|\1|p' | head -n 1)" -k "$(uname -r)"
	done
	check "modprobe ofed_roce" modprobe ofed_roce
	check "ours again" ours
	consumers_away
	taken_out remove
	stock_rxe
	check "what was configured is kept" [ -s /etc/ofed/links.d/roce0.conf ]
	check "apt purge" apt-get -y purge ofed-core-dkms ofed-drivers-dkms ofed-utils
	nothing_is_left
	stock_rxe
}

# ---- one kernel alone: a boot with links, and out ------------------------------------
step_out() {
	links_are_back
	links_go
	consumers_away
	taken_out purge
	nothing_is_left
	stock_rxe
}

# ---- after the purge, and a boot ----------------------------------------------------
step_purged() {
	addresses
	check "no link" away roce0
	stock_rxe
	check "nobody failed" sh -c "systemctl --failed --no-legend | grep -i ofed; [ \$? -eq 1 ]"
}

# ---- the drivers alone ----------------------------------------------------------------
step_alone() {
	check "no ofedctrl" sh -c "! command -v ofedctrl"
	check "rdma link add" rdma link add roce0 type roce netdev eth0
	check "on the kernel's own core" theirs
	addresses
	check "ibv_rc_pingpong" moves_data roce0
	check "it goes" sh -c "rdma link delete roce0 && modprobe -r ofed_roce"
	check "all of it" all_away
	stock_rxe
}

# Links that are to come with their units are waited for, one by one, above.
systemctl is-system-running --wait >/dev/null
# udev may still be at it, and then eth0 has no driver yet.
check "eth0 is there" wait_for 300 [ -e /sys/class/net/eth0 ]
step_"$step"
exit 0
