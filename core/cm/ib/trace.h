/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracepoints of the InfiniBand CM, under the names and with the fields that the
 * in-tree ib_cm has: tests/vm/expected/trace-*.txt.
 *
 * Communication ids are in the byte order of the wire, as there.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM ib_cma

#if !defined(OFED_CM_TRACE_IB_CMA_H) || defined(TRACE_HEADER_MULTI_READ)
#define OFED_CM_TRACE_IB_CMA_H

#include <linux/tracepoint.h>
#include <rdma/ib_cm.h>
#include <trace/misc/rdma.h>


#define ICM_STATES(item, last)						\
	item(IDLE) item(LISTEN) item(REQ_SENT) item(REQ_RCVD)		\
	item(MRA_REQ_SENT) item(MRA_REQ_RCVD) item(REP_SENT)		\
	item(REP_RCVD) item(MRA_REP_SENT) item(MRA_REP_RCVD)		\
	item(ESTABLISHED) item(DREQ_SENT) item(DREQ_RCVD)		\
	item(TIMEWAIT) item(SIDR_REQ_SENT) last(SIDR_REQ_RCVD)

#define ICM_LAP_STATES(item, last)					\
	item(LAP_UNINIT) item(LAP_IDLE) item(LAP_SENT) item(LAP_RCVD)	\
	item(MRA_LAP_SENT) last(MRA_LAP_RCVD)

#define ICM_REJ_REASONS(item, last)					\
	item(REJ_NO_QP) item(REJ_NO_EEC) item(REJ_NO_RESOURCES)		\
	item(REJ_TIMEOUT) item(REJ_UNSUPPORTED)				\
	item(REJ_INVALID_COMM_ID) item(REJ_INVALID_COMM_INSTANCE)	\
	item(REJ_INVALID_SERVICE_ID) item(REJ_INVALID_TRANSPORT_TYPE)	\
	item(REJ_STALE_CONN) item(REJ_RDC_NOT_EXIST)			\
	item(REJ_INVALID_GID) item(REJ_INVALID_LID)			\
	item(REJ_INVALID_SL) item(REJ_INVALID_TRAFFIC_CLASS)		\
	item(REJ_INVALID_HOP_LIMIT) item(REJ_INVALID_PACKET_RATE)	\
	item(REJ_INVALID_ALT_GID) item(REJ_INVALID_ALT_LID)		\
	item(REJ_INVALID_ALT_SL) item(REJ_INVALID_ALT_TRAFFIC_CLASS)	\
	item(REJ_INVALID_ALT_HOP_LIMIT)					\
	item(REJ_INVALID_ALT_PACKET_RATE)				\
	item(REJ_PORT_CM_REDIRECT) item(REJ_PORT_REDIRECT)		\
	item(REJ_INVALID_MTU) item(REJ_INSUFFICIENT_RESP_RESOURCES)	\
	item(REJ_CONSUMER_DEFINED) item(REJ_INVALID_RNR_RETRY)		\
	item(REJ_DUPLICATE_LOCAL_COMM_ID)				\
	item(REJ_INVALID_CLASS_VERSION) item(REJ_INVALID_FLOW_LABEL)	\
	item(REJ_INVALID_ALT_FLOW_LABEL)				\
	last(REJ_VENDOR_OPTION_NOT_SUPPORTED)

/* Programs that read the events do not know the enums: their values are told. */
#define ICM_VALUE(x)		TRACE_DEFINE_ENUM(IB_CM_##x);
ICM_STATES(ICM_VALUE, ICM_VALUE)
ICM_LAP_STATES(ICM_VALUE, ICM_VALUE)
ICM_REJ_REASONS(ICM_VALUE, ICM_VALUE)

#define ICM_NAME(x)		{ IB_CM_##x, #x },
#define ICM_LAST_NAME(x)	{ IB_CM_##x, #x }
#define icm_show_state(x)	\
	__print_symbolic(x, ICM_STATES(ICM_NAME, ICM_LAST_NAME))
#define icm_show_lap_state(x)	\
	__print_symbolic(x, ICM_LAP_STATES(ICM_NAME, ICM_LAST_NAME))
#define icm_show_reason(x)	\
	__print_symbolic(x, ICM_REJ_REASONS(ICM_NAME, ICM_LAST_NAME))

/* What several events have; the ids are of one type or another. */
#define ICM_NAMES_FIELDS(number)					\
	__field(number, local_id)					\
	__field(number, remote_id)
#define ICM_ID_FIELDS(number)						\
	__field(const void *, cm_id)					\
	ICM_NAMES_FIELDS(number)					\
	__field(unsigned long, state)

/* An id, as it is when the event happens. */
DECLARE_EVENT_CLASS(icm_id_class,
	TP_PROTO(const struct ib_cm_id *id),
	TP_ARGS(id),
	TP_STRUCT__entry(
		ICM_ID_FIELDS(unsigned int)
		__field(unsigned long, lap_state)
	),
	TP_fast_assign(
		__entry->cm_id = id;
		__entry->local_id = (__force u32)id->local_id;
		__entry->remote_id = (__force u32)id->remote_id;
		__entry->state = id->state;
		__entry->lap_state = id->lap_state;
	),
	TP_printk("local_id=%u remote_id=%u state=%s lap_state=%s",
		  __entry->local_id, __entry->remote_id,
		  icm_show_state(__entry->state),
		  icm_show_lap_state(__entry->lap_state))
);

#define ICM_ID_EVENT(name)						\
	DEFINE_EVENT(icm_id_class, icm_##name,				\
		TP_PROTO(const struct ib_cm_id *id),			\
		TP_ARGS(id))

/* A message is about to be sent. */
ICM_ID_EVENT(send_req);
ICM_ID_EVENT(send_rep);
ICM_ID_EVENT(send_rtu);
ICM_ID_EVENT(send_mra);
ICM_ID_EVENT(send_dreq);
ICM_ID_EVENT(send_drep);
ICM_ID_EVENT(send_sidr_req);
ICM_ID_EVENT(send_sidr_rep);
/* The answer to a message that has come again. */
ICM_ID_EVENT(send_dup_req);
ICM_ID_EVENT(send_dup_rep);
/* A call that the state does not permit. */
ICM_ID_EVENT(send_cm_rtu_err);
ICM_ID_EVENT(send_mra_unknown_err);
ICM_ID_EVENT(send_unknown_rej_err);
ICM_ID_EVENT(send_drep_err);
ICM_ID_EVENT(dreq_skipped);
ICM_ID_EVENT(establish_err);
ICM_ID_EVENT(qp_init_err);
ICM_ID_EVENT(qp_rtr_err);
ICM_ID_EVENT(qp_rts_err);
/* A message that the state does not permit. */
ICM_ID_EVENT(mra_unknown_err);
ICM_ID_EVENT(rej_unknown_err);
ICM_ID_EVENT(dreq_unknown_err);

TRACE_EVENT(icm_send_rej,
	TP_PROTO(const struct ib_cm_id *id, enum ib_cm_rej_reason reason),
	TP_ARGS(id, reason),
	TP_STRUCT__entry(
		ICM_ID_FIELDS(u32)
		__field(unsigned long, reason)
	),
	TP_fast_assign(
		__entry->cm_id = id;
		__entry->local_id = (__force u32)id->local_id;
		__entry->remote_id = (__force u32)id->remote_id;
		__entry->state = id->state;
		__entry->reason = reason;
	),
	TP_printk("local_id=%u remote_id=%u state=%s reason=%s",
		  __entry->local_id, __entry->remote_id,
		  icm_show_state(__entry->state),
		  icm_show_reason(__entry->reason))
);

/*
 * A REQ for a service that has no listener. No id is made for it: the event has the
 * peer's alone, and the state that one would be in.
 */
TRACE_EVENT(icm_no_listener_err,
	TP_PROTO(__be32 remote_id),
	TP_ARGS(remote_id),
	TP_STRUCT__entry(
		ICM_ID_FIELDS(unsigned int)
		__field(unsigned long, lap_state)
	),
	TP_fast_assign(
		__entry->cm_id = NULL;
		__entry->local_id = 0;
		__entry->remote_id = (__force u32)remote_id;
		__entry->state = IB_CM_REQ_RCVD;
		__entry->lap_state = IB_CM_LAP_UNINIT;
	),
	TP_printk("local_id=%u remote_id=%u state=%s lap_state=%s",
		  __entry->local_id, __entry->remote_id,
		  icm_show_state(__entry->state),
		  icm_show_lap_state(__entry->lap_state))
);

/* The ids of a message. */
DECLARE_EVENT_CLASS(icm_names_class,
	TP_PROTO(__be32 local_id, __be32 remote_id),
	TP_ARGS(local_id, remote_id),
	TP_STRUCT__entry(
		ICM_NAMES_FIELDS(unsigned int)
	),
	TP_fast_assign(
		__entry->local_id = (__force u32)local_id;
		__entry->remote_id = (__force u32)remote_id;
	),
	TP_printk("local_id=%u remote_id=%u",
		  __entry->local_id, __entry->remote_id)
);

#define ICM_NAMES_EVENT(name)						\
	DEFINE_EVENT(icm_names_class, icm_##name,			\
		TP_PROTO(__be32 local_id, __be32 remote_id),		\
		TP_ARGS(local_id, remote_id))

/* A message is answered without an id of its own. */
ICM_NAMES_EVENT(issue_rej);
ICM_NAMES_EVENT(issue_drep);
/* A REP of a QP that has another connection. */
ICM_NAMES_EVENT(staleconn_err);
/* A DREQ for an id that is not there. */
ICM_NAMES_EVENT(no_priv_err);

/* A REP, by the sender's id. */
DECLARE_EVENT_CLASS(icm_remote_class,
	TP_PROTO(__be32 remote_id),
	TP_ARGS(remote_id),
	TP_STRUCT__entry(
		__field(u32, remote_id)
	),
	TP_fast_assign(
		__entry->remote_id = (__force u32)remote_id;
	),
	TP_printk("remote_id=%u", __entry->remote_id)
);

#define ICM_REMOTE_EVENT(name)						\
	DEFINE_EVENT(icm_remote_class, icm_##name,			\
		TP_PROTO(__be32 remote_id),				\
		TP_ARGS(remote_id))

/* For an id that is not there. */
ICM_REMOTE_EVENT(remote_no_priv_err);
/* Of a remote end that is known already. */
ICM_REMOTE_EVENT(insert_failed_err);

/* A REP that the state does not permit. */
TRACE_EVENT(icm_rep_unknown_err,
	TP_PROTO(__be32 local_id, __be32 remote_id, enum ib_cm_state state),
	TP_ARGS(local_id, remote_id, state),
	TP_STRUCT__entry(
		ICM_NAMES_FIELDS(unsigned int)
		__field(unsigned long, state)
	),
	TP_fast_assign(
		__entry->local_id = (__force u32)local_id;
		__entry->remote_id = (__force u32)remote_id;
		__entry->state = state;
	),
	TP_printk("local_id=%u remote_id=%u state=%s",
		  __entry->local_id, __entry->remote_id,
		  icm_show_state(__entry->state))
);

/* A call for a REP that the state does not permit. */
TRACE_EVENT(icm_send_rep_err,
	TP_PROTO(__be32 local_id, enum ib_cm_state state),
	TP_ARGS(local_id, state),
	TP_STRUCT__entry(
		__field(unsigned int, local_id)
		__field(unsigned long, state)
	),
	TP_fast_assign(
		__entry->local_id = (__force u32)local_id;
		__entry->state = state;
	),
	TP_printk("local_id=%u state=%s", __entry->local_id,
		  icm_show_state(__entry->state))
);

/* A request has got no answer, or was not sent. */
TRACE_EVENT(icm_mad_send_err,
	TP_PROTO(enum ib_wc_status status, enum ib_cm_state state),
	TP_ARGS(status, state),
	TP_STRUCT__entry(
		__field(unsigned long, state)
		__field(unsigned long, wc_status)
	),
	TP_fast_assign(
		__entry->wc_status = status;
		__entry->state = state;
	),
	TP_printk("state=%s completion status=%s",
		  icm_show_state(__entry->state),
		  rdma_show_wc_status(__entry->wc_status))
);

/* An event that the CM does not know. There is none: tools ask for it by name. */
TRACE_EVENT(icm_handler_err,
	TP_PROTO(enum ib_cm_event_type type),
	TP_ARGS(type),
	TP_STRUCT__entry(
		__field(unsigned long, event)
	),
	TP_fast_assign(
		__entry->event = type;
	),
	TP_printk("unhandled event=%s",
		  rdma_show_ib_cm_event(__entry->event))
);

#endif /* OFED_CM_TRACE_IB_CMA_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH ../core/cm/ib
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
