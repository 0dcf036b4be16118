// SPDX-License-Identifier: GPL-2.0
/*
 * Optional attributes of the PMA, section 16.1.4: where each counter is, in bytes from
 * the first of the attribute, which bit of CounterSelect clears it, and what is counted.
 */
#include "ib_bench.h"

#define GET	IB_MGMT_METHOD_GET
#define SET	IB_MGMT_METHOD_SET
#define BYTES	192
#define NO_BIT	-1

static const struct counter {
	const char *name;
	u16 attr;
	enum ibf_count count;
	int at;
	int bytes;
	int bit;
} counters[] = {
	{ "PortLocalPhysicalErrors", 0x15, IBF_RCV_PHYSICAL, 4, 2, 0 },
	{ "PortMalformedPktErrors", 0x15, IBF_RCV_MALFORMED, 6, 2, 1 },
	{ "PortBufferOverrunErrors", 0x15, IBF_RCV_OVERRUN, 8, 2, 2 },
	{ "PortDLIDMappingErrors", 0x15, IBF_RCV_DLID, 10, 2, 3 },
	{ "PortVLMappingErrors", 0x15, IBF_RCV_VL, 12, 2, 4 },
	{ "PortLoopingErrors", 0x15, IBF_RCV_LOOP, 14, 2, 5 },
	{ "PortInactiveDiscards", 0x16, IBF_DISCARD_INACTIVE, 4, 2, 0 },
	{ "PortNeighborMTUDiscards", 0x16, IBF_DISCARD_MTU, 6, 2, 1 },
	{ "PortSwLifetimeLimitDiscards", 0x16, IBF_DISCARD_LIFETIME, 8, 2, 2 },
	{ "PortSwHOQLifetimeLimitDiscards", 0x16, IBF_DISCARD_HOQ, 10, 2, 3 },
	{ "PortOpRcvPkts", 0x17, IBF_OP_PKTS, 4, 4, 0 },
	{ "PortOpRcvData", 0x17, IBF_OP_DATA, 8, 4, 1 },
	{ "PortXmitFlowPkts", 0x18, IBF_FLOW_XMIT, 4, 4, 0 },
	{ "PortRcvFlowPkts", 0x18, IBF_FLOW_RCV, 8, 4, 1 },
	{ "PortVLOpPackets0", 0x19, IBF_VL_OP_PKTS, 4, 2, 0 },
	{ "PortVLOpPackets15", 0x19, IBF_VL_OP_PKTS + 15, 34, 2, 15 },
	{ "PortVLOpData0", 0x1a, IBF_VL_OP_DATA, 4, 4, 0 },
	{ "PortVLOpData15", 0x1a, IBF_VL_OP_DATA + 15, 64, 4, 15 },
	{ "PortVLXmitWait0", 0x1c, IBF_VL_WAIT, 4, 2, 0 },
	{ "PortVLXmitWait15", 0x1c, IBF_VL_WAIT + 15, 34, 2, 15 },
	{ "PortXmitDataSL0", 0x36, IBF_SL_XMIT, 4, 4, 0 },
	{ "PortXmitDataSL15", 0x36, IBF_SL_XMIT + 15, 64, 4, 15 },
	{ "PortRcvDataSL0", 0x37, IBF_SL_RCV, 4, 4, 0 },
	{ "PortRcvDataSL15", 0x37, IBF_SL_RCV + 15, 64, 4, 15 },
	{ "UnknownBlockCounter", 0x1f, IBF_BAD_BLOCKS, 18, 2, 1 },
	{ "ErrorDetectionCounterLane0", 0x1f, IBF_WIRE_ERRORS, 20, 2, 2 },
	{ "ErrorDetectionCounterLane11", 0x1f, IBF_WIRE_ERRORS + 11, 42, 2, 13 },
};

static void begin(u8 *bytes, u16 attr, int bit)
{
	memset(bytes, 0, BYTES);
	bytes[1] = 2;
	if (bit == NO_BIT)
		return;
	if (attr == 0x1f)
		bytes[15 - bit / 8] = 1 << bit % 8;
	else
		bytes[3 - bit / 8] = 1 << bit % 8;
}

static void expect(struct kunit *test, const struct counter *row, struct ibf_port *port,
		   u8 method, int bit, u32 value)
{
	u8 data[BYTES], expected[BYTES];
	int i;

	begin(expected, row->attr, bit);
	memcpy(data, expected, BYTES);
	for (i = 0; i < row->bytes; i++)
		expected[row->at + i] = value >> 8 * (row->bytes - 1 - i);
	KUNIT_EXPECT_EQ_MSG(test, ib_bench_ask_pma(port, method, cpu_to_be16(row->attr), data),
			    0, "%s", row->name);
	for (i = 0; i < BYTES; i++)
		KUNIT_EXPECT_EQ_MSG(test, data[i], expected[i], "%s, byte %d", row->name, i);
}

/* Each alone: what is not asked for is 0. */
static void layout_test(struct kunit *test)
{
	struct ibf_node *node = ib_bench_node(test, "sw", true, 3);
	const struct counter *row;

	for (row = counters; row < counters + ARRAY_SIZE(counters); row++) {
		const u32 value = row->bytes == 2 ? 0x1234 : 0x12345678;
		atomic64_t *count = &node->ports[2].count[row->count];

		atomic64_set(count, value);
		expect(test, row, &node->ports[1], GET, NO_BIT, value);
		expect(test, row, &node->ports[1], SET, row->bit ^ 1, value);
		atomic64_set(count, 1ULL << 40);
		expect(test, row, &node->ports[1], GET, NO_BIT, U32_MAX);
		expect(test, row, &node->ports[1], SET, row->bit, 0);
		atomic64_inc(count);
		expect(test, row, &node->ports[1], GET, NO_BIT, 1);
		expect(test, row, &node->ports[1], SET, row->bit, 0);
	}
	ibf_node_free(node);
}

/* Methods and attributes that are not there, and ports. */
static void refused_test(struct kunit *test)
{
	static const u16 none[] = { 0x13, 0x14, 0x1b, 0x30, 0x31, 0x32, 0x33, 0x34, 0x35, 0x38 };
	struct ibf_node *node = ib_bench_node(test, "hca", false, 1);
	struct ibf_port *port = &node->ports[1];
	u8 data[BYTES] = { };
	int i;

	for (i = 0; i < ARRAY_SIZE(none); i++) {
		KUNIT_EXPECT_EQ_MSG(test, ib_bench_ask_pma(port, GET, cpu_to_be16(none[i]), data),
				    IBF_SMP_BAD_ATTR, "%x", none[i]);
		KUNIT_EXPECT_EQ_MSG(test, ib_bench_ask_pma(port, SET, cpu_to_be16(none[i]), data),
				    IBF_SMP_BAD_ATTR, "%x", none[i]);
	}
	for (i = 0; i < ARRAY_SIZE(counters); i++) {
		begin(data, counters[i].attr, NO_BIT);
		KUNIT_EXPECT_EQ_MSG(test, ib_bench_ask_pma(port, GET,
							   cpu_to_be16(counters[i].attr), data),
				    IBF_SMP_BAD_FIELD, "%s", counters[i].name);
	}
	ibf_node_free(node);
}

static void choose(struct ibf_port *port, u16 attr, u8 opcode, u8 *data)
{
	memset(data, 0, BYTES);
	data[0] = opcode;
	data[1] = 1;
	ib_bench_ask_pma(port, SET, cpu_to_be16(attr), data);
}

static u64 counted(int port, enum ibf_count count)
{
	return ib_bench_counted(port, count);
}

/* ib_bench_arrive() has opcode 0, and 24 bytes. */
static void opcodes_test(struct kunit *test)
{
	static const u16 attrs[] = { 0x17, 0x19, 0x1a };
	u8 data[BYTES];
	int i;

	ib_bench_up(test);
	for (i = 0; i < ARRAY_SIZE(attrs); i++) {
		choose(&ib_bench.sw->ports[2], attrs[i], 0x64, data);
		KUNIT_EXPECT_EQ(test, data[0], 0x64);
	}
	ib_bench_arrive(2, 0, 3, 0xffff);
	KUNIT_EXPECT_EQ(test, counted(1, IBF_OP_PKTS), 0);
	KUNIT_EXPECT_EQ(test, counted(1, IBF_VL_OP_PKTS + 3), 0);
	KUNIT_EXPECT_EQ(test, counted(1, IBF_VL_OP_DATA + 3), 0);
	for (i = 0; i < ARRAY_SIZE(attrs); i++)
		choose(&ib_bench.sw->ports[2], attrs[i], 0, data);
	ib_bench_arrive(2, 0, 3, 0xffff);
	KUNIT_EXPECT_EQ(test, counted(1, IBF_OP_PKTS), 1);
	KUNIT_EXPECT_EQ(test, counted(1, IBF_OP_DATA), 6);
	KUNIT_EXPECT_EQ(test, counted(1, IBF_VL_OP_PKTS + 3), 1);
	KUNIT_EXPECT_EQ(test, counted(1, IBF_VL_OP_DATA + 3), 6);
	/* Another opcode begins at 0. */
	choose(&ib_bench.sw->ports[2], 0x17, 1, data);
	KUNIT_EXPECT_EQ(test, data[7], 0);
	choose(&ib_bench.sw->ports[2], 0x19, 0, data);
	KUNIT_EXPECT_EQ(test, data[4 + 2 * 3 + 1], 1);
	ib_bench_down();
}

/* What a switch does with packets, by cause; data by SL. */
static void causes_test(struct kunit *test)
{
	struct ibf_port *ports;

	ib_bench_up(test);
	ports = ib_bench.sw->ports;
	ports[2].sl2vl[1][4] = 15;
	ib_bench_arrive(1, 0, 0, 0xffff);
	ib_bench_arrive(4, 0, 0, 0xffff);
	ib_bench_arrive(2, 4, 0, 0xffff);
	KUNIT_EXPECT_EQ(test, counted(1, IBF_RCV_LOOP), 1);
	KUNIT_EXPECT_EQ(test, counted(1, IBF_RCV_DLID), 1);
	KUNIT_EXPECT_EQ(test, counted(1, IBF_RCV_VL), 1);
	KUNIT_EXPECT_EQ(test, counted(1, IBF_RELAY_ERRORS), 3);
	KUNIT_EXPECT_EQ(test, counted(1, IBF_RCV_ERRORS), 0);
	ports[3].state = IBF_STATE_ARMED;
	ib_bench_arrive(3, 0, 0, 0xffff);
	ports[3].state = IBF_STATE_ACTIVE;
	KUNIT_EXPECT_EQ(test, counted(3, IBF_DISCARD_INACTIVE), 1);
	KUNIT_EXPECT_EQ(test, counted(3, IBF_XMIT_DISCARDS), 1);
	/* A VL that is not in use. */
	ports[1].op_vls = 1;
	ib_bench_arrive(2, 0, 1, 0xffff);
	KUNIT_EXPECT_EQ(test, counted(1, IBF_RCV_MALFORMED), 1);
	KUNIT_EXPECT_EQ(test, counted(1, IBF_RCV_ERRORS), 1);
	ib_bench_arrive(2, 7, 0, 0xffff);
	KUNIT_EXPECT_EQ(test, counted(1, IBF_SL_RCV + 7), 6);
	KUNIT_EXPECT_EQ(test, counted(1, IBF_SL_RCV + 4), 6);
	KUNIT_EXPECT_EQ(test, counted(2, IBF_SL_XMIT + 7), 6);
	KUNIT_EXPECT_EQ(test, counted(2, IBF_SL_XMIT + 4), 0);
	ib_bench_down();
}

static u32 lane_errors(const struct ibf_port *port, int lanes)
{
	u32 sum = 0;
	int i;

	for (i = 0; i < lanes; i++)
		sum += atomic64_read(&port->count[IBF_WIRE_ERRORS + i]);
	return sum;
}

static void lanes_test(struct kunit *test)
{
	struct ibf_cable *cable = &ib_bench.cables[1];
	struct ibf_port *far;
	int i;

	ib_bench_up(test);
	far = &ib_bench.far[1]->ports[1];
	/* SDR, then FDR. */
	for (i = 0; i <= 3; i += 3) {
		spin_lock_bh(&ibf_lock);
		ibf_unplug(cable);
		spin_unlock_bh(&ibf_lock);
		cable->speed = i;
		cable->fault = (struct ibf_fault){ .errors = 500000, .losses = 500000 };
		ib_bench_plug(1);
		while (atomic64_read(&far->count[IBF_SYMBOL_ERRORS]) < 100 * (i + 1))
			ib_bench_arrive(2, 0, 0, 0xffff);
		if (!i) {
			KUNIT_EXPECT_EQ(test, lane_errors(far, IBF_WIRES), 0);
			KUNIT_EXPECT_EQ(test, atomic64_read(&far->count[IBF_BAD_BLOCKS]), 0);
		}
	}
	KUNIT_EXPECT_GT(test, lane_errors(far, 1), 0);
	KUNIT_EXPECT_EQ(test, lane_errors(far, 4), lane_errors(far, IBF_WIRES));
	KUNIT_EXPECT_EQ(test, lane_errors(far, 4) + atomic64_read(&far->count[IBF_BAD_BLOCKS]),
			300);
	KUNIT_EXPECT_EQ(test, atomic64_read(&far->count[IBF_RCV_PHYSICAL]),
			atomic64_read(&far->count[IBF_RCV_ERRORS]));
	ib_bench_down();
	cable->fault = (struct ibf_fault){ };
	cable->speed = 0;
}

static struct kunit_case ib_optional_cases[] = {
	KUNIT_CASE(layout_test),
	KUNIT_CASE(refused_test),
	KUNIT_CASE(opcodes_test),
	KUNIT_CASE(causes_test),
	KUNIT_CASE(lanes_test),
	{}
};

struct kunit_suite ib_optional_suite = {
	.name = "ib_optional",
	.test_cases = ib_optional_cases,
};
