// SPDX-License-Identifier: GPL-2.0
/* Waiting, and what comes after it: retries and pauses of the requester. */
#include <linux/jiffies.h>
#include <linux/timer.h>

#include "../soft/hold.h"
#include "ask.h"
#include "congestion.h"
#include "dev.h"
#include "early.h"
#include "path.h"
#include "qp.h"
#include "qp_counter.h"
#include "requester.h"
#include "retry.h"
#include "rtt.h"
#include "rtx.h"
#include "sq.h"
#include "sq_complete.h"
#include "stats.h"
#include "timers.h"
#include "trace.h"

/* How often in a timeout it is looked whether packets have left this host. */
#define HELD_LOOKS	4

/* IBA vol. 1, 11.6.2: 4.096 us * 2^timeout; 0 is for ever. */
unsigned long ibt_timeout_jiffies(u8 timeout)
{
	if (!timeout)
		return 0;
	return max(nsecs_to_jiffies(4096ULL << (timeout & 0x1f)) + 1, 2UL);
}

/* IBA vol. 1 table 45, in units of 10 us. */
unsigned long ibt_rnr_jiffies(u8 timer)
{
	static const u16 table[32] = {
		[0] = 0,	/* 655.36 ms, one more than fits */
		1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256,
		384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288,
		16384, 24576, 32768, 49152,
	};
	u32 units = table[timer & 0x1f] ?: 65536;

	return usecs_to_jiffies(units * 10) + 1;
}

static bool ibt_timers_alive(const struct ibt_sq *sq)
{
	return sq->state == IB_QPS_RTS || sq->state == IB_QPS_SQD;
}

/*
 * The timer is not moved with every packet: it comes early, looks at the deadline
 * and goes on waiting.
 */
static bool ibt_timers_expired(struct ibt_qp *qp)
{
	struct ibt_sq *sq = &qp->sq;

	lockdep_assert_held(&sq->lock);
	if (!ibt_timers_alive(sq) || !qp->rtx.timeout || !ibt_sq_unanswered(sq))
		return false;
	if ((qp->rtx.held.state == IBT_HELD_HERE || !time_before(jiffies, qp->rtx.deadline)) &&
	    ibt_sq_held(qp)) {
		qp->rtx.deadline = jiffies + ibt_rtx_wait(&qp->rtx);
		mod_timer(&qp->rtx.retry_timer,
			  jiffies + max(qp->rtx.timeout / HELD_LOOKS, 1UL));
		return false;
	}
	if (time_before(jiffies, qp->rtx.deadline)) {
		mod_timer(&qp->rtx.retry_timer, qp->rtx.deadline);
		return false;
	}
	if (ibt_ask_again(qp)) {
		qp->rtx.deadline = jiffies + ibt_rtx_wait(&qp->rtx);
		mod_timer(&qp->rtx.retry_timer, qp->rtx.deadline);
	} else {
		ibt_sq_retry(qp, IBT_RETRY_TIMEOUT);
	}
	return true;
}

static void ibt_retry_fn(struct timer_list *timer)
{
	struct ibt_qp *qp = container_of(timer, struct ibt_qp, rtx.retry_timer);
	bool go;

	spin_lock(&qp->sq.lock);
	go = ibt_timers_expired(qp);
	spin_unlock(&qp->sq.lock);
	if (go)
		ibt_requester(qp);
}

static void ibt_pause_fn(struct timer_list *timer)
{
	struct ibt_qp *qp = container_of(timer, struct ibt_qp, rtx.pause_timer);
	struct ibt_sq *sq = &qp->sq;
	bool go = false;

	spin_lock(&sq->lock);
	/* A longer pause may have begun since: its own timer is on. */
	if (qp->rtx.pause && !time_before(jiffies, qp->rtx.pause_until)) {
		qp->rtx.pause = IBT_NO_PAUSE;
		qp->rtx.deadline = jiffies + ibt_rtx_wait(&qp->rtx);
		go = ibt_timers_alive(sq);
	}
	spin_unlock(&sq->lock);
	if (go)
		ibt_requester(qp);
}

/* The send queue may be full: then no doorbell comes before something has completed. */
static void ibt_hold_fn(struct timer_list *timer)
{
	ibt_requester(container_of(timer, struct ibt_qp, sq.hold.timer));
}

/* Completions that have waited for room in their CQ. */
void ibt_sq_retry_held(struct ibt_qp *qp)
{
	lockdep_assert_held(&qp->sq.lock);
	/* Else they are flushed. */
	if (soft_hold_waits(&qp->sq.hold) && ibt_timers_alive(&qp->sq))
		ibt_sq_complete_wqes(qp);
}

void ibt_timers_init(struct ibt_qp *qp)
{
	timer_setup(&qp->rtx.retry_timer, ibt_retry_fn, 0);
	timer_setup(&qp->rtx.pause_timer, ibt_pause_fn, 0);
	timer_setup(&qp->sq.hold.timer, ibt_hold_fn, 0);
	ibt_early_init(qp);
	ibt_pace_init(qp);
}

/* No timer starts again afterwards. May sleep. */
void ibt_timers_shutdown(struct ibt_qp *qp)
{
	timer_shutdown_sync(&qp->rtx.retry_timer);
	timer_shutdown_sync(&qp->rtx.pause_timer);
	timer_shutdown_sync(&qp->sq.hold.timer);
	hrtimer_cancel(&qp->rtx.early_timer);
	ibt_pace_stop(qp);
}

/* A packet that wants an answer is out. @first: none was without one before. */
void ibt_sq_start_ack_timer(struct ibt_qp *qp, bool first)
{
	struct ibt_sq *sq = &qp->sq;

	lockdep_assert_held(&sq->lock);
	if (!qp->rtx.timeout)
		return;
	if (first)
		qp->rtx.deadline = jiffies + ibt_rtx_wait(&qp->rtx);
	if (!timer_pending(&qp->rtx.retry_timer))
		mod_timer(&qp->rtx.retry_timer, qp->rtx.deadline);
	ibt_early_await(qp, first);
}

/* Send nothing for so long. */
void ibt_sq_delay_send(struct ibt_qp *qp, enum ibt_pause why, unsigned long delay)
{
	struct ibt_sq *sq = &qp->sq;

	lockdep_assert_held(&sq->lock);
	qp->rtx.pause = why;
	qp->rtx.pause_until = jiffies + delay;
	mod_timer(&qp->rtx.pause_timer, qp->rtx.pause_until);
}

/**
 * ibt_sq_reload_path_timers - take over what belongs to the path in use
 * @qp: queue pair
 *
 * A path has retries and a timeout of its own. What has no answer may be lost with
 * the old path, and is retransmitted after the timeout of the new path. A thread
 * that migrates the queue pair does so without sq.lock, so the retries of the old
 * path may be gone when the new path is in use already.
 *
 * Context: sq.lock held.
 *
 * Return: there was a migration since the last call.
 */
bool ibt_sq_reload_path_timers(struct ibt_qp *qp)
{
	/* The timeout is as new: pairs with ibt_qp_migrate(). */
	u32 migrations = smp_load_acquire(&qp->migrations);
	struct ibt_sq *sq = &qp->sq;

	lockdep_assert_held(&sq->lock);
	if (qp->rtx.migrations == migrations)
		return false;
	qp->rtx.migrations = migrations;
	qp->rtx.retries = qp->rtx.retry_cnt;
	qp->rtx.timeout = ibt_timeout_jiffies(READ_ONCE(qp->attr.timeout));
	ibt_rtt_reset(&qp->rtx.rtt, sq->high);
	qp->rtx.deadline = jiffies + qp->rtx.timeout;
	ibt_pace_reset(qp);
	if (ibt_timers_alive(sq) && qp->rtx.timeout && ibt_sq_unanswered(sq))
		mod_timer(&qp->rtx.retry_timer, qp->rtx.deadline);
	return true;
}

/**
 * ibt_sq_migrated - the peer has migrated, and so has this queue pair
 * @qp: queue pair
 *
 * Context: softirqs disabled; sq.lock is taken inside.
 */
void ibt_sq_migrated(struct ibt_qp *qp)
{
	struct ibt_sq *sq = &qp->sq;

	spin_lock(&sq->lock);
	ibt_sq_reload_path_timers(qp);
	spin_unlock(&sq->lock);
}

/**
 * ibt_sq_retry - retransmit what has no answer
 * @qp: queue pair
 * @why: enum ibt_retry_why, but not _RNR
 *
 * When no retries are left the alternate path is tried, if one is armed, or is in
 * use since a moment ago (IBA 17.2.8.1); else the oldest request fails.
 *
 * Context: sq.lock held.
 */
void ibt_sq_retry(struct ibt_qp *qp, u8 why)
{
	struct ibt_sq *sq = &qp->sq;

	lockdep_assert_held(&sq->lock);
	ibt_qp_count(qp, why == IBT_RETRY_TIMEOUT ? IBT_STAT_RETRY_TIMEOUT :
						    IBT_STAT_RETRY_SEQ);
	if (!qp->rtx.retries)
		ibt_qp_migrate(qp);
	if (qp->rtx.retries) {
		qp->rtx.retries--;
	} else if (!ibt_sq_reload_path_timers(qp)) {
		ibt_qp_count(qp, IBT_STAT_RETRY_EXC);
		ibt_wqe_fail(qp, ibt_wqe_at(sq, ibt_sq_oldest(sq)),
			     IB_WC_RETRY_EXC_ERR);
		return;
	}
	if (why == IBT_RETRY_TIMEOUT) {
		qp->rtx.recovery = IBT_PROBING;
		ibt_rtt_unanswered(&qp->rtx.rtt, sq->high);
	} else {
		ibt_rtt_refused(&qp->rtx.rtt, sq->una);
	}
	ibt_pace_lost(qp);
	qp->rtx.window = max(qp->rtx.window / 2, IBT_WINDOW_LEAST);
	trace_ibt_retry(qp, why, sq->una, qp->rtx.retries);
	if (why == IBT_RETRY_NAK)
		ibt_sq_rewind(qp, sq->una);
	else
		ibt_sq_again(qp, why == IBT_RETRY_TIMEOUT);
	qp->rtx.deadline = jiffies + ibt_rtx_wait(&qp->rtx);
	ibt_sq_start_ack_timer(qp, false);
	ibt_early_restart(qp);
}
