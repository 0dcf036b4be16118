// SPDX-License-Identifier: GPL-2.0
/*
 * Headers: converts between bytes and struct ibt_pkt. Only this file uses the structs of
 * wire.h at run time. The opcode table has the headers of a packet. Both directions
 * process them in the order of the IBT_*ETH bits, which is that of the wire.
 */
#include <linux/bitfield.h>

#include "opcode.h"
#include "pkt.h"
#include "wire.h"

static_assert(sizeof(struct ibt_wire_bth) == IBT_BTH_BYTES);

/* Returns the header at @at, and advances @at behind it. */
#define NEXT(at, type)	({						\
	struct ibt_wire_##type *_hdr = (void *)(at);			\
	(at) += sizeof(*_hdr);						\
	_hdr;								\
})

static u32 ibt_low_24(__be32 word)
{
	return FIELD_GET(IBT_WIRE_24, be32_to_cpu(word));
}

static void ibt_parse_bth(struct ibt_pkt *pkt, const struct ibt_wire_bth *bth)
{
	u32 qpn = be32_to_cpu(bth->qpn);
	u32 psn = be32_to_cpu(bth->psn);
	u8 flags = bth->flags;

	pkt->opcode = bth->opcode;
	pkt->solicited = flags & IBT_BTH_SE;
	pkt->migrated = flags & IBT_BTH_MIG;
	pkt->pad = FIELD_GET(IBT_BTH_PAD, flags);
	pkt->pkey = be16_to_cpu(bth->pkey);
	pkt->fecn = qpn & IBT_BTH_FECN;
	pkt->becn = qpn & IBT_BTH_BECN;
	pkt->qpn = FIELD_GET(IBT_WIRE_24, qpn);
	pkt->ack_request = psn & IBT_BTH_ACKREQ;
	pkt->marks = FIELD_GET(IBT_BTH_MARKS, psn);
	pkt->psn = FIELD_GET(IBT_WIRE_24, psn);
}

static const u8 *ibt_parse_reth(struct ibt_pkt *pkt, const u8 *at)
{
	const struct ibt_wire_reth *reth = NEXT(at, reth);

	pkt->va = be64_to_cpu(reth->va);
	pkt->rkey = be32_to_cpu(reth->rkey);
	pkt->dma_length = be32_to_cpu(reth->dma_length);
	return at;
}

static const u8 *ibt_parse_aeth(struct ibt_pkt *pkt, const u8 *at)
{
	u32 word = be32_to_cpu(NEXT(at, aeth)->msn);

	pkt->syndrome = FIELD_GET(IBT_AETH_SYNDROME, word);
	pkt->msn = FIELD_GET(IBT_WIRE_24, word);
	return at;
}

/* Extended headers of requests that address memory or a queue. */
static const u8 *ibt_parse_target(struct ibt_pkt *pkt, u16 headers, const u8 *at)
{
	if (headers & IBT_XRCETH)
		pkt->srqn = ibt_low_24(NEXT(at, xrceth)->srqn);
	if (headers & IBT_DETH) {
		const struct ibt_wire_deth *deth = NEXT(at, deth);

		pkt->qkey = be32_to_cpu(deth->qkey);
		pkt->src_qpn = ibt_low_24(deth->src_qpn);
	}
	if (headers & IBT_FETH) {
		u32 what = be32_to_cpu(NEXT(at, feth)->what);

		pkt->placement = FIELD_GET(IBT_FETH_PLACEMENT, what);
		pkt->selectivity = FIELD_GET(IBT_FETH_SELECTIVITY, what);
	}
	if (headers & IBT_RETH)
		at = ibt_parse_reth(pkt, at);
	if (headers & IBT_ATOMICETH) {
		const struct ibt_wire_atomiceth *atomic = NEXT(at, atomiceth);

		pkt->va = be64_to_cpu(atomic->va);
		pkt->rkey = be32_to_cpu(atomic->rkey);
		pkt->swap_add = be64_to_cpu(atomic->swap_add);
		pkt->compare = be64_to_cpu(atomic->compare);
	}
	return at;
}

/* Extended headers of responses, and those that end a chain. */
static void ibt_parse_rest(struct ibt_pkt *pkt, u16 headers, const u8 *at)
{
	if (headers & IBT_AETH)
		at = ibt_parse_aeth(pkt, at);
	if (headers & IBT_ATOMICACK)
		pkt->original = be64_to_cpu(NEXT(at, atomicack)->original);
	if (headers & IBT_IMM)
		pkt->imm = NEXT(at, immdt)->imm;
	if (headers & IBT_IETH)
		pkt->inv_rkey = be32_to_cpu(NEXT(at, ieth)->rkey);
}

static noinline void ibt_parse_chain(struct ibt_pkt *pkt, u16 headers, const u8 *at)
{
	ibt_parse_rest(pkt, headers, ibt_parse_target(pkt, headers, at));
}

/* Most packets have one extended header, or none. */
static void ibt_parse_headers(struct ibt_pkt *pkt, u16 headers, const u8 *at)
{
	if (headers == IBT_RETH)
		ibt_parse_reth(pkt, at);
	else if (headers == IBT_AETH)
		ibt_parse_aeth(pkt, at);
	else if (headers)
		ibt_parse_chain(pkt, headers, at);
}

/* @at: the packet, of which @length bytes, or those of the longest headers, lie together. */
static __always_inline int ibt_parse_at(struct ibt_pkt *pkt, const u8 *at, u32 length)
{
	const struct ibt_wire_bth *bth = (const void *)at;
	const struct ibt_opcode *op = &ibt_opcodes[bth->opcode];
	u32 around;

	if (!op->name || bth->flags & IBT_BTH_TVER)
		return -EINVAL;
	ibt_parse_bth(pkt, bth);

	around = op->length + pkt->pad + IBT_ICRC_BYTES;
	if (length < around || !IS_ALIGNED(length, 4))
		return -EINVAL;
	pkt->length = length - around;
	if (pkt->length && !(op->flags & IBT_PAYLOAD))
		return -EINVAL;
	pkt->op = op;
	ibt_parse_headers(pkt, op->headers, at + IBT_BTH_BYTES);
	return 0;
}

/* Headers in page fragments are copied: pulling them would move memory. */
static noinline int ibt_parse_copy(struct ibt_pkt *pkt, const struct sk_buff *skb, u32 offset,
				   u32 length)
{
	u8 copy[IBT_MAX_HDR_BYTES];

	if (skb_copy_bits(skb, offset, copy, min_t(u32, length, sizeof(copy))))
		return -EINVAL;
	return ibt_parse_at(pkt, copy, length);
}

/**
 * ibt_hdr_parse - read and check the headers of a packet
 * @pkt: filled with the fields; those that the opcode does not have are not written
 * @skb: has the packet; unchecked
 * @offset: of its BTH from skb->data
 * @length: bytes from there to the end of its ICRC, inside of @skb
 *
 * This function alone checks what depends only on the packet: the opcode exists, the
 * transport version is right (section 9.6.1.1), headers, pad and ICRC fit into the
 * length, the ICRC is aligned to four bytes, and a packet has payload only if its
 * opcode allows it. A caller that knows the MTU checks the length against it.
 *
 * Context: any.
 *
 * Return: 0, or -EINVAL.
 */
int ibt_hdr_parse(struct ibt_pkt *pkt, const struct sk_buff *skb, u32 offset,
		  u32 length)
{
	u32 linear = skb_headlen(skb);
	int ret;

	if (length < IBT_BTH_BYTES)
		return -EINVAL;
	if (likely(offset + min_t(u32, length, IBT_MAX_HDR_BYTES) <= linear))
		ret = ibt_parse_at(pkt, skb->data + offset, length);
	else
		ret = ibt_parse_copy(pkt, skb, offset, length);
	if (!ret)
		pkt->payload = offset + pkt->op->length;
	return ret;
}

static void ibt_push_bth(const struct ibt_pkt *pkt, struct ibt_wire_bth *bth)
{
	u32 qpn = FIELD_PREP(IBT_WIRE_24, pkt->qpn & IBT_QPN_MASK);
	u32 psn = FIELD_PREP(IBT_WIRE_24, pkt->psn & IBT_PSN_MASK) |
		  FIELD_PREP(IBT_BTH_MARKS, pkt->marks);

	if (pkt->fecn)
		qpn |= IBT_BTH_FECN;
	if (pkt->becn)
		qpn |= IBT_BTH_BECN;
	if (pkt->ack_request)
		psn |= IBT_BTH_ACKREQ;

	bth->opcode = pkt->opcode;
	bth->flags = FIELD_PREP(IBT_BTH_SE, pkt->solicited) |
		     FIELD_PREP(IBT_BTH_MIG, pkt->migrated) |
		     FIELD_PREP(IBT_BTH_PAD, pkt->pad);
	bth->pkey = cpu_to_be16(pkt->pkey);
	bth->qpn = cpu_to_be32(qpn);
	bth->psn = cpu_to_be32(psn);
}

static u8 *ibt_push_reth(const struct ibt_pkt *pkt, u8 *at)
{
	struct ibt_wire_reth *reth = NEXT(at, reth);

	reth->va = cpu_to_be64(pkt->va);
	reth->rkey = cpu_to_be32(pkt->rkey);
	reth->dma_length = cpu_to_be32(pkt->dma_length);
	return at;
}

static u8 *ibt_push_aeth(const struct ibt_pkt *pkt, u8 *at)
{
	NEXT(at, aeth)->msn = cpu_to_be32(FIELD_PREP(IBT_AETH_SYNDROME, pkt->syndrome) |
					  (pkt->msn & IBT_WIRE_24));
	return at;
}

static u8 *ibt_push_target(const struct ibt_pkt *pkt, u16 headers, u8 *at)
{
	if (headers & IBT_XRCETH)
		NEXT(at, xrceth)->srqn = cpu_to_be32(pkt->srqn & IBT_WIRE_24);
	if (headers & IBT_DETH) {
		struct ibt_wire_deth *deth = NEXT(at, deth);

		deth->qkey = cpu_to_be32(pkt->qkey);
		deth->src_qpn = cpu_to_be32(pkt->src_qpn & IBT_WIRE_24);
	}
	if (headers & IBT_FETH)
		NEXT(at, feth)->what =
			cpu_to_be32(FIELD_PREP(IBT_FETH_PLACEMENT, pkt->placement) |
				    FIELD_PREP(IBT_FETH_SELECTIVITY,
					       pkt->selectivity));
	if (headers & IBT_RETH)
		at = ibt_push_reth(pkt, at);
	if (headers & IBT_ATOMICETH) {
		struct ibt_wire_atomiceth *atomic = NEXT(at, atomiceth);

		atomic->va = cpu_to_be64(pkt->va);
		atomic->rkey = cpu_to_be32(pkt->rkey);
		atomic->swap_add = cpu_to_be64(pkt->swap_add);
		atomic->compare = cpu_to_be64(pkt->compare);
	}
	return at;
}

static void ibt_push_rest(const struct ibt_pkt *pkt, u16 headers, u8 *at)
{
	if (headers & IBT_AETH)
		at = ibt_push_aeth(pkt, at);
	if (headers & IBT_ATOMICACK)
		NEXT(at, atomicack)->original = cpu_to_be64(pkt->original);
	if (headers & IBT_IMM)
		NEXT(at, immdt)->imm = pkt->imm;
	if (headers & IBT_IETH)
		NEXT(at, ieth)->rkey = cpu_to_be32(pkt->inv_rkey);
	if (headers & IBT_CNPETH)
		memset(at, 0, sizeof(struct ibt_wire_cnpeth));
}

static noinline void ibt_push_chain(const struct ibt_pkt *pkt, u16 headers, u8 *at)
{
	ibt_push_rest(pkt, headers, ibt_push_target(pkt, headers, at));
}

/**
 * ibt_hdr_write - write the headers of a packet
 * @pkt: fields of the BTH, with the pad count, and of the headers in op->headers
 * @at: destination, pkt->op->length bytes
 *
 * Context: any.
 */
void ibt_hdr_write(const struct ibt_pkt *pkt, u8 *at)
{
	u16 headers = pkt->op->headers;

	ibt_push_bth(pkt, (void *)at);
	at += IBT_BTH_BYTES;
	/* As ibt_parse_headers(). */
	if (headers == IBT_RETH)
		ibt_push_reth(pkt, at);
	else if (headers == IBT_AETH)
		ibt_push_aeth(pkt, at);
	else if (headers)
		ibt_push_chain(pkt, headers, at);
}

/**
 * ibt_hdr_push - write the headers of a packet in front of its payload
 * @pkt: as of ibt_hdr_write()
 * @skb: data at the payload; has enough headroom
 *
 * Context: any.
 */
void ibt_hdr_push(const struct ibt_pkt *pkt, struct sk_buff *skb)
{
	ibt_hdr_write(pkt, skb_push(skb, pkt->op->length));
}
