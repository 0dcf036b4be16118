/* SPDX-License-Identifier: GPL-2.0 */
/* Calls of the consumer of a CQ. */
#ifndef OFED_SOFT_NOTIFY_H
#define OFED_SOFT_NOTIFY_H

#include <linux/interrupt.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <rdma/ib_verbs.h>

/* What the consumer of a CQ is told of. */
enum soft_notice {
	SOFT_NOTICE_WC		= BIT(0),	/* a completion that it waits for */
	SOFT_NOTICE_ERROR	= BIT(1),	/* one is lost: IB_EVENT_CQ_ERR */
};

/**
 * struct soft_notify - calls of the consumer of a CQ
 * @cq: of the core
 * @lock: of the CQ; guards the rest
 * @pending: enum soft_notice: what @tasklet is to tell
 * @calling: a handler runs. There is one at a time
 * @ended: the consumer is not called any more
 * @idle: for soft_notify_end(), until @calling ends
 * @tasklet: calls the consumer
 */
struct soft_notify {
	struct ib_cq *cq;
	spinlock_t *lock;
	u8 pending;
	bool calling;
	bool ended;
	wait_queue_head_t idle;
	struct tasklet_struct tasklet;
};

void soft_notify_init(struct soft_notify *n, struct ib_cq *cq, spinlock_t *lock);
bool soft_notify_ask(struct soft_notify *n, enum soft_notice notice, bool now);
void soft_notify_call(struct soft_notify *n, enum soft_notice notice);
void soft_notify_end(struct soft_notify *n);

#endif /* OFED_SOFT_NOTIFY_H */
