# SPDX-License-Identifier: GPL-2.0
#
# ofedctrl: every option and command that its manual page has, on either core,
# with what it refuses; persistent links with files that are wrong. Last, since
# there is no way back from it: a kernel that takes signed modules only.
DRIVER=roce
. "$VM/lib/guest.sh"

tool=$TOP/tools/ofedctrl/ofedctrl
sys=/sys/class/infiniband
links=/etc/ofed/links.d
conf=/etc/ofed/ofed.conf
rm -rf /etc/ofed
mkdir -p $links
# What suites before this one left loaded.
unload_stack >/dev/null 2>&1

if [ "$CORE" = ofed ]; then core=ofed_core; else core=ib_core; fi
loaded() { [ -d "/sys/module/$1" ]; }
gone() { ! loaded "$1"; }
there() { [ -e "$sys/$1" ]; }
away() { ! there "$1"; }

# ctl STATUS ARGUMENT...: the tool's exit status is that; what it says is kept
ctl() {
	_want=$1
	shift
	$sh "$tool" "$@" >"$work/said" 2>&1
	_got=$?
	cat "$work/said"
	[ $_got -eq "$_want" ] || { echo "status $_got, not $_want"; return 1; }
}
said() { grep -qE -e "$1" "$work/said"; }
sh=

# ---- the command line -----------------------------------------------------------
wrong() { # ARGUMENT-LIST...
	for _words in "$@"; do
		# Unquoted on purpose: words.
		check "wrong: '$_words', ${sh:-sh}" ctl 2 $_words
	done
}
for sh in dash "busybox sh"; do
	check "-h, $sh" ctl 0 -h
	check "-h tells the flags" said '-k PATH'
	check "--help, $sh" ctl 0 --help
	check "it is the same" said '-k PATH'
	check "--version, $sh" ctl 0 --version
	check "it is that of the packages" said "^ofedctrl $("$TOP/tools/version")$"
	wrong "-x" "-p a/b=1" "persist remove ../x"
done
sh=
wrong "" "-l -u" "-q -q" "-k" "-k x" "-k . -q" "-k .. -u" "-k / -l" "-k .ko -q" "-p" "-l more" "-c -k ofed_core" "-h -k ofed_core" \
	"-p loopback" "-p =1" "nonsense" "status more" "persist nonsense" "persist remove" \
	"persist apply --netdev" "persist apply --netdev a:b/.." "persist apply --other" \
	"persist show -x" "persist save .." "--help -l" "--version x" "--nonsense" "status --jason" \
	"status --json x" "gids a b" "gids -x" "gids ../x"
unprivileged() { # ARGUMENT...
	as_user "$tool" "$@"
	[ $? -eq 5 ]
}
for word in -l -u -c "-p loopback=0" "persist save" "persist remove x" "persist apply"; do
	check "$word is for root" unprivileged $word
done

# ---- load, query, unload ----------------------------------------------------------
check "nothing is loaded" gone $core
check "-q before" ctl 1 -q
check "-q says so" said 'ofed_core is not loaded'
check "-u before is success" ctl 0 -u
check "status with nothing loaded" ctl 0 status
check "it says so" said '^core +none is loaded'
# json FILTER: what the tool said last is JSON of which that is true
json() { jq -e "$1" "$work/said"; }
check "status --json with nothing loaded" ctl 0 status --json
check "it says the same" json '.core == null and .modules == [] and .links == []'
check "gids without a device" ctl 0 gids
check "has a heading" said '^DEVICE +PORT +INDEX +GID +VERSION +INTERFACE$'
check "gids --json without a device" ctl 0 gids --json
check "is an empty list" json '. == []'
check "gids of no such device" ctl 4 gids roce9
check "no such module" ctl 4 -k ofed_nonsense -l
check "no such file" ctl 4 -k /nonsense/ofed_core.ko -l
check "-q of no such module" ctl 1 -k ofed_nonsense -q
check "a file that is no module" sh -c "echo x >$work/x.ko; ! $tool -k $work/x.ko -l"

if [ "$CORE" = ofed ]; then
	check "-l" ctl 0 -l
	for m in ofed_core ofed_uverbs ofed_ucma ofed_umad; do
		check "$m came" loaded $m
	done
	check "-l again is success" ctl 0 -l
	check "-q tells that it is loaded" ctl 0 -q
	check "-u" ctl 0 -u
	for m in ofed_core ofed_uverbs ofed_ucma ofed_umad; do
		check "$m went" gone $m
	done
	check "a module by its file" ctl 0 -k "$(modinfo -F filename ofed_uverbs)" -l
	check "it is loaded" loaded ofed_uverbs
	check "and so is what it needs" loaded ofed_core
	check "a module by its name, with dashes" ctl 0 -k ofed-uverbs -u
	check "that one alone went" loaded ofed_core
	check "-u of the rest" ctl 0 -u

	# The stock core first: the kernel's answer is translated.
	stock_core() {
		# The tree that the kernel came with has a modules.dep without ours.
		_kernel=$(readlink -f "/lib/modules/$(uname -r)/kernel")
		modprobe -d "${_kernel%/lib/modules/*}" --ignore-install ib_core && loaded ib_core
	}
	check "the kernel's own core is loaded" stock_core
	check "-l over it fails" ctl 1 -l
	check "it tells why" said "the kernel's own RDMA core is loaded"
	check "and what to do" said 'modprobe -r .*ib_core'
	check "status names the kernel's core" \
		sh -c "$tool status | grep -qE '^core +the kernel.s own'"
	check "unload of a module by name" ctl 0 -k ib_core -u
else
	check "-l without ofed_core is no success" ctl 4 -l
	check "it names the package" said ofed-core-dkms
fi

# ---- users ------------------------------------------------------------------------
check "-k ofed_roce -l" ctl 0 -k ofed_roce -l
check "$core came with it" loaded $core
check "-k ofed_roce -q" ctl 0 -k ofed_roce -q
need_link
check "-u with a device" ctl 3 -k ofed_roce -u
check "it is named" said "device roce0 on eth0"
check "it is still there" there roce0
check "-u of the core with a device" ctl 3 -k $core -u
check "the same" there roce0
if [ "$CORE" = ofed ]; then
	check "-u of a module that others need" ctl 3 -k ofed_soft -u
	check "they are named" said "module ofed_roce"
fi
ibv_rc_pingpong -d roce0 -g "$gid_index" -p 18960 >/dev/null 2>&1 &
holder=$!
check "a program uses the device" wait_for 30 listening 18960
check "-u with a program" ctl 3 -k $core -u
check "it is named" said "process $holder \(ibv_rc_pingpong\) has /dev/infiniband/uverbs0 open"
check "status" ctl 0 status
if [ "$CORE" = ofed ]; then
	check "status names our core" said '^core +ours \(ofed_core\)'
fi
check "status names the program" said "process $holder \(ibv_rc_pingpong\)"
check "status names the link" said 'roce0: roce on eth0, ACTIVE$'
check "status names what is loaded" said "^  ofed_soft +[0-9]+ reference"
check "status takes the modules for those installed" \
	sh -c "! grep -q 'not the one installed' $work/said"
check "a link of iWARP on the same interface" rdma link add iw0 type iwarp netdev eth0
check "status" ctl 0 status
check "status tells it from the other" said 'iw0: iwarp on eth0, ACTIVE$'
rdma link delete iw0
check "its module goes" ctl 0 -k ofed_iwarp -u
check "status --json" ctl 0 status --json
check "the core" json ".core == \"$core\" and .kernel == \"$(uname -r)\""
check "the program" json ".modules[] | select(.name == \"$core\").users[] |
	select(.kind == \"process\") | .pid == $holder and .program == \"ibv_rc_pingpong\""
check "the link" json '.links == [{name: "roce0", present: true, type: "roce", netdev: "eth0",
	state: "ACTIVE", persistent: null}]'
check "the module that is loaded is the one installed" \
	json '.modules[] | select(.name == "ofed_roce").on_disk == "same"'
kill $holder
wait $holder 2>/dev/null

# ---- GIDs -------------------------------------------------------------------------
check "gids" ctl 0 gids
check "the index of version 2" said \
	"^roce0 +1 +$gid_index +0000:0000:0000:0000:0000:ffff:0a00:0001 +v2 +eth0$"
check "and that of version 1" said "^roce0 +1 +$(gid_of roce0 $gid_hex "IB/RoCE v1") .* v1 +eth0$"
all_gids() { # as many as the kernel has
	[ $(($(wc -l <"$work/said") - 1)) -eq \
		"$(grep -Lx '0000:0000:0000:0000:0000:0000:0000:0000' $sys/roce0/ports/1/gids/* | wc -l)" ]
}
check "no other" all_gids
check "gids --json of a device" ctl 0 gids --json roce0
check "says the same" json ".[] | select(.version == \"v2\" and .index == $gid_index) |
	.device == \"roce0\" and .port == 1 and .interface == \"eth0\""

# ---- a queue pair -----------------------------------------------------------------
check "qp: QP1" ctl 0 qp roce0 1
check "its head" said '^roce0 QP 1: GSI, RTS, port 1, of '
check "its state" said '^  waits for +nothing$'
check "qp --json" ctl 0 qp --json roce0 1
check "says the same" json '.[0].lqpn == 1 and .[0].waits_for == "nothing"'
check "qp as a user" as_user $tool qp roce0 1
check "qp of no such device" ctl 4 qp roce9 1
check "qp of no such number" ctl 4 qp roce0 16777215
check "it is said" said 'no queue pair 16777215 of roce0$'
check "qp of all" ctl 0 qp --json roce0
check "has QP1" json 'any(.[]; .lqpn == 1 and .send_task == "idle")'
wrong "qp" "qp roce0 1 2" "qp roce0 0x1" "qp roce0 -1" "qp ../x 1" "qp -x 1" \
	"qp roce0 123456789"

# ---- parameters -------------------------------------------------------------------
loopback=/sys/module/ofed_soft/parameters/loopback
check "-p" ctl 0 -p loopback=0
check "it is set" grep -qx N $loopback
check "-k and -p" ctl 0 -k ofed_soft -p loopback=1
check "it is set" grep -qx Y $loopback
check "-p of no such parameter" ctl 4 -p nonsense=1
check "-p of another module" ctl 4 -k $core -p loopback=0
check "-p of a module that is not there" ctl 1 -k ofed_nonsense -p loopback=0
check "-p of a module that is not loaded" ctl 1 -k ofed_iwarp -p p2p=0
check "it says so" said 'not loaded: ofed_iwarp$'
check "-p of no parameter of it" ctl 4 -k ofed_iwarp -p nonsense=0
check "-p of a value that cannot be" ctl 1 -p loopback=perhaps
check "it stays" grep -qx Y $loopback
check "-c without a file" ctl 4 -c
printf '# comment\n\noptions ofed_soft loopback=0\noptions ofed_iwarp p2p=0\n' >$conf
check "-c" ctl 0 -c
check "it is set" grep -qx N $loopback
check "what is not loaded is said" said '^ofed_iwarp: p2p=0 when it is loaded$'
check "-c again has nothing to change" sh -c "$tool -c | grep -c ofed_soft | grep -qx 0"
# As modprobe reads it.
printf '# more\noptions ofed-soft \\\n\tloopback=1 poll-always=N\n' >$conf
check "-c of a name with a dash, in a line that goes on" ctl 0 -c
check "it is set" grep -qx Y $loopback
check "-p of a name with a dash" ctl 0 -k ofed-soft -p poll-always=0
printf 'options ofed_soft loopback=0\r\n' >$conf
check "-c of a line that ends with a carriage return" ctl 1 -c
check "it is said" said "carriage return"
check "it stays" grep -qx Y $loopback
echo 0 >$loopback
if [ "$CORE" = ofed ]; then
	check "-p of what cannot be changed" ctl 1 -p netns_mode=0
	check "it tells how" said "options ofed_core netns_mode=0"
	echo 'options ofed_core netns_mode=0 send_queue_size=64' >$conf
	check "-c of what cannot be changed" ctl 0 -c
	check "it says when" said '^ofed_core: netns_mode=0 when it is loaded again'
fi
printf '%s\n' "alias a b" "options" "options ofed_soft" "options ofed_soft loopback" \
	"options ofed_soft nonsense=1" "options ofed_soft loopback=perhaps" \
	"options ofed_iwarp nonsens=1" \
	'options ofed_soft $(id)=1' "options ../x a=1" "install x y" \
	"options ofed_soft loopback=1" >$conf
echo 0 >$loopback
check "-c with ten lines that are wrong" ctl 1 -c
check "each is told of" sh -c "grep -c '^ofedctrl: ' $work/said | grep -qx 10"
for what in "not 'alias'" "not 'install'" "'loopback' is not NAME=VALUE" \
	    "'\\$\(id\)=1' is not NAME=VALUE" "ofed_soft has no parameter nonsense" \
	    "ofed_iwarp has no parameter nonsens$" \
	    "does not take loopback=perhaps"; do
	check "said: $what" said "$what"
done
check "the line after them counts" grep -qx Y $loopback
rm $conf

# ---- persistent links -------------------------------------------------------------
check "persist show without any" ctl 0 persist show
check "persist" ctl 0 persist
check "its file" sh -c "grep -v '^#' $links/roce0.conf | paste -sd' ' |
	grep -qx 'name=roce0 type=roce netdev=eth0'"
check "persist show" ctl 0 persist show
check "it shows it" said '^roce0 type roce netdev eth0$'
check "status" ctl 0 status
check "status says persistent" said 'roce0: .*, persistent'
check "apply where all is there" ctl 0 persist apply
check "it has nothing to say" sh -c "! grep -q . $work/said"
echo '# mine' >>$links/roce0.conf
check "persist save keeps a file that is right" ctl 0 persist save
check "untouched" grep -qx '# mine' $links/roce0.conf
# By another name it is the same link.
check "another name" rdma dev set roce0 name storage
check "apply finds it by its interface" ctl 0 persist apply
check "it has nothing to say" sh -c "! grep -q . $work/said"
check "and made nothing" away roce0
check "status" ctl 0 status
check "status says how it is kept" said 'storage: roce on eth0, .*, persistent as roce0$'
check "save takes the new name" ctl 0 persist save
check "in the place of the old one" sh -c "ls $links | paste -sd' ' | grep -qx storage.conf"
check "the rest of the file is as it was" grep -qx '# mine' $links/storage.conf
check "persist show" sh -c "$tool persist show | grep -qx 'storage type roce netdev eth0'"
check "the name of before" rdma dev set storage name roce0
check "is saved" ctl 0 persist save roce0
check "alone" sh -c "ls $links | paste -sd' ' | grep -qx roce0.conf"
rdma link delete roce0
check "apply" ctl 0 persist apply
check "the link is back" wait_for 10 ready roce0
check "save of no such link" ctl 4 persist save roce9
check "show of no such link" ctl 4 persist show roce9
check "apply of no such link" ctl 4 persist apply roce9
check "remove of no such link" ctl 4 persist remove roce9

# Names that are unusual: 'rdma link add' and 'ip link' take them.
for name in "ro:ce" "my dev"; do
	check "a link called '$name'" rdma link add "$name" type roce netdev eth1
	check "gids --json" ctl 0 gids --json
	check "has it" json "any(.[]; .device == \"$name\" and .interface == \"eth1\")"
	check "status --json" ctl 0 status --json
	check "has it" json "any(.links[]; .name == \"$name\" and .netdev == \"eth1\")"
	check "save" ctl 1 persist save
	check "says that it cannot be kept" said "'$name' is not the name of a persistent link"
	check "and made no file" sh -c "ls $links | paste -sd' ' | grep -qx roce0.conf"
	dev_name=$name
	check "it goes" ip link del eth0
	wait_for 20 away "$dev_name"
	net_up
	check "apply" ctl 0 persist apply
done
kitchen=$(printf 'k\303\274che')
ip link add name "$kitchen" type dummy
ip link set "$kitchen" up
check "a link on an interface with a name of a language" rdma link add kitchen type roce netdev "$kitchen"
check "save, with a mask of 077" sh -c "umask 077 && rm -r $links && $tool persist save kitchen"
check "a user sees it" as_user $tool persist show kitchen
check "apply" ctl 0 persist apply
rdma link delete kitchen
sed -i 's/$/\r/' $links/kitchen.conf
check "apply, of a file with carriage returns" ctl 0 persist apply --netdev "$kitchen"
check "the link is back" there kitchen
rdma link delete kitchen
ip link del "$kitchen"
rm $links/kitchen.conf
check "save of the rest" ctl 0 persist save
touch /run/netns/stale 2>/dev/null || { mkdir -p /run/netns && touch /run/netns/stale; }
check "a name of a namespace that is none" sh -c "sh -x $tool persist save 2>$work/trace"
check "it waits for no answer of it" sh -c "! grep -q '^+* sleep' $work/trace"
rm /run/netns/stale
# There is no udev here that would make it.
[ -e /dev/fd ] || ln -s /proc/self/fd /dev/fd
completes() { # WORD...: what bash would offer for the last one
	(cd "$work" && bash -c '. "$0" && COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) &&
		_ofedctrl && printf "%s\n" "${COMPREPLY[@]}"' \
		"$TOP/tools/ofedctrl/completion.bash" "$@")
}
check "completion: commands" sh -c "[ \"\$1\" = status ]" - "$(completes ofedctrl st)"
ip link add name '$(>ran)' type dummy
check "an interface called as a command" [ -e '/sys/class/net/$(>ran)' ]
check "completion names it, with quotes" \
	[ "$(completes ofedctrl persist apply --netdev '$(')" = '\$\(\>ran\)' ]
check "and runs nothing" [ ! -e "$work/ran" ]
ip link del '$(>ran)'

ip netns add blue
ip link add blue0 address 02:00:00:00:01:01 type veth peer name blue1
ip link set blue0 netns blue
ip -n blue link set blue0 up
printf 'name=roceb\ntype = roce\nnetdev=blue0\nnetns=blue\n' >$links/roceb.conf
printf 'name=rocem\ntype=roce\nmac=02:00:00:00:00:02\noptions=adaptive-moderation=on\n' \
	>$links/rocem.conf
printf 'name=later\ntype=roce\nnetdev=later0\n' >$links/later.conf
printf 'name=nons\ntype=roce\nnetdev=eth0\nnetns=green\n' >$links/nons.conf
check "apply in a namespace, by address, before the interface" ctl 0 persist apply
check "the one in the namespace" sh -c "ip netns exec blue rdma link show roceb/1 |
	grep -q 'netdev blue0'"
check "the one by address" sh -c "rdma link show rocem/1 | grep -q 'netdev eth1'"
check "its option" sh -c "rdma -d dev show rocem | grep -q 'adaptive-moderation on'"
check "the one that waits" said 'later waits for later0'
check "the one without its namespace" said 'nons waits for the namespace green'
ip -n blue link add eth0 type dummy
ip -n blue link set eth0 up
check "another, on an interface with a name that is here, too" \
	ip netns exec blue rdma link add blueeth type roce netdev eth0
check "status" ctl 0 status
check "the first is persistent" said 'roceb: roce on blue0, .*, persistent$'
check "so is the one here" said 'roce0: roce on eth0, .*, persistent$'
check "the other is not" said 'blueeth: roce on eth0, [A-Z]*$'
rdma link delete blueeth
check "apply is idempotent" ctl 0 persist apply
check "no more than the two that wait" sh -c "[ \$(wc -l <$work/said) -eq 2 ]"
ip link add later0 address 02:00:00:00:02:01 type veth peer name later1
check "apply for another interface" ctl 0 persist apply --netdev later1
check "does nothing" away later
check "apply for the interface, by its path" ctl 0 persist apply \
	--netdev /sys/devices/virtual/net/later0
check "the link is there" there later
rdma link delete later
check "apply for the interface, as systemd spells the path" ctl 0 persist apply \
	--netdev sys/devices/virtual/net/later0
check "the link is there again" there later
check "nothing waits for it" sh -c "! grep -q nons $work/said"
check "apply for no interface" ctl 4 persist apply --netdev nosuch
check "it is named" said 'no network device nosuch$'
check "apply for one in a namespace" ctl 0 persist apply --netdev blue0
check "apply for one that has gone, as a unit has it" ctl 0 persist apply \
	--netdev /sys/devices/virtual/net/nosuch
check "apply for one that has gone, as systemd spells it" ctl 0 persist apply \
	--netdev sys/devices/virtual/net/nosuch
check "save leaves the file of a link that it describes" ctl 0 persist save rocem
check "as it was" grep -qx mac=02:00:00:00:00:02 $links/rocem.conf
rm $links/roceb.conf
check "save finds links in namespaces" ctl 0 persist save roceb
check "with their namespace" grep -qx netns=blue $links/roceb.conf
check "remove" ctl 0 persist remove roceb later rocem
check "the files are gone" sh -c "ls $links | paste -sd' ' | grep -qx 'nons.conf roce0.conf'"
check "the links are not" there roceb
ip link add twin0 address 02:00:00:00:02:01 type veth peer name twin1
printf 'name=twin\ntype=roce\nmac=02:00:00:00:02:01\n' >$links/twin.conf
check "an address that two have" ctl 1 persist apply twin
check "is told" said 'several interfaces have 02:00:00:00:02:01: (later0 twin0|twin0 later0)'
printf 'name=twin\ntype=roce\nmac=02:00:00:00:02:01\nnetdev=twin0\n' >$links/twin.conf
check "both name and address" ctl 0 persist apply twin
check "the right one" sh -c "rdma link show twin/1 | grep -q 'netdev twin0'"
rdma link delete rocem
printf 'name=twin\ntype=roce\nnetdev=eth1\n' >$links/twin.conf
check "a name that another interface has" ctl 1 persist apply twin
check "is told" said 'there is a device twin on twin0 already'
printf 'name=nomod\ntype=nonsense\nnetdev=eth1\n' >$links/nomod.conf
check "a type without a module" ctl 1 persist apply nomod
check "is told" said "no module for links of type nonsense"
rm $links/twin.conf $links/nomod.conf

# Files that are wrong are told of, and the one after them counts.
rdma link delete roce0
n=0
for wrong in "name" "name=bad" "name=bad\ntype=roce" "type=roce\nnetdev=eth1" \
	     "name=other\ntype=roce\nnetdev=eth1" "name=bad\nname=bad\ntype=roce\nnetdev=eth1" \
	     "name=../bad\ntype=roce\nnetdev=eth1" "name=bad\ntype=r;oce\nnetdev=eth1" \
	     "name=bad\ntype=roce\nnetdev=a/b" "name=bad\ntype=roce\nnetdev=a/\$(>ran)" \
	     "name=bad\ntype=roce\nmac=02:00:00:00:00" "name=bad\ntype=roce\nmac=eth0" \
	     "name=bad\ntype=roce\nnetdev=eth1\nnetns=../x" "name=bad\ntype=roce\nnetdev=-x" \
	     "name=bad\ntype=roce\nnetdev=eth1\noptions=nonsense=1" \
	     "name=bad\ntype=roce\nnetdev=eth1\ncolour=red" \
	     "name=bad\ntype=roce\nnetdev=a234567890123456"; do
	n=$((n + 1))
	printf "$wrong" | sed "s/=bad\$/=bad$n/" >$links/bad$n.conf
done
check "apply with $n files that are wrong" ctl 1 persist apply
while [ $n -gt 0 ]; do
	check "named: the one with $(paste -sd' ' $links/bad$n.conf)" said "/bad$n\.conf"
	n=$((n - 1))
done
check "the one after them counts" there roce0
check "nothing came of them" sh -c "! ls $sys | grep -E 'bad|other'"
rdma link delete roce0
rm $links/bad*.conf
head -c 20000 /dev/urandom >$links/bad.conf
check "a file of noise" ctl 1 persist apply
check "the others count" there roce0
check "nothing of a file was executed" sh -c "! [ -e ran ]"
rm $links/bad.conf
for d in roceb rocem later twin roce0; do
	rdma link delete $d 2>/dev/null
done
ip netns del blue
ip link del later0
ip link del twin0
net_down
check "what is left is unloaded" unload_stack

# ---- signed modules only ----------------------------------------------------------
mount -t securityfs securityfs /sys/kernel/security 2>/dev/null
check "lockdown" sh -c "echo integrity >/sys/kernel/security/lockdown"
check "-l under lockdown" ctl 1 -k ofed_soft -l
check "it tells how to enrol the key" said 'mokutil --import'
check "status under lockdown" ctl 0 status
check "it says so" said 'secure boot +off, lockdown integrity'
check "and what to do" said 'mokutil --import'
