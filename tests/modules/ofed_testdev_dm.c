// SPDX-License-Identifier: GPL-2.0
/* Device memory. */
#include <linux/module.h>
#include <linux/slab.h>

#include "ofed_testdev.h"

struct td_dm {
	struct ib_dm ib;
	struct testdev *td;
	u64 length;
};

static struct ib_dm *td_alloc_dm(struct ib_device *ibdev,
				 struct ib_ucontext *ibuc,
				 struct ib_dm_alloc_attr *attr,
				 struct uverbs_attr_bundle *attrs)
{
	struct testdev *td = to_td(ibdev);
	int ret = td_fault(ibdev, alloc_dm);
	struct td_dm *dm;

	if (ret)
		return ERR_PTR(ret);
	if (!attr->length || attr->length > TD_DM_SIZE || attr->alignment > 12)
		return ERR_PTR(-EINVAL);
	ret = td_get(td, TD_dm);
	if (ret)
		return ERR_PTR(ret);
	dm = kzalloc(sizeof(*dm), GFP_KERNEL);
	if (!dm) {
		td_put(td, TD_dm);
		return ERR_PTR(-ENOMEM);
	}
	dm->td = td;
	dm->length = attr->length;
	return &dm->ib;
}

static int td_dealloc_dm(struct ib_dm *ibdm, struct uverbs_attr_bundle *attrs)
{
	struct td_dm *dm = container_of(ibdm, struct td_dm, ib);
	struct testdev *td = dm->td;
	int ret = td_fault_check(td, TD_OP_dealloc_dm);

	if (ret)
		return ret;
	kfree(dm);
	td_put(td, TD_dm);
	return 0;
}

static struct ib_mr *td_reg_dm_mr(struct ib_pd *pd, struct ib_dm *ibdm,
				  struct ib_dm_mr_attr *attr,
				  struct uverbs_attr_bundle *attrs)
{
	struct td_dm *dm = container_of(ibdm, struct td_dm, ib);
	int ret = td_fault(pd->device, reg_dm_mr);

	if (ret)
		return ERR_PTR(ret);
	if (attr->offset > dm->length ||
	    attr->length > dm->length - attr->offset)
		return ERR_PTR(-EINVAL);
	return td_mr_of_dm(pd, attr->length);
}

const struct ib_device_ops td_dm_ops = {
	.alloc_dm = td_alloc_dm,
	.dealloc_dm = td_dealloc_dm,
	.reg_dm_mr = td_reg_dm_mr,
};
