// SPDX-License-Identifier: GPL-2.0
/* The verbs that every software device has from here. */
#include <linux/export.h>

#include "cq.h"
#include "dev.h"
#include "mr.h"
#include "mw.h"
#include "ring.h"

const struct ib_device_ops soft_dev_ops = {
	.mmap = soft_mmap,
	.mmap_free = soft_mmap_free,

	.alloc_pd = soft_alloc_pd,
	.dealloc_pd = soft_dealloc_pd,

	.get_dma_mr = soft_get_dma_mr,
	.reg_user_mr = soft_reg_user_mr,
	.rereg_user_mr = soft_rereg_user_mr,
	.alloc_mr = soft_alloc_mr,
	.map_mr_sg = soft_map_mr_sg,
	.dereg_mr = soft_dereg_mr,

	.create_cq = soft_create_cq,
	.modify_cq = soft_modify_cq,
	.resize_cq = soft_resize_cq,
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
