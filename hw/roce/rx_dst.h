/* SPDX-License-Identifier: GPL-2.0 */
/* Hooks for received packets of port 4791: cached routes, and GSO skbs. */
#ifndef ROCE_RX_DST_H
#define ROCE_RX_DST_H

#include <linux/rcupdate.h>
#include <linux/skbuff.h>

struct net;
struct roce_in_route;

#define ROCE_IN_ROUTE_BITS	6

/**
 * struct roce_in_routes - cached routes of received packets of a namespace
 * @slots: entries by the hash of addresses and interface (RCU); replaced with
 *	   cmpxchg()
 */
struct roce_in_routes {
	struct roce_in_route __rcu *slots[1 << ROCE_IN_ROUTE_BITS];
};

#if IS_ENABLED(CONFIG_NETFILTER)
struct nf_hook_state;

int roce_in_routes_open(struct net *net);
void roce_in_routes_close(struct net *net);
void roce_in_routes_forget(struct net *net);
void roce_in_route_learn(const struct sk_buff *skb,
			 const struct nf_hook_state *state);
int roce_runs_open(struct net *net);
void roce_runs_close(struct net *net);
#else
static inline int roce_in_routes_open(struct net *net)
{
	return 0;
}

static inline void roce_in_routes_close(struct net *net)
{
}

static inline void roce_in_routes_forget(struct net *net)
{
}

static inline int roce_runs_open(struct net *net)
{
	return 0;
}

static inline void roce_runs_close(struct net *net)
{
}
#endif

#endif /* ROCE_RX_DST_H */
