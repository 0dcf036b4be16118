// SPDX-License-Identifier: GPL-2.0
/* What happens to a queue pair: events, and the way into the error state. */
#include "qp.h"
#include "qp_event.h"
#include "qp_table.h"
#include "trace.h"

/* The reference is the work's, one as long as it is pending. */
static void ibt_qp_queue_work(struct ibt_qp *qp)
{
	if (!ibt_qp_get(qp))
		return;
	if (!queue_work(ibt_qp_dev(qp)->queues.any, &qp->work))
		ibt_qp_put(qp);
}

void ibt_qp_event(struct ibt_qp *qp, enum ib_event_type event)
{
	set_bit(event, &qp->events);
	ibt_qp_queue_work(qp);
}

void ibt_qp_fail(struct ibt_qp *qp, int event)
{
	enum ib_qp_state state = READ_ONCE(qp->state), seen;

	for (;;) {
		/* Nothing is in progress before RTR, and one failure is enough. */
		if (state == IB_QPS_RESET || state == IB_QPS_INIT ||
		    state == IB_QPS_ERR)
			return;
		seen = cmpxchg(&qp->state, state, IB_QPS_ERR);
		if (seen == state)
			break;
		state = seen;
	}
	trace_ibt_qp_state(qp, state, IB_QPS_ERR);
	if (event >= 0)
		set_bit(event, &qp->events);
	ibt_qp_queue_work(qp);
}
