// SPDX-License-Identifier: GPL-2.0
/* What an interface of Omni-Path counts. */
#include <linux/etherdevice.h>
#include <linux/if_vlan.h>

#include "vnic_netdev.h"

static void ibf_vnic_count_size(struct opa_vnic_grp_stats *group, u32 bytes)
{
	if (bytes <= 64)
		group->s_64++;
	else if (bytes < 128)
		group->s_65_127++;
	else if (bytes < 256)
		group->s_128_255++;
	else if (bytes < 512)
		group->s_256_511++;
	else if (bytes < 1024)
		group->s_512_1023++;
	else if (bytes <= ETH_FRAME_LEN + ETH_FCS_LEN)
		group->s_1024_1518++;
	else
		group->s_1519_max++;
}

static void ibf_vnic_count_group(struct opa_vnic_grp_stats *group, const struct sk_buff *frame)
{
	const struct ethhdr *eth = (const void *)frame->data;

	if (is_multicast_ether_addr(eth->h_dest))
		group->mcastbcast++;
	else
		group->unicast++;
	if (eth_type_vlan(eth->h_proto))
		group->vlan++;
	else
		group->untagged++;
	ibf_vnic_count_size(group, ibf_vnic_bytes(frame));
}

/**
 * ibf_vnic_sent - count a frame that leaves
 * @vnic: the interface
 * @frame: data at the Ethernet header, linear so far
 *
 * Context: any but hard interrupt.
 */
void ibf_vnic_sent(struct ibf_vnic *vnic, const struct sk_buff *frame)
{
	spin_lock_bh(&vnic->lock);
	vnic->stats.netstats.tx_packets++;
	vnic->stats.netstats.tx_bytes += frame->len;
	ibf_vnic_count_group(&vnic->stats.tx_grp, frame);
	spin_unlock_bh(&vnic->lock);
}

/**
 * ibf_vnic_received - count a frame that is passed on to the network stack
 * @vnic: the interface
 * @frame: data at the Ethernet header, linear so far
 *
 * Context: any but hard interrupt.
 */
void ibf_vnic_received(struct ibf_vnic *vnic, const struct sk_buff *frame)
{
	const struct ethhdr *eth = (const void *)frame->data;

	spin_lock_bh(&vnic->lock);
	vnic->stats.netstats.rx_packets++;
	vnic->stats.netstats.rx_bytes += frame->len;
	vnic->stats.netstats.multicast += is_multicast_ether_addr(eth->h_dest);
	ibf_vnic_count_group(&vnic->stats.rx_grp, frame);
	spin_unlock_bh(&vnic->lock);
}

/**
 * ibf_vnic_get_stats64 - counters of an interface
 * @netdev: the interface
 * @stats: the first member of struct opa_vnic_stats, which opa_vnic passes, and no other
 *	   caller comes here
 *
 * A packet for a switch that no interface of the port is connected to belongs to none of
 * them. Each has it as rx_nohandler.
 */
void ibf_vnic_get_stats64(struct net_device *netdev, struct rtnl_link_stats64 *stats)
{
	struct opa_vnic_stats *all = container_of(stats, struct opa_vnic_stats, netstats);
	struct ibf_vnic *vnic = ibf_vnic_of(netdev);

	spin_lock_bh(&vnic->lock);
	*all = vnic->stats;
	spin_unlock_bh(&vnic->lock);
	stats->rx_nohandler = atomic64_read(&vnic->port->vnic_strays);
}
