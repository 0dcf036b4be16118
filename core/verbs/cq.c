// SPDX-License-Identifier: GPL-2.0
/*
 * Completion queues, and the three ways to poll them for a kernel consumer: by
 * the consumer (direct), by a softirq (irq_poll), or by a work queue.
 *
 * In the contexts that are not direct, one poller runs per CQ at a time:
 * the irq_poll or work item is queued by the driver's completion handler and
 * arms the CQ again only when it has found it empty. cq->wc belongs to that
 * poller. A CQ that is polled directly is never armed.
 */
#include <linux/dim.h>
#include <linux/irq_poll.h>
#include <ofed/refuse.h>
#include <ofed/restrack.h>
#include <ofed/verbs.h>
#include <rdma/ib_verbs.h>
#include <rdma/uverbs_ioctl.h>
#include <trace/events/rdma_core.h>
#include <compat/decls.h>

#include "cq_pool.h"

/* Completions fetched per call of the driver's poll_cq. */
#define BATCH		16
#define BATCH_ON_STACK	8
/* Completions handled before others get the CPU. */
#define SOFTIRQ_BUDGET	256
#define WORK_BUDGET	65536

#define REARM (IB_CQ_NEXT_COMP | IB_CQ_REPORT_MISSED_EVENTS)

/* Steps from low latency to few interrupts, for dim->profile_ix. */
static const struct {
	u16 usec;
	u16 comps;
} dim_steps[RDMA_DIM_PARAMS_NUM_PROFILES] = {
	{ 1, 1 }, { 1, 4 }, { 2, 4 }, { 2, 8 }, { 4, 8 },
	{ 16, 8 }, { 16, 16 }, { 32, 16 }, { 32, 32 },
};

static void cq_dim_work(struct work_struct *work)
{
	struct dim *dim = container_of(work, struct dim, work);
	struct ib_cq *cq = dim->priv;
	u8 step = dim->profile_ix;

	dim->state = DIM_START_MEASURE;
	trace_cq_modify(cq, dim_steps[step].comps, dim_steps[step].usec);
	cq->device->ops.modify_cq(cq, dim_steps[step].comps,
				  dim_steps[step].usec);
}

/* Without memory for it, the CQ just is not moderated. */
static void cq_dim_start(struct ib_cq *cq)
{
	struct dim *dim;

	if (cq->poll_ctx == IB_POLL_DIRECT || !cq->device->use_cq_dim ||
	    !cq->device->ops.modify_cq)
		return;
	dim = kzalloc(sizeof(*dim), GFP_KERNEL);
	if (!dim)
		return;

	INIT_WORK(&dim->work, cq_dim_work);
	dim->priv = cq;
	dim->profile_ix = RDMA_DIM_START_PROFILE;
	dim->tune_state = DIM_GOING_RIGHT;
	dim->state = DIM_START_MEASURE;
	cq->dim = dim;
}

static void cq_dim_stop(struct ib_cq *cq)
{
	if (!cq->dim)
		return;
	cancel_work_sync(&cq->dim->work);
	kfree(cq->dim);
	cq->dim = NULL;
}

static void cq_complete_one(struct ib_cq *cq, struct ib_wc *wc)
{
	/* Only flushed requests may come without: drivers' own, at a drain. */
	if (wc->wr_cqe)
		wc->wr_cqe->done(cq, wc);
	else
		WARN_ON_ONCE(wc->status == IB_WC_SUCCESS);
}

/* A negative @budget is none. Returns the number of completions handled. */
static int cq_poll(struct ib_cq *cq, int budget, struct ib_wc *wcs, int batch)
{
	int done = 0, want, got, i;

	do {
		want = budget < 0 ? batch : min(batch, budget - done);
		if (!want)
			break;
		got = ib_poll_cq(cq, want, wcs);
		trace_cq_poll(cq, want, got);
		for (i = 0; i < got; i++)
			cq_complete_one(cq, &wcs[i]);
		if (got > 0)
			done += got;
	} while (got == want);
	return done;
}

/**
 * ib_process_cq_direct - handle the completions of a CQ in the caller
 * @cq: allocated with IB_POLL_DIRECT, or known to have no other poller now
 * @budget: completions to handle at most, -1 for all there are
 *
 * Calls the done method of each wr_cqe. Context: as poll_cq of the driver and
 * the done methods permit; never two at a time for one CQ.
 * Return: the number of completions handled.
 */
int ib_process_cq_direct(struct ib_cq *cq, int budget)
{
	struct ib_wc wcs[BATCH_ON_STACK];

	return cq_poll(cq, budget, wcs, BATCH_ON_STACK);
}
OFED_EXPORT(ib_process_cq_direct);

static void cq_event_direct(struct ib_cq *cq, void *private)
{
	WARN_ONCE(1, "%s: completion event on a CQ that was never armed\n",
		  cq->device->name);
}

static int cq_irq_poll(struct irq_poll *iop, int budget)
{
	struct ib_cq *cq = container_of(iop, struct ib_cq, iop);
	struct dim *dim = cq->dim;
	int done;

	trace_cq_process(cq);
	done = cq_poll(cq, budget, cq->wc, BATCH);
	/* From the completion on there may be a second poller. */
	if (dim)
		rdma_dim(dim, done);
	if (done < budget) {
		irq_poll_complete(&cq->iop);
		if (ib_req_notify_cq(cq, REARM) > 0) {
			trace_cq_reschedule(cq);
			irq_poll_sched(&cq->iop);
		}
	}
	return done;
}

static void cq_event_softirq(struct ib_cq *cq, void *private)
{
	trace_cq_schedule(cq);
	irq_poll_sched(&cq->iop);
}

static void cq_work(struct work_struct *work)
{
	struct ib_cq *cq = container_of(work, struct ib_cq, work);
	int done;

	trace_cq_process(cq);
	done = cq_poll(cq, WORK_BUDGET, cq->wc, BATCH);
	if (done >= WORK_BUDGET || ib_req_notify_cq(cq, REARM) > 0) {
		trace_cq_reschedule(cq);
		queue_work(cq->comp_wq, &cq->work);
	} else if (cq->dim) {
		rdma_dim(cq->dim, done);
	}
}

static void cq_event_work(struct ib_cq *cq, void *private)
{
	trace_cq_schedule(cq);
	queue_work(cq->comp_wq, &cq->work);
}

static void cq_set_poller(struct ib_cq *cq)
{
	switch (cq->poll_ctx) {
	case IB_POLL_SOFTIRQ:
		irq_poll_init(&cq->iop, SOFTIRQ_BUDGET, cq_irq_poll);
		cq->comp_handler = cq_event_softirq;
		break;
	case IB_POLL_WORKQUEUE:
	case IB_POLL_UNBOUND_WORKQUEUE:
		INIT_WORK(&cq->work, cq_work);
		cq->comp_wq = cq->poll_ctx == IB_POLL_WORKQUEUE ?
			      ib_comp_wq : ib_comp_unbound_wq;
		cq->comp_handler = cq_event_work;
		break;
	case IB_POLL_DIRECT:
		cq->comp_handler = cq_event_direct;
		break;
	}
}

static void cq_stop_poller(struct ib_cq *cq)
{
	if (cq->poll_ctx == IB_POLL_SOFTIRQ) {
		irq_poll_disable(&cq->iop);
		/* One that has completed may be about to arm the CQ yet. */
		synchronize_rcu();
	} else if (cq->poll_ctx != IB_POLL_DIRECT) {
		cancel_work_sync(&cq->work);
	}
}

void ofed_cq_settle(struct ib_cq *cq)
{
	might_sleep();
	/* Without room to poll into, it is one that its consumer polls. */
	if (!cq->wc)
		return;
	switch (cq->poll_ctx) {
	case IB_POLL_DIRECT:
		ib_process_cq_direct(cq, cq->cqe);
		break;
	case IB_POLL_SOFTIRQ:
		/* Poll in place of the softirq, which continues afterwards. */
		irq_poll_disable(&cq->iop);
		local_bh_disable();
		ib_process_cq_direct(cq, cq->cqe);
		local_bh_enable();
		irq_poll_enable(&cq->iop);
		trace_cq_reschedule(cq);
		irq_poll_sched(&cq->iop);
		break;
	case IB_POLL_WORKQUEUE:
	case IB_POLL_UNBOUND_WORKQUEUE:
		trace_cq_reschedule(cq);
		queue_work(cq->comp_wq, &cq->work);
		flush_work(&cq->work);
		break;
	}
}

/*
 * @cq is allocated, and what the driver may call at once is filled in. On
 * failure @cq is freed.
 */
static struct ib_cq *cq_create(struct ib_cq *cq,
			       const struct ib_cq_init_attr *attr,
			       struct uverbs_attr_bundle *bundle,
			       const char *caller)
{
	int ret;

	ofed_restrack_new(&cq->res, RDMA_RESTRACK_CQ);
	ofed_restrack_set_name(&cq->res, caller);
	ret = compat_create_cq(cq, attr, bundle);
	if (ret) {
		rdma_restrack_put(&cq->res);
		kfree(cq->wc);
		kfree(cq);
		return ERR_PTR(ret);
	}
	ofed_restrack_add(&cq->res);
	return cq;
}

static struct ib_cq *cq_alloc(struct ib_device *dev, void *private, int nr_cqe,
			      int comp_vector, enum ib_poll_context poll_ctx,
			      const char *caller)
{
	struct ib_cq_init_attr attr = {
		.comp_vector = comp_vector,
		.cqe = nr_cqe,
	};
	struct ib_cq *cq;

	if ((unsigned int)poll_ctx > IB_POLL_DIRECT)
		return ofed_refuse(dev, ERR_PTR(-EINVAL),
				   "poll_ctx: %u is not known", poll_ctx);
	if (!dev->ops.create_cq)
		return ERR_PTR(ofed_refuse_op(dev, "create_cq"));
	cq = rdma_zalloc_drv_obj(dev, ib_cq);
	if (!cq)
		return ERR_PTR(-ENOMEM);
	cq->wc = kcalloc(BATCH, sizeof(*cq->wc), GFP_KERNEL);
	if (!cq->wc) {
		kfree(cq);
		return ERR_PTR(-ENOMEM);
	}

	cq->comp_vector = comp_vector;
	cq->poll_ctx = poll_ctx;
	cq->cq_context = private;
	cq->device = dev;
	cq_set_poller(cq);
	return cq_create(cq, &attr, NULL, caller);
}

/**
 * __ib_alloc_cq - create a CQ that the core polls for the consumer
 * @dev: device
 * @private: for the consumer, cq->cq_context
 * @nr_cqe: completions that may be outstanding
 * @comp_vector: completion vector
 * @poll_ctx: the context that polls, see the head of this file
 * @caller: name of the consumer's module
 *
 * Work requests on QPs of this CQ name a struct ib_cqe, not an id.
 * Context: process, may sleep.
 * Return: the CQ, for ib_free_cq(), or -EINVAL (context), -EOPNOTSUPP, -ENOMEM,
 * or the driver's errno.
 */
struct ib_cq *__ib_alloc_cq(struct ib_device *dev, void *private, int nr_cqe,
			    int comp_vector, enum ib_poll_context poll_ctx,
			    const char *caller)
{
	struct ib_cq *cq;

	cq = cq_alloc(dev, private, nr_cqe, comp_vector, poll_ctx, caller);
	if (IS_ERR(cq)) {
		trace_cq_alloc_error(nr_cqe, comp_vector, poll_ctx,
				     PTR_ERR(cq));
		return cq;
	}

	trace_cq_alloc(cq, nr_cqe, comp_vector, poll_ctx);
	cq_dim_start(cq);
	if (poll_ctx != IB_POLL_DIRECT)
		ib_req_notify_cq(cq, IB_CQ_NEXT_COMP);
	return cq;
}
OFED_EXPORT(__ib_alloc_cq);

/**
 * __ib_alloc_cq_any - __ib_alloc_cq() on the next completion vector in turn
 * @dev: device
 * @private: for the consumer, cq->cq_context
 * @nr_cqe: completions that may be outstanding
 * @poll_ctx: the context that polls
 * @caller: name of the consumer's module
 *
 * Context: process, may sleep. Return: as __ib_alloc_cq().
 */
struct ib_cq *__ib_alloc_cq_any(struct ib_device *dev, void *private,
				int nr_cqe, enum ib_poll_context poll_ctx,
				const char *caller)
{
	static atomic_t turn;
	unsigned int vectors = clamp_t(unsigned int, dev->num_comp_vectors, 1,
				       num_online_cpus());
	unsigned int vector = (unsigned int)atomic_inc_return(&turn) % vectors;

	return __ib_alloc_cq(dev, private, nr_cqe, vector, poll_ctx, caller);
}
OFED_EXPORT(__ib_alloc_cq_any);

/**
 * ib_free_cq - free a CQ from __ib_alloc_cq()
 * @cq: the CQ; no QP or SRQ uses it any more
 *
 * Does nothing, with a warning, when that is not so. Context: process, sleeps.
 */
void ib_free_cq(struct ib_cq *cq)
{
	const struct ib_device_ops *ops = &cq->device->ops;
	int ret = 0;

	might_sleep();
	if (WARN_ON_ONCE(atomic_read(&cq->usecnt) || cq->cqe_used))
		return;

	/* First no more events, then no poller, then no memory. */
	if (ops->pre_destroy_cq)
		ret = ops->pre_destroy_cq(cq);
	WARN_ONCE(ret, "a CQ of %s can not be stopped: %d\n",
		  cq->device->name, ret);
	cq_stop_poller(cq);
	cq_dim_stop(cq);

	trace_cq_free(cq);
	ofed_restrack_del(&cq->res);
	if (ops->post_destroy_cq) {
		ops->post_destroy_cq(cq);
	} else {
		ret = ops->destroy_cq(cq, NULL);
		WARN_ONCE(ret, "a CQ of %s can not be destroyed: %d\n",
			  cq->device->name, ret);
	}
	kfree(cq->wc);
	kfree(cq);
}
OFED_EXPORT(ib_free_cq);

static struct ib_cq *cq_create_plain(struct ib_device *device,
				     const struct ib_cq_init_attr *attr,
				     ib_comp_handler comp_handler,
				     void (*event_handler)(struct ib_event *,
							   void *),
				     void *cq_context,
				     struct ib_ucq_object *uobject,
				     struct uverbs_attr_bundle *bundle,
				     const char *caller)
{
	struct ib_cq *cq;

	if (!device->ops.create_cq)
		return ERR_PTR(ofed_refuse_op(device, "create_cq"));
	cq = rdma_zalloc_drv_obj_gfp(device, ib_cq, GFP_KERNEL_ACCOUNT);
	if (!cq)
		return ERR_PTR(-ENOMEM);

	cq->event_handler = event_handler;
	cq->comp_handler = comp_handler;
	cq->cq_context = cq_context;
	cq->uobject = uobject;
	cq->device = device;
	return cq_create(cq, attr, bundle, caller);
}

/**
 * __ib_create_cq - create a CQ that the consumer polls
 * @device: device
 * @comp_handler: called on a completion event, by the driver; must not sleep
 * @event_handler: called on an asynchronous event; must not sleep
 * @cq_context: handed to both
 * @cq_attr: size, completion vector, flags
 * @caller: name of the consumer's module
 *
 * IBA vol. 1 chapter 11, Create Completion Queue. Context: process, may sleep.
 * Return: the CQ, cq->cqe being its real size, or -EOPNOTSUPP, -ENOMEM, or the
 * driver's errno.
 */
struct ib_cq *__ib_create_cq(struct ib_device *device,
			     ib_comp_handler comp_handler,
			     void (*event_handler)(struct ib_event *event,
						   void *cq_context),
			     void *cq_context,
			     const struct ib_cq_init_attr *cq_attr,
			     const char *caller)
{
	return cq_create_plain(device, cq_attr, comp_handler, event_handler,
			       cq_context, NULL, NULL, caller);
}
OFED_EXPORT(__ib_create_cq);

/**
 * ofed_create_user_cq - create a CQ for a user
 * @device: device
 * @attr: size, completion vector, flags
 * @comp_handler: as for __ib_create_cq()
 * @event_handler: as for __ib_create_cq()
 * @cq_context: handed to both
 * @uobject: of the CQ
 * @attrs: bundle of the request, with the driver's data
 *
 * Return: as __ib_create_cq(), or -EINVAL (no entries, or the completion vector).
 */
struct ib_cq *ofed_create_user_cq(struct ib_device *device,
				  const struct ib_cq_init_attr *attr,
				  ib_comp_handler comp_handler,
				  void (*event_handler)(struct ib_event *,
							void *),
				  void *cq_context,
				  struct ib_ucq_object *uobject,
				  struct uverbs_attr_bundle *attrs)
{
	/* Since 7.x drivers leave this to the core. */
	if (!attr->cqe)
		return ofed_refuse(device, ERR_PTR(-EINVAL), "cqe: 0");
	if (attr->comp_vector >= (u32)device->num_comp_vectors)
		return ofed_refuse(device, ERR_PTR(-EINVAL),
				   "comp_vector: %u, the device has %d",
				   attr->comp_vector, device->num_comp_vectors);
	return cq_create_plain(device, attr, comp_handler, event_handler,
			       cq_context, uobject, attrs, NULL);
}
EXPORT_SYMBOL_GPL(ofed_create_user_cq);

/**
 * ofed_resize_user_cq - change the size of a CQ for a user
 * @cq: the CQ
 * @cqe: completions it shall hold at least
 * @udata: the driver's data
 *
 * Return: 0, -EOPNOTSUPP (driver can not, or the CQ is shared), -EINVAL (no entries),
 * or the driver's errno.
 */
int ofed_resize_user_cq(struct ib_cq *cq, int cqe, struct ib_udata *udata)
{
	if (cq->shared || !cq->device->ops.resize_user_cq)
		return ofed_refuse(cq->device, -EOPNOTSUPP,
				   "a CQ that is shared, or no resize_cq");
	if (!cqe)
		return ofed_refuse(cq->device, -EINVAL, "cqe: 0");
	return cq->device->ops.resize_user_cq(cq, cqe, udata);
}
EXPORT_SYMBOL_GPL(ofed_resize_user_cq);

/**
 * ib_resize_cq - change the size of a CQ
 * @cq: the CQ, not one of ib_cq_pool_get()
 * @cqe: completions it shall hold at least
 *
 * IBA vol. 1 chapter 11, Resize Completion Queue. Context: process, may sleep.
 * Return: 0, -EOPNOTSUPP, or the driver's errno.
 */
int ib_resize_cq(struct ib_cq *cq, int cqe)
{
	return ofed_resize_user_cq(cq, cqe, NULL);
}
OFED_EXPORT(ib_resize_cq);

/**
 * rdma_set_cq_moderation - hold back completion events
 * @cq: the CQ, not one of ib_cq_pool_get()
 * @cq_count: an event after that many completions
 * @cq_period: or after that many microseconds
 *
 * Context: process, may sleep.
 * Return: 0, -EOPNOTSUPP (driver can not, or the CQ is shared), or the driver's
 * errno.
 */
int rdma_set_cq_moderation(struct ib_cq *cq, u16 cq_count, u16 cq_period)
{
	if (cq->shared || !cq->device->ops.modify_cq)
		return ofed_refuse(cq->device, -EOPNOTSUPP,
				   "a CQ that is shared, or no modify_cq");
	return cq->device->ops.modify_cq(cq, cq_count, cq_period);
}
OFED_EXPORT(rdma_set_cq_moderation);

/**
 * ib_destroy_cq_user - destroy a CQ
 * @cq: from __ib_create_cq() or a user's; freed on success
 * @udata: of a user, or NULL
 *
 * IBA vol. 1 chapter 11, Destroy Completion Queue. Context: process, sleeps.
 * Return: 0, -EBUSY (a QP, SRQ or WQ uses it), -EOPNOTSUPP (the CQ is shared),
 * or the driver's errno: then it lives on.
 */
int ib_destroy_cq_user(struct ib_cq *cq, struct ib_udata *udata)
{
	int ret;

	if (WARN_ON_ONCE(cq->shared))
		return -EOPNOTSUPP;
	if (atomic_read(&cq->usecnt))
		return ofed_refuse_busy(cq->device, "CQ", &cq->usecnt);

	ofed_restrack_begin_del(&cq->res);
	ret = cq->device->ops.destroy_cq(cq, udata);
	if (ret) {
		ofed_restrack_abort_del(&cq->res);
		return ret;
	}
	ofed_restrack_commit_del(&cq->res);
	kfree(cq);
	return 0;
}
OFED_EXPORT(ib_destroy_cq_user);
