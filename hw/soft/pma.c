// SPDX-License-Identifier: GPL-2.0
/*
 * The performance management agent of a port: ports/N/counters of sysfs are its
 * PortCounters and PortCountersExtended (IBA vol. 1, 16.1.3.5 and 16.1.4.11). By QP1 any
 * sender on the network can ask, so Set, which clears counters, is not supported.
 */
#include <linux/export.h>
#include <rdma/ib_pma.h>

#include "pma.h"

#define ALL_PORTS	0xff
/* 4.096 us * 2^18: one second. */
#define RESP_TIME	18

static u16 soft_class_port_info(u8 *data)
{
	struct ib_class_port_info *info = (void *)data;

	memset(data, 0, sizeof_field(struct ib_pma_mad, data));
	info->base_version = IB_MGMT_BASE_VERSION;
	info->class_version = 1;
	info->capability_mask = IB_PMA_CLASS_CAP_ALLPORTSELECT |
				IB_PMA_CLASS_CAP_EXT_WIDTH;
	ib_set_cpi_resp_time(info, RESP_TIME);
	return 0;
}

/* Counters of this attribute stay at their maximum. */
static void soft_fill_counters(const struct soft_pma_counts *counts,
			       struct ib_pma_portcounters *to)
{
	to->link_downed_counter = min_t(u64, counts->link_downed, U8_MAX);
	to->port_rcv_errors =
		cpu_to_be16(min_t(u64, counts->rcv_errors, U16_MAX));
	to->port_xmit_discards =
		cpu_to_be16(min_t(u64, counts->xmit_discards, U16_MAX));
	to->port_rcv_constraint_errors =
		min_t(u64, counts->rcv_constraint_errors, U8_MAX);
	to->port_xmit_data =
		cpu_to_be32(min_t(u64, counts->xmit_bytes / 4, U32_MAX));
	to->port_rcv_data =
		cpu_to_be32(min_t(u64, counts->rcv_bytes / 4, U32_MAX));
	to->port_xmit_packets =
		cpu_to_be32(min_t(u64, counts->xmit_pkts, U32_MAX));
	to->port_rcv_packets =
		cpu_to_be32(min_t(u64, counts->rcv_pkts, U32_MAX));
}

/* The two are read one after the other, while they count. */
static __be64 soft_pma_unicast(u64 pkts, u64 mcast)
{
	return cpu_to_be64(pkts - min(pkts, mcast));
}

static void soft_fill_extended(const struct soft_pma_counts *counts,
			       struct ib_pma_portcounters_ext *to)
{
	to->port_xmit_data = cpu_to_be64(counts->xmit_bytes / 4);
	to->port_rcv_data = cpu_to_be64(counts->rcv_bytes / 4);
	to->port_xmit_packets = cpu_to_be64(counts->xmit_pkts);
	to->port_rcv_packets = cpu_to_be64(counts->rcv_pkts);
	to->port_unicast_xmit_packets =
		soft_pma_unicast(counts->xmit_pkts, counts->mcast_xmit_pkts);
	to->port_unicast_rcv_packets =
		soft_pma_unicast(counts->rcv_pkts, counts->mcast_rcv_pkts);
	to->port_multicast_xmit_packets = cpu_to_be64(counts->mcast_xmit_pkts);
	to->port_multicast_rcv_packets = cpu_to_be64(counts->mcast_rcv_pkts);
}

/* PortSelect and CounterSelect are at one place in both attributes. */
static u16 soft_port_counters(struct ib_device *ib, u32 port_num,
			      struct ib_pma_mad *pma, soft_pma_read_fn read)
{
	struct ib_pma_portcounters *counters = (void *)pma->data;
	struct soft_pma_counts counts = {};
	u8 select = counters->port_select;

	if (select != port_num && select != ALL_PORTS)
		return IB_MGMT_MAD_STATUS_INVALID_ATTRIB_VALUE;
	read(ib, port_num, &counts);
	memset((u8 *)pma->data + offsetofend(typeof(*counters), counter_select),
	       0, sizeof(pma->data) -
	       offsetofend(typeof(*counters), counter_select));
	if (pma->mad_hdr.attr_id == IB_PMA_PORT_COUNTERS)
		soft_fill_counters(&counts, counters);
	else
		soft_fill_extended(&counts, (void *)pma->data);
	return 0;
}

static u16 soft_pma_get(struct ib_device *ib, u32 port_num, struct ib_pma_mad *pma,
			soft_pma_read_fn read)
{
	if (pma->mad_hdr.class_version != 1)
		return IB_MGMT_MAD_STATUS_BAD_VERSION;
	if (pma->mad_hdr.method != IB_MGMT_METHOD_GET)
		return IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD_ATTRIB;
	switch (pma->mad_hdr.attr_id) {
	case IB_PMA_CLASS_PORT_INFO:
		return soft_class_port_info(pma->data);
	case IB_PMA_PORT_COUNTERS:
	case IB_PMA_PORT_COUNTERS_EXT:
		return soft_port_counters(ib, port_num, pma, read);
	default:
		return IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD_ATTRIB;
	}
}

/**
 * soft_pma - for process_mad() of a device: a MAD that came, or a question of sysfs
 * @ib: the device
 * @port_num: port that is asked; one that exists
 * @in: 256 bytes of any sender
 * @out: the reply, if there is one
 * @read: what the port has counted
 *
 * A port has no other agent: MADs of other classes, and replies, are for the consumers
 * of its QP1.
 *
 * Context: any that @read allows.
 * Return: enum ib_mad_result.
 */
int soft_pma(struct ib_device *ib, u32 port_num, const struct ib_mad *in,
	     struct ib_mad *out, soft_pma_read_fn read)
{
	const struct ib_mad_hdr *hdr = &in->mad_hdr;
	u16 status;

	BUILD_BUG_ON(sizeof(struct ib_pma_mad) != IB_MGMT_MAD_SIZE);
	if (hdr->base_version != IB_MGMT_BASE_VERSION ||
	    hdr->mgmt_class != IB_MGMT_CLASS_PERF_MGMT ||
	    (hdr->method != IB_MGMT_METHOD_GET &&
	     hdr->method != IB_MGMT_METHOD_SET))
		return IB_MAD_RESULT_SUCCESS;
	*out = *in;
	status = soft_pma_get(ib, port_num, (struct ib_pma_mad *)out, read);
	out->mad_hdr.method = IB_MGMT_METHOD_GET_RESP;
	out->mad_hdr.status = cpu_to_be16(status);
	return IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_REPLY;
}
EXPORT_SYMBOL_GPL(soft_pma);
