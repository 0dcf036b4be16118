/* SPDX-License-Identifier: GPL-2.0 */
/* Requests to receive: of one queue pair, or of an SRQ. */
#ifndef IBT_RQ_H
#define IBT_RQ_H

#include <rdma/ib_verbs.h>

#include "../soft/ring.h"
#include "msg.h"

struct ibt_qp;
struct ibt_srq;

/**
 * struct ibt_rq - requests to receive: of one QP, or of an SRQ
 * @ring: of struct rxe_recv_wqe
 * @post_lock: guards the producer side of a kernel queue: posts come from any context
 * @max_wr: that may be posted at once
 * @max_sge: of each
 */
struct ibt_rq {
	struct soft_ring ring;
	spinlock_t post_lock;
	u32 max_wr;
	u32 max_sge;
};

/**
 * struct ibt_recv - one of them, copied and checked
 * @wr_id: of the consumer
 * @length: bytes that there is room for
 * @num_sge: entries of @sge that mean something
 * @room: entries of @sge
 * @sge: where
 */
struct ibt_recv {
	u64 wr_id;
	u32 length;
	u32 num_sge;
	u32 room;
	struct ib_sge sge[];
};

int ibt_rq_create(struct ibt_rq *rq, u32 max_wr, u32 max_sge,
		  struct ib_ucontext *ucontext, struct mminfo *info);
void ibt_rq_destroy(struct ibt_rq *rq);
int ibt_post_recv(struct ib_qp *ib, const struct ib_recv_wr *wr,
		  const struct ib_recv_wr **bad);
int ibt_post_srq_recv(struct ib_srq *ib, const struct ib_recv_wr *wr,
		      const struct ib_recv_wr **bad);

/* A request to receive, copied out of the ring and checked. resp.lock held.
 * IBT_EXEC_OK, IBT_RNR (none), IBT_EXEC_REM_OP (malformed: completed in error),
 * IBT_EXEC_INV_REQ (less than @bytes fit: it stays in the ring).
 */
enum ibt_exec_status ibt_rq_take(struct ibt_qp *qp, struct ibt_srq *srq,
				 struct ibt_recv *recv, u32 bytes);

/*
 * The next request to receive, which stays in the ring, if it is a good one of one SGE. False: it
 * is not, or there is none. resp.lock held.
 */
bool ibt_rq_peek_one(const struct ibt_rq *rq, u64 *wr_id, struct ib_sge *sge);

/* With resp.lock of @qp held. */

/* The SRQ in which receive requests of @qp are; XRC: the one of number @srqn, with
 * a reference, if @qp may use it. NULL: its own queue, or (XRC) none.
 */
struct ibt_srq *ibt_rq_srq(struct ibt_qp *qp, u32 srqn);
void ibt_rq_srq_put(struct ibt_qp *qp, struct ibt_srq *srq);	/* NULL is fine */
/* Fills in what all receive completions have. */
void ibt_rq_complete(struct ibt_qp *qp, struct ibt_srq *srq, struct ib_wc *wc,
		     bool solicited);
/* A completion had no room in its CQ. Without srq->lock. */
void ibt_rq_overrun(struct ibt_qp *qp, struct ibt_srq *srq);
/*
 * The message in progress has no tag any more. If it was unexpected, it is not counted. If it was
 * matched, that has a completion.
 */
void ibt_rq_forget_tag(struct ibt_qp *qp, struct ibt_srq *srq);
/* The receive request that was taken completes in error. */
void ibt_rq_error(struct ibt_qp *qp, struct ibt_srq *srq,
		  enum ib_wc_status status);
/* Flush at most @budget of what is posted. True: there is more. */
bool ibt_rq_flush_some(struct ibt_qp *qp, u32 budget);
/* As after creation. */
void ibt_rq_reset(struct ibt_qp *qp);
/*
 * Gives back or flushes a WQE that was taken from an SRQ and not completed, so that the
 * consumers that share the SRQ do not lose the WQE.
 */
void ibt_rq_release(struct ibt_qp *qp);

/* Completions of @srq can not be reported any more. Any context, without srq->lock. */
void ibt_srq_broken(struct ibt_srq *srq);

#endif /* IBT_RQ_H */
