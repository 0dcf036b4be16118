// SPDX-License-Identifier: GPL-2.0
/*
 * rdma_cm: unreliable datagrams. SIDR (IBA vol. 1 ch. 12.11) finds the QP of a
 * service; there is no connection.
 */
#include <linux/slab.h>

#include "cma.h"
#include "trace.h"

/* Milliseconds of the time that CMA_CM_TIMEOUT stands for. */
#define SIDR_TIMEOUT_MS BIT(CMA_CM_TIMEOUT - 8)

static int cma_got_service(struct cma_id *id, const struct ib_cm_event *in,
			   struct rdma_cm_event *out)
{
	const struct ib_cm_sidr_rep_event_param *rep = &in->param.sidr_rep_rcvd;
	struct rdma_ud_param *ud = &out->param.ud;
	int ret;

	ud->private_data = in->private_data;
	ud->private_data_len = IB_CM_SIDR_REP_PRIVATE_DATA_SIZE;
	if (rep->status != IB_SIDR_SUCCESS) {
		out->event = RDMA_CM_EVENT_UNREACHABLE;
		out->status = rep->status;
		return 0;
	}
	ret = cma_set_qkey(id, rep->qkey);
	if (!ret)
		ret = ib_init_ah_attr_from_path(id->pub.device,
						id->pub.port_num,
						id->pub.route.path_rec,
						&ud->ah_attr, rep->sgid_attr);
	if (ret) {
		out->event = RDMA_CM_EVENT_ADDR_ERROR;
		out->status = ret;
		return ret;
	}
	ud->qp_num = rep->qpn;
	ud->qkey = rep->qkey;
	out->event = RDMA_CM_EVENT_ESTABLISHED;
	return 0;
}

static int cma_sidr_report(struct cma_id *id, const struct ib_cm_event *in)
{
	struct rdma_cm_event out = { };
	bool has_av = false;
	int ret;

	if (cma_state_of(id) != CMA_S_CONNECT)
		return 0;
	switch (in->event) {
	case IB_CM_SIDR_REQ_ERROR:
		out.event = RDMA_CM_EVENT_UNREACHABLE;
		out.status = -ETIMEDOUT;
		break;
	case IB_CM_SIDR_REP_RECEIVED:
		has_av = !cma_got_service(id, in, &out) &&
			 out.event == RDMA_CM_EVENT_ESTABLISHED;
		break;
	default:
		return 0;
	}
	ret = cma_report(id, &out);
	if (has_av)
		rdma_destroy_ah_attr(&out.param.ud.ah_attr);
	return ret;
}

/**
 * cma_sidr_event - an answer to a local SIDR REQ, or the end of a peer's
 * @cm_id: id of the IB CM
 * @event: what
 *
 * Context: process, may sleep. Return: 0, or nonzero when the consumer is done
 * with it: the IB CM destroys @cm_id.
 */
int cma_sidr_event(struct ib_cm_id *cm_id, const struct ib_cm_event *event)
{
	struct cma_id *id = cm_id->context;
	int ret;

	mutex_lock(&id->handler_mutex);
	ret = cma_sidr_report(id, event);
	return cma_finish_callback(id, ret);
}

static int cma_send_sidr_req(struct ib_cm_id *cm_id, void *req)
{
	trace_cm_send_sidr_req(cm_id->context);
	return ib_send_cm_sidr_req(cm_id, req);
}

/**
 * cma_sidr_connect - send a SIDR REQ
 * @id: id with a path
 * @param: private data
 *
 * Context: process, may sleep; the handler_mutex is held. Return: 0, -EINVAL
 * (too much private data), -ENOMEM, or an errno of ib_send_cm_sidr_req().
 */
int cma_sidr_connect(struct cma_id *id, struct rdma_conn_param *param)
{
	struct ib_cm_sidr_req_param req = {
		.path = id->pub.route.path_rec,
		.sgid_attr = cma_l2(id)->sgid_attr,
		.service_id = rdma_get_service_id(&id->pub, cma_dst(id)),
		.timeout_ms = SIDR_TIMEOUT_MS,
		.max_cm_retries = CMA_CM_RETRIES,
	};
	void *data;
	int ret;

	data = cma_private_data(id, param, IB_CM_SIDR_REQ_PRIVATE_DATA_SIZE,
				&req.private_data_len);
	if (IS_ERR(data))
		return PTR_ERR(data);
	req.private_data = data;
	ret = cma_ib_start(id, cma_sidr_event, cma_send_sidr_req, &req);
	kfree(data);
	return ret;
}

/**
 * cma_sidr_accept - tell a peer the local QP
 * @id: id of the request
 * @param: Q_Key, 0 for that of the port space; private data. NULL for neither
 *
 * Context: process, may sleep. Return: 0, -EINVAL (another Q_Key than before), or
 * an errno of ib_send_cm_sidr_rep().
 */
int cma_sidr_accept(struct cma_id *id, struct rdma_conn_param *param)
{
	struct ib_cm_sidr_rep_param rep = {
		.status = IB_SIDR_SUCCESS,
		.qp_num = id->qp_num,
		.ece = id->ece,
	};
	int ret;

	if (param && param->qkey)
		ret = cma_set_qkey(id, param->qkey);
	else
		ret = cma_default_qkey(id);
	if (ret)
		return ret;
	if (param) {
		rep.private_data = param->private_data;
		rep.private_data_len = param->private_data_len;
	}
	rep.qkey = id->qkey;
	trace_cm_send_sidr_rep(id);
	return ib_send_cm_sidr_rep(id->ib, &rep);
}

/* Tell a peer that it gets no QP. Return: 0 or an errno. */
int cma_sidr_reject(struct cma_id *id, const void *data, u8 length)
{
	struct ib_cm_sidr_rep_param rep = {
		.status = IB_SIDR_REJECT,
		.private_data = data,
		.private_data_len = length,
	};

	trace_cm_send_sidr_rep(id);
	return ib_send_cm_sidr_rep(id->ib, &rep);
}
