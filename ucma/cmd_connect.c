// SPDX-License-Identifier: GPL-2.0
/*
 * Commands on a connection: from its request to its end.
 */
#include <rdma/ib_cm.h>
#include <rdma/ib_marshall.h>

#include "ucma.h"

/* Of @from no more is used than 255 bytes of private data. */
static void ucma_read_param(struct rdma_conn_param *to,
			    const struct rdma_ucm_conn_param *from,
			    const struct rdma_cm_id *cm_id)
{
	const sa_family_t family = cm_id->route.addr.src_addr.ss_family;

	*to = (struct rdma_conn_param) {
		.qp_num = from->qp_num & 0xffffff,
		.srq = from->srq,
		.initiator_depth = from->initiator_depth,
		.responder_resources = from->responder_resources,
		.rnr_retry_count = from->rnr_retry_count,
		.retry_count = from->retry_count,
		.flow_control = from->flow_control,
		.private_data = from->private_data,
		.private_data_len = from->private_data_len,
		/* With IP addresses rdma_cm has a key of its own. */
		.qkey = family == AF_IB ? from->qkey : 0,
	};
}

int ucma_connect(struct ucma_call *call)
{
	struct rdma_ucm_connect *req = &call->req.connect;
	struct rdma_conn_param param;
	struct ucma_id *id;
	int ret;

	if (!req->conn_param.valid)
		return -EINVAL;
	id = ucma_id_enter(call->file, req->id, UCMA_BOUND_ID);
	if (IS_ERR(id))
		return PTR_ERR(id);
	ucma_read_param(&param, &req->conn_param, id->cm_id);
	ret = rdma_connect_ece(id->cm_id, &param, &req->ece);
	ucma_id_leave(id);
	return ret;
}

/*
 * Without parameters it is the active side that has set up its QP. The passive
 * side names the id, before any event that follows from the accept.
 */
static int ucma_accept_locked(struct ucma_id *id, struct rdma_ucm_accept *req)
{
	struct rdma_conn_param param;
	int ret;

	if (!req->conn_param.valid)
		return rdma_accept_ece(id->cm_id, NULL, &req->ece);
	ucma_read_param(&param, &req->conn_param, id->cm_id);
	ret = rdma_accept_ece(id->cm_id, &param, &req->ece);
	if (!ret) {
		id->uid = req->uid;
		id->has_uid = true;
	}
	return ret;
}

int ucma_accept(struct ucma_call *call)
{
	struct rdma_ucm_accept *req = &call->req.accept;
	struct ucma_id *id;
	int ret;

	id = ucma_id_enter(call->file, req->id, UCMA_BOUND_ID);
	if (IS_ERR(id))
		return PTR_ERR(id);
	rdma_lock_handler(id->cm_id);
	ret = ucma_accept_locked(id, req);
	rdma_unlock_handler(id->cm_id);
	ucma_id_leave(id);
	return ret;
}

int ucma_reject(struct ucma_call *call)
{
	const struct rdma_ucm_reject *req = &call->req.reject;
	const u8 reason = req->reason ?: IB_CM_REJ_CONSUMER_DEFINED;
	struct ucma_id *id;
	int ret;

	/* All other reasons are the CM's own. */
	if (reason != IB_CM_REJ_CONSUMER_DEFINED &&
	    reason != IB_CM_REJ_VENDOR_OPTION_NOT_SUPPORTED)
		return -EINVAL;
	id = ucma_id_enter(call->file, req->id, UCMA_BOUND_ID);
	if (IS_ERR(id))
		return PTR_ERR(id);
	ret = rdma_reject(id->cm_id, req->private_data, req->private_data_len,
			  reason);
	ucma_id_leave(id);
	return ret;
}

int ucma_disconnect(struct ucma_call *call)
{
	const struct rdma_ucm_disconnect *req = &call->req.disconnect;
	struct ucma_id *id = ucma_id_enter(call->file, req->id, UCMA_BOUND_ID);
	int ret;

	if (IS_ERR(id))
		return PTR_ERR(id);
	ret = rdma_disconnect(id->cm_id);
	ucma_id_leave(id);
	return ret;
}

int ucma_notify(struct ucma_call *call)
{
	const struct rdma_ucm_notify *req = &call->req.notify;
	struct ucma_id *id = ucma_id_enter(call->file, req->id, UCMA_BOUND_ID);
	int ret;

	if (IS_ERR(id))
		return PTR_ERR(id);
	ret = rdma_notify(id->cm_id, (enum ib_event_type)req->event);
	ucma_id_leave(id);
	return ret;
}

int ucma_init_qp_attr(struct ucma_call *call)
{
	const struct rdma_ucm_init_qp_attr *req = &call->req.init_qp_attr;
	struct ib_qp_attr attr = { .qp_state = req->qp_state };
	struct ib_uverbs_qp_attr resp = {};
	struct ucma_id *id;
	int mask = 0, ret;

	if (req->qp_state > IB_QPS_ERR)
		return -EINVAL;
	id = ucma_id_enter(call->file, req->id, UCMA_BOUND_ID);
	if (IS_ERR(id))
		return PTR_ERR(id);
	ret = rdma_init_qp_attr(id->cm_id, &attr, &mask);
	if (!ret)
		ib_copy_qp_attr_to_user(id->cm_id->device, &resp, &attr);
	ucma_id_leave(id);
	if (ret)
		return ret;
	resp.qp_attr_mask = mask;
	return ucma_reply(req->response, &resp, sizeof(resp));
}
