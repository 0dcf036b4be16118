// SPDX-License-Identifier: GPL-2.0
/*
 * How many objects of each kind a device has at most. What query_device announces
 * is what creation is held to.
 */
#include <linux/export.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <ofed/refuse.h>

#include "dev.h"

static uint max_objects;
module_param(max_objects, uint, 0644);
MODULE_PARM_DESC(max_objects,
		 "Objects of each kind that a new device allows and announces at most (default 0: as many as it can)");

/**
 * soft_limits_init - what a device allows
 * @dev: a new device
 * @max: SOFT_OBJECT_NUM limits, of which max_objects may leave less
 *
 * Context: any.
 */
void soft_limits_init(struct soft_dev *dev, const u32 *max)
{
	u32 most = READ_ONCE(max_objects) ?: INT_MAX;
	int kind;

	for (kind = 0; kind < SOFT_OBJECT_NUM; kind++) {
		atomic_set(&dev->limits[kind].count, 0);
		dev->limits[kind].max = min3(max[kind], most, (u32)INT_MAX);
	}
	soft_dm_share_init(dev);
}
EXPORT_SYMBOL_GPL(soft_limits_init);

/**
 * soft_limits_exit - undo soft_limits_init()
 * @dev: all objects are gone
 *
 * Context: any.
 */
void soft_limits_exit(struct soft_dev *dev)
{
	int kind;

	soft_dm_share_exit(dev);
	for (kind = 0; kind < SOFT_OBJECT_NUM; kind++)
		WARN_ON(atomic_read(&dev->limits[kind].count));
}
EXPORT_SYMBOL_GPL(soft_limits_exit);

/**
 * soft_limits_announce - for query_device()
 * @dev: the device
 * @attr: its max_pd, max_cq, max_srq, max_qp, max_mr, max_mw, max_ah and max_dm_size are set
 *
 * Context: any.
 */
void soft_limits_announce(const struct soft_dev *dev, struct ib_device_attr *attr)
{
	attr->max_pd = dev->limits[SOFT_OBJECT_PD].max;
	attr->max_cq = dev->limits[SOFT_OBJECT_CQ].max;
	attr->max_srq = dev->limits[SOFT_OBJECT_SRQ].max;
	attr->max_qp = dev->limits[SOFT_OBJECT_QP].max;
	attr->max_mr = dev->limits[SOFT_OBJECT_MR].max;
	attr->max_mw = dev->limits[SOFT_OBJECT_MW].max;
	attr->max_ah = dev->limits[SOFT_OBJECT_AH].max;
	attr->max_dm_size = dev->dm.user_max;
}

static const char *const object_names[SOFT_OBJECT_NUM] = {
	[SOFT_OBJECT_PD]	= "PD",
	[SOFT_OBJECT_CQ]	= "CQ",
	[SOFT_OBJECT_SRQ]	= "SRQ",
	[SOFT_OBJECT_QP]	= "QP",
	[SOFT_OBJECT_MR]	= "MR",
	[SOFT_OBJECT_MW]	= "MW",
	[SOFT_OBJECT_AH]	= "AH",
};

/**
 * soft_limit_take - count an object that is about to be made
 * @dev: the device
 * @kind: of the object
 *
 * The count never exceeds the limit, not even for a moment: of several callers at
 * the limit none is refused for what another was refused.
 *
 * Context: any.
 * Return: 0, and soft_limit_give() follows when the object is gone or has not come to
 * be; or -ENOMEM: the device has as many as it announces.
 */
int soft_limit_take(struct soft_dev *dev, enum soft_object kind)
{
	struct soft_limit *limit = &dev->limits[kind];

	if (atomic_add_unless(&limit->count, 1, limit->max))
		return 0;
	return ofed_refuse(&dev->ib, -ENOMEM, "the device has %u %ss, and no more",
			   limit->max, object_names[kind]);
}
EXPORT_SYMBOL_GPL(soft_limit_take);

/**
 * soft_limit_give - an object that soft_limit_take() has counted is no more
 * @dev: the device
 * @kind: of the object
 *
 * Context: any.
 */
void soft_limit_give(struct soft_dev *dev, enum soft_object kind)
{
	WARN_ON(atomic_dec_return(&dev->limits[kind].count) < 0);
}
EXPORT_SYMBOL_GPL(soft_limit_give);
