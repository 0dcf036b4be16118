// SPDX-License-Identifier: GPL-2.0
/* rdma_cm: from a destination to the hardware addresses on the way to it. */
#include <linux/export.h>
#include <linux/netdevice.h>
#include <rdma/ib.h>
#include <rdma/ib_addr.h>

#include "cma.h"

/* What the resolver has found, or an address that the consumer has given. */
static int cma_adopt_source(struct cma_id *id)
{
	struct sockaddr *found = (struct sockaddr *)&id->found_src;
	struct sockaddr_storage old = id->pub.route.addr.src_addr;
	int ret;

	if (found->sa_family != cma_family(id))
		return -EADDRNOTAVAIL;
	cma_copy_address(cma_src(id), found);
	ret = cma_device_by_source(id);
	if (!ret)
		return 0;
	cma_copy_address(cma_src(id), (struct sockaddr *)&old);
	return ret;
}

static bool cma_addr_finish(struct cma_id *id, int status,
			    struct rdma_cm_event *event)
{
	if (cma_state_of(id) != CMA_S_ADDR_QUERY)
		return false;
	if (!status && !id->cdev)
		status = cma_adopt_source(id);
	if (status && !id->cdev)
		/* Not to bind the next query to what this one has found. */
		cma_l2(id)->bound_dev_if = id->wish_if;
	if (!status && !id->res.tracked.device)
		cma_res_add(&id->res, id->pub.device);
	event->event = status ? RDMA_CM_EVENT_ADDR_ERROR :
				RDMA_CM_EVENT_ADDR_RESOLVED;
	event->status = status;
	return !cma_move(id, status ? CMA_M_ADDR_FAIL : CMA_M_ADDR_KNOWN);
}

/*
 * Called by the resolver, once. The id exists: its destruction cancels the
 * query and waits for this call.
 */
static void cma_addr_resolved(int status, struct sockaddr *src,
			      struct rdma_dev_addr *l2, void *context)
{
	struct cma_id *id = context;

	if (!status && src->sa_family != AF_INET && src->sa_family != AF_INET6)
		status = -EAFNOSUPPORT;
	if (!status) {
		id->found_src.sin6_family = src->sa_family;
		cma_copy_address((struct sockaddr *)&id->found_src, src);
	}
	cma_step_start(id, status, cma_addr_finish);
}

/* To this host, by whatever port there is or the one that the id is bound to. */
static int cma_resolve_loopback(struct cma_id *id)
{
	struct rdma_dev_addr *l2 = cma_l2(id);
	int ret;

	if (!id->cdev) {
		ret = cma_device_for_loopback(id);
		/* With devices that do not fit it is an answer like others. */
		if (ret && cma_has_choice(id)) {
			cma_step_start(id, ret, cma_addr_finish);
			return 0;
		}
		if (ret)
			return ret;
	} else {
		cma_copy_address(cma_dst(id), cma_src(id));
	}
	memcpy(l2->dst_dev_addr, l2->src_dev_addr, sizeof(l2->dst_dev_addr));
	l2->network = RDMA_NETWORK_IB;
	l2->hoplimit = 1;
	cma_step_start(id, 0, cma_addr_finish);
	return 0;
}

static int cma_resolve_ib(struct cma_id *id)
{
	struct sockaddr_ib *sib = (struct sockaddr_ib *)cma_dst(id);
	int ret;

	if (!id->cdev) {
		ret = cma_device_by_ib_path(id);
		if (ret)
			return ret;
	}
	rdma_addr_set_dgid(cma_l2(id), (union ib_gid *)&sib->sib_addr);
	cma_step_start(id, 0, cma_addr_finish);
	return 0;
}

/* What is not decided yet by the local address. */
static void cma_take_scope(struct cma_id *id, const struct sockaddr *dst)
{
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)dst;

	if (!id->cdev && !id->wish_if && cma_is_link_local(dst))
		cma_l2(id)->bound_dev_if = in6->sin6_scope_id;
}

static int cma_begin_query(struct cma_id *id, const struct sockaddr *src,
			   const struct sockaddr *dst)
{
	int ret;

	if (!rdma_addr_size(dst))
		return -EAFNOSUPPORT;
	if (cma_move(id, CMA_M_ADDR_ASK)) {
		ret = cma_bind_within(id, src, dst);
		return ret ?: cma_move(id, CMA_M_ADDR_ASK);
	}
	if (cma_family(id) != dst->sa_family) {
		cma_move(id, CMA_M_ADDR_FAIL);
		return -EINVAL;
	}
	memcpy(cma_dst(id), dst, rdma_addr_size(dst));
	cma_take_scope(id, dst);
	return 0;
}

/**
 * rdma_resolve_addr - find the way to a destination, as far as the next hop
 * @id: id, bound or not
 * @src_addr: local address for an id that has none; NULL leaves the choice to
 *	      the route
 * @dst_addr: destination with port; zero and loopback addresses are this host
 * @timeout_ms: time until the query fails
 *
 * Ends with RDMA_CM_EVENT_ADDR_RESOLVED, and the id has a device; or with
 * RDMA_CM_EVENT_ADDR_ERROR, and it may be asked again. Context: process, may
 * sleep.
 * Return: 0, -EINVAL (state of the id, families differ), -ENODEV (no RDMA device
 * is there; none has a GID towards an AF_IB destination), or an errno of
 * rdma_bind_addr() or rdma_resolve_ip().
 */
int rdma_resolve_addr(struct rdma_cm_id *id, struct sockaddr *src_addr,
		      const struct sockaddr *dst_addr, unsigned long timeout_ms)
{
	struct cma_id *mine = cma_id_of(id);
	int ret;

	ret = cma_begin_query(mine, src_addr, dst_addr);
	if (ret)
		return ret;
	if (cma_is_any(dst_addr))
		ret = cma_resolve_loopback(mine);
	else if (dst_addr->sa_family == AF_IB)
		ret = cma_resolve_ib(mine);
	else
		ret = rdma_resolve_ip(cma_src(mine), cma_dst(mine),
				      cma_l2(mine), timeout_ms, cma_addr_resolved,
				      false, mine);
	if (ret)
		cma_move(mine, CMA_M_ADDR_FAIL);
	return ret;
}
OFED_EXPORT(rdma_resolve_addr);
