/* SPDX-License-Identifier: GPL-2.0 */
/* Keys, and the regions that they name. */
#ifndef OFED_SOFT_MR_TABLE_H
#define OFED_SOFT_MR_TABLE_H

#include <linux/atomic.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/xarray.h>
#include <rdma/ib_verbs.h>

#include "faults.h"

/* What only a peer can be given. */
#define SOFT_REMOTE_RIGHTS (IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_WRITE | \
			    IB_ACCESS_REMOTE_ATOMIC)

/**
 * struct soft_mem - keys of one device
 * @keys: index (key >> 8) -> struct soft_region
 * @next: where the search for a free index begins
 * @withdrawn: times that a key was taken out of @keys
 * @on_demand: regions with pages that may be absent
 * @faults: works that bring such pages in
 * @null: the null region, NULL: there is none
 */
struct soft_mem {
	struct xarray keys;
	u32 next;
	atomic_long_t withdrawn;
	atomic_t on_demand;
	struct soft_faults faults;
	struct soft_region *null;
};

enum soft_region_kind {
	SOFT_DMA,		/* all kernel memory, by virtual address */
	SOFT_NULL,		/* all addresses, no memory */
	SOFT_ODP,		/* of a program, on demand */
	SOFT_USER,		/* of a program, pinned */
	SOFT_BUFFER,		/* dma-buf that a program has been given */
	SOFT_ON_DEVICE,		/* device memory */
	SOFT_FAST,		/* list of pages, by map_mr_sg */
	SOFT_WINDOW_1,		/* memory windows: a part of another region */
	SOFT_WINDOW_2,
};

/* What a lookup by key found wrong; the transport names the status. */
enum soft_access_err {
	SOFT_OK = 0,
	SOFT_ERR_KEY,		/* no such key, or invalid now */
	SOFT_ERR_PERM,		/* access, PD or QP do not fit */
	SOFT_ERR_BOUNDS,		/* outside of the region, or wraps */
	SOFT_ERR_ABSENT,	/* (SOFT_ODP) pages have to be brought in first */
};

struct soft_odp;
struct soft_pages;

/* Which of a region's gates: see region_lock.h. */
enum soft_gate_of {
	SOFT_GATE_ONE,
	SOFT_GATE_TWO,
	SOFT_GATES
};

/**
 * struct soft_gate - a lock for readers and writers, neither of which waits for ever
 * @writers: that wait for @lock
 * @turn: the next at @lock
 * @lock: excludes
 */
struct soft_gate {
	atomic_t writers;
	spinlock_t turn;
	rwlock_t lock;
};

/**
 * struct soft_region - a memory region or window; the object of a key
 * @mr: the core's part; not used in a window
 * @kind: never changes
 * @refs: 1 of the owner, 1 of each cursor, 1 of each window bound to it. A
 *	  reference keeps this struct. The memory behind it is gone when
 *	  deregistration returns, so each access by a reference checks @grant
 * @rcu: lookups by key are RCU readers
 * @gates: guard what the key grants (region_lock.h)
 * @valid: the key grants access
 * @key: lkey and rkey (equal); the low 8 bits are the consumer's
 * @grant: incremented whenever the access that the key grants changes
 * @pd: protection domain; (SOFT_NULL) NULL
 * @access: IB_ACCESS_*
 * @iova: address of the first byte
 * @length: bytes
 * @pages: (MR) pages of the memory, but for SOFT_ODP and SOFT_NULL
 * @odp: (SOFT_ODP) memory with pages that come and go
 * @user: (SOFT_ODP) that has the memory, referenced
 * @windows: (MR) number of windows bound to it
 * @parent: (window) the region behind it, referenced; NULL when not bound
 * @parent_iova: (window) address in @parent of the first byte
 * @qpn: (window of type 2) queue pair it is bound to
 * @mem: keys of the device
 */
struct soft_region {
	struct ib_mr mr;
	enum soft_region_kind kind;
	refcount_t refs;
	struct rcu_head rcu;
	struct soft_gate gates[SOFT_GATES];
	bool valid;
	u32 key;
	u32 grant;
	struct ib_pd *pd;
	int access;
	u64 iova;
	u64 length;
	struct soft_pages *pages;
	struct soft_odp *odp;
	struct soft_fault_user *user;
	atomic_t windows;
	struct soft_region *parent;
	u64 parent_iova;
	u32 qpn;
	struct soft_mem *mem;
};

/**
 * struct soft_key_cache - the region of the latest key that was looked up
 * @region: without a reference: only for RCU readers, and as long as @withdrawn is the value
 *	    of struct soft_mem
 * @index: of the key
 * @withdrawn: soft_mem.withdrawn before the lookup
 *
 * All zero is an empty one. It belongs to one device, and a lock of its owner guards it.
 */
struct soft_key_cache {
	struct soft_region *region;
	u32 index;
	long withdrawn;
};

void soft_mem_init(struct soft_mem *mem);
void soft_mem_exit(struct soft_mem *mem);

struct soft_region *soft_region_local(struct soft_mem *mem, struct ib_pd *pd,
				      const struct ib_sge *sge, int access,
				      enum soft_access_err *fault);
struct soft_region *soft_region_remote(struct soft_mem *mem, struct ib_pd *pd, u32 qpn, u32 rkey,
				       u64 iova, u64 length, int access,
				       enum soft_access_err *fault, u32 *grant);
void soft_region_put(struct soft_region *region);

enum soft_access_err soft_region_invalidate(struct soft_mem *mem, struct ib_pd *pd,
					    u32 qpn, u32 key, bool remote);

/* A region's life and its keys, for hw/soft alone. */
struct soft_region *soft_region_new(struct soft_mem *mem, struct ib_pd *pd,
				    enum soft_region_kind kind);
int soft_key_give(struct soft_region *region);
void soft_key_take(struct soft_region *region);
int soft_region_publish(struct soft_region *region);
void soft_region_withdraw(struct soft_region *region);
struct soft_region *soft_region_get(struct soft_mem *mem, u32 key);

/**
 * soft_region_covers - is a range inside of a region?
 * @region: the region
 * @iova: first address
 * @length: bytes; 0 fits at the end too
 */
static inline bool soft_region_covers(const struct soft_region *region, u64 iova, u64 length)
{
	return iova >= region->iova && length <= region->length &&
	       iova - region->iova <= region->length - length;
}

/**
 * soft_region_grants - does the key of a region grant an access?
 * @region: named by the index in @key; locked
 * @pd: of the queue pair; that of the null region does not matter
 * @key: all of it
 * @iova: first address
 * @length: bytes
 * @access: IB_ACCESS_*, all of which it needs
 *
 * What windows have besides is the caller's to look at. Context: any.
 */
static inline enum soft_access_err
soft_region_grants(const struct soft_region *region, const struct ib_pd *pd, u32 key, u64 iova,
		   u64 length, int access)
{
	if (!region->valid || region->key != key)
		return SOFT_ERR_KEY;
	if ((region->pd != pd && region->kind != SOFT_NULL) || access & ~region->access)
		return SOFT_ERR_PERM;
	return soft_region_covers(region, iova, length) ? SOFT_OK : SOFT_ERR_BOUNDS;
}

enum soft_access_err soft_locked_may_local(const struct soft_region *region,
					   struct ib_pd *pd, const struct ib_sge *sge,
					   int access);
enum soft_access_err soft_region_may_local(struct soft_region *region,
					   struct ib_pd *pd,
					   const struct ib_sge *sge, int access,
					   u32 *grant);
enum soft_access_err soft_region_may_remote(const struct soft_region *region,
					    struct ib_pd *pd, u32 qpn, u32 rkey,
					    u64 iova, u64 length, int access);
void soft_window_detach(struct soft_region *parent);
struct soft_region *soft_key_look_up(struct soft_mem *mem, struct soft_key_cache *cache,
				     u32 key);

/**
 * soft_key_find - soft_region_get() without a reference, and mostly without a lookup
 * @mem: of the device
 * @cache: of the caller
 * @key: its low 8 bits are not looked at
 *
 * What the region grants has to be looked at with its lock held, as after any lookup.
 *
 * Context: any; RCU reader. Return: the region, good until the end of the RCU section, or NULL.
 */
static inline struct soft_region *soft_key_find(struct soft_mem *mem,
						struct soft_key_cache *cache, u32 key)
{
	/* Pairs with soft_key_take(). */
	long withdrawn = atomic_long_read_acquire(&mem->withdrawn);

	if (likely(cache->region && cache->index == key >> 8 &&
		   cache->withdrawn == withdrawn))
		return cache->region;
	return soft_key_look_up(mem, cache, key);
}

#endif /* OFED_SOFT_MR_TABLE_H */
