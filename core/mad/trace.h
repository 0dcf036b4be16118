/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tracepoints of the kernel's own <trace/events/ib_mad.h>, as the MAD layer
 * uses them.
 *
 * That header reads members of four structs of the in-tree MAD layer. Structs
 * of the same names are here, with these members and no others, and what is
 * traced is copied into them, only when the tracepoint is on. The agent's
 * struct is permanent, since the events contain its address.
 */
#ifndef OFED_CORE_MAD_TRACE_H
#define OFED_CORE_MAD_TRACE_H

#include <linux/tracepoint-defs.h>
#include <linux/types.h>

struct ib_device;
struct ib_mad_hdr;
struct ib_qp;
struct ib_wc;
struct mad_agent;
struct mad_qp;
struct mad_recv;
struct mad_send;

/**
 * struct ib_mad_port_private - a port, as it is traced
 * @device: its device
 * @port_num: its number
 */
struct ib_mad_port_private {
	struct ib_device *device;
	u32 port_num;
};

/**
 * struct ib_mad_qp_info - QP0 or QP1, as it is traced
 * @qp: the QP
 * @port_priv: its port
 */
struct ib_mad_qp_info {
	struct ib_qp *qp;
	struct ib_mad_port_private *port_priv;
};

/**
 * struct mad_traced_class - what an agent has registered for
 * @mgmt_class: class, 0 for none
 * @mgmt_class_version: of the class
 */
struct mad_traced_class {
	u8 mgmt_class;
	u8 mgmt_class_version;
};

/**
 * struct ib_mad_agent_private - an agent, as it is traced
 * @agent: device, port and upper half of the TIDs
 * @qp_info: leads to @qp
 * @reg_req: what it has registered for; not in the agent's own
 * @qp: QP that it sends by
 */
struct ib_mad_agent_private {
	struct {
		struct ib_device *device;
		u32 port_num;
		u32 hi_tid;
	} agent;
	struct ib_mad_qp_info *qp_info;
	struct mad_traced_class *reg_req;
	struct ib_mad_qp_info qp;
};

DECLARE_TRACEPOINT(ib_mad_create_agent);
DECLARE_TRACEPOINT(ib_mad_unregister_agent);
DECLARE_TRACEPOINT(ib_mad_recv_done_agent);
DECLARE_TRACEPOINT(ib_mad_recv_done_handler);
DECLARE_TRACEPOINT(ib_mad_ib_send_mad);
DECLARE_TRACEPOINT(ib_mad_send_done_resend);
DECLARE_TRACEPOINT(ib_mad_send_done_agent);
DECLARE_TRACEPOINT(ib_mad_send_done_handler);
DECLARE_TRACEPOINT(ib_mad_error_handler);
DECLARE_TRACEPOINT(ib_mad_handle_ib_smi);
DECLARE_TRACEPOINT(ib_mad_handle_opa_smi);
DECLARE_TRACEPOINT(ib_mad_handle_out_ib_smi);
DECLARE_TRACEPOINT(ib_mad_handle_out_opa_smi);

void mad_do_trace_created(const struct mad_agent *agent);
void mad_do_trace_destroyed(const struct mad_agent *agent);
void mad_do_trace_routed(const struct mad_agent *agent);
void mad_do_trace_received(const struct mad_qp *q, struct mad_recv *recv);
void mad_do_trace_send(struct mad_send *send);
void mad_do_trace_resend(struct mad_send *send);
void mad_do_trace_sent(struct mad_send *send, struct ib_wc *wc);
void mad_do_trace_failed(struct mad_send *send);
void mad_do_trace_smp_in(struct ib_mad_hdr *hdr);
void mad_do_trace_smp_out(struct ib_mad_hdr *hdr);

/* An agent is there. */
static inline void mad_trace_created(const struct mad_agent *agent)
{
	if (tracepoint_enabled(ib_mad_create_agent))
		mad_do_trace_created(agent);
}

/* It is about to end. */
static inline void mad_trace_destroyed(const struct mad_agent *agent)
{
	if (tracepoint_enabled(ib_mad_unregister_agent))
		mad_do_trace_destroyed(agent);
}

/* A received MAD is for it. */
static inline void mad_trace_routed(const struct mad_agent *agent)
{
	if (tracepoint_enabled(ib_mad_recv_done_agent))
		mad_do_trace_routed(agent);
}

/* A MAD has come in. */
static inline void mad_trace_received(const struct mad_qp *q,
				      struct mad_recv *recv)
{
	if (tracepoint_enabled(ib_mad_recv_done_handler))
		mad_do_trace_received(q, recv);
}

/* A MAD goes to the send queue, mapped. */
static inline void mad_trace_send(struct mad_send *send)
{
	if (tracepoint_enabled(ib_mad_ib_send_mad))
		mad_do_trace_send(send);
}

/* A MAD that has waited for the send queue goes to it. */
static inline void mad_trace_resend(struct mad_send *send)
{
	if (tracepoint_enabled(ib_mad_send_done_resend))
		mad_do_trace_resend(send);
}

/* A MAD comes back from the send queue. */
static inline void mad_trace_sent(struct mad_send *send, struct ib_wc *wc)
{
	if (tracepoint_enabled(ib_mad_send_done_agent) ||
	    tracepoint_enabled(ib_mad_send_done_handler))
		mad_do_trace_sent(send, wc);
}

/* It was not sent. */
static inline void mad_trace_failed(struct mad_send *send)
{
	if (tracepoint_enabled(ib_mad_error_handler))
		mad_do_trace_failed(send);
}

/* A directed-route SMP has come in; its hop pointer is that of the wire. */
static inline void mad_trace_smp_in(struct ib_mad_hdr *hdr)
{
	if (tracepoint_enabled(ib_mad_handle_ib_smi) ||
	    tracepoint_enabled(ib_mad_handle_opa_smi))
		mad_do_trace_smp_in(hdr);
}

/* A directed-route SMP is to be sent; its hop pointer is the consumer's. */
static inline void mad_trace_smp_out(struct ib_mad_hdr *hdr)
{
	if (tracepoint_enabled(ib_mad_handle_out_ib_smi) ||
	    tracepoint_enabled(ib_mad_handle_out_opa_smi))
		mad_do_trace_smp_out(hdr);
}

#endif /* OFED_CORE_MAD_TRACE_H */
