/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Packets that the requester retransmits alone, because its peer keeps what it received behind
 * them (ooo.c). Pure bookkeeping: recovery.c decides, requester.c sends.
 */
#ifndef IBT_RESEND_H
#define IBT_RESEND_H

#include <linux/bitmap.h>
#include <linux/types.h>

#include "pkt.h"

/*
 * PSNs from the oldest one without an answer on, of which each may be known to be missing, or to
 * be there: several READs of 64 KiB.
 */
#define IBT_RESEND_SPAN	512

/* READ requests for gaps of which the order is known. */
#define IBT_RESEND_ASKS	16

/**
 * struct ibt_resend_ask - a READ request for a gap in a response
 * @psn: first packet of the gap
 * @end: behind the last one
 * @high: PSN of the next new request: a response from there on is one to a later request
 */
struct ibt_resend_ask {
	u32 psn;
	u32 end;
	u32 high;
};

/* Does the peer keep packets behind a gap? */
enum ibt_resend_peer {
	IBT_PEER_ASKED,		/* no response has told yet: the requests ask */
	IBT_PEER_KEEPS,
	IBT_PEER_DROPS,		/* as the specification has it */
};

/**
 * struct ibt_resend - of one requester; ibt_sq.lock guards it
 * @peer: enum ibt_resend_peer
 * @marks: IBT_MARK_* of the next requests
 * @left: bits in @missing
 * @placed: bits in @here
 * @top: behind the highest PSN in @here
 * @recover: behind the highest PSN that was sent when the window was last halved for a gap
 * @probed: the same, when the peer was last requested to name its gaps
 * @asks: READ requests for gaps, from @oldest_ask on in the order that they were sent in: a ring
 * @num_asks: in @asks
 * @oldest_ask: index in @asks
 * @missing: bit (PSN & (IBT_RESEND_SPAN - 1)): the packet is to be retransmitted
 * @here: the same bit: the packet of a READ response came before its turn, and is in its place
 */
struct ibt_resend {
	enum ibt_resend_peer peer;
	u8 marks;
	u16 left;
	u16 placed;
	u32 top;
	u32 recover;
	u32 probed;
	u8 num_asks;
	u8 oldest_ask;
	struct ibt_resend_ask asks[IBT_RESEND_ASKS];
	DECLARE_BITMAP(missing, IBT_RESEND_SPAN);
	DECLARE_BITMAP(here, IBT_RESEND_SPAN);
};

void ibt_resend_reset(struct ibt_resend *rs, u32 psn, bool ask);
void ibt_resend_learn(struct ibt_resend *rs, u8 marks);
bool ibt_resend_add(struct ibt_resend *rs, u32 una, u32 first, u32 end);
void ibt_resend_remove(struct ibt_resend *rs, u32 first, u32 end);
u32 ibt_resend_first(const struct ibt_resend *rs, u32 una);
u32 ibt_resend_run(const struct ibt_resend *rs, u32 una, u32 psn);
bool ibt_resend_place(struct ibt_resend *rs, u32 una, u32 psn);
u32 ibt_resend_next_placed(const struct ibt_resend *rs, u32 una);
void ibt_resend_pass(struct ibt_resend *rs, u32 psn);
void ibt_resend_note(struct ibt_resend *rs, u32 psn, u32 end, u32 high);
bool ibt_resend_overtaken(struct ibt_resend *rs, u32 una, u32 psn);

/* Nothing is to be retransmitted alone. */
static inline void ibt_resend_clear(struct ibt_resend *rs)
{
	rs->left = 0;
	rs->num_asks = 0;
	rs->marks &= ~IBT_MARK_GAPS;
	bitmap_zero(rs->missing, IBT_RESEND_SPAN);
}

#endif /* IBT_RESEND_H */
