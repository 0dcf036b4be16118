// SPDX-License-Identifier: GPL-2.0
/*
 * Packets of a queue pair that has met congestion leave at a rate. What comes too soon waits
 * for a timer, which calls the task that sends it. The timer is no finer than a burst, and
 * what it is late is made up for. A queue pair without a limit has no timer, and looks at no
 * clock.
 */
#include <linux/export.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/module.h>

#include "congestion.h"
#include "link.h"
#include "pkt.h"
#include "qp.h"
#include "requester.h"
#include "rtt.h"

unsigned int ibt_congestion = IBT_CONGESTION_MARKS;
EXPORT_SYMBOL_GPL(ibt_congestion);
module_param_named(congestion, ibt_congestion, uint, 0644);
MODULE_PARM_DESC(congestion,
		 "Slow down: 0 never, 1 where packets are marked (default), 2 where they are lost, too");

/* A burst is what the rate allows in this time, ns: timers much finer cost more than they do. */
#define BURST		(NSEC_PER_MSEC / 2)
/* Packets of one at least. */
#define LEAST_BURST	2
/*
 * A timer that is later than this is made up for in part, ns: a tick of HZ=250, for which a busy
 * processor lets softirqs wait. In a model of four senders with timers up to 5 ms late, they
 * get 0.83 of a port. With 1 ms in place of 4 they get 0.65, with 8 ms no more.
 */
#define LATE		(4 * NSEC_PER_MSEC)

/*
 * A queue is seen where round trips take twice as long as the shortest, and that is no matter
 * of how busy a processor is, ns.
 */
#define QUEUE_TIMES	2
#define QUEUE_LEAST	(NSEC_PER_MSEC / 2)

static u64 ibt_pace_clock(void)
{
	return ktime_get_mono_fast_ns();
}

/* One that fills within a few round trips shows in their deviation before it does in the mean. */
static bool ibt_has_queue(const struct ibt_rtt *rtt)
{
	u64 now = READ_ONCE(rtt->smooth) + 2ULL * READ_ONCE(rtt->vary);

	return now > QUEUE_TIMES * (u64)READ_ONCE(rtt->least) + QUEUE_LEAST;
}

/* Bytes in a second, by what the latest tick that is over has seen. */
static u64 ibt_rate_now(const struct ibt_congestion *c)
{
	return (u64)max(READ_ONCE(c->before), READ_ONCE(c->bytes)) * HZ;
}

static void ibt_pace_begin(struct ibt_congestion *c, u64 now)
{
	lockdep_assert_held(&c->lock);
	ibt_dcqcn_begin(&c->dcqcn, ibt_rate_now(c), now);
	c->next = now;
	WRITE_ONCE(c->limited, true);
}

static void ibt_pace_end(struct ibt_congestion *c)
{
	lockdep_assert_held(&c->lock);
	WRITE_ONCE(c->limited, false);
	WRITE_ONCE(c->before, 0);
	WRITE_ONCE(c->bytes, 0);
}

static void ibt_pace_pass_time(struct ibt_congestion *c, u64 now)
{
	const struct ibt_qp *qp = container_of(c, struct ibt_qp, congestion);

	lockdep_assert_held(&c->lock);
	c->dcqcn.period = READ_ONCE(qp->rtx.rtt.smooth);
	if (!c->limited)
		return;
	ibt_dcqcn(&c->dcqcn, IBT_DCQCN_TIME, now, 0);
	if (!c->dcqcn.rate)
		ibt_pace_end(c);
}

/*
 * Is the mark of a packet another sign than that of the latest cut? A queue that was filled
 * before it may take many periods to empty. Of READ answers nothing says when they arrived.
 */
static bool ibt_is_news(const struct ibt_congestion *c, const struct ibt_sq *sq)
{
	u32 una = READ_ONCE(sq->una);

	lockdep_assert_held(&c->lock);
	return una == READ_ONCE(sq->high) || ibt_psn_diff(una, c->point) >= 0;
}

/**
 * ibt_pace_event - congestion, or a sign of it
 * @qp: queue pair
 * @event: anything but _TIME and _SENT
 *
 * Context: softirqs disabled; sq.lock or resp.lock may be held.
 */
void ibt_pace_event(struct ibt_qp *qp, enum ibt_dcqcn_event event)
{
	struct ibt_congestion *c = &qp->congestion;
	u64 now = ibt_pace_clock();
	u64 cut_at;

	spin_lock(&c->lock);
	ibt_pace_pass_time(c, now);
	if (!c->limited)
		ibt_pace_begin(c, now);
	else if (event == IBT_DCQCN_CNP && !ibt_is_news(c, &qp->sq))
		event = IBT_DCQCN_TIME;
	else
		ibt_dcqcn_used(&c->dcqcn, ibt_rate_now(c));
	cut_at = c->dcqcn.cut_at;
	ibt_dcqcn(&c->dcqcn, event, now, 0);
	if (c->dcqcn.cut_at != cut_at)
		c->point = READ_ONCE(qp->sq.high);
	spin_unlock(&c->lock);
}

/**
 * ibt_pace_lost - packets have to be sent again
 * @qp: queue pair
 *
 * Context: sq.lock or resp.lock held.
 */
void ibt_pace_lost(struct ibt_qp *qp)
{
	unsigned int mode = READ_ONCE(ibt_congestion);

	/*
	 * A loss alone says little: a processor that is held makes an answer late, too, and a
	 * bad wire loses packets at any rate. Behind a mark it is a queue that overflows.
	 */
	if (mode >= IBT_CONGESTION_LOSSES ||
	    (mode && READ_ONCE(qp->congestion.limited)))
		ibt_pace_event(qp, ibt_has_queue(&qp->rtx.rtt) ? IBT_DCQCN_QUEUE :
							    IBT_DCQCN_LOSS);
}

static void ibt_pace_wait(struct ibt_congestion *c, u64 delay, u8 what)
{
	lockdep_assert_held(&c->lock);
	WRITE_ONCE(c->waiting, c->waiting | what);
	if (!hrtimer_is_queued(&c->timer))
		hrtimer_start(&c->timer, ns_to_ktime(max_t(u64, delay, BURST / 2)),
			      HRTIMER_MODE_REL_SOFT);
}

/**
 * ibt_pace_due - may packets of a queue pair that has a limit be sent now?
 * @qp: queue pair
 * @what: IBT_PACE_REQUESTS, sq.lock is held, or IBT_PACE_ANSWERS, resp.lock is
 *
 * Context: softirqs disabled.
 *
 * Return: false: their task is called when they may.
 */
bool ibt_pace_due(struct ibt_qp *qp, u8 what)
{
	struct ibt_congestion *c = &qp->congestion;
	u64 now = ibt_pace_clock();
	bool due;

	spin_lock(&c->lock);
	ibt_pace_pass_time(c, now);
	due = !c->limited || (s64)(c->next - now) <= 0;
	if (due)
		WRITE_ONCE(c->waiting, c->waiting & ~what);
	else
		ibt_pace_wait(c, c->next - now, what);
	spin_unlock(&c->lock);
	return due;
}

/**
 * ibt_pace_burst - how many packets may leave at once
 * @qp: queue pair, for which ibt_pace_ok() has said that some may
 *
 * Context: softirqs disabled.
 *
 * Return: the number, of full packets.
 */
u32 ibt_pace_burst(struct ibt_qp *qp)
{
	struct ibt_congestion *c = &qp->congestion;
	u64 rate;

	if (likely(!READ_ONCE(c->limited)))
		return U32_MAX;
	/* Half a word would do no harm: each is a rate. */
	rate = READ_ONCE(c->dcqcn.rate) ?: IBT_RATE_MOST;
	return max_t(u64, div_u64(rate * BURST / NSEC_PER_SEC, qp->mtu),
		     LEAST_BURST);
}

/**
 * ibt_pace_charge - packets of a queue pair that has a limit have left
 * @congestion: of the queue pair
 * @bytes: of them
 *
 * Context: softirqs disabled.
 */
void ibt_pace_charge(struct ibt_congestion *congestion, u32 bytes)
{
	struct ibt_congestion *c = congestion;
	u64 now = ibt_pace_clock();

	spin_lock(&c->lock);
	ibt_pace_pass_time(c, now);
	if (c->limited) {
		if ((s64)(now - LATE - c->next) > 0)
			c->next = now - LATE;
		c->next += div64_u64((u64)bytes * NSEC_PER_SEC, c->dcqcn.rate);
		ibt_dcqcn(&c->dcqcn, IBT_DCQCN_SENT, now, bytes);
		if (!c->dcqcn.rate)
			ibt_pace_end(c);
	}
	spin_unlock(&c->lock);
}

static enum hrtimer_restart ibt_pace_expired(struct hrtimer *timer)
{
	struct ibt_congestion *c = container_of(timer, struct ibt_congestion, timer);
	struct ibt_qp *qp = container_of(c, struct ibt_qp, congestion);
	u8 waiting;

	spin_lock(&c->lock);
	waiting = c->waiting;
	WRITE_ONCE(c->waiting, 0);
	spin_unlock(&c->lock);
	if (waiting & IBT_PACE_REQUESTS)
		ibt_requester(qp);
	if (waiting & IBT_PACE_ANSWERS)
		soft_task_call(&qp->resp.task, SOFT_ROUNDS_TIMER);
	return HRTIMER_NORESTART;
}

/**
 * ibt_pace_reset - begin anew, for another connection or path
 * @qp: queue pair
 *
 * Context: softirqs disabled; sq.lock held.
 */
void ibt_pace_reset(struct ibt_qp *qp)
{
	struct ibt_congestion *c = &qp->congestion;

	spin_lock(&c->lock);
	ibt_pace_end(c);
	spin_unlock(&c->lock);
}

void ibt_pace_init(struct ibt_qp *qp)
{
	struct ibt_congestion *c = &qp->congestion;

	spin_lock_init(&c->lock);
	hrtimer_setup(&c->timer, ibt_pace_expired, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_SOFT);
}

/**
 * ibt_pace_stop - call no task any more
 * @qp: queue pair, one side of which sends nothing from now on
 *
 * The other one may start the timer again.
 *
 * Context: process, sleeps; no lock is held.
 */
void ibt_pace_stop(struct ibt_qp *qp)
{
	struct ibt_congestion *c = &qp->congestion;

	hrtimer_cancel(&c->timer);
	spin_lock_bh(&c->lock);
	WRITE_ONCE(c->waiting, 0);
	spin_unlock_bh(&c->lock);
}
