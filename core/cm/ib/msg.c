// SPDX-License-Identifier: GPL-2.0
/*
 * Building messages of the communication manager (IBA vol. 1, 12.6), and what
 * their parameters may be. All builders start from zeroes, so fields that are
 * not named are reserved or zero on the wire.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "msg.h"

/* Transport service types of a REQ, and the extended one. */
#define CM_SERVICE_RC	0
#define CM_SERVICE_UC	1
#define CM_SERVICE_EXT	3
#define CM_EXT_XRC	1

#define CM_TIME_LARGEST	31

static_assert(sizeof(union cm_mad) == sizeof(struct ib_mad));
static_assert(sizeof(struct cm_req_msg) == IB_MGMT_MAD_SIZE);
static_assert(sizeof(struct cm_rep_msg) == IB_MGMT_MAD_SIZE);
static_assert(sizeof(struct cm_rej_msg) == IB_MGMT_MAD_SIZE);
static_assert(sizeof(struct cm_lap_msg) == IB_MGMT_MAD_SIZE);
static_assert(sizeof(struct cm_sidr_rep_msg) == IB_MGMT_MAD_SIZE);

unsigned int cm_time_ms(u8 value)
{
	/* 4.096 us << 8 is a millisecond and a bit. */
	return 1u << (clamp_t(u8, value, 8, CM_TIME_LARGEST) - 8);
}

u8 cm_ack_timeout(u8 delay, u8 life)
{
	u8 round_trip = min_t(u8, life, CM_TIME_LARGEST) + 1;
	u8 longer = max(round_trip, delay);
	u8 shorter = min(round_trip, delay);

	/* 2^a + 2^b fits below 2^(a+1); a far smaller b does not count. */
	if (shorter + 1 >= longer)
		longer++;
	return min_t(u8, longer, CM_TIME_LARGEST);
}

enum cm_attr cm_attr_of(const struct ib_mad_hdr *hdr)
{
	unsigned int nth = be16_to_cpu(hdr->attr_id) - CM_ATTR_FIRST;

	return nth < CM_ATTRS ? nth : CM_ATTRS;
}

__be32 cm_sender_id(const union cm_mad *mad)
{
	return cpu_to_be32(IBA_GET(CM_REP_LOCAL_COMM_ID, &mad->rep));
}

__be32 cm_receiver_id(const union cm_mad *mad)
{
	return cpu_to_be32(IBA_GET(CM_REP_REMOTE_COMM_ID, &mad->rep));
}

int cm_check_data(const void *data, u8 len, u8 most)
{
	return data && len > most ? -EINVAL : 0;
}

int cm_check_req(const struct ib_cm_req_param *param)
{
	const struct sa_path_rec *primary = param->primary_path;
	const struct sa_path_rec *alternate = param->alternate_path;

	if (!primary)
		return -EINVAL;
	if (param->qp_type != IB_QPT_RC && param->qp_type != IB_QPT_UC &&
	    param->qp_type != IB_QPT_XRC_INI)
		return -EINVAL;
	/* Both have one field in the message. */
	if (alternate && (alternate->pkey != primary->pkey ||
			  alternate->mtu != primary->mtu))
		return -EINVAL;
	return cm_check_data(param->private_data, param->private_data_len,
			     IB_CM_REQ_PRIVATE_DATA_SIZE);
}

static void cm_start(union cm_mad *mad, enum cm_attr attr, __be64 tid)
{
	memset(mad, 0, sizeof(*mad));
	mad->hdr.base_version = IB_MGMT_BASE_VERSION;
	mad->hdr.mgmt_class = IB_MGMT_CLASS_CM;
	mad->hdr.class_version = CM_CLASS_VERSION;
	mad->hdr.method = IB_MGMT_METHOD_SEND;
	mad->hdr.attr_id = cpu_to_be16(CM_ATTR_FIRST + attr);
	mad->hdr.tid = tid;
}

/* Both ids at the start of a message that has them. */
static void cm_start_with_ids(union cm_mad *mad, enum cm_attr attr,
			      const struct cm_msg_ids *ids)
{
	cm_start(mad, attr, ids->tid);
	IBA_SET(CM_REP_LOCAL_COMM_ID, &mad->rep, be32_to_cpu(ids->local_id));
	IBA_SET(CM_REP_REMOTE_COMM_ID, &mad->rep,
		be32_to_cpu(ids->remote_id));
}

static void cm_put_data(void *to, const void *data, u8 len)
{
	if (data)
		memcpy(to, data, len);
}

/* The lower 16 bits, which is all that a LID of InfiniBand has. */
static u16 cm_lid16(__be32 lid)
{
	return be32_to_cpu(lid) & 0xffff;
}

/*
 * A path through a router: the sender does not know the LIDs that the far end
 * uses, so the receiver takes them from the packet.
 */
static bool cm_routed(const struct sa_path_rec *path)
{
	return path->hop_limit > 1;
}

static void cm_put_primary_lids(struct cm_req_msg *req,
				const struct ib_cm_req_param *param)
{
	const u16 unknown = be16_to_cpu(IB_LID_PERMISSIVE);
	struct sa_path_rec *path = param->primary_path;
	u16 local = cm_lid16(sa_path_get_slid(path));
	u16 remote = cm_lid16(sa_path_get_dlid(path));

	if (cm_routed(path)) {
		remote = unknown;
		local = param->primary_path_inbound ?
			be16_to_cpu(param->primary_path_inbound->ib.dlid) :
			unknown;
	}
	IBA_SET(CM_REQ_PRIMARY_LOCAL_PORT_LID, req, local);
	IBA_SET(CM_REQ_PRIMARY_REMOTE_PORT_LID, req, remote);
}

static void cm_put_primary(struct cm_req_msg *req, const struct cm_self *self,
			   const struct ib_cm_req_param *param)
{
	struct sa_path_rec *path = param->primary_path;

	cm_put_primary_lids(req, param);
	*IBA_GET_MEM_PTR(CM_REQ_PRIMARY_LOCAL_PORT_GID, req) = path->sgid;
	*IBA_GET_MEM_PTR(CM_REQ_PRIMARY_REMOTE_PORT_GID, req) = path->dgid;
	IBA_SET(CM_REQ_PRIMARY_FLOW_LABEL, req, be32_to_cpu(path->flow_label));
	IBA_SET(CM_REQ_PRIMARY_PACKET_RATE, req, path->rate);
	IBA_SET(CM_REQ_PRIMARY_TRAFFIC_CLASS, req, path->traffic_class);
	IBA_SET(CM_REQ_PRIMARY_HOP_LIMIT, req, path->hop_limit);
	IBA_SET(CM_REQ_PRIMARY_SL, req, path->sl);
	IBA_SET(CM_REQ_PRIMARY_SUBNET_LOCAL, req, cm_routed(path) ? 0 : 1);
	IBA_SET(CM_REQ_PRIMARY_LOCAL_ACK_TIMEOUT, req,
		cm_ack_timeout(self->ack_delay, path->packet_life_time));
}

static void cm_put_alternate(struct cm_req_msg *req, const struct cm_self *self,
			     struct sa_path_rec *path)
{
	const u16 unknown = be16_to_cpu(IB_LID_PERMISSIVE);
	const bool far = cm_routed(path);

	IBA_SET(CM_REQ_ALTERNATE_LOCAL_PORT_LID, req,
		far ? unknown : cm_lid16(sa_path_get_slid(path)));
	IBA_SET(CM_REQ_ALTERNATE_REMOTE_PORT_LID, req,
		far ? unknown : cm_lid16(sa_path_get_dlid(path)));
	*IBA_GET_MEM_PTR(CM_REQ_ALTERNATE_LOCAL_PORT_GID, req) = path->sgid;
	*IBA_GET_MEM_PTR(CM_REQ_ALTERNATE_REMOTE_PORT_GID, req) = path->dgid;
	IBA_SET(CM_REQ_ALTERNATE_FLOW_LABEL, req,
		be32_to_cpu(path->flow_label));
	IBA_SET(CM_REQ_ALTERNATE_PACKET_RATE, req, path->rate);
	IBA_SET(CM_REQ_ALTERNATE_TRAFFIC_CLASS, req, path->traffic_class);
	IBA_SET(CM_REQ_ALTERNATE_HOP_LIMIT, req, path->hop_limit);
	IBA_SET(CM_REQ_ALTERNATE_SL, req, path->sl);
	IBA_SET(CM_REQ_ALTERNATE_SUBNET_LOCAL, req, far ? 0 : 1);
	IBA_SET(CM_REQ_ALTERNATE_LOCAL_ACK_TIMEOUT, req,
		cm_ack_timeout(self->ack_delay, path->packet_life_time));
}

static void cm_put_service_type(struct cm_req_msg *req, enum ib_qp_type qp_type)
{
	u8 type = CM_SERVICE_RC;

	if (qp_type == IB_QPT_UC) {
		type = CM_SERVICE_UC;
	} else if (qp_type == IB_QPT_XRC_INI) {
		type = CM_SERVICE_EXT;
		IBA_SET(CM_REQ_EXTENDED_TRANSPORT_TYPE, req, CM_EXT_XRC);
	}
	IBA_SET(CM_REQ_TRANSPORT_SERVICE_TYPE, req, type);
}

/* 12.6.5, table 106; the vendor's fields are those of annex A18 (ECE). */
void cm_build_req(union cm_mad *mad, const struct cm_msg_ids *ids,
		  const struct cm_self *self,
		  const struct ib_cm_req_param *param)
{
	struct cm_req_msg *req = &mad->req;

	cm_start(mad, CM_ATTR_REQ, ids->tid);
	mad->hdr.attr_mod = cpu_to_be32(param->ece.attr_mod);
	IBA_SET(CM_REQ_LOCAL_COMM_ID, req, be32_to_cpu(ids->local_id));
	IBA_SET(CM_REQ_VENDOR_ID, req, param->ece.vendor_id);
	IBA_SET(CM_REQ_SERVICE_ID, req, be64_to_cpu(param->service_id));
	IBA_SET(CM_REQ_LOCAL_CA_GUID, req, be64_to_cpu(self->guid));
	IBA_SET(CM_REQ_LOCAL_QPN, req, param->qp_num);
	IBA_SET(CM_REQ_INITIATOR_DEPTH, req, param->initiator_depth);
	IBA_SET(CM_REQ_REMOTE_CM_RESPONSE_TIMEOUT, req,
		param->remote_cm_response_timeout);
	cm_put_service_type(req, param->qp_type);
	IBA_SET(CM_REQ_END_TO_END_FLOW_CONTROL, req, param->flow_control);
	IBA_SET(CM_REQ_STARTING_PSN, req, param->starting_psn);
	IBA_SET(CM_REQ_LOCAL_CM_RESPONSE_TIMEOUT, req,
		param->local_cm_response_timeout);
	IBA_SET(CM_REQ_PARTITION_KEY, req,
		be16_to_cpu(param->primary_path->pkey));
	IBA_SET(CM_REQ_PATH_PACKET_PAYLOAD_MTU, req, param->primary_path->mtu);
	IBA_SET(CM_REQ_MAX_CM_RETRIES, req, param->max_cm_retries);
	/* An XRC initiator has nothing to receive with. */
	if (param->qp_type != IB_QPT_XRC_INI) {
		IBA_SET(CM_REQ_RESPONDER_RESOURCES, req,
			param->responder_resources);
		IBA_SET(CM_REQ_RETRY_COUNT, req, param->retry_count);
		IBA_SET(CM_REQ_RNR_RETRY_COUNT, req, param->rnr_retry_count);
		IBA_SET(CM_REQ_SRQ, req, param->srq);
	}
	cm_put_primary(req, self, param);
	if (param->alternate_path)
		cm_put_alternate(req, self, param->alternate_path);
	cm_put_data(IBA_GET_MEM_PTR(CM_REQ_PRIVATE_DATA, req),
		    param->private_data, param->private_data_len);
}

/* 12.6.8, table 110. @qp_type is the replier's. */
void cm_build_rep(union cm_mad *mad, const struct cm_msg_ids *ids,
		  const struct cm_self *self, enum ib_qp_type qp_type,
		  const struct ib_cm_rep_param *param)
{
	struct cm_rep_msg *rep = &mad->rep;
	const u32 vendor = param->ece.vendor_id;

	cm_start_with_ids(mad, CM_ATTR_REP, ids);
	mad->hdr.attr_mod = cpu_to_be32(param->ece.attr_mod);
	IBA_SET(CM_REP_STARTING_PSN, rep, param->starting_psn);
	IBA_SET(CM_REP_RESPONDER_RESOURCES, rep, param->responder_resources);
	IBA_SET(CM_REP_TARGET_ACK_DELAY, rep, self->ack_delay);
	IBA_SET(CM_REP_FAILOVER_ACCEPTED, rep, param->failover_accepted);
	IBA_SET(CM_REP_RNR_RETRY_COUNT, rep, param->rnr_retry_count);
	IBA_SET(CM_REP_LOCAL_CA_GUID, rep, be64_to_cpu(self->guid));
	IBA_SET(CM_REP_VENDOR_ID_H, rep, vendor >> 16);
	IBA_SET(CM_REP_VENDOR_ID_M, rep, vendor >> 8);
	IBA_SET(CM_REP_VENDOR_ID_L, rep, vendor);

	if (qp_type == IB_QPT_XRC_TGT) {
		IBA_SET(CM_REP_LOCAL_EE_CONTEXT_NUMBER, rep, param->qp_num);
		IBA_SET(CM_REP_SRQ, rep, 1);
	} else {
		IBA_SET(CM_REP_LOCAL_QPN, rep, param->qp_num);
		IBA_SET(CM_REP_SRQ, rep, param->srq);
		IBA_SET(CM_REP_INITIATOR_DEPTH, rep, param->initiator_depth);
		IBA_SET(CM_REP_END_TO_END_FLOW_CONTROL, rep,
			param->flow_control);
	}
	cm_put_data(IBA_GET_MEM_PTR(CM_REP_PRIVATE_DATA, rep),
		    param->private_data, param->private_data_len);
}

void cm_build_rtu(union cm_mad *mad, const struct cm_msg_ids *ids,
		  const void *data, u8 len)
{
	cm_start_with_ids(mad, CM_ATTR_RTU, ids);
	cm_put_data(IBA_GET_MEM_PTR(CM_RTU_PRIVATE_DATA, &mad->rtu), data, len);
}

void cm_build_dreq(union cm_mad *mad, const struct cm_msg_ids *ids,
		   u32 remote_qpn, const void *data, u8 len)
{
	cm_start_with_ids(mad, CM_ATTR_DREQ, ids);
	IBA_SET(CM_DREQ_REMOTE_QPN_EECN, &mad->dreq, remote_qpn);
	cm_put_data(IBA_GET_MEM_PTR(CM_DREQ_PRIVATE_DATA, &mad->dreq), data, len);
}

void cm_build_drep(union cm_mad *mad, const struct cm_msg_ids *ids,
		   const void *data, u8 len)
{
	cm_start_with_ids(mad, CM_ATTR_DREP, ids);
	cm_put_data(IBA_GET_MEM_PTR(CM_DREP_PRIVATE_DATA, &mad->drep), data, len);
}

void cm_build_mra(union cm_mad *mad, const struct cm_msg_ids *ids,
		  enum cm_msg_kind about, u8 timeout, const void *data, u8 len)
{
	cm_start_with_ids(mad, CM_ATTR_MRA, ids);
	IBA_SET(CM_MRA_MESSAGE_MRAED, &mad->mra, about);
	IBA_SET(CM_MRA_SERVICE_TIMEOUT, &mad->mra, timeout);
	cm_put_data(IBA_GET_MEM_PTR(CM_MRA_PRIVATE_DATA, &mad->mra), data, len);
}

void cm_build_rej(union cm_mad *mad, const struct cm_msg_ids *ids,
		  const struct cm_rej_info *info)
{
	cm_start_with_ids(mad, CM_ATTR_REJ, ids);
	IBA_SET(CM_REJ_MESSAGE_REJECTED, &mad->rej, info->about);
	IBA_SET(CM_REJ_REASON, &mad->rej, info->reason);
	if (info->ari && info->ari_len) {
		IBA_SET(CM_REJ_REJECTED_INFO_LENGTH, &mad->rej, info->ari_len);
		cm_put_data(IBA_GET_MEM_PTR(CM_REJ_ARI, &mad->rej),
			    info->ari, info->ari_len);
	}
	cm_put_data(IBA_GET_MEM_PTR(CM_REJ_PRIVATE_DATA, &mad->rej),
		    info->data, info->data_len);
}

void cm_build_apr(union cm_mad *mad, const struct cm_msg_ids *ids,
		  enum ib_cm_apr_status status)
{
	cm_start_with_ids(mad, CM_ATTR_APR, ids);
	IBA_SET(CM_APR_AR_STATUS, &mad->apr, status);
}

/* 12.11.1, table 119. The request is named by the sender's id. */
void cm_build_sidr_req(union cm_mad *mad, const struct cm_msg_ids *ids,
		       const struct ib_cm_sidr_req_param *param)
{
	struct cm_sidr_req_msg *req = &mad->sidr_req;

	cm_start(mad, CM_ATTR_SIDR_REQ, ids->tid);
	IBA_SET(CM_SIDR_REQ_REQUESTID, req, be32_to_cpu(ids->local_id));
	IBA_SET(CM_SIDR_REQ_PARTITION_KEY, req,
		be16_to_cpu(param->path->pkey));
	IBA_SET(CM_SIDR_REQ_SERVICEID, req, be64_to_cpu(param->service_id));
	cm_put_data(IBA_GET_MEM_PTR(CM_SIDR_REQ_PRIVATE_DATA, req),
		    param->private_data, param->private_data_len);
}

/* 12.11.2, table 120. */
void cm_build_sidr_rep(union cm_mad *mad, const struct cm_msg_ids *ids,
		       __be64 service_id,
		       const struct ib_cm_sidr_rep_param *param)
{
	struct cm_sidr_rep_msg *rep = &mad->sidr_rep;

	cm_start(mad, CM_ATTR_SIDR_REP, ids->tid);
	mad->hdr.attr_mod = cpu_to_be32(param->ece.attr_mod);
	IBA_SET(CM_SIDR_REP_REQUESTID, rep, be32_to_cpu(ids->remote_id));
	IBA_SET(CM_SIDR_REP_STATUS, rep, param->status);
	IBA_SET(CM_SIDR_REP_QPN, rep, param->qp_num);
	IBA_SET(CM_SIDR_REP_SERVICEID, rep, be64_to_cpu(service_id));
	IBA_SET(CM_SIDR_REP_Q_KEY, rep, param->qkey);
	IBA_SET(CM_SIDR_REP_VENDOR_ID_L, rep, param->ece.vendor_id);
	IBA_SET(CM_SIDR_REP_VENDOR_ID_H, rep, param->ece.vendor_id >> 8);
	if (param->info && param->info_length) {
		IBA_SET(CM_SIDR_REP_ADDITIONAL_INFORMATION_LENGTH, rep,
			param->info_length);
		cm_put_data(IBA_GET_MEM_PTR(CM_SIDR_REP_ADDITIONAL_INFORMATION,
					    rep),
			    param->info, param->info_length);
	}
	cm_put_data(IBA_GET_MEM_PTR(CM_SIDR_REP_PRIVATE_DATA, rep),
		    param->private_data, param->private_data_len);
}

void cm_msg_ids_reversed(struct cm_msg_ids *ids, const union cm_mad *got)
{
	const enum cm_attr attr = cm_attr_of(&got->hdr);

	ids->tid = got->hdr.tid;
	ids->remote_id = cm_sender_id(got);
	/* In the place of the receiver's id these have something else. */
	ids->local_id = attr == CM_ATTR_REQ || attr == CM_ATTR_SIDR_REQ ?
			  0 : cm_receiver_id(got);
}
