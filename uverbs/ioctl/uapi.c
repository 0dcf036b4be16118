// SPDX-License-Identifier: GPL-2.0
/*
 * The tree of a device is built. First all definitions are taken over, as long
 * as they make sense by themselves and do not contradict each other; then, what
 * the device does not have is dropped, and each method gets what ioctl() wants
 * to know at once.
 *
 * What a driver defines is checked as if it came from a program: a driver with
 * a malformed tree has no node, and the log says why.
 */
#include <linux/bitops.h>
#include <linux/slab.h>

#include "uapi.h"

/* Deeper chains are taken for a loop. */
#define CHAIN_MAX 8

#define OBJECT_KEYS BIT(UVERBS_API_OBJ_KEY_SHIFT)
#define METHOD_KEYS BIT(UVERBS_API_METHOD_KEY_SHIFT)

#define OBJECTS BIT(UVERBS_API_OBJ_KEY_BITS)

static_assert(OBJECTS <= 32);

/**
 * struct builder - a tree that is being built
 * @api: the tree
 * @ib_dev: its device
 * @of_driver: the definitions are the driver's
 */
struct builder {
	struct uv_api *api;
	struct ib_device *ib_dev;
	bool of_driver;
};

/* What a definition refers to that says no more than "the last one". */
struct scope {
	struct uv_object *object;
	u32 key;
	struct uv_cmd *cmd;
};

static int uv_malformed(const struct builder *b, u32 key, const char *what)
{
	ibdev_err(b->ib_dev, "no uverbs: %s (%s, key %#x)\n", what,
		  b->of_driver ? "driver" : "core", key);
	return -EINVAL;
}

static bool uv_has_op(const struct ib_device *ib_dev, size_t op)
{
	return *(void * const *)((const void *)&ib_dev->ops + op);
}

/* The node at @key, or a new one of @size, zeroed. */
static void *uv_node_get(struct builder *b, u32 key, size_t size)
{
	void *node = xa_load(&b->api->nodes, key);
	int ret;

	if (node)
		return node;
	node = kzalloc(size, GFP_KERNEL);
	if (!node)
		return ERR_PTR(-ENOMEM);
	ret = xa_err(xa_store(&b->api->nodes, key, node, GFP_KERNEL));
	if (ret) {
		kfree(node);
		return ERR_PTR(ret);
	}
	return node;
}

static void *uv_node_new(struct builder *b, u32 key, size_t size)
{
	return xa_load(&b->api->nodes, key) ? ERR_PTR(-EEXIST) :
					      uv_node_get(b, key, size);
}

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

static struct uv_object *uv_object_get(struct builder *b, u32 id, u32 *key)
{
	*key = uapi_key_obj(id);
	if (*key == UVERBS_API_KEY_ERR)
		return ERR_PTR(uv_malformed(b, id, "object id out of range"));
	return uv_node_get(b, *key, sizeof(struct uv_object));
}

/* Objects of a driver's own */

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

static int uv_object_set_type(struct builder *b, struct uv_object *object, u32 key,
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

/* Attributes */

static bool uv_ptr_ok(const struct uverbs_attr_spec *spec)
{
	return spec->u.ptr.min_len <= spec->u.ptr.len;
}

static bool uv_enum_ok(const struct uverbs_attr_spec *spec)
{
	const struct uverbs_attr_spec *ids = spec->u2.enum_def.ids;
	int i;

	if (!ids)
		return false;
	/* Gaps are allowed: a program can not choose an id in a gap. */
	for (i = 0; i < spec->u.enum_def.num_elems; i++, ids++)
		if (ids->type != UVERBS_ATTR_TYPE_NA &&
		    (ids->type != UVERBS_ATTR_TYPE_PTR_IN || !uv_ptr_ok(ids)))
			return false;
	return true;
}

static bool uv_array_ok(const struct uverbs_attr_spec *spec)
{
	u8 access = spec->u2.objs_arr.access;

	if (access != UVERBS_ACCESS_READ && access != UVERBS_ACCESS_WRITE)
		return false;
	return spec->u2.objs_arr.min_len &&
	       spec->u2.objs_arr.min_len <= spec->u2.objs_arr.max_len &&
	       spec->u2.objs_arr.max_len <= PAGE_SIZE / sizeof(void *);
}

static bool uv_attr_ok(const struct uverbs_attr_spec *spec)
{
	const u8 access = spec->u.obj.access;

	switch (spec->type) {
	case UVERBS_ATTR_TYPE_PTR_IN:
	case UVERBS_ATTR_TYPE_PTR_OUT:
		return uv_ptr_ok(spec);
	case UVERBS_ATTR_TYPE_IDR:
		return access <= UVERBS_ACCESS_DESTROY &&
		       (spec->u.obj.obj_type != UVERBS_IDR_ANY_OBJECT ||
			access != UVERBS_ACCESS_NEW);
	case UVERBS_ATTR_TYPE_FD:
		return (access == UVERBS_ACCESS_NEW ||
			access == UVERBS_ACCESS_READ) &&
		       spec->u.obj.obj_type != UVERBS_IDR_ANY_OBJECT;
	case UVERBS_ATTR_TYPE_RAW_FD:
		return true;
	case UVERBS_ATTR_TYPE_ENUM_IN:
		return uv_enum_ok(spec);
	case UVERBS_ATTR_TYPE_IDRS_ARRAY:
		return uv_array_ok(spec);
	default:
		return false;
	}
}

/* uv_attr_buffers() takes these two ids for buffers. */
static bool uv_udata_ok(const struct uverbs_attr_def *def)
{
	if (!def->attr.is_udata)
		return true;
	return (def->id == UVERBS_ATTR_UHW_IN &&
		def->attr.type == UVERBS_ATTR_TYPE_PTR_IN) ||
	       (def->id == UVERBS_ATTR_UHW_OUT &&
		def->attr.type == UVERBS_ATTR_TYPE_PTR_OUT);
}

static int uv_merge_attr(struct builder *b, struct uv_method *method, u32 key,
			 const struct uverbs_attr_def *def)
{
	u32 attr_key = uapi_key_attr(def->id);
	struct uverbs_api_attr *attr;

	if (attr_key == UVERBS_API_KEY_ERR)
		return uv_malformed(b, key, "attribute id out of range");
	if (!uv_attr_ok(&def->attr) || !uv_udata_ok(def))
		return uv_malformed(b, key | attr_key, "attribute makes no sense");
	attr = uv_node_new(b, key | attr_key, sizeof(*attr));
	if (IS_ERR(attr))
		return PTR_ERR(attr) == -EEXIST ?
			uv_malformed(b, key | attr_key, "attribute twice") :
			PTR_ERR(attr);
	attr->spec = def->attr;
	/* The alternatives of an enum stay with the driver. */
	if (b->of_driver && def->attr.type == UVERBS_ATTR_TYPE_ENUM_IN)
		method->of_driver = true;
	return 0;
}

static int uv_merge_method(struct builder *b, u32 object_key,
			   const struct uverbs_method_def *def)
{
	u32 key = uapi_key_ioctl_method(def->id);
	struct uv_method *method;
	int ret;
	size_t i;

	if (key == UVERBS_API_KEY_ERR)
		return uv_malformed(b, object_key, "method id out of range");
	key |= object_key;
	method = uv_node_get(b, key, sizeof(*method));
	if (IS_ERR(method))
		return PTR_ERR(method);
	if (def->handler) {
		if (method->handler)
			return uv_malformed(b, key, "method has a handler");
		method->handler = def->handler;
		/* uverbs_destroy_def_handler() belongs to this module. */
		if (b->of_driver && def->handler != uverbs_destroy_def_handler)
			method->of_driver = true;
	}

	if (def->num_attrs && !def->attrs)
		return uv_malformed(b, key, "method without its attributes");
	for (i = 0; i < def->num_attrs; i++) {
		if (!(*def->attrs)[i])
			continue;
		ret = uv_merge_attr(b, method, key, (*def->attrs)[i]);
		if (ret)
			return ret;
	}
	return 0;
}

static int uv_merge_tree(struct builder *b, const struct uverbs_object_def *def)
{
	struct uv_object *object;
	int ret = 0;
	size_t i;
	u32 key;

	object = uv_object_get(b, def->id, &key);
	if (IS_ERR(object))
		return PTR_ERR(object);
	if (def->type_attrs)
		ret = uv_object_set_type(b, object, key, def->id, def->type_attrs);
	if (ret)
		return ret;

	if (def->num_methods && !def->methods)
		return uv_malformed(b, key, "object without its methods");
	for (i = 0; i < def->num_methods; i++) {
		if (!(*def->methods)[i])
			continue;
		ret = uv_merge_method(b, key, (*def->methods)[i]);
		if (ret)
			return ret;
	}
	return 0;
}

/* A command of the driver's replaces the standard one. */
static int uv_merge_write(struct builder *b, struct scope *scope,
			  const struct uapi_definition *def)
{
	const u16 number = def->write.command_num;
	struct uv_cmd *cmd;
	u32 key;

	key = def->write.is_ex ? uapi_key_write_ex_method(number) :
				 uapi_key_write_method(number);
	if (!scope->object || key == UVERBS_API_KEY_ERR || !def->func_write)
		return uv_malformed(b, key, "command makes no sense");
	key |= scope->key;
	cmd = uv_node_new(b, key, sizeof(*cmd));
	if (IS_ERR(cmd))
		return PTR_ERR(cmd) == -EEXIST ?
			uv_malformed(b, key, "command twice") : PTR_ERR(cmd);
	cmd->run = def->func_write;
	cmd->object = scope->key >> UVERBS_API_OBJ_KEY_SHIFT;
	cmd->req_size = def->write.req_size;
	cmd->resp_size = def->write.resp_size;
	cmd->extended = def->write.is_ex;
	cmd->has_resp = def->write.has_resp;
	cmd->has_udata = def->write.has_udata;
	cmd->of_driver = b->of_driver;
	scope->cmd = cmd;
	if (def->write.is_ex)
		b->api->extended[number] = cmd;
	else
		b->api->legacy[number] = cmd;
	return 0;
}

/* The last object or the last command is not there. */
static int uv_merge_unsupported(struct builder *b, const struct scope *scope,
				const struct uapi_definition *def)
{
	if (def->scope == UAPI_SCOPE_OBJECT && scope->object)
		scope->object->disabled = true;
	else if (def->scope == UAPI_SCOPE_METHOD && scope->cmd)
		scope->cmd->run = NULL;
	else
		return uv_malformed(b, scope->key, "condition on nothing");
	return 0;
}

static int uv_merge_condition(struct builder *b, const struct scope *scope,
			      const struct uapi_definition *def)
{
	const size_t end = sizeof(b->ib_dev->ops) - sizeof(void *);
	bool supported;

	if (def->kind == UAPI_DEF_IS_SUPPORTED_FUNC) {
		if (!def->func_is_supported)
			return uv_malformed(b, scope->key, "condition of nothing");
		supported = def->func_is_supported(b->ib_dev);
	} else {
		if (def->needs_fn_offset > end ||
		    !IS_ALIGNED(def->needs_fn_offset, sizeof(void *)))
			return uv_malformed(b, scope->key, "no such driver op");
		supported = uv_has_op(b->ib_dev, def->needs_fn_offset);
	}
	return supported ? 0 : uv_merge_unsupported(b, scope, def);
}

static int uv_merge_object(struct builder *b, struct scope *scope,
			   const struct uapi_definition *def)
{
	struct uv_object *object;
	u32 key;

	object = uv_object_get(b, def->object_start.object_id, &key);
	if (IS_ERR(object))
		return PTR_ERR(object);
	scope->object = object;
	scope->key = key;
	scope->cmd = NULL;
	if (def->kind == UAPI_DEF_OBJECT_START)
		return 0;
	if (!def->chain_obj_tree)
		return uv_malformed(b, key, "tree is missing");
	return uv_merge_tree(b, def->chain_obj_tree);
}

static int uv_merge_chain(struct builder *b, const struct uapi_definition *def,
			  int depth)
{
	struct scope scope = {};
	int ret = 0;

	if (!def || depth > CHAIN_MAX)
		return uv_malformed(b, depth, "chain missing or without end");
	for (; !ret && def->kind != UAPI_DEF_END; def++)
		switch (def->kind) {
		case UAPI_DEF_OBJECT_START:
		case UAPI_DEF_CHAIN_OBJ_TREE:
			ret = uv_merge_object(b, &scope, def);
			break;
		case UAPI_DEF_WRITE:
			ret = uv_merge_write(b, &scope, def);
			break;
		case UAPI_DEF_CHAIN:
			ret = uv_merge_chain(b, def->chain, depth + 1);
			break;
		case UAPI_DEF_IS_SUPPORTED_FUNC:
		case UAPI_DEF_IS_SUPPORTED_DEV_FN:
			ret = uv_merge_condition(b, &scope, def);
			break;
		default:
			ret = uv_malformed(b, def->kind, "unknown definition");
		}
	return ret;
}

/* Standard objects and commands, whether or not the device has them. */
static int uv_merge_core(struct builder *b, const struct uv_api_core *core)
{
	struct uv_object *object;
	size_t i;
	u32 key;

	for (i = 0; i < core->num_types; i++) {
		object = uv_object_get(b, core->types[i]->api.id, &key);
		if (IS_ERR(object))
			return PTR_ERR(object);
		object->type = core->types[i];
		object->disabled = object->type->needs &&
				   !uv_has_op(b->ib_dev, object->type->needs);
	}
	for (i = 0; i < core->num_legacy; i++)
		b->api->legacy[i] = &core->legacy[i];
	for (i = 0; i < core->num_extended; i++)
		b->api->extended[i] = &core->extended[i];
	return uv_merge_chain(b, core->defs, 0);
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

static bool uv_cmd_there(const struct builder *b, const struct uv_cmd *cmd)
{
	int i;

	if (!cmd || !cmd->run || !(b->api->objects & BIT(cmd->object)))
		return false;
	for (i = 0; i < UV_NEEDS_MAX; i++)
		if (cmd->needs[i] && !uv_has_op(b->ib_dev, cmd->needs[i]))
			return false;
	return true;
}

static void uv_finish_commands(struct builder *b)
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
static int uv_attr_resolve(struct builder *b, u32 key,
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

static int uv_method_add(struct builder *b, struct uv_method *method, u32 key,
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
static int uv_finish_method(struct builder *b, u32 key, struct uv_method *method)
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

static int uv_finish_tree(struct builder *b)
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
	struct builder b = { .api = api, .ib_dev = ib_dev };
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
