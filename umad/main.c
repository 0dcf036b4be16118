// SPDX-License-Identifier: GPL-2.0
/*
 * ofed_umad: management datagrams for programs, by /dev/infiniband/umadN and
 * issmN. This file has the client that gives each port its nodes, and what netlink
 * tells of them.
 */
#include <linux/idr.h>
#include <linux/kdev_t.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/stringify.h>
#include <ofed/client.h>
#include <ofed/version.h>
#include <rdma/rdma_netlink.h>

#include "umad.h"

MODULE_DESCRIPTION("RDMA management datagrams for user space");
MODULE_AUTHOR(OFED_AUTHOR);
MODULE_VERSION(OFED_VERSION);
MODULE_LICENSE("GPL");
MODULE_ALIAS_RDMA_CLIENT("umad");

/* The first nodes have numbers that udev rules and containers know. */
enum {
	UMAD_MAJOR = 231,
	UMAD_FIRST_MINOR = 0,
	ISSM_FIRST_MINOR = 64,
	UMAD_FIXED = 64,
	UMAD_MAX = 1024,
};

#define UMAD_FIRST_DEV MKDEV(UMAD_MAJOR, UMAD_FIRST_MINOR)
#define ISSM_FIRST_DEV MKDEV(UMAD_MAJOR, ISSM_FIRST_MINOR)

static dev_t dynamic_devs, dynamic_issm_devs;
static DEFINE_IDA(numbers);

dev_t umad_dev_of(int number, bool issm)
{
	if (number < UMAD_FIXED)
		return (issm ? ISSM_FIRST_DEV : UMAD_FIRST_DEV) + number;
	return (issm ? dynamic_issm_devs : dynamic_devs) + number - UMAD_FIXED;
}

static CLASS_ATTR_STRING(abi_version, 0444,
			 __stringify(IB_USER_MAD_ABI_VERSION));

static struct attribute *umad_class_attrs[] = {
	&class_attr_abi_version.attr.attr,
	NULL
};
ATTRIBUTE_GROUPS(umad_class);

/* The mode stays 0600: a program that sends MADs can reconfigure the fabric. */
static char *umad_devnode(compat_class_device *device, umode_t *mode)
{
	return kasprintf(GFP_KERNEL, "infiniband/%s", dev_name(device));
}

struct class umad_class = {
	.name = "infiniband_mad",
	.class_groups = umad_class_groups,
	.devnode = umad_devnode,
};

/* The ports of a device: client data. */
struct ports {
	struct list_head list;
};

static void umad_remove_ports(struct ports *ports)
{
	struct umad_port *port, *next;

	list_for_each_entry_safe(port, next, &ports->list, node) {
		const int number = port->number;

		list_del(&port->node);
		umad_port_remove(port);
		ida_free(&numbers, number);
	}
	kfree(ports);
}

static int umad_add_port(struct ports *ports, struct ib_device *ib_dev, u32 port_num)
{
	struct umad_port *port;
	int number, ret;

	number = ida_alloc_max(&numbers, UMAD_MAX - 1, GFP_KERNEL);
	if (number < 0)
		return number;
	port = umad_port_new(ib_dev, port_num, number);
	if (IS_ERR(port)) {
		ret = PTR_ERR(port);
		goto err_free_number;
	}
	ret = umad_port_publish(port);
	if (ret)
		goto err_put_port;
	list_add_tail(&port->node, &ports->list);
	return 0;

err_put_port:
	put_device(&port->dev);
err_free_number:
	ida_free(&numbers, number);
	return ret;
}

static struct ib_client umad_client;

static int umad_add(struct ib_device *ib_dev)
{
	struct ports *ports = kzalloc(sizeof(*ports), GFP_KERNEL);
	u32 port_num;
	int ret;

	if (!ports)
		return -ENOMEM;
	INIT_LIST_HEAD(&ports->list);
	rdma_for_each_port(ib_dev, port_num) {
		if (!rdma_cap_ib_mad(ib_dev, port_num))
			continue;
		ret = umad_add_port(ports, ib_dev, port_num);
		if (ret)
			goto err_remove;
	}
	ret = -EOPNOTSUPP;
	if (list_empty(&ports->list))
		goto err_remove;
	ib_set_client_data(ib_dev, &umad_client, ports);
	return 0;

err_remove:
	umad_remove_ports(ports);
	return ret;
}

static void umad_remove(struct ib_device *ib_dev, void *client_data)
{
	umad_remove_ports(client_data);
}

static int umad_get_nl_info(struct ib_device *ib_dev, void *client_data,
			    struct ib_client_nl_info *res)
{
	struct ports *ports = client_data;
	struct umad_port *port;

	/* A node is of a port, not of the device. */
	list_for_each_entry(port, &ports->list, node) {
		if (port->port_num != res->port)
			continue;
		res->abi = IB_USER_MAD_ABI_VERSION;
		res->cdev = get_device(&port->dev);
		return 0;
	}
	return -EINVAL;
}

static struct ib_client umad_client = {
	.name = "umad",
	.add = umad_add,
	.remove = umad_remove,
	.get_nl_info = umad_get_nl_info,
};

static int __init umad_register_numbers(void)
{
	int ret;

	ret = register_chrdev_region(UMAD_FIRST_DEV, 2 * UMAD_FIXED,
				     "infiniband_mad");
	if (ret)
		return ret;
	ret = alloc_chrdev_region(&dynamic_devs, 0, 2 * (UMAD_MAX - UMAD_FIXED),
				  "infiniband_mad");
	if (ret) {
		unregister_chrdev_region(UMAD_FIRST_DEV, 2 * UMAD_FIXED);
		return ret;
	}
	dynamic_issm_devs = dynamic_devs + UMAD_MAX - UMAD_FIXED;
	return 0;
}

static void umad_unregister_numbers(void)
{
	unregister_chrdev_region(dynamic_devs, 2 * (UMAD_MAX - UMAD_FIXED));
	unregister_chrdev_region(UMAD_FIRST_DEV, 2 * UMAD_FIXED);
}

static int __init umad_init(void)
{
	int ret = umad_register_numbers();

	if (ret)
		return ret;
	ret = class_register(&umad_class);
	if (ret)
		goto err_free_numbers;
	ret = ib_register_client(&umad_client);
	if (ret)
		goto err_free_class;
	return 0;

err_free_class:
	class_unregister(&umad_class);
err_free_numbers:
	umad_unregister_numbers();
	return ret;
}
module_init(umad_init);

static void __exit umad_exit(void)
{
	ib_unregister_client(&umad_client);
	class_unregister(&umad_class);
	umad_unregister_numbers();
	ida_destroy(&numbers);
}
module_exit(umad_exit);
