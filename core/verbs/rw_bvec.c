// SPDX-License-Identifier: GPL-2.0
/*
 * RDMA READ and WRITE of memory that bio vectors name, since 7.x. Each part of it is mapped on its
 * own and named by the local DMA key, unless it has to become a region: then a scatter list is made
 * of the parts, and what rw.c does with one.
 *
 * A transfer ends without the position in the vectors: what was mapped is read from the context.
 */
#include <linux/slab.h>
#include <ofed/refuse.h>
#include <rdma/ib_verbs.h>
#include <rdma/rw.h>

#include "rw.h"
#include "rw_plan.h"

/* The arguments that name local memory. */
struct rw_bvecs {
	const struct bio_vec *bvecs;
	u32 nr;
	struct bvec_iter iter;
};

static void rw_unmap_bvecs(const struct ofed_rw_args *args, const struct ib_sge *sges, u32 cnt)
{
	while (cnt--)
		ib_dma_unmap_bvec(args->qp->pd->device, sges[cnt].addr, sges[cnt].length, args->dir);
}

static int rw_map_bvecs(const struct ofed_rw_args *args, struct rw_bvecs *from,
			struct ib_sge *sges, u32 cnt)
{
	struct ib_device *device = args->qp->pd->device;
	struct bio_vec part;
	u32 i;

	for (i = 0; i < cnt && ofed_rw_next_bvec(from->bvecs, from->nr, &from->iter, &part) > 0; i++) {
		sges[i].addr = ib_dma_map_bvec(device, &part, args->dir);
		if (ib_dma_mapping_error(device, sges[i].addr)) {
			rw_unmap_bvecs(args, sges, i);
			return ofed_refuse(device, -ENOMEM, "%u bytes cannot be mapped", part.bv_len);
		}
		sges[i].length = part.bv_len;
		sges[i].lkey = args->qp->pd->local_dma_lkey;
	}
	return 0;
}

static int rw_bvec_init_single(struct rdma_rw_ctx *ctx, struct ofed_rw_args *args,
			       struct rw_bvecs *from)
{
	return rw_map_bvecs(args, from, ofed_rw_begin_single(ctx, args), 1) ?: 1;
}

static int rw_bvec_init_several(struct rdma_rw_ctx *ctx, struct ofed_rw_args *args,
				struct rw_bvecs *from, u32 cnt)
{
	struct ib_sge *sges = ofed_rw_begin_several(ctx, args, cnt);
	int ret;

	if (!sges)
		return -ENOMEM;
	ret = rw_map_bvecs(args, from, sges, cnt);
	if (ret) {
		ofed_rw_free_several(ctx);
		return ret;
	}
	return ofed_rw_link_several(ctx, args, cnt);
}

static int rw_bvec_make_table(struct sg_table *table, struct rw_bvecs *from, u32 cnt)
{
	struct scatterlist *sg;
	struct bio_vec part;
	int i, ret;

	ret = sg_alloc_table(table, cnt, GFP_KERNEL);
	if (ret)
		return ret;
	for_each_sgtable_sg(table, sg, i) {
		if (ofed_rw_next_bvec(from->bvecs, from->nr, &from->iter, &part) <= 0)
			break;
		sg_set_page(sg, part.bv_page, part.bv_len, part.bv_offset);
	}
	return 0;
}

/* The table belongs to the first region: there is one. */
static int rw_bvec_init_registered(struct rdma_rw_ctx *ctx, struct ofed_rw_args *args,
				   struct rw_bvecs *from, u32 cnt)
{
	struct ib_device *device = args->qp->pd->device;
	struct sg_table table;
	int ret;

	ret = rw_bvec_make_table(&table, from, cnt);
	if (ret)
		return ret;
	ret = ib_dma_map_sgtable_attrs(device, &table, args->dir, 0);
	if (ret)
		goto err_free;
	args->list.sg = table.sgl;
	args->list.cnt = table.nents;
	ret = ofed_rw_init_registered(ctx, args);
	if (ret < 0)
		goto err_unmap;
	ctx->reg[0].sgt = table;
	return ret;

err_unmap:
	ib_dma_unmap_sgtable_attrs(device, &table, args->dir, 0);
err_free:
	sg_free_table(&table);
	return ret;
}

/**
 * rdma_rw_ctx_init_bvec - make ready for a transfer of memory that bio vectors name
 * @ctx: context to fill
 * @qp: QP to transfer on
 * @port_num: its port
 * @bvecs: local memory, none of it of a peer-to-peer device; DMA mapped by this. The vectors
 *	   themselves are not needed afterwards
 * @nr_bvec: number of them
 * @iter: where in the vectors the transfer begins, and how long it is
 * @remote_addr: address of the peer's memory, as the peer told it
 * @rkey: the peer's key for that memory
 * @dir: DMA_TO_DEVICE for a WRITE, DMA_FROM_DEVICE for a READ
 *
 * Context: process, may sleep.
 *
 * Return: number of work requests that posting takes, to be kept free in the send queue; -EINVAL
 * (no bytes, more than the vectors have, or a region does not take the memory), -ENOMEM (also: it
 * cannot be mapped), -EAGAIN (no region is left in the QP's pool), or an errno of the DMA layer.
 */
int rdma_rw_ctx_init_bvec(struct rdma_rw_ctx *ctx, struct ib_qp *qp, u32 port_num,
			  const struct bio_vec *bvecs, u32 nr_bvec, struct bvec_iter iter,
			  u64 remote_addr, u32 rkey, enum dma_data_direction dir)
{
	struct rw_bvecs from = { .bvecs = bvecs, .nr = nr_bvec, .iter = iter };
	struct ofed_rw_args args = {
		.qp = qp,
		.port = port_num,
		.dir = dir,
		.remote_addr = remote_addr,
		.rkey = rkey,
	};
	int cnt = ofed_rw_count_bvecs(bvecs, nr_bvec, iter);

	if (cnt < 0)
		return ofed_refuse(qp->device, cnt, "%u bytes in %u vectors", iter.bi_size, nr_bvec);
	if (ofed_rw_must_register(&args, cnt))
		return rw_bvec_init_registered(ctx, &args, &from, cnt);
	if (cnt > 1)
		return rw_bvec_init_several(ctx, &args, &from, cnt);
	return rw_bvec_init_single(ctx, &args, &from);
}
OFED_EXPORT(rdma_rw_ctx_init_bvec);

static u32 rw_bvec_sges(const struct rdma_rw_ctx *ctx)
{
	u32 i, cnt = 0;

	for (i = 0; i < ctx->nr_ops; i++)
		cnt += ctx->map.wrs[i].wr.num_sge;
	return cnt;
}

static void rw_bvec_end_registered(struct rdma_rw_ctx *ctx, const struct ofed_rw_args *args)
{
	struct sg_table table = ctx->reg[0].sgt;

	ofed_rw_free_regions(ctx, args->qp, &args->qp->rdma_mrs);
	ib_dma_unmap_sgtable_attrs(args->qp->pd->device, &table, args->dir, 0);
	sg_free_table(&table);
}

/**
 * rdma_rw_ctx_destroy_bvec - end a transfer of memory that bio vectors name
 * @ctx: from rdma_rw_ctx_init_bvec(), with the arguments as given there; its last work request has
 *	 completed, or none was posted
 * @qp: QP
 * @port_num: port
 * @bvecs: local memory
 * @nr_bvec: number of vectors
 * @dir: direction
 *
 * Context: any where the DMA layer can unmap.
 */
void rdma_rw_ctx_destroy_bvec(struct rdma_rw_ctx *ctx, struct ib_qp *qp, u32 port_num,
			      const struct bio_vec *bvecs, u32 nr_bvec,
			      enum dma_data_direction dir)
{
	const struct ofed_rw_args args = { .qp = qp, .port = port_num, .dir = dir };

	switch (ctx->type) {
	case WAY_SINGLE:
		rw_unmap_bvecs(&args, &ctx->single.sge, 1);
		break;
	case WAY_SEVERAL:
		rw_unmap_bvecs(&args, ctx->map.sges, rw_bvec_sges(ctx));
		ofed_rw_free_several(ctx);
		break;
	case WAY_REGISTERED:
		rw_bvec_end_registered(ctx, &args);
		break;
	default:
		WARN_ON_ONCE(true);
	}
}
OFED_EXPORT(rdma_rw_ctx_destroy_bvec);
