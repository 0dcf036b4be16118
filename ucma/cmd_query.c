// SPDX-License-Identifier: GPL-2.0
/*
 * Commands that tell what an id has: addresses, device, paths.
 */
#include <rdma/ib.h>
#include <rdma/ib_marshall.h>

#include "ucma.h"

/* Paths that an id can have: the primary and the alternate. */
#define UCMA_PATHS 2

/* Open an id for an answer: no event and no command changes it meanwhile. */
static struct ucma_id *ucma_open_id(struct ucma_call *call)
{
	const struct rdma_ucm_query *req = &call->req.query;
	struct ucma_id *id = ucma_id_enter(call->file, req->id, UCMA_ANY_ID);

	if (!IS_ERR(id))
		rdma_lock_handler(id->cm_id);
	return id;
}

static void ucma_close_id(struct ucma_id *id)
{
	rdma_unlock_handler(id->cm_id);
	ucma_id_leave(id);
}

static int ucma_path_count(const struct rdma_route *route)
{
	return clamp(route->num_pri_alt_paths, 0, UCMA_PATHS);
}

/* What is known of a path before it is resolved: its ends. */
static void ucma_show_ends(struct ib_user_path_rec *path, struct rdma_cm_id *cm_id)
{
	struct rdma_addr *addr = &cm_id->route.addr;
	union ib_gid *sgid = (union ib_gid *)path->sgid;
	union ib_gid *dgid = (union ib_gid *)path->dgid;

	if (rdma_protocol_roce(cm_id->device, cm_id->port_num)) {
		rdma_ip2gid((struct sockaddr *)&addr->src_addr, sgid);
		rdma_ip2gid((struct sockaddr *)&addr->dst_addr, dgid);
		path->pkey = htons(IB_DEFAULT_PKEY_FULL);
		return;
	}
	rdma_addr_get_sgid(&addr->dev_addr, sgid);
	rdma_addr_get_dgid(&addr->dev_addr, dgid);
	if (rdma_cap_ib_sa(cm_id->device, cm_id->port_num))
		path->pkey = htons(ib_addr_get_pkey(&addr->dev_addr));
}

static void ucma_show_route(struct rdma_ucm_query_route_resp *resp,
			    struct rdma_cm_id *cm_id)
{
	struct rdma_route *route = &cm_id->route;
	int i, paths = ucma_path_count(route);

	resp->node_guid = (__force __u64)cm_id->device->node_guid;
	resp->ibdev_index = cm_id->device->index;
	resp->port_num = cm_id->port_num;
	if (rdma_protocol_iwarp(cm_id->device, cm_id->port_num))
		paths = 0;
	resp->num_paths = paths;
	for (i = 0; i < paths; i++)
		ib_copy_path_rec_to_user(&resp->ib_route[i],
					 &route->path_rec[i]);
	if (!paths)
		ucma_show_ends(&resp->ib_route[0], cm_id);
}

static void ucma_show_old_addr(struct sockaddr_in6 *to,
			       const struct sockaddr_storage *from)
{
	memcpy(to, from, from->ss_family == AF_INET ?
		sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6));
}

int ucma_query_route(struct ucma_call *call)
{
	const struct rdma_ucm_query *req = &call->req.query;
	struct rdma_ucm_query_route_resp resp = {};
	struct ucma_id *id = ucma_open_id(call);

	if (IS_ERR(id))
		return PTR_ERR(id);
	ucma_show_old_addr(&resp.src_addr, &id->cm_id->route.addr.src_addr);
	ucma_show_old_addr(&resp.dst_addr, &id->cm_id->route.addr.dst_addr);
	if (id->cm_id->device)
		ucma_show_route(&resp, id->cm_id);
	ucma_close_id(id);
	return ucma_reply(req->response, &resp,
			  min_t(size_t, call->out_len, sizeof(resp)));
}

/* An id without a device has no GUID: libraries take that for "none". */
static void ucma_show_device(struct rdma_ucm_query_addr_resp *resp,
			     struct rdma_cm_id *cm_id)
{
	if (!cm_id->device)
		return;
	resp->node_guid = (__force __u64)cm_id->device->node_guid;
	resp->ibdev_index = cm_id->device->index;
	resp->port_num = cm_id->port_num;
	resp->pkey = (__force __u16)
		htons(ib_addr_get_pkey(&cm_id->route.addr.dev_addr));
}

static u16 ucma_show_addr(struct __kernel_sockaddr_storage *to,
			  const struct sockaddr_storage *from)
{
	const u16 size = rdma_addr_size((const struct sockaddr *)from);

	memcpy(to, from, size);
	return size;
}

static void ucma_fill_addrs(struct rdma_ucm_query_addr_resp *resp,
			    struct rdma_cm_id *cm_id)
{
	ucma_show_device(resp, cm_id);
	resp->src_size = ucma_show_addr(&resp->src_addr,
					&cm_id->route.addr.src_addr);
	resp->dst_size = ucma_show_addr(&resp->dst_addr,
					&cm_id->route.addr.dst_addr);
}

/* One end as an AF_IB address, whatever it was bound by. */
static u16 ucma_show_gid(struct __kernel_sockaddr_storage *to,
			 struct sockaddr_storage *from, struct rdma_cm_id *cm_id,
			 const union ib_gid *gid, u16 pkey)
{
	struct sockaddr_ib *addr = (struct sockaddr_ib *)to;

	if (from->ss_family == AF_IB) {
		memcpy(addr, from, sizeof(*addr));
		return sizeof(*addr);
	}
	addr->sib_family = AF_IB;
	addr->sib_pkey = (__force __be16)pkey;
	memcpy(&addr->sib_addr, gid, sizeof(*gid));
	addr->sib_sid = rdma_get_service_id(cm_id, (struct sockaddr *)from);
	return sizeof(*addr);
}

static void ucma_fill_gids(struct rdma_ucm_query_addr_resp *resp,
			   struct rdma_cm_id *cm_id)
{
	struct rdma_addr *addr = &cm_id->route.addr;
	union ib_gid sgid = {}, dgid = {};

	ucma_show_device(resp, cm_id);
	if (cm_id->device)
		rdma_read_gids(cm_id, &sgid, &dgid);
	resp->src_size = ucma_show_gid(&resp->src_addr, &addr->src_addr, cm_id,
				       &sgid, resp->pkey);
	resp->dst_size = ucma_show_gid(&resp->dst_addr, &addr->dst_addr, cm_id,
				       &dgid, resp->pkey);
}

static int ucma_query_ends(struct ucma_call *call,
			   void (*fill)(struct rdma_ucm_query_addr_resp *resp,
					struct rdma_cm_id *cm_id))
{
	const struct rdma_ucm_query *req = &call->req.query;
	struct rdma_ucm_query_addr_resp resp = {};
	struct ucma_id *id = ucma_open_id(call);
	bool fits;

	if (IS_ERR(id))
		return PTR_ERR(id);
	fits = call->out_len >= offsetof(typeof(resp), ibdev_index);
	if (fits)
		fill(&resp, id->cm_id);
	ucma_close_id(id);
	if (!fits)
		return -ENOSPC;
	return ucma_reply(req->response, &resp,
			  min_t(size_t, call->out_len, sizeof(resp)));
}

/* A path record as the SA would send it. */
static void ucma_show_path(struct ib_path_rec_data *to, struct sa_path_rec *from)
{
	struct sa_path_rec ib;

	if (from->rec_type == SA_PATH_REC_TYPE_OPA) {
		sa_convert_path_opa_to_ib(&ib, from);
		from = &ib;
	}
	to->flags = IB_PATH_GMP | IB_PATH_PRIMARY | IB_PATH_BIDIRECTIONAL;
	ib_sa_pack_path(from, to->path_rec);
}

struct paths_resp {
	struct rdma_ucm_query_path_resp head;
	struct ib_path_rec_data path[UCMA_PATHS];
};

/* Return: bytes of @resp that are filled. */
static size_t ucma_fill_paths(struct paths_resp *resp, struct rdma_cm_id *cm_id,
			      size_t room)
{
	struct rdma_route *route = &cm_id->route;
	size_t size = sizeof(resp->head);
	int i;

	resp->head.num_paths = ucma_path_count(route);
	for (i = 0; i < resp->head.num_paths; i++) {
		if (room - size < sizeof(resp->path[i]))
			break;
		ucma_show_path(&resp->path[i], &route->path_rec[i]);
		size += sizeof(resp->path[i]);
	}
	return size;
}

static int ucma_query_paths(struct ucma_call *call)
{
	const struct rdma_ucm_query *req = &call->req.query;
	struct ucma_id *id = ucma_open_id(call);
	struct paths_resp resp = {};
	size_t size = 0;

	BUILD_BUG_ON(offsetof(struct paths_resp, path) !=
		     offsetof(struct rdma_ucm_query_path_resp, path_data));
	if (IS_ERR(id))
		return PTR_ERR(id);
	if (call->out_len >= sizeof(resp.head))
		size = ucma_fill_paths(&resp, id->cm_id, call->out_len);
	ucma_close_id(id);
	if (!size)
		return -ENOSPC;
	return ucma_reply(req->response, &resp, size);
}

/* An option that not every kernel has. */
#define NEW_OPTION(option, name) \
	case RDMA_USER_CM_QUERY_##option: \
		return ucma_query_##name(call);

int ucma_query(struct ucma_call *call)
{
	struct ucma_id *id;

	switch (call->req.query.option) {
	case RDMA_USER_CM_QUERY_ADDR:
		return ucma_query_ends(call, ucma_fill_addrs);
	case RDMA_USER_CM_QUERY_GID:
		return ucma_query_ends(call, ucma_fill_gids);
	case RDMA_USER_CM_QUERY_PATH:
		return ucma_query_paths(call);
	COMPAT_UCMA_QUERIES(NEW_OPTION)
	}
	/* That the id is wrong is said first. */
	id = ucma_id_get(call->file, call->req.query.id);
	if (IS_ERR(id))
		return PTR_ERR(id);
	ucma_id_put(id);
	return -ENOSYS;
}
