// SPDX-License-Identifier: GPL-2.0
/*
 * ports/ and ports/N: building and taking down the directories.
 *
 * Both run from registration, unregistration and the walk over network
 * namespaces, which never work on one core device at the same time. A reader of
 * a file is waited for when its directory is removed, so while a show function
 * runs the device is there.
 */
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "sysfs.h"
#include "port.h"

static ssize_t sysfs_port_show(struct kobject *kobj, struct attribute *attr,
			       char *buf)
{
	struct ib_port_attribute *file =
		container_of(attr, struct ib_port_attribute, attr);
	struct ib_port *port = kobj_to_port(kobj);

	if (!file->show)
		return -EIO;
	return file->show(port->device, port->num, file, buf);
}

static ssize_t sysfs_port_store(struct kobject *kobj, struct attribute *attr,
				const char *buf, size_t count)
{
	struct ib_port_attribute *file =
		container_of(attr, struct ib_port_attribute, attr);
	struct ib_port *port = kobj_to_port(kobj);

	if (!file->store)
		return -EIO;
	return file->store(port->device, port->num, file, buf, count);
}

static const struct sysfs_ops port_sysfs_ops = {
	.show = sysfs_port_show,
	.store = sysfs_port_store,
};

static void sysfs_port_release(struct kobject *kobj)
{
	struct ib_port *port = kobj_to_port(kobj);

	ofed_hw_stats_free(port->stats);
	ofed_port_tables_free(port);
	kfree(port);
}

static const struct attribute_group *port_default_groups[] = {
	&ofed_port_attr_group,
	NULL
};

static const struct kobj_type port_type = {
	.sysfs_ops = &port_sysfs_ops,
	.release = sysfs_port_release,
	.default_groups = port_default_groups,
};

/**
 * ib_port_sysfs_get_ibdev_kobj - the device and port that a directory is for
 * @kobj: kobject handed to an attribute of ib_device_ops.port_groups
 * @port_num: out: number of the port
 *
 * For attributes that are called with a kobject (binary ones, or is_visible)
 * instead of a struct ib_port_attribute.
 *
 * Context: any, while @kobj is in sysfs. Return: the device, without a
 * reference.
 */
struct ib_device *ib_port_sysfs_get_ibdev_kobj(struct kobject *kobj,
					       u32 *port_num)
{
	struct ib_port *port = kobj_to_port(kobj);

	*port_num = port->num;
	return port->device;
}
OFED_EXPORT(ib_port_sysfs_get_ibdev_kobj);

static bool sysfs_is_own(const struct ib_core_device *coredev)
{
	return coredev == &coredev->owner->coredev;
}

/* What only the device's own directory shows: the driver's, and counters. */
static int sysfs_port_add_driver_groups(struct ib_port *port)
{
	const struct attribute_group **groups = port->device->ops.port_groups;
	int ret;

	ret = ofed_pma_add(port);
	if (ret)
		return ret;
	if (groups) {
		ret = sysfs_create_groups(&port->kobj, groups);
		if (ret)
			return ret;
	}
	return ofed_hw_stats_add_port(port);
}

static void sysfs_port_remove(struct ib_core_device *coredev, struct ib_port *port)
{
	if (sysfs_is_own(coredev))
		port->device->port_data[port->num].sysfs = NULL;
	list_del(&port->node);
	ofed_port_tables_remove(port);
	/* Groups are removed with the directory that they are in. */
	kobject_del(&port->kobj);
	kobject_put(&port->kobj);
}

static int sysfs_port_add(struct ib_core_device *coredev, u32 port_num)
{
	struct ib_port *port;
	int ret;

	port = kzalloc(sizeof(*port), GFP_KERNEL);
	if (!port)
		return -ENOMEM;
	port->device = coredev->owner;
	port->num = port_num;
	kobject_init(&port->kobj, &port_type);

	ret = ofed_port_tables_alloc(port);
	if (ret)
		goto err_put;
	ret = kobject_add(&port->kobj, coredev->ports_kobj, "%u", port_num);
	if (ret)
		goto err_put;
	list_add_tail(&port->node, &coredev->port_list);
	if (sysfs_is_own(coredev))
		port->device->port_data[port_num].sysfs = port;

	ret = ofed_port_tables_add(port);
	if (ret)
		goto err_remove;
	if (sysfs_is_own(coredev))
		ret = sysfs_port_add_driver_groups(port);
	if (ret)
		goto err_remove;
	return 0;

err_remove:
	sysfs_port_remove(coredev, port);
	return ret;
err_put:
	kobject_put(&port->kobj);
	return ret;
}

/*
 * Context: process, may sleep; the directory of @coredev exists. On failure
 * nothing is left. Return: 0, -ENOMEM, or an errno of the driver.
 */
int ofed_sysfs_add_ports(struct ib_core_device *coredev)
{
	u32 port_num;
	int ret;

	INIT_LIST_HEAD(&coredev->port_list);
	coredev->ports_kobj = kobject_create_and_add("ports",
						     &coredev->dev.kobj);
	if (!coredev->ports_kobj)
		return -ENOMEM;

	rdma_for_each_port(coredev->owner, port_num) {
		ret = sysfs_port_add(coredev, port_num);
		if (ret)
			goto err_remove;
	}
	return 0;

err_remove:
	ofed_sysfs_remove_ports(coredev);
	return ret;
}

/* Context: process, waits for readers. Without ports/ it does nothing. */
void ofed_sysfs_remove_ports(struct ib_core_device *coredev)
{
	struct ib_port *port, *next;

	if (!coredev->ports_kobj)
		return;
	list_for_each_entry_safe(port, next, &coredev->port_list, node)
		sysfs_port_remove(coredev, port);
	kobject_del(coredev->ports_kobj);
	kobject_put(coredev->ports_kobj);
	coredev->ports_kobj = NULL;
}

int ofed_port_add_groups(struct ib_device *device, u32 port_num,
			 const struct attribute_group **groups)
{
	return sysfs_create_groups(&device->port_data[port_num].sysfs->kobj,
				   groups);
}

void ofed_port_remove_groups(struct ib_device *device, u32 port_num,
			     const struct attribute_group **groups)
{
	sysfs_remove_groups(&device->port_data[port_num].sysfs->kobj, groups);
}
