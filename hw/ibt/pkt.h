/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A packet between the engine and the bytes: hdr.c is the only file that knows
 * both. Also PSN arithmetic and the AETH syndromes.
 */
#ifndef IBT_PKT_H
#define IBT_PKT_H

#include <linux/skbuff.h>
#include "opcode.h"

#define IBT_PSN_MASK		0xffffff
#define IBT_QPN_MASK		0xffffff
#define IBT_MCAST_QPN		0xffffff
#define IBT_BTH_BYTES		12
#define IBT_ICRC_BYTES		4
#define IBT_GRH_BYTES		40
/* BTH with the longest chain of extended headers that an opcode has. */
#define IBT_MAX_HDR_BYTES	(IBT_BTH_BYTES + 4 + 28 + 4)

/* AETH syndrome, IBA vol. 1 table 48 (bits 6:5 kind, 4:0 value). */
enum {
	IBT_AETH_ACK		= 0x00,	/* value: credit count, 31 = none */
	IBT_AETH_RNR		= 0x20,	/* value: timer */
	IBT_AETH_NAK		= 0x60,	/* value: code below */
	IBT_AETH_KIND		= 0x60,
	IBT_AETH_VALUE		= 0x1f,
	IBT_NAK_PSN		= 0x60,	/* PSN sequence error */
	IBT_NAK_INVALID		= 0x61,	/* invalid request */
	IBT_NAK_ACCESS		= 0x62,	/* remote access error */
	IBT_NAK_OPERATION	= 0x63,	/* remote operational error */
	IBT_NAK_RD		= 0x64,	/* invalid RD request */
	IBT_ACK_NO_CREDITS	= 0x1f,
};

/* Marks in reserved bits of the BTH, which any other receiver ignores (IBA 9.2): recovery.c. */
enum {
	/*
	 * Request: does the responder keep packets behind a gap? Response: it does.
	 */
	IBT_MARK_KEEPS		= BIT(0),
	/*
	 * Request: the responder is to name its gaps. NAK of a PSN sequence error: this is a gap,
	 * of as many packets as the MSN says, and all before may or may not have arrived.
	 */
	IBT_MARK_GAPS		= BIT(1),
};

/* In place of a number of packets: nothing came from this PSN on. */
#define IBT_GAP_OPEN		IBT_PSN_MASK

/**
 * struct ibt_rx_meta - what a link learned about a packet besides its bytes
 * @grh: as a UD receiver gets it: a GRH, or 20 unused bytes and an IPv4 header
 * @network: RDMA_NETWORK_IB (an IBA GRH, RoCE v1 too), _IPV4, _IPV6
 * @has_grh: @grh means something
 * @congested: marked on its way (ECN CE)
 * @has_vlan: @vlan means something
 * @vlan: VLAN ID, Ethernet links
 * @smac: source, Ethernet links
 * @slid: source LID, InfiniBand links
 * @sl: service level, InfiniBand links
 * @dlid_path_bits: path bits of the destination LID, InfiniBand links
 * @sgid: of the sender
 * @dgid: of the receiver (multicast too)
 */
struct ibt_rx_meta {
	u8 grh[IBT_GRH_BYTES];
	u8 network;
	bool has_grh;
	bool congested;
	bool has_vlan;
	u16 vlan;
	u8 smac[ETH_ALEN];
	u16 slid;
	u8 sl;
	u8 dlid_path_bits;
	union ib_gid sgid;
	union ib_gid dgid;
};

/**
 * struct ibt_pkt - headers of a packet, in host byte order
 * @op: entry of @opcode in the table
 * @sums_ok: (received for a queue pair that wants it) checksums in the payload are right
 * @payload: offset of the payload from skb->data; @length: its bytes without pad
 */
struct ibt_pkt {
	const struct ibt_opcode *op;
	u8 opcode;
	bool solicited;
	bool migrated;		/* MigReq */
	bool ack_request;
	bool fecn;
	bool becn;
	bool sums_ok;
	u8 pad;
	u8 marks;		/* IBT_MARK_* */
	u16 pkey;
	u32 qpn;		/* destination */
	u32 psn;
	/* valid as op->headers says */
	u32 srqn;		/* XRCETH */
	u32 qkey;		/* DETH */
	u32 src_qpn;
	u8 placement;		/* FETH: IB_FLUSH_GLOBAL, IB_FLUSH_PERSISTENT */
	u8 selectivity;		/* FETH: IB_FLUSH_RANGE, IB_FLUSH_MR */
	u64 va;			/* RETH, AtomicETH */
	u32 rkey;
	u32 dma_length;		/* RETH */
	u64 swap_add;		/* AtomicETH */
	u64 compare;
	u8 syndrome;		/* AETH */
	u32 msn;
	u64 original;		/* AtomicAckETH */
	__be32 imm;		/* as the consumer gets it */
	u32 inv_rkey;		/* IETH */
	u32 payload;
	u32 length;
};

/* Out of bytes, of which @length from @offset on are a packet: from BTH to ICRC.
 * 0, or -EINVAL: too short, reserved opcode, pad and length that do not fit
 * together, transport version other than 0.
 */
int ibt_hdr_parse(struct ibt_pkt *pkt, const struct sk_buff *skb, u32 offset,
		  u32 length);
/* Into bytes: pushes BTH and extended headers in front of skb->data, where the
 * payload and its pad begin. @pkt: all fields that op->headers asks for.
 */
void ibt_hdr_push(const struct ibt_pkt *pkt, struct sk_buff *skb);
/* The same to @at, which has room for pkt->op->length bytes. */
void ibt_hdr_write(const struct ibt_pkt *pkt, u8 *at);

/* a - b in the circle of 2^24: negative when a is before b. */
static inline s32 ibt_psn_diff(u32 a, u32 b)
{
	return (s32)((a - b) << 8) >> 8;
}

static inline u32 ibt_psn_add(u32 psn, u32 n)
{
	return (psn + n) & IBT_PSN_MASK;
}

/* Distance from @from on, in the circle: never negative. */
static inline u32 ibt_psn_ahead(u32 psn, u32 from)
{
	return (psn - from) & IBT_PSN_MASK;
}

/* Packets of a message: an empty one is still one. */
static inline u32 ibt_packets(u32 bytes, u32 mtu_bytes)
{
	return bytes ? DIV_ROUND_UP(bytes, mtu_bytes) : 1;
}

#endif /* IBT_PKT_H */
