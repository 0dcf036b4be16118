// SPDX-License-Identifier: GPL-2.0
/* rdma_cm: connections over the IB CM. */
#include <linux/export.h>
#include <linux/slab.h>
#include <compat/decls.h>

#include "cma.h"
#include "trace.h"

/**
 * cma_ib_ready - the last step of a connection on the asking side
 * @id: id that has got a REP
 * @param: limits of outstanding reads and atomics, or NULL for those agreed on
 *
 * Brings the QP up, if it is known, and sends the RTU. Context: process, may
 * sleep; the handler_mutex is held. Return: 0 or an errno; the connection is
 * rejected then.
 */
int cma_ib_ready(struct cma_id *id, struct rdma_conn_param *param)
{
	int ret;

	ret = cma_qp_to_rtr(id, param);
	if (!ret)
		ret = cma_qp_to_rts(id, param);
	if (!ret) {
		trace_cm_send_rtu(id);
		ret = ib_send_cm_rtu(id->ib, NULL, 0);
	}
	if (!ret)
		return 0;
	cma_qp_to_error(id);
	trace_cm_send_rej(id);
	ib_send_cm_rej(id->ib, IB_CM_REJ_CONSUMER_DEFINED, NULL, 0, NULL, 0);
	return ret;
}

static void cma_got_reply(struct cma_id *id, const struct ib_cm_event *in,
			  struct rdma_cm_event *out)
{
	const struct ib_cm_rep_event_param *rep = &in->param.rep_rcvd;
	struct rdma_conn_param *conn = &out->param.conn;

	/*
	 * A QP that rdma_create_qp() did not make is brought up by the consumer
	 * before it has the RTU sent; the MRA tells the peer to wait.
	 */
	if (id->pub.qp) {
		out->status = cma_ib_ready(id, NULL);
		out->event = out->status ? RDMA_CM_EVENT_CONNECT_ERROR :
					   RDMA_CM_EVENT_ESTABLISHED;
	} else {
		trace_cm_send_mra(id);
		ib_prepare_cm_mra(id->ib);
		out->event = RDMA_CM_EVENT_CONNECT_RESPONSE;
	}
	conn->private_data_len = IB_CM_REP_PRIVATE_DATA_SIZE;
	conn->private_data = in->private_data;
	conn->initiator_depth = rep->initiator_depth;
	conn->responder_resources = rep->responder_resources;
	conn->rnr_retry_count = rep->rnr_retry_count;
	conn->flow_control = rep->flow_control;
	conn->qp_num = rep->remote_qpn;
	conn->srq = rep->srq;
	out->ece = rep->ece;
}

static void cma_got_reject(struct cma_id *id, const struct ib_cm_event *in,
			   struct rdma_cm_event *out)
{
	cma_qp_to_error(id);
	out->event = RDMA_CM_EVENT_REJECTED;
	out->status = in->param.rej_rcvd.reason;
	out->param.conn.private_data = in->private_data;
	out->param.conn.private_data_len = IB_CM_REJ_PRIVATE_DATA_SIZE;
}

/* Return: true if the consumer is to hear of it. */
static bool cma_translate(struct cma_id *id, const struct ib_cm_event *in,
			  struct rdma_cm_event *out)
{
	switch (in->event) {
	case IB_CM_REP_RECEIVED:
		cma_got_reply(id, in, out);
		return true;
	case IB_CM_USER_ESTABLISHED:
	case IB_CM_RTU_RECEIVED:
		out->event = RDMA_CM_EVENT_ESTABLISHED;
		return true;
	case IB_CM_REJ_RECEIVED:
		cma_got_reject(id, in, out);
		return true;
	case IB_CM_REQ_ERROR:
	case IB_CM_REP_ERROR:
		out->event = RDMA_CM_EVENT_UNREACHABLE;
		out->status = -ETIMEDOUT;
		return true;
	case IB_CM_DREQ_ERROR:
		out->status = -ETIMEDOUT;
		fallthrough;
	case IB_CM_DREQ_RECEIVED:
	case IB_CM_DREP_RECEIVED:
		out->event = RDMA_CM_EVENT_DISCONNECTED;
		return !cma_move(id, CMA_M_DISCONNECT);
	case IB_CM_TIMEWAIT_EXIT:
		out->event = RDMA_CM_EVENT_TIMEWAIT_EXIT;
		return true;
	default:
		/* MRA: the CM waits longer, and that is all. LAP, APR: not asked for. */
		return false;
	}
}

/**
 * cma_ib_event - something happens to a connection
 * @cm_id: id of the IB CM
 * @event: what
 *
 * Context: process, may sleep. Return: 0, or nonzero when the consumer is done
 * with it: the IB CM destroys @cm_id.
 */
int cma_ib_event(struct ib_cm_id *cm_id, const struct ib_cm_event *event)
{
	struct cma_id *id = cm_id->context;
	struct rdma_cm_event out = { };
	int ret = 0;

	mutex_lock(&id->handler_mutex);
	if (cma_takes_ib_event(cma_state_of(id), event->event) &&
	    cma_translate(id, event, &out))
		ret = cma_report(id, &out);
	return cma_finish_callback(id, ret);
}

static void cma_fill_req(struct cma_id *id, const struct rdma_conn_param *param,
			 struct ib_cm_req_param *req)
{
	struct rdma_route *route = &id->pub.route;

	req->primary_path = &route->path_rec[0];
	req->primary_path_inbound = route->path_rec_inbound;
	req->primary_path_outbound = route->path_rec_outbound;
	if (route->num_pri_alt_paths == 2)
		req->alternate_path = &route->path_rec[1];
	req->ppath_sgid_attr = cma_l2(id)->sgid_attr;
	req->service_id = rdma_get_service_id(&id->pub, cma_dst(id));

	req->qp_type = id->pub.qp_type;
	req->qp_num = id->qp_num;
	req->starting_psn = id->seq_num;
	req->srq = id->srq;
	req->ece = id->ece;

	req->initiator_depth = param->initiator_depth;
	req->responder_resources = param->responder_resources;
	req->flow_control = param->flow_control;
	req->rnr_retry_count = min_t(u8, param->rnr_retry_count, CMA_MAX_3BIT);
	req->retry_count = min_t(u8, param->retry_count, CMA_MAX_3BIT);

	req->max_cm_retries = CMA_CM_RETRIES;
	req->local_cm_response_timeout = CMA_CM_TIMEOUT;
	req->remote_cm_response_timeout = CMA_CM_TIMEOUT;
}

/**
 * cma_ib_start - send the first message of an id
 * @id: id with a path
 * @handler: of the IB CM's events
 * @send: sends @req
 * @req: request
 *
 * Context: process, may sleep; the handler_mutex is held. Return: 0, -ENOMEM, or
 * what @send returned; the id has no id of the IB CM then.
 */
int cma_ib_start(struct cma_id *id, ib_cm_handler handler,
		 int (*send)(struct ib_cm_id *cm_id, void *req), void *req)
{
	struct ib_cm_id *cm_id;
	int ret;

	lockdep_assert_held(&id->handler_mutex);
	cm_id = ib_create_cm_id(id->pub.device, handler, id);
	if (IS_ERR(cm_id))
		return PTR_ERR(cm_id);
	id->ib = cm_id;
	ret = send(cm_id, req);
	if (ret) {
		/* Nothing was sent: no event can wait for handler_mutex. */
		id->ib = NULL;
		ib_destroy_cm_id(cm_id);
	}
	return ret;
}

static int cma_send_req(struct ib_cm_id *cm_id, void *req)
{
	trace_cm_send_req(cm_id->context);
	return ib_send_cm_req(cm_id, req);
}

/**
 * cma_ib_connect - send a REQ
 * @id: id with a path
 * @param: what the consumer wants
 *
 * Context: process, may sleep; the handler_mutex is held. Return: 0, -EINVAL
 * (too much private data), -ENOMEM, or an errno of ib_send_cm_req().
 */
int cma_ib_connect(struct cma_id *id, struct rdma_conn_param *param)
{
	struct ib_cm_req_param req = { };
	void *data;
	int ret;

	data = cma_private_data(id, param, IB_CM_REQ_PRIVATE_DATA_SIZE,
				&req.private_data_len);
	if (IS_ERR(data))
		return PTR_ERR(data);
	req.private_data = data;
	cma_fill_req(id, param, &req);
	ret = cma_ib_start(id, cma_ib_event, cma_send_req, &req);
	kfree(data);
	return ret;
}

/**
 * cma_ib_accept - answer a REQ with a REP
 * @id: id of the connection
 * @param: what the consumer agrees to
 *
 * Context: process, may sleep; the handler_mutex is held. Return: 0, or an errno
 * of the QP's transitions or of ib_send_cm_rep().
 */
int cma_ib_accept(struct cma_id *id, struct rdma_conn_param *param)
{
	struct ib_cm_rep_param rep = {
		.private_data = param->private_data,
		.private_data_len = param->private_data_len,
		.initiator_depth = param->initiator_depth,
		.responder_resources = param->responder_resources,
		.rnr_retry_count = min_t(u8, param->rnr_retry_count,
					 CMA_MAX_3BIT),
		.flow_control = param->flow_control,
		.qp_num = id->qp_num,
		.starting_psn = id->seq_num,
		.srq = id->srq,
		.ece = id->ece,
	};
	int ret;

	ret = cma_qp_to_rtr(id, param);
	if (!ret)
		ret = cma_qp_to_rts(id, param);
	if (ret)
		return ret;
	trace_cm_send_rep(id);
	return ib_send_cm_rep(id->ib, &rep);
}
