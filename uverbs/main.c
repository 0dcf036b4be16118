// SPDX-License-Identifier: GPL-2.0
/*
 * ofed_uverbs: verbs for programs, by /dev/infiniband/uverbsN. This file has
 * the client that gives each device its node, and what sysfs shows of it.
 */
#include <linux/idr.h>
#include <linux/kdev_t.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <net/netlink.h>
#include <ofed/client.h>
#include <ofed/version.h>
#include <rdma/rdma_netlink.h>

#include "ioctl/uapi.h"

MODULE_DESCRIPTION("RDMA verbs for user space");
MODULE_AUTHOR(OFED_AUTHOR);
MODULE_VERSION(OFED_VERSION);
MODULE_LICENSE("GPL");
MODULE_ALIAS_RDMA_CLIENT("uverbs");

/* The first nodes have numbers that udev rules and containers know. */
enum {
	UV_MAJOR = 231,
	UV_FIRST_MINOR = 192,
	UV_FIXED = 32,
	UV_MAX = 1024,
};

#define UV_FIRST_DEV MKDEV(UV_MAJOR, UV_FIRST_MINOR)

/* Held to take a reference to the node of a device, and to take the node away. */
static DEFINE_MUTEX(nodes_lock);
static dev_t dynamic_devs;
static DEFINE_IDA(numbers);

static dev_t uv_dev_of_number(int number)
{
	return number < UV_FIXED ? UV_FIRST_DEV + number :
				   dynamic_devs + number - UV_FIXED;
}

static struct ib_uverbs_device *to_uv_device(struct device *device)
{
	return container_of(device, struct ib_uverbs_device, dev);
}

static ssize_t uv_ibdev_show(struct device *device, struct device_attribute *attr,
			     char *buf)
{
	struct ib_uverbs_device *dev = to_uv_device(device);
	struct ib_device *ib_dev;

	guard(srcu)(&dev->srcu);
	ib_dev = uv_ib_dev(dev);
	/* Not dev_name(): a rename frees what that returns. */
	return ib_dev ? sysfs_emit(buf, "%s\n", ib_dev->name) : -ENODEV;
}
static struct device_attribute dev_attr_ibdev =
	__ATTR(ibdev, 0444, uv_ibdev_show, NULL);

static ssize_t uv_abi_version_show(struct device *device,
				   struct device_attribute *attr, char *buf)
{
	struct ib_uverbs_device *dev = to_uv_device(device);
	struct ib_device *ib_dev;

	guard(srcu)(&dev->srcu);
	ib_dev = uv_ib_dev(dev);
	return ib_dev ? sysfs_emit(buf, "%u\n", ib_dev->ops.uverbs_abi_ver) :
			-ENODEV;
}
static struct device_attribute dev_attr_abi_version =
	__ATTR(abi_version, 0444, uv_abi_version_show, NULL);

static struct attribute *uv_dev_attrs[] = {
	&dev_attr_abi_version.attr,
	&dev_attr_ibdev.attr,
	NULL
};
ATTRIBUTE_GROUPS(uv_dev);

/* The ABI of the framing and the core's structs, as opposed to the driver's. */
static CLASS_ATTR_STRING(abi_version, 0444,
			 __stringify(IB_USER_VERBS_ABI_VERSION));

static struct attribute *uv_class_attrs[] = {
	&class_attr_abi_version.attr.attr,
	NULL
};
ATTRIBUTE_GROUPS(uv_class);

static char *uv_devnode(compat_class_device *device, umode_t *mode)
{
	if (mode)
		*mode = 0666;
	return kasprintf(GFP_KERNEL, "infiniband/%s", dev_name(device));
}

static void uv_dev_release(struct device *device)
{
	struct ib_uverbs_device *dev = to_uv_device(device);

	uv_api_free(dev->api);
	kfree(dev->left);
	xa_destroy(&dev->xrcds);
	cleanup_srcu_struct(&dev->srcu);
	kfree(dev);
}

static struct class uv_class = {
	.name = "infiniband_verbs",
	.class_groups = uv_class_groups,
	.dev_groups = uv_dev_groups,
	.dev_release = uv_dev_release,
	.devnode = uv_devnode,
};

static struct ib_uverbs_device *uv_device_new(struct ib_device *ib_dev)
{
	struct ib_uverbs_device *dev = kzalloc(sizeof(*dev), GFP_KERNEL);
	int ret = -ENOMEM;

	if (!dev)
		return ERR_PTR(ret);
	ret = init_srcu_struct(&dev->srcu);
	if (ret) {
		kfree(dev);
		return ERR_PTR(ret);
	}

	/* From here on the release of dev->dev undoes it. */
	device_initialize(&dev->dev);
	dev->dev.class = &uv_class;
	dev->dev.parent = ib_dev->dev.parent;
	refcount_set(&dev->users, 1);
	init_completion(&dev->idle);
	mutex_init(&dev->files_lock);
	mutex_init(&dev->xrcd_lock);
	INIT_LIST_HEAD(&dev->files);
	xa_init_flags(&dev->xrcds, XA_FLAGS_ACCOUNT);
	dev->num_comp_vectors = ib_dev->num_comp_vectors;
	rcu_assign_pointer(dev->ib_dev, ib_dev);
	dev->left = uv_leftovers_new(dev);
	if (!dev->left) {
		put_device(&dev->dev);
		return ERR_PTR(-ENOMEM);
	}
	return dev;
}

/* Called before the node can be opened. */
static int uv_device_learn(struct ib_uverbs_device *dev, struct ib_device *ib_dev)
{
	struct uv_api *api = uv_api_of(ib_dev);

	if (IS_ERR(api))
		return PTR_ERR(api);
	dev->api = api;
	dev->types_ok = api->objects;
	return 0;
}

static int uv_device_publish(struct ib_uverbs_device *dev, struct ib_device *ib_dev)
{
	int ret;

	ret = ida_alloc_max(&numbers, UV_MAX - 1, GFP_KERNEL);
	if (ret < 0)
		return ret;
	dev->number = ret;
	dev->dev.devt = uv_dev_of_number(dev->number);
	ret = dev_set_name(&dev->dev, "uverbs%d", dev->number);
	if (ret)
		goto err_free_number;

	cdev_init(&dev->cdev, ib_dev->ops.mmap ? &uv_mmap_fops : &uv_fops);
	dev->cdev.owner = THIS_MODULE;
	ret = cdev_device_add(&dev->cdev, &dev->dev);
	if (ret)
		goto err_free_number;
	return 0;

err_free_number:
	ida_free(&numbers, dev->number);
	return ret;
}

static struct ib_client uv_client;

/* The node of a registered device, with a reference to its dev, or NULL. */
static struct ib_uverbs_device *uv_device_get(struct ib_device *ib_dev)
{
	struct ib_uverbs_device *dev;

	guard(mutex)(&nodes_lock);
	dev = ib_get_client_data(ib_dev, &uv_client);
	if (dev)
		get_device(&dev->dev);
	return dev;
}

/**
 * rdma_user_mmap_disassociate - take device memory out of all address spaces
 * @device: device, registered until this returns
 *
 * For a driver that resets its device: mappings made by rdma_user_mmap_io() so
 * far show zeroes from now on. Context: process, sleeps; not from ops.mmap or
 * ops.mmap_free: they are called with the lock of an address space held.
 */
void rdma_user_mmap_disassociate(struct ib_device *device)
{
	struct ib_uverbs_device *dev = uv_device_get(device);

	if (!dev)
		return;
	uv_mmap_zap_all(dev);
	put_device(&dev->dev);
}
OFED_EXPORT(rdma_user_mmap_disassociate);

static int uv_add(struct ib_device *ib_dev)
{
	struct ib_uverbs_device *dev;
	int ret;

	/* Devices without a context are for the kernel, or part of another. */
	if (!ib_dev->ops.alloc_ucontext || compat_is_smi_dev(ib_dev))
		return -EOPNOTSUPP;
	dev = uv_device_new(ib_dev);
	if (IS_ERR(dev))
		return PTR_ERR(dev);
	ret = uv_device_learn(dev, ib_dev);
	if (ret)
		goto err_put_device;
	ret = uv_device_publish(dev, ib_dev);
	if (ret)
		goto err_put_device;
	ib_set_client_data(ib_dev, &uv_client, dev);
	return 0;

err_put_device:
	put_device(&dev->dev);
	return ret;
}

/*
 * No new open reaches the device once its node is gone and the client's user
 * count is dropped. With a driver that can not disassociate its users this
 * waits until the last of them has closed.
 */
static void uv_remove(struct ib_device *ib_dev, void *client_data)
{
	const bool unplug = ib_dev->ops.disassociate_ucontext;
	struct ib_uverbs_device *dev = client_data;

	/* A device that moves to another namespace stays, but not its node. */
	scoped_guard(mutex, &nodes_lock)
		ib_set_client_data(ib_dev, &uv_client, NULL);
	cdev_device_del(&dev->cdev, &dev->dev);
	ida_free(&numbers, dev->number);
	if (unplug)
		uv_device_unplug(dev);
	uv_device_put_user(dev);
	if (!unplug)
		wait_for_completion(&dev->idle);
	uv_leftovers_end(dev, ib_dev);
	put_device(&dev->dev);
}

static int uv_get_nl_info(struct ib_device *ib_dev, void *client_data,
			  struct ib_client_nl_info *res)
{
	struct ib_uverbs_device *dev = client_data;
	int ret;

	/* A node is of the device, not of a port. */
	if (res->port != U32_MAX)
		return -EINVAL;
	if (res->nl_msg && !ib_dev->ops.uverbs_no_driver_id_binding) {
		ret = nla_put_u32(res->nl_msg, RDMA_NLDEV_ATTR_UVERBS_DRIVER_ID,
				  ib_dev->ops.driver_id);
		if (ret)
			return ret;
	}
	res->abi = ib_dev->ops.uverbs_abi_ver;
	res->cdev = get_device(&dev->dev);
	return 0;
}

static struct ib_client uv_client = {
	.name = "uverbs",
	.no_kverbs_req = true,
	.add = uv_add,
	.remove = uv_remove,
	.get_nl_info = uv_get_nl_info,
};

static int __init uv_init(void)
{
	int ret;

	ret = register_chrdev_region(UV_FIRST_DEV, UV_FIXED,
				     "infiniband_verbs");
	if (ret)
		return ret;
	ret = alloc_chrdev_region(&dynamic_devs, 0, UV_MAX - UV_FIXED,
				  "infiniband_verbs");
	if (ret)
		goto err_free_fixed;
	ret = class_register(&uv_class);
	if (ret)
		goto err_free_dynamic;
	ret = compat_ucaps_init();
	if (ret)
		goto err_free_class;
	ret = ib_register_client(&uv_client);
	if (ret)
		goto err_free_ucaps;
	return 0;

err_free_ucaps:
	compat_ucaps_exit();
err_free_class:
	class_unregister(&uv_class);
err_free_dynamic:
	unregister_chrdev_region(dynamic_devs, UV_MAX - UV_FIXED);
err_free_fixed:
	unregister_chrdev_region(UV_FIRST_DEV, UV_FIXED);
	return ret;
}
module_init(uv_init);

static void __exit uv_exit(void)
{
	ib_unregister_client(&uv_client);
	compat_ucaps_exit();
	class_unregister(&uv_class);
	unregister_chrdev_region(dynamic_devs, UV_MAX - UV_FIXED);
	unregister_chrdev_region(UV_FIRST_DEV, UV_FIXED);
	/* Those of opened and then unplugged devices are freed by now. */
	ida_destroy(&numbers);
}
module_exit(uv_exit);
