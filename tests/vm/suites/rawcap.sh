# SPDX-License-Identifier: GPL-2.0
#
# CAP_NET_RAW, for programs in user namespaces of their own. Since 7.x it counts in the user
# namespace that owns the network namespace of the device, before that in the first one alone.
. "$VM/lib/guest.sh"
. "$VM/lib/testdev.sh"

sys=/sys/class/infiniband
case $series in 7.*) owner=may ;; *) owner=may-not ;; esac

# tries TITLE may|may-not CMD...: the program as CMD runs it
tries() {
	_whose=$1 _may=$2
	shift 2
	table "$_whose" "$@" "$programs/raw_cap" testdev0 "$_may"
}
# Its root, in the network namespace that it owns; no other mount, so that it finds the device.
in_owned() { echo "nsenter -t $holder -U -n -S 0 -G 0"; }
hold_owned() {
	rm -f "$work/held"
	# A file that only root could write to tells nothing to a user.
	touch "$work/held" && chmod 711 "$work" && chmod 666 "$work/held" || return
	setpriv $nobody unshare -Urn sh -c 'echo $$ >"$0" && exec sleep 10000' "$work/held" &
	wait_for 30 [ -s "$work/held" ] && holder=$(cat "$work/held") &&
		ip netns attach owned "$holder"
}

check "a device with every object" td_load link=ib || exit 1
check "is added" td_add testdev0 disassociate=1

# ---- the device is in the first network namespace ----------------------------------
tries "root" may
tries "a user" may-not setpriv $nobody
check "a user has namespaces of their own" hold_owned || exit 1
# Unquoted on purpose, here and below: words of a command.
tries "root of another user namespace, the device is shared" may-not $(in_owned)
check "they end" kill -9 "$holder"
check "so does their name" ip netns del owned

# ---- it is in one that a user's own namespace owns ---------------------------------
check "exclusive mode" wait_for 20 rdma system set netns exclusive
check "such namespaces again" hold_owned || exit 1
check "the device moves there" rdma dev set testdev0 netns owned
expect_fail "it is not at home" test -e $sys/testdev0
check "it has its node again" wait_for 10 td_ready testdev0
tries "root of its namespace" "$owner" $(in_owned)
tries "the same without CAP_NET_RAW" may-not $(in_owned) \
	setpriv --bounding-set=-net_raw --inh-caps=-net_raw
tries "root of a namespace inside it" may-not $(in_owned) unshare -Ur
tries "the first namespace's root, there" may ip netns exec owned
check "the namespaces end" kill -9 "$holder"
check "their name, too" ip netns del owned
check "the device comes home" wait_for 20 test -d $sys/testdev0
check "shared mode" wait_for 20 rdma system set netns shared
check "and of use" wait_for 10 td_ready testdev0
tries "root, at home again" may
check "it goes" td_del testdev0
check "nothing is left" td_all_zero
check "the modules go" td_unload
