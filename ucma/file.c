// SPDX-License-Identifier: GPL-2.0
/*
 * An open of the node.
 */
#include <linux/fs.h>
#include <linux/memcontrol.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/slab.h>

#include "ucma.h"

static int ucma_file_open(struct inode *inode, struct file *filp)
{
	struct ucma_file *file = kzalloc(sizeof(*file), GFP_KERNEL_ACCOUNT);

	if (!file)
		return -ENOMEM;
	mutex_init(&file->lock);
	INIT_LIST_HEAD(&file->ids);
	INIT_LIST_HEAD(&file->events);
	init_waitqueue_head(&file->wait);
	file->memcg = get_mem_cgroup_from_mm(current->mm);
	filp->private_data = file;
	return stream_open(inode, filp);
}

/*
 * No command runs on the file, and none can move an id from or to it: that takes
 * a reference to both. The connection requests that still come in are on the
 * queue as events of their listeners, and go with these.
 */
static int ucma_file_close(struct inode *inode, struct file *filp)
{
	struct ucma_file *file = filp->private_data;
	struct ucma_id *id;

	while ((id = list_first_entry_or_null(&file->ids, struct ucma_id,
					      in_file)))
		ucma_id_destroy(id);
	WARN_ON_ONCE(!list_empty(&file->events));
	mem_cgroup_put(file->memcg);
	kfree(file);
	return 0;
}

static __poll_t ucma_file_poll(struct file *filp, struct poll_table_struct *table)
{
	struct ucma_file *file = filp->private_data;

	poll_wait(filp, &file->wait, table);
	return list_empty(&file->events) ? 0 : EPOLLIN | EPOLLRDNORM;
}

const struct file_operations ucma_fops = {
	.owner = THIS_MODULE,
	.open = ucma_file_open,
	.release = ucma_file_close,
	.write = ucma_write,
	.poll = ucma_file_poll,
};
