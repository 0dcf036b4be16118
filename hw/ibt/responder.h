/* SPDX-License-Identifier: GPL-2.0 */
/* Request packets of a connected queue pair. */
#ifndef IBT_RESPONDER_H
#define IBT_RESPONDER_H

#include "../soft/ring.h"
#include "../soft/task.h"
#include "qp.h"

struct ibt_pkt;
struct sk_buff;

/* Go on with what waits: a round of resp.task. */
enum soft_task_left ibt_resp_run(struct ibt_qp *qp);
/* A request; nothing that came before it lies in the inbox. resp.lock held. */
void ibt_resp_receive(struct ibt_qp *qp, const struct ibt_pkt *pkt,
		      struct sk_buff *skb);

/* Go on with what waits, from a work: at once, or after @delay. resp.lock held. */
static inline void ibt_resp_schedule(struct ibt_qp *qp, unsigned long delay)
{
	lockdep_assert_held(&qp->resp.lock);
	if (delay)
		mod_delayed_work(ibt_qp_dev(qp)->queues.any, &qp->resp.work, delay);
	else
		soft_task_queue(&qp->resp.task);
}

/* User space may have posted receives in the error state. Any context. */
static inline void ibt_resp_check_flush(struct ibt_qp *qp)
{
	if (READ_ONCE(qp->resp.state) == IB_QPS_ERR && qp->rq.ring.buf &&
	    soft_ring_ready(&qp->rq.ring))
		soft_task_queue(&qp->resp.task);
}

#endif /* IBT_RESPONDER_H */
