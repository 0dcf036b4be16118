// SPDX-License-Identifier: GPL-2.0
/* Performance management agent (section 16.1): the counters of ports. */
#include "fabric.h"
#include "mad.h"
#include "node.h"
#include "pma.h"

static u64 ibf_pma_capped(const struct ibf_selection *ports, enum ibf_count count,
			  u64 most)
{
	return min(ibf_pma_value(ports, count), most);
}

/* ---- PortCounters ---------------------------------------------------------------- */

/* Bits of CounterSelect. */
static const struct {
	u16 bit;
	enum ibf_count count;
} selects[] = {
	{ 0x0001, IBF_SYMBOL_ERRORS },
	{ 0x0002, IBF_LINK_RECOVERED },
	{ 0x0004, IBF_LINK_DOWNED },
	{ 0x0008, IBF_RCV_ERRORS },
	{ 0x0020, IBF_RELAY_ERRORS },
	{ 0x0040, IBF_XMIT_DISCARDS },
	{ 0x0080, IBF_XMIT_CONSTRAINT },
	{ 0x0100, IBF_RCV_CONSTRAINT },
	{ 0x0200, IBF_INTEGRITY_ERRORS },
	{ 0x0400, IBF_OVERRUNS },
	{ 0x0800, IBF_VL15_DROPPED },
	{ 0x1000, IBF_XMIT_DATA },
	{ 0x2000, IBF_RCV_DATA },
	{ 0x4000, IBF_XMIT_PKTS },
	{ 0x8000, IBF_RCV_PKTS },
};

static void ibf_fill_counters(const struct ibf_selection *ports,
			      struct ib_pma_portcounters *to)
{
	to->symbol_error_counter =
		cpu_to_be16(ibf_pma_capped(ports, IBF_SYMBOL_ERRORS, U16_MAX));
	to->link_error_recovery_counter =
		ibf_pma_capped(ports, IBF_LINK_RECOVERED, U8_MAX);
	to->link_overrun_errors = ibf_pma_capped(ports, IBF_INTEGRITY_ERRORS, 15) << 4 |
				  ibf_pma_capped(ports, IBF_OVERRUNS, 15);
	to->link_downed_counter = ibf_pma_capped(ports, IBF_LINK_DOWNED, U8_MAX);
	to->port_rcv_errors =
		cpu_to_be16(ibf_pma_capped(ports, IBF_RCV_ERRORS, U16_MAX));
	to->port_rcv_switch_relay_errors =
		cpu_to_be16(ibf_pma_capped(ports, IBF_RELAY_ERRORS, U16_MAX));
	to->port_xmit_discards =
		cpu_to_be16(ibf_pma_capped(ports, IBF_XMIT_DISCARDS, U16_MAX));
	to->port_xmit_constraint_errors =
		ibf_pma_capped(ports, IBF_XMIT_CONSTRAINT, U8_MAX);
	to->port_rcv_constraint_errors =
		ibf_pma_capped(ports, IBF_RCV_CONSTRAINT, U8_MAX);
	to->vl15_dropped =
		cpu_to_be16(ibf_pma_capped(ports, IBF_VL15_DROPPED, U16_MAX));
	to->port_xmit_data = cpu_to_be32(ibf_pma_capped(ports, IBF_XMIT_DATA, U32_MAX));
	to->port_rcv_data = cpu_to_be32(ibf_pma_capped(ports, IBF_RCV_DATA, U32_MAX));
	to->port_xmit_packets =
		cpu_to_be32(ibf_pma_capped(ports, IBF_XMIT_PKTS, U32_MAX));
	to->port_rcv_packets =
		cpu_to_be32(ibf_pma_capped(ports, IBF_RCV_PKTS, U32_MAX));
	to->port_xmit_wait = cpu_to_be32(ibf_pma_capped(ports, IBF_XMIT_WAIT, U32_MAX));
}

static u16 ibf_port_counters(struct ibf_port *in_port, u8 *data, bool set)
{
	struct ib_pma_portcounters *counters = (void *)data;
	struct ib_pma_portcounters asked = *counters;
	u16 which = be16_to_cpu(asked.counter_select);
	struct ibf_selection ports;
	u32 i;

	if (!ibf_pma_select(in_port, asked.port_select, &ports))
		return IBF_SMP_BAD_FIELD;
	for (i = 0; set && i < ARRAY_SIZE(selects); i++)
		if (which & selects[i].bit)
			ibf_pma_clear(&ports, selects[i].count);
	/* PortXmitWait has its bit in the second field of that name. */
	if (set && asked.reserved1 & 1)
		ibf_pma_clear(&ports, IBF_XMIT_WAIT);
	memset(data, 0, sizeof_field(struct ib_pma_mad, data));
	counters->port_select = asked.port_select;
	counters->counter_select = asked.counter_select;
	ibf_fill_counters(&ports, counters);
	return 0;
}

/* ---- PortCountersExtended -------------------------------------------------------------- */

/* By the bit of CounterSelect, and by the place in the attribute. */
static const enum ibf_count extended[] = {
	IBF_XMIT_DATA, IBF_RCV_DATA, IBF_XMIT_PKTS, IBF_RCV_PKTS,
	IBF_UNICAST_XMIT, IBF_UNICAST_RCV, IBF_MCAST_XMIT, IBF_MCAST_RCV,
};

static u16 ibf_port_counters_ext(struct ibf_port *in_port, u8 *data, bool set)
{
	struct ib_pma_portcounters_ext *counters = (void *)data;
	struct ib_pma_portcounters_ext asked = *counters;
	u16 which = be16_to_cpu(asked.counter_select);
	u8 *at = data + offsetof(struct ib_pma_portcounters_ext, port_xmit_data);
	struct ibf_selection ports;
	__be64 word;
	u32 i;

	if (!ibf_pma_select(in_port, asked.port_select, &ports))
		return IBF_SMP_BAD_FIELD;
	for (i = 0; set && i < ARRAY_SIZE(extended); i++)
		if (which & BIT(i))
			ibf_pma_clear(&ports, extended[i]);
	memset(data, 0, sizeof_field(struct ib_pma_mad, data));
	counters->port_select = asked.port_select;
	counters->counter_select = asked.counter_select;
	for (i = 0; i < ARRAY_SIZE(extended); i++) {
		word = cpu_to_be64(ibf_pma_value(&ports, extended[i]));
		memcpy(at + i * sizeof(word), &word, sizeof(word));
	}
	return 0;
}

/* ---- the rest ---------------------------------------------------------------------------- */

static u16 ibf_class_port_info(u8 *data, bool set)
{
	struct ib_class_port_info *info = (void *)data;

	if (set)
		return IBF_SMP_BAD_ATTR;
	memset(data, 0, sizeof_field(struct ib_pma_mad, data));
	info->base_version = IB_MGMT_BASE_VERSION;
	info->class_version = 1;
	info->capability_mask = IB_PMA_CLASS_CAP_ALLPORTSELECT |
				IB_PMA_CLASS_CAP_EXT_WIDTH |
				IB_PMA_CLASS_CAP_XMIT_WAIT;
	ib_set_cpi_resp_time(info, 18);
	return 0;
}

/* The modifier selects a sampling mechanism; there is only mechanism 0. */
static u16 ibf_pma_samples(struct ibf_node *node, struct ib_pma_mad *pma, bool set)
{
	if (pma->mad_hdr.attr_mod)
		return IBF_SMP_BAD_FIELD;
	if (pma->mad_hdr.attr_id == IB_PMA_PORT_SAMPLES_CONTROL)
		return ibf_sample_control(node, pma->data, set);
	if (set)
		return IBF_SMP_BAD_ATTR;
	ibf_sample_result(node, pma->data,
			  pma->mad_hdr.attr_id == IB_PMA_PORT_SAMPLES_RESULT_EXT);
	return 0;
}

static u16 ibf_pma_do_attribute(struct ibf_port *in_port, struct ib_pma_mad *pma,
				bool set)
{
	switch (pma->mad_hdr.attr_id) {
	case IB_PMA_CLASS_PORT_INFO:
		return ibf_class_port_info(pma->data, set);
	case IB_PMA_PORT_COUNTERS:
		return ibf_port_counters(in_port, pma->data, set);
	case IB_PMA_PORT_COUNTERS_EXT:
		return ibf_port_counters_ext(in_port, pma->data, set);
	case IB_PMA_PORT_SAMPLES_CONTROL:
	case IB_PMA_PORT_SAMPLES_RESULT:
	case IB_PMA_PORT_SAMPLES_RESULT_EXT:
		return ibf_pma_samples(in_port->node, pma, set);
	default:
		return ibf_pma_optional(in_port, pma->mad_hdr.attr_id,
					pma->data, set);
	}
}

/**
 * ibf_pma - handle a MAD of performance management
 * @in_port: port that received it
 * @in: the MAD, unchecked but for its version and class
 * @out: filled with the reply when IBF_REPLY is returned
 *
 * Context: any but hard interrupt.
 * Return: IBF_PASS, IBF_CONSUMED or IBF_REPLY.
 */
enum ibf_answer ibf_pma(struct ibf_port *in_port, const struct ib_mad *in,
			struct ib_mad *out)
{
	const struct ib_mad_hdr *hdr = &in->mad_hdr;
	u16 status = IBF_MAD_BAD_VERSION;

	BUILD_BUG_ON(sizeof(struct ib_pma_mad) != IB_MGMT_MAD_SIZE);
	if (hdr->method != IB_MGMT_METHOD_GET &&
	    hdr->method != IB_MGMT_METHOD_SET)
		return in_port->node->is_switch ? IBF_CONSUMED : IBF_PASS;
	*out = *in;
	if (hdr->class_version == 1) {
		spin_lock_bh(&ibf_lock);
		status = ibf_pma_do_attribute(in_port, (struct ib_pma_mad *)out,
					      hdr->method == IB_MGMT_METHOD_SET);
		spin_unlock_bh(&ibf_lock);
	}
	out->mad_hdr.method = IB_MGMT_METHOD_GET_RESP;
	out->mad_hdr.status = cpu_to_be16(status);
	return IBF_REPLY;
}
