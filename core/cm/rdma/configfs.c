// SPDX-License-Identifier: GPL-2.0
/*
 * rdma_cm: /sys/kernel/config/rdma_cm/DEVICE/ports/N/, where DEVICE is made by
 * mkdir, holds what connections of a RoCE port are like unless they say so
 * themselves. Each item knows its device by name, and looks for it when it is
 * read or written: the device may be gone, or another one.
 */
#include <linux/configfs.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../../port/gid.h"
#include "cma.h"

/**
 * struct cfg_port - directory of a port
 * @group: of configfs, which frees it
 * @port: number
 * @device: name
 */
struct cfg_port {
	struct config_group group;
	u32 port;
	char device[IB_DEVICE_NAME_MAX];
};

/* Directory "ports", and that of a device. */
struct cfg_dir {
	struct config_group group;
};

static struct cfg_port *cma_configfs_port_of(struct config_item *item)
{
	return container_of(to_config_group(item), struct cfg_port, group);
}

/* Return: the device with a reference, or ERR_PTR(-ENODEV). */
static struct cma_dev *cma_device_of(const struct cfg_port *port)
{
	struct cma_dev *cdev = cma_dev_by_name(port->device);

	if (cdev && !rdma_is_port_valid(cdev->device, port->port)) {
		cma_dev_put(cdev);
		cdev = NULL;
	}
	return cdev ?: ERR_PTR(-ENODEV);
}

static ssize_t default_roce_mode_show(struct config_item *item, char *buf)
{
	struct cfg_port *port = cma_configfs_port_of(item);
	struct cma_dev *cdev = cma_device_of(port);
	u8 type;

	if (IS_ERR(cdev))
		return PTR_ERR(cdev);
	type = cma_port_config(cdev, port->port)->gid_type;
	cma_dev_put(cdev);
	return sysfs_emit(buf, "%s\n", ofed_gid_type_str(type));
}

/* One text stands for two types; a port has one of them at most. */
static int cma_mode_of(const char *text, unsigned long types)
{
	int type = ofed_gid_type_parse(text);

	if (type < 0)
		return type;
	if (type == IB_GID_TYPE_ROCE && !(types & BIT(IB_GID_TYPE_ROCE)))
		type = IB_GID_TYPE_IB;
	return types & BIT(type) ? type : -EINVAL;
}

static ssize_t default_roce_mode_store(struct config_item *item,
				       const char *buf, size_t count)
{
	struct cfg_port *port = cma_configfs_port_of(item);
	struct cma_dev *cdev;
	char text[16];
	int ret;

	if (count >= sizeof(text))
		return -EINVAL;
	strscpy(text, buf, count + 1);
	cdev = cma_device_of(port);
	if (IS_ERR(cdev))
		return PTR_ERR(cdev);
	ret = cma_mode_of(strim(text), ofed_gid_type_mask(cdev->device, port->port));
	if (ret >= 0)
		WRITE_ONCE(cma_port_config(cdev, port->port)->gid_type, ret);
	cma_dev_put(cdev);
	return ret < 0 ? ret : count;
}

static ssize_t default_roce_tos_show(struct config_item *item, char *buf)
{
	struct cfg_port *port = cma_configfs_port_of(item);
	struct cma_dev *cdev = cma_device_of(port);
	u8 tos;

	if (IS_ERR(cdev))
		return PTR_ERR(cdev);
	tos = cma_port_config(cdev, port->port)->tos;
	cma_dev_put(cdev);
	return sysfs_emit(buf, "%u\n", tos);
}

static ssize_t default_roce_tos_store(struct config_item *item,
				      const char *buf, size_t count)
{
	struct cfg_port *port = cma_configfs_port_of(item);
	struct cma_dev *cdev;
	int ret;
	u8 tos;

	ret = kstrtou8(buf, 0, &tos);
	if (ret)
		return ret;
	cdev = cma_device_of(port);
	if (IS_ERR(cdev))
		return PTR_ERR(cdev);
	WRITE_ONCE(cma_port_config(cdev, port->port)->tos, tos);
	cma_dev_put(cdev);
	return count;
}

CONFIGFS_ATTR(, default_roce_mode);
CONFIGFS_ATTR(, default_roce_tos);

static struct configfs_attribute *port_attrs[] = {
	&attr_default_roce_mode,
	&attr_default_roce_tos,
	NULL
};

static void cma_free_port(struct config_item *item)
{
	kfree(cma_configfs_port_of(item));
}

static void cma_free_dir(struct config_item *item)
{
	kfree(container_of(to_config_group(item), struct cfg_dir, group));
}

static struct configfs_item_operations port_ops = { .release = cma_free_port };
static struct configfs_item_operations dir_ops = { .release = cma_free_dir };

static const struct config_item_type port_type = {
	.ct_item_ops = &port_ops,
	.ct_attrs = port_attrs,
	.ct_owner = THIS_MODULE,
};

static const struct config_item_type dir_type = {
	.ct_item_ops = &dir_ops,
	.ct_owner = THIS_MODULE,
};

static struct config_group *cma_new_dir(const char *name)
{
	struct cfg_dir *dir = kzalloc(sizeof(*dir), GFP_KERNEL);

	if (!dir)
		return NULL;
	config_group_init_type_name(&dir->group, name, &dir_type);
	return &dir->group;
}

static int cma_add_port(struct config_group *ports, const char *device, u32 number)
{
	struct cfg_port *port = kzalloc(sizeof(*port), GFP_KERNEL);
	char name[12];

	if (!port)
		return -ENOMEM;
	snprintf(name, sizeof(name), "%u", number);
	strscpy(port->device, device, sizeof(port->device));
	port->port = number;
	config_group_init_type_name(&port->group, name, &port_type);
	configfs_add_default_group(&port->group, ports);
	return 0;
}

/* With everything in it, of which configfs knows or not yet. */
static void cma_drop_device(struct config_group *dir)
{
	struct config_group *ports;

	list_for_each_entry(ports, &dir->default_groups, group_entry)
		configfs_remove_default_groups(ports);
	configfs_remove_default_groups(dir);
	config_group_put(dir);
}

static int cma_fill_device(struct config_group *dir, const struct cma_dev *cdev,
			   const char *name)
{
	struct config_group *ports = cma_new_dir("ports");
	u32 port;
	int ret;

	if (!ports)
		return -ENOMEM;
	configfs_add_default_group(ports, dir);
	rdma_for_each_port(cdev->device, port) {
		ret = cma_add_port(ports, name, port);
		if (ret)
			return ret;
	}
	return 0;
}

static struct config_group *cma_make_device(struct config_group *root,
					    const char *name)
{
	struct config_group *dir;
	struct cma_dev *cdev;
	int ret = -ENOMEM;

	cdev = cma_dev_by_name(name);
	if (!cdev)
		return ERR_PTR(-ENODEV);
	dir = cma_new_dir(name);
	if (dir) {
		ret = cma_fill_device(dir, cdev, name);
		if (ret)
			cma_drop_device(dir);
	}
	cma_dev_put(cdev);
	return ret ? ERR_PTR(ret) : dir;
}

static void cma_configfs_remove_device(struct config_group *root, struct config_item *item)
{
	cma_drop_device(to_config_group(item));
}

static struct configfs_group_operations root_ops = {
	.make_group = cma_make_device,
	.drop_item = cma_configfs_remove_device,
};

static const struct config_item_type root_type = {
	.ct_group_ops = &root_ops,
	.ct_owner = THIS_MODULE,
};

static struct configfs_subsystem subsystem = {
	.su_group = {
		.cg_item = {
			.ci_namebuf = "rdma_cm",
			.ci_type = &root_type,
		},
	},
};

/* Nothing to do, and 0, where configfs can not be reached. */
int cma_configfs_init(void)
{
	if (!IS_REACHABLE(CONFIG_CONFIGFS_FS))
		return 0;
	config_group_init(&subsystem.su_group);
	mutex_init(&subsystem.su_mutex);
	return configfs_register_subsystem(&subsystem);
}

void cma_configfs_exit(void)
{
	if (IS_REACHABLE(CONFIG_CONFIGFS_FS))
		configfs_unregister_subsystem(&subsystem);
}
