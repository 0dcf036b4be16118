// SPDX-License-Identifier: GPL-2.0
/* Methods of the device: commands of write(), context, ports, GIDs. */
#include <linux/slab.h>
#include <ofed/refuse.h>
#include <rdma/ib_cache.h>

#include "ioctl.h"
#include "std.h"

/* A number that a method answers with, if the program wants it. */
static int uv_device_answer(struct uverbs_attr_bundle *attrs, u16 id, const void *from,
			    size_t size)
{
	int ret = uverbs_copy_to(attrs, id, from, size);

	return IS_UVERBS_COPY_ERR(ret) ? ret : 0;
}

/* Commands of write() */

static int UVERBS_HANDLER(UVERBS_METHOD_INVOKE_WRITE)(
	struct uverbs_attr_bundle *attrs)
{
	u32 command;
	int ret;

	ret = uverbs_get_const(&command, attrs, UVERBS_ATTR_WRITE_CMD);
	if (ret)
		return ret;
	uv_attr_buffers(attrs, &attrs->ucore, UVERBS_ATTR_CORE_IN,
			UVERBS_ATTR_CORE_OUT);
	ret = uv_command_invoke(attrs, command);
	if (ret)
		return ret;
	ret = uv_attr_written(attrs, UVERBS_ATTR_CORE_OUT);
	return ret == -ENOENT ? 0 : ret;
}

DECLARE_UVERBS_NAMED_METHOD(
	UVERBS_METHOD_INVOKE_WRITE,
	UVERBS_ATTR_CONST_IN(UVERBS_ATTR_WRITE_CMD, enum ib_uverbs_write_cmds,
			     UA_MANDATORY),
	UVERBS_ATTR_PTR_IN(UVERBS_ATTR_CORE_IN,
			   UVERBS_ATTR_MIN_SIZE(sizeof(u32)), UA_OPTIONAL),
	UVERBS_ATTR_PTR_OUT(UVERBS_ATTR_CORE_OUT, UVERBS_ATTR_MIN_SIZE(0),
			    UA_OPTIONAL),
	UVERBS_ATTR_UHW());

/* Handles */

/* Up to @room of them, into @handles. Return: how many there were room for. */
static u32 uv_list_handles(struct ib_uverbs_file *file, const struct uv_type *type,
			   u32 *handles, u32 room)
{
	struct ib_uobject *uobj;
	u32 count = 0;

	spin_lock(&file->uobjects_lock);
	list_for_each_entry(uobj, &file->uobjects, list) {
		if (count == room)
			break;
		if (uobj->uapi_object == &type->api)
			handles[count++] = uobj->id;
	}
	spin_unlock(&file->uobjects_lock);
	return count;
}

static int UVERBS_HANDLER(UVERBS_METHOD_INFO_HANDLES)(
	struct uverbs_attr_bundle *attrs)
{
	const struct uv_object *object;
	u32 *handles, total;
	int room, ret;
	u16 id;

	/* A file without a context, or without a device, has no objects. */
	ret = uverbs_get_const(&id, attrs, UVERBS_ATTR_INFO_OBJECT_ID);
	if (ret)
		return ret;
	room = uverbs_attr_ptr_get_array_size(
		attrs, UVERBS_ATTR_INFO_HANDLES_LIST, sizeof(*handles));
	if (room <= 0)
		return uv_refuse(attrs->ufile, -EINVAL,
				 "info_handles: a list of no handles, or of parts of them");
	object = uv_api_object(attrs->ufile->device->api, id);
	if (!object)
		return uv_refuse(attrs->ufile, -ENOENT,
				 "info_handles: there is no type %u", id);
	handles = uverbs_kcalloc(attrs, room, sizeof(*handles));
	if (IS_ERR(handles))
		return PTR_ERR(handles);

	/* The device is an object without instances. */
	total = object->type ? uv_list_handles(attrs->ufile, object->type,
					       handles, room) : 0;
	ret = uverbs_copy_to(attrs, UVERBS_ATTR_INFO_HANDLES_LIST, handles,
			     total * sizeof(*handles));
	/* Optional, but a call without it fails, as it always has. */
	return ret ?: uverbs_copy_to(attrs, UVERBS_ATTR_INFO_TOTAL_HANDLES,
				     &total, sizeof(total));
}

DECLARE_UVERBS_NAMED_METHOD(
	UVERBS_METHOD_INFO_HANDLES,
	UV_NUMBER(UVERBS_ATTR_INFO_OBJECT_ID, enum uverbs_default_objects),
	UV_ANSWER_OPT(UVERBS_ATTR_INFO_TOTAL_HANDLES, u32),
	UVERBS_ATTR_PTR_OUT(UVERBS_ATTR_INFO_HANDLES_LIST,
			    UVERBS_ATTR_MIN_SIZE(sizeof(u32)), UA_OPTIONAL));

/* Ports */

static int UVERBS_HANDLER(UVERBS_METHOD_QUERY_PORT)(
	struct uverbs_attr_bundle *attrs)
{
	struct ib_ucontext *context = ib_uverbs_get_ucontext(attrs);
	struct ib_uverbs_query_port_resp_ex resp = {};
	struct ib_port_attr attr = {};
	u32 port;
	int ret;

	if (IS_ERR(context))
		return PTR_ERR(context);
	if (!context->device->ops.query_port)
		return ofed_refuse_op(context->device, "query_port");
	ret = uverbs_get_const(&port, attrs, UVERBS_ATTR_QUERY_PORT_PORT_NUM);
	if (ret)
		return ret;
	ret = ib_query_port(context->device, port, &attr);
	if (ret)
		return ret;
	uv_port_attr(&resp.legacy_resp, context->device, port, &attr);
	resp.port_cap_flags2 = attr.port_cap_flags2;
	compat_port_set_speed(&resp, attr.active_speed);
	return uverbs_copy_to_struct_or_zero(attrs, UVERBS_ATTR_QUERY_PORT_RESP,
					     &resp, sizeof(resp));
}

DECLARE_UVERBS_NAMED_METHOD(
	UVERBS_METHOD_QUERY_PORT,
	UV_NUMBER(UVERBS_ATTR_QUERY_PORT_PORT_NUM, u32),
	/* All of it: its last member has changed, but not its length. */
	UVERBS_ATTR_PTR_OUT(UVERBS_ATTR_QUERY_PORT_RESP,
			    UVERBS_ATTR_MIN_SIZE(sizeof(
				    struct ib_uverbs_query_port_resp_ex)),
			    UA_MANDATORY));

/* Context */

static int uv_answer_context(struct uverbs_attr_bundle *attrs, u16 id_vectors,
			     u16 id_support, u64 more)
{
	const u64 support = IB_UVERBS_CORE_SUPPORT_OPTIONAL_MR_ACCESS | more;
	const u32 vectors = attrs->ufile->device->num_comp_vectors;
	int ret;

	ret = uv_device_answer(attrs, id_vectors, &vectors, sizeof(vectors));
	return ret ?: uv_device_answer(attrs, id_support, &support, sizeof(support));
}

/* The answer goes out first, as there is no way back from a context. */
static int UVERBS_HANDLER(UVERBS_METHOD_GET_CONTEXT)(
	struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_file *file = attrs->ufile;
	struct ib_ucontext *context;
	int ret;

	/* What the driver checks is said here alone. */
	ret = uv_answer_context(attrs, UVERBS_ATTR_GET_CONTEXT_NUM_COMP_VECTORS,
				UVERBS_ATTR_GET_CONTEXT_CORE_SUPPORT,
				compat_core_support(uv_ib_dev(file->device)));
	if (ret)
		return ret;
	context = uv_context_alloc(file);
	if (IS_ERR(context))
		return PTR_ERR(context);
	ret = compat_context_caps(context, attrs);
	/* Only a teardown makes this fail. */
	if (!ret && !down_read_trylock(&file->hw_destroy_rwsem))
		ret = -EIO;
	if (ret)
		goto out;
	attrs->context = context;
	ret = uv_context_create(attrs, context, NULL);
	up_read(&file->hw_destroy_rwsem);
out:
	if (ret)
		kfree(context);
	return ret;
}

DECLARE_UVERBS_NAMED_METHOD(
	UVERBS_METHOD_GET_CONTEXT,
	UV_ANSWER_OPT(UVERBS_ATTR_GET_CONTEXT_NUM_COMP_VECTORS, u32),
	UV_ANSWER_OPT(UVERBS_ATTR_GET_CONTEXT_CORE_SUPPORT, u64),
	UVERBS_ATTR_UHW());

static int UVERBS_HANDLER(UVERBS_METHOD_QUERY_CONTEXT)(
	struct uverbs_attr_bundle *attrs)
{
	struct ib_ucontext *context = ib_uverbs_get_ucontext(attrs);
	int ret;

	if (IS_ERR(context))
		return PTR_ERR(context);
	if (!context->device->ops.query_ucontext)
		return ofed_refuse_op(context->device, "query_ucontext");
	ret = uv_answer_context(attrs, UVERBS_ATTR_QUERY_CONTEXT_NUM_COMP_VECTORS,
				UVERBS_ATTR_QUERY_CONTEXT_CORE_SUPPORT, 0);
	return ret ?: context->device->ops.query_ucontext(context, attrs);
}

DECLARE_UVERBS_NAMED_METHOD(
	UVERBS_METHOD_QUERY_CONTEXT,
	UV_ANSWER_OPT(UVERBS_ATTR_QUERY_CONTEXT_NUM_COMP_VECTORS, u32),
	UV_ANSWER_OPT(UVERBS_ATTR_QUERY_CONTEXT_CORE_SUPPORT, u64));

/* GIDs */

/* Entries of @size each, which may be those of an older or newer program. */
static int uv_answer_gids(struct uverbs_attr_bundle *attrs,
			  const struct ib_uverbs_gid_entry *entries, size_t count,
			  size_t size)
{
	const u16 id = UVERBS_ATTR_QUERY_GID_TABLE_RESP_ENTRIES;
	const struct uverbs_attr *attr = uverbs_attr_get(attrs, id);
	size_t known = min(size, sizeof(*entries));
	void __user *to;

	if (size == sizeof(*entries))
		return uverbs_copy_to(attrs, id, entries, count * size);
	to = u64_to_user_ptr(attr->ptr_attr.data);
	for (; count; count--, entries++, to += size)
		if (copy_to_user(to, entries, known) ||
		    clear_user(to + known, size - known))
			return -EFAULT;
	return uv_attr_written(attrs, id);
}

static int UVERBS_HANDLER(UVERBS_METHOD_QUERY_GID_TABLE)(
	struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_gid_entry *entries;
	struct ib_ucontext *context;
	ssize_t count;
	size_t size;
	u64 total;
	u32 flags;
	int ret;

	ret = uverbs_get_flags32(&flags, attrs,
				 UVERBS_ATTR_QUERY_GID_TABLE_FLAGS, 0);
	if (ret)
		return ret;
	ret = uverbs_get_const(&size, attrs,
			       UVERBS_ATTR_QUERY_GID_TABLE_ENTRY_SIZE);
	if (ret)
		return ret;
	if (!size)
		return uv_refuse(attrs->ufile, -EINVAL,
				 "query_gid_table: entries of no bytes");
	count = uverbs_attr_ptr_get_array_size(
		attrs, UVERBS_ATTR_QUERY_GID_TABLE_RESP_ENTRIES, size);
	if (count <= 0)
		return uv_refuse(attrs->ufile, -EINVAL,
				 "query_gid_table: no entries, or parts of them");
	context = ib_uverbs_get_ucontext(attrs);
	if (IS_ERR(context))
		return PTR_ERR(context);

	entries = uverbs_kcalloc(attrs, count, sizeof(*entries));
	if (IS_ERR(entries))
		return PTR_ERR(entries);
	count = rdma_query_gid_table(context->device, entries, count);
	if (count < 0)
		return count;
	ret = uv_answer_gids(attrs, entries, count, size);
	if (ret)
		return ret;
	total = count;
	return uverbs_copy_to(attrs,
			      UVERBS_ATTR_QUERY_GID_TABLE_RESP_NUM_ENTRIES,
			      &total, sizeof(total));
}

DECLARE_UVERBS_NAMED_METHOD(
	UVERBS_METHOD_QUERY_GID_TABLE,
	UV_NUMBER(UVERBS_ATTR_QUERY_GID_TABLE_ENTRY_SIZE, u64),
	UVERBS_ATTR_FLAGS_IN(UVERBS_ATTR_QUERY_GID_TABLE_FLAGS, u32,
			     UA_OPTIONAL),
	UVERBS_ATTR_PTR_OUT(UVERBS_ATTR_QUERY_GID_TABLE_RESP_ENTRIES,
			    UVERBS_ATTR_MIN_SIZE(0), UA_MANDATORY),
	UV_ANSWER(UVERBS_ATTR_QUERY_GID_TABLE_RESP_NUM_ENTRIES, u64));

static void uv_gid_entry(struct ib_uverbs_gid_entry *entry,
			 const struct ib_gid_attr *gid)
{
	const struct net_device *ndev;

	memcpy(entry->gid, &gid->gid, sizeof(entry->gid));
	entry->gid_index = gid->index;
	entry->port_num = gid->port_num;
	entry->gid_type = gid->gid_type;
	rcu_read_lock();
	ndev = rdma_read_gid_attr_ndev_rcu(gid);
	if (!IS_ERR(ndev))
		entry->netdev_ifindex = ndev->ifindex;
	rcu_read_unlock();
}

static int UVERBS_HANDLER(UVERBS_METHOD_QUERY_GID_ENTRY)(
	struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_gid_entry entry = {};
	const struct ib_gid_attr *gid;
	struct ib_ucontext *context;
	u32 port, index, flags;
	int ret;

	ret = uverbs_get_flags32(&flags, attrs,
				 UVERBS_ATTR_QUERY_GID_ENTRY_FLAGS, 0);
	if (!ret)
		ret = uverbs_get_const(&port, attrs,
				       UVERBS_ATTR_QUERY_GID_ENTRY_PORT);
	if (!ret)
		ret = uverbs_get_const(&index, attrs,
				       UVERBS_ATTR_QUERY_GID_ENTRY_GID_INDEX);
	if (ret)
		return ret;
	context = ib_uverbs_get_ucontext(attrs);
	if (IS_ERR(context))
		return PTR_ERR(context);
	if (!rdma_is_port_valid(context->device, port))
		return ofed_refuse_port(context->device, port);
	gid = rdma_get_gid_attr(context->device, port, index);
	if (IS_ERR(gid))
		return PTR_ERR(gid);
	uv_gid_entry(&entry, gid);
	rdma_put_gid_attr(gid);
	return uverbs_copy_to_struct_or_zero(
		attrs, UVERBS_ATTR_QUERY_GID_ENTRY_RESP_ENTRY, &entry,
		sizeof(entry));
}

DECLARE_UVERBS_NAMED_METHOD(
	UVERBS_METHOD_QUERY_GID_ENTRY,
	UV_NUMBER(UVERBS_ATTR_QUERY_GID_ENTRY_PORT, u32),
	UV_NUMBER(UVERBS_ATTR_QUERY_GID_ENTRY_GID_INDEX, u32),
	UVERBS_ATTR_PTR_OUT(UVERBS_ATTR_QUERY_GID_ENTRY_RESP_ENTRY,
			    UVERBS_ATTR_STRUCT(struct ib_uverbs_gid_entry,
					       netdev_ifindex),
			    UA_MANDATORY),
	UVERBS_ATTR_FLAGS_IN(UVERBS_ATTR_QUERY_GID_ENTRY_FLAGS, u32,
			     UA_MANDATORY));

DECLARE_UVERBS_GLOBAL_METHODS(UVERBS_OBJECT_DEVICE,
			      &UVERBS_METHOD(UVERBS_METHOD_INVOKE_WRITE),
			      &UVERBS_METHOD(UVERBS_METHOD_INFO_HANDLES),
			      &UVERBS_METHOD(UVERBS_METHOD_QUERY_PORT),
			      &UVERBS_METHOD(UVERBS_METHOD_GET_CONTEXT),
			      &UVERBS_METHOD(UVERBS_METHOD_QUERY_CONTEXT),
			      &UVERBS_METHOD(UVERBS_METHOD_QUERY_GID_TABLE),
			      &UVERBS_METHOD(UVERBS_METHOD_QUERY_GID_ENTRY));

const struct uapi_definition uv_def_device[] = {
	UAPI_DEF_CHAIN_OBJ_TREE_NAMED(UVERBS_OBJECT_DEVICE),
	{}
};
