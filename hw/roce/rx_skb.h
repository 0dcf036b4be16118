/* SPDX-License-Identifier: GPL-2.0 */
/* What both versions learn of a received skb, and take off it. */
#ifndef ROCE_RX_SKB_H
#define ROCE_RX_SKB_H

#include <linux/etherdevice.h>
#include <linux/if_arp.h>
#include <linux/if_vlan.h>
#include <linux/skbuff.h>
#include <net/dst.h>

#include "../ibt/link.h"

/* MAC and VLAN of the sender. */
static inline void roce_eth_source(const struct sk_buff *skb, struct ibt_rx_meta *meta)
{
	meta->has_vlan = is_vlan_dev(skb->dev);
	meta->vlan = unlikely(meta->has_vlan) ? vlan_dev_vlan_id(skb->dev) : 0;
	if (skb->dev->type == ARPHRD_ETHER && skb_mac_header_was_set(skb))
		ether_addr_copy(meta->smac, eth_hdr(skb)->h_source);
	else
		eth_zero_addr(meta->smac);
}

/*
 * Drops the references of an skb to its socket, its dst and its conntrack entry,
 * before the engine gets it. The engine may keep the skb for a while, and the exit
 * of a namespace or an interface would wait for those references.
 */
static inline void roce_sever(struct sk_buff *skb)
{
	skb_orphan(skb);
	skb_dst_drop(skb);
	nf_reset_ct(skb);
}

#endif /* ROCE_RX_SKB_H */
