// SPDX-License-Identifier: GPL-2.0
/*
 * The way of a received MAD: the driver's own agents first (process_mad), then
 * the agent that it is a response for, or that has registered for its kind. One work
 * item at a time goes this way per port, that of the CQ; and the port's work
 * item for SMPs that never left.
 */
#include "priv.h"
#include "smi.h"

/**
 * mad_hand_to - give a received MAD to the agent it is for
 * @agent: kept by the caller
 * @recv: one MAD; not the caller's any more
 */
void mad_hand_to(struct mad_agent *agent, struct mad_recv *recv)
{
	if (!agent->pub.recv_handler ||
	    !mad_recv_charge(recv, agent->quota))
		mad_recv_free(recv);
	else if (ib_mad_kernel_rmpp_agent(&agent->pub) && mad_is_active_rmpp(recv))
		rmpp_receive(agent, recv);
	else
		mad_deliver(agent, recv);
}

/* Tell the sender of a Get or Set that no agent here handles its method. */
static void mad_reject_unregistered(struct mad_port *port, struct mad_recv *recv)
{
	struct ib_mad_hdr *hdr = mad_recv_hdr(recv);

	if (hdr->method != IB_MGMT_METHOD_GET &&
	    hdr->method != IB_MGMT_METHOD_SET)
		return;
	hdr->method = IB_MGMT_METHOD_GET_RESP;
	hdr->status = cpu_to_be16(IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD_ATTRIB);
	if (hdr->mgmt_class == IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE)
		hdr->status |= IB_SMP_DIRECTION;
	mad_send_error_reply(port, recv);
}

/**
 * mad_route - find the agent for a received MAD
 * @q: QP that it came in by
 * @recv: the MAD; not the caller's any more
 * @send_error: without an agent for it, send an error to the sender
 */
void mad_route(struct mad_qp *q, struct mad_recv *recv, bool send_error)
{
	struct mad_agent *agent = mad_agent_find(q, mad_recv_hdr(recv));

	if (agent) {
		mad_trace_routed(agent);
		mad_hand_to(agent, recv);
		mad_agent_put(agent);
		return;
	}
	if (send_error)
		mad_reject_unregistered(q->port, recv);
	mad_recv_free(recv);
}

/* For this node, as far as its directed route says? */
static bool mad_arrives_here(const struct mad_port *port, struct mad_recv *recv)
{
	struct ib_mad_hdr *hdr = mad_recv_hdr(recv);

	if (hdr->mgmt_class != IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE)
		return true;
	mad_trace_smp_in(hdr);
	return smi_incoming((struct ib_smp *)hdr, port->num) == SMI_HERE;
}

/*
 * Ask the driver. Returns enum ib_mad_result; its reply is sent, with the P_Key that
 * the driver names: on Omni-Path a node may answer with another than it was asked with.
 */
static int mad_process_by_driver(struct mad_port *port, const struct mad_recv *recv)
{
	struct ib_device *device = port->device;
	u16 pkey_index = recv->wc.pkey_index;
	const struct ib_mad_hdr *reply = &port->reply->mad_hdr;
	size_t size = port->mad_size;
	int result;

	if (!device->ops.process_mad)
		return IB_MAD_RESULT_SUCCESS;
	memset(port->reply, 0, port->mad_size);
	result = device->ops.process_mad(device, 0, port->num, &recv->wc,
					 &recv->grh,
					 (const struct ib_mad *)recv->mad,
					 port->reply, &size, &pkey_index);
	if (result & IB_MAD_RESULT_SUCCESS && result & IB_MAD_RESULT_REPLY &&
	    !(result & IB_MAD_RESULT_CONSUMED))
		/* Only drivers for Omni-Path set the size. */
		mad_reply(port, recv, reply,
			  clamp(size, sizeof(*reply),
				mad_full_size(port, reply->base_version)), pkey_index);
	return result;
}

/**
 * mad_dispatch - a MAD has come in
 * @q: QP that it came in by
 * @recv: the MAD, which mad_valid() has passed; not the caller's any more
 *
 * Context: the work item of the port's CQ.
 */
void mad_dispatch(struct mad_qp *q, struct mad_recv *recv)
{
	const int taken = IB_MAD_RESULT_REPLY | IB_MAD_RESULT_CONSUMED;
	int result;

	mad_trace_received(q, recv);
	if (!mad_arrives_here(q->port, recv)) {
		mad_recv_free(recv);
		return;
	}
	result = mad_process_by_driver(q->port, recv);
	if (result & IB_MAD_RESULT_SUCCESS && result & taken)
		mad_recv_free(recv);
	else
		mad_route(q, recv, result & IB_MAD_RESULT_SUCCESS);
}
