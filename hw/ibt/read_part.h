/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Parts of READ responses that a requester lacks and has requested again, in the order of the
 * requests. Pure bookkeeping: read_resp.c sends them.
 */
#ifndef IBT_READ_PART_H
#define IBT_READ_PART_H

#include <linux/types.h>

#include "resp_res.h"

/* A requester comes again for what was one part too many. */
#define IBT_READ_PARTS	16

/**
 * struct ibt_read_parts - of one responder; ibt_resp.lock guards it
 * @num: in @part
 * @oldest: the one of @part that is sent next
 * @part: a ring
 */
struct ibt_read_parts {
	u8 num;
	u8 oldest;
	struct ibt_read_resp part[IBT_READ_PARTS];
};

bool ibt_read_part_add(struct ibt_read_parts *parts, const struct ibt_read_resp *part);
bool ibt_read_part_take(struct ibt_read_parts *parts, struct ibt_read_resp *part);
bool ibt_read_part_due_before(const struct ibt_read_parts *parts, u32 psn);

static inline void ibt_read_part_clear(struct ibt_read_parts *parts)
{
	parts->num = 0;
}

#endif /* IBT_READ_PART_H */
