/* SPDX-License-Identifier: GPL-2.0 */
/* Memory windows. */
#ifndef OFED_SOFT_MW_H
#define OFED_SOFT_MW_H

#include "mr_table.h"

/**
 * struct soft_mw - memory window
 * @mw: the core's part; the core frees this struct
 * @region: object of its key; freed with its last reference
 */
struct soft_mw {
	struct ib_mw mw;
	struct soft_region *region;
};

/**
 * struct soft_bind - a bind request
 * @mw_rkey: key of the window now
 * @new_key: low 8 bits it is to have (type 2); type 1 moves on by itself
 * @mr_lkey: region it gives access to
 * @addr: of the first byte, as the region counts
 * @length: bytes; 0 unbinds a window of type 1
 * @access: IB_ACCESS_REMOTE_*, IB_ZERO_BASED
 */
struct soft_bind {
	u32 mw_rkey;
	u8 new_key;
	u32 mr_lkey;
	u64 addr;
	u64 length;
	int access;
};

enum soft_access_err soft_window_bind(struct soft_mem *mem, struct ib_pd *pd,
				      u32 qpn, const struct soft_bind *bind);

int soft_alloc_mw(struct ib_mw *mw, struct ib_udata *udata);
int soft_dealloc_mw(struct ib_mw *mw);

#endif /* OFED_SOFT_MW_H */
