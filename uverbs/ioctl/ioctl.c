// SPDX-License-Identifier: GPL-2.0
/*
 * ioctl(): a method, from the attributes of a program to its handler and back.
 *
 * Attributes are copied once, then judged by what the tree says of them and
 * turned into what the handler sees. Objects are found and locked as they come;
 * whatever happens, all that is held is let go in the end, in one place. Errors
 * that mean "this kernel can not do that, ask otherwise" are -EPROTONOSUPPORT,
 * and nothing else is.
 */
#include <kunit/visibility.h>
#include <linux/file.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <rdma/ib.h>

#include "ioctl.h"

/* Pointers */

/* Whether @uattr, which is longer, is zero behind its first @len bytes. */
static bool uv_rest_is_zero(const struct ib_uverbs_attr *uattr, u16 len)
{
	const u8 *data = (const u8 *)&uattr->data;

	if (uattr->len > sizeof(uattr->data))
		return ib_is_buffer_cleared(u64_to_user_ptr(uattr->data) + len,
					    uattr->len - len);
	for (; len < uattr->len; len++)
		if (data[len])
			return false;
	return true;
}

static int uv_copy_in(struct uv_call *call, const struct ib_uverbs_attr *uattr,
		      struct uverbs_ptr_attr *ptr)
{
	void *mem = uverbs_alloc(&call->bundle, uattr->len);

	if (IS_ERR(mem))
		return PTR_ERR(mem);
	if (copy_from_user(mem, u64_to_user_ptr(uattr->data), uattr->len))
		return -EFAULT;
	ptr->ptr = mem;
	return 0;
}

/*
 * Trailing data of a newer struct than this kernel knows must be zero where the
 * attribute allows that. Otherwise a program has to send what the method
 * expects.
 */
static int uv_set_ptr(struct uv_call *call, const struct uverbs_attr_spec *spec,
		      const struct ib_uverbs_attr *uattr,
		      struct uverbs_ptr_attr *ptr)
{
	const bool is_in = spec->type == UVERBS_ATTR_TYPE_PTR_IN;

	if (uattr->len > spec->u.ptr.len) {
		if (!spec->zero_trailing)
			return -EINVAL;
		if (is_in && !uv_rest_is_zero(uattr, spec->u.ptr.len))
			return -EOPNOTSUPP;
	}
	if (uattr->len < spec->u.ptr.min_len)
		return -EINVAL;

	ptr->len = uattr->len;
	ptr->uattr_idx = uattr - call->uattrs;
	if (is_in && spec->alloc_and_copy && uattr->len > sizeof(ptr->data))
		return uv_copy_in(call, uattr, ptr);
	ptr->data = uattr->data;
	return 0;
}

static int uv_set_enum(struct uv_call *call, const struct uverbs_attr_spec *spec,
		       const struct ib_uverbs_attr *uattr,
		       struct uverbs_ptr_attr *ptr)
{
	const u8 id = uattr->attr_data.enum_data.elem_id;

	if (id >= spec->u.enum_def.num_elems)
		return -EOPNOTSUPP;
	if (uattr->attr_data.enum_data.reserved)
		return -EINVAL;
	spec = &spec->u2.enum_def.ids[id];
	if (spec->type != UVERBS_ATTR_TYPE_PTR_IN)
		return -EOPNOTSUPP;
	ptr->enum_id = id;
	return uv_set_ptr(call, spec, uattr, ptr);
}

static int uv_set_raw_fd(const struct ib_uverbs_attr *uattr,
			 struct uverbs_ptr_attr *ptr)
{
	if (uattr->len || uattr->data_s64 < INT_MIN ||
	    uattr->data_s64 > INT_MAX)
		return -EINVAL;
	ptr->data = uattr->data;
	return 0;
}

/* Objects */

static struct ib_uobject *uv_find_object(const struct uverbs_api_attr *attr,
					 u8 access, s64 id,
					 struct uverbs_attr_bundle *attrs)
{
	const struct uv_type *type = attr->type;

	if (access == UVERBS_ACCESS_NEW)
		return type->is_fd ? uv_uobj_begin_fd(type, attrs, type->fops) :
				     uv_uobj_begin(type, attrs);
	if (attr->spec.type == UVERBS_ATTR_TYPE_FD)
		return id != (int)id ? ERR_PTR(-EINVAL) :
				       uv_get_read_fd(type, id, attrs);
	if (id < 0)
		return ERR_PTR(-EINVAL);
	if (id > U32_MAX)
		return ERR_PTR(-ENOENT);

	switch (access) {
	case UVERBS_ACCESS_READ:
		return uv_get_read(type, id, attrs);
	case UVERBS_ACCESS_WRITE:
		return uv_get_write(type, id, attrs);
	default:
		return uv_get_for_destroy(type, id, attrs);
	}
}

static int uv_set_object(struct uv_call *call, const struct uverbs_api_attr *attr,
			 const struct ib_uverbs_attr *uattr, u8 bkey,
			 struct uverbs_obj_attr *obj)
{
	const u8 access = attr->spec.u.obj.access;
	struct ib_uverbs_attr __user *user_attr;
	struct ib_uobject *uobj;
	s64 id;

	if (uattr->len)
		return -EINVAL;
	uobj = uv_find_object(attr, access, uattr->data_s64, &call->bundle);
	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	obj->uobject = uobj;
	obj->attr_elm = attr;
	__set_bit(bkey, call->held);
	if (access != UVERBS_ACCESS_NEW)
		return 0;

	id = uobj->id;
	user_attr = &call->user_attrs[uattr - call->uattrs];
	return put_user(id, &user_attr->data_s64) ? -EFAULT : 0;
}

/* What was found until the first error is held, too. */
static int uv_find_objects(struct uv_call *call,
			   const struct uverbs_api_attr *attr, const u32 *ids,
			   u16 count,
			   struct uverbs_objs_arr_attr *array)
{
	const u8 access = attr->spec.u2.objs_arr.access;
	struct ib_uobject *uobj;

	for (; array->len < count; array->len++) {
		uobj = uv_find_object(attr, access, ids[array->len],
				      &call->bundle);
		if (IS_ERR(uobj))
			return PTR_ERR(uobj);
		array->uobjects[array->len] = uobj;
	}
	return 0;
}

static int uv_set_array(struct uv_call *call, const struct uverbs_api_attr *attr,
			const struct ib_uverbs_attr *uattr, u8 bkey,
			struct uverbs_objs_arr_attr *array)
{
	const u16 count = uattr->len / sizeof(u32);
	const void *ids = &uattr->data;
	void *mem;

	if (uattr->len % sizeof(u32) ||
	    count < attr->spec.u2.objs_arr.min_len ||
	    count > attr->spec.u2.objs_arr.max_len)
		return -EINVAL;
	array->uobjects = uverbs_kcalloc(&call->bundle, count,
					 sizeof(*array->uobjects));
	if (IS_ERR(array->uobjects))
		return PTR_ERR(array->uobjects);
	if (uattr->len > sizeof(uattr->data)) {
		mem = uverbs_alloc(&call->bundle, uattr->len);
		if (IS_ERR(mem))
			return PTR_ERR(mem);
		if (copy_from_user(mem, u64_to_user_ptr(uattr->data),
				   uattr->len))
			return -EFAULT;
		ids = mem;
	}
	array->len = 0;
	__set_bit(bkey, call->held);
	return uv_find_objects(call, attr, ids, count, array);
}

/* All of them */

static int uv_set_attr(struct uv_call *call, const struct uverbs_api_attr *attr,
		       const struct ib_uverbs_attr *uattr, u8 bkey)
{
	struct uverbs_attr *to = &call->bundle.attrs[bkey];
	const struct uverbs_attr_spec *spec = &attr->spec;

	if (spec->type == UVERBS_ATTR_TYPE_ENUM_IN)
		return uv_set_enum(call, spec, uattr, &to->ptr_attr);
	if (uattr->attr_data.reserved)
		return -EINVAL;

	switch (spec->type) {
	case UVERBS_ATTR_TYPE_PTR_IN:
	case UVERBS_ATTR_TYPE_PTR_OUT:
		return uv_set_ptr(call, spec, uattr, &to->ptr_attr);
	case UVERBS_ATTR_TYPE_IDR:
	case UVERBS_ATTR_TYPE_FD:
		return uv_set_object(call, attr, uattr, bkey, &to->obj_attr);
	case UVERBS_ATTR_TYPE_RAW_FD:
		return uv_set_raw_fd(uattr, &to->ptr_attr);
	default:
		return uv_set_array(call, attr, uattr, bkey, &to->objs_arr_attr);
	}
}

static int uv_parse_attr(struct uv_call *call, const struct ib_uverbs_attr *uattr)
{
	const u32 key = uapi_key_attr(uattr->attr_id);
	const struct uverbs_api_attr *attr;
	u8 bkey;
	int ret;

	attr = xa_load(&call->api->nodes, call->key | key);
	/* A program may live without an answer, or it may not. */
	if (!attr)
		return uattr->flags & UVERBS_ATTR_F_MANDATORY ?
		       -EPROTONOSUPPORT : 0;
	bkey = uapi_bkey_attr(key);
	if (attr->impossible || test_bit(bkey, call->bundle.attr_present))
		return -EINVAL;
	ret = uv_set_attr(call, attr, uattr, bkey);
	if (!ret)
		__set_bit(bkey, call->bundle.attr_present);
	return ret;
}

VISIBLE_IF_KUNIT int uv_parse_attrs(struct uv_call *call, u16 count)
{
	u16 i;
	int ret;

	for (i = 0; i < count; i++) {
		ret = uv_parse_attr(call, &call->uattrs[i]);
		if (ret)
			return uv_refuse(call->bundle.ufile, ret,
					 "method 0x%x: attribute 0x%x of %u bytes",
					 call->key, call->uattrs[i].attr_id,
					 call->uattrs[i].len);
	}
	if (!bitmap_subset(call->method->mandatory, call->bundle.attr_present,
			   call->method->num_attrs))
		return uv_refuse(call->bundle.ufile, -EINVAL,
				 "method 0x%x: a mandatory attribute is not there",
				 call->key);
	return 0;
}

/* The end */

static void uv_let_go(const struct uverbs_attr_spec *spec, u8 access,
		      struct ib_uobject *uobj)
{
	if (access == UVERBS_ACCESS_WRITE)
		uv_put_write(uobj);
	else if (access == UVERBS_ACCESS_DESTROY)
		uv_uobj_put(uobj);
	else if (spec->type == UVERBS_ATTR_TYPE_FD)
		uv_put_read_fd(uobj);
	else
		uv_put_read(uobj);
}

static void uv_end_new(struct uv_call *call, u8 bkey, struct ib_uobject *uobj,
		       int result)
{
	if (result)
		uv_uobj_abandon(uobj, test_bit(bkey, call->made), &call->bundle);
	else
		uv_uobj_commit(uobj);
}

static void uv_end_attr(struct uv_call *call, u8 bkey, int result)
{
	const struct uverbs_api_attr *attr =
		xa_load(&call->api->nodes,
			call->key | uapi_bkey_to_key_attr(bkey));
	const struct uverbs_attr *held = &call->bundle.attrs[bkey];
	const struct uverbs_attr_spec *spec = &attr->spec;
	u16 i;

	if (spec->type == UVERBS_ATTR_TYPE_IDRS_ARRAY)
		for (i = 0; i < held->objs_arr_attr.len; i++)
			uv_let_go(spec, spec->u2.objs_arr.access,
				  held->objs_arr_attr.uobjects[i]);
	else if (spec->u.obj.access == UVERBS_ACCESS_NEW)
		uv_end_new(call, bkey, held->obj_attr.uobject, result);
	else
		uv_let_go(spec, spec->u.obj.access, held->obj_attr.uobject);
}

VISIBLE_IF_KUNIT struct uv_call *uv_call_new(struct ib_uverbs_file *file,
					     const struct uv_method *method, u16 count)
{
	const size_t size = struct_size((struct uv_call *)NULL, bundle.attrs,
					method->num_attrs);
	struct uv_call *call;

	call = kzalloc(size + count * sizeof(*call->uattrs),
		       GFP_KERNEL_ACCOUNT);
	if (!call)
		return NULL;
	call->api = file->device->api;
	call->method = method;
	call->uattrs = (void *)&call->bundle.attrs[method->num_attrs];
	call->bundle.ufile = file;
	return call;
}

VISIBLE_IF_KUNIT void uv_call_end(struct uv_call *call, int result)
{
	unsigned int bkey;

	for_each_set_bit(bkey, call->held, UVERBS_API_ATTR_BKEY_LEN)
		uv_end_attr(call, bkey, result);
	uv_chunks_free(call);
	kfree(call);
}

/* -EPROTONOSUPPORT would send the program to another way of asking. */
static int uv_not_unknown(int ret)
{
	return ret == -EPROTONOSUPPORT ? -EINVAL : ret;
}

static int uv_call_handler(struct uv_call *call)
{
	const struct uv_method *method = call->method;
	struct uverbs_attr_bundle *attrs = &call->bundle;
	struct ib_uobject *uobj;
	int ret;

	if (method->has_udata)
		uv_attr_buffers(attrs, &attrs->driver_udata, UVERBS_ATTR_UHW_IN,
				UVERBS_ATTR_UHW_OUT);
	if (method->destroyed != UV_NO_ATTR) {
		uobj = attrs->attrs[method->destroyed].obj_attr.uobject;
		ret = uv_uobj_destroy(uobj, attrs);
		if (ret)
			return uv_not_unknown(ret);
	}
	ret = method->handler(attrs);
	if (ret || !method->has_udata)
		return uv_not_unknown(ret);
	/* Drivers write to the buffer and do not say so. */
	ret = uv_attr_written(attrs, UVERBS_ATTR_UHW_OUT);
	return ret == -ENOENT ? 0 : ret;
}

VISIBLE_IF_KUNIT int uv_call_run(struct uv_call *call, u16 count)
{
	int ret;

	if (call->method->of_driver && !uv_ib_dev(call->bundle.ufile->device))
		return uv_refuse(call->bundle.ufile, -EIO,
				 "the device is gone");
	ret = uv_parse_attrs(call, count) ?: uv_call_handler(call);
	ofed_umem_claim(&to_uv_file(call->bundle.ufile)->umems);
	return ret;
}

static int uv_run_method(struct ib_uverbs_file *file,
			 const struct ib_uverbs_ioctl_hdr *hdr,
			 struct ib_uverbs_attr __user *user_attrs)
{
	struct uv_api *api = file->device->api;
	const struct uv_method *method;
	struct uv_call *call;
	u32 key;
	int ret;

	if (hdr->driver_id != api->driver_id)
		return uv_refuse(file, -EINVAL,
				 "driver_id: %u, the device has %u",
				 hdr->driver_id, api->driver_id);
	method = uv_api_method(api, hdr->object_id, hdr->method_id, &key);
	if (!method)
		return uv_refuse(file, -EPROTONOSUPPORT,
				 "object %u has no method %u", hdr->object_id,
				 hdr->method_id);
	call = uv_call_new(file, method, hdr->num_attrs);
	if (!call)
		return -ENOMEM;
	call->key = key;
	call->user_attrs = user_attrs;
	if (copy_from_user(call->uattrs, user_attrs,
			   hdr->num_attrs * sizeof(*user_attrs)))
		ret = -EFAULT;
	else
		ret = uv_call_run(call, hdr->num_attrs);
	uv_call_end(call, ret);
	return ret;
}

/**
 * uv_ioctl - one method
 * @filp: open uverbs device
 * @cmd: RDMA_VERBS_IOCTL
 * @arg: struct ib_uverbs_ioctl_hdr of the program, with its attributes
 *
 * Return: 0, -ENOTTY (another @cmd), -EFAULT, -EINVAL (length, driver, or
 * attributes), -EPROTONOSUPPORT (a header of the future, or what the device
 * does not have: object, method, an attribute that the program insists on),
 * -EIO (unplugged), -ENOMEM, what uv_get_read() and its like say of an object,
 * or the errno of the method.
 */
long uv_ioctl(struct file *filp, unsigned int cmd, unsigned long arg)
{
	struct ib_uverbs_ioctl_hdr __user *user_hdr = (void __user *)arg;
	struct ib_uverbs_file *file = filp->private_data;
	struct ib_uverbs_ioctl_hdr hdr;
	int ret;

	if (cmd != RDMA_VERBS_IOCTL)
		return -ENOTTY;
	if (copy_from_user(&hdr, user_hdr, sizeof(hdr)))
		return -EFAULT;
	if (hdr.length > PAGE_SIZE ||
	    hdr.length != struct_size(&hdr, attrs, hdr.num_attrs))
		return uv_refuse(file, -EINVAL,
				 "a call of %u bytes with %u attributes",
				 hdr.length, hdr.num_attrs);
	if (hdr.reserved1 || hdr.reserved2)
		return uv_refuse(file, -EPROTONOSUPPORT, "reserved is not 0");

	scoped_guard(srcu, &file->device->srcu)
		ret = uv_run_method(file, &hdr, user_hdr->attrs);
	return ret;
}
