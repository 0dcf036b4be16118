// SPDX-License-Identifier: GPL-2.0
/*
 * Shared receive queues (IBA vol. 1 chapter 10): basic, XRC and tag matching.
 * All functions run in process context and may sleep. The owner of an SRQ
 * ensures that no other thread uses it while it is destroyed.
 */
#include <ofed/refuse.h>
#include <ofed/restrack.h>
#include <ofed/verbs.h>
#include <rdma/ib_verbs.h>

static void srq_hold_parts(struct ib_srq *srq)
{
	atomic_inc(&srq->pd->usecnt);
	if (srq->ext.cq)
		atomic_inc(&srq->ext.cq->usecnt);
	if (srq->ext.xrc.xrcd)
		atomic_inc(&srq->ext.xrc.xrcd->usecnt);
}

static void srq_drop_parts(struct ib_srq *srq)
{
	if (srq->ext.xrc.xrcd)
		atomic_dec(&srq->ext.xrc.xrcd->usecnt);
	if (srq->ext.cq)
		atomic_dec(&srq->ext.cq->usecnt);
	atomic_dec(&srq->pd->usecnt);
}

static void srq_init(struct ib_srq *srq, struct ib_pd *pd,
		     const struct ib_srq_init_attr *attr)
{
	srq->pd = pd;
	srq->device = pd->device;
	srq->srq_type = attr->srq_type;
	srq->srq_context = attr->srq_context;
	srq->event_handler = attr->event_handler;
	if (ib_srq_has_cq(attr->srq_type))
		srq->ext.cq = attr->ext.cq;
	if (attr->srq_type == IB_SRQT_XRC)
		srq->ext.xrc.xrcd = attr->ext.xrc.xrcd;
}

/**
 * ib_create_srq_user - create a shared receive queue
 * @pd: protection domain; busy until the SRQ is destroyed
 * @srq_init_attr: in: what is wanted, out: what the driver made of it
 * @uobject: of a user, or NULL
 * @udata: of a user, or NULL
 *
 * IBA vol. 1 chapter 11, Create Shared Receive Queue. The CQ and the XRC domain
 * of an XRC SRQ are busy as long as it lives. Context: process, may sleep.
 * Return: the SRQ, or -EOPNOTSUPP (driver has none), -ENOMEM, or the driver's
 * errno.
 */
struct ib_srq *ib_create_srq_user(struct ib_pd *pd,
				  struct ib_srq_init_attr *srq_init_attr,
				  struct ib_usrq_object *uobject,
				  struct ib_udata *udata)
{
	struct ib_srq *srq;
	int ret;

	if (!pd->device->ops.create_srq)
		return ERR_PTR(ofed_refuse_op(pd->device, "create_srq"));
	srq = rdma_zalloc_drv_obj_gfp(pd->device, ib_srq, GFP_KERNEL_ACCOUNT);
	if (!srq)
		return ERR_PTR(-ENOMEM);

	srq_init(srq, pd, srq_init_attr);
	srq->uobject = uobject;
	srq_hold_parts(srq);
	ofed_restrack_new(&srq->res, RDMA_RESTRACK_SRQ);
	ofed_restrack_parent_name(&srq->res, &pd->res);

	ret = pd->device->ops.create_srq(srq, srq_init_attr, udata);
	if (ret)
		goto err_untrack;
	ofed_restrack_add(&srq->res);
	return srq;

err_untrack:
	rdma_restrack_put(&srq->res);
	srq_drop_parts(srq);
	kfree(srq);
	return ERR_PTR(ret);
}
OFED_EXPORT(ib_create_srq_user);

/**
 * ofed_modify_user_srq - resize an SRQ or arm its limit for a user
 * @srq: the SRQ
 * @attr: new values
 * @mask: which of them
 * @udata: the driver's data
 *
 * Return: 0, -EOPNOTSUPP, or the driver's errno.
 */
int ofed_modify_user_srq(struct ib_srq *srq, struct ib_srq_attr *attr,
			 enum ib_srq_attr_mask mask, struct ib_udata *udata)
{
	if (!srq->device->ops.modify_srq)
		return ofed_refuse_op(srq->device, "modify_srq");
	return srq->device->ops.modify_srq(srq, attr, mask, udata);
}
EXPORT_SYMBOL_GPL(ofed_modify_user_srq);

/**
 * ib_modify_srq - resize an SRQ, or arm its limit
 * @srq: the SRQ
 * @srq_attr: new values
 * @srq_attr_mask: which of them
 *
 * IBA vol. 1 chapter 11, Modify Shared Receive Queue.
 * Context: process, may sleep.
 * Return: 0, -EOPNOTSUPP, or the driver's errno.
 */
int ib_modify_srq(struct ib_srq *srq, struct ib_srq_attr *srq_attr,
		  enum ib_srq_attr_mask srq_attr_mask)
{
	return ofed_modify_user_srq(srq, srq_attr, srq_attr_mask, NULL);
}
OFED_EXPORT(ib_modify_srq);

/**
 * ib_query_srq - read size and limit of an SRQ
 * @srq: the SRQ
 * @srq_attr: out
 *
 * IBA vol. 1 chapter 11, Query Shared Receive Queue.
 * Context: process, may sleep.
 * Return: 0, -EOPNOTSUPP, or the driver's errno.
 */
int ib_query_srq(struct ib_srq *srq, struct ib_srq_attr *srq_attr)
{
	if (!srq->device->ops.query_srq)
		return ofed_refuse_op(srq->device, "query_srq");
	return srq->device->ops.query_srq(srq, srq_attr);
}
OFED_EXPORT(ib_query_srq);

/**
 * ib_destroy_srq_user - destroy an SRQ
 * @srq: the SRQ; freed on success
 * @udata: of a user, or NULL
 *
 * IBA vol. 1 chapter 11, Destroy Shared Receive Queue.
 * Context: process, may sleep.
 * Return: 0, -EBUSY (a QP uses it), or the driver's errno: then it lives on.
 */
int ib_destroy_srq_user(struct ib_srq *srq, struct ib_udata *udata)
{
	int ret;

	if (atomic_read(&srq->usecnt))
		return ofed_refuse_busy(srq->device, "SRQ", &srq->usecnt);

	ofed_restrack_begin_del(&srq->res);
	ret = srq->device->ops.destroy_srq(srq, udata);
	if (ret) {
		ofed_restrack_abort_del(&srq->res);
		return ret;
	}
	ofed_restrack_commit_del(&srq->res);
	srq_drop_parts(srq);
	kfree(srq);
	return 0;
}
OFED_EXPORT(ib_destroy_srq_user);
