// SPDX-License-Identifier: GPL-2.0
/* XRC domains (IBA vol. 1 annex A14). */
#include <linux/xarray.h>
#include <ofed/refuse.h>
#include <ofed/restrack.h>
#include <ofed/verbs.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_verbs.h>

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
		return ERR_PTR(ofed_refuse_op(device, "alloc_xrcd"));
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
OFED_EXPORT(ib_alloc_xrcd_user);

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
		return ofed_refuse_busy(xrcd->device, "XRC domain",
					&xrcd->usecnt);
	ret = xrcd->device->ops.dealloc_xrcd(xrcd, udata);
	if (ret)
		return ret;
	xa_destroy(&xrcd->tgt_qps);
	kfree(xrcd);
	return 0;
}
OFED_EXPORT(ib_dealloc_xrcd_user);
