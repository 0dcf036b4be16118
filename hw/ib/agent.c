// SPDX-License-Identifier: GPL-2.0
/* Which agent of a node a MAD is for, and what no agent of ours does. */
#include <kunit/visibility.h>

#include "mad.h"
#include "node.h"
#include "pma.h"
#include "sma.h"

/*
 * An HCA has others that may want it: the core answers what nobody there does. A
 * switch has nobody else (13.4.7).
 */
static enum ibf_answer not_ours(const struct ibf_port *in_port,
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
 * ibf_agent - have a node look at a MAD
 * @in_port: that it came in by; of an HCA also the one that is asked
 * @in: 256 bytes from anybody
 * @out: the reply, if there is one
 *
 * Context: any but hard interrupt.
 * Return: what became of it.
 */
enum ibf_answer ibf_agent(struct ibf_port *in_port, const struct ib_mad *in,
			  struct ib_mad *out)
{
	if (in->mad_hdr.base_version != IB_MGMT_BASE_VERSION)
		return not_ours(in_port, in, out);
	switch (in->mad_hdr.mgmt_class) {
	case IB_MGMT_CLASS_SUBN_LID_ROUTED:
	case IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE:
		return ibf_sma(in_port, (const struct ib_smp *)in,
			       (struct ib_smp *)out);
	case IB_MGMT_CLASS_PERF_MGMT:
		return ibf_pma(in_port, in, out);
	default:
		return not_ours(in_port, in, out);
	}
}
EXPORT_SYMBOL_IF_KUNIT(ibf_agent);
