/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Messages of the communication manager: bytes in, bytes out. Nothing here
 * knows ids, locks or devices.
 */
#ifndef OFED_CM_MSG_H
#define OFED_CM_MSG_H

#include <rdma/ib_cm.h>
#include <rdma/ib_mad.h>
#include <rdma/ibta_vol1_c12.h>

#define CM_CLASS_VERSION 2

/* Attributes are numbered without a gap. */
#define CM_ATTR_FIRST 0x10
enum cm_attr {
	CM_ATTR_REQ,
	CM_ATTR_MRA,
	CM_ATTR_REJ,
	CM_ATTR_REP,
	CM_ATTR_RTU,
	CM_ATTR_DREQ,
	CM_ATTR_DREP,
	CM_ATTR_SIDR_REQ,
	CM_ATTR_SIDR_REP,
	CM_ATTR_LAP,
	CM_ATTR_APR,
	CM_ATTRS
};

/* MessageMRAed and MessageRejected (tables 107 and 108) */
enum cm_msg_kind {
	CM_ABOUT_REQ,
	CM_ABOUT_REP,
	CM_ABOUT_OTHER,		/* in an MRA: the LAP */
};

union cm_mad {
	struct ib_mad mad;
	struct ib_mad_hdr hdr;
	struct cm_req_msg req;
	struct cm_mra_msg mra;
	struct cm_rej_msg rej;
	struct cm_rep_msg rep;
	struct cm_rtu_msg rtu;
	struct cm_dreq_msg dreq;
	struct cm_drep_msg drep;
	struct cm_sidr_req_msg sidr_req;
	struct cm_sidr_rep_msg sidr_rep;
	struct cm_lap_msg lap;
	struct cm_apr_msg apr;
};

/**
 * struct cm_msg_ids - sender and receiver of a message
 * @tid: transaction
 * @local_id: communication id of the sender
 * @remote_id: of the receiver, 0 when not known
 */
struct cm_msg_ids {
	__be64 tid;
	__be32 local_id;
	__be32 remote_id;
};

/**
 * struct cm_self - what a CM says of its channel adapter
 * @guid: node GUID
 * @ack_delay: local CA ack delay, an exponent
 */
struct cm_self {
	__be64 guid;
	u8 ack_delay;
};

/* What a REJ says. */
struct cm_rej_info {
	enum ib_cm_rej_reason reason;
	enum cm_msg_kind about;
	const void *ari;
	const void *data;
	u8 ari_len;
	u8 data_len;
};

/*
 * Time values of the wire are 4.096 us << value; in milliseconds, rounded up
 * to powers of two. Values beyond 5 bits are taken for the largest.
 */
unsigned int cm_time_ms(u8 value);

/*
 * Local ACK timeout (12.7.34): a round trip of @life, and @delay of the
 * responder, as an exponent.
 */
u8 cm_ack_timeout(u8 delay, u8 life);

/* Return: attribute of @hdr, or CM_ATTRS for one that the CM ignores. */
enum cm_attr cm_attr_of(const struct ib_mad_hdr *hdr);

/* Communication ids, which are in the same place in all messages but SIDR's. */
__be32 cm_sender_id(const union cm_mad *mad);
__be32 cm_receiver_id(const union cm_mad *mad);

/* 0, or -EINVAL for a parameter that no message can carry. */
int cm_check_req(const struct ib_cm_req_param *param);
int cm_check_data(const void *data, u8 len, u8 most);

void cm_build_req(union cm_mad *mad, const struct cm_msg_ids *ids,
		  const struct cm_self *self,
		  const struct ib_cm_req_param *param);
void cm_build_rep(union cm_mad *mad, const struct cm_msg_ids *ids,
		  const struct cm_self *self, enum ib_qp_type qp_type,
		  const struct ib_cm_rep_param *param);
void cm_build_rtu(union cm_mad *mad, const struct cm_msg_ids *ids,
		  const void *data, u8 len);
void cm_build_dreq(union cm_mad *mad, const struct cm_msg_ids *ids,
		   u32 remote_qpn, const void *data, u8 len);
void cm_build_drep(union cm_mad *mad, const struct cm_msg_ids *ids,
		   const void *data, u8 len);
void cm_build_mra(union cm_mad *mad, const struct cm_msg_ids *ids,
		  enum cm_msg_kind about, u8 timeout, const void *data, u8 len);
void cm_build_rej(union cm_mad *mad, const struct cm_msg_ids *ids,
		  const struct cm_rej_info *info);
void cm_build_apr(union cm_mad *mad, const struct cm_msg_ids *ids,
		  enum ib_cm_apr_status status);
void cm_build_sidr_req(union cm_mad *mad, const struct cm_msg_ids *ids,
		       const struct ib_cm_sidr_req_param *param);
void cm_build_sidr_rep(union cm_mad *mad, const struct cm_msg_ids *ids,
		       __be64 service_id,
		       const struct ib_cm_sidr_rep_param *param);

/* Names of an answer to @got by a CM that has no id for it. */
void cm_msg_ids_reversed(struct cm_msg_ids *ids, const union cm_mad *got);

enum ib_qp_type cm_req_qp_type(const union cm_mad *mad);
u32 cm_rep_qpn(const union cm_mad *mad, enum ib_qp_type qp_type);
bool cm_req_has_alternate(const union cm_mad *mad);

/**
 * cm_read_req_paths - the paths that a REQ asks for, as seen from here
 * @mad: the REQ
 * @wc: its completion, for the LIDs that the sender could not know
 * @type: of both paths
 * @paths: out: primary and alternate path; the latter is valid if
 *	   cm_req_has_alternate()
 */
void cm_read_req_paths(const union cm_mad *mad, const struct ib_wc *wc,
		       enum sa_path_rec_type type, struct sa_path_rec *paths);
/* The alternate path of a LAP; P_Key and MTU are the connection's. */
void cm_read_lap_path(const union cm_mad *mad, struct sa_path_rec *path);

void cm_read_req(union cm_mad *mad, struct ib_cm_event *event);
void cm_read_rep(union cm_mad *mad, enum ib_qp_type qp_type,
		 struct ib_cm_event *event);
void cm_read_rej(union cm_mad *mad, struct ib_cm_event *event);
void cm_read_sidr_rep(union cm_mad *mad, struct ib_cm_event *event);

#endif /* OFED_CM_MSG_H */
