// SPDX-License-Identifier: GPL-2.0
/*
 * From an interface to its port. What opa_vnic hands over begins with its own words about the
 * packet (struct opa_vnic_skb_mdata), then there are the header and the Ethernet frame.
 */
#include <linux/etherdevice.h>

#include "hca.h"
#include "node.h"
#include "packet.h"
#include "queue.h"
#include "vnic_netdev.h"

/* What is in front of the packet on the cable, where the words were. */
#define LEAST	(OPA_VNIC_SKB_MDATA_LEN + OPA_VNIC_HDR_LEN + ETH_HLEN)

/**
 * ibf_vnic_select_queue - queue of a packet: one for each VL
 * @netdev: the interface
 * @skb: the Ethernet frame behind struct opa_vnic_skb_mdata
 * @below: (unused)
 *
 * Return: the queue.
 */
u16 ibf_vnic_select_queue(struct net_device *netdev, struct sk_buff *skb,
			  struct net_device *below)
{
	const struct opa_vnic_skb_mdata *words = (const void *)skb->data;

	return words->vl % netdev->real_num_tx_queues;
}

/* Makes it linear and unshared, with room in front and behind. 0 or -ENOMEM. */
static int ibf_vnic_make_room(struct sk_buff *skb)
{
	int front = sizeof(struct ibf_raw) - skb_headroom(skb);
	int behind;

	if (skb_linearize(skb))
		return -ENOMEM;
	behind = IBF_OPA_TRAILER - skb_tailroom(skb);
	if (front <= 0 && behind <= 0 && !skb_cloned(skb))
		return 0;
	return pskb_expand_head(skb, max(front, 0), max(behind, 0), GFP_ATOMIC);
}

static void ibf_vnic_push_lrh(struct sk_buff *skb, const struct ibf_opa *opa, u16 dlid, u8 vl)
{
	struct ibf_raw *raw = skb_push(skb, sizeof(*raw));

	*raw = (struct ibf_raw){
		.lrh.vl = FIELD_PREP(IBF_LRH_VL, vl),
		.lrh.sl = FIELD_PREP(IBF_LRH_SL, opa->sc & 0xf) | IBF_LNH_RAW,
		.lrh.dlid = cpu_to_be16(dlid),
		.lrh.length = cpu_to_be16(skb->len / 4),
		.lrh.slid = cpu_to_be16(opa->slid),
		.type = htons(IBF_RAW_TYPE),
	};
}

/* Of @skb, with data at the header. -EAGAIN as of ibf_enqueue_hca(), or the packet is gone. */
static int ibf_vnic_send(struct ibf_vnic *vnic, struct sk_buff *skb, u8 vl)
{
	struct ibf_port *port = vnic->port;
	struct ibf_opa opa;
	u16 dlid;

	ibf_opa_read((void *)skb->data, &opa);
	dlid = ibf_opa_to_lid(opa.dlid);
	/* The manager names the source, and the subnet manager may have given it to another. */
	if (!dlid || opa.slid > U16_MAX || !ibf_owns(port, opa.slid) ||
	    vl >= READ_ONCE(port->op_vls) || ibf_vnic_make_room(skb))
		goto err_free;
	__skb_pull(skb, OPA_VNIC_HDR_LEN);
	ibf_vnic_sent(vnic, skb);
	__skb_push(skb, OPA_VNIC_HDR_LEN);
	ibf_opa_close(skb);
	ibf_vnic_push_lrh(skb, &opa, dlid, vl);
	skb_orphan(skb);
	return ibf_enqueue_hca(port, skb, ibf_owns(port, dlid) ? IBF_QUEUE_LOOP : vl, 0);

err_free:
	ibf_vnic_count(vnic, netstats.tx_errors);
	kfree_skb(skb);
	return 0;
}

/* True: it is dropped, and counted. */
static bool ibf_vnic_may_not_send(struct ibf_vnic *vnic, const struct sk_buff *skb, u8 flags)
{
	struct ibf_port *port = vnic->port;
	bool no_link = READ_ONCE(port->state) != IBF_STATE_ACTIVE;
	bool no_dlid = flags & OPA_VNIC_SKB_MDATA_ENCAP_ERR;
	bool off = netif_dormant(vnic->up.netdev);
	bool long_one = skb->len + IBF_OPA_TRAILER > ib_mtu_enum_to_int(READ_ONCE(port->mtu));

	if (!no_link && !no_dlid && !off && !long_one)
		return false;
	if (long_one)
		ibf_count_discards(port, IBF_DISCARD_MTU, 1);
	spin_lock_bh(&vnic->lock);
	vnic->stats.netstats.tx_errors++;
	if (off)
		vnic->stats.tx_drop_state++;
	else if (no_link)
		vnic->stats.netstats.tx_carrier_errors++;
	else if (no_dlid)
		vnic->stats.tx_dlid_zero++;
	spin_unlock_bh(&vnic->lock);
	return true;
}

/* Between the two, ibf_vnic_wake() may have found the queue awake. */
static void ibf_vnic_pause(struct ibf_vnic *vnic, u16 queue)
{
	netif_stop_subqueue(vnic->up.netdev, queue);
	/* Pairs with the barrier of the wake, which clears the bit. */
	smp_mb__after_atomic();
	if (!READ_ONCE(vnic->port->full))
		netif_wake_subqueue(vnic->up.netdev, queue);
}

/**
 * ibf_vnic_xmit - send a packet of opa_vnic
 * @skb: consumed
 * @netdev: the interface
 *
 * Context: softirqs disabled.
 * Return: NETDEV_TX_OK
 */
netdev_tx_t ibf_vnic_xmit(struct sk_buff *skb, struct net_device *netdev)
{
	struct ibf_vnic *vnic = ibf_vnic_of(netdev);
	u16 queue = skb_get_queue_mapping(skb);
	struct opa_vnic_skb_mdata words;

	if (!pskb_may_pull(skb, LEAST)) {
		ibf_vnic_count(vnic, netstats.tx_errors);
		kfree_skb(skb);
		return NETDEV_TX_OK;
	}
	memcpy(&words, skb->data, sizeof(words));
	__skb_pull(skb, sizeof(words));
	if (ibf_vnic_may_not_send(vnic, skb, words.flags))
		kfree_skb(skb);
	else if (ibf_vnic_send(vnic, skb, words.vl))
		ibf_vnic_pause(vnic, queue);
	return NETDEV_TX_OK;
}
