/* SPDX-License-Identifier: GPL-2.0 */
/* Completions of tag matching, in the order of the matches. */
#ifndef IBT_TM_TELL_H
#define IBT_TM_TELL_H

#include <rdma/ib_verbs.h>

struct ibt_qp;
struct ibt_srq;
struct ibt_tm_recv;

/* With srq->lock held. False: the CQ has no room: ibt_rq_overrun(). */
bool ibt_tm_post(struct ibt_qp *qp, struct ib_wc *wc, u32 flags, bool solicited);
bool ibt_tm_tell(struct ibt_tm_recv *tm);
bool ibt_tm_tell_all(struct ibt_srq *srq);

#endif /* IBT_TM_TELL_H */
