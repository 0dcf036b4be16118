/* SPDX-License-Identifier: GPL-2.0 */
/* State of each namespace. */
#ifndef ROCE_NET_H
#define ROCE_NET_H

#include <net/net_namespace.h>
#include <net/netns/generic.h>

#include "rx_dst.h"

struct roce_dev;

/**
 * struct roce_net - state of a namespace
 * @users: number of devices that use the namespace; its exit waits for 0
 * @listeners: number of devices that receive, and of guests
 * @open: the sockets exist. They may not while another socket has the port and all
 *	  listeners are guests. Read without the lock
 * @ipv4: socket at port 4791
 * @ipv6: socket at port 4791; NULL on a kernel without IPv6
 * @guests: list of struct roce_guest
 * @guest_paths: list of struct roce_path, under the lock of guest_path.c
 * @in_routes: cached routes of received packets
 */
struct roce_net {
	atomic_t users;
	unsigned int listeners;
	bool open;
	struct socket *ipv4;
	struct socket *ipv6;
	struct list_head guests;
	struct list_head guest_paths;
	struct roce_in_routes in_routes;
};

extern unsigned int roce_net_id;

static inline struct roce_net *roce_net_of(struct net *net)
{
	return net_generic(net, roce_net_id);
}

static inline struct roce_in_routes *roce_in_routes(struct net *net)
{
	return &roce_net_of(net)->in_routes;
}

static inline struct list_head *roce_guest_paths(struct net *net)
{
	return &roce_net_of(net)->guest_paths;
}

/* Does this module receive packets to addresses of the namespace? Any context. */
static inline bool roce_listens(struct net *net)
{
	return READ_ONCE(roce_net_of(net)->open);
}

void roce_net_hold(struct roce_dev *rd);
void roce_net_put(struct roce_dev *rd);
void roce_net_wait(struct net *net);

#endif /* ROCE_NET_H */
