// SPDX-License-Identifier: GPL-2.0
/* From a payload to a packet on the link. */
#include "dev.h"
#include "inject.h"
#include "icrc.h"
#include "link.h"
#include "pkt.h"
#include "port.h"
#include "stats.h"
#include "trace.h"
#include "tx.h"

/* Between ibt_tx_alloc() and ibt_tx(); then skb->cb is the link's. */
struct tx_note {
	u32 length;
};

static struct tx_note *ibt_tx_note_of(struct sk_buff *skb)
{
	BUILD_BUG_ON(sizeof(struct tx_note) > sizeof(skb->cb));
	return (struct tx_note *)skb->cb;
}

/*
 * Out of pages that the network stack keeps and uses again. Where memory is cleared as
 * it is allocated (init_on_alloc), kmalloc() would clear 8 KiB for a packet of 4. With
 * softirqs disabled its own skbs are there too, that others were freed to.
 */
static struct sk_buff *ibt_tx_alloc_skb(u32 bytes, gfp_t gfp)
{
	bool napi = in_softirq() && !irqs_disabled();
	u32 size = SKB_DATA_ALIGN(bytes) +
		   SKB_DATA_ALIGN(sizeof(struct skb_shared_info));
	void *data = napi ? napi_alloc_frag(size) : netdev_alloc_frag(size);
	struct sk_buff *skb;

	if (!data)
		return alloc_skb(bytes, gfp);
	skb = napi ? napi_build_skb(data, size) : build_skb(data, size);
	if (!skb)
		skb_free_frag(data);
	return skb;
}

/**
 * ibt_tx_alloc - a packet to be filled
 * @path: where it will go
 * @length: bytes of payload, at most the path's MTU
 * @gfp: as the context allows
 *
 * skb->data is where the payload begins; pad and the room of the ICRC are behind
 * it already, headers will be pushed in front of it by ibt_tx().
 *
 * Context: any; whether it sleeps is @gfp's word.
 *
 * Return: the packet, or NULL without memory (counted).
 */
struct sk_buff *ibt_tx_alloc(const struct ibt_path *path, u32 length,
			     gfp_t gfp)
{
	struct ibt_dev *dev = path->port->dev;
	u32 front = ALIGN(path->headroom + IBT_MAX_HDR_BYTES, 16);
	u32 back = ALIGN(length, 4) - length + IBT_ICRC_BYTES;
	struct sk_buff *skb;

	skb = ibt_tx_alloc_skb(front + length + back + dev->link->tailroom, gfp);
	if (!skb) {
		ibt_count(dev, IBT_STAT_TX_NOMEM);
		return NULL;
	}
	skb_reserve(skb, front);
	skb_put(skb, length);
	skb_put_zero(skb, back);
	ibt_tx_note_of(skb)->length = length;
	return skb;
}

/**
 * ibt_tx - send a packet
 * @path: where it goes; the caller has a reference
 * @skb: of ibt_tx_alloc(), with its payload; consumed
 * @pkt: its headers: @op, @opcode, and what they ask for. Pad, payload and length
 *	 are filled in here.
 * @flow: the same for all packets of a queue pair
 *
 * Context: interrupts enabled; locks of a queue pair may be held.
 *
 * Return: 0, or -EAGAIN: it is on its way, but wait for ibt_tx_wake().
 */
int ibt_tx(struct ibt_path *path, struct sk_buff *skb, struct ibt_pkt *pkt,
	   u32 flow)
{
	struct ibt_dev *dev = path->port->dev;
	u32 bytes;
	u32 front;
	__le32 icrc;

	pkt->length = ibt_tx_note_of(skb)->length;
	pkt->pad = ALIGN(pkt->length, 4) - pkt->length;
	pkt->payload = pkt->op->length;
	ibt_hdr_push(pkt, skb);
	trace_ibt_tx(dev, pkt);

	/* The ICRC covers link headers too: they come first. The link looks at
	 * them from the BTH, as it does with what it received.
	 */
	bytes = skb->len;
	skb_reset_transport_header(skb);
	dev->link->build(skb, path, flow, 0);
	front = skb->len - bytes;
	__skb_pull(skb, front);
	icrc = ibt_icrc(skb, 0, skb->len, ibt_tx_seed(skb, path, 0, skb->len));
	/* A packet of ibt_tx_alloc() has no fragments. */
	memcpy(skb_tail_pointer(skb) - sizeof(icrc), &icrc, sizeof(icrc));
	__skb_push(skb, front);

	if (ibt_fault_active(dev))
		return ibt_fault_tx(path, skb, front);
	return ibt_tx_link(path, skb, 1, bytes);
}
