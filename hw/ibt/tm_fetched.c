// SPDX-License-Identifier: GPL-2.0
/* Rendezvous of tag matching: what the responder posted has ended (tm_fetch.c). */
#include "../soft/cq.h"
#include "qp.h"
#include "qp_event.h"
#include "rq.h"
#include "srq.h"
#include "tm_fetch.h"

/**
 * ibt_tm_fetched - complete a tagged buffer for which the responder has read the data, or not
 * @qp: queue pair with a send queue of the responder
 * @wc: completion of a request in it; for a READ wr_id is that of the buffer
 *
 * How a FIN ends makes no difference to the program, which has the data.
 *
 * Context: sq.lock held.
 */
void ibt_tm_fetched(struct ibt_qp *qp, struct ib_wc *wc)
{
	const struct soft_tm_wc tm = { .flags = SOFT_WC_TM_DATA_VALID };

	lockdep_assert_held(&qp->sq.lock);
	if (wc->opcode != IB_WC_RDMA_READ)
		return;
	wc->opcode = SOFT_WC_TM_RECV;
	wc->src_qp = READ_ONCE(qp->attr.dest_qp_num);
	wc->port_num = READ_ONCE(qp->attr.port_num);
	if (soft_cq_post_tm(qp->srq->cq, wc, &tm, true))
		return;
	ibt_srq_broken(qp->srq);
	if (qp->sq.state != IB_QPS_ERR)
		ibt_qp_fail(qp, IB_EVENT_QP_FATAL);
}
