/* SPDX-License-Identifier: GPL-2.0 */
/* Paths: an address resolved to a dst, or to an interface and a MAC. */
#ifndef ROCE_PATH_H
#define ROCE_PATH_H

#include <linux/in6.h>
#include <net/dst.h>
#include <net/net_namespace.h>
#include <rdma/ib_hdrs.h>

#include "../ibt/link.h"

struct roce_dev;

#define ROCE_MAX_MTU		4096
/*
 * Largest length between the link's headers and a payload: BTH, XRCETH, RETH and
 * immediate data, and the ICRC behind the payload.
 */
#define ROCE_MAX_FRAMING	(IBT_BTH_BYTES + 4 + 16 + 4 + IBT_ICRC_BYTES)

enum roce_kind {
	ROCE_ETH,
	ROCE_IPV4,
	ROCE_IPV6,
};

/**
 * struct roce_path - a path of this link
 * @path: the engine's part, first
 * @rd: device, referenced
 * @net: namespace of the interface that has the source address; NULL: that namespace is
 *	 gone, and @dst with it (RCU)
 * @in_net: entry of the paths of @net, if that is not the device's (guest_path.c)
 * @kind: packet format
 * @generation: value of roce_generation when the path was resolved
 * @seed: (UDP) ICRC of the headers of its packets, but for what differs (icrc_udp.c)
 * @sgid: source GID
 * @dgid: destination GID
 * @flow_label: of the address; 0: the queue pair chooses
 * @tclass: traffic class, or type of service
 * @hop_limit: hop limit, or time to live
 * @sl: (Ethernet) service level: priority of frames. Version 2 has the traffic class for
 *	that, and programs may have the network header of a completion here (abi.md)
 * @dst: (UDP) route, referenced
 * @cookie: (UDP) for dst_check()
 * @beside: (UDP) the other end of the veth pair that the path ends at (direct.c), or NULL. Not
 *	    referenced: it is there as long as @generation is the current one (RCU)
 * @routes: (@beside) what the routes of its namespace were known by
 * @ifindex: (Ethernet) interface; each packet looks it up, because an idle address
 *	     must not hold a reference on it
 * @dmac: (Ethernet) destination MAC
 */
struct roce_path {
	struct ibt_path path;
	struct roce_dev *rd;
	struct net __rcu *net;
	struct list_head in_net;
	enum roce_kind kind;
	int generation;
	u32 seed;
	union ib_gid sgid;
	union ib_gid dgid;
	u32 flow_label;
	u8 tclass;
	u8 hop_limit;
	u8 sl;
	struct dst_entry *dst;
	u32 cookie;
	struct net_device *beside;
	u32 routes;
	int ifindex;
	u8 dmac[ETH_ALEN];
};

static inline struct roce_path *to_roce_path(const struct ibt_path *path)
{
	return container_of(path, struct roce_path, path);
}

static inline __be32 roce_gid_ipv4(const union ib_gid *gid)
{
	return ((const struct in6_addr *)gid)->s6_addr32[3];
}

struct ibt_path *roce_path_resolve(struct ibt_port *port,
				   const struct rdma_ah_attr *attr, gfp_t gfp);
bool roce_path_valid(const struct ibt_path *path);
void roce_path_free(struct ibt_path *path);

#endif /* ROCE_PATH_H */
