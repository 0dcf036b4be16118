// SPDX-License-Identifier: GPL-2.0
/*
 * ofed_ucma: connections for programs, by /dev/infiniband/rdma_cm. This file has
 * the node, and what sysfs, sysctl and netlink tell of it.
 */
#include <linux/device.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/stringify.h>
#include <linux/sysctl.h>
#include <net/net_namespace.h>
#include <ofed/client.h>
#include <ofed/cma.h>
#include <ofed/version.h>
#include <rdma/rdma_netlink.h>

#include "ucma.h"

MODULE_DESCRIPTION("RDMA connections for user space");
MODULE_AUTHOR(OFED_AUTHOR);
MODULE_VERSION(OFED_VERSION);
MODULE_LICENSE("GPL");
MODULE_ALIAS_RDMA_CLIENT("rdma_cm");

static int max_backlog = 1024;

unsigned int ucma_max_backlog(void)
{
	return READ_ONCE(max_backlog);
}

/* The empty one ends the table for kernels that are not told its size. */
static struct ctl_table ucma_sysctls[] = {
	{
		.procname = "max_backlog",
		.data = &max_backlog,
		.maxlen = sizeof(max_backlog),
		.mode = 0644,
		.proc_handler = proc_dointvec_minmax,
		.extra1 = SYSCTL_ZERO,
	},
	{ }
};

static ssize_t ucma_abi_version_show(struct device *device,
				     struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%d\n", RDMA_USER_CM_ABI_VERSION);
}
static struct device_attribute dev_attr_abi_version =
	__ATTR(abi_version, 0444, ucma_abi_version_show, NULL);

static struct attribute *ucma_attrs[] = {
	&dev_attr_abi_version.attr,
	NULL
};
ATTRIBUTE_GROUPS(ucma);

static struct miscdevice ucma_node = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "rdma_cm",
	.nodename = "infiniband/rdma_cm",
	.mode = 0666,
	.fops = &ucma_fops,
	.groups = ucma_groups,
};

static int ucma_nl_info(struct ib_client_nl_info *res)
{
	res->abi = RDMA_USER_CM_ABI_VERSION;
	res->cdev = get_device(ucma_node.this_device);
	return 0;
}

/* Set before the client goes; the node is not open then. */
static bool unloading;

/*
 * This module uses symbols of ofed_uverbs, so the client of that one is called
 * later. If a driver can not disassociate its users, that client waits for the
 * programs to close, and they wait for this event. When this module is unloaded
 * no program has an id, and the device stays.
 */
static void ucma_remove(struct ib_device *device, void *unused)
{
	if (!unloading)
		ofed_cma_close_to_programs(device);
}

static struct ib_client ucma_client = {
	.name = "rdma_cm",
	.remove = ucma_remove,
	.get_global_nl_info = ucma_nl_info,
};

static struct ctl_table_header *sysctls;

static int __init ucma_init(void)
{
	int ret = misc_register(&ucma_node);

	if (ret)
		return ret;
	sysctls = compat_register_net_sysctl(&init_net, "net/rdma_ucm",
					     ucma_sysctls,
					     ARRAY_SIZE(ucma_sysctls) - 1);
	if (!sysctls) {
		ret = -ENOMEM;
		goto err_free_node;
	}
	ret = ib_register_client(&ucma_client);
	if (ret)
		goto err_free_sysctls;
	return 0;

err_free_sysctls:
	unregister_net_sysctl_table(sysctls);
err_free_node:
	misc_deregister(&ucma_node);
	return ret;
}
module_init(ucma_init);

static void __exit ucma_exit(void)
{
	unloading = true;
	ib_unregister_client(&ucma_client);
	unregister_net_sysctl_table(sysctls);
	misc_deregister(&ucma_node);
}
module_exit(ucma_exit);
