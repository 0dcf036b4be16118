// SPDX-License-Identifier: GPL-2.0
/*
 * An open of umadN.
 */
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/nsproxy.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "umad.h"

static struct umad_file *umad_file_new(struct umad_port *port)
{
	struct umad_file *file = kzalloc(sizeof(*file), GFP_KERNEL_ACCOUNT);

	if (!file)
		return NULL;
	file->port = port;
	init_rwsem(&file->agents_lock);
	spin_lock_init(&file->sends_lock);
	hash_init(file->sends);
	spin_lock_init(&file->queue_lock);
	INIT_LIST_HEAD(&file->queue);
	init_waitqueue_head(&file->wait);
	return file;
}

static int umad_file_open(struct inode *inode, struct file *filp)
{
	struct umad_port *port = container_of(inode->i_cdev, struct umad_port,
					      cdev);
	struct umad_file *file;

	guard(mutex)(&port->lock);
	if (!port->ib_dev)
		return -ENXIO;
	if (!rdma_dev_access_netns(port->ib_dev, current->nsproxy->net_ns))
		return ofed_refuse_node(&port->dev, -EPERM,
					"the device is of another network namespace");
	file = umad_file_new(port);
	if (!file)
		return -ENOMEM;
	list_add_tail(&file->node, &port->files);
	filp->private_data = file;
	return stream_open(inode, filp);
}

/* No read or write is under way; the handlers end with the agents. */
static int umad_file_close(struct inode *inode, struct file *filp)
{
	struct umad_file *file = filp->private_data;

	scoped_guard(mutex, &file->port->lock) {
		umad_agents_end(file);
		list_del(&file->node);
	}
	umad_queue_drop(file);
	WARN_ON_ONCE(!hash_empty(file->sends) ||
		     atomic_long_read(&file->sends_cost));
	kfree(file);
	return 0;
}

/**
 * umad_file_kill - end a file as its device is removed
 * @file: of a port; the port's lock is held
 *
 * It has no agents after that, and its readers are woken.
 */
void umad_file_kill(struct umad_file *file)
{
	lockdep_assert_held(&file->port->lock);
	down_write(&file->agents_lock);
	spin_lock(&file->queue_lock);
	file->dead = true;
	spin_unlock(&file->queue_lock);
	up_write(&file->agents_lock);
	umad_agents_end(file);
	wake_up_interruptible(&file->wait);
}

/* Headers get their room for a P_Key index, if none was written or read yet. */
static int umad_enable_pkey(struct umad_file *file)
{
	int ret = 0;

	down_write(&file->agents_lock);
	if (file->used)
		ret = umad_refuse(file, -EINVAL,
				  "the layout of headers is chosen");
	else
		WRITE_ONCE(file->pkey, true);
	up_write(&file->agents_lock);
	return ret;
}

static long umad_file_ioctl(struct file *filp, unsigned int command,
			    unsigned long arg)
{
	struct umad_file *file = filp->private_data;
	void __user *user = (void __user *)arg;
	u32 number;

	switch (command) {
	case IB_USER_MAD_REGISTER_AGENT:
		return umad_agent_register(file, user);
	case IB_USER_MAD_REGISTER_AGENT2:
		return umad_agent_register2(file, user);
	case IB_USER_MAD_UNREGISTER_AGENT:
		if (get_user(number, (u32 __user *)user))
			return -EFAULT;
		return umad_agent_unregister(file, number);
	case IB_USER_MAD_ENABLE_PKEY:
		return umad_enable_pkey(file);
	}
	return -ENOIOCTLCMD;
}

const struct file_operations umad_fops = {
	.owner = THIS_MODULE,
	.open = umad_file_open,
	.release = umad_file_close,
	.read = umad_read,
	.write = umad_write,
	.poll = umad_poll,
	.unlocked_ioctl = umad_file_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};
