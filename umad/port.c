// SPDX-License-Identifier: GPL-2.0
/*
 * A port and its nodes, from the device's coming to its going; what sysfs shows.
 */
#include <linux/slab.h>

#include "umad.h"

static ssize_t umad_ibdev_show(struct device *device, struct device_attribute *attr,
			       char *buf)
{
	struct umad_port *port = dev_get_drvdata(device);

	guard(mutex)(&port->lock);
	/* Not dev_name(): a rename frees what that returns. */
	return port->ib_dev ? sysfs_emit(buf, "%s\n", port->ib_dev->name) : -ENODEV;
}
static struct device_attribute dev_attr_ibdev =
	__ATTR(ibdev, 0444, umad_ibdev_show, NULL);

static ssize_t umad_port_show(struct device *device, struct device_attribute *attr,
			      char *buf)
{
	struct umad_port *port = dev_get_drvdata(device);

	return sysfs_emit(buf, "%u\n", port->port_num);
}
static struct device_attribute dev_attr_port =
	__ATTR(port, 0444, umad_port_show, NULL);

static struct attribute *umad_attrs[] = {
	&dev_attr_ibdev.attr,
	&dev_attr_port.attr,
	NULL
};
ATTRIBUTE_GROUPS(umad);

static void umad_port_release(struct device *device)
{
	struct umad_port *port = container_of(device, struct umad_port, dev);

	mutex_destroy(&port->lock);
	kfree(port);
}

static void umad_issm_release(struct device *device)
{
	struct umad_port *port = container_of(device, struct umad_port,
					      issm_dev);

	put_device(&port->dev);
}

static void umad_init_node(struct umad_port *port, struct device *dev,
			   struct cdev *cdev, const struct file_operations *fops,
			   void (*release)(struct device *))
{
	device_initialize(dev);
	dev->class = &umad_class;
	dev->parent = port->ib_dev->dev.parent;
	dev->groups = umad_groups;
	dev->release = release;
	dev->devt = umad_dev_of(port->number, dev == &port->issm_dev);
	dev_set_drvdata(dev, port);
	cdev_init(cdev, fops);
	cdev->owner = fops->owner;
}

/**
 * umad_port_new - allocate a port that is not published yet
 * @ib_dev: its device
 * @port_num: which port it is
 * @number: of its nodes
 *
 * Return: the port, for umad_port_publish() or for put_device(), or -ENOMEM.
 */
struct umad_port *umad_port_new(struct ib_device *ib_dev, u32 port_num,
				int number)
{
	struct umad_port *port = kzalloc(sizeof(*port), GFP_KERNEL);

	if (!port)
		return ERR_PTR(-ENOMEM);
	mutex_init(&port->lock);
	INIT_LIST_HEAD(&port->files);
	init_waitqueue_head(&port->issm_wait);
	port->ib_dev = ib_dev;
	port->port_num = port_num;
	port->has_issm = compat_has_issm(ib_dev, port_num);
	port->number = number;
	umad_init_node(port, &port->dev, &port->cdev, &umad_fops, umad_port_release);
	return port;
}

/* issmN, which keeps the port. */
static int umad_publish_issm(struct umad_port *port)
{
	int ret;

	get_device(&port->dev);
	umad_init_node(port, &port->issm_dev, &port->issm_cdev, &umad_issm_fops,
		       umad_issm_release);
	ret = dev_set_name(&port->issm_dev, "issm%d", port->number);
	if (!ret)
		ret = cdev_device_add(&port->issm_cdev, &port->issm_dev);
	if (ret)
		put_device(&port->issm_dev);
	return ret;
}

/* Later opens of the nodes do not find the device, and open files lose it. */
static void umad_kill(struct umad_port *port)
{
	struct umad_file *file;

	scoped_guard(mutex, &port->lock) {
		list_for_each_entry(file, &port->files, node)
			umad_file_kill(file);
		umad_issm_kill(port);
		WRITE_ONCE(port->ib_dev, NULL);
	}
	wake_up_interruptible(&port->issm_wait);
}

/**
 * umad_port_publish - show a port's nodes
 * @port: from umad_port_new()
 *
 * Return: 0, or an errno; then the port is still the caller's to put.
 */
int umad_port_publish(struct umad_port *port)
{
	int ret = dev_set_name(&port->dev, "umad%d", port->number);

	if (!ret)
		ret = cdev_device_add(&port->cdev, &port->dev);
	if (ret)
		return ret;
	if (port->has_issm)
		ret = umad_publish_issm(port);
	if (ret) {
		/* A program may have opened umadN already. */
		cdev_device_del(&port->cdev, &port->dev);
		umad_kill(port);
	}
	return ret;
}

/**
 * umad_port_remove - the device goes
 * @port: published; not the caller's any more
 *
 * Nodes that are open stay so, but their files are dead. Context: process; waits
 * for what is just being done with the device.
 */
void umad_port_remove(struct umad_port *port)
{
	if (port->has_issm)
		cdev_device_del(&port->issm_cdev, &port->issm_dev);
	cdev_device_del(&port->cdev, &port->dev);
	umad_kill(port);
	if (port->has_issm)
		put_device(&port->issm_dev);
	put_device(&port->dev);
}
