/* SPDX-License-Identifier: GPL-2.0 */
/* Packets that lie in this host still. */
#ifndef IBT_HELD_H
#define IBT_HELD_H

#include <linux/types.h>

struct ibt_qp;

enum ibt_held_state {
	IBT_HELD_UNKNOWN,
	IBT_HELD_HERE,		/* in this host, perhaps */
	IBT_HELD_LEFT,		/* what had no answer then has left */
};

/**
 * struct ibt_held - see held.c
 * @state: of packets without an answer
 * @mark: (IBT_HELD_HERE) ibt_passage.gone when they have left
 */
struct ibt_held {
	enum ibt_held_state state;
	unsigned long mark;
};

/**
 * struct ibt_answer_mark - where a READ answer was in the queue of this host
 * @valid: it was looked at
 * @psn: of a packet; those behind it came later
 * @taken: ibt_passage.taken, or less, before that packet
 */
struct ibt_answer_mark {
	bool valid;
	u32 psn;
	unsigned long taken;
};

/**
 * struct ibt_answer_look - the latest look at the link of a responder
 * @at: jiffies
 * @taken: ibt_passage.taken then
 */
struct ibt_answer_look {
	unsigned long at;
	unsigned long taken;
};

/* sq.lock held */
bool ibt_sq_held(struct ibt_qp *qp);
/* resp.lock held */
void ibt_resp_mark_answer(struct ibt_qp *qp);
bool ibt_resp_answer_held(struct ibt_qp *qp, const struct ibt_answer_mark *mark, u32 psn);

#endif /* IBT_HELD_H */
