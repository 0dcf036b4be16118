// SPDX-License-Identifier: GPL-2.0
/* The verbs that every software device has from here. */
#include <linux/export.h>

#include "cq.h"
#include "dev.h"
#include "dm.h"
#include "ident.h"
#include "mr.h"
#include "mw.h"
#include "null.h"
#include "ring.h"

const struct ib_device_ops soft_dev_ops = {
	.mmap = soft_mmap,
	.mmap_free = soft_mmap_free,

	.alloc_pd = soft_alloc_pd,
	.dealloc_pd = soft_dealloc_pd,

	.get_dma_mr = soft_get_dma_mr,
	.reg_user_mr = soft_reg_user_mr,
	.reg_user_mr_dmabuf = soft_reg_user_mr_dmabuf,
	.rereg_user_mr = soft_rereg_user_mr,
	.alloc_mr = soft_alloc_mr,
	.map_mr_sg = soft_map_mr_sg,
	.dereg_mr = soft_dereg_mr,

	.create_cq = soft_create_cq,
	COMPAT_CREATE_USER_CQ(soft_create_cq)
	.resize_user_cq = soft_resize_cq,
	.pre_destroy_cq = soft_pre_destroy_cq,
	.destroy_cq = soft_destroy_cq,
	.poll_cq = soft_poll_cq,
	.peek_cq = soft_peek_cq,
	.req_notify_cq = soft_req_notify_cq,

	INIT_RDMA_OBJ_SIZE(ib_pd, soft_pd, pd),
	INIT_RDMA_OBJ_SIZE(ib_cq, soft_cq, cq),
};
EXPORT_SYMBOL_GPL(soft_dev_ops);

const struct ib_device_ops soft_mw_ops = {
	.alloc_mw = soft_alloc_mw,
	.dealloc_mw = soft_dealloc_mw,

	INIT_RDMA_OBJ_SIZE(ib_mw, soft_mw, mw),
};

const struct uapi_definition soft_uapi_defs[] = {
	UAPI_DEF_CHAIN(soft_dm_defs),
	UAPI_DEF_CHAIN(soft_null_defs),
	{}
};
EXPORT_SYMBOL_GPL(soft_uapi_defs);

/**
 * soft_query_device - what every software device says of itself
 * @ib: the device
 * @attr: set whole; the driver adds its queues and its own capabilities
 * @udata: of the caller in user space, or NULL
 *
 * Context: any.
 * Return: 0; -EINVAL, as no software device has driver-private input or output here.
 */
int soft_query_device(struct ib_device *ib, struct ib_device_attr *attr,
		      const struct ib_udata *udata)
{
	if (udata && (udata->inlen || udata->outlen))
		return -EINVAL;
	memset(attr, 0, sizeof(*attr));
	/* No program takes this vendor ID for that of hardware. */
	attr->vendor_id = 0xffffff;
	attr->hw_ver = 1;
	attr->fw_ver = soft_fw_ver();
	attr->sys_image_guid = ib->node_guid;
	attr->device_cap_flags = IB_DEVICE_MEM_MGT_EXTENSIONS;
	attr->kernel_cap_flags = IBK_ALLOW_USER_UNREG;
	attr->page_size_cap = PAGE_MASK & U32_MAX;
	attr->max_mr_size = U64_MAX;
	soft_limits_announce(to_soft_dev(ib), attr);
	return 0;
}
EXPORT_SYMBOL_GPL(soft_query_device);
