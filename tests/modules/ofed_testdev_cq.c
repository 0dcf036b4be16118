// SPDX-License-Identifier: GPL-2.0
/* Completion queues: a ring in kernel memory that post and hooks fill. */
#include <linux/module.h>
#include <linux/slab.h>

#include "ofed_testdev.h"

/*
 * Consumers are called from here and only from here: never inside a call of
 * theirs, one call per CQ at a time (work items do not overlap themselves), and
 * in atomic context, as a device's interrupt would.
 */
static void td_cq_notify(struct work_struct *work)
{
	struct td_cq *cq = container_of(work, struct td_cq, notify);
	struct ib_event event = {
		.device = cq->ib.device,
		.element.cq = &cq->ib,
		.event = IB_EVENT_CQ_ERR,
	};
	bool fire, overflow;

	spin_lock_irq(&cq->lock);
	fire = cq->fire;
	overflow = cq->overflow;
	cq->fire = false;
	cq->overflow = false;
	spin_unlock_irq(&cq->lock);

	local_bh_disable();
	if (fire && cq->ib.comp_handler)
		cq->ib.comp_handler(&cq->ib, cq->ib.cq_context);
	if (overflow && cq->ib.event_handler)
		cq->ib.event_handler(&event, cq->ib.cq_context);
	local_bh_enable();
}

/* Context: any; called with the lock of a QP held. */
void td_cq_push(struct td_cq *cq, const struct ib_wc *wc, bool solicited)
{
	unsigned long flags;
	int wanted = IB_CQ_NEXT_COMP;

	if (solicited || wc->status != IB_WC_SUCCESS)
		wanted |= IB_CQ_SOLICITED;

	spin_lock_irqsave(&cq->lock, flags);
	if (cq->count == cq->ib.cqe) {
		cq->overflow = true;
	} else {
		cq->ring[(cq->head + cq->count) % cq->ib.cqe] = *wc;
		cq->count++;
		if (cq->armed & wanted) {
			cq->armed = 0;
			cq->fire = true;
		}
	}
	if ((cq->fire || cq->overflow) && !cq->closing)
		queue_work(to_td(cq->ib.device)->wq, &cq->notify);
	spin_unlock_irqrestore(&cq->lock, flags);
}

/* A QP that is reset or destroyed leaves no completions behind. */
void td_cq_forget(struct td_cq *cq, struct ib_qp *ibqp)
{
	unsigned long flags;
	struct ib_wc *wc;
	u32 from, kept = 0;

	spin_lock_irqsave(&cq->lock, flags);
	for (from = 0; from < cq->count; from++) {
		wc = &cq->ring[(cq->head + from) % cq->ib.cqe];
		if (wc->qp == ibqp)
			continue;
		cq->ring[(cq->head + kept) % cq->ib.cqe] = *wc;
		kept++;
	}
	cq->count = kept;
	spin_unlock_irqrestore(&cq->lock, flags);
}

static int td_poll_cq(struct ib_cq *ibcq, int entries, struct ib_wc *wc)
{
	struct td_cq *cq = to_td_cq(ibcq);
	int ret = td_fault(ibcq->device, poll_cq);
	unsigned long flags;
	int done;

	if (ret)
		return ret;
	spin_lock_irqsave(&cq->lock, flags);
	for (done = 0; done < entries && cq->count; done++) {
		wc[done] = cq->ring[cq->head];
		cq->head = (cq->head + 1) % cq->ib.cqe;
		cq->count--;
	}
	spin_unlock_irqrestore(&cq->lock, flags);
	return done;
}

static int td_peek_cq(struct ib_cq *ibcq, int wanted)
{
	int ret = td_fault(ibcq->device, peek_cq);

	if (ret)
		return ret;
	return min_t(int, wanted, READ_ONCE(to_td_cq(ibcq)->count));
}

static int td_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags how)
{
	struct td_cq *cq = to_td_cq(ibcq);
	int ret = td_fault(ibcq->device, req_notify_cq);
	unsigned long flags;

	if (ret)
		return ret;
	spin_lock_irqsave(&cq->lock, flags);
	/* A request for every completion is not weakened by a later one. */
	if (cq->armed != IB_CQ_NEXT_COMP)
		cq->armed = how & IB_CQ_SOLICITED_MASK;
	if (how & IB_CQ_REPORT_MISSED_EVENTS && cq->count)
		ret = 1;
	spin_unlock_irqrestore(&cq->lock, flags);
	return ret;
}

static struct ib_wc *td_cq_ring(u32 cqe)
{
	return kvcalloc(cqe, sizeof(struct ib_wc), GFP_KERNEL_ACCOUNT);
}

int td_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
			struct compat_op_attrs *attrs)
{
	struct ib_udata *udata = compat_op_udata(attrs);
	struct testdev *td = to_td(ibcq->device);
	struct testdev_create_cq_resp resp = {};
	struct td_cq *cq = to_td_cq(ibcq);
	int ret = td_fault(ibcq->device, create_cq);

	if (ret)
		return ret;
	if (attr->flags & ~IB_UVERBS_CQ_FLAGS_IGNORE_OVERRUN)
		return -EOPNOTSUPP;
	if (!attr->cqe || attr->cqe > TD_MAX_CQE ||
	    attr->comp_vector >= td->cfg.vectors)
		return -EINVAL;
	ret = td_get(td, TD_cq);
	if (ret)
		return ret;
	spin_lock_init(&cq->lock);
	INIT_WORK(&cq->notify, td_cq_notify);
	cq->ib.cqe = attr->cqe;
	cq->ring = td_cq_ring(attr->cqe);
	if (!cq->ring) {
		ret = -ENOMEM;
		goto err_put;
	}
	ret = xa_alloc_cyclic(&td->cqs, &cq->cqn, cq, XA_LIMIT(1, 0xffffff),
			      &td->next_cqn, GFP_KERNEL);
	if (ret < 0)
		goto err_ring;
	resp.cqn = cq->cqn;
	ret = 0;
	if (udata)
		ret = ib_copy_to_udata(udata, &resp,
				       min(sizeof(resp), udata->outlen));
	if (!ret && udata)
		ret = td_mark_cq(udata);
	if (ret)
		goto err_number;
	return 0;

err_number:
	mutex_lock(&td->hook_lock);
	xa_erase(&td->cqs, cq->cqn);
	mutex_unlock(&td->hook_lock);
err_ring:
	kvfree(cq->ring);
err_put:
	td_put(td, TD_cq);
	return ret;
}

/* After this no handler of the consumer runs or will run. */
static void td_cq_quiet(struct td_cq *cq)
{
	spin_lock_irq(&cq->lock);
	cq->closing = true;
	spin_unlock_irq(&cq->lock);
	cancel_work_sync(&cq->notify);
}

/* Once, whichever of the two ways to destroy a CQ the core takes. */
static void td_cq_free(struct td_cq *cq)
{
	struct testdev *td = to_td(cq->ib.device);

	if (cq->freed)
		return;
	cq->freed = true;
	mutex_lock(&td->hook_lock);
	xa_erase(&td->cqs, cq->cqn);
	mutex_unlock(&td->hook_lock);
	td_cq_quiet(cq);
	kvfree(cq->ring);
	td_put(td, TD_cq);
}

static int td_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata)
{
	int ret = td_fault(ibcq->device, destroy_cq);

	if (ret)
		return ret;
	td_cq_free(to_td_cq(ibcq));
	return 0;
}

static int td_pre_destroy_cq(struct ib_cq *ibcq)
{
	int ret = td_fault(ibcq->device, pre_destroy_cq);

	if (ret)
		return ret;
	td_cq_quiet(to_td_cq(ibcq));
	return 0;
}

static void td_post_destroy_cq(struct ib_cq *ibcq)
{
	td_cq_free(to_td_cq(ibcq));
}

static int td_modify_cq(struct ib_cq *ibcq, u16 count, u16 period)
{
	int ret = td_fault(ibcq->device, modify_cq);

	if (ret)
		return ret;
	return period > 0xfff ? -EINVAL : 0;
}

static int td_resize_cq(struct ib_cq *ibcq, compat_cqe cqe, struct ib_udata *udata)
{
	struct td_cq *cq = to_td_cq(ibcq);
	int ret = td_fault(ibcq->device, resize_cq);
	struct ib_wc *ring, *old;
	u32 i;

	if (ret)
		return ret;
	if (cqe < 1 || cqe > TD_MAX_CQE)
		return -EINVAL;
	ring = td_cq_ring(cqe);
	if (!ring)
		return -ENOMEM;

	spin_lock_irq(&cq->lock);
	old = ring;
	if (cq->count > cqe) {
		ret = -EINVAL;
	} else {
		for (i = 0; i < cq->count; i++)
			ring[i] = cq->ring[(cq->head + i) % cq->ib.cqe];
		old = cq->ring;
		cq->ring = ring;
		cq->head = 0;
		cq->ib.cqe = cqe;
	}
	spin_unlock_irq(&cq->lock);
	kvfree(old);
	return ret;
}

const struct ib_device_ops td_cq_ops = {
	.create_cq = td_create_cq,
	COMPAT_CREATE_USER_CQ(td_create_cq)
	.modify_cq = td_modify_cq,
	.resize_user_cq = td_resize_cq,
	.destroy_cq = td_destroy_cq,
	.poll_cq = td_poll_cq,
	.peek_cq = td_peek_cq,
	.req_notify_cq = td_req_notify_cq,
	INIT_RDMA_OBJ_SIZE(ib_cq, td_cq, ib),
};

const struct ib_device_ops td_split_cq_ops = {
	.pre_destroy_cq = td_pre_destroy_cq,
	.post_destroy_cq = td_post_destroy_cq,
};
