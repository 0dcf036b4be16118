// SPDX-License-Identifier: GPL-2.0
/*
 * RoCE version 1: an Ethertype, then a GRH (annex A16). A VLAN tag is that of the
 * interface that has the source GID.
 */
#include <linux/crc32.h>
#include <linux/etherdevice.h>
#include <linux/if_vlan.h>
#include <rdma/ib_addr.h>

#include "link_eth.h"
#include "netdev.h"
#include "path.h"
#include "port.h"
#include "rx_skb.h"

#define PSEUDO_LRH	8

static void roce_fill_grh(struct ib_grh *grh, const struct roce_path *p, u32 payload)
{
	grh->version_tclass_flow =
		cpu_to_be32(IB_GRH_VERSION << IB_GRH_VERSION_SHIFT |
			    p->tclass << IB_GRH_TCLASS_SHIFT | p->flow_label);
	grh->paylen = cpu_to_be16(payload);
	grh->next_hdr = IB_GRH_NEXT_HDR;
	grh->hop_limit = p->hop_limit;
	grh->sgid = p->sgid;
	grh->dgid = p->dgid;
}

static struct ib_grh *roce_grh_of(const struct sk_buff *skb)
{
	return (struct ib_grh *)skb_network_header(skb);
}

void roce_eth_build(struct sk_buff *skb, const struct roce_path *p)
{
	u32 payload = skb->len;

	skb->protocol = htons(ETH_P_IBOE);
	skb_push(skb, sizeof(struct ib_grh));
	skb_reset_network_header(skb);
	roce_fill_grh(roce_grh_of(skb), p, payload);
}

u32 roce_eth_seed(const struct sk_buff *skb)
{
	struct {
		u8 lrh[PSEUDO_LRH];
		struct ib_grh grh;
	} __packed masked;

	memset(masked.lrh, 0xff, sizeof(masked.lrh));
	memcpy(&masked.grh, roce_grh_of(skb), sizeof(masked.grh));
	/* Traffic class and flow label. */
	masked.grh.version_tclass_flow |=
		cpu_to_be32(~(IB_GRH_VERSION_MASK << IB_GRH_VERSION_SHIFT));
	masked.grh.hop_limit = 0xff;
	return crc32_le(~0, (u8 *)&masked, sizeof(masked));
}

void roce_eth_meta(const struct roce_path *p, u32 length,
		   struct ibt_rx_meta *meta)
{
	BUILD_BUG_ON(sizeof(struct ib_grh) != IBT_GRH_BYTES);
	meta->network = RDMA_NETWORK_ROCE_V1;
	roce_fill_grh((struct ib_grh *)meta->grh, p, length);
	/* The destination is an address of this host, so both MACs are the same. */
	ether_addr_copy(meta->smac, p->dmac);
}

/* ---- transmit --------------------------------------------------------------------- */

/* Loops a frame back: an Ethernet interface does not receive what it sends. */
static void roce_link_eth_hear(struct sk_buff *skb, struct net_device *ndev)
{
	skb_orphan(skb);
	skb_dst_drop(skb);
	skb->protocol = eth_type_trans(skb, ndev);
	netif_rx(skb);
}

static void roce_link_eth_transmit(struct sk_buff *skb, struct roce_path *p,
				   struct net_device *ndev)
{
	struct sk_buff *copy;

	/* Layers below do not check the MTU: they would send a longer frame. */
	if (skb->len > READ_ONCE(ndev->mtu)) {
		dev_core_stats_tx_dropped_inc(ndev);
		kfree_skb(skb);
		return;
	}
	skb->dev = ndev;
	if (skb_cow_head(skb, LL_RESERVED_SPACE(ndev)) ||
	    dev_hard_header(skb, ndev, ETH_P_IBOE, p->dmac, NULL, skb->len) < 0) {
		kfree_skb(skb);
		return;
	}
	skb_reset_mac_header(skb);
	if (ether_addr_equal(p->dmac, ndev->dev_addr)) {
		roce_link_eth_hear(skb, ndev);
		return;
	}
	/* Other queue pairs of this port may be members of the group. */
	if (is_multicast_ether_addr(p->dmac) && atomic_read(&p->rd->groups)) {
		copy = skb_copy(skb, GFP_ATOMIC);
		if (copy)
			roce_link_eth_hear(copy, ndev);
	}
	dev_queue_xmit(skb);
}

void roce_eth_xmit(struct sk_buff *skb, struct roce_path *p)
{
	struct net_device *ndev;
	struct net *net;

	skb->ip_summed = CHECKSUM_NONE;
	skb->priority = p->sl;
	rcu_read_lock();
	net = rcu_dereference(p->net);
	ndev = net ? dev_get_by_index_rcu(net, p->ifindex) : NULL;
	if (ndev && netif_running(ndev))
		roce_link_eth_transmit(skb, p, ndev);
	else
		kfree_skb(skb);
	rcu_read_unlock();
}

/* ---- receive ---------------------------------------------------------------------- */

/* Checks the length, and trims the padding of short frames. */
static bool roce_link_eth_is_proper(struct sk_buff *skb)
{
	const struct ib_grh *grh;
	u32 length;

	if (!pskb_may_pull(skb, sizeof(*grh)))
		return false;
	skb_reset_network_header(skb);
	grh = roce_grh_of(skb);
	length = sizeof(*grh) + be16_to_cpu(grh->paylen);
	return be32_to_cpu(grh->version_tclass_flow) >>
			IB_GRH_VERSION_SHIFT == IB_GRH_VERSION &&
	       grh->next_hdr == IB_GRH_NEXT_HDR &&
	       length <= skb->len && !pskb_trim(skb, length);
}

/*
 * Is the packet for this port? As with IP, a packet to the GID of another port is not,
 * whatever its MAC. The engine decides about multicast groups.
 */
static bool roce_is_for(struct roce_dev *rd, const struct sk_buff *skb)
{
	const union ib_gid *dgid = &roce_grh_of(skb)->dgid;

	return rdma_is_multicast_addr((struct in6_addr *)dgid) ||
	       roce_gid_is_ours(rd, dgid);
}

static void roce_link_eth_learn(const struct sk_buff *skb, struct ibt_rx_meta *meta)
{
	const struct ib_grh *grh = roce_grh_of(skb);

	memset(meta, 0, sizeof(*meta));
	meta->network = RDMA_NETWORK_ROCE_V1;
	meta->has_grh = true;
	memcpy(meta->grh, grh, sizeof(meta->grh));
	meta->sgid = grh->sgid;
	meta->dgid = grh->dgid;
	roce_eth_source(skb, meta);
}

static int roce_eth_rcv(struct sk_buff *skb, struct net_device *ndev,
			struct packet_type *pt, struct net_device *from)
{
	struct ibt_rx_meta meta;
	struct roce_dev *rd;

	/* In promiscuous mode an interface receives frames for other hosts, too. */
	if (skb->pkt_type == PACKET_OTHERHOST ||
	    skb->pkt_type == PACKET_BROADCAST)
		goto drop;
	skb = skb_share_check(skb, GFP_ATOMIC);
	if (!skb)
		return NET_RX_DROP;
	rd = roce_below(ndev);
	if (!rd || !roce_link_eth_is_proper(skb) || !roce_is_for(rd, skb))
		goto drop;
	roce_link_eth_learn(skb, &meta);
	__skb_pull(skb, sizeof(struct ib_grh));
	roce_sever(skb);
	ibt_rx(rd->port, skb, &meta);
	return NET_RX_SUCCESS;

drop:
	kfree_skb(skb);
	return NET_RX_DROP;
}

/* For all interfaces, because the GIDs of upper interfaces (VLANs) count, too. */
static struct packet_type roce_eth_type __read_mostly = {
	.type = cpu_to_be16(ETH_P_IBOE),
	.func = roce_eth_rcv,
};

void roce_eth_init(void)
{
	dev_add_pack(&roce_eth_type);
}

void roce_eth_exit(void)
{
	dev_remove_pack(&roce_eth_type);
}
