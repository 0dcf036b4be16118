// SPDX-License-Identifier: GPL-2.0
/*
 * Commands about services that a subnet administrator knows; for kernels that have them.
 */
#include <linux/slab.h>

#include "ucma.h"

/* Records in the longest response that a command can have room for. */
#define UCMA_SERVICES_MOST							\
	((U16_MAX - sizeof(struct rdma_ucm_query_ib_service_resp)) /		\
	 sizeof(struct ib_user_service_rec))

int ucma_resolve_ib_service(struct ucma_call *call)
{
	struct rdma_ucm_resolve_ib_service *req = &call->req.resolve_ib_service;
	struct ucma_id *id;
	int ret;

	if (req->reserved || req->ibs.reserved)
		return -EINVAL;
	id = ucma_id_enter(call->file, req->id, UCMA_BOUND_ID | UCMA_ASKS);
	if (IS_ERR(id))
		return PTR_ERR(id);
	ret = rdma_resolve_ib_service(id->cm_id, &req->ibs);
	ucma_id_leave(id);
	return ret;
}

/* The two structs have the same layout; that of the program is uapi. */
static void ucma_show_services(struct ib_user_service_rec *to, const struct sa_service_rec *from,
			       u32 count)
{
	BUILD_BUG_ON(sizeof(*to) != sizeof(*from));
	BUILD_BUG_ON(offsetof(typeof(*to), gid) != offsetof(typeof(*from), gid));
	BUILD_BUG_ON(offsetof(typeof(*to), lease) != offsetof(typeof(*from), lease));
	BUILD_BUG_ON(offsetof(typeof(*to), name) != offsetof(typeof(*from), name));
	BUILD_BUG_ON(offsetof(typeof(*to), data_64) != offsetof(typeof(*from), data_64));
	memcpy(to, from, count * sizeof(*to));
}

/*
 * As many records as there is room for. How many there are tells a program how much room to have
 * next time, so it is no more than fit at most. Records stay as they are from the moment that
 * there are some. Return: memory of kvfree(), or an ERR_PTR.
 */
static struct rdma_ucm_query_ib_service_resp *
ucma_services_of(const struct rdma_route *route, size_t room, size_t *size)
{
	struct rdma_ucm_query_ib_service_resp *resp;
	u32 all, shown;

	if (room < sizeof(*resp))
		return ERR_PTR(-ENOSPC);
	/* Pairs with that of cma_keep_services(): the records are there, if the count is. */
	all = min_t(u32, smp_load_acquire(&route->num_service_recs), UCMA_SERVICES_MOST);
	if (!all)
		return ERR_PTR(-ENODATA);
	shown = min_t(u32, all, (room - sizeof(*resp)) / sizeof(resp->recs[0]));
	*size = struct_size(resp, recs, shown);
	resp = kvzalloc(*size, GFP_KERNEL_ACCOUNT);
	if (!resp)
		return ERR_PTR(-ENOMEM);
	resp->num_service_recs = all;
	ucma_show_services(resp->recs, route->service_recs, shown);
	return resp;
}

int ucma_query_services(struct ucma_call *call)
{
	const struct rdma_ucm_query *req = &call->req.query;
	struct ucma_id *id = ucma_id_enter(call->file, req->id, UCMA_ANY_ID);
	struct rdma_ucm_query_ib_service_resp *resp;
	size_t size;
	int ret;

	if (IS_ERR(id))
		return PTR_ERR(id);
	resp = ucma_services_of(&id->cm_id->route, call->out_len, &size);
	ucma_id_leave(id);
	if (IS_ERR(resp))
		return PTR_ERR(resp);
	ret = ucma_reply(req->response, resp, size);
	kvfree(resp);
	return ret;
}
