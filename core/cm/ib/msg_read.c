// SPDX-License-Identifier: GPL-2.0
/*
 * Reading messages of the communication manager. The bytes are the peer's: all
 * lengths are bounded here, so that receivers of events may trust them.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "msg.h"

enum ib_qp_type cm_req_qp_type(const union cm_mad *mad)
{
	switch (IBA_GET(CM_REQ_TRANSPORT_SERVICE_TYPE, &mad->req)) {
	case 0:
		return IB_QPT_RC;
	case 1:
		return IB_QPT_UC;
	case 3:
		if (IBA_GET(CM_REQ_EXTENDED_TRANSPORT_TYPE, &mad->req) == 1)
			return IB_QPT_XRC_TGT;
		break;
	}
	/* RD, or a type that is reserved */
	return IB_QPT_MAX;
}

u32 cm_rep_qpn(const union cm_mad *mad, enum ib_qp_type qp_type)
{
	return qp_type == IB_QPT_XRC_INI ?
	       IBA_GET(CM_REP_LOCAL_EE_CONTEXT_NUMBER, &mad->rep) :
	       IBA_GET(CM_REP_LOCAL_QPN, &mad->rep);
}

bool cm_req_has_alternate(const union cm_mad *mad)
{
	return IBA_GET(CM_REQ_ALTERNATE_LOCAL_PORT_LID, &mad->req) != 0;
}

/* Whatever is exact in a path that a peer describes. */
static void cm_path_common(struct sa_path_rec *path, enum sa_path_rec_type type,
			   u8 ack_timeout)
{
	path->rec_type = type;
	path->reversible = 1;
	path->mtu_selector = IB_SA_EQ;
	path->rate_selector = IB_SA_EQ;
	path->packet_life_time_selector = IB_SA_EQ;
	/* The timeout is a round trip, twice the life time of a packet. */
	path->packet_life_time = ack_timeout ? ack_timeout - 1 : 0;
}

/* The sender's permissive LID stands for "the one this packet came by". */
static u16 cm_known_lid(u16 lid, bool subnet_local, u16 seen)
{
	if (!subnet_local && lid == be16_to_cpu(IB_LID_PERMISSIVE))
		return seen;
	return lid;
}

static void cm_read_primary(const struct cm_req_msg *req, const struct ib_wc *wc,
			    enum sa_path_rec_type type, struct sa_path_rec *path)
{
	struct cm_req_msg *msg = (struct cm_req_msg *)req;
	const bool near = IBA_GET(CM_REQ_PRIMARY_SUBNET_LOCAL, req);
	const u16 lid = IBA_GET(CM_REQ_PRIMARY_LOCAL_PORT_LID, req);

	cm_path_common(path, type, IBA_GET(CM_REQ_PRIMARY_LOCAL_ACK_TIMEOUT, req));
	path->dgid = *IBA_GET_MEM_PTR(CM_REQ_PRIMARY_LOCAL_PORT_GID, msg);
	path->sgid = *IBA_GET_MEM_PTR(CM_REQ_PRIMARY_REMOTE_PORT_GID, msg);
	path->flow_label = cpu_to_be32(IBA_GET(CM_REQ_PRIMARY_FLOW_LABEL, req));
	path->hop_limit = IBA_GET(CM_REQ_PRIMARY_HOP_LIMIT, req);
	path->traffic_class = IBA_GET(CM_REQ_PRIMARY_TRAFFIC_CLASS, req);
	path->rate = IBA_GET(CM_REQ_PRIMARY_PACKET_RATE, req);
	path->sl = IBA_GET(CM_REQ_PRIMARY_SL, req);
	if (!near && lid == be16_to_cpu(IB_LID_PERMISSIVE))
		path->sl = wc->sl;
	sa_path_set_dlid(path, cm_known_lid(lid, near, wc->slid));
	sa_path_set_slid(path,
			 cm_known_lid(IBA_GET(CM_REQ_PRIMARY_REMOTE_PORT_LID, req),
				      near, wc->dlid_path_bits));
}

static void cm_read_alternate(const struct cm_req_msg *req, const struct ib_wc *wc,
			      enum sa_path_rec_type type, struct sa_path_rec *path)
{
	struct cm_req_msg *msg = (struct cm_req_msg *)req;
	const bool near = IBA_GET(CM_REQ_ALTERNATE_SUBNET_LOCAL, req);
	const u16 from = IBA_GET(CM_REQ_ALTERNATE_LOCAL_PORT_LID, req);
	const u16 to = IBA_GET(CM_REQ_ALTERNATE_REMOTE_PORT_LID, req);

	cm_path_common(path, type,
		       IBA_GET(CM_REQ_ALTERNATE_LOCAL_ACK_TIMEOUT, req));
	path->dgid = *IBA_GET_MEM_PTR(CM_REQ_ALTERNATE_LOCAL_PORT_GID, msg);
	path->sgid = *IBA_GET_MEM_PTR(CM_REQ_ALTERNATE_REMOTE_PORT_GID, msg);
	path->flow_label =
		cpu_to_be32(IBA_GET(CM_REQ_ALTERNATE_FLOW_LABEL, req));
	path->hop_limit = IBA_GET(CM_REQ_ALTERNATE_HOP_LIMIT, req);
	path->traffic_class = IBA_GET(CM_REQ_ALTERNATE_TRAFFIC_CLASS, req);
	path->rate = IBA_GET(CM_REQ_ALTERNATE_PACKET_RATE, req);
	path->sl = IBA_GET(CM_REQ_ALTERNATE_SL, req);
	sa_path_set_dlid(path, cm_known_lid(from, near, wc->slid));
	sa_path_set_slid(path, cm_known_lid(to, near, wc->dlid_path_bits));
}

void cm_read_req_paths(const union cm_mad *mad, const struct ib_wc *wc,
		       enum sa_path_rec_type type, struct sa_path_rec *paths)
{
	const struct cm_req_msg *req = &mad->req;
	int i;

	memset(paths, 0, 2 * sizeof(*paths));
	cm_read_primary(req, wc, type, &paths[0]);
	if (cm_req_has_alternate(mad))
		cm_read_alternate(req, wc, type, &paths[1]);

	for (i = 0; i < 2; i++) {
		paths[i].pkey =
			cpu_to_be16(IBA_GET(CM_REQ_PARTITION_KEY, req));
		paths[i].mtu = IBA_GET(CM_REQ_PATH_PACKET_PAYLOAD_MTU, req);
		paths[i].service_id =
			cpu_to_be64(IBA_GET(CM_REQ_SERVICE_ID, req));
	}
}

/* 12.8.1, table 115. */
void cm_read_lap_path(const union cm_mad *mad, struct sa_path_rec *path)
{
	const struct cm_lap_msg *lap = &mad->lap;
	struct cm_lap_msg *msg = (struct cm_lap_msg *)lap;

	memset(path, 0, sizeof(*path));
	cm_path_common(path, SA_PATH_REC_TYPE_IB,
		       IBA_GET(CM_LAP_ALTERNATE_LOCAL_ACK_TIMEOUT, lap));
	path->dgid = *IBA_GET_MEM_PTR(CM_LAP_ALTERNATE_LOCAL_PORT_GID, msg);
	path->sgid = *IBA_GET_MEM_PTR(CM_LAP_ALTERNATE_REMOTE_PORT_GID, msg);
	path->flow_label =
		cpu_to_be32(IBA_GET(CM_LAP_ALTERNATE_FLOW_LABEL, lap));
	path->hop_limit = IBA_GET(CM_LAP_ALTERNATE_HOP_LIMIT, lap);
	path->traffic_class = IBA_GET(CM_LAP_ALTERNATE_TRAFFIC_CLASS, lap);
	path->sl = IBA_GET(CM_LAP_ALTERNATE_SL, lap);
	path->rate = IBA_GET(CM_LAP_ALTERNATE_PACKET_RATE, lap);
	sa_path_set_dlid(path, IBA_GET(CM_LAP_ALTERNATE_LOCAL_PORT_LID, lap));
	sa_path_set_slid(path, IBA_GET(CM_LAP_ALTERNATE_REMOTE_PORT_LID, lap));
}

/*
 * Depths and resources, and the two timeouts, are told to the consumer from its
 * own point of view, so they change places.
 */
void cm_read_req(union cm_mad *mad, struct ib_cm_event *event)
{
	struct ib_cm_req_event_param *param = &event->param.req_rcvd;
	struct cm_req_msg *req = &mad->req;

	event->event = IB_CM_REQ_RECEIVED;
	event->private_data = IBA_GET_MEM_PTR(CM_REQ_PRIVATE_DATA, req);
	param->remote_ca_guid = cpu_to_be64(IBA_GET(CM_REQ_LOCAL_CA_GUID, req));
	param->remote_qkey = IBA_GET(CM_REQ_LOCAL_Q_KEY, req);
	param->remote_qpn = IBA_GET(CM_REQ_LOCAL_QPN, req);
	param->qp_type = cm_req_qp_type(mad);
	param->starting_psn = IBA_GET(CM_REQ_STARTING_PSN, req);
	param->responder_resources = IBA_GET(CM_REQ_INITIATOR_DEPTH, req);
	param->initiator_depth = IBA_GET(CM_REQ_RESPONDER_RESOURCES, req);
	param->local_cm_response_timeout =
		IBA_GET(CM_REQ_REMOTE_CM_RESPONSE_TIMEOUT, req);
	param->remote_cm_response_timeout =
		IBA_GET(CM_REQ_LOCAL_CM_RESPONSE_TIMEOUT, req);
	param->flow_control = IBA_GET(CM_REQ_END_TO_END_FLOW_CONTROL, req);
	param->retry_count = IBA_GET(CM_REQ_RETRY_COUNT, req);
	param->rnr_retry_count = IBA_GET(CM_REQ_RNR_RETRY_COUNT, req);
	param->srq = IBA_GET(CM_REQ_SRQ, req);
	param->ece.vendor_id = IBA_GET(CM_REQ_VENDOR_ID, req);
	param->ece.attr_mod = be32_to_cpu(mad->hdr.attr_mod);
}

void cm_read_rep(union cm_mad *mad, enum ib_qp_type qp_type,
		 struct ib_cm_event *event)
{
	struct ib_cm_rep_event_param *param = &event->param.rep_rcvd;
	struct cm_rep_msg *rep = &mad->rep;

	event->event = IB_CM_REP_RECEIVED;
	event->private_data = IBA_GET_MEM_PTR(CM_REP_PRIVATE_DATA, rep);
	param->remote_ca_guid = cpu_to_be64(IBA_GET(CM_REP_LOCAL_CA_GUID, rep));
	param->remote_qkey = IBA_GET(CM_REP_LOCAL_Q_KEY, rep);
	param->remote_qpn = cm_rep_qpn(mad, qp_type);
	param->starting_psn = IBA_GET(CM_REP_STARTING_PSN, rep);
	param->responder_resources = IBA_GET(CM_REP_INITIATOR_DEPTH, rep);
	param->initiator_depth = IBA_GET(CM_REP_RESPONDER_RESOURCES, rep);
	param->target_ack_delay = IBA_GET(CM_REP_TARGET_ACK_DELAY, rep);
	param->failover_accepted = IBA_GET(CM_REP_FAILOVER_ACCEPTED, rep);
	param->flow_control = IBA_GET(CM_REP_END_TO_END_FLOW_CONTROL, rep);
	param->rnr_retry_count = IBA_GET(CM_REP_RNR_RETRY_COUNT, rep);
	param->srq = IBA_GET(CM_REP_SRQ, rep);
	param->ece.vendor_id = IBA_GET(CM_REP_VENDOR_ID_H, rep) << 16 |
			       IBA_GET(CM_REP_VENDOR_ID_M, rep) << 8 |
			       IBA_GET(CM_REP_VENDOR_ID_L, rep);
	param->ece.attr_mod = be32_to_cpu(mad->hdr.attr_mod);
}

void cm_read_rej(union cm_mad *mad, struct ib_cm_event *event)
{
	struct ib_cm_rej_event_param *param = &event->param.rej_rcvd;

	event->event = IB_CM_REJ_RECEIVED;
	event->private_data = IBA_GET_MEM_PTR(CM_REJ_PRIVATE_DATA, &mad->rej);
	param->reason = IBA_GET(CM_REJ_REASON, &mad->rej);
	param->ari = IBA_GET_MEM_PTR(CM_REJ_ARI, &mad->rej);
	param->ari_length = min_t(u8, IB_CM_REJ_ARI_LENGTH,
				  IBA_GET(CM_REJ_REJECTED_INFO_LENGTH,
					  &mad->rej));
}

void cm_read_sidr_rep(union cm_mad *mad, struct ib_cm_event *event)
{
	struct ib_cm_sidr_rep_event_param *param = &event->param.sidr_rep_rcvd;
	struct cm_sidr_rep_msg *rep = &mad->sidr_rep;

	event->event = IB_CM_SIDR_REP_RECEIVED;
	event->private_data = IBA_GET_MEM_PTR(CM_SIDR_REP_PRIVATE_DATA, rep);
	param->status = IBA_GET(CM_SIDR_REP_STATUS, rep);
	param->qkey = IBA_GET(CM_SIDR_REP_Q_KEY, rep);
	param->qpn = IBA_GET(CM_SIDR_REP_QPN, rep);
	param->info = IBA_GET_MEM_PTR(CM_SIDR_REP_ADDITIONAL_INFORMATION, rep);
	param->info_len =
		min_t(u8, IB_CM_SIDR_REP_INFO_LENGTH,
		      IBA_GET(CM_SIDR_REP_ADDITIONAL_INFORMATION_LENGTH, rep));
}
