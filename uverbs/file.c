// SPDX-License-Identifier: GPL-2.0
/*
 * An open of the character device: its life, and the driver's context of it.
 */
#include <linux/export.h>
#include <linux/memcontrol.h>
#include <linux/module.h>
#include <linux/nsproxy.h>
#include <linux/slab.h>
#include <ofed/cgroup.h>
#include <ofed/restrack.h>

#include "ioctl/uapi.h"

void uv_device_put_user(struct ib_uverbs_device *dev)
{
	if (refcount_dec_and_test(&dev->users))
		complete(&dev->idle);
}

static void uv_file_release(struct kref *ref)
{
	struct ib_uverbs_file *file =
		container_of(ref, struct ib_uverbs_file, ref);
	struct ib_uverbs_device *dev = file->device;

	scoped_guard(mutex, &dev->files_lock)
		list_del(&file->list);
	uv_handles_release(file);
	/* A command after the teardown claims what its task has pinned elsewhere. */
	ofed_umem_settle(&to_uv_file(file)->umems);
	if (to_uv_file(file)->async)
		uv_uobj_put(&to_uv_file(file)->async->uobj);
	uv_mmap_release(file);
	module_put(to_uv_file(file)->owner);
	mem_cgroup_put(to_uv_file(file)->memcg);
	kfree(to_uv_file(file));

	uv_device_put_user(dev);
	put_device(&dev->dev);
}

void uv_file_put(struct ib_uverbs_file *file)
{
	kref_put(&file->ref, uv_file_release);
}

/**
 * uv_file_next - walk over the files of a device
 * @dev: the device
 * @prev: the last one, NULL to begin; its reference is dropped
 *
 * Files that are opened meanwhile come last. No lock is held in between.
 * Return: the next one, with a reference, or NULL.
 */
struct ib_uverbs_file *uv_file_next(struct ib_uverbs_device *dev,
				    struct ib_uverbs_file *prev)
{
	struct ib_uverbs_file *file, *next = NULL;

	scoped_guard(mutex, &dev->files_lock) {
		file = list_prepare_entry(prev, &dev->files, list);
		list_for_each_entry_continue(file, &dev->files, list)
			if (kref_get_unless_zero(&file->ref)) {
				next = file;
				break;
			}
	}
	if (prev)
		uv_file_put(prev);
	return next;
}

/* With a reference to @device, but not yet known to it. */
static struct ib_uverbs_file *uv_file_new(struct ib_uverbs_device *dev)
{
	struct uv_file *uv = kzalloc(sizeof(*uv), GFP_KERNEL_ACCOUNT);
	struct ib_uverbs_file *file;

	if (!uv)
		return NULL;
	file = &uv->base;
	kref_init(&file->ref);
	mutex_init(&file->ucontext_lock);
	uv_handles_init(file);
	uv_mmap_init(file);
	file->device = dev;
	to_uv_file(file)->memcg = get_mem_cgroup_from_mm(current->mm);
	return file;
}

/*
 * Whether the asker may open the device now. A driver that can not be unplugged
 * from under its users stays loaded for them.
 */
static int uv_file_admit(struct ib_uverbs_file *file, struct ib_device *ib_dev)
{
	if (!ib_dev)
		return uv_refuse(file, -EIO, "the device is gone");
	if (!rdma_dev_access_netns(ib_dev, current->nsproxy->net_ns))
		return uv_refuse(file, -EPERM,
				 "the device is of another network namespace");
	if (!ib_dev->ops.disassociate_ucontext) {
		if (!try_module_get(ib_dev->ops.owner))
			return uv_refuse(file, -ENODEV, "the driver goes");
		to_uv_file(file)->owner = ib_dev->ops.owner;
	}
	return 0;
}

int uv_file_open(struct inode *inode, struct file *filp)
{
	struct ib_uverbs_device *dev =
		container_of(inode->i_cdev, struct ib_uverbs_device, cdev);
	struct ib_uverbs_file *file;
	int ret;

	if (!refcount_inc_not_zero(&dev->users))
		return -ENXIO;
	file = uv_file_new(dev);
	if (!file) {
		ret = -ENOMEM;
		goto err_put_user;
	}

	/* uv_device_unplug() either shows here or finds the file on the list. */
	scoped_guard(mutex, &dev->files_lock) {
		scoped_guard(srcu, &dev->srcu)
			ret = uv_file_admit(file, uv_ib_dev(dev));
		if (ret)
			goto err_free;
		get_device(&dev->dev);
		list_add_tail(&file->list, &dev->files);
	}
	filp->private_data = file;
	return stream_open(inode, filp);

err_free:
	mem_cgroup_put(to_uv_file(file)->memcg);
	kfree(to_uv_file(file));
err_put_user:
	uv_device_put_user(dev);
	return ret;
}

/* Out of the tables and the accounts. Again is fine. */
void uv_context_hide(struct ib_ucontext *context)
{
	ofed_restrack_del(&context->res);
	ofed_cg_uncharge(&context->cg_obj, context->device,
			 RDMACG_RESOURCE_HCA_HANDLE);
}

void uv_context_destroy(struct ib_ucontext *context)
{
	uv_context_hide(context);
	context->device->ops.dealloc_ucontext(context);
	/* A driver removes the offsets that it has handed out. */
	WARN_ON_ONCE(!xa_empty(&context->mmap_xa));
	xa_destroy(&context->mmap_xa);
	kfree(context);
}

/*
 * End all that the file has of the driver. At a close no command runs and no
 * mapping exists; at an unplug no command has the device and all mappings are
 * zapped, so that no page of it is touched while its owner goes away.
 */
static void uv_file_teardown(struct ib_uverbs_file *file,
			     enum rdma_remove_reason why)
{
	struct ib_ucontext *context;

	guard(rwsem_write)(&file->hw_destroy_rwsem);
	context = file->ucontext;
	if (!context)
		return;
	compat_ufile_cleanup(context->device, file);
	uv_handles_destroy_hw(file, why);
	if (why == RDMA_REMOVE_DRIVER_REMOVE)
		context->device->ops.disassociate_ucontext(context);
	WRITE_ONCE(file->ucontext, NULL);
	if (list_empty(&file->uobjects))
		uv_context_destroy(context);
	else
		uv_leave_behind(file, context);
	ofed_umem_settle(&to_uv_file(file)->umems);
}

int uv_file_close(struct inode *inode, struct file *filp)
{
	struct ib_uverbs_file *file = filp->private_data;

	uv_file_teardown(file, RDMA_REMOVE_CLOSE);
	/* Until here an unplug finds the file, and waits for the teardown. */
	uv_file_put(file);
	return 0;
}

/**
 * uv_device_unplug - part all open files from a device that goes away
 * @dev: the device; its driver has ops.disassociate_ucontext
 *
 * When this returns, the driver is not called any more. Context: process,
 * sleeps.
 */
void uv_device_unplug(struct ib_uverbs_device *dev)
{
	struct ib_uverbs_file *file = NULL;

	/* Nothing is mapped after the first wait, nor unmapped after both. */
	rcu_assign_pointer(dev->ib_dev, NULL);
	synchronize_srcu(&dev->srcu);
	uv_mmap_zap_all(dev);
	synchronize_srcu(&dev->srcu);

	while ((file = uv_file_next(dev, file)))
		uv_file_teardown(file, RDMA_REMOVE_DRIVER_REMOVE);
}

/**
 * ib_uverbs_get_ucontext_file - the driver's context of an open file
 * @ufile: the file, from the attribute bundle of a command in progress
 *
 * Context: in a command, which is what keeps the context from going away.
 * Return: the context, or -EIO (the device was unplugged), -EINVAL (there is
 * none yet).
 */
struct ib_ucontext *ib_uverbs_get_ucontext_file(struct ib_uverbs_file *ufile)
{
	return uv_file_context(ufile);
}
OFED_EXPORT(ib_uverbs_get_ucontext_file);

/* The event file of objects that are created without one of their own. */
struct uv_async_file *uv_file_async(struct ib_uverbs_file *file)
{
	/* Pairs with the release when it was complete. */
	return smp_load_acquire(&to_uv_file(file)->async);
}

static void uv_async_set(struct ib_uverbs_file *file, struct uv_async_file *async)
{
	lockdep_assert_held(&file->ucontext_lock);
	if (to_uv_file(file)->async)
		return;
	uv_uobj_get(&async->uobj);
	/* A reader that sees it may send events to it. */
	smp_store_release(&to_uv_file(file)->async, async);
}

/**
 * uv_file_offer_async - let an event file be the one of its file
 * @file: the file, which takes a reference if it has none so far
 * @async: event file of @file, between begin and commit
 */
void uv_file_offer_async(struct ib_uverbs_file *file,
			 struct uv_async_file *async)
{
	guard(mutex)(&file->ucontext_lock);
	uv_async_set(file, async);
}

/* What uv_context_create() is given, or -EIO (unplugged), -ENOMEM. */
struct ib_ucontext *uv_context_alloc(struct ib_uverbs_file *file)
{
	struct ib_device *ib_dev = uv_ib_dev(file->device);
	struct ib_ucontext *context;

	if (!ib_dev)
		return uv_refuse(file, ERR_PTR(-EIO), "the device is gone");
	context = rdma_zalloc_drv_obj_gfp(ib_dev, ib_ucontext, GFP_KERNEL_ACCOUNT);
	if (!context)
		return ERR_PTR(-ENOMEM);
	context->device = ib_dev;
	context->ufile = file;
	return context;
}

static int uv_context_init(struct ib_ucontext *context,
			   struct uverbs_attr_bundle *attrs)
{
	struct ib_device *ib_dev = context->device;
	int ret;

	ret = ofed_cg_charge(&context->cg_obj, ib_dev,
			     RDMACG_RESOURCE_HCA_HANDLE);
	if (ret)
		return ret;
	ofed_restrack_new(&context->res, RDMA_RESTRACK_CTX);
	ofed_restrack_set_name(&context->res, NULL);
	ret = ib_dev->ops.alloc_ucontext(context, &attrs->driver_udata);
	if (ret)
		goto err_untrack;
	ofed_restrack_add(&context->res);
	return 0;

err_untrack:
	rdma_restrack_put(&context->res);
	ofed_cg_uncharge(&context->cg_obj, ib_dev, RDMACG_RESOURCE_HCA_HANDLE);
	return ret;
}

/**
 * uv_context_create - give a file its context
 * @attrs: of GET_CONTEXT
 * @context: zeroed but for device and ufile; the file's on success
 * @async: event file of the context, between begin and commit; the file takes a
 *	   reference. NULL for a program that asks for one later.
 *
 * Return: 0, -EINVAL (it has one), or an errno of the cgroup or the driver.
 */
int uv_context_create(struct uverbs_attr_bundle *attrs,
		      struct ib_ucontext *context, struct uv_async_file *async)
{
	struct ib_uverbs_file *file = attrs->ufile;
	int ret;

	lockdep_assert_held(&file->hw_destroy_rwsem);
	guard(mutex)(&file->ucontext_lock);
	if (file->ucontext)
		return uv_refuse(file, -EINVAL, "the file has a context");
	xa_init_flags(&context->mmap_xa, XA_FLAGS_ALLOC | XA_FLAGS_ACCOUNT);
	ret = uv_context_init(context, attrs);
	if (ret)
		return ret;

	if (async) {
		uv_async_set(file, async);
		uv_async_start(async, context->device);
	}
	/* A reader of the context may create objects with events for async. */
	smp_store_release(&file->ucontext, context);
	return 0;
}
