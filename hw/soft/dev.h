/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What software devices share: rings that user space maps, memory regions and
 * windows with the one copy cursor, completion queues. Nothing here knows a
 * transport.
 *
 * Locks: Documentation/design/locking.md.
 */
#ifndef OFED_SOFT_DEV_H
#define OFED_SOFT_DEV_H

#include <linux/atomic.h>
#include <linux/mutex.h>
#include <rdma/uverbs_ioctl.h>

#include "mr_table.h"

/* Objects that are counted: a device announces how many there may be. */
enum soft_object {
	SOFT_OBJECT_PD,
	SOFT_OBJECT_CQ,
	SOFT_OBJECT_SRQ,
	SOFT_OBJECT_QP,
	SOFT_OBJECT_MR,
	SOFT_OBJECT_MW,
	SOFT_OBJECT_AH,		/* of programs: each MAD of the kernel makes one */
	SOFT_OBJECT_NUM
};

/**
 * struct soft_limit - a count that never exceeds a limit
 * @count: objects there are
 * @max: that there may be
 */
struct soft_limit {
	atomic_t count;
	int max;
};

/**
 * struct soft_dm_share - device memory that users have
 * @lock: guards @users and @bytes
 * @users: struct soft_dm_user of each user that has some
 * @bytes: of all users
 * @user_max: bytes that one user may have; 0: there is none
 */
struct soft_dm_share {
	struct mutex lock;
	struct list_head users;
	u64 bytes;
	u64 user_max;
};

/**
 * struct soft_dev - part of every software device
 * @ib: of the core; first, as the core allocates by it
 * @mem: keys
 * @limits: of the number of objects
 * @dm: device memory
 * @max_cqe: limits that the shared ops refuse to exceed
 * @max_mr_pages: of a fast registration
 */
struct soft_dev {
	struct ib_device ib;
	struct soft_mem mem;
	struct soft_limit limits[SOFT_OBJECT_NUM];
	struct soft_dm_share dm;
	u32 max_cqe;
	u32 max_mr_pages;
};

static inline struct soft_dev *to_soft_dev(struct ib_device *ib)
{
	return container_of(ib, struct soft_dev, ib);
}

/* limit.c */
void soft_limits_init(struct soft_dev *dev, const u32 *max);
void soft_limits_exit(struct soft_dev *dev);
void soft_limits_announce(const struct soft_dev *dev, struct ib_device_attr *attr);
int soft_query_device(struct ib_device *ib, struct ib_device_attr *attr,
		      const struct ib_udata *udata);
int soft_limit_take(struct soft_dev *dev, enum soft_object kind);
void soft_limit_give(struct soft_dev *dev, enum soft_object kind);

/* dm_share.c */
void soft_dm_share_init(struct soft_dev *dev);
void soft_dm_share_exit(struct soft_dev *dev);

struct soft_pd {
	struct ib_pd pd;
};

/* pd.c */
int soft_alloc_pd(struct ib_pd *pd, struct ib_udata *udata);
int soft_dealloc_pd(struct ib_pd *pd, struct ib_udata *udata);

/* dev.c */

/*
 * Ops of protection domains, memory, completion queues, mmap: alloc_pd,
 * dealloc_pd, get_dma_mr, reg_user_mr, rereg_user_mr, alloc_mr, map_mr_sg,
 * dereg_mr, create_cq, destroy_cq, resize_cq, poll_cq, peek_cq, req_notify_cq,
 * mmap, mmap_free, with their object sizes.
 */
extern const struct ib_device_ops soft_dev_ops;

/* ib_device.driver_def: methods and attributes of <ofed/ofed_user_verbs.h>. */
extern const struct uapi_definition soft_uapi_defs[];

/* alloc_mw, dealloc_mw: of a transport that can bind a window. */
extern const struct ib_device_ops soft_mw_ops;

#endif /* OFED_SOFT_DEV_H */
