/* SPDX-License-Identifier: GPL-2.0 */
/* Ops of drivers, as the core calls them. Drop what is said when 7.x is the oldest kernel. */
#ifndef OFED_COMPAT_OPS_H
#define OFED_COMPAT_OPS_H

/*
 * ib_device_ops.create_cq takes the attribute bundle since 6.9, and took the
 * driver's udata before, and so does reg_user_mr_dmabuf. Since 7.x a driver may
 * have another op for the CQs of programs.
 */
#ifdef COMPAT_HAVE_CREATE_CQ_ATTRS
#define compat_op_bundle(bundle) (bundle)
#else
#define compat_op_bundle(bundle) ((bundle) ? &(bundle)->driver_udata : NULL)
#endif
#ifdef COMPAT_HAVE_CREATE_USER_CQ
#define compat_create_cq(cq, attr, bundle) \
	((bundle) && (cq)->device->ops.create_user_cq ? \
	 (cq)->device->ops.create_user_cq((cq), (attr), (bundle)) : \
	 (cq)->device->ops.create_cq((cq), (attr), (bundle)))
#else
#define compat_create_cq(cq, attr, bundle) \
	((cq)->device->ops.create_cq((cq), (attr), compat_op_bundle(bundle)))
#endif

/* Since 7.x a region may have a DMA handle, which goes to the driver. */
#ifdef COMPAT_HAVE_DMAH
#define compat_reg_user_mr(pd, start, len, iova, access, dmah, udata) \
	((pd)->device->ops.reg_user_mr((pd), (start), (len), (iova), (access), (dmah), (udata)))
#define compat_reg_user_mr_dmabuf(pd, offset, len, iova, fd, access, dmah, bundle) \
	((pd)->device->ops.reg_user_mr_dmabuf((pd), (offset), (len), (iova), (fd), (access), \
					      (dmah), (bundle)))
#else
#define compat_reg_user_mr(pd, start, len, iova, access, dmah, udata) \
	((void)(dmah), \
	 (pd)->device->ops.reg_user_mr((pd), (start), (len), (iova), (access), (udata)))
#define compat_reg_user_mr_dmabuf(pd, offset, len, iova, fd, access, dmah, bundle) \
	((void)(dmah), \
	 (pd)->device->ops.reg_user_mr_dmabuf((pd), (offset), (len), (iova), (fd), (access), \
					      compat_op_bundle(bundle)))
#endif

/* Since 7.x a driver says that it checks the lengths of all that programs give it. */
#ifdef COMPAT_HAVE_ROBUST_UDATA
#define compat_robust_udata_set(device, from) \
	((device)->ops.uverbs_robust_udata |= (from)->uverbs_robust_udata)
#define compat_robust_udata(device) ((device)->ops.uverbs_robust_udata)
#else
#define compat_robust_udata_set(device, from) do { } while (0)
#define compat_robust_udata(device) ((void)(device), false)
#endif

#endif /* OFED_COMPAT_OPS_H */
