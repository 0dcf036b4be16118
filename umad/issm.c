// SPDX-License-Identifier: GPL-2.0
/*
 * issmN: while the node is open, the port says that it has a subnet manager
 * (IBA 14.2.5.6, PortInfo:CapabilityMask.IsSM). One open at a time.
 */
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/nsproxy.h>
#include <linux/sched/signal.h>

#include "umad.h"

static int umad_say(struct umad_port *port, bool is_sm)
{
	struct ib_port_modify change = {};

	lockdep_assert_held(&port->lock);
	if (is_sm)
		change.set_port_cap_mask = IB_PORT_SM;
	else
		change.clr_port_cap_mask = IB_PORT_SM;
	return ib_modify_port(port->ib_dev, port->port_num, 0, &change);
}

/* Return: 0, -EAGAIN (the node is open), or an errno. */
static int umad_try_open(struct umad_port *port)
{
	int ret;

	guard(mutex)(&port->lock);
	if (!port->ib_dev)
		return -ENXIO;
	if (!rdma_dev_access_netns(port->ib_dev, current->nsproxy->net_ns))
		return ofed_refuse_node(&port->issm_dev, -EPERM,
					"the device is of another network namespace");
	if (port->issm_taken)
		return -EAGAIN;
	ret = umad_say(port, true);
	if (ret)
		return ret == -EAGAIN ? -EIO : ret;
	WRITE_ONCE(port->issm_taken, true);
	return 0;
}

static int umad_issm_open(struct inode *inode, struct file *filp)
{
	struct umad_port *port = container_of(inode->i_cdev, struct umad_port,
					      issm_cdev);
	int ret;

	while ((ret = umad_try_open(port)) == -EAGAIN) {
		if (filp->f_flags & O_NONBLOCK)
			return ret;
		ret = wait_event_interruptible(port->issm_wait,
					       !READ_ONCE(port->issm_taken) ||
					       !READ_ONCE(port->ib_dev));
		if (ret)
			return ret;
	}
	if (ret)
		return ret;
	filp->private_data = port;
	return nonseekable_open(inode, filp);
}

static int umad_issm_close(struct inode *inode, struct file *filp)
{
	struct umad_port *port = filp->private_data;

	scoped_guard(mutex, &port->lock) {
		if (port->ib_dev)
			umad_say(port, false);
		WRITE_ONCE(port->issm_taken, false);
	}
	wake_up_interruptible(&port->issm_wait);
	return 0;
}

/*
 * The device goes, perhaps only to another namespace: it is not to say there what
 * is not true.
 */
void umad_issm_kill(struct umad_port *port)
{
	lockdep_assert_held(&port->lock);
	if (port->issm_taken)
		umad_say(port, false);
}

const struct file_operations umad_issm_fops = {
	.owner = THIS_MODULE,
	.open = umad_issm_open,
	.release = umad_issm_close,
};
