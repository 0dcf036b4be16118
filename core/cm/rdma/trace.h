/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracepoints of rdma_cm, under the names and with the fields that the in-tree
 * module has: tests/vm/expected/trace-*.txt.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM rdma_cma

#if !defined(OFED_CM_TRACE_RDMA_CMA_H) || defined(TRACE_HEADER_MULTI_READ)
#define OFED_CM_TRACE_RDMA_CMA_H

#include <linux/tracepoint.h>
#include <rdma/ib_cm.h>
#include <rdma/rdma_cm.h>
#include <trace/misc/rdma.h>

#include "cma.h"

#define CMA_QP_TYPES(item, last)					\
	item(SMI) item(GSI) item(RC) item(UC) item(UD) item(RAW_IPV6)	\
	item(RAW_ETHERTYPE) item(RAW_PACKET) item(XRC_INI) last(XRC_TGT)

#define CMA_QP_VALUE(x)		TRACE_DEFINE_ENUM(IB_QPT_##x);
CMA_QP_TYPES(CMA_QP_VALUE, CMA_QP_VALUE)

#define CMA_QP_NAME(x)		{ IB_QPT_##x, #x },
#define CMA_QP_LAST_NAME(x)	{ IB_QPT_##x, #x }
#define cma_show_qp_type(x)	\
	__print_symbolic(x, CMA_QP_TYPES(CMA_QP_NAME, CMA_QP_LAST_NAME))

/* Addresses of an id: as long as any that '%pISpc' prints. */
#define CMA_ADDRESSES							\
	__array(unsigned char, srcaddr, sizeof(struct sockaddr_in6))	\
	__array(unsigned char, dstaddr, sizeof(struct sockaddr_in6))
#define CMA_COPY_ADDRESSES(id)						\
	do {								\
		memcpy(__entry->srcaddr, cma_src(id),			\
		       sizeof(struct sockaddr_in6));			\
		memcpy(__entry->dstaddr, cma_dst(id),			\
		       sizeof(struct sockaddr_in6));			\
	} while (0)
#define CMA_COPY_ID(id)							\
	do {								\
		__entry->cm_id = (id)->res.tracked.entry.id;			\
		__entry->tos = (id)->tos;				\
		CMA_COPY_ADDRESSES(id);					\
	} while (0)

/* A device may get a longer name meanwhile. */
#define cma_copy_name(field, device)					\
	strscpy(__get_str(field), (device)->name,			\
		__get_dynamic_array_len(field))

/* What happens to an id. */
DECLARE_EVENT_CLASS(cma_id_class,
	TP_PROTO(struct cma_id *id),
	TP_ARGS(id),
	TP_STRUCT__entry(
		__field(u32, cm_id)
		__field(u32, tos)
		CMA_ADDRESSES
	),
	TP_fast_assign(
		CMA_COPY_ID(id);
	),
	TP_printk("cm.id=%u src=%pISpc dst=%pISpc tos=%u",
		  __entry->cm_id, __entry->srcaddr, __entry->dstaddr,
		  __entry->tos)
);

#define CMA_ID_EVENT(name)						\
	DEFINE_EVENT(cma_id_class, cm_##name,				\
		TP_PROTO(struct cma_id *id),				\
		TP_ARGS(id))

CMA_ID_EVENT(send_rtu);
CMA_ID_EVENT(send_rej);
CMA_ID_EVENT(send_mra);
CMA_ID_EVENT(send_sidr_req);
CMA_ID_EVENT(send_sidr_rep);
CMA_ID_EVENT(disconnect);
CMA_ID_EVENT(sent_dreq);
CMA_ID_EVENT(sent_drep);
CMA_ID_EVENT(id_destroy);

/* The same, of one with a QP. */
DECLARE_EVENT_CLASS(cma_qp_class,
	TP_PROTO(struct cma_id *id),
	TP_ARGS(id),
	TP_STRUCT__entry(
		__field(u32, cm_id)
		__field(u32, tos)
		__field(u32, qp_num)
		CMA_ADDRESSES
	),
	TP_fast_assign(
		CMA_COPY_ID(id);
		__entry->qp_num = id->qp_num;
	),
	TP_printk("cm.id=%u src=%pISpc dst=%pISpc tos=%u qp_num=%u",
		  __entry->cm_id, __entry->srcaddr, __entry->dstaddr,
		  __entry->tos, __entry->qp_num)
);

#define CMA_QP_EVENT(name)						\
	DEFINE_EVENT(cma_qp_class, cm_##name,				\
		TP_PROTO(struct cma_id *id),				\
		TP_ARGS(id))

CMA_QP_EVENT(send_req);
CMA_QP_EVENT(send_rep);
CMA_QP_EVENT(qp_destroy);

/* A QP is made for an id, or cannot be made. */
TRACE_EVENT(cm_qp_create,
	TP_PROTO(struct cma_id *id, const struct ib_pd *pd,
		 const struct ib_qp_init_attr *attr, int rc),
	TP_ARGS(id, pd, attr, rc),
	TP_STRUCT__entry(
		__field(u32, cm_id) __field(u32, pd_id) __field(u32, tos)
		__field(u32, qp_num)
		__field(u32, send_wr) __field(u32, recv_wr)
		__field(int, rc)
		__field(unsigned long, qp_type)
		CMA_ADDRESSES
	),
	TP_fast_assign(
		CMA_COPY_ID(id);
		__entry->pd_id = pd->res.id;
		__entry->qp_num = rc ? 0 : id->qp_num;
		__entry->send_wr = attr->cap.max_send_wr;
		__entry->recv_wr = attr->cap.max_recv_wr;
		__entry->rc = rc;
		__entry->qp_type = attr->qp_type;
	),
	TP_printk("cm.id=%u src=%pISpc dst=%pISpc tos=%u pd.id=%u qp_type=%s send_wr=%u recv_wr=%u qp_num=%u rc=%d",
		  __entry->cm_id, __entry->srcaddr, __entry->dstaddr,
		  __entry->tos, __entry->pd_id,
		  cma_show_qp_type(__entry->qp_type), __entry->send_wr,
		  __entry->recv_wr, __entry->qp_num, __entry->rc)
);

/* A request comes in for a listening id. */
TRACE_EVENT(cm_req_handler,
	TP_PROTO(struct cma_id *id, enum ib_cm_event_type event),
	TP_ARGS(id, event),
	TP_STRUCT__entry(
		__field(u32, cm_id)
		__field(u32, tos)
		__field(unsigned long, event)
		CMA_ADDRESSES
	),
	TP_fast_assign(
		CMA_COPY_ID(id);
		__entry->event = event;
	),
	TP_printk("cm.id=%u src=%pISpc dst=%pISpc tos=%u %s (%lu)",
		  __entry->cm_id, __entry->srcaddr, __entry->dstaddr,
		  __entry->tos, rdma_show_ib_cm_event(__entry->event),
		  __entry->event)
);

/* The consumer's handler is called. */
TRACE_EVENT(cm_event_handler,
	TP_PROTO(struct cma_id *id, const struct rdma_cm_event *event),
	TP_ARGS(id, event),
	TP_STRUCT__entry(
		__field(u32, cm_id)
		__field(u32, tos)
		__field(unsigned long, event)
		__field(int, status)
		CMA_ADDRESSES
	),
	TP_fast_assign(
		CMA_COPY_ID(id);
		__entry->event = event->event;
		__entry->status = event->status;
	),
	TP_printk("cm.id=%u src=%pISpc dst=%pISpc tos=%u %s (%lu/%d)",
		  __entry->cm_id, __entry->srcaddr, __entry->dstaddr,
		  __entry->tos, rdma_show_cm_event(__entry->event),
		  __entry->event, __entry->status)
);

/* It has returned. */
TRACE_EVENT(cm_event_done,
	TP_PROTO(struct cma_id *id, const struct rdma_cm_event *event,
		 int result),
	TP_ARGS(id, event, result),
	TP_STRUCT__entry(
		__field(u32, cm_id)
		__field(u32, tos)
		__field(unsigned long, event)
		__field(int, result)
		CMA_ADDRESSES
	),
	TP_fast_assign(
		CMA_COPY_ID(id);
		__entry->event = event->event;
		__entry->result = result;
	),
	TP_printk("cm.id=%u src=%pISpc dst=%pISpc tos=%u %s consumer returns %d",
		  __entry->cm_id, __entry->srcaddr, __entry->dstaddr,
		  __entry->tos, rdma_show_cm_event(__entry->event),
		  __entry->result)
);

/* An id gets its device. */
TRACE_EVENT(cm_id_attach,
	TP_PROTO(struct cma_id *id, const struct ib_device *device),
	TP_ARGS(id, device),
	TP_STRUCT__entry(
		__field(u32, cm_id)
		CMA_ADDRESSES
		__string(devname, device->name)
	),
	TP_fast_assign(
		__entry->cm_id = id->res.tracked.entry.id;
		CMA_COPY_ADDRESSES(id);
		cma_copy_name(devname, device);
	),
	TP_printk("cm.id=%u src=%pISpc dst=%pISpc device=%s",
		  __entry->cm_id, __entry->srcaddr, __entry->dstaddr,
		  __get_str(devname))
);

/* A device comes, or goes. */
DECLARE_EVENT_CLASS(cma_device_class,
	TP_PROTO(const struct ib_device *device),
	TP_ARGS(device),
	TP_STRUCT__entry(
		__string(name, device->name)
	),
	TP_fast_assign(
		cma_copy_name(name, device);
	),
	TP_printk("device name=%s", __get_str(name))
);

#define CMA_DEVICE_EVENT(name)						\
	DEFINE_EVENT(cma_device_class, cm_##name,			\
		TP_PROTO(const struct ib_device *device),		\
		TP_ARGS(device))

CMA_DEVICE_EVENT(add_one);
CMA_DEVICE_EVENT(remove_one);

#endif /* OFED_CM_TRACE_RDMA_CMA_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH ../core/cm/rdma
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
