// SPDX-License-Identifier: GPL-2.0
/*
 * Callbacks of an HCA's device, for the core and the engine. A device ends in
 * ibf_dealloc(), whether by power off, by 'rdma link delete', or by the unload of
 * another driver of the same driver_id, for which the core unregisters all devices of
 * that id. The node stays, without power.
 */
#include <linux/module.h>
#include <ofed/refuse.h>
#include <rdma/ib_mad.h>

#include "../soft/ident.h"
#include "cable.h"
#include "fabric.h"
#include "hca.h"
#include "mad.h"
#include "node.h"
#include "queue.h"
#include "trap.h"

static struct ibf_node *ibf_hca_ops_node_of(struct ib_device *ib)
{
	return *(struct ibf_node **)ibt_dev_priv(ibt_dev_of(ib));
}

static struct ibf_port *ibf_hca_ops_port_of(struct ib_device *ib, u32 num)
{
	struct ibf_node *node = ibf_hca_ops_node_of(ib);

	return num && num <= node->num_ports ? &node->ports[num] : NULL;
}

static int ibf_process_mad(struct ib_device *ib, int flags, u32 port_num,
			   const struct ib_wc *wc, const struct ib_grh *grh,
			   const struct ib_mad *in, struct ib_mad *out,
			   size_t *out_size, u16 *out_pkey_index)
{
	struct ibf_port *port = ibf_hca_ops_port_of(ib, port_num);

	if (!port)
		return IB_MAD_RESULT_FAILURE;
	/* As long as a request that the agents know. */
	*out_size = sizeof(*out);
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
	const bool opa = ibf_hca_ops_node_of(ib)->opa;

	immutable->pkey_tbl_len = IBF_PKEYS;
	immutable->gid_tbl_len = IBF_GUIDS;
	immutable->core_cap_flags = opa ? RDMA_CORE_PORT_INTEL_OPA : RDMA_CORE_PORT_IBA_IB;
	immutable->max_mad_size = opa ? OPA_MGMT_MAD_SIZE : IB_MGMT_MAD_SIZE;
	return 0;
}

static enum rdma_link_layer ibf_link_layer(struct ib_device *ib, u32 port_num)
{
	return IB_LINK_LAYER_INFINIBAND;
}

static int ibf_query_gid(struct ib_device *ib, u32 port_num, int index,
			 union ib_gid *gid)
{
	struct ibf_port *port = ibf_hca_ops_port_of(ib, port_num);

	if (!port || index < 0 || index >= IBF_GUIDS)
		return -EINVAL;
	spin_lock_bh(&ibf_lock);
	gid->global.subnet_prefix = port->info.gid_prefix;
	gid->global.interface_id = port->guids[index];
	spin_unlock_bh(&ibf_lock);
	/* Without a GUID the entry is not a valid GID. */
	if (!gid->global.interface_id)
		gid->global.subnet_prefix = 0;
	return 0;
}

/*
 * The capabilities are those of PortInfo, so that a subnet manager sees them. Omni-Path's own
 * are in another attribute, which this SMA does not have: nothing is to be changed then.
 */
static int ibf_modify_port(struct ib_device *ib, u32 port_num, int mask,
			   struct ib_port_modify *modify)
{
	struct ibf_port *port = ibf_hca_ops_port_of(ib, port_num);
	u32 caps;

	if (!port)
		return ofed_refuse(ib, -EINVAL, "there is no port %u", port_num);
	if (mask == IB_PORT_OPA_MASK_CHG && port->node->opa)
		return 0;
	if (mask & ~(IB_PORT_RESET_QKEY_CNTR | IB_PORT_SHUTDOWN))
		return ofed_refuse(ib, -EOPNOTSUPP, "attributes 0x%x of port %u", mask,
				   port_num);
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
		return ofed_refuse(ib, -EOPNOTSUPP, "attributes 0x%x of the device",
				   mask);
	if (!(mask & IB_DEVICE_MODIFY_NODE_DESC))
		return 0;
	spin_lock_bh(&ibf_lock);
	memcpy(ib->node_desc, modify->node_desc, sizeof(ib->node_desc));
	ibf_trap_desc(ibf_hca_ops_node_of(ib));
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

/* No packet is sent or received by the device when this returns. */
void ibf_dealloc(struct ibt_dev *dev)
{
	struct ibf_node *node = *(struct ibf_node **)ibt_dev_priv(dev);
	u32 num;

	if (!node)
		return;
	spin_lock_bh(&ibf_lock);
	node->live = false;
	for (num = 1; num <= node->num_ports; num++) {
		/* First of all, so that no new event is raised for the device. */
		WRITE_ONCE(node->ports[num].ibt, NULL);
		ibf_link_down(&node->ports[num], IBF_PHYS_POLLING);
	}
	ibf_trap_forget(node);
	spin_unlock_bh(&ibf_lock);
	synchronize_net();
	/* Works of events that were raised earlier use the device. */
	flush_workqueue(ib_wq);
	for (num = 1; num <= node->num_ports; num++)
		ibf_purge(&node->ports[num]);
}
