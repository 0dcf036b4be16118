// SPDX-License-Identifier: GPL-2.0
/* Shared receive queues: create, destroy, resize, limit. rq.c takes WQEs from them. */
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <ofed/refuse.h>
#include <rdma/uverbs_ioctl.h>

#include "../soft/cq.h"
#include "../soft/dev.h"
#include "../soft/events.h"
#include "../soft/ring.h"
#include "dev.h"
#include "objref.h"
#include "limits.h"
#include "pkt.h"
#include "rq.h"
#include "srq.h"
#include "tm_srq.h"

/* ---- references and events -------------------------------------------------- */

void ibt_srq_put(struct ibt_srq *srq)
{
	ibt_ref_put(srq->life);
}

struct ibt_srq *ibt_srq_find(struct ibt_dev *dev, u32 number)
{
	return ibt_ref_lookup(&dev->srqs, number);
}

void ibt_srq_event(struct ibt_srq *srq, enum ib_event_type event)
{
	set_bit(event, &srq->events);
	if (!ibt_ref_get(srq->life))
		return;
	/* The reference belongs to the work: one while it is pending. */
	if (!queue_work(to_ibt_dev(srq->ib.device)->queues.any, &srq->work))
		ibt_srq_put(srq);
}

static void ibt_srq_work(struct work_struct *work)
{
	struct ibt_srq *srq = container_of(work, struct ibt_srq, work);

	soft_srq_events(&srq->ib, &srq->events);
	ibt_srq_put(srq);
}

/*
 * max_wr is the capacity, not the requested number: librxe uses the size of the ring,
 * which holds a power of 2 less one.
 */
static int ibt_srq_create_rq(struct ibt_rq *rq, u32 max_wr, u32 max_sge,
			     struct ib_udata *udata, struct mminfo *info)
{
	int ret = ibt_rq_create(rq, max_wr, max_sge, soft_udata_context(udata),
				info);

	if (!ret)
		rq->max_wr = min_t(u32, rq->ring.mask, IBT_MAX_SRQ_WR);
	return ret;
}

/* ---- create, destroy ---------------------------------------------------------- */

static int ibt_srq_check_type(const struct ib_device *ib,
			      const struct ib_srq_init_attr *init, struct ib_udata *udata)
{
	switch (init->srq_type) {
	case IB_SRQT_BASIC:
		return 0;
	case IB_SRQT_XRC:
		if (!init->ext.cq || !init->ext.xrc.xrcd)
			return ofed_refuse(ib, -EINVAL, "an SRQ of XRC without cq or xrcd");
		return 0;
	case IB_SRQT_TM:
		return ibt_tm_srq_check(ib, init, udata);
	default:
		return ofed_refuse(ib, -EOPNOTSUPP, "srq_type %d", init->srq_type);
	}
}

static int ibt_srq_check_init(const struct ib_device *ib,
			      const struct ib_srq_init_attr *init, struct ib_udata *udata)
{
	const struct ib_srq_attr *attr = &init->attr;
	int ret = ibt_srq_check_type(ib, init, udata);

	if (ret)
		return ret;
	if (!attr->max_wr)
		return ofed_refuse(ib, -EINVAL, "max_wr of an SRQ: 0");
	if (ofed_exceeds(ib, "max_wr of an SRQ", attr->max_wr, IBT_MAX_SRQ_WR) ||
	    ofed_exceeds(ib, "max_sge of an SRQ", attr->max_sge, IBT_MAX_SGE) ||
	    ofed_exceeds(ib, "srq_limit", attr->srq_limit, attr->max_wr))
		return -EINVAL;
	return 0;
}

static void ibt_srq_setup(struct ibt_srq *srq,
			  const struct ib_srq_init_attr *init)
{
	spin_lock_init(&srq->lock);
	mutex_init(&srq->resizing);
	INIT_WORK(&srq->work, ibt_srq_work);
	srq->limit = init->attr.srq_limit;
	if (ib_srq_has_cq(init->srq_type))
		srq->cq = to_soft_cq(init->ext.cq);
}

static int ibt_srq_publish(struct ibt_srq *srq)
{
	struct ibt_dev *dev = to_ibt_dev(srq->ib.device);
	int ret;

	ret = xa_alloc_cyclic(&dev->srqs, &srq->number, srq->life,
			      XA_LIMIT(1, IBT_QPN_MASK), &dev->next_srq,
			      GFP_KERNEL_ACCOUNT);
	if (ret < 0)
		return ret;
	if (srq->ib.srq_type == IB_SRQT_XRC)
		srq->ib.ext.xrc.srq_num = srq->number;
	return 0;
}

static void ibt_srq_unpublish(struct ibt_srq *srq)
{
	xa_erase(&to_ibt_dev(srq->ib.device)->srqs, srq->number);
	ibt_ref_wait_last(srq->life);
}

/* Counts the SRQ against the limit, and allocates its struct ibt_ref. */
static int ibt_srq_begin(struct ibt_srq *srq)
{
	struct soft_dev *dev = to_soft_dev(srq->ib.device);
	int ret;

	ret = soft_limit_take(dev, SOFT_OBJECT_SRQ);
	if (ret)
		return ret;
	srq->life = ibt_ref_alloc(srq);
	if (!srq->life) {
		soft_limit_give(dev, SOFT_OBJECT_SRQ);
		return -ENOMEM;
	}
	return 0;
}

static void ibt_srq_end(struct ibt_srq *srq)
{
	ibt_ref_free_rcu(srq->life);
	soft_limit_give(to_soft_dev(srq->ib.device), SOFT_OBJECT_SRQ);
}

/* Where receive requests are, and tagged buffers. */
static int ibt_srq_create_queues(struct ibt_srq *srq, const struct ib_srq_init_attr *init,
				 struct ib_udata *udata, struct mminfo *info)
{
	int ret;

	ret = ibt_srq_create_rq(&srq->rq, init->attr.max_wr, init->attr.max_sge, udata, info);
	if (ret || init->srq_type != IB_SRQT_TM)
		return ret;
	ret = ibt_tm_srq_create(srq, init);
	if (ret)
		ibt_rq_destroy(&srq->rq);
	return ret;
}

static void ibt_srq_destroy_queues(struct ibt_srq *srq)
{
	ibt_tm_srq_destroy(srq);
	ibt_rq_destroy(&srq->rq);
}

static int ibt_create_srq(struct ib_srq *ib, struct ib_srq_init_attr *init,
			  struct ib_udata *udata)
{
	struct ibt_srq *srq = to_ibt_srq(ib);
	struct rxe_create_srq_resp resp = {};
	int ret;

	ret = ibt_srq_check_init(ib->device, init, udata);
	if (ret)
		return ret;
	if (udata && ofed_too_short(ib->device, "SRQ answer",
				    udata->outlen, sizeof(resp)))
		return -EINVAL;
	ret = ibt_srq_begin(srq);
	if (ret)
		return ret;
	ibt_srq_setup(srq, init);
	ret = ibt_srq_create_queues(srq, init, udata, &resp.mi);
	if (ret)
		goto err_begin;
	ret = ibt_srq_publish(srq);
	if (ret)
		goto err_queues;
	if (udata) {
		resp.srq_num = srq->number;
		ret = ib_copy_to_udata(udata, &resp, sizeof(resp));
		if (ret)
			goto err_number;
	}
	init->attr.max_wr = srq->rq.max_wr;
	init->attr.max_sge = srq->rq.max_sge;
	return 0;

err_number:
	ibt_srq_unpublish(srq);
err_queues:
	ibt_srq_destroy_queues(srq);
err_begin:
	ibt_srq_end(srq);
	return ret;
}

static int ibt_destroy_srq(struct ib_srq *ib, struct ib_udata *udata)
{
	struct ibt_srq *srq = to_ibt_srq(ib);

	ibt_srq_unpublish(srq);
	ibt_srq_destroy_queues(srq);
	mutex_destroy(&srq->resizing);
	ibt_srq_end(srq);
	return 0;
}

/* ---- modify, query --------------------------------------------------------------- */

/*
 * With both locks no WQE is taken from the SRQ, and none is posted, except by a program
 * into its own ring.
 */
static void ibt_srq_lock(struct ibt_srq *srq)
	__acquires(&srq->lock) __acquires(&srq->rq.post_lock)
{
	spin_lock_irq(&srq->lock);
	spin_lock(&srq->rq.post_lock);
}

static void ibt_srq_unlock(struct ibt_srq *srq)
	__releases(&srq->rq.post_lock) __releases(&srq->lock)
{
	spin_unlock(&srq->rq.post_lock);
	spin_unlock_irq(&srq->lock);
}

/*
 * Moves the pending WQEs of the SRQ to @fresh, and swaps the two. The ring of a program
 * has unchecked contents, so no more are moved than @fresh has room for. WQEs may be
 * large, so they are moved in pieces, without the locks in between.
 */
static int ibt_srq_swap_rq(struct ibt_srq *srq, struct ibt_rq *fresh)
{
	struct soft_ring *ring = &srq->rq.ring;
	struct soft_ring_resize move;
	u32 ready;
	bool fits;

	lockdep_assert_held(&srq->resizing);
	ibt_srq_lock(srq);
	ready = soft_ring_ready(ring);
	soft_move_begin(&move, ring, &fresh->ring, ring->cons + ready, ready);
	while ((fits = ready <= fresh->max_wr && srq->limit <= fresh->max_wr) &&
	       !soft_move_some(&move, ring->cons + ready, ready)) {
		ibt_srq_unlock(srq);
		cond_resched();
		ibt_srq_lock(srq);
		ready = soft_ring_ready(ring);
	}
	if (fits) {
		swap(srq->rq.ring, fresh->ring);
		swap(srq->rq.max_wr, fresh->max_wr);
	}
	ibt_srq_unlock(srq);
	if (!fits)
		return ofed_refuse(srq->ib.device, -EINVAL,
				   "max_wr of an SRQ: %u, %u requests wait, its limit is %u",
				   fresh->max_wr, ready, srq->limit);
	return 0;
}

/* The program must learn of the new ring before the WQEs are moved. */
static int ibt_srq_tell_ring(const struct ib_device *ib, struct ib_udata *udata,
			     const struct mminfo *info)
{
	struct rxe_modify_srq_cmd cmd;
	int ret;

	if (!udata)
		return 0;
	if (ofed_too_short(ib, "modify_srq", udata->inlen, sizeof(cmd)))
		return -EINVAL;
	ret = ib_copy_from_udata(&cmd, udata, sizeof(cmd));
	if (ret)
		return ret;
	return copy_to_user(u64_to_user_ptr(cmd.mmap_info_addr), info,
			    sizeof(*info)) ? -EFAULT : 0;
}

static int ibt_srq_resize(struct ibt_srq *srq, u32 max_wr,
			  struct ib_udata *udata)
{
	struct mminfo info = {};
	struct ibt_rq fresh = {};
	int ret;

	if (!max_wr)
		return ofed_refuse(srq->ib.device, -EINVAL, "max_wr of an SRQ: 0");
	if (ofed_exceeds(srq->ib.device, "max_wr of an SRQ", max_wr,
			 IBT_MAX_SRQ_WR))
		return -EINVAL;
	ret = ibt_srq_create_rq(&fresh, max_wr, srq->rq.max_sge, udata, &info);
	if (ret)
		return ret;
	ret = ibt_srq_tell_ring(srq->ib.device, udata, &info);
	if (!ret) {
		mutex_lock(&srq->resizing);
		ret = ibt_srq_swap_rq(srq, &fresh);
		mutex_unlock(&srq->resizing);
	}
	/* @fresh is now the old queue, or after an error still the new one. */
	ibt_rq_destroy(&fresh);
	return ret;
}

static int ibt_srq_set_limit(struct ibt_srq *srq, u32 limit)
{
	unsigned long flags;
	u32 most;

	spin_lock_irqsave(&srq->lock, flags);
	most = srq->rq.max_wr;
	if (limit <= most)
		srq->limit = limit;
	spin_unlock_irqrestore(&srq->lock, flags);
	return ofed_exceeds(srq->ib.device, "srq_limit", limit, most) ? -EINVAL : 0;
}

static int ibt_srq_tag_op(struct ibt_srq *srq, struct ib_udata *udata)
{
	bool told;
	int ret = ibt_tm_srq_op(srq, udata, &told);

	if (!told)
		ibt_srq_broken(srq);
	return ret;
}

static int ibt_modify_srq(struct ib_srq *ib, struct ib_srq_attr *attr,
			  enum ib_srq_attr_mask mask, struct ib_udata *udata)
{
	struct ibt_srq *srq = to_ibt_srq(ib);
	int ret = 0;

	if (mask & ~(IB_SRQ_MAX_WR | IB_SRQ_LIMIT))
		return ofed_refuse(ib->device, -EINVAL, "attributes 0x%x of an SRQ", mask);
	if (!mask && srq->tags)
		return ibt_srq_tag_op(srq, udata);
	if (mask & IB_SRQ_MAX_WR)
		ret = ibt_srq_resize(srq, attr->max_wr, udata);
	if (!ret && mask & IB_SRQ_LIMIT)
		ret = ibt_srq_set_limit(srq, attr->srq_limit);
	return ret;
}

static int ibt_query_srq(struct ib_srq *ib, struct ib_srq_attr *attr)
{
	struct ibt_srq *srq = to_ibt_srq(ib);
	unsigned long flags;

	spin_lock_irqsave(&srq->lock, flags);
	attr->max_wr = srq->rq.max_wr;
	attr->max_sge = srq->rq.max_sge;
	attr->srq_limit = srq->limit;
	spin_unlock_irqrestore(&srq->lock, flags);
	return srq->error ? -EINVAL : 0;
}

const struct ib_device_ops ibt_srq_ops = {
	.create_srq = ibt_create_srq,
	.modify_srq = ibt_modify_srq,
	.query_srq = ibt_query_srq,
	.destroy_srq = ibt_destroy_srq,
	.post_srq_recv = ibt_post_srq_recv,

	INIT_RDMA_OBJ_SIZE(ib_srq, ibt_srq, ib),
};
