// SPDX-License-Identifier: GPL-2.0
/*
 * Moderation of completion events: one event reports several completions. It is raised
 * when their number reaches a limit, or when the first has waited for a given time.
 * Errors are reported at once.
 */
#include "cq.h"

static enum hrtimer_restart soft_cq_moderation_expired(struct hrtimer *timer)
{
	struct soft_cq *cq = container_of(timer, struct soft_cq, late);
	unsigned long flags;
	bool call = false;

	spin_lock_irqsave(&cq->lock, flags);
	if (cq->held && cq->armed) {
		cq->held = 0;
		cq->armed = 0;
		call = soft_cq_notify(cq, true);
	}
	spin_unlock_irqrestore(&cq->lock, flags);
	if (call)
		soft_notify_call(&cq->notify, SOFT_NOTICE_WC);
	return HRTIMER_NORESTART;
}

/**
 * soft_cq_moderation_init - initialize the moderation of a new CQ
 * @cq: not published yet; its events are not moderated
 */
void soft_cq_moderation_init(struct soft_cq *cq)
{
	hrtimer_setup(&cq->late, soft_cq_moderation_expired, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_SOFT);
}

/**
 * soft_cq_moderate - should the event of a new completion be delayed?
 * @cq: armed CQ with moderated events; its lock is held
 *
 * Return: true: the event is raised later, by the timer or by a further completion.
 * False: raise it now.
 */
bool soft_cq_moderate(struct soft_cq *cq)
{
	lockdep_assert_held(&cq->lock);
	if (++cq->held >= cq->most || cq->notify.ended) {
		/* If it expires just now, it finds @held 0, or raises an event early. */
		hrtimer_try_to_cancel(&cq->late);
		return false;
	}
	if (cq->held == 1)
		hrtimer_start(&cq->late, ns_to_ktime(cq->patience * NSEC_PER_USEC),
			      HRTIMER_MODE_REL_SOFT);
	return true;
}

/**
 * soft_modify_cq - ops.modify_cq
 * @ibcq: the CQ
 * @count: completions per event
 * @period: microseconds that the first completion waits at most; if @count or @period
 *	    is 0, each completion raises an event
 *
 * The new values do not apply to an event that is delayed already.
 *
 * Context: process, may sleep. Return: 0.
 */
int soft_modify_cq(struct ib_cq *ibcq, u16 count, u16 period)
{
	struct soft_cq *cq = to_soft_cq(ibcq);

	spin_lock_irq(&cq->lock);
	cq->most = count > 1 && period ? count : 0;
	cq->patience = period;
	spin_unlock_irq(&cq->lock);
	return 0;
}
