// SPDX-License-Identifier: GPL-2.0
/*
 * Routes of packets that come in.
 *
 * For each packet the network stack looks up where it goes on: to this host, mostly.
 * For TCP, and for UDP sockets with one peer, it does so once and keeps the answer with
 * the socket (sysctl ip_early_demux). The socket of port 4791 has no such peer, so the
 * answers are kept here, by the two addresses and the interface. A hook behind all of
 * prerouting gives them to the next packets; what follows, filters for what this host
 * receives among it, is as without. What is unusual about a packet has it looked up.
 *
 * Rules of policy routing may ask for more than addresses and interface: for the class of
 * traffic, which answers are kept by, too; for marks, which a usual packet has none of;
 * for ports, and where one does, each packet is looked up. So it is without the sysctl.
 * Packets of a VRF come by here twice: as the interface's, and with the VRF as interface;
 * their ways are kept as those of the VRF.
 */
#include <linux/hash.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/jiffies.h>
#include <linux/netfilter.h>
#include <linux/netfilter_ipv4.h>
#include <linux/netfilter_ipv6.h>
#include <linux/slab.h>
#include <linux/udp.h>
#include <net/dsfield.h>
#include <net/inet_ecn.h>
#include <net/ip.h>
#include <net/ip6_fib.h>
#include <net/route.h>
#include <rdma/ib_verbs.h>

#include "in_route.h"
#include "net.h"

/* So that peers who invent addresses make no more of them than this lets. */
#define LEAST_LIFE	(HZ / 10)

/* Packets of one kind. */
struct in_pair {
	struct in6_addr from;
	struct in6_addr to;
	int iif;
	u8 dsfield;
};

/**
 * struct roce_in_route - an answer
 * @pair: to what
 * @dst: referenced
 * @cookie: to ask whether @dst is good still
 * @since: jiffies
 * @rcu: frees
 */
struct roce_in_route {
	struct in_pair pair;
	struct dst_entry *dst;
	u32 cookie;
	unsigned long since;
	struct rcu_head rcu;
};

static void in_route_free(struct roce_in_route *route)
{
	/* Who found it without a reference has until the end of his RCU section. */
	dst_release(route->dst);
	kfree_rcu(route, rcu);
}

static struct roce_in_route __rcu **slot_of(struct net *net,
					    const struct in_pair *pair)
{
	u32 sum = (__force u32)(pair->from.s6_addr32[3] ^
				pair->to.s6_addr32[3]) + pair->iif;

	return &roce_in_routes(net)->slots[hash_32(sum, ROCE_IN_ROUTE_BITS)];
}

static bool same_pair(const struct in_pair *a, const struct in_pair *b)
{
	return a->iif == b->iif && a->dsfield == b->dsfield &&
	       ipv6_addr_equal(&a->from, &b->from) &&
	       ipv6_addr_equal(&a->to, &b->to);
}

static void pair_ipv4(struct in_pair *pair, const struct sk_buff *skb,
		      const struct nf_hook_state *state)
{
	const struct iphdr *ip = ip_hdr(skb);

	ipv6_addr_set_v4mapped(ip->saddr, &pair->from);
	ipv6_addr_set_v4mapped(ip->daddr, &pair->to);
	pair->iif = state->in->ifindex;
	pair->dsfield = ipv4_get_dsfield(ip) & ~INET_ECN_MASK;
}

static void pair_ipv6(struct in_pair *pair, const struct sk_buff *skb,
		      const struct nf_hook_state *state)
{
	const struct ipv6hdr *ip = ipv6_hdr(skb);

	pair->from = ip->saddr;
	pair->to = ip->daddr;
	pair->iif = state->in->ifindex;
	pair->dsfield = ipv6_get_dsfield(ip) & ~INET_ECN_MASK;
}

/* ---- to learn --------------------------------------------------------------------- */

static struct roce_in_route *in_route_new(const struct in_pair *pair,
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

static void keep(struct net *net, const struct in_pair *pair,
		 struct dst_entry *dst, u32 cookie)
{
	struct roce_in_route __rcu **slot = slot_of(net, pair);
	struct roce_in_route *old = rcu_dereference(*slot), *route;

	if (old && dst == old->dst && same_pair(pair, &old->pair))
		return;
	if (old && time_before(jiffies, old->since + LEAST_LIFE))
		return;
	route = in_route_new(pair, dst, cookie);
	if (!route)
		return;
	if (unrcu_pointer(cmpxchg(slot, RCU_INITIALIZER(old),
				  RCU_INITIALIZER(route))) != old)
		old = route;
	if (old)
		in_route_free(old);
}

/**
 * roce_in_route_learn - what the stack has found for a packet of port 4791
 * @skb: packet, as it is where the host's own are filtered; it is usual
 * @state: of the hook
 *
 * Context: softirqs disabled, RCU.
 */
void roce_in_route_learn(const struct sk_buff *skb,
			 const struct nf_hook_state *state)
{
	struct dst_entry *dst = skb_dst(skb);
	struct in_pair pair;

	/* What comes from this host itself has its route with it. */
	if (!dst || skb->mark || state->in->flags & IFF_LOOPBACK)
		return;
	if (skb->protocol == htons(ETH_P_IP)) {
		if (skb_rtable(skb)->rt_type != RTN_LOCAL)
			return;
		pair_ipv4(&pair, skb, state);
		keep(state->net, &pair, dst, 0);
	} else {
		const struct rt6_info *rt = (struct rt6_info *)dst;

		if (!(rt->rt6i_flags & RTF_LOCAL))
			return;
		pair_ipv6(&pair, skb, state);
		keep(state->net, &pair, dst, rt6_get_cookie(rt));
	}
}

/* ---- to give ---------------------------------------------------------------------- */

static bool is_wanted(const struct net *net)
{
	return READ_ONCE(net->ipv4.sysctl_ip_early_demux);
}

/* Some rule of the namespace asks for ports or protocols. */
static bool ports_matter_ipv4(const struct net *net)
{
#ifdef CONFIG_IP_MULTIPLE_TABLES
	return READ_ONCE(net->ipv4.fib_rules_require_fldissect);
#else
	return false;
#endif
}

static bool ports_matter_ipv6(const struct net *net)
{
#ifdef CONFIG_IPV6_MULTIPLE_TABLES
	return READ_ONCE(net->ipv6.fib6_rules_require_fldissect);
#else
	return false;
#endif
}

/*
 * A packet of port 4791 whose way nothing but its addresses and the interface says.
 * @headers: of IP
 */
static bool is_usual(const struct sk_buff *skb, u32 headers)
{
	const struct udphdr *udp;
	struct udphdr room;

	if (skb_dst(skb) || skb->mark || skb->pkt_type != PACKET_HOST ||
	    netif_is_l3_slave(skb->dev))
		return false;
	udp = skb_header_pointer(skb, skb_network_offset(skb) + headers,
				 sizeof(room), &room);
	return udp && udp->dest == htons(ROCE_V2_UDP_DPORT);
}

static void give(struct sk_buff *skb, const struct in_pair *pair,
		 struct net *net)
{
	struct roce_in_route *route = rcu_dereference(*slot_of(net, pair));

	if (route && same_pair(pair, &route->pair) &&
	    dst_check(route->dst, route->cookie))
		skb_dst_set_noref(skb, route->dst);
}

static unsigned int give_ipv4(void *priv, struct sk_buff *skb,
			      const struct nf_hook_state *state)
{
	const struct iphdr *ip = ip_hdr(skb);
	struct in_pair pair;

	if (ip->protocol == IPPROTO_UDP && ip->ihl == sizeof(*ip) / 4 &&
	    !ip_is_fragment(ip) && is_usual(skb, sizeof(*ip)) &&
	    is_wanted(state->net) && !ports_matter_ipv4(state->net)) {
		pair_ipv4(&pair, skb, state);
		give(skb, &pair, state->net);
	}
	return NF_ACCEPT;
}

static unsigned int give_ipv6(void *priv, struct sk_buff *skb,
			      const struct nf_hook_state *state)
{
	struct in_pair pair;

	if (ipv6_hdr(skb)->nexthdr == IPPROTO_UDP &&
	    is_usual(skb, sizeof(struct ipv6hdr)) && is_wanted(state->net) &&
	    !ports_matter_ipv6(state->net)) {
		pair_ipv6(&pair, skb, state);
		give(skb, &pair, state->net);
	}
	return NF_ACCEPT;
}

/* ---- life ------------------------------------------------------------------------- */

static const struct nf_hook_ops in_route_hooks[] = {
	{
		.hook = give_ipv4,
		.pf = NFPROTO_IPV4,
		.hooknum = NF_INET_PRE_ROUTING,
		.priority = NF_IP_PRI_LAST,
	}, {
		.hook = give_ipv6,
		.pf = NFPROTO_IPV6,
		.hooknum = NF_INET_PRE_ROUTING,
		.priority = NF_IP6_PRI_LAST,
	},
};

/**
 * roce_in_routes_open - keep routes in a namespace
 * @net: where port 4791 is ours
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
 * roce_in_routes_close - no more
 * @net: the same
 *
 * Context: process, may sleep.
 */
void roce_in_routes_close(struct net *net)
{
	nf_unregister_net_hooks(net, in_route_hooks,
				ARRAY_SIZE(in_route_hooks));
}

/**
 * roce_in_routes_forget - free all
 * @net: the same; a grace period ago the hooks, and whoever learns, have ended
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
			in_route_free(route);
	}
}
