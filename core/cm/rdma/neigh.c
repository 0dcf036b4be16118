// SPDX-License-Identifier: GPL-2.0
/*
 * rdma_cm: the next hops of the ids on RoCE are watched. A neighbour that gets
 * another MAC address is lost to them.
 */
#include <linux/etherdevice.h>
#include <linux/hashtable.h>
#include <linux/jhash.h>
#include <linux/netdevice.h>
#include <net/neighbour.h>

#include "../../addr/addr.h"
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

/*
 * Does an id with a path hear of it when its neighbour moves? Also one that has been
 * disconnected: the consumer may be about to use its path again.
 */
bool cma_has_path(struct cma_id *id)
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

/* With a reference, which the work puts. */
void cma_queue_held(struct cma_id *id, struct work_struct *work)
{
	cma_id_get(id);
	if (!queue_work(cma_wq, work))
		cma_id_put(id);
}

/* What an update of the neighbour table says of @neigh. Context: atomic. */
void cma_neigh_update(struct neighbour *neigh)
{
	u32 key = cma_key_of(neigh->primary_key, neigh->tbl->key_len);
	char mac[MAX_ADDR_LEN];
	struct cma_id *id;

	if (neigh->dev->addr_len != ETH_ALEN || !ofed_addr_neigh_mac(neigh, mac))
		return;
	spin_lock_bh(&neigh_lock);
	hash_for_each_possible(watched_ids, id, on_neigh, key)
		if (cma_has_path(id) && cma_has_lost(id, neigh, mac))
			cma_queue_held(id, &id->pub.net_work);
	spin_unlock_bh(&neigh_lock);
}
