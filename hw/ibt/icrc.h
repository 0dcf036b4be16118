/* SPDX-License-Identifier: GPL-2.0 */
/* The ICRC of packets. */
#ifndef IBT_ICRC_H
#define IBT_ICRC_H

#include <asm/byteorder.h>
#include <linux/types.h>

#include "crc.h"

struct sk_buff;

/* ICRC over link's masked headers (@seed), BTH with resv8a masked, the rest up
 * to the last four bytes, of a packet as above.
 */
__le32 ibt_icrc(const struct sk_buff *skb, u32 offset, u32 length, u32 seed);
/* The same of @length bytes from BTH to ICRC. */
__le32 ibt_icrc_of(const u8 *at, u32 length, u32 seed);
bool ibt_icrc_ok(const struct sk_buff *skb, u32 offset, u32 length, u32 seed);

/**
 * struct ibt_icrc_batch - equally long packets, to compute their ICRCs together
 * @n: how many there are, IBT_ICRCS at most
 * @at: what follows the BTH of each
 * @crc: of each, so far
 */
struct ibt_icrc_batch {
	u32 n;
	const u8 *at[IBT_ICRCS];
	u32 crc[IBT_ICRCS];
};

/* One more: its BTH is at @at, and all of it in one piece. */
void ibt_icrcs_add(struct ibt_icrc_batch *icrcs, const u8 *at, u32 seed);
/* Each is @length bytes from BTH to ICRC. */
void ibt_icrcs_end(struct ibt_icrc_batch *icrcs, u32 length);

/* What ibt_icrcs_end() computed for number @i of them. */
static inline __le32 ibt_icrcs_of(const struct ibt_icrc_batch *icrcs, u32 i)
{
	return cpu_to_le32(~icrcs->crc[i]);
}

/* Packets of @skb, number @index and those behind it, of @size bytes each from @offset
 * on: 0, or of how many @ok says whether their ICRC is right.
 */
u32 ibt_icrc_batch_check(const struct sk_buff *skb, u32 offset, u32 size, u32 index,
			 u32 (*seed)(const struct sk_buff *skb, u32 index, u32 length),
			 u8 *ok);

#endif /* IBT_ICRC_H */
