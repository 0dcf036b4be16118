// SPDX-License-Identifier: GPL-2.0
/* NLDEV: what is told of a QP. */
#include <net/netlink.h>
#include <ofed/refuse.h>
#include <ofed/restrack.h>
#include <rdma/ib_verbs.h>
#include <rdma/restrack.h>

#include "nldev.h"

static struct ib_qp *nldev_qp_of(struct rdma_restrack_entry *res)
{
	return container_of(res, struct ib_qp, res);
}

struct ib_qp *ofed_nldev_next_qp(struct ib_device *device, u32 *id)
{
	struct rdma_restrack_entry *res;

	res = ofed_restrack_get_from(device, RDMA_RESTRACK_QP, id);
	return res ? nldev_qp_of(res) : NULL;
}

static bool nldev_is_of_port(const struct ib_qp *qp, const struct nldev_req *req)
{
	return req->port == NLDEV_NO_PORT || req->port == qp->port;
}

static bool nldev_is_connected(const struct ib_qp *qp)
{
	return qp->qp_type == IB_QPT_RC || qp->qp_type == IB_QPT_UC;
}

static bool nldev_can_migrate(const struct ib_qp *qp)
{
	return nldev_is_connected(qp) || qp->qp_type == IB_QPT_XRC_INI ||
	       qp->qp_type == IB_QPT_XRC_TGT;
}

/* What changes while a QP lives: asked of the driver. */
static int nldev_put_state(struct sk_buff *msg, struct ib_qp *qp)
{
	/* Drivers leave out what a QP of that state has not. */
	struct ib_qp_init_attr init = {};
	struct ib_qp_attr attr = {};
	int ret;

	ret = ib_query_qp(qp, &attr, 0, &init);
	if (ret)
		return ret;
	if (nldev_is_connected(qp) &&
	    (nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_RQPN, attr.dest_qp_num) ||
	     nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_RQ_PSN, attr.rq_psn)))
		return -EMSGSIZE;
	if (nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_SQ_PSN, attr.sq_psn))
		return -EMSGSIZE;
	if (nldev_can_migrate(qp) &&
	    nla_put_u8(msg, RDMA_NLDEV_ATTR_RES_PATH_MIG_STATE,
		       attr.path_mig_state))
		return -EMSGSIZE;
	if (nla_put_u8(msg, RDMA_NLDEV_ATTR_RES_TYPE, qp->qp_type) ||
	    nla_put_u8(msg, RDMA_NLDEV_ATTR_RES_STATE, attr.qp_state))
		return -EMSGSIZE;
	return 0;
}

/* nldev_kind.fill */
int ofed_nldev_put_qp(struct sk_buff *msg, struct rdma_restrack_entry *res,
		      const struct nldev_req *req)
{
	struct ib_qp *qp = nldev_qp_of(res);
	struct ib_device *device = qp->device;
	int ret;

	if (!nldev_is_of_port(qp, req))
		return -EAGAIN;
	/* No port before INIT, and no PD of one's own with XRC targets. */
	if (qp->port &&
	    nla_put_u32(msg, RDMA_NLDEV_ATTR_PORT_INDEX, qp->port))
		return -EMSGSIZE;
	if (nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_LQPN, qp->qp_num))
		return -EMSGSIZE;
	if (!rdma_is_kernel_res(res) && qp->pd &&
	    nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_PDN, qp->pd->res.id))
		return -EMSGSIZE;
	ret = ofed_nldev_put_owner(msg, res) ?: nldev_put_state(msg, qp);
	if (!ret && device->ops.fill_res_qp_entry)
		ret = device->ops.fill_res_qp_entry(msg, qp);
	return ret;
}

/* nldev_kind.fill */
int ofed_nldev_put_qp_raw(struct sk_buff *msg, struct rdma_restrack_entry *res,
			  const struct nldev_req *req)
{
	struct ib_qp *qp = nldev_qp_of(res);

	if (!nldev_is_of_port(qp, req))
		return -EAGAIN;
	if (!qp->device->ops.fill_res_qp_entry_raw)
		return ofed_refuse(qp->device, -EINVAL,
				   "the driver has no fill_res_qp_entry_raw");
	return qp->device->ops.fill_res_qp_entry_raw(msg, qp);
}
