// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Extended completion queues: the completion at hand is read where it lies. Its element
 * is given back when the next one is asked for, or polling ends. From start_poll() to
 * end_poll() the lock is held.
 */
#include <errno.h>

#include "rxe.h"

static const struct ib_uverbs_wc *rxe_current(struct ibv_cq_ex *ibv)
{
	struct rxe_cq *cq = rxe_cq_of_ex(ibv);

	return lib_ring_at(&cq->ring, cq->next);
}

static const struct ofed_cqe_time *rxe_current_time(struct ibv_cq_ex *ibv)
{
	return (const void *)((const char *)rxe_current(ibv) + OFED_CQE_TIME_OFFSET);
}

static int rxe_show(struct ibv_cq_ex *ibv)
{
	const struct ib_uverbs_wc *wc = rxe_current(ibv);

	if (lib_ring_empty(&rxe_cq_of_ex(ibv)->ring, rxe_cq_of_ex(ibv)->next))
		return ENOENT;
	ibv->wr_id = wc->wr_id;
	ibv->status = wc->status;
	return 0;
}

static int rxe_start_poll(struct ibv_cq_ex *ibv, struct ibv_poll_cq_attr *attr)
{
	struct rxe_cq *cq = rxe_cq_of_ex(ibv);
	int ret;

	if (attr->comp_mask)
		return EINVAL;
	rxe_cq_lock(cq);
	ret = rxe_show(ibv);
	if (ret)
		rxe_cq_unlock(cq);
	return ret;
}

static void rxe_give_back(struct rxe_cq *cq)
{
	cq->next++;
	lib_ring_store(&cq->ring.buf->consumer_index, cq->next & cq->ring.mask);
}

/* Without another one, the one at hand stays: end_poll() gives it back. */
static int rxe_next_poll(struct ibv_cq_ex *ibv)
{
	struct rxe_cq *cq = rxe_cq_of_ex(ibv);

	if (lib_ring_empty(&cq->ring, cq->next + 1))
		return ENOENT;
	rxe_give_back(cq);
	return rxe_show(ibv);
}

static void rxe_end_poll(struct ibv_cq_ex *ibv)
{
	struct rxe_cq *cq = rxe_cq_of_ex(ibv);

	rxe_give_back(cq);
	rxe_cq_unlock(cq);
}

static enum ibv_wc_opcode rxe_read_opcode(struct ibv_cq_ex *ibv)
{
	return (enum ibv_wc_opcode)rxe_current(ibv)->opcode;
}

static uint32_t rxe_read_vendor_err(struct ibv_cq_ex *ibv)
{
	return rxe_current(ibv)->vendor_err;
}

static uint32_t rxe_read_byte_len(struct ibv_cq_ex *ibv)
{
	return rxe_current(ibv)->byte_len;
}

static __be32 rxe_read_imm_data(struct ibv_cq_ex *ibv)
{
	return rxe_current(ibv)->ex.imm_data;
}

static uint32_t rxe_read_qp_num(struct ibv_cq_ex *ibv)
{
	return rxe_current(ibv)->qp_num;
}

static uint32_t rxe_read_src_qp(struct ibv_cq_ex *ibv)
{
	return rxe_current(ibv)->src_qp;
}

static unsigned int rxe_read_wc_flags(struct ibv_cq_ex *ibv)
{
	return rxe_current(ibv)->wc_flags;
}

static uint32_t rxe_read_slid(struct ibv_cq_ex *ibv)
{
	return rxe_current(ibv)->slid;
}

static uint8_t rxe_read_sl(struct ibv_cq_ex *ibv)
{
	return rxe_current(ibv)->sl;
}

static uint8_t rxe_read_dlid_path_bits(struct ibv_cq_ex *ibv)
{
	return rxe_current(ibv)->dlid_path_bits;
}

static uint64_t rxe_read_completion_ts(struct ibv_cq_ex *ibv)
{
	return rxe_current_time(ibv)->raw;
}

static uint64_t rxe_read_completion_wallclock_ns(struct ibv_cq_ex *ibv)
{
	return rxe_current_time(ibv)->wall;
}

static void rxe_read_tm_info(struct ibv_cq_ex *ibv, struct ibv_wc_tm_info *info)
{
	const struct ofed_cqe_tm *tm =
		(const void *)((const char *)rxe_current(ibv) + OFED_CQE_TM_OFFSET);

	info->tag = tm->tag;
	info->priv = tm->app_ctx;
}

/* @wc_flags: what the application asked for, all of it known. */
void rxe_cq_ex_ops(struct rxe_cq *cq, uint64_t wc_flags)
{
	struct ibv_cq_ex *ibv = &cq->base.cq_ex;

	ibv->start_poll = rxe_start_poll;
	ibv->next_poll = rxe_next_poll;
	ibv->end_poll = rxe_end_poll;
	ibv->read_opcode = rxe_read_opcode;
	ibv->read_vendor_err = rxe_read_vendor_err;
	ibv->read_wc_flags = rxe_read_wc_flags;
	if (wc_flags & IBV_WC_EX_WITH_BYTE_LEN)
		ibv->read_byte_len = rxe_read_byte_len;
	if (wc_flags & IBV_WC_EX_WITH_IMM)
		ibv->read_imm_data = rxe_read_imm_data;
	if (wc_flags & IBV_WC_EX_WITH_QP_NUM)
		ibv->read_qp_num = rxe_read_qp_num;
	if (wc_flags & IBV_WC_EX_WITH_SRC_QP)
		ibv->read_src_qp = rxe_read_src_qp;
	if (wc_flags & IBV_WC_EX_WITH_SLID)
		ibv->read_slid = rxe_read_slid;
	if (wc_flags & IBV_WC_EX_WITH_SL)
		ibv->read_sl = rxe_read_sl;
	if (wc_flags & IBV_WC_EX_WITH_DLID_PATH_BITS)
		ibv->read_dlid_path_bits = rxe_read_dlid_path_bits;
	if (wc_flags & IBV_WC_EX_WITH_TM_INFO)
		ibv->read_tm_info = rxe_read_tm_info;
	if (wc_flags & IBV_WC_EX_WITH_COMPLETION_TIMESTAMP)
		ibv->read_completion_ts = rxe_read_completion_ts;
	if (wc_flags & IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK)
		ibv->read_completion_wallclock_ns = rxe_read_completion_wallclock_ns;
}
