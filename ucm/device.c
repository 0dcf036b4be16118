// SPDX-License-Identifier: GPL-2.0
/*
 * A device and its node, from the device's coming to its going.
 */
#include <linux/slab.h>

#include "ucm.h"

static ssize_t ucm_ibdev_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct ucm_device *device = container_of(dev, struct ucm_device, dev);

	guard(mutex)(&device->lock);
	/* Not dev_name(): a rename frees what that returns. */
	return device->ib_dev ? sysfs_emit(buf, "%s\n", device->ib_dev->name) : -ENODEV;
}
static struct device_attribute dev_attr_ibdev = __ATTR(ibdev, 0444, ucm_ibdev_show, NULL);

static struct attribute *ucm_attrs[] = {
	&dev_attr_ibdev.attr,
	NULL
};
ATTRIBUTE_GROUPS(ucm);

static void ucm_device_release(struct device *dev)
{
	struct ucm_device *device = container_of(dev, struct ucm_device, dev);

	mutex_destroy(&device->lock);
	kfree(device);
}

/**
 * ucm_device_new - allocate a device that is not published yet
 * @ib_dev: the device
 * @number: of its node
 *
 * Return: it, for ucm_device_publish() or for put_device(), or NULL.
 */
struct ucm_device *ucm_device_new(struct ib_device *ib_dev, int number)
{
	struct ucm_device *device = kzalloc(sizeof(*device), GFP_KERNEL);

	if (!device)
		return NULL;
	mutex_init(&device->lock);
	INIT_LIST_HEAD(&device->files);
	device->ib_dev = ib_dev;
	device->number = number;
	device_initialize(&device->dev);
	device->dev.class = &ucm_class;
	device->dev.parent = ib_dev->dev.parent;
	device->dev.groups = ucm_groups;
	device->dev.release = ucm_device_release;
	device->dev.devt = ucm_dev_of(number);
	cdev_init(&device->cdev, &ucm_fops);
	device->cdev.owner = ucm_fops.owner;
	return device;
}

/**
 * ucm_device_publish - show the node
 * @device: from ucm_device_new()
 *
 * Return: 0, or an errno; then it is still the caller's to put.
 */
int ucm_device_publish(struct ucm_device *device)
{
	int ret = dev_set_name(&device->dev, "ucm%d", device->number);

	return ret ?: cdev_device_add(&device->cdev, &device->dev);
}

/**
 * ucm_device_remove - the device goes
 * @device: published; not the caller's any more
 *
 * Nodes that are open stay so, but their files are dead. Context: process; waits for the commands
 * in progress, of which one on RoCE may be looking for a neighbour.
 */
void ucm_device_remove(struct ucm_device *device)
{
	struct ucm_file *file;

	cdev_device_del(&device->cdev, &device->dev);
	scoped_guard(mutex, &device->lock) {
		list_for_each_entry(file, &device->files, node)
			ucm_file_end(file);
		device->ib_dev = NULL;
	}
	put_device(&device->dev);
}
