// SPDX-License-Identifier: GPL-2.0
/*
 * A cache of the routes of received packets.
 *
 * The network stack looks up the route of each packet that it receives. For TCP, and
 * for connected UDP sockets, it caches the dst in the socket (sysctl ip_early_demux).
 * The socket of port 4791 is not connected, so this cache keeps dsts by the addresses,
 * the interface and the traffic class. A hook at the end of PRE_ROUTING attaches the
 * cached dst to a packet; filters of LOCAL_IN see the packet as without the cache. An
 * unusual packet is looked up by the stack.
 *
 * Rules of policy routing may match more than addresses and interface. The traffic class
 * is part of the key. Packets with a mark are not cached. If a rule matches ports, or
 * the sysctl is off, the cache is not used. Packets of a VRF pass the hook twice: first
 * with the slave interface, which is ignored, then with the VRF device, which is part
 * of the key.
 */
#include <linux/hash.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/jiffies.h>
#include <linux/netfilter.h>
#include <linux/netfilter_ipv4.h>
#include <linux/netfilter_ipv6.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/udp.h>
#include <net/dsfield.h>
#include <net/inet_ecn.h>
#include <net/ip.h>
#include <net/ip6_fib.h>
#include <net/route.h>
#include <rdma/ib_verbs.h>

#include "rx_dst.h"
#include "net.h"
#include "watch.h"

/*
 * Lifetime of an entry before another may replace it. It limits the work that a peer
 * can cause with forged source addresses.
 */
#define LEAST_LIFE	(HZ / 10)

/* Key of the cache. */
struct in_pair {
	struct in6_addr from;
	struct in6_addr to;
	int iif;
	u8 dsfield;
};

/**
 * struct roce_in_route - entry of the cache
 * @pair: key
 * @dst: route, referenced
 * @cookie: for dst_check()
 * @since: time of creation in jiffies
 * @rcu: for kfree_rcu()
 */
struct roce_in_route {
	struct in_pair pair;
	struct dst_entry *dst;
	u32 cookie;
	unsigned long since;
	struct rcu_head rcu;
};

/*
 * The latest packet that this processor has given a route of the cache, which it need not learn.
 * Another packet may get the same memory: it is learnt the next time.
 */
static DEFINE_PER_CPU(const struct sk_buff *, roce_in_given);

static void roce_in_route_free(struct roce_in_route *route)
{
	/*
	 * Readers take no reference. The dst is freed a grace period after its last
	 * reference, so a reader may use it until the end of its RCU section.
	 */
	dst_release(route->dst);
	kfree_rcu(route, rcu);
}

/* By the last words of the addresses, and the interface. */
static struct roce_in_route __rcu **roce_slot_of(struct net *net, __be32 from, __be32 to, int iif)
{
	u32 sum = (__force u32)(from ^ to) + iif;

	return &roce_in_routes(net)->slots[hash_32(sum, ROCE_IN_ROUTE_BITS)];
}

static bool roce_same_pair(const struct in_pair *a, const struct in_pair *b)
{
	return a->iif == b->iif && a->dsfield == b->dsfield &&
	       ipv6_addr_equal(&a->from, &b->from) &&
	       ipv6_addr_equal(&a->to, &b->to);
}

static u8 roce_dsfield_ipv6(const struct ipv6hdr *ip)
{
	return ipv6_get_dsfield(ip) & ~INET_ECN_MASK;
}

static void roce_pair_ipv4(struct in_pair *pair, const struct sk_buff *skb,
			   const struct nf_hook_state *state)
{
	const struct iphdr *ip = ip_hdr(skb);

	ipv6_addr_set_v4mapped(ip->saddr, &pair->from);
	ipv6_addr_set_v4mapped(ip->daddr, &pair->to);
	pair->iif = state->in->ifindex;
	pair->dsfield = ipv4_get_dsfield(ip) & ~INET_ECN_MASK;
}

static void roce_pair_ipv6(struct in_pair *pair, const struct sk_buff *skb,
			   const struct nf_hook_state *state)
{
	const struct ipv6hdr *ip = ipv6_hdr(skb);

	pair->from = ip->saddr;
	pair->to = ip->daddr;
	pair->iif = state->in->ifindex;
	pair->dsfield = roce_dsfield_ipv6(ip);
}

/* ---- fill ------------------------------------------------------------------------- */

static struct roce_in_route *roce_in_route_new(const struct in_pair *pair,
					       struct dst_entry *dst, u32 cookie)
{
	struct roce_in_route *route = kmalloc(sizeof(*route),
					      GFP_ATOMIC | __GFP_NOWARN);

	if (!route)
		return NULL;
	if (!dst_hold_safe(dst)) {
		kfree(route);
		return NULL;
	}
	route->pair = *pair;
	route->dst = dst;
	route->cookie = cookie;
	route->since = jiffies;
	return route;
}

static void roce_in_route_keep(struct net *net, const struct in_pair *pair,
			       struct dst_entry *dst, u32 cookie)
{
	struct roce_in_route __rcu **slot = roce_slot_of(net, pair->from.s6_addr32[3],
							 pair->to.s6_addr32[3], pair->iif);
	struct roce_in_route *old = rcu_dereference(*slot), *route;

	if (old && dst == old->dst && roce_same_pair(pair, &old->pair))
		return;
	if (old && time_before(jiffies, old->since + LEAST_LIFE))
		return;
	route = roce_in_route_new(pair, dst, cookie);
	if (!route)
		return;
	if (unrcu_pointer(cmpxchg(slot, RCU_INITIALIZER(old),
				  RCU_INITIALIZER(route))) != old)
		old = route;
	if (old)
		roce_in_route_free(old);
}

/**
 * roce_in_route_learn - cache the route of a packet of port 4791
 * @skb: packet at LOCAL_IN, without IP options or extension headers
 * @state: of the hook
 *
 * Context: softirqs disabled, RCU.
 */
void roce_in_route_learn(const struct sk_buff *skb,
			 const struct nf_hook_state *state)
{
	struct dst_entry *dst = skb_dst(skb);
	struct in_pair pair;

	if (this_cpu_read(roce_in_given) == skb)
		return;
	/* A packet of this host itself comes with its dst. */
	if (!dst || skb->mark || state->in->flags & IFF_LOOPBACK)
		return;
	if (skb->protocol == htons(ETH_P_IP)) {
		if (skb_rtable(skb)->rt_type != RTN_LOCAL)
			return;
		roce_pair_ipv4(&pair, skb, state);
		roce_in_route_keep(state->net, &pair, dst, 0);
	} else {
		const struct rt6_info *rt = (struct rt6_info *)dst;

		if (!(rt->rt6i_flags & RTF_LOCAL))
			return;
		roce_pair_ipv6(&pair, skb, state);
		roce_in_route_keep(state->net, &pair, dst, rt6_get_cookie(rt));
	}
}

/* ---- use -------------------------------------------------------------------------- */

static bool roce_is_wanted(const struct net *net)
{
	return READ_ONCE(net->ipv4.sysctl_ip_early_demux);
}

/* Does a policy rule of the namespace match ports or protocols? */
static bool roce_ports_matter_ipv4(const struct net *net)
{
#ifdef CONFIG_IP_MULTIPLE_TABLES
	return READ_ONCE(net->ipv4.fib_rules_require_fldissect);
#else
	return false;
#endif
}

static bool roce_ports_matter_ipv6(const struct net *net)
{
#ifdef CONFIG_IPV6_MULTIPLE_TABLES
	return READ_ONCE(net->ipv6.fib6_rules_require_fldissect);
#else
	return false;
#endif
}

/*
 * Is it a packet of port 4791 with a route that depends on nothing but the key?
 * @headers: length of the IP header
 */
static bool roce_is_usual(const struct sk_buff *skb, u32 headers)
{
	u32 offset = skb_network_offset(skb) + headers + offsetof(struct udphdr, dest);
	__be16 room;
	const __be16 *port;

	if (skb_dst(skb) || skb->mark || skb->pkt_type != PACKET_HOST ||
	    netif_is_l3_slave(skb->dev))
		return false;
	port = skb_header_pointer(skb, offset, sizeof(room), &room);
	return port && *port == htons(ROCE_V2_UDP_DPORT);
}

static void roce_in_route_give(struct sk_buff *skb, const struct roce_in_route *route)
{
	if (!dst_check(route->dst, route->cookie))
		return;
	skb_dst_set_noref(skb, route->dst);
	this_cpu_write(roce_in_given, skb);
}

unsigned int roce_give_ipv4(void *priv, struct sk_buff *skb,
			    const struct nf_hook_state *state)
{
	const struct iphdr *ip = ip_hdr(skb);
	const struct roce_in_route *route;
	struct in_pair pair;

	if (ip->protocol != IPPROTO_UDP || ip->ihl != sizeof(*ip) / 4 ||
	    ip_is_fragment(ip) || !roce_is_usual(skb, sizeof(*ip)) ||
	    !roce_is_wanted(state->net) || roce_ports_matter_ipv4(state->net))
		return NF_ACCEPT;
	roce_pair_ipv4(&pair, skb, state);
	route = rcu_dereference(*roce_slot_of(state->net, ip->saddr, ip->daddr, pair.iif));
	if (route && roce_same_pair(&pair, &route->pair))
		roce_in_route_give(skb, route);
	return NF_ACCEPT;
}

unsigned int roce_give_ipv6(void *priv, struct sk_buff *skb,
			    const struct nf_hook_state *state)
{
	const struct ipv6hdr *ip = ipv6_hdr(skb);
	const struct roce_in_route *route;
	int iif = state->in->ifindex;

	if (ip->nexthdr != IPPROTO_UDP || !roce_is_usual(skb, sizeof(*ip)) ||
	    !roce_is_wanted(state->net) || roce_ports_matter_ipv6(state->net))
		return NF_ACCEPT;
	route = rcu_dereference(*roce_slot_of(state->net, ip->saddr.s6_addr32[3],
					      ip->daddr.s6_addr32[3], iif));
	/* As roce_same_pair(), without a copy of the addresses. */
	if (likely(route) && route->pair.iif == iif &&
	    route->pair.dsfield == roce_dsfield_ipv6(ip) &&
	    ipv6_addr_equal(&route->pair.from, &ip->saddr) &&
	    ipv6_addr_equal(&route->pair.to, &ip->daddr))
		roce_in_route_give(skb, route);
	return NF_ACCEPT;
}

/* ---- life ------------------------------------------------------------------------- */

static const struct nf_hook_ops in_route_hooks[] = {
	{
		.hook = roce_give_ipv4,
		.pf = NFPROTO_IPV4,
		.hooknum = NF_INET_PRE_ROUTING,
		.priority = NF_IP_PRI_LAST,
	}, {
		.hook = roce_give_ipv6,
		.pf = NFPROTO_IPV6,
		.hooknum = NF_INET_PRE_ROUTING,
		.priority = NF_IP6_PRI_LAST,
	},
};

/**
 * roce_in_routes_open - begin to use the cache in a namespace
 * @net: namespace in which this module has port 4791
 *
 * Context: process, may sleep.
 * Return: 0, or -ENOMEM.
 */
int roce_in_routes_open(struct net *net)
{
	return nf_register_net_hooks(net, in_route_hooks,
				     ARRAY_SIZE(in_route_hooks));
}

/**
 * roce_in_routes_close - stop to use the cache in a namespace
 * @net: the namespace
 *
 * Context: process, may sleep.
 */
void roce_in_routes_close(struct net *net)
{
	nf_unregister_net_hooks(net, in_route_hooks,
				ARRAY_SIZE(in_route_hooks));
}

/**
 * roce_in_routes_forget - free all entries of a namespace
 * @net: the namespace; the hooks are removed, and a grace period has passed since the
 *	 last call of roce_in_route_learn()
 *
 * Context: process.
 */
void roce_in_routes_forget(struct net *net)
{
	struct roce_in_routes *routes = roce_in_routes(net);
	struct roce_in_route *route;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(routes->slots); i++) {
		route = rcu_replace_pointer(routes->slots[i], NULL, true);
		if (route)
			roce_in_route_free(route);
	}
}
