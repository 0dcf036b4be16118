/* SPDX-License-Identifier: GPL-2.0 */
/* What the others need to know of Ethernet interfaces of ports of Omni-Path's kind. */
#ifndef IBF_VNIC_H
#define IBF_VNIC_H

#include <linux/netdevice.h>
#include <linux/rculist.h>

#include "port.h"

struct ibf_node;

/**
 * struct ibf_vnic_up - an interface that is up
 * @netdev: the interface
 * @entry: in ibf_port.vnics (ibf_lock to change; RCU)
 */
struct ibf_vnic_up {
	struct net_device *netdev;
	struct list_head entry;
};

/* The queues of @port have room again. Any context but hard interrupt; an RCU reader. */
static inline void ibf_vnic_wake(struct ibf_port *port)
{
	struct ibf_vnic_up *up;

	list_for_each_entry_rcu(up, &port->vnics, entry)
		netif_tx_wake_all_queues(up->netdev);
}

/* vnic.c; where the kernel has no opa_vnic, vnic_none.c. */
void ibf_vnic_setup(struct ibf_node *node);

/* vnic_rx.c, or vnic_none.c */
void ibf_vnic_receive(struct ibf_port *port, struct sk_buff *skb);

#endif /* IBF_VNIC_H */
