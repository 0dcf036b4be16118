// SPDX-License-Identifier: GPL-2.0
/*
 * ofed_core: takes the place of ib_core on a distribution's kernel.
 */
#include <linux/module.h>
#include <ofed/version.h>
#include <rdma/ib_verbs.h>

#include "addr/addr.h"
#include "addr/resolve.h"
#include "cm/rdma/cma.h"
#include "cm/ib/ib_cm.h"
#include "cm/iw/iwcm.h"
#include "device/device.h"
#include "mad/mad.h"
#include "netlink/netlink.h"
#include "netns_move.h"
#include "port/cache.h"
#include "port/gid.h"
#include "port/port.h"
#include "register.h"
#include "sa/sa.h"

/* In the order of their needs; undone from the last to the first. */
static const struct {
	int (*init)(void);
	void (*exit)(void);
} parts[] = {
	{ ofed_workqueues_init, ofed_workqueues_exit },
	{ ofed_device_init, ofed_device_exit },
	{ ofed_port_cache_init, ofed_port_cache_exit },
	COMPAT_PORT_EVENTS({ ofed_port_state_init, ofed_port_state_exit })
	{ ofed_addr_init, ofed_addr_exit },
	{ ofed_netns_init, ofed_netns_exit },
	{ ofed_gid_events_init, ofed_gid_events_exit },
	{ ofed_nldev_init, ofed_nldev_exit },
	{ ofed_mad_init, ofed_mad_exit },
	{ ofed_sa_init, ofed_sa_exit },
	{ ofed_resolve_init, ofed_resolve_exit },
	{ ofed_ib_cm_init, ofed_ib_cm_exit },
	{ ofed_iw_cm_init, ofed_iw_cm_exit },
	{ ofed_cma_init, ofed_cma_exit },
};

static void ofed_undo_parts(size_t done)
{
	while (done--)
		parts[done].exit();
}

static int __init ofed_core_init(void)
{
	size_t i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		ret = parts[i].init();
		if (ret) {
			ofed_undo_parts(i);
			return ret;
		}
	}
	return 0;
}

static void __exit ofed_core_exit(void)
{
	ofed_undo_parts(ARRAY_SIZE(parts));
}

module_init(ofed_core_init);
module_exit(ofed_core_exit);

MODULE_DESCRIPTION("RDMA core: devices, verbs objects, addresses, connections");
MODULE_AUTHOR(OFED_AUTHOR);
MODULE_VERSION(OFED_VERSION);
MODULE_LICENSE("GPL");
