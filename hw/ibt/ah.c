// SPDX-License-Identifier: GPL-2.0
/*
 * Address handles. A work request that names one keeps its route. The path is
 * resolved when the request is sent: the poster may be in a context in which the
 * link can not resolve it, and the path may be stale by then. The consumer may
 * modify or destroy the handle meanwhile, in any context. The route stays until the
 * last request is complete, and for a grace period more, because work requests of
 * user space find it by number under RCU.
 */
#include <linux/module.h>
#include <linux/slab.h>
#include <ofed/refuse.h>
#include <rdma/rdma_user_rxe.h>
#include <rdma/uverbs_ioctl.h>

#include "../soft/dev.h"
#include "ah.h"
#include "dev.h"
#include "limits.h"
#include "link.h"
#include "port.h"

/**
 * struct ibt_av - destination of an address handle
 * @rcu: for kfree_rcu()
 * @refs: 1 of the handle, 1 of each work request
 * @lock: (spinlock, irqsave) guards what follows
 * @dev: device of the handle
 * @pd: protection domain of the handle
 * @path: referenced; NULL: not resolved yet
 * @gen: generation of the port when @path was resolved
 * @attr: address, with a reference on its GID
 * @ended: the handle is destroyed, @attr is empty
 */
struct ibt_av {
	struct rcu_head rcu;
	refcount_t refs;
	spinlock_t lock;
	struct ibt_dev *dev;
	struct ib_pd *pd;
	struct ibt_path *path;
	int gen;
	struct rdma_ah_attr attr;
	bool ended;
};

struct ibt_ah {
	struct ib_ah ib;
	struct ibt_av *route;
	u32 number;	/* in ibt_dev.ahs, 0: a handle of the kernel */
};

static struct ibt_ah *ibt_to_ibt_ah(struct ib_ah *ib)
{
	return container_of(ib, struct ibt_ah, ib);
}

/* ---- routes ------------------------------------------------------------------ */

void ibt_av_put(struct ibt_av *route)
{
	if (!route || !refcount_dec_and_test(&route->refs))
		return;
	ibt_path_put(route->path);
	kfree_rcu(route, rcu);
}

/*
 * NULL: the path can not be resolved in this context. The first sender resolves it
 * (ibt_av_path()).
 */
static struct ibt_path *ibt_route_resolve(struct ibt_dev *dev,
					  const struct rdma_ah_attr *attr,
					  gfp_t gfp, int *gen)
{
	struct ibt_port *port = ibt_dev_port(dev, rdma_ah_get_port_num(attr));
	struct ibt_path *path;

	if (!port)
		return ofed_refuse(&dev->soft.ib, ERR_PTR(-EINVAL),
				   "address: there is no port %u",
				   rdma_ah_get_port_num(attr));
	if (rdma_ah_get_ah_flags(attr) & IB_AH_GRH && !attr->grh.sgid_attr)
		return ofed_refuse(&dev->soft.ib, ERR_PTR(-EINVAL),
				   "address: sgid_index %u has no GID",
				   attr->grh.sgid_index);
	*gen = atomic_read_acquire(&port->generation);
	path = dev->link->path_resolve(port, attr, gfp);
	return path == ERR_PTR(-EAGAIN) ? NULL : path;
}

/* Resolves @from, and replaces the address and the path of @route. */
static int ibt_route_set(struct ibt_av *route,
			 const struct rdma_ah_attr *from, gfp_t gfp)
{
	struct rdma_ah_attr attr = {};
	struct ibt_path *path;
	unsigned long flags;
	int gen = 0;

	path = ibt_route_resolve(route->dev, from, gfp, &gen);
	if (IS_ERR(path))
		return PTR_ERR(path);
	rdma_copy_ah_attr(&attr, from);
	spin_lock_irqsave(&route->lock, flags);
	swap(route->attr, attr);
	swap(route->path, path);
	route->gen = gen;
	spin_unlock_irqrestore(&route->lock, flags);
	ibt_path_put(path);
	rdma_destroy_ah_attr(&attr);
	return 0;
}

/* The last path stays for requests that were posted before. */
static void ibt_route_end(struct ibt_av *route)
{
	struct rdma_ah_attr attr = {};
	unsigned long flags;

	spin_lock_irqsave(&route->lock, flags);
	swap(route->attr, attr);
	route->ended = true;
	spin_unlock_irqrestore(&route->lock, flags);
	rdma_destroy_ah_attr(&attr);
	ibt_av_put(route);
}

static int ibt_route_new(struct ibt_ah *ah, const struct rdma_ah_attr *attr,
			 gfp_t gfp)
{
	struct ibt_av *route = kzalloc(sizeof(*route), gfp);
	int ret;

	if (!route)
		return -ENOMEM;
	refcount_set(&route->refs, 1);
	spin_lock_init(&route->lock);
	route->dev = to_ibt_dev(ah->ib.device);
	route->pd = ah->ib.pd;
	ret = ibt_route_set(route, attr, gfp);
	if (ret) {
		kfree(route);
		return ofed_refuse(ah->ib.device, ret, "address: no path there (%d)",
				   ret);
	}
	ah->route = route;
	return 0;
}

/* Copies the address of @old, with a reference. False: @old was replaced, or ended. */
static bool ibt_route_copy(struct ibt_av *route, const struct ibt_path *old,
			   struct rdma_ah_attr *attr)
{
	unsigned long flags;
	bool used;

	spin_lock_irqsave(&route->lock, flags);
	used = route->path == old && !route->ended;
	if (used)
		rdma_copy_ah_attr(attr, &route->attr);
	spin_unlock_irqrestore(&route->lock, flags);
	return used;
}

/*
 * Replaces @old, which is stale or missing, by a new path. False: the address can not be
 * reached now, or the handle is destroyed.
 */
static bool ibt_route_renew(struct ibt_av *route, struct ibt_path *old)
{
	struct rdma_ah_attr attr = {};
	struct ibt_path *path;
	unsigned long flags;
	int gen = 0;

	if (!ibt_route_copy(route, old, &attr))
		return !READ_ONCE(route->ended);
	path = ibt_route_resolve(route->dev, &attr, GFP_ATOMIC, &gen);
	rdma_destroy_ah_attr(&attr);
	if (IS_ERR_OR_NULL(path))
		return false;

	spin_lock_irqsave(&route->lock, flags);
	if (route->path == old) {
		swap(route->path, path);
		route->gen = gen;
	}
	spin_unlock_irqrestore(&route->lock, flags);
	ibt_path_put(path);
	return true;
}

static bool ibt_route_fresh(const struct ibt_path *path, int gen)
{
	return path && gen == atomic_read(&path->port->generation) &&
	       path->port->dev->link->path_valid(path);
}

struct ibt_path *ibt_av_path(struct ibt_av *route)
{
	struct ibt_path *path;
	unsigned long flags;
	int gen, tries;
	bool again;

	/* Never returns a stale path: its port may be freed. */
	for (tries = 3; tries; tries--) {
		spin_lock_irqsave(&route->lock, flags);
		path = route->path ? ibt_path_get(route->path) : NULL;
		gen = route->gen;
		spin_unlock_irqrestore(&route->lock, flags);
		if (likely(ibt_route_fresh(path, gen)))
			return path;
		again = ibt_route_renew(route, path);
		ibt_path_put(path);
		if (!again)
			break;
	}
	return NULL;
}

struct ibt_av *ibt_ah_get_av(struct ibt_dev *dev, struct ib_pd *pd,
			     u32 number)
{
	struct ibt_av *route;

	rcu_read_lock();
	route = xa_load(&dev->ahs, number);
	if (route && (route->pd != pd || !refcount_inc_not_zero(&route->refs)))
		route = NULL;
	rcu_read_unlock();
	return route;
}

struct ibt_av *ibt_kernel_ah_av(struct ib_ah *ib)
{
	struct ibt_av *route = ibt_to_ibt_ah(ib)->route;

	refcount_inc(&route->refs);
	return route;
}

/* ---- ops --------------------------------------------------------------------- */

static int ibt_create_ah(struct ib_ah *ib, struct rdma_ah_init_attr *init,
			 struct ib_udata *udata)
{
	gfp_t gfp = init->flags & RDMA_CREATE_AH_SLEEPABLE ?
		GFP_KERNEL_ACCOUNT : GFP_ATOMIC;

	return ibt_route_new(ibt_to_ibt_ah(ib), init->ah_attr, gfp);
}

/* User space puts the number of the handle into its work requests. */
static int ibt_create_user_ah(struct ib_ah *ib, struct rdma_ah_init_attr *init,
			      struct ib_udata *udata)
{
	struct ibt_dev *dev = to_ibt_dev(ib->device);
	struct rxe_create_ah_resp resp = {};
	struct ibt_ah *ah = ibt_to_ibt_ah(ib);
	int ret;

	if (!udata || ofed_too_short(ib->device, "AH answer",
				     udata->outlen, sizeof(resp)))
		return -EINVAL;
	ret = soft_limit_take(&dev->soft, SOFT_OBJECT_AH);
	if (ret)
		return ret;
	ret = ibt_route_new(ah, init->ah_attr, GFP_KERNEL_ACCOUNT);
	if (ret)
		goto err_limit;
	/* The limit on handles leaves a free number in any case. */
	ret = xa_alloc_cyclic(&dev->ahs, &ah->number, ah->route,
			      XA_LIMIT(1, IBT_MAX_AH), &dev->next_ah,
			      GFP_KERNEL_ACCOUNT);
	if (ret < 0)
		goto err_route;
	resp.ah_num = ah->number;
	ret = ib_copy_to_udata(udata, &resp, sizeof(resp));
	if (ret)
		goto err_number;
	return 0;

err_number:
	xa_erase(&dev->ahs, ah->number);
err_route:
	ibt_route_end(ah->route);
err_limit:
	soft_limit_give(&dev->soft, SOFT_OBJECT_AH);
	return ret;
}

static int ibt_modify_ah(struct ib_ah *ib, struct rdma_ah_attr *attr)
{
	return ibt_route_set(ibt_to_ibt_ah(ib)->route, attr, GFP_ATOMIC);
}

static int ibt_query_ah(struct ib_ah *ib, struct rdma_ah_attr *attr)
{
	struct ibt_av *route = ibt_to_ibt_ah(ib)->route;
	unsigned long flags;

	spin_lock_irqsave(&route->lock, flags);
	*attr = route->attr;
	spin_unlock_irqrestore(&route->lock, flags);
	/* The route keeps the reference on the GID. */
	attr->grh.sgid_attr = NULL;
	return 0;
}

/* Handles of user space are destroyed in process context, those of the kernel in any. */
static int ibt_destroy_ah(struct ib_ah *ib, u32 flags)
{
	struct ibt_dev *dev = to_ibt_dev(ib->device);
	struct ibt_ah *ah = ibt_to_ibt_ah(ib);

	if (ah->number) {
		xa_erase(&dev->ahs, ah->number);
		soft_limit_give(&dev->soft, SOFT_OBJECT_AH);
	}
	ibt_route_end(ah->route);
	return 0;
}

const struct ib_device_ops ibt_ah_ops = {
	.create_ah = ibt_create_ah,
	.create_user_ah = ibt_create_user_ah,
	.modify_ah = ibt_modify_ah,
	.query_ah = ibt_query_ah,
	.destroy_ah = ibt_destroy_ah,

	INIT_RDMA_OBJ_SIZE(ib_ah, ibt_ah, ib),
};
