/* SPDX-License-Identifier: GPL-2.0 */
/*
 * RoCE: the link of the transport engine over Ethernet interfaces. Version 2 is
 * UDP over IPv4 or IPv6 (annex A17), version 1 an Ethertype (annex A16). A
 * device has one port, on one network device.
 *
 * Locks, outermost first:
 *
 * rtnl
 *	of the network stack; held in notifiers, taken to join groups.
 * roce_lock (mutex, main.c)
 *	guards the list of devices, writers of the table by network device, and
 *	roce_dev.registered, .up, .mtu. Also taken with locks of the core held,
 *	so nothing is waited for with it but memory.
 * roce_sock_lock (mutex, socket.c)
 *	guards the sockets of every namespace, and the notifiers. Also taken with locks of
 *	the core held.
 * roce_dev.gids_lock (spinlock)
 *	writers of the table of GIDs.
 * roce_guest_lock (spinlock, irqsave, guest.c)
 *	paths of namespaces that their device is not in.
 *
 * The data path takes none of them. It finds a device under RCU, in softirq or
 * with softirqs disabled; a device leaves the table, and roce_generation moves
 * on, a grace period before the engine's part of it goes. So what path_valid()
 * said about ibt_path.local holds until softirqs are enabled again.
 */
#ifndef ROCE_H
#define ROCE_H

#include <linux/hashtable.h>
#include <linux/netdevice.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <net/dst.h>
#include <rdma/ib_hdrs.h>
#include <rdma/ib_verbs.h>

#include "../ibt/link.h"
#include "../soft/ident.h"

#define ROCE_GIDS		256
#define ROCE_MAX_MTU		4096
/* What may stand between the link's headers and a payload: BTH, XRCETH, RETH
 * and immediate data; and the ICRC behind it.
 */
#define ROCE_MAX_FRAMING	(IBT_BTH_BYTES + 4 + 16 + 4 + IBT_ICRC_BYTES)

/**
 * struct roce_dev - a device of this link
 * @refs: 1 of the device until roce_reap(), 1 of each path, 1 of @end when queued
 * @dev: of the engine
 * @port: its only one
 * @ib: of the core; a reference is held until roce_reap()
 * @net: namespace of the network device; it waits for the device to go
 * @ndev: network device; NULL from its unregistration on
 * @held: the same; its reference is held until the core has let go of the device,
 *	  which is a child of the network device's parent in sysfs
 * @counted: @net waits for it
 * @listening: has a part in the sockets of @net
 * @tx: owner of the packets that are on their way
 * @write_space: callback that @tx was made with
 * @tx_full: 1: said -EAGAIN, ibt_tx_room() is due
 * @groups: multicast groups joined
 * @joined: the same, struct roce_group (rtnl)
 * @gids: struct roce_gid (RCU)
 * @gids_lock: see above
 * @up: port state that was last announced
 * @mtu: active MTU that was last announced
 * @registered: the core knows it
 * @announced: the log has a line that it came
 * @guid: its node GUID
 * @by_ndev: table by network device
 * @entry: list of devices
 * @end: unregisters it: the network device is gone
 * @reap: what dealloc leaves to a work
 * @rcu: frees
 */
struct roce_dev {
	refcount_t refs;
	struct ibt_dev *dev;
	struct ibt_port *port;
	struct ib_device *ib;
	struct net *net;
	struct net_device __rcu *ndev;
	struct net_device *held;
	bool counted;
	bool listening;
	struct socket *tx;
	void (*write_space)(struct sock *sk);
	unsigned long tx_full;
	atomic_t groups;
	DECLARE_HASHTABLE(joined, 6);
	DECLARE_HASHTABLE(gids, 6);
	spinlock_t gids_lock;
	bool up;
	enum ib_mtu mtu;
	bool registered;
	bool announced;
	struct soft_guid guid;
	struct hlist_node by_ndev;
	struct list_head entry;
	struct work_struct end;
	struct work_struct reap;
	struct rcu_head rcu;
};

enum roce_kind {
	ROCE_ETH,
	ROCE_IPV4,
	ROCE_IPV6,
};

/**
 * struct roce_path - a path of this link
 * @path: of the engine, first
 * @rd: device, referenced
 * @net: namespace of the interface that has the source address; NULL: that namespace is
 *	 gone, and @dst with it (RCU)
 * @in_net: of the paths of @net, where that is not the device's (guest.c)
 * @kind: what its packets look like
 * @generation: of roce_generation when it was found
 * @sgid: GID of this end
 * @dgid: GID of the other
 * @flow_label: of the address; 0: whatever the queue pair likes
 * @tclass: traffic class, or type of service
 * @hop_limit: or time to live
 * @sl: (Ethernet) service level: priority of frames. Version 2 has the traffic class for
 *	that, and programs may have the network header of a completion here (abi.md)
 * @dst: (UDP) route, referenced
 * @cookie: (UDP) to ask whether @dst is good still
 * @ifindex: (Ethernet) interface; it is looked up for each packet, for it must
 *	     not be held by an address that nobody uses
 * @dmac: (Ethernet) destination
 */
struct roce_path {
	struct ibt_path path;
	struct roce_dev *rd;
	struct net __rcu *net;
	struct list_head in_net;
	enum roce_kind kind;
	int generation;
	union ib_gid sgid;
	union ib_gid dgid;
	u32 flow_label;
	u8 tclass;
	u8 hop_limit;
	u8 sl;
	struct dst_entry *dst;
	u32 cookie;
	int ifindex;
	u8 dmac[ETH_ALEN];
};

/**
 * struct roce_guest - a GID of version 2 whose interface is in another namespace than
 *	the device
 * @net: which; NULL: it is gone
 * @in_net: of the guests of @net
 */
struct roce_guest {
	struct net *net;
	struct list_head in_net;
};

static inline struct roce_path *to_roce_path(const struct ibt_path *path)
{
	return container_of(path, struct roce_path, path);
}

static inline struct roce_dev *roce_of_port(const struct ibt_port *port)
{
	return *(struct roce_dev **)ibt_dev_priv(ibt_port_dev(port));
}

static inline __be32 roce_gid_ipv4(const union ib_gid *gid)
{
	return ((const struct in6_addr *)gid)->s6_addr32[3];
}

/* main.c */
extern bool roce_runs;	/* module parameter: skbs of several packets */
extern struct mutex roce_lock;
extern struct list_head roce_devices;
void roce_put(struct roce_dev *rd);
void roce_unregister(struct roce_dev *rd);

/* netdev.c */
/* Moves on when anything about an interface or device does: paths are stale. */
extern atomic_t roce_generation;
static inline void roce_paths_stale(void)
{
	/* First what has changed, then this: pairs with path_describe(). */
	smp_mb__before_atomic();
	atomic_inc(&roce_generation);
}

int roce_attach(struct roce_dev *rd, struct net_device *ndev);
bool roce_publish(struct roce_dev *rd);
void roce_catch_up(struct roce_dev *rd);
void roce_detach(struct roce_dev *rd);
struct roce_dev *roce_at(const struct net_device *ndev);
struct roce_dev *roce_below(struct net_device *ndev);
struct net_device *roce_get_ndev(struct roce_dev *rd);
bool roce_ndev_up(const struct net_device *ndev);
enum ib_mtu roce_ndev_mtu(const struct net_device *ndev);
int roce_netdev_init(void);
void roce_netdev_exit(void);

/* socket.c */
struct roce_in_routes *roce_in_routes(struct net *net);
struct list_head *roce_guest_paths(struct net *net);
bool roce_listens(struct net *net);
int roce_guest_listen(struct net *net, struct roce_guest *guest);
void roce_guest_unlisten(struct roce_guest *guest);
void roce_net_hold(struct roce_dev *rd);
void roce_net_put(struct roce_dev *rd);
int roce_listen(struct roce_dev *rd);
void roce_unlisten(struct roce_dev *rd);
int roce_tx_open(struct roce_dev *rd);
void roce_tx_mute(struct roce_dev *rd);
void roce_tx_close(struct roce_dev *rd);
void roce_tx_charge(struct roce_dev *rd, struct sk_buff *skb);
int roce_tx_state(struct roce_dev *rd);
bool roce_tx_left(const struct roce_dev *rd);
int roce_socket_init(void);
void roce_socket_exit(void);

/* in_route.c */
#define ROCE_IN_ROUTE_BITS	6

/**
 * struct roce_in_routes - routes that packets of a namespace came in by
 * @slots: by their addresses (RCU); replaced with cmpxchg()
 */
struct roce_in_routes {
	struct roce_in_route __rcu *slots[1 << ROCE_IN_ROUTE_BITS];
};

/* runs.c */
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

/* port.c */
extern const struct ib_device_ops roce_ib_ops;
int roce_query_port(struct ibt_port *port, struct ib_port_attr *attr);
enum ib_mtu roce_active_mtu(struct ibt_port *port);

/* group.c */
int roce_mcast_join(struct ibt_port *port, const union ib_gid *gid);
void roce_mcast_leave(struct ibt_port *port, const union ib_gid *gid);
void roce_groups_rejoin(struct roce_dev *rd, struct net_device *ndev);
void roce_groups_forget(struct roce_dev *rd);

/* gids.c */
u32 roce_gid_hash(const union ib_gid *gid);
bool roce_gid_is_ours(struct roce_dev *rd, const union ib_gid *gid);
int roce_add_gid(const struct ib_gid_attr *attr, void **context);
int roce_del_gid(const struct ib_gid_attr *attr, void **context);

/* guest.c */
int roce_guest_add(struct roce_dev *rd, const struct ib_gid_attr *attr,
		   void **context);
void roce_guest_del(void **context);
int roce_guest_keep(struct roce_path *p, struct net *net);
void roce_guest_drop(struct roce_path *p);
void roce_guest_end(struct net *net);

/* route.c */
struct ibt_path *roce_path_resolve(struct ibt_port *port,
				   const struct rdma_ah_attr *attr, gfp_t gfp);
bool roce_path_valid(const struct ibt_path *path);
void roce_path_free(struct ibt_path *path);

/* link_udp.c */
u32 roce_udp_run(const struct roce_path *p, u32 size);
void roce_udp_build(struct sk_buff *skb, const struct roce_path *p, u32 flow,
		    u32 size);
u32 roce_udp_seed(const struct sk_buff *skb, u32 index, u32 length);
void roce_udp_xmit(struct sk_buff *skb, struct roce_path *p);
void roce_udp_meta(const struct roce_path *p, u32 length,
		   struct ibt_rx_meta *meta);
int roce_udp_rcv(struct sock *sk, struct sk_buff *skb);

/* link_eth.c */
void roce_eth_build(struct sk_buff *skb, const struct roce_path *p);
u32 roce_eth_seed(const struct sk_buff *skb);
void roce_eth_xmit(struct sk_buff *skb, struct roce_path *p);
void roce_eth_meta(const struct roce_path *p, u32 length,
		   struct ibt_rx_meta *meta);
void roce_sever(struct sk_buff *skb);
void roce_eth_source(const struct sk_buff *skb, struct ibt_rx_meta *meta);
void roce_eth_init(void);
void roce_eth_exit(void);

#endif /* ROCE_H */
