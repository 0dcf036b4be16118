/* SPDX-License-Identifier: GPL-2.0 */
/* Received packets. */
#ifndef IBT_RX_H
#define IBT_RX_H

#include <linux/types.h>

struct ibt_pkt;
struct ibt_port;
struct ibt_rx_meta;
struct sk_buff;

/* Receive @skb, which is consumed: a GSO skb with packets of @size bytes, or 0: one packet. */
void ibt_rx_process(struct ibt_port *port, struct sk_buff *skb, u32 size,
		    const struct ibt_rx_meta *meta);
/* A reference to @skb, or to a copy of the packet @pkt of it alone, or NULL. */
struct sk_buff *ibt_rx_hold_skb(struct sk_buff *skb, const struct ibt_pkt *pkt);
void ibt_rx_bad_key(struct ibt_port *port, bool qkey, const struct ibt_pkt *pkt,
		    const struct ibt_rx_meta *meta);

#endif /* IBT_RX_H */
