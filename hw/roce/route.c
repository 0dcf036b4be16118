// SPDX-License-Identifier: GPL-2.0
/* Resolves paths: from an address to a dst, or to an interface and a MAC. */
#include <compat/ip6_route.h>
#include <linux/etherdevice.h>
#include <linux/inetdevice.h>
#include <linux/slab.h>
#include <net/addrconf.h>
#include <net/inet_dscp.h>
#include <net/l3mdev.h>
#include <net/lwtunnel.h>
#include <net/route.h>
#include <ofed/refuse.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_cache.h>

#include "dev.h"
#include "direct.h"
#include "guest.h"
#include "icrc_udp.h"
#include "net.h"
#include "netdev.h"
#include "owner.h"
#include "path.h"

static struct in6_addr *roce_ip6_of(const union ib_gid *gid)
{
	return (struct in6_addr *)gid;
}

/* The largest of the specification's MTUs that fits, 0 for none. */
static u32 roce_room_in(u32 mtu, u32 headers)
{
	u32 room = ROCE_MAX_MTU;

	headers += ROCE_MAX_FRAMING;
	while (room && room + headers > mtu)
		room = room > 256 ? room / 2 : 0;
	return room;
}

/*
 * @mtu: MTU of the route. @headers: bytes of it that the link's headers use. The headroom
 * covers those headers and @ndev's, and no more, because unused headroom is cleared, too.
 * A further device below @ndev makes the stack reallocate the head.
 */
static void roce_set_room(struct roce_path *p, const struct net_device *ndev,
			  u32 mtu, u32 headers)
{
	p->path.mtu = roce_room_in(mtu, headers);
	p->path.headroom = LL_RESERVED_SPACE(ndev) + headers;
}

static void roce_ends_here(struct roce_path *p, struct net_device *owner)
{
	struct roce_dev *rd = owner ? roce_below(owner) : NULL;

	p->path.local = rd ? rd->port : NULL;
}

/* ---- version 2 ------------------------------------------------------------------- */

/*
 * What the administrator has said of the route, or the interface has: as roce_tx_open() has it,
 * and not what the stack has learned meanwhile.
 */
static u32 roce_ipv4_mtu(const struct dst_entry *dst)
{
	u32 mtu = READ_ONCE(dst->dev->mtu), most = dst_metric_raw(dst, RTAX_MTU);

	if (most)
		mtu = min(mtu, most);
	return mtu - lwtunnel_headroom(dst->lwtstate, mtu);
}

static int roce_route_ipv4(struct roce_path *p, const struct net_device *ndev)
{
	struct net *net = dev_net(ndev);
	struct flowi4 flow = {
		.daddr = roce_gid_ipv4(&p->dgid),
		.saddr = roce_gid_ipv4(&p->sgid),
		.flowi4_oif = ndev->ifindex,
		COMPAT_FLOWI4_DSCP(inet_dsfield_to_dscp(p->tclass)),
		.flowi4_proto = IPPROTO_UDP,
		.fl4_dport = htons(ROCE_V2_UDP_DPORT),
	};
	struct rtable *rt;

	if (!ipv6_addr_v4mapped(roce_ip6_of(&p->dgid)) || !flow.daddr)
		return -EINVAL;
	rt = ip_route_output_flow(net, &flow, NULL);
	if (IS_ERR(rt))
		return PTR_ERR(rt);
	p->dst = &rt->dst;
	/* RDMA has no broadcast. */
	if (rt->rt_type == RTN_BROADCAST)
		return -EINVAL;
	if (rt->rt_type == RTN_LOCAL)
		roce_ends_here(p, roce_ipv4_owner(net, l3mdev_master_ifindex_rcu(ndev),
						  flow.daddr));
	else if (!rt->rt_uses_gateway)
		roce_direct_find(p, rt->dst.dev);
	if (!p->hop_limit)
		p->hop_limit = ip4_dst_hoplimit(p->dst);
	roce_set_room(p, p->dst->dev, roce_ipv4_mtu(p->dst), sizeof(struct iphdr) +
		      sizeof(struct udphdr));
	p->seed = roce_seed_base_ipv4(roce_gid_ipv4(&p->sgid), roce_gid_ipv4(&p->dgid));
	return 0;
}

static int roce_route_ipv6(struct roce_path *p, const struct net_device *ndev)
{
	struct flowi6 flow = {
		.daddr = *roce_ip6_of(&p->dgid),
		.saddr = *roce_ip6_of(&p->sgid),
		.flowi6_oif = ndev->ifindex,
		.flowlabel = ip6_make_flowinfo(p->tclass, htonl(p->flow_label)),
		.flowi6_proto = IPPROTO_UDP,
		.fl6_dport = htons(ROCE_V2_UDP_DPORT),
	};
	struct dst_entry *dst;
	struct rt6_info *rt;

	if (ipv6_addr_any(&flow.daddr) || ipv6_addr_v4mapped(&flow.daddr))
		return -EINVAL;
	dst = compat_ip6_dst_lookup_flow(dev_net(ndev), NULL, &flow, NULL);
	if (IS_ERR(dst))
		return PTR_ERR(dst);
	p->dst = dst;
	rt = container_of(dst, struct rt6_info, dst);
	p->cookie = rt6_get_cookie(rt);
	/* For a local address: the interface that has it, not the one that routes to it. */
	if (rt->rt6i_flags & RTF_LOCAL && rt->rt6i_idev)
		roce_ends_here(p, rt->rt6i_idev->dev);
	else if (!(rt->rt6i_flags & (RTF_GATEWAY | RTF_LOCAL)))
		roce_direct_find(p, dst->dev);
	if (!p->hop_limit)
		p->hop_limit = ip6_dst_hoplimit(dst);
	roce_set_room(p, dst->dev, dst_mtu(dst), sizeof(struct ipv6hdr) +
		      sizeof(struct udphdr));
	p->seed = roce_seed_base_ipv6(roce_ip6_of(&p->sgid), roce_ip6_of(&p->dgid));
	return 0;
}

/* ---- version 1 ------------------------------------------------------------------- */

static int roce_route_eth(struct roce_path *p, struct net_device *ndev,
			  const u8 *dmac)
{
	p->ifindex = ndev->ifindex;
	ether_addr_copy(p->dmac, dmac);
	if (rdma_is_multicast_addr(roce_ip6_of(&p->dgid)))
		rdma_get_mcast_mac(roce_ip6_of(&p->dgid), p->dmac);
	if (is_zero_ether_addr(p->dmac) && !(ndev->flags & IFF_LOOPBACK))
		return -EHOSTUNREACH;
	if (ether_addr_equal(p->dmac, ndev->dev_addr))
		roce_ends_here(p, ndev);
	if (!p->hop_limit)
		p->hop_limit = 1;
	roce_set_room(p, ndev, READ_ONCE(ndev->mtu), sizeof(struct ib_grh));
	return 0;
}

/* ---- ops -------------------------------------------------------------------------- */

/*
 * The entry of the GID table that a path begins at. An address that was removed and added again
 * has a new entry, and its connections go on, as those of TCP do. The old entry has no interface.
 *
 * Context: any but with interrupts disabled.
 * Return: an entry, with a reference.
 */
static const struct ib_gid_attr *roce_source(const struct rdma_ah_attr *attr)
{
	const struct ib_gid_attr *sgid = rdma_ah_read_grh(attr)->sgid_attr, *now = NULL;

	if (unlikely(!rcu_access_pointer(sgid->ndev)))
		now = rdma_find_gid_by_port(sgid->device, &sgid->gid, sgid->gid_type,
					    sgid->port_num, NULL);
	if (!IS_ERR_OR_NULL(now))
		return now;
	rdma_hold_gid_attr(sgid);
	return sgid;
}

static void roce_path_describe(struct roce_path *p, struct roce_dev *rd,
			       const struct rdma_ah_attr *attr)
{
	const struct ib_global_route *grh = rdma_ah_read_grh(attr);

	INIT_LIST_HEAD(&p->in_net);
	refcount_set(&p->path.refs, 1);
	p->path.port = rd->port;
	refcount_inc(&rd->refs);
	p->rd = rd;
	/* Read before all else, so that a change during the resolution is noticed. */
	p->generation = atomic_read_acquire(&roce_generation);
	p->sgid = grh->sgid_attr->gid;
	p->path.sgid = &p->sgid;
	p->dgid = grh->dgid;
	p->flow_label = grh->flow_label & IB_GRH_FLOWLABEL_MASK;
	p->tclass = grh->traffic_class;
	p->hop_limit = grh->hop_limit;
	p->sl = rdma_ah_get_sl(attr);
}

/*
 * A response could not be received if another socket has port 4791 in the namespace of
 * the source address, so no request is sent either.
 *
 * Context: any; RCU reader.
 * Return: 0, or -EADDRINUSE.
 */
static int roce_check_source(const struct ib_gid_attr *sgid)
{
	struct net_device *ndev;

	if (sgid->gid_type != IB_GID_TYPE_ROCE_UDP_ENCAP)
		return 0;
	ndev = rdma_read_gid_attr_ndev_rcu(sgid);
	return IS_ERR(ndev) || roce_listens(dev_net(ndev)) ? 0 : -EADDRINUSE;
}

/* Resolves in the namespace of the GID's interface, which may not be the device's. */
static int roce_path_find(struct roce_path *p, const struct rdma_ah_attr *attr,
			  const struct ib_gid_attr *sgid)
{
	struct net_device *ndev = rdma_read_gid_attr_ndev_rcu(sgid);
	int ret;

	if (IS_ERR(ndev))
		return -ENETUNREACH;
	ret = roce_guest_keep(p, dev_net(ndev));
	if (ret)
		return ret;
	switch (rdma_gid_attr_network_type(sgid)) {
	case RDMA_NETWORK_ROCE_V1:
		p->kind = ROCE_ETH;
		return roce_route_eth(p, ndev, attr->roce.dmac);
	case RDMA_NETWORK_IPV4:
		p->kind = ROCE_IPV4;
		return roce_route_ipv4(p, ndev);
	case RDMA_NETWORK_IPV6:
		p->kind = ROCE_IPV6;
		return roce_route_ipv6(p, ndev);
	default:
		return -EINVAL;
	}
}

static struct ibt_path *roce_path_from(struct ibt_port *port, const struct rdma_ah_attr *attr,
				       const struct ib_gid_attr *sgid, gfp_t gfp)
{
	struct roce_path *p;
	int ret;

	p = kzalloc(sizeof(*p), gfp);
	if (!p)
		return ERR_PTR(-ENOMEM);
	roce_path_describe(p, roce_of_port(port), attr);
	rcu_read_lock();
	ret = roce_check_source(sgid) ?: roce_path_find(p, attr, sgid);
	rcu_read_unlock();
	if (!ret)
		return &p->path;
	roce_path_free(&p->path);
	return ERR_PTR(ret);
}

/*
 * The route lookup takes locks that disable softirqs only, so it must not run with
 * interrupts disabled. -EAGAIN: the caller must retry with interrupts enabled.
 */
struct ibt_path *roce_path_resolve(struct ibt_port *port,
				   const struct rdma_ah_attr *attr, gfp_t gfp)
{
	const struct ib_gid_attr *sgid;
	struct ibt_path *path;
	int ret;

	if (attr->type != RDMA_AH_ATTR_TYPE_ROCE ||
	    !(rdma_ah_get_ah_flags(attr) & IB_AH_GRH) ||
	    !rdma_ah_read_grh(attr)->sgid_attr)
		return ofed_refuse(ibt_dev_ib(ibt_port_dev(port)), ERR_PTR(-EINVAL),
				   "address: RoCE needs a GRH with a GID of this port");
	if (irqs_disabled()) {
		rcu_read_lock();
		ret = roce_check_source(rdma_ah_read_grh(attr)->sgid_attr);
		rcu_read_unlock();
		return ERR_PTR(ret ?: -EAGAIN);
	}
	sgid = roce_source(attr);
	path = roce_path_from(port, attr, sgid, gfp);
	rdma_put_gid_attr(sgid);
	return path;
}

bool roce_path_valid(const struct ibt_path *path)
{
	const struct roce_path *p = to_roce_path(path);
	bool valid;

	rcu_read_lock();
	/* An interface goes a grace period after this has changed. */
	valid = p->generation == atomic_read(&roce_generation) &&
		rcu_access_pointer(p->net) &&
		(p->kind == ROCE_ETH || (dst_check(p->dst, p->cookie) &&
					 roce_direct_as_found(p)));
	rcu_read_unlock();
	return valid;
}

void roce_path_free(struct ibt_path *path)
{
	struct roce_path *p = to_roce_path(path);

	roce_guest_drop(p);
	roce_put(p->rd);
	kfree(p);
}
