// SPDX-License-Identifier: GPL-2.0
/*
 * Standard objects: apples, which the device has, and figs, for which it lacks an op. A driver's:
 * grapes.
 */
#include "fruit.h"

/* Objects and commands of the core */

int destroyed;

static int fruit_destroy(struct ib_uobject *uobj, enum rdma_remove_reason why,
			 struct uverbs_attr_bundle *attrs)
{
	destroyed++;
	return 0;
}

const struct uv_type apple = {
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

int handler(struct uverbs_attr_bundle *attrs)
{
	return 0;
}

int other_handler(struct uverbs_attr_bundle *attrs)
{
	return 0;
}

const struct uv_cmd legacy[] = {
	[0] = { .run = handler, .object = APPLE },
	[1] = { .run = handler, .object = FIG },
	[2] = { .run = handler, .object = TOOLS,
		.needs = { offsetof(struct ib_device_ops, query_port) } },
	[3] = { .run = handler, .object = TOOLS },
	[4] = { .run = handler, .object = TOOLS },
};

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

const struct uv_api_core core = {
	.types = fruit,
	.num_types = ARRAY_SIZE(fruit),
	.defs = fruit_defs,
	.legacy = legacy,
	.num_legacy = ARRAY_SIZE(legacy),
};

/* A driver */

int grape_destroy(struct ib_uobject *uobj, enum rdma_remove_reason why,
		  struct uverbs_attr_bundle *attrs)
{
	return 0;
}

bool never(struct ib_device *ib_dev)
{
	return false;
}

const struct uverbs_obj_idr_type grape_type = {
	.type = { &uverbs_idr_class, sizeof(struct grape) },
	.destroy_object = grape_destroy,
};

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

const struct uapi_definition driver_defs[] = {
	TREE(grape_tree),
	TREE(hidden_tree), UAPI_DEF_IS_OBJ_SUPPORTED(never),
	UAPI_DEF_CHAIN_OBJ_TREE(APPLE, &apple_extra),
	DECLARE_UVERBS_OBJECT(TOOLS,
	      COMMAND(3, other_handler),
	      COMMAND(4, other_handler), UAPI_DEF_METHOD_NEEDS_FN(query_port),
	      COMMAND(7, other_handler, .is_ex = 1, .req_size = 8)),
	{}
};

/* A device, and one open file of it */

int tree_init(struct kunit *test)
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

void tree_exit(struct kunit *test)
{
	struct bench *bench = test->priv;

	if (!bench)
		return;
	bench_teardown(bench, RDMA_REMOVE_CLOSE);
	bench_exit(test);
	uv_api_free(bench->dev.api);
}

struct uv_api *build(struct kunit *test,
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

const struct uv_method *method_of(struct uv_api *api, u32 object, u32 id)
{
	u32 key;

	return uv_api_method(api, object, id, &key);
}

const struct uverbs_api_attr *attr_of(struct uv_api *api, u32 object,
				      u32 method, u32 id)
{
	return xa_load(&api->nodes, uapi_key_obj(object) |
		       uapi_key_ioctl_method(method) | uapi_key_attr(id));
}

bool has_attr(struct uv_api *api, u32 object, u32 method, u32 id)
{
	const struct uverbs_api_attr *attr = attr_of(api, object, method, id);

	return attr && !attr->impossible;
}
