// SPDX-License-Identifier: GPL-2.0
/*
 * Pools of regions that the core keeps, since 7.x. File pooled: a region of a program takes a handle
 * of a pool, and gives it back when it is deregistered. Handles are counted; nothing is behind them.
 */
#include <linux/module.h>

#include "ofed_testdev.h"

static int td_create_frmrs(struct ib_device *ibdev, struct ib_frmr_key *key, u32 *handles, u32 count)
{
	struct testdev *td = to_td(ibdev);
	int ret = td_fault(ibdev, create_frmrs);
	u32 i;

	for (i = 0; !ret && i < count; i++) {
		ret = td_get(td, TD_frmr);
		handles[i] = atomic_inc_return(&td->next_frmr);
	}
	/* The one that was not counted is behind those that were. */
	if (ret)
		for (i = i ? i - 1 : 0; i; i--)
			td_put(td, TD_frmr);
	return ret;
}

static void td_destroy_frmrs(struct ib_device *ibdev, u32 *handles, u32 count)
{
	while (count--)
		td_put(to_td(ibdev), TD_frmr);
}

/* What administrators may write: no key of the kernel, nor more pages than a region can have. */
static int td_build_key(struct ib_device *ibdev, const struct ib_frmr_key *in,
			struct ib_frmr_key *out)
{
	int ret = td_fault(ibdev, build_key);

	if (ret)
		return ret;
	if (in->vendor_key > 1 || in->num_dma_blocks > TD_MAX_PAGES)
		return -EDOM;
	*out = *in;
	return 0;
}

static const struct ib_frmr_pool_ops td_pool_ops = {
	.create_frmrs = td_create_frmrs,
	.destroy_frmrs = td_destroy_frmrs,
	.build_key = td_build_key,
};

static struct ib_mr *td_frmr_reg_user_mr(struct ib_pd *pd, u64 start, u64 length, u64 virt_addr,
					 int access, COMPAT_DMAH_PARAM struct ib_udata *udata)
{
	struct ib_mr *mr = td_reg_user_mr(pd, start, length, virt_addr, access,
					  COMPAT_DMAH_ARG udata);
	int ret;

	if (IS_ERR(mr) || !READ_ONCE(to_td(pd->device)->pooled))
		return mr;
	mr->frmr.key = (struct ib_frmr_key){
		.num_dma_blocks = DIV_ROUND_UP_ULL(length, PAGE_SIZE),
		.access_flags = access,
	};
	mr->device = pd->device;
	ret = ib_frmr_pool_pop(pd->device, mr);
	if (!ret)
		return mr;
	mr->frmr.pool = NULL;
	td_mr_free(mr);
	return ERR_PTR(ret);
}

static int td_frmr_dereg_mr(struct ib_mr *mr, struct ib_udata *udata)
{
	struct ib_mr kept = { .device = mr->device, .frmr = mr->frmr };
	int ret = td_dereg_mr(mr, udata);

	if (!ret && kept.frmr.pool)
		ib_frmr_pool_push(kept.device, &kept);
	return ret;
}

/* A device that moves to another namespace is enabled there once more, with its pools. */
static int td_frmr_enable(struct ib_device *ibdev)
{
	int ret = ibdev->frmr_pools ? 0 : ib_frmr_pools_init(ibdev, &td_pool_ops);

	return ret ? ret : td_enable_driver(ibdev);
}

static void td_frmr_dealloc(struct ib_device *ibdev)
{
	if (ibdev->frmr_pools)
		ib_frmr_pools_cleanup(ibdev);
	td_dealloc_driver(ibdev);
}

const struct ib_device_ops td_frmr_ops = {
	.reg_user_mr = td_frmr_reg_user_mr,
	.dereg_mr = td_frmr_dereg_mr,
	.enable_driver = td_frmr_enable,
	.dealloc_driver = td_frmr_dealloc,
};
