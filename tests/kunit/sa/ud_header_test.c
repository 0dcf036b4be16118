// SPDX-License-Identifier: GPL-2.0
/* Headers of UD packets against bytes written down: InfiniBand, RoCE v1 and v2. */
#include <kunit/test.h>
#include <linux/in.h>
#include <linux/module.h>
#include <rdma/ib_pack.h>

#include "wire_bytes.h"

static const u8 gid_a[] = GID_A, gid_b[] = GID_B;

static void fill_transport(struct ib_ud_header *header)
{
	header->bth.solicited_event = 1;
	header->bth.pkey = cpu_to_be16(0xffff);
	header->bth.destination_qpn = cpu_to_be32(1);
	header->bth.psn = cpu_to_be32(0x123456);
	header->deth.qkey = cpu_to_be32(0x80010000);
	header->deth.source_qpn = cpu_to_be32(0xabcdef);
}

/* The same, for a payload without padding. */
#define TRANSPORT(opcode)						\
	opcode, 0x80, 0xff, 0xff, 0, 0, 0, 1, 0, 0x12, 0x34, 0x56,	\
	0x80, 1, 0, 0, 0, 0xab, 0xcd, 0xef

static void fill_grh(struct ib_ud_header *header)
{
	header->grh.traffic_class = 0x5a;
	header->grh.flow_label = cpu_to_be32(0xabcde);
	header->grh.hop_limit = 64;
	memcpy(&header->grh.source_gid, gid_b, 16);
	memcpy(&header->grh.destination_gid, gid_a, 16);
}

#define GRH(len_high, len_low, next)					\
	0x65, 0xaa, 0xbc, 0xde, len_high, len_low, next, 64,		\
	0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 2, 0xc9, 3, 0, 0x1a, 0xbc, 0xd1, \
	0x20, 0x01, 0x0d, 0xb8, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11

static void fill_eth(struct ib_ud_header *header)
{
	memcpy(header->eth.dmac_h, "\x02\x11\x22\x33", 4);
	memcpy(header->eth.dmac_l, "\x44\x55", 2);
	memcpy(header->eth.smac_h, "\x02\xaa", 2);
	memcpy(header->eth.smac_l, "\xbb\xcc\xdd\xee", 4);
}

#define ETH 2, 0x11, 0x22, 0x33, 0x44, 0x55, 2, 0xaa, 0xbb, 0xcc, 0xdd, 0xee

static void expect_header(struct kunit *test, struct ib_ud_header *header,
			  const u8 *want, int len)
{
	u8 wire[160];

	memset(wire, 0xff, sizeof(wire));
	KUNIT_EXPECT_EQ(test, ib_ud_header_pack(header, wire), len);
	expect_bytes(test, wire, want, len);
	KUNIT_EXPECT_EQ(test, wire[len], 0xff);
}

static void ud_ib_test(struct kunit *test)
{
	static const u8 local[] = {
		0x10, 0x22, 0, 3, 0, 0x48, 0, 7, TRANSPORT(0x64),
	};
	static const u8 global[] = {
		0x10, 0x23, 0, 3, 0, 0x53, 0, 7, GRH(1, 0x1c, 0x1b),
		TRANSPORT(0x65), 0xde, 0xad, 0xbe, 0xef,
	};
	struct ib_ud_header header, back;
	u8 wire[160];
	int grh;

	for (grh = 0; grh < 2; grh++) {
		KUNIT_EXPECT_EQ(test, 0,
				ib_ud_header_init(256, 1, 0, 0, grh, 0, 0, grh,
						  &header));
		header.lrh.virtual_lane = 1;
		header.lrh.service_level = 2;
		header.lrh.destination_lid = cpu_to_be16(3);
		header.lrh.source_lid = cpu_to_be16(7);
		fill_transport(&header);
		if (grh)
			fill_grh(&header);
		header.immediate_data = grh ? cpu_to_be32(0xdeadbeef) : 0;
		expect_header(test, &header, grh ? global : local,
			      grh ? sizeof(global) : sizeof(local));

		ib_ud_header_pack(&header, wire);
		KUNIT_EXPECT_EQ(test, ib_ud_header_unpack(wire, &back), 0);
		KUNIT_EXPECT_EQ(test, back.grh_present, grh);
		KUNIT_EXPECT_EQ(test, back.immediate_present, grh);
		KUNIT_EXPECT_EQ(test, be32_to_cpu(back.deth.source_qpn),
				0xabcdef);
		expect_header(test, &back, wire, grh ? sizeof(global) :
						       sizeof(local));
	}
}

/* Byte of a packet with GRH, what it is changed to. */
static const struct {
	unsigned int at;
	u8 value;
} strange[] = {
	{ 0, 0x11 },	/* LVer */
	{ 1, 0x20 },	/* LNH: raw */
	{ 1, 0x21 },	/* LNH: IPv6 */
	{ 8, 0x45 },	/* IPVer */
	{ 14, 17 },	/* NxtHdr */
	{ 48, 0x04 },	/* opcode: RC */
	{ 49, 0x01 },	/* TVer */
};

static void ud_strange_test(struct kunit *test)
{
	struct ib_ud_header header;
	u8 wire[160];
	size_t ix;

	for (ix = 0; ix < ARRAY_SIZE(strange); ix++) {
		ib_ud_header_init(256, 1, 0, 0, 1, 0, 0, 0, &header);
		ib_ud_header_pack(&header, wire);
		KUNIT_EXPECT_EQ(test, ib_ud_header_unpack(wire, &header), 0);
		wire[strange[ix].at] = strange[ix].value;
		KUNIT_EXPECT_EQ(test, ib_ud_header_unpack(wire, &header),
				-EINVAL);
	}
	KUNIT_EXPECT_EQ(test, -EINVAL,
			ib_ud_header_init(4, 0, 1, 0, 1, 0, 1, 0, &header));
}

static void ud_roce_v1_test(struct kunit *test)
{
	static const u8 plain[] = {
		ETH, 0x89, 0x15, GRH(1, 0x18, 0x1b), TRANSPORT(0x64),
	};
	static const u8 tagged[] = {
		ETH, 0x81, 0x00, 0x20, 0x05, 0x89, 0x15, GRH(1, 0x18, 0x1b),
		TRANSPORT(0x64),
	};
	struct ib_ud_header header;

	ib_ud_header_init(256, 0, 1, 0, 1, 0, 0, 0, &header);
	fill_eth(&header);
	header.eth.type = cpu_to_be16(0x8915);
	fill_grh(&header);
	fill_transport(&header);
	expect_header(test, &header, plain, sizeof(plain));

	ib_ud_header_init(256, 0, 1, 1, 1, 0, 0, 0, &header);
	fill_eth(&header);
	header.vlan.tag = cpu_to_be16(0x2005);
	header.vlan.type = cpu_to_be16(0x8915);
	fill_grh(&header);
	fill_transport(&header);
	expect_header(test, &header, tagged, sizeof(tagged));
}

static void fill_udp(struct ib_ud_header *header)
{
	header->udp.sport = cpu_to_be16(0xc001);
	header->udp.dport = cpu_to_be16(4791);
}

static void ud_roce_v2_test(struct kunit *test)
{
	static const u8 ipv4[] = {
		ETH, 0x08, 0x00,
		0x45, 0xb8, 0x01, 0x34, 0x12, 0x34, 0x40, 0x00, 0x40, 0x11,
		0x12, 0xcb, 10, 0, 0, 1, 10, 0, 0, 2,
		0xc0, 0x01, 0x12, 0xb7, 0x01, 0x20, 0, 0, TRANSPORT(0x64),
	};
	static const u8 ipv6[] = {
		ETH, 0x86, 0xdd, GRH(1, 0x20, 17),
		0xc0, 0x01, 0x12, 0xb7, 0x01, 0x20, 0, 0, TRANSPORT(0x64),
	};
	struct ib_ud_header header;

	/* The GRH flag of the caller gives way to an IP header. */
	ib_ud_header_init(256, 0, 1, 0, 1, 4, 1, 0, &header);
	fill_eth(&header);
	header.eth.type = cpu_to_be16(ETH_P_IP);
	header.ip4.tos = 0xb8;
	header.ip4.id = cpu_to_be16(0x1234);
	header.ip4.frag_off = cpu_to_be16(0x4000);
	header.ip4.ttl = 64;
	header.ip4.saddr = cpu_to_be32(0x0a000001);
	header.ip4.daddr = cpu_to_be32(0x0a000002);
	header.ip4.check = ib_ud_ip4_csum(&header);
	/* What is there already does not count. */
	KUNIT_EXPECT_TRUE(test, header.ip4.check == ib_ud_ip4_csum(&header));
	fill_udp(&header);
	fill_transport(&header);
	expect_header(test, &header, ipv4, sizeof(ipv4));

	ib_ud_header_init(256, 0, 1, 0, 1, 6, 1, 0, &header);
	fill_eth(&header);
	header.eth.type = cpu_to_be16(ETH_P_IPV6);
	fill_grh(&header);
	fill_udp(&header);
	fill_transport(&header);
	expect_header(test, &header, ipv6, sizeof(ipv6));
}

/* Lengths count the padding, and the immediate data. */
static void ud_length_test(struct kunit *test)
{
	struct ib_ud_header header;
	int payload;

	for (payload = 0; payload < 9; payload++) {
		int padded = ALIGN(payload, 4);

		ib_ud_header_init(payload, 1, 0, 0, 0, 0, 0, 0, &header);
		KUNIT_EXPECT_EQ(test, header.bth.pad_count, padded - payload);
		KUNIT_EXPECT_EQ(test, be16_to_cpu(header.lrh.packet_length),
				(8 + 12 + 8 + padded + 4) / 4);
		ib_ud_header_init(payload, 0, 1, 0, 0, 4, 1, 1, &header);
		KUNIT_EXPECT_EQ(test, be16_to_cpu(header.udp.length),
				8 + 12 + 8 + 4 + padded + 4);
		KUNIT_EXPECT_EQ(test, be16_to_cpu(header.ip4.tot_len),
				20 + 8 + 12 + 8 + 4 + padded + 4);
	}
}

static struct kunit_case ud_header_cases[] = {
	KUNIT_CASE(ud_ib_test),
	KUNIT_CASE(ud_strange_test),
	KUNIT_CASE(ud_roce_v1_test),
	KUNIT_CASE(ud_roce_v2_test),
	KUNIT_CASE(ud_length_test),
	{}
};

static struct kunit_suite ud_header_suite = {
	.name = "ofed_ud_header",
	.test_cases = ud_header_cases,
};

kunit_test_suite(ud_header_suite);

MODULE_IMPORT_NS(EXPORTED_FOR_KUNIT_TESTING);
MODULE_DESCRIPTION("KUnit: headers of UD packets");
MODULE_LICENSE("GPL");
