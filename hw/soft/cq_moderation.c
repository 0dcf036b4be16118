// SPDX-License-Identifier: GPL-2.0
/*
 * Moderation of completion events: a consumer that has asked for it is told of several
 * completions at once, or of those that there are when the first has waited for long
 * enough. Errors do not wait.
 */
#include "cq.h"

static enum hrtimer_restart expired(struct hrtimer *timer)
{
	struct soft_cq *cq = container_of(timer, struct soft_cq, late);
	unsigned long flags;
	bool call = false;

	spin_lock_irqsave(&cq->lock, flags);
	if (cq->held && cq->armed) {
		cq->held = 0;
		cq->armed = 0;
		call = soft_cq_tell(cq, true);
	}
	spin_unlock_irqrestore(&cq->lock, flags);
	if (call)
		soft_notify_call(&cq->notify, SOFT_NOTICE_WC);
	return HRTIMER_NORESTART;
}

/**
 * soft_cq_moderation_init - of a CQ that begins
 * @cq: nobody else knows it; its event is not moderated
 */
void soft_cq_moderation_init(struct soft_cq *cq)
{
	hrtimer_init(&cq->late, CLOCK_MONOTONIC, HRTIMER_MODE_REL_SOFT);
	cq->late.function = expired;
}

/**
 * soft_cq_hold - a completion that the consumer waits for has come
 * @cq: (lock held) its events are moderated
 *
 * Return: he is not to be told yet, but when others have come, or in time.
 */
bool soft_cq_hold(struct soft_cq *cq)
{
	lockdep_assert_held(&cq->lock);
	if (++cq->held >= cq->most || cq->notify.ended) {
		/* If it is just expiring it finds nothing held, or tells him early. */
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
 * @count: completions that the consumer wants to be told of at once
 * @period: microseconds that the first of them waits; 0 of either: tell of each
 *
 * What waits already waits as it was asked for before.
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
