// SPDX-License-Identifier: GPL-2.0
/*
 * The attributes of an ioctl() of uverbs are parsed, as far as no memory of a program is
 * needed: those of the driver's method of apples.
 */
#include "fruit.h"

static struct ib_uobject *apple_new(struct kunit *test)
{
	struct bench *bench = test->priv;
	struct uverbs_attr_bundle attrs = { .ufile = &bench->file.base };
	struct ib_uobject *uobj;

	scoped_guard(srcu, &bench->dev.srcu)
		uobj = uv_uobj_begin(&apple, &attrs);
	KUNIT_ASSERT_FALSE(test, IS_ERR(uobj));
	uobj->object = bench;
	uv_uobj_commit(uobj);
	return uobj;
}

static struct uv_call *call_of(struct kunit *test, u32 id,
			       const struct ib_uverbs_attr *uattrs, u16 count)
{
	struct bench *bench = test->priv;
	const struct uv_method *method;
	struct uv_call *call;
	u32 key;

	method = uv_api_method(bench->dev.api, APPLE, id, &key);
	KUNIT_ASSERT_TRUE(test, method);
	call = uv_call_new(&bench->file.base, method, count);
	KUNIT_ASSERT_TRUE(test, call);
	call->key = key;
	memcpy(call->uattrs, uattrs, count * sizeof(*uattrs));
	return call;
}

/* A request of one handle and one attribute more is parsed, and undone. */
static int parse_one(struct kunit *test, struct ib_uverbs_attr uattr)
{
	struct bench *bench = test->priv;
	const struct ib_uverbs_attr uattrs[] = { { .data = 0 }, uattr };
	struct uv_call *call;
	int ret;

	call = call_of(test, UVERBS_API_NS_FLAG, uattrs, 2);
	scoped_guard(srcu, &bench->dev.srcu) {
		ret = uv_parse_attrs(call, 2);
		uv_call_end(call, ret);
	}
	return ret;
}

#define ONE(...) parse_one(test, (struct ib_uverbs_attr){ __VA_ARGS__ })

static void test_parse_data(struct kunit *test)
{
	build(test, driver_defs);
	apple_new(test);

	/* From 1 to 4 bytes, and zeroes. */
	KUNIT_EXPECT_EQ(test, ONE(3, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, ONE(3, 1, .data = ~0ULL), 0);
	KUNIT_EXPECT_EQ(test, ONE(3, 4, .data = ~0ULL), 0);
	KUNIT_EXPECT_EQ(test, ONE(3, 8, .data = U32_MAX), 0);
	KUNIT_EXPECT_EQ(test, ONE(3, 8, .data = 1ULL << 32), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, ONE(3, 6, .data = 1ULL << 48), 0);
	KUNIT_EXPECT_EQ(test, ONE(3, 5, .data = 1ULL << 32), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, ONE(3, 4, .attr_data.reserved = 1), -EINVAL);
	/* Not more than 8 bytes. */
	KUNIT_EXPECT_EQ(test, ONE(5, 8), 0);
	KUNIT_EXPECT_EQ(test, ONE(5, 9), -EINVAL);
	KUNIT_EXPECT_EQ(test, ONE(5, 4), -EINVAL);
	/* At least 2 bytes; short ones are not copied. */
	KUNIT_EXPECT_EQ(test, ONE(9, 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, ONE(9, 8), 0);

	KUNIT_EXPECT_EQ(test, ONE(6, 0, .data_s64 = -1), 0);
	KUNIT_EXPECT_EQ(test, ONE(6, 0, .data_s64 = 1LL + INT_MAX), -EINVAL);
	KUNIT_EXPECT_EQ(test, ONE(6, 0, .data_s64 = INT_MIN - 1LL), -EINVAL);
	KUNIT_EXPECT_EQ(test, ONE(6, 4), -EINVAL);

	KUNIT_EXPECT_EQ(test, ONE(7, 0), 0);
	KUNIT_EXPECT_EQ(test, ONE(7, 4, .attr_data.enum_data.elem_id = 2), 0);
	KUNIT_EXPECT_EQ(test, ONE(7, 8, .attr_data.enum_data.elem_id = 2),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, ONE(7, 0, .attr_data.enum_data.elem_id = 1),
			-EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, ONE(7, 0, .attr_data.enum_data.elem_id = 3),
			-EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, ONE(7, 0, .attr_data.enum_data.reserved = 1),
			-EINVAL);
}

static void test_parse_objects(struct kunit *test)
{
	const u64 pair = 1ULL << 32;

	build(test, driver_defs);
	apple_new(test);
	KUNIT_ASSERT_EQ(test, apple_new(test)->id, 1);

	/* A second look at apple 0 is shared, or it is not. */
	KUNIT_EXPECT_EQ(test, ONE(1, 0, .data = 1), 0);
	KUNIT_EXPECT_EQ(test, ONE(1, 0, .data = 0), -EBUSY);
	KUNIT_EXPECT_EQ(test, ONE(1, 0, .data = 2), -ENOENT);
	KUNIT_EXPECT_EQ(test, ONE(1, 0, .data_s64 = -1), -EINVAL);
	KUNIT_EXPECT_EQ(test, ONE(1, 0, .data = pair), -ENOENT);
	KUNIT_EXPECT_EQ(test, ONE(1, 4, .data = 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, ONE(1, 0, .attr_data.reserved = 1, .data = 1),
			-EINVAL);

	KUNIT_EXPECT_EQ(test, ONE(8, 4), 0);
	KUNIT_EXPECT_EQ(test, ONE(8, 8, .data = pair), 0);
	KUNIT_EXPECT_EQ(test, ONE(8, 8, .data = 2 * pair), -ENOENT);
	KUNIT_EXPECT_EQ(test, ONE(8, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, ONE(8, 6), -EINVAL);
	KUNIT_EXPECT_EQ(test, ONE(8, 12), -EINVAL);

	/* All of that was let go. */
	KUNIT_EXPECT_EQ(test, ONE(1, 0, .data = 1), 0);
}

static void test_parse_request(struct kunit *test)
{
	struct ib_uverbs_attr attr = { .attr_id = 0 };
	struct uv_call *call;

	build(test, driver_defs);
	apple_new(test);
	/* What no handler knows, with and without need. */
	KUNIT_EXPECT_EQ(test, ONE(30, 0), 0);
	KUNIT_EXPECT_EQ(test, ONE(0xffff, 0), 0);
	KUNIT_EXPECT_EQ(test, ONE(30, 0, UVERBS_ATTR_F_MANDATORY),
			-EPROTONOSUPPORT);
	/* The same twice. */
	KUNIT_EXPECT_EQ(test, ONE(0, 0), -EINVAL);

	/* What must be there, and is not. */
	call = call_of(test, UVERBS_API_NS_FLAG, &attr, 0);
	KUNIT_EXPECT_EQ(test, uv_parse_attrs(call, 0), -EINVAL);
	uv_call_end(call, -EINVAL);
}

/* The handle of a new object cannot be returned here, so it goes again. */
static void test_parse_new(struct kunit *test)
{
	const struct ib_uverbs_attr attrs[] = { { .attr_id = 1, .len = 4 },
						{ .attr_id = 0 } };
	struct bench *bench = test->priv;
	struct uv_call *call;

	/* It walks the page table of a thread, which one of the kernel has not. */
	if (IS_ENABLED(CONFIG_UML))
		kunit_skip(test, "ARCH=um");
	build(test, NULL);
	scoped_guard(srcu, &bench->dev.srcu) {
		call = call_of(test, 0, attrs, 2);
		KUNIT_EXPECT_EQ(test, uv_parse_attrs(call, 2), -EFAULT);
		KUNIT_EXPECT_EQ(test, atomic_read(&bench_charged), 1);
		uv_call_end(call, -EFAULT);
	}
	KUNIT_EXPECT_EQ(test, atomic_read(&bench_charged), 0);
	KUNIT_EXPECT_TRUE(test, xa_empty(&bench->file.base.idr));
	/* The method was not asked, so there was nothing to destroy. */
	KUNIT_EXPECT_EQ(test, destroyed, 0);
}

static int destroy_apple(struct kunit *test, u64 id)
{
	const struct ib_uverbs_attr attr = { .data = id };
	struct bench *bench = test->priv;
	struct uv_call *call;
	int ret;

	call = call_of(test, 1, &attr, 1);
	scoped_guard(srcu, &bench->dev.srcu) {
		ret = uv_call_run(call, 1);
		uv_call_end(call, ret);
	}
	return ret;
}

static void test_destroy(struct kunit *test)
{
	struct bench *bench = test->priv;
	struct uverbs_attr_bundle attrs = { .ufile = &bench->file.base };
	struct ib_uobject *uobj;

	build(test, driver_defs);
	uobj = apple_new(test);
	scoped_guard(srcu, &bench->dev.srcu)
		uobj = uv_get_read(&apple, uobj->id, &attrs);
	KUNIT_EXPECT_EQ(test, destroy_apple(test, 0), -EBUSY);
	uv_put_read(uobj);
	KUNIT_EXPECT_EQ(test, destroy_apple(test, 0), 0);
	KUNIT_EXPECT_EQ(test, destroy_apple(test, 0), -ENOENT);
	KUNIT_EXPECT_EQ(test, destroyed, 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&bench_charged), 0);

	/* After an unplug: the handle goes, the driver is not asked. */
	apple_new(test);
	rcu_assign_pointer(bench->dev.ib_dev, NULL);
	bench_teardown(bench, RDMA_REMOVE_DRIVER_REMOVE);
	KUNIT_EXPECT_EQ(test, destroyed, 2);
	KUNIT_EXPECT_EQ(test, ONE(5, 8), -EIO);
	KUNIT_EXPECT_EQ(test, destroy_apple(test, 0), 0);
	KUNIT_EXPECT_EQ(test, destroyed, 2);
}

/* What handlers are told of numbers. */
static void test_numbers(struct kunit *test)
{
	struct bench *bench = test->priv;
	const struct ib_uverbs_attr attrs[] = {
		{ .data = 0 },
		{ .attr_id = 4, .len = 4, .data = 0xff00000005ULL },
		{ .attr_id = 5, .len = 8, .data_s64 = -7 },
	};
	struct uverbs_attr_bundle *bundle;
	struct uv_call *call;
	s64 signed_value;
	u64 value;
	u32 flags;

	build(test, driver_defs);
	apple_new(test);
	call = call_of(test, UVERBS_API_NS_FLAG, attrs, 3);
	bundle = &call->bundle;
	scoped_guard(srcu, &bench->dev.srcu)
		KUNIT_EXPECT_EQ(test, uv_parse_attrs(call, 3), 0);

	KUNIT_EXPECT_EQ(test, uverbs_get_flags32(&flags, bundle, 4, 7), 0);
	KUNIT_EXPECT_EQ(test, flags, 5);
	KUNIT_EXPECT_EQ(test, uverbs_get_flags64(&value, bundle, 4, 3),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, uverbs_get_flags64(&value, bundle, 3, 0), 0);
	KUNIT_EXPECT_EQ(test, value, 0);

	KUNIT_EXPECT_EQ(test, uverbs_get_const_signed(&signed_value, bundle, 5),
			0);
	KUNIT_EXPECT_EQ(test, signed_value, -7);
	KUNIT_EXPECT_EQ(test, uverbs_get_const_unsigned(&flags, bundle, 5),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, uverbs_get_const(&value, bundle, 3), -ENOENT);
	KUNIT_EXPECT_EQ(test, uverbs_get_const_default(&value, bundle, 3, 9),
			0);
	KUNIT_EXPECT_EQ(test, value, 9);
	KUNIT_EXPECT_EQ(test, uverbs_copy_to(bundle, 3, &value, sizeof(value)),
			-ENOENT);
	scoped_guard(srcu, &bench->dev.srcu)
		uv_call_end(call, 0);
}

static struct kunit_case ioctl_tests[] = {
	KUNIT_CASE(test_parse_data),
	KUNIT_CASE(test_parse_objects),
	KUNIT_CASE(test_parse_request),
	KUNIT_CASE(test_parse_new),
	KUNIT_CASE(test_destroy),
	KUNIT_CASE(test_numbers),
	{}
};

struct kunit_suite uverbs_ioctl_suite = {
	.name = "ofed_uverbs_ioctl",
	.init = tree_init,
	.exit = tree_exit,
	.test_cases = ioctl_tests,
};
