/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-2-Clause) */
/*
 * The ABI of /dev/infiniband/ucmN, version 5, as libibcm knows it: <rdma/ib_user_cm.h>, which
 * kernels had until 5.x. Names and layouts are those of that header. Each struct has one layout on
 * 32 and on 64 bits.
 *
 * A command is one write(): struct ib_ucm_cmd_hdr, and what is said of the command behind it.
 * Addresses in the program are __u64. Paths are struct ib_user_path_rec.
 */
#ifndef OFED_IB_USER_CM_H
#define OFED_IB_USER_CM_H

#include <linux/types.h>
#include <rdma/ib_user_sa.h>

#define IB_USER_CM_ABI_VERSION 5

/* With the struct of each, and that of its response. */
enum {
	IB_USER_CM_CMD_CREATE_ID,	/* ib_ucm_create_id, ib_ucm_create_id_resp */
	IB_USER_CM_CMD_DESTROY_ID,	/* ib_ucm_destroy_id, ib_ucm_destroy_id_resp */
	IB_USER_CM_CMD_ATTR_ID,		/* ib_ucm_attr_id, ib_ucm_attr_id_resp */

	IB_USER_CM_CMD_LISTEN,		/* ib_ucm_listen */
	IB_USER_CM_CMD_NOTIFY,		/* ib_ucm_notify */

	IB_USER_CM_CMD_SEND_REQ,	/* ib_ucm_req */
	IB_USER_CM_CMD_SEND_REP,	/* ib_ucm_rep */
	IB_USER_CM_CMD_SEND_RTU,	/* ib_ucm_private_data */
	IB_USER_CM_CMD_SEND_DREQ,	/* ib_ucm_private_data */
	IB_USER_CM_CMD_SEND_DREP,	/* ib_ucm_private_data */
	IB_USER_CM_CMD_SEND_REJ,	/* ib_ucm_info */
	IB_USER_CM_CMD_SEND_MRA,	/* ib_ucm_mra */
	IB_USER_CM_CMD_SEND_LAP,	/* ib_ucm_lap */
	IB_USER_CM_CMD_SEND_APR,	/* ib_ucm_info */
	IB_USER_CM_CMD_SEND_SIDR_REQ,	/* ib_ucm_sidr_req */
	IB_USER_CM_CMD_SEND_SIDR_REP,	/* ib_ucm_sidr_rep */

	IB_USER_CM_CMD_EVENT,		/* ib_ucm_event_get, ib_ucm_event_resp */
	IB_USER_CM_CMD_INIT_QP_ATTR,	/* ib_ucm_init_qp_attr, ib_uverbs_qp_attr */
};

/**
 * struct ib_ucm_cmd_hdr - what a command begins with
 * @cmd: which it is
 * @in: bytes of its struct
 * @out: room for its response, 0 if it has none
 */
struct ib_ucm_cmd_hdr {
	__u32 cmd;
	__u16 in;
	__u16 out;
};

/* @uid comes back in the events of the id. */
struct ib_ucm_create_id {
	__u64 uid;
	__u64 response;
};

struct ib_ucm_create_id_resp {
	__u32 id;
};

struct ib_ucm_destroy_id {
	__u64 response;
	__u32 id;
	__u32 reserved;
};

/* How many events of the id the program has read. */
struct ib_ucm_destroy_id_resp {
	__u32 events_reported;
};

struct ib_ucm_attr_id {
	__u64 response;
	__u32 id;
	__u32 reserved;
};

struct ib_ucm_attr_id_resp {
	__be64 service_id;
	__be64 service_mask;
	__be32 local_id;
	__be32 remote_id;
};

struct ib_ucm_init_qp_attr {
	__u64 response;
	__u32 id;
	__u32 qp_state;
};

/* A @service_mask of 0 is one of all bits: that service alone. */
struct ib_ucm_listen {
	__be64 service_id;
	__be64 service_mask;
	__u32 id;
	__u32 reserved;
};

/* @event: of enum ib_event_type. */
struct ib_ucm_notify {
	__u32 id;
	__u32 event;
};

struct ib_ucm_private_data {
	__u64 data;
	__u32 id;
	__u8  len;
	__u8  reserved[3];
};

struct ib_ucm_req {
	__u32 id;
	__u32 qpn;
	__u32 qp_type;
	__u32 psn;
	__be64 sid;
	__u64 data;
	__u64 primary_path;
	__u64 alternate_path;
	__u8  len;
	__u8  peer_to_peer;
	__u8  responder_resources;
	__u8  initiator_depth;
	__u8  remote_cm_response_timeout;
	__u8  flow_control;
	__u8  local_cm_response_timeout;
	__u8  retry_count;
	__u8  rnr_retry_count;
	__u8  max_cm_retries;
	__u8  srq;
	__u8  reserved[5];
};

/* @uid: as in struct ib_ucm_create_id, for an id that came with a request. */
struct ib_ucm_rep {
	__u64 uid;
	__u64 data;
	__u32 id;
	__u32 qpn;
	__u32 psn;
	__u8  len;
	__u8  responder_resources;
	__u8  initiator_depth;
	__u8  target_ack_delay;
	__u8  failover_accepted;
	__u8  flow_control;
	__u8  rnr_retry_count;
	__u8  srq;
	__u8  reserved[4];
};

/* REJ: @status is the reason, @info the additional rejection information. */
struct ib_ucm_info {
	__u32 id;
	__u32 status;
	__u64 info;
	__u64 data;
	__u8  info_len;
	__u8  data_len;
	__u8  reserved[6];
};

struct ib_ucm_mra {
	__u64 data;
	__u32 id;
	__u8  len;
	__u8  timeout;
	__u8  reserved[2];
};

struct ib_ucm_lap {
	__u64 path;
	__u64 data;
	__u32 id;
	__u8  len;
	__u8  reserved[3];
};

/* @timeout: milliseconds. */
struct ib_ucm_sidr_req {
	__u32 id;
	__u32 timeout;
	__be64 sid;
	__u64 data;
	__u64 path;
	__u16 reserved_pkey;
	__u8  len;
	__u8  max_cm_retries;
	__u8  reserved[4];
};

struct ib_ucm_sidr_rep {
	__u32 id;
	__u32 qpn;
	__u32 qkey;
	__u32 status;
	__u64 info;
	__u64 data;
	__u8  info_len;
	__u8  data_len;
	__u8  reserved[6];
};

/* Where an event goes, and for how much private data and information there is room. */
struct ib_ucm_event_get {
	__u64 response;
	__u64 data;
	__u64 info;
	__u8  data_len;
	__u8  info_len;
	__u8  reserved[6];
};

struct ib_ucm_req_event_resp {
	struct ib_user_path_rec primary_path;
	struct ib_user_path_rec alternate_path;
	__be64                 remote_ca_guid;
	__u32                  remote_qkey;
	__u32                  remote_qpn;
	__u32                  qp_type;
	__u32                  starting_psn;
	__u8  responder_resources;
	__u8  initiator_depth;
	__u8  local_cm_response_timeout;
	__u8  flow_control;
	__u8  remote_cm_response_timeout;
	__u8  retry_count;
	__u8  rnr_retry_count;
	__u8  srq;
	__u8  port;
	__u8  reserved[7];
};

struct ib_ucm_rep_event_resp {
	__be64 remote_ca_guid;
	__u32 remote_qkey;
	__u32 remote_qpn;
	__u32 starting_psn;
	__u8  responder_resources;
	__u8  initiator_depth;
	__u8  target_ack_delay;
	__u8  failover_accepted;
	__u8  flow_control;
	__u8  rnr_retry_count;
	__u8  srq;
	__u8  reserved[5];
};

struct ib_ucm_rej_event_resp {
	__u32 reason;
};

struct ib_ucm_mra_event_resp {
	__u8  timeout;
	__u8  reserved[3];
};

struct ib_ucm_lap_event_resp {
	struct ib_user_path_rec path;
};

struct ib_ucm_apr_event_resp {
	__u32 status;
};

struct ib_ucm_sidr_req_event_resp {
	__u16 pkey;
	__u8  port;
	__u8  reserved;
};

struct ib_ucm_sidr_rep_event_resp {
	__u32 status;
	__u32 qkey;
	__u32 qpn;
};

/* Which parts an event has; the path of a LAP is an alternate one. */
#define IB_UCM_PRES_DATA      0x01
#define IB_UCM_PRES_INFO      0x02
#define IB_UCM_PRES_PRIMARY   0x04
#define IB_UCM_PRES_ALTERNATE 0x08

/**
 * struct ib_ucm_event_resp - an event
 * @uid: of the id; of the listener, if a request has come in
 * @id: of that the event is; the new one of a request
 * @event: of enum ib_cm_event_type
 * @present: IB_UCM_PRES_*
 * @reserved: 0
 * @u: by @event; send_status, of enum ib_wc_status, for those that no struct is for
 */
struct ib_ucm_event_resp {
	__u64 uid;
	__u32 id;
	__u32 event;
	__u32 present;
	__u32 reserved;
	union {
		struct ib_ucm_req_event_resp req_resp;
		struct ib_ucm_rep_event_resp rep_resp;
		struct ib_ucm_rej_event_resp rej_resp;
		struct ib_ucm_mra_event_resp mra_resp;
		struct ib_ucm_lap_event_resp lap_resp;
		struct ib_ucm_apr_event_resp apr_resp;

		struct ib_ucm_sidr_req_event_resp sidr_req_resp;
		struct ib_ucm_sidr_rep_event_resp sidr_rep_resp;

		__u32 send_status;
	} u;
};

#endif /* OFED_IB_USER_CM_H */
