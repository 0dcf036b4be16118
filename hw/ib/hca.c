// SPDX-License-Identifier: GPL-2.0
/*
 * HCAs: devices of the engine. One ends in ibf_dealloc(), whoever began it: power
 * off, 'rdma link delete', or another driver of the same driver_id, whose unload
 * makes the core unregister all of them. The node stays, without power.
 */
#include <linux/module.h>
#include <linux/platform_device.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_mad.h>

#include "../soft/ident.h"
#include "ib.h"

static struct ibf_node *node_of(struct ib_device *ib)
{
	return *(struct ibf_node **)ibt_dev_priv(ibt_dev_of(ib));
}

static struct ibf_port *port_of(struct ib_device *ib, u32 num)
{
	struct ibf_node *node = node_of(ib);

	return num && num <= node->num_ports ? &node->ports[num] : NULL;
}

/* ---- received packets -------------------------------------------------------------- */

static bool is_for(const struct ibf_port *port, u16 dlid, bool smp)
{
	if (dlid == IBF_LID_PERMISSIVE)
		return smp;
	return ibf_is_mcast(dlid) ? !smp : ibf_owns(port, dlid);
}

/*
 * QP0 is on VL15, sends to QP0, and is nowhere else (section 13.5.1): who may send
 * SMPs is a matter of rights at the sender.
 */
static bool qp0_ok(const struct ibf_ud *ud, bool smp)
{
	u32 dqpn = be32_to_cpu(ud->dqpn) & IBF_24;

	if (!smp)
		return dqpn;
	return !dqpn && ud->opcode == IBF_UD_SEND_ONLY &&
	       !(be32_to_cpu(ud->sqpn) & IBF_24);
}

static void learn(const struct ibf_port *port, const struct sk_buff *skb,
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
static bool may_receive(struct ibf_port *port, bool smp)
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

/* Its headers up to what qp0_ok() reads; a shorter packet is none for a UD QP. */
static bool headers_ok(struct sk_buff *skb, u32 front, bool smp)
{
	if (!pskb_may_pull(skb, front + (smp ? sizeof(struct ibf_ud) :
						IBF_BTH_BYTES)))
		return false;
	return qp0_ok((void *)(skb->data + front), smp);
}

/**
 * ibf_hca_receive - a packet came in by a port of an HCA, or is sent to itself
 * @port: the port
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
	bool smp, global;

	smp = FIELD_GET(IBF_LRH_VL, lrh->vl) == 15;
	global = FIELD_GET(IBF_LRH_LNH, lrh->sl) == IBF_LNH_GLOBAL;
	if (global)
		front += sizeof(struct ib_grh);
	if (!ibt || !is_for(port, be16_to_cpu(lrh->dlid), smp) ||
	    !may_receive(port, smp) || !headers_ok(skb, front, smp)) {
		kfree_skb(skb);
		return;
	}
	learn(port, skb, global ? (void *)(skb->data + sizeof(*lrh)) : NULL,
	      &meta);
	skb_reset_network_header(skb);
	__skb_pull(skb, front);
	ibt_rx(ibt, skb, &meta);
}

/* ---- ops ------------------------------------------------------------------------------ */

static int ibf_process_mad(struct ib_device *ib, int flags, u32 port_num,
			   const struct ib_wc *wc, const struct ib_grh *grh,
			   const struct ib_mad *in, struct ib_mad *out,
			   size_t *out_size, u16 *out_pkey_index)
{
	struct ibf_port *port = port_of(ib, port_num);

	if (!port)
		return IB_MAD_RESULT_FAILURE;
	switch (ibf_agent(port, in, out)) {
	case IBF_REPLY:
		return IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_REPLY;
	case IBF_CONSUMED:
		return IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_CONSUMED;
	default:
		return IB_MAD_RESULT_SUCCESS;
	}
}

static int ibf_port_immutable(struct ib_device *ib, u32 port_num,
			      struct ib_port_immutable *immutable)
{
	immutable->pkey_tbl_len = IBF_PKEYS;
	immutable->gid_tbl_len = IBF_GUIDS;
	immutable->core_cap_flags = RDMA_CORE_PORT_IBA_IB;
	immutable->max_mad_size = IB_MGMT_MAD_SIZE;
	return 0;
}

static enum rdma_link_layer ibf_link_layer(struct ib_device *ib, u32 port_num)
{
	return IB_LINK_LAYER_INFINIBAND;
}

static int ibf_query_gid(struct ib_device *ib, u32 port_num, int index,
			 union ib_gid *gid)
{
	struct ibf_port *port = port_of(ib, port_num);

	if (!port || index < 0 || index >= IBF_GUIDS)
		return -EINVAL;
	spin_lock_bh(&ibf_lock);
	gid->global.subnet_prefix = port->info.gid_prefix;
	gid->global.interface_id = port->guids[index];
	spin_unlock_bh(&ibf_lock);
	/* An entry without a GUID is no GID. */
	if (!gid->global.interface_id)
		gid->global.subnet_prefix = 0;
	return 0;
}

/* The capabilities are those of PortInfo, so that a subnet manager sees them. */
static int ibf_modify_port(struct ib_device *ib, u32 port_num, int mask,
			   struct ib_port_modify *modify)
{
	struct ibf_port *port = port_of(ib, port_num);
	u32 caps;

	if (!port)
		return -EINVAL;
	if (mask & ~(IB_PORT_RESET_QKEY_CNTR | IB_PORT_SHUTDOWN))
		return -EOPNOTSUPP;
	spin_lock_bh(&ibf_lock);
	if (mask & IB_PORT_RESET_QKEY_CNTR && port->ibt)
		atomic_set(ibt_port_refused(port->ibt, true), 0);
	if (mask & IB_PORT_SHUTDOWN)
		ibf_link_down(port, IBF_PHYS_DISABLED);
	caps = (be32_to_cpu(port->info.cap_mask) | modify->set_port_cap_mask) &
	       ~modify->clr_port_cap_mask;
	if (port->info.cap_mask != cpu_to_be32(caps)) {
		port->info.cap_mask = cpu_to_be32(caps);
		ibf_trap_caps(port);
	}
	spin_unlock_bh(&ibf_lock);
	return 0;
}

/* The SMA reads the description under the same lock. */
static int ibf_modify_device(struct ib_device *ib, int mask,
			     struct ib_device_modify *modify)
{
	if (mask & ~IB_DEVICE_MODIFY_NODE_DESC)
		return -EOPNOTSUPP;
	if (!(mask & IB_DEVICE_MODIFY_NODE_DESC))
		return 0;
	spin_lock_bh(&ibf_lock);
	memcpy(ib->node_desc, modify->node_desc, sizeof(ib->node_desc));
	ibf_trap_desc(node_of(ib));
	spin_unlock_bh(&ibf_lock);
	return 0;
}

const struct ib_device_ops ibf_ib_ops = {
	.owner = THIS_MODULE,
	.device_group = &soft_device_group,
	.get_port_immutable = ibf_port_immutable,
	.get_link_layer = ibf_link_layer,
	.query_gid = ibf_query_gid,
	.modify_device = ibf_modify_device,
	.modify_port = ibf_modify_port,
	.process_mad = ibf_process_mad,
};

/* ---- life -------------------------------------------------------------------------------- */

/* Nobody sends or receives by the device when this returns. */
void ibf_dealloc(struct ibt_dev *dev)
{
	struct ibf_node *node = *(struct ibf_node **)ibt_dev_priv(dev);
	u32 num;

	if (!node)
		return;
	spin_lock_bh(&ibf_lock);
	node->live = false;
	for (num = 1; num <= node->num_ports; num++) {
		/* First this: no event is raised for a device that is gone. */
		WRITE_ONCE(node->ports[num].ibt, NULL);
		ibf_link_down(&node->ports[num], IBF_PHYS_POLLING);
	}
	ibf_trap_forget(node);
	spin_unlock_bh(&ibf_lock);
	synchronize_net();
	/* Events that were raised before ask the device. */
	flush_workqueue(ib_wq);
	for (num = 1; num <= node->num_ports; num++)
		ibf_purge(&node->ports[num]);
}

static void attach_ports(struct ibf_node *node)
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
 * ibf_hca_start - make the device of an HCA
 * @node: the HCA; it has none. ibf_config is held
 *
 * Context: process, sleeps.
 * Return: 0, or -ENOMEM, or what platform_device_register_simple() or
 * ib_register_device() says.
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
	memcpy(node->ib->node_desc, node->desc, sizeof(node->desc));
	attach_ports(node);
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
 * ibf_hca_stop - end the device of an HCA
 * @node: the HCA; ibf_config is held
 *
 * Also of one that the core has ended, or is just ending. Context: process, sleeps.
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
