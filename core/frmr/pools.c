// SPDX-License-Identifier: GPL-2.0
/* The pools of a device, by key, and their aging. */
#include <linux/jiffies.h>
#include <linux/slab.h>
#include <ofed/refuse.h>

#include "frmr.h"

#define frmr_pool_of(rb) rb_entry(rb, struct ib_frmr_pool, node)

static int frmr_pools_cmp_key(const void *key, const struct rb_node *node)
{
	return ofed_frmr_key_cmp(key, &frmr_pool_of(node)->key);
}

static int frmr_pools_cmp(struct rb_node *node, const struct rb_node *other)
{
	return ofed_frmr_key_cmp(&frmr_pool_of(node)->key, &frmr_pool_of(other)->key);
}

/* Return: the pool of @key, with pools->lock held for reading; or NULL: there is no memory. */
static struct ib_frmr_pool *frmr_pools_get_locked(struct ib_frmr_pools *pools,
						  const struct ib_frmr_key *key)
{
	struct ib_frmr_pool *pool;
	struct rb_node *node;

	down_read(&pools->lock);
	node = rb_find(key, &pools->tree, frmr_pools_cmp_key);
	if (node)
		return frmr_pool_of(node);
	up_read(&pools->lock);

	pool = ofed_frmr_pool_alloc(pools, key);
	if (!pool)
		return NULL;
	down_write(&pools->lock);
	node = rb_find_add(&pool->node, &pools->tree, frmr_pools_cmp);
	if (node) {
		/* Another region of this key was first. */
		ofed_frmr_pool_free(pool);
		pool = frmr_pool_of(node);
	} else {
		pools->cnt++;
	}
	downgrade_write(&pools->lock);
	return pool;
}

/* The first pool behind @key; of all, if that is NULL. */
static struct ib_frmr_pool *frmr_pools_after(struct ib_frmr_pools *pools,
					     const struct ib_frmr_key *key)
{
	struct rb_node *node = pools->tree.rb_node, *found = NULL;

	lockdep_assert_held(&pools->lock);
	while (node) {
		if (!key || frmr_pools_cmp_key(key, node) < 0) {
			found = node;
			node = node->rb_left;
		} else {
			node = node->rb_right;
		}
	}
	return found ? frmr_pool_of(found) : NULL;
}

static unsigned long frmr_pools_period(const struct ib_frmr_pools *pools)
{
	return min_t(u64, (u64)READ_ONCE(pools->period) * HZ, MAX_JIFFY_OFFSET);
}

static void frmr_pools_arm(struct ib_frmr_pools *pools)
{
	queue_delayed_work(ib_wq, &pools->aging, frmr_pools_period(pools));
}

/**
 * ofed_frmr_pools_pop - get a handle for a region
 * @pools: pools of the device
 * @key: what the handle is like
 * @out: out: pool that the handle goes back to
 * @handle: out
 *
 * Context: process, may sleep.
 *
 * Return: 0, -ENOMEM, or an errno of the driver, which makes the handle if the pool has none.
 */
int ofed_frmr_pools_pop(struct ib_frmr_pools *pools, const struct ib_frmr_key *key,
			struct ib_frmr_pool **out, u32 *handle)
{
	struct ib_frmr_pool *pool = frmr_pools_get_locked(pools, key);
	int ret;

	if (!pool)
		return -ENOMEM;
	ret = ofed_frmr_pool_claim(pool, handle);
	up_read(&pools->lock);
	if (ret < 0)
		return ret;
	if (!ret) {
		ret = ofed_frmr_pool_create(pool, handle, 1);
		if (ret) {
			ofed_frmr_pools_drop(pool);
			return ret;
		}
	}
	ofed_frmr_pool_settle(pool);
	*out = pool;
	return 0;
}

/* A region gives its handle back. Context: process, may sleep. */
void ofed_frmr_pools_push(struct ib_frmr_pool *pool, u32 handle)
{
	struct ib_frmr_pools *pools = pool->pools;

	down_read(&pools->lock);
	ofed_frmr_pool_unclaim(pool, &handle);
	up_read(&pools->lock);
	frmr_pools_arm(pools);
}

/*
 * A region has no handle any more. Aging frees the pool, if there are too many: a program can make
 * one of another key each time. Context: process, may sleep.
 */
void ofed_frmr_pools_drop(struct ib_frmr_pool *pool)
{
	struct ib_frmr_pools *pools = pool->pools;

	down_read(&pools->lock);
	ofed_frmr_pool_unclaim(pool, NULL);
	up_read(&pools->lock);
	frmr_pools_arm(pools);
}

static int frmr_pools_pin_locked(struct ib_frmr_pools *pools, const struct ib_frmr_key *key,
				 u32 pinned)
{
	struct ib_frmr_pool *pool = frmr_pools_get_locked(pools, key);
	u32 old;
	int ret;

	if (!pool)
		return -ENOMEM;
	old = ofed_frmr_pool_set_pinned(pool, pinned);
	if (pinned < old)
		ofed_frmr_pool_trim(pool, old - pinned);
	up_read(&pools->lock);
	/* With handles pinned the pool is not freed, and pin_lock keeps them so. */
	ret = pinned ? ofed_frmr_pool_fill(pool) : 0;
	if (ret) {
		down_read(&pools->lock);
		ofed_frmr_pool_set_pinned(pool, old);
		up_read(&pools->lock);
	}
	frmr_pools_arm(pools);
	return ret;
}

/**
 * ofed_frmr_pools_pin - set how many handles of a key aging leaves, and make those that are missing
 * @pools: pools of the device
 * @in: the key as an administrator gives it; the driver makes its own of it
 * @pinned: number of handles, in use or not
 *
 * On an error the number is as before.
 *
 * Context: process, may sleep.
 *
 * Return: 0, -EOPNOTSUPP (the driver has no build_key), -EINVAL (a pool of the kernel, or more
 * handles than the device has regions), -ENOMEM, -EINTR, or an errno of the driver.
 */
int ofed_frmr_pools_pin(struct ib_frmr_pools *pools, const struct ib_frmr_key *in, u32 pinned)
{
	struct ib_device *device = pools->device;
	struct ib_frmr_key key = {};
	int ret;

	if (!pools->ops->build_key)
		return ofed_refuse_op(device, "build_key");
	if (ofed_exceeds(device, "pinned handles", pinned, max(device->attrs.max_mr, 0)))
		return -EINVAL;
	ret = pools->ops->build_key(device, in, &key);
	if (ret)
		return ret;
	if (in->kernel_vendor_key || key.kernel_vendor_key)
		return ofed_refuse(device, -EINVAL, "a pool of the kernel cannot be set");
	mutex_lock(&pools->pin_lock);
	ret = frmr_pools_pin_locked(pools, &key, pinned);
	mutex_unlock(&pools->pin_lock);
	return ret;
}

/**
 * ofed_frmr_pools_set_period - set when a handle that is not needed is old
 * @pools: pools of the device
 * @seconds: one to two times as long it stays
 *
 * Context: process. Return: 0, -EINVAL (0 seconds).
 */
int ofed_frmr_pools_set_period(struct ib_frmr_pools *pools, u32 seconds)
{
	if (!seconds)
		return ofed_refuse(pools->device, -EINVAL, "handles that are old at once");
	WRITE_ONCE(pools->period, seconds);
	mod_delayed_work(ib_wq, &pools->aging, frmr_pools_period(pools));
	return 0;
}

/* The pool behind @after, or the first if that is NULL. Return: false if there is none. */
bool ofed_frmr_pools_next(struct ib_frmr_pools *pools, const struct ib_frmr_key *after,
			  struct ofed_frmr_info *info)
{
	struct ib_frmr_pool *pool;

	down_read(&pools->lock);
	pool = frmr_pools_after(pools, after);
	if (pool)
		ofed_frmr_pool_info(pool, info);
	up_read(&pools->lock);
	return pool;
}

/* Any program can make pools of many keys, so that only some are kept for their statistics. */
static void frmr_pools_prune(struct ib_frmr_pools *pools)
{
	struct ib_frmr_pool *pool;
	struct rb_node *node, *next;

	down_write(&pools->lock);
	for (node = rb_first(&pools->tree); node && pools->cnt > OFED_FRMR_POOLS_KEPT; node = next) {
		next = rb_next(node);
		pool = frmr_pool_of(node);
		if (!ofed_frmr_pool_is_idle(pool))
			continue;
		rb_erase(node, &pools->tree);
		pools->cnt--;
		ofed_frmr_pool_free(pool);
	}
	up_write(&pools->lock);
}

/*
 * Destroys handles that were not needed since the last time, and frees pools. The driver may take
 * its time, so that no lock is held meanwhile: pools come, but none goes.
 *
 * Return: true if handles are left that may become old.
 */
bool ofed_frmr_pools_age(struct ib_frmr_pools *pools)
{
	struct ib_frmr_pool *pool = NULL;
	bool left = false;

	for (;;) {
		down_read(&pools->lock);
		pool = frmr_pools_after(pools, pool ? &pool->key : NULL);
		up_read(&pools->lock);
		if (!pool)
			break;
		left |= ofed_frmr_pool_age(pool);
	}
	frmr_pools_prune(pools);
	return left;
}

static void frmr_pools_aging(struct work_struct *work)
{
	struct ib_frmr_pools *pools = container_of(to_delayed_work(work), struct ib_frmr_pools,
						   aging);

	if (ofed_frmr_pools_age(pools))
		frmr_pools_arm(pools);
}

/* Return: the pools of a device, none so far; or NULL. Context: process, may sleep. */
struct ib_frmr_pools *ofed_frmr_pools_alloc(struct ib_device *device,
					    const struct ib_frmr_pool_ops *ops)
{
	struct ib_frmr_pools *pools = kzalloc(sizeof(*pools), GFP_KERNEL);

	if (!pools)
		return NULL;
	pools->device = device;
	pools->ops = ops;
	mutex_init(&pools->pin_lock);
	init_rwsem(&pools->lock);
	pools->tree = RB_ROOT;
	pools->period = OFED_FRMR_AGING_SECONDS;
	INIT_DELAYED_WORK(&pools->aging, frmr_pools_aging);
	return pools;
}

/* No region has a handle any more. Context: process, may sleep. */
void ofed_frmr_pools_free(struct ib_frmr_pools *pools)
{
	struct ib_frmr_pool *pool, *next;

	cancel_delayed_work_sync(&pools->aging);
	rbtree_postorder_for_each_entry_safe(pool, next, &pools->tree, node) {
		WARN_ON_ONCE(pool->in_use);
		ofed_frmr_pool_free(pool);
	}
	mutex_destroy(&pools->pin_lock);
	kfree(pools);
}
