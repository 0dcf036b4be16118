// SPDX-License-Identifier: GPL-2.0
/*
 * Protection domains, memory windows, XRC domains and multicast membership.
 *
 * The pattern of all verbs here and in the files beside this one: check what
 * the core can check, call the driver, account. The midlayer serialises
 * nothing: the owner of an object ensures that no other thread uses it while it
 * is destroyed. A use count that is not zero refuses destruction with -EBUSY.
 */
#include <linux/in6.h>
#include <linux/xarray.h>
#include <ofed/restrack.h>
#include <ofed/verbs.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_verbs.h>

static struct ib_pd *ofed_pd_create(struct ib_device *device,
				    struct ib_uobject *uobject,
				    struct ib_udata *udata, const char *caller)
{
	struct ib_pd *pd;
	int ret;

	if (!device->ops.alloc_pd)
		return ERR_PTR(-EOPNOTSUPP);
	pd = rdma_zalloc_drv_obj_gfp(device, ib_pd, GFP_KERNEL_ACCOUNT);
	if (!pd)
		return ERR_PTR(-ENOMEM);

	pd->device = device;
	pd->uobject = uobject;
	ofed_restrack_new(&pd->res, RDMA_RESTRACK_PD);
	ofed_restrack_set_name(&pd->res, caller);
	ret = device->ops.alloc_pd(pd, udata);
	if (ret) {
		rdma_restrack_put(&pd->res);
		kfree(pd);
		return ERR_PTR(ret);
	}
	ofed_restrack_add(&pd->res);
	return pd;
}

/**
 * ofed_alloc_user_pd - allocate a protection domain for a user
 * @device: device
 * @uobject: of the PD
 * @udata: the driver's data
 *
 * Return: the PD, or -EOPNOTSUPP, -ENOMEM, or the driver's errno.
 */
struct ib_pd *ofed_alloc_user_pd(struct ib_device *device,
				 struct ib_uobject *uobject,
				 struct ib_udata *udata)
{
	return ofed_pd_create(device, uobject, udata, NULL);
}
EXPORT_SYMBOL_GPL(ofed_alloc_user_pd);

/*
 * The MR over all memory that a kernel PD needs where the device has no lkey
 * of its own for that, or where an rkey was asked for.
 */
static int ofed_pd_add_global_mr(struct ib_pd *pd, int access)
{
	struct ib_mr *mr;

	if (!pd->device->ops.get_dma_mr)
		return -EOPNOTSUPP;
	mr = pd->device->ops.get_dma_mr(pd, access);
	if (IS_ERR(mr))
		return PTR_ERR(mr);

	mr->type = IB_MR_TYPE_DMA;
	mr->device = pd->device;
	mr->pd = pd;
	mr->uobject = NULL;
	mr->need_inval = false;
	pd->__internal_mr = mr;
	return 0;
}

/**
 * __ib_alloc_pd - allocate a protection domain for a kernel consumer
 * @device: device
 * @flags: enum ib_pd_flags; IB_PD_UNSAFE_GLOBAL_RKEY lets every peer that
 *	   learns the rkey write to all memory
 * @caller: name of the consumer's module
 *
 * IBA vol. 1 chapter 11, Allocate Protection Domain. local_dma_lkey of the PD
 * is always usable. Context: process, may sleep.
 * Return: the PD, or -EOPNOTSUPP, -ENOMEM, or the driver's errno.
 */
struct ib_pd *__ib_alloc_pd(struct ib_device *device, unsigned int flags,
			    const char *caller)
{
	const bool has_lkey =
		device->attrs.kernel_cap_flags & IBK_LOCAL_DMA_LKEY;
	int access = has_lkey ? 0 : IB_ACCESS_LOCAL_WRITE;
	struct ib_pd *pd;
	int ret;

	pd = ofed_pd_create(device, NULL, NULL, caller);
	if (IS_ERR(pd))
		return pd;

	pd->flags = flags;
	if (flags & IB_PD_UNSAFE_GLOBAL_RKEY) {
		pr_warn("%s: all memory is open to peers of %s\n", caller,
			dev_name(&device->dev));
		access |= IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_WRITE;
	}
	if (access) {
		ret = ofed_pd_add_global_mr(pd, access);
		if (ret) {
			ib_dealloc_pd(pd);
			return ERR_PTR(ret);
		}
	}

	pd->local_dma_lkey = has_lkey ? device->local_dma_lkey :
					pd->__internal_mr->lkey;
	if (flags & IB_PD_UNSAFE_GLOBAL_RKEY)
		pd->unsafe_global_rkey = pd->__internal_mr->rkey;
	return pd;
}
EXPORT_SYMBOL(__ib_alloc_pd);

/**
 * ib_dealloc_pd_user - free a protection domain
 * @pd: the PD; freed on success
 * @udata: of a user, or NULL
 *
 * IBA vol. 1 chapter 11, Deallocate Protection Domain.
 * Context: process, may sleep.
 * Return: 0, -EBUSY (objects of this PD exist), or the driver's errno: then it
 * lives on.
 */
int ib_dealloc_pd_user(struct ib_pd *pd, struct ib_udata *udata)
{
	int ret;

	if (atomic_read(&pd->usecnt))
		return -EBUSY;

	if (pd->__internal_mr) {
		ret = pd->device->ops.dereg_mr(pd->__internal_mr, NULL);
		if (ret)
			return ret;
		pd->__internal_mr = NULL;
	}

	ofed_restrack_begin_del(&pd->res);
	ret = pd->device->ops.dealloc_pd(pd, udata);
	if (ret) {
		ofed_restrack_abort_del(&pd->res);
		return ret;
	}
	ofed_restrack_commit_del(&pd->res);
	kfree(pd);
	return 0;
}
EXPORT_SYMBOL(ib_dealloc_pd_user);

/**
 * ofed_alloc_user_mw - allocate a memory window
 * @pd: protection domain; busy until the window is freed
 * @type: 1 or 2 (IBA vol. 1 section 10.6)
 * @uobject: of the window
 * @udata: the driver's data
 *
 * Return: the window, or -EOPNOTSUPP (driver has none), -EINVAL (type),
 * -ENOMEM, or the driver's errno.
 */
struct ib_mw *ofed_alloc_user_mw(struct ib_pd *pd, enum ib_mw_type type,
				 struct ib_uobject *uobject,
				 struct ib_udata *udata)
{
	struct ib_mw *mw;
	int ret;

	if (!pd->device->ops.alloc_mw)
		return ERR_PTR(-EOPNOTSUPP);
	if (type != IB_MW_TYPE_1 && type != IB_MW_TYPE_2)
		return ERR_PTR(-EINVAL);
	mw = rdma_zalloc_drv_obj_gfp(pd->device, ib_mw, GFP_KERNEL_ACCOUNT);
	if (!mw)
		return ERR_PTR(-ENOMEM);

	mw->type = type;
	mw->pd = pd;
	mw->device = pd->device;
	mw->uobject = uobject;
	ret = pd->device->ops.alloc_mw(mw, udata);
	if (ret) {
		kfree(mw);
		return ERR_PTR(ret);
	}
	atomic_inc(&pd->usecnt);
	return mw;
}
EXPORT_SYMBOL_GPL(ofed_alloc_user_mw);

/**
 * ofed_dealloc_mw - free a memory window
 * @mw: the window; freed on success
 *
 * Return: 0, or the driver's errno: then it lives on.
 */
int ofed_dealloc_mw(struct ib_mw *mw)
{
	struct ib_pd *pd = mw->pd;
	int ret;

	ret = mw->device->ops.dealloc_mw(mw);
	if (ret)
		return ret;
	kfree(mw);
	atomic_dec(&pd->usecnt);
	return 0;
}
EXPORT_SYMBOL_GPL(ofed_dealloc_mw);

/**
 * ofed_forget_xrcd - free an XRC domain that its driver never freed
 * @xrcd: the domain; its device is gone
 */
void ofed_forget_xrcd(struct ib_xrcd *xrcd)
{
	xa_destroy(&xrcd->tgt_qps);
	kfree(xrcd);
}
EXPORT_SYMBOL_GPL(ofed_forget_xrcd);

/**
 * ib_alloc_xrcd_user - allocate an XRC domain
 * @device: device
 * @inode: file that the domain is shared through, or NULL
 * @udata: of a user, or NULL
 *
 * IBA vol. 1 annex A14. Context: process, may sleep.
 * Return: the domain, or -EOPNOTSUPP (driver has none), -ENOMEM, or the
 * driver's errno.
 */
struct ib_xrcd *ib_alloc_xrcd_user(struct ib_device *device,
				   struct inode *inode, struct ib_udata *udata)
{
	const struct ib_device_ops *ops = &device->ops;
	struct ib_xrcd *xrcd;
	int ret;

	if (!ops->alloc_xrcd)
		return ERR_PTR(-EOPNOTSUPP);
	xrcd = rdma_zalloc_drv_obj_gfp(device, ib_xrcd, GFP_KERNEL_ACCOUNT);
	if (!xrcd)
		return ERR_PTR(-ENOMEM);

	init_rwsem(&xrcd->tgt_qps_rwsem);
	xa_init_flags(&xrcd->tgt_qps, XA_FLAGS_ACCOUNT);
	xrcd->inode = inode;
	xrcd->device = device;
	ret = ops->alloc_xrcd(xrcd, udata);
	if (ret) {
		kfree(xrcd);
		return ERR_PTR(ret);
	}
	return xrcd;
}
EXPORT_SYMBOL(ib_alloc_xrcd_user);

/**
 * ib_dealloc_xrcd_user - free an XRC domain
 * @xrcd: the domain; freed on success
 * @udata: of a user, or NULL
 *
 * Context: process, may sleep.
 * Return: 0, -EBUSY (an SRQ or target QP of this domain exists), or the
 * driver's errno: then it lives on.
 */
int ib_dealloc_xrcd_user(struct ib_xrcd *xrcd, struct ib_udata *udata)
{
	int ret;

	if (atomic_read(&xrcd->usecnt))
		return -EBUSY;
	ret = xrcd->device->ops.dealloc_xrcd(xrcd, udata);
	if (ret)
		return ret;
	xa_destroy(&xrcd->tgt_qps);
	kfree(xrcd);
	return 0;
}
EXPORT_SYMBOL(ib_dealloc_xrcd_user);

static bool ofed_port_is_ib(struct ib_device *device, u32 port)
{
	return rdma_port_get_link_layer(device, port) ==
	       IB_LINK_LAYER_INFINIBAND;
}

/*
 * Annex A16 lets RoCE ignore the LID of a multicast group. A QP has its port
 * from Init on; before that, the LID is checked if all ports are InfiniBand.
 */
static bool ofed_mcast_lid_matters(struct ib_qp *qp)
{
	struct ib_qp_init_attr init = {};
	struct ib_qp_attr attr = {};
	u32 port;

	if (!ib_query_qp(qp, &attr, IB_QP_STATE | IB_QP_PORT, &init) &&
	    attr.qp_state != IB_QPS_RESET)
		return ofed_port_is_ib(qp->device, attr.port_num);

	rdma_for_each_port(qp->device, port)
		if (!ofed_port_is_ib(qp->device, port))
			return false;
	return true;
}

static bool ofed_mcast_is_possible(const struct ib_qp *qp, const union ib_gid *gid)
{
	return qp->qp_type == IB_QPT_UD &&
	       rdma_is_multicast_addr((struct in6_addr *)gid);
}

static bool ofed_mcast_is_ok(struct ib_qp *qp, union ib_gid *gid, u16 lid)
{
	if (!ofed_mcast_is_possible(qp, gid))
		return false;
	if (lid >= be16_to_cpu(IB_MULTICAST_LID_BASE) &&
	    lid != be16_to_cpu(IB_LID_PERMISSIVE))
		return true;
	return !ofed_mcast_lid_matters(qp);
}

/**
 * ib_attach_mcast - let a UD QP receive what is sent to a multicast group
 * @qp: the QP; busy until it is detached
 * @gid: of the group
 * @lid: of the group, in host order; ignored by RoCE
 *
 * IBA vol. 1 chapter 11, Attach QP to Multicast Group.
 * Context: process, may sleep.
 * Return: 0, -EOPNOTSUPP (driver has none), -EINVAL (no UD QP, or no multicast
 * address), or the driver's errno.
 */
int ib_attach_mcast(struct ib_qp *qp, union ib_gid *gid, u16 lid)
{
	int ret;

	if (!qp->device->ops.attach_mcast)
		return -EOPNOTSUPP;
	if (!ofed_mcast_is_ok(qp, gid, lid))
		return -EINVAL;

	ret = qp->device->ops.attach_mcast(qp, gid, lid);
	if (!ret)
		atomic_inc(&qp->usecnt);
	return ret;
}
EXPORT_SYMBOL(ib_attach_mcast);

/**
 * ib_detach_mcast - end what ib_attach_mcast() began
 * @qp: the QP
 * @gid: of the group
 * @lid: of the group, in host order; ignored by RoCE
 *
 * IBA vol. 1 chapter 11, Detach QP from Multicast Group. The LID is not checked
 * again: the QP may have another port by now, where the LID would be wrong.
 * Context: process, may sleep.
 * Return: 0, -EOPNOTSUPP (driver has none), -EINVAL (no UD QP, or no multicast
 * address), or the driver's errno.
 */
int ib_detach_mcast(struct ib_qp *qp, union ib_gid *gid, u16 lid)
{
	const struct ib_device_ops *ops = &qp->device->ops;
	int ret;

	if (!ops->detach_mcast)
		return -EOPNOTSUPP;
	if (!ofed_mcast_is_possible(qp, gid))
		return -EINVAL;

	ret = ops->detach_mcast(qp, gid, lid);
	if (!ret)
		atomic_dec(&qp->usecnt);
	return ret;
}
EXPORT_SYMBOL(ib_detach_mcast);

/**
 * ofed_end_mcast - detach a QP that is about to be destroyed
 * @qp: the QP; not busy with this group any more, whatever the driver says
 * @gid: of the group
 * @lid: as it was attached with
 *
 * A driver may know a group by its GID alone, and has left it before then.
 */
void ofed_end_mcast(struct ib_qp *qp, union ib_gid *gid, u16 lid)
{
	int ret = ib_detach_mcast(qp, gid, lid);

	if (!ret)
		return;
	ibdev_dbg(qp->device, "QP %u stays in group %pI6: %d\n", qp->qp_num,
		  gid->raw, ret);
	atomic_dec(&qp->usecnt);
}
EXPORT_SYMBOL_GPL(ofed_end_mcast);
