// SPDX-License-Identifier: GPL-2.0
/* Pools of regions, with a driver that counts them. */
#include <kunit/test.h>
#include <linux/bitmap.h>
#include <linux/module.h>
#include <linux/sizes.h>

#include "core/frmr/frmr.h"

#define FRMR_TEST_MAX 2048

/* What the driver has; a handle is the number of a bit. */
static struct {
	struct ib_device device;
	DECLARE_BITMAP(live, FRMR_TEST_MAX);
	int creates;
	int fail_after;
	int wrong;
} *bench;

static int fake_create(struct ib_device *device, struct ib_frmr_key *key, u32 *handles, u32 count)
{
	u32 i;

	if (!bench->fail_after)
		return -EIO;
	bench->fail_after--;
	bench->creates++;
	for (i = 0; i < count; i++) {
		handles[i] = find_first_zero_bit(bench->live, FRMR_TEST_MAX);
		if (handles[i] >= FRMR_TEST_MAX)
			return -ENOMEM;
		set_bit(handles[i], bench->live);
	}
	return 0;
}

static void fake_destroy(struct ib_device *device, u32 *handles, u32 count)
{
	while (count--)
		if (!test_and_clear_bit(*handles++, bench->live))
			bench->wrong++;
}

/* Access flags that are not known are refused, and the driver has a flag of its own. */
static int fake_build(struct ib_device *device, const struct ib_frmr_key *in,
		      struct ib_frmr_key *out)
{
	if (in->access_flags > 0xff)
		return -EOPNOTSUPP;
	*out = *in;
	out->vendor_key |= 0x100;
	return 0;
}

static const struct ib_frmr_pool_ops fake_ops = {
	.create_frmrs = fake_create, .destroy_frmrs = fake_destroy, .build_key = fake_build,
};

static int live(void)
{
	return bitmap_weight(bench->live, FRMR_TEST_MAX);
}

static int frmr_test_init(struct kunit *test)
{
	bench = kunit_kzalloc(test, sizeof(*bench), GFP_KERNEL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, bench);
	bench->fail_after = -1;
	bench->device.attrs.max_mr = 1000;
	return 0;
}

static struct ib_frmr_pools *new_pools(struct kunit *test)
{
	struct ib_frmr_pools *pools = ofed_frmr_pools_alloc(&bench->device, &fake_ops);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, pools);
	return pools;
}

/* Nothing is left, and nothing was destroyed twice. */
static void end_pools(struct kunit *test, struct ib_frmr_pools *pools)
{
	ofed_frmr_pools_free(pools);
	KUNIT_EXPECT_EQ(test, live(), 0);
	KUNIT_EXPECT_EQ(test, bench->wrong, 0);
}

static struct ofed_frmr_info info_of(struct kunit *test, struct ib_frmr_pools *pools)
{
	struct ofed_frmr_info info = {};

	KUNIT_EXPECT_TRUE(test, ofed_frmr_pools_next(pools, NULL, &info));
	return info;
}

static void handles_test(struct kunit *test)
{
	struct ofed_frmr_handles handles = {};
	u32 i, handle, taken[4];

	KUNIT_EXPECT_FALSE(test, ofed_frmr_handles_pop(&handles, &handle));
	KUNIT_ASSERT_EQ(test, ofed_frmr_handles_reserve(&handles, 10), 0);
	for (i = 0; i < 10; i++)
		ofed_frmr_handles_push(&handles, 100 + i);
	/* None has lain for a period. */
	KUNIT_EXPECT_EQ(test, ofed_frmr_handles_take_unused(&handles, 0, taken, 4), 0);
	ofed_frmr_handles_tick(&handles);
	KUNIT_EXPECT_TRUE(test, ofed_frmr_handles_pop(&handles, &handle));
	KUNIT_EXPECT_EQ(test, handle, 109);
	KUNIT_EXPECT_TRUE(test, ofed_frmr_handles_pop(&handles, &handle));
	ofed_frmr_handles_push(&handles, 200);
	ofed_frmr_handles_push(&handles, 201);
	ofed_frmr_handles_push(&handles, 202);
	/* Two at a time were needed: eight of eleven were not. */
	KUNIT_EXPECT_EQ(test, ofed_frmr_handles_take_unused(&handles, 9, taken, 4), 2);
	KUNIT_EXPECT_EQ(test, ofed_frmr_handles_take_unused(&handles, 0, taken, 4), 4);
	KUNIT_EXPECT_EQ(test, ofed_frmr_handles_take_unused(&handles, 0, taken, 4), 2);
	KUNIT_EXPECT_EQ(test, ofed_frmr_handles_take_unused(&handles, 0, taken, 4), 0);
	KUNIT_EXPECT_EQ(test, handles.cnt, 3);
	ofed_frmr_handles_free(&handles);
	KUNIT_EXPECT_EQ(test, handles.size, 0);
}

static void room_test(struct kunit *test)
{
	struct ofed_frmr_handles handles = {};
	u32 handle;

	KUNIT_ASSERT_EQ(test, ofed_frmr_handles_reserve(&handles, 1000), 0);
	KUNIT_EXPECT_EQ(test, handles.size, 1024);
	ofed_frmr_handles_push(&handles, 7);
	/* It does not swing. */
	KUNIT_EXPECT_EQ(test, ofed_frmr_handles_reserve(&handles, 300), 0);
	KUNIT_EXPECT_EQ(test, handles.size, 1024);
	KUNIT_EXPECT_EQ(test, ofed_frmr_handles_reserve(&handles, 256), 0);
	KUNIT_EXPECT_EQ(test, handles.size, 256);
	KUNIT_EXPECT_EQ(test, ofed_frmr_handles_reserve(&handles, 0), 0);
	KUNIT_EXPECT_EQ(test, handles.size, 16);
	KUNIT_EXPECT_EQ(test, ofed_frmr_handles_reserve(&handles, U32_MAX), -ENOMEM);
	KUNIT_EXPECT_TRUE(test, ofed_frmr_handles_pop(&handles, &handle));
	KUNIT_EXPECT_EQ(test, handle, 7);
	ofed_frmr_handles_free(&handles);
}

/* Keys in order: each member counts, and more than those behind it. */
static const struct ib_frmr_key ordered[] = {
	{ .vendor_key = 1, .num_dma_blocks = 9 },
	{ .vendor_key = 1, .num_dma_blocks = 9, .ats = 1 },
	{ .vendor_key = 1, .num_dma_blocks = 9, .access_flags = 7 },
	{ .vendor_key = 1, .num_dma_blocks = 9, .access_flags = (int)BIT(31) },
	{ .vendor_key = 1, .num_dma_blocks = SZ_1G },
	{ .vendor_key = 2 },
	{ .vendor_key = BIT_ULL(63) },
	{ .kernel_vendor_key = 1 },
	{ .kernel_vendor_key = BIT_ULL(40), .vendor_key = 1 },
};

static void key_order_test(struct kunit *test)
{
	int i, j, order;

	for (i = 0; i < ARRAY_SIZE(ordered); i++)
		for (j = 0; j < ARRAY_SIZE(ordered); j++) {
			order = ofed_frmr_key_cmp(&ordered[i], &ordered[j]);
			KUNIT_EXPECT_EQ(test, clamp(order, -1, 1), clamp(i - j, -1, 1));
		}
}

static void walk_test(struct kunit *test)
{
	struct ib_frmr_pools *pools = new_pools(test);
	const struct ib_frmr_key *after = NULL;
	struct ofed_frmr_info info;
	struct ib_frmr_pool *pool;
	u32 handle;
	int i;

	for (i = ARRAY_SIZE(ordered) - 1; i >= 0; i--) {
		KUNIT_ASSERT_EQ(test, ofed_frmr_pools_pop(pools, &ordered[i], &pool, &handle), 0);
		ofed_frmr_pools_push(pool, handle);
	}
	for (i = 0; ofed_frmr_pools_next(pools, after, &info); i++) {
		KUNIT_ASSERT_LT(test, i, ARRAY_SIZE(ordered));
		after = &ordered[i];
		KUNIT_EXPECT_EQ(test, ofed_frmr_key_cmp(&info.key, after), 0);
	}
	KUNIT_EXPECT_EQ(test, i, ARRAY_SIZE(ordered));
	end_pools(test, pools);
}

static void reuse_test(struct kunit *test)
{
	struct ib_frmr_pools *pools = new_pools(test);
	struct ib_frmr_pool *pool, *again;
	struct ofed_frmr_info info;
	u32 handle[3];
	int i;

	for (i = 0; i < 3; i++)
		KUNIT_ASSERT_EQ(test, ofed_frmr_pools_pop(pools, &ordered[0], &pool, &handle[i]), 0);
	info = info_of(test, pools);
	KUNIT_EXPECT_EQ(test, info.in_use, 3);
	ofed_frmr_pools_push(pool, handle[0]);
	/* One region of the three is lost with its handle. */
	ofed_frmr_pools_drop(pool);
	fake_destroy(&bench->device, &handle[1], 1);
	KUNIT_EXPECT_EQ(test, ofed_frmr_pools_pop(pools, &ordered[0], &again, &handle[1]), 0);
	KUNIT_EXPECT_PTR_EQ(test, again, pool);
	KUNIT_EXPECT_EQ(test, handle[1], handle[0]);
	KUNIT_EXPECT_EQ(test, bench->creates, 3);
	KUNIT_EXPECT_EQ(test, ofed_frmr_pools_pop(pools, &ordered[1], &again, &handle[0]), 0);
	KUNIT_EXPECT_PTR_NE(test, again, pool);
	ofed_frmr_pools_push(again, handle[0]);
	ofed_frmr_pools_push(pool, handle[1]);
	ofed_frmr_pools_push(pool, handle[2]);
	info = info_of(test, pools);
	KUNIT_EXPECT_EQ(test, info.in_use, 0);
	KUNIT_EXPECT_EQ(test, info.max_in_use, 3);
	KUNIT_EXPECT_EQ(test, info.handles, 2);
	end_pools(test, pools);
}

static void create_fails_test(struct kunit *test)
{
	struct ib_frmr_pools *pools = new_pools(test);
	struct ib_frmr_pool *pool;
	u32 handle;

	bench->fail_after = 0;
	KUNIT_EXPECT_EQ(test, ofed_frmr_pools_pop(pools, &ordered[0], &pool, &handle), -EIO);
	KUNIT_EXPECT_EQ(test, info_of(test, pools).in_use, 0);
	/* The pool is not wanted, and goes in time if there are many. */
	KUNIT_EXPECT_TRUE(test, delayed_work_pending(&pools->aging));
	/* Half of what is to be pinned comes. */
	bench->fail_after = 1;
	KUNIT_EXPECT_EQ(test, ofed_frmr_pools_pin(pools, &ordered[0], 2 * OFED_FRMR_BATCH), -EIO);
	KUNIT_EXPECT_EQ(test, live(), OFED_FRMR_BATCH);
	ofed_frmr_pools_age(pools);
	ofed_frmr_pools_age(pools);
	KUNIT_EXPECT_EQ(test, live(), 0);
	end_pools(test, pools);
}

static void aging_test(struct kunit *test)
{
	struct ib_frmr_pools *pools = new_pools(test);
	const int cnt = 2 * OFED_FRMR_BATCH + 5;
	u32 handle[2 * OFED_FRMR_BATCH + 5];
	struct ib_frmr_pool *pool;
	int i;

	for (i = 0; i < cnt; i++)
		KUNIT_ASSERT_EQ(test, ofed_frmr_pools_pop(pools, &ordered[0], &pool, &handle[i]), 0);
	KUNIT_EXPECT_FALSE(test, ofed_frmr_pools_age(pools));
	for (i = 1; i < cnt; i++)
		ofed_frmr_pools_push(pool, handle[i]);
	KUNIT_EXPECT_TRUE(test, ofed_frmr_pools_age(pools));
	KUNIT_EXPECT_EQ(test, live(), cnt);
	/* Two are needed meanwhile. */
	for (i = 1; i < 3; i++)
		ofed_frmr_pools_pop(pools, &ordered[0], &pool, &handle[i]);
	for (i = 1; i < 3; i++)
		ofed_frmr_pools_push(pool, handle[i]);
	KUNIT_EXPECT_TRUE(test, ofed_frmr_pools_age(pools));
	KUNIT_EXPECT_EQ(test, live(), 3);
	KUNIT_EXPECT_FALSE(test, ofed_frmr_pools_age(pools));
	KUNIT_EXPECT_EQ(test, live(), 1);
	ofed_frmr_pools_push(pool, handle[0]);
	end_pools(test, pools);
}

static void pinned_test(struct kunit *test)
{
	struct ib_frmr_key key = { .num_dma_blocks = 8 }, built;
	struct ib_frmr_pools *pools = new_pools(test);
	struct ib_frmr_pool *pool;
	u32 handle;

	fake_build(&bench->device, &key, &built);
	KUNIT_ASSERT_EQ(test, ofed_frmr_pools_pop(pools, &built, &pool, &handle), 0);
	/* One that is in use counts. */
	KUNIT_EXPECT_EQ(test, ofed_frmr_pools_pin(pools, &key, 100), 0);
	KUNIT_EXPECT_EQ(test, live(), 100);
	KUNIT_EXPECT_EQ(test, info_of(test, pools).handles, 99);
	KUNIT_EXPECT_FALSE(test, ofed_frmr_pools_age(pools));
	KUNIT_EXPECT_FALSE(test, ofed_frmr_pools_age(pools));
	KUNIT_EXPECT_EQ(test, live(), 100);
	KUNIT_EXPECT_EQ(test, ofed_frmr_pools_pin(pools, &key, 40), 0);
	ofed_frmr_pools_push(pool, handle);
	ofed_frmr_pools_age(pools);
	ofed_frmr_pools_age(pools);
	KUNIT_EXPECT_EQ(test, live(), 40);
	KUNIT_EXPECT_EQ(test, info_of(test, pools).pinned, 40);
	KUNIT_EXPECT_EQ(test, info_of(test, pools).max_in_use, 1);
	end_pools(test, pools);
}

static void pin_refused_test(struct kunit *test)
{
	struct ib_frmr_key unknown = { .access_flags = 0x100 }, kernel = { .kernel_vendor_key = 3 };
	struct ib_frmr_pools *pools = new_pools(test);
	struct ofed_frmr_info info;

	KUNIT_EXPECT_EQ(test, ofed_frmr_pools_pin(pools, &unknown, 1), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, ofed_frmr_pools_pin(pools, &kernel, 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, ofed_frmr_pools_pin(pools, &ordered[0], 1001), -EINVAL);
	KUNIT_EXPECT_FALSE(test, ofed_frmr_pools_next(pools, NULL, &info));
	KUNIT_EXPECT_EQ(test, ofed_frmr_pools_set_period(pools, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, ofed_frmr_pools_set_period(pools, U32_MAX), 0);
	end_pools(test, pools);
}

static void many_keys_test(struct kunit *test)
{
	struct ib_frmr_pools *pools = new_pools(test);
	struct ib_frmr_key key = {};
	struct ib_frmr_pool *pool, *used;
	u32 handle, used_handle;

	KUNIT_ASSERT_EQ(test, ofed_frmr_pools_pop(pools, &key, &used, &used_handle), 0);
	while (++key.num_dma_blocks < OFED_FRMR_POOLS_KEPT + 50) {
		KUNIT_ASSERT_EQ(test, ofed_frmr_pools_pop(pools, &key, &pool, &handle), 0);
		ofed_frmr_pools_push(pool, handle);
	}
	ofed_frmr_pools_age(pools);
	KUNIT_EXPECT_EQ(test, pools->cnt, OFED_FRMR_POOLS_KEPT + 50);
	ofed_frmr_pools_age(pools);
	KUNIT_EXPECT_EQ(test, pools->cnt, OFED_FRMR_POOLS_KEPT);
	/* That of a region is not among those that went. */
	KUNIT_EXPECT_EQ(test, info_of(test, pools).in_use, 1);
	ofed_frmr_pools_push(used, used_handle);
	end_pools(test, pools);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(handles_test),
	KUNIT_CASE(room_test),
	KUNIT_CASE(key_order_test),
	KUNIT_CASE(walk_test),
	KUNIT_CASE(reuse_test),
	KUNIT_CASE(create_fails_test),
	KUNIT_CASE(aging_test),
	KUNIT_CASE(pinned_test),
	KUNIT_CASE(pin_refused_test),
	KUNIT_CASE(many_keys_test),
	{}
};

static struct kunit_suite suite = {
	.name = "frmr",
	.init = frmr_test_init,
	.test_cases = cases,
};

kunit_test_suite(suite);

MODULE_DESCRIPTION("Unit tests of the pools of memory regions");
MODULE_LICENSE("GPL");
