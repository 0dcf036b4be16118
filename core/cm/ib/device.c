// SPDX-License-Identifier: GPL-2.0
/* The devices that have a CM, and the work queues of all. */
#include <linux/slab.h>
#include <rdma/ib_verbs.h>

#include "core.h"

struct workqueue_struct *cm_wq;
struct workqueue_struct *cm_rx_wq;
struct workqueue_struct *cm_addr_wq;
struct workqueue_struct *cm_unmatched_wq;

/* Guards devices, and that the device of what is in there is valid. */
static DEFINE_SPINLOCK(devices_lock);
static LIST_HEAD(devices);

/*
 * Return: the device with a reference, or NULL when it has no port with a CM
 * or is being removed. Any context.
 */
struct cm_dev *cm_dev_get(struct ib_device *device)
{
	struct cm_dev *dev, *found = NULL;
	unsigned long flags;

	spin_lock_irqsave(&devices_lock, flags);
	list_for_each_entry(dev, &devices, node)
		if (dev->device == device) {
			kref_get(&dev->ref);
			found = dev;
			break;
		}
	spin_unlock_irqrestore(&devices_lock, flags);
	return found;
}

/* From here on cm_dev_get() and cm_device_get() find it. */
void cm_dev_add(struct cm_dev *dev)
{
	unsigned long flags;

	spin_lock_irqsave(&devices_lock, flags);
	list_add_tail(&dev->node, &devices);
	spin_unlock_irqrestore(&devices_lock, flags);
}

/* The device is being removed: from here on neither finds it. */
void cm_dev_del(struct cm_dev *dev)
{
	unsigned long flags;

	spin_lock_irqsave(&devices_lock, flags);
	list_del_init(&dev->node);
	spin_unlock_irqrestore(&devices_lock, flags);
}

static void cm_dev_release(struct kref *ref)
{
	kfree(container_of(ref, struct cm_dev, ref));
}

void cm_dev_put(struct cm_dev *dev)
{
	if (dev)
		kref_put(&dev->ref, cm_dev_release);
}

/*
 * Have the device stay, as an id that outlives it may ask for. What was taken
 * from its tables is to be given back, or to the id, before cm_device_put().
 *
 * Return: false when it is being removed. Any context.
 */
bool cm_device_get(struct cm_dev *dev)
{
	unsigned long flags;
	bool there;

	spin_lock_irqsave(&devices_lock, flags);
	there = !list_empty(&dev->node) && ib_device_try_get(dev->device);
	spin_unlock_irqrestore(&devices_lock, flags);
	return there;
}

void cm_device_put(struct cm_dev *dev)
{
	ib_device_put(dev->device);
}

/* Return: the port if it exists and has ever had a CM, else NULL. */
struct cm_port *cm_dev_port(struct cm_dev *dev, u32 port_num)
{
	/* An id may ask after the device is gone. */
	u32 nth = port_num - dev->port[0].num;

	return nth < dev->ports ? &dev->port[nth] : NULL;
}
