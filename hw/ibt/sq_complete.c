// SPDX-License-Identifier: GPL-2.0
/* The end of work requests: in order, with a completion or without. */
#include "../soft/cq.h"
#include "../soft/hold.h"
#include "../soft/ring.h"
#include "ah.h"
#include "dev.h"
#include "loopback.h"
#include "opcode.h"
#include "pkt.h"
#include "qp.h"
#include "qp_counter.h"
#include "qp_event.h"
#include "requester.h"
#include "resp.h"
#include "rtx.h"
#include "sq.h"
#include "sq_complete.h"
#include "sq_user.h"
#include "stats.h"
#include "tm_fetch.h"
#include "trace.h"
#include "wqe.h"

/* Post_send looks at the state with its own lock only. */
void ibt_sq_change(struct ibt_sq *sq, enum ib_qp_state state)
{
	unsigned long flags;

	lockdep_assert_held(&sq->lock);
	spin_lock_irqsave(&sq->post_lock, flags);
	sq->state = state;
	spin_unlock_irqrestore(&sq->post_lock, flags);
}

/**
 * ibt_loopback_abort - give up what is on its way without packets
 * @qp: queue pair that leaves the states in which it sends
 *
 * The peer is left in the middle of the message, as it would be by packets.
 *
 * Context: sq.lock held.
 */
void ibt_loopback_abort(struct ibt_qp *qp)
{
	struct ibt_qp *peer = qp->local.peer;

	lockdep_assert_held(&qp->sq.lock);
	if (!peer)
		return;
	spin_lock(&peer->resp.lock);
	if (peer->resp.local == qp)
		peer->resp.local = NULL;
	spin_unlock(&peer->resp.lock);
	ibt_local_forget(&qp->local);
}

/* What the oldest request holds besides its place. May be called again. */
static void ibt_sq_complete_release(struct ibt_qp *qp)
{
	struct ibt_sq *sq = &qp->sq;
	struct ibt_wqe *wqe = ibt_wqe_at(sq, sq->tail);

	/* An answer out of the blue has taken the request from it. */
	if (qp->local.peer && qp->local.wqe == sq->tail)
		ibt_loopback_abort(qp);
	if (qp->transport == IBT_UD) {
		ibt_av_put(wqe->ud.route);
		wqe->ud.route = NULL;
	}
}

/* The oldest WQE is free again. */
static void ibt_sq_complete_pass(struct ibt_sq *sq)
{
	/* Pairs with post_send, which fills a WQE behind it. */
	smp_store_release(&sq->tail, sq->tail + 1);
	if ((s32)(sq->next - sq->tail) < 0) {
		sq->next = sq->tail;
		sq->offset = 0;
	}
}

/* Without a completion. */
static void ibt_sq_complete_retire(struct ibt_qp *qp)
{
	struct ibt_sq *sq = &qp->sq;

	ibt_sq_complete_release(qp);
	if (ibt_sq_is_user(sq))
		soft_ring_consume(&sq->ring);
	ibt_sq_complete_pass(sq);
}

/* IBA 11.6.3.2: what can not be reported breaks the queue pair. */
static void ibt_sq_complete_lost(struct ibt_qp *qp)
{
	ibt_qp_count(qp, IBT_STAT_CQ_OVERRUN);
	if (qp->sq.state != IB_QPS_ERR)
		ibt_qp_fail(qp, IB_EVENT_QP_FATAL);
}

/*
 * The completion of a program's oldest WQE, which is free with it. A CQ that is full keeps
 * both waiting. False: they wait, and are tried again.
 */
static bool ibt_sq_report(struct ibt_qp *qp, const struct ib_wc *wc)
{
	struct ibt_sq *sq = &qp->sq;

	lockdep_assert_held(&sq->lock);
	switch (soft_cq_post_wqe(qp->send_cq, wc, wc->status != IB_WC_SUCCESS,
				 &sq->ring)) {
	case SOFT_CQ_FULL:
		soft_hold_wait(&sq->hold);
		return false;
	case SOFT_CQ_LOST:
		soft_ring_consume(&sq->ring);
		ibt_sq_complete_lost(qp);
		break;
	case SOFT_CQ_ADDED:
		break;
	}
	soft_hold_end(&sq->hold);
	return true;
}

/*
 * A kernel consumer may post the next request as soon as it learns of this one, so the
 * WQE is free before that.
 */
static void ibt_report_kernel(struct ibt_qp *qp, struct ib_wc *wc)
{
	ibt_sq_complete_pass(&qp->sq);
	if (unlikely(qp->fetches)) {
		ibt_tm_fetched(qp, wc);
		return;
	}
	if (!soft_cq_post(qp->send_cq, wc, wc->status != IB_WC_SUCCESS))
		ibt_sq_complete_lost(qp);
}

/* False: it waits for room in its CQ, with this status. */
static noinline bool ibt_complete_and_tell(struct ibt_qp *qp, u8 status)
{
	struct ibt_sq *sq = &qp->sq;
	struct ibt_wqe *wqe = ibt_wqe_at(sq, sq->tail);
	struct ib_wc wc = {
		.wr_id = wqe->wr_id,
		.status = status,
		.opcode = ibt_wr_info(wqe->opcode)->wc,
		.byte_len = wqe->length,
		.qp = &qp->ib,
	};

	ibt_sq_complete_release(qp);
	if (!ibt_sq_is_user(sq)) {
		ibt_report_kernel(qp, &wc);
	} else if (ibt_sq_report(qp, &wc)) {
		ibt_sq_complete_pass(sq);
	} else {
		wqe->state = IBT_WQE_DONE;
		wqe->status = status;
		return false;
	}
	if (status != IB_WC_SUCCESS)
		sq->stop = IBT_SQ_FAILED;
	return true;
}

/* As ibt_complete_and_tell(), if the consumer wants to know. */
static bool ibt_complete_oldest(struct ibt_qp *qp, u8 status)
{
	const struct ibt_wqe *wqe = ibt_wqe_at(&qp->sq, qp->sq.tail);
	bool wanted = status != IB_WC_SUCCESS || qp->sig_all ||
		      (wqe->flags & IB_SEND_SIGNALED);

	WRITE_ONCE(qp->bell.told, wanted);
	if (wanted)
		return ibt_complete_and_tell(qp, status);
	ibt_sq_complete_retire(qp);
	return true;
}

/**
 * ibt_sq_oldest - the oldest request that is not done, or has failed
 * @sq: send side
 *
 * Those before it have succeeded, and their completions wait.
 *
 * Context: sq.lock held.
 *
 * Return: its index, or that behind the newest request.
 */
u32 ibt_sq_oldest(const struct ibt_sq *sq)
{
	u32 at = sq->tail, head = ibt_sq_head(sq);
	const struct ibt_wqe *wqe;

	lockdep_assert_held(&sq->lock);
	if (!soft_hold_waits(&sq->hold))
		return at;
	for (; at != head; at++) {
		wqe = ibt_wqe_at(sq, at);
		if (wqe->state != IBT_WQE_DONE ||
		    wqe->status != IB_WC_SUCCESS)
			break;
	}
	return at;
}

/* IBA 10.3.1.6, 10.3.1.7: UC and UD go on receiving when a send has failed. */
static void ibt_stop_sending(struct ibt_qp *qp)
{
	struct ibt_sq *sq = &qp->sq;

	ibt_loopback_abort(qp);
	if (ibt_qp_reliable(qp)) {
		ibt_sq_change(sq, IB_QPS_ERR);
		ibt_qp_fail(qp, -1);
	} else {
		trace_ibt_qp_state(qp, sq->state, IB_QPS_SQE);
		ibt_sq_change(sq, IB_QPS_SQE);
	}
	/* The rest is flushed from there: it may be long. */
	ibt_sq_schedule(qp);
}

/* Completions wait for their CQ, but a failure behind them has its effect. */
static void ibt_look_behind(struct ibt_qp *qp)
{
	struct ibt_sq *sq = &qp->sq;
	u32 at = ibt_sq_oldest(sq);

	if (at != ibt_sq_head(sq) &&
	    ibt_wqe_at(sq, at)->state == IBT_WQE_DONE)
		ibt_stop_sending(qp);
}

/**
 * ibt_sq_complete_wqes - complete what is done, from the oldest on
 * @qp: queue pair
 *
 * A request that failed ends it all: those behind it are flushed.
 *
 * Context: sq.lock held.
 */
void ibt_sq_complete_wqes(struct ibt_qp *qp)
{
	struct ibt_sq *sq = &qp->sq;
	struct ibt_wqe *wqe;
	u8 status;

	lockdep_assert_held(&sq->lock);
	while (sq->tail != ibt_sq_head(sq)) {
		wqe = ibt_wqe_at(sq, sq->tail);
		if (wqe->state != IBT_WQE_DONE)
			break;
		status = wqe->status;
		if (!ibt_complete_oldest(qp, status)) {
			ibt_look_behind(qp);
			return;
		}
		if (status != IB_WC_SUCCESS) {
			ibt_stop_sending(qp);
			return;
		}
	}
	ibt_sq_check_drained(qp);
}

/* A request has failed. Nothing behind it is sent, those before it may finish. */
void ibt_wqe_fail(struct ibt_qp *qp, struct ibt_wqe *wqe, u8 status)
{
	lockdep_assert_held(&qp->sq.lock);
	wqe->status = status;
	wqe->state = IBT_WQE_DONE;
	if (qp->sq.stop != IBT_SQ_FAILED)
		qp->sq.stop = IBT_SQ_BROKEN;
	ibt_sq_complete_wqes(qp);
}

/* What is done and waits for room in the CQ keeps its status. */
static u8 ibt_flush_status(const struct ibt_sq *sq)
{
	const struct ibt_wqe *wqe = ibt_wqe_at(sq, sq->tail);

	return wqe->state == IBT_WQE_DONE && sq->stop != IBT_SQ_FAILED ?
	       wqe->status : IB_WC_WR_FLUSH_ERR;
}

/*
 * A WQE that is still in the ring of the user, after all others. False: there is none, or
 * it waits.
 */
static bool ibt_sq_flush_ring(struct ibt_qp *qp)
{
	struct ib_wc wc = {
		.status = IB_WC_WR_FLUSH_ERR,
		.qp = &qp->ib,
	};

	return ibt_sq_peek(qp, &wc) && ibt_sq_report(qp, &wc);
}

/**
 * ibt_sq_flush_some - complete a few requests with IB_WC_WR_FLUSH_ERR
 * @qp: queue pair that is in an error state
 * @budget: so many
 *
 * Context: sq.lock held.
 *
 * Return: there may be more. False: that is all, or the rest waits for the CQ.
 */
bool ibt_sq_flush_some(struct ibt_qp *qp, int budget)
{
	struct ibt_sq *sq = &qp->sq;

	lockdep_assert_held(&sq->lock);
	ibt_loopback_abort(qp);
	sq->rd_atomic = 0;
	sq->una = sq->psn;
	sq->high = sq->psn;
	sq->cur_psn = sq->psn;
	if (sq->stop == IBT_SQ_BROKEN)
		sq->stop = IBT_SQ_GOING;
	while (budget--) {
		bool done = sq->tail != ibt_sq_head(sq) ?
			    ibt_complete_oldest(qp, ibt_flush_status(sq)) :
			    ibt_sq_flush_ring(qp);

		if (!done)
			return false;
	}
	return true;
}

/*
 * The oldest request is not executed any more, and its consumer knows. A tagged buffer that the
 * responder was to fill has left its SRQ, so the program is told of that.
 */
static void ibt_sq_drop(struct ibt_qp *qp)
{
	if (unlikely(qp->fetches))
		ibt_complete_and_tell(qp, ibt_flush_status(&qp->sq));
	else
		ibt_sq_complete_retire(qp);
}

/* Reset: empties the queues without completions. */
void ibt_sq_drop_all(struct ibt_qp *qp)
{
	struct ibt_sq *sq = &qp->sq;

	lockdep_assert_held(&sq->lock);
	ibt_loopback_abort(qp);
	while (sq->tail != ibt_sq_head(sq))
		ibt_sq_drop(qp);
	ibt_sq_discard_ring(sq);
	sq->offset = 0;
	sq->psn = 0;
	sq->una = 0;
	sq->high = 0;
	sq->cur_psn = 0;
	sq->rd_atomic = 0;
	sq->stop = IBT_SQ_GOING;
	soft_hold_end(&sq->hold);
	qp->rtx.recovery = IBT_STEADY;
	qp->rtx.pause = IBT_NO_PAUSE;
}

/* Is the next request one that was refused, and comes again? */
static bool ibt_sq_complete_begun(const struct ibt_sq *sq)
{
	const struct ibt_wqe *wqe = ibt_wqe_at(sq, sq->next);

	return sq->next != ibt_sq_head(sq) && wqe->numbered &&
	       wqe->state != IBT_WQE_DONE;
}

/* IBA 10.3.1.5: SQD is drained when all that was begun is finished. */
void ibt_sq_check_drained(struct ibt_qp *qp)
{
	struct ibt_sq *sq = &qp->sq;

	lockdep_assert_held(&sq->lock);
	if (sq->state != IB_QPS_SQD || sq->stop != IBT_SQ_GOING || sq->tail != sq->next ||
	    sq->offset || ibt_sq_unanswered(sq) || qp->local.peer || ibt_sq_complete_begun(sq))
		return;
	WRITE_ONCE(sq->stop, IBT_SQ_DRAINED);
	if (qp->attr.en_sqd_async_notify)
		ibt_qp_event(qp, IB_EVENT_SQ_DRAINED);
}

void ibt_ud_send_complete(struct ibt_qp *qp, struct ibt_wqe *wqe)
{
	struct ibt_sq *sq = &qp->sq;

	sq->psn = ibt_psn_add(sq->psn, 1);
	sq->cur_psn = sq->psn;
	sq->una = sq->psn;
	sq->high = sq->psn;
	sq->offset = 0;
	sq->next++;
	wqe->state = IBT_WQE_DONE;
	ibt_sq_complete_wqes(qp);
}
