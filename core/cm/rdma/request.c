// SPDX-License-Identifier: GPL-2.0
/*
 * rdma_cm: a request of the IB CM comes in, a REQ for a connection or a SIDR REQ
 * for the QP of a datagram service. Nothing in it is to be trusted.
 */
#include <kunit/visibility.h>
#include <linux/netdevice.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <rdma/ib.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_cache.h>
#include <compat/decls.h>

#include "../ib/ib_cm.h"
#include "cma.h"
#include "trace.h"

static void cma_read_place(struct cma_request *req, const struct ib_cm_event *event,
			   const struct ib_cm_id *cm_id)
{
	const struct ib_cm_sidr_req_event_param *sidr;
	const struct ib_cm_req_event_param *conn;

	memset(req, 0, sizeof(*req));
	req->device = cm_id->device;
	if (event->event == IB_CM_REQ_RECEIVED) {
		conn = &event->param.req_rcvd;
		req->device = conn->listen_id->device;
		req->port = conn->port;
		req->service_id = conn->primary_path->service_id;
		req->pkey = be16_to_cpu(conn->primary_path->pkey);
		req->local_gid = &conn->primary_path->sgid;
		req->sgid_attr = conn->ppath_sgid_attr;
	} else {
		sidr = &event->param.sidr_req_rcvd;
		req->device = sidr->listen_id->device;
		req->port = sidr->port;
		req->service_id = sidr->service_id;
		req->pkey = sidr->pkey;
		req->sgid_attr = sidr->sgid_attr;
	}
}

VISIBLE_IF_KUNIT void cma_put_ib_address(struct sockaddr_storage *to, const union ib_gid *gid,
					 u16 pkey, __be64 service_id)
{
	struct sockaddr_ib *sib = (struct sockaddr_ib *)to;

	memset(sib, 0, sizeof(*sib));
	sib->sib_family = AF_IB;
	sib->sib_pkey = cpu_to_be16(pkey);
	sib->sib_sid = service_id;
	sib->sib_sid_mask = cpu_to_be64(U64_MAX);
	if (gid)
		memcpy(&sib->sib_addr, gid, sizeof(*gid));
}

static void cma_put_ib_addresses(struct cma_request *req,
				 const struct ib_cm_event *event)
{
	const union ib_gid *remote = NULL;

	if (event->event == IB_CM_REQ_RECEIVED)
		remote = &event->param.req_rcvd.primary_path->dgid;
	cma_put_ib_address(&req->local, req->local_gid, req->pkey, req->service_id);
	cma_put_ib_address(&req->remote, remote, req->pkey, 0);
}

/* Referenced, or NULL. */
static struct net_device *cma_netdev_of(const struct cma_request *req)
{
	struct net_device *ndev;

	if (!rdma_protocol_roce(req->device, req->port))
		return ib_get_net_dev_by_params(req->device, req->port,
				req->pkey, req->local_gid,
				(const struct sockaddr *)&req->local);
	if (!req->sgid_attr)
		return NULL;
	rcu_read_lock();
	ndev = rdma_read_gid_attr_ndev_rcu(req->sgid_attr);
	if (IS_ERR(ndev))
		ndev = NULL;
	dev_hold(ndev);
	rcu_read_unlock();
	return ndev;
}

/* fe80:: means nothing without the interface. */
static void cma_add_scope(struct sockaddr_storage *addr, int ifindex)
{
	if (cma_is_link_local((struct sockaddr *)addr))
		((struct sockaddr_in6 *)addr)->sin6_scope_id = ifindex;
}

static int cma_read_request(struct cma_request *req,
			    const struct ib_cm_event *event,
			    const struct ib_cm_id *cm_id)
{
	struct sockaddr *remote = (struct sockaddr *)&req->remote;
	struct sockaddr *local = (struct sockaddr *)&req->local;

	cma_read_place(req, event, cm_id);
	if (!rdma_is_port_valid(req->device, req->port))
		return -EINVAL;
	if (cma_hdr_parse(event->private_data, req->service_id, local,
			  remote)) {
		/* All of it is the consumer's, then; no id with an IP matches. */
		cma_put_ib_addresses(req, event);
		return 0;
	}
	req->ndev = cma_netdev_of(req);
	if (!req->ndev)
		return -ENODEV;
	req->ifindex = READ_ONCE(req->ndev->ifindex);
	cma_add_scope(&req->local, req->ifindex);
	cma_add_scope(&req->remote, req->ifindex);
	return 0;
}

static int cma_copy_paths(struct cma_id *conn, const struct cma_id *listen,
			  const struct ib_cm_req_event_param *param)
{
	struct mem_cgroup *old = set_active_memcg(listen->memcg);
	struct rdma_route *route = &conn->pub.route;
	int count = param->alternate_path ? 2 : 1;

	route->path_rec = kcalloc(count, sizeof(*route->path_rec), cma_request_gfp(listen));
	set_active_memcg(old);
	if (!route->path_rec)
		return -ENOMEM;
	route->path_rec[0] = *param->primary_path;
	if (param->alternate_path)
		route->path_rec[1] = *param->alternate_path;
	route->num_pri_alt_paths = count;
	return 0;
}

/*
 * True as long as the interface is where the listener was found. In another
 * namespace its number may be that of another interface.
 */
VISIBLE_IF_KUNIT bool cma_still_there(const struct cma_request *req, const struct net *net)
{
	bool ret;

	rcu_read_lock();
	ret = READ_ONCE(req->ndev->flags) & IFF_UP &&
	      net_eq(dev_net(req->ndev), net) &&
	      req->ndev->ifindex == req->ifindex;
	rcu_read_unlock();
	return ret;
}

static int cma_set_hw_addresses(struct cma_id *conn, const struct cma_request *req)
{
	struct sa_path_rec *path = conn->pub.route.path_rec;
	struct rdma_dev_addr *l2 = cma_l2(conn);
	int ret = 0;

	if (req->ndev) {
		l2->bound_dev_if = req->ifindex;
		ret = rdma_translate_ip(cma_src(conn), l2);
		if (!ret && !cma_still_there(req, cma_net(conn)))
			ret = -ENODEV;
	} else {
		l2->dev_type = ARPHRD_INFINIBAND;
		if (req->local_gid)
			rdma_addr_set_sgid(l2, (union ib_gid *)req->local_gid);
		ib_addr_set_pkey(l2, req->pkey);
	}
	if (!path)
		return ret;
	if (sa_path_is_roce(path))
		memcpy(l2->dst_dev_addr, sa_path_get_dmac(path), ETH_ALEN);
	else
		rdma_addr_set_dgid(l2, &path->dgid);
	return ret;
}

/* The local GID that a request names, or that its interface has. */
static int cma_set_device(struct cma_id *conn, const struct cma_request *req)
{
	const union ib_gid *gid = req->local_gid;
	union ib_gid own;

	if (!gid && req->ndev) {
		rdma_addr_get_sgid(cma_l2(conn), &own);
		gid = &own;
	}
	return cma_device_of_request(conn, req->device, req->port,
				     req->sgid_attr, gid);
}

/*
 * Consumers have never been told the interface of a link-local address that came
 * with a request, and may compare such an address with one of their own.
 */
static void cma_put_address(struct sockaddr *to, const struct sockaddr_storage *addr)
{
	memcpy(to, addr, rdma_addr_size((const struct sockaddr *)addr));
	if (to->sa_family == AF_INET6)
		((struct sockaddr_in6 *)to)->sin6_scope_id = 0;
}

static int cma_request_fill_connection(struct cma_id *conn, const struct cma_id *listen,
				       const struct cma_request *req,
				       const struct ib_cm_event *event)
{
	int ret = 0;

	cma_put_address(cma_src(conn), &req->local);
	cma_put_address(cma_dst(conn), &req->remote);
	if (event->event == IB_CM_REQ_RECEIVED) {
		/* A listener of type 0 takes them all. */
		conn->pub.qp_type = event->param.req_rcvd.qp_type;
		ret = cma_copy_paths(conn, listen, &event->param.req_rcvd);
	}
	ret = ret ?: cma_set_hw_addresses(conn, req);
	ret = ret ?: cma_set_device(conn, req);
	if (!ret)
		cma_res_add(&conn->res, conn->pub.device);
	return ret;
}

static void cma_request_fill_event(struct rdma_cm_event *out, const struct ib_cm_event *in,
				   size_t head)
{
	const struct ib_cm_req_event_param *req = &in->param.req_rcvd;
	struct rdma_conn_param *conn = &out->param.conn;

	memset(out, 0, sizeof(*out));
	out->event = RDMA_CM_EVENT_CONNECT_REQUEST;
	if (in->event == IB_CM_SIDR_REQ_RECEIVED) {
		out->param.ud.private_data = in->private_data + head;
		out->param.ud.private_data_len =
			IB_CM_SIDR_REQ_PRIVATE_DATA_SIZE - head;
		return;
	}
	conn->private_data_len = IB_CM_REQ_PRIVATE_DATA_SIZE - head;
	conn->private_data = in->private_data + head;
	conn->initiator_depth = req->initiator_depth;
	conn->responder_resources = req->responder_resources;
	conn->rnr_retry_count = req->rnr_retry_count;
	conn->retry_count = req->retry_count;
	conn->flow_control = req->flow_control;
	conn->qp_num = req->remote_qpn;
	conn->srq = req->srq;
	out->ece = req->ece;
}

/**
 * cma_offer - ask a consumer whether it wants a connection
 * @listen: listening id; its handler_mutex is held
 * @conn: id of the connection, that the consumer does not know yet; its CM id
 *	  leads to it. Its handler_mutex is held since it has a device, by which
 *	  failovers and removals find it; it is not when this returns
 * @event: event of type RDMA_CM_EVENT_CONNECT_REQUEST
 *
 * Context: process, may sleep.
 * Return: 0, or what the handler said. In that case @conn is gone, and the CM id
 * goes as soon as the callback of the CM returns this.
 */
int cma_offer(struct cma_id *listen, struct cma_id *conn,
	      struct rdma_cm_event *event)
{
	int ret;

	lockdep_assert_held(&listen->handler_mutex);
	lockdep_assert_held(&conn->handler_mutex);
	/* It may be destroyed by another thread as soon as it is known. */
	cma_id_get(conn);
	ret = cma_report(conn, event);
	if (ret) {
		conn->ib = NULL;
		cma_id_put(conn);
		cma_end_unlock(conn);
		return ret;
	}
	if (cma_uses_ib(conn) && conn->pub.qp_type != IB_QPT_UD &&
	    cma_state_of(conn) == CMA_S_CONNECT) {
		trace_cm_send_mra(conn);
		ib_prepare_cm_mra(conn->ib);
	}
	mutex_unlock(&conn->handler_mutex);
	cma_id_put(conn);
	return 0;
}

static bool cma_right_qp_type(const struct cma_id *listen,
			      const struct ib_cm_event *event)
{
	if (event->event == IB_CM_SIDR_REQ_RECEIVED)
		return listen->pub.qp_type == IB_QPT_UD;
	return !listen->pub.qp_type ||
	       listen->pub.qp_type == event->param.req_rcvd.qp_type;
}

VISIBLE_IF_KUNIT
int cma_do_accept_request(struct cma_id *listen, const struct cma_request *req,
			  struct ib_cm_id *cm_id,
			  const struct ib_cm_event *ib_event)
{
	struct rdma_cm_event event;
	struct cma_id *conn;
	int ret;

	lockdep_assert_held(&listen->handler_mutex);
	if (cma_state_of(listen) != CMA_S_LISTEN)
		return -ECONNABORTED;
	if (!cma_right_qp_type(listen, ib_event))
		return -EINVAL;
	ret = ofed_cm_charge(cm_id, listen->owner);
	if (ret)
		return ret;
	conn = cma_id_child(listen);
	if (!conn)
		return -ENOMEM;
	/* No event of its device comes before the request. */
	mutex_lock_nested(&conn->handler_mutex, SINGLE_DEPTH_NESTING);
	ret = cma_request_fill_connection(conn, listen, req, ib_event);
	if (ret) {
		cma_end_unlock(conn);
		return ret;
	}
	cma_request_fill_event(&event, ib_event, cma_hdr_room(cma_family(conn)));
	conn->ib = cm_id;
	cm_id->context = conn;
	cm_id->cm_handler = ib_event->event == IB_CM_REQ_RECEIVED ?
			    cma_ib_event : cma_sidr_event;
	return cma_offer(listen, conn, &event);
}

/**
 * cma_ib_request - a REQ or SIDR REQ for a service that has a listener
 * @cm_id: id of the IB CM for it
 * @event: the request
 *
 * Handler of all listens: the IB CM knows the service id alone, and ids of
 * several namespaces and addresses may share one. Context: process, may sleep.
 * Return: 0, or an errno: the IB CM rejects the request, unless memory was
 * lacking, and destroys @cm_id. Its reason is that of a consumer, as the service
 * has a listener, if not at that address.
 */
int cma_ib_request(struct ib_cm_id *cm_id, const struct ib_cm_event *event)
{
	struct cma_request req;
	struct cma_id *listen;
	int ret;

	if (event->event != IB_CM_REQ_RECEIVED &&
	    event->event != IB_CM_SIDR_REQ_RECEIVED)
		return -EINVAL;
	ret = cma_read_request(&req, event, cm_id);
	if (ret) {
		ibdev_dbg(req.device, "port %u: request without an interface: %d\n",
			  req.port, ret);
		return ret;
	}
	listen = cma_find_listener(&req);
	if (IS_ERR(listen)) {
		ret = PTR_ERR(listen);
		goto out;
	}
	mutex_lock(&listen->handler_mutex);
	trace_cm_req_handler(listen, event->event);
	ret = cma_do_accept_request(listen, &req, cm_id, event);
	mutex_unlock(&listen->handler_mutex);
	cma_id_put(listen);
out:
	if (ret)
		ibdev_dbg(req.device, "port %u: request for service %016llx refused: %d\n",
			  req.port, be64_to_cpu(req.service_id), ret);
	dev_put(req.ndev);
	return ret;
}
