// SPDX-License-Identifier: GPL-2.0
/*
 * The offsets that a driver hands out to its users for mmap. An entry stands at
 * every page of its range in ucontext->mmap_xa, until its last reference is
 * put: the driver's own, and one of each mapping. So no offset is reused while
 * a mapping made by it exists.
 */
#include <linux/export.h>
#include <linux/mm.h>

#include "uverbs.h"

static void uv_entry_erase(struct rdma_user_mmap_entry *entry, size_t npages)
{
	struct xarray *table = &entry->ucontext->mmap_xa;
	size_t i;

	xa_lock(table);
	for (i = 0; i < npages; i++)
		__xa_erase(table, entry->start_pgoff + i);
	xa_unlock(table);
}

static void uv_entry_free(struct kref *ref)
{
	struct rdma_user_mmap_entry *entry =
		container_of(ref, struct rdma_user_mmap_entry, ref);
	struct ib_device *device = entry->ucontext->device;

	uv_entry_erase(entry, entry->npages);
	if (device->ops.mmap_free)
		device->ops.mmap_free(entry);
}

/**
 * rdma_user_mmap_entry_put - put a reference to an entry
 * @entry: the entry; with the last reference it goes to ops.mmap_free
 *
 * Context: process, may sleep.
 */
void rdma_user_mmap_entry_put(struct rdma_user_mmap_entry *entry)
{
	kref_put(&entry->ref, uv_entry_free);
}
OFED_EXPORT(rdma_user_mmap_entry_put);

/**
 * rdma_user_mmap_entry_get_pgoff - find the entry at an offset
 * @ucontext: context of the user
 * @pgoff: first page of the entry
 *
 * Context: any but interrupts.
 * Return: the entry with a reference, or NULL (none begins there, or it was
 * removed).
 */
struct rdma_user_mmap_entry *
rdma_user_mmap_entry_get_pgoff(struct ib_ucontext *ucontext,
			       unsigned long pgoff)
{
	struct xarray *table = &ucontext->mmap_xa;
	struct rdma_user_mmap_entry *entry;

	xa_lock(table);
	entry = xa_load(table, pgoff);
	if (entry && (entry->driver_removed || entry->start_pgoff != pgoff ||
		      !kref_get_unless_zero(&entry->ref)))
		entry = NULL;
	xa_unlock(table);
	return entry;
}
OFED_EXPORT(rdma_user_mmap_entry_get_pgoff);

/**
 * rdma_user_mmap_entry_get - find the entry that a mapping asks for
 * @ucontext: context of the user
 * @vma: the mapping, which must be shared and of the entry's size
 *
 * Context: ops.mmap. Return: as rdma_user_mmap_entry_get_pgoff().
 */
struct rdma_user_mmap_entry *
rdma_user_mmap_entry_get(struct ib_ucontext *ucontext,
			 struct vm_area_struct *vma)
{
	const bool shared = vma->vm_flags & VM_SHARED;
	struct rdma_user_mmap_entry *entry;

	if (!shared)
		return NULL;
	entry = rdma_user_mmap_entry_get_pgoff(ucontext, vma->vm_pgoff);
	if (entry && entry->npages != vma_pages(vma)) {
		rdma_user_mmap_entry_put(entry);
		entry = NULL;
	}
	return entry;
}
OFED_EXPORT(rdma_user_mmap_entry_get);

/**
 * rdma_user_mmap_entry_remove - take an offset back
 * @entry: inserted by the driver, or NULL; it can not be mapped any more, and
 *	   goes to ops.mmap_free when the last mapping is gone
 *
 * Context: process, may sleep.
 */
void rdma_user_mmap_entry_remove(struct rdma_user_mmap_entry *entry)
{
	if (!entry)
		return;
	xa_lock(&entry->ucontext->mmap_xa);
	entry->driver_removed = true;
	xa_unlock(&entry->ucontext->mmap_xa);
	compat_mmap_entry_revoke(entry);
	rdma_user_mmap_entry_put(entry);
}
OFED_EXPORT(rdma_user_mmap_entry_remove);

/* First of @npages free ones in a row, or -ENOMEM. */
static s64 uv_find_range(struct xarray *table, u64 npages, u64 min, u64 max)
{
	struct rdma_user_mmap_entry *used;
	unsigned long at;
	u64 pgoff = min;

	while (pgoff + npages - 1 <= max) {
		at = pgoff;
		xa_lock(table);
		used = xa_find(table, &at, pgoff + npages - 1, XA_PRESENT);
		if (used)
			pgoff = (u64)used->start_pgoff + used->npages;
		xa_unlock(table);
		if (!used)
			return pgoff;
	}
	return -ENOMEM;
}

/**
 * rdma_user_mmap_entry_insert_range - hand out an offset within limits
 * @ucontext: context of the user
 * @entry: the driver's, for as long as it has references; filled in here
 * @length: bytes
 * @min_pgoff: first page that may be used
 * @max_pgoff: last page that may be used
 *
 * Context: process, may sleep; in a command of @ucontext.
 * Return: 0, -EINVAL (no @entry or no @length), -ENOMEM (no room, or no memory).
 */
int rdma_user_mmap_entry_insert_range(struct ib_ucontext *ucontext,
				      struct rdma_user_mmap_entry *entry,
				      size_t length, u32 min_pgoff,
				      u32 max_pgoff)
{
	const u64 npages = DIV_ROUND_UP_ULL(length, PAGE_SIZE);
	struct xarray *table = &ucontext->mmap_xa;
	s64 start;
	u64 i;
	int ret;

	if (!entry || !npages)
		return uv_refuse(ucontext->ufile, -EINVAL, "an offset for no pages");
	if (npages > U32_MAX)
		return -ENOMEM;

	guard(mutex)(&to_uv_file(ucontext->ufile)->range_lock);
	start = uv_find_range(table, npages, min_pgoff, max_pgoff);
	if (start < 0)
		return start;
	kref_init(&entry->ref);
	compat_mmap_entry_init(entry);
	/* Not to be found before it is whole: it may yet fail, and be freed. */
	entry->driver_removed = true;
	entry->ucontext = ucontext;
	entry->npages = npages;
	entry->start_pgoff = start;
	for (i = 0; i < npages; i++) {
		ret = xa_insert(table, start + i, entry, GFP_KERNEL_ACCOUNT);
		if (ret)
			goto err_erase;
	}
	xa_lock(table);
	entry->driver_removed = false;
	xa_unlock(table);
	return 0;

err_erase:
	uv_entry_erase(entry, i);
	return -ENOMEM;
}
OFED_EXPORT(rdma_user_mmap_entry_insert_range);

/**
 * rdma_user_mmap_entry_insert - hand out any offset
 * @ucontext: context of the user
 * @entry: the driver's, for as long as it has references; filled in here
 * @length: bytes
 *
 * Context: process, may sleep; in a command of @ucontext.
 * Return: as rdma_user_mmap_entry_insert_range().
 */
int rdma_user_mmap_entry_insert(struct ib_ucontext *ucontext,
				struct rdma_user_mmap_entry *entry,
				size_t length)
{
	const u32 last = U32_MAX;

	return rdma_user_mmap_entry_insert_range(ucontext, entry, length, 0,
						 last);
}
OFED_EXPORT(rdma_user_mmap_entry_insert);
