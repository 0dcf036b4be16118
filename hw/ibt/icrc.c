// SPDX-License-Identifier: GPL-2.0
/*
 * The invariant CRC, IBA vol. 1 section 7.8.1, RoCEv2: annex A17.3.3. It is the
 * CRC-32 of Ethernet over all fields that routers do not change; the others count
 * as ones. The link masks its own headers (ops.icrc_seed), and these functions
 * continue at the BTH.
 */
#include <linux/crc32.h>

#include "crc.h"
#include "icrc.h"
#include "pkt.h"
#include "wire.h"

/* CRC of @length bytes of @skb from @offset on; they may be in fragments. */
static u32 ibt_crc_range(const struct sk_buff *skb, u32 crc, u32 offset, u32 length)
{
	struct skb_seq_state walk;
	const u8 *piece;
	u32 done = 0;
	u32 bytes;

	if (likely(offset + length <= skb_headlen(skb)))
		return ibt_crc32(crc, skb->data + offset, length);

	/* The walk stores the pointer, but does not write to the skb. */
	skb_prepare_seq_read((struct sk_buff *)skb, offset, offset + length,
			     &walk);
	while ((bytes = skb_seq_read(done, &piece, &walk)) != 0) {
		/* A piece may extend beyond the range: it is not clipped. */
		crc = ibt_crc32(crc, piece, min(bytes, length - done));
		done += bytes;
	}
	return crc;
}

/* Routers may change resv8a, so it counts as ones. */
static u32 ibt_crc_bth(u32 seed, u8 bth[IBT_BTH_BYTES])
{
	bth[IBT_BTH_RESV8A] = 0xff;
	return crc32_le(seed, bth, IBT_BTH_BYTES);
}

/**
 * ibt_icrc_of - compute the ICRC of a packet in contiguous memory
 * @at: BTH of the packet
 * @length: bytes from there to the end of the ICRC; the ICRC itself is not read
 * @seed: CRC over the link's masked headers
 *
 * Context: any.
 *
 * Return: the four bytes that end the packet, least significant first.
 */
__le32 ibt_icrc_of(const u8 *at, u32 length, u32 seed)
{
	u8 bth[IBT_BTH_BYTES];
	u32 crc;

	memcpy(bth, at, sizeof(bth));
	crc = ibt_crc32(ibt_crc_bth(seed, bth), at + IBT_BTH_BYTES,
			length - IBT_BTH_BYTES - IBT_ICRC_BYTES);
	return cpu_to_le32(~crc);
}

/**
 * ibt_icrc - compute the ICRC of a packet
 * @skb: has the packet
 * @offset: of its BTH from skb->data
 * @length: bytes from there to the end of its ICRC, at least BTH and ICRC; the ICRC
 *	    itself is not read
 * @seed: CRC over the link's masked headers
 *
 * Context: any.
 *
 * Return: the four bytes that end the packet, least significant first.
 */
__le32 ibt_icrc(const struct sk_buff *skb, u32 offset, u32 length, u32 seed)
{
	u8 bth[IBT_BTH_BYTES];
	u32 crc;

	if (likely(offset + length <= skb_headlen(skb)))
		return ibt_icrc_of(skb->data + offset, length, seed);
	skb_copy_bits(skb, offset, bth, sizeof(bth));
	crc = ibt_crc_range(skb, ibt_crc_bth(seed, bth), offset + IBT_BTH_BYTES,
			    length - IBT_BTH_BYTES - IBT_ICRC_BYTES);
	return cpu_to_le32(~crc);
}

/**
 * ibt_icrc_ok - check the ICRC of a packet
 * @skb: has the packet; unchecked
 * @offset: of its BTH from skb->data
 * @length: bytes from there to the end of its ICRC, inside of @skb
 * @seed: CRC over the link's masked headers
 *
 * Context: any.
 *
 * Return: true: the ICRC is right.
 */
bool ibt_icrc_ok(const struct sk_buff *skb, u32 offset, u32 length, u32 seed)
{
	__le32 told;

	if (length < IBT_BTH_BYTES + IBT_ICRC_BYTES)
		return false;
	if (likely(offset + length <= skb_headlen(skb)))
		memcpy(&told, skb->data + offset + length - IBT_ICRC_BYTES, sizeof(told));
	else if (skb_copy_bits(skb, offset + length - IBT_ICRC_BYTES, &told, sizeof(told)))
		return false;
	return told == ibt_icrc(skb, offset, length, seed);
}

/**
 * ibt_icrcs_add - add a packet to those that ibt_icrcs_end() computes the ICRC of
 * @icrcs: has fewer than IBT_ICRCS packets; before the first only @n must be set
 * @at: BTH of the packet
 * @seed: CRC over the link's masked headers
 *
 * Context: any.
 */
void ibt_icrcs_add(struct ibt_icrc_batch *icrcs, const u8 *at, u32 seed)
{
	u8 bth[IBT_BTH_BYTES];

	memcpy(bth, at, sizeof(bth));
	icrcs->at[icrcs->n] = at + IBT_BTH_BYTES;
	icrcs->crc[icrcs->n++] = ibt_crc_bth(seed, bth);
}

/**
 * ibt_icrcs_end - compute the ICRCs of all packets that were added
 * @icrcs: the packets; ibt_icrcs_of() returns the results
 * @length: bytes from each BTH to the end of the ICRC, which is not read
 *
 * Context: any.
 */
void ibt_icrcs_end(struct ibt_icrc_batch *icrcs, u32 length)
{
	ibt_crc32_interleaved(icrcs->crc, icrcs->at, icrcs->n,
			      length - IBT_BTH_BYTES - IBT_ICRC_BYTES);
}

/* @length bytes from @offset on, if they are contiguous and mapped; else NULL. */
static const u8 *ibt_piece_of(const struct sk_buff *skb, u32 offset, u32 length)
{
	const skb_frag_t *frag;
	u32 bytes = skb_headlen(skb);
	const u8 *at = skb->data;
	u32 i;

	for (i = 0; offset >= bytes; i++) {
		if (i == skb_shinfo(skb)->nr_frags)
			return NULL;
		offset -= bytes;
		frag = &skb_shinfo(skb)->frags[i];
		bytes = skb_frag_size(frag);
		at = skb_frag_address_safe(frag);
	}
	return at && length <= bytes - offset ? at + offset : NULL;
}

/**
 * ibt_icrc_batch_check - check the ICRCs of some packets of a GSO skb
 * @skb: GSO skb; unchecked
 * @offset: of the BTH of the first packet from skb->data
 * @size: bytes from each BTH to the end of the ICRC, at least BTH and ICRC
 * @index: number of the first packet in @skb
 * @seed: icrc_seed of struct ibt_link_ops
 * @ok: out: bit 0: the ICRC of the first packet is right; bit 1: of the second, ...
 *
 * Context: any.
 *
 * Return: number of packets that were checked. 0: the caller must use ibt_icrc_ok() for
 * the first one.
 */
u32 ibt_icrc_batch_check(const struct sk_buff *skb, u32 offset, u32 size, u32 index,
			 u32 (*seed)(const struct sk_buff *skb, u32 index, u32 length),
			 u8 *ok)
{
	struct ibt_icrc_batch icrcs = { .n = 0 };
	u32 most = ibt_crc32_most();
	__le32 told[IBT_ICRCS];
	const u8 *at;
	u32 i;

	if (most == 1)
		return 0;
	for (i = 0; i < most && offset + size <= skb->len; i++, offset += size) {
		at = ibt_piece_of(skb, offset, size);
		if (!at)
			break;
		memcpy(&told[i], at + size - IBT_ICRC_BYTES, IBT_ICRC_BYTES);
		ibt_icrcs_add(&icrcs, at, seed(skb, index + i, size));
	}
	ibt_icrcs_end(&icrcs, size);
	*ok = 0;
	for (i = 0; i < icrcs.n; i++)
		if (told[i] == ibt_icrcs_of(&icrcs, i))
			*ok |= BIT(i);
	return icrcs.n;
}
