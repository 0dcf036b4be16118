/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Ethernet interfaces of ports of Omni-Path's kind, which the module opa_vnic manages: kernels
 * before 7.x.
 */
#ifndef IBF_VNIC_NETDEV_H
#define IBF_VNIC_NETDEV_H

#include <linux/netdevice.h>
#include <rdma/opa_vnic.h>

#include "opa.h"
#include "port.h"
#include "vnic.h"

static_assert(sizeof(struct ibf_opa_header) == OPA_VNIC_HDR_LEN);
static_assert(IBF_OPA_END == OPA_VNIC_ICRC_TAIL_LEN);
static_assert(IBF_OPA_L4_ETHERNET == OPA_VNIC_L4_ETHR);

/**
 * struct ibf_vnic - an interface
 * @up: the interface, first; in ibf_port.vnics
 * @port: its port
 * @vesw: virtual Ethernet switch that it is connected to, 0: none
 * @lock: guards @stats
 * @stats: counters, but for what @port counts for all
 */
struct ibf_vnic {
	struct ibf_vnic_up up;
	struct ibf_port *port;
	u16 vesw;
	spinlock_t lock;
	struct opa_vnic_stats stats;
};

static inline struct ibf_vnic *ibf_vnic_of(const struct net_device *netdev)
{
	return opa_vnic_dev_priv(netdev);
}

/* Bytes of a frame on Ethernet, with its check sequence: what groups of sizes count. */
static inline u32 ibf_vnic_bytes(const struct sk_buff *skb)
{
	return skb->len + ETH_FCS_LEN;
}

/* vnic_tx.c */
netdev_tx_t ibf_vnic_xmit(struct sk_buff *skb, struct net_device *netdev);
u16 ibf_vnic_select_queue(struct net_device *netdev, struct sk_buff *skb,
			  struct net_device *below);

/* vnic_stats.c */
void ibf_vnic_sent(struct ibf_vnic *vnic, const struct sk_buff *frame);
void ibf_vnic_received(struct ibf_vnic *vnic, const struct sk_buff *frame);
void ibf_vnic_get_stats64(struct net_device *netdev, struct rtnl_link_stats64 *stats);

#define ibf_vnic_count(vnic, counter)				\
do {								\
	struct ibf_vnic *_vnic = (vnic);			\
								\
	spin_lock_bh(&_vnic->lock);				\
	_vnic->stats.counter++;					\
	spin_unlock_bh(&_vnic->lock);				\
} while (0)

#endif /* IBF_VNIC_NETDEV_H */
