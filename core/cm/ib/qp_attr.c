// SPDX-License-Identifier: GPL-2.0
/* What a QP is to be set to for a connection (IBA vol. 1, 12.9 and 11.2.5.2). */
#include <rdma/ib_verbs.h>

#include "core.h"
#include "trace.h"

#define STATE(name) BIT(IB_CM_##name)

/* States in which the local side of a connection is agreed, and both. */
#define PEER_KNOWN							\
	(STATE(REQ_RCVD) | STATE(MRA_REQ_SENT) | STATE(REP_RCVD) |	\
	 STATE(MRA_REP_SENT) | STATE(REP_SENT) | STATE(MRA_REP_RCVD) |	\
	 STATE(ESTABLISHED))
#define OURS_KNOWN							\
	(PEER_KNOWN | STATE(REQ_SENT) | STATE(MRA_REQ_RCVD))

static bool cm_in_states(const struct cm_id *id, u32 states)
{
	return BIT(id->id.state) & states;
}

/* Answers RDMA requests, sends them: the types that do. */
static bool cm_is_rdma_responder(const struct cm_id *id)
{
	return id->qp_type == IB_QPT_RC || id->qp_type == IB_QPT_XRC_TGT;
}

static bool cm_is_rdma_requester(const struct cm_id *id)
{
	return id->qp_type == IB_QPT_RC || id->qp_type == IB_QPT_XRC_INI;
}

static int cm_attr_init(const struct cm_id *id, struct ib_qp_attr *attr)
{
	attr->qp_access_flags = IB_ACCESS_REMOTE_WRITE;
	if (id->responder_resources)
		attr->qp_access_flags |= IB_ACCESS_REMOTE_READ |
					 IB_ACCESS_REMOTE_ATOMIC |
					 compat_access_flush(id->id.device);
	attr->pkey_index = id->av.to.pkey_index;
	if (id->av.to.port)
		attr->port_num = id->av.to.port->num;
	return IB_QP_STATE | IB_QP_ACCESS_FLAGS | IB_QP_PKEY_INDEX |
	       IB_QP_PORT;
}

static int cm_attr_alternate(const struct cm_id *id, struct ib_qp_attr *attr)
{
	const struct cm_av *av = &id->alt_av;

	if (!av->to.port)
		return 0;
	attr->alt_port_num = av->to.port->num;
	attr->alt_pkey_index = av->to.pkey_index;
	attr->alt_timeout = av->timeout;
	attr->alt_ah_attr = av->to.ah;
	return IB_QP_ALT_PATH;
}

static int cm_attr_rtr(const struct cm_id *id, struct ib_qp_attr *attr)
{
	int mask = IB_QP_STATE | IB_QP_AV | IB_QP_PATH_MTU | IB_QP_DEST_QPN |
		   IB_QP_RQ_PSN;

	attr->ah_attr = id->av.to.ah;
	if (id->av.data_lid && attr->ah_attr.type == RDMA_AH_ATTR_TYPE_IB)
		rdma_ah_set_dlid(&attr->ah_attr, id->av.data_lid);
	attr->path_mtu = id->path_mtu;
	attr->dest_qp_num = id->remote_qpn;
	attr->rq_psn = id->rq_psn;
	if (cm_is_rdma_responder(id)) {
		attr->max_dest_rd_atomic = id->responder_resources;
		attr->min_rnr_timer = 0;
		mask |= IB_QP_MAX_DEST_RD_ATOMIC | IB_QP_MIN_RNR_TIMER;
	}
	return mask | cm_attr_alternate(id, attr);
}

/* A path that was loaded later replaces nothing but the alternate path. */
static int cm_attr_load(struct cm_id *id, struct ib_qp_attr *attr)
{
	attr->path_mig_state = IB_MIG_REARM;
	id->loaded = true;
	return IB_QP_PATH_MIG_STATE | cm_attr_alternate(id, attr);
}

static int cm_attr_rts(struct cm_id *id, struct ib_qp_attr *attr)
{
	int mask = IB_QP_STATE | IB_QP_SQ_PSN;

	if (id->id.lap_state != IB_CM_LAP_UNINIT)
		return cm_attr_load(id, attr);

	attr->sq_psn = id->sq_psn;
	if (cm_is_rdma_requester(id)) {
		attr->retry_cnt = id->retry_count;
		attr->rnr_retry = id->rnr_retry_count;
		attr->max_rd_atomic = id->initiator_depth;
		mask |= IB_QP_RETRY_CNT | IB_QP_RNR_RETRY |
			IB_QP_MAX_QP_RD_ATOMIC;
	}
	if (cm_is_rdma_requester(id) || cm_is_rdma_responder(id)) {
		attr->timeout = id->av.timeout;
		mask |= IB_QP_TIMEOUT;
	}
	if (id->alt_av.to.port) {
		attr->path_mig_state = IB_MIG_REARM;
		mask |= IB_QP_PATH_MIG_STATE;
	}
	return mask;
}

static void cm_trace_no_attr(const struct cm_id *id, enum ib_qp_state wanted)
{
	switch (wanted) {
	case IB_QPS_INIT:
		trace_icm_qp_init_err(&id->id);
		break;
	case IB_QPS_RTR:
		trace_icm_qp_rtr_err(&id->id);
		break;
	case IB_QPS_RTS:
		trace_icm_qp_rts_err(&id->id);
		break;
	default:
		break;
	}
}

static int cm_attr_for(struct cm_id *id, struct ib_qp_attr *attr)
{
	lockdep_assert_held(&id->lock);

	switch (attr->qp_state) {
	case IB_QPS_INIT:
		return cm_in_states(id, OURS_KNOWN) ? cm_attr_init(id, attr) :
						   -EINVAL;
	case IB_QPS_RTR:
		return cm_in_states(id, PEER_KNOWN) ? cm_attr_rtr(id, attr) :
						   -EINVAL;
	case IB_QPS_RTS:
		return cm_in_states(id, PEER_KNOWN) ? cm_attr_rts(id, attr) :
						   -EINVAL;
	default:
		return -EINVAL;
	}
}

/**
 * ib_cm_init_qp_attr - tell how to set up the QP of a connection
 * @cm_id: id of the connection
 * @qp_attr: in: qp_state, IB_QPS_INIT, RTR or RTS; out: the attributes. Its
 *	     address vectors borrow their GID from @cm_id
 * @qp_attr_mask: out: which attributes are set
 *
 * IBA vol. 1, 12.9.7. Once the peer of a connection has loaded an alternate
 * path, IB_QPS_RTS gives that path alone, and the peer is told that it is used.
 * Context: any.
 * Return: 0, or -EINVAL (another state, or the connection is not that far).
 */
int ib_cm_init_qp_attr(struct ib_cm_id *cm_id, struct ib_qp_attr *qp_attr,
		       int *qp_attr_mask)
{
	struct cm_id *id = to_cm_id(cm_id);
	unsigned long flags;
	bool waits;
	int ret;

	spin_lock_irqsave(&id->lock, flags);
	ret = cm_attr_for(id, qp_attr);
	if (ret < 0)
		cm_trace_no_attr(id, qp_attr->qp_state);
	waits = id->loaded && cm_id->lap_state == IB_CM_MRA_LAP_SENT;
	spin_unlock_irqrestore(&id->lock, flags);
	if (ret < 0)
		return ret;

	*qp_attr_mask = ret;
	if (waits)
		cm_lap_reply(id);
	return 0;
}
OFED_EXPORT(ib_cm_init_qp_attr);
