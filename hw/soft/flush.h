/* SPDX-License-Identifier: GPL-2.0 */
/* FLUSH. */
#ifndef OFED_SOFT_FLUSH_H
#define OFED_SOFT_FLUSH_H

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

enum soft_access_err soft_flush(struct soft_mem *mem, struct ib_pd *pd, u32 qpn,
				const struct soft_flush *flush);

#endif /* OFED_SOFT_FLUSH_H */
