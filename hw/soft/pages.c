// SPDX-License-Identifier: GPL-2.0
/* Where the bytes of a memory region are. */
#include <linux/highmem.h>
#include <linux/ioport.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "buffer.h"
#include "null.h"
#include "odp_table.h"
#include "pages.h"
#include "region_lock.h"

/* Entries that are filled in before other tasks have their turn. */
#define PAGES_AT_ONCE	(1U << 16)

/* Addresses of a device without DMA are the kernel's own. */
static void *soft_to_kernel(u64 address)
{
	return (void *)(uintptr_t)address;
}

/*
 * The region belongs to the kernel, and yet a peer may hold its rkey (a PD with
 * the unsafe global one): an address that is no memory must not hurt.
 */
static enum soft_access_err soft_spot_dma(u64 iova, u64 want, bool remote,
					  struct soft_spot *spot)
{
	spot->at = soft_to_kernel(iova);
	spot->bytes = want;
	spot->mapped = false;
	if (!remote)
		return SOFT_OK;
	if (!virt_addr_valid(spot->at))
		return SOFT_ERR_BOUNDS;
	spot->bytes = min_t(u64, want, PAGE_SIZE - offset_in_page(spot->at));
	return SOFT_OK;
}

/* Of a region that has no list of pages. */
static enum soft_access_err soft_spot_apart(const struct soft_region *region, u64 iova, u64 want,
					    bool remote, bool write, struct soft_spot *spot)
{
	switch (region->kind) {
	case SOFT_DMA:
		return soft_spot_dma(iova, want, remote, spot);
	case SOFT_ODP:
		return soft_odp_spot(region, iova, want, write, spot);
	default:
		soft_null_spot(want, write, spot);
		return SOFT_OK;
	}
}

/**
 * soft_spot_of_any - soft_spot_get() of a region of any kind
 * @region: the region; it covers @iova, and is locked
 * @iova: of the first byte
 * @want: no more than these, at least 1
 * @remote: a peer chose @iova
 * @write: the bytes are to be written
 * @spot: filled in
 *
 * Context: any. Return: as soft_spot_get().
 */
enum soft_access_err soft_spot_of_any(const struct soft_region *region, u64 iova,
				      u64 want, bool remote, bool write,
				      struct soft_spot *spot)
{
	const struct soft_pages *pages;
	u64 at, inside, size;

	if (region->kind < SOFT_USER)
		return soft_spot_apart(region, iova, want, remote, write, spot);
	if (region->parent) {
		iova = region->parent_iova + (iova - region->iova);
		region = region->parent;
	}
	pages = region->pages;
	at = pages->offset + (iova - region->iova);
	size = 1ULL << pages->shift;
	inside = at & (size - 1);
	at >>= pages->shift;
	if (at >= pages->num)
		return SOFT_ERR_BOUNDS;

	spot->bytes = min(want, size - inside);
	spot->mapped = region->kind == SOFT_USER;
	if (spot->mapped)
		spot->at = kmap_local_page(pages->page[at]) + inside;
	else
		spot->at = soft_to_kernel(pages->addr[at]) + inside;
	return SOFT_OK;
}

/**
 * soft_pages_alloc - a list of pages that is empty
 * @num: entries that it has room for
 *
 * Context: process, may sleep. Return: it, for soft_pages_free(), or NULL.
 */
struct soft_pages *soft_pages_alloc(u64 num)
{
	size_t bytes = struct_size((struct soft_pages *)NULL, addr, num);

	if (num > U32_MAX || bytes > INT_MAX)
		return NULL;
	return kvzalloc(bytes, GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
}

/**
 * soft_pages_free - free a list of pages, and unpin them
 * @pages: the list, which no region has any more, or NULL
 *
 * Context: process, may sleep.
 */
void soft_pages_free(struct soft_pages *pages)
{
	if (!pages)
		return;
	ib_umem_release(pages->umem);
	soft_buffer_close(pages->buffer);
	kvfree(pages);
}

/* True: every byte of the page stays when the power goes. */
static bool soft_page_persists(struct page *page)
{
	return region_intersects(page_to_phys(page), PAGE_SIZE, IORESOURCE_MEM,
				 IORES_DESC_PERSISTENT_MEMORY) ==
	       REGION_INTERSECTS;
}

/**
 * soft_pages_persist - may these pages be registered for persistent placement?
 * @pages: of a program
 * @access: IB_ACCESS_* that the program asks for
 *
 * Context: process, may sleep. Return: 0, or -EINVAL: not all of it is persistent memory.
 */
int soft_pages_persist(const struct soft_pages *pages, int access)
{
	u32 i;

	if (!(access & IB_ACCESS_FLUSH_PERSISTENT))
		return 0;
	for (i = 0; i < pages->num; i++) {
		if (!soft_page_persists(pages->page[i]))
			return -EINVAL;
		/* Each page is a walk of the tree of resources, and a region may have 2^28. */
		cond_resched();
	}
	return 0;
}

/**
 * soft_pages_of_user - pin a range of a program
 * @device: that is to use it
 * @start: address in the program
 * @length: bytes
 * @access: IB_ACCESS_*
 *
 * Context: process, of the program. Return: the pages, for soft_pages_free(), or ERR_PTR:
 * the errno of ib_umem_get(), -EINVAL (@access wants persistence of memory that forgets),
 * -ENOMEM.
 */
struct soft_pages *soft_pages_of_user(struct ib_device *device, u64 start,
				      u64 length, int access)
{
	struct soft_pages *pages;
	struct sg_page_iter it;
	struct ib_umem *umem;
	int ret;

	umem = ib_umem_get_va(device, start, length, access);
	if (IS_ERR(umem))
		return ERR_CAST(umem);
	pages = soft_pages_alloc(ib_umem_num_pages(umem));
	if (!pages) {
		ib_umem_release(umem);
		return ERR_PTR(-ENOMEM);
	}
	pages->umem = umem;
	pages->shift = PAGE_SHIFT;
	pages->offset = ib_umem_offset(umem);
	pages->max = ib_umem_num_pages(umem);
	for_each_sgtable_page(&umem->sgt_append.sgt, &it, 0) {
		if (pages->num == pages->max)
			break;
		pages->page[pages->num++] = sg_page_iter_page(&it);
		if (!(pages->num % PAGES_AT_ONCE))
			cond_resched();
	}
	ret = soft_pages_persist(pages, access);
	if (!ret)
		return pages;
	soft_pages_free(pages);
	return ERR_PTR(ret);
}

/**
 * soft_pages_in_row - kernel memory, without a gap
 * @at: its first byte, not owned
 * @length: bytes
 *
 * It is one large page.
 *
 * Context: process, may sleep. Return: the pages, for soft_pages_free(), or NULL.
 */
struct soft_pages *soft_pages_in_row(const void *at, u64 length)
{
	struct soft_pages *pages = soft_pages_alloc(1);

	if (!pages)
		return NULL;
	pages->offset = offset_in_page(at);
	pages->shift = max(order_base_2(pages->offset + length), PAGE_SHIFT);
	pages->num = 1;
	pages->addr[0] = (uintptr_t)at & PAGE_MASK;
	return pages;
}

/**
 * soft_pages_of_buffer - map a range of a dma-buf
 * @device: that is to use it
 * @fd: file of the dma-buf, of the calling program
 * @offset: of the first byte in it
 * @length: bytes
 *
 * Context: process, of the program. Return: the pages, for soft_pages_free(), or ERR_PTR:
 * the errno of soft_buffer_open(), -ENOMEM.
 */
struct soft_pages *soft_pages_of_buffer(struct ib_device *device, int fd, u64 offset,
					u64 length)
{
	struct soft_buffer *buffer = soft_buffer_open(device, fd, offset, length);
	struct soft_pages *pages;

	if (IS_ERR(buffer))
		return ERR_CAST(buffer);
	pages = soft_pages_in_row(soft_buffer_at(buffer) + offset, length);
	if (!pages) {
		soft_buffer_close(buffer);
		return ERR_PTR(-ENOMEM);
	}
	pages->buffer = buffer;
	return pages;
}
