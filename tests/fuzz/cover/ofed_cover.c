// SPDX-License-Identifier: GPL-2.0
/*
 * Which blocks of our modules ran, in calls, softirqs and workers alike: what gcc's
 * -fsanitize-coverage=trace-pc calls in each block sets a bit in memory that a fuzzer maps.
 *
 * The first page of the file is a table that the fuzzer writes: a module's text begins at
 * .start, has .size bytes, and its bits begin at .bit of the map behind the page. A module
 * that is not in the table leaves nothing.
 */
#include <linux/bitops.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/vmalloc.h>

#include "ofed_cover.h"

static struct cover_map *map;

void __sanitizer_cov_trace_pc(void);

/*
 * As cheap as can be: KASAN of this kernel costs more. One processor at a time is all that
 * there is; a lost bit would be one of the next input.
 */
void notrace __sanitizer_cov_trace_pc(void)
{
	unsigned long pc = _RET_IP_, at;
	unsigned int i;

	if (!map)
		return;
	for (i = 0; i < COVER_MODULES; i++) {
		at = pc - READ_ONCE(map->module[i].start);
		if (at >= READ_ONCE(map->module[i].size))
			continue;
		at += READ_ONCE(map->module[i].bit);
		if (at < COVER_BITS)
			map->bits[at / 8] |= 1 << (at % 8);
		return;
	}
}
EXPORT_SYMBOL(__sanitizer_cov_trace_pc);

static int cover_mmap(struct file *file, struct vm_area_struct *vma)
{
	return remap_vmalloc_range(vma, map, vma->vm_pgoff);
}

static const struct file_operations cover_fops = {
	.owner = THIS_MODULE,
	.mmap = cover_mmap,
};

static struct miscdevice cover_misc = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "ofed_cover",
	.fops = &cover_fops,
	.mode = 0600,
};

static int __init cover_init(void)
{
	int ret;

	map = vmalloc_user(sizeof(*map));
	if (!map)
		return -ENOMEM;
	ret = misc_register(&cover_misc);
	if (ret)
		vfree(map);
	return ret;
}

static void __exit cover_exit(void)
{
	misc_deregister(&cover_misc);
	vfree(map);
}

module_init(cover_init);
module_exit(cover_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Blocks that ran, for the fuzzer of the tests");
