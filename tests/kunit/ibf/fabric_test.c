// SPDX-License-Identifier: GPL-2.0
/*
 * Software InfiniBand without a subnet manager: attributes against bytes that were
 * written down from the specification, and each rule of directed routes.
 */
#include <linux/delay.h>
#include <linux/module.h>

#include "ib_bench.h"

/* ---- directed routes: section 14.2.2 --------------------------------------------- */

#define PERM	IB_LID_PERMISSIVE
#define LID4	cpu_to_be16(4)

static const struct route {
	const char *name;
	u8 ptr, cnt;
	bool back;
	__be16 slid, dlid;
	enum ibf_way way;
	u8 port;	/* or the LID */
	u8 after;
} routes[] = {
	/* C14-9, in the order of its items; the path is 0, 1, 2, 3, 9, 9 ... */
	{ "begins here", 0, 3, false, LID4, PERM, IBF_WAY_PORT, 1, 1 },
	{ "half-way", 1, 3, false, PERM, PERM, IBF_WAY_PORT, 2, 2 },
	{ "last hop but one", 2, 3, false, PERM, PERM, IBF_WAY_PORT, 3, 3 },
	{ "no such port", 3, 5, false, PERM, PERM, IBF_WAY_DROP, 0, 4 },
	{ "arrives", 3, 3, false, PERM, PERM, IBF_WAY_HERE, 0, 4 },
	{ "goes on by LID", 3, 3, false, PERM, LID4, IBF_WAY_LID, 4, 4 },
	{ "arrived by LID", 4, 3, false, PERM, LID4, IBF_WAY_HERE, 0, 4 },
	{ "no hops", 0, 0, false, LID4, PERM, IBF_WAY_HERE, 0, 1 },
	{ "behind the end", 5, 3, false, PERM, PERM, IBF_WAY_DROP, 0, 5 },
	{ "far behind", 255, 3, false, PERM, PERM, IBF_WAY_DROP, 0, 255 },
	{ "too many hops", 1, 64, false, PERM, PERM, IBF_WAY_DROP, 0, 1 },
	{ "far too many", 254, 255, false, PERM, PERM, IBF_WAY_DROP, 0, 254 },
	{ "the longest", 62, 63, false, PERM, PERM, IBF_WAY_DROP, 0, 63 },
	{ "the longest arrives", 63, 63, false, PERM, PERM, IBF_WAY_HERE, 0, 64 },
	/* C14-13 */
	{ "answer begins", 4, 3, true, PERM, LID4, IBF_WAY_PORT, 3, 3 },
	{ "answer half-way", 3, 3, true, PERM, PERM, IBF_WAY_PORT, 2, 2 },
	{ "answer, next", 2, 3, true, PERM, PERM, IBF_WAY_PORT, 1, 1 },
	{ "answer is here", 1, 3, true, PERM, PERM, IBF_WAY_HERE, 0, 0 },
	{ "answer goes on", 1, 3, true, LID4, PERM, IBF_WAY_LID, 4, 0 },
	{ "answer was here", 0, 3, true, PERM, PERM, IBF_WAY_HERE, 0, 0 },
	{ "answer without hops", 1, 0, true, LID4, PERM, IBF_WAY_LID, 4, 0 },
	{ "answer without a request", 5, 3, true, PERM, PERM, IBF_WAY_DROP, 0, 5 },
	{ "answer, too many", 3, 64, true, PERM, PERM, IBF_WAY_DROP, 0, 3 },
	{ "answer, edge", 255, 255, true, PERM, PERM, IBF_WAY_DROP, 0, 255 },
};

static void route_test(struct kunit *test)
{
	const struct route *row;
	struct ibf_hop hop;
	struct ib_smp smp;
	int i;

	for (row = routes; row < routes + ARRAY_SIZE(routes); row++) {
		memset(&smp, 0, sizeof(smp));
		for (i = 1; i < IB_SMP_MAX_PATH_HOPS; i++)
			smp.initial_path[i] = smp.return_path[i] = i < 4 ? i : 9;
		smp.hop_ptr = row->ptr;
		smp.hop_cnt = row->cnt;
		smp.dr_slid = row->slid;
		smp.dr_dlid = row->dlid;
		smp.status = row->back ? IB_SMP_DIRECTION : 0;
		hop = ibf_dr_arrived(&smp, 7, 8);
		KUNIT_EXPECT_EQ_MSG(test, hop.way, row->way, "%s", row->name);
		KUNIT_EXPECT_EQ_MSG(test, smp.hop_ptr, row->after, "%s", row->name);
		if (hop.way == IBF_WAY_PORT)
			KUNIT_EXPECT_EQ_MSG(test, hop.port, row->port, "%s", row->name);
		if (hop.way == IBF_WAY_LID)
			KUNIT_EXPECT_EQ_MSG(test, hop.lid, row->port, "%s", row->name);
	}
}

static void return_path_test(struct kunit *test)
{
	struct ib_smp smp = {
		.hop_ptr = 1, .hop_cnt = 2, .dr_slid = PERM, .dr_dlid = PERM,
		.initial_path = { 0, 5, 6 },
	};
	struct ibf_hop hop;

	/* Out over two switches ... */
	hop = ibf_dr_arrived(&smp, 3, 8);
	KUNIT_EXPECT_EQ(test, hop.port, 6);
	KUNIT_EXPECT_EQ(test, smp.return_path[1], 3);
	hop = ibf_dr_arrived(&smp, 4, 8);
	KUNIT_EXPECT_EQ(test, hop.way, IBF_WAY_HERE);
	KUNIT_EXPECT_EQ(test, smp.return_path[2], 4);
	/* ... and the same way back. */
	smp.status = IB_SMP_DIRECTION;
	hop = ibf_dr_answer(&smp, 8);
	KUNIT_EXPECT_EQ(test, hop.way, IBF_WAY_PORT);
	KUNIT_EXPECT_EQ(test, hop.port, 4);
	hop = ibf_dr_arrived(&smp, 6, 8);
	KUNIT_EXPECT_EQ(test, hop.port, 3);
	KUNIT_EXPECT_EQ(test, smp.hop_ptr, 1);
}

/* ---- attributes ----------------------------------------------------------------------- */

/* Section 14.2.5.3 */
static const u8 node_info_bytes[IB_SMP_DATA_SIZE] = {
	0x01, 0x01, 0x01, 0x02,
	0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xff,
	0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00,
	0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x02,
	0x00, 0x20, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01,
	0x02, 0xff, 0xff, 0xff,
};

/* Section 14.2.5.6: what is set, and what is read then. */
static const u8 port_info_to_set[IB_SMP_DATA_SIZE] = {
	0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88,	/* M_Key */
	0xfe, 0xc0, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01,	/* GidPrefix */
	0x00, 0x08, 0x00, 0x01,				/* LID, MasterSMLID */
	0xff, 0xff, 0xff, 0xff,				/* read only */
	0xff, 0xff, 0x00, 0x0f,				/* M_KeyLeasePeriod */
	0xee, 0x02, 0xff, 0xff,				/* LinkWidthEnabled */
	0xf0, 0x00, 0x42, 0xf3,				/* no change; protect 1, LMC 2 */
	0x43, 0xff, 0x05, 0xff,				/* MTU 2048, SMSL 3, limit */
	0xff, 0x0f, 0x72, 0x3c,				/* HOQLife 18, VL0-3, enforce */
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0xff, 0x12, 0xff, 0x9a,				/* SubnetTimeOut, thresholds */
	0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	0x00, 0x00, 0x00, 0x02,				/* LinkSpeedExtEnabled */
};

static const u8 port_info_then[IB_SMP_DATA_SIZE] = {
	0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88,
	0xfe, 0xc0, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01,
	0x00, 0x08, 0x00, 0x01,
	0x06, 0x41, 0x48, 0x68,
	0x00, 0x00, 0x00, 0x0f,
	0x01, 0x02, 0x0f, 0x02,
	0x71, 0x22, 0x42, 0x13,
	0x43, 0x40, 0x05, 0x08,
	0x08, 0x05, 0x72, 0x3c,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x08, 0x12, 0x10, 0x9a,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x07, 0x02,
};

static void expect_protected(struct kunit *test, struct ibf_port *port, __be64 key)
{
	enum ibf_answer answer;
	u8 data[64] = { };

	/* Protection 1 hides the key from requests without it (14.2.4.2). */
	ib_bench_ask(port, IB_MGMT_METHOD_GET, IB_SMP_ATTR_PORT_INFO, 0, 0, data, &answer);
	KUNIT_EXPECT_EQ(test, data[0], 0);
	ib_bench_ask(port, IB_MGMT_METHOD_GET, IB_SMP_ATTR_PORT_INFO, 0, key, data, &answer);
	KUNIT_EXPECT_EQ(test, data[0], 0x11);
	memcpy(data, port_info_to_set, sizeof(data));
	ib_bench_ask(port, IB_MGMT_METHOD_SET, IB_SMP_ATTR_PORT_INFO, 0, 0, data, &answer);
	KUNIT_EXPECT_EQ(test, answer, IBF_CONSUMED);
	KUNIT_EXPECT_EQ(test, be16_to_cpu(port->info.mkey_violations), 1);
	/* 2 and 3 say nothing at all. */
	port->info.mkey_lmc |= IBF_MKEY_PROTECT;
	ib_bench_ask(port, IB_MGMT_METHOD_GET, IB_SMP_ATTR_NODE_INFO, 0, 0, data, &answer);
	KUNIT_EXPECT_EQ(test, answer, IBF_CONSUMED);
	/* The lease that the first began is over: the key protects no more. */
	KUNIT_EXPECT_TRUE(test, port->leased);
	port->lease = jiffies - 1;
	ib_bench_ask(port, IB_MGMT_METHOD_GET, IB_SMP_ATTR_NODE_INFO, 0, 0, data, &answer);
	KUNIT_EXPECT_EQ(test, answer, IBF_REPLY);
}

static void hca_attributes_test(struct kunit *test)
{
	struct ibf_node *node = ib_bench_node(test, "hca", false, 2);
	__be64 key = cpu_to_be64(0x1122334455667788);
	struct ibf_port *port = &node->ports[1];
	enum ibf_answer answer;
	u8 data[64] = { };

	ib_bench_ask(&node->ports[2], IB_MGMT_METHOD_GET, IB_SMP_ATTR_NODE_INFO, 0, 0, data,
	    &answer);
	ib_bench_expect(test, "NodeInfo", data, node_info_bytes);

	memcpy(data, port_info_to_set, sizeof(data));
	data[32] = 0x71;	/* LinkDownDefaultState is not 7 */
	data[33] = 0x27;
	KUNIT_EXPECT_EQ(test, ib_bench_ask(port, IB_MGMT_METHOD_SET, IB_SMP_ATTR_PORT_INFO, 0, 0,
				  data, &answer), IBF_SMP_BAD_FIELD);
	KUNIT_EXPECT_EQ(test, port->lid, 0);
	memcpy(data, port_info_to_set, sizeof(data));
	KUNIT_EXPECT_EQ(test, ib_bench_ask(port, IB_MGMT_METHOD_SET, IB_SMP_ATTR_PORT_INFO, 0, 0,
				  data, &answer), 0);
	ib_bench_expect(test, "PortInfo", data, port_info_then);
	KUNIT_EXPECT_EQ(test, port->op_vls, 4);

	expect_protected(test, port, key);

	/* The other port has no key, and yet neither shows this one nor changes it. */
	memset(data, 0xff, sizeof(data));
	KUNIT_EXPECT_EQ(test, ib_bench_ask(&node->ports[2], IB_MGMT_METHOD_GET, IB_SMP_ATTR_PORT_INFO,
				  1, 0, data, &answer), 0);
	KUNIT_EXPECT_EQ(test, data[0], 0);
	KUNIT_EXPECT_EQ(test, data[17], 0x08);
	memcpy(data, port_info_to_set, sizeof(data));
	data[0] = 0x12;
	KUNIT_EXPECT_EQ(test, ib_bench_ask(&node->ports[2], IB_MGMT_METHOD_SET, IB_SMP_ATTR_PORT_INFO,
				  1, 0, data, &answer), IBF_SMP_BAD_FIELD);
	KUNIT_EXPECT_TRUE(test, port->info.mkey == key);

	KUNIT_EXPECT_EQ(test, ib_bench_ask(port, IB_MGMT_METHOD_GET, IB_SMP_ATTR_SWITCH_INFO, 0, key,
				  data, &answer), IBF_SMP_BAD_ATTR);
	KUNIT_EXPECT_EQ(test, ib_bench_ask(port, IB_MGMT_METHOD_GET, IB_SMP_ATTR_PORT_INFO, 3, key,
				  data, &answer), IBF_SMP_BAD_FIELD);
	ibf_node_free(node);
}

/* Section 14.2.5.4: 49152 LIDs, 1024 groups, 32 P_Keys, both kinds of enforcement. */
static const u8 switch_info_bytes[IB_SMP_DATA_SIZE] = {
	0xc0, 0x00, 0x00, 0x00, 0x04, 0x00, 0x00, 0x21, 0x00, 0x00, 0x00, 0x90,
	0x00, 0x01, 0x00, 0x20, 0xc0, 0x00, 0x00, 0x00,
};

static void switch_attributes_test(struct kunit *test)
{
	struct ibf_node *node = ib_bench_node(test, "sw", true, 40);
	struct ibf_port *port = &node->ports[3];
	enum ibf_answer answer;
	u8 data[64] = { };
	int i;

	data[7] = 0x21;
	data[11] = 0x94;
	node->sw->info.flags |= IBF_SWITCH_CHANGED;
	KUNIT_EXPECT_EQ(test, ib_bench_ask(port, IB_MGMT_METHOD_SET, IB_SMP_ATTR_SWITCH_INFO, 0, 0,
				  data, &answer), 0);
	ib_bench_expect(test, "SwitchInfo", data, switch_info_bytes);

	for (i = 0; i < 64; i++)
		data[i] = i;
	ib_bench_ask(port, IB_MGMT_METHOD_SET, IB_SMP_ATTR_LINEAR_FORWARD_TABLE, 2, 0, data, &answer);
	KUNIT_EXPECT_EQ(test, node->sw->lft[128 + 5], 5);
	KUNIT_EXPECT_EQ(test, node->sw->lft[127], IBF_NO_PORT);
	KUNIT_EXPECT_EQ(test, ib_bench_ask(port, IB_MGMT_METHOD_SET, IB_SMP_ATTR_LINEAR_FORWARD_TABLE,
				  0x300, 0, data, &answer), IBF_SMP_BAD_FIELD);
	/* Group 32 + 1, ports 32 to 47. */
	memset(data, 0, sizeof(data));
	data[2] = 0x01;
	data[3] = 0x80;
	ib_bench_ask(port, IB_MGMT_METHOD_SET, IB_SMP_ATTR_MCAST_FORWARD_TABLE, 0x20000001, 0, data,
	    &answer);
	KUNIT_EXPECT_EQ(test, node->sw->mft[33][2], 0x0180);
	KUNIT_EXPECT_EQ(test, ib_bench_ask(port, IB_MGMT_METHOD_GET, IB_SMP_ATTR_MCAST_FORWARD_TABLE,
				  0x50000000, 0, data, &answer), IBF_SMP_BAD_FIELD);
	/* P_Keys of port 4, SLs of what goes from 3 to 4. */
	memset(data, 0, sizeof(data));
	data[0] = 0x80;
	data[1] = 0x01;
	ib_bench_ask(port, IB_MGMT_METHOD_SET, IB_SMP_ATTR_PKEY_TABLE, 4 << 16, 0, data, &answer);
	KUNIT_EXPECT_EQ(test, node->ports[4].pkeys[0], 0x8001);
	data[0] = 0x12;
	ib_bench_ask(port, IB_MGMT_METHOD_SET, IB_SMP_ATTR_SL_TO_VL_TABLE, 0x0304, 0, data, &answer);
	KUNIT_EXPECT_EQ(test, node->ports[4].sl2vl[3][0], 1);
	KUNIT_EXPECT_EQ(test, node->ports[4].sl2vl[3][1], 2);
	KUNIT_EXPECT_EQ(test, ib_bench_ask(port, IB_MGMT_METHOD_GET, IB_SMP_ATTR_SL_TO_VL_TABLE, 0x2904,
				  0, data, &answer), IBF_SMP_BAD_FIELD);
	ibf_node_free(node);
}

/* ---- PortSamples: sections 16.1.3.2, 16.1.3.4 ----------------------------------------- */

/* Ticks of 4 ns. Port 2; sent packets, received words, and what no port can count. */
static const u8 samples_to_set[68] = {
	0xff, 0x02, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	[28] = 0x00, 0x00, 0x00, 0x00,			/* SampleStart */
	0x00, 0x4c, 0x4b, 0x40,				/* SampleInterval: 20 ms */
	0x12, 0x34,					/* Tag */
	0x00, 0x03, 0x00, 0x02, 0x00, 0x06, 0x40, 0x00, 0xff, 0xff,
};

static const u8 samples_then[68] = {
	0x00, 0x02, 0x00, 0x04,				/* Tick, CounterWidth */
	0x09, 0x24, 0x92, 0x49, 0x12, 0x49, 0x00, 0x02,	/* CounterMasks, SampleStatus */
	0x01, 0x80, 0x00, 0x00, 0x1f, 0xbf, 0xff, 0xc0,	/* OptionMask */
	[32] = 0x00, 0x4c, 0x4b, 0x40, 0x12, 0x34,
	0x00, 0x03, 0x00, 0x02,
};

/* Until the results are there. */
static void sampled(struct kunit *test, struct ibf_port *port, __be16 attr, u8 *data)
{
	int i;

	for (i = 0; i < 5000; i++) {
		KUNIT_EXPECT_EQ(test, ib_bench_ask_pma(port, IB_MGMT_METHOD_GET, attr, data), 0);
		if (!data[3])
			return;
		usleep_range(1000, 2000);
	}
	KUNIT_FAIL(test, "never done");
}

/* Softirqs are off meanwhile, so the time that has begun does not end. */
static void count_some(struct ibf_node *node, u32 more)
{
	ibf_count_more(&node->ports[2], IBF_XMIT_PKTS, more);
	ibf_count_more(&node->ports[2], IBF_RCV_DATA, more * 10);
	ibf_count_more(&node->ports[1], IBF_XMIT_PKTS, more * 100);
}

/* A counter select that there is not, and an attribute that is read only. */
static void expect_refused(struct kunit *test, struct ibf_port *port, u8 *data)
{
	data[1] = 4;
	KUNIT_EXPECT_EQ(test, ib_bench_ask_pma(port, IB_MGMT_METHOD_SET, IB_PMA_PORT_SAMPLES_CONTROL,
				      data), IBF_SMP_BAD_FIELD);
	KUNIT_EXPECT_EQ(test, ib_bench_ask_pma(port, IB_MGMT_METHOD_SET, IB_PMA_PORT_SAMPLES_RESULT,
				      data), IBF_SMP_BAD_ATTR);
}

static void samples_test(struct kunit *test)
{
	struct ibf_node *node = ib_bench_node(test, "sw", true, 3);
	struct ibf_port *port = &node->ports[1];
	__be32 counters[IBF_SAMPLES];
	__be64 wide[IBF_SAMPLES];
	u8 data[192] = { };
	int i;

	mutex_lock(&ibf_config);
	ibf_node_power(node, true);
	mutex_unlock(&ibf_config);
	count_some(node, 1000);
	local_bh_disable();
	memcpy(data, samples_to_set, sizeof(samples_to_set));
	KUNIT_EXPECT_EQ(test, ib_bench_ask_pma(port, IB_MGMT_METHOD_SET, IB_PMA_PORT_SAMPLES_CONTROL,
				      data), 0);
	for (i = 0; i < ARRAY_SIZE(samples_then); i++)
		KUNIT_EXPECT_EQ_MSG(test, data[i], samples_then[i], "byte %d", i);
	/* Another sender has to wait. */
	data[1] = 1;
	data[36] = 0xee;
	ib_bench_ask_pma(port, IB_MGMT_METHOD_SET, IB_PMA_PORT_SAMPLES_CONTROL, data);
	KUNIT_EXPECT_EQ(test, data[1], 2);
	KUNIT_EXPECT_EQ(test, data[36], 0x12);
	count_some(node, 3);
	local_bh_enable();
	sampled(test, port, IB_PMA_PORT_SAMPLES_RESULT, data);
	KUNIT_EXPECT_EQ(test, data[0], 0x12);
	memcpy(counters, data + 4, sizeof(counters));
	KUNIT_EXPECT_EQ(test, be32_to_cpu(counters[0]), 3);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(counters[1]), 30);
	for (i = 2; i < IBF_SAMPLES; i++)
		KUNIT_EXPECT_EQ(test, be32_to_cpu(counters[i]), 0);

	/* All ports, and it begins later than what is counted here. */
	memcpy(data, samples_to_set, sizeof(samples_to_set));
	data[1] = 0xff;
	data[29] = 0x0f;
	local_bh_disable();
	ib_bench_ask_pma(port, IB_MGMT_METHOD_SET, IB_PMA_PORT_SAMPLES_CONTROL, data);
	KUNIT_EXPECT_EQ(test, data[11], IBF_SAMPLES_STARTED);
	count_some(node, 5);
	local_bh_enable();
	sampled(test, port, IB_PMA_PORT_SAMPLES_RESULT_EXT, data);
	memcpy(wide, data + 8, sizeof(wide));
	KUNIT_EXPECT_EQ(test, be64_to_cpu(wide[0]), 0);

	expect_refused(test, port, data);
	/* The timer of one that goes while it runs does not outlive it. */
	memcpy(data, samples_to_set, sizeof(samples_to_set));
	ib_bench_ask_pma(port, IB_MGMT_METHOD_SET, IB_PMA_PORT_SAMPLES_CONTROL, data);
	mutex_lock(&ibf_config);
	ibf_node_power(node, false);
	mutex_unlock(&ibf_config);
	ibf_node_free(node);
}

static struct kunit_case ib_fabric_cases[] = {
	KUNIT_CASE(route_test),
	KUNIT_CASE(return_path_test),
	KUNIT_CASE(hca_attributes_test),
	KUNIT_CASE(switch_attributes_test),
	KUNIT_CASE(samples_test),
	{}
};

static struct kunit_suite ib_fabric_suite = {
	.name = "ib_fabric",
	.test_cases = ib_fabric_cases,
};
kunit_test_suites(&ib_fabric_suite, &ib_tables_suite, &ib_optional_suite, &ib_traps_suite,
		  &ib_packets_suite, &ib_cables_suite, &ib_tunnel_suite, &ib_offload_suite,
		  &ib_opa_suite);

MODULE_IMPORT_NS(EXPORTED_FOR_KUNIT_TESTING);
MODULE_LICENSE("GPL");
