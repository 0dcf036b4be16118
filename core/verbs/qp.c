// SPDX-License-Identifier: GPL-2.0
/*
 * Queue pairs (IBA vol. 1 chapter 10): create, query, destroy. qp_modify.c has
 * the rest.
 *
 * An XRC target QP is shared: the driver's QP (the "real" one) has no owner,
 * each consumer has a handle: a struct ib_qp with real_qp set to it. The last
 * handle to be destroyed destroys the real QP. For all other types handle and
 * real QP are one.
 *
 * Locking:
 * - device->qp_open_list_lock guards real_qp->open_list, the handles that get
 *   the events of a shared QP. Taken in any context, so with interrupts off.
 * - xrcd->tgt_qps_rwsem makes "look up and open" and "close the last handle and
 *   destroy" exclude each other. xrcd->tgt_qps has its own lock for stores.
 * - The owner of a QP ensures that no other thread uses it while it is
 *   destroyed.
 *
 * All functions here run in process context and may sleep, except the event
 * handlers.
 */
#include <ofed/comp_cntr.h>
#include <ofed/refuse.h>
#include <ofed/restrack.h>
#include <ofed/verbs.h>
#include <rdma/ib_verbs.h>
#include <rdma/rw.h>

#include "../track/counters.h"
#include "ah.h"

/* Called by the driver, in any context. */
static void qp_event(struct ib_event *event, void *context)
{
	struct ib_qp *qp = event->element.qp;

	if (event->event == IB_EVENT_QP_LAST_WQE_REACHED)
		compat_qp_last_wqe(qp);
	if (compat_qp_users_handler(qp))
		compat_qp_users_handler(qp)(event, context);
}

/* The same for a real QP: each handle hears of it, as if it were its own. */
static void qp_shared_qp_event(struct ib_event *event, void *context)
{
	struct ib_qp *real = context, *handle;
	struct ib_event own = *event;
	unsigned long flags;

	spin_lock_irqsave(&real->device->qp_open_list_lock, flags);
	list_for_each_entry(handle, &real->open_list, open_list) {
		own.element.qp = handle;
		if (handle->event_handler)
			handle->event_handler(&own, handle->qp_context);
	}
	spin_unlock_irqrestore(&real->device->qp_open_list_lock, flags);
}

static void qp_count_parts(struct ib_qp *qp, int by)
{
	if (qp->pd)
		atomic_add(by, &qp->pd->usecnt);
	if (qp->srq)
		atomic_add(by, &qp->srq->usecnt);
	if (qp->xrcd)
		atomic_add(by, &qp->xrcd->usecnt);
	if (qp->send_cq)
		atomic_add(by, &qp->send_cq->usecnt);
	if (qp->recv_cq)
		atomic_add(by, &qp->recv_cq->usecnt);
	if (qp->rwq_ind_tbl)
		atomic_add(by, &qp->rwq_ind_tbl->usecnt);
}

/* What the QP is made of. A target QP has an XRC domain instead of all that. */
static void qp_set_parts(struct ib_qp *qp, struct ib_pd *pd,
			 const struct ib_qp_init_attr *attr)
{
	if (attr->qp_type == IB_QPT_XRC_TGT) {
		qp->xrcd = attr->xrcd;
		return;
	}
	qp->pd = pd;
	qp->srq = attr->srq;
	qp->send_cq = attr->send_cq;
	qp->recv_cq = attr->recv_cq;
	qp->rwq_ind_tbl = attr->rwq_ind_tbl;
}

static void qp_init(struct ib_qp *qp, struct ib_device *device,
		    const struct ib_qp_init_attr *attr,
		    struct ib_uqp_object *uobject)
{
	qp->device = device;
	qp->uobject = uobject;
	qp->real_qp = qp;
	qp->port = attr->port_num;
	qp->qp_type = attr->qp_type;
	INIT_LIST_HEAD(&qp->open_list);
	INIT_LIST_HEAD(&qp->xrcd_list);
	INIT_LIST_HEAD(&qp->sig_mrs);
	INIT_LIST_HEAD(&qp->rdma_mrs);
	spin_lock_init(&qp->mr_lock);

	if (attr->qp_type == IB_QPT_XRC_TGT) {
		compat_qp_set_handler(qp, qp_shared_qp_event, qp_shared_qp_event);
		qp->qp_context = qp;
	} else {
		compat_qp_set_handler(qp, qp_event, attr->event_handler);
		qp->qp_context = attr->qp_context;
	}
}

static int qp_check(struct ib_device *device,
		    const struct ib_qp_init_attr *attr)
{
	const bool has_rq = attr->recv_cq || attr->srq ||
			    attr->cap.max_recv_wr || attr->cap.max_recv_sge;

	if (!device->ops.create_qp)
		return ofed_refuse_op(device, "create_qp");
	if (attr->rwq_ind_tbl && has_rq)
		return ofed_refuse(device, -EINVAL,
				   "rwq_ind_tbl: the QP has a receive queue as well");
	if (attr->create_flags & IB_QP_CREATE_INTEGRITY_EN &&
	    !(device->attrs.kernel_cap_flags & IBK_INTEGRITY_HANDOVER))
		return ofed_refuse(device, -EINVAL,
				   "create_flags: the device has no integrity");
	return 0;
}

/* The QP as the driver knows it; @caller is NULL for a user's. */
static struct ib_qp *qp_create_real(struct ib_device *device, struct ib_pd *pd,
				    struct ib_qp_init_attr *attr,
				    struct ib_uqp_object *uobject,
				    struct ib_udata *udata, const char *caller)
{
	struct ib_qp *qp;
	int ret;

	ret = qp_check(device, attr);
	if (ret)
		return ERR_PTR(ret);
	/* As rdma_zalloc_drv_obj_numa(), which charges no cgroup. */
	qp = rdma_zalloc_obj(device, device->ops.size_ib_qp,
			     GFP_KERNEL_ACCOUNT, true);
	if (!qp)
		return ERR_PTR(-ENOMEM);

	qp_init(qp, device, attr, uobject);
	compat_qp_init_cntrs(qp);
	qp_set_parts(qp, pd, attr);
	ofed_restrack_new(&qp->res, RDMA_RESTRACK_QP);
	/* Shared by processes, so it has no owner to show. */
	if (attr->qp_type == IB_QPT_XRC_TGT)
		rdma_restrack_no_track(&qp->res);
	ofed_restrack_set_name(&qp->res, caller);
	ret = device->ops.create_qp(qp, attr, udata);
	if (ret) {
		rdma_restrack_put(&qp->res);
		kfree(qp);
		return ERR_PTR(ret);
	}

	/* Some drivers leave others there; those of the consumer count. */
	qp_set_parts(qp, pd, attr);
	qp_count_parts(qp, 1);
	ofed_restrack_add(&qp->res);
	return qp;
}

static int qp_destroy_real(struct ib_qp *qp, struct ib_udata *udata)
{
	int ret;

	ofed_restrack_begin_del(&qp->res);
	ofed_counter_unbind_qp(qp, true);
	ret = qp->device->ops.destroy_qp(qp, udata);
	if (ret) {
		ofed_restrack_abort_del(&qp->res);
		return ret;
	}
	ofed_restrack_commit_del(&qp->res);
	compat_qp_put_cntrs(qp);
	/* Only now does the device use no region any more. */
	rdma_rw_cleanup_mrs(qp);
	qp_count_parts(qp, -1);
	qp_drop_gid(qp->av_sgid_attr);
	qp_drop_gid(qp->alt_path_sgid_attr);
	kfree(qp);
	return 0;
}

static void qp_attach_handle(struct ib_qp *qp)
{
	unsigned long flags;

	atomic_inc(&qp->real_qp->usecnt);
	spin_lock_irqsave(&qp->device->qp_open_list_lock, flags);
	list_add(&qp->open_list, &qp->real_qp->open_list);
	spin_unlock_irqrestore(&qp->device->qp_open_list_lock, flags);
}

/* No event goes to @qp after this; its real QP may be gone. */
static void qp_detach_handle(struct ib_qp *qp)
{
	unsigned long flags;

	spin_lock_irqsave(&qp->device->qp_open_list_lock, flags);
	list_del_init(&qp->open_list);
	spin_unlock_irqrestore(&qp->device->qp_open_list_lock, flags);
	atomic_dec(&qp->real_qp->usecnt);
}

static struct ib_qp *qp_open_handle(struct ib_qp *real,
				    struct ib_uqp_object *uobject,
				    void (*event_handler)(struct ib_event *,
							  void *),
				    void *qp_context)
{
	struct ib_qp *qp = kzalloc(sizeof(*qp), GFP_KERNEL_ACCOUNT);

	if (!qp)
		return ERR_PTR(-ENOMEM);
	qp->device = real->device;
	qp->uobject = uobject;
	qp->real_qp = real;
	qp->qp_num = real->qp_num;
	qp->qp_type = real->qp_type;
	qp->qp_context = qp_context;
	qp->event_handler = event_handler;

	qp_attach_handle(qp);
	return qp;
}

/* Put a new target QP where others find it; the creator gets a handle. */
static struct ib_qp *qp_publish_target(struct ib_qp *real,
				       const struct ib_qp_init_attr *attr,
				       struct ib_udata *udata)
{
	struct ib_qp *qp;
	int ret;

	qp = qp_open_handle(real, real->uobject, attr->event_handler,
			    attr->qp_context);
	if (IS_ERR(qp)) {
		ret = PTR_ERR(qp);
		goto err_destroy;
	}
	ret = xa_err(xa_store(&real->xrcd->tgt_qps, real->qp_num, real,
			      GFP_KERNEL_ACCOUNT));
	if (ret)
		goto err_detach;
	return qp;

err_detach:
	qp_detach_handle(qp);
	kfree(qp);
err_destroy:
	qp_destroy_real(real, udata);
	return ERR_PTR(ret);
}

static struct ib_qp *qp_create(struct ib_device *device, struct ib_pd *pd,
			       struct ib_qp_init_attr *attr,
			       struct ib_uqp_object *uobject,
			       struct ib_udata *udata, const char *caller)
{
	struct ib_qp *qp;

	qp = qp_create_real(device, pd, attr, uobject, udata, caller);
	if (IS_ERR(qp) || attr->qp_type != IB_QPT_XRC_TGT)
		return qp;
	return qp_publish_target(qp, attr, udata);
}

/**
 * ofed_create_user_qp - create a QP for a user
 * @device: device
 * @pd: protection domain; NULL for an XRC target QP
 * @attr: in: what is wanted, out: what the driver made of it
 * @uobject: of the QP
 * @udata: the driver's data
 *
 * PD, CQs, SRQ, XRC domain and RWQ table are busy as long as the QP lives.
 * Return: the QP (of an XRC target QP: the creator's handle), or -EOPNOTSUPP,
 * -EINVAL (receive queue and RWQ table at once), -ENOMEM, or the driver's
 * errno.
 */
struct ib_qp *ofed_create_user_qp(struct ib_device *device, struct ib_pd *pd,
				  struct ib_qp_init_attr *attr,
				  struct ib_uqp_object *uobject,
				  struct ib_udata *udata)
{
	return qp_create(device, pd, attr, uobject, udata, NULL);
}
EXPORT_SYMBOL_GPL(ofed_create_user_qp);

/**
 * ib_create_qp_kernel - create a QP for a kernel consumer
 * @pd: protection domain; NULL for an XRC target QP
 * @qp_init_attr: in: what is wanted, out: what the driver made of it
 * @caller: name of the consumer's module
 *
 * IBA vol. 1 chapter 11, Create Queue Pair. PD, CQs, SRQ and XRC domain are
 * busy as long as the QP lives. For cap.max_rdma_ctxs contexts of the R/W API
 * (<rdma/rw.h>), which need port_num, the send queue gets room and the QP
 * regions.
 * Context: process, may sleep.
 * Return: the QP, or -EOPNOTSUPP (driver has none), -EINVAL (also: R/W contexts
 * without a PD or a port), -ENOMEM, or the driver's errno.
 */
struct ib_qp *ib_create_qp_kernel(struct ib_pd *pd,
				  struct ib_qp_init_attr *qp_init_attr,
				  const char *caller)
{
	struct ib_device *device = pd ? pd->device :
					qp_init_attr->xrcd->device;
	const bool rw_ctxs = qp_init_attr->cap.max_rdma_ctxs;
	struct ib_qp *qp;
	u32 sges;
	int ret;

	if (rw_ctxs) {
		if (!pd || !rdma_is_port_valid(device, qp_init_attr->port_num))
			return ERR_PTR(ofed_refuse_port(device,
							qp_init_attr->port_num));
		rdma_rw_init_qp(device, qp_init_attr);
	}
	qp = qp_create(device, pd, qp_init_attr, NULL, NULL, caller);
	if (IS_ERR(qp))
		return qp;

	/* Drivers keep max_send_sge to what a WRITE can have, not a READ. */
	sges = qp_init_attr->cap.max_send_sge;
	qp->max_write_sge = sges;
	qp->max_read_sge = min_t(u32, sges, device->attrs.max_sge_rd);
	if (qp_init_attr->create_flags & IB_QP_CREATE_INTEGRITY_EN)
		qp->integrity_en = true;
	if (rw_ctxs) {
		ret = rdma_rw_init_mrs(qp, qp_init_attr);
		if (ret) {
			ib_destroy_qp(qp);
			return ERR_PTR(ret);
		}
	}
	return qp;
}
OFED_EXPORT(ib_create_qp_kernel);

/**
 * ib_open_qp - get a handle of a shared QP
 * @xrcd: XRC domain of the QP
 * @qp_open_attr: number and type of the QP, handler for its events
 *
 * IBA vol. 1 annex A14. Context: process, may sleep.
 * Return: a handle for ib_close_qp(), or -EINVAL (no XRC target QP of that
 * number in the domain), -ENOMEM.
 */
struct ib_qp *ib_open_qp(struct ib_xrcd *xrcd,
			 struct ib_qp_open_attr *qp_open_attr)
{
	struct ib_qp *real, *qp;

	if (qp_open_attr->qp_type != IB_QPT_XRC_TGT)
		return ofed_refuse(xrcd->device, ERR_PTR(-EINVAL),
				   "qp_type: %u is no target QP",
				   qp_open_attr->qp_type);

	down_read(&xrcd->tgt_qps_rwsem);
	real = xa_load(&xrcd->tgt_qps, qp_open_attr->qp_num);
	if (real)
		qp = qp_open_handle(real, NULL, qp_open_attr->event_handler,
				    qp_open_attr->qp_context);
	else
		qp = ofed_refuse(xrcd->device, ERR_PTR(-EINVAL),
				 "QP %u is not of this XRC domain",
				 qp_open_attr->qp_num);
	up_read(&xrcd->tgt_qps_rwsem);
	return qp;
}
OFED_EXPORT(ib_open_qp);

/**
 * ib_close_qp - give back a handle of ib_open_qp()
 * @qp: the handle; freed
 *
 * The shared QP stays, even without a handle. Not from the handler of its
 * events. Context: process, may sleep.
 * Return: 0, or -EINVAL (@qp is no such handle).
 */
int ib_close_qp(struct ib_qp *qp)
{
	if (qp->real_qp == qp)
		return ofed_refuse(qp->device, -EINVAL,
				   "QP %u was created, not opened", qp->qp_num);
	qp_detach_handle(qp);
	kfree(qp);
	return 0;
}
OFED_EXPORT(ib_close_qp);

static int qp_destroy_target(struct ib_qp *real, struct ib_udata *udata)
{
	struct xarray *targets = &real->xrcd->tgt_qps;
	u32 number = real->qp_num;
	int ret;

	lockdep_assert_held_write(&real->xrcd->tgt_qps_rwsem);
	/* Not to be found, but with its slot kept for the way back. */
	xa_store(targets, number, XA_ZERO_ENTRY, GFP_KERNEL);
	ret = qp_destroy_real(real, udata);
	if (ret)
		xa_store(targets, number, real, GFP_KERNEL);
	else
		xa_release(targets, number);
	return ret;
}

/*
 * Destroy a handle, and with the last one the real QP. When the driver refuses
 * that, the handle is as before.
 */
static int qp_destroy_handle(struct ib_qp *qp, struct ib_udata *udata)
{
	struct ib_qp *real = qp->real_qp;
	struct ib_xrcd *xrcd = real->xrcd;
	int ret = 0;

	/* The domain must outlast the real QP, which drops its count on it. */
	atomic_inc(&xrcd->usecnt);
	down_write(&xrcd->tgt_qps_rwsem);
	qp_detach_handle(qp);
	if (!atomic_read(&real->usecnt)) {
		ret = qp_destroy_target(real, udata);
		if (ret)
			qp_attach_handle(qp);
	}
	up_write(&xrcd->tgt_qps_rwsem);
	atomic_dec(&xrcd->usecnt);
	if (!ret)
		kfree(qp);
	return ret;
}

/**
 * ib_destroy_qp_user - destroy a QP, or a handle of a shared one
 * @qp: the QP; freed on success
 * @udata: of a user, or NULL
 *
 * IBA vol. 1 chapter 11, Destroy Queue Pair. Not from the handler of its
 * events.
 * Context: process, may sleep.
 * Return: 0, -EBUSY (attached to a multicast group, a flow, or open), or the
 * driver's errno: then it lives on.
 */
int ib_destroy_qp_user(struct ib_qp *qp, struct ib_udata *udata)
{
	might_sleep();
	if (atomic_read(&qp->usecnt))
		return ofed_refuse_busy(qp->device, "QP", &qp->usecnt);
	return qp->real_qp == qp ? qp_destroy_real(qp, udata) :
				   qp_destroy_handle(qp, udata);
}
OFED_EXPORT(ib_destroy_qp_user);

/**
 * ib_query_qp - read the attributes of a QP
 * @qp: the QP, or a handle of a shared one
 * @qp_attr: out; its paths hold no reference on a GID
 * @qp_attr_mask: which are wanted; a driver may fill more
 * @qp_init_attr: out: what it was created with
 *
 * IBA vol. 1 chapter 11, Query Queue Pair. Context: process, may sleep.
 * Return: 0, -EOPNOTSUPP, or the driver's errno.
 */
int ib_query_qp(struct ib_qp *qp, struct ib_qp_attr *qp_attr,
		int qp_attr_mask, struct ib_qp_init_attr *qp_init_attr)
{
	if (!qp->device->ops.query_qp)
		return ofed_refuse_op(qp->device, "query_qp");

	qp_attr->alt_ah_attr.grh.sgid_attr = NULL;
	qp_attr->ah_attr.grh.sgid_attr = NULL;
	return qp->device->ops.query_qp(qp->real_qp, qp_attr, qp_attr_mask,
					qp_init_attr);
}
OFED_EXPORT(ib_query_qp);

/**
 * ofed_hide_qp - nothing finds a QP any more
 * @qp: a QP that its driver does not destroy, or the last handle of one
 */
void ofed_hide_qp(struct ib_qp *qp)
{
	struct ib_qp *real = qp->real_qp;

	ofed_restrack_del(&real->res);
	if (real == qp)
		return;
	down_write(&real->xrcd->tgt_qps_rwsem);
	xa_erase(&real->xrcd->tgt_qps, real->qp_num);
	up_write(&real->xrcd->tgt_qps_rwsem);
}
EXPORT_SYMBOL_GPL(ofed_hide_qp);

/**
 * ofed_forget_qp - free a QP that its driver never destroyed
 * @qp: as for ofed_hide_qp(); its device is gone
 */
void ofed_forget_qp(struct ib_qp *qp)
{
	struct ib_qp *real = qp->real_qp;

	if (real != qp)
		kfree(qp);
	qp_drop_gid(real->av_sgid_attr);
	qp_drop_gid(real->alt_path_sgid_attr);
	kfree(real);
}
EXPORT_SYMBOL_GPL(ofed_forget_qp);
