// SPDX-License-Identifier: GPL-2.0
/* The module: its parameters and its folder in debugfs. */
#include <linux/crypto.h>
#include <linux/debugfs.h>
#include <linux/module.h>
#include <ofed/version.h>

#include "crc.h"
#include "inject.h"
#include "gso.h"

static char ibt_crc[CRYPTO_MAX_ALG_NAME];
module_param_string(crc, ibt_crc, sizeof(ibt_crc), 0444);
MODULE_PARM_DESC(crc,
		 "CRC-32 of packets: table, slices, crypto (default: the fastest)");

static int __init ibt_init(void)
{
	ibt_crc_choose(ibt_crc, sizeof(ibt_crc));
	ibt_debugfs = debugfs_create_dir("ofed_soft", NULL);
	return 0;
}

static void __exit ibt_exit(void)
{
	debugfs_remove(ibt_debugfs);
	ibt_crc_end();
	ibt_gso_exit();
}

module_init(ibt_init);
module_exit(ibt_exit);

MODULE_DESCRIPTION("InfiniBand transport in software");
MODULE_AUTHOR(OFED_AUTHOR);
MODULE_VERSION(OFED_VERSION);
MODULE_LICENSE("GPL");
