// SPDX-License-Identifier: GPL-2.0
/* Shared receive queues. */
#include <ofed/refuse.h>

#include "../soft/dev.h"
#include "rq.h"
#include "wq.h"

static int iw_srq_reply(struct iw_srq *srq, u64 key, struct ib_udata *udata)
{
	struct siw_uresp_create_srq resp = {
		.num_rqe = srq->rq.ring.num,
		.srq_key = key,
	};

	if (ofed_too_short(srq->ib.device, "SRQ answer", udata->outlen,
			   sizeof(resp)))
		return -EINVAL;
	return ib_copy_to_udata(udata, &resp, sizeof(resp));
}

/* Requests are taken under locks, and in calls of consumers: none is called there. */
static void iw_limit_work(struct work_struct *work)
{
	struct iw_srq *srq = container_of(work, struct iw_srq, limit_work);
	struct ib_event event = {
		.device = srq->ib.device,
		.element.srq = &srq->ib,
		.event = IB_EVENT_SRQ_LIMIT_REACHED,
	};

	if (srq->ib.event_handler)
		srq->ib.event_handler(&event, srq->ib.srq_context);
}

static int iw_create_srq(struct ib_srq *ib, struct ib_srq_init_attr *init,
			 struct ib_udata *udata)
{
	struct ib_ucontext *ucontext = soft_udata_context(udata);
	struct iw_srq *srq = to_iw_srq(ib);
	u64 key = 0;
	int ret;

	if (init->srq_type != IB_SRQT_BASIC)
		return ofed_refuse(ib->device, -EOPNOTSUPP, "srq_type %d",
				   init->srq_type);
	if (!init->attr.max_wr)
		return ofed_refuse(ib->device, -EINVAL, "max_wr of an SRQ: 0");
	if (ofed_exceeds(ib->device, "max_wr of an SRQ", init->attr.max_wr,
			 IW_MAX_SRQ_WR) ||
	    ofed_exceeds(ib->device, "srq_limit", init->attr.srq_limit,
			 init->attr.max_wr) ||
	    ofed_exceeds(ib->device, "max_sge of an SRQ", init->attr.max_sge,
			 ucontext ? SIW_MAX_SGE : IW_MAX_SGE))
		return -EINVAL;
	spin_lock_init(&srq->lock);
	INIT_WORK(&srq->limit_work, iw_limit_work);
	ret = soft_limit_take(to_soft_dev(ib->device), SOFT_OBJECT_SRQ);
	if (ret)
		return ret;
	ret = iw_rq_alloc(&srq->rq, init->attr.max_wr, init->attr.max_sge,
			  ucontext, &key);
	if (ret)
		goto err_limit;
	srq->max_wr = srq->rq.ring.num;
	init->attr.max_wr = srq->max_wr;
	init->attr.max_sge = srq->rq.max_sge;
	ret = udata ? iw_srq_reply(srq, key, udata) : 0;
	if (ret)
		goto err_ring;
	return 0;

err_ring:
	iw_ring_free(&srq->rq.ring);
err_limit:
	soft_limit_give(to_soft_dev(ib->device), SOFT_OBJECT_SRQ);
	return ret;
}

static int iw_destroy_srq(struct ib_srq *ib, struct ib_udata *udata)
{
	struct iw_srq *srq = to_iw_srq(ib);

	/* Nothing takes from it any more. */
	cancel_work_sync(&srq->limit_work);
	iw_ring_free(&srq->rq.ring);
	soft_limit_give(to_soft_dev(ib->device), SOFT_OBJECT_SRQ);
	return 0;
}

static int iw_modify_srq(struct ib_srq *ib, struct ib_srq_attr *attr,
			 enum ib_srq_attr_mask mask, struct ib_udata *udata)
{
	struct iw_srq *srq = to_iw_srq(ib);

	if (mask & IB_SRQ_MAX_WR)
		return ofed_refuse(ib->device, -EOPNOTSUPP, "an SRQ keeps its max_wr");
	if (!(mask & IB_SRQ_LIMIT))
		return 0;
	if (ofed_exceeds(ib->device, "srq_limit", attr->srq_limit, srq->max_wr))
		return -EINVAL;
	spin_lock_irq(&srq->lock);
	srq->limit = attr->srq_limit;
	spin_unlock_irq(&srq->lock);
	return 0;
}

static int iw_query_srq(struct ib_srq *ib, struct ib_srq_attr *attr)
{
	struct iw_srq *srq = to_iw_srq(ib);

	spin_lock_irq(&srq->lock);
	attr->max_wr = srq->max_wr;
	attr->max_sge = srq->rq.max_sge;
	attr->srq_limit = srq->limit;
	spin_unlock_irq(&srq->lock);
	return 0;
}

/**
 * iw_srq_take - the oldest request of a shared queue
 * @srq: the queue
 * @recv: filled in
 *
 * Says so, once, when fewer remain than the consumer asked to be told of.
 *
 * Context: any. Return: as iw_rq_take().
 */
int iw_srq_take(struct iw_srq *srq, struct iw_recv *recv)
{
	unsigned long flags;
	int ret;

	spin_lock_irqsave(&srq->lock, flags);
	ret = iw_rq_take(&srq->rq, recv);
	if (srq->limit && iw_rq_below(&srq->rq, srq->limit)) {
		srq->limit = 0;
		queue_work(iw_wq, &srq->limit_work);
	}
	spin_unlock_irqrestore(&srq->lock, flags);
	return ret;
}

static int iw_post_srq_recv(struct ib_srq *ib, const struct ib_recv_wr *wr,
			    const struct ib_recv_wr **bad)
{
	struct iw_srq *srq = to_iw_srq(ib);
	unsigned long flags;
	int ret = 0;

	*bad = wr;
	if (srq->rq.ring.map)
		return -EINVAL;
	spin_lock_irqsave(&srq->lock, flags);
	for (; wr && !ret; wr = wr->next) {
		*bad = wr;
		ret = iw_rq_add(&srq->rq, wr);
	}
	spin_unlock_irqrestore(&srq->lock, flags);
	return ret;
}

const struct ib_device_ops iw_srq_ops = {
	.create_srq = iw_create_srq,
	.destroy_srq = iw_destroy_srq,
	.modify_srq = iw_modify_srq,
	.query_srq = iw_query_srq,
	.post_srq_recv = iw_post_srq_recv,

	INIT_RDMA_OBJ_SIZE(ib_srq, iw_srq, ib),
};
