// SPDX-License-Identifier: GPL-2.0
/*
 * An open of ucmN.
 */
#include <linux/fs.h>
#include <linux/memcontrol.h>
#include <linux/module.h>
#include <linux/nsproxy.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "ucm.h"

static struct ucm_file *ucm_file_new(struct ucm_device *device)
{
	struct ucm_file *file = kzalloc(sizeof(*file), GFP_KERNEL_ACCOUNT);

	if (!file)
		return NULL;
	file->device = device;
	mutex_init(&file->lock);
	mutex_init(&file->queue_lock);
	xa_init_flags(&file->ids, XA_FLAGS_ALLOC | XA_FLAGS_ACCOUNT);
	INIT_LIST_HEAD(&file->events);
	init_waitqueue_head(&file->wait);
	file->memcg = get_mem_cgroup_from_mm(current->mm);
	return file;
}

static int ucm_file_open(struct inode *inode, struct file *filp)
{
	struct ucm_device *device = container_of(inode->i_cdev, struct ucm_device, cdev);
	struct ucm_file *file;

	guard(mutex)(&device->lock);
	if (!device->ib_dev)
		return -ENXIO;
	if (!rdma_dev_access_netns(device->ib_dev, current->nsproxy->net_ns))
		return ofed_refuse_node(&device->dev, -EPERM,
					"the device is of another network namespace");
	file = ucm_file_new(device);
	if (!file)
		return -ENOMEM;
	list_add_tail(&file->node, &device->files);
	filp->private_data = file;
	return stream_open(inode, filp);
}

/**
 * ucm_file_end - end all ids of a file; as its device is removed, or it is closed
 * @file: of a device; the device's lock is held
 *
 * No command finds an id after that, and readers are woken. Peers of connections are told.
 */
void ucm_file_end(struct ucm_file *file)
{
	unsigned long number;
	struct ucm_id *id;

	lockdep_assert_held(&file->device->lock);
	guard(mutex)(&file->lock);
	/* From here on no reader publishes the id of a request. */
	scoped_guard(mutex, &file->queue_lock)
		WRITE_ONCE(file->dead, true);
	xa_for_each(&file->ids, number, id)
		ucm_id_end(id);
	wake_up_interruptible(&file->wait);
}

static int ucm_file_close(struct inode *inode, struct file *filp)
{
	struct ucm_file *file = filp->private_data;

	scoped_guard(mutex, &file->device->lock) {
		ucm_file_end(file);
		list_del(&file->node);
	}
	WARN_ON_ONCE(!list_empty(&file->events) || !xa_empty(&file->ids));
	mem_cgroup_put(file->memcg);
	kfree(file);
	return 0;
}

const struct file_operations ucm_fops = {
	.owner = THIS_MODULE,
	.open = ucm_file_open,
	.release = ucm_file_close,
	.write = ucm_write,
	.poll = ucm_poll,
};
