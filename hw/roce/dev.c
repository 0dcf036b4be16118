// SPDX-License-Identifier: GPL-2.0
/* The list of devices, and the works that unregister a device and remove it. */
#include "dev.h"

DEFINE_MUTEX(roce_lock);
LIST_HEAD(roce_devices);
static struct workqueue_struct *roce_wq;

void roce_put(struct roce_dev *rd)
{
	if (refcount_dec_and_test(&rd->refs))
		kfree_rcu(rd, rcu);
}

/*
 * A work, because ib_unregister_device() waits for any thread that uses the device,
 * for example one that moves it to another namespace, which disables and enables it.
 */
static void roce_end(struct work_struct *work)
{
	struct roce_dev *rd = container_of(work, struct roce_dev, end);
	struct ib_device *ib = rd->ib;

	ib_unregister_device(ib);
	put_device(&ib->dev);
	roce_put(rd);
}

/* Called at most once for a device that was registered. Does not wait. */
void roce_unregister(struct roce_dev *rd)
{
	lockdep_assert_held(&roce_lock);
	refcount_inc(&rd->refs);
	get_device(&rd->ib->dev);
	queue_work(roce_wq, &rd->end);
}

/*
 * When ib_unregister_device() returns the core has released the device, even if
 * another thread unregisters it. So roce_dealloc() has returned. Once the list is
 * empty and this work is done, no code of the module is running.
 */
static void roce_reap_work(struct work_struct *work)
{
	struct roce_dev *rd = container_of(work, struct roce_dev, reap);

	ib_unregister_device(rd->ib);
	mutex_lock(&roce_lock);
	list_del(&rd->entry);
	mutex_unlock(&roce_lock);
	put_device(&rd->ib->dev);
	roce_put(rd);
}

/**
 * roce_reap - remove a device from the list, by a work
 * @rd: device for which the core has called its last op
 *
 * Context: process. Does not wait.
 */
void roce_reap(struct roce_dev *rd)
{
	queue_work(roce_wq, &rd->reap);
}

/**
 * roce_dev_add - add a new device to the list
 * @rd: the device; all but @entry, @end and @reap is filled in
 *
 * Context: process, may sleep.
 */
void roce_dev_add(struct roce_dev *rd)
{
	INIT_WORK(&rd->end, roce_end);
	INIT_WORK(&rd->reap, roce_reap_work);
	mutex_lock(&roce_lock);
	list_add_tail(&rd->entry, &roce_devices);
	mutex_unlock(&roce_lock);
}

static struct ib_device *roce_first_ib(void)
{
	struct ib_device *ib = NULL;
	struct roce_dev *rd;

	mutex_lock(&roce_lock);
	rd = list_first_entry_or_null(&roce_devices, struct roce_dev, entry);
	if (rd) {
		ib = rd->ib;
		get_device(&ib->dev);
	}
	mutex_unlock(&roce_lock);
	return ib;
}

/*
 * ib_unregister_driver() would unregister all devices of the driver_id, and some
 * of them belong to other modules. The caller has made sure that no device is added.
 */
void roce_end_all(void)
{
	struct ib_device *ib;

	while ((ib = roce_first_ib()) != NULL) {
		ib_unregister_device(ib);
		put_device(&ib->dev);
		flush_workqueue(roce_wq);
		cond_resched();
	}
}

int __init roce_devs_init(void)
{
	roce_wq = alloc_workqueue("ofed_roce", WQ_UNBOUND, 0);
	return roce_wq ? 0 : -ENOMEM;
}

/* Called when no device is left. */
void roce_devs_exit(void)
{
	destroy_workqueue(roce_wq);
}
