/* SPDX-License-Identifier: GPL-2.0 */
/* Objects and methods made by hand, of the core and of a driver, and trees of them. */
#ifndef KUNIT_UVERBS_FRUIT_H
#define KUNIT_UVERBS_FRUIT_H

#include "uverbs/ioctl/ioctl.h"
#include "uverbs/ioctl/uapi_build.h"
#include "bench.h"

enum {
	APPLE = UVERBS_OBJECT_PD,
	FIG = UVERBS_OBJECT_AH,
	TOOLS = UVERBS_OBJECT_DEVICE,
	/* Of the driver. */
	GRAPE = UVERBS_API_NS_FLAG,
	HIDDEN,
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

#define IDR_TYPE(name, size, destroy)					\
	static const struct uverbs_obj_idr_type name = {		\
		.type = { &uverbs_idr_class, (size) },			\
		.destroy_object = (destroy),				\
	}

struct grape {
	struct ib_uobject uobj;
	u64 sugar;
};

extern int destroyed;
extern const struct uv_type apple;
extern const struct uv_cmd legacy[];
extern const struct uv_api_core core;
extern const struct uverbs_obj_idr_type grape_type;
extern const struct uapi_definition driver_defs[];

extern struct kunit_suite uverbs_ioctl_suite;	/* ioctl_test.c */

int handler(struct uverbs_attr_bundle *attrs);
int other_handler(struct uverbs_attr_bundle *attrs);
int grape_destroy(struct ib_uobject *uobj, enum rdma_remove_reason why,
		  struct uverbs_attr_bundle *attrs);
bool never(struct ib_device *ib_dev);

/* init and exit of each case: a device, and one open file of it. */
int tree_init(struct kunit *test);
void tree_exit(struct kunit *test);

/* The tree of the core's objects, and of those that @defs adds; then look-ups in it. */
struct uv_api *build(struct kunit *test, const struct uapi_definition *defs);
const struct uv_method *method_of(struct uv_api *api, u32 object, u32 id);
const struct uverbs_api_attr *attr_of(struct uv_api *api, u32 object, u32 method, u32 id);
bool has_attr(struct uv_api *api, u32 object, u32 method, u32 id);

#endif /* KUNIT_UVERBS_FRUIT_H */
