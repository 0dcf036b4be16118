// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Completion queues. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "domain.h"
#include "rxe.h"

/* An element begins with what the application gets. */
#define SAME(field) \
	static_assert(offsetof(struct ib_uverbs_wc, field) == \
		      offsetof(struct ibv_wc, field), #field)
SAME(wr_id);
SAME(status);
SAME(opcode);
SAME(vendor_err);
SAME(byte_len);
SAME(qp_num);
SAME(src_qp);
SAME(wc_flags);
SAME(pkey_index);
SAME(slid);
SAME(sl);
SAME(dlid_path_bits);
static_assert(sizeof(struct ibv_wc) == sizeof(struct ib_uverbs_wc), "struct ibv_wc");
static_assert(sizeof(struct ib_uverbs_wc) == OFED_CQE_TIME_OFFSET, "struct ofed_cqe_time");

#define KNOWN_WC_FLAGS	IBV_CREATE_CQ_SUP_WC_FLAGS
#define PLAIN_WC_FLAGS	(IBV_WC_STANDARD_FLAGS)
#define TIME_WC_FLAGS	(IBV_WC_EX_WITH_COMPLETION_TIMESTAMP | \
			 IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK)

void rxe_cq_lock(struct rxe_cq *cq)
{
	if (!cq->single)
		pthread_spin_lock(&cq->lock);
}

void rxe_cq_unlock(struct rxe_cq *cq)
{
	if (!cq->single)
		pthread_spin_unlock(&cq->lock);
}

static int rxe_cq_use(struct rxe_cq *cq, int fd, const struct mminfo *info)
{
	int ret = lib_ring_map(&cq->ring, fd, info);

	if (ret)
		return ret;
	cq->next = lib_ring_load(&cq->ring.buf->consumer_index);
	return 0;
}

static struct rxe_cq *rxe_cq_new(void)
{
	struct rxe_cq *cq = calloc(1, sizeof(*cq));

	if (cq)
		pthread_spin_init(&cq->lock, PTHREAD_PROCESS_PRIVATE);
	return cq;
}

static void rxe_cq_free(struct rxe_cq *cq)
{
	lib_ring_unmap(&cq->ring);
	pthread_spin_destroy(&cq->lock);
	free(cq);
}

struct ibv_cq *rxe_create_cq(struct ibv_context *context, int cqe,
			     struct ibv_comp_channel *channel, int vector)
{
	struct {
		struct ib_uverbs_create_cq_resp core;
		struct rxe_create_cq_resp rxe;
	} resp = {};
	struct rxe_cq *cq = rxe_cq_new();
	struct ibv_create_cq cmd;
	int ret;

	if (!cq)
		return NULL;
	ret = ibv_cmd_create_cq(context, cqe, channel, vector, &cq->base.cq, &cmd,
				sizeof(cmd), &resp.core, sizeof(resp));
	if (ret)
		goto err_cq;
	ret = rxe_cq_use(cq, context->cmd_fd, &resp.rxe.mi);
	if (ret)
		goto err_cmd;
	return &cq->base.cq;

err_cmd:
	ibv_cmd_destroy_cq(&cq->base.cq);
err_cq:
	rxe_cq_free(cq);
	errno = ret;
	return NULL;
}

static int rxe_check_cq_ex(struct ibv_context *context,
			   const struct ibv_cq_init_attr_ex *attr)
{
	uint64_t known = PLAIN_WC_FLAGS;

	if (rxe_context_of(context)->features & OFED_FEATURE_CQ_TIME)
		known |= TIME_WC_FLAGS;
	if (rxe_context_of(context)->features & OFED_FEATURE_TAG_MATCHING)
		known |= IBV_WC_EX_WITH_TM_INFO;
	if (attr->comp_mask & ~(uint32_t)(IBV_CQ_INIT_ATTR_MASK_FLAGS |
					  IBV_CQ_INIT_ATTR_MASK_PD) ||
	    attr->wc_flags & ~known)
		return EOPNOTSUPP;
	if (attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS &&
	    attr->flags & ~(uint32_t)IBV_CREATE_CQ_ATTR_SINGLE_THREADED)
		return EOPNOTSUPP;
	return 0;
}

struct ibv_cq_ex *rxe_create_cq_ex(struct ibv_context *context,
				   struct ibv_cq_init_attr_ex *attr)
{
	struct {
		struct ib_uverbs_ex_create_cq_resp core;
		struct rxe_create_cq_resp rxe;
	} resp = {};
	struct {
		struct ibv_create_cq_ex core;
		struct ofed_create_cq_req own;
	} cmd = {};
	struct rxe_cq *cq;
	int ret;

	ret = rxe_check_cq_ex(context, attr);
	if (ret)
		goto err;
	ret = ENOMEM;
	cq = rxe_cq_new();
	if (!cq)
		goto err;
	if (attr->wc_flags & IBV_WC_EX_WITH_TM_INFO)
		cmd.own.flags |= OFED_CQ_TM_INFO;
	ret = ibv_cmd_create_cq_ex(context, attr, &cq->base, &cmd.core, sizeof(cmd),
				   &resp.core, sizeof(resp), 0);
	if (ret)
		goto err_cq;
	ret = rxe_cq_use(cq, context->cmd_fd, &resp.rxe.mi);
	if (ret)
		goto err_cmd;
	cq->single = (attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS &&
		      attr->flags & IBV_CREATE_CQ_ATTR_SINGLE_THREADED) ||
		     (attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_PD &&
		      lib_pd_is_single(attr->parent_domain));
	cq->timed = attr->wc_flags & TIME_WC_FLAGS;
	rxe_cq_ex_ops(cq, attr->wc_flags);
	return &cq->base.cq_ex;

err_cmd:
	ibv_cmd_destroy_cq(&cq->base.cq);
err_cq:
	rxe_cq_free(cq);
err:
	errno = ret;
	return NULL;
}

/*
 * The kernel module moves what was not polled into another ring. Nothing is polled
 * meanwhile, so the index at which polling goes on is the one in the new ring.
 */
int rxe_resize_cq(struct ibv_cq *ibv, int cqe)
{
	struct {
		struct ib_uverbs_resize_cq_resp core;
		struct rxe_resize_cq_resp rxe;
	} resp = {};
	struct rxe_cq *cq = rxe_cq_of(ibv);
	struct lib_ring old;
	struct ibv_resize_cq cmd;
	int ret;

	rxe_cq_lock(cq);
	ret = ibv_cmd_resize_cq(ibv, cqe, &cmd, sizeof(cmd), &resp.core, sizeof(resp));
	if (!ret) {
		old = cq->ring;
		ret = rxe_cq_use(cq, ibv->context->cmd_fd, &resp.rxe.mi);
		if (!ret)
			lib_ring_unmap(&old);
	}
	rxe_cq_unlock(cq);
	return ret;
}

int rxe_modify_cq(struct ibv_cq *cq, struct ibv_modify_cq_attr *attr)
{
	struct ibv_modify_cq cmd = {};

	return ibv_cmd_modify_cq(cq, attr, &cmd, sizeof(cmd));
}

int rxe_destroy_cq(struct ibv_cq *ibv)
{
	int ret = ibv_cmd_destroy_cq(ibv);

	if (!ret)
		rxe_cq_free(rxe_cq_of(ibv));
	return ret;
}

/*
 * What is left of a queue pair that is reset: nothing is added for it any more. From the newest
 * on, what stays moves up to it, in its order. With @keep_recv those of receive requests stay.
 */
void rxe_cq_clean(struct rxe_cq *cq, uint32_t qp_num, bool keep_recv)
{
	struct lib_ring *ring = &cq->ring;
	const struct ib_uverbs_wc *wc;
	uint32_t at, left, gone = 0;

	rxe_cq_lock(cq);
	at = lib_ring_load(&ring->buf->producer_index);
	for (left = (at - cq->next) & ring->mask; left; left--) {
		wc = lib_ring_at(ring, --at);
		if (wc->qp_num == qp_num && !(keep_recv && wc->opcode & IBV_WC_RECV))
			gone++;
		else if (gone)
			memcpy(lib_ring_at(ring, at + gone), wc, 1UL << ring->shift);
	}
	if (gone) {
		cq->next += gone;
		lib_ring_store(&ring->buf->consumer_index, cq->next & ring->mask);
	}
	rxe_cq_unlock(cq);
}

int rxe_poll_cq(struct ibv_cq *ibv, int num, struct ibv_wc *wc)
{
	struct rxe_cq *cq = rxe_cq_of(ibv);
	struct lib_ring *ring = &cq->ring;
	uint32_t ready;
	int done;

	rxe_cq_lock(cq);
	ready = (lib_ring_load(&ring->buf->producer_index) - cq->next) & ring->mask;
	for (done = 0; done < num && ready; done++, ready--)
		memcpy(&wc[done], lib_ring_at(ring, cq->next++), sizeof(*wc));
	if (done)
		lib_ring_store(&ring->buf->consumer_index, cq->next & ring->mask);
	rxe_cq_unlock(cq);
	return done;
}
