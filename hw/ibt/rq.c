// SPDX-License-Identifier: GPL-2.0
/*
 * Receive queues: rings of struct rxe_recv_wqe, written by post_recv() or by user space
 * itself. A WQE of a ring that user space maps is copied once, then checked, then used.
 */
#include "../soft/cq.h"
#include "../soft/ring.h"
#include "dev.h"
#include "limits.h"
#include "msg.h"
#include "opcode.h"
#include "qp.h"
#include "qp_counter.h"
#include "qp_event.h"
#include "resp.h"
#include "responder.h"
#include "rq.h"
#include "srq.h"
#include "stats.h"
#include "tag_match.h"
#include "tm_tell.h"
#include "wire.h"

static_assert(sizeof(struct rxe_sge) == sizeof(struct ib_sge));

/* ---- rings ------------------------------------------------------------------- */

static u32 ibt_element_bytes(u32 max_sge)
{
	return sizeof(struct rxe_recv_wqe) + max_sge * sizeof(struct rxe_sge);
}

int ibt_rq_create(struct ibt_rq *rq, u32 max_wr, u32 max_sge,
		  struct ib_ucontext *ucontext, struct mminfo *info)
{
	spin_lock_init(&rq->post_lock);
	rq->max_wr = max_wr;
	rq->max_sge = max_sge;
	/* librxe maps the ring in any case, so even an empty queue has one. */
	return soft_ring_alloc(&rq->ring, max(max_wr, 1U),
			       ibt_element_bytes(max_sge), ucontext, info);
}

void ibt_rq_destroy(struct ibt_rq *rq)
{
	soft_ring_free(&rq->ring);
}

/* ---- posting by kernel consumers ----------------------------------------------- */

static int ibt_post_one(struct ibt_rq *rq, const struct ib_recv_wr *wr)
{
	struct rxe_recv_wqe *wqe;
	u64 total = 0;
	int i;

	lockdep_assert_held(&rq->post_lock);
	if (wr->num_sge < 0 || (u32)wr->num_sge > rq->max_sge)
		return -EINVAL;
	if (!soft_ring_room(&rq->ring))
		return -ENOMEM;
	for (i = 0; i < wr->num_sge; i++)
		total += wr->sg_list[i].length;
	if (total > IBT_MAX_MSG_BYTES)
		return -EINVAL;

	wqe = soft_ring_at(&rq->ring, rq->ring.prod);
	wqe->wr_id = wr->wr_id;
	wqe->dma.length = total;
	wqe->dma.num_sge = wr->num_sge;
	memcpy(wqe->dma.sge, wr->sg_list, wr->num_sge * sizeof(*wr->sg_list));
	soft_ring_produce(&rq->ring);
	return 0;
}

static int ibt_rq_post_list(struct ibt_rq *rq, const struct ib_recv_wr *wr,
			    const struct ib_recv_wr **bad)
{
	unsigned long flags;
	int ret = 0;

	spin_lock_irqsave(&rq->post_lock, flags);
	for (; wr; wr = wr->next) {
		ret = ibt_post_one(rq, wr);
		if (ret) {
			*bad = wr;
			break;
		}
	}
	spin_unlock_irqrestore(&rq->post_lock, flags);
	return ret;
}

/**
 * ibt_post_recv - op post_recv
 * @ib: queue pair with a receive queue of its own
 * @wr: list of work requests
 * @bad: out, on failure: the first work request that was not posted
 *
 * In the error state a work request is accepted, and flushed.
 *
 * Context: any, with interrupts disabled too.
 *
 * Return: 0; -EINVAL: wrong state, too many SGEs or bytes, no such queue;
 * -ENOMEM: the queue is full.
 */
int ibt_post_recv(struct ib_qp *ib, const struct ib_recv_wr *wr,
		  const struct ib_recv_wr **bad)
{
	struct ibt_qp *qp = to_ibt_qp(ib);
	int ret;

	*bad = wr;
	/* The only producer of a mapped ring is the program. */
	if (!qp->rq.ring.buf || qp->rq.ring.map ||
	    READ_ONCE(qp->resp.state) == IB_QPS_RESET)
		return -EINVAL;
	ret = ibt_rq_post_list(&qp->rq, wr, bad);
	/*
	 * The WQE is posted before the state is read. The thread that sets the error state
	 * sets it before it reads the queue, so one of the two flushes the WQE. Pairs
	 * with ibt_resp_flush().
	 */
	smp_mb();
	ibt_resp_check_flush(qp);
	return ret;
}

/**
 * ibt_post_srq_recv - op post_srq_recv
 * @ib: shared receive queue
 * @wr: list of work requests
 * @bad: out, on failure: the first work request that was not posted
 *
 * Context: any, with interrupts disabled too.
 *
 * Return: 0; -EINVAL: too many SGEs or bytes; -ENOMEM: the queue is full.
 */
int ibt_post_srq_recv(struct ib_srq *ib, const struct ib_recv_wr *wr,
		      const struct ib_recv_wr **bad)
{
	struct ibt_srq *srq = to_ibt_srq(ib);

	*bad = wr;
	if (srq->rq.ring.map)
		return -EINVAL;
	return ibt_rq_post_list(&srq->rq, wr, bad);
}

/* ---- taking ---------------------------------------------------------------------- */

/* False: the WQE is invalid, and only @recv->wr_id is set. */
static bool ibt_copy_element(const struct ibt_rq *rq,
			     const struct rxe_recv_wqe *wqe, struct ibt_recv *recv)
{
	u32 num = READ_ONCE(wqe->dma.num_sge);
	u64 total = 0;
	u32 i;

	recv->wr_id = READ_ONCE(wqe->wr_id);
	recv->num_sge = 0;
	recv->length = 0;
	if (num > rq->max_sge || num > recv->room)
		return false;
	for (i = 0; i < num; i++) {
		const struct rxe_sge *from = &wqe->dma.sge[i];
		struct ib_sge *sge = &recv->sge[i];

		sge->addr = READ_ONCE(from->addr);
		sge->length = READ_ONCE(from->length);
		sge->lkey = READ_ONCE(from->lkey);
		total += sge->length;
	}
	if (total > IBT_MAX_MSG_BYTES)
		return false;
	recv->num_sge = num;
	recv->length = total;
	return true;
}

bool ibt_rq_peek_one(const struct ibt_rq *rq, u64 *wr_id, struct ib_sge *sge)
{
	const struct rxe_recv_wqe *wqe;

	if (!rq->ring.buf || !rq->max_sge || !soft_ring_ready(&rq->ring))
		return false;
	wqe = soft_ring_at(&rq->ring, rq->ring.cons);
	if (READ_ONCE(wqe->dma.num_sge) != 1)
		return false;
	*wr_id = READ_ONCE(wqe->wr_id);
	sge->addr = READ_ONCE(wqe->dma.sge[0].addr);
	sge->length = READ_ONCE(wqe->dma.sge[0].length);
	sge->lkey = READ_ONCE(wqe->dma.sge[0].lkey);
	return sge->length <= IBT_MAX_MSG_BYTES;
}

/* The consumer side lock is held: resp.lock of a QP, srq->lock of an SRQ. */
static enum ibt_exec_status ibt_take_one(struct ibt_rq *rq, struct ibt_recv *recv,
					 u32 bytes)
{
	bool good;

	if (!soft_ring_ready(&rq->ring))
		return IBT_RNR;
	good = ibt_copy_element(rq, soft_ring_at(&rq->ring, rq->ring.cons), recv);
	if (good && recv->length < bytes)
		return IBT_EXEC_INV_REQ;
	soft_ring_consume(&rq->ring);
	return good ? IBT_EXEC_OK : IBT_EXEC_REM_OP;
}

static enum ibt_exec_status ibt_take_shared(struct ibt_srq *srq, struct ibt_recv *recv,
					    u32 bytes)
{
	enum ibt_exec_status verdict;
	unsigned long flags;

	spin_lock_irqsave(&srq->lock, flags);
	verdict = ibt_take_one(&srq->rq, recv, bytes);
	if (srq->limit && soft_ring_ready(&srq->rq.ring) < srq->limit) {
		srq->limit = 0;
		ibt_srq_event(srq, IB_EVENT_SRQ_LIMIT_REACHED);
	}
	spin_unlock_irqrestore(&srq->lock, flags);
	return verdict;
}

struct ibt_srq *ibt_rq_srq(struct ibt_qp *qp, u32 srqn)
{
	struct ibt_srq *srq;

	if (qp->transport != IBT_XRC)
		return qp->srq;
	srq = ibt_srq_find(ibt_qp_dev(qp), srqn);
	if (srq && (srq->ib.srq_type != IB_SRQT_XRC ||
		    srq->ib.ext.xrc.xrcd != qp->ib.xrcd)) {
		ibt_srq_put(srq);
		srq = NULL;
	}
	return srq;
}

void ibt_rq_srq_put(struct ibt_qp *qp, struct ibt_srq *srq)
{
	if (qp->transport == IBT_XRC && srq)
		ibt_srq_put(srq);
}

/*
 * Takes a WQE for @qp. It completes in order, or is flushed; when @recv is
 * qp->resp.recv it stays there until then.
 */
enum ibt_exec_status ibt_rq_take(struct ibt_qp *qp, struct ibt_srq *srq,
				 struct ibt_recv *recv, u32 bytes)
{
	enum ibt_exec_status verdict = IBT_RNR;
	struct ib_wc wc = {
		.status = IB_WC_LOC_QP_OP_ERR,
		.opcode = IB_WC_RECV,
	};

	lockdep_assert_held(&qp->resp.lock);
	/* IBA 11.6.3.1: an SRQ in the error state gets no WQEs, so RNR would not end. */
	if (srq && READ_ONCE(srq->error)) {
		ibt_qp_fail(qp, IB_EVENT_QP_FATAL);
		return IBT_EXEC_REM_OP;
	}
	if (srq)
		verdict = ibt_take_shared(srq, recv, bytes);
	else if (qp->rq.ring.buf)
		verdict = ibt_take_one(&qp->rq, recv, bytes);
	if (verdict == IBT_EXEC_REM_OP) {
		wc.wr_id = recv->wr_id;
		ibt_rq_complete(qp, srq, &wc, true);
		qp->resp.told = true;
	}
	return verdict;
}

/* ---- completing --------------------------------------------------------------------- */

/* IBA 11.6.3.1: completions of the SRQ can not be reported any more. */
void ibt_srq_broken(struct ibt_srq *srq)
{
	unsigned long flags;

	spin_lock_irqsave(&srq->lock, flags);
	if (!srq->error) {
		WRITE_ONCE(srq->error, true);
		ibt_srq_event(srq, IB_EVENT_SRQ_ERR);
	}
	spin_unlock_irqrestore(&srq->lock, flags);
}

void ibt_rq_overrun(struct ibt_qp *qp, struct ibt_srq *srq)
{
	/* IBA 10.2.7: when a CQ overflows its queue pairs fail. */
	ibt_qp_count(qp, IBT_STAT_CQ_OVERRUN);
	if (srq && srq->cq)
		ibt_srq_broken(srq);
	ibt_qp_fail(qp, IB_EVENT_QP_FATAL);
}

void ibt_rq_complete(struct ibt_qp *qp, struct ibt_srq *srq, struct ib_wc *wc,
		     bool solicited)
{
	struct soft_cq *cq = srq && srq->cq ? srq->cq : qp->recv_cq;

	lockdep_assert_held(&qp->resp.lock);
	if (!cq)
		return;
	wc->qp = &qp->ib;
	wc->port_num = READ_ONCE(qp->attr.port_num);
	if (!soft_cq_post(cq, wc, solicited))
		ibt_rq_overrun(qp, srq);
}

void ibt_rq_forget_tag(struct ibt_qp *qp, struct ibt_srq *srq)
{
	struct ibt_tm_recv *tm = &qp->resp.tm;
	unsigned long flags;
	bool told = true;

	lockdep_assert_held(&qp->resp.lock);
	if (!tm->kind)
		return;
	spin_lock_irqsave(&srq->lock, flags);
	if (tm->kind == IBT_TM_UNEXPECTED)
		ibt_tags_unexpected_lost(srq->tags);
	else if (!list_empty(&tm->untold))
		told = ibt_tm_tell(tm);
	spin_unlock_irqrestore(&srq->lock, flags);
	tm->kind = IBT_TM_NONE;
	if (!told)
		ibt_rq_overrun(qp, srq);
}

void ibt_rq_error(struct ibt_qp *qp, struct ibt_srq *srq,
		  enum ib_wc_status status)
{
	struct ibt_resp *resp = &qp->resp;
	struct ib_wc wc = {
		.wr_id = resp->recv->wr_id,
		.status = status,
		.opcode = IB_WC_RECV,
	};

	if (!resp->has_rwqe)
		return;
	resp->has_rwqe = false;
	resp->told = true;
	ibt_rq_forget_tag(qp, srq);
	ibt_rq_complete(qp, srq, &wc, true);
}

static void ibt_flush_taken(struct ibt_qp *qp)
{
	struct ibt_srq *srq;

	if (!qp->resp.has_rwqe)
		return;
	srq = ibt_rq_srq(qp, qp->resp.recv_srqn);
	ibt_rq_error(qp, srq, IB_WC_WR_FLUSH_ERR);
	ibt_rq_srq_put(qp, srq);
	qp->resp.has_rwqe = false;
}

bool ibt_rq_flush_some(struct ibt_qp *qp, u32 budget)
{
	struct soft_ring *ring = &qp->rq.ring;
	const struct rxe_recv_wqe *wqe;

	lockdep_assert_held(&qp->resp.lock);
	ibt_flush_taken(qp);
	if (!ring->buf)
		return false;
	while (soft_ring_ready(ring)) {
		struct ib_wc wc = {
			.status = IB_WC_WR_FLUSH_ERR,
			.opcode = IB_WC_RECV,
		};

		if (!budget--)
			return true;
		wqe = soft_ring_at(ring, ring->cons);
		wc.wr_id = READ_ONCE(wqe->wr_id);
		soft_ring_consume(ring);
		ibt_rq_complete(qp, NULL, &wc, true);
	}
	return false;
}

/* Posts a WQE again at the end of a kernel SRQ, for other queue pairs. */
static void ibt_give_back(struct ibt_srq *srq, struct ibt_recv *recv)
{
	struct ib_recv_wr wr = {
		.wr_id = recv->wr_id,
		.sg_list = recv->sge,
		.num_sge = recv->num_sge,
	};
	unsigned long flags;

	spin_lock_irqsave(&srq->rq.post_lock, flags);
	ibt_post_one(&srq->rq, &wr);
	spin_unlock_irqrestore(&srq->rq.post_lock, flags);
}

/*
 * Gives back a WQE that the queue pair has taken from an SRQ and not completed. In the
 * ring of user space only the program may post, so the WQE completes with a flush error.
 * A kernel consumer does not expect a completion for a queue pair that it is destroying,
 * so the WQE returns to the SRQ.
 */
void ibt_rq_release(struct ibt_qp *qp)
{
	struct ibt_resp *resp = &qp->resp;
	struct ibt_srq *srq;

	lockdep_assert_held(&resp->lock);
	if (!resp->has_rwqe || qp->rq.ring.buf)
		goto out;
	srq = ibt_rq_srq(qp, resp->recv_srqn);
	if (srq && srq->rq.ring.map)
		ibt_rq_error(qp, srq, IB_WC_WR_FLUSH_ERR);
	else if (srq)
		ibt_give_back(srq, resp->recv);
	ibt_rq_srq_put(qp, srq);
out:
	resp->has_rwqe = false;
}

void ibt_rq_reset(struct ibt_qp *qp)
{
	struct soft_ring *ring = &qp->rq.ring;
	u32 left;

	lockdep_assert_held(&qp->resp.lock);
	ibt_rq_release(qp);
	if (!ring->buf)
		return;
	/* Bounded by the size of the ring, because user space may post meanwhile. */
	for (left = ring->mask; left && soft_ring_ready(ring); left--)
		soft_ring_consume(ring);
}
