// SPDX-License-Identifier: GPL-2.0
/*
 * Lengths of the driver's part of a command, since 7.x: a device 'robust=1' says that it checks all,
 * and has such a part of its own for a PD.
 */
#include <linux/module.h>

#include "ofed_testdev.h"

#define TD_PD_FLAGS	3

static int td_robust_alloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	struct testdev_robust_pd req, resp = {};
	int ret;

	if (!udata)
		return td_alloc_pd(pd, udata);
	ret = ib_copy_validate_udata_in_cm(udata, req, number, TD_PD_FLAGS);
	if (ret)
		return ret;
	resp.comp_mask = TD_PD_FLAGS;
	resp.number = req.number;
	resp.later = req.later;
	ret = td_alloc_pd(pd, udata);
	if (ret)
		return ret;
	ret = ib_respond_udata(udata, resp);
	if (ret)
		td_put(to_td(pd->device), TD_pd);
	return ret;
}

/* A parent domain's or an AH's part would be as short: none at all. */
static int td_robust_create_ah(struct ib_ah *ah, struct rdma_ah_init_attr *attr,
			       struct ib_udata *udata)
{
	int ret = ib_no_udata_io(udata);

	return ret ? ret : td_create_user_ah(ah, attr, udata);
}

const struct ib_device_ops td_robust_ops = {
	.uverbs_robust_udata = 1,
	.alloc_pd = td_robust_alloc_pd,
	.create_user_ah = td_robust_create_ah,
};
