// SPDX-License-Identifier: GPL-2.0
/*
 * Network namespaces: which there are, and the mode in which they see devices. netns_move.c
 * makes copies of devices in them and moves devices between them.
 */
#include <linux/module.h>
#include <net/netns/generic.h>
#include <ofed/refuse.h>
#include <rdma/ib_verbs.h>

#include "netns.h"

DECLARE_RWSEM(ofed_nets_rwsem);
DEFINE_XARRAY_FLAGS(ofed_nets, XA_FLAGS_ALLOC);
static bool shared_mode = true;

module_param_named(netns_mode, shared_mode, bool, 0444);
MODULE_PARM_DESC(netns_mode,
		 "Share device among net namespaces; default=1 (shared)");

unsigned int ofed_net_id;

struct ofed_net *ofed_net_of(struct net *net)
{
	return net_generic(net, ofed_net_id);
}

bool ofed_netns_is_shared(void)
{
	return READ_ONCE(shared_mode);
}

/**
 * rdma_dev_access_netns - ask whether a namespace may use a device
 * @device: device
 * @net: namespace
 *
 * Context: any. Return: true in shared mode, or if the device is in @net.
 */
bool rdma_dev_access_netns(const struct ib_device *device,
			   const struct net *net)
{
	return ofed_netns_is_shared() ||
	       net_eq(net, read_pnet(&device->coredev.rdma_net));
}
OFED_EXPORT(rdma_dev_access_netns);

int ofed_netns_set_shared(bool shared)
{
	int ret = 0;

	down_write(&ofed_nets_rwsem);
	/* Without other namespaces there is no copy to make or to remove. */
	if (shared != shared_mode) {
		if (xa_empty(&ofed_nets))
			WRITE_ONCE(shared_mode, shared);
		else
			ret = ofed_refuse_call(-EBUSY, "ib_core: there are other network namespaces");
	}
	up_write(&ofed_nets_rwsem);
	return ret;
}
