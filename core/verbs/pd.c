// SPDX-License-Identifier: GPL-2.0
/* Protection domains (IBA vol. 1 section 10.2.3). */
#include <ofed/refuse.h>
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
		return ERR_PTR(ofed_refuse_op(device, "alloc_pd"));
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
		return ofed_refuse_op(pd->device, "get_dma_mr");
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
			device->name);
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
OFED_EXPORT(__ib_alloc_pd);

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
		return ofed_refuse_busy(pd->device, "PD", &pd->usecnt);

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
OFED_EXPORT(ib_dealloc_pd_user);
