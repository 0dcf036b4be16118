// SPDX-License-Identifier: GPL-2.0
/*
 * Keys, rights, windows and the copy cursor of software devices. Programs'
 * memory is played: pages that belong to the test, not pinned.
 */
#include <kunit/test.h>
#include <linux/module.h>
#include <linux/scatterlist.h>
#include <rdma/ib_verbs.h>

#include "hw/soft/dev.h"
#include "hw/soft/flush.h"
#include "hw/soft/iter.h"
#include "hw/soft/mr.h"
#include "hw/soft/mw.h"
#include "hw/soft/pages.h"
#include "hw/soft/region_lock.h"

#define PAGES 4

static int umems;	/* that are pinned now */

/* @addr counts only by its offset in a page. */
struct ib_umem *ib_umem_get(struct ib_device *device, unsigned long addr, size_t size,
			    int access)
{
	unsigned int i, num = DIV_ROUND_UP(offset_in_page(addr) + size,
					   PAGE_SIZE);
	struct ib_umem *umem = kzalloc(sizeof(*umem), GFP_KERNEL);
	struct sg_table *sgt = &umem->sgt_append.sgt;
	struct scatterlist *sg;

	if (!umem || sg_alloc_table(sgt, num, GFP_KERNEL))
		panic("no memory for a test");
	for_each_sgtable_sg(sgt, sg, i)
		sg_set_page(sg, alloc_page(GFP_KERNEL | __GFP_ZERO), PAGE_SIZE,
			    0);
	umem->address = addr;
	umem->iova = addr;
	umem->length = size;
	umem->writable = ib_access_writable(access);
	umems++;
	return umem;
}

void ib_umem_release(struct ib_umem *umem)
{
	struct scatterlist *sg;
	unsigned int i;

	if (!umem)
		return;
	for_each_sgtable_sg(&umem->sgt_append.sgt, sg, i)
		__free_page(sg_page(sg));
	sg_free_table(&umem->sgt_append.sgt);
	kfree(umem);
	umems--;
}

/* Entries are pages already: as far as they fit. */
int ib_sg_to_pages(struct ib_mr *mr, struct scatterlist *sgl, int nents, unsigned int *offset,
		   int (*set_page)(struct ib_mr *, u64))
{
	struct scatterlist *sg;
	int i;

	mr->iova = sg_dma_address(sgl) + *offset;
	mr->length = 0;
	for_each_sg(sgl, sg, nents, i) {
		if (set_page(mr, sg_dma_address(sg) & ~(mr->page_size - 1ULL)))
			break;
		mr->length += sg_dma_len(sg) - (i ? 0 : *offset);
	}
	return i;
}

#define RW (IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | \
	    IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC | \
	    IB_ACCESS_MW_BIND)
#define VA 0x7f0000000640ULL	/* 0x640 bytes into a page */
#define LEN (PAGES * PAGE_SIZE - 0x640)

struct world {
	struct soft_dev dev;
	struct ib_pd pd;
	struct ib_pd other_pd;
	struct soft_mem *mem;
};

static struct world *world(struct kunit *test)
{
	return test->priv;
}

static const u32 allowed[SOFT_OBJECT_NUM] = {
	[SOFT_OBJECT_MR] = 1000,
	[SOFT_OBJECT_MW] = 1000,
};

static int soft_mem_test_init(struct kunit *test)
{
	struct world *w = kunit_kzalloc(test, sizeof(*w), GFP_KERNEL);

	if (!w)
		return -ENOMEM;
	w->mem = &w->dev.mem;
	soft_limits_init(&w->dev, allowed);
	soft_mem_init(w->mem);
	w->dev.max_mr_pages = 16;
	w->pd.device = &w->dev.ib;
	w->other_pd.device = &w->dev.ib;
	test->priv = w;
	return 0;
}

static void soft_mem_test_exit(struct kunit *test)
{
	struct world *w = world(test);

	KUNIT_EXPECT_TRUE(test, xa_empty(&w->mem->keys));
	KUNIT_EXPECT_EQ(test, umems, 0);
	soft_limits_exit(&w->dev);
	soft_mem_exit(w->mem);
}

static struct ib_mr *user_mr_at(struct kunit *test, u64 va, u64 length,
				int access)
{
	struct world *w = world(test);
	struct ib_mr *mr = soft_reg_user_mr(&w->pd, va, length, va, access,
					    NULL);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, mr);
	/* The core's part. */
	mr->device = w->pd.device;
	mr->pd = &w->pd;
	return mr;
}

static struct ib_mr *user_mr(struct kunit *test, int access)
{
	return user_mr_at(test, VA, LEN, access);
}

static void dereg(struct kunit *test, struct ib_mr *mr)
{
	KUNIT_EXPECT_EQ(test, soft_dereg_mr(mr, NULL), 0);
}

static enum soft_access_err remote(struct kunit *test, u32 rkey, u64 iova,
				   u64 length, int access)
{
	struct world *w = world(test);
	enum soft_access_err fault;

	soft_region_put(soft_region_remote(w->mem, &w->pd, 7, rkey, iova,
					   length, access, &fault));
	return fault;
}

static enum soft_access_err local(struct kunit *test, struct ib_pd *pd, u32 lkey,
				  u64 addr, u32 length, int access)
{
	const struct ib_sge sge = {
		.addr = addr, .length = length, .lkey = lkey,
	};
	enum soft_access_err fault;

	soft_region_put(soft_region_local(world(test)->mem, pd, &sge, access,
					  &fault));
	return fault;
}

/* ---- rights ------------------------------------------------------------------ */

struct right {
	int granted;
	int asked;
	enum soft_access_err fault;
};

#define LW IB_ACCESS_LOCAL_WRITE
#define RWR IB_ACCESS_REMOTE_WRITE
#define RRD IB_ACCESS_REMOTE_READ
#define RAT IB_ACCESS_REMOTE_ATOMIC

static const struct right rights[] = {
	{ 0, RRD, SOFT_ERR_PERM },
	{ 0, RWR, SOFT_ERR_PERM },
	{ 0, RAT, SOFT_ERR_PERM },
	{ RRD, RRD, SOFT_OK },
	{ RRD, RWR, SOFT_ERR_PERM },
	{ RRD, RAT, SOFT_ERR_PERM },
	{ LW, RRD, SOFT_ERR_PERM },
	{ LW, RWR, SOFT_ERR_PERM },
	{ LW | RWR, RWR, SOFT_OK },
	{ LW | RWR, RRD, SOFT_ERR_PERM },
	{ LW | RWR, RAT, SOFT_ERR_PERM },
	{ LW | RAT, RAT, SOFT_OK },
	{ LW | RAT, RWR, SOFT_ERR_PERM },
	{ LW | RWR | RRD, RWR | RRD, SOFT_OK },
	{ LW | RWR, RWR | RRD, SOFT_ERR_PERM },
};

static void mem_rights(struct kunit *test)
{
	struct world *w = world(test);
	const struct right *r;
	struct ib_mr *mr;
	int i;

	for (i = 0; i < ARRAY_SIZE(rights); i++) {
		r = &rights[i];
		mr = user_mr(test, r->granted);
		KUNIT_EXPECT_EQ_MSG(test, (int)remote(test, mr->rkey, VA, 8,
						      r->asked),
				    (int)r->fault, "row %d", i);
		KUNIT_EXPECT_EQ(test, (int)local(test, &w->pd, mr->lkey, VA, 8,
						 0), (int)SOFT_OK);
		KUNIT_EXPECT_EQ(test, (int)local(test, &w->pd, mr->lkey, VA, 8,
						 LW),
				(int)(r->granted & LW ? SOFT_OK :
				      SOFT_ERR_PERM));
		KUNIT_EXPECT_EQ(test, (int)local(test, &w->other_pd, mr->lkey,
						 VA, 8, 0),
				(int)SOFT_ERR_PERM);
		dereg(test, mr);
	}
}

static void mem_bad_rights(struct kunit *test)
{
	static const int bad[] = {
		RWR, RAT, RWR | RRD, IB_ACCESS_ON_DEMAND | LW, 1 << 19,
	};
	struct world *w = world(test);
	int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		KUNIT_EXPECT_TRUE_MSG(test,
				      IS_ERR(soft_reg_user_mr(&w->pd, VA, 8, VA,
							      bad[i], NULL)),
				      "row %d", i);
	KUNIT_EXPECT_EQ(test, PTR_ERR(soft_reg_user_mr(&w->pd, VA, LEN,
						       U64_MAX - 100, LW,
						       NULL)), -EINVAL);
}

struct range_row {
	s64 from;	/* of the region's first byte */
	u64 length;
	enum soft_access_err fault;
};

static const struct range_row ranges[] = {
	{ 0, 1, SOFT_OK },
	{ 0, LEN, SOFT_OK },
	{ 0, 0, SOFT_OK },
	{ LEN, 0, SOFT_OK },
	{ LEN - 1, 1, SOFT_OK },
	{ LEN - 1, 2, SOFT_ERR_BOUNDS },
	{ 0, LEN + 1, SOFT_ERR_BOUNDS },
	{ -1, 1, SOFT_ERR_BOUNDS },
	{ -1, 2, SOFT_ERR_BOUNDS },
	{ LEN, 1, SOFT_ERR_BOUNDS },
	{ 8, U64_MAX, SOFT_ERR_BOUNDS },
	{ 8, U64_MAX - 7, SOFT_ERR_BOUNDS },
	{ 0, U64_MAX, SOFT_ERR_BOUNDS },
	{ -(s64)VA, 1, SOFT_ERR_BOUNDS },
	{ S64_MAX, S64_MAX, SOFT_ERR_BOUNDS },
};

static void mem_ranges(struct kunit *test)
{
	struct ib_mr *mr = user_mr(test, RW);
	const struct range_row *r;
	int i;

	for (i = 0; i < ARRAY_SIZE(ranges); i++) {
		r = &ranges[i];
		KUNIT_EXPECT_EQ_MSG(test, (int)remote(test, mr->rkey,
						      VA + r->from, r->length,
						      RRD),
				    (int)r->fault, "row %d", i);
	}
	dereg(test, mr);
}

static void mem_zero_based(struct kunit *test)
{
	struct ib_mr *mr = user_mr(test, RW | IB_ZERO_BASED);

	KUNIT_EXPECT_EQ(test, (int)remote(test, mr->rkey, 0, LEN, RRD),
			(int)SOFT_OK);
	KUNIT_EXPECT_EQ(test, (int)remote(test, mr->rkey, 1, LEN, RRD),
			(int)SOFT_ERR_BOUNDS);
	KUNIT_EXPECT_EQ(test, (int)remote(test, mr->rkey, VA, 1, RRD),
			(int)SOFT_ERR_BOUNDS);
	dereg(test, mr);
}

static void mem_rereg(struct kunit *test)
{
	struct ib_mr *mr = user_mr(test, RRD);
	struct world *w = world(test);
	u32 key = mr->rkey;

	KUNIT_EXPECT_EQ(test, PTR_ERR(soft_rereg_user_mr(mr,
				IB_MR_REREG_ACCESS, 0, 0, 0, RW, NULL, NULL)),
			-EPERM);
	KUNIT_EXPECT_PTR_EQ(test, soft_rereg_user_mr(mr, IB_MR_REREG_TRANS |
				IB_MR_REREG_ACCESS, 0x3000, 100, 0x5000, RW,
				NULL, NULL), (struct ib_mr *)NULL);
	KUNIT_EXPECT_EQ(test, umems, 1);
	KUNIT_EXPECT_EQ(test, (int)remote(test, key, VA, 1, RRD),
			(int)SOFT_ERR_BOUNDS);
	KUNIT_EXPECT_EQ(test, (int)remote(test, key, 0x5000, 100, RWR),
			(int)SOFT_OK);
	KUNIT_EXPECT_PTR_EQ(test, soft_rereg_user_mr(mr, IB_MR_REREG_PD, 0, 0,
				0, 0, &w->other_pd, NULL),
			    (struct ib_mr *)NULL);
	KUNIT_EXPECT_EQ(test, (int)remote(test, key, 0x5000, 100, RWR),
			(int)SOFT_ERR_PERM);
	dereg(test, mr);
}

/* ---- copies -------------------------------------------------------------------- */

static u8 pattern(u64 at)
{
	return at * 7 + (at >> 8);
}

static u8 *patterned(struct kunit *test, u32 length)
{
	u8 *bytes = kunit_kzalloc(test, length, GFP_KERNEL);
	u32 i;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, bytes);
	for (i = 0; i < length; i++)
		bytes[i] = pattern(i);
	return bytes;
}

static void over(struct kunit *test, struct soft_iter *it, struct ib_mr *mr,
		 u64 iova, u64 length, int access)
{
	struct world *w = world(test);

	KUNIT_ASSERT_EQ(test, (int)soft_iter_remote(it, w->mem, &w->pd, 7,
						    mr->rkey, iova, length,
						    access), (int)SOFT_OK);
}

static void fill(struct kunit *test, struct ib_mr *mr)
{
	struct soft_iter to, from;

	over(test, &to, mr, VA, LEN, RWR);
	soft_iter_bytes(&from, patterned(test, LEN), LEN);
	KUNIT_EXPECT_EQ(test, (int)soft_iter_copy(&to, &from, LEN),
			(int)SOFT_OK);
	KUNIT_EXPECT_EQ(test, to.left, 0ULL);
	KUNIT_EXPECT_EQ(test, (int)soft_iter_copy(&to, &from, 1),
			(int)SOFT_ERR_BOUNDS);
	soft_iter_end(&to);
	soft_iter_end(&from);
}

/* @length bytes of @mr at @offset are the pattern of @expected and on. */
static void expect_pattern(struct kunit *test, struct ib_mr *mr, u64 offset,
			   u32 length, u64 expected)
{
	u8 *bytes = kunit_kzalloc(test, length, GFP_KERNEL);
	struct soft_iter to, from;
	u32 i, bad = 0;

	over(test, &from, mr, VA + offset, length, RRD);
	soft_iter_bytes(&to, bytes, length);
	KUNIT_EXPECT_EQ(test, (int)soft_iter_copy(&to, &from, length),
			(int)SOFT_OK);
	soft_iter_end(&from);
	for (i = 0; i < length; i++)
		bad += bytes[i] != pattern(expected + i);
	KUNIT_EXPECT_EQ_MSG(test, bad, 0, "offset %llu length %u", offset,
			    length);
}

static void copy_borders(struct kunit *test)
{
	static const u64 starts[] = { 0, 1, 0x9bf, 0x9c0, 0x9c1, 0x19bf };
	static const u32 lengths[] = { 1, 2, 7, 4096, 4097, 8193 };
	struct ib_mr *mr = user_mr(test, RW);
	int i, j;

	fill(test, mr);
	for (i = 0; i < ARRAY_SIZE(starts); i++)
		for (j = 0; j < ARRAY_SIZE(lengths); j++)
			expect_pattern(test, mr, starts[i], lengths[j],
				       starts[i]);
	expect_pattern(test, mr, LEN - 1, 1, LEN - 1);
	dereg(test, mr);
}

/* From region to region, shifted, so that page borders never meet. */
static void copy_regions(struct kunit *test)
{
	struct ib_mr *a = user_mr(test, RW), *b = user_mr(test, RW);
	struct soft_iter to, from;

	fill(test, a);
	over(test, &from, a, VA + 3, 2 * PAGE_SIZE, RRD);
	over(test, &to, b, VA + 100, 2 * PAGE_SIZE, RWR);
	KUNIT_EXPECT_EQ(test, (int)soft_iter_skip(&from, 5), (int)SOFT_OK);
	KUNIT_EXPECT_EQ(test, (int)soft_iter_skip(&to, 5), (int)SOFT_OK);
	KUNIT_EXPECT_EQ(test, (int)soft_iter_copy(&to, &from, 5000),
			(int)SOFT_OK);
	soft_iter_end(&to);
	soft_iter_end(&from);
	expect_pattern(test, b, 105, 5000, 8);

	over(test, &from, b, VA + 105, 1000, RRD);
	over(test, &to, b, VA + 8000, 1000, RWR);
	KUNIT_EXPECT_EQ(test, (int)soft_iter_copy(&to, &from, 1000),
			(int)SOFT_OK);
	soft_iter_end(&to);
	soft_iter_end(&from);
	expect_pattern(test, b, 8000, 1000, 8);
	dereg(test, a);
	dereg(test, b);
}

static void copy_lists(struct kunit *test)
{
	struct ib_mr *mr = user_mr(test, RW);
	struct world *w = world(test);
	const struct ib_sge sge[] = {
		{ .addr = 1, .length = 0, .lkey = 0xdead },
		{ .addr = VA + 10, .length = 1, .lkey = mr->lkey },
		{ .addr = VA + 11, .length = 5000, .lkey = mr->lkey },
		{ .addr = U64_MAX, .length = 0, .lkey = 0 },
		{ .addr = VA + 5011, .length = 100, .lkey = mr->lkey },
		{ .addr = 0, .length = 0, .lkey = 1 },
	};
	u8 *bytes = kunit_kzalloc(test, 5101, GFP_KERNEL);
	struct soft_iter to, from;
	u32 i, bad = 0;

	fill(test, mr);
	soft_iter_list(&from, w->mem, &w->pd, sge, ARRAY_SIZE(sge), 0);
	KUNIT_EXPECT_EQ(test, from.left, 5101ULL);
	KUNIT_EXPECT_EQ(test, (int)soft_iter_check(&from), (int)SOFT_OK);
	soft_iter_bytes(&to, bytes, 5101);
	for (i = 0; i < 5101; i += 1000) {
		KUNIT_EXPECT_EQ(test, (int)soft_iter_copy(&to, &from,
						min(1000U, 5101 - i)),
				(int)SOFT_OK);
		/* It goes on where it was. */
		soft_iter_end(&from);
	}
	for (i = 0; i < 5101; i++)
		bad += bytes[i] != pattern(10 + i);
	KUNIT_EXPECT_EQ(test, bad, 0);
	KUNIT_EXPECT_EQ(test, (int)soft_iter_skip(&from, 1),
			(int)SOFT_ERR_BOUNDS);

	soft_iter_list(&from, w->mem, &w->pd, sge, ARRAY_SIZE(sge), 0);
	soft_iter_bytes(&to, bytes, 5101);
	KUNIT_EXPECT_EQ(test, (int)soft_iter_skip(&from, 5001), (int)SOFT_OK);
	KUNIT_EXPECT_EQ(test, (int)soft_iter_copy(&to, &from, 100),
			(int)SOFT_OK);
	soft_iter_end(&from);
	KUNIT_EXPECT_EQ(test, (int)bytes[0], (int)pattern(5011));
	dereg(test, mr);
}

/* A key is looked at when it is reached; the bytes in front have moved. */
static void copy_bad_entry(struct kunit *test)
{
	struct ib_mr *mr = user_mr(test, RRD);
	struct world *w = world(test);
	struct ib_sge sge[] = {
		{ .addr = VA, .length = 10, .lkey = mr->lkey },
		{ .addr = VA, .length = 10, .lkey = mr->lkey ^ 1 },
	};
	struct soft_iter to, from;
	u8 bytes[20];

	soft_iter_list(&from, w->mem, &w->pd, sge, 2, 0);
	soft_iter_bytes(&to, bytes, 20);
	KUNIT_EXPECT_EQ(test, (int)soft_iter_check(&from), (int)SOFT_ERR_KEY);
	KUNIT_EXPECT_EQ(test, (int)soft_iter_copy(&to, &from, 10),
			(int)SOFT_OK);
	KUNIT_EXPECT_EQ(test, (int)soft_iter_copy(&to, &from, 10),
			(int)SOFT_ERR_KEY);
	soft_iter_end(&from);

	sge[1].lkey = mr->lkey;
	sge[1].length = LEN + 1;
	soft_iter_list(&from, w->mem, &w->pd, sge, 2, 0);
	KUNIT_EXPECT_EQ(test, (int)soft_iter_check(&from),
			(int)SOFT_ERR_BOUNDS);
	soft_iter_list(&to, w->mem, &w->pd, sge, 1, LW);
	KUNIT_EXPECT_EQ(test, (int)soft_iter_check(&to), (int)SOFT_ERR_PERM);
	dereg(test, mr);
}

static void copy_packets(struct kunit *test)
{
	struct ib_mr *mr = user_mr(test, RW);
	struct sk_buff *skb = alloc_skb(256, GFP_KERNEL);
	struct page *page = alloc_page(GFP_KERNEL);
	struct soft_iter to, from;
	u32 i;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, skb);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, page);
	for (i = 0; i < 200; i++)
		*(u8 *)skb_put(skb, 1) = pattern(i);
	for (i = 0; i < 1000; i++)
		*((u8 *)page_address(page) + 50 + i) = pattern(200 + i);
	skb_add_rx_frag(skb, 0, page, 50, 1000, 1000);

	over(test, &to, mr, VA + 0x9c0 - 300, 1100, RWR);
	soft_iter_skb(&from, skb, 100, 1100);
	KUNIT_EXPECT_EQ(test, (int)soft_iter_copy(&to, &from, 500),
			(int)SOFT_OK);
	KUNIT_EXPECT_EQ(test, (int)soft_iter_copy(&to, &from, 600),
			(int)SOFT_OK);
	soft_iter_end(&to);
	soft_iter_end(&from);
	kfree_skb(skb);
	expect_pattern(test, mr, 0x9c0 - 300, 1100, 100);
	dereg(test, mr);
}

/* A message stopped in the middle does not keep the region. */
static void copy_after_dereg(struct kunit *test)
{
	struct ib_mr *mr = user_mr(test, RW);
	struct soft_iter to, from;
	u8 bytes[20] = {};

	over(test, &to, mr, VA, 20, RWR);
	soft_iter_bytes(&from, bytes, 20);
	KUNIT_EXPECT_EQ(test, (int)soft_iter_copy(&to, &from, 10),
			(int)SOFT_OK);
	dereg(test, mr);
	KUNIT_EXPECT_EQ(test, umems, 0);
	KUNIT_EXPECT_EQ(test, (int)soft_iter_check(&to), (int)SOFT_ERR_KEY);
	KUNIT_EXPECT_EQ(test, (int)soft_iter_copy(&to, &from, 10),
			(int)SOFT_ERR_KEY);
	soft_iter_end(&to);
	soft_iter_end(&to);
}

static void copy_dma(struct kunit *test)
{
	struct world *w = world(test);
	struct ib_mr *mr = soft_get_dma_mr(&w->pd, LW | RRD);
	u8 *bytes = patterned(test, 6000);
	const struct ib_sge sge = {
		.addr = (uintptr_t)bytes, .length = 6000, .lkey = mr->lkey,
	};
	u8 *copy = kunit_kzalloc(test, 6000, GFP_KERNEL);
	struct soft_iter to, from;

	soft_iter_list(&from, w->mem, &w->pd, &sge, 1, 0);
	soft_iter_bytes(&to, copy, 6000);
	KUNIT_EXPECT_EQ(test, (int)soft_iter_copy(&to, &from, 6000),
			(int)SOFT_OK);
	soft_iter_end(&from);
	KUNIT_EXPECT_EQ(test, memcmp(bytes, copy, 6000), 0);

	/* A peer names an address where nothing is. */
	over(test, &from, mr, 4096, 100, RRD);
	soft_iter_bytes(&to, copy, 100);
	KUNIT_EXPECT_EQ(test, (int)soft_iter_copy(&to, &from, 100),
			(int)SOFT_ERR_BOUNDS);
	soft_iter_end(&from);
	dereg(test, mr);
}

/* ---- atomics ------------------------------------------------------------------ */

static void mem_atomics(struct kunit *test)
{
	const u64 at = VA + 0x9c0 - 8;	/* the last word of the first page */
	struct ib_mr *mr = user_mr(test, RW);
	struct world *w = world(test);
	struct soft_region *region;
	enum soft_access_err fault;
	u64 old = 1;

	region = soft_region_remote(w->mem, &w->pd, 7, mr->rkey, at, 8, RAT,
				    &fault);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, region);
	KUNIT_EXPECT_EQ(test, (int)soft_region_fetch_add(region, at, U64_MAX,
							 &old), (int)SOFT_OK);
	KUNIT_EXPECT_EQ(test, old, 0ULL);
	KUNIT_EXPECT_EQ(test, (int)soft_region_cmp_swap(region, at, 5, 6,
							&old), (int)SOFT_OK);
	KUNIT_EXPECT_EQ(test, old, U64_MAX);
	KUNIT_EXPECT_EQ(test, (int)soft_region_cmp_swap(region, at, U64_MAX, 6,
							&old), (int)SOFT_OK);
	KUNIT_EXPECT_EQ(test, (int)soft_region_fetch_add(region, at, 3, &old),
			(int)SOFT_OK);
	KUNIT_EXPECT_EQ(test, old, 6ULL);
	KUNIT_EXPECT_EQ(test, (int)soft_region_fetch_add(region, at + 4, 1,
							 &old),
			(int)SOFT_ERR_BOUNDS);
	KUNIT_EXPECT_EQ(test, (int)soft_region_fetch_add(region, VA + LEN - 4,
							 1, &old),
			(int)SOFT_ERR_BOUNDS);
	KUNIT_EXPECT_EQ(test, (int)soft_region_store(region, at, ~5ULL),
			(int)SOFT_OK);
	KUNIT_EXPECT_EQ(test, (int)soft_region_fetch_add(region, at, 1, &old),
			(int)SOFT_OK);
	KUNIT_EXPECT_EQ(test, old, ~5ULL);
	KUNIT_EXPECT_EQ(test, (int)soft_region_store(region, at + 4, 1),
			(int)SOFT_ERR_BOUNDS);
	KUNIT_EXPECT_EQ(test, (int)soft_region_store(region, VA + LEN - 4, 1),
			(int)SOFT_ERR_BOUNDS);
	dereg(test, mr);
	KUNIT_EXPECT_EQ(test, (int)soft_region_fetch_add(region, at, 1, &old),
			(int)SOFT_ERR_KEY);
	KUNIT_EXPECT_EQ(test, (int)soft_region_store(region, at, 1),
			(int)SOFT_ERR_KEY);
	soft_region_put(region);
}

/* The right to write is not the right to compare, nor the reverse. */
static void mem_word_rights(struct kunit *test)
{
	struct ib_mr *writable = user_mr(test, LW | RWR);
	struct ib_mr *atomic = user_mr(test, LW | RAT);
	struct world *w = world(test);
	struct soft_region *region;
	enum soft_access_err fault;
	u64 at = VA, old;

	region = soft_region_remote(w->mem, &w->pd, 7, writable->rkey, at, 8,
				    RWR, &fault);
	KUNIT_EXPECT_EQ(test, (int)soft_region_fetch_add(region, at, 1, &old),
			(int)SOFT_ERR_PERM);
	soft_region_put(region);
	region = soft_region_remote(w->mem, &w->pd, 7, atomic->rkey, at, 8,
				    RAT, &fault);
	KUNIT_EXPECT_EQ(test, (int)soft_region_store(region, at, 1),
			(int)SOFT_ERR_PERM);
	soft_region_put(region);
	dereg(test, writable);
	dereg(test, atomic);
}

/* ---- fast registration --------------------------------------------------------- */

static void map_two_pages(struct kunit *test, struct ib_mr *mr, u8 *pages)
{
	unsigned int offset = 100;
	struct scatterlist sg[2];

	sg_init_table(sg, 2);
	sg_dma_address(&sg[0]) = (uintptr_t)pages;
	sg_dma_len(&sg[0]) = PAGE_SIZE;
	sg_dma_address(&sg[1]) = (uintptr_t)pages + 2 * PAGE_SIZE;
	sg_dma_len(&sg[1]) = PAGE_SIZE;
	mr->page_size = PAGE_SIZE;
	KUNIT_EXPECT_EQ(test, soft_map_mr_sg(mr, sg, 2, &offset), 2);
}

static void mem_fast(struct kunit *test)
{
	u8 *pages = (u8 *)__get_free_pages(GFP_KERNEL | __GFP_ZERO, 2);
	struct world *w = world(test);
	struct soft_iter to, from;
	struct ib_mr *mr;
	u32 key;

	KUNIT_EXPECT_TRUE(test, IS_ERR(soft_alloc_mr(&w->pd, IB_MR_TYPE_MEM_REG,
						     17)));
	KUNIT_EXPECT_TRUE(test, IS_ERR(soft_alloc_mr(&w->pd,
						     IB_MR_TYPE_SG_GAPS, 4)));
	mr = soft_alloc_mr(&w->pd, IB_MR_TYPE_MEM_REG, 2);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, mr);
	KUNIT_EXPECT_EQ(test, (int)remote(test, mr->rkey, 0, 0, RWR),
			(int)SOFT_ERR_KEY);
	map_two_pages(test, mr, pages);
	key = ib_inc_rkey(mr->rkey);
	KUNIT_EXPECT_EQ(test, soft_region_register(mr, &w->other_pd, key, RW),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, soft_region_register(mr, &w->pd, key + 256, RW),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, soft_region_register(mr, &w->pd, key, RW), 0);
	KUNIT_EXPECT_EQ(test, soft_region_register(mr, &w->pd, key, RW),
			-EINVAL);
	mr->rkey = key;

	over(test, &to, mr, mr->iova + PAGE_SIZE - 110, 20, RWR);
	soft_iter_bytes(&from, "0123456789abcdefghij", 20);
	KUNIT_EXPECT_EQ(test, (int)soft_iter_copy(&to, &from, 15),
			(int)SOFT_OK);
	KUNIT_EXPECT_EQ(test, memcmp(pages + PAGE_SIZE - 10, "0123456789", 10),
			0);
	KUNIT_EXPECT_EQ(test, memcmp(pages + 2 * PAGE_SIZE, "abcde", 5), 0);

	KUNIT_EXPECT_EQ(test, (int)soft_region_invalidate(w->mem, &w->other_pd,
							  7, key, true),
			(int)SOFT_ERR_PERM);
	KUNIT_EXPECT_EQ(test, (int)soft_region_invalidate(w->mem, &w->pd, 7,
							  key ^ 1, true),
			(int)SOFT_ERR_KEY);
	KUNIT_EXPECT_EQ(test, (int)soft_region_invalidate(w->mem, &w->pd, 7,
							  key, true),
			(int)SOFT_OK);
	KUNIT_EXPECT_EQ(test, (int)soft_region_invalidate(w->mem, &w->pd, 7,
							  key, false),
			(int)SOFT_OK);
	/* The same key again is another grant. */
	KUNIT_EXPECT_EQ(test, soft_region_register(mr, &w->pd, key, RW), 0);
	KUNIT_EXPECT_EQ(test, (int)soft_iter_copy(&to, &from, 5),
			(int)SOFT_ERR_KEY);
	soft_iter_end(&to);

	/* To map is to invalidate. */
	map_two_pages(test, mr, pages);
	KUNIT_EXPECT_EQ(test, (int)remote(test, key, mr->iova, 1, RRD),
			(int)SOFT_ERR_KEY);
	mr->length += PAGE_SIZE;
	KUNIT_EXPECT_EQ(test, soft_region_register(mr, &w->pd, key, RW),
			-EINVAL);
	dereg(test, mr);
	free_pages((unsigned long)pages, 2);
}

#include "mem_windows.c"
#include "mem_turns.c"
#include "mem_count.c"

static struct kunit_case soft_mem_cases[] = {
	KUNIT_CASE(mem_rights),
	KUNIT_CASE(mem_bad_rights),
	KUNIT_CASE(mem_ranges),
	KUNIT_CASE(mem_zero_based),
	KUNIT_CASE(mem_keys),
	KUNIT_CASE(mem_limits),
	KUNIT_CASE(mem_rereg),
	KUNIT_CASE(copy_borders),
	KUNIT_CASE(copy_regions),
	KUNIT_CASE(copy_lists),
	KUNIT_CASE(copy_bad_entry),
	KUNIT_CASE(copy_packets),
	KUNIT_CASE(copy_after_dereg),
	KUNIT_CASE(copy_dma),
	KUNIT_CASE(mem_atomics),
	KUNIT_CASE(mem_word_rights),
	KUNIT_CASE(mem_fast),
	KUNIT_CASE(mw_type_1),
	KUNIT_CASE(mw_type_2),
	KUNIT_CASE(mw_rules),
	KUNIT_CASE(turn_is_taken),
	KUNIT_CASE(turn_is_kept),
	KUNIT_CASE(turns_cross),
	{}
};

static struct kunit_suite soft_mem_suite = {
	.name = "soft_mem",
	.init = soft_mem_test_init,
	.exit = soft_mem_test_exit,
	.test_cases = soft_mem_cases,
};
kunit_test_suite(soft_mem_suite);

MODULE_DESCRIPTION("KUnit: keys, rights and copies of software devices");
MODULE_LICENSE("GPL");
