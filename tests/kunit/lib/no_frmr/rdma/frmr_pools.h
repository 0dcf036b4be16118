/* SPDX-License-Identifier: GPL-2.0 */
/* The part of <rdma/frmr_pools.h> that a test of pools needs on kernels before 7.x. */
#ifndef OFED_TESTS_NO_FRMR_H
#define OFED_TESTS_NO_FRMR_H

#include <linux/types.h>

struct ib_device;

struct ib_frmr_key {
	u64 vendor_key, kernel_vendor_key;
	size_t num_dma_blocks;
	int access_flags;
	u8 ats:1;
};

struct ib_frmr_pool_ops {
	int (*create_frmrs)(struct ib_device *dev, struct ib_frmr_key *key, u32 *to, u32 cnt);
	void (*destroy_frmrs)(struct ib_device *dev, u32 *from, u32 cnt);
	int (*build_key)(struct ib_device *dev, const struct ib_frmr_key *asked,
			 struct ib_frmr_key *built);
};

#endif /* OFED_TESTS_NO_FRMR_H */
