// SPDX-License-Identifier: GPL-2.0
/* ops.post_send: requests of a kernel consumer, and the doorbell of a program. */
#include "qp.h"

static int iw_copy_inline(struct iw_wqe *wqe, const struct ib_send_wr *wr)
{
	u32 at = 0, i;

	for (i = 0; i < wr->num_sge; i++) {
		if (wr->sg_list[i].length > IW_MAX_INLINE - at)
			return -EINVAL;
		memcpy(wqe->data + at, (void *)(uintptr_t)wr->sg_list[i].addr,
		       wr->sg_list[i].length);
		at += wr->sg_list[i].length;
	}
	wqe->num_sge = 0;
	wqe->length = at;
	return 0;
}

static int iw_copy_payload(struct iw_qp *qp, struct iw_wqe *wqe,
			   const struct ib_send_wr *wr)
{
	if (wr->num_sge < 0 || wr->num_sge > qp->sq.max_sge)
		return -EINVAL;
	if (wqe->flags & IB_SEND_INLINE)
		return iw_copy_inline(wqe, wr);
	wqe->num_sge = wr->num_sge;
	memcpy(wqe->sge, wr->sg_list, wr->num_sge * sizeof(wqe->sge[0]));
	return iw_wqe_add_up(wqe) ? -EINVAL : 0;
}

/* RFC 7306 5: 64 bits at a multiple of 8. */
static int iw_fill_atomic(struct iw_wqe *wqe, const struct ib_send_wr *wr)
{
	const struct ib_atomic_wr *atomic = atomic_wr(wr);

	if (wr->num_sge != 1 || wr->sg_list[0].length != sizeof(u64) ||
	    atomic->remote_addr % sizeof(u64) ||
	    wqe->flags & IB_SEND_INLINE)
		return -EINVAL;
	wqe->num_sge = 1;
	wqe->sink = wr->sg_list[0];
	wqe->length = sizeof(u64);
	wqe->rkey = atomic->rkey;
	wqe->raddr = atomic->remote_addr;
	wqe->operand = atomic->compare_add;
	wqe->swap = atomic->swap;
	return 0;
}

static int iw_post_fill(struct iw_qp *qp, struct iw_wqe *wqe,
			const struct ib_send_wr *wr)
{
	*wqe = (struct iw_wqe){
		.wr_id = wr->wr_id,
		.opcode = wr->opcode,
		.flags = wr->send_flags,
		.state = IW_SLOT_POSTED,
	};
	switch (wr->opcode) {
	case IB_WR_RDMA_READ:
	case IB_WR_RDMA_READ_WITH_INV:
		if (wqe->flags & IB_SEND_INLINE)
			return -EINVAL;
		fallthrough;
	case IB_WR_RDMA_WRITE:
		wqe->raddr = rdma_wr(wr)->remote_addr;
		wqe->rkey = rdma_wr(wr)->rkey;
		return iw_copy_payload(qp, wqe, wr);
	case IB_WR_RDMA_WRITE_WITH_IMM:
		wqe->raddr = rdma_wr(wr)->remote_addr;
		wqe->rkey = rdma_wr(wr)->rkey;
		wqe->imm = wr->ex.imm_data;
		return iw_copy_payload(qp, wqe, wr);
	case IB_WR_ATOMIC_CMP_AND_SWP:
	case IB_WR_ATOMIC_FETCH_AND_ADD:
		return iw_fill_atomic(wqe, wr);
	case IB_WR_SEND_WITH_INV:
		wqe->rkey = wr->ex.invalidate_rkey;
		return iw_copy_payload(qp, wqe, wr);
	case IB_WR_SEND:
		return iw_copy_payload(qp, wqe, wr);
	case IB_WR_LOCAL_INV:
		wqe->rkey = wr->ex.invalidate_rkey;
		return 0;
	case IB_WR_REG_MR:
		wqe->mr = reg_wr(wr)->mr;
		wqe->rkey = reg_wr(wr)->key;
		wqe->access = reg_wr(wr)->access;
		return 0;
	default:
		return -EINVAL;
	}
}

static int iw_post_kernel(struct iw_qp *qp, const struct ib_send_wr *wr)
{
	struct iw_sq *sq = &qp->sq;
	int ret;

	lockdep_assert_held(&qp->lock);
	if (sq->head - sq->una == sq->num)
		return -ENOMEM;
	ret = iw_post_fill(qp, iw_wqe_at(sq, sq->head), wr);
	if (!ret)
		sq->head++;
	return ret;
}

/**
 * iw_post_send - ops.post_send
 * @ib: queue pair
 * @wr: requests of a kernel consumer; NULL: a program has put some in its ring
 * @bad: the one that was not taken
 *
 * A program's requests are sent in its own context, as far as the socket has
 * room. Context: any for kernel consumers.
 * Return: 0, -EINVAL (opcode, SGEs; a program's request), -ENOMEM (full).
 */
int iw_post_send(struct ib_qp *ib, const struct ib_send_wr *wr,
		 const struct ib_send_wr **bad)
{
	struct iw_qp *qp = to_iw_qp(ib);
	enum iw_qp_state state;
	unsigned long flags;
	bool flush;
	int ret = 0;

	if (bad)
		*bad = wr;
	if (wr && qp->sq.ring.map)
		return -EINVAL;
	spin_lock_irqsave(&qp->lock, flags);
	for (; wr && !ret; wr = wr->next) {
		*bad = wr;
		ret = iw_post_kernel(qp, wr);
	}
	if (soft_hold_waits(&qp->sq.hold) && iw_sq_complete(qp))
		iw_tx_kick(qp);
	state = qp->state;
	flush = state == IW_ERROR && iw_sq_claim_flush(qp);
	spin_unlock_irqrestore(&qp->lock, flags);
	while (flush)
		flush = iw_sq_flush_some(qp);
	/* A program has no other way to say that it has posted some. */
	if (state == IW_ERROR && qp->rq.ring.map)
		iw_rq_flush(qp);
	if (state != IW_RTS && state != IW_CLOSING)
		return ret;
	if (qp->sq.ring.map)
		iw_doorbell_user(qp);
	else
		iw_tx_kick(qp);
	return ret;
}
