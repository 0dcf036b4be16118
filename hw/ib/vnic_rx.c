// SPDX-License-Identifier: GPL-2.0
/* From a port to the interfaces behind it. */
#include <linux/etherdevice.h>
#include <linux/if_vlan.h>

#include "node.h"
#include "switch.h"
#include "vnic_netdev.h"

static struct ibf_vnic *ibf_vnic_find(struct ibf_port *port, u16 vesw)
{
	struct ibf_vnic *vnic;

	if (!vesw)
		return NULL;
	list_for_each_entry_rcu(vnic, &port->vnics, up.entry)
		if (READ_ONCE(vnic->vesw) == vesw)
			return vnic;
	return NULL;
}

/* Shorter than Ethernet has frames, or longer than the interface? Then it is counted. */
static bool ibf_vnic_bad_length(struct ibf_vnic *vnic, const struct sk_buff *skb)
{
	const struct ethhdr *eth = (const void *)skb->data;
	u32 most = READ_ONCE(vnic->up.netdev->mtu) + ETH_HLEN;

	if (eth_type_vlan(eth->h_proto))
		most += VLAN_HLEN;
	if (skb->len >= ETH_ZLEN && skb->len <= most)
		return false;
	spin_lock_bh(&vnic->lock);
	vnic->stats.netstats.rx_errors++;
	vnic->stats.netstats.rx_length_errors++;
	if (skb->len < ETH_ZLEN)
		vnic->stats.rx_runt++;
	else
		vnic->stats.rx_oversize++;
	spin_unlock_bh(&vnic->lock);
	return true;
}

/* @skb is that of the sender's interface: nothing of that may be seen here. */
static void ibf_vnic_deliver(struct ibf_vnic *vnic, struct sk_buff *skb)
{
	struct net_device *netdev = vnic->up.netdev;

	if (netif_dormant(netdev)) {
		ibf_vnic_count(vnic, rx_drop_state);
		kfree_skb(skb);
		return;
	}
	if (ibf_vnic_bad_length(vnic, skb)) {
		kfree_skb(skb);
		return;
	}
	ibf_vnic_received(vnic, skb);
	skb_scrub_packet(skb, true);
	/* It came by no queue: that is the one it was sent by. */
	skb_set_queue_mapping(skb, 0);
	skb->ip_summed = CHECKSUM_NONE;
	skb->protocol = eth_type_trans(skb, netdev);
	netif_rx(skb);
}

/**
 * ibf_vnic_receive - receive a raw packet at a port of an HCA
 * @port: the port; active
 * @skb: data at the LRH, which is well-formed; consumed
 *
 * Context: softirq, or softirqs disabled; an RCU reader.
 */
void ibf_vnic_receive(struct ibf_port *port, struct sk_buff *skb)
{
	const struct ibf_raw *raw = (const void *)skb->data;
	struct ibt_port *ibt = READ_ONCE(port->ibt);
	struct ibf_vnic *vnic;
	struct ibf_opa opa;
	int ret = -EINVAL;

	if (port->node->opa && raw->type == htons(IBF_RAW_TYPE)) {
		__skb_pull(skb, sizeof(*raw));
		ret = ibf_opa_open(skb, &opa);
	}
	if (ret) {
		ibf_count_error(port, ret == -EBADMSG ? IBF_RCV_PHYSICAL : IBF_RCV_MALFORMED);
		kfree_skb(skb);
		return;
	}
	if (!ibf_pkey_match(port, opa.pkey)) {
		if (ibt)
			atomic_inc(ibt_port_refused(ibt, false));
		kfree_skb(skb);
		return;
	}
	vnic = ibf_vnic_find(port, opa.vesw);
	if (vnic) {
		ibf_vnic_deliver(vnic, skb);
		return;
	}
	atomic64_inc(&port->vnic_strays);
	kfree_skb(skb);
}
