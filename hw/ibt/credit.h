/* SPDX-License-Identifier: GPL-2.0 */
/* End-to-end credits of a peer. With sq.lock held. */
#ifndef IBT_CREDIT_H
#define IBT_CREDIT_H

#include <linux/types.h>

struct ibt_wr_info;

/**
 * struct ibt_credit - see credit.c. Numbers are in the circle of 2^24
 * @counted: the peer counts its receive requests
 * @last: number of the latest message that has begun; the first one's is 1
 * @limit: number of the last one that there is a receive request for
 */
struct ibt_credit {
	bool counted;
	u32 last;
	u32 limit;
};

void ibt_credit_take(struct ibt_credit *credit, u8 syndrome, u32 msn);
u32 ibt_credit_left(const struct ibt_credit *credit, const struct ibt_wr_info *info);

#endif /* IBT_CREDIT_H */
