/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of ofed_uverbs share.
 *
 * Locks, outermost first:
 *
 * nodes_lock of main.c (mutex)
 *	keeps the node of a device in being while a reference to it is taken.
 * ib_uverbs_device.files_lock (mutex)
 *	guards ib_uverbs_device.files; "may still be opened" is decided under it, with
 *	a section of srcu for a look at ib_dev. No file is put under it, and
 *	nothing waits.
 * mm->mmap_lock
 *	write: taken by a zap, which holds nothing else. Held by the caller of
 *	mmap and of the vm_ops.
 * ib_uverbs_device.srcu
 *	read: a command, mmap, or a mapping that ends. ib_dev that was found
 *	there stays registered, and its driver may be called, until the section
 *	ends. Unplug clears ib_dev and then waits for all sections, zaps, and
 *	waits for sections once more before the first teardown: it holds
 *	nothing while it waits, and a section must never wait for an unplug,
 *	but for its teardowns it may. A section may fault, therefore mmap_lock
 *	nests both ways.
 * ib_uverbs_file.hw_destroy_rwsem (rwsem)
 *	read: one object being created, from uv_uobj_begin() to its commit or
 *	abort, or one being destroyed; write: all of them being destroyed, and
 *	the context with them, when no section is waited for. A reader may
 *	fault; a holder of mmap_lock never takes it. Creation only tries: one
 *	that meets a teardown fails.
 * ib_uverbs_file.ucontext_lock (mutex)
 *	makes a file get one context. Guards stores to ucontext and async, which
 *	are read without: each changes once from NULL, and ucontext back to NULL
 *	under hw_destroy_rwsem (write). async may come later than ucontext.
 * ib_uverbs_device.xrcd_lock (mutex)
 *	guards ib_uverbs_device.xrcds and the sharing of XRC domains through it.
 * uv_qp.mcast_lock (mutex)
 *	guards uv_qp.mcast, and pairs it with what the driver has.
 * uv_file.range_lock (mutex)
 *	one allocation of mmap offsets at a time.
 * rdma_user_mmap_entry.dmabufs_lock (mutex)
 *	guards dmabufs, where a kernel has dma-bufs of offsets. Reservation locks of
 *	dma-bufs are taken under it, and their importers waited for.
 * ib_uverbs_file.umap_lock (mutex)
 *	guards umaps, the entries in it and disassociate_page. Under it,
 *	zap_vma_ptes() and the page allocator are called, never the driver.
 * uv_leftovers.lock (mutex)
 *	guards uv_leftovers among files that end.
 * ib_uverbs_file.uobjects_lock (spinlock)
 *	guards uobjects among readers of hw_destroy_rwsem; a writer needs no more.
 * uv_queue.lock (spinlock, any context)
 *	guards the events of one event file, with the counters they go to.
 *
 * usecnt of an ib_uobject is a lock of its own that is only ever tried: n > 0
 * readers, or -1 for a writer, which changes or destroys the object. ioctl()
 * tries those of its attributes in the order of the request.
 *
 * ib_uverbs_device.api needs no lock: nothing in it changes after it was built.
 */
#ifndef OFED_UVERBS_H
#define OFED_UVERBS_H

#include <linux/cdev.h>
#include <linux/cleanup.h>
#include <linux/fs.h>
#include <linux/mutex.h>
#include <linux/rwsem.h>
#include <linux/srcu.h>
#include <linux/xarray.h>
#include <compat/uverbs_file.h>
#include <ofed/leftover.h>
#include <ofed/refuse.h>
#include <rdma/ib_verbs.h>
#include <rdma/uverbs_ioctl.h>
#include <rdma/uverbs_std_types.h>

#include "frame.h"
#include "spin.h"

/**
 * struct ib_uverbs_device - one /dev/infiniband/uverbsN
 * @dev: class device; its reference keeps this struct
 * @cdev: character device
 * @number: N
 * @num_comp_vectors: of the device, for when it is gone
 * @ib_dev: NULL after unplug
 * @srcu: see above
 * @users: open files, and 1 of the client until its remove
 * @idle: completed by the last user
 * @files_lock: see above
 * @files: files, until their last reference is put
 * @xrcd_lock: see above
 * @xrcds: XRC domains that are shared through a file, by its inode
 * @types_ok: types of objects that the driver has, by uv_type_bit()
 * @api: what ioctl() and write() can do
 * @left: what its driver refused to destroy
 */
struct ib_uverbs_device {
	struct device dev;
	struct cdev cdev;
	int number;
	u32 num_comp_vectors;
	struct ib_device __rcu *ib_dev;
	struct srcu_struct srcu;
	refcount_t users;
	struct completion idle;
	struct mutex files_lock;
	struct list_head files;
	struct mutex xrcd_lock;
	struct xarray xrcds;
	u64 types_ok;
	struct uv_api *api;
	struct uv_leftovers *left;
};

/**
 * struct uv_file - one open of the device, the owner of all objects
 * @base: what drivers may use of it. There:
 *	  ref: the open file, and each of its event files;
 *	  device: with a reference;
 *	  ucontext: the driver's context, NULL before GET_CONTEXT and after teardown;
 *	  list: in device->files;
 *	  uobjects: objects that the driver knows, youngest first, one reference each;
 *	  umaps: mappings of device memory, struct uv_umap in mmap.c;
 *	  disassociate_page: what mappings show after unplug; allocated when first touched;
 *	  idr: objects by handle, one reference each;
 *	  default_async_file: not used, as @async has a type of this module
 * @owner: module of the driver, pinned; NULL if it can be unplugged
 * @memcg: of the process that opened it; events are charged to it
 * @async: event file of GET_CONTEXT, or the first one that was made by ioctl(),
 *	   with a reference on its uobject; NULL before that
 * @umems: memory that was pinned for it, of <ofed/leftover.h>
 * @range_lock: see above
 */
struct uv_file {
	struct ib_uverbs_file base;
	struct module *owner;
	struct mem_cgroup *memcg;
	struct uv_async_file *async;
	struct list_head umems;
	struct mutex range_lock;
};

static inline struct uv_file *to_uv_file(struct ib_uverbs_file *file)
{
	return container_of(file, struct uv_file, base);
}

/* Why a call on @file is refused. Its device may be gone; its node is there. */
#define uv_refuse(file, ret, format, ...) \
	ofed_refuse_node(&(file)->device->dev, ret, format, ##__VA_ARGS__)

/* fops.c */
extern const struct file_operations uv_fops;
extern const struct file_operations uv_mmap_fops;

/* file.c */
int uv_file_open(struct inode *inode, struct file *filp);
int uv_file_close(struct inode *inode, struct file *filp);
void uv_device_unplug(struct ib_uverbs_device *dev);
void uv_device_put_user(struct ib_uverbs_device *dev);
void uv_file_put(struct ib_uverbs_file *file);
struct ib_uverbs_file *uv_file_next(struct ib_uverbs_device *dev,
				    struct ib_uverbs_file *prev);
struct ib_ucontext *uv_context_alloc(struct ib_uverbs_file *file);
void uv_context_hide(struct ib_ucontext *context);
void uv_context_destroy(struct ib_ucontext *context);
int uv_context_create(struct uverbs_attr_bundle *attrs,
		      struct ib_ucontext *context, struct uv_async_file *async);

/*
 * The device, for as long as the section lasts, or NULL. @device->srcu is held.
 */
static inline struct ib_device *uv_ib_dev(struct ib_uverbs_device *device)
{
	return srcu_dereference(device->ib_dev, &device->srcu);
}

/* As ib_uverbs_get_ucontext_file(). */
static inline struct ib_ucontext *uv_file_context(struct ib_uverbs_file *file)
{
	/* Pairs with the release when the context is complete. */
	struct ib_ucontext *context = smp_load_acquire(&file->ucontext);

	if (!uv_ib_dev(file->device))
		return ERR_PTR(-EIO);
	return context ?: uv_refuse(file, ERR_PTR(-EINVAL), "the file has no context");
}

/* write.c */
ssize_t uv_write(struct file *filp, const char __user *buf, size_t count,
		 loff_t *pos);

/* bell.c */
#define UV_BELL_BYTES	32	/* POST_SEND without requests, with its header */
bool uv_bell_ring(struct ib_uverbs_file *file, const char __user *buf, int *ret);

/* command.c */
struct uv_cmd;
const struct uv_cmd *uv_cmd_find(const struct ib_uverbs_device *dev, u32 command);
int uv_cmd_run(const struct uv_cmd *cmd, struct uverbs_attr_bundle *attrs);
int uv_command_invoke(struct uverbs_attr_bundle *attrs, u32 command);
bool uv_has_command(const struct ib_uverbs_device *dev, u32 number);

/* reply.c */
int uv_request(struct uverbs_attr_bundle *attrs, void *req, size_t size);
int uv_reply(struct uverbs_attr_bundle *attrs, const void *resp, size_t size);
u32 uv_reply_length(struct uverbs_attr_bundle *attrs, size_t size);

/**
 * struct uv_reader - reads a request of variable length, piece by piece
 * @at: next byte
 * @left: bytes behind it
 */
struct uv_reader {
	const void __user *at;
	size_t left;
};

int uv_read_start(struct uv_reader *reader, struct uverbs_attr_bundle *attrs,
		  void *req, size_t size);
int uv_read(struct uv_reader *reader, void *to, size_t size);
const void __user *uv_read_ptr(struct uv_reader *reader, size_t size);
int uv_read_end(struct uv_reader *reader);

/* uobject.c */

/**
 * struct uv_type - a type of object
 * @api: what uobject->uapi_object points to; @api.id is UVERBS_OBJECT_x
 * @size: of the struct that begins with the uobject
 * @is_fd: its handle is a file descriptor
 * @fops: of its file, if @is_fd; NULL if the file is of another subsystem
 * @name: of its file, or NULL for "[infinibandevent]"
 * @flags: its file is opened with, as in open()
 * @destroy: destroy what uobject->object is. An error leaves it as it was.
 *	     With file->hw_destroy_rwsem held. @attrs has the context and the driver's
 *	     data, which is empty at a teardown.
 * @hide: nothing finds uobject->object any more, which the driver refused to
 *	  destroy at the end of its file. May be called again. NULL where
 *	  nothing else finds it
 * @forget: free what the core has of such an object; its device is gone. NULL
 *	    where all of it is the driver's
 * @needs: offset in struct ib_device_ops of what a device with such objects
 *	   has; 0 is none
 */
struct uv_type {
	struct uverbs_api_object api;
	size_t size;
	bool is_fd;
	const struct file_operations *fops;
	const char *name;
	int flags;
	int (*destroy)(struct ib_uobject *uobj, enum rdma_remove_reason why,
		       struct uverbs_attr_bundle *attrs);
	void (*hide)(struct ib_uobject *uobj);
	void (*forget)(struct ib_uobject *uobj);
	u16 needs;
};

/* uobject->uapi_object is one of these. */
static inline const struct uv_type *uv_type_of(const struct ib_uobject *uobj)
{
	return container_of(uobj->uapi_object, struct uv_type, api);
}

/* Its place in ib_uverbs_device.types_ok. */
static inline u64 uv_type_bit(const struct uv_type *type)
{
	return BIT_ULL(uapi_key_obj(type->api.id) >> UVERBS_API_OBJ_KEY_SHIFT);
}

extern const struct uv_type uv_type_pd, uv_type_cq, uv_type_qp, uv_type_srq,
	uv_type_ah, uv_type_mr, uv_type_mw, uv_type_flow, uv_type_xrcd,
	uv_type_rwq, uv_type_wq, uv_type_comp, uv_type_async;

struct ib_uobject *uv_uobj_begin(const struct uv_type *type,
				 struct uverbs_attr_bundle *attrs);
struct ib_uobject *uv_uobj_begin_fd(const struct uv_type *type,
				    struct uverbs_attr_bundle *attrs,
				    const struct file_operations *fops);
void uv_uobj_commit(struct ib_uobject *uobj);
void uv_uobj_abort(struct ib_uobject *uobj, struct uverbs_attr_bundle *attrs);
void uv_uobj_abandon(struct ib_uobject *uobj, bool made,
		     struct uverbs_attr_bundle *attrs);
void uv_uobj_get(struct ib_uobject *uobj);
void uv_uobj_put(struct ib_uobject *uobj);
void uv_uobj_close_fd(struct ib_uobject *uobj);
int uv_uobj_destroy(struct ib_uobject *uobj, struct uverbs_attr_bundle *attrs);

/* What ib_uobject.usecnt is while one thread has the object for itself. */
#define UV_USED_EXCLUSIVELY (-1)

static inline bool uv_try_own(struct ib_uobject *uobj)
{
	return atomic_cmpxchg(&uobj->usecnt, 0, UV_USED_EXCLUSIVELY) == 0;
}

static inline void uv_disown(struct ib_uobject *uobj)
{
	atomic_set_release(&uobj->usecnt, 0);
}

/* uobject_get.c */
struct ib_uobject *uv_get_read(const struct uv_type *type, u32 id,
			       struct uverbs_attr_bundle *attrs);
struct ib_uobject *uv_try_get_read(const struct uv_type *type, u32 id,
				   struct ib_uverbs_file *file);
void uv_put_read(struct ib_uobject *uobj);
struct ib_uobject *uv_get_read_fd(const struct uv_type *type, int fd,
				  struct uverbs_attr_bundle *attrs);
void uv_put_read_fd(struct ib_uobject *uobj);
struct ib_uobject *uv_get_write(const struct uv_type *type, u32 id,
				struct uverbs_attr_bundle *attrs);
void uv_put_write(struct ib_uobject *uobj);
struct ib_uobject *uv_get_for_destroy(const struct uv_type *type, u32 id,
				      struct uverbs_attr_bundle *attrs);
struct ib_uobject *uv_get_destroyed(const struct uv_type *type, u32 id,
				    struct uverbs_attr_bundle *attrs);
int uv_destroy(const struct uv_type *type, u32 id,
	       struct uverbs_attr_bundle *attrs);

void uv_handles_init(struct ib_uverbs_file *file);
void uv_handles_destroy_hw(struct ib_uverbs_file *file,
			   enum rdma_remove_reason why);
void uv_handles_release(struct ib_uverbs_file *file);
void uv_uobj_uncharge(struct ib_uobject *uobj);
void uv_uobj_free_handle(struct ib_uobject *uobj);

/* leftover.c */
struct uv_leftovers *uv_leftovers_new(struct ib_uverbs_device *dev);
void uv_leave_behind(struct ib_uverbs_file *file, struct ib_ucontext *context);
void uv_leftovers_end(struct ib_uverbs_device *dev, struct ib_device *ib_dev);
void uv_uobj_forget(struct ib_uobject *uobj);
void uv_source_forget(struct ib_uobject *uobj);

DEFINE_FREE(uv_put_read, struct ib_uobject *,
	    if (!IS_ERR_OR_NULL(_T)) uv_put_read(_T))
DEFINE_FREE(uv_put_write, struct ib_uobject *,
	    if (!IS_ERR_OR_NULL(_T)) uv_put_write(_T))
DEFINE_FREE(uv_uobj_put, struct ib_uobject *,
	    if (!IS_ERR_OR_NULL(_T)) uv_uobj_put(_T))

/* events.c */

/**
 * struct uv_queue - what the two kinds of event files have in common
 * @lock: see above
 * @wait: readers and pollers
 * @fasync: files that want SIGIO
 * @events: not yet read; of what type is the event file's business
 * @closed: no more events come; set once
 */
struct uv_queue {
	spinlock_t lock;
	wait_queue_head_t wait;
	struct fasync_struct *fasync;
	struct list_head events;
	bool closed;
};

/* A completion channel. @queue.events holds struct uv_cq, by comp_node. */
struct uv_comp_file {
	struct ib_uobject uobj;
	struct uv_queue queue;
	struct uv_spin spin;
};

/* The asynchronous events of a file. @queue.events holds uv_async_event. */
struct uv_async_file {
	struct ib_uobject uobj;
	struct uv_queue queue;
	struct ib_event_handler handler;
};

/**
 * struct uv_source - an object that has asynchronous events
 * @uobj: the object
 * @async: where they go, with a reference, or NULL
 * @unread: its events in the queue of @async, guarded by that queue
 * @reported: its events that were read, guarded by that queue
 */
struct uv_source {
	struct ib_uobject uobj;
	struct uv_async_file *async;
	struct list_head unread;
	u32 reported;
};

extern const struct file_operations uv_comp_fops;
extern const struct file_operations uv_async_fops;

void uv_queue_init(struct uv_queue *queue);
void uv_async_start(struct uv_async_file *async, struct ib_device *ib_dev);
void uv_source_init(struct uv_source *source, struct uv_async_file *async);
void uv_source_event(struct ib_event *event, void *source);
void uv_source_end(struct uv_source *source);

struct ib_ucq_object;
void uv_cq_completed(struct ib_cq *cq, void *ucq);
void uv_cq_forget_comp(struct ib_ucq_object *ucq);

/* mmap.c */
int uv_mmap(struct file *filp, struct vm_area_struct *vma);
void uv_mmap_init(struct ib_uverbs_file *file);
void uv_mmap_zap_all(struct ib_uverbs_device *dev);

/* ioctl/dmabuf.c, where an offset of mmap() may be a dma-buf */
void uv_entry_revoke(struct rdma_user_mmap_entry *entry);
void uv_mmap_release(struct ib_uverbs_file *file);

/*
 * Objects with more to them than the uobject, which all begin with. The names
 * of four of them are those that <rdma/ib_verbs.h> has for the pointers that
 * CQs, QPs, SRQs and WQs keep.
 */

/**
 * struct ib_ucq_object - a CQ
 * @source: its asynchronous events
 * @channel: its completion channel with a reference, or NULL
 * @comp_node: in channel->queue.events while @comp_pending
 * @comp_pending: completion events that were not read
 * @comp_reported: those that were; all three guarded by the channel's queue
 */
struct ib_ucq_object {
	struct uv_source source;
	struct uv_comp_file *channel;
	struct list_head comp_node;
	u32 comp_pending;
	u32 comp_reported;
};
/* The core asks a CQ's uobject for its context. */
static_assert(!offsetof(struct ib_ucq_object, source.uobj));

/**
 * struct ib_uqp_object - a QP, or a handle of an XRC target QP
 * @source: its asynchronous events
 * @mcast_lock: see above
 * @mcast: groups that it is attached to, struct uv_mcast in cmd/mcast.c
 * @xrcd: XRC domain that it keeps busy, or NULL
 * @number: of the QP; it stays when the QP goes
 */
struct ib_uqp_object {
	struct uv_source source;
	struct mutex mcast_lock;
	struct list_head mcast;
	struct uv_xrcd *xrcd;
	u32 number;
};

/**
 * struct ib_usrq_object - an SRQ
 * @source: its asynchronous events
 * @xrcd: XRC domain that it keeps busy, or NULL
 */
struct ib_usrq_object {
	struct uv_source source;
	struct uv_xrcd *xrcd;
};

struct ib_uwq_object {
	struct uv_source source;
};

/**
 * struct uv_xrcd - this file's part in an XRC domain
 * @uobj: the object
 * @users: QPs and SRQs of this file that use the domain
 * @path: file that the domain is shared through; all zero: none, or not any more
 * @key: of the domain in the device's xrcds, while there is a path
 */
struct uv_xrcd {
	struct ib_uobject uobj;
	atomic_t users;
	struct path path;
	unsigned long key;
};

static inline struct uv_source *uv_source(struct ib_uobject *uobj)
{
	return container_of(uobj, struct uv_source, uobj);
}

/* ioctl/ioctl.c */
long uv_ioctl(struct file *filp, unsigned int cmd, unsigned long arg);

/* cmd/device.c */
void uv_port_attr(struct ib_uverbs_query_port_resp *resp,
		  struct ib_device *ib_dev, u32 port,
		  const struct ib_port_attr *attr);

/* The commands, each in the cmd_<object>.c of its object. */
int uv_get_context(struct uverbs_attr_bundle *attrs);
int uv_query_device(struct uverbs_attr_bundle *attrs);
int uv_ex_query_device(struct uverbs_attr_bundle *attrs);
int uv_query_port(struct uverbs_attr_bundle *attrs);
int uv_alloc_pd(struct uverbs_attr_bundle *attrs);
int uv_dealloc_pd(struct uverbs_attr_bundle *attrs);
int uv_open_xrcd(struct uverbs_attr_bundle *attrs);
int uv_close_xrcd(struct uverbs_attr_bundle *attrs);
int uv_create_ah(struct uverbs_attr_bundle *attrs);
int uv_destroy_ah(struct uverbs_attr_bundle *attrs);
int uv_reg_mr(struct uverbs_attr_bundle *attrs);
int uv_rereg_mr(struct uverbs_attr_bundle *attrs);
int uv_dereg_mr(struct uverbs_attr_bundle *attrs);
int uv_alloc_mw(struct uverbs_attr_bundle *attrs);
int uv_dealloc_mw(struct uverbs_attr_bundle *attrs);
int uv_create_comp_channel(struct uverbs_attr_bundle *attrs);
int uv_create_cq(struct uverbs_attr_bundle *attrs);
int uv_ex_create_cq(struct uverbs_attr_bundle *attrs);
int uv_ex_modify_cq(struct uverbs_attr_bundle *attrs);
int uv_resize_cq(struct uverbs_attr_bundle *attrs);
int uv_poll_cq(struct uverbs_attr_bundle *attrs);
int uv_req_notify_cq(struct uverbs_attr_bundle *attrs);
int uv_destroy_cq(struct uverbs_attr_bundle *attrs);
int uv_create_qp(struct uverbs_attr_bundle *attrs);
int uv_ex_create_qp(struct uverbs_attr_bundle *attrs);
int uv_open_qp(struct uverbs_attr_bundle *attrs);
int uv_query_qp(struct uverbs_attr_bundle *attrs);
int uv_modify_qp(struct uverbs_attr_bundle *attrs);
int uv_ex_modify_qp(struct uverbs_attr_bundle *attrs);
int uv_destroy_qp(struct uverbs_attr_bundle *attrs);
int uv_attach_mcast(struct uverbs_attr_bundle *attrs);
int uv_detach_mcast(struct uverbs_attr_bundle *attrs);
int uv_post_send(struct uverbs_attr_bundle *attrs);
int uv_post_recv(struct uverbs_attr_bundle *attrs);
int uv_post_srq_recv(struct uverbs_attr_bundle *attrs);
int uv_create_srq(struct uverbs_attr_bundle *attrs);
int uv_create_xsrq(struct uverbs_attr_bundle *attrs);
int uv_modify_srq(struct uverbs_attr_bundle *attrs);
int uv_query_srq(struct uverbs_attr_bundle *attrs);
int uv_destroy_srq(struct uverbs_attr_bundle *attrs);
int uv_ex_create_wq(struct uverbs_attr_bundle *attrs);
int uv_ex_modify_wq(struct uverbs_attr_bundle *attrs);
int uv_ex_destroy_wq(struct uverbs_attr_bundle *attrs);
int uv_ex_create_rwq_ind_table(struct uverbs_attr_bundle *attrs);
int uv_ex_destroy_rwq_ind_table(struct uverbs_attr_bundle *attrs);
int uv_ex_create_flow(struct uverbs_attr_bundle *attrs);
int uv_ex_destroy_flow(struct uverbs_attr_bundle *attrs);

#endif /* OFED_UVERBS_H */
