// SPDX-License-Identifier: GPL-2.0
/* rdma_cm: connections over the iWARP CM. */
#include <linux/export.h>
#include <rdma/ib_addr.h>

#include "cma.h"
#include "../iw/iwcm_id.h"

static enum rdma_cm_event_type cma_reply_event(int status)
{
	switch (status) {
	case 0:
		return RDMA_CM_EVENT_ESTABLISHED;
	case -ECONNRESET:
	case -ECONNREFUSED:
		return RDMA_CM_EVENT_REJECTED;
	case -ETIMEDOUT:
		return RDMA_CM_EVENT_UNREACHABLE;
	default:
		return RDMA_CM_EVENT_CONNECT_ERROR;
	}
}

static void cma_fill_params(struct rdma_cm_event *out, const struct iw_cm_event *in)
{
	out->status = in->status;
	out->param.conn.private_data = in->private_data;
	out->param.conn.private_data_len = in->private_data_len;
	/* What one side reads from, the other side reads to. */
	out->param.conn.initiator_depth = in->ird;
	out->param.conn.responder_resources = in->ord;
}

/* The provider chooses the local port of a connection. */
static void cma_take_addresses(struct cma_id *id, const struct iw_cm_event *in)
{
	const struct sockaddr *remote = (const void *)&in->remote_addr;
	const struct sockaddr *local = (const void *)&in->local_addr;

	if (rdma_addr_size(local) && rdma_addr_size(remote)) {
		memcpy(cma_src(id), local, rdma_addr_size(local));
		memcpy(cma_dst(id), remote, rdma_addr_size(remote));
	}
}

/* Return: true if the consumer is to hear of it. */
static bool cma_iw_translate(struct cma_id *id, const struct iw_cm_event *in,
			     struct rdma_cm_event *out)
{
	cma_fill_params(out, in);
	switch (in->event) {
	case IW_CM_EVENT_CONNECT_REPLY:
		cma_take_addresses(id, in);
		out->event = cma_reply_event(in->status);
		break;
	case IW_CM_EVENT_ESTABLISHED:
		out->event = RDMA_CM_EVENT_ESTABLISHED;
		break;
	case IW_CM_EVENT_CLOSE:
		out->event = RDMA_CM_EVENT_DISCONNECTED;
		break;
	default:
		/* DISCONNECT: CLOSE follows. */
		return false;
	}
	if (out->event != RDMA_CM_EVENT_ESTABLISHED) {
		out->param.conn.initiator_depth = 0;
		out->param.conn.responder_resources = 0;
	}
	return true;
}

static int cma_iw_event(struct iw_cm_id *cm_id, struct iw_cm_event *event)
{
	struct cma_id *id = cm_id->context;
	struct rdma_cm_event out = { };
	int ret = 0;

	mutex_lock(&id->handler_mutex);
	if (cma_state_of(id) == CMA_S_CONNECT && cma_iw_translate(id, event, &out))
		ret = cma_report(id, &out);
	return cma_finish_callback(id, ret);
}

static int cma_fill_connection(struct cma_id *conn, struct cma_dev *cdev,
			       const struct iw_cm_event *event)
{
	int ret;

	cma_take_addresses(conn, event);
	ret = rdma_translate_ip(cma_src(conn), cma_l2(conn));
	if (ret)
		return ret;
	ret = cma_device_of_listener(conn, cdev);
	if (!ret)
		cma_res_add(&conn->res, conn->pub.device);
	return ret;
}

static int cma_accept_request(struct cma_listener *listener, struct iw_cm_id *cm_id,
			      const struct iw_cm_event *in)
{
	struct rdma_cm_event event = {
		.event = RDMA_CM_EVENT_CONNECT_REQUEST,
	};
	struct cma_id *listen = listener->id, *conn;
	int ret;

	lockdep_assert_held(&listen->handler_mutex);
	if (cma_state_of(listen) != CMA_S_LISTEN)
		return -ECONNABORTED;
	conn = cma_id_child(listen);
	if (!conn)
		return -ENOMEM;
	/* No event of its device comes before the request. */
	mutex_lock_nested(&conn->handler_mutex, SINGLE_DEPTH_NESTING);
	ret = cma_fill_connection(conn, listener->cdev, in);
	if (ret) {
		cma_end_unlock(conn);
		return ret;
	}
	cma_fill_params(&event, in);
	event.status = 0;
	conn->iw = cm_id;
	cm_id->context = conn;
	cm_id->cm_handler = cma_iw_event;
	return cma_offer(listen, conn, &event);
}

/* Handler of a listen; its listener is there until the listen has ended. */
static int cma_iw_request(struct iw_cm_id *cm_id, struct iw_cm_event *event)
{
	struct cma_listener *listener = cm_id->context;
	struct cma_id *listen = listener->id;
	int ret;

	if (event->event != IW_CM_EVENT_CONNECT_REQUEST)
		return 0;
	cma_id_get(listen);
	mutex_lock(&listen->handler_mutex);
	ret = cma_accept_request(listener, cm_id, event);
	mutex_unlock(&listen->handler_mutex);
	if (ret)
		ibdev_dbg(listener->cdev->device, "request refused: %d\n", ret);
	cma_id_put(listen);
	return ret;
}

static struct iw_cm_id *cma_new_cm_id(struct cma_id *id, struct ib_device *device,
				      iw_cm_handler handler, void *context)
{
	struct iw_cm_id *cm_id = iw_create_cm_id(device, handler, context);

	if (IS_ERR(cm_id))
		return cm_id;
	spin_lock_irq(&id->lock);
	cm_id->tos = id->tos;
	cm_id->tos_set = id->tos_set;
	cm_id->afonly = id->afonly;
	spin_unlock_irq(&id->lock);
	memcpy(&cm_id->local_addr, cma_src(id), rdma_addr_size(cma_src(id)));
	return cm_id;
}

/**
 * cma_iw_listen - listen on an iWARP device
 * @listener: listener; its iw is set
 *
 * Context: process, may sleep. Return: 0, -EAFNOSUPPORT (family AF_IB), or an
 * errno of iw_cm_listen().
 */
int cma_iw_listen(struct cma_listener *listener)
{
	struct cma_id *id = listener->id;
	struct iw_cm_id *cm_id;
	int ret;

	if (cma_family(id) == AF_IB)
		return -EAFNOSUPPORT;
	cm_id = cma_new_cm_id(id, listener->cdev->device, cma_iw_request, listener);
	if (IS_ERR(cm_id))
		return PTR_ERR(cm_id);
	ofed_iw_set_memcg(cm_id, id->memcg);
	ret = iw_cm_listen(cm_id, id->backlog);
	if (ret)
		iw_destroy_cm_id(cm_id);
	else
		listener->iw = cm_id;
	return ret;
}

static void cma_fill_iw_param(struct cma_id *id, const struct rdma_conn_param *in,
			      struct iw_cm_conn_param *out)
{
	out->ord = in->initiator_depth;
	out->ird = in->responder_resources;
	out->private_data = in->private_data;
	out->private_data_len = in->private_data ? in->private_data_len : 0;
	out->qpn = id->qp_num;
}

/**
 * cma_iw_connect - connect
 * @id: id with a resolved route
 * @param: what the consumer wants
 *
 * Context: process, may sleep; the handler_mutex is held. Return: 0 or an errno
 * of the QP's transitions, of iw_create_cm_id() or iw_cm_connect().
 */
int cma_iw_connect(struct cma_id *id, struct rdma_conn_param *param)
{
	struct iw_cm_conn_param iw_param;
	struct iw_cm_id *cm_id;
	int ret;

	cm_id = cma_new_cm_id(id, id->pub.device, cma_iw_event, id);
	if (IS_ERR(cm_id))
		return PTR_ERR(cm_id);
	memcpy(&cm_id->remote_addr, cma_dst(id), rdma_addr_size(cma_dst(id)));
	ofed_iw_set_owner(cm_id, &id->res.tracked.entry);
	id->iw = cm_id;
	ret = cma_qp_to_rtr(id, param);
	if (!ret) {
		cma_fill_iw_param(id, param, &iw_param);
		ret = iw_cm_connect(cm_id, &iw_param);
	}
	if (ret) {
		/*
		 * No event comes after a failure, so none has to be waited for.
		 * A reader of the id's line may be using the CM's id.
		 */
		cma_res_hide(&id->res);
		id->iw = NULL;
		iw_destroy_cm_id(cm_id);
		cma_res_show(&id->res);
	}
	return ret;
}

/**
 * cma_iw_accept - accept a connection
 * @id: id of the connection
 * @param: what the consumer agrees to
 *
 * Context: process, may sleep; the handler_mutex is held. Return: 0, -EINVAL
 * (no @param), or an errno of the QP's transitions or of iw_cm_accept().
 */
int cma_iw_accept(struct cma_id *id, struct rdma_conn_param *param)
{
	struct iw_cm_conn_param iw_param;
	int ret;

	if (!param)
		return -EINVAL;
	ret = cma_qp_to_rtr(id, param);
	if (ret)
		return ret;
	cma_fill_iw_param(id, param, &iw_param);
	ofed_iw_set_owner(id->iw, &id->res.tracked.entry);
	return iw_cm_accept(id->iw, &iw_param);
}

/**
 * rdma_iw_cm_id - the iWARP CM's id of an id
 * @cm_id: id on an iWARP device
 *
 * Context: any, in fill_res_cm_id_entry too: it is there until the line of the id
 * is read. Return: the iWARP CM's id, or NULL when there is none yet.
 */
struct iw_cm_id *rdma_iw_cm_id(struct rdma_cm_id *cm_id)
{
	struct cma_id *id = cma_id_of(cm_id);

	return cma_uses_iw(id) ? id->iw : NULL;
}
OFED_EXPORT(rdma_iw_cm_id);
