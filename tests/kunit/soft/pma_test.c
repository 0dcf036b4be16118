// SPDX-License-Identifier: GPL-2.0
/* The performance management agent of software devices, MAD by MAD. */
#include <kunit/test.h>
#include <linux/module.h>
#include <rdma/ib_pma.h>

#include "hw/soft/pma.h"

#define PORT	3

static const struct soft_pma_counts small = {
	.xmit_bytes = 4 * 1000 + 3,
	.rcv_bytes = 4 * 2000,
	.xmit_pkts = 30,
	.rcv_pkts = 40,
	.mcast_xmit_pkts = 5,
	.mcast_rcv_pkts = 6,
	.link_downed = 7,
	.rcv_errors = 8,
	.rcv_constraint_errors = 9,
	.xmit_discards = 10,
};

static const struct soft_pma_counts large = {
	.xmit_bytes = 1ULL << 40,
	.rcv_bytes = 1ULL << 41,
	.xmit_pkts = 1ULL << 33,
	.rcv_pkts = 1ULL << 34,
	/* Counted behind the packet itself, and read before it. */
	.mcast_xmit_pkts = (1ULL << 33) + 1,
	.link_downed = 1000,
	.rcv_errors = 100000,
	.rcv_constraint_errors = 1000,
	.xmit_discards = 100000,
};

/* What the port has counted; NULL: it must not be asked. */
static const struct soft_pma_counts *counted;
static u32 asked_port;
static bool asked;

static void read_counts(struct ib_device *ib, u32 port_num,
			struct soft_pma_counts *counts)
{
	asked = true;
	asked_port = port_num;
	if (counted)
		*counts = *counted;
}

static union {
	struct ib_pma_mad pma;
	struct ib_mad mad;
} query, reply;

static struct ib_pma_portcounters *const basic = (void *)reply.pma.data;
static struct ib_pma_portcounters_ext *const extended = (void *)reply.pma.data;

/* @select: PortSelect. Behind it nothing is 0. */
static void fill(__be16 attr_id, u8 select)
{
	memset(&query, 0xaa, sizeof(query));
	memset(&reply, 0x55, sizeof(reply));
	query.pma.mad_hdr = (struct ib_mad_hdr) {
		.base_version = IB_MGMT_BASE_VERSION,
		.mgmt_class = IB_MGMT_CLASS_PERF_MGMT,
		.class_version = 1,
		.method = IB_MGMT_METHOD_GET,
		.tid = cpu_to_be64(0x0123456789abcdefULL),
		.attr_id = attr_id,
	};
	query.pma.data[1] = select;
	asked = false;
}

static int call(void)
{
	return soft_pma(NULL, PORT, &query.mad, &reply.mad, read_counts);
}

static void expect_status(struct kunit *test, u16 status)
{
	KUNIT_EXPECT_EQ(test, call(),
			IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_REPLY);
	KUNIT_EXPECT_EQ(test, be16_to_cpu(reply.pma.mad_hdr.status), status);
	KUNIT_EXPECT_EQ(test, reply.pma.mad_hdr.method, IB_MGMT_METHOD_GET_RESP);
	KUNIT_EXPECT_EQ(test, reply.pma.mad_hdr.tid, query.pma.mad_hdr.tid);
	/* A counter is read for a good question alone. */
	if (status)
		KUNIT_EXPECT_FALSE(test, asked);
}

static void pma_port_counters(struct kunit *test)
{
	counted = &small;
	fill(IB_PMA_PORT_COUNTERS, PORT);
	expect_status(test, 0);
	KUNIT_EXPECT_EQ(test, asked_port, PORT);
	KUNIT_EXPECT_EQ(test, basic->port_select, PORT);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(basic->port_xmit_data), 1000);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(basic->port_rcv_data), 2000);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(basic->port_xmit_packets), 30);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(basic->port_rcv_packets), 40);
	KUNIT_EXPECT_EQ(test, basic->link_downed_counter, 7);
	KUNIT_EXPECT_EQ(test, be16_to_cpu(basic->port_rcv_errors), 8);
	KUNIT_EXPECT_EQ(test, basic->port_rcv_constraint_errors, 9);
	KUNIT_EXPECT_EQ(test, be16_to_cpu(basic->port_xmit_discards), 10);
	KUNIT_EXPECT_EQ(test, be16_to_cpu(basic->symbol_error_counter), 0);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(basic->port_xmit_wait), 0);
}

/* 16.1.3.5: it stays at its largest value. */
static void pma_saturated(struct kunit *test)
{
	counted = &large;
	fill(IB_PMA_PORT_COUNTERS, 0xff);
	expect_status(test, 0);
	KUNIT_EXPECT_EQ(test, asked_port, PORT);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(basic->port_xmit_data), U32_MAX);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(basic->port_rcv_data), U32_MAX);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(basic->port_xmit_packets), U32_MAX);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(basic->port_rcv_packets), U32_MAX);
	KUNIT_EXPECT_EQ(test, basic->link_downed_counter, U8_MAX);
	KUNIT_EXPECT_EQ(test, be16_to_cpu(basic->port_rcv_errors), U16_MAX);
	KUNIT_EXPECT_EQ(test, basic->port_rcv_constraint_errors, U8_MAX);
	KUNIT_EXPECT_EQ(test, be16_to_cpu(basic->port_xmit_discards), U16_MAX);
}

static void pma_extended(struct kunit *test)
{
	counted = &small;
	fill(IB_PMA_PORT_COUNTERS_EXT, PORT);
	expect_status(test, 0);
	KUNIT_EXPECT_EQ(test, be64_to_cpu(extended->port_xmit_data), 1000);
	KUNIT_EXPECT_EQ(test, be64_to_cpu(extended->port_unicast_xmit_packets), 25);
	KUNIT_EXPECT_EQ(test, be64_to_cpu(extended->port_unicast_rcv_packets), 34);
	KUNIT_EXPECT_EQ(test, be64_to_cpu(extended->port_multicast_xmit_packets), 5);
	KUNIT_EXPECT_EQ(test, be64_to_cpu(extended->port_multicast_rcv_packets), 6);

	counted = &large;
	fill(IB_PMA_PORT_COUNTERS_EXT, PORT);
	expect_status(test, 0);
	KUNIT_EXPECT_EQ(test, be64_to_cpu(extended->port_xmit_data), 1ULL << 38);
	KUNIT_EXPECT_EQ(test, be64_to_cpu(extended->port_rcv_data), 1ULL << 39);
	KUNIT_EXPECT_EQ(test, be64_to_cpu(extended->port_xmit_packets), 1ULL << 33);
	KUNIT_EXPECT_EQ(test, be64_to_cpu(extended->port_rcv_packets), 1ULL << 34);
	KUNIT_EXPECT_EQ(test, be64_to_cpu(extended->port_unicast_xmit_packets), 0);
}

static void pma_class_port_info(struct kunit *test)
{
	const struct ib_class_port_info *info = (void *)reply.pma.data;

	fill(IB_PMA_CLASS_PORT_INFO, 0);
	expect_status(test, 0);
	KUNIT_EXPECT_EQ(test, info->class_version, 1);
	KUNIT_EXPECT_EQ(test, be16_to_cpu(info->capability_mask), 0x0300);
	KUNIT_EXPECT_FALSE(test, asked);
}

static void pma_refused(struct kunit *test)
{
	counted = NULL;
	fill(IB_PMA_PORT_COUNTERS, PORT + 1);
	expect_status(test, IB_MGMT_MAD_STATUS_INVALID_ATTRIB_VALUE);
	fill(IB_PMA_PORT_COUNTERS_EXT, 0);
	expect_status(test, IB_MGMT_MAD_STATUS_INVALID_ATTRIB_VALUE);
	fill(IB_PMA_PORT_SAMPLES_CONTROL, PORT);
	expect_status(test, IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD_ATTRIB);
	fill(IB_PMA_PORT_COUNTERS, PORT);
	query.pma.mad_hdr.method = IB_MGMT_METHOD_SET;
	expect_status(test, IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD_ATTRIB);
	fill(IB_PMA_PORT_COUNTERS, PORT);
	query.pma.mad_hdr.class_version = 2;
	expect_status(test, IB_MGMT_MAD_STATUS_BAD_VERSION);
}

/* For others of QP1: it is left alone. */
static void expect_passed(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, call(), IB_MAD_RESULT_SUCCESS);
	KUNIT_EXPECT_TRUE(test, !memchr_inv(&reply, 0x55, sizeof(reply)));
	KUNIT_EXPECT_FALSE(test, asked);
}

static void pma_passed(struct kunit *test)
{
	fill(IB_PMA_PORT_COUNTERS, PORT);
	query.pma.mad_hdr.method = IB_MGMT_METHOD_GET_RESP;
	expect_passed(test);
	fill(IB_PMA_PORT_COUNTERS, PORT);
	query.pma.mad_hdr.mgmt_class = IB_MGMT_CLASS_CM;
	expect_passed(test);
	fill(IB_PMA_PORT_COUNTERS, PORT);
	query.pma.mad_hdr.base_version = 0x80;
	expect_passed(test);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(pma_port_counters),
	KUNIT_CASE(pma_saturated),
	KUNIT_CASE(pma_extended),
	KUNIT_CASE(pma_class_port_info),
	KUNIT_CASE(pma_refused),
	KUNIT_CASE(pma_passed),
	{}
};

static struct kunit_suite suite = {
	.name = "soft_pma",
	.test_cases = cases,
};
kunit_test_suites(&suite);
MODULE_DESCRIPTION("KUnit: performance management of software devices");
MODULE_LICENSE("GPL");
