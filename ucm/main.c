// SPDX-License-Identifier: GPL-2.0
/*
 * ofed_ucm: the InfiniBand CM for programs, by /dev/infiniband/ucmN. This file has the client that
 * gives each device its node, if the administrator wants nodes at all.
 */
#include <linux/idr.h>
#include <linux/kdev_t.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/stringify.h>
#include <ofed/version.h>

#include "ucm.h"

MODULE_DESCRIPTION("InfiniBand connections for user space");
MODULE_AUTHOR(OFED_AUTHOR);
MODULE_VERSION(OFED_VERSION);
MODULE_LICENSE("GPL");

static bool enable;
module_param(enable, bool, 0444);
MODULE_PARM_DESC(enable, "devices have nodes /dev/infiniband/ucmN (default: no)");

/* Numbers that rules and containers know; libibcm looks at so many nodes. */
enum {
	UCM_MAJOR = 231,
	UCM_FIRST_MINOR = 224,
	UCM_MAX = 32,
};

#define UCM_FIRST_DEV MKDEV(UCM_MAJOR, UCM_FIRST_MINOR)

static DEFINE_IDA(numbers);

dev_t ucm_dev_of(int number)
{
	return UCM_FIRST_DEV + number;
}

static CLASS_ATTR_STRING(abi_version, 0444, __stringify(IB_USER_CM_ABI_VERSION));

static struct attribute *ucm_class_attrs[] = {
	&class_attr_abi_version.attr.attr,
	NULL
};
ATTRIBUTE_GROUPS(ucm_class);

/* The mode stays 0600: no limit of users, but that of files, is on what the CM keeps for them. */
static char *ucm_devnode(compat_class_device *device, umode_t *mode)
{
	return kasprintf(GFP_KERNEL, "infiniband/%s", dev_name(device));
}

struct class ucm_class = {
	.name = "infiniband_cm",
	.class_groups = ucm_class_groups,
	.devnode = ucm_devnode,
};

/* Programs have queue pairs of it, and a port of it has a CM. */
static bool ucm_is_for(struct ib_device *ib_dev)
{
	u32 port;

	if (!ib_dev->ops.alloc_ucontext)
		return false;
	rdma_for_each_port(ib_dev, port)
		if (rdma_cap_ib_cm(ib_dev, port))
			return true;
	return false;
}

static struct ib_client ucm_client;

static int ucm_add(struct ib_device *ib_dev)
{
	struct ucm_device *device;
	int number, ret;

	if (!ucm_is_for(ib_dev))
		return -EOPNOTSUPP;
	number = ida_alloc_max(&numbers, UCM_MAX - 1, GFP_KERNEL);
	if (number < 0)
		return ofed_refuse(ib_dev, number, "ucm: no node, %d are the most", UCM_MAX);
	device = ucm_device_new(ib_dev, number);
	if (!device) {
		ida_free(&numbers, number);
		return -ENOMEM;
	}
	ret = ucm_device_publish(device);
	if (ret) {
		put_device(&device->dev);
		ida_free(&numbers, number);
		return ret;
	}
	ib_set_client_data(ib_dev, &ucm_client, device);
	return 0;
}

static void ucm_remove(struct ib_device *ib_dev, void *client_data)
{
	struct ucm_device *device = client_data;
	const int number = device->number;

	ucm_device_remove(device);
	ida_free(&numbers, number);
}

static struct ib_client ucm_client = {
	.name = "ucm",
	.add = ucm_add,
	.remove = ucm_remove,
};

static int __init ucm_init(void)
{
	int ret;

	if (!enable)
		return 0;
	ret = register_chrdev_region(UCM_FIRST_DEV, UCM_MAX, "infiniband_cm");
	if (ret)
		return ret;
	ret = class_register(&ucm_class);
	if (ret)
		goto err_free_numbers;
	ret = ib_register_client(&ucm_client);
	if (ret)
		goto err_free_class;
	return 0;

err_free_class:
	class_unregister(&ucm_class);
err_free_numbers:
	unregister_chrdev_region(UCM_FIRST_DEV, UCM_MAX);
	return ret;
}
module_init(ucm_init);

static void __exit ucm_exit(void)
{
	if (!enable)
		return;
	ib_unregister_client(&ucm_client);
	class_unregister(&ucm_class);
	unregister_chrdev_region(UCM_FIRST_DEV, UCM_MAX);
	ida_destroy(&numbers);
}
module_exit(ucm_exit);
