// SPDX-License-Identifier: GPL-2.0
/*
 * Memory windows: a part of a region for a peer, by a key of its own (IBA vol.
 * 1, 10.6.7). A window that grants nothing has no region behind it.
 */
#include <ofed/refuse.h>

#include "dev.h"
#include "mw.h"
#include "region_lock.h"

/* What a window can be asked for beside remote rights; all else is a fault. */
#define WINDOW_RIGHTS (SOFT_REMOTE_RIGHTS | IB_ACCESS_LOCAL_WRITE | \
		       IB_ZERO_BASED | IB_ACCESS_OPTIONAL)

/**
 * soft_alloc_mw - ops.alloc_mw: a window that is not bound
 * @mw: memory of the core, with type and pd
 * @udata: not used
 *
 * Context: process, may sleep. Return: 0, -EINVAL (type), or -ENOMEM.
 */
int soft_alloc_mw(struct ib_mw *mw, struct ib_udata *udata)
{
	struct soft_mw *window = container_of(mw, struct soft_mw, mw);
	struct soft_region *region;
	int ret;

	if (mw->type != IB_MW_TYPE_1 && mw->type != IB_MW_TYPE_2)
		return ofed_refuse(mw->device, -EINVAL, "mw_type %d", mw->type);
	region = soft_region_new(&to_soft_dev(mw->device)->mem, mw->pd,
				 mw->type == IB_MW_TYPE_1 ? SOFT_WINDOW_1 :
							    SOFT_WINDOW_2);
	if (!region)
		return -ENOMEM;
	ret = soft_region_publish(region);
	if (ret) {
		soft_region_put(region);
		return ret;
	}
	window->region = region;
	mw->rkey = region->key;
	return 0;
}

/**
 * soft_dealloc_mw - ops.dealloc_mw
 * @mw: bound or not
 *
 * Context: process. Return: 0; no byte moves by its key any more.
 */
int soft_dealloc_mw(struct ib_mw *mw)
{
	struct soft_region *region =
		container_of(mw, struct soft_mw, mw)->region;
	struct soft_region *parent;
	unsigned long flags;

	flags = soft_region_lock_write(region);
	region->valid = false;
	region->grant++;
	parent = region->parent;
	region->parent = NULL;
	/* A concurrent bind compares PDs, and fails. */
	region->pd = NULL;
	soft_region_unlock_write(region, flags);

	soft_window_detach(parent);
	soft_region_withdraw(region);
	return 0;
}

/* May @parent have such a window? IBA vol. 1, 10.6.7.2.5 and 11.2.9. */
static enum soft_access_err soft_may_attach(const struct soft_region *parent,
					    struct ib_pd *pd,
					    const struct soft_bind *bind)
{
	soft_region_assert_write(parent);

	if (!parent->valid || parent->key != bind->mr_lkey)
		return SOFT_ERR_KEY;
	if (parent->pd != pd || !(parent->access & IB_ACCESS_MW_BIND) ||
	    parent->access & IB_ZERO_BASED)
		return SOFT_ERR_PERM;
	if (bind->access & (IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_ATOMIC) &&
	    !(parent->access & IB_ACCESS_LOCAL_WRITE))
		return SOFT_ERR_PERM;
	if (!soft_region_covers(parent, bind->addr, bind->length))
		return SOFT_ERR_BOUNDS;
	return SOFT_OK;
}

/* The region that @bind names, referenced and counted as having the window. */
static struct soft_region *soft_mw_attach(struct soft_mem *mem, struct ib_pd *pd,
					  const struct soft_bind *bind,
					  enum soft_access_err *fault)
{
	struct soft_region *parent = soft_region_get(mem, bind->mr_lkey);
	unsigned long flags;

	*fault = SOFT_ERR_KEY;
	if (!parent)
		return NULL;
	/* Deregistration looks at the number under the lock. */
	flags = soft_region_lock_write(parent);
	if (parent->kind == SOFT_USER)
		*fault = soft_may_attach(parent, pd, bind);
	if (*fault == SOFT_OK)
		atomic_inc(&parent->windows);
	soft_region_unlock_write(parent, flags);
	if (*fault == SOFT_OK)
		return parent;
	soft_region_put(parent);
	return NULL;
}

/*
 * A window of type 1 is bound as often as one likes; one of type 2 only when it
 * is invalid, and to a key that it does not have now.
 */
static enum soft_access_err soft_may_bind(const struct soft_region *window,
					  struct ib_pd *pd, const struct soft_bind *bind)
{
	soft_region_assert_write(window);

	if (window->key != bind->mw_rkey)
		return SOFT_ERR_KEY;
	if (window->pd != pd)
		return SOFT_ERR_PERM;
	if (window->kind == SOFT_WINDOW_1)
		return bind->access & IB_ZERO_BASED ? SOFT_ERR_PERM : SOFT_OK;
	if (window->valid || (u8)window->key == bind->new_key)
		return SOFT_ERR_KEY;
	return SOFT_OK;
}

static void soft_bind_to(struct soft_region *window, struct soft_region *parent,
			 u32 qpn, const struct soft_bind *bind)
{
	u8 low = window->key + 1;

	soft_region_assert_write(window);

	if (window->kind == SOFT_WINDOW_2)
		low = bind->new_key;
	window->key = (window->key & ~0xffU) | low;
	window->grant++;
	window->valid = parent;
	window->parent = parent;
	window->qpn = qpn;
	window->parent_iova = bind->addr;
	window->iova = bind->access & IB_ZERO_BASED ? 0 : bind->addr;
	window->length = bind->length;
	window->access = bind->access & SOFT_REMOTE_RIGHTS;
}

/**
 * soft_window_bind - a work request: let a window grant a part of a region
 * @mem: of the device
 * @pd: of the queue pair
 * @qpn: of the queue pair; a window of type 2 is good for this one only
 * @bind: what to bind; a length of 0 unbinds a window of type 1
 *
 * After a fault the window grants what it did before.
 *
 * Context: any. Return: SOFT_OK, or what is wrong with any of it.
 */
enum soft_access_err soft_window_bind(struct soft_mem *mem, struct ib_pd *pd,
				      u32 qpn, const struct soft_bind *bind)
{
	struct soft_region *window, *parent = NULL;
	enum soft_access_err fault = SOFT_OK;
	unsigned long flags;

	if (bind->access & ~WINDOW_RIGHTS)
		return SOFT_ERR_PERM;
	window = soft_region_get(mem, bind->mw_rkey);
	if (!window)
		return SOFT_ERR_KEY;
	if (window->kind < SOFT_WINDOW_1)
		fault = SOFT_ERR_KEY;
	else if (bind->length)
		parent = soft_mw_attach(mem, pd, bind, &fault);
	else if (window->kind == SOFT_WINDOW_2)
		fault = SOFT_ERR_BOUNDS;
	if (fault != SOFT_OK)
		goto out;

	flags = soft_region_lock_write(window);
	fault = soft_may_bind(window, pd, bind);
	if (fault == SOFT_OK) {
		struct soft_region *old = window->parent;

		soft_bind_to(window, parent, qpn, bind);
		parent = old;
	}
	soft_region_unlock_write(window, flags);
	/* The one it had, or the one it did not get. */
	soft_window_detach(parent);
out:
	soft_region_put(window);
	return fault;
}
