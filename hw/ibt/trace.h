/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracepoints of the engine, events/ibt: packets (ibt_tx, ibt_rx), states of queue pairs
 * (ibt_qp_state), retransmission (ibt_retry), NAKs in both directions (ibt_nak_tx,
 * ibt_nak_rx, ibt_rnr_tx, ibt_rnr_rx), CNPs in both directions (ibt_cnp_tx, ibt_cnp_rx),
 * path migration (ibt_path_mig).
 * Devices are shown by their index, as 'rdma dev' does.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM ibt

#if !defined(IBT_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define IBT_TRACE_H

#include <linux/tracepoint.h>
#include "dev.h"
#include "pkt.h"
#include "qp.h"

#ifndef IBT_TRACE_ONCE
#define IBT_TRACE_ONCE
/* Why a queue pair retransmits. */
enum ibt_retry_why {
	IBT_RETRY_TIMEOUT,	/* no response before the timeout */
	IBT_RETRY_NAK,		/* PSN sequence error */
	IBT_RETRY_GAP,		/* a response is missing */
	IBT_RETRY_RNR,		/* the responder has no receive WQE */
	IBT_RETRY_EARLY,	/* no response in a few round trips */
	IBT_RETRY_SELECTIVE,	/* the responder keeps the packets behind it */
};
#endif

TRACE_DEFINE_ENUM(IBT_RETRY_TIMEOUT);
TRACE_DEFINE_ENUM(IBT_RETRY_NAK);
TRACE_DEFINE_ENUM(IBT_RETRY_GAP);
TRACE_DEFINE_ENUM(IBT_RETRY_RNR);
TRACE_DEFINE_ENUM(IBT_RETRY_EARLY);
TRACE_DEFINE_ENUM(IBT_RETRY_SELECTIVE);

TRACE_DEFINE_ENUM(IB_QPS_RESET);
TRACE_DEFINE_ENUM(IB_QPS_INIT);
TRACE_DEFINE_ENUM(IB_QPS_RTR);
TRACE_DEFINE_ENUM(IB_QPS_RTS);
TRACE_DEFINE_ENUM(IB_QPS_SQD);
TRACE_DEFINE_ENUM(IB_QPS_SQE);
TRACE_DEFINE_ENUM(IB_QPS_ERR);

#define ibt_show_qp_state(state)					\
	__print_symbolic(state,						\
			 { IB_QPS_RESET, "RESET" },			\
			 { IB_QPS_INIT, "INIT" },			\
			 { IB_QPS_RTR, "RTR" },				\
			 { IB_QPS_RTS, "RTS" },				\
			 { IB_QPS_SQD, "SQD" },				\
			 { IB_QPS_SQE, "SQE" },				\
			 { IB_QPS_ERR, "ERR" })

#define ibt_show_retry(why)						\
	__print_symbolic(why,						\
			 { IBT_RETRY_TIMEOUT, "timeout" },		\
			 { IBT_RETRY_NAK, "nak" },			\
			 { IBT_RETRY_GAP, "gap" },			\
			 { IBT_RETRY_RNR, "rnr" },			\
			 { IBT_RETRY_EARLY, "early" },			\
			 { IBT_RETRY_SELECTIVE, "selective" })

DECLARE_EVENT_CLASS(ibt_packet,
	TP_PROTO(const struct ibt_dev *dev, const struct ibt_pkt *pkt),
	TP_ARGS(dev, pkt),

	TP_STRUCT__entry(
		__field(u32, dev)
		__field(u32, qpn)
		__field(u32, psn)
		__field(u32, length)
		__field(u32, msn)
		__field(u8, opcode)
		__field(u8, syndrome)
		__field(bool, ack_request)
		__field(bool, solicited)
	),

	TP_fast_assign(
		bool aeth = pkt->op->headers & IBT_AETH;

		__entry->dev = dev->soft.ib.index;
		__entry->qpn = pkt->qpn;
		__entry->psn = pkt->psn;
		__entry->length = pkt->length;
		__entry->msn = aeth ? pkt->msn : 0;
		__entry->opcode = pkt->opcode;
		__entry->syndrome = aeth ? pkt->syndrome : 0;
		__entry->ack_request = pkt->ack_request;
		__entry->solicited = pkt->solicited;
	),

	TP_printk("dev=%u opcode=0x%02x qpn=%u psn=%u length=%u syndrome=0x%02x msn=%u%s%s",
		  __entry->dev, __entry->opcode, __entry->qpn, __entry->psn,
		  __entry->length, __entry->syndrome, __entry->msn,
		  __entry->ack_request ? " ackreq" : "",
		  __entry->solicited ? " solicited" : "")
);

DEFINE_EVENT(ibt_packet, ibt_tx,
	TP_PROTO(const struct ibt_dev *dev, const struct ibt_pkt *pkt),
	TP_ARGS(dev, pkt)
);

DEFINE_EVENT(ibt_packet, ibt_rx,
	TP_PROTO(const struct ibt_dev *dev, const struct ibt_pkt *pkt),
	TP_ARGS(dev, pkt)
);

TRACE_EVENT(ibt_qp_state,
	TP_PROTO(const struct ibt_qp *qp, u8 from, u8 to),
	TP_ARGS(qp, from, to),

	TP_STRUCT__entry(
		__field(u32, dev)
		__field(u32, qpn)
		__field(u8, from)
		__field(u8, to)
	),

	TP_fast_assign(
		__entry->dev = qp->ib.device->index;
		__entry->qpn = qp->ib.qp_num;
		__entry->from = from;
		__entry->to = to;
	),

	TP_printk("dev=%u qpn=%u %s -> %s", __entry->dev, __entry->qpn,
		  ibt_show_qp_state(__entry->from),
		  ibt_show_qp_state(__entry->to))
);

TRACE_EVENT(ibt_retry,
	TP_PROTO(const struct ibt_qp *qp, u8 why, u32 psn, u8 left),
	TP_ARGS(qp, why, psn, left),

	TP_STRUCT__entry(
		__field(u32, dev)
		__field(u32, qpn)
		__field(u32, psn)
		__field(u8, why)
		__field(u8, left)
	),

	TP_fast_assign(
		__entry->dev = qp->ib.device->index;
		__entry->qpn = qp->ib.qp_num;
		__entry->psn = psn;
		__entry->why = why;
		__entry->left = left;
	),

	TP_printk("dev=%u qpn=%u %s, again from psn=%u, %u left", __entry->dev,
		  __entry->qpn, ibt_show_retry(__entry->why), __entry->psn,
		  __entry->left)
);

#define ibt_show_nak(syndrome)						\
	__print_symbolic(syndrome,					\
			 { IBT_NAK_PSN, "PSN sequence error" },		\
			 { IBT_NAK_INVALID, "invalid request" },	\
			 { IBT_NAK_ACCESS, "remote access error" },	\
			 { IBT_NAK_OPERATION, "remote operational error" })

/*
 * All packets before @psn have arrived. No packet carries a NAK between two queue pairs
 * of the same host.
 */
DECLARE_EVENT_CLASS(ibt_nak,
	TP_PROTO(const struct ibt_qp *qp, u32 psn, u8 syndrome),
	TP_ARGS(qp, psn, syndrome),

	TP_STRUCT__entry(
		__field(u32, dev)
		__field(u32, qpn)
		__field(u32, psn)
		__field(u8, syndrome)
	),

	TP_fast_assign(
		__entry->dev = qp->ib.device->index;
		__entry->qpn = qp->ib.qp_num;
		__entry->psn = psn;
		__entry->syndrome = syndrome;
	),

	TP_printk("dev=%u qpn=%u psn=%u syndrome=0x%02x %s", __entry->dev,
		  __entry->qpn, __entry->psn, __entry->syndrome,
		  ibt_show_nak(__entry->syndrome))
);

DEFINE_EVENT(ibt_nak, ibt_nak_tx,
	TP_PROTO(const struct ibt_qp *qp, u32 psn, u8 syndrome),
	TP_ARGS(qp, psn, syndrome)
);

DEFINE_EVENT(ibt_nak, ibt_nak_rx,
	TP_PROTO(const struct ibt_qp *qp, u32 psn, u8 syndrome),
	TP_ARGS(qp, psn, syndrome)
);

/* @timer: code of IBA table 45, as in min_rnr_timer of ibv_modify_qp(). */
DECLARE_EVENT_CLASS(ibt_rnr,
	TP_PROTO(const struct ibt_qp *qp, u32 psn, u8 timer),
	TP_ARGS(qp, psn, timer),

	TP_STRUCT__entry(
		__field(u32, dev)
		__field(u32, qpn)
		__field(u32, psn)
		__field(u8, timer)
	),

	TP_fast_assign(
		__entry->dev = qp->ib.device->index;
		__entry->qpn = qp->ib.qp_num;
		__entry->psn = psn;
		__entry->timer = timer;
	),

	TP_printk("dev=%u qpn=%u psn=%u timer=%u", __entry->dev, __entry->qpn,
		  __entry->psn, __entry->timer)
);

DEFINE_EVENT(ibt_rnr, ibt_rnr_tx,
	TP_PROTO(const struct ibt_qp *qp, u32 psn, u8 timer),
	TP_ARGS(qp, psn, timer)
);

DEFINE_EVENT(ibt_rnr, ibt_rnr_rx,
	TP_PROTO(const struct ibt_qp *qp, u32 psn, u8 timer),
	TP_ARGS(qp, psn, timer)
);

/* A packet of the queue pair @peer was marked on its way. */
TRACE_EVENT(ibt_cnp_tx,
	TP_PROTO(const struct ibt_qp *qp, u32 peer),
	TP_ARGS(qp, peer),

	TP_STRUCT__entry(
		__field(u32, dev)
		__field(u32, qpn)
		__field(u32, peer)
	),

	TP_fast_assign(
		__entry->dev = qp->ib.device->index;
		__entry->qpn = qp->ib.qp_num;
		__entry->peer = peer;
	),

	TP_printk("dev=%u qpn=%u peer=%u", __entry->dev, __entry->qpn, __entry->peer)
);

/* @rate: of the queue pair afterwards, bytes in a second; 0: it has no limit. */
TRACE_EVENT(ibt_cnp_rx,
	TP_PROTO(const struct ibt_qp *qp, u64 rate),
	TP_ARGS(qp, rate),

	TP_STRUCT__entry(
		__field(u64, rate)
		__field(u32, dev)
		__field(u32, qpn)
	),

	TP_fast_assign(
		__entry->rate = rate;
		__entry->dev = qp->ib.device->index;
		__entry->qpn = qp->ib.qp_num;
	),

	TP_printk("dev=%u qpn=%u rate=%llu", __entry->dev, __entry->qpn, __entry->rate)
);

TRACE_EVENT(ibt_path_mig,
	TP_PROTO(const struct ibt_qp *qp),
	TP_ARGS(qp),

	TP_STRUCT__entry(
		__field(u32, dev)
		__field(u32, qpn)
		__field(u32, port)
		__field(u32, times)
	),

	TP_fast_assign(
		__entry->dev = qp->ib.device->index;
		__entry->qpn = qp->ib.qp_num;
		__entry->port = qp->attr.port_num;
		__entry->times = qp->migrations;
	),

	TP_printk("dev=%u qpn=%u to the alternate path by port=%u, migrations=%u",
		  __entry->dev, __entry->qpn, __entry->port, __entry->times)
);

#endif /* IBT_TRACE_H */

/* Relative to this project's include/, which is on the compiler's path. */
#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH ../hw/ibt
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
