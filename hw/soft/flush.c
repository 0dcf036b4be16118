// SPDX-License-Identifier: GPL-2.0
/*
 * FLUSH, where the memory is (annex A19.4). Bytes that were placed are visible to every
 * CPU already; persistent memory has to get them out of the caches.
 */
#include <kunit/visibility.h>
#include <linux/libnvdimm.h>
#include "flush.h"
#include "pages.h"
#include "region_lock.h"

unsigned int soft_flush_at_once = SOFT_FLUSH_AT_ONCE;
EXPORT_SYMBOL_IF_KUNIT(soft_flush_at_once);

/* The part of @left that lies side by side; @left is what remains then. */
static enum soft_access_err soft_write_back_some(struct soft_region *region, u32 grant,
						 u64 *iova, u64 *left)
{
	unsigned long flags = soft_region_lock(region);
	enum soft_access_err fault = SOFT_ERR_KEY;
	struct soft_spot spot;

	if (region->grant == grant)
		fault = soft_spot_get(region, *iova, *left, true, false, &spot);
	if (fault == SOFT_OK) {
		arch_wb_cache_pmem(spot.at, spot.bytes);
		*iova += spot.bytes;
		*left -= spot.bytes;
		soft_spot_put(&spot);
	}
	soft_region_unlock(region, flags);
	return fault;
}

/* The next part of the @length bytes from @iova on. */
static enum soft_access_err soft_write_back(struct soft_region *region,
					    struct soft_flush_part *part, u64 iova, u64 length)
{
	u64 left = min_t(u64, length - part->done, READ_ONCE(soft_flush_at_once));
	enum soft_access_err fault = SOFT_OK;

	iova += part->done;
	part->done += left;
	part->more = part->done < length;
	while (left && fault == SOFT_OK)
		fault = soft_write_back_some(region, part->grant, &iova, &left);
	pmem_wmb();
	return fault;
}

/**
 * soft_flush - carry out a FLUSH of the peer
 * @mem: of the device
 * @pd: of the queue pair
 * @qpn: of the queue pair
 * @flush: what the peer asks for; nothing of it is checked yet
 * @part: zeroed before the first call. A large range of persistent memory is written back by
 *	  several calls with the same @flush, each of which checks all of it
 *
 * Context: any.
 *
 * Return: SOFT_OK, and all is done unless @part->more; or what is wrong. @part is as before the
 * first call unless @part->more.
 */
enum soft_access_err soft_flush(struct soft_mem *mem, struct ib_pd *pd, u32 qpn,
				const struct soft_flush *flush, struct soft_flush_part *part)
{
	struct soft_region *region = soft_region_get(mem, flush->rkey);
	u64 iova = flush->iova, length = flush->length;
	enum soft_access_err fault;
	unsigned long flags;

	part->more = false;
	if (!region)
		return SOFT_ERR_KEY;
	flags = soft_region_lock(region);
	if (flush->whole) {
		iova = region->iova;
		length = region->length;
	}
	fault = soft_region_may_remote(region, pd, qpn, flush->rkey, iova,
				       length, flush->access);
	/* All kernel memory has no end that could be reached. */
	if (fault == SOFT_OK && region->kind == SOFT_DMA)
		fault = SOFT_ERR_PERM;
	/* Another memory begins anew. */
	if (part->grant != region->grant || part->done > length)
		part->done = 0;
	part->grant = region->grant;
	soft_region_unlock(region, flags);
	/* What was placed before is seen before the answer is. */
	smp_wmb();
	if (fault == SOFT_OK && flush->access & IB_ACCESS_FLUSH_PERSISTENT)
		fault = soft_write_back(region, part, iova, length);
	part->more &= fault == SOFT_OK;
	if (!part->more)
		part->done = 0;
	soft_region_put(region);
	return fault;
}
