/* SPDX-License-Identifier: GPL-2.0 */
/* Routes of IPv6. Not part of compat.h: it includes headers of the network. */
#ifndef OFED_COMPAT_IP6_ROUTE_H
#define OFED_COMPAT_IP6_ROUTE_H

#include <net/ip6_route.h>
#include <net/ipv6.h>

/*
 * Where IPv6 may be a module its functions are called by a table; 7.3 has it built in.
 * Drop with 6.12.
 */
#ifdef COMPAT_HAVE_IPV6_STUBS
#include <net/ipv6_stubs.h>

static inline struct dst_entry *
compat_ip6_dst_lookup_flow(struct net *net, const struct sock *sk,
			   struct flowi6 *flow, const struct in6_addr *final)
{
	return ipv6_stub->ipv6_dst_lookup_flow(net, sk, flow, final);
}
#else
static inline struct dst_entry *
compat_ip6_dst_lookup_flow(struct net *net, const struct sock *sk,
			   struct flowi6 *flow, const struct in6_addr *final)
{
	return ip6_dst_lookup_flow(net, sk, flow, final);
}
#endif

#endif /* OFED_COMPAT_IP6_ROUTE_H */
