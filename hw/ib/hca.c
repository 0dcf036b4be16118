// SPDX-License-Identifier: GPL-2.0
/* HCAs: devices of the engine. */
#include <linux/platform_device.h>

#include "cable.h"
#include "fabric.h"
#include "hca.h"
#include "node.h"
#include "opa.h"
#include "packet.h"
#include "vnic.h"

/* ---- received packets -------------------------------------------------------------- */

static bool ibf_is_for(const struct ibf_port *port, u16 dlid, bool smp)
{
	if (dlid == IBF_LID_PERMISSIVE)
		return smp;
	return ibf_is_mcast(dlid) ? !smp : ibf_owns(port, dlid);
}

/*
 * QP0 sends to QP0 by VL15, and VL15 carries no other packets (section 13.5.1). The
 * right to send SMPs is checked by the sending host, not here.
 */
static bool ibf_qp0_ok(const struct ibf_ud *ud, bool smp)
{
	u32 dqpn = be32_to_cpu(ud->dqpn) & IBF_24;

	if (!smp)
		return dqpn;
	return !dqpn && ud->opcode == IBF_UD_SEND_ONLY &&
	       !(be32_to_cpu(ud->sqpn) & IBF_24);
}

static void ibf_hca_learn(const struct ibf_port *port, const struct sk_buff *skb,
			  const struct ib_grh *grh, struct ibt_rx_meta *meta)
{
	const struct ibf_lrh *lrh = ibf_lrh(skb);

	memset(meta, 0, sizeof(*meta));
	meta->network = RDMA_NETWORK_IB;
	meta->slid = be16_to_cpu(lrh->slid);
	meta->sl = FIELD_GET(IBF_LRH_SL, lrh->sl);
	if (ibf_owns(port, be16_to_cpu(lrh->dlid)))
		meta->dlid_path_bits = be16_to_cpu(lrh->dlid) &
				       (BIT(READ_ONCE(port->lmc)) - 1);
	if (!grh)
		return;
	meta->has_grh = true;
	memcpy(meta->grh, grh, sizeof(meta->grh));
	meta->sgid = grh->sgid;
	meta->dgid = grh->dgid;
}

/* Data that comes while the link is armed makes it active (7.2.7). */
static bool ibf_may_receive(struct ibf_port *port, bool smp)
{
	u8 state = READ_ONCE(port->state);

	if (smp || state == IBF_STATE_ACTIVE)
		return true;
	if (state != IBF_STATE_ARMED)
		return false;
	spin_lock_bh(&ibf_lock);
	if (port->state == IBF_STATE_ARMED)
		ibf_port_state(port, IBF_STATE_ACTIVE);
	spin_unlock_bh(&ibf_lock);
	return true;
}

/* Its headers up to what ibf_qp0_ok() reads; a shorter packet is none for a UD QP. */
static bool ibf_headers_ok(struct sk_buff *skb, u32 front, bool smp)
{
	if (!pskb_may_pull(skb, front + (smp ? sizeof(struct ibf_ud) :
						IBF_BTH_BYTES)))
		return false;
	return ibf_qp0_ok((void *)(skb->data + front), smp);
}

/**
 * ibf_hca_receive - receive a packet at a port of an HCA
 * @port: port that the packet reached by its cable, or that sent it to itself
 * @skb: data at the LRH, which is well-formed; consumed
 *
 * Context: softirq, or softirqs disabled; an RCU reader.
 */
void ibf_hca_receive(struct ibf_port *port, struct sk_buff *skb)
{
	struct ibt_port *ibt = READ_ONCE(port->ibt);
	const struct ibf_lrh *lrh = ibf_lrh(skb);
	u32 front = sizeof(*lrh);
	struct ibt_rx_meta meta;
	bool smp, global, raw = ibf_is_raw(skb);

	smp = FIELD_GET(IBF_LRH_VL, lrh->vl) == 15;
	global = FIELD_GET(IBF_LRH_LNH, lrh->sl) == IBF_LNH_GLOBAL;
	if (global)
		front += sizeof(struct ib_grh);
	if (!ibt || !ibf_is_for(port, be16_to_cpu(lrh->dlid), smp) ||
	    !ibf_may_receive(port, smp) ||
	    (raw ? smp : !ibf_headers_ok(skb, front, smp))) {
		kfree_skb(skb);
		return;
	}
	if (raw) {
		ibf_vnic_receive(port, skb);
		return;
	}
	ibf_hca_learn(port, skb, global ? (void *)(skb->data + sizeof(*lrh)) : NULL,
		      &meta);
	skb_reset_network_header(skb);
	__skb_pull(skb, front);
	ibt_rx(ibt, skb, &meta);
}

/* ---- life -------------------------------------------------------------------------------- */

static void ibf_attach_ports(struct ibf_node *node)
{
	u32 num;

	for (num = 1; num <= node->num_ports; num++) {
		struct ibf_port *port = &node->ports[num];
		struct ibt_port *ibt = ibt_dev_port(node->dev, num);

		ibt_port_set_pkeys(ibt, IBF_PKEYS);
		spin_lock_bh(&ibf_lock);
		port->full = false;
		WRITE_ONCE(port->ibt, ibt);
		spin_unlock_bh(&ibf_lock);
	}
}

/**
 * ibf_hca_start - register the device of an HCA
 * @node: HCA without a device; ibf_config is held
 *
 * Context: process, sleeps.
 * Return: 0, -ENOMEM, or the errno of platform_device_register_simple() or
 * ib_register_device().
 */
int ibf_hca_start(struct ibf_node *node)
{
	int ret;

	node->parent = platform_device_register_simple("ofed_ib",
						       PLATFORM_DEVID_AUTO,
						       NULL, 0);
	if (IS_ERR(node->parent))
		return PTR_ERR(node->parent);
	node->dev = ibt_dev_alloc(&ibf_link, node->num_ports, sizeof(node));
	if (!node->dev) {
		platform_device_unregister(node->parent);
		return -ENOMEM;
	}
	*(struct ibf_node **)ibt_dev_priv(node->dev) = node;
	node->ib = ibt_dev_ib(node->dev);
	get_device(&node->ib->dev);
	node->ib->dev.parent = &node->parent->dev;
	node->ib->node_guid = node->guid;
	ibt_dev_set_system(node->dev, node->sys_guid);
	ibf_vnic_setup(node);
	memcpy(node->ib->node_desc, node->desc, sizeof(node->desc));
	ibf_attach_ports(node);
	spin_lock_bh(&ibf_lock);
	node->live = true;
	spin_unlock_bh(&ibf_lock);
	ret = ibt_dev_register(node->dev, node->name);
	if (ret) {
		ibt_dev_free(node->dev);
		put_device(&node->ib->dev);
		node->ib = NULL;
		platform_device_unregister(node->parent);
	}
	return ret;
}

/**
 * ibf_hca_stop - unregister the device of an HCA
 * @node: the HCA; ibf_config is held
 *
 * The core may have unregistered the device already, or may be doing so.
 *
 * Context: process, sleeps.
 */
void ibf_hca_stop(struct ibf_node *node)
{
	struct ib_device *ib = node->ib;

	if (!ib)
		return;
	ib_unregister_device(ib);
	spin_lock_bh(&ibf_lock);
	node->ib = NULL;
	spin_unlock_bh(&ibf_lock);
	put_device(&ib->dev);
	platform_device_unregister(node->parent);
}
