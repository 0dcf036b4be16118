// SPDX-License-Identifier: GPL-2.0
/*
 * Which interface has an address of this host. An address is one of a VRF, or of none: two VRFs
 * may have the same, each on an interface of its own.
 */
#include <linux/inetdevice.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <net/addrconf.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <net/l3mdev.h>

#include "owner.h"

static bool roce_has_ipv4(const struct net_device *ndev, __be32 addr)
{
	const struct in_device *in_dev = __in_dev_get_rcu(ndev);
	const struct in_ifaddr *ifa;

	if (in_dev)
		in_dev_for_each_ifa_rcu(ifa, in_dev)
			if (ifa->ifa_local == addr)
				return true;
	return false;
}

/**
 * roce_ipv4_owner - find the interface that has an address of IPv4
 * @net: namespace
 * @vrf: index of the VRF of which the address is, or 0
 * @addr: the address
 *
 * Context: any; RCU reader.
 * Return: the interface, or NULL.
 */
struct net_device *roce_ipv4_owner(struct net *net, int vrf, __be32 addr)
{
	struct net_device *ndev = __ip_dev_find(net, addr, false);

	if (!ndev || l3mdev_master_ifindex_rcu(ndev) == vrf)
		return ndev;
	for_each_netdev_rcu(net, ndev)
		if (l3mdev_master_ifindex_rcu(ndev) == vrf && roce_has_ipv4(ndev, addr))
			return ndev;
	return NULL;
}

/* As roce_ipv4_owner(), with a VRF. */
static struct net_device *roce_ipv6_owner(struct net *net, int vrf, const struct in6_addr *addr)
{
	struct net_device *ndev;

	for_each_netdev_rcu(net, ndev)
		if (l3mdev_master_ifindex_rcu(ndev) == vrf && ipv6_chk_addr(net, addr, ndev, 1))
			return ndev;
	return NULL;
}

/**
 * roce_owner_of - find the interface that has the destination address of a packet
 * @skb: packet of UDP, for this host
 *
 * Context: RCU reader.
 * Return: the interface, or NULL.
 */
struct net_device *roce_owner_of(const struct sk_buff *skb)
{
	int vrf = l3mdev_master_ifindex_rcu(skb->dev);
	struct net *net = dev_net(skb->dev);
	struct net_device *ndev;

	if (skb->protocol == htons(ETH_P_IP))
		return roce_ipv4_owner(net, vrf, ip_hdr(skb)->daddr);
	if (!IS_ENABLED(CONFIG_IPV6))
		return NULL;
	if (vrf)
		return roce_ipv6_owner(net, vrf, &ipv6_hdr(skb)->daddr);
	/* inet6_iif() has the interface of a local delivery; link-local needs it. */
	ndev = dev_get_by_index_rcu(net, inet6_iif(skb));
	if (ndev && !(ndev->flags & IFF_LOOPBACK))
		return ndev;
	return ipv6_dev_find(net, &ipv6_hdr(skb)->daddr, skb->dev);
}

/**
 * roce_came_by - the interface that a packet came by
 * @skb: packet of UDP, for this host
 *
 * The stack makes the VRF of that interface the packet's device.
 *
 * Context: RCU reader.
 * Return: the interface.
 */
struct net_device *roce_came_by(const struct sk_buff *skb)
{
	int slave = skb->protocol == htons(ETH_P_IP) ? inet_sdif(skb) : inet6_sdif(skb);
	struct net_device *ndev = NULL;

	if (slave)
		ndev = dev_get_by_index_rcu(dev_net(skb->dev), slave);
	return ndev ?: skb->dev;
}
