/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A kernel consumer with a lock of its own: it holds it in each call of the device, and
 * its handlers take it, poll, ask to be called again, and post.
 */
#ifndef CONSUMER_H
#define CONSUMER_H

#include <linux/completion.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <rdma/ib_verbs.h>

/**
 * struct consumer - what it does, and what it sees
 * @lock: see above
 * @owner: of @lock, in a call of the device
 * @post: posts a request with this wr_id
 * @wanted: requests
 * @again: the handler posts for each that is done
 * @posted: so far
 * @done: completions, in their order
 * @failed: what was not as expected
 * @nested: handlers called in a call of the device
 * @events: asynchronous ones
 * @over: all that is wanted is done, or an event has come
 */
struct consumer {
	spinlock_t lock;
	struct task_struct *owner;
	int (*post)(u64 id);
	int wanted;
	bool again;
	int posted;
	int done;
	int failed;
	int nested;
	int events;
	struct completion over;
};

/* Requests without a completion, at most. */
#define CONSUMER_DEPTH	16

static inline void consumer_init(struct consumer *c, int (*post)(u64 id), int wanted)
{
	memset(c, 0, sizeof(*c));
	spin_lock_init(&c->lock);
	init_completion(&c->over);
	c->post = post;
	c->wanted = wanted;
}

/* To take the lock would be for ever. */
static inline bool consumer_nested(struct consumer *c)
{
	if (READ_ONCE(c->owner) != current)
		return false;
	c->nested++;
	complete(&c->over);
	return true;
}

static inline void consumer_post_locked(struct consumer *c)
{
	lockdep_assert_held(&c->lock);
	c->failed += !!c->post(c->posted);
	c->posted++;
}

static inline void consumer_poll_locked(struct consumer *c, struct ib_cq *cq)
{
	struct ib_wc wc;

	lockdep_assert_held(&c->lock);
	do {
		while (ib_poll_cq(cq, 1, &wc) == 1) {
			c->failed += wc.status != IB_WC_SUCCESS ||
				     wc.wr_id != c->done;
			c->done++;
			if (c->again && c->posted < c->wanted)
				consumer_post_locked(c);
		}
	} while (ib_req_notify_cq(cq, IB_CQ_NEXT_COMP |
				      IB_CQ_REPORT_MISSED_EVENTS) > 0);
}

/* Handlers; the consumer is their context. */
static inline void consumer_on_completion(struct ib_cq *cq, void *context)
{
	struct consumer *c = context;
	unsigned long flags;

	if (consumer_nested(c))
		return;
	spin_lock_irqsave(&c->lock, flags);
	consumer_poll_locked(c, cq);
	if (c->done >= c->wanted)
		complete(&c->over);
	spin_unlock_irqrestore(&c->lock, flags);
}

static inline void consumer_on_event(struct ib_event *event, void *context)
{
	struct consumer *c = context;
	unsigned long flags;

	if (consumer_nested(c))
		return;
	spin_lock_irqsave(&c->lock, flags);
	c->events++;
	spin_unlock_irqrestore(&c->lock, flags);
	complete(&c->over);
}

static inline void consumer_attach(struct consumer *c, struct ib_cq *cq, struct ib_qp *qp)
{
	cq->cq_context = c;
	cq->event_handler = consumer_on_event;
	cq->comp_handler = consumer_on_completion;
	qp->qp_context = c;
	qp->event_handler = consumer_on_event;
}

/* One after the other, with softirqs disabled; the handler is behind by a few at most. */
static inline void consumer_post_all(struct consumer *c)
{
	while (c->posted < c->wanted && !c->nested) {
		spin_lock_bh(&c->lock);
		c->owner = current;
		if (c->posted - c->done < CONSUMER_DEPTH)
			consumer_post_locked(c);
		c->owner = NULL;
		spin_unlock_bh(&c->lock);
		cond_resched();
	}
}

/* A few at once, with interrupts disabled; the handler posts the others. */
static inline void consumer_post_first(struct consumer *c, struct ib_cq *cq)
{
	unsigned long flags;
	int i;

	c->again = true;
	spin_lock_irqsave(&c->lock, flags);
	c->owner = current;
	ib_req_notify_cq(cq, IB_CQ_NEXT_COMP);
	for (i = 0; i < CONSUMER_DEPTH; i++)
		consumer_post_locked(c);
	c->owner = NULL;
	spin_unlock_irqrestore(&c->lock, flags);
}

static inline bool consumer_over(struct consumer *c)
{
	return wait_for_completion_timeout(&c->over, 20 * HZ);
}

#endif /* CONSUMER_H */
