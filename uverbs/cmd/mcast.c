// SPDX-License-Identifier: GPL-2.0
/* Multicast groups that QPs are in. */
#include <linux/slab.h>
#include <ofed/verbs.h>

#include "cmd.h"

/* A group that a QP is attached to. */
struct uv_mcast {
	struct list_head node;
	union ib_gid gid;
	u16 lid;
};

/* At the end of a file, when no command uses @uqp: no lock is needed. */
void uv_mcast_detach_all(struct ib_uqp_object *uqp, struct ib_qp *qp)
{
	struct uv_mcast *mcast, *next;

	list_for_each_entry_safe(mcast, next, &uqp->mcast, node) {
		ofed_end_mcast(qp, &mcast->gid, mcast->lid);
		list_del(&mcast->node);
		kfree(mcast);
	}
}

/*
 * Ethernet has no LIDs: a driver knows a group by its GID alone, and could not
 * leave it twice.
 */
static struct uv_mcast *uv_mcast_find(struct ib_qp *qp, const union ib_gid *gid,
				      u16 lid)
{
	struct ib_uqp_object *uqp = qp->uobject;
	bool by_gid = rdma_protocol_roce(qp->device, qp->port ?:
					 rdma_start_port(qp->device));
	struct uv_mcast *mcast;

	lockdep_assert_held(&uqp->mcast_lock);
	list_for_each_entry(mcast, &uqp->mcast, node)
		if ((by_gid || mcast->lid == lid) &&
		    !memcmp(&mcast->gid, gid, sizeof(*gid)))
			return mcast;
	return NULL;
}

/* Again is fine: the driver hears of a group once. */
static int uv_mcast_attach(struct ib_qp *qp, union ib_gid *gid, u16 lid)
{
	struct ib_uqp_object *uqp = qp->uobject;
	struct uv_mcast *mcast;
	int ret;

	guard(mutex)(&uqp->mcast_lock);
	if (uv_mcast_find(qp, gid, lid))
		return 0;
	mcast = kzalloc(sizeof(*mcast), GFP_KERNEL_ACCOUNT);
	if (!mcast)
		return -ENOMEM;
	ret = ib_attach_mcast(qp, gid, lid);
	if (ret) {
		kfree(mcast);
		return ret;
	}
	mcast->gid = *gid;
	mcast->lid = lid;
	list_add_tail(&mcast->node, &uqp->mcast);
	return 0;
}

static int uv_mcast_detach(struct ib_qp *qp, union ib_gid *gid, u16 lid)
{
	struct ib_uqp_object *uqp = qp->uobject;
	struct uv_mcast *mcast;
	int ret;

	guard(mutex)(&uqp->mcast_lock);
	mcast = uv_mcast_find(qp, gid, lid);
	if (!mcast)
		return uv_refuse(uqp->source.uobj.ufile, -EINVAL,
				 "QP %u is in no group %pI6c, LID %u",
				 qp->qp_num, gid->raw, lid);
	ret = ib_detach_mcast(qp, gid, mcast->lid);
	if (ret)
		return ret;
	list_del(&mcast->node);
	kfree(mcast);
	return 0;
}

static int uv_mcast_do(struct uverbs_attr_bundle *attrs,
		       int (*change)(struct ib_qp *, union ib_gid *, u16))
{
	struct ib_uverbs_attach_mcast cmd;
	union ib_gid gid;
	struct ib_qp *qp;
	int ret;

	ret = uv_request(attrs, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	qp = uv_read_obj(struct ib_qp, &uv_type_qp, cmd.qp_handle, attrs);
	if (IS_ERR(qp))
		return PTR_ERR(qp);
	memcpy(&gid, cmd.gid, sizeof(gid));
	ret = change(qp, &gid, cmd.mlid);
	uv_put_qp(qp);
	return ret;
}

int uv_attach_mcast(struct uverbs_attr_bundle *attrs)
{
	return uv_mcast_do(attrs, uv_mcast_attach);
}

int uv_detach_mcast(struct uverbs_attr_bundle *attrs)
{
	static_assert(sizeof(struct ib_uverbs_detach_mcast) ==
		      sizeof(struct ib_uverbs_attach_mcast));
	return uv_mcast_do(attrs, uv_mcast_detach);
}
