/* SPDX-License-Identifier: GPL-2.0 */
/* Which packets of a requester ask for an ACK (AckReq, IBA vol. 1, 9.7.5.1.2). */
#ifndef IBT_ASK_H
#define IBT_ASK_H

#include <linux/types.h>

#include "pkt.h"

struct ibt_qp;
struct ibt_wqe;

/**
 * struct ibt_ask - of one requester; ibt_sq.lock guards it
 * @psn: of the latest packet that asked, or before all that have no answer
 * @tick: jiffies when it was sent
 */
struct ibt_ask {
	u32 psn;
	unsigned long tick;
};

/* No packet from @psn on, the next to be sent, has asked. */
static inline void ibt_ask_reset(struct ibt_ask *ask, u32 psn)
{
	ask->psn = ibt_psn_add(psn, IBT_PSN_MASK);
}

void ibt_ask_sent(struct ibt_qp *qp, u32 psn);
bool ibt_ask_due(const struct ibt_qp *qp, const struct ibt_wqe *wqe, u32 psn, bool last);
bool ibt_ask_again(struct ibt_qp *qp);

#endif /* IBT_ASK_H */
