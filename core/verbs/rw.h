/* SPDX-License-Identifier: GPL-2.0 */
/* What the parts of the R/W API share: its transfers (rw.c, rw_bvec.c), its QPs (rw_qp.c). */
#ifndef OFED_CORE_RW_H
#define OFED_CORE_RW_H

#include <rdma/ib_verbs.h>
#include <rdma/rw.h>

#include "rw_plan.h"

/* rdma_rw_ctx.type; the comments name the member of its union. */
enum ofed_rw_way {
	WAY_SINGLE,	/* single */
	WAY_SEVERAL,	/* map */
	WAY_REGISTERED,	/* reg[nr_ops] */
	WAY_SIGNATURE,	/* reg[1] */
};

/* The parameters of a context; all but @list are the caller's arguments. */
struct ofed_rw_args {
	struct ib_qp *qp;
	u32 port;
	enum dma_data_direction dir;
	u64 remote_addr;
	u32 rkey;
	struct ofed_rw_list list;
};

/* Module parameter: registered memory for every transfer. */
extern bool ofed_rw_force_mr;

bool ofed_rw_must_register(const struct ofed_rw_args *args, u32 cnt);
struct ib_sge *ofed_rw_begin_single(struct rdma_rw_ctx *ctx, const struct ofed_rw_args *args);
struct ib_sge *ofed_rw_begin_several(struct rdma_rw_ctx *ctx, const struct ofed_rw_args *args,
				     u32 cnt);
int ofed_rw_link_several(struct rdma_rw_ctx *ctx, struct ofed_rw_args *args, u32 cnt);
void ofed_rw_free_several(struct rdma_rw_ctx *ctx);
int ofed_rw_init_registered(struct rdma_rw_ctx *ctx, struct ofed_rw_args *args);
void ofed_rw_free_regions(struct rdma_rw_ctx *ctx, struct ib_qp *qp, struct list_head *pool);

u32 ofed_rw_region_pages(const struct ib_device *device, bool integrity);

#endif /* OFED_CORE_RW_H */
