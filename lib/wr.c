// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Requests built by ibv_wr_*(). Those between ibv_wr_start() and ibv_wr_complete() are told
 * to the kernel module together, or, after an error, none of them is.
 */
#include <errno.h>
#include <string.h>

#include "rxe.h"

static void rxe_wr_start(struct ibv_qp_ex *ibv)
{
	struct rxe_qp *qp = rxe_qp_of_ex(ibv);

	rxe_queue_lock(&qp->sq);
	qp->first = qp->sq.next;
	qp->wqe = NULL;
	qp->error = rxe_may_send(qp) ? 0 : EINVAL;
}

static void rxe_wr_abort(struct ibv_qp_ex *ibv)
{
	struct rxe_qp *qp = rxe_qp_of_ex(ibv);

	qp->sq.next = qp->first;
	rxe_queue_unlock(&qp->sq);
}

static int rxe_wr_complete(struct ibv_qp_ex *ibv)
{
	struct rxe_qp *qp = rxe_qp_of_ex(ibv);
	int ret = qp->error;
	bool any = qp->sq.next != qp->first;

	if (ret) {
		rxe_wr_abort(ibv);
		return ret;
	}
	rxe_wqe_publish(qp);
	rxe_queue_unlock(&qp->sq);
	return any ? lib_bell_ring(&qp->bell, &qp->base.qp) : 0;
}

/* ---- operations -------------------------------------------------------------------- */

/* Returns the element of a request that carries nothing yet, NULL after an error. */
static struct rxe_send_wqe *rxe_wr_begin(struct ibv_qp_ex *ibv, enum ibv_wr_opcode opcode)
{
	struct rxe_qp *qp = rxe_qp_of_ex(ibv);
	struct rxe_send_wqe *wqe = NULL;

	if (!qp->error)
		wqe = rxe_wqe_next(qp);
	if (!wqe && !qp->error)
		qp->error = ENOMEM;
	qp->wqe = wqe;
	if (!wqe)
		return NULL;
	wqe->wr.wr_id = ibv->wr_id;
	wqe->wr.reserved = 0;
	wqe->wr.opcode = opcode;
	/* Whether data is inline is said with the data. */
	wqe->wr.send_flags = ibv->wr_flags & ~(uint32_t)IBV_SEND_INLINE;
	memset(&wqe->wr.wr, 0, sizeof(wqe->wr.wr));
	wqe->dma.length = 0;
	wqe->dma.resid = 0;
	wqe->dma.cur_sge = 0;
	wqe->dma.num_sge = 0;
	wqe->dma.sge_offset = 0;
	return wqe;
}

static struct rxe_send_wqe *rxe_wr_rdma(struct ibv_qp_ex *ibv, enum ibv_wr_opcode opcode,
					uint32_t rkey, uint64_t remote_addr)
{
	struct rxe_send_wqe *wqe = rxe_wr_begin(ibv, opcode);

	if (!wqe)
		return NULL;
	wqe->wr.wr.rdma.rkey = rkey;
	wqe->wr.wr.rdma.remote_addr = remote_addr;
	return wqe;
}

static void rxe_wr_rdma_write(struct ibv_qp_ex *ibv, uint32_t rkey, uint64_t remote_addr)
{
	rxe_wr_rdma(ibv, IBV_WR_RDMA_WRITE, rkey, remote_addr);
}

static void rxe_wr_rdma_write_imm(struct ibv_qp_ex *ibv, uint32_t rkey,
				  uint64_t remote_addr, __be32 imm_data)
{
	struct rxe_send_wqe *wqe = rxe_wr_rdma(ibv, IBV_WR_RDMA_WRITE_WITH_IMM, rkey,
					       remote_addr);

	if (wqe)
		wqe->wr.ex.imm_data = imm_data;
}

static void rxe_wr_rdma_read(struct ibv_qp_ex *ibv, uint32_t rkey, uint64_t remote_addr)
{
	rxe_wr_rdma(ibv, IBV_WR_RDMA_READ, rkey, remote_addr);
}

static void rxe_wr_send(struct ibv_qp_ex *ibv)
{
	rxe_wr_begin(ibv, IBV_WR_SEND);
}

static void rxe_wr_send_imm(struct ibv_qp_ex *ibv, __be32 imm_data)
{
	struct rxe_send_wqe *wqe = rxe_wr_begin(ibv, IBV_WR_SEND_WITH_IMM);

	if (wqe)
		wqe->wr.ex.imm_data = imm_data;
}

static void rxe_wr_send_inv(struct ibv_qp_ex *ibv, uint32_t rkey)
{
	struct rxe_send_wqe *wqe = rxe_wr_begin(ibv, IBV_WR_SEND_WITH_INV);

	if (wqe)
		wqe->wr.ex.invalidate_rkey = rkey;
}

static void rxe_wr_local_inv(struct ibv_qp_ex *ibv, uint32_t rkey)
{
	struct rxe_send_wqe *wqe = rxe_wr_begin(ibv, IBV_WR_LOCAL_INV);

	if (wqe)
		wqe->wr.ex.invalidate_rkey = rkey;
}

static void rxe_wr_bind_mw(struct ibv_qp_ex *ibv, struct ibv_mw *mw, uint32_t rkey,
			   const struct ibv_mw_bind_info *info)
{
	struct rxe_send_wqe *wqe = rxe_wr_begin(ibv, IBV_WR_BIND_MW);

	if (wqe)
		rxe_wqe_bind(wqe, mw, rkey, info);
}

static void rxe_wr_atomic(struct ibv_qp_ex *ibv, enum ibv_wr_opcode opcode, uint32_t rkey,
			  uint64_t remote_addr, uint64_t compare_add, uint64_t swap)
{
	struct rxe_send_wqe *wqe = rxe_wr_begin(ibv, opcode);

	if (!wqe)
		return;
	wqe->wr.wr.atomic.rkey = rkey;
	wqe->wr.wr.atomic.remote_addr = remote_addr;
	wqe->wr.wr.atomic.compare_add = compare_add;
	wqe->wr.wr.atomic.swap = swap;
}

static void rxe_wr_atomic_cmp_swp(struct ibv_qp_ex *ibv, uint32_t rkey,
				  uint64_t remote_addr, uint64_t compare, uint64_t swap)
{
	rxe_wr_atomic(ibv, IBV_WR_ATOMIC_CMP_AND_SWP, rkey, remote_addr, compare, swap);
}

static void rxe_wr_atomic_fetch_add(struct ibv_qp_ex *ibv, uint32_t rkey,
				    uint64_t remote_addr, uint64_t add)
{
	rxe_wr_atomic(ibv, IBV_WR_ATOMIC_FETCH_AND_ADD, rkey, remote_addr, add, 0);
}

/* IBA annex A19: 8 bytes, which every element has room for. */
static void rxe_wr_atomic_write(struct ibv_qp_ex *ibv, uint32_t rkey,
				uint64_t remote_addr, const void *value)
{
	struct rxe_send_wqe *wqe = rxe_wr_rdma(ibv, IBV_WR_ATOMIC_WRITE, rkey, remote_addr);

	if (!wqe)
		return;
	memcpy(wqe->dma.inline_data, value, sizeof(uint64_t));
	wqe->wr.send_flags |= IBV_SEND_INLINE;
	wqe->dma.length = sizeof(uint64_t);
	wqe->dma.resid = sizeof(uint64_t);
}

static void rxe_wr_flush(struct ibv_qp_ex *ibv, uint32_t rkey, uint64_t remote_addr,
			 size_t length, uint8_t type, uint8_t level)
{
	struct rxe_send_wqe *wqe = rxe_wr_begin(ibv, IBV_WR_FLUSH);

	if (!wqe)
		return;
	wqe->wr.wr.flush.rkey = rkey;
	wqe->wr.wr.flush.remote_addr = remote_addr;
	wqe->wr.wr.flush.length = length;
	wqe->wr.wr.flush.type = type;
	wqe->wr.wr.flush.level = level;
	if (length > UINT32_MAX)
		rxe_qp_of_ex(ibv)->error = EINVAL;
}

/* ---- what the last operation carries, and where it goes -------------------------------- */

static void rxe_wr_set_ud_addr(struct ibv_qp_ex *ibv, struct ibv_ah *ah, uint32_t qpn,
			       uint32_t qkey)
{
	struct rxe_send_wqe *wqe = rxe_qp_of_ex(ibv)->wqe;

	if (!wqe)
		return;
	wqe->wr.wr.ud.ah_num = rxe_ah_number(ah);
	wqe->wr.wr.ud.remote_qpn = qpn;
	wqe->wr.wr.ud.remote_qkey = qkey;
}

static void rxe_wr_set_xrc_srqn(struct ibv_qp_ex *ibv, uint32_t srqn)
{
	struct rxe_send_wqe *wqe = rxe_qp_of_ex(ibv)->wqe;

	if (wqe)
		wqe->wr.reserved = srqn;
}

static void rxe_wr_set_inline_data_list(struct ibv_qp_ex *ibv, size_t num,
					const struct ibv_data_buf *bufs)
{
	struct rxe_qp *qp = rxe_qp_of_ex(ibv);
	struct rxe_send_wqe *wqe = qp->wqe;
	uint32_t total = 0;
	size_t i;

	if (!wqe)
		return;
	for (i = 0; i < num; i++) {
		if (bufs[i].length > qp->max_inline - total) {
			qp->error = EINVAL;
			return;
		}
		memcpy(wqe->dma.inline_data + total, bufs[i].addr, bufs[i].length);
		total += bufs[i].length;
	}
	wqe->wr.send_flags |= IBV_SEND_INLINE;
	wqe->dma.num_sge = 0;
	wqe->dma.length = total;
	wqe->dma.resid = total;
}

static void rxe_wr_set_inline_data(struct ibv_qp_ex *ibv, void *addr, size_t length)
{
	const struct ibv_data_buf buf = { .addr = addr, .length = length };

	rxe_wr_set_inline_data_list(ibv, 1, &buf);
}

static void rxe_wr_set_sge_list(struct ibv_qp_ex *ibv, size_t num,
				const struct ibv_sge *sges)
{
	struct rxe_qp *qp = rxe_qp_of_ex(ibv);

	if (qp->wqe && rxe_wqe_set_sges(qp, qp->wqe, sges, num))
		qp->error = EINVAL;
}

static void rxe_wr_set_sge(struct ibv_qp_ex *ibv, uint32_t lkey, uint64_t addr,
			   uint32_t length)
{
	const struct ibv_sge sge = { .addr = addr, .length = length, .lkey = lkey };

	rxe_wr_set_sge_list(ibv, 1, &sge);
}

/* ---- set-up ------------------------------------------------------------------------------ */

/* Bits of enum ibv_qp_create_send_ops_flags that a type of queue pair can have. */
uint64_t rxe_wr_ops_known(enum ibv_qp_type type)
{
	const uint64_t sends = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM;
	const uint64_t uc = sends | IBV_QP_EX_WITH_RDMA_WRITE |
		IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM | IBV_QP_EX_WITH_LOCAL_INV |
		IBV_QP_EX_WITH_BIND_MW;
	const uint64_t xrc = uc | IBV_QP_EX_WITH_SEND_WITH_INV | IBV_QP_EX_WITH_RDMA_READ |
		IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP | IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD;

	switch (type) {
	case IBV_QPT_RC:
		return xrc | IBV_QP_EX_WITH_ATOMIC_WRITE | IBV_QP_EX_WITH_FLUSH;
	case IBV_QPT_XRC_SEND:
		return xrc;
	case IBV_QPT_UC:
		return uc;
	case IBV_QPT_UD:
		return sends;
	default:
		return 0;
	}
}

static void rxe_wr_setters(struct ibv_qp_ex *ibv)
{
	ibv->wr_start = rxe_wr_start;
	ibv->wr_complete = rxe_wr_complete;
	ibv->wr_abort = rxe_wr_abort;
	if (ibv->qp_base.qp_type == IBV_QPT_UD)
		ibv->wr_set_ud_addr = rxe_wr_set_ud_addr;
	if (ibv->qp_base.qp_type == IBV_QPT_XRC_SEND)
		ibv->wr_set_xrc_srqn = rxe_wr_set_xrc_srqn;
	ibv->wr_set_inline_data = rxe_wr_set_inline_data;
	ibv->wr_set_inline_data_list = rxe_wr_set_inline_data_list;
	ibv->wr_set_sge = rxe_wr_set_sge;
	ibv->wr_set_sge_list = rxe_wr_set_sge_list;
}

/* @wanted: what the application asked for; @has_flush: libibverbs knows wr_flush. */
void rxe_qp_ex_ops(struct rxe_qp *qp, uint64_t wanted, bool has_flush)
{
	struct ibv_qp_ex *ibv = &qp->base.qp_ex;

	rxe_wr_setters(ibv);
	if (wanted & IBV_QP_EX_WITH_RDMA_WRITE)
		ibv->wr_rdma_write = rxe_wr_rdma_write;
	if (wanted & IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM)
		ibv->wr_rdma_write_imm = rxe_wr_rdma_write_imm;
	if (wanted & IBV_QP_EX_WITH_SEND)
		ibv->wr_send = rxe_wr_send;
	if (wanted & IBV_QP_EX_WITH_SEND_WITH_IMM)
		ibv->wr_send_imm = rxe_wr_send_imm;
	if (wanted & IBV_QP_EX_WITH_RDMA_READ)
		ibv->wr_rdma_read = rxe_wr_rdma_read;
	if (wanted & IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP)
		ibv->wr_atomic_cmp_swp = rxe_wr_atomic_cmp_swp;
	if (wanted & IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD)
		ibv->wr_atomic_fetch_add = rxe_wr_atomic_fetch_add;
	if (wanted & IBV_QP_EX_WITH_LOCAL_INV)
		ibv->wr_local_inv = rxe_wr_local_inv;
	if (wanted & IBV_QP_EX_WITH_BIND_MW)
		ibv->wr_bind_mw = rxe_wr_bind_mw;
	if (wanted & IBV_QP_EX_WITH_SEND_WITH_INV)
		ibv->wr_send_inv = rxe_wr_send_inv;
	if (wanted & IBV_QP_EX_WITH_ATOMIC_WRITE)
		ibv->wr_atomic_write = rxe_wr_atomic_write;
	if (wanted & IBV_QP_EX_WITH_FLUSH && has_flush)
		ibv->wr_flush = rxe_wr_flush;
}
