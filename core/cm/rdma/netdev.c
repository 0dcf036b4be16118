// SPDX-License-Identifier: GPL-2.0
/*
 * rdma_cm: what happens to interfaces and neighbours under a connection. A bond
 * that fails over gets another address, which the consumer hears as
 * RDMA_CM_EVENT_ADDR_CHANGE. A peer that does so, once the path to it is known, is
 * unreachable from then on, since a QP can not be given another MAC.
 */
#include <linux/netdevice.h>
#include <linux/slab.h>
#include <net/neighbour.h>
#include <net/netevent.h>

#include "cma.h"

static void cma_address_moved(struct work_struct *work)
{
	struct cma_id *id = container_of(work, struct cma_id, moved_work);
	struct rdma_cm_event event = { .event = RDMA_CM_EVENT_ADDR_CHANGE };
	bool over;

	mutex_lock(&id->handler_mutex);
	over = cma_state_of(id) == CMA_S_DESTROYING ||
	       cma_state_of(id) == CMA_S_DEVICE_REMOVAL;
	cma_report_unlock_put(id, over ? NULL : &event);
}

static void cma_neighbour_moved(struct work_struct *work)
{
	struct cma_id *id = container_of(work, struct cma_id, pub.net_work);
	struct rdma_cm_event event = {
		.event = RDMA_CM_EVENT_UNREACHABLE,
		.status = -ETIMEDOUT,
	};

	mutex_lock(&id->handler_mutex);
	cma_report_unlock_put(id, cma_has_path(id) ? &event : NULL);
}

void cma_netdev_init_id(struct cma_id *id)
{
	INIT_WORK(&id->moved_work, cma_address_moved);
	INIT_WORK(&id->pub.net_work, cma_neighbour_moved);
}

/* Called in atomic context. */
static int cma_on_netevent(struct notifier_block *nb, unsigned long event,
			   void *ptr)
{
	if (event == NETEVENT_NEIGH_UPDATE)
		cma_neigh_update(ptr);
	return NOTIFY_DONE;
}

static struct notifier_block netevent_notifier = {
	.notifier_call = cma_on_netevent,
};

/**
 * struct cma_failover - a change of an interface's address
 * @work: looks for the ids that have it
 * @ndev: interface, referenced
 */
struct cma_failover {
	struct work_struct work;
	struct net_device *ndev;
};

static void cma_report_if_moved(struct cma_id *id, void *ctx)
{
	const struct net_device *ndev = ctx;
	struct rdma_dev_addr *l2 = cma_l2(id);

	if (l2->bound_dev_if == ndev->ifindex &&
	    net_eq(dev_net(ndev), cma_net(id)) &&
	    memcmp(l2->src_dev_addr, ndev->dev_addr, ndev->addr_len))
		cma_queue_held(id, &id->moved_work);
}

static void cma_look_for_ids(struct work_struct *work)
{
	struct cma_failover *failover =
		container_of(work, struct cma_failover, work);

	cma_for_each_id(cma_report_if_moved, failover->ndev);
	dev_put(failover->ndev);
	kfree(failover);
}

/*
 * Called with the rtnl, under which cma_mutex is not taken: listens that begin
 * may wait for the rtnl.
 */
static int cma_on_netdev(struct notifier_block *nb, unsigned long event, void *ptr)
{
	struct net_device *ndev = netdev_notifier_info_to_dev(ptr);
	struct cma_failover *failover;

	if (event != NETDEV_BONDING_FAILOVER || !netif_is_bond_master(ndev))
		return NOTIFY_DONE;
	failover = kmalloc(sizeof(*failover), GFP_KERNEL);
	if (!failover)
		return NOTIFY_DONE;
	INIT_WORK(&failover->work, cma_look_for_ids);
	failover->ndev = ndev;
	dev_hold(ndev);
	queue_work(cma_wq, &failover->work);
	return NOTIFY_DONE;
}

static struct notifier_block netdev_notifier = {
	.notifier_call = cma_on_netdev,
};

int cma_netdev_init(void)
{
	int ret = register_netdevice_notifier(&netdev_notifier);

	if (ret)
		return ret;
	ret = register_netevent_notifier(&netevent_notifier);
	if (ret)
		unregister_netdevice_notifier(&netdev_notifier);
	return ret;
}

void cma_netdev_exit(void)
{
	unregister_netevent_notifier(&netevent_notifier);
	unregister_netdevice_notifier(&netdev_notifier);
	flush_workqueue(cma_wq);
}
