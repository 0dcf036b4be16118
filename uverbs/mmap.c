// SPDX-License-Identifier: GPL-2.0
/*
 * Device memory in the address space of a program: the offsets that a driver
 * hands out, and the mappings, which must go at once when the device does.
 *
 * Every mapping made by rdma_user_mmap_io() has a struct uv_umap, on the list
 * of its file until it is zapped or closed. Copies that the kernel makes of a
 * VMA (fork, split, move) get their own while the original's mmap_lock is held
 * for writing. uv_file_zap() takes that lock for each process on the list until
 * the list is empty, so no copy escapes it. For writing, as munmap() downgrades
 * its own before it frees page tables and closes the VMA.
 *
 * The entry of a mapping that leaves the list is put without umap_lock, since
 * that may call the driver, but in the same section of the device's srcu: an
 * unplug zaps until all lists are empty, and then waits for such sections.
 *
 * A zapped mapping stays in place, with a page of zeroes of the file behind it:
 * a program that rings a doorbell of a dead device does not die with it.
 */
#include <linux/export.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "uverbs.h"

/**
 * struct uv_umap - a mapping of device memory, in vma->vm_private_data
 * @node: in file->umaps; empty when zapped
 * @vma: the VMA, for as long as it exists
 * @entry: offset that it was mapped by, with a reference, or NULL. The thread
 *	   that takes the mapping off the list puts it.
 */
struct uv_umap {
	struct list_head node;
	struct vm_area_struct *vma;
	struct rdma_user_mmap_entry *entry;
};

void uv_mmap_init(struct ib_uverbs_file *file)
{
	mutex_init(&to_uv_file(file)->range_lock);
	mutex_init(&file->umap_lock);
	INIT_LIST_HEAD(&file->umaps);
}

void uv_mmap_release(struct ib_uverbs_file *file)
{
	if (file->disassociate_page)
		put_page(file->disassociate_page);
}

/* On the list under umap_lock, with a reference to @entry. */
static void uv_umap_track(struct ib_uverbs_file *file, struct uv_umap *umap,
			  struct vm_area_struct *vma,
			  struct rdma_user_mmap_entry *entry)
{
	lockdep_assert_held(&file->umap_lock);
	umap->vma = vma;
	if (entry) {
		kref_get(&entry->ref);
		umap->entry = entry;
	}
	list_add(&umap->node, &file->umaps);
}

/* Where an unplug waits: mappings are made and their entries put there only. */
static void uv_assert_in_section(struct ib_uverbs_file *file)
{
	RCU_LOCKDEP_WARN(!srcu_read_lock_held(&file->device->srcu),
			 "a mapping changes outside of a section");
}

/* Off the list; the entry, if any, is the caller's to put. */
static struct rdma_user_mmap_entry *uv_umap_untrack(struct ib_uverbs_file *file,
						    struct uv_umap *umap)
{
	struct rdma_user_mmap_entry *entry = umap->entry;

	lockdep_assert_held(&file->umap_lock);
	list_del_init(&umap->node);
	umap->entry = NULL;
	return entry;
}

static void uv_entry_put(struct ib_uverbs_file *file,
			 struct rdma_user_mmap_entry *entry)
{
	uv_assert_in_section(file);
	lockdep_assert_not_held(&file->umap_lock);
	if (entry)
		rdma_user_mmap_entry_put(entry);
}

static void uv_umap_open(struct vm_area_struct *vma)
{
	struct ib_uverbs_file *file = vma->vm_file->private_data;
	struct uv_umap *orig = vma->vm_private_data, *umap;

	/* A driver that maps by its own means looks after it, too. */
	if (!orig)
		return;
	/* This op can not fail, and the mapping must not go untracked. */
	umap = kzalloc(sizeof(*umap), GFP_KERNEL_ACCOUNT | __GFP_NOFAIL);
	INIT_LIST_HEAD(&umap->node);
	vma->vm_private_data = umap;

	guard(mutex)(&file->umap_lock);
	if (!list_empty(&orig->node))
		uv_umap_track(file, umap, vma, orig->entry);
}

static void uv_umap_close(struct vm_area_struct *vma)
{
	struct ib_uverbs_file *file = vma->vm_file->private_data;
	struct uv_umap *umap = vma->vm_private_data;
	struct rdma_user_mmap_entry *entry;

	if (!umap)
		return;
	scoped_guard(srcu, &file->device->srcu) {
		scoped_guard(mutex, &file->umap_lock)
			entry = uv_umap_untrack(file, umap);
		uv_entry_put(file, entry);
	}
	vma->vm_private_data = NULL;
	kfree(umap);
}

static struct page *uv_dummy_page(struct ib_uverbs_file *file)
{
	guard(mutex)(&file->umap_lock);
	if (!file->disassociate_page)
		file->disassociate_page = alloc_page(GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	return file->disassociate_page;
}

/* All of a mapping was there from its beginning: so it was zapped. */
static vm_fault_t uv_umap_fault(struct vm_fault *vmf)
{
	struct vm_area_struct *vma = vmf->vma;
	struct page *page;

	if (!vma->vm_private_data)
		return VM_FAULT_SIGBUS;
	page = uv_dummy_page(vma->vm_file->private_data);
	if (!page)
		return VM_FAULT_OOM;
	get_page(page);
	vmf->page = page;
	return 0;
}

static const struct vm_operations_struct umap_ops = {
	.open = uv_umap_open,
	.close = uv_umap_close,
	.fault = uv_umap_fault,
};

int uv_mmap(struct file *filp, struct vm_area_struct *vma)
{
	struct ib_uverbs_file *file = filp->private_data;
	struct ib_ucontext *context;
	int ret = 0;

	scoped_guard(srcu, &file->device->srcu) {
		context = uv_file_context(file);
		vma->vm_ops = &umap_ops;
		ret = IS_ERR(context) ? PTR_ERR(context) :
		      context->device->ops.mmap(context, vma);
	}
	/* The driver mapped and then failed: close() is not called for it. */
	if (ret && vma->vm_ops == &umap_ops)
		uv_umap_close(vma);
	return ret;
}

/**
 * rdma_user_mmap_io - map device memory, for ops.mmap of a driver
 * @ucontext: context that ops.mmap was called with
 * @vma: VMA that ops.mmap was called with
 * @pfn: first page of the device
 * @size: bytes, of the whole @vma
 * @prot: how to map it
 * @entry: offset that was asked for, or NULL; the mapping holds a reference
 *
 * Context: ops.mmap.
 * Return: 0, -EINVAL (a private mapping, another size, or not from ops.mmap),
 * -ENOMEM, -EAGAIN (the kernel could not map it).
 */
int rdma_user_mmap_io(struct ib_ucontext *ucontext, struct vm_area_struct *vma,
		      unsigned long pfn, unsigned long size, pgprot_t prot,
		      struct rdma_user_mmap_entry *entry)
{
	struct ib_uverbs_file *file = ucontext->ufile;
	struct uv_umap *umap;

	if (!(vma->vm_flags & VM_SHARED) || vma->vm_end - vma->vm_start != size)
		return uv_refuse(file, -EINVAL,
				 "a private mapping, or one of %lu bytes that is not of %lu",
				 vma->vm_end - vma->vm_start, size);
	if (WARN_ON_ONCE(!vma->vm_file || vma->vm_file->private_data != file))
		return -EINVAL;
	uv_assert_in_section(file);

	umap = kzalloc(sizeof(*umap), GFP_KERNEL_ACCOUNT);
	if (!umap)
		return -ENOMEM;
	vma->vm_page_prot = prot;
	if (io_remap_pfn_range(vma, vma->vm_start, pfn, size, prot)) {
		kfree(umap);
		return -EAGAIN;
	}

	vma->vm_private_data = umap;
	vma->vm_ops = &umap_ops;
	scoped_guard(mutex, &file->umap_lock)
		uv_umap_track(file, umap, vma, entry);
	return 0;
}
OFED_EXPORT(rdma_user_mmap_io);

/*
 * The address space of the first mapping on the list, with a reference. One
 * that is on its way out has no thread that could touch the mapping; its close
 * comes soon, but the driver may be gone by then.
 */
static struct mm_struct *uv_first_mm(struct ib_uverbs_file *file)
{
	struct rdma_user_mmap_entry *entry;
	struct uv_umap *umap;

	guard(srcu)(&file->device->srcu);
	for (;;) {
		scoped_guard(mutex, &file->umap_lock) {
			umap = list_first_entry_or_null(&file->umaps,
							typeof(*umap), node);
			if (!umap)
				return NULL;
			if (mmget_not_zero(umap->vma->vm_mm))
				return umap->vma->vm_mm;
			entry = uv_umap_untrack(file, umap);
		}
		uv_entry_put(file, entry);
	}
}

/* The lock of @mm keeps its VMAs, and what they have on the list, in being. */
static void uv_zap_mm(struct ib_uverbs_file *file, struct mm_struct *mm)
{
	struct uv_umap *umap, *next;
	struct vm_area_struct *vma;
	LIST_HEAD(zapped);

	mmap_assert_write_locked(mm);
	guard(srcu)(&file->device->srcu);
	scoped_guard(mutex, &file->umap_lock)
		list_for_each_entry_safe(umap, next, &file->umaps, node) {
			vma = umap->vma;
			if (vma->vm_mm != mm)
				continue;
			compat_zap_vma(vma);
			list_move(&umap->node, &zapped);
		}
	list_for_each_entry_safe(umap, next, &zapped, node) {
		list_del_init(&umap->node);
		uv_entry_put(file, umap->entry);
		umap->entry = NULL;
	}
}

static void uv_file_zap(struct ib_uverbs_file *file)
{
	struct mm_struct *mm;

	while ((mm = uv_first_mm(file))) {
		mmap_write_lock(mm);
		uv_zap_mm(file, mm);
		mmap_write_unlock(mm);
		mmput(mm);
	}
}

/**
 * uv_mmap_zap_all - take device memory out of all address spaces
 * @dev: the device; what is mapped of it meanwhile may stay
 *
 * Context: process, sleeps; without any lock, as the last references of files
 * and address spaces may be put here.
 */
void uv_mmap_zap_all(struct ib_uverbs_device *dev)
{
	struct ib_uverbs_file *file = NULL;

	while ((file = uv_file_next(dev, file)))
		uv_file_zap(file);
}
