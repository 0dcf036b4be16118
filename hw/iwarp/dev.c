// SPDX-License-Identifier: GPL-2.0
/* The list of devices, and how one leaves it. */
#include <linux/slab.h>

#include "dev.h"

DEFINE_MUTEX(iw_lock);
LIST_HEAD(iw_devices);

/* Ends of devices, which wait for works of others. */
static struct workqueue_struct *iw_end_wq;

static void iw_dev_end(struct work_struct *work)
{
	struct iw_dev *dev = container_of(work, struct iw_dev, end);

	ib_unregister_device(&dev->soft.ib);
	put_device(&dev->soft.ib.dev);
}

/* At most once, of a device that the core knows, or knew. Does not wait. */
void iw_unregister(struct iw_dev *dev)
{
	lockdep_assert_held(&iw_lock);
	get_device(&dev->soft.ib.dev);
	if (!queue_work(iw_end_wq, &dev->end))
		put_device(&dev->soft.ib.dev);
}

/*
 * The core has let go of the device when ib_unregister_device() returns, also if
 * another thread was doing it: so dealloc_driver() is not running any more, and
 * once the list is empty no code of the module is.
 */
static void iw_dev_reap_work(struct work_struct *work)
{
	struct iw_dev *dev = container_of(work, struct iw_dev, reap);

	ib_unregister_device(&dev->soft.ib);
	flush_work(&dev->end);
	mutex_lock(&iw_lock);
	list_del(&dev->entry);
	mutex_unlock(&iw_lock);
	put_device(&dev->soft.ib.dev);
}

/**
 * iw_dev_reap - take a device out of the list
 * @dev: listed; the core calls it no more, or is about to return from the last call
 *
 * Context: process. Does not wait.
 */
void iw_dev_reap(struct iw_dev *dev)
{
	queue_work(iw_end_wq, &dev->reap);
}

/**
 * iw_dev_init - of a device that begins
 * @dev: nothing else knows it
 */
void iw_dev_init(struct iw_dev *dev)
{
	INIT_LIST_HEAD(&dev->entry);
	INIT_WORK(&dev->end, iw_dev_end);
	INIT_WORK(&dev->reap, iw_dev_reap_work);
}

int __init iw_devs_init(void)
{
	iw_end_wq = alloc_workqueue("ofed_iwarp_end", WQ_UNBOUND, 0);
	return iw_end_wq ? 0 : -ENOMEM;
}

/* No device is left. */
void iw_devs_exit(void)
{
	destroy_workqueue(iw_end_wq);
}
