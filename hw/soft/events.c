// SPDX-License-Identifier: GPL-2.0
/*
 * Asynchronous events of queue pairs and SRQs. An event may occur inside of a call of the
 * consumer's, which may hold a lock that its handler takes. So the event is noted as a bit,
 * and a work calls the handler.
 */
#include <linux/bitops.h>
#include <linux/export.h>
#include <rdma/ib_verbs.h>

#include "events.h"

static void soft_events_deliver(struct ib_event *event, unsigned long *pending,
				void (*handler)(struct ib_event *event, void *context),
				void *context)
{
	unsigned int type;

	for_each_set_bit(type, pending, BITS_PER_LONG) {
		clear_bit(type, pending);
		event->event = type;
		if (handler)
			handler(event, context);
	}
}

/**
 * soft_qp_events - hand the pending events of a queue pair to its consumer
 * @qp: the queue pair, which the caller keeps from being destroyed
 * @pending: a bit for each enum ib_event_type; bits are cleared as they are handled
 *
 * Two events of one type that are pending at the same time are one.
 *
 * Context: process, may sleep; no lock held that a consumer's handler may take.
 */
void soft_qp_events(struct ib_qp *qp, unsigned long *pending)
{
	struct ib_event event = { .device = qp->device, .element.qp = qp };

	soft_events_deliver(&event, pending, qp->event_handler, qp->qp_context);
}
EXPORT_SYMBOL_GPL(soft_qp_events);

/**
 * soft_srq_events - hand the pending events of an SRQ to its consumer
 * @srq: the SRQ, which the caller keeps from being destroyed
 * @pending: as of soft_qp_events()
 *
 * Context: as of soft_qp_events().
 */
void soft_srq_events(struct ib_srq *srq, unsigned long *pending)
{
	struct ib_event event = { .device = srq->device, .element.srq = srq };

	soft_events_deliver(&event, pending, srq->event_handler, srq->srq_context);
}
EXPORT_SYMBOL_GPL(soft_srq_events);
