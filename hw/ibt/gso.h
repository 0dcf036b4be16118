/* SPDX-License-Identifier: GPL-2.0 */
/* Packets to one peer that leave together. */
#ifndef IBT_GSO_H
#define IBT_GSO_H

#include <linux/skbuff.h>

#include "opcode.h"

struct ibt_path;
struct ibt_pkt;

/**
 * struct ibt_gso - packets to one peer that leave as one skb
 * @path: where they go; the caller has a reference
 * @skb: has their headers of the link, and their bytes in page fragments
 * @pages: those fragments, compound pages
 * @num_pages: of them
 * @in_page: packets in each
 * @page_bytes: of each
 * @most: packets there is room for
 * @packets: that are in it
 * @size: bytes of each from BTH to ICRC, but for the last, that has
 * @last: which is not longer
 */
struct ibt_gso {
	struct ibt_path *path;
	struct sk_buff *skb;
	struct page *pages[MAX_SKB_FRAGS];
	u32 num_pages;
	u32 in_page;
	u32 page_bytes;
	u32 most;
	u32 packets;
	u32 size;
	u32 last;
};

/**
 * struct ibt_seg_desc - the rest of a message, which is to be sent
 * @next: opcode of the next packet, an entry of ibt_opcodes[]
 * @middle: opcode of the packets between the next and the last
 * @end: opcode of the last packet
 * @left: bytes of the message that are not sent
 * @mtu: bytes of payload in each packet but the last
 */
struct ibt_seg_desc {
	const struct ibt_opcode *next;
	const struct ibt_opcode *middle;
	const struct ibt_opcode *end;
	u32 left;
	u32 mtu;
};

/* Room for packets of @rest that can leave together by @path, @most of them at most.
 * False: the next is to be sent alone; nothing was begun.
 */
bool ibt_gso_begin(struct ibt_gso *run, struct ibt_path *path,
		   const struct ibt_seg_desc *rest, u32 most);
/* The same for @most messages of one packet each, of @length bytes. */
bool ibt_gso_begin_msgs(struct ibt_gso *run, struct ibt_path *path,
			const struct ibt_opcode *op, u32 length, u32 most);
/* Where the payload of the next packet goes, behind the headers of @op. */
u8 *ibt_gso_payload_ptr(const struct ibt_gso *run, const struct ibt_opcode *op);
/* It is there. @pkt: as of ibt_tx(). */
void ibt_gso_add_pkt(struct ibt_gso *run, struct ibt_pkt *pkt, u32 length);
/* The last one that was added asks for an answer. */
void ibt_gso_set_ackreq(const struct ibt_gso *run);
/* Send what was added; the end of the run. 0 or -EAGAIN as of link.xmit. */
int ibt_gso_xmit(struct ibt_gso *run, u32 flow);

/* From BTH to ICRC, of all packets; also after they were sent. */
static inline u32 ibt_gso_bytes(const struct ibt_gso *run)
{
	return run->packets ? (run->packets - 1) * run->size + run->last : 0;
}

/* Memory that was kept. */
void ibt_gso_exit(void);

#endif /* IBT_GSO_H */
