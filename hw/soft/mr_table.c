// SPDX-License-Identifier: GPL-2.0
/*
 * Keys and what they grant. IBA vol. 1, 10.6.3: a key is an index of 24 bits,
 * chosen by the device, and 8 bits that the consumer may choose for some kinds
 * of region. All 32 bits must match.
 */
#include <linux/export.h>
#include <linux/random.h>

#include "dev.h"
#include "region_lock.h"

#define KEY_INDEX_MAX 0xffffff

/**
 * soft_mem_init - no keys yet
 * @mem: of a device
 */
void soft_mem_init(struct soft_mem *mem)
{
	xa_init_flags(&mem->keys, XA_FLAGS_ALLOC1 | XA_FLAGS_LOCK_IRQ |
		      XA_FLAGS_ACCOUNT);
	mem->next = 1;
	mem->null = NULL;
	atomic_long_set(&mem->withdrawn, 0);
	atomic_set(&mem->on_demand, 0);
	soft_faults_init(&mem->faults);
}
EXPORT_SYMBOL_GPL(soft_mem_init);

/**
 * soft_mem_exit - undo soft_mem_init()
 * @mem: all regions and windows are gone
 */
void soft_mem_exit(struct soft_mem *mem)
{
	WARN_ON(!xa_empty(&mem->keys));
	xa_destroy(&mem->keys);
}
EXPORT_SYMBOL_GPL(soft_mem_exit);

/**
 * soft_region_new - a region without a key
 * @mem: of the device
 * @pd: protection domain
 * @kind: of region
 *
 * Context: process, may sleep. Return: it, with the owner's reference, or NULL.
 */
struct soft_region *soft_region_new(struct soft_mem *mem, struct ib_pd *pd,
				    enum soft_region_kind kind)
{
	struct soft_region *region;

	region = kzalloc(sizeof(*region), GFP_KERNEL_ACCOUNT);
	if (!region)
		return NULL;
	region->kind = kind;
	region->mem = mem;
	region->pd = pd;
	refcount_set(&region->refs, 1);
	soft_region_lock_init(region);
	atomic_set(&region->windows, 0);
	return region;
}

static struct soft_dev *soft_dev_of(struct soft_region *region)
{
	return container_of(region->mem, struct soft_dev, mem);
}

static enum soft_object soft_object_of(const struct soft_region *region)
{
	return region->kind >= SOFT_WINDOW_1 ? SOFT_OBJECT_MW : SOFT_OBJECT_MR;
}

/**
 * soft_key_give - give a region a key
 * @region: complete; may be found as soon as it has the key
 *
 * Context: process, may sleep. Return: 0, or -ENOMEM (no memory, no index).
 */
int soft_key_give(struct soft_region *region)
{
	struct soft_mem *mem = region->mem;
	u8 low = get_random_u32();
	u32 index;
	int ret;

	/* Readers see nothing until the key is in place. */
	ret = xa_alloc_cyclic_irq(&mem->keys, &index, NULL,
				  XA_LIMIT(1, KEY_INDEX_MAX), &mem->next,
				  GFP_KERNEL_ACCOUNT);
	if (ret < 0)
		return -ENOMEM;
	region->key = index << 8 | low;
	region->mr.lkey = region->key;
	region->mr.rkey = region->key;
	xa_store_irq(&mem->keys, index, region, GFP_KERNEL_ACCOUNT);
	return 0;
}

/**
 * soft_key_take - undo soft_key_give()
 * @region: grants nothing any more
 *
 * Context: process.
 */
void soft_key_take(struct soft_region *region)
{
	xa_erase_irq(&region->mem->keys, region->key >> 8);
	/*
	 * No lookup finds it, then no cache, then it may be freed. A fully ordered operation:
	 * pairs with soft_key_find().
	 */
	atomic_long_inc_return(&region->mem->withdrawn);
}

/**
 * soft_region_publish - count a region, and give it a key
 * @region: complete; may be found as soon as it has the key
 *
 * An index is used again only after all others were. The low 8 bits start at
 * random, so that a key of an earlier region is rarely one of a later one.
 *
 * Context: process, may sleep.
 * Return: 0, or -ENOMEM (max_mr or max_mw, no memory, no index).
 */
int soft_region_publish(struct soft_region *region)
{
	int ret;

	ret = soft_limit_take(soft_dev_of(region), soft_object_of(region));
	if (ret)
		return ret;
	ret = soft_key_give(region);
	if (ret)
		soft_limit_give(soft_dev_of(region), soft_object_of(region));
	return ret;
}

/**
 * soft_region_withdraw - take the key back, and put the owner's reference
 * @region: grants nothing any more
 *
 * Context: process.
 */
void soft_region_withdraw(struct soft_region *region)
{
	soft_key_take(region);
	soft_limit_give(soft_dev_of(region), soft_object_of(region));
	soft_region_put(region);
}

/**
 * soft_region_get - find a region by the index in a key
 * @mem: of the device
 * @key: its low 8 bits are not looked at: the caller does, with the region locked
 *
 * Context: any. Return: the region, referenced, or NULL.
 */
struct soft_region *soft_region_get(struct soft_mem *mem, u32 key)
{
	struct soft_region *region;

	rcu_read_lock();
	region = xa_load(&mem->keys, key >> 8);
	if (region && !refcount_inc_not_zero(&region->refs))
		region = NULL;
	rcu_read_unlock();
	return region;
}

/**
 * soft_key_look_up - soft_key_find() where the cache has another key
 * @mem: of the device
 * @cache: filled in
 * @key: its low 8 bits are not looked at
 *
 * Context: any; RCU reader. Return: as soft_key_find().
 */
struct soft_region *soft_key_look_up(struct soft_mem *mem, struct soft_key_cache *cache,
				     u32 key)
{
	/* Before the lookup: a key that is withdrawn meanwhile is not found here again. */
	cache->withdrawn = atomic_long_read_acquire(&mem->withdrawn);
	cache->index = key >> 8;
	cache->region = xa_load(&mem->keys, cache->index);
	return cache->region;
}

/**
 * soft_region_put - put a reference
 * @region: the region, or NULL
 *
 * Context: any.
 */
void soft_region_put(struct soft_region *region)
{
	if (!region || !refcount_dec_and_test(&region->refs))
		return;
	soft_fault_user_put(region->user);
	kfree_rcu(region, rcu);
}

/**
 * soft_window_detach - a window is not bound to a region any more
 * @parent: the region, referenced by the window until now; or NULL
 *
 * Context: any.
 */
void soft_window_detach(struct soft_region *parent)
{
	if (!parent)
		return;
	atomic_dec(&parent->windows);
	soft_region_put(parent);
}

/**
 * soft_locked_may_local - soft_region_may_local() of a region that is locked
 * @region: named by the index in the lkey
 * @pd: of the queue pair
 * @sge: the entry
 * @access: 0, or IB_ACCESS_LOCAL_WRITE
 *
 * Context: any.
 */
enum soft_access_err soft_locked_may_local(const struct soft_region *region,
					   struct ib_pd *pd, const struct ib_sge *sge,
					   int access)
{
	soft_region_assert_locked(region);

	/* A window has no lkey. */
	if (region->kind >= SOFT_WINDOW_1)
		return SOFT_ERR_KEY;
	return soft_region_grants(region, pd, sge->lkey, sge->addr, sge->length, access);
}

/**
 * soft_region_may_local - check what an entry of a work request asks for
 * @region: named by the index in the lkey
 * @pd: of the queue pair
 * @sge: the entry
 * @access: 0, or IB_ACCESS_LOCAL_WRITE
 * @grant: of the check, on success
 *
 * Context: any.
 */
enum soft_access_err soft_region_may_local(struct soft_region *region,
					   struct ib_pd *pd,
					   const struct ib_sge *sge, int access,
					   u32 *grant)
{
	enum soft_access_err fault;
	unsigned long flags;

	flags = soft_region_lock(region);
	fault = soft_locked_may_local(region, pd, sge, access);
	*grant = region->grant;
	soft_region_unlock(region, flags);
	return fault;
}

/**
 * soft_region_local - find the memory of an entry of a work request
 * @mem: of the device
 * @pd: of the queue pair
 * @sge: the entry, not empty
 * @access: 0, or IB_ACCESS_LOCAL_WRITE
 * @fault: what is wrong
 *
 * Context: any. Return: the region, referenced, or NULL.
 */
struct soft_region *soft_region_local(struct soft_mem *mem, struct ib_pd *pd,
				      const struct ib_sge *sge, int access,
				      enum soft_access_err *fault)
{
	struct soft_region *region = soft_region_get(mem, sge->lkey);
	u32 grant;

	*fault = SOFT_ERR_KEY;
	if (!region)
		return NULL;
	*fault = soft_region_may_local(region, pd, sge, access, &grant);
	if (*fault == SOFT_OK)
		return region;
	soft_region_put(region);
	return NULL;
}

/**
 * soft_region_may_remote - check what a request of the peer asks for
 * @region: named by the index in the rkey
 * @pd: of the queue pair
 * @qpn: of the queue pair
 * @rkey: of the request
 * @iova: of the request
 * @length: of the request
 * @access: IB_ACCESS_*, all of which it needs
 *
 * Context: any; @region is locked.
 */
enum soft_access_err soft_region_may_remote(const struct soft_region *region,
					    struct ib_pd *pd, u32 qpn, u32 rkey,
					    u64 iova, u64 length, int access)
{
	enum soft_access_err fault = soft_region_grants(region, pd, rkey, iova, length, access);

	soft_region_assert_locked(region);

	if (region->kind == SOFT_WINDOW_2 && region->qpn != qpn && fault != SOFT_ERR_KEY)
		return SOFT_ERR_PERM;
	return fault;
}

/**
 * soft_region_remote - find the memory that a request of the peer names
 * @mem: of the device
 * @pd: of the queue pair
 * @qpn: of the queue pair: windows of type 2 are bound to one
 * @rkey: of the request
 * @iova: of the request
 * @length: of the request
 * @access: IB_ACCESS_REMOTE_*, all of which it needs
 * @fault: what is wrong
 * @grant: of the check, if the region is found: an access looks whether it still stands
 *
 * Context: any. Return: the region, referenced, or NULL.
 */
struct soft_region *soft_region_remote(struct soft_mem *mem, struct ib_pd *pd, u32 qpn, u32 rkey,
				       u64 iova, u64 length, int access,
				       enum soft_access_err *fault, u32 *grant)
{
	struct soft_region *region = soft_region_get(mem, rkey);
	unsigned long flags;

	*fault = SOFT_ERR_KEY;
	if (!region)
		return NULL;
	flags = soft_region_lock(region);
	*fault = soft_region_may_remote(region, pd, qpn, rkey, iova, length,
					access);
	*grant = region->grant;
	soft_region_unlock(region, flags);
	if (*fault == SOFT_OK)
		return region;
	soft_region_put(region);
	return NULL;
}

/* May a queue pair invalidate @key? The consumer can have changed its low 8 bits. */
static enum soft_access_err soft_may_invalidate(const struct soft_region *region,
						struct ib_pd *pd, u32 qpn, u32 key)
{
	soft_region_assert_write(region);

	if (region->key != key)
		return SOFT_ERR_KEY;
	if (region->kind != SOFT_FAST && region->kind != SOFT_WINDOW_2)
		return SOFT_ERR_PERM;
	if (region->pd != pd)
		return SOFT_ERR_PERM;
	if (region->kind == SOFT_WINDOW_2 && region->valid &&
	    region->qpn != qpn)
		return SOFT_ERR_PERM;
	return SOFT_OK;
}

/**
 * soft_region_invalidate - a key grants nothing any more
 * @mem: of the device
 * @pd: of the queue pair that asks
 * @qpn: of the queue pair that asks
 * @key: of a fast registration or of a window of type 2
 * @remote: the peer asks: only what is open to a peer
 *
 * IBA vol. 1, 10.6.5. What is invalid already stays so, and that is no fault:
 * both ends may ask for it. When this returns no byte moves by the old grant.
 *
 * Context: any.
 */
enum soft_access_err soft_region_invalidate(struct soft_mem *mem, struct ib_pd *pd,
					    u32 qpn, u32 key, bool remote)
{
	struct soft_region *region = soft_region_get(mem, key);
	struct soft_region *parent = NULL;
	enum soft_access_err fault;
	unsigned long flags;

	if (!region)
		return SOFT_ERR_KEY;
	flags = soft_region_lock_write(region);
	fault = soft_may_invalidate(region, pd, qpn, key);
	/* A window is the peer's by nature. */
	if (fault == SOFT_OK && remote && region->valid &&
	    region->kind == SOFT_FAST && !(region->access & SOFT_REMOTE_RIGHTS))
		fault = SOFT_ERR_PERM;
	if (fault == SOFT_OK) {
		region->valid = false;
		region->grant++;
		parent = region->parent;
		region->parent = NULL;
	}
	soft_region_unlock_write(region, flags);
	soft_window_detach(parent);
	soft_region_put(region);
	return fault;
}
EXPORT_SYMBOL_GPL(soft_region_invalidate);
