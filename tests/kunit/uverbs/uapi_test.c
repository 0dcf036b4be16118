// SPDX-License-Identifier: GPL-2.0
/*
 * The ioctl() of uverbs without a program: trees are built from hand-made
 * definitions, of which some are not fit for that; and attributes are parsed,
 * as far as no memory of a program is needed.
 *
 * The sources are linked with this. The standard objects here are two: apples, which
 * the device has, and figs, for which it lacks an op.
 */
#include <kunit/test.h>
#include <linux/module.h>

#include "uverbs/ioctl/ioctl.h"
#include "uverbs/ioctl/uapi_build.h"
#include "bench.h"

/* Objects and commands of the core */

enum {
	APPLE = UVERBS_OBJECT_PD,
	FIG = UVERBS_OBJECT_AH,
	TOOLS = UVERBS_OBJECT_DEVICE,
	/* Of the driver. */
	GRAPE = UVERBS_API_NS_FLAG,
	HIDDEN,
};

static int destroyed;

static int fruit_destroy(struct ib_uobject *uobj, enum rdma_remove_reason why,
			 struct uverbs_attr_bundle *attrs)
{
	destroyed++;
	return 0;
}

static const struct uv_type apple = {
	.api.id = APPLE,
	.size = sizeof(struct ib_uobject),
	.destroy = fruit_destroy,
	.needs = offsetof(struct ib_device_ops, dealloc_pd),
};

static const struct uv_type fig = {
	.api.id = FIG,
	.size = sizeof(struct ib_uobject),
	.destroy = fruit_destroy,
	.needs = offsetof(struct ib_device_ops, destroy_ah),
};

static const struct uv_type * const fruit[] = { &apple, &fig };

static int handler(struct uverbs_attr_bundle *attrs)
{
	return 0;
}

static int other_handler(struct uverbs_attr_bundle *attrs)
{
	return 0;
}

static const struct uv_cmd legacy[] = {
	[0] = { .run = handler, .object = APPLE },
	[1] = { .run = handler, .object = FIG },
	[2] = { .run = handler, .object = TOOLS,
		.needs = { offsetof(struct ib_device_ops, query_port) } },
	[3] = { .run = handler, .object = TOOLS },
	[4] = { .run = handler, .object = TOOLS },
};

/*
 * Definitions as the macros of <rdma/uverbs_named_ioctl.h> make them, with
 * names of their own, so that there may be many of the same method.
 */
#define METHOD(name, id_, handler_, ...)				\
	static const struct uverbs_attr_def * const name##_attrs[] = {	\
		__VA_ARGS__ };						\
	static const struct uverbs_method_def name = {			\
		.id = (id_),						\
		.handler = (handler_),					\
		.num_attrs = ARRAY_SIZE(name##_attrs),			\
		.attrs = &name##_attrs,					\
	}

#define OBJECT(name, id_, type, ...)					\
	static const struct uverbs_method_def * const name##_methods[] = { \
		__VA_ARGS__ };						\
	static const struct uverbs_object_def name = {			\
		.id = (id_),						\
		.type_attrs = (type),					\
		.num_methods = ARRAY_SIZE(name##_methods),		\
		.methods = &name##_methods,				\
	}

#define CHAIN(name, ...)						\
	static const struct uapi_definition name[] = { __VA_ARGS__, {} }

#define COMMAND(number, func, ...)				\
	{								\
		.kind = UAPI_DEF_WRITE, .scope = UAPI_SCOPE_OBJECT,	\
		.func_write = (func),					\
		.write = { .command_num = (number), ##__VA_ARGS__ },	\
	}

#define TREE(object) UAPI_DEF_CHAIN_OBJ_TREE((object).id, &(object))

METHOD(apple_make, 0, handler,
	UVERBS_ATTR_IDR(0, APPLE, UVERBS_ACCESS_NEW, UA_MANDATORY),
	UVERBS_ATTR_PTR_IN(1, UVERBS_ATTR_TYPE(u32), UA_MANDATORY),
	UVERBS_ATTR_IDR(2, FIG, UVERBS_ACCESS_READ, UA_OPTIONAL),
	UVERBS_ATTR_UHW());
METHOD(apple_end, 1, uverbs_destroy_def_handler,
	UVERBS_ATTR_IDR(0, APPLE, UVERBS_ACCESS_DESTROY, UA_MANDATORY));
METHOD(apple_fig, 2, handler,
	UVERBS_ATTR_IDR(0, FIG, UVERBS_ACCESS_READ, UA_MANDATORY));
OBJECT(apple_tree, APPLE, NULL, &apple_make, &apple_end, &apple_fig);

METHOD(fig_make, 0, handler,
	UVERBS_ATTR_IDR(0, FIG, UVERBS_ACCESS_NEW, UA_MANDATORY));
OBJECT(fig_tree, FIG, NULL, &fig_make);

METHOD(tools_use, 0, handler);
OBJECT(tools_tree, TOOLS, NULL, &tools_use);

CHAIN(fruit_defs, TREE(tools_tree), TREE(apple_tree), TREE(fig_tree));

static const struct uv_api_core core = {
	.types = fruit,
	.num_types = ARRAY_SIZE(fruit),
	.defs = fruit_defs,
	.legacy = legacy,
	.num_legacy = ARRAY_SIZE(legacy),
};

/* A driver */

static int grape_destroy(struct ib_uobject *uobj, enum rdma_remove_reason why,
			 struct uverbs_attr_bundle *attrs)
{
	return 0;
}

static bool never(struct ib_device *ib_dev)
{
	return false;
}

struct grape {
	struct ib_uobject uobj;
	u64 sugar;
};

#define IDR_TYPE(name, size, destroy)					\
	static const struct uverbs_obj_idr_type name = {		\
		.type = { &uverbs_idr_class, (size) },			\
		.destroy_object = (destroy),				\
	}

IDR_TYPE(grape_type, sizeof(struct grape), grape_destroy);

static const struct uverbs_attr_spec shapes[] = {
	[0] = { .type = UVERBS_ATTR_TYPE_PTR_IN, UVERBS_ATTR_NO_DATA() },
	[2] = { .type = UVERBS_ATTR_TYPE_PTR_IN, UVERBS_ATTR_TYPE(u32) },
};

METHOD(grape_make, 0, handler,
	UVERBS_ATTR_IDR(0, GRAPE, UVERBS_ACCESS_NEW, UA_MANDATORY));
METHOD(grape_end, 1, uverbs_destroy_def_handler,
	UVERBS_ATTR_IDR(0, GRAPE, UVERBS_ACCESS_DESTROY, UA_MANDATORY));
OBJECT(grape_tree, GRAPE, &grape_type.type, &grape_make, &grape_end);

METHOD(hidden_make, 0, handler,
	UVERBS_ATTR_IDR(0, HIDDEN, UVERBS_ACCESS_NEW, UA_MANDATORY));
OBJECT(hidden_tree, HIDDEN, &grape_type.type, &hidden_make);

/* An attribute more in a method of the core, and a method more. */
METHOD(apple_more, 0, NULL,
	UVERBS_ATTR_PTR_OUT(UVERBS_API_NS_FLAG + 2, UVERBS_ATTR_TYPE(u64),
			   UA_OPTIONAL));
METHOD(apple_own, UVERBS_API_NS_FLAG, handler,
	UVERBS_ATTR_IDR(0, APPLE, UVERBS_ACCESS_READ, UA_MANDATORY),
	UVERBS_ATTR_IDR(1, APPLE, UVERBS_ACCESS_WRITE, UA_OPTIONAL),
	UVERBS_ATTR_PTR_IN(3, UVERBS_ATTR_SIZE(1, 4), UA_OPTIONAL,
			  .zero_trailing = 1),
	UVERBS_ATTR_FLAGS_IN(4, u32, UA_OPTIONAL),
	UVERBS_ATTR_CONST_IN(5, u32, UA_OPTIONAL),
	UVERBS_ATTR_RAW_FD(6, UA_OPTIONAL),
	UVERBS_ATTR_ENUM_IN(7, shapes, UA_OPTIONAL),
	UVERBS_ATTR_IDRS_ARR(8, APPLE, UVERBS_ACCESS_READ, 1, 2, UA_OPTIONAL),
	UVERBS_ATTR_PTR_IN(9, UVERBS_ATTR_MIN_SIZE(2), UA_OPTIONAL,
			  UA_ALLOC_AND_COPY));
OBJECT(apple_extra, APPLE, NULL, &apple_more, &apple_own);

CHAIN(driver_defs, TREE(grape_tree),
	TREE(hidden_tree), UAPI_DEF_IS_OBJ_SUPPORTED(never),
	UAPI_DEF_CHAIN_OBJ_TREE(APPLE, &apple_extra),
	DECLARE_UVERBS_OBJECT(TOOLS,
	      COMMAND(3, other_handler),
	      COMMAND(4, other_handler), UAPI_DEF_METHOD_NEEDS_FN(query_port),
	      COMMAND(7, other_handler, .is_ex = 1, .req_size = 8)));

/* A device, and one open file of it */

static int tree_init(struct kunit *test)
{
	struct bench *bench;
	int ret = bench_init(test);

	if (ret)
		return ret;
	bench = test->priv;
	destroyed = 0;
	/* Whatever it is, it is there. */
	bench->ib_dev.ops.dealloc_pd = (void *)handler;
	bench->ib_dev.uverbs_cmd_mask = U64_MAX;
	return 0;
}

static void tree_exit(struct kunit *test)
{
	struct bench *bench = test->priv;

	if (!bench)
		return;
	bench_teardown(bench, RDMA_REMOVE_CLOSE);
	bench_exit(test);
	uv_api_free(bench->dev.api);
}

static struct uv_api *build(struct kunit *test,
			    const struct uapi_definition *defs)
{
	struct bench *bench = test->priv;
	struct uv_api *api;

	bench->ib_dev.driver_def = defs;
	api = uv_api_build(&bench->ib_dev, &core);
	KUNIT_ASSERT_FALSE(test, IS_ERR(api));
	bench->dev.api = api;
	bench->dev.types_ok = api->objects;
	return api;
}

static const struct uv_method *method_of(struct uv_api *api, u32 object, u32 id)
{
	u32 key;

	return uv_api_method(api, object, id, &key);
}

static const struct uverbs_api_attr *attr_of(struct uv_api *api, u32 object,
					     u32 method, u32 id)
{
	return xa_load(&api->nodes, uapi_key_obj(object) |
		       uapi_key_ioctl_method(method) | uapi_key_attr(id));
}

static bool has_attr(struct uv_api *api, u32 object, u32 method, u32 id)
{
	const struct uverbs_api_attr *attr = attr_of(api, object, method, id);

	return attr && !attr->impossible;
}

/* Trees */

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

/* Attributes: those of the driver's method of apples */

static struct ib_uobject *apple_new(struct kunit *test)
{
	struct bench *bench = test->priv;
	struct uverbs_attr_bundle attrs = { .ufile = &bench->file };
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
	call = uv_call_new(&bench->file, method, count);
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
	KUNIT_EXPECT_TRUE(test, xa_empty(&bench->file.handles));
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
	struct uverbs_attr_bundle attrs = { .ufile = &bench->file };
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

static struct kunit_case ioctl_tests[] = {
	KUNIT_CASE(test_parse_data),
	KUNIT_CASE(test_parse_objects),
	KUNIT_CASE(test_parse_request),
	KUNIT_CASE(test_parse_new),
	KUNIT_CASE(test_destroy),
	KUNIT_CASE(test_numbers),
	{}
};

static struct kunit_suite ioctl_suite = {
	.name = "ofed_uverbs_ioctl",
	.init = tree_init,
	.exit = tree_exit,
	.test_cases = ioctl_tests,
};

kunit_test_suites(&tree_suite, &ioctl_suite);

MODULE_DESCRIPTION("Tests of the ioctl interface of uverbs");
MODULE_LICENSE("GPL");
