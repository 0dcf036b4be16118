// SPDX-License-Identifier: GPL-2.0
/* Work requests of the R/W API, and what it reads from bio vectors. */
#include <kunit/test.h>
#include <linux/module.h>
#include <rdma/ib_verbs.h>
#include <rdma/rw.h>

#include "core/verbs/rw_plan.h"

#define REMOTE 0x10000ULL
#define RKEY 0x4711

/* A device that names memory by kernel addresses, as software devices do. */
static struct ib_qp *new_qp(struct kunit *test)
{
	struct ib_device *device = kunit_kzalloc(test, sizeof(*device), GFP_KERNEL);
	struct ib_port_data *ports = kunit_kzalloc(test, 2 * sizeof(*ports), GFP_KERNEL);
	struct ib_qp *qp = kunit_kzalloc(test, sizeof(*qp), GFP_KERNEL);
	struct ib_pd *pd = kunit_kzalloc(test, sizeof(*pd), GFP_KERNEL);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, device);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, ports);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, qp);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, pd);
	device->port_data = ports;
	device->phys_port_cnt = 1;
	pd->device = device;
	pd->local_dma_lkey = 99;
	qp->device = device;
	qp->pd = pd;
	qp->max_write_sge = 2;
	qp->max_read_sge = 4;
	return qp;
}

static void several_test(struct kunit *test)
{
	struct ib_qp *qp = new_qp(test);
	struct rdma_rw_ctx ctx = {};
	struct scatterlist sg[5];
	struct ib_cqe cqe = {};
	struct ib_send_wr *wr;
	u64 remote = REMOTE + 0;
	int i, j, n = 0;
	u8 *memory = kunit_kzalloc(test, 5 * 512, GFP_KERNEL);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, memory);
	sg_init_table(sg, 5);
	for (i = 0; i < 5; i++)
		sg_set_buf(&sg[i], memory + 512 * i, 100 + i);
	/* The first ten bytes are left out. */
	KUNIT_ASSERT_EQ(test, rdma_rw_ctx_init(&ctx, qp, 1, sg, 5, 10, REMOTE, RKEY,
					       DMA_TO_DEVICE), 3);
	wr = rdma_rw_ctx_wrs(&ctx, qp, 1, &cqe, NULL);
	for (i = 0; wr; wr = wr->next, i++) {
		KUNIT_EXPECT_EQ(test, wr->opcode, IB_WR_RDMA_WRITE);
		KUNIT_EXPECT_EQ(test, wr->num_sge, i < 2 ? 2 : 1);
		KUNIT_EXPECT_EQ(test, rdma_wr(wr)->remote_addr, remote);
		KUNIT_EXPECT_EQ(test, rdma_wr(wr)->rkey, RKEY);
		KUNIT_EXPECT_EQ(test, wr->send_flags, wr->next ? 0 : IB_SEND_SIGNALED);
		for (j = 0; j < wr->num_sge; j++, n++) {
			KUNIT_EXPECT_EQ(test, wr->sg_list[j].lkey, 99);
			KUNIT_EXPECT_EQ(test, wr->sg_list[j].length, n ? 100 + n : 90);
			KUNIT_EXPECT_EQ(test, wr->sg_list[j].addr,
					(uintptr_t)memory + (n ? 512 * n : 10));
			remote += wr->sg_list[j].length;
		}
	}
	KUNIT_EXPECT_EQ(test, i, 3);
	KUNIT_EXPECT_EQ(test, n, 5);
	rdma_rw_ctx_destroy(&ctx, qp, 1, sg, 5, DMA_TO_DEVICE);
}

static void single_test(struct kunit *test)
{
	struct ib_qp *qp = new_qp(test);
	struct rdma_rw_ctx ctx = {};
	struct scatterlist sg;
	struct ib_cqe cqe = {};
	struct ib_send_wr *wr;
	u8 *memory = kunit_kzalloc(test, 64, GFP_KERNEL);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, memory);
	sg_init_one(&sg, memory, 64);
	KUNIT_ASSERT_EQ(test, rdma_rw_ctx_init(&ctx, qp, 1, &sg, 1, 4, REMOTE, RKEY,
					       DMA_FROM_DEVICE), 1);
	wr = rdma_rw_ctx_wrs(&ctx, qp, 1, &cqe, NULL);
	KUNIT_EXPECT_EQ(test, wr->opcode, IB_WR_RDMA_READ);
	KUNIT_EXPECT_EQ(test, wr->num_sge, 1);
	KUNIT_EXPECT_EQ(test, wr->sg_list->length, 60);
	KUNIT_EXPECT_EQ(test, wr->sg_list->addr, (uintptr_t)memory + 4);
	KUNIT_EXPECT_EQ(test, rdma_wr(wr)->remote_addr, REMOTE);
	rdma_rw_ctx_destroy(&ctx, qp, 1, &sg, 1, DMA_FROM_DEVICE);
}

/* A region of one page list, for what is in the list. */
static int map_all(struct ib_mr *mr, struct scatterlist *sg, int nents,
		   unsigned int *skip)
{
	mr->iova = sg_dma_address(sg);
	mr->length = sg_dma_len(sg) * nents;
	return nents;
}

/* The work requests of @ctx, as a number: one digit for each. */
static int kinds_of(struct rdma_rw_ctx *ctx, struct ib_qp *qp, u32 old_key)
{
	struct ib_cqe cqe = {};
	struct ib_send_wr *wr;
	int kinds = 0;

	for (wr = rdma_rw_ctx_wrs(ctx, qp, 1, &cqe, NULL); wr; wr = wr->next)
		if (wr->opcode == IB_WR_LOCAL_INV)
			kinds = kinds * 10 + (wr->ex.invalidate_rkey == old_key ? 1 : 9);
		else
			kinds = kinds * 10 + (wr->opcode == IB_WR_REG_MR ? 2 : 3);
	return kinds;
}

/* A consumer whose send queue was full asks for the work requests once more. */
static void region_again_test(struct kunit *test)
{
	struct ib_qp *qp = new_qp(test);
	struct rdma_rw_ctx ctx = {};
	struct ib_mr mr = { .device = qp->device, .lkey = 0x100, .rkey = 0x100 };
	struct scatterlist sg[2];
	u8 *memory = kunit_kzalloc(test, 2 * 512, GFP_KERNEL);
	u32 key;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, memory);
	qp->device->attrs.max_sgl_rd = 1;
	qp->device->attrs.max_fast_reg_page_list_len = 16;
	qp->device->ops.map_mr_sg = map_all;
	spin_lock_init(&qp->mr_lock);
	INIT_LIST_HEAD(&qp->rdma_mrs);
	list_add(&mr.qp_entry, &qp->rdma_mrs);
	sg_init_table(sg, 2);
	sg_set_buf(&sg[0], memory, 512);
	sg_set_buf(&sg[1], memory + 512, 512);

	KUNIT_ASSERT_EQ(test, rdma_rw_ctx_init(&ctx, qp, 1, sg, 2, 0, REMOTE, RKEY,
					       DMA_FROM_DEVICE), 2);
	KUNIT_EXPECT_EQ(test, kinds_of(&ctx, qp, 0), 23);
	KUNIT_EXPECT_EQ(test, kinds_of(&ctx, qp, 0), 23);
	rdma_rw_ctx_destroy(&ctx, qp, 1, sg, 2, DMA_FROM_DEVICE);

	/* It is registered now. */
	key = mr.lkey;
	KUNIT_ASSERT_EQ(test, rdma_rw_ctx_init(&ctx, qp, 1, sg, 2, 0, REMOTE, RKEY,
					       DMA_FROM_DEVICE), 3);
	KUNIT_EXPECT_EQ(test, kinds_of(&ctx, qp, key), 123);
	KUNIT_EXPECT_EQ(test, kinds_of(&ctx, qp, key), 123);
	rdma_rw_ctx_destroy(&ctx, qp, 1, sg, 2, DMA_FROM_DEVICE);
}

struct bvec_case {
	const char *name;
	u32 skip;		/* bytes from the first on */
	u32 bytes;
	u32 nr;
	int parts;		/* or an errno */
	u32 lens[4];
	u32 first_offset;
};

/* Of these: 100 bytes at 50; none; two pages at 10; 300 bytes at 0. */
static const u32 bvec_lens[] = { 100, 0, 2 * PAGE_SIZE, 300 };
static const u32 bvec_offsets[] = { 50, 0, 10, 0 };

static const struct bvec_case bvec_cases[] = {
	{ "all", 0, 400 + 2 * PAGE_SIZE, 4, 3, { 100, 2 * PAGE_SIZE, 300 }, 50 },
	{ "one", 0, 100, 4, 1, { 100 }, 50 },
	{ "a part of one", 20, 30, 4, 1, { 30 }, 70 },
	{ "to the middle", 0, 150, 4, 2, { 100, 50 }, 50 },
	{ "over a page", 100 + PAGE_SIZE - 100, 200, 4, 1, { 200 }, PAGE_SIZE - 90 },
	{ "the end", 100 + 2 * PAGE_SIZE - 1, 301, 4, 2, { 1, 300 }, 10 + 2 * PAGE_SIZE - 1 },
	{ "no bytes", 0, 0, 4, -EINVAL },
	{ "no vectors", 0, 1, 0, -EINVAL },
	{ "one byte too many", 0, 401 + 2 * PAGE_SIZE, 4, -EINVAL },
	{ "vectors that do not count", 0, 101, 2, -EINVAL },
};

static void bvec_name(const struct bvec_case *one, char *desc)
{
	strscpy(desc, one->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(bvec, bvec_cases, bvec_name);

static void bvec_test(struct kunit *test)
{
	const struct bvec_case *one = test->param_value;
	struct page *page = alloc_pages(GFP_KERNEL, 2);
	struct bvec_iter iter = { .bi_size = 400 + 2 * PAGE_SIZE };
	struct bio_vec bvecs[4], part;
	int i;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, page);
	for (i = 0; i < 4; i++)
		bvecs[i] = (struct bio_vec){ .bv_page = page, .bv_len = bvec_lens[i],
					     .bv_offset = bvec_offsets[i] };
	bvec_iter_advance(bvecs, &iter, one->skip);
	iter.bi_size = one->bytes;
	KUNIT_EXPECT_EQ(test, ofed_rw_count_bvecs(bvecs, one->nr, iter), one->parts);
	for (i = 0; i < one->parts; i++) {
		KUNIT_EXPECT_EQ(test, ofed_rw_next_bvec(bvecs, one->nr, &iter, &part), 1);
		KUNIT_EXPECT_EQ(test, part.bv_len, one->lens[i]);
		if (!i)
			KUNIT_EXPECT_EQ(test, (page_to_pfn(part.bv_page) - page_to_pfn(page)) *
					PAGE_SIZE + part.bv_offset, one->first_offset);
	}
	if (one->parts > 0)
		KUNIT_EXPECT_EQ(test, ofed_rw_next_bvec(bvecs, one->nr, &iter, &part), 0);
	__free_pages(page, 2);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(single_test),
	KUNIT_CASE(several_test),
	KUNIT_CASE(region_again_test),
	KUNIT_CASE_PARAM(bvec_test, bvec_gen_params),
	{}
};

static struct kunit_suite suite = {
	.name = "rw",
	.test_cases = cases,
};

kunit_test_suite(suite);

MODULE_DESCRIPTION("Unit tests of the R/W API");
MODULE_LICENSE("GPL");
