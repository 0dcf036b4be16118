// SPDX-License-Identifier: GPL-2.0
/* Multicast groups: a list per QP, so that what is not detached shows. */
#include <linux/module.h>
#include <linux/slab.h>

#include "ofed_testdev.h"

struct td_group {
	struct list_head entry;		/* in td_qp.mcast */
	union ib_gid gid;
	u16 lid;
	bool refused;			/* to be detached; the QP takes it along */
};

static struct td_group *td_group_find(struct td_qp *qp,
				      const union ib_gid *gid, u16 lid)
{
	struct td_group *group;

	lockdep_assert_held(&qp->lock);
	list_for_each_entry(group, &qp->mcast, entry)
		if (group->lid == lid && !memcmp(&group->gid, gid, sizeof(*gid)))
			return group;
	return NULL;
}

static int td_attach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid)
{
	struct testdev *td = to_td(ibqp->device);
	struct td_qp *qp = to_td_qp(ibqp);
	struct td_group *group, *twin;
	int ret = td_fault(ibqp->device, attach_mcast);

	if (ret)
		return ret;
	ret = td_get(td, TD_mcast);
	if (ret)
		return ret;
	group = kzalloc(sizeof(*group), GFP_KERNEL);
	if (!group) {
		td_put(td, TD_mcast);
		return -ENOMEM;
	}
	group->gid = *gid;
	group->lid = lid;
	spin_lock_irq(&qp->lock);
	twin = td_group_find(qp, gid, lid);
	if (!twin)
		list_add_tail(&group->entry, &qp->mcast);
	spin_unlock_irq(&qp->lock);
	if (twin) {
		kfree(group);
		td_put(td, TD_mcast);
		return -EINVAL;
	}
	return 0;
}

static int td_detach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid)
{
	struct td_qp *qp = to_td_qp(ibqp);
	int ret = td_fault(ibqp->device, detach_mcast);
	struct td_group *group;

	spin_lock_irq(&qp->lock);
	group = td_group_find(qp, gid, lid);
	if (group && ret)
		group->refused = true;
	else if (group)
		list_del(&group->entry);
	spin_unlock_irq(&qp->lock);
	if (ret || !group)
		return ret ?: -EINVAL;
	kfree(group);
	td_put(to_td(ibqp->device), TD_mcast);
	return 0;
}

/* A QP ends. What the core did not try to detach stays counted: that is a leak. */
void td_mcast_end(struct td_qp *qp)
{
	struct td_group *group, *next;

	list_for_each_entry_safe(group, next, &qp->mcast, entry) {
		if (!group->refused)
			continue;
		list_del(&group->entry);
		kfree(group);
		td_put(to_td(qp->ib.device), TD_mcast);
	}
}

const struct ib_device_ops td_mcast_ops = {
	.attach_mcast = td_attach_mcast,
	.detach_mcast = td_detach_mcast,
};
