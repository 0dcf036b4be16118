// SPDX-License-Identifier: GPL-2.0
/*
 * ofed_testdev: load and unload.
 *
 *   modprobe ofed_testdev [link=ib] [disassociate=0] ... [devices=N]
 *   echo 'add NAME [link=ib|roce] [netdev=IF] [...]' > D/ctl
 *   echo 'del NAME' > D/ctl			D = /sys/kernel/debug/ofed_testdev
 *   rdma link add NAME type testdev netdev IF
 *
 *   D/counts		living objects of all devices, also of those gone
 *   D/NAME/counts	the same for one device; NAME is that of its registration
 *   D/NAME/fail	'OP N ERRNO': the Nth next call of OP fails
 *   D/NAME/event	'TYPE [NUMBER]': an asynchronous event
 *   D/NAME/complete	'send|recv QPN COUNT [STATUS]': completions
 *   D/NAME/hold	1: posted work waits for 'complete', or for 0
 *   D/NAME/port	'PORT state|lid|sm_lid|pkey|gid ...': change a port
 *   D/NAME/odp		ioctl(): use a region on demand, see ofed_testdev_abi.h
 *
 * A file is one kind of object or one hook; ofed_testdev.h lists them.
 */
#include <linux/module.h>

#include "ofed_testdev.h"

static char *link = "roce";
module_param(link, charp, 0644);
MODULE_PARM_DESC(link, "link layer of new devices: roce or ib");

static bool disassociate = true;
module_param(disassociate, bool, 0644);
MODULE_PARM_DESC(disassociate, "new devices have disassociate_ucontext");

static bool virt_dma;
module_param(virt_dma, bool, 0644);
MODULE_PARM_DESC(virt_dma, "new devices use virtual DMA addresses");

static bool get_netdev;
module_param(get_netdev, bool, 0644);
MODULE_PARM_DESC(get_netdev, "new devices name their netdev by the op");

static bool split_cq;
module_param(split_cq, bool, 0644);
MODULE_PARM_DESC(split_cq, "new devices destroy a CQ in two steps");

static uint ports = 1;
module_param(ports, uint, 0644);
MODULE_PARM_DESC(ports, "ports of new devices (at most 4)");

static uint vectors = 2;
module_param(vectors, uint, 0644);
MODULE_PARM_DESC(vectors, "completion vectors of new devices");

static char *netdev = "";
module_param(netdev, charp, 0644);
MODULE_PARM_DESC(netdev, "network device of new RoCE devices");

static uint devices;
module_param(devices, uint, 0444);
MODULE_PARM_DESC(devices, "devices to create at load, named testdev%d");

static struct dentry *root;

void td_default_config(struct td_config *cfg)
{
	memset(cfg, 0, sizeof(*cfg));
	kernel_param_lock(THIS_MODULE);
	cfg->ib = sysfs_streq(link, "ib");
	strscpy(cfg->netdev, netdev, sizeof(cfg->netdev));
	kernel_param_unlock(THIS_MODULE);
	cfg->disassociate = disassociate;
	cfg->virt_dma = virt_dma;
	cfg->get_netdev = get_netdev;
	cfg->split_cq = split_cq;
	cfg->ports = clamp(ports, 1U, (uint)TD_MAX_PORTS);
	cfg->vectors = clamp(vectors, 1U, 64U);
}

struct dentry *td_debugfs_root(void)
{
	return root;
}

static int __init td_add_first(void)
{
	char line[] = "add";
	uint i;
	int ret;

	for (i = 0; i < devices; i++) {
		ret = td_ctl_run(line);
		if (ret)
			return ret;
	}
	return 0;
}

static int __init td_init(void)
{
	int ret;

	root = debugfs_create_dir("ofed_testdev", NULL);
	debugfs_create_file("counts", 0444, root, &td_total, &td_counts_fops);

	ret = td_dmabuf_init();
	if (ret)
		goto err_debugfs;
	ret = td_netdev_init();
	if (ret)
		goto err_dmabuf;
	ret = td_add_first();
	if (ret)
		goto err_devices;
	debugfs_create_file("ctl", 0200, root, NULL, &td_ctl_fops);
	return 0;

err_devices:
	ib_unregister_driver(TESTDEV_DRIVER_ID);
	td_netdev_exit();
err_dmabuf:
	td_dmabuf_exit();
err_debugfs:
	debugfs_remove(root);
	return ret;
}

static void __exit td_exit(void)
{
	/* No new devices first, then no old ones. */
	td_netdev_exit();
	debugfs_lookup_and_remove("ctl", root);
	ib_unregister_driver(TESTDEV_DRIVER_ID);
	td_dmabuf_exit();
	debugfs_remove(root);
}

module_init(td_init);
module_exit(td_exit);

MODULE_DESCRIPTION("RDMA device without hardware, for tests");
MODULE_LICENSE("GPL");
