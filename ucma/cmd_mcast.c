// SPDX-License-Identifier: GPL-2.0
/*
 * Multicast groups.
 */
#include <kunit/visibility.h>
#include <linux/slab.h>
#include <ofed/cma.h>

#include "ucma.h"

/*
 * Joined groups by number, of all files; a NULL that is stored reserves a
 * number. The thread that erases a group leaves it. Guarded by its xa_lock.
 */
static DEFINE_XARRAY_FLAGS(ucma_mcasts, XA_FLAGS_ALLOC | XA_FLAGS_ACCOUNT);

static struct ucma_mcast *ucma_mcast_new(struct ucma_id *id, u64 uid,
					 const void *addr, size_t addr_size)
{
	struct ucma_mcast *mcast = kzalloc(sizeof(*mcast), GFP_KERNEL_ACCOUNT);

	if (!mcast)
		return NULL;
	mcast->id = id;
	mcast->uid = uid;
	memcpy(&mcast->addr, addr, addr_size);
	if (xa_alloc(&ucma_mcasts, &mcast->number, NULL, xa_limit_32b,
		     GFP_KERNEL)) {
		kfree(mcast);
		return NULL;
	}
	/* Events may come before the join returns. */
	guard(rwsem_read)(&ucma_moves);
	guard(mutex)(&id->file->lock);
	list_add_tail(&mcast->in_id, &id->mcasts);
	return mcast;
}

static void ucma_mcast_free(struct ucma_mcast *mcast)
{
	xa_erase(&ucma_mcasts, mcast->number);
	kfree(mcast);
}

/* Free a group and forget what was not read of it. Return: what was. */
static u32 ucma_mcast_drop(struct ucma_mcast *mcast)
{
	struct ucma_id *id = mcast->id;
	struct ucma_event *event, *next;
	u32 events_read;

	scoped_guard(rwsem_read, &ucma_moves) {
		guard(mutex)(&id->file->lock);
		list_del(&mcast->in_id);
		list_for_each_entry_safe(event, next, &id->events, of_id)
			if (event->mcast == mcast)
				ucma_event_free(event);
		events_read = mcast->events_read;
	}
	ucma_mcast_free(mcast);
	return events_read;
}

/*
 * Free the groups of an id. Its cm_id has ended and so has left them. No
 * command has a reference that could make it find one.
 */
void ucma_mcasts_free(struct ucma_id *id)
{
	struct ucma_mcast *mcast, *next;

	list_for_each_entry_safe(mcast, next, &id->mcasts, in_id)
		ucma_mcast_free(mcast);
}

/*
 * Become the one to leave a group. Return: the group, with a reference to its
 * id; an errno as of ucma_id_get().
 */
static struct ucma_mcast *ucma_mcast_claim(struct ucma_file *file, u32 number)
{
	struct ucma_mcast *mcast;

	guard(rwsem_read)(&ucma_moves);
	xa_lock(&ucma_mcasts);
	mcast = xa_load(&ucma_mcasts, number);
	if (!mcast)
		mcast = ERR_PTR(-ENOENT);
	else if (mcast->id->file != file)
		mcast = ERR_PTR(-EINVAL);
	else if (!refcount_inc_not_zero(&mcast->id->refs))
		mcast = ERR_PTR(-ENXIO);
	else
		__xa_store(&ucma_mcasts, number, NULL, GFP_ATOMIC);
	xa_unlock(&ucma_mcasts);
	return mcast;
}

VISIBLE_IF_KUNIT int ucma_leave(struct ucma_file *file, u32 number, u32 *events_read)
{
	struct ucma_mcast *mcast = ucma_mcast_claim(file, number);
	struct ucma_id *id;

	if (IS_ERR(mcast))
		return PTR_ERR(mcast);
	id = mcast->id;
	mutex_lock(&id->busy);
	/* By address it might be another one that was joined there. */
	ofed_cma_leave(id->cm_id, mcast);
	*events_read = ucma_mcast_drop(mcast);
	ucma_id_leave(id);
	return 0;
}

/* Return: the number of the group, or a negative errno. */
VISIBLE_IF_KUNIT s64 ucma_join(struct ucma_file *file, struct rdma_ucm_join_mcast *req,
			       u8 join_state)
{
	struct ucma_id *id = ucma_id_enter(file, req->id, UCMA_BOUND_ID);
	struct ucma_mcast *mcast;
	s64 ret = -ENOMEM;

	if (IS_ERR(id))
		return PTR_ERR(id);
	mcast = ucma_mcast_new(id, req->uid, &req->addr, req->addr_size);
	if (!mcast)
		goto out;
	ret = rdma_join_multicast(id->cm_id, (struct sockaddr *)&mcast->addr,
				  join_state, mcast);
	if (ret) {
		ucma_mcast_drop(mcast);
		goto out;
	}
	ret = mcast->number;
	xa_store(&ucma_mcasts, mcast->number, mcast, GFP_KERNEL);
out:
	ucma_id_leave(id);
	return ret;
}

static int ucma_join_and_reply(struct ucma_call *call,
			       struct rdma_ucm_join_mcast *req)
{
	struct rdma_ucm_create_id_resp resp = {};
	u8 join_state;
	u32 unused;
	s64 number;
	int ret;

	if (call->out_len < sizeof(resp))
		return -ENOSPC;
	if (req->addr_size != rdma_addr_size_kss(&req->addr))
		return -EINVAL;
	switch (req->join_flags) {
	case RDMA_MC_JOIN_FLAG_FULLMEMBER:
		join_state = BIT(FULLMEMBER_JOIN);
		break;
	case RDMA_MC_JOIN_FLAG_SENDONLY_FULLMEMBER:
		join_state = BIT(SENDONLY_FULLMEMBER_JOIN);
		break;
	default:
		return -EINVAL;
	}
	number = ucma_join(call->file, req, join_state);
	if (number < 0)
		return number;
	resp.id = number;
	ret = ucma_reply(req->response, &resp, sizeof(resp));
	if (ret)
		ucma_leave(call->file, number, &unused);
	return ret;
}

int ucma_join_mcast(struct ucma_call *call)
{
	struct rdma_ucm_join_mcast *req = &call->req.join_mcast;

	if (!rdma_addr_size_kss(&req->addr))
		return -EINVAL;
	return ucma_join_and_reply(call, req);
}

int ucma_join_ip_mcast(struct ucma_call *call)
{
	struct rdma_ucm_join_ip_mcast *req = &call->req.join_ip_mcast;
	struct rdma_ucm_join_mcast join = {
		.response = req->response,
		.uid = req->uid,
		.id = req->id,
		.addr_size = rdma_addr_size_in6(&req->addr),
		.join_flags = RDMA_MC_JOIN_FLAG_FULLMEMBER,
	};

	if (!join.addr_size)
		return -EINVAL;
	memcpy(&join.addr, &req->addr, join.addr_size);
	return ucma_join_and_reply(call, &join);
}

int ucma_leave_mcast(struct ucma_call *call)
{
	const struct rdma_ucm_destroy_id *req = &call->req.destroy_id;
	struct rdma_ucm_destroy_id_resp resp = {};
	int ret;

	ret = ucma_leave(call->file, req->id, &resp.events_reported);
	return ret ?: ucma_reply(req->response, &resp, sizeof(resp));
}
