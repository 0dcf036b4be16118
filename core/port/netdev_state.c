// SPDX-License-Identifier: GPL-2.0
/*
 * Since 7.x the core watches the interfaces of the ports that drivers name by
 * ib_device_set_netdev(), and reports the states of these ports; a driver that knows better has an
 * op for it. New names of these interfaces go to listeners of netlink.
 */
#include <linux/netdevice.h>
#include <linux/notifier.h>
#include <ofed/refuse.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_netlink.h>

#include "port.h"

/**
 * ib_port_attr_to_speed_info - rate of a port
 * @attr: its attributes
 * @speed_info: out: all lanes together, and the name of the speed of one
 *
 * Context: any. Return: 0, -EINVAL (a width that is not known).
 */
int ib_port_attr_to_speed_info(struct ib_port_attr *attr, struct ib_port_speed_info *speed_info)
{
	int rate = ofed_port_rate(attr, &speed_info->str);

	if (rate < 0)
		return rate;
	speed_info->rate = rate;
	return 0;
}
OFED_EXPORT(ib_port_attr_to_speed_info);

/**
 * ib_query_netdev_port - which port works on an interface?
 * @ibdev: device
 * @ndev: interface
 * @port: out: number of the port
 *
 * Context: process, may sleep. Return: 0, -ENOENT (none does).
 */
int ib_query_netdev_port(struct ib_device *ibdev, struct net_device *ndev, u32 *port)
{
	struct net_device *its;
	u32 number;

	rdma_for_each_port(ibdev, number) {
		its = ib_device_get_netdev(ibdev, number);
		dev_put(its);
		if (its != ndev)
			continue;
		*port = number;
		return 0;
	}
	return ofed_refuse(ibdev, -ENOENT, "no port works on %s", netdev_name(ndev));
}
OFED_EXPORT(ib_query_netdev_port);

/* Is that not what was reported last? */
static bool port_state_changes(struct ib_device *ibdev, u32 port, enum ib_port_state state)
{
	struct ib_port_cache *cache = &ibdev->port_data[port].cache;
	enum ib_port_state last;
	unsigned long flags;

	write_lock_irqsave(&ibdev->cache_lock, flags);
	last = cache->last_port_state;
	/* Nothing was reported before: what the port had when it was registered. */
	if (last == IB_PORT_NOP)
		last = cache->port_state;
	cache->last_port_state = state;
	write_unlock_irqrestore(&ibdev->cache_lock, flags);
	return last != state;
}

/**
 * ib_dispatch_port_state_event - an interface may have gone up or down
 * @ibdev: device
 * @ndev: interface of a port of it
 *
 * IB_EVENT_PORT_ACTIVE or IB_EVENT_PORT_ERR follows if the state of the port is not what was
 * reported last. Context: process, may sleep.
 */
void ib_dispatch_port_state_event(struct ib_device *ibdev, struct net_device *ndev)
{
	enum ib_port_state state = ib_get_curr_port_state(ndev);
	struct ib_event event = {
		.device = ibdev,
		.event = state == IB_PORT_ACTIVE ? IB_EVENT_PORT_ACTIVE : IB_EVENT_PORT_ERR,
	};
	u32 port;

	if (ib_query_netdev_port(ibdev, ndev, &port) || !port_state_changes(ibdev, port, state))
		return;
	event.element.port_num = port;
	ib_dispatch_event(&event);
}
OFED_EXPORT(ib_dispatch_port_state_event);

static void port_netdev_renamed(struct ib_device *ibdev, struct net_device *ndev)
{
	u32 port;

	if (!ib_query_netdev_port(ibdev, ndev, &port))
		compat_nl_notify_rename(ibdev, port, NETDEV_RENAME);
}

static int port_on_netdev(struct notifier_block *self, unsigned long event, void *ptr)
{
	struct net_device *ndev = netdev_notifier_info_to_dev(ptr);
	struct ib_device *ibdev;

	if (event != NETDEV_UP && event != NETDEV_DOWN && event != NETDEV_CHANGE &&
	    event != NETDEV_CHANGENAME)
		return NOTIFY_DONE;
	ibdev = ib_device_get_by_netdev(ndev, RDMA_DRIVER_UNKNOWN);
	if (!ibdev)
		return NOTIFY_DONE;
	if (event == NETDEV_CHANGENAME)
		port_netdev_renamed(ibdev, ndev);
	else if (ibdev->ops.report_port_event)
		ibdev->ops.report_port_event(ibdev, ndev, event);
	else
		ib_dispatch_port_state_event(ibdev, ndev);
	ib_device_put(ibdev);
	return NOTIFY_DONE;
}

static struct notifier_block netdev_notifier = { .notifier_call = port_on_netdev };

/* Return: 0 or an errno. */
int ofed_port_state_init(void)
{
	return register_netdevice_notifier(&netdev_notifier);
}

void ofed_port_state_exit(void)
{
	unregister_netdevice_notifier(&netdev_notifier);
}
