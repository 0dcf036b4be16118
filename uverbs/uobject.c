// SPDX-License-Identifier: GPL-2.0
/*
 * The objects of an open file: their handles and their end. uobject_get.c has
 * their use.
 *
 * An object is born locked (usecnt -1) and unknown, by uv_uobj_begin(). Commit
 * makes its handle work and puts it on file->uobjects; abort undoes it. From then
 * on it ends once, by the first of these:
 *
 * - a command. It locks the object, the driver destroys it, and the handle is
 *   free again. The lock stays taken, as others may have found the object just
 *   before.
 * - the close of its descriptor, if it is one.
 * - a teardown of the file, which needs file->hw_destroy_rwsem for itself.
 *
 * After the teardown of an unplug, handles stay: the object behind is empty
 * then (object and context are NULL). A program that has not noticed the unplug
 * may destroy it and gets its event counts; all else is -EIO.
 */
#include <linux/anon_inodes.h>
#include <linux/file.h>
#include <linux/slab.h>
#include <ofed/cgroup.h>

#include "uverbs.h"

static void uv_uobj_free(struct kref *ref)
{
	struct ib_uobject *uobj = container_of(ref, struct ib_uobject, ref);

	/* uv_uobj_find() may look at it still. */
	kfree_rcu(uobj, rcu);
}

void uv_uobj_get(struct ib_uobject *uobj)
{
	kref_get(&uobj->ref);
}

void uv_uobj_put(struct ib_uobject *uobj)
{
	kref_put(&uobj->ref, uv_uobj_free);
}

static struct ib_uobject *uv_uobj_new(const struct uv_type *type,
				      struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_file *file = attrs->ufile;
	struct ib_ucontext *context = attrs->context;
	struct ib_uobject *uobj;

	if (!context)
		context = uv_file_context(file);
	if (IS_ERR(context))
		return ERR_CAST(context);
	/* Only a teardown makes this fail. */
	if (!down_read_trylock(&file->hw_destroy_rwsem))
		return uv_refuse(file, ERR_PTR(-EIO), "the file ends");

	uobj = kzalloc(type->size, GFP_KERNEL_ACCOUNT);
	if (!uobj) {
		up_read(&file->hw_destroy_rwsem);
		return ERR_PTR(-ENOMEM);
	}
	kref_init(&uobj->ref);
	INIT_LIST_HEAD(&uobj->list);
	atomic_set(&uobj->usecnt, UV_USED_EXCLUSIVELY);
	uobj->uapi_object = &type->api;
	uobj->context = context;
	uobj->ufile = file;
	attrs->context = context;
	return uobj;
}

/* The last step of begin undone, and of a creation that is over. */
static void uv_uobj_free_new(struct ib_uobject *uobj)
{
	up_read(&uobj->ufile->hw_destroy_rwsem);
	uv_uobj_put(uobj);
}

static int uv_handle_reserve(struct ib_uobject *uobj)
{
	u32 id;
	int ret;

	/* Until commit the slot reads as empty. */
	ret = xa_alloc(&uobj->ufile->idr, &id, NULL, xa_limit_31b,
		       GFP_KERNEL_ACCOUNT);
	if (!ret)
		uobj->id = id;
	return ret;
}

/* The account of the cgroup; once, however often this is called. */
void uv_uobj_uncharge(struct ib_uobject *uobj)
{
	ofed_cg_uncharge(&uobj->cg_obj, uobj->context->device,
			 RDMACG_RESOURCE_HCA_OBJECT);
}

/**
 * uv_uobj_begin - begin to create an object with a handle
 * @type: type of the object
 * @attrs: of the command; gets the context
 *
 * The caller makes uobj->object and then leaves the rest to the end of the
 * command, by attrs->uobject, or calls uv_uobj_commit() or uv_uobj_abort().
 * Return: the object, locked, in zeroed memory, with file->hw_destroy_rwsem held for
 * reading, or -EINVAL (no context yet), -EIO (unplugged), -ENOMEM, or an errno
 * of the cgroup.
 */
struct ib_uobject *uv_uobj_begin(const struct uv_type *type,
				 struct uverbs_attr_bundle *attrs)
{
	struct ib_uobject *uobj = uv_uobj_new(type, attrs);
	int ret;

	if (IS_ERR(uobj))
		return uobj;
	ret = ofed_cg_charge(&uobj->cg_obj, uobj->context->device,
			     RDMACG_RESOURCE_HCA_OBJECT);
	if (ret)
		goto err_unnew;
	ret = uv_handle_reserve(uobj);
	if (ret)
		goto err_uncharge;
	return uobj;

err_uncharge:
	uv_uobj_uncharge(uobj);
err_unnew:
	uv_uobj_free_new(uobj);
	return ERR_PTR(ret);
}

/**
 * uv_uobj_begin_fd - begin to create an object that is a file descriptor
 * @type: type of the object
 * @attrs: of the command; attrs->context may be one that is not yet the file's
 * @fops: of the new file; its private_data is the object, or NULL if it is
 *	  released before commit. NULL: the method sets uobj->object to a file
 *	  of another subsystem, and its release calls uv_uobj_close_fd()
 *
 * Return: as uv_uobj_begin(), with uobj->object being the new file, or an errno
 * of opening one.
 */
struct ib_uobject *uv_uobj_begin_fd(const struct uv_type *type,
				    struct uverbs_attr_bundle *attrs,
				    const struct file_operations *fops)
{
	struct ib_uobject *uobj = uv_uobj_new(type, attrs);
	struct file *filp;
	int ret;

	if (IS_ERR(uobj))
		return uobj;
	ret = get_unused_fd_flags(O_CLOEXEC);
	if (ret < 0)
		goto err_unnew;
	uobj->id = ret;
	if (!fops)
		return uobj;
	filp = anon_inode_getfile(type->name ?: "[infinibandevent]", fops, NULL,
				  type->flags);
	if (IS_ERR(filp)) {
		ret = PTR_ERR(filp);
		goto err_put_fd;
	}
	uobj->object = filp;
	return uobj;

err_put_fd:
	put_unused_fd(uobj->id);
err_unnew:
	uv_uobj_free_new(uobj);
	return ERR_PTR(ret);
}

static void uv_uobj_list(struct ib_uobject *uobj)
{
	uv_uobj_get(uobj);
	scoped_guard(spinlock, &uobj->ufile->uobjects_lock)
		list_add(&uobj->list, &uobj->ufile->uobjects);
}

/* The driver has it no longer, so a teardown need not look at it. */
static void uv_uobj_unlist(struct ib_uobject *uobj)
{
	if (list_empty(&uobj->list))
		return;
	scoped_guard(spinlock, &uobj->ufile->uobjects_lock)
		list_del_init(&uobj->list);
	uv_uobj_put(uobj);
}

/**
 * uv_uobj_commit - finish the creation of an object
 * @uobj: from uv_uobj_begin() or uv_uobj_begin_fd(), object being set
 *
 * The reference of begin goes to the handle: @uobj may be gone on return.
 */
void uv_uobj_commit(struct ib_uobject *uobj)
{
	struct ib_uverbs_file *file = uobj->ufile;
	struct file *filp = uobj->object;
	int id = uobj->id;

	lockdep_assert_held(&file->hw_destroy_rwsem);
	uv_uobj_list(uobj);
	if (uv_type_of(uobj)->is_fd) {
		kref_get(&file->ref);
		if (uv_type_of(uobj)->fops)
			filp->private_data = uobj;
		uv_disown(uobj);
		up_read(&file->hw_destroy_rwsem);
		fd_install(id, filp);
		return;
	}
	uv_disown(uobj);
	/* The slot is there, so nothing is allocated. */
	xa_store(&file->idr, id, uobj, GFP_KERNEL);
	up_read(&file->hw_destroy_rwsem);
}

static int uv_uobj_destroy_hw(struct ib_uobject *uobj, enum rdma_remove_reason why,
			      struct uverbs_attr_bundle *attrs)
{
	const struct uv_type *type = uv_type_of(uobj);
	int ret;

	lockdep_assert_held(&uobj->ufile->hw_destroy_rwsem);
	if (!uobj->object)
		return 0;
	ret = type->destroy(uobj, why, attrs);
	if (ret)
		return ret;
	uobj->object = NULL;
	if (!type->is_fd)
		uv_uobj_uncharge(uobj);
	uobj->context = NULL;
	return 0;
}

static void uv_abort_fd(struct ib_uobject *uobj)
{
	put_unused_fd(uobj->id);
	if (uobj->object)
		fput(uobj->object);
}

/**
 * uv_uobj_abort - give up the creation of an object
 * @uobj: from uv_uobj_begin() or uv_uobj_begin_fd(); gone on return
 * @attrs: of the command
 *
 * What the driver has made of it is destroyed. When the driver refuses that,
 * the object lives on without a handle, for a teardown to destroy.
 */
void uv_uobj_abort(struct ib_uobject *uobj, struct uverbs_attr_bundle *attrs)
{
	if (uv_type_of(uobj)->is_fd) {
		uv_abort_fd(uobj);
		uv_uobj_free_new(uobj);
		return;
	}
	/* The slot was never filled. */
	xa_erase(&uobj->ufile->idr, uobj->id);
	if (!uobj->object) {
		uv_uobj_uncharge(uobj);
	} else if (uv_uobj_destroy_hw(uobj, RDMA_REMOVE_ABORT, attrs)) {
		uv_uobj_list(uobj);
		uv_disown(uobj);
	}
	uv_uobj_free_new(uobj);
}

/**
 * uv_uobj_abandon - give up an object that ioctl() has begun
 * @uobj: from uv_uobj_begin() or uv_uobj_begin_fd(); gone on return
 * @made: the method has finished it, so it is destroyed; otherwise the method
 *	  has undone what there was
 * @attrs: of the method
 */
void uv_uobj_abandon(struct ib_uobject *uobj, bool made,
		     struct uverbs_attr_bundle *attrs)
{
	const struct uv_type *type = uv_type_of(uobj);

	if (!type->is_fd && !made)
		uobj->object = NULL;
	if (type->is_fd && made)
		WARN_ON_ONCE(type->destroy(uobj, RDMA_REMOVE_ABORT, attrs));
	uv_uobj_abort(uobj, attrs);
}

/**
 * uv_uobj_destroy - a command destroys an object
 * @uobj: the object, of which the caller has a reference
 * @attrs: of the command; gets the object's context
 *
 * Return: 0, and the object stays locked for holders of references; -EBUSY (in
 * use), or the errno of the driver, after which it is as before.
 */
int uv_uobj_destroy(struct ib_uobject *uobj, struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_file *file = uobj->ufile;
	int ret;

	guard(rwsem_read)(&file->hw_destroy_rwsem);
	if (!uv_try_own(uobj))
		return uv_refuse(file, -EBUSY, "object %u is in use", uobj->id);
	attrs->context = uobj->context;
	ret = uv_uobj_destroy_hw(uobj, RDMA_REMOVE_DESTROY, attrs);
	if (ret) {
		uv_disown(uobj);
		return ret;
	}
	xa_erase(&file->idr, uobj->id);
	uv_uobj_unlist(uobj);
	/* That of the handle. */
	uv_uobj_put(uobj);
	return 0;
}

/**
 * uv_uobj_close_fd - the descriptor of an object was closed
 * @uobj: the object; its reference from the descriptor is dropped
 */
void uv_uobj_close_fd(struct ib_uobject *uobj)
{
	struct ib_uverbs_file *file = uobj->ufile;
	struct uverbs_attr_bundle attrs = { .ufile = file };

	scoped_guard(rwsem_read, &file->hw_destroy_rwsem) {
		/* Every user has a reference to the descriptor's file. */
		WARN_ON_ONCE(!uv_try_own(uobj));
		attrs.context = uobj->context;
		WARN_ON_ONCE(uv_uobj_destroy_hw(uobj, RDMA_REMOVE_CLOSE, &attrs));
		uv_uobj_unlist(uobj);
	}
	uv_uobj_put(uobj);
	uv_file_put(file);
}

void uv_handles_init(struct ib_uverbs_file *file)
{
	init_rwsem(&file->hw_destroy_rwsem);
	spin_lock_init(&file->uobjects_lock);
	INIT_LIST_HEAD(&file->uobjects);
	INIT_LIST_HEAD(&to_uv_file(file)->umems);
	xa_init_flags(&file->idr, XA_FLAGS_ALLOC | XA_FLAGS_ACCOUNT);
}

/*
 * Youngest first, an object comes before what it is made of, mostly. Returns
 * whether anything was destroyed.
 */
static bool uv_destroy_pass(struct ib_uverbs_file *file,
			    enum rdma_remove_reason why)
{
	struct uverbs_attr_bundle attrs = { .ufile = file };
	struct ib_uobject *uobj, *next;
	bool progress = false;

	list_for_each_entry_safe(uobj, next, &file->uobjects, list) {
		/* No command runs. */
		WARN_ON_ONCE(!uv_try_own(uobj));
		attrs.context = uobj->context;
		if (!uv_uobj_destroy_hw(uobj, why, &attrs)) {
			uv_disown(uobj);
			uv_uobj_unlist(uobj);
			progress = true;
		} else {
			uv_disown(uobj);
		}
		cond_resched();
	}
	return progress;
}

/* Its handle does not find it any more. One that was given up has none. */
void uv_uobj_free_handle(struct ib_uobject *uobj)
{
	struct xarray *handles = &uobj->ufile->idr;

	if (xa_cmpxchg(handles, uobj->id, uobj, NULL, 0) == uobj)
		uv_uobj_put(uobj);
}

/**
 * uv_handles_destroy_hw - empty all objects of a file
 * @file: the file, with hw_destroy_rwsem held for writing
 * @why: RDMA_REMOVE_CLOSE or RDMA_REMOVE_DRIVER_REMOVE
 *
 * An object that others are made of refuses with -EBUSY, and is tried again
 * as long as there is progress. What the driver refuses stays on file->uobjects.
 */
void uv_handles_destroy_hw(struct ib_uverbs_file *file,
			   enum rdma_remove_reason why)
{
	lockdep_assert_held_write(&file->hw_destroy_rwsem);
	while (!list_empty(&file->uobjects) && uv_destroy_pass(file, why))
		;
}

/* The last user of @file is gone; what is left are handles of empty objects. */
void uv_handles_release(struct ib_uverbs_file *file)
{
	struct ib_uobject *uobj;
	unsigned long id;

	xa_for_each(&file->idr, id, uobj)
		uv_uobj_put(uobj);
	xa_destroy(&file->idr);
}
