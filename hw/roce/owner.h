/* SPDX-License-Identifier: GPL-2.0 */
/* Which interface has an address of this host. */
#ifndef ROCE_OWNER_H
#define ROCE_OWNER_H

#include <linux/in6.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>

struct net_device *roce_ipv4_owner(struct net *net, int vrf, __be32 addr);
struct net_device *roce_owner_of(const struct sk_buff *skb);
struct net_device *roce_came_by(const struct sk_buff *skb);

#endif /* ROCE_OWNER_H */
