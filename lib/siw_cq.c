// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Completion queues of iWARP devices. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "siw.h"

#define KNOWN_WC_FLAGS	IBV_WC_STANDARD_FLAGS

static const uint8_t statuses[] = {
	[SIW_WC_SUCCESS]	 = IBV_WC_SUCCESS,
	[SIW_WC_LOC_LEN_ERR]	 = IBV_WC_LOC_LEN_ERR,
	[SIW_WC_LOC_PROT_ERR]	 = IBV_WC_LOC_PROT_ERR,
	[SIW_WC_LOC_QP_OP_ERR]	 = IBV_WC_LOC_QP_OP_ERR,
	[SIW_WC_WR_FLUSH_ERR]	 = IBV_WC_WR_FLUSH_ERR,
	[SIW_WC_BAD_RESP_ERR]	 = IBV_WC_BAD_RESP_ERR,
	[SIW_WC_LOC_ACCESS_ERR]	 = IBV_WC_LOC_ACCESS_ERR,
	[SIW_WC_REM_ACCESS_ERR]	 = IBV_WC_REM_ACCESS_ERR,
	[SIW_WC_REM_INV_REQ_ERR] = IBV_WC_REM_INV_REQ_ERR,
	[SIW_WC_GENERAL_ERR]	 = IBV_WC_GENERAL_ERR,
};

static const uint8_t opcodes[SIW_NUM_OPCODES] = {
	[SIW_OP_WRITE]		 = IBV_WC_RDMA_WRITE,
	[SIW_OP_READ]		 = IBV_WC_RDMA_READ,
	[SIW_OP_READ_LOCAL_INV]	 = IBV_WC_RDMA_READ,
	[SIW_OP_SEND]		 = IBV_WC_SEND,
	[SIW_OP_SEND_WITH_IMM]	 = IBV_WC_SEND,
	[SIW_OP_SEND_REMOTE_INV] = IBV_WC_SEND,
	[SIW_OP_RECEIVE]	 = IBV_WC_RECV,
	[SIW_OP_INVAL_STAG]	 = IBV_WC_LOCAL_INV,
};

/* ---- elements ----------------------------------------------------------------------- */

static struct siw_cqe *siw_cqe_at(const struct siw_cq *cq, uint32_t index)
{
	return (struct siw_cqe *)cq->ring.mem + (index & (cq->ring.num - 1));
}

/* What the kernel module wrote before the flag is visible afterwards. NULL: there is none. */
static struct siw_cqe *siw_cqe_ready(const struct siw_cq *cq, uint32_t index)
{
	struct siw_cqe *cqe = siw_cqe_at(cq, index);

	return __atomic_load_n(&cqe->flags, __ATOMIC_ACQUIRE) & SIW_WQE_VALID ? cqe : NULL;
}

static void siw_give_back(struct siw_cq *cq)
{
	struct siw_cqe *cqe = siw_cqe_at(cq, cq->ring.next++);

	__atomic_store_n(&cqe->flags, 0, __ATOMIC_RELEASE);
}

static enum ibv_wc_status siw_status(const struct siw_cqe *cqe)
{
	return cqe->status < SIW_NUM_WC_STATUS ? statuses[cqe->status] : IBV_WC_GENERAL_ERR;
}

static enum ibv_wc_opcode siw_opcode(const struct siw_cqe *cqe)
{
	return cqe->opcode < SIW_NUM_OPCODES ? opcodes[cqe->opcode] : IBV_WC_SEND;
}

static unsigned int siw_wc_flags(const struct siw_cqe *cqe)
{
	return cqe->flags & SIW_WQE_REM_INVAL ? IBV_WC_WITH_INV : 0;
}

/* ---- the verbs ------------------------------------------------------------------------ */

int siw_poll_cq(struct ibv_cq *ibv, int num, struct ibv_wc *wc)
{
	struct siw_cq *cq = siw_cq_of(ibv);
	const struct siw_cqe *cqe;
	int done;

	pthread_spin_lock(&cq->lock);
	for (done = 0; done < num; done++) {
		cqe = siw_cqe_ready(cq, cq->ring.next);
		if (!cqe)
			break;
		wc[done] = (struct ibv_wc){
			.wr_id = cqe->id,
			.status = siw_status(cqe),
			.opcode = siw_opcode(cqe),
			.byte_len = cqe->bytes,
			.qp_num = cqe->qp_id,
			.wc_flags = siw_wc_flags(cqe),
		};
		if (wc[done].wc_flags & IBV_WC_WITH_INV)
			wc[done].invalidated_rkey = cqe->inval_stag;
		siw_give_back(cq);
	}
	pthread_spin_unlock(&cq->lock);
	return done;
}

/*
 * The word is stored before the caller polls again: either that poll finds a completion,
 * or the kernel module finds the word when it adds one.
 */
int siw_req_notify_cq(struct ibv_cq *ibv, int solicited_only)
{
	struct siw_cq *cq = siw_cq_of(ibv);
	struct siw_cq_ctrl *ctrl = (void *)siw_cqe_at(cq, 0) +
				   cq->ring.num * sizeof(struct siw_cqe);

	__atomic_store_n(&ctrl->flags, solicited_only ? SIW_NOTIFY_SOLICITED :
			 SIW_NOTIFY_ALL, __ATOMIC_SEQ_CST);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return 0;
}

int siw_destroy_cq(struct ibv_cq *ibv)
{
	struct siw_cq *cq = siw_cq_of(ibv);
	int ret = ibv_cmd_destroy_cq(ibv);

	if (ret)
		return ret;
	siw_ring_unmap(&cq->ring);
	pthread_spin_destroy(&cq->lock);
	free(cq);
	return 0;
}

static struct siw_cq *siw_cq_new(struct ibv_context *context, int cqe,
				 struct ibv_comp_channel *channel, int vector)
{
	struct {
		struct ib_uverbs_create_cq_resp core;
		struct siw_uresp_create_cq siw;
	} resp = {};
	struct siw_cq *cq = calloc(1, sizeof(*cq));
	struct ibv_create_cq cmd;
	int ret;

	if (!cq)
		return NULL;
	ret = ibv_cmd_create_cq(context, cqe, channel, vector, &cq->base.cq, &cmd,
				sizeof(cmd), &resp.core, sizeof(resp));
	if (ret)
		goto err_cq;
	ret = siw_ring_map(&cq->ring, context->cmd_fd, resp.siw.cq_key, resp.siw.num_cqe,
			   sizeof(struct siw_cqe), sizeof(struct siw_cq_ctrl));
	if (ret)
		goto err_cmd;
	pthread_spin_init(&cq->lock, PTHREAD_PROCESS_PRIVATE);
	return cq;

err_cmd:
	ibv_cmd_destroy_cq(&cq->base.cq);
err_cq:
	free(cq);
	errno = ret;
	return NULL;
}

struct ibv_cq *siw_create_cq(struct ibv_context *context, int cqe,
			     struct ibv_comp_channel *channel, int vector)
{
	struct siw_cq *cq = siw_cq_new(context, cqe, channel, vector);

	return cq ? &cq->base.cq : NULL;
}

/* ---- extended -------------------------------------------------------------------------- */

static const struct siw_cqe *siw_current(struct ibv_cq_ex *ibv)
{
	struct siw_cq *cq = siw_cq_of_ex(ibv);

	return siw_cqe_at(cq, cq->ring.next);
}

static void siw_show(struct ibv_cq_ex *ibv, const struct siw_cqe *cqe)
{
	ibv->wr_id = cqe->id;
	ibv->status = siw_status(cqe);
}

static int siw_start_poll(struct ibv_cq_ex *ibv, struct ibv_poll_cq_attr *attr)
{
	struct siw_cq *cq = siw_cq_of_ex(ibv);
	const struct siw_cqe *cqe;

	if (attr->comp_mask)
		return EINVAL;
	pthread_spin_lock(&cq->lock);
	cqe = siw_cqe_ready(cq, cq->ring.next);
	if (!cqe) {
		pthread_spin_unlock(&cq->lock);
		return ENOENT;
	}
	siw_show(ibv, cqe);
	return 0;
}

/* Without another one, the one at hand stays: end_poll() gives it back. */
static int siw_next_poll(struct ibv_cq_ex *ibv)
{
	struct siw_cq *cq = siw_cq_of_ex(ibv);
	const struct siw_cqe *cqe = siw_cqe_ready(cq, cq->ring.next + 1);

	if (!cqe || cq->ring.num == 1)
		return ENOENT;
	siw_give_back(cq);
	siw_show(ibv, cqe);
	return 0;
}

static void siw_end_poll(struct ibv_cq_ex *ibv)
{
	siw_give_back(siw_cq_of_ex(ibv));
	pthread_spin_unlock(&siw_cq_of_ex(ibv)->lock);
}

static enum ibv_wc_opcode siw_read_opcode(struct ibv_cq_ex *ibv)
{
	return siw_opcode(siw_current(ibv));
}

static uint32_t siw_read_zero32(struct ibv_cq_ex *ibv)
{
	return 0;
}

static uint8_t siw_read_zero8(struct ibv_cq_ex *ibv)
{
	return 0;
}

static uint32_t siw_read_byte_len(struct ibv_cq_ex *ibv)
{
	return siw_current(ibv)->bytes;
}

/* In the place of immediate data, which iWARP does not have. */
static __be32 siw_read_inval(struct ibv_cq_ex *ibv)
{
	return (__force __be32)siw_current(ibv)->inval_stag;
}

static uint32_t siw_read_qp_num(struct ibv_cq_ex *ibv)
{
	return siw_current(ibv)->qp_id;
}

static unsigned int siw_read_wc_flags(struct ibv_cq_ex *ibv)
{
	return siw_wc_flags(siw_current(ibv));
}

struct ibv_cq_ex *siw_create_cq_ex(struct ibv_context *context,
				   struct ibv_cq_init_attr_ex *attr)
{
	struct ibv_cq_ex *ibv;
	struct siw_cq *cq;

	if (attr->comp_mask || attr->wc_flags & ~(uint64_t)KNOWN_WC_FLAGS) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	cq = siw_cq_new(context, attr->cqe, attr->channel, attr->comp_vector);
	if (!cq)
		return NULL;
	ibv = &cq->base.cq_ex;
	ibv->start_poll = siw_start_poll;
	ibv->next_poll = siw_next_poll;
	ibv->end_poll = siw_end_poll;
	ibv->read_opcode = siw_read_opcode;
	ibv->read_vendor_err = siw_read_zero32;
	ibv->read_byte_len = siw_read_byte_len;
	ibv->read_imm_data = siw_read_inval;
	ibv->read_qp_num = siw_read_qp_num;
	ibv->read_src_qp = siw_read_zero32;
	ibv->read_wc_flags = siw_read_wc_flags;
	ibv->read_slid = siw_read_zero32;
	ibv->read_sl = siw_read_zero8;
	ibv->read_dlid_path_bits = siw_read_zero8;
	return ibv;
}
