// SPDX-License-Identifier: GPL-2.0
/* NLDEV: what is told of an SRQ, and which QPs receive from it. */
#include <net/netlink.h>
#include <ofed/refuse.h>
#include <rdma/ib_verbs.h>

#include "nldev.h"

/* A run of QP numbers, as long as it can be made. */
struct qp_range {
	u32 first;
	u32 last;
	bool used;
};

static int nldev_put_range(struct sk_buff *msg, const struct qp_range *range)
{
	struct nlattr *nest;
	int ret;

	if (!range->used)
		return 0;
	nest = nla_nest_start(msg, RDMA_NLDEV_ATTR_RES_QP_ENTRY);
	if (!nest)
		return -EMSGSIZE;
	if (range->first == range->last)
		ret = nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_LQPN, range->first);
	else
		ret = nla_put_u32(msg, RDMA_NLDEV_ATTR_MIN_RANGE,
				  range->first) ?:
		      nla_put_u32(msg, RDMA_NLDEV_ATTR_MAX_RANGE, range->last);
	if (ret)
		nla_nest_cancel(msg, nest);
	else
		nla_nest_end(msg, nest);
	return ret;
}

/* Numbers come in order, as the table of QPs has them. */
static int nldev_range_add(struct sk_buff *msg, struct qp_range *range, u32 number)
{
	int ret = 0;

	if (range->used && number == range->last + 1) {
		range->last = number;
		return 0;
	}
	ret = nldev_put_range(msg, range);
	range->first = number;
	range->last = number;
	range->used = true;
	return ret;
}

static int nldev_srq_put_qps(struct sk_buff *msg, const struct ib_srq *srq)
{
	struct nlattr *table = nla_nest_start(msg, RDMA_NLDEV_ATTR_RES_QP);
	struct qp_range range = {};
	struct ib_qp *qp;
	int ret = 0;
	u32 id;

	if (!table)
		return -EMSGSIZE;
	for (id = 0; !ret && (qp = ofed_nldev_next_qp(srq->device, &id)); id++) {
		if (qp->srq == srq)
			ret = nldev_range_add(msg, &range, qp->qp_num);
		rdma_restrack_put(&qp->res);
		cond_resched();
	}
	ret = ret ?: nldev_put_range(msg, &range);
	if (ret)
		nla_nest_cancel(msg, table);
	else
		nla_nest_end(msg, table);
	return ret;
}

/* nldev_kind.fill */
int ofed_nldev_put_srq(struct sk_buff *msg, struct rdma_restrack_entry *res,
		       const struct nldev_req *req)
{
	struct ib_srq *srq = container_of(res, struct ib_srq, res);
	int (*fill)(struct sk_buff *msg, struct ib_srq *srq) =
		compat_fill_srq(srq->device);
	int ret;

	if (nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_SRQN, res->id) ||
	    nla_put_u8(msg, RDMA_NLDEV_ATTR_RES_TYPE, srq->srq_type) ||
	    nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_PDN, srq->pd->res.id))
		return -EMSGSIZE;
	if (ib_srq_has_cq(srq->srq_type) &&
	    nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_CQN, srq->ext.cq->res.id))
		return -EMSGSIZE;
	ret = nldev_srq_put_qps(msg, srq) ?: ofed_nldev_put_owner(msg, res);
	if (!ret && fill)
		ret = fill(msg, srq);
	return ret;
}

/* nldev_kind.fill */
int ofed_nldev_put_srq_raw(struct sk_buff *msg, struct rdma_restrack_entry *res,
			   const struct nldev_req *req)
{
	struct ib_srq *srq = container_of(res, struct ib_srq, res);
	int (*fill)(struct sk_buff *msg, struct ib_srq *srq) =
		compat_fill_srq_raw(srq->device);

	return fill ? fill(msg, srq) :
	       ofed_refuse(srq->device, -EINVAL,
			   "the driver has no fill_res_srq_entry_raw");
}
