# SPDX-License-Identifier: GPL-2.0
#
# A driver refuses to detach and to destroy what a program leaves behind when it
# closes its file: the log says so once, nothing of it is found or charged any more,
# and it goes with the device.
. "$VM/lib/guest.sh"
. "$VM/lib/testdev.sh"

refusing="detach_mcast dealloc_pd destroy_ah destroy_srq destroy_qp destroy_cq dereg_mr
	dealloc_mw dealloc_xrcd destroy_flow destroy_wq destroy_rwq_ind_table"
refuse() { # DEV COUNT OP...
	_dev=$1 _orders="$2"
	shift 2
	for _op in "$@"; do
		td_hook "$_dev" fail "$_op" $_orders || return
	done
}
said() { dmesg | grep -c "$1: the driver does not destroy object"; }
said_once() { [ "$(said "$1")" = 1 ]; }

cgroup_uncharged() { # DEV
	! grep -h "^$1 " /sys/fs/cgroup/*/rdma.current |
		grep -v 'hca_handle=0 hca_object=0'
}
uses() { cat /sys/module/ofed_uverbs/refcnt; }
pins() { # acquired pages less released ones
	awk '/^nr_foll_pin_acquired / { n += $2 } /^nr_foll_pin_released / { n -= $2 }
		END { print n + 0 }' /proc/vmstat
}

check "the module loads" td_load link=ib || exit 1
mount -t cgroup2 none /sys/fs/cgroup 2>/dev/null &&
	echo +rdma >/sys/fs/cgroup/cgroup.subtree_control 2>/dev/null &&
	mkdir -p /sys/fs/cgroup/refused && cgroup=yes || cgroup=
in_cgroup() {
	if [ -n "$cgroup" ]; then
		sh -c 'echo $$ >/sys/fs/cgroup/refused/cgroup.procs && exec "$@"' sh "$@"
	else
		"$@"
	fi
}

# ---- for a while: the device goes, and the driver has come round -----------------------
uses=$(uses)
check "a device" td_add testdev0
# Unquoted on purpose: a list of ops.
check "its driver refuses" refuse testdev0 "always EBUSY" $refusing
check "two files with everything, closed one after the other" \
	in_cgroup "$programs/refused" testdev0
check "the driver still has them" [ "$(td_count testdev0 qp)" -gt 0 ]
check "the log has one line" said_once testdev0
check "none of them is left" no_user_objects testdev0
[ -z "$cgroup" ] || check "the rdma cgroup has nothing" cgroup_uncharged testdev0
check "kill -9 instead of close" td_use refused testdev0
td_kill
wait $client
check "still one line" said_once testdev0
check "none of those is left" no_user_objects testdev0
check "the module with their handlers is in use" [ "$(uses)" -gt "$uses" ]
check "the driver refuses no more" refuse testdev0 0 $refusing
check "the device goes" td_del testdev0
check "nothing is left" td_all_zero
check "that module is in use no more" [ "$(uses)" = "$uses" ]

# ---- for ever ---------------------------------------------------------------------------
before=$(pins)
check "another device" td_add testdev1
check "its driver refuses" refuse testdev1 "always EIO" dealloc_mw dereg_mr destroy_flow
check "files with everything" "$programs/refused" testdev1
check "pages are pinned still" [ "$(pins)" -gt "$before" ]
check "one line" said_once testdev1
check "nothing is left" no_user_objects testdev1
check "the device goes with them" td_del testdev1
check "no page stays pinned" [ "$(pins)" = "$before" ]

# ---- a domain of two files ------------------------------------------------------------------
check "a device for two files" td_add testdev3
check "its driver refuses" refuse testdev3 "always EIO" destroy_srq
check "they share a domain" "$programs/refused" testdev3 -
check "one line" said_once testdev3
check "the device goes with it" td_del testdev3

# ---- unplug: the file is open when the driver refuses ------------------------------------
check "a third" td_add testdev2
check "in use" td_use refused testdev2
check "its driver refuses twice" refuse testdev2 "always EIO" dealloc_mw
check "it goes" td_del testdev2
td_kill
wait $client
check "said once" said_once testdev2
check "the modules go" td_unload
