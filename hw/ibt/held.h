/* SPDX-License-Identifier: GPL-2.0 */
/* Packets that lie in this host still. With sq.lock held. */
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

bool ibt_sq_held(struct ibt_qp *qp);

#endif /* IBT_HELD_H */
