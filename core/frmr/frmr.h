/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pools of memory regions that a driver has made and that no program has. handles.c is a stack
 * of handles, pool.c one pool, pools.c the pools of a device, api.c what drivers and netlink call.
 */
#ifndef OFED_CORE_FRMR_H
#define OFED_CORE_FRMR_H

#include <linux/mutex.h>
#include <linux/rbtree.h>
#include <linux/rwsem.h>
#include <linux/workqueue.h>
#include <rdma/frmr_pools.h>
#include <rdma/ib_verbs.h>

#include "handles.h"

/* Handles that one call of a driver makes or destroys. */
#define OFED_FRMR_BATCH 64
/* An empty pool is kept for its statistics, unless there are more pools than this. */
#define OFED_FRMR_POOLS_KEPT 256
/*
 * A service that is started anew, or a job of a queue, wants its regions again within a minute. A
 * handle stays for one to two of these periods, and costs an entry of a table of the device.
 */
#define OFED_FRMR_AGING_SECONDS 60

/*
 * Locks, outermost first:
 *   frmr_device_rwsem		ib_device.frmr_pools, between the driver that sets it and netlink
 *   ib_frmr_pools.pin_lock	ib_frmr_pool.pinned has one writer
 *   ib_frmr_pools.lock		@tree and @cnt. Held while a pool is used that no region of the
 *				caller is counted in, as a pool may be freed otherwise
 *   ib_frmr_pool.lock		all of a pool but its key
 * Ops of the driver are called without the last one, and with ib_frmr_pools.lock only to destroy.
 */

/**
 * struct ib_frmr_pools - pools of a device
 * @device: the device
 * @ops: of its driver
 * @pin_lock: as said above
 * @lock: as said above
 * @tree: the pools, by key
 * @cnt: number of pools
 * @period: seconds after which handles that were not needed are destroyed
 * @aging: does so. It is queued when a region goes, and while pools have handles that may become
 *	   old; it alone frees pools
 */
struct ib_frmr_pools {
	struct ib_device *device;
	const struct ib_frmr_pool_ops *ops;
	struct mutex pin_lock;
	struct rw_semaphore lock;
	struct rb_root tree;
	u32 cnt;
	u32 period;
	struct delayed_work aging;
};

/**
 * struct ib_frmr_pool - handles that are alike
 * @pools: pools of the device
 * @node: in ib_frmr_pools.tree
 * @key: what they are like
 * @lock: as said above
 * @handles: handles that no region has. There is room for those in use too: a region can give its
 *	     handle back without memory
 * @in_use: handles that regions have
 * @max_in_use: the most that there were
 * @pinned: handles, in use or not, that aging leaves
 */
struct ib_frmr_pool {
	struct ib_frmr_pools *pools;
	struct rb_node node;
	struct ib_frmr_key key;
	struct mutex lock;
	struct ofed_frmr_handles handles;
	u32 in_use;
	u32 max_in_use;
	u32 pinned;
};

/**
 * struct ofed_frmr_info - what netlink tells of a pool
 * @key: its key
 * @handles: handles that no region has
 * @in_use: handles that regions have
 * @max_in_use: the most that there were
 * @pinned: handles that aging leaves
 */
struct ofed_frmr_info {
	struct ib_frmr_key key;
	u32 handles;
	u32 in_use;
	u32 max_in_use;
	u32 pinned;
};

/* pool.c */
int ofed_frmr_key_cmp(const struct ib_frmr_key *a, const struct ib_frmr_key *b);
struct ib_frmr_pool *ofed_frmr_pool_alloc(struct ib_frmr_pools *pools,
					  const struct ib_frmr_key *key);
void ofed_frmr_pool_free(struct ib_frmr_pool *pool);
int ofed_frmr_pool_create(struct ib_frmr_pool *pool, u32 *handles, u32 cnt);
int ofed_frmr_pool_claim(struct ib_frmr_pool *pool, u32 *handle);
void ofed_frmr_pool_settle(struct ib_frmr_pool *pool);
void ofed_frmr_pool_unclaim(struct ib_frmr_pool *pool, const u32 *handle);
u32 ofed_frmr_pool_set_pinned(struct ib_frmr_pool *pool, u32 pinned);
int ofed_frmr_pool_fill(struct ib_frmr_pool *pool);
void ofed_frmr_pool_trim(struct ib_frmr_pool *pool, u32 cnt);
bool ofed_frmr_pool_age(struct ib_frmr_pool *pool);
bool ofed_frmr_pool_is_idle(struct ib_frmr_pool *pool);
void ofed_frmr_pool_info(struct ib_frmr_pool *pool, struct ofed_frmr_info *info);

/* pools.c */
struct ib_frmr_pools *ofed_frmr_pools_alloc(struct ib_device *device,
					    const struct ib_frmr_pool_ops *ops);
void ofed_frmr_pools_free(struct ib_frmr_pools *pools);
int ofed_frmr_pools_pop(struct ib_frmr_pools *pools, const struct ib_frmr_key *key,
			struct ib_frmr_pool **pool, u32 *handle);
void ofed_frmr_pools_push(struct ib_frmr_pool *pool, u32 handle);
void ofed_frmr_pools_drop(struct ib_frmr_pool *pool);
int ofed_frmr_pools_pin(struct ib_frmr_pools *pools, const struct ib_frmr_key *in, u32 pinned);
int ofed_frmr_pools_set_period(struct ib_frmr_pools *pools, u32 seconds);
bool ofed_frmr_pools_next(struct ib_frmr_pools *pools, const struct ib_frmr_key *after,
			  struct ofed_frmr_info *info);
/* Returns true when there may be handles to age at the next time. */
bool ofed_frmr_pools_age(struct ib_frmr_pools *pools);

/* api.c: the same by device, for netlink. */
int ofed_frmr_pin(struct ib_device *device, const struct ib_frmr_key *key, u32 pinned);
int ofed_frmr_set_period(struct ib_device *device, u32 seconds);
bool ofed_frmr_next(struct ib_device *device, const struct ib_frmr_key *after,
		    struct ofed_frmr_info *info);

#endif /* OFED_CORE_FRMR_H */
