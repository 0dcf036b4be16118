/* SPDX-License-Identifier: GPL-2.0 */
/* What is sent next, and may it be sent now. */
#ifndef IBT_REQUESTER_H
#define IBT_REQUESTER_H

#include "../soft/policy.h"
#include "../soft/task.h"
#include "qp.h"

/* A round of sq.task; sq.lock is not held. */
enum soft_task_left ibt_requester_round(struct soft_task *task);

/* Half of the circle: a responder takes what is further ahead for the past. */
#define IBT_PSN_REACH	BIT(23)

/*
 * The PSNs of a READ are those of its response: on their way are one packet of the requester and
 * what the responder sends. Where the peer keeps what comes behind a gap, little of that is for
 * nothing, and a window of READs alone would be no more than a window for each round trip.
 */
static inline bool ibt_sq_reads_ahead(const struct ibt_qp *qp,
				      const struct ibt_wqe *wqe, u32 waiting)
{
	return wqe->opcode == IB_WR_RDMA_READ &&
	       qp->rtx.resend.peer == IBT_PEER_KEEPS &&
	       qp->rtx.recovery != IBT_PROBING &&
	       waiting < IBT_WINDOW_READS * ibt_rtx_window(&qp->rtx);
}

/* IBA 9.7.7.2.2: how much may be without an answer. */
static inline bool ibt_sq_in_window(const struct ibt_qp *qp,
				    const struct ibt_wqe *wqe)
{
	const struct ibt_sq *sq = &qp->sq;
	u32 waiting = ibt_psn_ahead(sq->cur_psn, sq->una);
	u32 more;

	if (!ibt_qp_reliable(qp))
		return true;
	more = wqe->numbered ?
	       ibt_psn_ahead(wqe->last_psn, sq->cur_psn) + 1 :
	       ibt_packets(wqe->length, qp->mtu);
	if (waiting >= ibt_rtx_window(&qp->rtx) && !ibt_sq_reads_ahead(qp, wqe, waiting))
		return false;
	return waiting + more <= IBT_PSN_REACH;
}

/* Does the next request wait for more answers? Then ibt_requester() would send nothing. */
static inline bool ibt_requester_window_full(const struct ibt_qp *qp)
{
	const struct ibt_sq *sq = &qp->sq;
	const struct ibt_wqe *wqe;

	lockdep_assert_held(&sq->lock);
	if (sq->state != IB_QPS_RTS || sq->next == ibt_sq_head(sq) || qp->rtx.resend.left)
		return false;
	wqe = ibt_wqe_at(sq, sq->next);
	return wqe->state == IBT_WQE_POSTED && !ibt_sq_in_window(qp, wqe);
}

/* Send what may be sent. sq.lock is taken inside; interrupts are enabled. */
static inline void ibt_requester(struct ibt_qp *qp)
{
	soft_task_call(&qp->sq.task, SOFT_ROUNDS_SOFTIRQ);
}

/* The same from a work. Any context, also with the tx_wait_lock of a port held. */
static inline void ibt_sq_schedule(struct ibt_qp *qp)
{
	soft_task_queue(&qp->sq.task);
}

#endif /* IBT_REQUESTER_H */
