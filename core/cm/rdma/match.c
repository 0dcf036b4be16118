// SPDX-License-Identifier: GPL-2.0
/* rdma_cm: finds the listener of a request, and checks how it arrived. */
#include <kunit/visibility.h>
#include <linux/inetdevice.h>
#include <linux/netdevice.h>
#include <net/ip6_fib.h>
#include <net/ip6_route.h>
#include <net/ip_fib.h>

#include "cma.h"

enum {
	NO_MATCH = 0,
	MATCH_OTHER_FAMILY,
	MATCH_ANY,
	MATCH_EXACT,
};

/**
 * cma_match_address - does an id listen for an address?
 * @bound: local address of the id
 * @afonly: it does not listen for the other IP family
 * @local: address that the peer asks for
 * @remote: address of the peer
 *
 * A loopback address listens for peers on this host alone. Pure.
 * Return: 0 if not, a larger number for a better match.
 */
int cma_match_address(const struct sockaddr *bound, bool afonly,
		      const struct sockaddr *local,
		      const struct sockaddr *remote)
{
	bool same_family = bound->sa_family == local->sa_family;

	/* That the service id matches is known. */
	if (bound->sa_family == AF_IB || local->sa_family == AF_IB)
		return same_family ? MATCH_ANY : NO_MATCH;
	if (cma_is_loopback(bound))
		return same_family && (cma_is_loopback(remote) ||
				       cma_same_address(local, remote)) ?
		       MATCH_ANY : NO_MATCH;
	if (!cma_is_zero(bound))
		return cma_same_address(bound, local) ? MATCH_EXACT : NO_MATCH;
	if (same_family)
		return MATCH_ANY;
	/* As with sockets, IPv6 takes IPv4 along, and not the other way. */
	return bound->sa_family == AF_INET6 && !afonly ? MATCH_OTHER_FAMILY :
							 NO_MATCH;
}
EXPORT_SYMBOL_IF_KUNIT(cma_match_address);

static bool cma_ipv4_leads_back(struct net_device *ndev, __be32 local,
				__be32 remote)
{
	struct flowi4 fl4 = {
		.flowi4_iif = ndev->ifindex,
		.saddr = local,
		.daddr = remote,
	};
	struct fib_result res;

	if (ipv4_is_multicast(local) || ipv4_is_lbcast(local) ||
	    ipv4_is_zeronet(local) || ipv4_is_loopback(local) ||
	    ipv4_is_multicast(remote) || ipv4_is_lbcast(remote) ||
	    ipv4_is_zeronet(remote) || ipv4_is_loopback(remote))
		return false;
	return !fib_lookup(dev_net(ndev), &fl4, &res, 0) &&
	       (FIB_RES_DEV(res) == ndev ||
		/* Of another local interface: accept_local decides. */
		(res.type == RTN_LOCAL && __in_dev_get_rcu(ndev) &&
		 IN_DEV_ACCEPT_LOCAL(__in_dev_get_rcu(ndev))));
}

static bool cma_ipv6_leads_back(struct net_device *ndev,
				const struct in6_addr *local,
				const struct in6_addr *remote)
{
	int strict = ipv6_addr_type(local) & IPV6_ADDR_LINKLOCAL ?
		     RT6_LOOKUP_F_IFACE : 0;
	struct rt6_info *rt;
	bool ret;

	if (!IS_ENABLED(CONFIG_IPV6) || !ipv6_mod_enabled() ||
	    ipv6_addr_is_multicast(local) || ipv6_addr_is_multicast(remote))
		return false;
	rt = rt6_lookup(dev_net(ndev), remote, local, ndev->ifindex, NULL,
			strict);
	if (!rt)
		return false;
	ret = rt->rt6i_idev && rt->rt6i_idev->dev == ndev;
	ip6_rt_put(rt);
	return ret;
}

/*
 * Would an answer leave by the interface that a request came in on? Also false
 * for addresses such as hosts can not have; that @remote is the peer's, only the
 * peer says. An interface that is seen to be up is in its namespace, and that is
 * there, until the RCU section ends.
 */
static bool cma_route_leads_back(struct net_device *ndev,
				 const struct sockaddr *local,
				 const struct sockaddr *remote)
{
	const struct sockaddr_in6 *l6 = (const struct sockaddr_in6 *)local;
	const struct sockaddr_in6 *r6 = (const struct sockaddr_in6 *)remote;
	const struct sockaddr_in *l4 = (const struct sockaddr_in *)local;
	const struct sockaddr_in *r4 = (const struct sockaddr_in *)remote;

	RCU_LOCKDEP_WARN(!rcu_read_lock_held(), "namespace of an interface");
	if (!(READ_ONCE(ndev->flags) & IFF_UP) ||
	    local->sa_family != remote->sa_family)
		return false;
	if (local->sa_family == AF_INET)
		return cma_ipv4_leads_back(ndev, l4->sin_addr.s_addr,
					   r4->sin_addr.s_addr);
	return local->sa_family == AF_INET6 &&
	       cma_ipv6_leads_back(ndev, &l6->sin6_addr, &r6->sin6_addr);
}

static bool cma_right_place(struct cma_id *id, const struct cma_request *req)
{
	int bound_if = cma_l2(id)->bound_dev_if;

	if (id->cdev && id->cdev->device != req->device)
		return false;
	if (!rdma_dev_access_netns(req->device, cma_net(id)))
		return false;
	if (req->ndev)
		return !bound_if || bound_if == req->ifindex;
	return !id->pub.port_num || id->pub.port_num == req->port;
}

static int cma_match(struct cma_id *id, const struct cma_request *req)
{
	if (cma_state_of(id) != CMA_S_LISTEN || !cma_right_place(id, req))
		return NO_MATCH;
	return cma_match_address(cma_src(id), id->afonly,
				 (const struct sockaddr *)&req->local,
				 (const struct sockaddr *)&req->remote);
}

static struct cma_id *cma_best_match(struct net *net,
				     const struct cma_request *req)
{
	struct cma_id *id, *found = NULL;
	struct hlist_head *owners;
	int best = NO_MATCH;

	owners = cma_port_owners_locked(net,
					cma_space_of_service(req->service_id),
					cma_port_of_service(req->service_id));
	if (owners)
		hlist_for_each_entry(id, owners, on_port)
			if (cma_match(id, req) > best) {
				best = cma_match(id, req);
				found = id;
			}
	return found;
}

/* Return: the namespace that a request is in, or NULL if it may not be. */
static struct net *cma_net_of_request_rcu(const struct cma_request *req)
{
	if (!req->ndev)
		return &init_net;
	if (req->ndev->ifindex != req->ifindex ||
	    !cma_route_leads_back(req->ndev, (const struct sockaddr *)&req->local,
				  (const struct sockaddr *)&req->remote))
		return NULL;
	return dev_net(req->ndev);
}

/**
 * cma_find_listener - find the id that a request is for
 * @req: request
 *
 * The route and the listener are looked for in one RCU section, so that both are
 * of one namespace. Context: process, may sleep.
 * Return: the id with a reference; or ERR_PTR: -EHOSTUNREACH (an answer would
 * not leave by the interface, or that is down, as it is when it changes its
 * namespace), -ECONNREFUSED (there is no listener).
 */
struct cma_id *cma_find_listener(const struct cma_request *req)
{
	struct cma_id *found = ERR_PTR(-EHOSTUNREACH);
	struct net *net;

	mutex_lock(&cma_mutex);
	rcu_read_lock();
	net = cma_net_of_request_rcu(req);
	if (net) {
		found = cma_best_match(net, req);
		if (found)
			cma_id_get(found);
		else
			found = ERR_PTR(-ECONNREFUSED);
	}
	rcu_read_unlock();
	mutex_unlock(&cma_mutex);
	return found;
}
