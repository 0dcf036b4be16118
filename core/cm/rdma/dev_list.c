// SPDX-License-Identifier: GPL-2.0
/*
 * rdma_cm: the list of devices, the locks above it, and what all files use: the
 * work queue and the client of the SA.
 */
#include <linux/string.h>

#include "cma.h"

/* Brings events to consumers; their handlers may sleep. */
struct workqueue_struct *cma_wq;
struct ib_sa_client cma_sa_client;

/* Guards what the head of cma.h lists. */
DEFINE_MUTEX(cma_mutex);
/* Held while wildcard listens and devices meet. */
DEFINE_MUTEX(cma_listen_mutex);

/* All devices in order of their seq; under cma_mutex. */
LIST_HEAD(cma_devices);

void cma_dev_put(struct cma_dev *cdev)
{
	if (refcount_dec_and_test(&cdev->refs))
		complete(&cdev->unused);
}

struct cma_dev *cma_dev_of_locked(const struct ib_device *device)
{
	struct cma_dev *cdev;

	lockdep_assert_held(&cma_mutex);
	list_for_each_entry(cdev, &cma_devices, list)
		if (cdev->device == device)
			return cdev;
	return NULL;
}

/**
 * cma_dev_next - walk the devices without a lock over the walk
 * @seq: where to begin; out: where to go on
 *
 * Context: process, may sleep. Return: a device with a reference, or NULL.
 */
struct cma_dev *cma_dev_next(u64 *seq)
{
	struct cma_dev *cdev, *found = NULL;

	mutex_lock(&cma_mutex);
	list_for_each_entry(cdev, &cma_devices, list)
		if (cdev->seq >= *seq) {
			*seq = cdev->seq + 1;
			refcount_inc(&cdev->refs);
			found = cdev;
			break;
		}
	mutex_unlock(&cma_mutex);
	return found;
}

/* Return: the device of that name with a reference, or NULL. May sleep. */
struct cma_dev *cma_dev_by_name(const char *name)
{
	struct cma_dev *cdev, *found = NULL;

	mutex_lock(&cma_mutex);
	list_for_each_entry(cdev, &cma_devices, list)
		if (!strncmp(cdev->device->name, name, IB_DEVICE_NAME_MAX)) {
			refcount_inc(&cdev->refs);
			found = cdev;
			break;
		}
	mutex_unlock(&cma_mutex);
	return found;
}

/* @fn is called under cma_mutex with each id that has a device. */
void cma_for_each_id(void (*fn)(struct cma_id *id, void *ctx), void *ctx)
{
	struct cma_dev *cdev;
	struct cma_id *id;

	mutex_lock(&cma_mutex);
	list_for_each_entry(cdev, &cma_devices, list)
		list_for_each_entry(id, &cdev->ids, on_dev)
			fn(id, ctx);
	mutex_unlock(&cma_mutex);
}
