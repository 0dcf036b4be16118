// SPDX-License-Identifier: GPL-2.0
/*
 * rdma_cm: what happens to interfaces and neighbours under a connection. A bond
 * that fails over gets another address, which the consumer hears as
 * RDMA_CM_EVENT_ADDR_CHANGE. A peer that does so, once the path to it is known, is
 * unreachable from then on, since a QP can not be given another MAC.
 */
#include <linux/etherdevice.h>
#include <linux/hashtable.h>
#include <linux/jhash.h>
#include <linux/netdevice.h>
#include <linux/slab.h>
#include <net/neighbour.h>
#include <net/netevent.h>

#include "cma.h"

#define NEIGH_BITS 8

/* Guards watched_ids, and on_neigh and watched of each id. */
static DEFINE_SPINLOCK(neigh_lock);
/* Ids on RoCE by the address they connect to. */
static DEFINE_HASHTABLE(watched_ids, NEIGH_BITS);

static u32 cma_key_of(const void *ip, size_t size)
{
	return jhash(ip, size, 0);
}

/* The address alone, and its size. */
static const void *cma_ip_of(const struct sockaddr *addr, size_t *size)
{
	if (addr->sa_family == AF_INET) {
		*size = sizeof(struct in_addr);
		return &((const struct sockaddr_in *)addr)->sin_addr;
	}
	*size = sizeof(struct in6_addr);
	return &((const struct sockaddr_in6 *)addr)->sin6_addr;
}

/* With a reference, which the work puts. */
static void cma_queue_held(struct cma_id *id, struct work_struct *work)
{
	cma_id_get(id);
	if (!queue_work(cma_wq, work))
		cma_id_put(id);
}

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

/*
 * Does an id with a path hear of it when its neighbour moves? Also one that has been
 * disconnected: the consumer may be about to use its path again.
 */
static bool cma_has_path(struct cma_id *id)
{
	switch (cma_state_of(id)) {
	case CMA_S_ROUTE_RESOLVED:
	case CMA_S_CONNECT:
	case CMA_S_DISCONNECT:
		return true;
	default:
		return false;
	}
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

/**
 * cma_watch - watch the destination of an id for a change of its MAC
 * @id: id with a known path
 *
 * Context: any but interrupts.
 */
void cma_watch(struct cma_id *id)
{
	const void *ip;
	size_t size;

	if (!cma_on_roce(id) || cma_family(id) == AF_IB)
		return;
	ip = cma_ip_of(cma_dst(id), &size);
	spin_lock_bh(&neigh_lock);
	if (!id->watched)
		hash_add(watched_ids, &id->on_neigh, cma_key_of(ip, size));
	id->watched = true;
	spin_unlock_bh(&neigh_lock);
}

void cma_unwatch(struct cma_id *id)
{
	spin_lock_bh(&neigh_lock);
	if (id->watched)
		hash_del(&id->on_neigh);
	id->watched = false;
	spin_unlock_bh(&neigh_lock);
}

/* True if @id's next hop is @neigh, at another MAC address than @mac. */
static bool cma_has_lost(struct cma_id *id, const struct neighbour *neigh,
			 const char *mac)
{
	struct rdma_dev_addr *l2 = cma_l2(id);
	const void *ip;
	size_t size;

	if (l2->bound_dev_if != neigh->dev->ifindex ||
	    !net_eq(cma_net(id), dev_net(neigh->dev)))
		return false;
	ip = cma_ip_of(cma_dst(id), &size);
	return size == neigh->tbl->key_len &&
	       !memcmp(ip, neigh->primary_key, size) &&
	       memcmp(l2->dst_dev_addr, mac, ETH_ALEN);
}

static void cma_neighbour_is_at(struct neighbour *neigh)
{
	u32 key = cma_key_of(neigh->primary_key, neigh->tbl->key_len);
	char mac[MAX_ADDR_LEN];
	struct cma_id *id;

	if (!(READ_ONCE(neigh->nud_state) & NUD_VALID) ||
	    neigh->dev->addr_len != ETH_ALEN)
		return;
	neigh_ha_snapshot(mac, neigh, neigh->dev);
	spin_lock_bh(&neigh_lock);
	hash_for_each_possible(watched_ids, id, on_neigh, key)
		if (cma_has_path(id) && cma_has_lost(id, neigh, mac))
			cma_queue_held(id, &id->pub.net_work);
	spin_unlock_bh(&neigh_lock);
}

/* Called in atomic context. */
static int cma_on_netevent(struct notifier_block *nb, unsigned long event,
			   void *ptr)
{
	if (event == NETEVENT_NEIGH_UPDATE)
		cma_neighbour_is_at(ptr);
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

static void cma_tell_if_moved(struct cma_id *id, void *ctx)
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

	cma_for_each_id(cma_tell_if_moved, failover->ndev);
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
