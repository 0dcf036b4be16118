/* SPDX-License-Identifier: GPL-2.0 */
/* Bytes of a packet as skbs have them. */
#ifndef IBT_SKB_H
#define IBT_SKB_H

#include <kunit/test.h>
#include <linux/skbuff.h>

/* In pieces of @piece bytes, each in a page of its own; 0: linear. */
static inline struct sk_buff *skb_of(struct kunit *test, const u8 *bytes, u32 length,
			      u32 piece)
{
	struct sk_buff *skb = alloc_skb(256, GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, skb);
	skb_reserve(skb, 64);
	if (!piece) {
		skb_put_data(skb, bytes, length);
		return skb;
	}
	for (i = 0; length; i++) {
		struct page *page = alloc_page(GFP_KERNEL);
		u32 part = min(length, i < MAX_SKB_FRAGS - 1 ? piece : length);

		KUNIT_ASSERT_NOT_ERR_OR_NULL(test, page);
		/* At the end: the next byte is not of the packet. */
		memcpy(page_address(page) + PAGE_SIZE - part, bytes, part);
		skb_add_rx_frag(skb, i, page, PAGE_SIZE - part, part, PAGE_SIZE);
		bytes += part;
		length -= part;
	}
	return skb;
}

#endif /* IBT_SKB_H */
