// SPDX-License-Identifier: GPL-2.0
/*
 * The invariant CRC, IBA vol. 1 section 7.8.1, RoCEv2: annex A17.3.3. It is the
 * CRC-32 of Ethernet over everything that no router changes; what may change
 * counts as ones. The link masks its own headers (ops.icrc_seed), here it goes
 * on from the BTH.
 */
#include <linux/crc32.h>
#include "pkt.h"
#include "wire.h"

/* CRC of @length bytes of @skb, from @offset on, wherever they are. */
static u32 crc_range(const struct sk_buff *skb, u32 crc, u32 offset, u32 length)
{
	struct skb_seq_state walk;
	const u8 *piece;
	u32 done = 0;
	u32 bytes;

	if (likely(offset + length <= skb_headlen(skb)))
		return ibt_crc32(crc, skb->data + offset, length);

	/* The walk only remembers @skb, it does not write to it. */
	skb_prepare_seq_read((struct sk_buff *)skb, offset, offset + length,
			     &walk);
	while ((bytes = skb_seq_read(done, &piece, &walk)) != 0) {
		/* A piece may reach beyond the range: the first one does. */
		crc = ibt_crc32(crc, piece, min(bytes, length - done));
		done += bytes;
	}
	return crc;
}

/* What may change on the way counts as ones. */
static u32 crc_bth(u32 seed, u8 bth[IBT_BTH_BYTES])
{
	bth[IBT_BTH_RESV8A] = 0xff;
	return crc32_le(seed, bth, IBT_BTH_BYTES);
}

/**
 * ibt_icrc_of - the ICRC of a packet that lies in one piece
 * @at: the BTH
 * @length: bytes from there to the end of the ICRC, which itself is not looked at
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
	crc = ibt_crc32(crc_bth(seed, bth), at + IBT_BTH_BYTES,
			length - IBT_BTH_BYTES - IBT_ICRC_BYTES);
	return cpu_to_le32(~crc);
}

/**
 * ibt_icrc - the ICRC of a packet
 * @skb: has the packet
 * @offset: of its BTH from skb->data
 * @length: bytes from there to the end of its ICRC, at least BTH and ICRC; the ICRC
 *	    itself, or the room for it, is not looked at
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
	crc = crc_range(skb, crc_bth(seed, bth), offset + IBT_BTH_BYTES,
			length - IBT_BTH_BYTES - IBT_ICRC_BYTES);
	return cpu_to_le32(~crc);
}

/**
 * ibt_icrc_ok - is the ICRC of a packet what it must be?
 * @skb: has the packet; any bytes
 * @offset: of its BTH from skb->data
 * @length: bytes from there to the end of its ICRC, inside of @skb
 * @seed: CRC over the link's masked headers
 *
 * Context: any.
 *
 * Return: true: no bit of what the CRC covers has changed on the way.
 */
bool ibt_icrc_ok(const struct sk_buff *skb, u32 offset, u32 length, u32 seed)
{
	__le32 told;

	if (length < IBT_BTH_BYTES + IBT_ICRC_BYTES)
		return false;
	if (skb_copy_bits(skb, offset + length - IBT_ICRC_BYTES, &told,
			  sizeof(told)))
		return false;
	return told == ibt_icrc(skb, offset, length, seed);
}
