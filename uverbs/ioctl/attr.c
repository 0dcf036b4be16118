// SPDX-License-Identifier: GPL-2.0
/*
 * What handlers of methods, standard ones and a driver's, ask of attributes.
 *
 * In the bundle of a write() command no attribute is there, which all that look
 * for one say first; so it does not matter that such a bundle is not in a
 * struct uv_call.
 */
#include <linux/export.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "ioctl.h"

/* Drivers say by these what their objects are; nothing is in them. */
const struct uverbs_obj_type_class uverbs_idr_class = {};
OFED_EXPORT(uverbs_idr_class);

const struct uverbs_obj_type_class uverbs_fd_class = {};
OFED_EXPORT(uverbs_fd_class);

/* Memory */

/**
 * _uverbs_alloc - memory for as long as a method runs
 * @bundle: of the method; not of a write() command
 * @size: bytes
 * @flags: GFP_KERNEL, __GFP_ZERO
 *
 * Return: the memory, or -EOVERFLOW (far too large), -ENOMEM.
 */
void *_uverbs_alloc(struct uverbs_attr_bundle *bundle, size_t size, gfp_t flags)
{
	struct uv_call *call = uv_call(bundle);
	struct uv_chunk *chunk;

	if (size > INT_MAX - sizeof(*chunk))
		return ERR_PTR(-EOVERFLOW);
	chunk = kvmalloc(sizeof(*chunk) + size, flags | __GFP_ACCOUNT);
	if (!chunk)
		return ERR_PTR(-ENOMEM);
	chunk->next = call->chunks;
	call->chunks = chunk;
	return chunk->data;
}
OFED_EXPORT(_uverbs_alloc);

void uv_chunks_free(struct uv_call *call)
{
	struct uv_chunk *chunk;

	while ((chunk = call->chunks)) {
		call->chunks = chunk->next;
		kvfree(chunk);
	}
}

/* Numbers */

/**
 * uverbs_get_flags64 - get an attribute of flags
 * @to: out; 0 if the attribute is not there
 * @attrs_bundle: of the method
 * @idx: attribute id
 * @allowed_bits: flags there are
 *
 * Old programs send 4 bytes, others 8. Return: 0, -EINVAL (another size, or
 * other flags).
 */
int uverbs_get_flags64(u64 *to, const struct uverbs_attr_bundle *attrs_bundle,
		       size_t idx, u64 allowed_bits)
{
	const struct uverbs_attr *attr = uverbs_attr_get(attrs_bundle, idx);
	u64 flags;
	u32 old;

	*to = 0;
	if (IS_ERR(attr))
		return 0;
	if (attr->ptr_attr.len == sizeof(flags)) {
		flags = attr->ptr_attr.data;
	} else if (attr->ptr_attr.len == sizeof(old)) {
		memcpy(&old, &attr->ptr_attr.data, sizeof(old));
		flags = old;
	} else {
		return uv_refuse(attrs_bundle->ufile, -EINVAL,
				 "attribute 0x%zx: flags of %u bytes", idx,
				 attr->ptr_attr.len);
	}
	*to = flags & allowed_bits;
	if (*to != flags)
		return uv_refuse(attrs_bundle->ufile, -EINVAL,
				 "attribute 0x%zx: flags 0x%llx, allowed 0x%llx",
				 idx, flags, allowed_bits);
	return 0;
}
OFED_EXPORT(uverbs_get_flags64);

/**
 * uverbs_get_flags32 - get an attribute of flags that fit into 32 bits
 * @to: out; 0 if the attribute is not there
 * @attrs_bundle: of the method
 * @idx: attribute id
 * @allowed_bits: flags there are
 *
 * Return: as uverbs_get_flags64(); -EINVAL also for flags that do not fit.
 */
int uverbs_get_flags32(u32 *to, const struct uverbs_attr_bundle *attrs_bundle,
		       size_t idx, u64 allowed_bits)
{
	u64 flags;
	int ret;

	*to = 0;
	ret = uverbs_get_flags64(&flags, attrs_bundle, idx,
				 allowed_bits & U32_MAX);
	if (!ret)
		*to = flags;
	return ret;
}
OFED_EXPORT(uverbs_get_flags32);

/* @to is left alone if the attribute is not there and has no default. */
static int uv_get_number(u64 *to, const struct uverbs_attr_bundle *attrs,
			 size_t idx, const void *def_val)
{
	const struct uverbs_attr *attr = uverbs_attr_get(attrs, idx);

	if (!IS_ERR(attr))
		*to = attr->ptr_attr.data;
	else if (def_val)
		memcpy(to, def_val, sizeof(*to));
	else
		return PTR_ERR(attr);
	return 0;
}

/**
 * _uverbs_get_const_signed - get an attribute that is a number
 * @to: out
 * @attrs_bundle: of the method
 * @idx: attribute id
 * @lower_bound: the least it may be
 * @upper_bound: the most it may be
 * @def_val: what it is if it is not there, or NULL
 *
 * Return: 0, -ENOENT (not there), -EINVAL (out of bounds).
 */
int _uverbs_get_const_signed(s64 *to,
			     const struct uverbs_attr_bundle *attrs_bundle,
			     size_t idx, s64 lower_bound, u64 upper_bound,
			     s64 *def_val)
{
	u64 number;
	s64 value;
	int ret;

	*to = 0;
	ret = uv_get_number(&number, attrs_bundle, idx, def_val);
	if (ret)
		return ret;
	value = number;
	if (value < lower_bound || (value > 0 && number > upper_bound))
		return uv_refuse(attrs_bundle->ufile, -EINVAL,
				 "attribute 0x%zx: %lld, from %lld to %llu",
				 idx, value, lower_bound, upper_bound);
	*to = value;
	return 0;
}
OFED_EXPORT(_uverbs_get_const_signed);

/**
 * _uverbs_get_const_unsigned - the same for a number without sign
 * @to: out
 * @attrs_bundle: of the method
 * @idx: attribute id
 * @upper_bound: the most it may be
 * @def_val: what it is if it is not there, or NULL
 *
 * Return: as _uverbs_get_const_signed().
 */
int _uverbs_get_const_unsigned(u64 *to,
			       const struct uverbs_attr_bundle *attrs_bundle,
			       size_t idx, u64 upper_bound, u64 *def_val)
{
	u64 number;
	int ret;

	*to = 0;
	ret = uv_get_number(&number, attrs_bundle, idx, def_val);
	if (ret)
		return ret;
	if (number > upper_bound)
		return uv_refuse(attrs_bundle->ufile, -EINVAL,
				 "attribute 0x%zx: %llu, at most %llu", idx,
				 number, upper_bound);
	*to = number;
	return 0;
}
OFED_EXPORT(_uverbs_get_const_unsigned);

/* Answers */

/*
 * Tell the program that an attribute was written. -ENOENT: it is not there;
 * -EFAULT.
 */
int uv_attr_written(const struct uverbs_attr_bundle *attrs, u16 id)
{
	const struct uverbs_attr *attr = uverbs_attr_get(attrs, id);
	const struct uv_call *call;
	u16 flags, i;

	if (IS_ERR(attr))
		return PTR_ERR(attr);
	call = uv_call(attrs);
	i = attr->ptr_attr.uattr_idx;
	flags = call->uattrs[i].flags | UVERBS_ATTR_F_VALID_OUTPUT;
	return put_user(flags, &call->user_attrs[i].flags) ? -EFAULT : 0;
}

/**
 * uverbs_copy_to - answer by an attribute
 * @attrs_bundle: of the method
 * @idx: attribute id
 * @from: the answer; a program that has less room gets less of it
 * @size: of @from
 *
 * Return: 0, -ENOENT (not there), -EFAULT.
 */
int uverbs_copy_to(const struct uverbs_attr_bundle *attrs_bundle, size_t idx,
		   const void *from, size_t size)
{
	const struct uverbs_attr *attr = uverbs_attr_get(attrs_bundle, idx);

	if (IS_ERR(attr))
		return PTR_ERR(attr);
	if (copy_to_user(u64_to_user_ptr(attr->ptr_attr.data), from,
			 min_t(size_t, attr->ptr_attr.len, size)))
		return -EFAULT;
	return uv_attr_written(attrs_bundle, idx);
}
OFED_EXPORT(uverbs_copy_to);

/**
 * uverbs_copy_to_struct_or_zero - answer, with zeroes in the rest
 * @bundle: of the method
 * @idx: attribute id
 * @from: the answer; a program that knows a longer struct reads 0 in what is
 *	  missing
 * @size: of @from
 *
 * Return: as uverbs_copy_to().
 */
int uverbs_copy_to_struct_or_zero(const struct uverbs_attr_bundle *bundle,
				  size_t idx, const void *from, size_t size)
{
	const struct uverbs_attr *attr = uverbs_attr_get(bundle, idx);

	if (IS_ERR(attr))
		return PTR_ERR(attr);
	if (attr->ptr_attr.len > size &&
	    clear_user(u64_to_user_ptr(attr->ptr_attr.data) + size,
		       attr->ptr_attr.len - size))
		return -EFAULT;
	return uverbs_copy_to(bundle, idx, from, size);
}
OFED_EXPORT(uverbs_copy_to_struct_or_zero);

/*
 * Two attributes as the buffers of a write() command. Short data is in the
 * attribute itself; its address there will do, as what is read from it is
 * checked when it is read.
 */
void uv_attr_buffers(const struct uverbs_attr_bundle *attrs,
		     struct ib_udata *udata, u16 in, u16 out)
{
	const struct uverbs_attr *attr = uverbs_attr_get(attrs, in);
	const struct uv_call *call = uv_call(attrs);

	memset(udata, 0, sizeof(*udata));
	if (!IS_ERR(attr)) {
		udata->inlen = attr->ptr_attr.len;
		udata->inbuf = uverbs_attr_ptr_is_inline(attr) ?
			&call->user_attrs[attr->ptr_attr.uattr_idx].data :
			u64_to_user_ptr(attr->ptr_attr.data);
	}
	attr = uverbs_attr_get(attrs, out);
	if (!IS_ERR(attr)) {
		udata->outlen = attr->ptr_attr.len;
		udata->outbuf = u64_to_user_ptr(attr->ptr_attr.data);
	}
}

/* Objects */

/**
 * uverbs_finalize_uobj_create - an object that a method makes is complete
 * @attrs_bundle: of the method
 * @idx: its attribute id
 *
 * From here on it is destroyed like any other, if the method fails.
 */
void uverbs_finalize_uobj_create(const struct uverbs_attr_bundle *attrs_bundle,
				 u16 idx)
{
	__set_bit(uapi_bkey_attr(uapi_key_attr(idx)),
		  uv_call(attrs_bundle)->made);
}
OFED_EXPORT(uverbs_finalize_uobj_create);

/**
 * uverbs_destroy_def_handler - handler of a method that does but destroy
 * @attrs: of the method
 *
 * The object is destroyed already. Return: 0.
 */
int uverbs_destroy_def_handler(struct uverbs_attr_bundle *attrs)
{
	return 0;
}
OFED_EXPORT(uverbs_destroy_def_handler);

/**
 * uverbs_uobject_put - put a reference from uverbs_uobject_get()
 * @uobject: the object, gone with the last one
 */
void uverbs_uobject_put(struct ib_uobject *uobject)
{
	uv_uobj_put(uobject);
}
OFED_EXPORT(uverbs_uobject_put);

/**
 * uverbs_uobject_fd_release - release of a driver's own file descriptor
 * @inode: of the file
 * @filp: the file
 *
 * Destroys the object, if an unplug has not done so. Return: 0.
 */
int uverbs_uobject_fd_release(struct inode *inode, struct file *filp)
{
	struct ib_uobject *uobj = filp->private_data;

	/* NULL: its creation was given up. */
	if (uobj)
		uv_uobj_close_fd(uobj);
	return 0;
}
OFED_EXPORT(uverbs_uobject_fd_release);
