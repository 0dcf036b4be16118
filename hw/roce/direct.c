// SPDX-License-Identifier: GPL-2.0
/*
 * Two devices at the ends of a veth pair, as containers have them. Messages between their queue
 * pairs go without packets, as those of one device do, as long as packets would arrive unseen and
 * unchanged: the peer interface has the destination address, routes of its namespace lead back
 * through the pair, and nothing on the way looks at packets (watch.c).
 *
 *   beside NULL: not such a pair        packets
 *   beside set, path.direct false       packets, until nothing looks at them any more
 *   beside set, path.direct true        no packets, until something does
 *
 * A path is resolved anew when it is not the one that it was, before the next message at the
 * latest; one that is under way goes on as it began.
 */
#include <compat/ip6_route.h>
#include <linux/netfilter.h>
#include <net/addrconf.h>
#include <net/inet_dscp.h>
#include <net/ip6_fib.h>
#include <net/route.h>
#include <net/rtnetlink.h>

#include "dev.h"
#include "direct.h"
#include "net.h"
#include "netdev.h"
#include "path.h"
#include "port.h"
#include "watch.h"

/* The other end of a veth pair, or NULL. Context: RCU reader. */
static struct net_device *roce_veth_peer(struct net_device *dev)
{
	const struct rtnl_link_ops *ops = dev->rtnl_link_ops;

	/* A netkit pair has programs of its own. */
	if (!ops || !ops->kind || strcmp(ops->kind, "veth") ||
	    !dev->netdev_ops->ndo_get_peer_dev)
		return NULL;
	return dev->netdev_ops->ndo_get_peer_dev(dev);
}

/* Changes with the routes and addresses of the peer's namespace. */
static u32 roce_direct_routes(const struct roce_path *p)
{
	struct net *net = dev_net(p->beside);

	return p->kind == ROCE_IPV4 ? rt_genid_ipv4(net) : rt_genid_ipv6(net);
}

static bool roce_back_ipv4(const struct roce_path *p, const struct net_device *peer)
{
	struct flowi4 flow = {
		.daddr = roce_gid_ipv4(&p->sgid),
		.saddr = roce_gid_ipv4(&p->dgid),
		COMPAT_FLOWI4_DSCP(inet_dsfield_to_dscp(p->tclass)),
		.flowi4_proto = IPPROTO_UDP,
		.fl4_dport = htons(ROCE_V2_UDP_DPORT),
	};
	struct rtable *rt = ip_route_output_flow(dev_net(peer), &flow, NULL);
	bool back;

	if (IS_ERR(rt))
		return false;
	back = rt->dst.dev == peer && !rt->rt_uses_gateway && rt->rt_type == RTN_UNICAST &&
	       !rt->dst.lwtstate;
	ip_rt_put(rt);
	return back;
}

static bool roce_back_ipv6(const struct roce_path *p, struct net_device *peer)
{
	struct flowi6 flow = {
		.daddr = *(struct in6_addr *)&p->sgid,
		.saddr = *(struct in6_addr *)&p->dgid,
		.flowi6_proto = IPPROTO_UDP,
		.fl6_dport = htons(ROCE_V2_UDP_DPORT),
	};
	struct dst_entry *dst;
	struct rt6_info *rt;
	bool back;

	/*
	 * The device has addresses of interfaces upon the peer, too, which may be in another
	 * namespace. A lookup for IPv4 refuses a source address that is none of its namespace.
	 */
	if (!IS_ENABLED(CONFIG_IPV6) || !ipv6_dev_find(dev_net(peer), &flow.saddr, peer))
		return false;
	/* The address is one of a link, and says nothing of which. */
	if (ipv6_addr_type(&flow.daddr) & IPV6_ADDR_LINKLOCAL)
		flow.flowi6_oif = peer->ifindex;
	dst = compat_ip6_dst_lookup_flow(dev_net(peer), NULL, &flow, NULL);
	if (IS_ERR(dst))
		return false;
	rt = container_of(dst, struct rt6_info, dst);
	back = dst->dev == peer && !(rt->rt6i_flags & (RTF_GATEWAY | RTF_LOCAL)) &&
	       !dst->lwtstate;
	dst_release(dst);
	return back;
}

static bool roce_direct_open(const struct roce_path *p, const struct roce_dev *peer)
{
	u8 pf = p->kind == ROCE_IPV4 ? NFPROTO_IPV4 : NFPROTO_IPV6;

	return ibt_direct_peer() && !roce_is_watched(p->dst->dev, p->beside, pf) &&
	       !roce_tx_is_watched(p->rd) && !roce_tx_is_watched(peer);
}

/**
 * roce_direct_find - does a path end at the other end of a veth pair?
 * @p: path of version 2, with its dst, which leads to no address of this namespace; @p->beside
 *	and what belongs to it are set if it does
 * @dev: interface that it leaves by
 *
 * Context: any but hard interrupt; RCU reader.
 */
void roce_direct_find(struct roce_path *p, struct net_device *dev)
{
	struct net_device *peer = roce_veth_peer(dev);
	struct roce_dev *rd = peer ? roce_at(peer) : NULL;

	/* A route may encapsulate. */
	if (!rd || p->dst->lwtstate || !roce_ndev_up(peer) || READ_ONCE(peer->mtu) < READ_ONCE(dev->mtu) ||
	    !roce_gid_is_ours(rd, &p->dgid) || !roce_listens(dev_net(peer)))
		return;
	p->beside = peer;
	p->routes = roce_direct_routes(p);
	if (p->kind == ROCE_IPV4 ? !roce_back_ipv4(p, peer) : !roce_back_ipv6(p, peer)) {
		p->beside = NULL;
		return;
	}
	p->path.direct = roce_direct_open(p, rd);
	if (p->path.direct)
		p->path.local = rd->port;
}

/**
 * roce_direct_as_found - is that still so?
 * @p: path of version 2, of which @p->generation is the current one
 *
 * No interface has gone since @p was resolved, or the generation would be another.
 *
 * Context: RCU reader.
 */
bool roce_direct_as_found(const struct roce_path *p)
{
	struct roce_dev *rd;

	if (likely(!p->beside))
		return true;
	if (!ibt_direct_peer())
		return !p->path.direct;
	rd = roce_at(p->beside);
	return rd && roce_direct_routes(p) == p->routes &&
	       roce_direct_open(p, rd) == p->path.direct;
}
