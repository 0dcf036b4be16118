// SPDX-License-Identifier: GPL-2.0
/*
 * Commands about addresses, and what listens on one.
 */
#include "ucma.h"

static int ucma_bind_to(struct ucma_call *call, u32 number, void *addr)
{
	struct ucma_id *id = ucma_id_enter(call->file, number, UCMA_ANY_ID);
	int ret;

	if (IS_ERR(id))
		return PTR_ERR(id);
	ret = rdma_bind_addr(id->cm_id, addr);
	ucma_id_leave(id);
	return ret;
}

int ucma_bind_ip(struct ucma_call *call)
{
	struct rdma_ucm_bind_ip *req = &call->req.bind_ip;

	if (!rdma_addr_size_in6(&req->addr))
		return -EINVAL;
	return ucma_bind_to(call, req->id, &req->addr);
}

int ucma_bind(struct ucma_call *call)
{
	struct rdma_ucm_bind *req = &call->req.bind;

	if (!req->addr_size || req->reserved ||
	    req->addr_size != rdma_addr_size_kss(&req->addr))
		return -EINVAL;
	return ucma_bind_to(call, req->id, &req->addr);
}

/* @src without an address family is no source address. */
static int ucma_resolve(struct ucma_call *call, u32 number, struct sockaddr *src,
			void *dst, u32 timeout_ms)
{
	struct ucma_id *id = ucma_id_enter(call->file, number, UCMA_ASKS);
	int ret;

	if (IS_ERR(id))
		return PTR_ERR(id);
	ret = rdma_resolve_addr(id->cm_id, src->sa_family ? src : NULL, dst,
				timeout_ms);
	ucma_id_leave(id);
	return ret;
}

int ucma_resolve_ip(struct ucma_call *call)
{
	struct rdma_ucm_resolve_ip *req = &call->req.resolve_ip;

	if (req->src_addr.sin6_family && !rdma_addr_size_in6(&req->src_addr))
		return -EINVAL;
	if (!rdma_addr_size_in6(&req->dst_addr))
		return -EINVAL;
	return ucma_resolve(call, req->id, (struct sockaddr *)&req->src_addr,
			    &req->dst_addr, req->timeout_ms);
}

int ucma_resolve_addr(struct ucma_call *call)
{
	struct rdma_ucm_resolve_addr *req = &call->req.resolve_addr;

	if (req->src_size &&
	    req->src_size != rdma_addr_size_kss(&req->src_addr))
		return -EINVAL;
	if (!req->dst_size || req->reserved ||
	    req->dst_size != rdma_addr_size_kss(&req->dst_addr))
		return -EINVAL;
	return ucma_resolve(call, req->id, (struct sockaddr *)&req->src_addr,
			    &req->dst_addr, req->timeout_ms);
}

int ucma_resolve_route(struct ucma_call *call)
{
	const struct rdma_ucm_resolve_route *req = &call->req.resolve_route;
	struct ucma_id *id = ucma_id_enter(call->file, req->id,
					   UCMA_BOUND_ID | UCMA_ASKS);
	int ret;

	if (IS_ERR(id))
		return PTR_ERR(id);
	ret = rdma_resolve_route(id->cm_id, req->timeout_ms);
	ucma_id_leave(id);
	return ret;
}

/*
 * Requests may come before rdma_listen() returns, so the limit is set first. It
 * stays when rdma_listen() fails, as it does for an id that listens already:
 * waiting requests stay counted against it.
 */
int ucma_listen(struct ucma_call *call)
{
	const struct rdma_ucm_listen *req = &call->req.listen;
	const u32 most = ucma_max_backlog();
	struct ucma_id *id;
	u32 backlog;
	int ret;

	backlog = req->backlog ? min(req->backlog, most) : most;
	id = ucma_id_enter(call->file, req->id, UCMA_ANY_ID);
	if (IS_ERR(id))
		return PTR_ERR(id);
	WRITE_ONCE(id->backlog, backlog);
	ret = rdma_listen(id->cm_id, backlog);
	ucma_id_leave(id);
	return ret;
}
