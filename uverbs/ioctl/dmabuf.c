// SPDX-License-Identifier: GPL-2.0
/*
 * Offsets of mmap() as dma-bufs, since 7.x: another device reads and writes registers or memory of
 * this one. The driver finds the entry of an offset and says where its memory is.
 *
 * A struct uv_dmabuf lives as long as its dma-buf. It gives up its memory at the first of these: the
 * driver takes the entry back, the file of the context ends, the device goes, or the last reference
 * to the dma-buf is put. Importers are told to let go, and waited for; so only those that can be told
 * are let in. The object of the method has a reference to the entry until it ends.
 *
 * Locks: rdma_user_mmap_entry.dmabufs_lock, which guards the list, is outside of the
 * reservation lock of the dma-buf, which guards uv_dmabuf.revoked and the mappings.
 */
#include <linux/dma-buf-mapping.h>
#include <linux/dma-buf.h>
#include <linux/dma-resv.h>
#include <linux/pci-p2pdma.h>
#include <linux/slab.h>
#include <linux/wait.h>

#include "std.h"

COMPAT_IMPORT_DMA_BUF;

/**
 * struct uv_dmabuf - a dma-buf of an offset
 * @node: in entry->dmabufs, while the memory is there
 * @entry: entry of the offset
 * @dmabuf: the dma-buf, which has this struct as its private data
 * @uobj: object of the method, NULL if it has failed
 * @memory: the one range
 * @provider: what bus the range is behind
 * @mapped: mappings of importers
 * @unmapped: woken when one goes
 * @revoked: no mapping is made any more
 */
struct uv_dmabuf {
	struct list_head node;
	struct rdma_user_mmap_entry *entry;
	struct dma_buf *dmabuf;
	struct ib_uobject *uobj;
	struct phys_vec memory;
	struct p2pdma_provider *provider;
	atomic_t mapped;
	wait_queue_head_t unmapped;
	bool revoked;
};

/**
 * struct uv_dmabuf_file - the object
 * @uobj: the uobject
 * @buf: the dma-buf; NULL until there is one
 */
struct uv_dmabuf_file {
	struct ib_uobject uobj;
	struct uv_dmabuf *buf;
};

/* ---- what importers call ---- */

static int uv_dmabuf_attach(struct dma_buf *dmabuf, struct dma_buf_attachment *attach)
{
	/* One that has no struct pages for its memory, and may be taken away. */
	if (!attach->peer2peer || !dma_buf_attach_revocable(attach))
		return ofed_refuse_call(-EOPNOTSUPP,
					"uverbs: an importer that memory cannot be taken from");
	return 0;
}

/* It may have to go at any time. */
static int uv_dmabuf_pin(struct dma_buf_attachment *attach)
{
	return ofed_refuse_call(-EOPNOTSUPP, "uverbs: the memory of an offset cannot be pinned");
}

/* Of a dma-buf that is pinned, so never. */
static void uv_dmabuf_unpin(struct dma_buf_attachment *attach)
{
	WARN_ON_ONCE(1);
}

static struct sg_table *uv_dmabuf_map(struct dma_buf_attachment *attach,
				      enum dma_data_direction dir)
{
	struct uv_dmabuf *buf = attach->dmabuf->priv;
	struct sg_table *sgt;

	dma_resv_assert_held(attach->dmabuf->resv);
	if (buf->revoked)
		return ERR_PTR(-ENODEV);
	sgt = dma_buf_phys_vec_to_sgt(attach, buf->provider, &buf->memory, 1, buf->memory.len, dir);
	if (!IS_ERR(sgt))
		atomic_inc(&buf->mapped);
	return sgt;
}

static void uv_dmabuf_unmap(struct dma_buf_attachment *attach, struct sg_table *sgt,
			    enum dma_data_direction dir)
{
	struct uv_dmabuf *buf = attach->dmabuf->priv;

	dma_buf_free_sgt(attach, sgt, dir);
	if (atomic_dec_and_test(&buf->mapped))
		wake_up_all(&buf->unmapped);
}

/* The last reference is put: no device maps it. */
static void uv_dmabuf_release(struct dma_buf *dmabuf)
{
	struct uv_dmabuf *buf = dmabuf->priv;

	if (buf->uobj)
		uv_uobj_close_fd(buf->uobj);
	kfree(buf);
}

static const struct dma_buf_ops uv_dmabuf_ops = {
	.attach = uv_dmabuf_attach,
	.pin = uv_dmabuf_pin,
	.unpin = uv_dmabuf_unpin,
	.map_dma_buf = uv_dmabuf_map,
	.unmap_dma_buf = uv_dmabuf_unmap,
	.release = uv_dmabuf_release,
};

/* ---- the end of the memory ---- */

static void uv_dmabuf_revoke(struct uv_dmabuf *buf)
{
	struct dma_resv *resv = buf->dmabuf->resv;

	dma_resv_lock(resv, NULL);
	buf->revoked = true;
	dma_buf_invalidate_mappings(buf->dmabuf);
	dma_resv_wait_timeout(resv, DMA_RESV_USAGE_BOOKKEEP, false, MAX_SCHEDULE_TIMEOUT);
	dma_resv_unlock(resv);
	wait_event(buf->unmapped, !atomic_read(&buf->mapped));
}

/* Off the list, and of no use to importers from now on. */
static void uv_dmabuf_end(struct uv_dmabuf *buf)
{
	lockdep_assert_held(&buf->entry->dmabufs_lock);
	list_del_init(&buf->node);
	uv_dmabuf_revoke(buf);
}

/**
 * uv_entry_revoke - take the memory of an offset from all that import it
 * @entry: the offset, which the driver takes back: no dma-buf of it is made any more
 *
 * Context: process, sleeps until importers have let go.
 */
void uv_entry_revoke(struct rdma_user_mmap_entry *entry)
{
	struct uv_dmabuf *buf, *next;

	guard(mutex)(&entry->dmabufs_lock);
	list_for_each_entry_safe(buf, next, &entry->dmabufs, node)
		uv_dmabuf_end(buf);
}

static int uv_dmabuf_destroy(struct ib_uobject *uobj, enum rdma_remove_reason why,
			     struct uverbs_attr_bundle *attrs)
{
	struct uv_dmabuf *buf = container_of(uobj, struct uv_dmabuf_file, uobj)->buf;

	scoped_guard(mutex, &buf->entry->dmabufs_lock)
		if (!list_empty(&buf->node))
			uv_dmabuf_end(buf);
	rdma_user_mmap_entry_put(buf->entry);
	buf->entry = NULL;
	/* The file is released later, when the object is gone. */
	if (why == RDMA_REMOVE_ABORT)
		buf->uobj = NULL;
	return 0;
}

/* Its file is that of the dma-buf. */
const struct uv_type uv_type_dmabuf = {
	.api.id = UVERBS_OBJECT_DMABUF,
	.size = sizeof(struct uv_dmabuf_file),
	.destroy = uv_dmabuf_destroy,
	.is_fd = true,
	.needs = offsetof(struct ib_device_ops, mmap_get_pfns),
};

/* ---- the method ---- */

static int uv_dmabuf_export(struct uv_dmabuf *buf)
{
	DEFINE_DMA_BUF_EXPORT_INFO(info);

	info.ops = &uv_dmabuf_ops;
	info.size = buf->memory.len;
	/* For devices: no process maps it. */
	info.flags = O_CLOEXEC;
	info.priv = buf;
	buf->dmabuf = dma_buf_export(&info);
	return PTR_ERR_OR_ZERO(buf->dmabuf);
}

/* The reference to @entry stays the caller's when this fails. */
static struct uv_dmabuf *uv_dmabuf_new(struct rdma_user_mmap_entry *entry)
{
	struct ib_device *device = entry->ucontext->device;
	struct uv_dmabuf *buf = kzalloc(sizeof(*buf), GFP_KERNEL_ACCOUNT);
	int ret;

	if (!buf)
		return ERR_PTR(-ENOMEM);
	buf->entry = entry;
	init_waitqueue_head(&buf->unmapped);
	ret = device->ops.mmap_get_pfns(entry, &buf->memory, &buf->provider) ?:
	      uv_dmabuf_export(buf);
	if (ret) {
		kfree(buf);
		return ERR_PTR(ret);
	}
	guard(mutex)(&entry->dmabufs_lock);
	/* Set before the list is revoked. */
	if (READ_ONCE(entry->driver_removed)) {
		dma_buf_put(buf->dmabuf);
		return ofed_refuse(device, ERR_PTR(-EIO), "the offset is taken back");
	}
	list_add_tail(&buf->node, &entry->dmabufs);
	return buf;
}

static int UVERBS_HANDLER(UVERBS_METHOD_DMABUF_ALLOC)(
	struct uverbs_attr_bundle *attrs)
{
	struct ib_uobject *uobj =
		uverbs_attr_get_uobject(attrs, UVERBS_ATTR_ALLOC_DMABUF_HANDLE);
	struct ib_device *device = uobj->context->device;
	struct rdma_user_mmap_entry *entry;
	struct uv_dmabuf *buf;
	u64 pgoff;
	int ret;

	if (!device->ops.mmap_get_pfns || !device->ops.pgoff_to_mmap_entry)
		return ofed_refuse_op(device, "mmap_get_pfns");
	ret = uverbs_copy_from(&pgoff, attrs, UVERBS_ATTR_ALLOC_DMABUF_PGOFF);
	if (ret)
		return ret;
	entry = device->ops.pgoff_to_mmap_entry(uobj->context, pgoff);
	if (!entry)
		return ofed_refuse(device, -EINVAL, "no offset 0x%llx", pgoff);
	buf = uv_dmabuf_new(entry);
	if (IS_ERR(buf)) {
		rdma_user_mmap_entry_put(entry);
		return PTR_ERR(buf);
	}
	buf->uobj = uobj;
	container_of(uobj, struct uv_dmabuf_file, uobj)->buf = buf;
	uobj->object = buf->dmabuf->file;
	uverbs_finalize_uobj_create(attrs, UVERBS_ATTR_ALLOC_DMABUF_HANDLE);
	return 0;
}

DECLARE_UVERBS_NAMED_METHOD(UVERBS_METHOD_DMABUF_ALLOC,
	UVERBS_ATTR_FD(UVERBS_ATTR_ALLOC_DMABUF_HANDLE, UVERBS_OBJECT_DMABUF,
		       UVERBS_ACCESS_NEW, UA_MANDATORY),
	UV_GIVEN(UVERBS_ATTR_ALLOC_DMABUF_PGOFF, u64));

DECLARE_UVERBS_GLOBAL_METHODS(UVERBS_OBJECT_DMABUF,
	&UVERBS_METHOD(UVERBS_METHOD_DMABUF_ALLOC));

UV_DEF(uv_def_dmabuf, UVERBS_OBJECT_DMABUF);
