// SPDX-License-Identifier: GPL-2.0
/*
 * From an address to a MAC: what RoCE address vectors need (IBA vol. 1 annex
 * A17.9), and the address helpers of <rdma/ib_addr.h>.
 */
#include <linux/export.h>
#include <linux/inetdevice.h>
#include <linux/netdevice.h>
#include <linux/wait.h>
#include <compat/ip6_route.h>
#include <net/addrconf.h>
#include <net/arp.h>
#include <net/dst.h>
#include <net/ip6_fib.h>
#include <net/neighbour.h>
#include <net/netevent.h>
#include <net/route.h>
#include <ofed/refuse.h>
#include <rdma/ib.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_verbs.h>

#include "addr.h"

/* Long enough for one ARP retry, short enough for a caller that waits. */
#define RESOLVE_JIFFIES HZ

/* Threads that wait for a neighbour; woken at each change of any neighbour. */
static DECLARE_WAIT_QUEUE_HEAD(neigh_wait);

/**
 * struct l2_path - where a packet goes on Ethernet
 * @net: namespace, referenced
 * @ndev: interface of the source address, referenced
 * @src: source address
 * @dst: destination address
 * @dmac: out: MAC of the next hop
 * @hop_limit: out: as the route says
 */
struct l2_path {
	struct net *net;
	struct net_device *ndev;
	union {
		struct sockaddr sa;
		struct sockaddr_in in;
		struct sockaddr_in6 in6;
	} src, dst;
	u8 dmac[ETH_ALEN];
	int hop_limit;
};

/**
 * rdma_addr_size - length of a socket address by its family
 * @addr: address of family AF_INET, AF_INET6 or AF_IB
 *
 * Context: any. Return: size in bytes, 0 for other families.
 */
int rdma_addr_size(const struct sockaddr *addr)
{
	if (addr->sa_family == AF_IB)
		return sizeof(struct sockaddr_ib);
	if (addr->sa_family == AF_INET6)
		return sizeof(struct sockaddr_in6);
	return addr->sa_family == AF_INET ? sizeof(struct sockaddr_in) : 0;
}
OFED_EXPORT(rdma_addr_size);

static int addr_size_within(const void *addr, int room)
{
	int size = rdma_addr_size(addr);

	return size <= room ? size : 0;
}

/**
 * rdma_addr_size_in6 - the same for an address with room for IPv6 only
 * @addr: the address
 *
 * Context: any. Return: size in bytes, 0 for other families and AF_IB.
 */
int rdma_addr_size_in6(struct sockaddr_in6 *addr)
{
	return addr_size_within(addr, sizeof(*addr));
}
OFED_EXPORT(rdma_addr_size_in6);

/**
 * rdma_addr_size_kss - the same for an address with room for any
 * @addr: the address
 *
 * Context: any. Return: size in bytes, 0 for other families.
 */
int rdma_addr_size_kss(struct __kernel_sockaddr_storage *addr)
{
	return addr_size_within(addr, sizeof(*addr));
}
OFED_EXPORT(rdma_addr_size_kss);

/* The interface that has a local address. Caller is in an RCU section. */
static struct net_device *addr_owner_of_ip_rcu(struct net *net,
					       const struct sockaddr *addr)
{
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)addr;
	const struct sockaddr_in *in = (const struct sockaddr_in *)addr;
	struct net_device *ndev;

	if (addr->sa_family == AF_INET)
		return __ip_dev_find(net, in->sin_addr.s_addr, false);
	if (addr->sa_family != AF_INET6 || !IS_ENABLED(CONFIG_IPV6))
		return NULL;
	for_each_netdev_rcu(net, ndev)
		if (ipv6_chk_addr(net, &in6->sin6_addr, ndev, 1))
			return ndev;
	return NULL;
}

static void addr_fill_source(struct rdma_dev_addr *dev_addr,
			     const struct net_device *ndev)
{
	memset(dev_addr->src_dev_addr, 0, sizeof(dev_addr->src_dev_addr));
	memcpy(dev_addr->src_dev_addr, ndev->dev_addr, ndev->addr_len);
	memcpy(dev_addr->broadcast, ndev->broadcast,
	       sizeof(dev_addr->broadcast));
	dev_addr->dev_type = ndev->type;
	dev_addr->bound_dev_if = ndev->ifindex;
}

/**
 * rdma_translate_ip - hardware address of a local IP address
 * @addr: local address; not read when @dev_addr is bound to an interface
 * @dev_addr: in: net, bound_dev_if; out: src_dev_addr, broadcast, dev_type,
 *	      bound_dev_if
 *
 * Context: any.
 * Return: 0, -ENODEV when the interface bound to is gone, -EADDRNOTAVAIL when
 * no interface has the address.
 */
int rdma_translate_ip(const struct sockaddr *addr,
		      struct rdma_dev_addr *dev_addr)
{
	const struct net_device *ndev;
	int ret = 0;

	rcu_read_lock();
	if (dev_addr->bound_dev_if) {
		ndev = dev_get_by_index_rcu(dev_addr->net,
					    dev_addr->bound_dev_if);
		ret = ndev ? 0 : -ENODEV;
	} else {
		ndev = addr_owner_of_ip_rcu(dev_addr->net, addr);
		ret = ndev ? 0 : -EADDRNOTAVAIL;
	}
	if (ndev)
		addr_fill_source(dev_addr, ndev);
	rcu_read_unlock();
	return ret;
}
OFED_EXPORT(rdma_translate_ip);

static bool addr_neigh_settled(const struct neighbour *neigh)
{
	return READ_ONCE(neigh->nud_state) & (NUD_VALID | NUD_FAILED);
}

/* Contract: addr.h */
bool ofed_addr_neigh_mac(struct neighbour *neigh, void *mac)
{
	bool valid;

	read_lock_bh(&neigh->lock);
	valid = neigh->nud_state & NUD_VALID;
	if (valid)
		memcpy(mac, neigh->ha, neigh->dev->addr_len);
	read_unlock_bh(&neigh->lock);
	return valid;
}

/* @hop is the next hop's address; the route replaces it by its gateway. */
static int addr_resolve_neigh(struct l2_path *path, const struct dst_entry *dst,
			      const void *hop)
{
	struct neighbour *neigh = dst_neigh_lookup(dst, hop);
	char mac[MAX_ADDR_LEN];
	int ret = 0;

	if (!neigh)
		return -EHOSTUNREACH;
	/* Starts a probe where one is due, for a stale entry too. */
	neigh_event_send(neigh, NULL);
	wait_event_timeout(neigh_wait, addr_neigh_settled(neigh), RESOLVE_JIFFIES);
	if (ofed_addr_neigh_mac(neigh, mac))
		memcpy(path->dmac, mac, ETH_ALEN);
	else
		ret = -ETIMEDOUT;
	neigh_release(neigh);
	return ret;
}

/* Two interfaces of one host may talk: the MAC is that of the one meant. */
static int addr_resolve_local(struct l2_path *path)
{
	struct net_device *ndev;

	rcu_read_lock();
	ndev = addr_owner_of_ip_rcu(path->net, &path->dst.sa);
	/* An address of a subnet on lo, such as 127.0.0.2, has no owner. */
	memcpy(path->dmac, (ndev ?: path->ndev)->dev_addr, ETH_ALEN);
	rcu_read_unlock();
	return 0;
}

static int addr_resolve_ipv4(struct l2_path *path, bool routable)
{
	struct flowi4 fl4 = {
		.flowi4_oif = path->ndev->ifindex,
		.saddr = path->src.in.sin_addr.s_addr,
		.daddr = path->dst.in.sin_addr.s_addr,
	};
	struct rtable *rt;
	int ret;

	rt = ip_route_output_key(path->net, &fl4);
	if (IS_ERR(rt))
		return PTR_ERR(rt);
	path->hop_limit = ip4_dst_hoplimit(&rt->dst);
	if (rt->rt_flags & RTCF_LOCAL)
		ret = addr_resolve_local(path);
	else if (rt->rt_uses_gateway && !routable)
		ret = -ENETUNREACH;
	else
		ret = addr_resolve_neigh(path, &rt->dst, &fl4.daddr);
	ip_rt_put(rt);
	return ret;
}

static int addr_resolve_ipv6(struct l2_path *path, bool routable)
{
	struct flowi6 fl6 = {
		.flowi6_oif = path->ndev->ifindex,
		.saddr = path->src.in6.sin6_addr,
		.daddr = path->dst.in6.sin6_addr,
	};
	const struct rt6_info *rt;
	struct dst_entry *dst;
	int ret;

	dst = compat_ip6_dst_lookup_flow(path->net, NULL, &fl6, NULL);
	if (IS_ERR(dst))
		return PTR_ERR(dst);
	rt = container_of(dst, struct rt6_info, dst);
	path->hop_limit = ip6_dst_hoplimit(dst);
	if (rt->rt6i_flags & RTF_LOCAL)
		ret = addr_resolve_local(path);
	else if (rt->rt6i_flags & RTF_GATEWAY && !routable)
		ret = -ENETUNREACH;
	else
		ret = addr_resolve_neigh(path, dst, &fl6.daddr);
	dst_release(dst);
	return ret;
}

/*
 * The interface may go, or move to another namespace, while the neighbour is
 * asked: both are held, and an answer from the old namespace is as good as one
 * that came just before.
 */
static int addr_path_start(struct l2_path *path, const struct ib_gid_attr *sgid_attr,
			   const union ib_gid *dgid)
{
	struct net_device *ndev;
	int ret = 0;

	rcu_read_lock();
	ndev = rdma_read_gid_attr_ndev_rcu(sgid_attr);
	if (IS_ERR(ndev)) {
		ret = PTR_ERR(ndev);
		goto out;
	}
	path->net = maybe_get_net(dev_net(ndev));
	if (!path->net) {
		ret = -ENODEV;
		goto out;
	}
	dev_hold(ndev);
	path->ndev = ndev;
	rdma_gid2ip(&path->src.sa, &sgid_attr->gid);
	rdma_gid2ip(&path->dst.sa, dgid);
out:
	rcu_read_unlock();
	return ret;
}

static void addr_path_end(struct l2_path *path)
{
	dev_put(path->ndev);
	put_net(path->net);
}

static int addr_resolve_by_route(const struct ib_gid_attr *sgid_attr,
				 struct rdma_ah_attr *ah_attr)
{
	bool routable = sgid_attr->gid_type == IB_GID_TYPE_ROCE_UDP_ENCAP;
	struct ib_global_route *grh = rdma_ah_retrieve_grh(ah_attr);
	struct l2_path path;
	int ret;

	ret = addr_path_start(&path, sgid_attr, &grh->dgid);
	if (ret)
		return ret;
	if (path.src.sa.sa_family != path.dst.sa.sa_family)
		ret = ofed_refuse(sgid_attr->device, -EINVAL,
				  "port %u: no route from %pI6c to %pI6c",
				  sgid_attr->port_num, sgid_attr->gid.raw, grh->dgid.raw);
	else if (path.dst.sa.sa_family == AF_INET)
		ret = addr_resolve_ipv4(&path, routable);
	else
		ret = addr_resolve_ipv6(&path, routable);
	if (!ret) {
		memcpy(ah_attr->roce.dmac, path.dmac, ETH_ALEN);
		grh->hop_limit = path.hop_limit;
	}
	addr_path_end(&path);
	return ret;
}

static void addr_multicast_mac(const union ib_gid *gid, u8 *mac)
{
	const struct in6_addr *ip = (const struct in6_addr *)gid->raw;

	if (ipv6_addr_v4mapped(ip))
		ip_eth_mc_map(ip->s6_addr32[3], mac);
	else
		ipv6_eth_mc_map(ip, mac);
}

/*
 * A link-local address made from a MAC contains that MAC, configured or not:
 * default GIDs exist without IPv6. RoCE v1 has no other addresses.
 */
static bool addr_has_mac_inside(const union ib_gid *gid, enum ib_gid_type type)
{
	if (!rdma_link_local_addr((struct in6_addr *)gid->raw))
		return false;
	return type != IB_GID_TYPE_ROCE_UDP_ENCAP ||
	       (gid->raw[11] == 0xff && gid->raw[12] == 0xfe);
}

/* Contract: addr.h */
int ofed_addr_resolve_l2(struct ib_device *device,
			 struct rdma_ah_attr *ah_attr)
{
	const struct ib_global_route *grh = rdma_ah_read_grh(ah_attr);
	const struct ib_gid_attr *sgid_attr = grh->sgid_attr;
	struct in6_addr dgid;

	might_sleep();
	if (!sgid_attr || sgid_attr->device != device ||
	    rdma_is_zero_gid(&grh->dgid))
		return ofed_refuse(device, -EINVAL,
				   "port %u: an address without its GIDs",
				   rdma_ah_get_port_num(ah_attr));
	memcpy(&dgid, grh->dgid.raw, sizeof(dgid));
	if (rdma_is_multicast_addr(&dgid)) {
		addr_multicast_mac(&grh->dgid, ah_attr->roce.dmac);
		return 0;
	}
	if (addr_has_mac_inside(&grh->dgid, sgid_attr->gid_type)) {
		rdma_get_ll_mac(&dgid, ah_attr->roce.dmac);
		return 0;
	}
	return addr_resolve_by_route(sgid_attr, ah_attr);
}

static int addr_on_netevent(struct notifier_block *self, unsigned long event,
			    void *ptr)
{
	/* wait_event() pairs with the barrier of this check. */
	if (event == NETEVENT_NEIGH_UPDATE && wq_has_sleeper(&neigh_wait))
		wake_up_all(&neigh_wait);
	return NOTIFY_DONE;
}

static struct notifier_block netevent_notifier = {
	.notifier_call = addr_on_netevent,
};

/**
 * ofed_addr_init - begin to hear of neighbours
 *
 * Return: 0 or an errno.
 */
int ofed_addr_init(void)
{
	return register_netevent_notifier(&netevent_notifier);
}

/**
 * ofed_addr_exit - stop following neighbours
 *
 * No address is being resolved: no device is left.
 */
void ofed_addr_exit(void)
{
	unregister_netevent_notifier(&netevent_notifier);
}
