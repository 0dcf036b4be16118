// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Queue pairs of iWARP devices. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "siw.h"
#include "verbs_qp.h"

static int siw_qp_use(struct siw_qp *qp, int fd, const struct siw_uresp_create_qp *resp)
{
	int ret;

	ret = siw_rq_map(&qp->rq, fd, resp->rq_key, resp->num_rqe);
	if (ret)
		return ret;
	ret = siw_ring_map(&qp->sq, fd, resp->sq_key, resp->num_sqe,
			   sizeof(struct siw_sqe), 0);
	if (ret) {
		siw_rq_unmap(&qp->rq);
		return ret;
	}
	return pthread_spin_init(&qp->lock, PTHREAD_PROCESS_PRIVATE);
}

/* Returns 0 or an errno. */
static int siw_qp_setup(struct siw_qp *qp, struct ibv_context *context,
			struct ibv_qp_init_attr_ex *attr)
{
	struct {
		struct ib_uverbs_create_qp_resp core;
		struct siw_uresp_create_qp siw;
	} resp = {};
	uint32_t *mask;
	int ret;

	lib_masks_mark(&qp->base);
	ret = lib_create_qp(context, &qp->base, attr, &resp.core, sizeof(resp));
	if (ret)
		return ret;
	mask = lib_masks_settle(&qp->base);
	ret = siw_qp_use(qp, context->cmd_fd, &resp.siw);
	if (ret) {
		ibv_cmd_destroy_qp(&qp->base.qp);
		return ret;
	}
	if (attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS) {
		*mask |= VERBS_QP_EX;
		siw_qp_ex_ops(qp);
	}
	return 0;
}

static bool siw_can(const struct ibv_qp_init_attr_ex *attr)
{
	if (attr->comp_mask & ~(uint32_t)(IBV_QP_INIT_ATTR_PD |
					  IBV_QP_INIT_ATTR_CREATE_FLAGS |
					  IBV_QP_INIT_ATTR_SEND_OPS_FLAGS))
		return false;
	return !(attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS) ||
	       !(attr->send_ops_flags & ~siw_wr_ops_known);
}

struct ibv_qp *siw_create_qp_ex(struct ibv_context *context,
				struct ibv_qp_init_attr_ex *attr)
{
	struct siw_qp *qp;
	int ret;

	if (!siw_can(attr)) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	qp = calloc(1, sizeof(*qp));
	if (!qp)
		return NULL;
	ret = siw_qp_setup(qp, context, attr);
	if (ret) {
		free(qp);
		errno = ret;
		return NULL;
	}
	return &qp->base.qp;
}

struct ibv_qp *siw_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
	struct ibv_qp_init_attr_ex ex;
	struct ibv_qp *qp;

	lib_init_attr_ex(&ex, pd, attr);
	qp = siw_create_qp_ex(pd->context, &ex);
	if (qp)
		attr->cap = ex.cap;
	return qp;
}

int siw_destroy_qp(struct ibv_qp *ibv)
{
	struct siw_qp *qp = siw_qp_of(ibv);
	int ret = ibv_cmd_destroy_qp(ibv);

	if (ret)
		return ret;
	pthread_spin_destroy(&qp->lock);
	siw_ring_unmap(&qp->sq);
	siw_rq_unmap(&qp->rq);
	free(qp);
	return 0;
}
