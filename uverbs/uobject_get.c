// SPDX-License-Identifier: GPL-2.0
/*
 * Objects of an open file are found by handle or descriptor, and locked: shared
 * by the commands that use one, exclusively by the one that changes it.
 */
#include <linux/file.h>

#include "uverbs.h"

static bool uv_try_share(struct ib_uobject *uobj)
{
	return atomic_add_unless(&uobj->usecnt, 1, UV_USED_EXCLUSIVELY);
}

static struct ib_uobject *uv_handle_find(struct ib_uverbs_file *file, u32 id)
{
	struct ib_uobject *uobj;

	rcu_read_lock();
	uobj = xa_load(&file->idr, id);
	if (uobj && !kref_get_unless_zero(&uobj->ref))
		uobj = NULL;
	rcu_read_unlock();
	return uobj;
}

/* What is asked of an object that was found. @type is NULL for any. */
static int uv_uobj_check(const struct ib_uobject *uobj, const struct uv_type *type,
			 bool may_be_empty)
{
	if (type && uobj->uapi_object != &type->api)
		return -EINVAL;
	return may_be_empty || uv_ib_dev(uobj->ufile->device) ? 0 : -EIO;
}

/* With a reference, not locked. */
static struct ib_uobject *uv_uobj_find(const struct uv_type *type, u32 id,
				       struct uverbs_attr_bundle *attrs,
				       bool may_be_empty)
{
	struct ib_uobject *uobj;
	int ret;

	if (type && !(attrs->ufile->device->types_ok & uv_type_bit(type)))
		return uv_refuse(attrs->ufile, ERR_PTR(-EINVAL),
				 "handle %u: the device has no objects of the type", id);
	uobj = uv_handle_find(attrs->ufile, id);
	if (!uobj)
		return uv_refuse(attrs->ufile, ERR_PTR(-ENOENT),
				 "there is no handle %u", id);
	ret = uv_uobj_check(uobj, type, may_be_empty);
	if (!ret)
		return uobj;
	uv_uobj_put(uobj);
	return uv_refuse(attrs->ufile, ERR_PTR(ret),
			 "handle %u is of another type, or its device is gone", id);
}

static struct ib_uobject *uv_uobj_share(struct ib_uobject *uobj,
					struct uverbs_attr_bundle *attrs)
{
	if (!uv_try_share(uobj)) {
		uv_uobj_put(uobj);
		return uv_refuse(attrs->ufile, ERR_PTR(-EBUSY),
				 "an object is being changed or destroyed");
	}
	attrs->context = uobj->context;
	return uobj;
}

/**
 * uv_get_read - find an object by its handle, to use it
 * @type: what it must be, or NULL: anything
 * @id: its handle
 * @attrs: of the command; gets the object's context
 *
 * Return: the object, for uv_put_read(), or -ENOENT (no such handle), -EINVAL
 * (another type, or one that the device does not have), -EIO (unplugged),
 * -EBUSY (about to be changed or destroyed).
 */
struct ib_uobject *uv_get_read(const struct uv_type *type, u32 id,
			       struct uverbs_attr_bundle *attrs)
{
	struct ib_uobject *uobj = uv_uobj_find(type, id, attrs, false);

	return IS_ERR(uobj) ? uobj : uv_uobj_share(uobj, attrs);
}

/**
 * uv_try_get_read - uv_get_read() that tells no reason
 * @type: what the object must be
 * @id: its handle
 * @file: open uverbs device that the handle is of
 *
 * Return: the object, for uv_put_read(), or NULL: uv_get_read() fails, too, and tells why.
 */
struct ib_uobject *uv_try_get_read(const struct uv_type *type, u32 id,
				   struct ib_uverbs_file *file)
{
	struct ib_uobject *uobj = uv_handle_find(file, id);

	if (!uobj)
		return NULL;
	if (!uv_uobj_check(uobj, type, false) && uv_try_share(uobj))
		return uobj;
	uv_uobj_put(uobj);
	return NULL;
}

void uv_put_read(struct ib_uobject *uobj)
{
	WARN_ON_ONCE(atomic_dec_return(&uobj->usecnt) < 0);
	uv_uobj_put(uobj);
}

/**
 * uv_get_read_fd - find an object by its file descriptor, to use it
 * @type: what it must be
 * @fd: descriptor in the current process
 * @attrs: of the command; gets the object's context
 *
 * Return: the object, for uv_put_read_fd(), or -EBADF (no descriptor, or not
 * one of @type and of this file), -EIO (unplugged).
 */
struct ib_uobject *uv_get_read_fd(const struct uv_type *type, int fd,
				  struct uverbs_attr_bundle *attrs)
{
	struct file *filp __free(fput) = fget(fd);
	struct ib_uobject *uobj;
	int ret;

	/* The operations of a driver's own type go with it. */
	if (!uv_ib_dev(attrs->ufile->device))
		return uv_refuse(attrs->ufile, ERR_PTR(-EIO),
				 "the device is gone");
	if (!filp || filp->f_op != type->fops)
		return uv_refuse(attrs->ufile, ERR_PTR(-EBADF),
				 "fd %d is not of the type", fd);
	/* It was committed, or it would not have a descriptor. */
	uobj = filp->private_data;
	if (uobj->ufile != attrs->ufile || uobj->uapi_object != &type->api)
		return uv_refuse(attrs->ufile, ERR_PTR(-EBADF),
				 "fd %d is of another file", fd);
	ret = uv_uobj_check(uobj, type, false);
	if (ret)
		return ERR_PTR(ret);
	uv_uobj_get(uobj);
	uobj = uv_uobj_share(uobj, attrs);
	/* Held until put, so that a close() does not end the object in use. */
	if (!IS_ERR(uobj))
		filp = NULL;
	return uobj;
}

void uv_put_read_fd(struct ib_uobject *uobj)
{
	struct file *filp = uobj->object;

	uv_put_read(uobj);
	fput(filp);
}

/**
 * uv_get_write - find an object by its handle, to change what it is
 * @type: what it must be, or NULL: anything
 * @id: its handle
 * @attrs: of the command; gets the object's context
 *
 * Return: the object, for uv_put_write(), or as uv_get_read(), with -EBUSY when
 * another thread uses it.
 */
struct ib_uobject *uv_get_write(const struct uv_type *type, u32 id,
				struct uverbs_attr_bundle *attrs)
{
	struct ib_uobject *uobj = uv_uobj_find(type, id, attrs, false);

	if (IS_ERR(uobj))
		return uobj;
	if (!uv_try_own(uobj)) {
		uv_uobj_put(uobj);
		return uv_refuse(attrs->ufile, ERR_PTR(-EBUSY),
				 "handle %u is in use", id);
	}
	attrs->context = uobj->context;
	return uobj;
}

void uv_put_write(struct ib_uobject *uobj)
{
	uv_disown(uobj);
	uv_uobj_put(uobj);
}

/**
 * uv_get_for_destroy - find an object by its handle, for uv_uobj_destroy()
 * @type: what it must be, or NULL: anything
 * @id: its handle
 * @attrs: of the command
 *
 * Return: the object, for uv_uobj_put(), or -ENOENT, -EINVAL as uv_get_read().
 */
struct ib_uobject *uv_get_for_destroy(const struct uv_type *type, u32 id,
				      struct uverbs_attr_bundle *attrs)
{
	return uv_uobj_find(type, id, attrs, true);
}

/**
 * uv_get_destroyed - destroy an object and hold on to what is left of it
 * @type: what it must be
 * @id: its handle
 * @attrs: of the command
 *
 * Return: the object, for uv_uobj_put(), or as uv_get_write(), but never -EIO,
 * or the errno of the driver, after which the object is as before.
 */
struct ib_uobject *uv_get_destroyed(const struct uv_type *type, u32 id,
				    struct uverbs_attr_bundle *attrs)
{
	struct ib_uobject *uobj = uv_get_for_destroy(type, id, attrs);
	int ret;

	if (IS_ERR(uobj))
		return uobj;
	ret = uv_uobj_destroy(uobj, attrs);
	if (!ret)
		return uobj;
	uv_uobj_put(uobj);
	return ERR_PTR(ret);
}

int uv_destroy(const struct uv_type *type, u32 id,
	       struct uverbs_attr_bundle *attrs)
{
	struct ib_uobject *uobj = uv_get_destroyed(type, id, attrs);

	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	uv_uobj_put(uobj);
	return 0;
}
