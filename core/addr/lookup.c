// SPDX-License-Identifier: GPL-2.0
/*
 * One attempt to find the way to an IP address: the route, the interface and
 * source address it leaves by, and the hardware address of the next hop.
 *
 * RDMA does not run on lo. A route there leads to an address of this host, and
 * the interface that has the address stands for both ends. Interfaces stacked
 * on others (VLAN, bond, bridge, team) need no care: the route names the upper
 * one, which has the MAC and the device's GIDs.
 */
#include <compat/ip6_route.h>
#include <net/addrconf.h>
#include <net/arp.h>
#include <net/dst.h>
#include <net/ip6_fib.h>
#include <net/ip6_route.h>
#include <net/neighbour.h>
#include <net/route.h>
#include <rdma/ib_addr.h>

#include "addr.h"
#include "resolve.h"

/**
 * struct way - what the routing tables say
 * @dst: the route, referenced
 * @to: address that is looked up as a neighbour; the route may replace it by a
 *	gateway
 * @local: leads to an address of this host
 * @routed: leads through a gateway
 */
struct way {
	struct dst_entry *dst;
	const void *to;
	bool local;
	bool routed;
};

static int addr_way_ipv4(struct ofed_lookup *look, struct way *way)
{
	struct flowi4 flow = {
		.flowi4_oif = look->bound_if,
		.daddr = look->dst.in.sin_addr.s_addr,
		.saddr = look->src.in.sin_addr.s_addr,
	};
	struct rtable *route = ip_route_output_key(look->net, &flow);

	if (IS_ERR(route))
		return PTR_ERR(route);
	look->src.in.sin_addr.s_addr = flow.saddr;
	look->found.hoplimit = ip4_dst_hoplimit(&route->dst);
	way->dst = &route->dst;
	way->to = &look->dst.in.sin_addr;
	way->local = route->rt_type == RTN_LOCAL;
	way->routed = route->rt_uses_gateway;
	return 0;
}

static int addr_way_ipv6(struct ofed_lookup *look, struct way *way)
{
	struct sockaddr_in6 *src = &look->src.in6, *dst = &look->dst.in6;
	struct flowi6 flow = {
		.flowi6_oif = look->bound_if,
		.daddr = dst->sin6_addr,
		.saddr = src->sin6_addr,
	};
	struct dst_entry *entry;
	u32 flags;

	if (!flow.flowi6_oif && ipv6_addr_type(&flow.daddr) & IPV6_ADDR_LINKLOCAL)
		flow.flowi6_oif = dst->sin6_scope_id;
	entry = compat_ip6_dst_lookup_flow(look->net, NULL, &flow, NULL);
	if (IS_ERR(entry))
		return PTR_ERR(entry);
	src->sin6_addr = flow.saddr;
	look->found.hoplimit = ip6_dst_hoplimit(entry);
	flags = container_of(entry, struct rt6_info, dst)->rt6i_flags;
	way->dst = entry;
	way->to = &dst->sin6_addr;
	way->local = flags & RTF_LOCAL;
	way->routed = flags & RTF_GATEWAY;
	return 0;
}

/*
 * A local route of a VRF leads to the VRF's own interface and not to lo.
 * Neither has the address, unless the caller has chosen an interface.
 */
static int addr_pick_interface(struct ofed_lookup *look, struct way *way)
{
	struct rdma_dev_addr *found = &look->found;
	const struct net_device *out;
	int ret;

	rcu_read_lock();
	out = READ_ONCE(way->dst->dev);
	if (out->flags & IFF_LOOPBACK)
		way->local = true;
	if (!way->local)
		found->bound_dev_if = out->ifindex;
	else if (look->bound_if != out->ifindex)
		found->bound_dev_if = look->bound_if;
	rcu_read_unlock();

	ret = rdma_translate_ip(&look->dst.sa, found);
	return way->local && ret == -EADDRNOTAVAIL ? -ENODEV : ret;
}

/*
 * A link-local address is one of an interface. Callers are told as much of it as they
 * have said themselves.
 */
static void addr_scope_source(struct ofed_lookup *look)
{
	struct sockaddr_in6 *src = &look->src.in6;

	if (src->sin6_family == AF_INET6 && !src->sin6_scope_id &&
	    ipv6_addr_type(&src->sin6_addr) & IPV6_ADDR_LINKLOCAL)
		src->sin6_scope_id = look->dst.in6.sin6_scope_id;
}

static void addr_network_of(struct ofed_lookup *look, const struct way *way)
{
	struct rdma_dev_addr *found = &look->found;

	/* Of the RoCE headers only those of version 2 pass a router. */
	found->network = RDMA_NETWORK_IB;
	if (way->routed && found->dev_type != ARPHRD_INFINIBAND)
		found->network = look->dst.sa.sa_family == AF_INET ?
				 RDMA_NETWORK_IPV4 : RDMA_NETWORK_IPV6;
}

static void addr_remember_hop(struct ofed_hop *hop, const struct neighbour *neigh)
{
	hop->dev = neigh->dev;
	hop->len = min_t(unsigned int, neigh->tbl->key_len, sizeof(hop->key));
	memcpy(hop->key, neigh->primary_key, hop->len);
}

static int addr_ask_neighbour(struct ofed_lookup *look, const struct way *way)
{
	struct neighbour *neigh = dst_neigh_lookup(way->dst, way->to);
	int ret = 0;

	/* The table may be full: that passes. */
	if (!neigh)
		return -ENODATA;
	/* Starts a probe where one is due, for a stale entry too. */
	neigh_event_send(neigh, NULL);
	if (!ofed_addr_neigh_mac(neigh, look->found.dst_dev_addr)) {
		addr_remember_hop(&look->hop, neigh);
		ret = -ENODATA;
	}
	neigh_release(neigh);
	return ret;
}

/* A tunnel has no neighbours; Ethernet without ARP may have static ones. */
static bool addr_has_neighbours(const struct ofed_lookup *look, const struct way *way)
{
	unsigned int flags;

	rcu_read_lock();
	flags = READ_ONCE(READ_ONCE(way->dst->dev)->flags);
	rcu_read_unlock();
	return !(flags & IFF_NOARP) || look->found.dev_type == ARPHRD_ETHER;
}

static int addr_pick_destination(struct ofed_lookup *look, const struct way *way)
{
	struct rdma_dev_addr *found = &look->found;

	if (way->local) {
		memcpy(found->dst_dev_addr, found->src_dev_addr,
		       sizeof(found->dst_dev_addr));
		return 0;
	}
	/* The neighbour would be the router, but InfiniBand wants the far GID. */
	if (way->routed && found->dev_type == ARPHRD_INFINIBAND) {
		look->ask_ls = true;
		return -ENODATA;
	}
	return addr_has_neighbours(look, way) ? addr_ask_neighbour(look, way) : 0;
}

/* Contract: resolve.h */
int ofed_lookup(struct ofed_lookup *look)
{
	struct way way = {};
	int ret;

	might_sleep();
	memset(&look->found, 0, sizeof(look->found));
	memset(&look->hop, 0, sizeof(look->hop));
	look->ask_ls = false;
	look->found.net = look->net;

	ret = look->dst.sa.sa_family == AF_INET ? addr_way_ipv4(look, &way) :
						  addr_way_ipv6(look, &way);
	if (ret)
		return ret;
	ret = addr_pick_interface(look, &way);
	if (!ret) {
		addr_scope_source(look);
		addr_network_of(look, &way);
		ret = addr_pick_destination(look, &way);
	}
	dst_release(way.dst);
	return ret;
}
