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
. $VM/lib/guest.sh
. $VM/lib/cm.sh
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

# Connected by rdma_cm, each byte compared.
connects() {
	modprobe rdma_ucm && wait_for 60 [ -c /dev/infiniband/rdma_cm ] || return
	there=
	talk tcp 7174 "rping -s -a $gid_ip -p 7174 -C 10 -V -S 4000" \
		"rping -c -a $gid_ip -p 7174 -C 10 -V -S 4000"
}
# The links that are persistent and work, as ofedctrl has them.
status_knows_links() {
	ofedctrl status >/run/status
	_known=$?
	cat /run/status
	[ $_known -eq 0 ] &&
		grep -cE '^  (roce0: roce|iw0: iwarp) on eth0, ACTIVE, persistent$' /run/status | grep -qx 2
}
# dkms_built N: so many of its modules are installed for the running kernel
dkms_built() {
	dkms status
	dkms status | grep -E '^ofed(-core|-drivers)?/.*installed' | grep -cF ", $(uname -r), " |
		grep -qx "$1"
}

# named NAME...: the links have these names after udev has had its way with them
named() {
	udevadm settle
	for _link in "$@"; do
		there "$_link" || { ls /sys/class/infiniband; return 1; }
	done
}
# The rule that would rename them is there, and the interface is one that it knows.
rule_applies() {
	grep -q '^ACTION=="add".*rdma_rename %k NAME_FALLBACK' \
		/lib/udev/rules.d/60-rdma-persistent-naming.rules &&
		readlink /sys/class/net/eth0/device/subsystem | grep '/pci$'
}

version=$(dpkg-query -W -f '${Version}' ofed-utils 2>/dev/null)
# completes WORDS WORD: what bash offers for the beginning of the last of them
completes() {
	bash -c ". /usr/share/bash-completion/completions/ofedctrl
		COMP_WORDS=(ofedctrl $1) COMP_CWORD=\$((\${#COMP_WORDS[@]} - 1))
		_ofedctrl 2>/dev/null
		[ \"\${COMPREPLY[*]}\" = $2 ]"
}

in_blue() { ip netns exec blue rdma link show blue0/1 | grep -q 'netdev inner'; }

# ---- a fabric ------------------------------------------------------------------------
lab=/etc/ofed/fabrics/lab.topo
configfs=/sys/kernel/config/ofed_ib
tunnel_is() { grep -qx "$2" "$configfs/tunnels/$1/state"; }

# Two HCAs, and a tunnel from one to the other.
make_fabric() {
	mkdir -p /etc/ofed/fabrics
	cat >$lab <<-END
		caguid=0x200000000020100
		Ca	1 "H-0200000000020100"		# "hca1"

		caguid=0x200000000020200
		Ca	1 "H-0200000000020200"		# "hca2"

		Tunnel "t1" "H-0200000000020100"[1] local 127.0.0.1 4792 peer 127.0.0.1 4793 expect 0x200000000020200 1
		Tunnel "t2" "H-0200000000020200"[1] local 127.0.0.1 4793 peer 127.0.0.1 4792 expect 0x200000000020100 1
	END
	systemctl enable --now ofed-fabric@lab.service ofed-tunnels@lab.service
}
fabric_is_there() { there hca1 && there hca2 && tunnel_is t1 up && tunnel_is t2 up; }

fabric_goes() {
	check "the fabric is stopped" systemctl disable --now ofed-tunnels@lab.service ofed-fabric@lab.service
	check "its devices are gone" sh -c "[ -z \"\$(ls -d $configfs/*/*/ 2>/dev/null)\" ]"
	rm -r /etc/ofed/fabrics
}

providers=$(dirname "$(ls -d /usr/lib/*/libibverbs/librxe-rdmav*.so | head -n 1)")
has_place() {
	ls -l "$providers" && for _name in rxe siw; do
		readlink "$providers"/lib$_name-rdmav*.so | grep -q '^libofed-' || return
	done
	ibv_devices 2>&1 >/dev/null | diff /dev/null -
}

# What lasts from boot to boot is started in an order that can be kept.
# Also where /var is a remote file system, which services before sysinit.target wait for.
units_are_right() {
	mkdir -p /run/remote/remote-fs.target.wants
	cat >/run/remote/var.mount <<-END
		[Unit]
		After=remote-fs-pre.target network-online.target
		Before=remote-fs.target
		[Mount]
		What=server:/var
		Where=/var
		Type=nfs
		Options=_netdev
	END
	ln -sf ../var.mount /run/remote/remote-fs.target.wants/
	for _unit in ofed-links.service ofed-links@eth0.service ofed-fabric@lab.service \
		     ofed-tunnels@lab.service default.target; do
		SYSTEMD_UNIT_PATH=/run/remote: systemd-analyze verify --man=no "$_unit" || return
	done >/run/verified 2>&1
	! grep -E 'ofed|cycle' /run/verified
}
no_cycle() {
	journalctl -b -o cat >/run/journal
	grep -q 'Persistent RDMA links' /run/journal && ! grep -i 'ordering cycle' /run/journal
}

# What one that did has said is shown.
no_unit_failed() {
	_units=$(systemctl list-units --failed --plain --no-legend 'ofed*' | awk '{ print $1 }')
	[ -n "$_units" ] || return 0
	for _unit in $_units; do
		echo "$_unit"
		journalctl -b -o short-monotonic -u "$_unit" | tail -n 20
	done
	return 1
}

# Everything that step 'new' left for later boots.
links_are_back() {
	check "the link is back" wait_for 120 there roce0
	check "the one of iWARP" wait_for 120 there iw0
	check "both by their names" named roce0 iw0
	# The unit of the image that begins as remote file systems do.
	check "they were when the first remote file system could be mounted" sh -c \
		"systemctl is-active at-mount.service && grep -qx roce0 /run/at-mount && grep -qx iw0 /run/at-mount"
	check "no cycle of units" no_cycle
	check "the one in the namespace as well" wait_for 120 in_blue
	check "the fabric is back, with its tunnel" wait_for 120 fabric_is_there
	check "our core is live" ours
	check "no unit failed" no_unit_failed
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
	check "modules are built" dkms_built 2
	check "modprobe ib_uverbs" modprobe ib_uverbs
	check "gives ours" ours
	check "ofedctrl -u" ofedctrl -u
	check "rdma link add" rdma link add roce0 type roce netdev eth0
	check "rdma link add, type iwarp" rdma link add iw0 type iwarp netdev eth0
	check "rdma-core would name a device by this interface's PCI function" rule_applies
	check "they keep the names that they were given" named roce0 iw0
	check "our core is live" ours
	check "ofedctrl -q" ofedctrl -q
	addresses
	check "ibv_rc_pingpong" moves_data roce0
	check "a namespace with an interface" systemctl enable --now blue.service
	check "rdma link add in it" ip netns exec blue rdma link add blue0 type roce netdev inner
	check "ofedctrl persist" ofedctrl persist
	check "all are kept" sh -c "ofedctrl persist show | grep -cE '^(roce0 type roce netdev eth0|iw0 type iwarp netdev eth0|blue0 type roce netdev inner netns blue)\$' | grep -qx 3"
	printf 'name=late\ntype=roce\nmac=02:00:00:00:00:77\n' >/etc/ofed/links.d/late.conf
	ip link add late0 address 02:00:00:00:00:77 type veth peer name late1
	check "an interface that appears gets its link" wait_for 60 there late
	echo 'options ofed_soft loopback=0' >>/etc/ofed/ofed.conf
	check "ofedctrl -c" ofedctrl -c
	check "the file of the packages has been changed, and counts" grep -qx N \
		/sys/module/ofed_soft/parameters/loopback
	check "ofedctrl status knows them" status_knows_links
	cat /run/status
	check "ofedctrl gids" sh -c "ofedctrl gids | grep -E '^roce0 .* v2 +eth0$'"
	check "ofedctrl status --json" sh -c "ofedctrl status --json | jq -e '.packages[\"ofed-utils\"]'"
	check "ofedctrl --version" sh -c "[ \"\$(ofedctrl --version)\" = \"ofedctrl $version\" ]"
	check "bash completes its words" completes "persist sh" show
	check "and links" completes "persist remove roc" roce0
	check "libofed-verbs is in the place of librxe and libsiw" has_place
	check "roce0 has it" sh -c "ibv_devinfo -v -d roce0 | grep 'hca_core_clock.*1000000'"
	check "ofed-smc" sh -c "modprobe smc && ofed-smc pnet add T eth eth0 && ofed-smc stats | grep -q client_v2"
	rmmod smc
	check "systemctl enable --now ofed-fabric@lab ofed-tunnels@lab" make_fabric
	check "the fabric is there, with its tunnel" wait_for 60 fabric_is_there
	check "systemd-analyze verify" units_are_right
}

# ---- another kernel ---------------------------------------------------------------
step_again() {
	links_are_back
	check "upgrade of ofed-utils" dpkg -i $TOP/ofed-utils-next.deb
	check "links are kept" sh -c "ofedctrl persist show | wc -l | grep -qx 4"
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

# One of its modules that is not loaded, while others are.
told_unbuilt() { # MODULE PACKAGE
	ofedctrl -k "$1" -l >/run/told 2>&1
	[ $? -eq 4 ] && cat /run/told && grep "$2 is installed, but not built for this kernel" /run/told
}

links_go() {
	fabric_goes
	for link in roce0 iw0 late; do rdma link delete $link; done
	ip netns exec blue rdma link delete blue0
}

# taken_out VERB: by apt, while modules of ours are loaded
taken_out() {
	check "ours is loaded" ours
	apt-get -y "$1" ofed-core-dkms ofed-drivers-dkms ofed-utils ofed-smc libofed-verbs >/run/terminal 2>&1
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
		/usr/sbin/ofed* /lib/modules/*/updates/dkms/ofed* 2>/dev/null | grep .; [ \$? -eq 1 ]"
	check "librxe and libsiw have their names again" sh -c \
		"! dpkg-divert --list | grep libofed && ! ls -l $providers | grep -e libofed -e stock"
	check "no unit is left" sh -c "! systemctl list-unit-files | grep ofed"
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
	check "ofedctrl -l says so" told_unbuilt ofed_core ofed-core-dkms
	check "ofedctrl status as well" sh -c \
		"ofedctrl status | grep 'ofed-drivers-dkms has not been built for this kernel'"
	for name in ib_core ib_uverbs rdma_cm; do
		check "modprobe $name" modprobe $name
		check "gives the kernel's own" loaded $name
	done
	check "ofedctrl status" sh -c "ofedctrl status | grep -q \"the kernel's own\""
	check "unload" all_away
	stock_rxe
	check "a link without its module" sh -c "ofedctrl persist apply roce0; [ \$? -eq 1 ]"
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
	check "apt purge" apt-get -y purge ofed-core-dkms ofed-drivers-dkms ofed-utils ofed-smc libofed-verbs
	nothing_is_left
	stock_rxe
}

# ---- one kernel alone: a boot with links, and out ------------------------------------

# A kernel that the packages do not know: its own core stays in place. dkms of Debian 12 calls that
# a failure, and the way round it is the one of troubleshooting.md.
passed_over() {
	_dir=/lib/modules/7.99.0-1-amd64
	mkdir -p $_dir
	ln -s "$(readlink -f "/lib/modules/$(uname -r)/build")" $_dir/build
	/etc/kernel/postinst.d/dkms ${_dir##*/} >/run/unknown 2>&1
	_status=$?
	cat /run/unknown
	if [ $_status -eq 11 ] && grep '^12' /etc/debian_version; then
		touch /etc/dkms/no-autoinstall
		/etc/kernel/postinst.d/dkms ${_dir##*/}
		_status=$?
		rm /etc/dkms/no-autoinstall
	fi
	! ls $_dir/updates/dkms/ofed* 2>/dev/null || _status=1
	rm -r $_dir
	grep 'BUILD_EXCLUSIVE' /run/unknown && return $_status
}
step_out() {
	links_are_back
	check "ofedctrl status knows the links" status_knows_links
	check "rping" connects
	links_go
	consumers_away
	rmmod ofed_ib
	check "dkms passes over a kernel that they are not for" passed_over
	check "dkms uninstall for this kernel" unbuilt
	check "ofedctrl -l says so" told_unbuilt ofed_ib ofed-drivers-dkms
	check "ofedctrl status as well" sh -c \
		"ofedctrl status | grep 'ofed-drivers-dkms has not been built for this kernel'"
	taken_out purge
	nothing_is_left
	stock_rxe
}

# ---- Debian 12 with links has become 13 ------------------------------------------------
step_upgraded() {
	check "this is Debian 13" grep -q '^13' /etc/debian_version
	check "on its kernel" sh -c "uname -r | grep -F +deb13"
	check "modules are built" dkms_built 2
	step_out
}

# ---- from a clone, by dkms and 'make install-utils' ---------------------------------------
removed_by_dkms() {
	dkms remove "ofed/$(ofedctrl --version | cut -d ' ' -f 2)" --all &&
		! dkms status | grep ofed && ! ls /lib/modules/*/updates/dkms/ofed*
}
step_cloned() {
	check "no RDMA core is loaded" gone ib_core
	check "modules are built" dkms_built 1
	check "no package is there" sh -c "! dpkg-query -W -f '\${db:Status-Status}\n' 'ofed*' | grep -x installed"
	check "modprobe ib_uverbs" modprobe ib_uverbs
	check "gives ours" ours
	check "rdma link add" rdma link add roce0 type roce netdev eth0
	addresses
	check "ibv_rc_pingpong" moves_data roce0
	check "rping" connects
	check "modprobe ofed_ib" modprobe ofed_ib
	check "modprobe ofed_iwarp" modprobe ofed_iwarp
	check "the link goes" rdma link delete roce0
	check "all of it" all_away
	check "dkms remove" removed_by_dkms
	stock_rxe
}

# ---- after the purge, and a boot ----------------------------------------------------
step_purged() {
	addresses
	check "no link" away roce0
	stock_rxe
	check "no unit failed" no_unit_failed
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
