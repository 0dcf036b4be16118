// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Shared receive queues. */
#include <errno.h>
#include <stdlib.h>

#include "rxe.h"

struct srq_resp {
	struct ib_uverbs_create_srq_resp core;
	struct rxe_create_srq_resp rxe;
};

static int rxe_srq_use(struct rxe_srq *srq, struct ibv_pd *pd, int fd,
		       const struct srq_resp *resp, uint32_t max_sge)
{
	int ret = rxe_queue_map(&srq->rq, pd, fd, &resp->rxe.mi, max_sge);

	if (ret)
		return ret;
	srq->number = resp->rxe.srq_num;
	return 0;
}

struct ibv_srq *rxe_create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *attr)
{
	struct rxe_srq *srq = calloc(1, sizeof(*srq));
	struct ibv_create_srq cmd;
	struct srq_resp resp = {};
	int ret;

	if (!srq)
		return NULL;
	ret = ibv_cmd_create_srq(pd, &srq->base.srq, attr, &cmd, sizeof(cmd),
				 &resp.core, sizeof(resp));
	if (ret)
		goto err_srq;
	ret = rxe_srq_use(srq, pd, pd->context->cmd_fd, &resp, attr->attr.max_sge);
	if (ret)
		goto err_cmd;
	return &srq->base.srq;

err_cmd:
	ibv_cmd_destroy_srq(&srq->base.srq);
err_srq:
	free(srq);
	errno = ret;
	return NULL;
}

struct ibv_srq *rxe_create_srq_ex(struct ibv_context *context,
				  struct ibv_srq_init_attr_ex *attr)
{
	struct rxe_srq *srq = calloc(1, sizeof(*srq));
	struct ibv_create_xsrq cmd;
	struct srq_resp resp = {};
	int ret;

	if (!srq)
		return NULL;
	ret = ibv_cmd_create_srq_ex(context, &srq->base, attr, &cmd, sizeof(cmd),
				    &resp.core, sizeof(resp));
	if (ret)
		goto err_srq;
	ret = rxe_srq_use(srq, attr->pd, context->cmd_fd, &resp, attr->attr.max_sge);
	if (ret)
		goto err_cmd;
	return &srq->base.srq;

err_cmd:
	ibv_cmd_destroy_srq(&srq->base.srq);
err_srq:
	free(srq);
	errno = ret;
	return NULL;
}

/*
 * The kernel module says where another ring is by writing to an address of this process.
 * Nothing is posted meanwhile, so posting goes on at the index in the new ring.
 */
int rxe_modify_srq(struct ibv_srq *ibv, struct ibv_srq_attr *attr, int mask)
{
	struct mminfo info = {};
	struct {
		struct ibv_modify_srq core;
		struct rxe_modify_srq_cmd rxe;
	} cmd = { .rxe.mmap_info_addr = (uintptr_t)&info };
	struct rxe_queue *queue = &rxe_srq_of(ibv)->rq;
	struct lib_ring fresh = {};
	int ret;

	rxe_queue_lock(queue);
	ret = ibv_cmd_modify_srq(ibv, attr, mask, &cmd.core, sizeof(cmd));
	if (!ret && mask & IBV_SRQ_MAX_WR)
		ret = lib_ring_map(&fresh, ibv->context->cmd_fd, &info);
	if (!ret && fresh.buf) {
		lib_ring_unmap(&queue->ring);
		queue->ring = fresh;
		queue->next = lib_ring_load(&fresh.buf->producer_index);
	}
	rxe_queue_unlock(queue);
	return ret;
}

int rxe_get_srq_num(struct ibv_srq *srq, uint32_t *number)
{
	/* Only one for XRC is named by its number. */
	if (!rxe_srq_of(srq)->base.xrcd)
		return EOPNOTSUPP;
	*number = rxe_srq_of(srq)->number;
	return 0;
}

int rxe_destroy_srq(struct ibv_srq *ibv)
{
	struct rxe_srq *srq = rxe_srq_of(ibv);
	int ret = ibv_cmd_destroy_srq(ibv);

	if (ret)
		return ret;
	rxe_queue_unmap(&srq->rq);
	free(srq);
	return 0;
}

int rxe_post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr,
		      struct ibv_recv_wr **bad)
{
	return rxe_queue_post(&rxe_srq_of(srq)->rq, wr, bad);
}
