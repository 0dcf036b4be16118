// SPDX-License-Identifier: GPL-2.0
/* Life of the send side: creation, states, destruction. */
#include <linux/log2.h>
#include <linux/mm.h>

#include "../soft/hold.h"
#include "../soft/ring.h"
#include "../soft/task.h"
#include "ask.h"
#include "limits.h"
#include "pkt.h"
#include "qp.h"
#include "requester.h"
#include "tx_wait.h"
#include "rtt.h"
#include "recovery.h"
#include "rtx.h"
#include "sq.h"
#include "sq_complete.h"
#include "timers.h"
#include "wqe.h"

/* Memory of a WQE that can hold what the queue promises. */
static u32 ibt_wqe_bytes(u32 payload)
{
	return ALIGN(sizeof(struct ibt_wqe) + payload, 16);
}

static int ibt_alloc_wqes(struct ibt_sq *sq, gfp_t gfp)
{
	u32 num = roundup_pow_of_two(sq->max_wr);

	sq->wqes = kvcalloc(num, sq->stride, gfp);
	sq->mask = num - 1;
	return sq->wqes ? 0 : -ENOMEM;
}

/*
 * WQEs of a user queue are allocated at the first doorbell: most queue pairs of a big
 * program idle. Called without locks. A thread that loses the race frees the array it
 * allocated.
 */
int ibt_sq_user_wqes(struct ibt_sq *sq)
{
	u32 num = clamp_t(u32, sq->max_wr, 1, IBT_USER_WQES);
	void *wqes;

	if (READ_ONCE(sq->wqes))
		return 0;
	num = roundup_pow_of_two(num);
	wqes = kvcalloc(num, sq->stride, GFP_KERNEL_ACCOUNT);
	if (!wqes)
		return -ENOMEM;
	spin_lock_bh(&sq->lock);
	if (!sq->wqes) {
		sq->mask = num - 1;
		WRITE_ONCE(sq->wqes, wqes);
		wqes = NULL;
	}
	spin_unlock_bh(&sq->lock);
	kvfree(wqes);
	return 0;
}

/*
 * What is asked for, rounded as librxe's users expect it: SGEs and inline bytes
 * share their room in a WQE, so a consumer that asks for one gets the other.
 */
static int ibt_fit_cap(struct ibt_qp *qp, const struct ib_qp_cap *cap,
		       u32 *payload)
{
	struct ibt_sq *sq = &qp->sq;

	if (cap->max_send_wr > IBT_MAX_QP_WR ||
	    cap->max_send_sge > IBT_MAX_SGE ||
	    cap->max_inline_data > IBT_MAX_INLINE)
		return -EINVAL;
	*payload = max_t(u32, cap->max_send_sge * sizeof(struct ib_sge),
			 ALIGN(cap->max_inline_data, sizeof(struct ib_sge)));
	/* The word of an ATOMIC WRITE needs neither. */
	*payload = max_t(u32, *payload, sizeof(u64));
	sq->max_wr = cap->max_send_wr;
	sq->max_sge = min_t(u32, *payload / sizeof(struct ib_sge), IBT_MAX_SGE);
	sq->max_inline = *payload;
	qp->cap.max_send_wr = sq->max_wr;
	qp->cap.max_send_sge = sq->max_sge;
	qp->cap.max_inline_data = sq->max_inline;
	return 0;
}

/**
 * ibt_sq_create - the send side of a new queue pair
 * @qp: queue pair; its device and type are set
 * @cap: what the consumer asks for; what is granted is left in qp->cap
 * @ucontext: of the user, or NULL: a kernel queue pair
 * @info: (user) where the user's ring can be mapped
 *
 * Context: may sleep.
 *
 * Return: 0; -EINVAL: beyond the limits of the device; -ENOMEM.
 */
int ibt_sq_create(struct ibt_qp *qp, const struct ib_qp_cap *cap,
		  struct ib_ucontext *ucontext, struct mminfo *info)
{
	struct ibt_sq *sq = &qp->sq;
	u32 payload;
	int ret;

	BUILD_BUG_ON(IBT_MAX_SGE * sizeof(struct ib_sge) > IBT_MAX_INLINE);
	BUILD_BUG_ON(sizeof(struct rxe_sge) != sizeof(struct ib_sge));
	spin_lock_init(&sq->lock);
	spin_lock_init(&sq->post_lock);
	INIT_LIST_HEAD(&sq->waiting);
	soft_task_init(&sq->task, ibt_requester_round,
		       &ibt_qp_dev(qp)->queues);
	sq->task.qp = &qp->ib;
	sq->cpu = SOFT_NO_CPU;
	sq->state = IB_QPS_RESET;
	ret = ibt_fit_cap(qp, cap, &payload);
	if (ret)
		return ret;

	sq->stride = ibt_wqe_bytes(payload);
	if (ucontext && info)
		ret = soft_ring_alloc(&sq->ring, max(sq->max_wr, 1U),
				      sizeof(struct rxe_send_wqe) + payload,
				      ucontext, info);
	else if (sq->max_wr)
		/* That of tag matching is the program's, which has no ring of it. */
		ret = ibt_alloc_wqes(sq, qp->fetches ? GFP_KERNEL_ACCOUNT : GFP_KERNEL);
	if (ret)
		return ret;
	ibt_timers_init(qp);
	return 0;
}

/**
 * ibt_sq_destroy - the end of the send side
 * @qp: queue pair; no reference is left, and no consumer posts
 *
 * Timers and the task are the last that may still look at it: the state keeps
 * them from doing anything but look. Timers call the task, and the port queues it
 * as long as the queue pair is on its list; hence the order.
 *
 * Context: may sleep.
 */
void ibt_sq_destroy(struct ibt_qp *qp)
{
	struct ibt_sq *sq = &qp->sq;

	might_sleep();
	ibt_sq_set_state(qp, IB_QPS_RESET);
	ibt_timers_shutdown(qp);
	ibt_tx_wait_del(sq->tx_wait_port, &sq->waiting);
	soft_pager_stop(&sq->pager);
	soft_task_stop(&sq->task);
	if (ibt_sq_is_user(sq))
		soft_ring_free(&sq->ring);
	kvfree(sq->wqes);
	sq->wqes = NULL;
}

static void ibt_take_attrs(struct ibt_qp *qp)
{
	struct ibt_sq *sq = &qp->sq;

	lockdep_assert_held(&sq->lock);
	sq->dest_qpn = qp->attr.dest_qp_num;
	sq->qkey = qp->attr.qkey;
	qp->rtx.timeout = ibt_timeout_jiffies(qp->attr.timeout);
	qp->rtx.retry_cnt = qp->attr.retry_cnt;
	qp->rtx.rnr_retry = qp->attr.rnr_retry;
	sq->max_rd_atomic = qp->attr.max_rd_atomic;
	qp->rtx.retries = min(qp->rtx.retries, qp->rtx.retry_cnt);
	ibt_sq_reload_path_timers(qp);
	qp->rtx.rnr_retries = min(qp->rtx.rnr_retries, qp->rtx.rnr_retry);
}

/* RTR to RTS: a new life begins, at the PSN that the consumer names. */
static void ibt_sq_begin(struct ibt_qp *qp)
{
	struct ibt_sq *sq = &qp->sq;

	sq->psn = qp->attr.sq_psn & IBT_PSN_MASK;
	sq->cur_psn = sq->psn;
	sq->una = sq->psn;
	sq->high = sq->psn;
	sq->way = IBT_WAY_NONE;
	qp->rtx.window = IBT_WINDOW;
	qp->rtx.held.state = IBT_HELD_UNKNOWN;
	qp->credit = (struct ibt_credit){ };
	ibt_rtt_reset(&qp->rtx.rtt, sq->psn);
	ibt_ask_reset(&qp->rtx.ask, sq->psn);
	ibt_resend_reset(&qp->rtx.resend, sq->psn,
			 ibt_qp_reliable(qp) && READ_ONCE(ibt_selective));
	ibt_pace_reset(qp);
	qp->rtx.retries = qp->rtx.retry_cnt;
	qp->rtx.rnr_retries = qp->rtx.rnr_retry;
}

/*
 * The number of rounds is bounded: what a user goes on posting meanwhile is
 * flushed by the user's own doorbells.
 */
static void ibt_flush_all(struct ibt_qp *qp)
{
	struct ibt_sq *sq = &qp->sq;
	int rounds = 2 * IBT_MAX_QP_WR / 64 + 1;
	bool more;

	do {
		spin_lock_bh(&sq->lock);
		more = (sq->state == IB_QPS_ERR || sq->state == IB_QPS_SQE) &&
		       ibt_sq_flush_some(qp, 64);
		spin_unlock_bh(&sq->lock);
	} while (more && --rounds);
}

/**
 * ibt_sq_resume - the consumer knows of the failure, and leaves SQE
 * @qp: queue pair
 *
 * What was queued behind the failure is not sent after all.
 *
 * Context: process; attr_lock held.
 *
 * Return: 0; -EBUSY: what is flushed waits for room in its CQ.
 */
int ibt_sq_resume(struct ibt_qp *qp)
{
	struct ibt_sq *sq = &qp->sq;
	int ret = 0;

	lockdep_assert_held(&qp->attr_lock);
	ibt_flush_all(qp);
	spin_lock_bh(&sq->lock);
	if (sq->state == IB_QPS_SQE && soft_hold_waits(&sq->hold)) {
		ret = -EBUSY;
	} else if (sq->state == IB_QPS_SQE) {
		sq->stop = IBT_SQ_GOING;
		ibt_sq_change(sq, IB_QPS_RTS);
	}
	spin_unlock_bh(&sq->lock);
	return ret;
}

/* A failure may have come while the consumer decided on @state: then it stays. */
static enum ib_qp_state ibt_sq_settle(enum ib_qp_state was, enum ib_qp_state state)
{
	if (state == IB_QPS_RESET || state == IB_QPS_ERR)
		return state;
	return was == IB_QPS_ERR || was == IB_QPS_SQE ? was : state;
}

/**
 * ibt_sq_set_state - the queue pair is in another state, or has other attributes
 * @qp: queue pair; qp->attr is as of now
 * @state: state as of now, which may be the one it was in
 *
 * RESET: all that is queued is gone, without completions. ERR: nothing is sent
 * any more; ibt_sq_flush() completes what is queued. SQD: messages that were
 * begun are finished, then the queue is drained and, if the consumer wants it,
 * IB_EVENT_SQ_DRAINED raised. Only RESET ends ERR, only ibt_sq_resume() and these
 * two end SQE.
 *
 * Context: process; attr_lock held, or no other thread knows @qp.
 */
void ibt_sq_set_state(struct ibt_qp *qp, enum ib_qp_state state)
{
	struct ibt_sq *sq = &qp->sq;
	enum ib_qp_state was;

	spin_lock_bh(&sq->lock);
	was = sq->state;
	state = ibt_sq_settle(was, state);
	ibt_sq_change(sq, state);
	ibt_take_attrs(qp);
	switch (state) {
	case IB_QPS_RESET:
		ibt_sq_drop_all(qp);
		atomic_set(&sq->deferred_ack, 0);
		break;
	case IB_QPS_RTS:
		if (was == IB_QPS_RTR)
			ibt_sq_begin(qp);
		if (sq->stop == IBT_SQ_DRAINED)
			sq->stop = IBT_SQ_GOING;
		break;
	case IB_QPS_SQD:
		if (was != IB_QPS_SQD)
			ibt_sq_check_drained(qp);
		break;
	case IB_QPS_ERR:
		ibt_loopback_abort(qp);
		break;
	default:
		break;
	}
	spin_unlock_bh(&sq->lock);
	if (state == IB_QPS_RTS || state == IB_QPS_SQD)
		ibt_sq_schedule(qp);
}

/**
 * ibt_sq_flush - complete all that is queued with IB_WC_WR_FLUSH_ERR
 * @qp: queue pair in the error state
 *
 * Context: softirqs may be disabled, interrupts are enabled.
 */
void ibt_sq_flush(struct ibt_qp *qp)
{
	struct ibt_sq *sq = &qp->sq;
	bool go;

	spin_lock_bh(&sq->lock);
	go = sq->state != IB_QPS_RESET;
	if (go)
		ibt_sq_change(sq, IB_QPS_ERR);
	spin_unlock_bh(&sq->lock);
	if (go)
		ibt_flush_all(qp);
}
