// SPDX-License-Identifier: GPL-2.0
/*
 * Changes of the state and the attributes of a queue pair (IBA vol. 1 chapter
 * 11, Modify Queue Pair).
 *
 * av_sgid_attr and alt_path_sgid_attr change by xchg: several threads of a
 * process may modify one QP. All functions here run in process context and may
 * sleep.
 */
#include <ofed/refuse.h>
#include <ofed/verbs.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_verbs.h>

#include "../addr/addr.h"
#include "../track/counters.h"
#include "ah.h"

#define PSN_MASK 0xffffff

static bool qp_is_connected(const struct ib_qp *qp)
{
	return qp->qp_type == IB_QPT_RC || qp->qp_type == IB_QPT_UC ||
	       qp->qp_type == IB_QPT_XRC_INI || qp->qp_type == IB_QPT_XRC_TGT;
}

/*
 * Kernel consumers bring the MAC of a RoCE peer, from the CM; a user can not
 * be trusted with that.
 */
static int qp_take_path(struct ib_qp *qp, struct ib_qp_attr *attr,
			struct ib_udata *udata)
{
	struct rdma_ah_attr *av = &attr->ah_attr;
	const struct ib_gid_attr *callers = av->grh.sgid_attr;
	int ret;

	ret = ofed_av_take(qp->device, av);
	if (ret)
		return ret;
	if (udata && av->type == RDMA_AH_ATTR_TYPE_ROCE &&
	    qp_is_connected(qp)) {
		ret = ofed_addr_resolve_l2(qp->device, av);
		if (ret) {
			rdma_destroy_ah_attr(av);
			av->grh.sgid_attr = callers;
		}
	}
	return ret;
}

/* Path migration is InfiniBand's; RoCE and iWARP have none. */
static int qp_take_alt_path(struct ib_qp *qp, struct ib_qp_attr *attr,
			    u32 port)
{
	struct rdma_ah_attr *av = &attr->alt_ah_attr;

	if (!rdma_is_port_valid(qp->device, av->port_num) ||
	    !rdma_protocol_ib(qp->device, av->port_num) ||
	    !rdma_protocol_ib(qp->device, port))
		return ofed_refuse(qp->device, -EINVAL,
				   "alt_ah_attr: port %u or port %u is not of InfiniBand",
				   av->port_num, port);
	return ofed_av_take(qp->device, av);
}

static int qp_modify_driver(struct ib_qp *qp, struct ib_qp_attr *attr,
			    int mask, struct ib_udata *udata, u32 port)
{
	const bool psn24 = rdma_ib_or_roce(qp->device, port);

	if (psn24 && mask & IB_QP_SQ_PSN)
		attr->sq_psn &= PSN_MASK;
	if (psn24 && mask & IB_QP_RQ_PSN)
		attr->rq_psn &= PSN_MASK;
	attr->xmit_slave = NULL;
	return qp->device->ops.modify_qp(qp, attr, mask, udata);
}

/* The QP keeps the GIDs of its paths; @attr gets its caller's back. */
static void qp_keep_gid(const struct ib_gid_attr **slot,
			struct rdma_ah_attr *av,
			const struct ib_gid_attr *callers)
{
	qp_drop_gid(xchg(slot, av->grh.sgid_attr));
	av->grh.sgid_attr = callers;
}

/*
 * Before the driver moves it, as drivers tell the hardware then. A QP works
 * without a counter, so that it gets none is no failure.
 *
 * Return: it has one now, and had none.
 */
static bool qp_count(struct ib_qp *qp, const struct ib_qp_attr *attr, int mask)
{
	if (!(mask & IB_QP_PORT) || !(mask & IB_QP_STATE) ||
	    attr->qp_state != IB_QPS_INIT || qp->counter)
		return false;
	return !ofed_counter_bind_qp_auto(qp, attr->port_num) && qp->counter;
}

static int qp_modify(struct ib_qp *qp, struct ib_qp_attr *attr, int mask,
		     struct ib_udata *udata)
{
	const u32 port = mask & IB_QP_PORT ? attr->port_num : qp->port;
	const struct ib_gid_attr *callers = attr->ah_attr.grh.sgid_attr;
	const struct ib_gid_attr *callers_alt = attr->alt_ah_attr.grh.sgid_attr;
	bool counted;
	int ret;

	if (!qp->device->ops.modify_qp)
		return ofed_refuse_op(qp->device, "modify_qp");
	if (mask & IB_QP_PORT && !rdma_is_port_valid(qp->device, port))
		return ofed_refuse_port(qp->device, port);

	if (mask & IB_QP_AV) {
		ret = qp_take_path(qp, attr, udata);
		if (ret)
			return ret;
	}
	if (mask & IB_QP_ALT_PATH) {
		ret = qp_take_alt_path(qp, attr, port);
		if (ret)
			goto err_drop_path;
	}
	counted = qp_count(qp, attr, mask);
	ret = qp_modify_driver(qp, attr, mask, udata, port);
	if (ret)
		goto err_uncount;

	if (mask & IB_QP_PORT)
		qp->port = port;
	if (mask & IB_QP_AV)
		qp_keep_gid(&qp->av_sgid_attr, &attr->ah_attr, callers);
	if (mask & IB_QP_ALT_PATH)
		qp_keep_gid(&qp->alt_path_sgid_attr, &attr->alt_ah_attr,
			    callers_alt);
	return 0;

err_uncount:
	/* The counter is that of a port which the QP is not on. */
	if (counted)
		ofed_counter_unbind_qp(qp, true);
	if (mask & IB_QP_ALT_PATH) {
		rdma_destroy_ah_attr(&attr->alt_ah_attr);
		attr->alt_ah_attr.grh.sgid_attr = callers_alt;
	}
err_drop_path:
	if (mask & IB_QP_AV) {
		rdma_destroy_ah_attr(&attr->ah_attr);
		attr->ah_attr.grh.sgid_attr = callers;
	}
	return ret;
}

/**
 * ib_modify_qp_with_udata - change state or attributes of a user's QP
 * @qp: the QP, or a handle of a shared one
 * @attr: new values; ah_attr may come back with the destination MAC
 * @attr_mask: which of them
 * @udata: the driver's data
 *
 * IBA vol. 1 chapter 11, Modify Queue Pair. The destination MAC of a RoCE path
 * is looked up.
 * Context: process, sleeps until a neighbour has answered.
 * Return: 0, -EOPNOTSUPP, -EINVAL (port, path, alternate path without
 * InfiniBand), an errno of the GID table or of ofed_addr_resolve_l2(), or the
 * driver's: a move that IBA table 91 does not have gives -EINVAL.
 */
int ib_modify_qp_with_udata(struct ib_qp *qp, struct ib_qp_attr *attr,
			    int attr_mask, struct ib_udata *udata)
{
	return qp_modify(qp->real_qp, attr, attr_mask, udata);
}
OFED_EXPORT(ib_modify_qp_with_udata);

/**
 * ib_modify_qp - change state or attributes of a QP
 * @qp: the QP, or a handle of a shared one
 * @qp_attr: new values; a RoCE path brings its destination MAC
 * @qp_attr_mask: which of them
 *
 * Context: process, may sleep. Return: as ib_modify_qp_with_udata().
 */
int ib_modify_qp(struct ib_qp *qp, struct ib_qp_attr *qp_attr,
		 int qp_attr_mask)
{
	return qp_modify(qp->real_qp, qp_attr, qp_attr_mask, NULL);
}
OFED_EXPORT(ib_modify_qp);
