/* SPDX-License-Identifier: GPL-2.0 */
/* Messages to a shared receive queue of tag matching. */
#ifndef IBT_TM_RECV_H
#define IBT_TM_RECV_H

#include <linux/types.h>

#include "msg.h"
#include "qp.h"
#include "srq.h"

struct ib_wc;
struct soft_iter;

static inline bool ibt_qp_matches_tags(const struct ibt_qp *qp)
{
	return qp->srq && qp->srq->tags;
}

enum ibt_exec_status ibt_tm_begin(struct ibt_qp *qp, struct soft_iter *from, u32 *length);
enum ibt_exec_status ibt_tm_begin_empty(struct ibt_qp *qp);
bool ibt_tm_discards(const struct ibt_qp *qp);
void ibt_tm_complete(struct ibt_qp *qp, struct ib_wc *wc, bool solicited);

#endif /* IBT_TM_RECV_H */
