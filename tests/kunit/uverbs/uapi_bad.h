/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Definitions that make no sense, for uapi_test.c: what a tree must refuse.
 */
#ifndef OFED_KUNIT_UAPI_BAD_H
#define OFED_KUNIT_UAPI_BAD_H

CHAIN(bad_object_id, DECLARE_UVERBS_OBJECT(UVERBS_API_OBJ_KEY_NUM_CORE));
CHAIN(bad_object_ns, DECLARE_UVERBS_OBJECT(0x2000));
CHAIN(bad_kind, { .kind = 77 });
CHAIN(bad_chain, UAPI_DEF_CHAIN(NULL));
static const struct uapi_definition loop[] = { UAPI_DEF_CHAIN(loop), {} };
CHAIN(bad_tree, UAPI_DEF_CHAIN_OBJ_TREE(GRAPE, NULL));
CHAIN(bad_condition, UAPI_DEF_IS_OBJ_SUPPORTED(never));
CHAIN(bad_method_condition,
	DECLARE_UVERBS_OBJECT(TOOLS, UAPI_DEF_METHOD_NEEDS_FN(query_port)));
CHAIN(bad_op, { .kind = UAPI_DEF_IS_SUPPORTED_DEV_FN,
		.scope = UAPI_SCOPE_OBJECT,
		.needs_fn_offset = sizeof(struct ib_device_ops) });
CHAIN(bad_write, COMMAND(1, handler));
CHAIN(bad_write_number, DECLARE_UVERBS_OBJECT(TOOLS,
	COMMAND(UVERBS_API_WRITE_KEY_NUM, handler)));
CHAIN(bad_write_handler, DECLARE_UVERBS_OBJECT(TOOLS,
	COMMAND(1, NULL)));
CHAIN(bad_write_twice, DECLARE_UVERBS_OBJECT(TOOLS,
	COMMAND(1, handler),
	COMMAND(1, handler)));

OBJECT(apple_typed, APPLE, &grape_type.type);
CHAIN(bad_second_type, TREE(apple_typed));
IDR_TYPE(small_type, sizeof(struct ib_uobject) - 1, grape_destroy);
OBJECT(small_tree, GRAPE, &small_type.type);
CHAIN(bad_size, TREE(small_tree));
IDR_TYPE(idle_type, sizeof(struct ib_uobject), NULL);
OBJECT(idle_tree, GRAPE, &idle_type.type);
CHAIN(bad_no_destroy, TREE(idle_tree));
static const struct uverbs_obj_type_class own_class;
static const struct uverbs_obj_idr_type alien_type = {
	.type = { &own_class, sizeof(struct ib_uobject) },
	.destroy_object = grape_destroy,
};
OBJECT(alien_tree, GRAPE, &alien_type.type);
CHAIN(bad_class, TREE(alien_tree));
static const struct uverbs_obj_fd_type mute_type = {
	.type = { &uverbs_fd_class, sizeof(struct ib_uobject) },
};
OBJECT(mute_tree, GRAPE, &mute_type.type);
CHAIN(bad_fd_type, TREE(mute_tree));
static void keeping_destroy(struct ib_uobject *uobj, enum rdma_remove_reason why)
{
}

static const struct file_operations keeping_fops = { .open = nonseekable_open };
static const struct uverbs_obj_fd_type keeping_type = {
	.type = { &uverbs_fd_class, sizeof(struct ib_uobject) },
	.destroy_object = keeping_destroy,
	.fops = &keeping_fops,
};
OBJECT(keeping_tree, GRAPE, &keeping_type.type);
CHAIN(bad_fd_release, TREE(keeping_tree));

METHOD(taken, 0, other_handler);
OBJECT(taken_tree, TOOLS, NULL, &taken);
CHAIN(bad_second_handler, TREE(taken_tree));
METHOD(far, UVERBS_API_METHOD_KEY_NUM_CORE, handler);
OBJECT(far_tree, TOOLS, NULL, &far);
CHAIN(bad_method_id, TREE(far_tree));
static const struct uverbs_method_def torn = { 5, 0, 1, NULL, handler };
OBJECT(torn_tree, TOOLS, NULL, &torn);
CHAIN(bad_no_attrs, TREE(torn_tree));

/* A method with attributes that make no sense, and its tree. */
#define BAD_METHOD(name, ...)						\
	METHOD(name##_method, UVERBS_API_NS_FLAG + 1, handler, __VA_ARGS__); \
	OBJECT(name##_tree, TOOLS, NULL, &name##_method);		\
	CHAIN(name, TREE(name##_tree))
#define ATTR(id_, ...)							\
	(&(const struct uverbs_attr_def){				\
		.id = (id_), .attr = { __VA_ARGS__ } })

BAD_METHOD(bad_attr_id, UVERBS_ATTR_RAW_FD(32, UA_OPTIONAL));
BAD_METHOD(bad_attr_twice, UVERBS_ATTR_RAW_FD(3, UA_OPTIONAL),
	   UVERBS_ATTR_RAW_FD(3, UA_OPTIONAL));
BAD_METHOD(bad_attr_type, ATTR(1, .type = 99));
BAD_METHOD(bad_attr_none, ATTR(1, .type = UVERBS_ATTR_TYPE_NA));
BAD_METHOD(bad_ptr, UVERBS_ATTR_PTR_IN(1, UVERBS_ATTR_SIZE(8, 4), UA_OPTIONAL));
BAD_METHOD(bad_access, ATTR(1, .type = UVERBS_ATTR_TYPE_IDR,
			    .u.obj.obj_type = APPLE, .u.obj.access = 9));
BAD_METHOD(bad_any, UVERBS_ATTR_IDR(1, UVERBS_IDR_ANY_OBJECT,
				    UVERBS_ACCESS_NEW, UA_MANDATORY));
BAD_METHOD(bad_fd_access, ATTR(1, .type = UVERBS_ATTR_TYPE_FD,
			       .u.obj.obj_type = APPLE,
			       .u.obj.access = UVERBS_ACCESS_WRITE));
BAD_METHOD(bad_fd_object, UVERBS_ATTR_FD(1, APPLE, UVERBS_ACCESS_READ,
					 UA_OPTIONAL));
BAD_METHOD(bad_enum, ATTR(1, .type = UVERBS_ATTR_TYPE_ENUM_IN,
			  .u.enum_def.num_elems = 1));
BAD_METHOD(bad_array_access, ATTR(1, .type = UVERBS_ATTR_TYPE_IDRS_ARRAY,
				  .u2.objs_arr = { APPLE, 1, 2,
						   UVERBS_ACCESS_NEW }));
BAD_METHOD(bad_array_none, ATTR(1, .type = UVERBS_ATTR_TYPE_IDRS_ARRAY,
				.u2.objs_arr = { APPLE, 0, 2,
						 UVERBS_ACCESS_READ }));
BAD_METHOD(bad_array_max, ATTR(1, .type = UVERBS_ATTR_TYPE_IDRS_ARRAY,
			       .u2.objs_arr = { APPLE, 1, 0xffff,
						UVERBS_ACCESS_READ }));
BAD_METHOD(bad_udata, ATTR(1, .type = UVERBS_ATTR_TYPE_RAW_FD, .is_udata = 1));
BAD_METHOD(bad_two_new, UVERBS_ATTR_IDR(1, APPLE, UVERBS_ACCESS_NEW,
					UA_MANDATORY),
	   UVERBS_ATTR_IDR(2, APPLE, UVERBS_ACCESS_DESTROY, UA_MANDATORY));
BAD_METHOD(bad_maybe_new, UVERBS_ATTR_IDR(1, APPLE, UVERBS_ACCESS_NEW,
					  UA_OPTIONAL));

struct bad_case {
	const char *name;
	const struct uapi_definition *defs;
};

static const struct bad_case bad_cases[] = {
	{ "object id of no object", bad_object_id },
	{ "object id of another namespace", bad_object_ns },
	{ "unknown definition", bad_kind },
	{ "chain to nothing", bad_chain },
	{ "chain to itself", loop },
	{ "tree of nothing", bad_tree },
	{ "condition before any object", bad_condition },
	{ "condition before any command", bad_method_condition },
	{ "condition on an op that is none", bad_op },
	{ "command of no object", bad_write },
	{ "command number too high", bad_write_number },
	{ "command without a handler", bad_write_handler },
	{ "command twice", bad_write_twice },
	{ "second type of an object", bad_second_type },
	{ "object smaller than its head", bad_size },
	{ "object without a destructor", bad_no_destroy },
	{ "class of the driver's own", bad_class },
	{ "file without operations", bad_fd_type },
	{ "file that keeps its object", bad_fd_release },
	{ "second handler of a method", bad_second_handler },
	{ "method id too high", bad_method_id },
	{ "method without its attributes", bad_no_attrs },
	{ "attribute id too high", bad_attr_id },
	{ "attribute twice", bad_attr_twice },
	{ "attribute of an unknown type", bad_attr_type },
	{ "attribute of no type", bad_attr_none },
	{ "more at least than at most", bad_ptr },
	{ "unknown access", bad_access },
	{ "new object of any type", bad_any },
	{ "descriptor for writing", bad_fd_access },
	{ "descriptor of what has handles", bad_fd_object },
	{ "enum without alternatives", bad_enum },
	{ "array of new objects", bad_array_access },
	{ "array of none", bad_array_none },
	{ "array beyond a page", bad_array_max },
	{ "driver's data that is none", bad_udata },
	{ "one made and one destroyed", bad_two_new },
	{ "maybe a new object", bad_maybe_new },
};

static void bad_name(const struct bad_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(bad, bad_cases, bad_name);

#endif /* OFED_KUNIT_UAPI_BAD_H */
