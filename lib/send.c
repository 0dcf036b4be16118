// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Requests of ibv_post_send(). */
#include <errno.h>
#include <string.h>

#include "rxe.h"

/* An element to be filled at @sq.next, which then is behind it. NULL: the queue is full. */
struct rxe_send_wqe *rxe_wqe_next(struct rxe_qp *qp)
{
	struct rxe_queue *sq = &qp->sq;

	if (lib_ring_full(&sq->ring, sq->next))
		return NULL;
	return lib_ring_at(&sq->ring, sq->next++);
}

void rxe_wqe_publish(struct rxe_qp *qp)
{
	const struct lib_ring *ring = &qp->sq.ring;

	lib_ring_store(&ring->buf->producer_index, qp->sq.next & ring->mask);
}

/* ---- what a request carries ---------------------------------------------------------- */

int rxe_wqe_set_sges(struct rxe_qp *qp, struct rxe_send_wqe *wqe,
		     const struct ibv_sge *sges, size_t num)
{
	uint32_t total = 0;
	size_t i;

	if (num > qp->sq.max_sge)
		return EINVAL;
	for (i = 0; i < num; i++) {
		wqe->dma.sge[i].addr = sges[i].addr;
		wqe->dma.sge[i].length = sges[i].length;
		wqe->dma.sge[i].lkey = sges[i].lkey;
		total += sges[i].length;
	}
	wqe->dma.num_sge = num;
	wqe->dma.length = total;
	wqe->dma.resid = total;
	return 0;
}

static int rxe_copy_inline(struct rxe_qp *qp, struct rxe_send_wqe *wqe,
			   const struct ibv_send_wr *wr)
{
	uint32_t total = 0;
	int i;

	for (i = 0; i < wr->num_sge; i++) {
		const struct ibv_sge *sge = &wr->sg_list[i];

		if (sge->length > qp->max_inline - total)
			return EINVAL;
		memcpy(wqe->dma.inline_data + total, (void *)(uintptr_t)sge->addr,
		       sge->length);
		total += sge->length;
	}
	wqe->dma.num_sge = 0;
	wqe->dma.length = total;
	wqe->dma.resid = total;
	return 0;
}

static int rxe_take_payload(struct rxe_qp *qp, struct rxe_send_wqe *wqe,
			    const struct ibv_send_wr *wr)
{
	if (wr->num_sge < 0)
		return EINVAL;
	if (wr->send_flags & IBV_SEND_INLINE)
		return rxe_copy_inline(qp, wqe, wr);
	return rxe_wqe_set_sges(qp, wqe, wr->sg_list, wr->num_sge);
}

void rxe_wqe_bind(struct rxe_send_wqe *wqe, const struct ibv_mw *mw, uint32_t rkey,
		  const struct ibv_mw_bind_info *info)
{
	wqe->wr.wr.mw.addr = info->addr;
	wqe->wr.wr.mw.length = info->length;
	wqe->wr.wr.mw.mr_lkey = info->mr ? info->mr->lkey : 0;
	wqe->wr.wr.mw.mw_rkey = mw->rkey;
	wqe->wr.wr.mw.rkey = rkey;
	wqe->wr.wr.mw.access = info->mw_access_flags;
}

static void rxe_take_atomic(struct rxe_send_wqe *wqe, const struct ibv_send_wr *wr)
{
	wqe->wr.wr.atomic.remote_addr = wr->wr.atomic.remote_addr;
	wqe->wr.wr.atomic.rkey = wr->wr.atomic.rkey;
	wqe->wr.wr.atomic.compare_add = wr->wr.atomic.compare_add;
	wqe->wr.wr.atomic.swap = wr->wr.atomic.swap;
}

static void rxe_take_target(struct rxe_qp *qp, struct rxe_send_wqe *wqe,
			    const struct ibv_send_wr *wr)
{
	switch (wr->opcode) {
	case IBV_WR_BIND_MW:
		rxe_wqe_bind(wqe, wr->bind_mw.mw, wr->bind_mw.rkey,
			     &wr->bind_mw.bind_info);
		return;
	case IBV_WR_ATOMIC_CMP_AND_SWP:
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		rxe_take_atomic(wqe, wr);
		return;
	default:
		break;
	}
	if (qp->base.qp.qp_type == IBV_QPT_UD) {
		wqe->wr.wr.ud.ah_num = rxe_ah_number(wr->wr.ud.ah);
		wqe->wr.wr.ud.remote_qpn = wr->wr.ud.remote_qpn;
		wqe->wr.wr.ud.remote_qkey = wr->wr.ud.remote_qkey;
		wqe->wr.wr.ud.pkey_index = 0;
	} else {
		wqe->wr.wr.rdma.remote_addr = wr->wr.rdma.remote_addr;
		wqe->wr.wr.rdma.rkey = wr->wr.rdma.rkey;
	}
}

static int rxe_fill_send(struct rxe_qp *qp, struct rxe_send_wqe *wqe,
			 const struct ibv_send_wr *wr)
{
	bool is_xrc = qp->base.qp.qp_type == IBV_QPT_XRC_SEND;

	/*
	 * What FLUSH needs is not in a struct ibv_send_wr. All other opcodes are the kernel
	 * module's to refuse, by a completion.
	 */
	if (wr->opcode == IBV_WR_FLUSH)
		return EINVAL;
	wqe->wr.wr_id = wr->wr_id;
	/* The kernel module finds the number of the SRQ here. */
	wqe->wr.reserved = is_xrc ? wr->qp_type.xrc.remote_srqn : 0;
	wqe->wr.opcode = wr->opcode;
	wqe->wr.send_flags = wr->send_flags;
	wqe->wr.ex.imm_data = wr->imm_data;
	wqe->dma.cur_sge = 0;
	wqe->dma.sge_offset = 0;
	rxe_take_target(qp, wqe, wr);
	if (wr->opcode == IBV_WR_LOCAL_INV || wr->opcode == IBV_WR_BIND_MW) {
		wqe->wr.send_flags &= ~(uint32_t)IBV_SEND_INLINE;
		return rxe_wqe_set_sges(qp, wqe, NULL, 0);
	}
	return rxe_take_payload(qp, wqe, wr);
}

/* ---- posting -------------------------------------------------------------------------- */

/*
 * Requests before the one at fault are sent. Where the call fails they are in the queue,
 * and no request can be named that was not posted: the first one is.
 */
int rxe_post_send(struct ibv_qp *ibv, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	struct rxe_qp *qp = rxe_qp_of(ibv);
	struct ibv_send_wr *head = wr;
	struct rxe_send_wqe *wqe;
	int ret = 0, rang;

	*bad = wr;
	if (!rxe_may_send(qp))
		return EINVAL;
	rxe_queue_lock(&qp->sq);
	for (; wr; wr = wr->next) {
		wqe = rxe_wqe_next(qp);
		ret = wqe ? rxe_fill_send(qp, wqe, wr) : ENOMEM;
		if (ret) {
			qp->sq.next -= !!wqe;
			*bad = wr;
			break;
		}
	}
	rxe_wqe_publish(qp);
	rxe_queue_unlock(&qp->sq);
	if (wr == head)
		return ret;
	rang = lib_bell_ring(&qp->bell, ibv);
	if (!ret && rang) {
		*bad = head;
		ret = rang;
	}
	return ret;
}
