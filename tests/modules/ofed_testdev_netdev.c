// SPDX-License-Identifier: GPL-2.0
/* The network device under port 1 of a RoCE device, and 'rdma link add'. */
#include <linux/module.h>
#include <linux/netdevice.h>
#include <rdma/rdma_netlink.h>

#include "ofed_testdev.h"

int td_netdev_attach(struct testdev *td, struct net_device *ndev)
{
	dev_hold(ndev);
	td->ndev = ndev;
	if (td->cfg.get_netdev)
		return 0;
	/* On failure too the reference is left for td_netdev_drop(). */
	return ib_device_set_netdev(&td->ib, ndev, 1);
}

void td_netdev_drop(struct testdev *td)
{
	struct net_device *ndev;

	spin_lock(&td->lock);
	ndev = td->ndev;
	td->ndev = NULL;
	spin_unlock(&td->lock);
	dev_put(ndev);
}

static struct net_device *td_get_netdev(struct ib_device *ibdev, u32 port_num)
{
	struct testdev *td = to_td(ibdev);
	struct net_device *ndev = NULL;

	if (port_num != 1)
		return NULL;
	spin_lock(&td->lock);
	if (td->ndev) {
		ndev = td->ndev;
		dev_hold(ndev);
	}
	spin_unlock(&td->lock);
	return ndev;
}

const struct ib_device_ops td_netdev_ops = {
	.get_netdev = td_get_netdev,
};

static void td_netdev_changed(struct testdev *td, struct net_device *ndev)
{
	bool up = netif_running(ndev) && netif_carrier_ok(ndev);
	struct ib_event event = {
		.device = &td->ib,
		.element.port_num = 1,
		.event = up ? IB_EVENT_PORT_ACTIVE : IB_EVENT_PORT_ERR,
	};

	ib_dispatch_event(&event);
}

/*
 * A device that was tied to its netdev goes with it; one that only names it by
 * get_netdev stays and loses its link. Here under rtnl, so the removal itself
 * is left to a queue.
 */
static void td_netdev_gone(struct testdev *td)
{
	td_netdev_drop(td);
	if (!td->cfg.get_netdev)
		ib_unregister_device_queued(&td->ib);
}

static int td_netdev_event(struct notifier_block *nb, unsigned long event,
			   void *ptr)
{
	struct net_device *ndev = netdev_notifier_info_to_dev(ptr);
	struct testdev *td;

	mutex_lock(&td_devices_lock);
	list_for_each_entry(td, &td_devices, entry) {
		if (READ_ONCE(td->ndev) != ndev || !ib_device_try_get(&td->ib))
			continue;
		if (event == NETDEV_UNREGISTER)
			td_netdev_gone(td);
		else if (event == NETDEV_UP || event == NETDEV_DOWN ||
			 event == NETDEV_CHANGE)
			td_netdev_changed(td, ndev);
		ib_device_put(&td->ib);
	}
	mutex_unlock(&td_devices_lock);
	return NOTIFY_DONE;
}

static struct notifier_block td_netdev_notifier = {
	.notifier_call = td_netdev_event,
};

static int td_newlink(const char *name, struct net_device *ndev)
{
	struct ib_device *taken;
	struct td_config cfg;

	taken = ib_device_get_by_netdev(ndev, TESTDEV_DRIVER_ID);
	if (taken) {
		ib_device_put(taken);
		return -EEXIST;
	}
	td_default_config(&cfg);
	return td_device_add(name, &cfg, ndev, NULL);
}

static struct rdma_link_ops td_link_ops = {
	.type = "testdev",
	.newlink = td_newlink,
};

int td_netdev_init(void)
{
	int ret = register_netdevice_notifier(&td_netdev_notifier);

	if (ret)
		return ret;
	rdma_link_register(&td_link_ops);
	return 0;
}

void td_netdev_exit(void)
{
	rdma_link_unregister(&td_link_ops);
	unregister_netdevice_notifier(&td_netdev_notifier);
}

MODULE_ALIAS_RDMA_LINK("testdev");
