// SPDX-License-Identifier: GPL-2.0
/*
 * Completion counters: the device counts completions of a queue pair, by kinds of operation, where a
 * program reads them without the CQ. A kind has one counter at most.
 */
#include <linux/xarray.h>
#include <ofed/comp_cntr.h>
#include <ofed/refuse.h>
#include <ofed/restrack.h>
#include <rdma/ib_verbs.h>

/**
 * ofed_create_comp_cntr - make a completion counter for a user
 * @device: device
 * @uobject: of the counter
 * @attrs: of the command
 *
 * Context: process, may sleep.
 *
 * Return: the counter, or -EOPNOTSUPP (driver has none), -ENOMEM, or the driver's errno.
 */
struct ib_comp_cntr *ofed_create_comp_cntr(struct ib_device *device, struct ib_uobject *uobject,
					   struct uverbs_attr_bundle *attrs)
{
	struct ib_comp_cntr *cntr;
	int ret;

	if (!device->ops.create_comp_cntr)
		return ERR_PTR(ofed_refuse_op(device, "create_comp_cntr"));
	cntr = rdma_zalloc_drv_obj_gfp(device, ib_comp_cntr, GFP_KERNEL_ACCOUNT);
	if (!cntr)
		return ERR_PTR(-ENOMEM);
	cntr->device = device;
	cntr->uobject = uobject;
	atomic_set(&cntr->usecnt, 0);
	ofed_restrack_new(&cntr->res, RDMA_RESTRACK_COMP_CNTR);
	ofed_restrack_set_name(&cntr->res, NULL);
	ret = device->ops.create_comp_cntr(cntr, attrs);
	if (ret) {
		rdma_restrack_put(&cntr->res);
		kfree(cntr);
		return ERR_PTR(ret);
	}
	ofed_restrack_add(&cntr->res);
	return cntr;
}
EXPORT_SYMBOL_GPL(ofed_create_comp_cntr);

/**
 * ofed_destroy_comp_cntr - destroy a completion counter
 * @cntr: the counter; freed on success
 *
 * Context: process, may sleep.
 *
 * Return: 0, -EBUSY (a queue pair has it), or the driver's errno: then it lives on.
 */
int ofed_destroy_comp_cntr(struct ib_comp_cntr *cntr)
{
	int ret;

	if (atomic_read(&cntr->usecnt))
		return ofed_refuse_busy(cntr->device, "completion counter", &cntr->usecnt);
	ofed_restrack_begin_del(&cntr->res);
	ret = cntr->device->ops.destroy_comp_cntr(cntr);
	if (ret) {
		ofed_restrack_abort_del(&cntr->res);
		return ret;
	}
	ofed_restrack_commit_del(&cntr->res);
	kfree(cntr);
	return 0;
}
EXPORT_SYMBOL_GPL(ofed_destroy_comp_cntr);

/**
 * ofed_qp_attach_comp_cntr - let a counter count completions of a queue pair
 * @qp: the queue pair, which no other call changes or destroys meanwhile
 * @cntr: the counter; busy until the queue pair is destroyed
 * @op_mask: enum ib_qp_attach_comp_cntr_op, none of which @qp has a counter for
 *
 * Context: process, may sleep.
 *
 * Return: 0, -EINVAL (no kind, a counter of another device, or a handle of a shared QP), -EBUSY (a
 * kind has its counter), -EOPNOTSUPP (driver has none), -ENOMEM, or the driver's errno.
 */
int ofed_qp_attach_comp_cntr(struct ib_qp *qp, struct ib_comp_cntr *cntr, u32 op_mask)
{
	struct ib_qp_attach_comp_cntr_attr attr = { .op_mask = op_mask };
	int ret;

	if (!qp->device->ops.qp_attach_comp_cntr)
		return ofed_refuse_op(qp->device, "qp_attach_comp_cntr");
	/* A handle of a shared XRC target is none: others may change the QP behind it meanwhile. */
	if (!op_mask || cntr->device != qp->device || qp->real_qp != qp)
		return ofed_refuse(qp->device, -EINVAL,
				   "a counter of another device, for nothing, or for an open handle");
	if (qp->comp_cntr_op_mask & op_mask)
		return ofed_refuse(qp->device, -EBUSY, "kinds 0x%x have their counter",
				   qp->comp_cntr_op_mask & op_mask);
	ret = xa_insert(&qp->comp_cntrs, op_mask, cntr, GFP_KERNEL_ACCOUNT);
	if (ret)
		return ret;
	ret = qp->device->ops.qp_attach_comp_cntr(qp, cntr, &attr);
	if (ret) {
		xa_erase(&qp->comp_cntrs, op_mask);
		return ret;
	}
	qp->comp_cntr_op_mask |= op_mask;
	atomic_inc(&cntr->usecnt);
	return 0;
}
EXPORT_SYMBOL_GPL(ofed_qp_attach_comp_cntr);

/* The device has the queue pair no longer. */
void ofed_qp_put_cntrs(struct ib_qp *qp)
{
	struct ib_comp_cntr *cntr;
	unsigned long mask;

	xa_for_each(&qp->comp_cntrs, mask, cntr)
		atomic_dec(&cntr->usecnt);
	xa_destroy(&qp->comp_cntrs);
}
