/* SPDX-License-Identifier: GPL-2.0 */
/* Device memory. */
#ifndef OFED_SOFT_DM_H
#define OFED_SOFT_DM_H

#include <linux/uidgid.h>
#include <rdma/uverbs_ioctl.h>

struct soft_dev;

/* alloc_dm, dealloc_dm, reg_dm_mr. */
extern const struct ib_device_ops soft_dm_ops;

/* What a program is told of its device memory by ioctl(). */
extern const struct uapi_definition soft_dm_defs[];

/* dm_share.c: how much of it each user has. */

/* Device memory of one user. */
struct soft_dm_user {
	struct list_head entry;
	kuid_t uid;
	u64 bytes;
};

int soft_dm_take(struct soft_dev *dev, kuid_t uid, u64 bytes);
void soft_dm_give(struct soft_dev *dev, kuid_t uid, u64 bytes);

#endif /* OFED_SOFT_DM_H */
