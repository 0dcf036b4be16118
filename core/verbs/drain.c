// SPDX-License-Identifier: GPL-2.0
/*
 * Waiting until a QP is done with everything that was posted to it.
 *
 * A QP in Error completes each work request in order, flushed. So: move it
 * there, post one more, and wait for that one to come out. The CQs come from
 * ib_alloc_cq(), have room for one more completion, and the consumer posts
 * nothing meanwhile.
 */
#include <rdma/ib_verbs.h>
#include <trace/events/rdma_core.h>

#include "cq_pool.h"

/* Time that a driver has to report that the SRQ is not used any more. */
#define LAST_WQE_LIMIT	(60 * HZ)
/* Pause between two polls of a CQ that only its consumer polls. */
#define DIRECT_PAUSE	(HZ / 10)

struct marker {
	struct ib_cqe cqe;
	struct completion seen;
};

static void drain_marker_done(struct ib_cq *cq, struct ib_wc *wc)
{
	complete(&container_of(wc->wr_cqe, struct marker, cqe)->seen);
}

static void drain_marker_init(struct marker *marker)
{
	marker->cqe.done = drain_marker_done;
	init_completion(&marker->seen);
}

/* A direct CQ has no poller but its consumer, the caller: so poll it here. */
static void drain_marker_wait(struct marker *marker, struct ib_cq *cq)
{
	if (cq->poll_ctx != IB_POLL_DIRECT)
		wait_for_completion(&marker->seen);
	else
		while (!wait_for_completion_timeout(&marker->seen,
						    DIRECT_PAUSE))
			ib_process_cq_direct(cq, -1);
	trace_cq_drain_complete(cq);
}

static int drain_qp_to_error(struct ib_qp *qp)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_ERR };

	return ib_modify_qp(qp, &attr, IB_QP_STATE);
}

static void drain_sq(struct ib_qp *qp)
{
	struct marker marker;
	struct ib_rdma_wr last = {
		.wr = {
			.opcode = IB_WR_RDMA_WRITE,
			.wr_cqe = &marker.cqe,
		},
	};
	int ret;

	drain_marker_init(&marker);
	ret = drain_qp_to_error(qp);
	if (!ret)
		ret = ib_post_send(qp, &last.wr, NULL);
	if (WARN_ONCE(ret, "a send queue can not be drained: %d\n", ret))
		return;
	drain_marker_wait(&marker, qp->send_cq);
}

static void drain_rq(struct ib_qp *qp)
{
	struct marker marker;
	struct ib_recv_wr last = { .wr_cqe = &marker.cqe };
	int ret;

	drain_marker_init(&marker);
	ret = drain_qp_to_error(qp);
	if (!ret)
		ret = ib_post_recv(qp, &last, NULL);
	if (WARN_ONCE(ret, "a receive queue can not be drained: %d\n", ret))
		return;
	drain_marker_wait(&marker, qp->recv_cq);
}

/*
 * A request that is posted to an SRQ may be taken by another QP, so there is no
 * marker. The event "last WQE reached" says that this QP takes no more; what it
 * took before has completed or lies in the CQ.
 */
static void drain_srq(struct ib_qp *qp)
{
	struct ib_cq *cq = ib_srq_has_cq(qp->srq->srq_type) ?
			   qp->srq->ext.cq : qp->recv_cq;

	if (WARN_ON_ONCE(!cq) || drain_qp_to_error(qp))
		return;
	if (compat_qp_wait_last_wqe(qp, LAST_WQE_LIMIT))
		ofed_cq_settle(cq);
}

/**
 * ib_drain_sq - wait until a send queue has completed all its requests
 * @qp: the QP; in Error afterwards
 *
 * See the head of this file for what the caller sees to. Context: process,
 * sleeps.
 */
void ib_drain_sq(struct ib_qp *qp)
{
	might_sleep();
	if (qp->device->ops.drain_sq)
		qp->device->ops.drain_sq(qp);
	else
		drain_sq(qp);
}
OFED_EXPORT(ib_drain_sq);

/**
 * ib_drain_rq - wait until a receive queue has completed all its requests
 * @qp: the QP, without SRQ; in Error afterwards
 *
 * See the head of this file for what the caller sees to. Context: process,
 * sleeps.
 */
void ib_drain_rq(struct ib_qp *qp)
{
	might_sleep();
	if (qp->device->ops.drain_rq)
		qp->device->ops.drain_rq(qp);
	else
		drain_rq(qp);
}
OFED_EXPORT(ib_drain_rq);

/**
 * ib_drain_qp - wait until a QP has completed all its requests
 * @qp: the QP; in Error afterwards
 *
 * With an SRQ, waits (where the kernel has room for that, for a minute at most)
 * until the QP takes no more from it; what the SRQ holds stays there.
 * Context: process, sleeps.
 */
void ib_drain_qp(struct ib_qp *qp)
{
	ib_drain_sq(qp);
	if (qp->srq)
		drain_srq(qp);
	else
		ib_drain_rq(qp);
}
OFED_EXPORT(ib_drain_qp);
