// SPDX-License-Identifier: GPL-2.0
/* Regions on demand, as copies meet them: the test brings pages in itself. */
#include "hw/soft/odp_table.h"
#include "mem.h"

#define FIRST	ALIGN_DOWN(VA, PAGE_SIZE)

struct on_demand {
	struct soft_odp odp;
	struct soft_region *region;
	void *page[PAGES];
};

static struct on_demand *on_demand(struct kunit *test)
{
	struct on_demand *d = kunit_kzalloc(test, sizeof(*d), GFP_KERNEL);
	struct world *w = world(test);
	int i;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, d);
	d->region = soft_region_new(w->mem, &w->pd, SOFT_ODP);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, d->region);
	d->odp.whole = kunit_kzalloc(test, struct_size(d->odp.whole, entry, PAGES), GFP_KERNEL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, d->odp.whole);
	d->odp.whole->start = FIRST;
	d->odp.whole->num = PAGES;
	d->odp.start = VA;
	d->region->odp = &d->odp;
	d->region->access = RW;
	d->region->iova = VA;
	d->region->length = LEN;
	d->region->valid = true;
	for (i = 0; i < PAGES; i++)
		d->page[i] = (void *)get_zeroed_page(GFP_KERNEL);
	KUNIT_ASSERT_EQ(test, soft_region_publish(d->region), 0);
	return d;
}

static void end(struct on_demand *d)
{
	int i;

	d->region->valid = false;
	d->region->odp = NULL;
	soft_region_withdraw(d->region);
	for (i = 0; i < PAGES; i++)
		free_page((unsigned long)d->page[i]);
}

static void bring(struct on_demand *d, int i, bool write)
{
	d->odp.whole->entry[i] = (unsigned long)d->page[i] | (write ? SOFT_ODP_WRITE : 0);
}

/* Write @length bytes of @value to @va. */
static enum soft_access_err put(struct kunit *test, struct on_demand *d, u64 va, u32 length,
				struct soft_iter *to, u8 value)
{
	u8 *bytes = kunit_kzalloc(test, length, GFP_KERNEL);
	struct soft_iter from;

	memset(bytes, value, length);
	over(test, to, &d->region->mr, va, length, RWR);
	soft_iter_bytes(&from, bytes, length);
	return soft_iter_copy(to, &from, length);
}

static void copy_absent(struct kunit *test)
{
	struct on_demand *d = on_demand(test);
	struct soft_want want;
	struct soft_iter to;

	KUNIT_EXPECT_EQ(test, (int)put(test, d, VA, 100, &to, 1), (int)SOFT_ERR_ABSENT);
	KUNIT_EXPECT_TRUE(test, soft_iter_absent(&to, 100, true, &want));
	KUNIT_EXPECT_PTR_EQ(test, want.region, d->region);
	KUNIT_EXPECT_EQ(test, want.iova, VA);
	KUNIT_EXPECT_EQ(test, want.length, 100ULL);
	KUNIT_EXPECT_TRUE(test, want.write);
	soft_region_put(want.region);
	soft_iter_end(&to);

	/* Not to be written is as absent for a write, and there for a read. */
	bring(d, 0, false);
	KUNIT_EXPECT_EQ(test, (int)put(test, d, VA, 100, &to, 1), (int)SOFT_ERR_ABSENT);
	KUNIT_EXPECT_FALSE(test, soft_iter_absent(&to, 100, false, &want));
	soft_iter_end(&to);
	bring(d, 0, true);
	KUNIT_EXPECT_EQ(test, (int)put(test, d, VA, 100, &to, 1), (int)SOFT_OK);
	soft_iter_end(&to);
	KUNIT_EXPECT_EQ(test, *(u8 *)(d->page[0] + offset_in_page(VA)), 1);
	KUNIT_EXPECT_EQ(test, *(u8 *)(d->page[0] + offset_in_page(VA) + 99), 1);
	KUNIT_EXPECT_EQ(test, *(u8 *)(d->page[0] + offset_in_page(VA) + 100), 0);
	end(d);
}

/* What is wanted begins at the hole, and reaches to the end of the message. */
static void copy_hole(struct kunit *test)
{
	struct on_demand *d = on_demand(test);
	struct soft_want want;
	struct soft_iter to;

	bring(d, 0, true);
	bring(d, 1, true);
	bring(d, 3, true);
	KUNIT_EXPECT_EQ(test, (int)put(test, d, VA, LEN, &to, 2), (int)SOFT_ERR_ABSENT);
	KUNIT_EXPECT_FALSE(test, soft_iter_absent(&to, 100, true, &want));
	KUNIT_EXPECT_TRUE(test, soft_iter_absent(&to, LEN, true, &want));
	KUNIT_EXPECT_EQ(test, want.iova, FIRST + 2 * PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, want.length, VA + LEN - (FIRST + 2 * PAGE_SIZE));
	soft_region_put(want.region);
	soft_iter_end(&to);
	bring(d, 2, true);
	KUNIT_EXPECT_EQ(test, (int)put(test, d, VA, LEN, &to, 3), (int)SOFT_OK);
	soft_iter_end(&to);
	KUNIT_EXPECT_PTR_EQ(test, memchr_inv(d->page[2], 3, PAGE_SIZE), NULL);
	end(d);
}

static void list_absent(struct kunit *test)
{
	struct on_demand *d = on_demand(test);
	const struct ib_sge sge[] = {
		{ VA, 16, d->region->key }, { FIRST + PAGE_SIZE, 64, d->region->key },
	};
	struct soft_iter from, to;
	struct soft_want want;
	u8 bytes[80];

	bring(d, 0, false);
	soft_iter_list(&from, world(test)->mem, &world(test)->pd, sge, 2, 0);
	soft_iter_bytes(&to, bytes, 80);
	KUNIT_EXPECT_EQ(test, (int)soft_iter_copy(&to, &from, 80), (int)SOFT_ERR_ABSENT);
	KUNIT_EXPECT_TRUE(test, soft_iter_absent(&from, 80, false, &want));
	KUNIT_EXPECT_EQ(test, want.iova, FIRST + PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, want.length, 64ULL);
	KUNIT_EXPECT_FALSE(test, want.write);
	soft_region_put(want.region);
	soft_iter_end(&from);
	/* Absent pages are no fault of the list. */
	KUNIT_EXPECT_EQ(test, (int)soft_iter_check(&from), (int)SOFT_OK);
	end(d);
}

static void word_absent(struct kunit *test)
{
	struct on_demand *d = on_demand(test);
	struct soft_want want;
	u64 was = 99;

	KUNIT_EXPECT_EQ(test, (int)soft_region_fetch_add(d->region, d->region->grant, VA, 5, &was),
			(int)SOFT_ERR_ABSENT);
	KUNIT_EXPECT_EQ(test, was, 99ULL);
	KUNIT_EXPECT_TRUE(test, soft_region_absent(d->region, VA, 8, true, &want));
	soft_region_put(want.region);
	bring(d, 0, true);
	KUNIT_EXPECT_EQ(test, (int)soft_region_fetch_add(d->region, d->region->grant, VA, 5, &was), (int)SOFT_OK);
	KUNIT_EXPECT_EQ(test, was, 0ULL);
	KUNIT_EXPECT_FALSE(test, soft_region_absent(d->region, VA, 8, true, &want));
	/* What the key does not grant is wrong, not absent. */
	KUNIT_EXPECT_EQ(test, (int)soft_region_fetch_add(d->region, d->region->grant, VA + LEN, 5, &was),
			(int)SOFT_ERR_BOUNDS);
	end(d);
}

static struct kunit_case soft_mem_on_demand_cases[] = {
	KUNIT_CASE(copy_absent),
	KUNIT_CASE(copy_hole),
	KUNIT_CASE(list_absent),
	KUNIT_CASE(word_absent),
	{}
};

struct kunit_suite soft_mem_on_demand_suite = {
	.name = "soft_mem_on_demand",
	.init = soft_mem_test_init,
	.exit = soft_mem_test_exit,
	.test_cases = soft_mem_on_demand_cases,
};
