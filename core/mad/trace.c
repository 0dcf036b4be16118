// SPDX-License-Identifier: GPL-2.0
/* What is traced of MADs, put into the structs of <trace/events/ib_mad.h>. */
#include <rdma/ib_mad.h>
#include <rdma/ib_smi.h>
#include <rdma/opa_smi.h>

#include "priv.h"
#include "trace.h"

/* struct ib_mad_send_buf, as it is traced. */
struct mad_traced_buf {
	int hdr_len;
	int data_len;
	void *mad;
};

/**
 * struct ib_mad_send_wr_private - a send, as it is traced
 * @mad_agent_priv: its agent
 * @send_buf: its MAD, as it goes out
 * @tid: as it was posted
 * @timeout: for the response, in jiffies
 * @max_retries: that it may take
 * @retries_left: of them
 * @retry: 0; readers know retries by @retries_left
 * @send: the send itself
 */
struct ib_mad_send_wr_private {
	struct ib_mad_agent_private *mad_agent_priv;
	struct mad_traced_buf send_buf;
	__be64 tid;
	unsigned long timeout;
	int max_retries;
	int retries_left;
	int retry;
	const struct mad_send *send;
};

#define CREATE_TRACE_POINTS
#include <trace/events/ib_mad.h>

/* Where the send goes; called by the header. */
static void
create_mad_addr_info(struct ib_mad_send_wr_private *mad_send_wr,
		     struct ib_mad_qp_info *qp_info,
		     struct trace_event_raw_ib_mad_send_template *entry)
{
	const struct mad_send *send = mad_send_wr->send;
	struct rdma_ah_attr attr = {};

	if (send->buf.ah)
		rdma_query_ah(send->buf.ah, &attr);
	entry->sl = rdma_ah_get_sl(&attr);
	entry->dlid = rdma_ah_get_dlid(&attr);
	entry->rqpn = send->wr.remote_qpn;
	entry->rqkey = send->wr.remote_qkey;
}

static void mad_send_view(struct ib_mad_send_wr_private *view,
			  struct mad_send *send)
{
	*view = (struct ib_mad_send_wr_private){
		.mad_agent_priv = &send->agent->traced,
		.send_buf = {
			.hdr_len = send->buf.hdr_len,
			.data_len = send->buf.data_len,
			.mad = send->image,
		},
		.tid = send->tid,
		.timeout = send->timeout,
		.max_retries = send->retries,
		.retries_left = send->retries_left,
		.send = send,
	};
}

static void mad_agent_view(struct ib_mad_agent_private *view,
			   struct mad_traced_class *class,
			   const struct mad_agent *agent)
{
	*class = (struct mad_traced_class){
		.mgmt_class = agent->reg.mgmt_class,
		.mgmt_class_version = agent->reg.version,
	};
	*view = (struct ib_mad_agent_private){
		.agent = {
			.device = agent->pub.device,
			.port_num = agent->pub.port_num,
			.hi_tid = agent->pub.hi_tid,
		},
		.reg_req = class,
	};
}

void mad_do_trace_created(const struct mad_agent *agent)
{
	struct ib_mad_agent_private view;
	struct mad_traced_class class;

	mad_agent_view(&view, &class, agent);
	trace_ib_mad_create_agent(&view);
}

void mad_do_trace_destroyed(const struct mad_agent *agent)
{
	struct ib_mad_agent_private view;
	struct mad_traced_class class;

	mad_agent_view(&view, &class, agent);
	trace_ib_mad_unregister_agent(&view);
}

void mad_do_trace_routed(const struct mad_agent *agent)
{
	struct ib_mad_agent_private view;
	struct mad_traced_class class;

	mad_agent_view(&view, &class, agent);
	trace_ib_mad_recv_done_agent(&view);
}

void mad_do_trace_received(const struct mad_qp *q, struct mad_recv *recv)
{
	struct ib_mad_port_private port = {
		.device = q->port->device,
		.port_num = q->port->num,
	};
	struct ib_mad_qp_info qp = { .qp = q->qp, .port_priv = &port };

	trace_ib_mad_recv_done_handler(&qp, &recv->wc, mad_recv_hdr(recv));
}

void mad_do_trace_send(struct mad_send *send)
{
	struct ib_mad_send_wr_private view;

	mad_send_view(&view, send);
	trace_ib_mad_ib_send_mad(&view, &send->agent->traced.qp);
}

void mad_do_trace_resend(struct mad_send *send)
{
	struct ib_mad_send_wr_private view;

	mad_send_view(&view, send);
	trace_ib_mad_send_done_resend(&view, &send->agent->traced.qp);
}

void mad_do_trace_sent(struct mad_send *send, struct ib_wc *wc)
{
	struct ib_mad_send_wr_private view;
	struct ib_mad_agent_private agent;
	struct mad_traced_class class;

	mad_agent_view(&agent, &class, send->agent);
	trace_ib_mad_send_done_agent(&agent);
	mad_send_view(&view, send);
	trace_ib_mad_send_done_handler(&view, wc);
}

void mad_do_trace_failed(struct mad_send *send)
{
	struct ib_mad_send_wr_private view;

	mad_send_view(&view, send);
	trace_ib_mad_error_handler(&view, &send->agent->traced.qp);
}

void mad_do_trace_smp_in(struct ib_mad_hdr *hdr)
{
	if (hdr->base_version == OPA_MGMT_BASE_VERSION)
		trace_ib_mad_handle_opa_smi((struct opa_smp *)hdr);
	else
		trace_ib_mad_handle_ib_smi((struct ib_smp *)hdr);
}

void mad_do_trace_smp_out(struct ib_mad_hdr *hdr)
{
	if (hdr->base_version == OPA_MGMT_BASE_VERSION)
		trace_ib_mad_handle_out_opa_smi((struct opa_smp *)hdr);
	else
		trace_ib_mad_handle_out_ib_smi((struct ib_smp *)hdr);
}
