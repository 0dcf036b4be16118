// SPDX-License-Identifier: GPL-2.0
/* Receive requests of a queue pair: taken by messages, and completed. */
#include "cq.h"
#include "qp.h"

/**
 * iw_qp_take_recv - a receive request for a message that begins
 * @qp: queue pair
 * @recv: filled in
 *
 * Context: any. Return: as iw_rq_take().
 */
int iw_qp_take_recv(struct iw_qp *qp, struct iw_recv *recv)
{
	unsigned long flags;
	int ret;

	if (qp->srq)
		return iw_srq_take(qp->srq, recv);
	spin_lock_irqsave(&qp->lock, flags);
	ret = iw_rq_take(&qp->rq, recv);
	spin_unlock_irqrestore(&qp->lock, flags);
	return ret;
}

/**
 * iw_recv_done - a receive request completes
 * @qp: queue pair
 * @wr_id: of the request
 * @status: enum ib_wc_status
 * @bytes: of the message
 * @invalidated: key that the peer has invalidated, or NULL
 * @solicited: by the peer
 *
 * Context: any.
 */
void iw_recv_done(struct iw_qp *qp, u64 wr_id, u8 status, u32 bytes,
		  u32 *invalidated, bool solicited)
{
	struct ib_wc wc = {
		.wr_id = wr_id,
		.status = status,
		.opcode = IB_WC_RECV,
		.byte_len = bytes,
		.qp = &qp->ib,
		.port_num = 1,
	};

	if (invalidated) {
		wc.wc_flags = IB_WC_WITH_INVALIDATE;
		wc.ex.invalidate_rkey = *invalidated;
	}
	iw_cq_post(to_iw_cq(qp->ib.recv_cq), &wc, solicited);
}

/**
 * iw_rq_flush - complete what no message will come for
 * @qp: queue pair in IW_ERROR
 *
 * A program can add while this runs, but not more than the ring has: it ends.
 * Requests of a shared queue stay there. Context: any.
 */
void iw_rq_flush(struct iw_qp *qp)
{
	struct iw_recv recv;
	u32 most;

	if (qp->srq)
		return;
	for (most = qp->rq.ring.num; most; most--) {
		if (iw_qp_take_recv(qp, &recv) == -ENOENT)
			break;
		iw_recv_done(qp, recv.wr_id, IB_WC_WR_FLUSH_ERR, 0, NULL, false);
	}
}

/**
 * iw_recv_imm - a receive request completes by immediate data
 * @qp: queue pair
 * @wr_id: of the request
 * @bytes: of the WRITE in front of them
 * @imm: them
 * @solicited: by the peer
 *
 * Context: any.
 */
void iw_recv_imm(struct iw_qp *qp, u64 wr_id, u32 bytes, __be32 imm,
		 bool solicited)
{
	struct ib_wc wc = {
		.wr_id = wr_id,
		.status = IB_WC_SUCCESS,
		.opcode = IB_WC_RECV_RDMA_WITH_IMM,
		.wc_flags = IB_WC_WITH_IMM,
		.ex.imm_data = imm,
		.byte_len = bytes,
		.qp = &qp->ib,
		.port_num = 1,
	};

	iw_cq_post(to_iw_cq(qp->ib.recv_cq), &wc, solicited);
}

/**
 * iw_post_recv - ops.post_recv
 * @ib: queue pair
 * @wr: requests
 * @bad: the one that was not taken
 *
 * Programs have their ring, and do not come here. Context: any.
 * Return: 0, -EINVAL (SRQ, program, SGEs), -ENOMEM (full).
 */
int iw_post_recv(struct ib_qp *ib, const struct ib_recv_wr *wr,
		 const struct ib_recv_wr **bad)
{
	struct iw_qp *qp = to_iw_qp(ib);
	unsigned long flags;
	bool over;
	int ret = 0;

	*bad = wr;
	if (qp->srq || qp->rq.ring.map)
		return -EINVAL;
	spin_lock_irqsave(&qp->lock, flags);
	for (; wr && !ret; wr = wr->next) {
		*bad = wr;
		ret = iw_rq_add(&qp->rq, wr);
	}
	over = qp->state == IW_ERROR;
	spin_unlock_irqrestore(&qp->lock, flags);
	if (over)
		iw_rq_flush(qp);
	return ret;
}
