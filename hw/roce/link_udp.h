/* SPDX-License-Identifier: GPL-2.0 */
/* RoCE version 2: UDP over IPv4 and IPv6. */
#ifndef ROCE_LINK_UDP_H
#define ROCE_LINK_UDP_H

#include <linux/skbuff.h>

struct ibt_rx_meta;
struct roce_path;
struct sock;

u32 roce_udp_run(const struct roce_path *p, u32 size);
void roce_udp_build(struct sk_buff *skb, const struct roce_path *p, u32 flow,
		    u32 size);
void roce_udp_xmit(struct sk_buff *skb, struct roce_path *p);
void roce_udp_meta(const struct roce_path *p, u32 length,
		   struct ibt_rx_meta *meta);
int roce_udp_rcv(struct sock *sk, struct sk_buff *skb);

#endif /* ROCE_LINK_UDP_H */
