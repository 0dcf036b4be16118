/* SPDX-License-Identifier: GPL-2.0 */
/* Packets, from the LRH on. */
#ifndef IBF_PACKET_H
#define IBF_PACKET_H

#include <linux/bitfield.h>
#include <linux/skbuff.h>
#include <rdma/ib_hdrs.h>

#include "port.h"
#include "wire.h"

/**
 * struct ibf_cb - skb->cb of a packet in a queue or under way
 * @held: port where the packet holds a credit, or NULL
 * @vl: VL of that credit
 * @byte_ps: static rate, in ps per byte; 0: the rate of the link
 * @waits: the packet is at the head of its queue and has no credit
 * @since: hoq_ticks of the port when @waits was set
 * @due: arrival time at the far end, in ns
 */
struct ibf_cb {
	struct ibf_port *held;
	u8 vl;
	u32 byte_ps;
	bool waits;
	u32 since;
	u64 due;
};

static inline struct ibf_cb *ibf_cb(struct sk_buff *skb)
{
	BUILD_BUG_ON(sizeof(struct ibf_cb) > sizeof(skb->cb));
	return (struct ibf_cb *)skb->cb;
}

static inline struct ibf_lrh *ibf_lrh(const struct sk_buff *skb)
{
	return (struct ibf_lrh *)skb->data;
}

/* The GRH, or NULL; the BTH follows in any case. @skb is well-formed. */
static inline const struct ib_grh *ibf_grh(const struct sk_buff *skb)
{
	if (FIELD_GET(IBF_LRH_LNH, ibf_lrh(skb)->sl) != IBF_LNH_GLOBAL)
		return NULL;
	return (const void *)(skb->data + sizeof(struct ibf_lrh));
}

static inline struct ibf_ud *ibf_ud(const struct sk_buff *skb)
{
	u32 front = sizeof(struct ibf_lrh);

	if (ibf_grh(skb))
		front += sizeof(struct ib_grh);
	return (struct ibf_ud *)(skb->data + front);
}

/* Counts a packet that a port sends or receives. */
static inline void ibf_count_packet(struct ibf_port *port,
				    const struct sk_buff *skb, bool sent)
{
	bool mcast = ibf_is_mcast(be16_to_cpu(ibf_lrh(skb)->dlid));
	u8 sl = FIELD_GET(IBF_LRH_SL, ibf_lrh(skb)->sl);

	ibf_count(port, sent ? IBF_XMIT_PKTS : IBF_RCV_PKTS);
	ibf_count_more(port, sent ? IBF_XMIT_DATA : IBF_RCV_DATA,
		       skb->len / 4);
	ibf_count_more(port, (sent ? IBF_SL_XMIT : IBF_SL_RCV) + sl,
		       skb->len / 4);
	if (mcast)
		ibf_count(port, sent ? IBF_MCAST_XMIT : IBF_MCAST_RCV);
	else
		ibf_count(port, sent ? IBF_UNICAST_XMIT : IBF_UNICAST_RCV);
}

#endif /* IBF_PACKET_H */
