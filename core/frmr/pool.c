// SPDX-License-Identifier: GPL-2.0
/* One pool: handles that are alike, those that regions have and those that none has. */
#include <linux/minmax.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "frmr.h"

#define FRMR_ORDER(a, b) (((a) > (b)) - ((a) < (b)))

/**
 * ofed_frmr_key_cmp - order of keys
 * @a: a key
 * @b: another one
 *
 * Return: less than, equal to or more than 0, as @a is before @b, the same, or behind it.
 */
int ofed_frmr_key_cmp(const struct ib_frmr_key *a, const struct ib_frmr_key *b)
{
	return FRMR_ORDER(a->kernel_vendor_key, b->kernel_vendor_key) ?:
	       FRMR_ORDER(a->vendor_key, b->vendor_key) ?:
	       FRMR_ORDER(a->num_dma_blocks, b->num_dma_blocks) ?:
	       FRMR_ORDER((u32)a->access_flags, (u32)b->access_flags) ?:
	       FRMR_ORDER(a->ats, b->ats);
}

/* Return: a pool without handles, or NULL. */
struct ib_frmr_pool *ofed_frmr_pool_alloc(struct ib_frmr_pools *pools,
					  const struct ib_frmr_key *key)
{
	struct ib_frmr_pool *pool = kzalloc(sizeof(*pool), GFP_KERNEL_ACCOUNT);

	if (!pool)
		return NULL;
	pool->pools = pools;
	pool->key = *key;
	mutex_init(&pool->lock);
	return pool;
}

/* The driver makes handles. Return: 0 or an errno of it. Context: process, may sleep. */
int ofed_frmr_pool_create(struct ib_frmr_pool *pool, u32 *handles, u32 cnt)
{
	/* The tree is in the order of the pool's own key, which the driver cannot change. */
	struct ib_frmr_key key = pool->key;

	return pool->pools->ops->create_frmrs(pool->pools->device, &key, handles, cnt);
}

static void frmr_pool_destroy(struct ib_frmr_pool *pool, u32 *handles, u32 cnt)
{
	struct ib_frmr_pools *pools = pool->pools;

	if (cnt)
		pools->ops->destroy_frmrs(pools->device, handles, cnt);
}

/* Destroys the handles too. The pool is not in the tree any more. */
void ofed_frmr_pool_free(struct ib_frmr_pool *pool)
{
	frmr_pool_destroy(pool, pool->handles.array, pool->handles.cnt);
	ofed_frmr_handles_free(&pool->handles);
	mutex_destroy(&pool->lock);
	kfree(pool);
}

static u32 frmr_pool_total(const struct ib_frmr_pool *pool)
{
	return pool->in_use + pool->handles.cnt;
}

static int frmr_pool_reserve(struct ib_frmr_pool *pool, u32 more)
{
	return ofed_frmr_handles_reserve(&pool->handles, frmr_pool_total(pool) + more);
}

/**
 * ofed_frmr_pool_claim - count a region in
 * @pool: the pool, which the caller keeps from being freed
 * @handle: out: a handle for it, if there is one
 *
 * Context: process, may sleep.
 *
 * Return: 1 (@handle is set), 0 (the caller makes a handle for the region), -ENOMEM (not counted).
 */
int ofed_frmr_pool_claim(struct ib_frmr_pool *pool, u32 *handle)
{
	int ret;

	mutex_lock(&pool->lock);
	ret = frmr_pool_reserve(pool, 1);
	if (!ret) {
		pool->in_use++;
		ret = ofed_frmr_handles_pop(&pool->handles, handle);
	}
	mutex_unlock(&pool->lock);
	return ret;
}

/* The region that was counted has its handle: what the driver would not make was never in use. */
void ofed_frmr_pool_settle(struct ib_frmr_pool *pool)
{
	mutex_lock(&pool->lock);
	pool->max_in_use = max(pool->max_in_use, pool->in_use);
	mutex_unlock(&pool->lock);
}

/* A region has no handle any more; the pool gets it if @handle is not NULL. */
void ofed_frmr_pool_unclaim(struct ib_frmr_pool *pool, const u32 *handle)
{
	mutex_lock(&pool->lock);
	if (!WARN_ON_ONCE(!pool->in_use))
		pool->in_use--;
	if (handle)
		ofed_frmr_handles_push(&pool->handles, *handle);
	mutex_unlock(&pool->lock);
}

static u32 frmr_pool_missing(struct ib_frmr_pool *pool)
{
	u32 total, missing;

	mutex_lock(&pool->lock);
	total = frmr_pool_total(pool);
	missing = pool->pinned > total ? pool->pinned - total : 0;
	mutex_unlock(&pool->lock);
	return missing;
}

static int frmr_pool_add(struct ib_frmr_pool *pool, const u32 *handles, u32 cnt)
{
	int ret;
	u32 i;

	mutex_lock(&pool->lock);
	ret = frmr_pool_reserve(pool, cnt);
	for (i = 0; !ret && i < cnt; i++)
		ofed_frmr_handles_push(&pool->handles, handles[i]);
	mutex_unlock(&pool->lock);
	return ret;
}

static int frmr_pool_make(struct ib_frmr_pool *pool, u32 cnt)
{
	u32 handles[OFED_FRMR_BATCH];
	int ret;

	ret = ofed_frmr_pool_create(pool, handles, cnt);
	if (ret)
		return ret;
	ret = frmr_pool_add(pool, handles, cnt);
	if (ret)
		frmr_pool_destroy(pool, handles, cnt);
	return ret;
}

/**
 * ofed_frmr_pool_set_pinned - set how many handles aging leaves
 * @pool: the pool, which the caller keeps from being freed
 * @pinned: number of handles
 *
 * Return: the number before.
 */
u32 ofed_frmr_pool_set_pinned(struct ib_frmr_pool *pool, u32 pinned)
{
	u32 old;

	mutex_lock(&pool->lock);
	old = pool->pinned;
	pool->pinned = pinned;
	mutex_unlock(&pool->lock);
	return old;
}

/**
 * ofed_frmr_pool_fill - make the pinned handles that are missing
 * @pool: a pool with pinned handles; the caller has ib_frmr_pools.pin_lock
 *
 * Context: process, may sleep.
 *
 * Return: 0, -ENOMEM, -EINTR, or an errno of the driver. Handles that were made before an error
 * stay, and become old.
 */
int ofed_frmr_pool_fill(struct ib_frmr_pool *pool)
{
	u32 missing;
	int ret = 0;

	lockdep_assert_held(&pool->pools->pin_lock);
	while (!ret && (missing = frmr_pool_missing(pool))) {
		ret = frmr_pool_make(pool, min_t(u32, missing, OFED_FRMR_BATCH));
		if (!ret && signal_pending(current))
			ret = -EINTR;
		cond_resched();
	}
	return ret;
}

static u32 frmr_pool_kept(const struct ib_frmr_pool *pool)
{
	return pool->pinned > pool->in_use ? pool->pinned - pool->in_use : 0;
}

/**
 * ofed_frmr_pool_trim - destroy handles that an administrator pins no longer
 * @pool: the pool, which the caller keeps from being freed
 * @cnt: how many; fewer if regions have them
 *
 * Context: process, may sleep.
 */
void ofed_frmr_pool_trim(struct ib_frmr_pool *pool, u32 cnt)
{
	u32 handle;
	bool found;

	for (; cnt; cnt--) {
		mutex_lock(&pool->lock);
		found = pool->handles.cnt > frmr_pool_kept(pool) &&
			ofed_frmr_handles_pop(&pool->handles, &handle);
		mutex_unlock(&pool->lock);
		if (!found)
			break;
		frmr_pool_destroy(pool, &handle, 1);
		cond_resched();
	}
}

/**
 * ofed_frmr_pool_age - destroy the handles that were not needed since the last time
 * @pool: the pool, which the caller keeps from being freed
 *
 * Context: process, may sleep.
 *
 * Return: true if handles are left that may become old.
 */
bool ofed_frmr_pool_age(struct ib_frmr_pool *pool)
{
	u32 handles[OFED_FRMR_BATCH], cnt;
	bool left;

	do {
		mutex_lock(&pool->lock);
		cnt = ofed_frmr_handles_take_unused(&pool->handles, frmr_pool_kept(pool), handles,
						    OFED_FRMR_BATCH);
		mutex_unlock(&pool->lock);
		frmr_pool_destroy(pool, handles, cnt);
		cond_resched();
	} while (cnt == OFED_FRMR_BATCH);

	mutex_lock(&pool->lock);
	ofed_frmr_handles_tick(&pool->handles);
	/* What a peak needed is given back; it does not matter if there is no memory for that. */
	frmr_pool_reserve(pool, 0);
	left = pool->handles.cnt > frmr_pool_kept(pool);
	mutex_unlock(&pool->lock);
	return left;
}

/* Is it of no use but for its statistics? The caller has ib_frmr_pools.lock for writing. */
bool ofed_frmr_pool_is_idle(struct ib_frmr_pool *pool)
{
	bool idle;

	mutex_lock(&pool->lock);
	idle = !frmr_pool_total(pool) && !pool->pinned;
	mutex_unlock(&pool->lock);
	return idle;
}

/* What netlink tells of the pool. */
void ofed_frmr_pool_info(struct ib_frmr_pool *pool, struct ofed_frmr_info *info)
{
	mutex_lock(&pool->lock);
	*info = (struct ofed_frmr_info){
		.key = pool->key,
		.handles = pool->handles.cnt,
		.in_use = pool->in_use,
		.max_in_use = pool->max_in_use,
		.pinned = pool->pinned,
	};
	mutex_unlock(&pool->lock);
}
