// SPDX-License-Identifier: GPL-2.0
/*
 * Commands that send a message of the CM. What a message has no room for, and what the state of an
 * id does not allow, the CM refuses.
 */
#include <ofed/cm.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_marshall.h>

#include "ucm.h"

/* ---- paths ---------------------------------------------------------------- */

/* IB_GID_TYPE_IB is that of InfiniBand ports; of RoCE, version 2 is preferred. */
static const enum ib_gid_type ucm_gid_types[] = {
	IB_GID_TYPE_IB, IB_GID_TYPE_ROCE_UDP_ENCAP, IB_GID_TYPE_ROCE,
};

/* The source of a path, with a reference, or ERR_PTR(-ENOENT): the device has no such GID. */
static const struct ib_gid_attr *ucm_path_source(struct ucm_file *file, const union ib_gid *sgid)
{
	const struct ib_gid_attr *source;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ucm_gid_types); i++) {
		source = rdma_find_gid(file->device->ib_dev, sgid, ucm_gid_types[i], NULL);
		if (!IS_ERR(source))
			return source;
	}
	return ucm_refuse(file, ERR_PTR(-ENOENT), "%pI6c is no GID of the device", sgid->raw);
}

/*
 * A path of a command: programs know those of InfiniBand, and the source GID tells whether it is
 * one of RoCE. Return: the source, with a reference, or as ucm_path_source().
 */
static const struct ib_gid_attr *ucm_take_path(struct ucm_call *call, u32 which,
					       struct sa_path_rec *path)
{
	const struct ib_gid_attr *source;

	ofed_path_rec_from_user(path, &call->path[which]);
	source = ucm_path_source(call->file, &path->sgid);
	if (IS_ERR(source))
		return source;
	if (rdma_protocol_roce(source->device, source->port_num)) {
		path->rec_type = sa_conv_gid_to_pathrec_type(source->gid_type);
		/* The MAC is looked up. */
		memset(&path->roce, 0, sizeof(path->roce));
	}
	return source;
}

/* ---- requests --------------------------------------------------------------- */

static int ucm_send_req_by(struct ucm_id *id, struct ucm_call *call, struct sa_path_rec *path,
			   struct sa_path_rec *alternate, const struct ib_gid_attr *source)
{
	const struct ib_ucm_req *req = &call->req.req;
	struct ib_cm_req_param param = {
		.primary_path = path,
		.alternate_path = alternate,
		.ppath_sgid_attr = source,
		.service_id = req->sid,
		.qp_num = req->qpn,
		.qp_type = req->qp_type,
		.starting_psn = req->psn,
		.private_data = call->data,
		.private_data_len = call->data_len,
		.responder_resources = req->responder_resources,
		.initiator_depth = req->initiator_depth,
		.remote_cm_response_timeout = req->remote_cm_response_timeout,
		.flow_control = req->flow_control,
		.local_cm_response_timeout = req->local_cm_response_timeout,
		.retry_count = req->retry_count,
		.rnr_retry_count = req->rnr_retry_count,
		.max_cm_retries = req->max_cm_retries,
		.srq = req->srq,
	};

	return ib_send_cm_req(id->cm_id, &param);
}

int ucm_send_req(struct ucm_id *id, struct ucm_call *call)
{
	const bool has_alternate = call->paths & BIT(1);
	const struct ib_gid_attr *source, *other = NULL;
	struct sa_path_rec path[UCM_PATHS] = {};
	int ret;

	/* The CM of today has only the other kind. */
	if (call->req.req.peer_to_peer)
		return ucm_refuse(call->file, -EINVAL, "REQ: peer to peer");
	if (!(call->paths & BIT(0)))
		return ucm_refuse(call->file, -EINVAL, "REQ: no primary path");
	source = ucm_take_path(call, 0, &path[0]);
	if (IS_ERR(source))
		return PTR_ERR(source);
	if (has_alternate)
		other = ucm_take_path(call, 1, &path[1]);
	ret = PTR_ERR_OR_ZERO(other);
	if (!ret)
		ret = ucm_send_req_by(id, call, &path[0], has_alternate ? &path[1] : NULL, source);
	if (!IS_ERR_OR_NULL(other))
		rdma_put_gid_attr(other);
	rdma_put_gid_attr(source);
	return ret;
}

int ucm_send_sidr_req(struct ucm_id *id, struct ucm_call *call)
{
	const struct ib_ucm_sidr_req *req = &call->req.sidr_req;
	struct sa_path_rec path = {};
	struct ib_cm_sidr_req_param param = {
		.path = &path,
		.service_id = req->sid,
		.timeout_ms = req->timeout,
		.private_data = call->data,
		.private_data_len = call->data_len,
		.max_cm_retries = req->max_cm_retries,
	};
	int ret;

	if (!call->paths)
		return ucm_refuse(call->file, -EINVAL, "SIDR_REQ: no path");
	param.sgid_attr = ucm_take_path(call, 0, &path);
	if (IS_ERR(param.sgid_attr))
		return PTR_ERR(param.sgid_attr);
	ret = ib_send_cm_sidr_req(id->cm_id, &param);
	rdma_put_gid_attr(param.sgid_attr);
	return ret;
}

/* ---- answers ------------------------------------------------------------------ */

int ucm_send_rep(struct ucm_id *id, struct ucm_call *call)
{
	const struct ib_ucm_rep *req = &call->req.rep;
	struct ib_cm_rep_param param = {
		.qp_num = req->qpn,
		.starting_psn = req->psn,
		.private_data = call->data,
		.private_data_len = call->data_len,
		.responder_resources = req->responder_resources,
		.initiator_depth = req->initiator_depth,
		.failover_accepted = req->failover_accepted,
		.flow_control = req->flow_control,
		.rnr_retry_count = req->rnr_retry_count,
		.srq = req->srq,
	};

	/* Before any event that follows from it. */
	ucm_id_name(id, req->uid);
	return ib_send_cm_rep(id->cm_id, &param);
}

int ucm_send_rtu(struct ucm_id *id, struct ucm_call *call)
{
	return ib_send_cm_rtu(id->cm_id, call->data, call->data_len);
}

int ucm_send_dreq(struct ucm_id *id, struct ucm_call *call)
{
	return ib_send_cm_dreq(id->cm_id, call->data, call->data_len);
}

int ucm_send_drep(struct ucm_id *id, struct ucm_call *call)
{
	return ib_send_cm_drep(id->cm_id, call->data, call->data_len);
}

int ucm_send_rej(struct ucm_id *id, struct ucm_call *call)
{
	return ib_send_cm_rej(id->cm_id, (enum ib_cm_rej_reason)call->req.info.status, call->info,
			      call->info_len, call->data, call->data_len);
}

int ucm_send_mra(struct ucm_id *id, struct ucm_call *call)
{
	return ofed_cm_send_mra(id->cm_id, call->req.mra.timeout, call->data, call->data_len);
}

int ucm_send_sidr_rep(struct ucm_id *id, struct ucm_call *call)
{
	const struct ib_ucm_sidr_rep *req = &call->req.sidr_rep;
	struct ib_cm_sidr_rep_param param = {
		.qp_num = req->qpn,
		.qkey = req->qkey,
		.status = (enum ib_cm_sidr_status)req->status,
		.info = call->info,
		.info_length = call->info_len,
		.private_data = call->data,
		.private_data_len = call->data_len,
	};

	return ib_send_cm_sidr_rep(id->cm_id, &param);
}
