// SPDX-License-Identifier: GPL-2.0
/* Queue pairs: life and state. */
#include <linux/module.h>
#include <linux/slab.h>

#include "ofed_testdev.h"

static void td_qp_event(struct work_struct *work)
{
	struct td_qp *qp = container_of(work, struct td_qp, event);
	struct ib_event event = {
		.device = qp->ib.device,
		.element.qp = &qp->ib,
	};
	unsigned long events;
	unsigned int type;

	spin_lock_irq(&qp->lock);
	events = qp->events;
	qp->events = 0;
	spin_unlock_irq(&qp->lock);

	for_each_set_bit(type, &events, BITS_PER_LONG) {
		event.event = type;
		if (qp->ib.event_handler)
			qp->ib.event_handler(&event, qp->ib.qp_context);
	}
}

static void td_qp_raise(struct td_qp *qp, enum ib_event_type type)
{
	lockdep_assert_held(&qp->lock);
	qp->events |= BIT(type);
	queue_work(to_td(qp->ib.device)->wq, &qp->event);
}

static int td_qp_check_init(const struct ib_qp_init_attr *init)
{
	const struct ib_qp_cap *cap = &init->cap;

	switch (init->qp_type) {
	case IB_QPT_SMI:
	case IB_QPT_GSI:
	case IB_QPT_RC:
	case IB_QPT_UC:
	case IB_QPT_UD:
	case IB_QPT_RAW_PACKET:
	case IB_QPT_XRC_INI:
	case IB_QPT_XRC_TGT:
		break;
	default:
		return -EOPNOTSUPP;
	}
	if (init->create_flags & ~IB_QP_CREATE_BLOCK_MULTICAST_LOOPBACK)
		return -EOPNOTSUPP;
	if (cap->max_send_wr > TD_MAX_WR || cap->max_recv_wr > TD_MAX_WR ||
	    cap->max_send_sge > TD_MAX_SGE || cap->max_recv_sge > TD_MAX_SGE ||
	    cap->max_inline_data > TD_MAX_INLINE)
		return -EINVAL;
	return 0;
}

/* QP 0 and 1 have their number from the specification, IBA 3.9.3. */
static int td_qp_number(struct testdev *td, struct td_qp *qp)
{
	int ret;

	if (qp->ib.qp_type == IB_QPT_SMI || qp->ib.qp_type == IB_QPT_GSI) {
		qp->ib.qp_num = qp->ib.qp_type == IB_QPT_GSI;
		return 0;
	}
	ret = xa_alloc_cyclic(&td->qps, &qp->ib.qp_num, qp,
			      XA_LIMIT(2, IB_QPN_MASK - 1), &td->next_qpn,
			      GFP_KERNEL);
	return ret < 0 ? ret : 0;
}

static void td_qp_unnumber(struct testdev *td, struct td_qp *qp)
{
	if (qp->ib.qp_num < 2)
		return;
	mutex_lock(&td->hook_lock);
	xa_erase(&td->qps, qp->ib.qp_num);
	mutex_unlock(&td->hook_lock);
}

static void td_qp_setup(struct td_qp *qp, const struct ib_qp_init_attr *init,
			bool user)
{
	spin_lock_init(&qp->lock);
	INIT_LIST_HEAD(&qp->mcast);
	INIT_WORK(&qp->event, td_qp_event);
	qp->scq = to_td_cq(init->send_cq);
	qp->rcq = to_td_cq(init->recv_cq);
	qp->srq = to_td_srq(init->srq);
	qp->cap = init->cap;
	qp->sig_all = init->sq_sig_type == IB_SIGNAL_ALL_WR;
	qp->state = IB_QPS_RESET;
	/*
	 * A kernel consumer posts receives to wait for something; completing
	 * them would keep it busy for ever.
	 */
	qp->auto_recv = user;
}

int td_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *init,
			struct ib_udata *udata)
{
	struct testdev *td = to_td(ibqp->device);
	struct td_qp *qp = to_td_qp(ibqp);
	u32 recv_wr = init->srq ? 0 : init->cap.max_recv_wr;
	int ret = td_fault(ibqp->device, create_qp);

	if (ret)
		return ret;
	ret = td_qp_check_init(init);
	if (ret)
		return ret;
	ret = td_get(td, TD_qp);
	if (ret)
		return ret;
	td_qp_setup(qp, init, udata);
	ret = td_wrq_init(&qp->sq, init->cap.max_send_wr,
			  init->cap.max_send_sge);
	if (ret)
		goto err_put;
	ret = td_wrq_init(&qp->rq, recv_wr, init->cap.max_recv_sge);
	if (ret)
		goto err_sq;
	/* Last: from here on hooks find it. */
	ret = td_qp_number(td, qp);
	if (ret)
		goto err_rq;
	return 0;

err_rq:
	td_wrq_free(&qp->rq);
err_sq:
	td_wrq_free(&qp->sq);
err_put:
	td_put(td, TD_qp);
	return ret;
}

static int td_qp_check_attr(struct testdev *td, const struct ib_qp_attr *attr,
			    int mask)
{
	u32 pkeys = td->cfg.ib ? TD_PKEYS : 1;

	if (mask & ~IB_QP_ATTR_STANDARD_BITS)
		return -EOPNOTSUPP;
	if (mask & IB_QP_PORT &&
	    (!attr->port_num || attr->port_num > td->cfg.ports))
		return -EINVAL;
	if (mask & IB_QP_PKEY_INDEX && attr->pkey_index >= pkeys)
		return -EINVAL;
	if (mask & IB_QP_ALT_PATH && attr->alt_pkey_index >= pkeys)
		return -EINVAL;
	if (mask & IB_QP_MAX_QP_RD_ATOMIC && attr->max_rd_atomic > 16)
		return -EINVAL;
	if (mask & IB_QP_MAX_DEST_RD_ATOMIC && attr->max_dest_rd_atomic > 16)
		return -EINVAL;
	if (mask & IB_QP_PATH_MTU && (attr->path_mtu < IB_MTU_256 ||
				      attr->path_mtu > IB_MTU_4096))
		return -EINVAL;
	return 0;
}

/* Remember an attribute so that query_qp shows it. */
static void td_qp_store(struct ib_qp_attr *to, const struct ib_qp_attr *from,
			int mask)
{
#define TD_STORE(bit, member)						\
	do {								\
		if (mask & (bit))					\
			to->member = from->member;			\
	} while (0)
	TD_STORE(IB_QP_EN_SQD_ASYNC_NOTIFY, en_sqd_async_notify);
	TD_STORE(IB_QP_ACCESS_FLAGS, qp_access_flags);
	TD_STORE(IB_QP_PKEY_INDEX, pkey_index);
	TD_STORE(IB_QP_PORT, port_num);
	TD_STORE(IB_QP_QKEY, qkey);
	TD_STORE(IB_QP_AV, ah_attr);
	TD_STORE(IB_QP_PATH_MTU, path_mtu);
	TD_STORE(IB_QP_TIMEOUT, timeout);
	TD_STORE(IB_QP_RETRY_CNT, retry_cnt);
	TD_STORE(IB_QP_RNR_RETRY, rnr_retry);
	TD_STORE(IB_QP_RQ_PSN, rq_psn);
	TD_STORE(IB_QP_MAX_QP_RD_ATOMIC, max_rd_atomic);
	TD_STORE(IB_QP_ALT_PATH, alt_ah_attr);
	TD_STORE(IB_QP_ALT_PATH, alt_pkey_index);
	TD_STORE(IB_QP_ALT_PATH, alt_port_num);
	TD_STORE(IB_QP_ALT_PATH, alt_timeout);
	TD_STORE(IB_QP_MIN_RNR_TIMER, min_rnr_timer);
	TD_STORE(IB_QP_SQ_PSN, sq_psn);
	TD_STORE(IB_QP_MAX_DEST_RD_ATOMIC, max_dest_rd_atomic);
	TD_STORE(IB_QP_PATH_MIG_STATE, path_mig_state);
	TD_STORE(IB_QP_DEST_QPN, dest_qp_num);
#undef TD_STORE
	/* References on GIDs are the core's. */
	to->ah_attr.grh.sgid_attr = NULL;
	to->alt_ah_attr.grh.sgid_attr = NULL;
}

static void td_qp_enter(struct td_qp *qp, enum ib_qp_state next)
{
	enum ib_qp_state last = qp->state;

	lockdep_assert_held(&qp->lock);
	qp->state = next;
	if (next == IB_QPS_RESET) {
		qp->sq.count = 0;
		qp->rq.count = 0;
		memset(&qp->attr, 0, sizeof(qp->attr));
		if (qp->scq)
			td_cq_forget(qp->scq, &qp->ib);
		if (qp->rcq)
			td_cq_forget(qp->rcq, &qp->ib);
	}
	if (next == IB_QPS_ERR && last != next && qp->srq)
		td_qp_raise(qp, IB_EVENT_QP_LAST_WQE_REACHED);
	if (next == IB_QPS_SQD && last != next && qp->attr.en_sqd_async_notify)
		td_qp_raise(qp, IB_EVENT_SQ_DRAINED);
	td_qp_run(qp);
}

static int td_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
			struct ib_udata *udata)
{
	struct td_qp *qp = to_td_qp(ibqp);
	int ret = td_fault(ibqp->device, modify_qp);
	enum ib_qp_state next;

	if (ret)
		return ret;
	ret = td_qp_check_attr(to_td(ibqp->device), attr, mask);
	if (ret)
		return ret;

	spin_lock_irq(&qp->lock);
	next = mask & IB_QP_STATE ? attr->qp_state : qp->state;
	if ((mask & IB_QP_CUR_STATE && attr->cur_qp_state != qp->state) ||
	    !ib_modify_qp_is_ok(qp->state, next, ibqp->qp_type, mask)) {
		ret = -EINVAL;
	} else {
		td_qp_store(&qp->attr, attr, mask);
		td_qp_enter(qp, next);
	}
	spin_unlock_irq(&qp->lock);
	return ret;
}

static int td_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		       struct ib_qp_init_attr *init)
{
	struct td_qp *qp = to_td_qp(ibqp);
	int ret = td_fault(ibqp->device, query_qp);

	if (ret)
		return ret;
	spin_lock_irq(&qp->lock);
	*attr = qp->attr;
	attr->qp_state = qp->state;
	attr->cur_qp_state = qp->state;
	spin_unlock_irq(&qp->lock);
	attr->cap = qp->cap;
	memset(init, 0, sizeof(*init));
	init->cap = qp->cap;
	init->qp_type = ibqp->qp_type;
	init->sq_sig_type = qp->sig_all ? IB_SIGNAL_ALL_WR : IB_SIGNAL_REQ_WR;
	init->send_cq = qp->scq ? &qp->scq->ib : NULL;
	init->recv_cq = qp->rcq ? &qp->rcq->ib : NULL;
	init->srq = qp->srq ? &qp->srq->ib : NULL;
	return 0;
}

static int td_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata)
{
	struct testdev *td = to_td(ibqp->device);
	struct td_qp *qp = to_td_qp(ibqp);
	int ret = td_fault(ibqp->device, destroy_qp);

	if (ret)
		return ret;
	td_qp_unnumber(td, qp);
	cancel_work_sync(&qp->event);
	if (qp->scq && !td->cfg.leaves)
		td_cq_forget(qp->scq, ibqp);
	if (qp->rcq && !td->cfg.leaves)
		td_cq_forget(qp->rcq, ibqp);
	td_mcast_end(qp);
	td_wrq_free(&qp->rq);
	td_wrq_free(&qp->sq);
	td_put(td, TD_qp);
	return 0;
}

const struct ib_device_ops td_qp_ops = {
	.create_qp = td_create_qp,
	.modify_qp = td_modify_qp,
	.query_qp = td_query_qp,
	.destroy_qp = td_destroy_qp,
	INIT_RDMA_OBJ_SIZE(ib_qp, td_qp, ib),
};
