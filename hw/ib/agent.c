// SPDX-License-Identifier: GPL-2.0
/* Which agent of a node handles a MAD, and the reply to a MAD without an agent. */
#include <kunit/visibility.h>

#include "mad.h"
#include "node.h"
#include "pma.h"
#include "sma.h"

/*
 * A MAD that neither the SMA nor the PMA handles. At an HCA it is passed on: agents
 * of user space or the core may take it, and the core replies to the rest. A switch
 * has no other agents, so an unsupported class is refused here (13.4.7).
 */
static enum ibf_answer ibf_not_ours(const struct ibf_port *in_port,
				    const struct ib_mad *in, struct ib_mad *out)
{
	const struct ib_mad_hdr *hdr = &in->mad_hdr;

	if (!in_port->node->is_switch)
		return IBF_PASS;
	if (hdr->method != IB_MGMT_METHOD_GET &&
	    hdr->method != IB_MGMT_METHOD_SET)
		return IBF_CONSUMED;
	*out = *in;
	out->mad_hdr.method = IB_MGMT_METHOD_GET_RESP;
	out->mad_hdr.status = cpu_to_be16(IBF_MAD_BAD_VERSION);
	return IBF_REPLY;
}

/**
 * ibf_agent - pass a MAD to the agent of a node that handles its class
 * @in_port: port that received the MAD; at an HCA also the port that it addresses
 * @in: the MAD, 256 unchecked bytes from the network
 * @out: filled with the reply when IBF_REPLY is returned
 *
 * Context: any but hard interrupt.
 * Return: IBF_PASS, IBF_CONSUMED or IBF_REPLY.
 */
enum ibf_answer ibf_agent(struct ibf_port *in_port, const struct ib_mad *in,
			  struct ib_mad *out)
{
	if (in->mad_hdr.base_version != IB_MGMT_BASE_VERSION)
		return ibf_not_ours(in_port, in, out);
	switch (in->mad_hdr.mgmt_class) {
	case IB_MGMT_CLASS_SUBN_LID_ROUTED:
	case IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE:
		return ibf_sma(in_port, (const struct ib_smp *)in,
			       (struct ib_smp *)out);
	case IB_MGMT_CLASS_PERF_MGMT:
		return ibf_pma(in_port, in, out);
	default:
		return ibf_not_ours(in_port, in, out);
	}
}
EXPORT_SYMBOL_IF_KUNIT(ibf_agent);
