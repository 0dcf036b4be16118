/* SPDX-License-Identifier: GPL-2.0 */
/* RoCE version 1: an Ethertype. */
#ifndef ROCE_LINK_ETH_H
#define ROCE_LINK_ETH_H

#include <linux/skbuff.h>

struct ibt_rx_meta;
struct roce_path;

void roce_eth_build(struct sk_buff *skb, const struct roce_path *p);
u32 roce_eth_seed(const struct sk_buff *skb);
void roce_eth_xmit(struct sk_buff *skb, struct roce_path *p);
void roce_eth_meta(const struct roce_path *p, u32 length,
		   struct ibt_rx_meta *meta);
void roce_eth_init(void);
void roce_eth_exit(void);

#endif /* ROCE_LINK_ETH_H */
