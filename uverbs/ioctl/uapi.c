// SPDX-License-Identifier: GPL-2.0
/*
 * The tree of a device is built. First all definitions are taken over, as long
 * as they make sense by themselves and do not contradict each other
 * (uapi_merge.c); then, what the device does not have is dropped, and each method
 * gets what ioctl() wants to know at once.
 *
 * What a driver defines is checked as if it came from a program: a driver with
 * a malformed tree has no node, and the log says why.
 */
#include <linux/bitops.h>
#include <linux/slab.h>

#include "uapi_build.h"

#define OBJECT_KEYS BIT(UVERBS_API_OBJ_KEY_SHIFT)
#define METHOD_KEYS BIT(UVERBS_API_METHOD_KEY_SHIFT)

#define OBJECTS BIT(UVERBS_API_OBJ_KEY_BITS)

static_assert(OBJECTS <= 32);

static void uv_nodes_drop(struct uv_api *api, unsigned long first,
			  unsigned long count)
{
	unsigned long key;
	void *node;

	xa_for_each_range(&api->nodes, key, node, first, first + count - 1) {
		xa_erase(&api->nodes, key);
		kfree(node);
	}
}

/* What the device has of it */

static void uv_objects_there(struct uv_api *api)
{
	struct uv_object *object;
	u32 number, key;

	for (number = 0; number < OBJECTS; number++) {
		key = number << UVERBS_API_OBJ_KEY_SHIFT;
		object = xa_load(&api->nodes, key);
		if (object && !object->disabled)
			api->objects |= BIT(number);
	}
}

static bool uv_cmd_there(const struct uv_builder *b, const struct uv_cmd *cmd)
{
	int i;

	if (!cmd || !cmd->run || !(b->api->objects & BIT(cmd->object)))
		return false;
	for (i = 0; i < UV_NEEDS_MAX; i++)
		if (cmd->needs[i] && !uv_has_op(b->ib_dev, cmd->needs[i]))
			return false;
	return true;
}

static void uv_finish_commands(struct uv_builder *b)
{
	struct uv_api *api = b->api;
	u32 i;

	for (i = 0; i < UVERBS_API_WRITE_KEY_NUM; i++) {
		if (uv_cmd_there(b, api->legacy[i]) &&
		    b->ib_dev->uverbs_cmd_mask & BIT_ULL(i))
			api->num_legacy = i + 1;
		else
			api->legacy[i] = NULL;
		if (uv_cmd_there(b, api->extended[i]))
			api->num_extended = i + 1;
		else
			api->extended[i] = NULL;
	}
}

/* No command of such an object is on the lists any more. */
static void uv_drop_disabled(struct uv_api *api)
{
	u32 number;

	for (number = 0; number < OBJECTS; number++)
		if (!(api->objects & BIT(number)))
			uv_nodes_drop(api, number * OBJECT_KEYS, OBJECT_KEYS);
}

/* The id of the objects that an attribute is about, or -1. */
static int uv_attr_object(const struct uverbs_attr_spec *spec)
{
	switch (spec->type) {
	case UVERBS_ATTR_TYPE_IDR:
		if (spec->u.obj.obj_type == UVERBS_IDR_ANY_OBJECT)
			return -1;
		fallthrough;
	case UVERBS_ATTR_TYPE_FD:
		return spec->u.obj.obj_type;
	case UVERBS_ATTR_TYPE_IDRS_ARRAY:
		return spec->u2.objs_arr.obj_type;
	default:
		return -1;
	}
}

/* Return: 1 (it stays), 0 (the device has no such objects), or an errno. */
static int uv_attr_resolve(struct uv_builder *b, u32 key,
			   struct uverbs_api_attr *attr)
{
	const bool is_fd = attr->spec.type == UVERBS_ATTR_TYPE_FD;
	int id = uv_attr_object(&attr->spec);

	if (id < 0)
		return 1;
	attr->type = uv_api_type(b->api, id);
	if (!attr->type)
		return 0;
	if (attr->type->is_fd != is_fd)
		return uv_malformed(b, key, "handle for a descriptor, or reverse");
	return 1;
}

static int uv_method_add(struct uv_builder *b, struct uv_method *method, u32 key,
			 const struct uverbs_api_attr *attr, bool *single)
{
	const u8 bkey = uapi_bkey_attr(key & UVERBS_API_ATTR_KEY_MASK);
	const struct uverbs_attr_spec *spec = &attr->spec;

	method->num_attrs = bkey + 1;
	if (spec->mandatory)
		__set_bit(bkey, method->mandatory);
	if (spec->is_udata)
		method->has_udata = true;
	if ((spec->type != UVERBS_ATTR_TYPE_IDR &&
	     spec->type != UVERBS_ATTR_TYPE_FD) ||
	    (spec->u.obj.access != UVERBS_ACCESS_NEW &&
	     spec->u.obj.access != UVERBS_ACCESS_DESTROY))
		return 0;

	/* There is no way back from the second of them. */
	if (*single || !spec->mandatory)
		return uv_malformed(b, key, "makes or ends two, or maybe none");
	*single = true;
	if (spec->u.obj.access == UVERBS_ACCESS_DESTROY)
		method->destroyed = bkey;
	return 0;
}

/*
 * A method that must have an attribute about objects that are not there is not
 * there either. One that can do without must not seem to heed it.
 */
static int uv_finish_method(struct uv_builder *b, u32 key, struct uv_method *method)
{
	struct uverbs_api_attr *attr;
	bool single = false;
	unsigned long k;
	int ret;

	method->destroyed = UV_NO_ATTR;
	xa_for_each_range(&b->api->nodes, k, attr, uapi_key_attrs_start(key),
			  key + METHOD_KEYS - 1) {
		ret = uv_attr_resolve(b, k, attr);
		if (ret > 0)
			ret = uv_method_add(b, method, k, attr, &single);
		else if (!ret && attr->spec.mandatory)
			method->handler = NULL;
		else if (!ret)
			attr->impossible = true;
		if (ret < 0)
			return ret;
	}
	if (!method->handler)
		uv_nodes_drop(b->api, key, METHOD_KEYS);
	return 0;
}

static int uv_finish_tree(struct uv_builder *b)
{
	unsigned long key;
	void *node;
	int ret;

	uv_objects_there(b->api);
	uv_finish_commands(b);
	uv_drop_disabled(b->api);
	xa_for_each(&b->api->nodes, key, node) {
		if (!uapi_key_is_ioctl_method(key))
			continue;
		ret = uv_finish_method(b, key, node);
		if (ret)
			return ret;
	}
	return 0;
}

/**
 * uv_api_build - build the tree of a device
 * @ib_dev: the device, with ops and driver_def
 * @core: what there could be
 *
 * Context: process, sleeps. Return: the tree, or -EINVAL (definitions of the
 * driver are malformed or contradict others, see the log), -ENOMEM.
 */
struct uv_api *uv_api_build(struct ib_device *ib_dev,
			    const struct uv_api_core *core)
{
	struct uv_api *api = kzalloc(sizeof(*api), GFP_KERNEL);
	struct uv_builder b = { .api = api, .ib_dev = ib_dev };
	int ret;

	if (!api)
		return ERR_PTR(-ENOMEM);
	xa_init(&api->nodes);
	api->driver_id = ib_dev->ops.driver_id;
	ret = uv_merge_core(&b, core);
	b.of_driver = true;
	if (!ret && ib_dev->driver_def)
		ret = uv_merge_chain(&b, ib_dev->driver_def, 0);
	if (!ret)
		ret = uv_finish_tree(&b);
	if (ret) {
		uv_api_free(api);
		return ERR_PTR(ret);
	}
	return api;
}

void uv_api_free(struct uv_api *api)
{
	if (!api)
		return;
	uv_nodes_drop(api, 0, ULONG_MAX);
	xa_destroy(&api->nodes);
	kfree(api);
}

/* The object of an id, or NULL: the device does not have it. */
const struct uv_object *uv_api_object(struct uv_api *api, u32 object_id)
{
	return xa_load(&api->nodes, uapi_key_obj(object_id));
}

/* The type of an object id, or NULL: the device has none. */
const struct uv_type *uv_api_type(struct uv_api *api, u32 object_id)
{
	const struct uv_object *object = uv_api_object(api, object_id);

	return object ? object->type : NULL;
}

/* The method, with its @key, or NULL. */
const struct uv_method *uv_api_method(struct uv_api *api, u32 object_id,
				      u32 method_id, u32 *key)
{
	/* An error has all bits set, and nothing is there. */
	*key = uapi_key_obj(object_id) | uapi_key_ioctl_method(method_id);
	return xa_load(&api->nodes, *key);
}
