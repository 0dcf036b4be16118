// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Queue pairs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "rxe.h"
#include "verbs_qp.h"

static int rxe_check_send_ops(const struct ibv_qp_init_attr_ex *attr)
{
	if (attr->comp_mask & ~(uint32_t)(IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_XRCD |
					  IBV_QP_INIT_ATTR_CREATE_FLAGS |
					  IBV_QP_INIT_ATTR_SEND_OPS_FLAGS))
		return EOPNOTSUPP;
	if (attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS &&
	    attr->send_ops_flags & ~rxe_wr_ops_known(attr->qp_type))
		return EOPNOTSUPP;
	return 0;
}

static int rxe_qp_use(struct rxe_qp *qp, struct ibv_pd *pd, int fd,
		      const struct rxe_create_qp_resp *resp,
		      const struct ibv_qp_cap *cap)
{
	int ret;

	ret = rxe_queue_map(&qp->rq, pd, fd, &resp->rq_mi, cap->max_recv_sge);
	if (ret)
		return ret;
	ret = rxe_queue_map(&qp->sq, pd, fd, &resp->sq_mi, cap->max_send_sge);
	if (ret)
		rxe_queue_unmap(&qp->rq);
	return ret;
}

/* Returns 0 or an errno. */
static int rxe_qp_setup(struct rxe_qp *qp, struct ibv_context *context,
			struct ibv_qp_init_attr_ex *attr)
{
	struct {
		struct ib_uverbs_create_qp_resp core;
		struct rxe_create_qp_resp rxe;
		struct ofed_qp_resp own;
	} resp = {};
	struct ibv_pd *pd = attr->comp_mask & IBV_QP_INIT_ATTR_PD ? attr->pd : NULL;
	uint32_t *mask;
	int ret;

	lib_masks_mark(&qp->base);
	ret = lib_create_qp(context, &qp->base, attr, &resp.core, sizeof(resp));
	if (ret)
		return ret;
	mask = lib_masks_settle(&qp->base);
	ret = rxe_qp_use(qp, pd, context->cmd_fd, &resp.rxe, &attr->cap);
	if (ret) {
		ibv_cmd_destroy_qp(&qp->base.qp);
		return ret;
	}
	lib_bell_init(&qp->bell, rxe_context_of(context)->bells, resp.own.doorbell);
	qp->max_inline = attr->cap.max_inline_data;
	if (attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS) {
		*mask |= VERBS_QP_EX;
		rxe_qp_ex_ops(qp, attr->send_ops_flags, mask == &qp->base.comp_mask);
	}
	return 0;
}

struct ibv_qp *rxe_create_qp_ex(struct ibv_context *context,
				struct ibv_qp_init_attr_ex *attr)
{
	struct rxe_qp *qp = NULL;
	int ret;

	ret = rxe_check_send_ops(attr);
	if (ret)
		goto err;
	ret = ENOMEM;
	qp = calloc(1, sizeof(*qp));
	if (!qp)
		goto err;
	ret = rxe_qp_setup(qp, context, attr);
	if (ret)
		goto err;
	return &qp->base.qp;

err:
	free(qp);
	errno = ret;
	return NULL;
}

struct ibv_qp *rxe_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
	struct ibv_qp_init_attr_ex ex;
	struct ibv_qp *qp;

	lib_init_attr_ex(&ex, pd, attr);
	qp = rxe_create_qp_ex(pd->context, &ex);
	if (qp)
		attr->cap = ex.cap;
	return qp;
}

/* The target of another process: it has no queues here. */
struct ibv_qp *rxe_open_qp(struct ibv_context *context, struct ibv_qp_open_attr *attr)
{
	struct rxe_qp *qp = calloc(1, sizeof(*qp));
	struct ib_uverbs_create_qp_resp resp;
	struct ibv_open_qp cmd;
	int ret;

	if (!qp)
		return NULL;
	lib_masks_mark(&qp->base);
	ret = ibv_cmd_open_qp(context, &qp->base, sizeof(qp->base), attr, &cmd,
			      sizeof(cmd), &resp, sizeof(resp));
	if (ret) {
		free(qp);
		errno = ret;
		return NULL;
	}
	lib_masks_settle(&qp->base);
	return &qp->base.qp;
}

/*
 * A receive request of a shared queue has left that queue, and its completion is all that an
 * application has of it. Without a receive queue recv_cq is not used, and may be gone.
 */
static void rxe_forget_completions(struct ibv_qp *ibv)
{
	const struct rxe_qp *qp = rxe_qp_of(ibv);

	if (qp->sq.ring.buf)
		rxe_cq_clean(rxe_cq_of(ibv->send_cq), ibv->qp_num, ibv->srq);
	if (qp->rq.ring.buf && ibv->recv_cq != ibv->send_cq)
		rxe_cq_clean(rxe_cq_of(ibv->recv_cq), ibv->qp_num, false);
}

int rxe_modify_qp(struct ibv_qp *ibv, struct ibv_qp_attr *attr, int mask)
{
	int ret = lib_modify_qp(ibv, attr, mask);

	if (!ret && mask & IBV_QP_STATE && attr->qp_state == IBV_QPS_RESET)
		rxe_forget_completions(ibv);
	return ret;
}

int rxe_destroy_qp(struct ibv_qp *ibv)
{
	struct rxe_qp *qp = rxe_qp_of(ibv);
	int ret = ibv_cmd_destroy_qp(ibv);

	if (ret)
		return ret;
	rxe_queue_unmap(&qp->sq);
	rxe_queue_unmap(&qp->rq);
	free(qp);
	return 0;
}

int rxe_post_recv(struct ibv_qp *ibv, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	struct rxe_qp *qp = rxe_qp_of(ibv);

	/* A shared queue is posted to by itself. IBA 10.3.1: in RESET there is none. */
	if (!qp->rq.ring.buf || ibv->state == IBV_QPS_RESET) {
		*bad = wr;
		return EINVAL;
	}
	return rxe_queue_post(&qp->rq, wr, bad);
}
