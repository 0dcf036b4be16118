/* SPDX-License-Identifier: GPL-2.0 */
/* What each namespace has. */
#ifndef ROCE_NET_H
#define ROCE_NET_H

#include <net/net_namespace.h>
#include <net/netns/generic.h>

#include "in_route.h"

struct roce_dev;

/**
 * struct roce_net - what a namespace has
 * @users: devices, from before their first use of it until after the last
 * @listeners: those of them that receive, and guests
 * @open: the sockets are there; they may not be while another has the port, where
 *	  there are guests alone. Read without the lock
 * @ipv4: socket at port 4791
 * @ipv6: the same; NULL on a kernel without IPv6
 * @guests: struct roce_guest
 * @guest_paths: struct roce_path; see guest_path.c
 * @in_routes: of packets that came in
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

/* Does what is sent to an address of this namespace find us? Any context. */
static inline bool roce_listens(struct net *net)
{
	return READ_ONCE(roce_net_of(net)->open);
}

void roce_net_hold(struct roce_dev *rd);
void roce_net_put(struct roce_dev *rd);
void roce_net_wait(struct net *net);

#endif /* ROCE_NET_H */
