/* SPDX-License-Identifier: GPL-2.0 */
/* Where sending goes on. */
#ifndef IBT_RETRY_H
#define IBT_RETRY_H

#include <linux/types.h>

struct ibt_qp;
struct ibt_sq;

/**
 * struct ibt_resend_pos - where sending goes on
 * @wqe: index, may be head: nothing to retransmit
 * @offset: bytes of it that need no retransmission
 */
struct ibt_resend_pos {
	u32 wqe;
	u32 offset;
};

struct ibt_resend_pos ibt_resend_pos_of(const struct ibt_sq *sq, u32 head, u32 mtu,
					u32 psn);

/* With sq.lock held. */
void ibt_sq_rewind(struct ibt_qp *qp, u32 psn);
void ibt_sq_again(struct ibt_qp *qp, bool probe);

#endif /* IBT_RETRY_H */
