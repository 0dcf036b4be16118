// SPDX-License-Identifier: GPL-2.0
/* Rings in user space. */
#include <linux/export.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "ring.h"

/**
 * soft_map_new - memory that a program is going to map
 * @ucontext: of the program
 * @bytes: of the memory, rounded up to pages
 * @first: lowest offset that it may get, in pages
 *
 * Memory is charged to the caller's cgroup. Context: process, may sleep.
 * Return: it, for rdma_user_mmap_entry_remove(), or NULL.
 */
struct soft_map *soft_map_new(struct ib_ucontext *ucontext, size_t bytes,
			      u32 first)
{
	struct soft_map *map = kzalloc(sizeof(*map), GFP_KERNEL_ACCOUNT);

	if (!map)
		return NULL;
	bytes = PAGE_ALIGN(bytes);
	map->mem = __vmalloc(bytes, GFP_KERNEL_ACCOUNT | __GFP_ZERO |
			     __GFP_NOWARN);
	if (!map->mem)
		goto err_map;
	if (rdma_user_mmap_entry_insert_range(ucontext, &map->entry, bytes,
					      first, U32_MAX))
		goto err_mem;
	return map;

err_mem:
	vfree(map->mem);
err_map:
	kfree(map);
	return NULL;
}
EXPORT_SYMBOL_GPL(soft_map_new);

/*
 * Page by page, since memory that is charged to a cgroup can not come from
 * vmalloc_user(). Each mapped page is referenced by the mapping.
 */
static int soft_map_pages(struct vm_area_struct *vma, const struct soft_map *map)
{
	unsigned long done, bytes = vma->vm_end - vma->vm_start;
	int ret = 0;

	/* There are no more pages than these; in a core dump they are of no use. */
	compat_vm_flags_set(vma, VM_DONTEXPAND | VM_DONTDUMP);
	for (done = 0; done < bytes && !ret; done += PAGE_SIZE)
		ret = vm_insert_page(vma, vma->vm_start + done,
				     vmalloc_to_page(map->mem + done));
	return ret;
}

/**
 * soft_mmap - ops.mmap: map a ring
 * @ucontext: of the program
 * @vma: from the start of a ring to its end, shared
 *
 * Context: process, mmap lock held for writing.
 * Return: 0, -EINVAL (no ring of this size has this offset), or -ENOMEM.
 */
int soft_mmap(struct ib_ucontext *ucontext, struct vm_area_struct *vma)
{
	struct rdma_user_mmap_entry *entry;
	int ret;

	entry = rdma_user_mmap_entry_get(ucontext, vma);
	if (!entry)
		return -EINVAL;
	ret = soft_map_pages(vma, container_of(entry, struct soft_map, entry));
	rdma_user_mmap_entry_put(entry);
	return ret;
}

/**
 * soft_mmap_free - ops.mmap_free: free a ring that can not be mapped any more
 * @entry: in a struct soft_map
 */
void soft_mmap_free(struct rdma_user_mmap_entry *entry)
{
	struct soft_map *map = container_of(entry, struct soft_map, entry);

	vfree(map->mem);
	kfree(map);
}
