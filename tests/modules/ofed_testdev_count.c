// SPDX-License-Identifier: GPL-2.0
/* How many objects of each kind live: per device and over all devices. */
#include <linux/module.h>
#include <linux/seq_file.h>

#include "ofed_testdev.h"

struct td_counts td_total;

static const struct {
	const char *name;
	u32 max;
} td_kinds[] = {
#define TD_KIND(kind, limit) { #kind, limit },
#include "ofed_testdev_kinds.h"
};

u32 td_kind_max(enum td_kind kind)
{
	return td_kinds[kind].max;
}

/*
 * td_get() counts one more object. @td may be NULL for what belongs to no
 * device. Context: any.
 *
 * Return: 0, or -ENOMEM where the device has no more of this kind.
 */
int td_get(struct testdev *td, enum td_kind kind)
{
	struct td_counts *counts = td ? &td->counts : &td_total;

	if (!atomic_add_unless(&counts->live[kind], 1, td_kinds[kind].max))
		return -ENOMEM;
	if (td)
		atomic_inc(&td_total.live[kind]);
	return 0;
}

void td_put(struct testdev *td, enum td_kind kind)
{
	if (td)
		atomic_dec(&td->counts.live[kind]);
	atomic_dec(&td_total.live[kind]);
}

static int td_counts_show(struct seq_file *file, void *unused)
{
	struct td_counts *counts = file->private;
	int kind;

	for (kind = 0; kind < TD_KIND_COUNT; kind++)
		seq_printf(file, "%s %d\n", td_kinds[kind].name,
			   atomic_read(&counts->live[kind]));
	return 0;
}

static int td_counts_open(struct inode *inode, struct file *file)
{
	return single_open(file, td_counts_show, inode->i_private);
}

const struct file_operations td_counts_fops = {
	.owner = THIS_MODULE,
	.open = td_counts_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = single_release,
};
