// SPDX-License-Identifier: GPL-2.0
/* The module. A node, cable or tunnel in configfs keeps it loaded. */
#include <linux/debugfs.h>
#include <linux/module.h>
#include <ofed/version.h>

#include "config.h"
#include "fabric.h"

static int __init ibf_init(void)
{
	int ret;

	ibf_debugfs = debugfs_create_dir("ofed_ib", NULL);
	ret = ibf_tunnels_init();
	if (ret)
		goto err_debugfs;
	ret = ibf_config_init();
	if (ret)
		goto err_tunnels;
	return 0;

err_tunnels:
	ibf_tunnels_exit();
err_debugfs:
	debugfs_remove(ibf_debugfs);
	return ret;
}

static void __exit ibf_exit(void)
{
	ibf_config_exit();
	ibf_tunnels_exit();
	debugfs_remove(ibf_debugfs);
}

module_init(ibf_init);
module_exit(ibf_exit);

MODULE_DESCRIPTION("Software InfiniBand: channel adapters, switches, cables");
MODULE_AUTHOR(OFED_AUTHOR);
MODULE_VERSION(OFED_VERSION);
MODULE_LICENSE("GPL");
