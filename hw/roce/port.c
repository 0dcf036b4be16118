// SPDX-License-Identifier: GPL-2.0
/* The port of a device: ops of the core. */
#include <linux/module.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_mad.h>

#include "../soft/speed.h"
#include "guest.h"
#include "netdev.h"
#include "port.h"

/* ---- attributes ------------------------------------------------------------------- */

static void roce_describe_link(struct ib_port_attr *attr,
			       const struct net_device *ndev)
{
	bool up = ndev && roce_ndev_up(ndev);

	attr->state = up ? IB_PORT_ACTIVE : IB_PORT_DOWN;
	if (up)
		attr->phys_state = IB_PORT_PHYS_STATE_LINK_UP;
	else if (ndev && netif_running(ndev))
		attr->phys_state = IB_PORT_PHYS_STATE_POLLING;
	else
		attr->phys_state = IB_PORT_PHYS_STATE_DISABLED;
	attr->max_mtu = IB_MTU_4096;
	attr->active_mtu = ndev ? roce_ndev_mtu(ndev) : IB_MTU_256;
	attr->phys_mtu = ib_mtu_enum_to_int(attr->active_mtu);
}

int roce_query_port(struct ibt_port *port, struct ib_port_attr *attr)
{
	struct roce_dev *rd = roce_of_port(port);
	struct net_device *ndev = roce_get_ndev(rd);

	roce_describe_link(attr, ndev);
	soft_eth_speed(rd->ib, 1, ndev, attr);
	dev_put(ndev);
	attr->gid_tbl_len = ROCE_GIDS;
	attr->ip_gids = true;
	attr->max_vl_num = 1;
	return 0;
}

enum ib_mtu roce_active_mtu(struct ibt_port *port)
{
	struct roce_dev *rd = roce_of_port(port);
	enum ib_mtu mtu = IB_MTU_256;
	struct net_device *ndev;

	rcu_read_lock();
	ndev = rcu_dereference(rd->ndev);
	if (ndev)
		mtu = roce_ndev_mtu(ndev);
	rcu_read_unlock();
	return mtu;
}

static int roce_port_immutable(struct ib_device *ib, u32 port_num,
			       struct ib_port_immutable *immutable)
{
	immutable->pkey_tbl_len = 1;
	immutable->gid_tbl_len = ROCE_GIDS;
	immutable->core_cap_flags = RDMA_CORE_PORT_IBA_ROCE |
				    RDMA_CORE_PORT_IBA_ROCE_UDP_ENCAP;
	immutable->max_mad_size = IB_MGMT_MAD_SIZE;
	return 0;
}

static enum rdma_link_layer roce_link_layer(struct ib_device *ib, u32 port_num)
{
	return IB_LINK_LAYER_ETHERNET;
}

static struct net_device *roce_get_netdev(struct ib_device *ib, u32 port_num)
{
	struct ibt_port *port = ibt_dev_port(ibt_dev_of(ib), port_num);

	return port ? roce_get_ndev(roce_of_port(port)) : NULL;
}

/* The same attribute as that of the kernel's rxe: scripts read it. */
static ssize_t parent_show(struct device *device, struct device_attribute *attr,
				char *buf)
{
	struct net_device *ndev =
		roce_get_netdev(rdma_device_to_ibdev(device), 1);
	ssize_t length;

	if (!ndev)
		return -ENODEV;
	length = sysfs_emit(buf, "%s\n", ndev->name);
	dev_put(ndev);
	return length;
}
static DEVICE_ATTR_RO(parent);

static struct attribute *roce_attributes[] = {
	&dev_attr_parent.attr,
	&soft_attr_hw_rev.attr,
	&soft_attr_hca_type.attr,
	&soft_attr_board_id.attr,
	NULL
};

static const struct attribute_group roce_group = {
	.attrs = roce_attributes,
};

/* Version 2 finds the device by the IP address, in the namespace that has it. */
static int roce_add_gid(const struct ib_gid_attr *attr, void **context)
{
	if (attr->gid_type != IB_GID_TYPE_ROCE)
		return roce_guest_add(roce_of_gid(attr), attr, context);
	return roce_gid_add(attr, context);
}

static int roce_del_gid(const struct ib_gid_attr *attr, void **context)
{
	if (attr->gid_type != IB_GID_TYPE_ROCE)
		roce_guest_del(context);
	else
		roce_gid_del(attr, context);
	return 0;
}

const struct ib_device_ops roce_ib_ops = {
	.owner = THIS_MODULE,
	.device_group = &roce_group,
	.get_port_immutable = roce_port_immutable,
	.get_link_layer = roce_link_layer,
	.get_netdev = roce_get_netdev,
	.process_mad = ibt_process_mad,
	.add_gid = roce_add_gid,
	.del_gid = roce_del_gid,
};
