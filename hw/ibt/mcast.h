/* SPDX-License-Identifier: GPL-2.0 */
/* Multicast groups of a device. */
#ifndef IBT_MCAST_H
#define IBT_MCAST_H

#include <rdma/ib_verbs.h>

struct ibt_dev;
struct ibt_pkt;
struct ibt_port;
struct ibt_rx_meta;
struct sk_buff;

int ibt_groups_init(struct ibt_dev *dev);
void ibt_groups_exit(struct ibt_dev *dev);

/* To every QP of the group meta->dgid; @pkt, @skb stay the caller's. Softirq. */
void ibt_mcast_receive(struct ibt_port *port, const struct ibt_pkt *pkt,
		       struct sk_buff *skb, const struct ibt_rx_meta *meta);

extern const struct ib_device_ops ibt_mcast_ops;	/* mcast.c */

#endif /* IBT_MCAST_H */
