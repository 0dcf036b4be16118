// SPDX-License-Identifier: GPL-2.0
/* Memory windows (IBA vol. 1 section 10.6). */
#include <ofed/refuse.h>
#include <ofed/restrack.h>
#include <ofed/verbs.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_verbs.h>

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
		return ERR_PTR(ofed_refuse_op(pd->device, "alloc_mw"));
	if (type != IB_MW_TYPE_1 && type != IB_MW_TYPE_2)
		return ofed_refuse(pd->device, ERR_PTR(-EINVAL),
				   "type: there is no window of type %u", type);
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
