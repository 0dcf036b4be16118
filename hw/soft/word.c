// SPDX-License-Identifier: GPL-2.0
/* One word of a memory region: atomics, and a store that no reader sees a part of. */
#include <linux/export.h>

#include "mr.h"
#include "pages.h"
#include "region_lock.h"

/*
 * Get the word, if the region still grants @access to it. A reference does not keep
 * the grant, so it is checked here, with the region's lock held until the word is put.
 */
static enum soft_access_err soft_word_get(struct soft_region *region, u32 grant, u64 iova,
					  int access, struct soft_spot *spot)
{
	enum soft_access_err fault;

	/* The key may grant something else by now, to another queue pair. */
	if (!region->valid || region->grant != grant)
		return SOFT_ERR_KEY;
	if (!(region->access & access))
		return SOFT_ERR_PERM;
	if (!soft_region_covers(region, iova, sizeof(u64)))
		return SOFT_ERR_BOUNDS;
	fault = soft_spot_get(region, iova, sizeof(u64), true, true, spot);
	if (fault != SOFT_OK)
		return fault;
	if (IS_ALIGNED((unsigned long)spot->at, sizeof(u64)))
		return SOFT_OK;
	soft_spot_put(spot);
	return SOFT_ERR_BOUNDS;
}

/**
 * soft_region_cmp_swap - compare and swap, atomic against the CPU's
 * @region: from soft_region_remote() with IB_ACCESS_REMOTE_ATOMIC
 * @grant: from there
 * @iova: of 8 bytes, a multiple of 8
 * @compare: what is expected there
 * @swap: what to write then
 * @original: what was there
 *
 * Context: any.
 */
enum soft_access_err soft_region_cmp_swap(struct soft_region *region, u32 grant, u64 iova,
					  u64 compare, u64 swap, u64 *original)
{
	unsigned long flags = soft_region_lock(region);
	enum soft_access_err fault;
	struct soft_spot spot;

	fault = soft_word_get(region, grant, iova, IB_ACCESS_REMOTE_ATOMIC, &spot);
	if (fault == SOFT_OK) {
		*original = atomic64_cmpxchg((atomic64_t *)spot.at, compare,
					     swap);
		soft_spot_put(&spot);
	}
	soft_region_unlock(region, flags);
	return fault;
}
EXPORT_SYMBOL_GPL(soft_region_cmp_swap);

/**
 * soft_region_fetch_add - fetch and add, atomic against the CPU's
 * @region: from soft_region_remote() with IB_ACCESS_REMOTE_ATOMIC
 * @grant: from there
 * @iova: of 8 bytes, a multiple of 8
 * @add: what to add; wraps
 * @original: what was there
 *
 * Context: any.
 */
enum soft_access_err soft_region_fetch_add(struct soft_region *region, u32 grant, u64 iova,
					   u64 add, u64 *original)
{
	unsigned long flags = soft_region_lock(region);
	enum soft_access_err fault;
	struct soft_spot spot;

	fault = soft_word_get(region, grant, iova, IB_ACCESS_REMOTE_ATOMIC, &spot);
	if (fault == SOFT_OK) {
		*original = atomic64_fetch_add(add, (atomic64_t *)spot.at);
		soft_spot_put(&spot);
	}
	soft_region_unlock(region, flags);
	return fault;
}
EXPORT_SYMBOL_GPL(soft_region_fetch_add);

/**
 * soft_region_store - write a word in one piece, as seen by any reader
 * @region: from soft_region_remote() with IB_ACCESS_REMOTE_WRITE
 * @grant: from there
 * @iova: of 8 bytes, a multiple of 8
 * @word: the bytes, in the order of memory
 *
 * A reader that sees the word also sees all earlier writes to the region.
 *
 * Context: any.
 */
enum soft_access_err soft_region_store(struct soft_region *region, u32 grant, u64 iova,
				       u64 word)
{
	unsigned long flags = soft_region_lock(region);
	enum soft_access_err fault;
	struct soft_spot spot;

	fault = soft_word_get(region, grant, iova, IB_ACCESS_REMOTE_WRITE, &spot);
	if (fault == SOFT_OK) {
		/* The reader is a program, which polls for it. */
		atomic64_set_release((atomic64_t *)spot.at, word);
		soft_spot_put(&spot);
	}
	soft_region_unlock(region, flags);
	return fault;
}
