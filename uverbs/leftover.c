// SPDX-License-Identifier: GPL-2.0
/*
 * What a driver refused to destroy when a file ended. No program and no
 * administrator finds it any more, and no account has it; but the driver may
 * use it. It is offered to the driver once more when the device goes, and freed
 * together with the device if the driver refuses again.
 *
 * One struct ib_uverbs_file of each device stands in for the files that such
 * objects were made by: the real ones are closed.
 */
#include <linux/module.h>
#include <linux/slab.h>

#include "ioctl/uapi.h"

/**
 * struct uv_left_context - a context that such objects were made in
 * @node: in uv_leftovers.contexts
 * @context: the context
 */
struct uv_left_context {
	struct list_head node;
	struct ib_ucontext *context;
};

/**
 * struct uv_leftovers - all of them of one device
 * @kept: for the core, when the device goes
 * @lock: guards all that follows, as long as files may end
 * @file: the owner of the objects
 * @contexts: their contexts
 * @used: there were some: references to the device and the module are taken,
 *	  and the log says so
 */
struct uv_leftovers {
	struct ofed_leftover kept;
	struct mutex lock;
	struct uv_file file;
	struct list_head contexts;
	bool used;
};

/* Return: those of a new device, or NULL. */
struct uv_leftovers *uv_leftovers_new(struct ib_uverbs_device *dev)
{
	struct uv_leftovers *left = kzalloc(sizeof(*left), GFP_KERNEL);

	if (!left)
		return NULL;
	mutex_init(&left->lock);
	INIT_LIST_HEAD(&left->contexts);
	uv_handles_init(&left->file.base);
	left->file.base.device = dev;
	return left;
}

/* .forget of an object of which the core has all. */
void uv_uobj_forget(struct ib_uobject *uobj)
{
	kfree(uobj->object);
}

/* The same of one that has events. */
void uv_source_forget(struct ib_uobject *uobj)
{
	uv_source_end(uv_source(uobj));
	kfree(uobj->object);
}

static void uv_uobj_hide(struct ib_uobject *uobj)
{
	const struct uv_type *type = uv_type_of(uobj);

	if (type->hide)
		type->hide(uobj);
}

/* The reference of the list stays that of the list. */
static void uv_uobj_leave(struct ib_uobject *uobj, struct uv_leftovers *left)
{
	lockdep_assert_held(&left->lock);
	uv_uobj_hide(uobj);
	uv_uobj_uncharge(uobj);
	uv_uobj_free_handle(uobj);
	uobj->ufile = &left->file.base;
	list_move_tail(&uobj->list, &left->file.base.uobjects);
}

static void uv_context_leave(struct ib_ucontext *context,
			     struct uv_leftovers *left)
{
	struct uv_left_context *node =
		kmalloc(sizeof(*node), GFP_KERNEL | __GFP_NOFAIL);

	lockdep_assert_held(&left->lock);
	uv_context_hide(context);
	context->ufile = &left->file.base;
	node->context = context;
	list_add(&node->node, &left->contexts);
}

/* Once for each device, however often its users make its driver refuse. */
static void uv_leftovers_use(struct uv_leftovers *left, struct ib_device *ib_dev,
			     const struct ib_uobject *uobj)
{
	lockdep_assert_held(&left->lock);
	if (left->used)
		return;
	left->used = true;
	get_device(&left->file.base.device->dev);
	/* The driver has handlers of this module. A file keeps it until here. */
	__module_get(THIS_MODULE);
	ibdev_err(ib_dev,
		  "the driver does not destroy object %d of type %u: it stays, out of reach, until the device goes\n",
		  uobj->id, uobj->uapi_object->id);
}

/**
 * uv_leave_behind - a file ends, but some of its objects do not
 * @file: the file, with hw_destroy_rwsem held for writing; file->uobjects has the objects
 * @context: its context, which they may use
 *
 * Context: process, may sleep.
 */
void uv_leave_behind(struct ib_uverbs_file *file, struct ib_ucontext *context)
{
	struct uv_leftovers *left = file->device->left;
	struct ib_uobject *uobj, *next;

	lockdep_assert_held_write(&file->hw_destroy_rwsem);
	guard(mutex)(&left->lock);
	uv_leftovers_use(left, context->device,
			 list_first_entry(&file->uobjects, typeof(*uobj), list));
	list_for_each_entry_safe(uobj, next, &file->uobjects, list)
		uv_uobj_leave(uobj, left);
	uv_context_leave(context, left);
}

static void uv_contexts_do(struct uv_leftovers *left,
			   void (*what)(struct ib_ucontext *context))
{
	struct uv_left_context *node;

	list_for_each_entry(node, &left->contexts, node)
		what(node->context);
}

static void uv_contexts_end(struct uv_leftovers *left,
			    void (*end)(struct ib_ucontext *context))
{
	struct uv_left_context *node, *next;

	uv_contexts_do(left, end);
	list_for_each_entry_safe(node, next, &left->contexts, node) {
		list_del(&node->node);
		kfree(node);
	}
}

/* Its memory stays: objects may point to it. */
static void uv_context_dealloc(struct ib_ucontext *context)
{
	context->device->ops.dealloc_ucontext(context);
}

static void uv_context_free(struct ib_ucontext *context)
{
	xa_destroy(&context->mmap_xa);
	kfree(context);
}

/* The device is gone, and its driver calls nothing of it. */
static void uv_leftovers_free(struct ofed_leftover *kept)
{
	struct uv_leftovers *left = container_of(kept, typeof(*left), kept);
	struct ib_uobject *uobj, *next;

	list_for_each_entry_safe(uobj, next, &left->file.base.uobjects, list) {
		if (uv_type_of(uobj)->forget)
			uv_type_of(uobj)->forget(uobj);
		list_del_init(&uobj->list);
		uv_uobj_put(uobj);
	}
	uv_contexts_end(left, uv_context_free);
	put_device(&left->file.base.device->dev);
}

/**
 * uv_leftovers_end - offer what is left to the driver once more
 * @dev: no file of it has objects
 * @ib_dev: its device, which goes now
 *
 * Context: process, may sleep.
 */
void uv_leftovers_end(struct ib_uverbs_device *dev, struct ib_device *ib_dev)
{
	struct uv_leftovers *left = dev->left;
	struct ib_uobject *uobj;

	if (!left->used)
		return;
	scoped_guard(rwsem_write, &left->file.base.hw_destroy_rwsem)
		uv_handles_destroy_hw(&left->file.base, RDMA_REMOVE_DRIVER_REMOVE);
	if (list_empty(&left->file.base.uobjects)) {
		uv_contexts_end(left, uv_context_destroy);
		put_device(&dev->dev);
		module_put(THIS_MODULE);
		return;
	}
	/* A refusal may have put it back into a table. */
	list_for_each_entry(uobj, &left->file.base.uobjects, list)
		uv_uobj_hide(uobj);
	uv_contexts_do(left, uv_context_dealloc);
	left->kept = (struct ofed_leftover) {
		.device = ib_dev,
		.owner = THIS_MODULE,
		.free = uv_leftovers_free,
	};
	ofed_leftover_keep(&left->kept);
}
