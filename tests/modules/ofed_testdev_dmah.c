// SPDX-License-Identifier: GPL-2.0
/* DMA handles, since 7.x: hints that a region may have. Nothing follows them. */
#include <linux/module.h>

#include "ofed_testdev.h"

struct td_dmah {
	struct ib_dmah ib;
};

static int td_alloc_dmah(struct ib_dmah *dmah, struct uverbs_attr_bundle *attrs)
{
	int ret = td_fault(dmah->device, alloc_dmah);

	return ret ? ret : td_get(to_td(dmah->device), TD_dmah);
}

static int td_dealloc_dmah(struct ib_dmah *dmah, struct uverbs_attr_bundle *attrs)
{
	int ret = td_fault(dmah->device, dealloc_dmah);

	if (ret)
		return ret;
	td_put(to_td(dmah->device), TD_dmah);
	return 0;
}

const struct ib_device_ops td_dmah_ops = {
	.alloc_dmah = td_alloc_dmah,
	.dealloc_dmah = td_dealloc_dmah,
	INIT_RDMA_OBJ_SIZE(ib_dmah, td_dmah, ib),
};
