/* SPDX-License-Identifier: GPL-2.0 */
/* What the ICRC of a packet of version 2 begins with: its IP and UDP headers. */
#ifndef ROCE_ICRC_UDP_H
#define ROCE_ICRC_UDP_H

#include <linux/in6.h>
#include <linux/skbuff.h>

void roce_icrc_udp_init(void);
u32 roce_seed_base_ipv4(__be32 saddr, __be32 daddr);
u32 roce_seed_base_ipv6(const struct in6_addr *saddr, const struct in6_addr *daddr);
u32 roce_udp_tx_seed(const struct sk_buff *skb, u32 base, u32 index, u32 length);
u32 roce_udp_seed(const struct sk_buff *skb, u32 index, u32 length);

#endif /* ROCE_ICRC_UDP_H */
