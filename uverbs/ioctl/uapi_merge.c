// SPDX-License-Identifier: GPL-2.0
/*
 * Definitions are taken over into the tree of a device: objects, methods,
 * attributes, write() commands.
 */
#include <linux/bitops.h>
#include <linux/slab.h>

#include "uapi_build.h"

/* Deeper chains are taken for a loop. */
#define CHAIN_MAX 8

/* What a definition refers to that says no more than "the last one". */
struct scope {
	struct uv_object *object;
	u32 key;
	struct uv_cmd *cmd;
};

/* The node at @key, or a new one of @size, zeroed. */
static void *uv_node_get(struct uv_builder *b, u32 key, size_t size)
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

static void *uv_node_new(struct uv_builder *b, u32 key, size_t size)
{
	return xa_load(&b->api->nodes, key) ? ERR_PTR(-EEXIST) :
					      uv_node_get(b, key, size);
}

static struct uv_object *uv_object_get(struct uv_builder *b, u32 id, u32 *key)
{
	*key = uapi_key_obj(id);
	if (*key == UVERBS_API_KEY_ERR)
		return ERR_PTR(uv_malformed(b, id, "object id out of range"));
	return uv_node_get(b, *key, sizeof(struct uv_object));
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

static int uv_merge_attr(struct uv_builder *b, struct uv_method *method, u32 key,
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

static int uv_merge_method(struct uv_builder *b, u32 object_key,
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

static int uv_merge_tree(struct uv_builder *b, const struct uverbs_object_def *def)
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
static int uv_merge_write(struct uv_builder *b, struct scope *scope,
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
static int uv_merge_unsupported(struct uv_builder *b, const struct scope *scope,
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

static int uv_merge_condition(struct uv_builder *b, const struct scope *scope,
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

static int uv_merge_object(struct uv_builder *b, struct scope *scope,
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

/**
 * uv_merge_chain - take over a list of definitions
 * @b: the tree
 * @def: the first
 * @depth: how many lists this one is in
 *
 * Return: 0, -EINVAL (malformed, or they contradict others), -ENOMEM.
 */
int uv_merge_chain(struct uv_builder *b, const struct uapi_definition *def,
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

/**
 * uv_merge_core - take over standard objects and commands
 * @b: the tree
 * @core: what there could be, whether or not the device has it
 *
 * Return: as uv_merge_chain().
 */
int uv_merge_core(struct uv_builder *b, const struct uv_api_core *core)
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
