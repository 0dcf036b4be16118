// SPDX-License-Identifier: GPL-2.0
/*
 * RDMA READ and WRITE for kernel consumers (<rdma/rw.h>): from a scatter list
 * to a chain of work requests, in whichever of four ways the device wants it.
 *
 * Single and several: the memory is named by the local DMA key, in one or in
 * many work requests. Registered: each part of the list becomes a region first.
 * iWARP has to, since the sink of a READ needs a key that the wire may see, and
 * the key goes to the peer: it is invalidated with the READ. So do devices that
 * are slow at READs with many elements. Signature: a region with a checksum.
 *
 * Regions come from pools of the QP, so that contexts are made without
 * sleeping. A region that was used keeps its registration until it is used
 * again: mr->need_inval says that an invalidation goes first.
 *
 * A context belongs to its caller, which uses it from one thread at a time.
 */
#include <linux/overflow.h>
#include <linux/slab.h>
#include <ofed/refuse.h>
#include <rdma/ib_verbs.h>
#include <rdma/mr_pool.h>
#include <rdma/rw.h>

#include "rw.h"
#include "rw_plan.h"

/* Does the memory, of @cnt elements, have to become regions? */
bool ofed_rw_must_register(const struct ofed_rw_args *args, u32 cnt)
{
	struct ib_device *device = args->qp->device;
	const u32 limit = device->attrs.max_sgl_rd;

	if (ofed_rw_force_mr)
		return true;
	if (args->dir != DMA_FROM_DEVICE)
		return false;
	return rdma_protocol_iwarp(device, args->port) ||
	       (limit && cnt > limit);
}

static void rw_fill_transfer(const struct ofed_rw_args *args, struct ib_rdma_wr *wr,
			     struct ib_sge *sges, u32 num_sge)
{
	wr->wr.opcode = args->dir == DMA_TO_DEVICE ? IB_WR_RDMA_WRITE :
						     IB_WR_RDMA_READ;
	wr->wr.sg_list = sges;
	wr->wr.num_sge = num_sge;
	wr->remote_addr = args->remote_addr;
	wr->rkey = args->rkey;
}

static void rw_fill_sge(const struct ofed_rw_args *args, struct ib_sge *sge)
{
	const struct ofed_rw_list *list = &args->list;

	sge->lkey = args->qp->pd->local_dma_lkey;
	sge->addr = sg_dma_address(list->sg) + list->skip;
	sge->length = sg_dma_len(list->sg) - list->skip;
}

/* A context of one work request. Return: the element of it, to be filled. */
struct ib_sge *ofed_rw_begin_single(struct rdma_rw_ctx *ctx, const struct ofed_rw_args *args)
{
	ctx->type = WAY_SINGLE;
	ctx->nr_ops = 1;
	memset(&ctx->single, 0, sizeof(ctx->single));
	rw_fill_transfer(args, &ctx->single.wr, &ctx->single.sge, 1);
	return &ctx->single.sge;
}

static int rw_init_single(struct rdma_rw_ctx *ctx, struct ofed_rw_args *args)
{
	rw_fill_sge(args, ofed_rw_begin_single(ctx, args));
	return 1;
}

static u32 rw_sges_per_wr(const struct ofed_rw_args *args)
{
	const u32 room = args->dir == DMA_TO_DEVICE ?
			 args->qp->max_write_sge : args->qp->max_read_sge;

	return max(room, 1U);
}

/* A context of several work requests. Return: its @cnt elements, to be filled; or NULL. */
struct ib_sge *ofed_rw_begin_several(struct rdma_rw_ctx *ctx, const struct ofed_rw_args *args,
				     u32 cnt)
{
	ctx->type = WAY_SEVERAL;
	ctx->nr_ops = DIV_ROUND_UP(cnt, rw_sges_per_wr(args));
	ctx->map.sges = kcalloc(cnt, sizeof(*ctx->map.sges), GFP_KERNEL);
	if (!ctx->map.sges)
		return NULL;
	ctx->map.wrs = kcalloc(ctx->nr_ops, sizeof(*ctx->map.wrs), GFP_KERNEL);
	if (!ctx->map.wrs) {
		kfree(ctx->map.sges);
		return NULL;
	}
	return ctx->map.sges;
}

/* Frees what ofed_rw_begin_several() has allocated. */
void ofed_rw_free_several(struct rdma_rw_ctx *ctx)
{
	kfree(ctx->map.wrs);
	kfree(ctx->map.sges);
}

/* The work requests, when the @cnt elements are filled. Return: their number. */
int ofed_rw_link_several(struct rdma_rw_ctx *ctx, struct ofed_rw_args *args, u32 cnt)
{
	struct ib_sge *sge = ctx->map.sges, *end = sge + cnt;
	struct ib_rdma_wr *wr = ctx->map.wrs;

	for (; sge < end; wr++) {
		rw_fill_transfer(args, wr, sge, min_t(u32, end - sge, rw_sges_per_wr(args)));
		wr->wr.next = sge + wr->wr.num_sge < end ? &wr[1].wr : NULL;
		for (cnt = wr->wr.num_sge; cnt; cnt--)
			args->remote_addr += sge++->length;
	}
	return ctx->nr_ops;
}

static int rw_init_several(struct rdma_rw_ctx *ctx, struct ofed_rw_args *args)
{
	const u32 cnt = args->list.cnt;
	struct ib_sge *sge = ofed_rw_begin_several(ctx, args, cnt);

	if (!sge)
		return -ENOMEM;
	while (args->list.cnt) {
		rw_fill_sge(args, sge++);
		ofed_rw_step(&args->list, 1);
	}
	return ofed_rw_link_several(ctx, args, cnt);
}

/*
 * As the region was when the context was made: to ask for the work requests renews
 * its key, and is done once more when the send queue was full.
 */
static struct ib_send_wr *rw_first_of(struct rdma_rw_reg_ctx *reg)
{
	return reg->inv_wr.next ? &reg->inv_wr : &reg->reg_wr.wr;
}

/* The chain of one region: [invalidate], register, transfer. Its length. */
static int rw_link_region(const struct ofed_rw_args *args, struct rdma_rw_reg_ctx *reg,
			  enum ib_wr_opcode opcode, int access)
{
	struct ib_mr *mr = reg->mr;

	reg->inv_wr.opcode = IB_WR_LOCAL_INV;
	reg->inv_wr.ex.invalidate_rkey = mr->lkey;
	reg->inv_wr.next = mr->need_inval ? &reg->reg_wr.wr : NULL;
	reg->reg_wr.wr.opcode = opcode;
	reg->reg_wr.wr.next = &reg->wr.wr;
	reg->reg_wr.mr = mr;
	reg->reg_wr.access = access;
	reg->sge.addr = mr->iova;
	reg->sge.length = mr->length;
	rw_fill_transfer(args, &reg->wr, &reg->sge, 1);
	return ofed_rw_wrs_per_ctx(true) - !mr->need_inval;
}

static int rw_init_region(struct rdma_rw_reg_ctx *reg, struct ofed_rw_args *args,
			  u32 pages)
{
	struct ib_qp *qp = args->qp;
	const u32 cnt = ofed_rw_region_elements(&args->list, pages);
	const bool iwarp = rdma_protocol_iwarp(qp->device, args->port);
	int access = IB_ACCESS_LOCAL_WRITE;
	int mapped, wrs;

	reg->mr = ib_mr_pool_get(qp, &qp->rdma_mrs);
	if (!reg->mr)
		return -EAGAIN;
	mapped = ib_map_mr_sg(reg->mr, args->list.sg, cnt, &args->list.skip,
			      PAGE_SIZE);
	if (mapped < 0 || mapped < cnt) {
		ib_mr_pool_put(qp, &qp->rdma_mrs, reg->mr);
		return ofed_refuse(qp->device, -EINVAL,
				   "%d of %u elements fit into a region",
				   mapped, cnt);
	}
	/* RFC 5040 5.1: the peer of a READ writes to its sink. */
	if (iwarp)
		access |= IB_ACCESS_REMOTE_WRITE;
	wrs = rw_link_region(args, reg, IB_WR_REG_MR, access);
	if (args->dir == DMA_FROM_DEVICE &&
	    rdma_cap_read_inv(qp->device, args->port))
		reg->wr.wr.opcode = IB_WR_RDMA_READ_WITH_INV;
	args->remote_addr += reg->mr->length;
	ofed_rw_step(&args->list, cnt);
	return wrs;
}

/* Puts the regions of a context back. */
void ofed_rw_free_regions(struct rdma_rw_ctx *ctx, struct ib_qp *qp,
			  struct list_head *pool)
{
	while (ctx->nr_ops)
		ib_mr_pool_put(qp, pool, ctx->reg[--ctx->nr_ops].mr);
	kfree(ctx->reg);
}

/* A context of regions, each of a part of the mapped args->list. Return: as rdma_rw_ctx_init(). */
int ofed_rw_init_registered(struct rdma_rw_ctx *ctx, struct ofed_rw_args *args)
{
	struct ib_qp *qp = args->qp;
	const u32 pages = ofed_rw_region_pages(qp->pd->device, qp->integrity_en);
	const u32 regions = ofed_rw_regions(&args->list, pages);
	struct rdma_rw_reg_ctx *reg;
	int ret, wrs = 0;

	ctx->type = WAY_REGISTERED;
	ctx->nr_ops = 0;
	ctx->reg = kcalloc(regions, sizeof(*reg), GFP_KERNEL);
	if (!ctx->reg)
		return -ENOMEM;
	for (reg = ctx->reg; ctx->nr_ops < regions; reg++) {
		ret = rw_init_region(reg, args, pages);
		if (ret < 0) {
			ofed_rw_free_regions(ctx, qp, &qp->rdma_mrs);
			return ret;
		}
		if (ctx->nr_ops++)
			reg[-1].wr.wr.next = rw_first_of(reg);
		wrs += ret;
	}
	return wrs;
}

static int rw_map_sg(struct ib_qp *qp, struct scatterlist *sg, u32 cnt,
		     enum dma_data_direction dir, struct ofed_rw_list *list)
{
	/* Peer-to-peer pages are the DMA layer's business. */
	struct sg_table table = { .sgl = sg, .orig_nents = cnt };
	int ret;

	ret = ib_dma_map_sgtable_attrs(qp->pd->device, &table, dir, 0);
	if (ret)
		return ret;
	list->sg = sg;
	list->cnt = table.nents;
	return 0;
}

static void rw_unmap_sg(struct ib_qp *qp, struct scatterlist *sg, u32 cnt,
			enum dma_data_direction dir)
{
	ib_dma_unmap_sg(qp->pd->device, sg, cnt, dir);
}

/**
 * rdma_rw_ctx_init - make ready for a transfer
 * @ctx: context to fill
 * @qp: QP to transfer on
 * @port_num: its port
 * @sg: local memory; DMA mapped by this
 * @sg_cnt: number of its elements
 * @sg_offset: bytes of it to leave out
 * @remote_addr: address of the peer's memory, as the peer told it
 * @rkey: the peer's key for that memory
 * @dir: DMA_TO_DEVICE for a WRITE, DMA_FROM_DEVICE for a READ
 *
 * Context: process, may sleep.
 * Return: number of work requests that posting takes, to be kept free in the
 * send queue; -EIO (nothing behind @sg_offset), -ENOMEM, -EAGAIN (no region is
 * left in the QP's pool: fewer contexts at a time, or a larger
 * cap.max_rdma_ctxs), -EINVAL (a region does not take the memory), or an errno
 * of the DMA layer.
 */
int rdma_rw_ctx_init(struct rdma_rw_ctx *ctx, struct ib_qp *qp, u32 port_num,
		     struct scatterlist *sg, u32 sg_cnt, u32 sg_offset,
		     u64 remote_addr, u32 rkey, enum dma_data_direction dir)
{
	struct ofed_rw_args args = {
		.qp = qp,
		.port = port_num,
		.dir = dir,
		.remote_addr = remote_addr,
		.rkey = rkey,
		.list.skip = sg_offset,
	};
	int ret;

	ret = rw_map_sg(qp, sg, sg_cnt, dir, &args.list);
	if (ret)
		return ret;
	ret = ofed_rw_seek(&args.list);
	if (ret)
		goto err_unmap;
	if (ofed_rw_must_register(&args, args.list.cnt))
		ret = ofed_rw_init_registered(ctx, &args);
	else if (args.list.cnt > 1)
		ret = rw_init_several(ctx, &args);
	else
		ret = rw_init_single(ctx, &args);
	if (ret < 0)
		goto err_unmap;
	return ret;

err_unmap:
	rw_unmap_sg(qp, sg, sg_cnt, dir);
	return ret;
}
OFED_EXPORT(rdma_rw_ctx_init);

/**
 * rdma_rw_ctx_destroy - end a transfer
 * @ctx: from rdma_rw_ctx_init(), with the arguments as given there; its last
 *	 work request has completed, or none was posted
 * @qp: QP
 * @port_num: port
 * @sg: local memory
 * @sg_cnt: number of its elements
 * @dir: direction
 *
 * Context: any where the DMA layer can unmap.
 */
void rdma_rw_ctx_destroy(struct rdma_rw_ctx *ctx, struct ib_qp *qp,
			 u32 port_num, struct scatterlist *sg, u32 sg_cnt,
			 enum dma_data_direction dir)
{
	if (ctx->type == WAY_REGISTERED)
		ofed_rw_free_regions(ctx, qp, &qp->rdma_mrs);
	else if (ctx->type == WAY_SEVERAL)
		ofed_rw_free_several(ctx);
	else if (WARN_ON_ONCE(ctx->type != WAY_SINGLE))
		return;
	rw_unmap_sg(qp, sg, sg_cnt, dir);
}
OFED_EXPORT(rdma_rw_ctx_destroy);

static int rw_init_signature(struct rdma_rw_ctx *ctx, struct ofed_rw_args *args,
			     const struct ofed_rw_list *prot,
			     const struct ib_sig_attrs *sig_attrs)
{
	const int access = IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE;
	struct ib_qp *qp = args->qp;
	struct rdma_rw_reg_ctx *reg;
	int ret;

	ctx->type = WAY_SIGNATURE;
	ctx->nr_ops = 0;
	reg = kzalloc(sizeof(*reg), GFP_KERNEL);
	if (!reg)
		return -ENOMEM;
	ctx->reg = reg;
	reg->mr = ib_mr_pool_get(qp, &qp->sig_mrs);
	if (!reg->mr) {
		ret = -EAGAIN;
		goto err_free;
	}
	ctx->nr_ops = 1;
	*reg->mr->sig_attrs = *sig_attrs;
	ret = ib_map_mr_sg_pi(reg->mr, args->list.sg, args->list.cnt, NULL,
			      prot->sg, prot->cnt, NULL, SZ_4K);
	if (ret)
		goto err_free;
	ret = rw_link_region(args, reg, IB_WR_REG_MR_INTEGRITY, access);
	/* Then the protection information does not go over the wire. */
	if (sig_attrs->wire.sig_type == IB_SIG_TYPE_NONE)
		reg->sge.length -= reg->mr->sig_attrs->meta_length;
	return ret;

err_free:
	ofed_rw_free_regions(ctx, qp, &qp->sig_mrs);
	return ret < 0 ? ret : -EINVAL;
}

/**
 * rdma_rw_ctx_signature_init - make ready for a transfer with a signature
 * @ctx: context to fill
 * @qp: QP to transfer on, created with IB_QP_CREATE_INTEGRITY_EN
 * @port_num: its port
 * @sg: local memory; DMA mapped by this
 * @sg_cnt: number of its elements
 * @prot_sg: its protection information; DMA mapped by this
 * @prot_sg_cnt: number of elements, or 0
 * @sig_attrs: what to check, make and strip
 * @remote_addr: the peer's memory
 * @rkey: the peer's key for that memory
 * @dir: DMA_TO_DEVICE for a WRITE, DMA_FROM_DEVICE for a READ
 *
 * Context: process, may sleep.
 * Return: number of work requests that posting takes; -EINVAL (more elements
 * than a region has pages), -ENOMEM, -EAGAIN (no region left), or an errno of
 * the DMA layer or of the driver.
 */
int rdma_rw_ctx_signature_init(struct rdma_rw_ctx *ctx, struct ib_qp *qp,
			       u32 port_num, struct scatterlist *sg, u32 sg_cnt,
			       struct scatterlist *prot_sg, u32 prot_sg_cnt,
			       struct ib_sig_attrs *sig_attrs, u64 remote_addr,
			       u32 rkey, enum dma_data_direction dir)
{
	const u32 room = ofed_rw_region_pages(qp->pd->device, qp->integrity_en);
	struct ofed_rw_list prot = {};
	struct ofed_rw_args args = {
		.rkey = rkey,
		.remote_addr = remote_addr,
		.dir = dir,
		.port = port_num,
		.qp = qp,
	};
	int ret;

	if (sg_cnt > room || prot_sg_cnt > room)
		return ofed_refuse(qp->device, -EINVAL,
				   "%u and %u elements, at most %u", sg_cnt,
				   prot_sg_cnt, room);
	ret = rw_map_sg(qp, sg, sg_cnt, dir, &args.list);
	if (ret)
		return ret;
	if (prot_sg_cnt) {
		ret = rw_map_sg(qp, prot_sg, prot_sg_cnt, dir, &prot);
		if (ret)
			goto err_unmap;
	}
	ret = rw_init_signature(ctx, &args, &prot, sig_attrs);
	if (ret < 0)
		goto err_unmap_prot;
	return ret;

err_unmap_prot:
	if (prot_sg_cnt)
		rw_unmap_sg(qp, prot_sg, prot_sg_cnt, dir);
err_unmap:
	rw_unmap_sg(qp, sg, sg_cnt, dir);
	return ret;
}
OFED_EXPORT(rdma_rw_ctx_signature_init);

/**
 * rdma_rw_ctx_destroy_signature - end a transfer with a signature
 * @ctx: from rdma_rw_ctx_signature_init(), with the arguments as given there
 * @qp: QP
 * @port_num: port
 * @sg: local memory
 * @sg_cnt: number of its elements
 * @prot_sg: protection information
 * @prot_sg_cnt: number of its elements
 * @dir: direction
 *
 * Context: as rdma_rw_ctx_destroy().
 */
void rdma_rw_ctx_destroy_signature(struct rdma_rw_ctx *ctx, struct ib_qp *qp,
				   u32 port_num, struct scatterlist *sg,
				   u32 sg_cnt, struct scatterlist *prot_sg,
				   u32 prot_sg_cnt, enum dma_data_direction dir)
{
	if (WARN_ON_ONCE(ctx->type != WAY_SIGNATURE))
		return;
	ofed_rw_free_regions(ctx, qp, &qp->sig_mrs);
	if (prot_sg_cnt)
		rw_unmap_sg(qp, prot_sg, prot_sg_cnt, dir);
	rw_unmap_sg(qp, sg, sg_cnt, dir);
}
OFED_EXPORT(rdma_rw_ctx_destroy_signature);

/*
 * A registration that is posted gets a key that no peer has seen. What READ
 * WITH INVALIDATE has ended needs no invalidation the next time.
 */
static void rw_renew_key(struct rdma_rw_reg_ctx *reg)
{
	struct ib_mr *mr = reg->mr;

	ib_update_fast_reg_key(mr, ib_inc_rkey(mr->lkey));
	reg->reg_wr.key = mr->lkey;
	reg->sge.lkey = mr->lkey;
	mr->need_inval = reg->wr.wr.opcode != IB_WR_RDMA_READ_WITH_INV;
	if (!mr->need_inval)
		reg->wr.wr.ex.invalidate_rkey = mr->lkey;
}

static struct ib_send_wr *rw_region_chain(struct rdma_rw_ctx *ctx,
					  struct ib_send_wr **last)
{
	struct ib_send_wr *first = rw_first_of(ctx->reg);
	u32 i;

	for (i = 0; i < ctx->nr_ops; i++)
		rw_renew_key(&ctx->reg[i]);
	*last = &ctx->reg[ctx->nr_ops - 1].wr.wr;
	return first;
}

/**
 * rdma_rw_ctx_wrs - the work requests of a context
 * @ctx: a context that is ready; each can be used once
 * @qp: QP
 * @port_num: port
 * @cqe: called when the transfer is done, unless there is a @chain_wr
 * @chain_wr: work request to go behind the last one, or NULL
 *
 * Context: any.
 * Return: a chain for ib_post_send(). It must be posted: keys have been taken.
 */
struct ib_send_wr *rdma_rw_ctx_wrs(struct rdma_rw_ctx *ctx, struct ib_qp *qp,
				   u32 port_num, struct ib_cqe *cqe,
				   struct ib_send_wr *chain_wr)
{
	struct ib_send_wr *first, *last;

	if (ctx->type == WAY_SINGLE) {
		first = &ctx->single.wr.wr;
		last = first;
	} else if (ctx->type == WAY_SEVERAL) {
		first = &ctx->map.wrs[0].wr;
		last = &ctx->map.wrs[ctx->nr_ops - 1].wr;
	} else {
		first = rw_region_chain(ctx, &last);
	}

	last->next = chain_wr;
	if (!chain_wr) {
		last->send_flags |= IB_SEND_SIGNALED;
		last->wr_cqe = cqe;
	}
	return first;
}
OFED_EXPORT(rdma_rw_ctx_wrs);

/**
 * rdma_rw_ctx_post - post the work requests of a context
 * @ctx: a context that is ready
 * @qp: QP
 * @port_num: port
 * @cqe: called when the transfer is done, unless there is a @chain_wr
 * @chain_wr: work request to go behind the last one, or NULL
 *
 * Context: any. Return: as ib_post_send().
 */
int rdma_rw_ctx_post(struct rdma_rw_ctx *ctx, struct ib_qp *qp, u32 port_num,
		     struct ib_cqe *cqe, struct ib_send_wr *chain_wr)
{
	return ib_post_send(qp,
			    rdma_rw_ctx_wrs(ctx, qp, port_num, cqe, chain_wr),
			    NULL);
}
OFED_EXPORT(rdma_rw_ctx_post);
