/* SPDX-License-Identifier: GPL-2.0 */
/*
 * netlink: NETLINK_RDMA, one kernel socket per network namespace, for which the
 * folders above register their clients. It may use the folders below it: device.
 */
#ifndef OFED_CORE_NETLINK_H
#define OFED_CORE_NETLINK_H

#include <net/net_namespace.h>
#include <rdma/rdma_netlink.h>

/* Called from the pernet operations of netns_move.c. */
int ofed_nl_net_init(struct net *net);
void ofed_nl_net_exit(struct net *net);

/* The NLDEV client. */
int ofed_nldev_init(void);
void ofed_nldev_exit(void);

#endif /* OFED_CORE_NETLINK_H */
