/* SPDX-License-Identifier: GPL-2.0 */
/* Where the bytes of a memory region are. */
#ifndef OFED_SOFT_PAGES_H
#define OFED_SOFT_PAGES_H

#include <linux/highmem.h>
#include <rdma/ib_umem.h>

#include "mr_table.h"
#include "region_lock.h"

struct soft_buffer;

/**
 * struct soft_pages - where the bytes of a memory region are
 * @umem: (SOFT_USER) keeps them pinned
 * @buffer: (SOFT_BUFFER) keeps it mapped
 * @shift: log2 of bytes of a page; PAGE_SHIFT for SOFT_USER
 * @offset: of the region's first byte in the first page
 * @num: pages that are set
 * @max: (SOFT_FAST) room in @addr
 * @page: (SOFT_USER)
 * @addr: (SOFT_FAST, SOFT_BUFFER, SOFT_ON_DEVICE) kernel virtual addresses
 */
struct soft_pages {
	struct ib_umem *umem;
	struct soft_buffer *buffer;
	u32 shift;
	u32 offset;
	u32 num;
	u32 max;
	union {
		DECLARE_FLEX_ARRAY(struct page *, page);
		DECLARE_FLEX_ARRAY(u64, addr);
	};
};

/**
 * struct soft_spot - bytes of a region that lie side by side in kernel addresses
 * @at: the first one; soft_spot_put() ends its mapping
 * @bytes: how many, at least 1
 * @mapped: a mapping has to be ended
 */
struct soft_spot {
	void *at;
	u64 bytes;
	bool mapped;
};

struct soft_pages *soft_pages_alloc(u64 num);
void soft_pages_free(struct soft_pages *pages);
int soft_pages_persist(const struct soft_pages *pages, int access);
struct soft_pages *soft_pages_of_user(struct ib_device *device, u64 start,
				      u64 length, int access);
struct soft_pages *soft_pages_in_row(const void *at, u64 length);
struct soft_pages *soft_pages_of_buffer(struct ib_device *device, int fd, u64 offset,
					u64 length);

enum soft_access_err soft_spot_of_any(const struct soft_region *region, u64 iova,
				      u64 want, bool remote, bool write,
				      struct soft_spot *spot);

/**
 * soft_spot_get - map bytes of a region
 * @region: the region; it covers @iova, and is locked
 * @iova: of the first byte
 * @want: no more than these, at least 1
 * @remote: a peer chose @iova
 * @write: the bytes are to be written
 * @spot: filled in; spots are put in the reverse order
 *
 * Context: any. Return: SOFT_OK, SOFT_ERR_BOUNDS (no memory there), or SOFT_ERR_ABSENT.
 */
static inline enum soft_access_err soft_spot_get(const struct soft_region *region, u64 iova,
						 u64 want, bool remote, bool write,
						 struct soft_spot *spot)
{
	const struct soft_pages *pages = region->pages;
	u64 at;

	soft_region_assert_locked(region);
	if (unlikely(region->kind != SOFT_USER))
		return soft_spot_of_any(region, iova, want, remote, write, spot);
	at = pages->offset + (iova - region->iova);
	if (at >> PAGE_SHIFT >= pages->num)
		return SOFT_ERR_BOUNDS;
	spot->bytes = min_t(u64, want, PAGE_SIZE - offset_in_page(at));
	spot->mapped = true;
	spot->at = kmap_local_page(pages->page[at >> PAGE_SHIFT]) + offset_in_page(at);
	return SOFT_OK;
}

/**
 * soft_spot_put - end a mapping
 * @spot: from soft_spot_get(), which returned SOFT_OK
 */
static inline void soft_spot_put(const struct soft_spot *spot)
{
	if (spot->mapped)
		kunmap_local(spot->at);
}

#endif /* OFED_SOFT_PAGES_H */
