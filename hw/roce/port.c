// SPDX-License-Identifier: GPL-2.0
/* The port of a device as the core sees it, and multicast groups. */
#include <linux/igmp.h>
#include <linux/inetdevice.h>
#include <linux/module.h>
#include <linux/rtnetlink.h>
#include <net/addrconf.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_mad.h>

#include "roce.h"

/* ---- attributes ------------------------------------------------------------------- */

static void describe_link(struct ib_port_attr *attr,
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

	describe_link(attr, ndev);
	dev_put(ndev);
	attr->gid_tbl_len = ROCE_GIDS;
	attr->ip_gids = true;
	attr->max_vl_num = 1;
	/* An interface that does not know its speed is no failure. */
	attr->active_speed = IB_SPEED_SDR;
	attr->active_width = IB_WIDTH_1X;
	if (ndev)
		ib_get_eth_speed(rd->ib, 1, &attr->active_speed,
				 &attr->active_width);
	return 0;
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

/* As the kernel's own software device has it: scripts look for it. */
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
	NULL
};

static const struct attribute_group roce_group = {
	.attrs = roce_attributes,
};

const struct ib_device_ops roce_ib_ops = {
	.owner = THIS_MODULE,
	.device_group = &roce_group,
	.get_port_immutable = roce_port_immutable,
	.get_link_layer = roce_link_layer,
	.get_netdev = roce_get_netdev,
};

/* ---- multicast -------------------------------------------------------------------- */

/*
 * Both versions at once, for a group has no version: the interface becomes a
 * member of the IP group, which IGMP or MLD tells the switches, and takes frames
 * to the group's MAC of version 1. The sockets need not be members.
 */
static int join_ip(struct net_device *ndev, const struct in6_addr *group)
{
	struct in_device *in_dev = __in_dev_get_rtnl(ndev);

	ASSERT_RTNL();
	if (ipv6_addr_v4mapped(group)) {
		if (in_dev)
			ip_mc_inc_group(in_dev, group->s6_addr32[3]);
		return 0;
	}
	/* An interface without IPv6 still has version 1. */
	if (!IS_ENABLED(CONFIG_IPV6) || !__in6_dev_get(ndev))
		return 0;
	return ipv6_dev_mc_inc(ndev, group);
}

static void leave_ip(struct net_device *ndev, const struct in6_addr *group)
{
	struct in_device *in_dev = __in_dev_get_rtnl(ndev);

	ASSERT_RTNL();
	if (ipv6_addr_v4mapped(group)) {
		if (in_dev)
			ip_mc_dec_group(in_dev, group->s6_addr32[3]);
	} else if (IS_ENABLED(CONFIG_IPV6) && __in6_dev_get(ndev)) {
		ipv6_dev_mc_dec(ndev, group);
	}
}

int roce_mcast_join(struct ibt_port *port, const union ib_gid *gid)
{
	struct in6_addr *group = (struct in6_addr *)gid;
	struct roce_dev *rd = roce_of_port(port);
	struct net_device *ndev;
	u8 mac[ETH_ALEN];
	int ret = -ENODEV;

	rdma_get_mcast_mac(group, mac);
	rtnl_lock();
	ndev = rtnl_dereference(rd->ndev);
	if (ndev)
		ret = join_ip(ndev, group);
	if (!ret) {
		ret = dev_mc_add(ndev, mac);
		if (ret)
			leave_ip(ndev, group);
	}
	rtnl_unlock();
	if (!ret) {
		atomic_inc(&rd->groups);
		/* A route knows whether this host is a member. */
		atomic_inc(&roce_generation);
	}
	return ret;
}

/* A network device that goes takes its memberships along. */
void roce_mcast_leave(struct ibt_port *port, const union ib_gid *gid)
{
	struct in6_addr *group = (struct in6_addr *)gid;
	struct roce_dev *rd = roce_of_port(port);
	struct net_device *ndev;
	u8 mac[ETH_ALEN];

	rdma_get_mcast_mac(group, mac);
	rtnl_lock();
	ndev = rtnl_dereference(rd->ndev);
	if (ndev) {
		dev_mc_del(ndev, mac);
		leave_ip(ndev, group);
	}
	rtnl_unlock();
	atomic_dec(&rd->groups);
	atomic_inc(&roce_generation);
}
