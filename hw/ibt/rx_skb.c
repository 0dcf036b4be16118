// SPDX-License-Identifier: GPL-2.0
/* What becomes of a received packet: it is kept for later, or refused. */
#include "dev.h"
#include "link.h"
#include "pkt.h"
#include "port.h"
#include "rx.h"
#include "stats.h"

/**
 * ibt_rx_bad_key - count a packet that is refused for a key, and tell the link
 * @port: where it came
 * @qkey: for its Q_Key, else for its P_Key
 * @pkt: its headers
 * @meta: as the link said
 *
 * Context: any but hard interrupt.
 */
void ibt_rx_bad_key(struct ibt_port *port, bool qkey, const struct ibt_pkt *pkt,
		    const struct ibt_rx_meta *meta)
{
	const struct ibt_bad_key what = {
		.qkey = qkey,
		.key = qkey ? pkt->qkey : pkt->pkey,
		.qpn = pkt->qpn,
		.src_qpn = pkt->src_qpn,
	};

	atomic_inc(qkey ? &port->bad_qkeys : &port->bad_pkeys);
	ibt_count(port->dev, qkey ? IBT_STAT_RX_QKEY : IBT_STAT_RX_PKEY);
	if (port->dev->link->bad_key)
		port->dev->link->bad_key(port, &what, meta);
}

/**
 * ibt_rx_hold_skb - a packet that has to wait
 * @skb: it is in
 * @pkt: its headers
 *
 * Context: any.
 *
 * Return: an skb that has this packet alone and may be kept: @skb, with a reference
 * more, if that is so, else a copy of a part of it. NULL: no memory.
 */
struct sk_buff *ibt_rx_hold_skb(struct sk_buff *skb, const struct ibt_pkt *pkt)
{
	u32 offset = pkt->payload - pkt->op->length;
	u32 length = pkt->op->length + pkt->length + pkt->pad + IBT_ICRC_BYTES;
	struct sk_buff *own;

	if (likely(length == skb->len))
		return skb_get(skb);
	own = alloc_skb(length, GFP_ATOMIC);
	if (own)
		skb_copy_bits(skb, offset, skb_put(own, length), length);
	return own;
}
