// SPDX-License-Identifier: GPL-2.0
/* The page table of a region on demand: what an access finds there. */
#include "odp_table.h"
#include "pages.h"
#include "region_lock.h"

/* The region is locked. NULL: no page of the part has been brought in. */
static const struct soft_odp_part *soft_odp_part_of(const struct soft_odp *odp, u64 va)
{
	return odp->whole ?: xa_load((struct xarray *)&odp->parts, va >> SOFT_ODP_PART_SHIFT);
}

/* Kernel address of a byte; NULL: absent, or not to be written. */
static void *soft_odp_at(const struct soft_region *region, u64 iova, bool write)
{
	const struct soft_odp *odp = region->odp;
	u64 va = odp->start + (iova - region->iova);
	const struct soft_odp_part *part = soft_odp_part_of(odp, va);
	unsigned long entry;
	u64 index;

	if (!part)
		return NULL;
	index = (va - part->start) >> PAGE_SHIFT;
	entry = index < part->num ? part->entry[index] : 0;
	if (!entry || (write && !(entry & SOFT_ODP_WRITE)))
		return NULL;
	return (void *)(entry & ~SOFT_ODP_WRITE) + offset_in_page(va);
}

/**
 * soft_odp_spot - soft_spot_get() of a region on demand
 * @region: the region; it covers @iova, and is locked
 * @iova: of the first byte
 * @want: no more than these, at least 1
 * @write: the bytes are to be written
 * @spot: filled in
 *
 * Context: any. Return: SOFT_OK, or SOFT_ERR_ABSENT.
 */
enum soft_access_err soft_odp_spot(const struct soft_region *region, u64 iova, u64 want,
				   bool write, struct soft_spot *spot)
{
	soft_region_assert_locked(region);
	spot->at = soft_odp_at(region, iova, write);
	if (!spot->at)
		return SOFT_ERR_ABSENT;
	spot->bytes = min_t(u64, want, PAGE_SIZE - offset_in_page(spot->at));
	spot->mapped = false;
	return SOFT_OK;
}

/* The region is locked. The first byte that is absent, or @end. */
static u64 soft_odp_first_absent(const struct soft_region *region, u64 iova, u64 end,
				 bool write)
{
	const void *at;

	while (iova < end) {
		at = soft_odp_at(region, iova, write);
		if (!at)
			return iova;
		iova += min_t(u64, end - iova, PAGE_SIZE - offset_in_page(at));
	}
	return end;
}

/**
 * soft_region_absent - look for pages that an access would find absent
 * @region: of any kind
 * @iova: of the first byte
 * @length: bytes of the access
 * @write: the access writes
 * @want: filled in if a page is absent; @want->length is what is left of @length
 *
 * Context: any. Return: a page is absent, and @want has a reference to @region.
 */
bool soft_region_absent(struct soft_region *region, u64 iova, u64 length, bool write,
			struct soft_want *want)
{
	u64 end = iova + length;
	unsigned long flags;
	bool absent = false;
	u64 first;

	if (region->kind != SOFT_ODP)
		return false;
	flags = soft_region_lock(region);
	if (region->valid && region->odp && soft_region_covers(region, iova, length)) {
		first = soft_odp_first_absent(region, iova, end, write);
		absent = first != end;
	}
	if (absent) {
		refcount_inc(&region->refs);
		*want = (struct soft_want) {
			.region = region,
			.grant = region->grant,
			.iova = first,
			.length = end - first,
			.write = write,
		};
	}
	soft_region_unlock(region, flags);
	return absent;
}
