// SPDX-License-Identifier: GPL-2.0
/* The copy cursor of software devices: over regions, lists and packets. */
#include "hw/soft/flush.h"
#include "mem.h"

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

static struct kunit_case soft_mem_copy_cases[] = {
	KUNIT_CASE(copy_borders),
	KUNIT_CASE(copy_regions),
	KUNIT_CASE(copy_lists),
	KUNIT_CASE(copy_bad_entry),
	KUNIT_CASE(copy_packets),
	KUNIT_CASE(copy_after_dereg),
	KUNIT_CASE(copy_dma),
	{}
};

struct kunit_suite soft_mem_copy_suite = {
	.name = "soft_mem_copy",
	.init = soft_mem_test_init,
	.exit = soft_mem_test_exit,
	.test_cases = soft_mem_copy_cases,
};
