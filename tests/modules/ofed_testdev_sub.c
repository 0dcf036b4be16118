// SPDX-License-Identifier: GPL-2.0
/*
 * Devices that are a part of another one. They come and go with
 * 'rdma dev add NAME type SMI parent DEV'; kernels before 6.12 have none.
 */
#include <linux/module.h>

#include "ofed_testdev.h"

/* Like its parent, but without a netdev, and InfiniBand. */
static struct ib_device *td_add_sub_dev(struct ib_device *parent,
					enum rdma_nl_dev_type type,
					const char *name)
{
	struct td_config cfg = to_td(parent)->cfg;
	int ret = td_fault(parent, add_sub_dev);
	struct ib_device *sub;

	if (ret)
		return ERR_PTR(ret);
	if (type != RDMA_DEVICE_TYPE_SMI)
		return ERR_PTR(-EOPNOTSUPP);
	cfg.ib = true;
	cfg.part = true;
	ret = td_device_add(name, &cfg, NULL, NULL);
	if (ret)
		return ERR_PTR(ret);
	sub = td_device_find(name);
	if (!sub)
		return ERR_PTR(-ENODEV);
	ib_device_put(sub);
	return sub;
}

static void td_del_sub_dev(struct ib_device *sub)
{
	ib_unregister_device(sub);
}

const struct ib_device_ops td_sub_ops = {
	.add_sub_dev = td_add_sub_dev,
	.del_sub_dev = td_del_sub_dev,
};
