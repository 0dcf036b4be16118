// SPDX-License-Identifier: GPL-2.0
/* Queue pairs: made, changed by their consumer, and unmade. */
#include <linux/slab.h>
#include <ofed/refuse.h>

#include "conn.h"
#include "cq.h"
#include "qp.h"

#define QPN_MAX 0xffffff

/* ---- made -------------------------------------------------------------------------- */

static int iw_check_caps(const struct ib_device *ib,
			 const struct ib_qp_init_attr *init)
{
	const struct ib_qp_cap *cap = &init->cap;

	if (init->qp_type != IB_QPT_RC || init->create_flags)
		return ofed_refuse(ib, -EOPNOTSUPP, "qp_type %d, create_flags 0x%x",
				   init->qp_type, init->create_flags);
	if (!init->send_cq || !init->recv_cq)
		return ofed_refuse(ib, -EINVAL, "a QP without send_cq or recv_cq");
	if (ofed_exceeds(ib, "max_send_wr", cap->max_send_wr, IW_MAX_QP_WR) ||
	    ofed_exceeds(ib, "max_recv_wr", cap->max_recv_wr, IW_MAX_QP_WR) ||
	    ofed_exceeds(ib, "max_send_sge", cap->max_send_sge, IW_MAX_SGE) ||
	    ofed_exceeds(ib, "max_recv_sge", cap->max_recv_sge, IW_MAX_SGE) ||
	    ofed_exceeds(ib, "max_inline_data", cap->max_inline_data,
			 IW_MAX_INLINE))
		return -EINVAL;
	return 0;
}

static int iw_check_user(const struct ib_device *ib,
			 const struct ib_qp_init_attr *init,
			 const struct ib_udata *udata)
{
	if (ofed_exceeds(ib, "max_send_sge of a program", init->cap.max_send_sge,
			 SIW_MAX_SGE) ||
	    (!init->srq && ofed_exceeds(ib, "max_recv_sge of a program",
					init->cap.max_recv_sge, SIW_MAX_SGE)) ||
	    ofed_too_short(ib, "QP answer", udata->outlen,
			   sizeof(struct siw_uresp_create_qp)))
		return -EINVAL;
	return 0;
}

static void iw_init_qp(struct iw_qp *qp, const struct ib_qp_init_attr *init, bool user)
{
	refcount_set(&qp->refs, 1);
	atomic_set(&qp->handed, 0);
	init_completion(&qp->released);
	spin_lock_init(&qp->lock);
	qp->state = IW_IDLE;
	qp->ib_state = IB_QPS_RESET;
	qp->sig_all = init->sq_sig_type == IB_SIGNAL_ALL_WR;
	qp->srq = init->srq ? to_iw_srq(init->srq) : NULL;
	iw_sq_init(&qp->sq);
	iw_tx_init(qp, user);
	iw_qp_events_init(qp);
}

static int iw_qp_reply(struct iw_qp *qp, u64 sq_key, u64 rq_key, struct ib_udata *udata)
{
	struct siw_uresp_create_qp resp = {
		.qp_id = qp->ib.qp_num,
		.num_sqe = qp->sq.num,
		.num_rqe = qp->rq.ring.num,
		.sq_key = sq_key,
		.rq_key = rq_key,
	};

	return ib_copy_to_udata(udata, &resp, sizeof(resp));
}

static int iw_make_queues(struct iw_qp *qp, struct ib_qp_init_attr *init,
			  struct ib_ucontext *ucontext, u64 *sq_key, u64 *rq_key)
{
	int ret;

	ret = iw_sq_alloc(qp, init, ucontext, sq_key);
	if (ret || qp->srq)
		return ret;
	ret = iw_rq_alloc(&qp->rq, init->cap.max_recv_wr, init->cap.max_recv_sge,
			  ucontext, rq_key);
	if (ret)
		iw_sq_free(&qp->sq);
	return ret;
}

static void iw_free_queues(struct iw_qp *qp)
{
	iw_sq_free(&qp->sq);
	iw_ring_free(&qp->rq.ring);
}

static void iw_say_caps(const struct iw_qp *qp, struct ib_qp_cap *cap)
{
	cap->max_send_wr = qp->sq.num;
	cap->max_send_sge = qp->sq.max_sge;
	cap->max_recv_wr = qp->srq ? 0 : qp->rq.ring.num;
	cap->max_recv_sge = qp->srq ? 0 : qp->rq.max_sge;
	cap->max_inline_data = IW_MAX_INLINE;
}

static int iw_create_qp(struct ib_qp *ib, struct ib_qp_init_attr *init,
			struct ib_udata *udata)
{
	struct ib_ucontext *ucontext = soft_udata_context(udata);
	struct iw_dev *dev = to_iw_dev(ib->device);
	struct iw_qp *qp = to_iw_qp(ib);
	u64 sq_key = 0, rq_key = 0;
	int ret;

	ret = iw_check_caps(ib->device, init) ?:
	      udata ? iw_check_user(ib->device, init, udata) : 0;
	if (ret)
		return ret;
	ret = soft_limit_take(&dev->soft, SOFT_OBJECT_QP);
	if (ret)
		return ret;
	iw_init_qp(qp, init, udata);
	ret = iw_make_queues(qp, init, ucontext, &sq_key, &rq_key);
	if (ret)
		goto err_tx;
	/* Reserve the number; a look-up finds nothing until the QP is complete. */
	ret = xa_alloc_cyclic_irq(&dev->qps, &ib->qp_num, NULL,
				  XA_LIMIT(1, QPN_MAX), &dev->next_qpn,
				  GFP_KERNEL_ACCOUNT);
	if (ret < 0)
		goto err_queues;
	iw_say_caps(qp, &init->cap);
	ret = udata ? iw_qp_reply(qp, sq_key, rq_key, udata) : 0;
	if (ret)
		goto err_number;
	xa_store_irq(&dev->qps, ib->qp_num, qp, GFP_KERNEL_ACCOUNT);
	return 0;

err_number:
	xa_erase_irq(&dev->qps, ib->qp_num);
err_queues:
	iw_free_queues(qp);
err_tx:
	iw_tx_exit(qp);
	soft_limit_give(&dev->soft, SOFT_OBJECT_QP);
	return ret;
}

/* ---- changed ----------------------------------------------------------------------- */

/* Its connection, referenced, or NULL. Process context. */
struct iw_conn *iw_qp_conn(struct iw_qp *qp)
{
	struct iw_conn *conn;

	spin_lock_irq(&qp->lock);
	conn = qp->conn;
	if (conn)
		iw_conn_get(conn);
	spin_unlock_irq(&qp->lock);
	return conn;
}

/* A queue pair without a connection is in IW_ERROR when this returns. */
static void iw_abort_qp(struct iw_qp *qp)
{
	struct iw_conn *conn;

	/* Keep iw_conn_link() from succeeding between iw_qp_conn() and the flush. */
	spin_lock_irq(&qp->lock);
	qp->barred = true;
	spin_unlock_irq(&qp->lock);
	conn = iw_qp_conn(qp);
	if (conn) {
		iw_conn_abort(conn);
		iw_conn_put(conn);
	}
	/* A connection that is left flushes the queues when it ends. */
	conn = iw_qp_conn(qp);
	if (conn)
		iw_conn_put(conn);
	else
		iw_qp_flush(qp);
}

/* In order: what is posted goes out first. */
static int iw_close_qp(struct iw_qp *qp)
{
	struct iw_conn *conn = iw_qp_conn(qp);

	if (!conn)
		return ofed_refuse(qp->ib.device, -EINVAL, "QP %u has no connection",
				   qp->ib.qp_num);
	spin_lock_irq(&qp->lock);
	if (qp->state == IW_RTS)
		WRITE_ONCE(qp->state, IW_CLOSING);
	spin_unlock_irq(&qp->lock);
	iw_conn_call(conn, IW_E_CLOSE);
	iw_conn_put(conn);
	return 0;
}

/*
 * The way up to RTS is the connection's; what a consumer asks for on that way is
 * remembered. The verbs of the RDMA consortium have IDLE for all of it.
 */
static int iw_move_idle(struct iw_qp *qp, enum ib_qp_state to)
{
	int ret = 0;

	spin_lock_irq(&qp->lock);
	if (qp->state == IW_IDLE && to <= IB_QPS_RTR)
		qp->ib_state = to;
	else if (qp->state != IW_RTS || to != IB_QPS_RTS)
		ret = -EINVAL;
	spin_unlock_irq(&qp->lock);
	if (ret)
		ibdev_dbg(qp->ib.device, "QP %u to state %d, which its connection brings about\n",
			  qp->ib.qp_num, to);
	return ret;
}

static int iw_modify_qp(struct ib_qp *ib, struct ib_qp_attr *attr, int mask,
			struct ib_udata *udata)
{
	struct iw_qp *qp = to_iw_qp(ib);
	int ret = 0;

	if (mask & ~IB_QP_ATTR_STANDARD_BITS)
		return ofed_refuse(ib->device, -EOPNOTSUPP, "attributes 0x%x of a QP",
				   mask & ~IB_QP_ATTR_STANDARD_BITS);
	if (mask & IB_QP_ACCESS_FLAGS) {
		spin_lock_irq(&qp->lock);
		WRITE_ONCE(qp->access, attr->qp_access_flags);
		spin_unlock_irq(&qp->lock);
	}
	if (!(mask & IB_QP_STATE))
		return 0;
	switch (attr->qp_state) {
	case IB_QPS_RESET:
	case IB_QPS_INIT:
	case IB_QPS_RTR:
	case IB_QPS_RTS:
		ret = iw_move_idle(qp, attr->qp_state);
		break;
	case IB_QPS_SQD:
		ret = iw_close_qp(qp);
		break;
	case IB_QPS_ERR:
		iw_abort_qp(qp);
		break;
	default:
		ret = ofed_refuse(ib->device, -EINVAL, "qp_state %d", attr->qp_state);
	}
	return ret;
}

static const u8 ib_state_of[IW_QP_STATES] = {
	[IW_RTS]	= IB_QPS_RTS,
	[IW_CLOSING]	= IB_QPS_SQD,
	[IW_TERMINATE]	= IB_QPS_SQE,
	[IW_ERROR]	= IB_QPS_ERR,
};

static int iw_query_qp(struct ib_qp *ib, struct ib_qp_attr *attr, int mask,
		       struct ib_qp_init_attr *init)
{
	struct iw_qp *qp = to_iw_qp(ib);

	memset(attr, 0, sizeof(*attr));
	memset(init, 0, sizeof(*init));
	iw_say_caps(qp, &attr->cap);
	spin_lock_irq(&qp->lock);
	attr->qp_state = qp->state == IW_IDLE ? qp->ib_state :
		ib_state_of[qp->state];
	attr->qp_access_flags = qp->access;
	attr->max_rd_atomic = qp->sq.ord;
	attr->max_dest_rd_atomic = qp->asks.num;
	spin_unlock_irq(&qp->lock);
	attr->cur_qp_state = attr->qp_state;
	attr->port_num = 1;
	attr->path_mtu = IB_MTU_4096;
	init->qp_type = ib->qp_type;
	init->send_cq = ib->send_cq;
	init->recv_cq = ib->recv_cq;
	init->srq = ib->srq;
	init->cap = attr->cap;
	init->sq_sig_type = qp->sig_all ? IB_SIGNAL_ALL_WR : IB_SIGNAL_REQ_WR;
	return 0;
}

/*
 * Remove the number, so that no look-up gets a new reference. Abort the connection: the
 * iWARP CM drops its reference on the CLOSE event. Then wait for the last reference.
 */
static int iw_destroy_qp(struct ib_qp *ib, struct ib_udata *udata)
{
	struct iw_dev *dev = to_iw_dev(ib->device);
	struct iw_qp *qp = to_iw_qp(ib);

	xa_erase_irq(&dev->qps, ib->qp_num);
	iw_abort_qp(qp);
	iw_qp_put(qp);
	wait_for_completion(&qp->released);
	iw_tx_exit(qp);
	iw_cq_forget(to_iw_cq(ib->send_cq), ib);
	iw_cq_forget(to_iw_cq(ib->recv_cq), ib);
	iw_free_queues(qp);
	soft_limit_give(&dev->soft, SOFT_OBJECT_QP);
	return 0;
}

const struct ib_device_ops iw_qp_ops = {
	.create_qp = iw_create_qp,
	.modify_qp = iw_modify_qp,
	.query_qp = iw_query_qp,
	.destroy_qp = iw_destroy_qp,
	.post_send = iw_post_send,
	.post_recv = iw_post_recv,

	INIT_RDMA_OBJ_SIZE(ib_qp, iw_qp, ib),
};
