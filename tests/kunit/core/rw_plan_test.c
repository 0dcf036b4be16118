// SPDX-License-Identifier: GPL-2.0
/* The arithmetic of the R/W API. */
#include <kunit/test.h>
#include <linux/module.h>
#include <rdma/ib_verbs.h>

#include "core/verbs/rw_plan.h"

struct piece {
	u64 addr;
	u32 len;
};

#define PG ((u64)PAGE_SIZE)

static struct ofed_rw_list make_list(struct kunit *test,
				     const struct piece *pieces, u32 cnt,
				     u32 skip)
{
	struct scatterlist *sg;
	u32 i;

	sg = kunit_kcalloc(test, cnt, sizeof(*sg), GFP_KERNEL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, sg);
	sg_init_table(sg, cnt);
	for (i = 0; i < cnt; i++) {
		sg_dma_address(&sg[i]) = pieces[i].addr;
		sg_dma_len(&sg[i]) = pieces[i].len;
	}
	return (struct ofed_rw_list){ .sg = sg, .cnt = cnt, .skip = skip };
}

static void rw_seek_test(struct kunit *test)
{
	static const struct piece pieces[] = {
		{ PG, 100 }, { 4 * PG, 200 }, { 8 * PG, 300 },
	};
	struct ofed_rw_list list;

	list = make_list(test, pieces, 3, 0);
	KUNIT_EXPECT_EQ(test, ofed_rw_seek(&list), 0);
	KUNIT_EXPECT_EQ(test, list.cnt, 3);

	/* The end of an element is the beginning of the next. */
	list = make_list(test, pieces, 3, 100);
	KUNIT_EXPECT_EQ(test, ofed_rw_seek(&list), 0);
	KUNIT_EXPECT_EQ(test, list.cnt, 2);
	KUNIT_EXPECT_EQ(test, list.skip, 0);

	list = make_list(test, pieces, 3, 310);
	KUNIT_EXPECT_EQ(test, ofed_rw_seek(&list), 0);
	KUNIT_EXPECT_EQ(test, list.cnt, 1);
	KUNIT_EXPECT_EQ(test, list.skip, 10);
	ofed_rw_step(&list, 1);
	KUNIT_EXPECT_EQ(test, list.cnt, 0);
	KUNIT_EXPECT_EQ(test, list.skip, 0);

	list = make_list(test, pieces, 3, 600);
	KUNIT_EXPECT_EQ(test, ofed_rw_seek(&list), -EIO);
	list = make_list(test, pieces, 3, U32_MAX);
	KUNIT_EXPECT_EQ(test, ofed_rw_seek(&list), -EIO);
}

struct region_case {
	const char *name;
	struct piece pieces[5];
	u32 cnt;
	u32 skip;
	u32 max_pages;
	u32 first;	/* elements of the first region */
	u32 regions;
};

static const struct region_case region_cases[] = {
	{ "pages", { { PG, PG }, { 8 * PG, PG }, { 4 * PG, PG } }, 3, 0,
	  2, 2, 2 },
	{ "exactly", { { PG, PG }, { 8 * PG, PG }, { 4 * PG, PG } }, 3, 0,
	  3, 3, 1 },
	{ "odd ends", { { PG + 100, PG - 100 }, { 8 * PG, 50 } }, 2, 0,
	  256, 2, 1 },
	{ "gap behind", { { PG, 100 }, { 8 * PG, PG } }, 2, 0, 256, 1, 2 },
	{ "gap before", { { PG, PG }, { 8 * PG + 1, 100 } }, 2, 0, 256, 1, 2 },
	{ "adjoining", { { PG, 100 }, { PG + 100, 100 }, { PG + 200, 100 } },
	  3, 0, 1, 3, 1 },
	{ "adjoining, over the page",
	  { { PG, 100 }, { PG + 100, PG }, { 2 * PG + 100, 100 } }, 3, 0,
	  2, 3, 1 },
	{ "adjoining, one page too many",
	  { { PG, 100 }, { PG + 100, PG }, { 2 * PG + 100, 100 } }, 3, 0,
	  1, 1, 3 },
	{ "merged", { { PG, 4 * PG }, { 9 * PG, 4 * PG } }, 2, 0, 4, 1, 2 },
	{ "larger than a region", { { PG, 4 * PG }, { 9 * PG, PG } }, 2, 0,
	  2, 1, 2 },
	{ "skipped pages", { { PG, 4 * PG }, { 9 * PG, PG } }, 2, 3 * PAGE_SIZE,
	  2, 2, 1 },
	{ "skipped bytes", { { PG, PG }, { 9 * PG, PG } }, 2, 1, 2, 2, 1 },
	{ "no length", { { PG, 0 }, { PG, PG } }, 2, 0, 1, 2, 1 },
};

static void region_name(const struct region_case *one, char *desc)
{
	strscpy(desc, one->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(region, region_cases, region_name);

static void rw_region_test(struct kunit *test)
{
	const struct region_case *one = test->param_value;
	struct ofed_rw_list list;

	list = make_list(test, one->pieces, one->cnt, one->skip);
	KUNIT_EXPECT_EQ(test, ofed_rw_region_elements(&list, one->max_pages),
			one->first);
	KUNIT_EXPECT_EQ(test, ofed_rw_regions(&list, one->max_pages),
			one->regions);
	/* Counting changes nothing. */
	KUNIT_EXPECT_EQ(test, list.cnt, one->cnt);
	KUNIT_EXPECT_EQ(test, list.skip, one->skip);
}

static void rw_wrs_test(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, ofed_rw_wrs_per_ctx(false), 1);
	KUNIT_EXPECT_EQ(test, ofed_rw_wrs_per_ctx(true), 3);
}

static struct kunit_case rw_cases[] = {
	KUNIT_CASE(rw_seek_test),
	KUNIT_CASE_PARAM(rw_region_test, region_gen_params),
	KUNIT_CASE(rw_wrs_test),
	{}
};

static struct kunit_suite rw_suite = {
	.name = "ofed_rw",
	.test_cases = rw_cases,
};

kunit_test_suite(rw_suite);

MODULE_DESCRIPTION("KUnit: arithmetic of the R/W API");
MODULE_LICENSE("GPL");
