// SPDX-License-Identifier: GPL-2.0
/*
 * Calls of the consumer of a completion queue: never with the CQ's lock held, and one
 * at a time. A kernel consumer is called by a tasklet, so never from the chain of a
 * call of its own.
 */
#include <linux/export.h>

#include "notify.h"

static void soft_notify_consumer(struct ib_cq *cq, u8 notices)
{
	struct ib_event event = {
		.device = cq->device,
		.element.cq = cq,
		.event = IB_EVENT_CQ_ERR,
	};

	if (notices & SOFT_NOTICE_WC && cq->comp_handler)
		cq->comp_handler(cq, cq->cq_context);
	if (notices & SOFT_NOTICE_ERROR && cq->event_handler)
		cq->event_handler(&event, cq->cq_context);
}

/* What was asked for during the call is the tasklet's. */
static void soft_notify_finish(struct soft_notify *n)
{
	unsigned long flags;

	spin_lock_irqsave(n->lock, flags);
	n->calling = false;
	if (n->ended)
		wake_up(&n->idle);
	else if (n->pending)
		tasklet_schedule(&n->tasklet);
	spin_unlock_irqrestore(n->lock, flags);
}

/* 0: there is nothing to tell, or a call goes on, and its end comes back here. */
static u8 soft_notify_claim(struct soft_notify *n)
{
	unsigned long flags;
	u8 notices = 0;

	spin_lock_irqsave(n->lock, flags);
	if (!n->calling && !n->ended) {
		swap(notices, n->pending);
		n->calling = notices;
	}
	spin_unlock_irqrestore(n->lock, flags);
	return notices;
}

static void soft_notify_notify(struct tasklet_struct *tasklet)
{
	struct soft_notify *n = from_tasklet(n, tasklet, tasklet);
	u8 notices = soft_notify_claim(n);

	if (!notices)
		return;
	soft_notify_consumer(n->cq, notices);
	soft_notify_finish(n);
}

/**
 * soft_notify_init - a CQ begins
 * @n: filled in
 * @cq: of the core
 * @lock: of the CQ
 */
void soft_notify_init(struct soft_notify *n, struct ib_cq *cq, spinlock_t *lock)
{
	n->cq = cq;
	n->lock = lock;
	n->pending = 0;
	n->calling = false;
	n->ended = false;
	init_waitqueue_head(&n->idle);
	tasklet_setup(&n->tasklet, soft_notify_notify);
}
EXPORT_SYMBOL_GPL(soft_notify_init);

/**
 * soft_notify_ask - there is something to tell the consumer
 * @n: of the CQ; its lock is held
 * @notice: what
 * @now: the caller can call the handler: of a program only, as that of ib_uverbs queues
 *	 an event, wakes, and calls no device
 *
 * Context: any.
 *
 * Return: true: the caller releases the lock, then calls soft_notify_call(). False:
 * it is taken care of.
 */
bool soft_notify_ask(struct soft_notify *n, enum soft_notice notice, bool now)
{
	lockdep_assert_held(n->lock);
	if (n->ended)
		return false;
	if (now && !n->calling) {
		n->pending &= ~notice;
		n->calling = true;
		return true;
	}
	n->pending |= notice;
	if (!n->calling)
		tasklet_schedule(&n->tasklet);
	return false;
}
EXPORT_SYMBOL_GPL(soft_notify_ask);

/**
 * soft_notify_call - call the handler of a program, as soft_notify_ask() says
 * @n: of the CQ; its lock is not held
 * @notice: as for soft_notify_ask()
 *
 * Context: any. Locks of the transport may be held.
 */
void soft_notify_call(struct soft_notify *n, enum soft_notice notice)
{
	soft_notify_consumer(n->cq, notice);
	soft_notify_finish(n);
}
EXPORT_SYMBOL_GPL(soft_notify_call);

/**
 * soft_notify_end - the consumer is not called any more
 * @n: of the CQ; its lock is not held
 *
 * Waits for the call that runs. May be called again.
 *
 * Context: process, may sleep.
 */
void soft_notify_end(struct soft_notify *n)
{
	might_sleep();
	spin_lock_irq(n->lock);
	n->ended = true;
	wait_event_lock_irq(n->idle, !n->calling, *n->lock);
	spin_unlock_irq(n->lock);
	tasklet_kill(&n->tasklet);
}
EXPORT_SYMBOL_GPL(soft_notify_end);
