// SPDX-License-Identifier: GPL-2.0
/* Keys, rights, atomics and fast registration of software devices. */
#include <linux/module.h>
#include <linux/scatterlist.h>

#include "hw/soft/region_lock.h"
#include "mem.h"

/* ---- rights ------------------------------------------------------------------ */

struct right {
	int granted;
	int asked;
	enum soft_access_err fault;
};

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

/* ---- atomics ------------------------------------------------------------------ */

static void mem_atomics(struct kunit *test)
{
	const u64 at = VA + 0x9c0 - 8;	/* the last word of the first page */
	struct ib_mr *mr = user_mr(test, RW);
	struct world *w = world(test);
	struct soft_region *region;
	enum soft_access_err fault;
	u64 old = 1;
	u32 grant;

	region = soft_region_remote(w->mem, &w->pd, 7, mr->rkey, at, 8, RAT,
				    &fault, &grant);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, region);
	KUNIT_EXPECT_EQ(test, (int)soft_region_fetch_add(region, grant, at, U64_MAX,
							 &old), (int)SOFT_OK);
	KUNIT_EXPECT_EQ(test, old, 0ULL);
	KUNIT_EXPECT_EQ(test, (int)soft_region_cmp_swap(region, grant, at, 5, 6,
							&old), (int)SOFT_OK);
	KUNIT_EXPECT_EQ(test, old, U64_MAX);
	KUNIT_EXPECT_EQ(test, (int)soft_region_cmp_swap(region, grant, at, U64_MAX, 6,
							&old), (int)SOFT_OK);
	KUNIT_EXPECT_EQ(test, (int)soft_region_fetch_add(region, grant, at, 3, &old),
			(int)SOFT_OK);
	KUNIT_EXPECT_EQ(test, old, 6ULL);
	KUNIT_EXPECT_EQ(test, (int)soft_region_fetch_add(region, grant, at + 4, 1,
							 &old),
			(int)SOFT_ERR_BOUNDS);
	KUNIT_EXPECT_EQ(test, (int)soft_region_fetch_add(region, grant, VA + LEN - 4,
							 1, &old),
			(int)SOFT_ERR_BOUNDS);
	KUNIT_EXPECT_EQ(test, (int)soft_region_store(region, grant, at, ~5ULL),
			(int)SOFT_OK);
	KUNIT_EXPECT_EQ(test, (int)soft_region_fetch_add(region, grant, at, 1, &old),
			(int)SOFT_OK);
	KUNIT_EXPECT_EQ(test, old, ~5ULL);
	KUNIT_EXPECT_EQ(test, (int)soft_region_store(region, grant, at + 4, 1),
			(int)SOFT_ERR_BOUNDS);
	KUNIT_EXPECT_EQ(test, (int)soft_region_store(region, grant, VA + LEN - 4, 1),
			(int)SOFT_ERR_BOUNDS);
	dereg(test, mr);
	KUNIT_EXPECT_EQ(test, (int)soft_region_fetch_add(region, grant, at, 1, &old),
			(int)SOFT_ERR_KEY);
	KUNIT_EXPECT_EQ(test, (int)soft_region_store(region, grant, at, 1),
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
	u32 grant;

	region = soft_region_remote(w->mem, &w->pd, 7, writable->rkey, at, 8,
				    RWR, &fault, &grant);
	KUNIT_EXPECT_EQ(test, (int)soft_region_fetch_add(region, grant, at, 1, &old),
			(int)SOFT_ERR_PERM);
	soft_region_put(region);
	region = soft_region_remote(w->mem, &w->pd, 7, atomic->rkey, at, 8,
				    RAT, &fault, &grant);
	KUNIT_EXPECT_EQ(test, (int)soft_region_store(region, grant, at, 1),
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

static u32 register_fast(struct kunit *test, struct ib_mr *mr)
{
	struct world *w = world(test);
	u32 key = ib_inc_rkey(mr->rkey);

	KUNIT_EXPECT_EQ(test, soft_region_register(mr, &w->other_pd, key, RW),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, soft_region_register(mr, &w->pd, key + 256, RW),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, soft_region_register(mr, &w->pd, key, RW), 0);
	KUNIT_EXPECT_EQ(test, soft_region_register(mr, &w->pd, key, RW),
			-EINVAL);
	mr->rkey = key;
	return key;
}

static void invalidate_fast(struct kunit *test, u32 key)
{
	struct world *w = world(test);

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
	key = register_fast(test, mr);

	over(test, &to, mr, mr->iova + PAGE_SIZE - 110, 20, RWR);
	soft_iter_bytes(&from, "0123456789abcdefghij", 20);
	KUNIT_EXPECT_EQ(test, (int)soft_iter_copy(&to, &from, 15),
			(int)SOFT_OK);
	KUNIT_EXPECT_EQ(test, memcmp(pages + PAGE_SIZE - 10, "0123456789", 10),
			0);
	KUNIT_EXPECT_EQ(test, memcmp(pages + 2 * PAGE_SIZE, "abcde", 5), 0);

	invalidate_fast(test, key);
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

static struct kunit_case soft_mem_cases[] = {
	KUNIT_CASE(mem_rights),
	KUNIT_CASE(mem_bad_rights),
	KUNIT_CASE(mem_ranges),
	KUNIT_CASE(mem_zero_based),
	KUNIT_CASE(mem_rereg),
	KUNIT_CASE(mem_atomics),
	KUNIT_CASE(mem_word_rights),
	KUNIT_CASE(mem_fast),
	{}
};

static struct kunit_suite soft_mem_suite = {
	.name = "soft_mem",
	.init = soft_mem_test_init,
	.exit = soft_mem_test_exit,
	.test_cases = soft_mem_cases,
};

kunit_test_suites(&soft_mem_suite, &soft_mem_count_suite, &soft_mem_copy_suite,
		  &soft_mem_piece_suite, &soft_mem_on_demand_suite,
		  &soft_mem_window_suite, &soft_mem_turn_suite);

MODULE_DESCRIPTION("KUnit: keys, rights and copies of software devices");
MODULE_LICENSE("GPL");
