/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Software InfiniBand: channel adapters (HCAs), switches, and cables between them.
 *
 * An HCA is a device of the transport engine, whose link this is; a switch is
 * nothing but a node of the fabric. Both have ports and an agent (SMA, PMA) that
 * works on struct ibf_node and knows no ib_device.
 *
 *   engine -> link.c -> queue.c -> pump.c ==cable==> receive.c -> hca.c -> engine
 *                         ^                              |
 *                         |                              v
 *                         +--------------- switch.c, mad.c -> sma.c, pma.c
 *
 * Locks, outermost first:
 *
 * ibf_config (mutex, fabric.c)
 *	one change of the fabric at a time: guards the list of nodes, the ends of
 *	cables, and who is powered. The core is called with it held; what the core
 *	calls back does not take it.
 * ibf_lock (spinlock, bh; fabric.c)
 *	all that management reads and changes: attributes, tables, link states,
 *	traps. Packets look at single words of these without it. Who sends a datagram
 *	to his own port, which refuses it for a key, comes with sq.lock of his queue
 *	pair: nothing that takes one is called with ibf_lock held.
 * ibf_port.lock (spinlock, bh)
 *	packets that wait to be sent by the port.
 * ibf_tunnel.lock (spinlock, bh; tunnel.h), between the two
 *
 * Nothing of the engine or of the core that takes time is called with the two
 * spinlocks held.
 *
 * A packet finds the far end of a cable under RCU, in softirq. A node leaves the
 * cables first, then, after a grace period, nobody schedules its tasklets.
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
