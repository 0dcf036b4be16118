// SPDX-License-Identifier: GPL-2.0
/*
 * Interfaces of Omni-Path: made for opa_vnic, which puts its own operations in front of those
 * here, and registers them. It sees to headers, addresses and management; here is what an
 * adapter does.
 */
#include <linux/etherdevice.h>
#include <ofed/refuse.h>

#include "../ibt/link.h"
#include "fabric.h"
#include "node.h"
#include "vnic_netdev.h"

/* Events of the port that come later are told by opa_vnic. */
static int ibf_vnic_open(struct net_device *netdev)
{
	struct ibf_vnic *vnic = ibf_vnic_of(netdev);

	spin_lock_bh(&ibf_lock);
	list_add_tail_rcu(&vnic->up.entry, &vnic->port->vnics);
	spin_unlock_bh(&ibf_lock);
	netif_tx_start_all_queues(netdev);
	if (READ_ONCE(vnic->port->state) == IBF_STATE_ACTIVE)
		netif_carrier_on(netdev);
	else
		netif_carrier_off(netdev);
	return 0;
}

/* A packet may be on its way to the interface until the stack has waited for a grace period. */
static int ibf_vnic_stop(struct net_device *netdev)
{
	struct ibf_vnic *vnic = ibf_vnic_of(netdev);

	netif_carrier_off(netdev);
	netif_tx_disable(netdev);
	spin_lock_bh(&ibf_lock);
	list_del_rcu(&vnic->up.entry);
	spin_unlock_bh(&ibf_lock);
	synchronize_net();
	return 0;
}

static const struct net_device_ops ibf_vnic_ops = {
	.ndo_open = ibf_vnic_open,
	.ndo_stop = ibf_vnic_stop,
	.ndo_start_xmit = ibf_vnic_xmit,
	.ndo_select_queue = ibf_vnic_select_queue,
	.ndo_get_stats64 = ibf_vnic_get_stats64,
};

/*
 * The first one that came up gets the packets of a switch that two are connected to. A manager
 * elsewhere in the subnet may do that again and again.
 */
static void ibf_vnic_set_id(struct net_device *netdev, int id)
{
	struct ibf_vnic *vnic = ibf_vnic_of(netdev), *other;

	spin_lock_bh(&ibf_lock);
	list_for_each_entry(other, &vnic->port->vnics, up.entry)
		if (id && other != vnic && other->vesw == id)
			netdev_dbg(netdev, "%s of the same port has switch 0x%x, too\n",
				   netdev_name(other->up.netdev), id);
	WRITE_ONCE(vnic->vesw, id);
	spin_unlock_bh(&ibf_lock);
}

static void ibf_vnic_free(struct net_device *netdev)
{
	free_netdev(netdev);
}

static void ibf_vnic_init(struct net_device *netdev, struct ib_device *ib, struct ibf_port *port)
{
	struct ibf_vnic *vnic = ibf_vnic_of(netdev);
	struct rdma_netdev *rn = netdev_priv(netdev);

	vnic->up.netdev = netdev;
	vnic->port = port;
	spin_lock_init(&vnic->lock);
	rn->hca = ib;
	rn->port_num = port->num;
	rn->free_rdma_netdev = ibf_vnic_free;
	rn->set_id = ibf_vnic_set_id;
	netdev->netdev_ops = &ibf_vnic_ops;
	/* Headers are written into each packet. */
	netdev->priv_flags &= ~IFF_TX_SKB_SHARING;
	netdev->needed_headroom = sizeof(struct ibf_raw);
	netdev->needed_tailroom = IBF_OPA_TRAILER;
}

/* alloc_rdma_netdev of struct ib_device_ops. Of the ports of HCAs that ibf_vnic_setup() saw. */
static struct net_device *ibf_alloc_rdma_netdev(struct ib_device *ib, u32 port_num,
						enum rdma_netdev_t type, const char *name,
						unsigned char name_assign_type,
						void (*setup)(struct net_device *netdev))
{
	struct ibf_node *node = *(struct ibf_node **)ibt_dev_priv(ibt_dev_of(ib));
	struct net_device *netdev;

	if (type != RDMA_NETDEV_OPA_VNIC)
		return ofed_refuse(ib, ERR_PTR(-EOPNOTSUPP), "an interface of type %d", type);
	if (!port_num || port_num > node->num_ports)
		return ERR_PTR(ofed_refuse_port(ib, port_num));
	netdev = alloc_netdev_mqs(sizeof(struct opa_vnic_rdma_netdev) + sizeof(struct ibf_vnic),
				  name, name_assign_type, setup, IBF_DATA_VLS, 1);
	if (!netdev)
		return ERR_PTR(-ENOMEM);
	ibf_vnic_init(netdev, ib, &node->ports[port_num]);
	return netdev;
}

static const struct ib_device_ops ibf_vnic_ib_ops = {
	.alloc_rdma_netdev = ibf_alloc_rdma_netdev,
};

/**
 * ibf_vnic_setup - say that an HCA has interfaces, if it is one of Omni-Path's kind
 * @node: HCA with a device that is not registered yet
 */
void ibf_vnic_setup(struct ibf_node *node)
{
	if (!node->opa)
		return;
	ibt_dev_set_caps(node->dev, IBK_RDMA_NETDEV_OPA);
	ib_set_device_ops(node->ib, &ibf_vnic_ib_ops);
}
