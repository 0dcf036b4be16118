// SPDX-License-Identifier: GPL-2.0
/* rdma_cm: QPs of kernel consumers, and attributes for those of others. */
#include <linux/export.h>
#include <ofed/restrack.h>
#include <rdma/ib_cache.h>
#include <rdma/rdma_cm_ib.h>

#include "cma.h"
#include "trace.h"

/* Return: 0, or -EINVAL for no Q_Key and for another one than the id has. */
int cma_set_qkey(struct cma_id *id, u32 qkey)
{
	int ret = 0;

	spin_lock_irq(&id->lock);
	if (!qkey || (id->qkey && id->qkey != qkey))
		ret = -EINVAL;
	else
		id->qkey = qkey;
	spin_unlock_irq(&id->lock);
	return ret;
}

/* IPoIB's is that of its broadcast group. */
static int cma_ipoib_qkey(struct cma_id *id)
{
	struct ib_sa_mcmember_rec rec = { };
	int ret;

	ib_addr_get_mgid(cma_l2(id), &rec.mgid);
	ret = ib_sa_get_mcmember_rec(id->pub.device, id->pub.port_num,
				     &rec.mgid, &rec);
	return ret ?: cma_set_qkey(id, be32_to_cpu(rec.qkey));
}

/**
 * cma_default_qkey - see to it that an id has a Q_Key
 * @id: id with a device
 *
 * Context: process. Return: 0, or an errno of ib_sa_get_mcmember_rec().
 */
int cma_default_qkey(struct cma_id *id)
{
	if (id->qkey)
		return 0;
	switch (id->pub.ps) {
	case RDMA_PS_UDP:
	case RDMA_PS_IB:
		return cma_set_qkey(id, RDMA_UDP_QKEY);
	case RDMA_PS_IPOIB:
		return cma_ipoib_qkey(id);
	default:
		return 0;
	}
}

/* What can be said without a connection: the INIT state, and that of UD. */
static int cma_attr_of_port(struct cma_id *id, struct ib_qp_attr *attr, int *mask)
{
	u16 pkey = 0xffff;
	int ret;

	if (rdma_protocol_ib(id->pub.device, id->pub.port_num))
		pkey = ib_addr_get_pkey(cma_l2(id));
	ret = ib_find_cached_pkey(id->pub.device, id->pub.port_num, pkey,
				  &attr->pkey_index);
	if (ret)
		return ret;
	attr->port_num = id->pub.port_num;
	*mask = IB_QP_STATE | IB_QP_PKEY_INDEX | IB_QP_PORT;
	if (id->pub.qp_type != IB_QPT_UD) {
		attr->qp_access_flags = 0;
		*mask |= IB_QP_ACCESS_FLAGS;
		return 0;
	}
	ret = cma_default_qkey(id);
	if (ret)
		return ret;
	attr->qkey = id->qkey;
	*mask |= IB_QP_QKEY;
	return 0;
}

static int cma_attr_by_ib(struct cma_id *id, struct ib_qp_attr *attr, int *mask)
{
	int ret;

	if (!id->ib && cma_state_of(id) == CMA_S_LISTEN &&
	    id->pub.qp_type != IB_QPT_UD)
		return -EINVAL;
	if (!id->ib || id->pub.qp_type == IB_QPT_UD)
		return cma_attr_of_port(id, attr, mask);
	ret = ib_cm_init_qp_attr(id->ib, attr, mask);
	if (attr->qp_state == IB_QPS_RTR)
		attr->rq_psn = id->seq_num;
	return ret;
}

static int cma_attr_by_iw(struct cma_id *id, struct ib_qp_attr *attr, int *mask)
{
	int ret = 0;

	if (id->iw) {
		ret = iw_cm_init_qp_attr(id->iw, attr, mask);
	} else {
		attr->qp_access_flags = 0;
		*mask = IB_QP_STATE | IB_QP_ACCESS_FLAGS;
	}
	attr->port_num = id->pub.port_num;
	*mask |= IB_QP_PORT;
	return ret;
}

/**
 * rdma_init_qp_attr - what a QP needs for its next state
 * @id: id with a device
 * @qp_attr: in: qp_state; out: attributes for the transition into it
 * @qp_attr_mask: out: which of them are set
 *
 * A source GID in the address vector is borrowed from the id. Context: process,
 * may sleep.
 * Return: 0, -EINVAL (no device, no such state of the connection, or a listen,
 * which has no QP of its own unless it is for datagrams), -ENOSYS,
 * -ENOENT (the P_Key is not in the port's table), or an errno of the CM.
 */
int rdma_init_qp_attr(struct rdma_cm_id *id, struct ib_qp_attr *qp_attr,
		      int *qp_attr_mask)
{
	struct cma_id *mine = cma_id_of(id);
	int ret;

	if (!cma_device(mine))
		return -EINVAL;
	if (cma_uses_ib(mine))
		ret = cma_attr_by_ib(mine, qp_attr, qp_attr_mask);
	else if (cma_uses_iw(mine))
		ret = cma_attr_by_iw(mine, qp_attr, qp_attr_mask);
	else
		ret = -ENOSYS;
	if (ret)
		return ret;
	spin_lock_irq(&mine->lock);
	if (*qp_attr_mask & IB_QP_TIMEOUT && mine->ack_timeout_set)
		qp_attr->timeout = mine->ack_timeout;
	if (*qp_attr_mask & IB_QP_MIN_RNR_TIMER && mine->min_rnr_set)
		qp_attr->min_rnr_timer = mine->min_rnr;
	spin_unlock_irq(&mine->lock);
	return 0;
}
OFED_EXPORT(rdma_init_qp_attr);

/* One transition, as the CM wants it; @limit changes it. */
static int cma_qp_step(struct cma_id *id, struct ib_qp *qp, enum ib_qp_state state,
		       void (*limit)(struct ib_qp_attr *attr,
				     const struct rdma_conn_param *param),
		       const struct rdma_conn_param *param)
{
	struct ib_qp_attr attr = { .qp_state = state };
	int mask = 0;
	int ret;

	lockdep_assert_held(&id->qp_mutex);
	ret = rdma_init_qp_attr(&id->pub, &attr, &mask);
	if (ret)
		return ret;
	if (limit && param)
		limit(&attr, param);
	return ib_modify_qp(qp, &attr, mask);
}

static void cma_limit_incoming(struct ib_qp_attr *attr,
			       const struct rdma_conn_param *param)
{
	attr->max_dest_rd_atomic = param->responder_resources;
}

static void cma_limit_outgoing(struct ib_qp_attr *attr,
			       const struct rdma_conn_param *param)
{
	attr->max_rd_atomic = param->initiator_depth;
}

/**
 * cma_qp_to_rtr - make the QP ready to receive
 * @id: id with a connection; it need not have a QP
 * @param: limit of reads and atomics, or NULL for what the CM says
 *
 * By way of INIT, where the CM sets the access rights. Context: process, may
 * sleep. Return: 0 or an errno.
 */
int cma_qp_to_rtr(struct cma_id *id, const struct rdma_conn_param *param)
{
	struct ib_qp *qp;
	int ret = 0;

	mutex_lock(&id->qp_mutex);
	qp = id->pub.qp;
	if (qp) {
		ret = cma_qp_step(id, qp, IB_QPS_INIT, NULL, NULL);
		if (!ret)
			ret = cma_qp_step(id, qp, IB_QPS_RTR, cma_limit_incoming, param);
	}
	mutex_unlock(&id->qp_mutex);
	return ret;
}

/* The same for sending. */
int cma_qp_to_rts(struct cma_id *id, const struct rdma_conn_param *param)
{
	int ret = 0;

	mutex_lock(&id->qp_mutex);
	if (id->pub.qp)
		ret = cma_qp_step(id, id->pub.qp, IB_QPS_RTS, cma_limit_outgoing, param);
	mutex_unlock(&id->qp_mutex);
	return ret;
}

/* Nothing goes in or out any more, and what was posted comes back. */
int cma_qp_to_error(struct cma_id *id)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_ERR };
	int ret = 0;

	mutex_lock(&id->qp_mutex);
	if (id->pub.qp)
		ret = ib_modify_qp(id->pub.qp, &attr, IB_QP_STATE);
	mutex_unlock(&id->qp_mutex);
	return ret;
}

static int cma_init_ud_qp(struct cma_id *id, struct ib_qp *qp)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_RTR };
	int ret;

	ret = cma_qp_step(id, qp, IB_QPS_INIT, NULL, NULL);
	if (!ret)
		ret = ib_modify_qp(qp, &attr, IB_QP_STATE);
	if (ret)
		return ret;
	attr.qp_state = IB_QPS_RTS;
	return ib_modify_qp(qp, &attr, IB_QP_STATE | IB_QP_SQ_PSN);
}

static int cma_create_qp(struct cma_id *id, struct ib_pd *pd,
			 struct ib_qp_init_attr *attr)
{
	struct ib_qp *qp;
	int ret;

	if (!id->pub.device || id->pub.device != pd->device)
		return -EINVAL;
	attr->port_num = id->pub.port_num;
	qp = ib_create_qp_kernel(pd, attr, OFED_OWNER_CM);
	if (IS_ERR(qp))
		return PTR_ERR(qp);
	mutex_lock(&id->qp_mutex);
	ret = id->pub.qp_type == IB_QPT_UD ? cma_init_ud_qp(id, qp) :
	      cma_qp_step(id, qp, IB_QPS_INIT, NULL, NULL);
	if (!ret) {
		id->pub.qp = qp;
		id->qp_num = qp->qp_num;
		id->srq = qp->srq;
	}
	mutex_unlock(&id->qp_mutex);
	if (ret)
		ib_destroy_qp(qp);
	return ret;
}

/**
 * rdma_create_qp - make a QP that follows the states of an id
 * @id: id with a device
 * @pd: protection domain of the same device
 * @qp_init_attr: as for ib_create_qp(); the port is the id's
 *
 * A QP for datagrams can send when this returns, others can receive be posted.
 * Context: process, may sleep.
 * Return: 0, -EINVAL (another device), or an errno of ib_create_qp() or
 * ib_modify_qp().
 */
int rdma_create_qp(struct rdma_cm_id *id, struct ib_pd *pd,
		   struct ib_qp_init_attr *qp_init_attr)
{
	struct cma_id *mine = cma_id_of(id);
	int ret = cma_create_qp(mine, pd, qp_init_attr);

	trace_cm_qp_create(mine, pd, qp_init_attr, ret);
	return ret;
}
OFED_EXPORT(rdma_create_qp);

/**
 * rdma_destroy_qp - destroy the QP of an id
 * @id: id after rdma_create_qp()
 *
 * Context: process, may sleep.
 */
void rdma_destroy_qp(struct rdma_cm_id *id)
{
	struct cma_id *mine = cma_id_of(id);

	trace_cm_qp_destroy(mine);
	mutex_lock(&mine->qp_mutex);
	ib_destroy_qp(id->qp);
	id->qp = NULL;
	mutex_unlock(&mine->qp_mutex);
}
OFED_EXPORT(rdma_destroy_qp);
