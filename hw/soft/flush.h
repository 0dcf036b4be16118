/* SPDX-License-Identifier: GPL-2.0 */
/* FLUSH. */
#ifndef OFED_SOFT_FLUSH_H
#define OFED_SOFT_FLUSH_H

#include <linux/sizes.h>

#include "mr_table.h"

/**
 * struct soft_flush - what a FLUSH asks for
 * @rkey: of the region
 * @whole: of all of the region; @iova, @length: of a range otherwise
 * @access: IB_ACCESS_FLUSH_GLOBAL, IB_ACCESS_FLUSH_PERSISTENT, or both
 */
struct soft_flush {
	u32 rkey;
	bool whole;
	u64 iova;
	u64 length;
	int access;
};

/**
 * struct soft_flush_part - how far a FLUSH of persistent memory has come
 * @grant: what the region granted when @done was counted
 * @done: bytes that are out of the caches; 0 before the first part
 * @more: it is to be called again
 */
struct soft_flush_part {
	u32 grant;
	u64 done;
	bool more;
};

/*
 * Bytes of persistent memory that a call writes back, in any context: some microseconds. A variable
 * for tests.
 */
#define SOFT_FLUSH_AT_ONCE	SZ_64K
extern unsigned int soft_flush_at_once;

enum soft_access_err soft_flush(struct soft_mem *mem, struct ib_pd *pd, u32 qpn,
				const struct soft_flush *flush, struct soft_flush_part *part);

#endif /* OFED_SOFT_FLUSH_H */
