// SPDX-License-Identifier: GPL-2.0
/* Shared receive queues; hooks take from them what was posted. */
#include <linux/module.h>
#include <linux/slab.h>

#include "ofed_testdev.h"

static void td_srq_event(struct work_struct *work)
{
	struct td_srq *srq = container_of(work, struct td_srq, event);
	struct ib_event event = {
		.device = srq->ib.device,
		.element.srq = &srq->ib,
		.event = IB_EVENT_SRQ_LIMIT_REACHED,
	};

	local_bh_disable();
	if (srq->ib.event_handler)
		srq->ib.event_handler(&event, srq->ib.srq_context);
	local_bh_enable();
}

/* The limit is armed once per modify, IBA 10.2.9.2. */
bool td_srq_take(struct td_srq *srq, struct td_wr *wr)
{
	unsigned long flags;
	bool found;

	spin_lock_irqsave(&srq->lock, flags);
	found = td_wrq_take(&srq->rq, wr);
	if (srq->rq.count < srq->limit) {
		srq->limit = 0;
		queue_work(to_td(srq->ib.device)->wq, &srq->event);
	}
	spin_unlock_irqrestore(&srq->lock, flags);
	return found;
}

static int td_post_srq_recv(struct ib_srq *ibsrq, const struct ib_recv_wr *recv,
			    const struct ib_recv_wr **bad)
{
	struct td_srq *srq = to_td_srq(ibsrq);
	int ret = td_fault(ibsrq->device, post_srq_recv);
	unsigned long flags;
	struct td_wr wr;

	spin_lock_irqsave(&srq->lock, flags);
	for (; recv && !ret; recv = ret ? recv : recv->next) {
		ret = td_recv_wr(recv, srq->rq.max_sge, &wr);
		if (!ret)
			ret = td_wrq_add(&srq->rq, &wr);
	}
	spin_unlock_irqrestore(&srq->lock, flags);
	if (ret)
		*bad = recv;
	return ret;
}

int td_create_srq(struct ib_srq *ibsrq, struct ib_srq_init_attr *init,
			 struct ib_udata *udata)
{
	struct testdev *td = to_td(ibsrq->device);
	struct td_srq *srq = to_td_srq(ibsrq);
	int ret = td_fault(ibsrq->device, create_srq);

	if (ret)
		return ret;
	if (init->srq_type != IB_SRQT_BASIC && init->srq_type != IB_SRQT_XRC)
		return -EOPNOTSUPP;
	if (!init->attr.max_wr || init->attr.max_wr > TD_MAX_WR ||
	    init->attr.max_sge > TD_MAX_SGE ||
	    init->attr.srq_limit > init->attr.max_wr)
		return -EINVAL;
	ret = td_get(td, TD_srq);
	if (ret)
		return ret;
	spin_lock_init(&srq->lock);
	INIT_WORK(&srq->event, td_srq_event);
	srq->limit = init->attr.srq_limit;
	ret = td_wrq_init(&srq->rq, init->attr.max_wr, init->attr.max_sge);
	if (ret)
		goto err_put;
	ret = xa_alloc_cyclic(&td->srqs, &srq->srqn, srq,
			      XA_LIMIT(1, 0xffffff), &td->next_srqn,
			      GFP_KERNEL);
	if (ret < 0)
		goto err_ring;
	if (init->srq_type == IB_SRQT_XRC)
		srq->ib.ext.xrc.srq_num = srq->srqn;
	return 0;

err_ring:
	td_wrq_free(&srq->rq);
err_put:
	td_put(td, TD_srq);
	return ret;
}

static int td_srq_resize(struct td_srq *srq, u32 max_wr)
{
	struct td_wrq bigger, old;
	struct td_wr wr;
	int ret;

	if (!max_wr || max_wr > TD_MAX_WR)
		return -EINVAL;
	ret = td_wrq_init(&bigger, max_wr, srq->rq.max_sge);
	if (ret)
		return ret;
	spin_lock_irq(&srq->lock);
	if (srq->rq.count > max_wr) {
		ret = -EINVAL;
		old = bigger;
	} else {
		while (td_wrq_take(&srq->rq, &wr))
			td_wrq_add(&bigger, &wr);
		old = srq->rq;
		srq->rq = bigger;
	}
	spin_unlock_irq(&srq->lock);
	td_wrq_free(&old);
	return ret;
}

static int td_modify_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr,
			 enum ib_srq_attr_mask mask, struct ib_udata *udata)
{
	struct td_srq *srq = to_td_srq(ibsrq);
	int ret = td_fault(ibsrq->device, modify_srq);

	if (ret)
		return ret;
	if (mask & IB_SRQ_MAX_WR) {
		ret = td_srq_resize(srq, attr->max_wr);
		if (ret)
			return ret;
	}
	if (mask & IB_SRQ_LIMIT) {
		spin_lock_irq(&srq->lock);
		if (attr->srq_limit > srq->rq.size)
			ret = -EINVAL;
		else
			srq->limit = attr->srq_limit;
		spin_unlock_irq(&srq->lock);
	}
	return ret;
}

static int td_query_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr)
{
	struct td_srq *srq = to_td_srq(ibsrq);
	int ret = td_fault(ibsrq->device, query_srq);

	if (ret)
		return ret;
	spin_lock_irq(&srq->lock);
	attr->max_wr = srq->rq.size;
	attr->max_sge = srq->rq.max_sge;
	attr->srq_limit = srq->limit;
	spin_unlock_irq(&srq->lock);
	return 0;
}

static int td_destroy_srq(struct ib_srq *ibsrq, struct ib_udata *udata)
{
	struct testdev *td = to_td(ibsrq->device);
	struct td_srq *srq = to_td_srq(ibsrq);
	int ret = td_fault(ibsrq->device, destroy_srq);

	if (ret)
		return ret;
	mutex_lock(&td->hook_lock);
	xa_erase(&td->srqs, srq->srqn);
	mutex_unlock(&td->hook_lock);
	/* No QP uses it and no hook finds it: no context queues this again. */
	cancel_work_sync(&srq->event);
	td_wrq_free(&srq->rq);
	td_put(td, TD_srq);
	return 0;
}

const struct ib_device_ops td_srq_ops = {
	.create_srq = td_create_srq,
	.modify_srq = td_modify_srq,
	.query_srq = td_query_srq,
	.destroy_srq = td_destroy_srq,
	.post_srq_recv = td_post_srq_recv,
	INIT_RDMA_OBJ_SIZE(ib_srq, td_srq, ib),
};
