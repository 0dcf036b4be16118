// SPDX-License-Identifier: GPL-2.0
/*
 * Attributes of the SMA and of the PMA, packed and unpacked: bytes that were written
 * down from the specification (those of nodes and PortInfo of an HCA: fabric_test.c).
 */
#include "ib_bench.h"

#define GET	IB_MGMT_METHOD_GET
#define SET	IB_MGMT_METHOD_SET

/* ---- tables that give back what was set ---------------------------------------------- */

static const struct table {
	const char *name;
	bool is_switch;
	__be16 attr;
	u32 mod;
	u16 status;
} tables[] = {
	/* Section 14.2.5.7: 32 P_Keys a block; of a switch bits 31:16 name the port. */
	{ "P_KeyTable", false, IB_SMP_ATTR_PKEY_TABLE, 0, 0 },
	{ "P_KeyTable, block 1", false, IB_SMP_ATTR_PKEY_TABLE, 1, IBF_SMP_BAD_FIELD },
	{ "P_KeyTable of port 64", true, IB_SMP_ATTR_PKEY_TABLE, 64 << 16, 0 },
	{ "P_KeyTable of port 65", true, IB_SMP_ATTR_PKEY_TABLE, 65 << 16, IBF_SMP_BAD_FIELD },
	/* Section 14.2.5.9: both priorities have two blocks, from 1 on. */
	{ "VLArbitration, low", false, IB_SMP_ATTR_VL_ARB_TABLE, 1 << 16, 0 },
	{ "VLArbitration, high", false, IB_SMP_ATTR_VL_ARB_TABLE, 4 << 16, 0 },
	{ "VLArbitration, none", false, IB_SMP_ATTR_VL_ARB_TABLE, 0, IBF_SMP_BAD_FIELD },
	{ "VLArbitration, 5", false, IB_SMP_ATTR_VL_ARB_TABLE, 5 << 16, IBF_SMP_BAD_FIELD },
	{ "VLArbitration of port 64", true, IB_SMP_ATTR_VL_ARB_TABLE, 3 << 16 | 64, 0 },
	{ "VLArbitration of port 65", true, IB_SMP_ATTR_VL_ARB_TABLE, 3 << 16 | 65,
	  IBF_SMP_BAD_FIELD },
	/* Section 14.2.5.10: 64 LIDs a block. */
	{ "LFT", true, IB_SMP_ATTR_LINEAR_FORWARD_TABLE, 0, 0 },
	{ "LFT, last block", true, IB_SMP_ATTR_LINEAR_FORWARD_TABLE, 0x2ff, 0 },
	{ "LFT, behind it", true, IB_SMP_ATTR_LINEAR_FORWARD_TABLE, 0x300, IBF_SMP_BAD_FIELD },
	{ "LFT of an HCA", false, IB_SMP_ATTR_LINEAR_FORWARD_TABLE, 0, IBF_SMP_BAD_ATTR },
	/* Section 14.2.5.12: 32 groups a block in bits 8:0, 16 ports in bits 31:28. */
	{ "MFT", true, IB_SMP_ATTR_MCAST_FORWARD_TABLE, 0, 0 },
	{ "MFT, last block", true, IB_SMP_ATTR_MCAST_FORWARD_TABLE, 4U << 28 | 31, 0 },
	{ "MFT, no such groups", true, IB_SMP_ATTR_MCAST_FORWARD_TABLE, 32, IBF_SMP_BAD_FIELD },
	{ "MFT, no such ports", true, IB_SMP_ATTR_MCAST_FORWARD_TABLE, 5U << 28,
	  IBF_SMP_BAD_FIELD },
	{ "MFT, reserved", true, IB_SMP_ATTR_MCAST_FORWARD_TABLE, 0x200, IBF_SMP_BAD_FIELD },
	{ "MFT of an HCA", false, IB_SMP_ATTR_MCAST_FORWARD_TABLE, 0, IBF_SMP_BAD_ATTR },
};

static void tables_test(struct kunit *test)
{
	struct ibf_node *hca = ib_bench_node(test, "hca", false, 2);
	struct ibf_node *sw = ib_bench_node(test, "sw", true, 64);
	const struct table *row;
	u8 data[64], bytes[64];
	enum ibf_answer answer;
	int i;

	for (row = tables; row < tables + ARRAY_SIZE(tables); row++) {
		struct ibf_port *port = &(row->is_switch ? sw : hca)->ports[2];

		for (i = 0; i < 64; i++)
			bytes[i] = data[i] = (row - tables) * 5 + i * 3 + 1;
		KUNIT_EXPECT_EQ_MSG(test, ib_bench_ask(port, SET, row->attr, row->mod, 0, data,
						       &answer), row->status, "%s", row->name);
		memset(data, 0, sizeof(data));
		KUNIT_EXPECT_EQ_MSG(test, ib_bench_ask(port, GET, row->attr, row->mod, 0, data,
						       &answer), row->status, "%s", row->name);
		if (!row->status)
			ib_bench_expect(test, row->name, data, bytes);
	}
	ibf_node_free(hca);
	ibf_node_free(sw);
}

/* ... and what has become of them. */
static const u8 pkey_bytes[64] = { 0x80, 0x01, 0x7f, 0xff, [62] = 0x12, 0x34 };
static const u8 lft_bytes[64] = { 7, 8, [63] = 64 };
static const u8 mft_bytes[64] = { 0x00, 0x02, 0x80, 0x01, [62] = 0x00, 0x10 };
static const u8 sl2vl_bytes[64] = { 0x01, 0x23, 0x45, 0x67, 0x70, 0x0f, 0xf0, 0x5a };

static void set(struct ibf_port *port, __be16 attr, u32 mod, const u8 *bytes)
{
	enum ibf_answer answer;
	u8 data[64];

	memcpy(data, bytes, sizeof(data));
	ib_bench_ask(port, SET, attr, mod, 0, data, &answer);
}

static void meaning_test(struct kunit *test)
{
	static const u8 vls[16] = { 0, 1, 2, 3, 4, 5, 6, 7, 7, 0, 0, 15, 15, 0, 5, 10 };
	struct ibf_node *node = ib_bench_node(test, "sw", true, 64);
	struct ibf_port *port = &node->ports[1];
	enum ibf_answer answer;
	u8 data[64];

	set(port, IB_SMP_ATTR_PKEY_TABLE, 64 << 16, pkey_bytes);
	KUNIT_EXPECT_EQ(test, node->ports[64].pkeys[0], 0x8001);
	KUNIT_EXPECT_EQ(test, node->ports[64].pkeys[1], 0x7fff);
	KUNIT_EXPECT_EQ(test, node->ports[64].pkeys[31], 0x1234);
	set(port, IB_SMP_ATTR_LINEAR_FORWARD_TABLE, 1, lft_bytes);
	KUNIT_EXPECT_EQ(test, node->sw->lft[64], 7);
	KUNIT_EXPECT_EQ(test, node->sw->lft[127], 64);
	/* Groups 32, 33 and 63; ports 17, 16 and 31, 20. */
	set(port, IB_SMP_ATTR_MCAST_FORWARD_TABLE, 1 << 28 | 1, mft_bytes);
	KUNIT_EXPECT_EQ(test, node->sw->mft[32][1], BIT(17 - 16));
	KUNIT_EXPECT_EQ(test, node->sw->mft[33][1], BIT(0) | BIT(31 - 16));
	KUNIT_EXPECT_EQ(test, node->sw->mft[63][1], BIT(20 - 16));
	/* Section 14.2.5.8: the first SL is in the upper half; the rest is reserved. */
	memset(data, 0xff, sizeof(data));
	memcpy(data, sl2vl_bytes, 8);
	ib_bench_ask(port, SET, IB_SMP_ATTR_SL_TO_VL_TABLE, 2 << 8 | 3, 0, data, &answer);
	ib_bench_expect(test, "SLtoVL", data, sl2vl_bytes);
	KUNIT_EXPECT_EQ(test, memcmp(node->ports[3].sl2vl[2], vls, sizeof(vls)), 0);
	ibf_node_free(node);
}

/* ---- identity: sections 14.2.5.2, 14.2.5.5, 14.2.5.13 -------------------------------------- */

static const u8 desc_bytes[64] = "sw";
static const u8 guid_bytes[64] = {
	0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x01,	/* its own: for reading only */
	0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88,
	[56] = 0xfe, 0xdc, 0xba, 0x98, 0x76, 0x54, 0x32, 0x10,
};
static const u8 switch_guid_bytes[64] = { 0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00 };
static const u8 nothing[64];

static void identity_test(struct kunit *test)
{
	struct ibf_node *hca = ib_bench_node(test, "hca", false, 2);
	struct ibf_node *sw = ib_bench_node(test, "sw", true, 3);
	struct ibf_port *port = &hca->ports[1];
	enum ibf_answer answer;
	u8 data[64] = "another";

	KUNIT_EXPECT_EQ(test, ib_bench_ask(&sw->ports[1], SET, IB_SMP_ATTR_NODE_DESC, 0, 0, data,
					   &answer), IBF_SMP_BAD_ATTR);
	ib_bench_ask(&sw->ports[1], GET, IB_SMP_ATTR_NODE_DESC, 0, 0, data, &answer);
	ib_bench_expect(test, "NodeDescription", data, desc_bytes);

	memcpy(data, guid_bytes, sizeof(data));
	data[7] = 0xee;
	KUNIT_EXPECT_EQ(test, ib_bench_ask(port, SET, IB_SMP_ATTR_GUID_INFO, 0, 0, data,
					   &answer), 0);
	ib_bench_expect(test, "GUIDInfo", data, guid_bytes);
	KUNIT_EXPECT_EQ(test, be64_to_cpu(port->guids[7]), 0xfedcba9876543210);
	KUNIT_EXPECT_EQ(test, ib_bench_ask(port, GET, IB_SMP_ATTR_GUID_INFO, 1, 0, data,
					   &answer), IBF_SMP_BAD_FIELD);
	memset(data, 0xee, sizeof(data));
	ib_bench_ask(&sw->ports[2], SET, IB_SMP_ATTR_GUID_INFO, 0, 0, data, &answer);
	ib_bench_expect(test, "GUIDInfo of a switch", data, switch_guid_bytes);

	memset(data, 0xee, sizeof(data));
	KUNIT_EXPECT_EQ(test, ib_bench_ask(port, GET, IB_SMP_ATTR_LED_INFO, 0, 0, data,
					   &answer), 0);
	ib_bench_expect(test, "LedInfo", data, nothing);
	/* No manager is there, until a program says that it is one. */
	KUNIT_EXPECT_EQ(test, ib_bench_ask(port, GET, IB_SMP_ATTR_SM_INFO, 0, 0, data, &answer),
			IBF_SMP_BAD_ATTR);
	port->info.cap_mask |= cpu_to_be32(IB_PORT_SM);
	ib_bench_ask(port, GET, IB_SMP_ATTR_SM_INFO, 0, 0, data, &answer);
	KUNIT_EXPECT_EQ(test, answer, IBF_PASS);
	ibf_node_free(hca);
	ibf_node_free(sw);
}

/* ---- PortInfo of a switch: section 14.2.5.6 ------------------------------------------------- */

/* Port 0 has what belongs to the node, and no link; an external port the contrary. */
static const u8 port0_bytes[64] = {
	[8] = 0xfe, 0x80, [20] = 0x00, 0x00, 0x48, 0x48,
	[28] = 0x03, 0x0f, 0x0f, 0x02, 0x74, 0x52, 0x00, 0x17,
	0x50, 0x40, 0x00, 0x08, 0x08, 0x05, 0x00, 0x40,
	[50] = 0x01, 0x00, 0x10, 0x88, [62] = 0x07, 0x07,
};
static const u8 port2_bytes[64] = {
	[8] = 0xfe, 0x80, [28] = 0x03, 0x0f, 0x0f, 0x02, 0x71, 0x22, 0x00, 0x17,
	0x50, 0x40, 0x00, 0x08, 0x08, 0x05, 0x00, 0x40,
	[52] = 0x10, 0x88, [62] = 0x07, 0x07,
};

static void switch_ports_test(struct kunit *test)
{
	struct ibf_node *node = ib_bench_node(test, "sw", true, 3);
	enum ibf_answer answer;
	u8 data[64] = { };

	ib_bench_ask(&node->ports[3], GET, IB_SMP_ATTR_PORT_INFO, 0, 0, data, &answer);
	ib_bench_expect(test, "PortInfo of port 0", data, port0_bytes);
	ib_bench_ask(&node->ports[3], GET, IB_SMP_ATTR_PORT_INFO, 2, 0, data, &answer);
	ib_bench_expect(test, "PortInfo of port 2", data, port2_bytes);
	KUNIT_EXPECT_EQ(test, ib_bench_ask(&node->ports[3], GET, IB_SMP_ATTR_PORT_INFO, 4, 0,
					   data, &answer), IBF_SMP_BAD_FIELD);
	ibf_node_free(node);
}

/* ---- PMA: sections 16.1.3.1, 16.1.3.5, 16.1.4.11 -------------------------------------------- */

static const u8 pma_class_bytes[64] = { 0x01, 0x01, 0x13, 0x00, 0x00, 0x00, 0x00, 0x12 };

static const u64 counts[IBF_COUNTS] = {
	[IBF_SYMBOL_ERRORS]	= 0x0102,
	[IBF_LINK_RECOVERED]	= 0x03,
	[IBF_LINK_DOWNED]	= 0x04,
	[IBF_RCV_ERRORS]	= 0x0506,
	[IBF_RELAY_ERRORS]	= 0x090a,
	[IBF_XMIT_DISCARDS]	= 0x0b0c,
	[IBF_XMIT_CONSTRAINT]	= 0x0d,
	[IBF_RCV_CONSTRAINT]	= 0x0e,
	[IBF_INTEGRITY_ERRORS]	= 0x7,
	[IBF_OVERRUNS]		= 0x9,
	[IBF_VL15_DROPPED]	= 0x1112,
	[IBF_XMIT_DATA]		= 0x13141516,
	[IBF_RCV_DATA]		= 0x1718191a,
	[IBF_XMIT_PKTS]		= 0x1b1c1d1e,
	[IBF_RCV_PKTS]		= 0x1f202122,
	[IBF_XMIT_WAIT]		= 0x23242526,
	[IBF_UNICAST_XMIT]	= 0x3132,
	[IBF_UNICAST_RCV]	= 0x3334,
	[IBF_MCAST_XMIT]	= 0x3536,
	[IBF_MCAST_RCV]		= 0x3738,
};
static const u8 counter_bytes[64] = {
	0x00, 0x02, 0x00, 0x00,					/* PortSelect, CounterSelect */
	0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x00, 0x00,
	0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x00, 0x79,
	0x00, 0x00, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16,
	0x17, 0x18, 0x19, 0x1a, 0x1b, 0x1c, 0x1d, 0x1e,
	0x1f, 0x20, 0x21, 0x22, 0x23, 0x24, 0x25, 0x26,
};
/* All but VL15Dropped, PortXmitData and PortXmitWait are cleared. */
static const u8 cleared_bytes[64] = {
	[1] = 0x02, 0xe7, 0xff, [22] = 0x11, 0x12, 0x13, 0x14, 0x15, 0x16,
	[40] = 0x23, 0x24, 0x25, 0x26,
};
/* None counts beyond its field. */
static const u8 full_bytes[64] = {
	0x00, 0x02, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x00, 0x00,
	0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x00, 0xff, 0x00, 0x00, 0xff, 0xff,
	0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
};
static const u8 extended_bytes[64] = {
	0x00, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x13, 0x14, 0x15, 0x16,	/* not cleared above */
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x31, 0x32,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x33, 0x34,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x35, 0x36,
};

static void ask_counters(struct ibf_port *port, u8 method, __be16 attr, const u8 *head, u8 *data)
{
	memset(data, 0, 192);
	memcpy(data, head, 4);
	ib_bench_ask_pma(port, method, attr, data);
}

static void counters_test(struct kunit *test)
{
	static const u8 port2[4] = { 0, 2 };
	struct ibf_node *node = ib_bench_node(test, "sw", true, 3);
	struct ibf_port *port = &node->ports[1];
	u8 data[192] = { };
	int i;

	ib_bench_ask_pma(port, GET, IB_PMA_CLASS_PORT_INFO, data);
	ib_bench_expect(test, "ClassPortInfo", data, pma_class_bytes);
	for (i = 0; i < IBF_COUNTS; i++)
		atomic64_set(&node->ports[2].count[i], counts[i]);
	ask_counters(port, GET, IB_PMA_PORT_COUNTERS, port2, data);
	ib_bench_expect(test, "PortCounters", data, counter_bytes);
	ask_counters(port, SET, IB_PMA_PORT_COUNTERS, cleared_bytes, data);
	ib_bench_expect(test, "PortCounters, cleared", data, cleared_bytes);
	ask_counters(port, GET, IB_PMA_PORT_COUNTERS_EXT, port2, data);
	ib_bench_expect(test, "PortCountersExtended", data, extended_bytes);
	for (i = 0; i < IBF_COUNTS; i++)
		atomic64_set(&node->ports[2].count[i], 1ULL << 40);
	ask_counters(port, GET, IB_PMA_PORT_COUNTERS, port2, data);
	ib_bench_expect(test, "PortCounters, full", data, full_bytes);
	data[1] = 4;
	KUNIT_EXPECT_EQ(test, ib_bench_ask_pma(port, GET, IB_PMA_PORT_COUNTERS, data),
			IBF_SMP_BAD_FIELD);
	KUNIT_EXPECT_EQ(test, ib_bench_ask_pma(port, SET, IB_PMA_CLASS_PORT_INFO, data),
			IBF_SMP_BAD_ATTR);
	ibf_node_free(node);
}

/* ---- classes that no agent has: section 13.4.7 ------------------------------------------------ */

static void classes_test(struct kunit *test)
{
	struct ibf_node *hca = ib_bench_node(test, "hca", false, 1);
	struct ibf_node *sw = ib_bench_node(test, "sw", true, 1);
	struct ib_mad in = { .mad_hdr = {
		.base_version = 1, .mgmt_class = IB_MGMT_CLASS_VENDOR_RANGE2_START,
		.class_version = 1, .method = GET, .tid = cpu_to_be64(0x1234),
	} };
	struct ib_mad out = { };

	/* Of an HCA the core answers, or the agent that has registered for it. */
	KUNIT_EXPECT_EQ(test, ibf_agent(&hca->ports[1], &in, &out), IBF_PASS);
	KUNIT_EXPECT_EQ(test, ibf_agent(&sw->ports[1], &in, &out), IBF_REPLY);
	KUNIT_EXPECT_EQ(test, out.mad_hdr.method, IB_MGMT_METHOD_GET_RESP);
	KUNIT_EXPECT_EQ(test, be16_to_cpu(out.mad_hdr.status), IBF_MAD_BAD_VERSION);
	KUNIT_EXPECT_TRUE(test, out.mad_hdr.tid == in.mad_hdr.tid);
	in.mad_hdr.method = IB_MGMT_METHOD_TRAP;
	KUNIT_EXPECT_EQ(test, ibf_agent(&sw->ports[1], &in, &out), IBF_CONSUMED);
	/* Classes that it has, in a version that is not there. */
	in.mad_hdr.method = GET;
	in.mad_hdr.class_version = 2;
	in.mad_hdr.mgmt_class = IB_MGMT_CLASS_PERF_MGMT;
	KUNIT_EXPECT_EQ(test, ibf_agent(&sw->ports[1], &in, &out), IBF_REPLY);
	KUNIT_EXPECT_EQ(test, be16_to_cpu(out.mad_hdr.status), IBF_MAD_BAD_VERSION);
	in.mad_hdr.mgmt_class = IB_MGMT_CLASS_SUBN_LID_ROUTED;
	KUNIT_EXPECT_EQ(test, ibf_agent(&sw->ports[1], &in, &out), IBF_REPLY);
	KUNIT_EXPECT_EQ(test, be16_to_cpu(out.mad_hdr.status), IBF_MAD_BAD_VERSION);
	ibf_node_free(hca);
	ibf_node_free(sw);
}

static struct kunit_case ib_tables_cases[] = {
	KUNIT_CASE(tables_test),
	KUNIT_CASE(meaning_test),
	KUNIT_CASE(identity_test),
	KUNIT_CASE(switch_ports_test),
	KUNIT_CASE(counters_test),
	KUNIT_CASE(classes_test),
	{}
};

struct kunit_suite ib_tables_suite = {
	.name = "ib_tables",
	.test_cases = ib_tables_cases,
};
