/* SPDX-License-Identifier: GPL-2.0 */
/* What the ICRC of a packet of version 2 begins with: its IP and UDP headers. */
#ifndef ROCE_ICRC_UDP_H
#define ROCE_ICRC_UDP_H

#include <linux/skbuff.h>

void roce_icrc_udp_init(void);
u32 roce_udp_seed(const struct sk_buff *skb, u32 index, u32 length);

#endif /* ROCE_ICRC_UDP_H */
