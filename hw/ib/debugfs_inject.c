// SPDX-License-Identifier: GPL-2.0
/*
 * For tests: a packet that a program writes to a debugfs file of a port is received
 * by that port, as if from its cable. One write is one packet, from the LRH to the
 * ICRC.
 */
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/uaccess.h>

#include "config.h"
#include "fabric.h"
#include "node.h"
#include "queue.h"

/* The longest that the length in an LRH can say. */
#define MAX_PACKET	(FIELD_MAX(IBF_LRH_LENGTH) * 4)

static ssize_t ibf_inject_write(struct file *file, const char __user *from,
				size_t bytes, loff_t *pos)
{
	struct ibf_port *port = file->private_data;
	struct sk_buff *skb;

	if (!bytes || bytes > MAX_PACKET)
		return -EINVAL;
	skb = alloc_skb(bytes, GFP_KERNEL);
	if (!skb)
		return -ENOMEM;
	if (copy_from_user(skb_put(skb, bytes), from, bytes)) {
		kfree_skb(skb);
		return -EFAULT;
	}
	local_bh_disable();
	rcu_read_lock();
	ibf_receive(port, skb);
	rcu_read_unlock();
	local_bh_enable();
	return bytes;
}

static const struct file_operations inject_ops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = ibf_inject_write,
};

/**
 * ibf_inject_add - create the debugfs files of a node
 * @node: its ports must exist until ibf_inject_del()
 *
 * Context: process.
 */
void ibf_inject_add(struct ibf_node *node)
{
	char name[4];
	u32 num;

	node->debugfs = debugfs_create_dir(node->name, ibf_debugfs);
	for (num = 1; num <= node->num_ports; num++) {
		snprintf(name, sizeof(name), "%u", num);
		debugfs_create_file(name, 0200, node->debugfs,
				    &node->ports[num], &inject_ops);
	}
}

/* Waits for writers: no write is in progress when this returns. */
void ibf_inject_del(struct ibf_node *node)
{
	debugfs_remove(node->debugfs);
	node->debugfs = NULL;
}
