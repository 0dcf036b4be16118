// SPDX-License-Identifier: GPL-2.0
/*
 * Which GIDs a RoCE port should have, from the interfaces as they are now: the
 * default one from the MAC, then every IPv4 and IPv6 address of the port's
 * netdev and of what is stacked upon it (VLAN, macvlan, bridge, bond).
 */
#include <linux/inetdevice.h>
#include <linux/list.h>
#include <linux/netdevice.h>
#include <linux/slab.h>
#include <net/addrconf.h>
#include <net/bonding.h>
#include <net/if_inet6.h>
#include <rdma/ib_addr.h>

#include "gid.h"
#include "gid_table.h"

/* An interface that gives its addresses to the port. */
struct gid_netdev {
	struct list_head link;
	struct net_device *ndev;
};

static int gid_add_netdev(struct list_head *netdevs, struct net_device *ndev)
{
	struct gid_netdev *dev;

	list_for_each_entry(dev, netdevs, link)
		if (dev->ndev == ndev)
			return 0;
	dev = kmalloc(sizeof(*dev), GFP_ATOMIC);
	if (!dev)
		return -ENOMEM;
	dev->ndev = ndev;
	list_add_tail(&dev->link, netdevs);
	return 0;
}

/*
 * The addresses of an active-backup bond work through the active slave only:
 * the other ports do not offer them, nor those of anything upon the bond.
 */
static bool gid_carries(struct net_device *lower, struct net_device *upper)
{
	struct net_device *active;

	if (!netif_is_bond_master(upper))
		return true;
	active = bond_option_active_slave_get_rcu(netdev_priv(upper));
	return !active || active == lower;
}

/* The list grows while it is walked, so that all levels are reached. */
static int gid_find_netdevs(struct ib_device *device, struct net_device *port_ndev,
			    struct list_head *netdevs)
{
	struct net_device *upper;
	struct list_head *iter;
	struct gid_netdev *dev;
	int ret;

	ret = gid_add_netdev(netdevs, port_ndev);
	if (ret)
		return ret;
	list_for_each_entry(dev, netdevs, link) {
		netdev_for_each_upper_dev_rcu(dev->ndev, upper, iter) {
			if (!gid_carries(dev->ndev, upper))
				continue;
			ret = gid_add_netdev(netdevs, upper);
			if (ret)
				return ret;
		}
	}
	return 0;
}

static int gid_add_candidate(struct list_head *candidates, struct net_device *ndev,
			     const union ib_gid *gid, bool is_default)
{
	struct ofed_gid_candidate *cand = kmalloc(sizeof(*cand), GFP_ATOMIC);

	if (!cand)
		return -ENOMEM;
	dev_hold(ndev);
	cand->ndev = ndev;
	cand->gid = *gid;
	cand->is_default = is_default;
	list_add_tail(&cand->link, candidates);
	return 0;
}

/* fe80::/64 and the EUI-64 of the MAC (annex A16), with or without IPv6. */
static int gid_add_default(struct list_head *candidates, struct net_device *ndev)
{
	union ib_gid gid = {
		.global.subnet_prefix = cpu_to_be64(0xfe80000000000000ULL),
	};

	if (addrconf_ifid_eui48(&gid.raw[8], ndev))
		return 0;
	return gid_add_candidate(candidates, ndev, &gid, true);
}

static int gid_add_ipv4(struct list_head *candidates, struct net_device *ndev)
{
	struct in_device *in_dev = __in_dev_get_rcu(ndev);
	const struct in_ifaddr *ifa;
	union ib_gid gid;
	int ret;

	if (!in_dev)
		return 0;
	in_dev_for_each_ifa_rcu(ifa, in_dev) {
		if (!ifa->ifa_local)
			continue;
		ipv6_addr_set_v4mapped(ifa->ifa_local,
				       (struct in6_addr *)gid.raw);
		ret = gid_add_candidate(candidates, ndev, &gid, false);
		if (ret)
			return ret;
	}
	return 0;
}

static int gid_add_ipv6(struct list_head *candidates, struct net_device *ndev)
{
	struct inet6_dev *in6_dev = __in6_dev_get(ndev);
	const struct inet6_ifaddr *ifp;
	union ib_gid gid;
	int ret = 0;

	if (!in6_dev)
		return 0;
	read_lock_bh(&in6_dev->lock);
	list_for_each_entry(ifp, &in6_dev->addr_list, if_list) {
		memcpy(gid.raw, &ifp->addr, sizeof(gid.raw));
		ret = gid_add_candidate(candidates, ndev, &gid, false);
		if (ret)
			break;
	}
	read_unlock_bh(&in6_dev->lock);
	return ret;
}

/*
 * A bond stands for its slaves: the default GID is then the bond's, and a port
 * that the bond does not use has none.
 */
static bool gid_gives_default(const struct net_device *ndev,
			      const struct net_device *port_ndev)
{
	if (netif_is_bond_slave(port_ndev))
		return netif_is_bond_master(ndev);
	return ndev == port_ndev;
}

static bool gid_is_usable(struct ib_device *device, const struct net_device *ndev)
{
	return READ_ONCE(ndev->reg_state) == NETREG_REGISTERED &&
	       rdma_dev_access_netns(device, dev_net(ndev));
}

static int gid_add_of_netdevs(struct ib_device *device,
			      const struct net_device *port_ndev,
			      struct list_head *netdevs, struct list_head *candidates)
{
	struct gid_netdev *dev;
	int ret = 0;

	list_for_each_entry(dev, netdevs, link) {
		if (!gid_is_usable(device, dev->ndev))
			continue;
		if (gid_gives_default(dev->ndev, port_ndev))
			ret = gid_add_default(candidates, dev->ndev);
		if (!ret)
			ret = gid_add_ipv4(candidates, dev->ndev);
		if (!ret)
			ret = gid_add_ipv6(candidates, dev->ndev);
		if (ret)
			break;
	}
	return ret;
}

/**
 * ofed_roce_gid_candidates - list the GIDs that a RoCE port should have
 * @device: device; interfaces in namespaces without access to it do not count
 * @port_ndev: the port's netdev, held by the caller
 * @candidates: list that they are added to, in the order of their indices in an
 *	    empty table; for ofed_gid_candidates_drop(), on failure too
 *
 * Context: any. Return: 0, or -ENOMEM with a part of them.
 */
int ofed_roce_gid_candidates(struct ib_device *device, struct net_device *port_ndev,
			     struct list_head *candidates)
{
	struct gid_netdev *dev, *next;
	LIST_HEAD(netdevs);
	int ret;

	rcu_read_lock();
	ret = gid_find_netdevs(device, port_ndev, &netdevs);
	if (!ret)
		ret = gid_add_of_netdevs(device, port_ndev, &netdevs, candidates);
	rcu_read_unlock();

	list_for_each_entry_safe(dev, next, &netdevs, link)
		kfree(dev);
	return ret;
}

/**
 * ofed_gid_candidates_drop - free a list from ofed_roce_gid_candidates()
 * @candidates: the list, empty afterwards
 */
void ofed_gid_candidates_drop(struct list_head *candidates)
{
	struct ofed_gid_candidate *cand, *next;

	list_for_each_entry_safe(cand, next, candidates, link) {
		list_del(&cand->link);
		dev_put(cand->ndev);
		kfree(cand);
	}
}
