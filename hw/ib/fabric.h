/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Software InfiniBand: channel adapters (HCAs), switches, and cables between them.
 *
 * An HCA is a device of the transport engine, and this driver is its link. A switch
 * is a node of the fabric alone. Both have ports and agents (SMA, PMA), which work on
 * struct ibf_node and do not use ib_device.
 *
 *   engine -> link.c -> queue.c -> pump.c ==cable==> receive.c -> hca.c -> engine
 *                         ^                              |
 *                         |                              v
 *                         +--------------- switch.c, mad.c -> sma.c, pma.c
 *
 * Locks: Documentation/design/locking.md.
 *
 * The driver calls no slow function of the engine or the core with ibf_lock or
 * ibf_port.lock held.
 *
 * A packet finds the far end of a cable under RCU, in softirq. A node is unplugged
 * first; a grace period later no port can schedule the tasklets of the node.
 */
#ifndef IBF_FABRIC_H
#define IBF_FABRIC_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/types.h>

struct dentry;
struct ibf_node;
struct ibf_port;

extern spinlock_t ibf_lock;
extern struct mutex ibf_config;
extern struct list_head ibf_nodes;
extern struct dentry *ibf_debugfs;
struct ibf_node *ibf_find_node(const char *name);
struct ibf_port *ibf_find_port(const char *name, u8 num);

#endif /* IBF_FABRIC_H */
