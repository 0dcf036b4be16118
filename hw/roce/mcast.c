// SPDX-License-Identifier: GPL-2.0
/*
 * Multicast groups, for both versions at once, as a group has no version. The
 * interface joins the IP group, which IGMP or MLD announces to the switches, and
 * receives frames to the group's MAC of version 1. The sockets need not join.
 */
#include <linux/igmp.h>
#include <linux/inetdevice.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <net/addrconf.h>
#include <rdma/ib_addr.h>

#include "netdev.h"
#include "port.h"

/**
 * struct roce_group - a multicast group that the port receives
 * @node: in roce_dev.joined
 * @gid: MGID
 * @ipv4: IPv4 state of the interface that joined the group, referenced; or NULL
 * @ipv6: IPv6 state of the interface that joined the group, referenced; or NULL
 *
 * The stack destroys the IP state of an interface, with its memberships, when the MTU
 * becomes too small for IP, and creates a new one when it grows again. Only the state
 * that was joined may be left: in a new one the membership belongs to another user.
 */
struct roce_group {
	struct hlist_node node;
	struct in6_addr gid;
	struct in_device *ipv4;
	struct inet6_dev *ipv6;
};

static void roce_forget_ip(struct roce_group *group)
{
	if (group->ipv4)
		in_dev_put(group->ipv4);
	group->ipv4 = NULL;
	if (IS_ENABLED(CONFIG_IPV6) && group->ipv6)
		in6_dev_put(group->ipv6);
	group->ipv6 = NULL;
}

static void roce_join_ipv4(struct roce_group *group, struct net_device *ndev)
{
	struct in_device *now = __in_dev_get_rtnl(ndev);

	if (now == group->ipv4)
		return;
	roce_forget_ip(group);
	if (!now)
		return;
	ip_mc_inc_group(now, group->gid.s6_addr32[3]);
	in_dev_hold(now);
	group->ipv4 = now;
}

static int roce_join_ipv6(struct roce_group *group, struct net_device *ndev)
{
	struct inet6_dev *now = __in6_dev_get(ndev);
	int ret;

	if (now == group->ipv6)
		return 0;
	roce_forget_ip(group);
	if (!now)
		return 0;
	ret = ipv6_dev_mc_inc(ndev, &group->gid);
	if (ret)
		return ret;
	in6_dev_hold(now);
	group->ipv6 = now;
	return 0;
}

/* Version 1 works on an interface without IP, too. */
static int roce_join_ip(struct roce_group *group, struct net_device *ndev)
{
	ASSERT_RTNL();
	if (ipv6_addr_v4mapped(&group->gid)) {
		roce_join_ipv4(group, ndev);
		return 0;
	}
	return IS_ENABLED(CONFIG_IPV6) ? roce_join_ipv6(group, ndev) : 0;
}

static void roce_leave_ip(struct roce_group *group, struct net_device *ndev)
{
	ASSERT_RTNL();
	if (group->ipv4 && group->ipv4 == __in_dev_get_rtnl(ndev))
		ip_mc_dec_group(group->ipv4, group->gid.s6_addr32[3]);
	if (IS_ENABLED(CONFIG_IPV6) && group->ipv6 &&
	    group->ipv6 == __in6_dev_get(ndev))
		ipv6_dev_mc_dec(ndev, &group->gid);
	roce_forget_ip(group);
}

/**
 * roce_groups_rejoin - join all groups again after the IP state was replaced
 * @rd: the device
 * @ndev: its network device, for which a notification came
 *
 * A group that can not be joined for lack of memory is tried at the next notification.
 *
 * Context: rtnl.
 */
void roce_groups_rejoin(struct roce_dev *rd, struct net_device *ndev)
{
	struct roce_group *group;
	int bucket;

	hash_for_each(rd->joined, bucket, group, node)
		roce_join_ip(group, ndev);
}

/* The network device goes, with its memberships. Context: rtnl. */
void roce_groups_forget(struct roce_dev *rd)
{
	struct roce_group *group;
	int bucket;

	ASSERT_RTNL();
	hash_for_each(rd->joined, bucket, group, node)
		roce_forget_ip(group);
}

static int roce_group_join(struct roce_dev *rd, struct roce_group *group, const u8 *mac)
{
	struct net_device *ndev = rtnl_dereference(rd->ndev);
	int ret;

	if (!ndev)
		return -ENODEV;
	ret = roce_join_ip(group, ndev);
	if (ret)
		return ret;
	ret = dev_mc_add(ndev, mac);
	if (ret)
		roce_leave_ip(group, ndev);
	return ret;
}

int roce_mcast_join(struct ibt_port *port, const union ib_gid *gid)
{
	struct roce_dev *rd = roce_of_port(port);
	struct roce_group *group;
	u8 mac[ETH_ALEN];
	int ret;

	group = kzalloc(sizeof(*group), GFP_KERNEL_ACCOUNT);
	if (!group)
		return -ENOMEM;
	memcpy(&group->gid, gid, sizeof(group->gid));
	rdma_get_mcast_mac(&group->gid, mac);
	rtnl_lock();
	ret = roce_group_join(rd, group, mac);
	if (!ret)
		hash_add(rd->joined, &group->node, roce_gid_hash(gid));
	rtnl_unlock();
	if (ret) {
		kfree(group);
		return ret;
	}
	atomic_inc(&rd->groups);
	/* Routes depend on the memberships of this host. */
	roce_paths_stale();
	return 0;
}

static struct roce_group *roce_group_find(struct roce_dev *rd, const union ib_gid *gid)
{
	struct roce_group *group;

	ASSERT_RTNL();
	hash_for_each_possible(rd->joined, group, node, roce_gid_hash(gid))
		if (!memcmp(&group->gid, gid, sizeof(*gid)))
			return group;
	return NULL;
}

void roce_mcast_leave(struct ibt_port *port, const union ib_gid *gid)
{
	struct roce_dev *rd = roce_of_port(port);
	struct roce_group *group;
	struct net_device *ndev;
	u8 mac[ETH_ALEN];

	rtnl_lock();
	group = roce_group_find(rd, gid);
	if (WARN_ON_ONCE(!group)) {
		rtnl_unlock();
		return;
	}
	hash_del(&group->node);
	ndev = rtnl_dereference(rd->ndev);
	if (ndev) {
		rdma_get_mcast_mac(&group->gid, mac);
		dev_mc_del(ndev, mac);
		roce_leave_ip(group, ndev);
	}
	rtnl_unlock();
	kfree(group);
	atomic_dec(&rd->groups);
	roce_paths_stale();
}
