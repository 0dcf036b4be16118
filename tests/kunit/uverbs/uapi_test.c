// SPDX-License-Identifier: GPL-2.0
/*
 * The ioctl() of uverbs without a program: trees are built from hand-made
 * definitions, of which some are not fit for that.
 */
#include <linux/module.h>

#include "fruit.h"

static void test_core_only(struct kunit *test)
{
	struct uv_api *api = build(test, NULL);
	const struct uv_method *method;

	KUNIT_EXPECT_PTR_EQ(test, uv_api_type(api, APPLE), &apple);
	KUNIT_EXPECT_TRUE(test, !uv_api_type(api, FIG));
	KUNIT_EXPECT_TRUE(test, !uv_api_type(api, TOOLS));
	KUNIT_EXPECT_TRUE(test, !uv_api_type(api, GRAPE));
	KUNIT_EXPECT_TRUE(test, !uv_api_type(api, 0xffff));
	KUNIT_EXPECT_TRUE(test, !method_of(api, FIG, 0));
	KUNIT_EXPECT_TRUE(test, !method_of(api, 0xffff, 0));
	KUNIT_EXPECT_TRUE(test, !method_of(api, APPLE, 0xffff));
	/* It can not do without a fig. */
	KUNIT_EXPECT_TRUE(test, !method_of(api, APPLE, 2));
	KUNIT_EXPECT_FALSE(test, has_attr(api, APPLE, 2, 0));

	method = method_of(api, APPLE, 0);
	KUNIT_ASSERT_TRUE(test, method);
	/* This one can, and must. */
	KUNIT_ASSERT_TRUE(test, attr_of(api, APPLE, 0, 2));
	KUNIT_EXPECT_TRUE(test, attr_of(api, APPLE, 0, 2)->impossible);
	KUNIT_EXPECT_TRUE(test, has_attr(api, APPLE, 0, 1));
	KUNIT_EXPECT_EQ(test, (int)method->destroyed, UV_NO_ATTR);
	KUNIT_EXPECT_TRUE(test, method->has_udata);
	KUNIT_EXPECT_FALSE(test, method->of_driver);
	KUNIT_EXPECT_EQ(test, bitmap_weight(method->mandatory,
					    UVERBS_API_ATTR_BKEY_LEN), 2);
	KUNIT_EXPECT_EQ(test, (u32)method->num_attrs,
			uapi_key_attr(UVERBS_ATTR_UHW_OUT));

	method = method_of(api, APPLE, 1);
	KUNIT_ASSERT_TRUE(test, method);
	KUNIT_EXPECT_EQ(test, (u32)method->destroyed,
			uapi_bkey_attr(uapi_key_attr(0)));
	KUNIT_EXPECT_FALSE(test, method->has_udata);

	/* Commands go with their objects and their ops. */
	KUNIT_EXPECT_PTR_EQ(test, api->legacy[0], &legacy[0]);
	KUNIT_EXPECT_TRUE(test, !api->legacy[1]);
	KUNIT_EXPECT_TRUE(test, !api->legacy[2]);
	KUNIT_EXPECT_PTR_EQ(test, api->legacy[4], &legacy[4]);
	KUNIT_EXPECT_EQ(test, api->num_legacy, 5);
	KUNIT_EXPECT_EQ(test, api->num_extended, 0);
}

static void test_driver(struct kunit *test)
{
	struct uv_api *api = build(test, driver_defs);
	const struct uv_type *grape = uv_api_type(api, GRAPE);

	KUNIT_ASSERT_TRUE(test, grape);
	KUNIT_EXPECT_EQ(test, grape->size, sizeof(struct grape));
	KUNIT_EXPECT_EQ(test, grape->api.id, (u32)GRAPE);
	KUNIT_EXPECT_FALSE(test, grape->is_fd);
	KUNIT_EXPECT_TRUE(test, api->objects & uv_type_bit(grape));
	KUNIT_EXPECT_TRUE(test, method_of(api, GRAPE, 0)->of_driver);
	/* Its handler is ours, and works when the driver has gone. */
	KUNIT_EXPECT_FALSE(test, method_of(api, GRAPE, 1)->of_driver);
	KUNIT_EXPECT_TRUE(test, !uv_api_type(api, HIDDEN));
	KUNIT_EXPECT_TRUE(test, !method_of(api, HIDDEN, 0));

	KUNIT_EXPECT_TRUE(test, has_attr(api, APPLE, 0,
					 UVERBS_API_NS_FLAG + 2));
	KUNIT_EXPECT_FALSE(test, method_of(api, APPLE, 0)->of_driver);
	KUNIT_EXPECT_TRUE(test, method_of(api, APPLE, UVERBS_API_NS_FLAG));

	KUNIT_EXPECT_TRUE(test, api->legacy[3]->run == other_handler);
	KUNIT_EXPECT_TRUE(test, api->legacy[3]->of_driver);
	KUNIT_EXPECT_TRUE(test, !api->legacy[4]);
	KUNIT_EXPECT_EQ(test, api->num_legacy, 4);
	KUNIT_EXPECT_EQ(test, (int)api->extended[7]->req_size, 8);
	KUNIT_EXPECT_EQ(test, api->num_extended, 8);
}

/* A driver may do without an object of the core, and all that is of it. */
CHAIN(no_apples, DECLARE_UVERBS_OBJECT(APPLE,
				       UAPI_DEF_IS_OBJ_SUPPORTED(never)));

static void test_core_disabled(struct kunit *test)
{
	struct uv_api *api = build(test, no_apples);

	KUNIT_EXPECT_TRUE(test, !uv_api_type(api, APPLE));
	KUNIT_EXPECT_TRUE(test, !method_of(api, APPLE, 0));
	KUNIT_EXPECT_TRUE(test, !api->legacy[0]);
	KUNIT_EXPECT_TRUE(test, method_of(api, TOOLS, 0));
}

/* Built from the makers above. */
#include "uapi_bad.h"

static void test_bad(struct kunit *test)
{
	const struct bad_case *c = test->param_value;
	struct bench *bench = test->priv;
	struct uv_api *api;

	bench->ib_dev.driver_def = c->defs;
	api = uv_api_build(&bench->ib_dev, &core);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(api), -EINVAL);
	if (!IS_ERR(api))
		uv_api_free(api);
}

static struct kunit_case tree_tests[] = {
	KUNIT_CASE(test_core_only),
	KUNIT_CASE(test_driver),
	KUNIT_CASE(test_core_disabled),
	KUNIT_CASE_PARAM(test_bad, bad_gen_params),
	{}
};

static struct kunit_suite tree_suite = {
	.name = "ofed_uverbs_tree",
	.init = tree_init,
	.exit = tree_exit,
	.test_cases = tree_tests,
};

kunit_test_suites(&tree_suite, &uverbs_ioctl_suite);

MODULE_DESCRIPTION("Tests of the ioctl interface of uverbs");
MODULE_LICENSE("GPL");
