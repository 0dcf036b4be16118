/* SPDX-License-Identifier: GPL-2.0 */
/* A tree of uapi.h while it is built. */
#ifndef OFED_UVERBS_UAPI_BUILD_H
#define OFED_UVERBS_UAPI_BUILD_H

#include "uapi.h"

/**
 * struct uv_builder - a tree that is being built
 * @api: the tree
 * @ib_dev: its device
 * @of_driver: the definitions are the driver's
 */
struct uv_builder {
	struct uv_api *api;
	struct ib_device *ib_dev;
	bool of_driver;
};

/* A definition makes no sense: the device gets no node. Returns -EINVAL. */
static inline int uv_malformed(const struct uv_builder *b, u32 key,
			       const char *what)
{
	ibdev_err(b->ib_dev, "no uverbs: %s (%s, key %#x)\n", what,
		  b->of_driver ? "driver" : "core", key);
	return -EINVAL;
}

/* Has the driver the function at offset @op of struct ib_device_ops? */
static inline bool uv_has_op(const struct ib_device *ib_dev, size_t op)
{
	return *(void * const *)((const void *)&ib_dev->ops + op);
}

/* uapi_merge.c */
int uv_merge_core(struct uv_builder *b, const struct uv_api_core *core);
int uv_merge_chain(struct uv_builder *b, const struct uapi_definition *def,
		   int depth);

/* uapi_type.c */
int uv_object_set_type(struct uv_builder *b, struct uv_object *object, u32 key,
		       u32 id, const struct uverbs_obj_type *attrs);

#endif /* OFED_UVERBS_UAPI_BUILD_H */
