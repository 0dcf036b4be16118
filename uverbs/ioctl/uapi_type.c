// SPDX-License-Identifier: GPL-2.0
/* Types of objects of a driver's own. */
#include "uapi_build.h"

static int uv_own_idr_destroy(struct ib_uobject *uobj, enum rdma_remove_reason why,
			      struct uverbs_attr_bundle *attrs)
{
	const struct uverbs_obj_idr_type *type =
		container_of(uobj->uapi_object->type_attrs,
			     struct uverbs_obj_idr_type, type);

	return type->destroy_object(uobj, why, attrs);
}

static int uv_own_fd_destroy(struct ib_uobject *uobj, enum rdma_remove_reason why,
			     struct uverbs_attr_bundle *attrs)
{
	const struct uverbs_obj_fd_type *type =
		container_of(uobj->uapi_object->type_attrs,
			     struct uverbs_obj_fd_type, type);

	type->destroy_object(uobj, why);
	return 0;
}

static bool uv_own_idr_init(struct uv_type *own,
			    const struct uverbs_obj_type *attrs)
{
	const struct uverbs_obj_idr_type *type =
		container_of(attrs, struct uverbs_obj_idr_type, type);

	own->destroy = uv_own_idr_destroy;
	return type->destroy_object;
}

static bool uv_own_fd_init(struct uv_type *own,
			   const struct uverbs_obj_type *attrs)
{
	const struct uverbs_obj_fd_type *type =
		container_of(attrs, struct uverbs_obj_fd_type, type);

	own->destroy = uv_own_fd_destroy;
	own->is_fd = true;
	own->fops = type->fops;
	own->name = type->name;
	own->flags = type->flags;
	/* A file with another release() would never put its object. */
	return type->destroy_object && type->fops &&
	       type->fops->release == uverbs_uobject_fd_release;
}

/**
 * uv_object_set_type - give an object the type that its driver defines
 * @b: the tree
 * @object: the object, without a type
 * @key: its key
 * @id: its id
 * @attrs: the driver's type
 *
 * Return: 0, or -EINVAL: incomplete, or the object has a type.
 */
int uv_object_set_type(struct uv_builder *b, struct uv_object *object, u32 key,
		       u32 id, const struct uverbs_obj_type *attrs)
{
	struct uv_type *own = &object->own;
	bool complete;

	if (object->type)
		return uv_malformed(b, key, "object has a type already");
	if (attrs->obj_size < sizeof(struct ib_uobject))
		return uv_malformed(b, key, "object smaller than its head");
	if (attrs->type_class == &uverbs_idr_class)
		complete = uv_own_idr_init(own, attrs);
	else if (attrs->type_class == &uverbs_fd_class)
		complete = uv_own_fd_init(own, attrs);
	else
		return uv_malformed(b, key, "unknown class of objects");
	if (!complete)
		return uv_malformed(b, key, "type of object incomplete");

	own->size = attrs->obj_size;
	own->api.id = id;
	own->api.type_attrs = attrs;
	own->api.type_class = attrs->type_class;
	object->type = own;
	return 0;
}
