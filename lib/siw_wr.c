// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Requests to iWARP devices built by ibv_wr_*(). Those between ibv_wr_start() and
 * ibv_wr_complete() are told to the kernel module together, or, after an error, none is.
 */
#include <errno.h>
#include <string.h>

#include "siw.h"

const uint64_t siw_wr_ops_known = IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_READ |
				  IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_INV;

static void siw_wr_start(struct ibv_qp_ex *ibv)
{
	struct siw_qp *qp = siw_qp_of_ex(ibv);

	pthread_spin_lock(&qp->lock);
	qp->first = qp->sq.next;
	qp->sqe = NULL;
	qp->error = 0;
}

static void siw_wr_abort(struct ibv_qp_ex *ibv)
{
	struct siw_qp *qp = siw_qp_of_ex(ibv);

	qp->sq.next = qp->first;
	pthread_spin_unlock(&qp->lock);
}

static int siw_wr_complete(struct ibv_qp_ex *ibv)
{
	struct siw_qp *qp = siw_qp_of_ex(ibv);
	int ret = qp->error;

	if (ret || qp->sq.next == qp->first) {
		siw_wr_abort(ibv);
		return ret;
	}
	siw_publish(qp, qp->first);
	ret = siw_tell(qp, qp->first);
	pthread_spin_unlock(&qp->lock);
	return ret;
}

static void siw_wr_begin(struct ibv_qp_ex *ibv, enum siw_opcode opcode, uint32_t rkey,
			 uint64_t remote_addr)
{
	struct siw_qp *qp = siw_qp_of_ex(ibv);
	struct siw_sqe *sqe = NULL;

	if (!qp->error)
		sqe = siw_sqe_next(qp);
	if (!sqe && !qp->error)
		qp->error = ENOMEM;
	qp->sqe = sqe;
	if (!sqe)
		return;
	sqe->id = ibv->wr_id;
	sqe->opcode = opcode;
	sqe->flags = siw_flags(ibv->wr_flags);
	sqe->rkey = rkey;
	sqe->raddr = remote_addr;
	sqe->num_sge = 0;
}

static void siw_wr_rdma_write(struct ibv_qp_ex *ibv, uint32_t rkey, uint64_t remote_addr)
{
	siw_wr_begin(ibv, SIW_OP_WRITE, rkey, remote_addr);
}

static void siw_wr_rdma_read(struct ibv_qp_ex *ibv, uint32_t rkey, uint64_t remote_addr)
{
	siw_wr_begin(ibv, SIW_OP_READ, rkey, remote_addr);
}

static void siw_wr_send(struct ibv_qp_ex *ibv)
{
	siw_wr_begin(ibv, SIW_OP_SEND, 0, 0);
}

static void siw_wr_send_inv(struct ibv_qp_ex *ibv, uint32_t rkey)
{
	siw_wr_begin(ibv, SIW_OP_SEND_REMOTE_INV, rkey, 0);
}

static void siw_wr_set_inline_data_list(struct ibv_qp_ex *ibv, size_t num,
					const struct ibv_data_buf *bufs)
{
	struct siw_qp *qp = siw_qp_of_ex(ibv);
	uint32_t total = 0;
	size_t i;

	if (!qp->sqe)
		return;
	for (i = 0; i < num; i++) {
		if (bufs[i].length > SIW_INLINE_BYTES - total) {
			qp->error = EINVAL;
			return;
		}
		memcpy((uint8_t *)&qp->sqe->sge[1] + total, bufs[i].addr, bufs[i].length);
		total += bufs[i].length;
	}
	qp->sqe->sge[0].length = total;
	qp->sqe->num_sge = 1;
	qp->sqe->flags |= SIW_WQE_INLINE;
}

static void siw_wr_set_inline_data(struct ibv_qp_ex *ibv, void *addr, size_t length)
{
	const struct ibv_data_buf buf = { .addr = addr, .length = length };

	siw_wr_set_inline_data_list(ibv, 1, &buf);
}

static void siw_wr_set_sge_list(struct ibv_qp_ex *ibv, size_t num,
				const struct ibv_sge *sges)
{
	struct siw_qp *qp = siw_qp_of_ex(ibv);

	if (qp->sqe && siw_sqe_set_sges(qp->sqe, sges, num))
		qp->error = EINVAL;
}

static void siw_wr_set_sge(struct ibv_qp_ex *ibv, uint32_t lkey, uint64_t addr,
			   uint32_t length)
{
	const struct ibv_sge sge = { .addr = addr, .length = length, .lkey = lkey };

	siw_wr_set_sge_list(ibv, 1, &sge);
}

void siw_qp_ex_ops(struct siw_qp *qp)
{
	struct ibv_qp_ex *ibv = &qp->base.qp_ex;

	ibv->wr_start = siw_wr_start;
	ibv->wr_complete = siw_wr_complete;
	ibv->wr_abort = siw_wr_abort;
	ibv->wr_rdma_write = siw_wr_rdma_write;
	ibv->wr_rdma_read = siw_wr_rdma_read;
	ibv->wr_send = siw_wr_send;
	ibv->wr_send_inv = siw_wr_send_inv;
	ibv->wr_set_inline_data = siw_wr_set_inline_data;
	ibv->wr_set_inline_data_list = siw_wr_set_inline_data_list;
	ibv->wr_set_sge = siw_wr_set_sge;
	ibv->wr_set_sge_list = siw_wr_set_sge_list;
}
