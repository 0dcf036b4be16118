// SPDX-License-Identifier: GPL-2.0
/*
 * Retransmission before the timeout of the queue pair. That one is long, as the consumer
 * counts in it how long the peer may be gone (IBA 9.7.6.1.3), and the last packet of a message
 * has no packet behind it that would show its loss. So the requester measures round trips
 * (rtt.c), and after a few without an answer it sends one packet again, the oldest, and asks
 * for an answer. Each time without one it waits twice as long. Such retransmissions do not
 * count against retry_cnt: the timeout of the queue pair stays what it was.
 */
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/module.h>

#include "ask.h"
#include "congestion.h"
#include "dev.h"
#include "early.h"
#include "link.h"
#include "port.h"
#include "qp.h"
#include "qp_counter.h"
#include "requester.h"
#include "retry.h"
#include "rtt.h"
#include "rtx.h"
#include "sq.h"
#include "stats.h"
#include "trace.h"

bool ibt_early = true;
EXPORT_SYMBOL_GPL(ibt_early);
module_param_named(early, ibt_early, bool, 0644);
MODULE_PARM_DESC(early, "send again after a few round trips, not after the timeout of the QP alone");

static void ibt_wait_again(struct ibt_qp *qp, u64 now)
{
	u64 wait = ibt_rtx_early_wait(&qp->rtx);

	lockdep_assert_held(&qp->sq.lock);
	qp->rtx.early_at = now + wait;
	hrtimer_start(&qp->rtx.early_timer, ns_to_ktime(wait), HRTIMER_MODE_REL_SOFT);
}

/* An answer may come that is not late. */
static bool ibt_is_awaited(const struct ibt_qp *qp)
{
	const struct ibt_sq *sq = &qp->sq;

	return (sq->state == IB_QPS_RTS || sq->state == IB_QPS_SQD) &&
	       ibt_sq_unanswered(sq) && READ_ONCE(ibt_early);
}

static void ibt_send_again(struct ibt_qp *qp)
{
	struct ibt_sq *sq = &qp->sq;

	ibt_qp_count(qp, IBT_STAT_RETRY_EARLY);
	ibt_rtt_unanswered(&qp->rtx.rtt, sq->high);
	ibt_pace_lost(qp);
	qp->rtx.recovery = IBT_PROBING;
	qp->rtx.window = max(qp->rtx.window / 2, IBT_WINDOW_LEAST);
	trace_ibt_retry(qp, IBT_RETRY_EARLY, sq->una, qp->rtx.retries);
	ibt_sq_again(qp, true);
}

/* True: there is something to send. */
static bool ibt_is_due(struct ibt_qp *qp)
{
	struct ibt_sq *sq = &qp->sq;
	u64 now = ktime_get_mono_fast_ns();
	bool due = false;

	lockdep_assert_held(&sq->lock);
	if (!ibt_is_awaited(qp))
		return false;
	if (now < qp->rtx.early_at) {
		hrtimer_start(&qp->rtx.early_timer, ns_to_ktime(qp->rtx.early_at - now),
			      HRTIMER_MODE_REL_SOFT);
		return false;
	}
	if (!ibt_sq_held(qp)) {
		if (!ibt_ask_again(qp))
			ibt_send_again(qp);
		due = true;
	}
	ibt_wait_again(qp, now);
	return due;
}

static enum hrtimer_restart ibt_early_expired(struct hrtimer *timer)
{
	struct ibt_qp *qp = container_of(timer, struct ibt_qp, rtx.early_timer);
	bool due;

	spin_lock(&qp->sq.lock);
	due = ibt_is_due(qp);
	spin_unlock(&qp->sq.lock);
	if (due)
		ibt_requester(qp);
	return HRTIMER_NORESTART;
}

/**
 * ibt_early_await - a packet that wants an answer is out
 * @qp: queue pair
 * @first: none was without one before
 *
 * The timer is not moved with every packet: it comes early, and waits for what is left.
 *
 * Context: sq.lock held.
 */
void ibt_early_await(struct ibt_qp *qp, bool first)
{
	struct ibt_sq *sq = &qp->sq;

	lockdep_assert_held(&sq->lock);
	if (!ibt_is_awaited(qp))
		return;
	if (first)
		qp->rtx.early_at = ktime_get_mono_fast_ns() + ibt_rtx_early_wait(&qp->rtx);
	if (!hrtimer_is_queued(&qp->rtx.early_timer))
		ibt_wait_again(qp, ktime_get_mono_fast_ns());
}

/**
 * ibt_early_restart - packets are retransmitted now, because of a response
 * @qp: queue pair
 *
 * The timer may wait for longer, after several waits without an answer.
 *
 * Context: sq.lock held.
 */
void ibt_early_restart(struct ibt_qp *qp)
{
	lockdep_assert_held(&qp->sq.lock);
	if (ibt_is_awaited(qp))
		ibt_wait_again(qp, ktime_get_mono_fast_ns());
}

/**
 * ibt_early_progress - the peer has answered
 * @qp: queue pair
 *
 * Context: sq.lock held.
 */
void ibt_early_progress(struct ibt_qp *qp)
{
	struct ibt_sq *sq = &qp->sq;
	u64 now;

	lockdep_assert_held(&sq->lock);
	now = ktime_get_mono_fast_ns();
	ibt_rtt_answered(&qp->rtx.rtt, sq->una, now);
	qp->rtx.early_at = now + ibt_rtx_early_wait(&qp->rtx);
}

void ibt_early_init(struct ibt_qp *qp)
{
	hrtimer_setup(&qp->rtx.early_timer, ibt_early_expired, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_SOFT);
}
