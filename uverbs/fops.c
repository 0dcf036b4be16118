// SPDX-License-Identifier: GPL-2.0
/* What a program can do with /dev/infiniband/uverbsN. */
#include <linux/fs.h>
#include <linux/module.h>

#include "uverbs.h"

const struct file_operations uv_fops = {
	.owner = THIS_MODULE,
	.open = uv_file_open,
	.release = uv_file_close,
	.write = uv_write,
	.unlocked_ioctl = uv_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

const struct file_operations uv_mmap_fops = {
	.owner = THIS_MODULE,
	.open = uv_file_open,
	.release = uv_file_close,
	.write = uv_write,
	.unlocked_ioctl = uv_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.mmap = uv_mmap,
};
