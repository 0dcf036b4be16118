// SPDX-License-Identifier: GPL-2.0
/* Address handles. Their ops may be called in any context but user creation. */
#include <linux/module.h>

#include "ofed_testdev.h"

struct td_ah {
	struct ib_ah ib;

	/* Guards attr; taken in any context. */
	spinlock_t lock;
	struct rdma_ah_attr attr;
};

static struct td_ah *to_td_ah(struct ib_ah *ibah)
{
	return container_of(ibah, struct td_ah, ib);
}

/* The reference on the GID is the core's, so the copy has no pointer to it. */
static void td_ah_store(struct td_ah *ah, const struct rdma_ah_attr *attr)
{
	unsigned long flags;

	spin_lock_irqsave(&ah->lock, flags);
	ah->attr = *attr;
	ah->attr.grh.sgid_attr = NULL;
	spin_unlock_irqrestore(&ah->lock, flags);
}

static int td_ah_init(struct ib_ah *ibah, struct rdma_ah_init_attr *init)
{
	struct td_ah *ah = to_td_ah(ibah);
	int ret = td_get(to_td(ibah->device), TD_ah);

	if (ret)
		return ret;
	if (init->flags & RDMA_CREATE_AH_SLEEPABLE)
		might_sleep();
	spin_lock_init(&ah->lock);
	td_ah_store(ah, init->ah_attr);
	return 0;
}

static int td_create_ah(struct ib_ah *ibah, struct rdma_ah_init_attr *init,
			struct ib_udata *udata)
{
	int ret = td_fault(ibah->device, create_ah);

	return ret ? ret : td_ah_init(ibah, init);
}

int td_create_user_ah(struct ib_ah *ibah,
			     struct rdma_ah_init_attr *init,
			     struct ib_udata *udata)
{
	int ret = td_fault(ibah->device, create_user_ah);

	return ret ? ret : td_ah_init(ibah, init);
}

static int td_modify_ah(struct ib_ah *ibah, struct rdma_ah_attr *attr)
{
	int ret = td_fault(ibah->device, modify_ah);

	if (ret)
		return ret;
	td_ah_store(to_td_ah(ibah), attr);
	return 0;
}

static int td_query_ah(struct ib_ah *ibah, struct rdma_ah_attr *attr)
{
	struct td_ah *ah = to_td_ah(ibah);
	int ret = td_fault(ibah->device, query_ah);
	unsigned long flags;

	if (ret)
		return ret;
	spin_lock_irqsave(&ah->lock, flags);
	*attr = ah->attr;
	spin_unlock_irqrestore(&ah->lock, flags);
	return 0;
}

static int td_destroy_ah(struct ib_ah *ibah, u32 flags)
{
	int ret = td_fault(ibah->device, destroy_ah);

	if (ret)
		return ret;
	if (flags & RDMA_DESTROY_AH_SLEEPABLE)
		might_sleep();
	td_put(to_td(ibah->device), TD_ah);
	return 0;
}

const struct ib_device_ops td_ah_ops = {
	.create_ah = td_create_ah,
	.create_user_ah = td_create_user_ah,
	.modify_ah = td_modify_ah,
	.query_ah = td_query_ah,
	.destroy_ah = td_destroy_ah,
	INIT_RDMA_OBJ_SIZE(ib_ah, td_ah, ib),
};
