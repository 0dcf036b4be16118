// SPDX-License-Identifier: GPL-2.0
/*
 * What the numbers mean: texts for events and completions, rates, transports,
 * link layers.
 */
#include <rdma/ib_verbs.h>

struct name {
	int value;
	const char *text;
};

static const struct name event_names[] = {
	{ IB_EVENT_CQ_ERR, "completion queue error" },
	{ IB_EVENT_QP_FATAL, "queue pair failed" },
	{ IB_EVENT_QP_REQ_ERR, "queue pair got an invalid request" },
	{ IB_EVENT_QP_ACCESS_ERR, "queue pair access violation" },
	{ IB_EVENT_COMM_EST, "communication established" },
	{ IB_EVENT_SQ_DRAINED, "send queue drained" },
	{ IB_EVENT_PATH_MIG, "path migrated" },
	{ IB_EVENT_PATH_MIG_ERR, "path migration failed" },
	{ IB_EVENT_DEVICE_FATAL, "device failed" },
	{ IB_EVENT_PORT_ACTIVE, "port active" },
	{ IB_EVENT_PORT_ERR, "port down" },
	{ IB_EVENT_LID_CHANGE, "LID changed" },
	{ IB_EVENT_PKEY_CHANGE, "P_Key table changed" },
	{ IB_EVENT_SM_CHANGE, "subnet manager changed" },
	{ IB_EVENT_SRQ_ERR, "shared receive queue error" },
	{ IB_EVENT_SRQ_LIMIT_REACHED, "shared receive queue limit reached" },
	{ IB_EVENT_QP_LAST_WQE_REACHED, "last WQE reached" },
	{ IB_EVENT_CLIENT_REREGISTER, "subnet manager asks to register again" },
	{ IB_EVENT_GID_CHANGE, "GID table changed" },
	{ IB_EVENT_WQ_FATAL, "work queue failed" },
};

static const struct name status_names[] = {
	{ IB_WC_SUCCESS, "success" },
	{ IB_WC_LOC_LEN_ERR, "local length error" },
	{ IB_WC_LOC_QP_OP_ERR, "local QP operation error" },
	{ IB_WC_LOC_EEC_OP_ERR, "local EE context operation error" },
	{ IB_WC_LOC_PROT_ERR, "local protection error" },
	{ IB_WC_WR_FLUSH_ERR, "work request flushed" },
	{ IB_WC_MW_BIND_ERR, "memory window bind error" },
	{ IB_WC_BAD_RESP_ERR, "bad response" },
	{ IB_WC_LOC_ACCESS_ERR, "local access error" },
	{ IB_WC_REM_INV_REQ_ERR, "remote invalid request error" },
	{ IB_WC_REM_ACCESS_ERR, "remote access error" },
	{ IB_WC_REM_OP_ERR, "remote operation error" },
	{ IB_WC_RETRY_EXC_ERR, "transport retries exceeded" },
	{ IB_WC_RNR_RETRY_EXC_ERR, "receiver-not-ready retries exceeded" },
	{ IB_WC_LOC_RDD_VIOL_ERR, "local RDD violation" },
	{ IB_WC_REM_INV_RD_REQ_ERR, "remote invalid RD request" },
	{ IB_WC_REM_ABORT_ERR, "aborted by the remote side" },
	{ IB_WC_INV_EECN_ERR, "invalid EE context number" },
	{ IB_WC_INV_EEC_STATE_ERR, "invalid state of the EE context" },
	{ IB_WC_FATAL_ERR, "fatal error" },
	{ IB_WC_RESP_TIMEOUT_ERR, "response timeout" },
	{ IB_WC_GENERAL_ERR, "general error" },
};

static const char *port_find_name(const struct name *names, size_t n, int value,
				  const char *otherwise)
{
	while (n--)
		if (names[n].value == value)
			return names[n].text;
	return otherwise;
}

/**
 * ib_event_msg - the name of an asynchronous event, for people
 * @event: type of the event
 *
 * Context: any. Return: a constant text, for unknown types as well.
 */
const char *__attribute_const__ ib_event_msg(enum ib_event_type event)
{
	return port_find_name(event_names, ARRAY_SIZE(event_names), event,
			      "unrecognized event");
}
OFED_EXPORT(ib_event_msg);

/**
 * ib_wc_status_msg - the name of a completion status, for people
 * @status: status of a completion (IBA vol. 1 section 11.6.2)
 *
 * Context: any. Return: a constant text, for unknown values as well.
 */
const char *__attribute_const__ ib_wc_status_msg(enum ib_wc_status status)
{
	return port_find_name(status_names, ARRAY_SIZE(status_names), status,
			      "unrecognized status");
}
OFED_EXPORT(ib_wc_status_msg);

/*
 * IBA vol. 1 section 9.11, static rate control. From FDR on a lane signals
 * a little more than the nominal rate.
 */
static const struct rate {
	enum ib_rate rate;
	int units;		/* nominal, of 2.5 Gb/s */
	int mbps;		/* on the wire, without line coding */
} rates[] = {
	{ IB_RATE_2_5_GBPS, 1, 2500 },
	{ IB_RATE_5_GBPS, 2, 5000 },
	{ IB_RATE_10_GBPS, 4, 10000 },
	{ IB_RATE_14_GBPS, 6, 14062 },
	{ IB_RATE_20_GBPS, 8, 20000 },
	{ IB_RATE_25_GBPS, 10, 25781 },
	{ IB_RATE_28_GBPS, 11, 28125 },
	{ IB_RATE_30_GBPS, 12, 30000 },
	{ IB_RATE_40_GBPS, 16, 40000 },
	{ IB_RATE_50_GBPS, 20, 53125 },
	{ IB_RATE_56_GBPS, 22, 56250 },
	{ IB_RATE_60_GBPS, 24, 60000 },
	{ IB_RATE_80_GBPS, 32, 80000 },
	{ IB_RATE_100_GBPS, 40, 103125 },
	{ IB_RATE_112_GBPS, 45, 112500 },
	{ IB_RATE_120_GBPS, 48, 120000 },
	{ IB_RATE_168_GBPS, 67, 168750 },
	{ IB_RATE_200_GBPS, 80, 206250 },
	{ IB_RATE_300_GBPS, 120, 309375 },
	{ IB_RATE_400_GBPS, 160, 425000 },
	{ IB_RATE_600_GBPS, 240, 637500 },
	{ IB_RATE_800_GBPS, 320, 850000 },
};

static const struct rate *port_find_rate(enum ib_rate rate)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rates); i++)
		if (rates[i].rate == rate)
			return &rates[i];
	return NULL;
}

/**
 * ib_rate_to_mult - a static rate in units of 2.5 Gb/s
 * @rate: static rate
 *
 * Context: any. Return: the units, or -1 for "port's own" and unknown rates.
 */
__attribute_const__ int ib_rate_to_mult(enum ib_rate rate)
{
	const struct rate *found = port_find_rate(rate);

	return found ? found->units : -1;
}
OFED_EXPORT(ib_rate_to_mult);

/**
 * ib_rate_to_mbps - a static rate in Mb/s
 * @rate: static rate
 *
 * Context: any. Return: Mb/s, or -1 for "port's own" and unknown rates.
 */
__attribute_const__ int ib_rate_to_mbps(enum ib_rate rate)
{
	const struct rate *found = port_find_rate(rate);

	return found ? found->mbps : -1;
}
OFED_EXPORT(ib_rate_to_mbps);

/**
 * mult_to_ib_rate - the static rate of that many units of 2.5 Gb/s
 * @mult: units
 *
 * Context: any. Return: the rate, IB_RATE_PORT_CURRENT when there is none.
 */
__attribute_const__ enum ib_rate mult_to_ib_rate(int mult)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rates); i++)
		if (rates[i].units == mult)
			return rates[i].rate;
	return IB_RATE_PORT_CURRENT;
}
OFED_EXPORT(mult_to_ib_rate);

/**
 * rdma_node_get_transport - the transport that a type of node speaks
 * @node_type: RDMA_NODE_x
 *
 * Context: any. Return: the transport; InfiniBand unless another is known.
 */
__attribute_const__ enum rdma_transport_type
rdma_node_get_transport(unsigned int node_type)
{
	if (node_type == RDMA_NODE_RNIC)
		return RDMA_TRANSPORT_IWARP;
	if (node_type == RDMA_NODE_USNIC_UDP)
		return RDMA_TRANSPORT_USNIC_UDP;
	if (node_type == RDMA_NODE_USNIC)
		return RDMA_TRANSPORT_USNIC;
	if (node_type == RDMA_NODE_UNSPECIFIED)
		return RDMA_TRANSPORT_UNSPECIFIED;
	return RDMA_TRANSPORT_IB;
}
OFED_EXPORT(rdma_node_get_transport);

/**
 * rdma_port_get_link_layer - what a port is plugged into
 * @device: device
 * @port_num: port
 *
 * Context: any, the driver's get_link_layer permitting.
 * Return: what the driver says, else what goes with its transport.
 */
enum rdma_link_layer rdma_port_get_link_layer(struct ib_device *device,
					      u32 port_num)
{
	if (device->ops.get_link_layer)
		return device->ops.get_link_layer(device, port_num);
	return rdma_node_get_transport(device->node_type) == RDMA_TRANSPORT_IB ?
	       IB_LINK_LAYER_INFINIBAND : IB_LINK_LAYER_ETHERNET;
}
OFED_EXPORT(rdma_port_get_link_layer);
