// SPDX-License-Identifier: GPL-2.0
/* Doorbells that a library rings without a call (../soft/poller.h). */
#include "page_bell.h"
#include "pkt.h"
#include "qp.h"
#include "requester.h"
#include "responder.h"
#include "sq.h"

/*
 * Of a queue pair without WQEs, or in a state that takes no requests, nothing is sent: the
 * library calls for the first request, and is told of the state by the call.
 */
static void ibt_page_bell(struct soft_bell *bell)
{
	struct ibt_qp *qp = container_of(bell, struct ibt_qp, page_bell);
	enum ib_qp_state state = READ_ONCE(qp->sq.state);

	if (!READ_ONCE(qp->sq.wqes) || !ibt_state_takes(state))
		return;
	/* Receives that were posted after the error wait to be looked at, too. */
	if (state == IB_QPS_ERR)
		ibt_resp_check_flush(qp);
	/* One of many that a timer serves: a work sends, not this softirq. */
	if (in_serving_softirq())
		ibt_sq_schedule(qp);
	else
		ibt_requester(qp);
}

/**
 * ibt_page_bell_create - a doorbell for a new queue pair
 * @qp: queue pair
 * @ucontext: of its program, NULL: it is the kernel's
 *
 * Context: process.
 *
 * Return: 1 + number of the doorbell; 0: it has none.
 */
u32 ibt_page_bell_create(struct ibt_qp *qp, struct ib_ucontext *ucontext)
{
	if (!ibt_sq_is_user(&qp->sq))
		return 0;
	return soft_bell_add(ucontext, &qp->page_bell, ibt_page_bell);
}
