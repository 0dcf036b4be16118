// SPDX-License-Identifier: GPL-2.0
/*
 * Since 7.x a driver may keep regions that a program has deregistered, and give them to the next one
 * that wants such a region: to make one takes a command to the device, to change one often none.
 */
#include <linux/export.h>
#include <ofed/refuse.h>

#include "frmr.h"

static DECLARE_RWSEM(frmr_device_rwsem);

/**
 * ib_frmr_pools_init - begin to keep regions of a device
 * @device: the device
 * @pool_ops: how its driver makes and destroys regions
 *
 * Context: process, may sleep. Return: 0, -EINVAL (an op is missing), -EEXIST (the device has pools),
 * -ENOMEM.
 */
int ib_frmr_pools_init(struct ib_device *device, const struct ib_frmr_pool_ops *pool_ops)
{
	struct ib_frmr_pools *pools;
	int ret = 0;

	if (WARN_ON_ONCE(!pool_ops->create_frmrs || !pool_ops->destroy_frmrs))
		return -EINVAL;
	pools = ofed_frmr_pools_alloc(device, pool_ops);
	if (!pools)
		return -ENOMEM;
	down_write(&frmr_device_rwsem);
	if (device->frmr_pools)
		ret = ofed_refuse(device, -EEXIST, "pools of regions exist");
	else
		device->frmr_pools = pools;
	up_write(&frmr_device_rwsem);
	if (ret)
		ofed_frmr_pools_free(pools);
	return ret;
}
OFED_EXPORT(ib_frmr_pools_init);

/**
 * ib_frmr_pools_cleanup - destroy the regions that are kept
 * @device: a device without regions that are in use; nothing is done if it has no pools
 *
 * Context: process, may sleep.
 */
void ib_frmr_pools_cleanup(struct ib_device *device)
{
	struct ib_frmr_pools *pools;

	down_write(&frmr_device_rwsem);
	pools = device->frmr_pools;
	device->frmr_pools = NULL;
	up_write(&frmr_device_rwsem);
	if (pools)
		ofed_frmr_pools_free(pools);
}
OFED_EXPORT(ib_frmr_pools_cleanup);

/**
 * ib_frmr_pool_pop - get the handle of a region
 * @device: device with pools
 * @mr: region; the driver has set frmr.key, and this sets frmr.pool and frmr.handle
 *
 * A handle is taken that is kept, or the driver makes one. Context: process, may sleep.
 *
 * Return: 0, -EINVAL (the device has no pools), -ENOMEM, or an errno of create_frmrs.
 */
int ib_frmr_pool_pop(struct ib_device *device, struct ib_mr *mr)
{
	if (WARN_ON_ONCE(!device->frmr_pools))
		return -EINVAL;
	return ofed_frmr_pools_pop(device->frmr_pools, &mr->frmr.key, &mr->frmr.pool,
				   &mr->frmr.handle);
}
OFED_EXPORT(ib_frmr_pool_pop);

/**
 * ib_frmr_pool_push - give the handle of a region back
 * @device: its device
 * @mr: region for which ib_frmr_pool_pop() was called, and that gives no access to memory any more
 *
 * frmr.pool stays, so that the driver knows later where the region was from. Context: process, may
 * sleep.
 */
void ib_frmr_pool_push(struct ib_device *device, struct ib_mr *mr)
{
	if (WARN_ON_ONCE(!mr->frmr.pool))
		return;
	ofed_frmr_pools_push(mr->frmr.pool, mr->frmr.handle);
}
OFED_EXPORT(ib_frmr_pool_push);

/**
 * ib_frmr_pool_drop - do not count a region any more
 * @mr: region for which ib_frmr_pool_pop() was called, and the handle of which cannot be used again
 *
 * The handle is the driver's; frmr.pool is NULL afterwards. Context: process, may sleep.
 */
void ib_frmr_pool_drop(struct ib_mr *mr)
{
	if (WARN_ON_ONCE(!mr->frmr.pool))
		return;
	ofed_frmr_pools_drop(mr->frmr.pool);
	mr->frmr.pool = NULL;
}
OFED_EXPORT(ib_frmr_pool_drop);

/* ofed_frmr_pools_pin() of a device; -EINVAL if it has no pools. */
int ofed_frmr_pin(struct ib_device *device, const struct ib_frmr_key *key, u32 pinned)
{
	int ret;

	down_read(&frmr_device_rwsem);
	if (device->frmr_pools)
		ret = ofed_frmr_pools_pin(device->frmr_pools, key, pinned);
	else
		ret = ofed_refuse(device, -EINVAL, "no pools of regions");
	up_read(&frmr_device_rwsem);
	return ret;
}

/* ofed_frmr_pools_set_period() of a device; -EINVAL if it has no pools. */
int ofed_frmr_set_period(struct ib_device *device, u32 seconds)
{
	int ret;

	down_read(&frmr_device_rwsem);
	if (device->frmr_pools)
		ret = ofed_frmr_pools_set_period(device->frmr_pools, seconds);
	else
		ret = ofed_refuse(device, -EINVAL, "no pools of regions");
	up_read(&frmr_device_rwsem);
	return ret;
}

/* ofed_frmr_pools_next() of a device; false if it has no pools. */
bool ofed_frmr_next(struct ib_device *device, const struct ib_frmr_key *after,
		    struct ofed_frmr_info *info)
{
	bool found;

	down_read(&frmr_device_rwsem);
	found = device->frmr_pools && ofed_frmr_pools_next(device->frmr_pools, after, info);
	up_read(&frmr_device_rwsem);
	return found;
}
