// SPDX-License-Identifier: GPL-2.0
/* Protection domains, XRC domains: nothing but their existence. */
#include <linux/module.h>

#include "ofed_testdev.h"

struct td_pd {
	struct ib_pd ib;
};

struct td_xrcd {
	struct ib_xrcd ib;
};

int td_alloc_pd(struct ib_pd *ibpd, struct ib_udata *udata)
{
	int ret = td_fault(ibpd->device, alloc_pd);

	return ret ? ret : td_get(to_td(ibpd->device), TD_pd);
}

static int td_dealloc_pd(struct ib_pd *ibpd, struct ib_udata *udata)
{
	int ret = td_fault(ibpd->device, dealloc_pd);

	if (ret)
		return ret;
	td_put(to_td(ibpd->device), TD_pd);
	return 0;
}

static int td_alloc_xrcd(struct ib_xrcd *ibxrcd, struct ib_udata *udata)
{
	int ret = td_fault(ibxrcd->device, alloc_xrcd);

	return ret ? ret : td_get(to_td(ibxrcd->device), TD_xrcd);
}

static int td_dealloc_xrcd(struct ib_xrcd *ibxrcd, struct ib_udata *udata)
{
	int ret = td_fault(ibxrcd->device, dealloc_xrcd);

	if (ret)
		return ret;
	td_put(to_td(ibxrcd->device), TD_xrcd);
	return 0;
}

const struct ib_device_ops td_pd_ops = {
	.alloc_pd = td_alloc_pd,
	.dealloc_pd = td_dealloc_pd,
	.alloc_xrcd = td_alloc_xrcd,
	.dealloc_xrcd = td_dealloc_xrcd,
	INIT_RDMA_OBJ_SIZE(ib_pd, td_pd, ib),
	INIT_RDMA_OBJ_SIZE(ib_xrcd, td_xrcd, ib),
};
