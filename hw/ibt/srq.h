/* SPDX-License-Identifier: GPL-2.0 */
/* Shared receive queues. */
#ifndef IBT_SRQ_H
#define IBT_SRQ_H

#include <linux/mutex.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>

#include "rq.h"

struct ibt_dev;
struct ibt_ref;
struct ibt_tags;
struct soft_cq;

/**
 * struct ibt_srq - shared receive queue
 * @ib: of the core; first
 * @rq: its requests
 * @lock: guards the consumer side, and @limit
 * @limit: raise IB_EVENT_SRQ_LIMIT_REACHED when fewer are left; 0: never
 * @untold: (lock; tag matching) matches without a completion: struct ibt_tm_recv
 * @number: in ibt_dev.srqs
 * @error: nothing can be taken from it anymore
 * @cq: (XRC, tag matching) where its completions go
 * @tags: (lock; tag matching) tagged buffers, NULL: not of this type
 * @life: references
 * @resizing: one resize at a time; outside of @lock
 * @events: IB_EVENT_* bits to raise, by @work
 * @work: raises them
 */
struct ibt_srq {
	struct ib_srq ib;
	struct ibt_rq rq;
	spinlock_t lock;
	u32 limit;
	u32 number;
	bool error;
	struct soft_cq *cq;
	struct ibt_tags *tags;
	struct list_head untold;
	struct ibt_ref *life;
	struct mutex resizing;
	unsigned long events;
	struct work_struct work;
};

static inline struct ibt_srq *to_ibt_srq(struct ib_srq *ib)
{
	return container_of(ib, struct ibt_srq, ib);
}

struct ibt_srq *ibt_srq_find(struct ibt_dev *dev, u32 number);	/* referenced */
void ibt_srq_put(struct ibt_srq *srq);
/* Any context, srq->lock may be held: raise @event from the work. */
void ibt_srq_event(struct ibt_srq *srq, enum ib_event_type event);

extern const struct ib_device_ops ibt_srq_ops;		/* srq.c */

#endif /* IBT_SRQ_H */
