// SPDX-License-Identifier: GPL-2.0
/* Keys are used up and used again, and regions and windows are counted. */
#include "hw/soft/mw.h"
#include "mem.h"

/* All 32 bits count, and an index is used again late. */
static void mem_keys(struct kunit *test)
{
	struct ib_mr *mr = user_mr(test, RW), *next;
	u32 key = mr->rkey;
	int bit;

	for (bit = 0; bit < 32; bit++)
		KUNIT_EXPECT_EQ(test, (int)remote(test, key ^ BIT(bit), VA, 1,
						  RRD), (int)SOFT_ERR_KEY);
	dereg(test, mr);
	KUNIT_EXPECT_EQ(test, (int)remote(test, key, VA, 1, RRD),
			(int)SOFT_ERR_KEY);
	next = user_mr(test, RW);
	KUNIT_EXPECT_NE(test, key >> 8, next->rkey >> 8);
	dereg(test, next);
}

/* Regions and windows are counted apart, and each creation that fails counts nothing. */
static void mem_limits(struct kunit *test)
{
	static const u32 two[SOFT_OBJECT_NUM] = {
		[SOFT_OBJECT_MR] = 2,
		[SOFT_OBJECT_MW] = 2,
	};
	struct world *w = world(test);
	struct soft_mw window[3] = {};
	struct ib_mr *mr[3];
	int i;

	soft_limits_init(&w->dev, two);
	for (i = 0; i < 3; i++) {
		window[i].mw.device = &w->dev.ib;
		window[i].mw.pd = &w->pd;
		window[i].mw.type = IB_MW_TYPE_1;
		KUNIT_EXPECT_EQ(test, soft_alloc_mw(&window[i].mw, NULL),
				i < 2 ? 0 : -ENOMEM);
		mr[i] = soft_alloc_mr(&w->pd, IB_MR_TYPE_MEM_REG, 1);
		KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(mr[i]),
				i < 2 ? 0 : -ENOMEM);
	}
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(soft_get_dma_mr(&w->pd, 0)),
			-ENOMEM);
	KUNIT_EXPECT_EQ(test,
			PTR_ERR_OR_ZERO(soft_reg_user_mr(&w->pd, VA, LEN, VA,
							 0, NULL)), -ENOMEM);
	KUNIT_EXPECT_EQ(test, soft_dereg_mr(mr[1], NULL), 0);
	mr[1] = soft_get_dma_mr(&w->pd, 0);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(mr[1]), 0);
	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_EQ(test, soft_dereg_mr(mr[i], NULL), 0);
		KUNIT_EXPECT_EQ(test, soft_dealloc_mw(&window[i].mw), 0);
	}
}

static struct kunit_case soft_mem_count_cases[] = {
	KUNIT_CASE(mem_keys),
	KUNIT_CASE(mem_limits),
	{}
};

struct kunit_suite soft_mem_count_suite = {
	.name = "soft_mem_count",
	.init = soft_mem_test_init,
	.exit = soft_mem_test_exit,
	.test_cases = soft_mem_count_cases,
};
