// SPDX-License-Identifier: GPL-2.0
/*
 * Structs and the wire: fields at any bit, and records of the SA against bytes
 * written down from the tables of IBA vol. 1 15.2.5; and the arithmetic of
 * multicast membership.
 */
#include <kunit/test.h>
#include <linux/in.h>
#include <linux/module.h>
#include <rdma/ib_pack.h>
#include <rdma/ib_sa.h>

#include "core/sa/multicast.h"
#include "core/sa/priv.h"
#include "wire_bytes.h"

static unsigned int bit_of(const u8 *bytes, unsigned int bit)
{
	return bytes[bit / 8] >> (7 - bit % 8) & 1;
}

struct number {
	__be64 value;
};

/* Every width up to 64 at every bit of a word, over ones and over zeroes. */
static void try_field(struct kunit *test, int at, int width, u8 fill)
{
	const struct ib_field field = {
		.struct_size_bytes = sizeof(__be64),
		.offset_words = 1, .offset_bits = at, .size_bits = width,
		.field_name = "value",
	};
	u64 pattern = 0xa5c3f00f96e1d287ULL;
	struct number in = { cpu_to_be64(pattern) }, out;
	u8 wire[20], bits[8];
	int ix, wrong = 0;

	memset(wire, fill, sizeof(wire));
	memset(&out, 0xee, sizeof(out));
	memcpy(bits, &in, sizeof(bits));
	ib_pack(&field, 1, &in, wire);
	for (ix = 0; ix < 160; ix++) {
		int inside = ix - 32 - at;

		if (inside < 0 || inside >= width)
			wrong += bit_of(wire, ix) != (fill & 1);
		else
			wrong += bit_of(wire, ix) !=
				 bit_of(bits, 64 - width + inside);
	}
	KUNIT_EXPECT_EQ_MSG(test, wrong, 0, "bit %d, width %d", at, width);

	ib_unpack(&field, 1, wire, &out);
	KUNIT_EXPECT_EQ(test, be64_to_cpu(out.value),
			pattern & (U64_MAX >> (64 - width)));
}

static void bits_test(struct kunit *test)
{
	int at, width;

	for (at = 0; at < 32; at++)
		for (width = 1; width <= 64; width++) {
			try_field(test, at, width, 0xff);
			try_field(test, at, width, 0);
		}
}

struct widths {
	u8 one;
	__be16 two;
	__be32 four;
	u8 six[6];
	u8 sixteen[16];
};

#define WIDTH(member_, word, bit, bits) {				\
	.struct_offset_bytes = offsetof(struct widths, member_),	\
	.struct_size_bytes = sizeof_field(struct widths, member_),	\
	.offset_words = (word), .offset_bits = (bit),			\
	.size_bits = (bits), .field_name = #member_ }

static const struct ib_field width_fields[] = {
	WIDTH(one, 0, 0, 12),		/* wider than its member */
	WIDTH(two, 0, 12, 9),		/* narrower */
	{ RESERVED, .offset_words = 0, .offset_bits = 21, .size_bits = 15 },
	WIDTH(four, 1, 4, 32),		/* in two words */
	WIDTH(six, 2, 4, 48),
	WIDTH(sixteen, 3, 20, 128),	/* long, and at no byte */
};

static const u8 width_wire[] = {
	0x0a, 0xb9, 0x10, 0x00, 0x0d, 0xea, 0xdb, 0xee,
	0xf1, 0x23, 0x45, 0x67, 0x89, 0xab, 0xc0, 0x01,
	0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09,
	0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f, 0x0f, 0xff,
};

static void widths_test(struct kunit *test)
{
	struct widths in = {
		.one = 0xab,
		.two = cpu_to_be16(0xff22),
		.four = cpu_to_be32(0xdeadbeef),
		.six = { 0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc },
		.sixteen = { 0, 0x10, 0x20, 0x30, 0x40, 0x50, 0x60, 0x70,
			     0x80, 0x90, 0xa0, 0xb0, 0xc0, 0xd0, 0xe0, 0xf0 },
	};
	u8 wire[sizeof(width_wire)];
	struct widths out;

	memset(wire, 0xff, sizeof(wire));
	memset(&out, 0xff, sizeof(out));
	ib_pack(width_fields, ARRAY_SIZE(width_fields), &in, wire);
	expect_bytes(test, wire, width_wire, sizeof(wire));

	ib_unpack(width_fields, ARRAY_SIZE(width_fields), wire, &out);
	KUNIT_EXPECT_EQ(test, out.one, 0xab);
	/* The bits that have no place on the wire are zero. */
	KUNIT_EXPECT_EQ(test, be16_to_cpu(out.two), 0x122);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(out.four), 0xdeadbeef);
	expect_bytes(test, out.six, in.six, sizeof(in.six));
	expect_bytes(test, out.sixteen, in.sixteen, sizeof(in.sixteen));
}

#define MGID { 0xff, 0x12, 0x40, 0x1b, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1 }

static const struct sa_path_rec path = {
	.dgid.raw = GID_A,
	.sgid.raw = GID_B,
	.service_id = cpu_to_be64(0x1122334455667788ULL),
	.flow_label = cpu_to_be32(0xabcde),
	.hop_limit = 0x3f,
	.traffic_class = 0x5a,
	.reversible = 1,
	.numb_path = 3,
	.pkey = cpu_to_be16(0x8001),
	.qos_class = cpu_to_be16(0x123),
	.sl = 4,
	.mtu_selector = IB_SA_EQ,
	.mtu = IB_MTU_2048,
	.rate_selector = IB_SA_LT,
	.rate = IB_RATE_10_GBPS,
	.packet_life_time_selector = IB_SA_EQ,
	.packet_life_time = 18,
	.preference = 0x7f,
	.ib = {
		.dlid = cpu_to_be16(0x1234),
		.slid = cpu_to_be16(0x5678),
		.raw_traffic = 1,
	},
	.rec_type = SA_PATH_REC_TYPE_IB,
};

static const u8 path_wire[SA_PATH_REC_BYTES] = {
	0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88,
	0x20, 0x01, 0x0d, 0xb8, 0x00, 0x01, 0x02, 0x03,
	0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x0b,
	0xfe, 0x80, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x02, 0xc9, 0x03, 0x00, 0x1a, 0xbc, 0xd1,
	0x12, 0x34, 0x56, 0x78,	/* DLID, SLID */
	0x8a, 0xbc, 0xde, 0x3f,	/* RawTraffic, FlowLabel, HopLimit */
	0x5a, 0x83, 0x80, 0x01,	/* TClass, Reversible, NumbPath, P_Key */
	0x12, 0x34, 0x84, 0x43,	/* QoSClass, SL, MTU, Rate */
	0x92, 0x7f, 0x00, 0x00,	/* PacketLifeTime, Preference */
	0x00, 0x00, 0x00, 0x00,
};

static void path_test(struct kunit *test)
{
	struct sa_path_rec in = path, out;
	u8 wire[SA_PATH_REC_BYTES + 4];

	memset(wire, 0xff, sizeof(wire));
	memset(&out, 0, sizeof(out));
	ib_sa_pack_path(&in, wire);
	expect_bytes(test, wire, path_wire, sizeof(path_wire));
	KUNIT_EXPECT_EQ(test, wire[SA_PATH_REC_BYTES], 0xff);

	ib_sa_unpack_path(wire, &out);
	expect_bytes(test, &out, &path, sizeof(path));
}

static void roce_path_test(struct kunit *test)
{
	struct sa_path_rec in = path;
	u8 wire[SA_PATH_REC_BYTES];

	in.rec_type = SA_PATH_REC_TYPE_ROCE_V2;
	memset(&in.roce, 0xff, sizeof(in.roce));
	ib_sa_pack_path(&in, wire);
	expect_bytes(test, wire, path_wire, 40);
	KUNIT_EXPECT_EQ(test, wire[40] | wire[41] | wire[42] | wire[43], 0);
	KUNIT_EXPECT_EQ(test, wire[44], 0x0a);
	expect_bytes(test, wire + 45, path_wire + 45, SA_PATH_REC_BYTES - 45);
}

static const struct ib_sa_mcmember_rec member = {
	.mgid.raw = MGID,
	.port_gid.raw = GID_B,
	.qkey = cpu_to_be32(0xb1b),
	.mlid = cpu_to_be16(0xc005),
	.mtu_selector = IB_SA_EQ,
	.mtu = IB_MTU_2048,
	.traffic_class = 0x11,
	.pkey = cpu_to_be16(0xffff),
	.rate_selector = IB_SA_EQ,
	.rate = IB_RATE_10_GBPS,
	.packet_life_time_selector = IB_SA_EQ,
	.packet_life_time = 18,
	.sl = 2,
	.flow_label = cpu_to_be32(0xabc),
	.hop_limit = 7,
	.scope = 2,
	.join_state = BIT(FULLMEMBER_JOIN),
	.proxy_join = 1,
};

static const u8 member_wire[SA_MCMEMBER_REC_BYTES] = {
	0xff, 0x12, 0x40, 0x1b, 0xff, 0xff, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01,
	0xfe, 0x80, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x02, 0xc9, 0x03, 0x00, 0x1a, 0xbc, 0xd1,
	0x00, 0x00, 0x0b, 0x1b,	/* Q_Key */
	0xc0, 0x05, 0x84, 0x11,	/* MLID, MTU, TClass */
	0xff, 0xff, 0x83, 0x92,	/* P_Key, Rate, PacketLifeTime */
	0x20, 0x0a, 0xbc, 0x07,	/* SL, FlowLabel, HopLimit */
	0x21, 0x80, 0x00, 0x00,	/* Scope, JoinState, ProxyJoin */
};

static void member_test(struct kunit *test)
{
	struct ib_sa_mcmember_rec out;
	u8 wire[SA_MCMEMBER_REC_BYTES];

	memset(wire, 0xff, sizeof(wire));
	ofed_sa_pack_mcmember(&member, wire);
	expect_bytes(test, wire, member_wire, sizeof(wire));

	memset(&out, 0, sizeof(out));
	ofed_sa_unpack_mcmember(wire, &out);
	expect_bytes(test, &out.mgid, &member.mgid, sizeof(out.mgid));
	KUNIT_EXPECT_EQ(test, be16_to_cpu(out.mlid), 0xc005);
	KUNIT_EXPECT_EQ(test, out.rate, IB_RATE_10_GBPS);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(out.flow_label), 0xabc);
	KUNIT_EXPECT_EQ(test, out.scope, 2);
	KUNIT_EXPECT_EQ(test, out.join_state, 1);
	KUNIT_EXPECT_EQ(test, out.proxy_join, 1);
	memset(wire, 0, sizeof(wire));
	ofed_sa_pack_mcmember(&out, wire);
	expect_bytes(test, wire, member_wire, sizeof(wire));
}

static void guidinfo_test(struct kunit *test)
{
	struct ib_sa_guidinfo_rec in = {
		.lid = cpu_to_be16(0x1234), .block_num = 5,
	}, out;
	u8 wire[SA_GUIDINFO_REC_BYTES], want[SA_GUIDINFO_REC_BYTES] = {
		0x12, 0x34, 0x05,
	};
	int ix;

	for (ix = 0; ix < 64; ix++)
		want[8 + ix] = 0x40 + ix;
	memcpy(in.guid_info_list, want + 8, sizeof(in.guid_info_list));
	memset(wire, 0xff, sizeof(wire));
	ofed_sa_pack_guidinfo(&in, wire);
	expect_bytes(test, wire, want, sizeof(wire));
	ofed_sa_unpack_guidinfo(wire, &out);
	expect_bytes(test, &out, &in, sizeof(in));
}

/* 15.2.5.14: 6.x has its component mask, but no struct. service_test.c has that of 7.x. */
struct service_rec {
	__be64 id;
	u8 gid[16];
	__be16 pkey;
	__be32 lease;
	u8 key[16];
	u8 name[64];
	u8 data8[16];
	__be16 data16[8];
	__be32 data32[4];
	__be64 data64[2];
};

#define SERVICE(member_, word, bits) {					\
	.struct_offset_bytes = offsetof(struct service_rec, member_),	\
	.struct_size_bytes = sizeof_field(struct service_rec, member_),	\
	.offset_words = (word), .size_bits = (bits),			\
	.field_name = #member_ }

static const struct ib_field service_fields[] = {
	SERVICE(id, 0, 64),
	SERVICE(gid, 2, 128),
	SERVICE(pkey, 6, 16),
	{ RESERVED, .offset_words = 6, .offset_bits = 16, .size_bits = 16 },
	SERVICE(lease, 7, 32),
	SERVICE(key, 8, 128),
	SERVICE(name, 12, 512),
	SERVICE(data8, 28, 128),
	SERVICE(data16, 32, 128),
	SERVICE(data32, 36, 128),
	SERVICE(data64, 40, 128),
};

/* Offset in the record, bytes there. */
static const struct {
	unsigned int at;
	u8 bytes[4];
} service_wire[] = {
	{ 0, { 0x10, 0x00, 0x0c, 0xe1 } },
	{ 8, { 0xfe, 0x80, 0x00, 0x00 } },
	{ 24, { 0xff, 0xff, 0x00, 0x00 } },
	{ 28, { 0xff, 0xff, 0xff, 0xff } },
	{ 32, { 0x6b, 0x6b, 0x6b, 0x6b } },
	{ 48, { 'n', 'a', 'm', 'e' } },
	{ 112, { 0x08, 0x08, 0x08, 0x08 } },
	{ 128, { 0x16, 0x17, 0x00, 0x00 } },
	{ 144, { 0x32, 0x33, 0x34, 0x35 } },
	{ 172, { 0x64, 0x65, 0x66, 0x67 } },
};

static void service_test(struct kunit *test)
{
	/* Static, so that what is between the members is zero too. */
	static struct service_rec in = {
		.id = cpu_to_be64(0x10000ce100415555ULL),
		.gid = GID_B,
		.pkey = cpu_to_be16(0xffff),
		.lease = cpu_to_be32(IB_DEFAULT_SERVICE_LEASE),
		.name = "name",
		.data16 = { cpu_to_be16(0x1617) },
		.data32 = { cpu_to_be32(0x32333435) },
		.data64 = { 0, cpu_to_be64(0x64656667) },
	};
	struct service_rec out;
	u8 wire[176];
	size_t ix;

	memset(in.key, 0x6b, sizeof(in.key));
	memset(in.data8, 8, sizeof(in.data8));
	memset(wire, 0xff, sizeof(wire));
	memset(&out, 0, sizeof(out));
	ib_pack(service_fields, ARRAY_SIZE(service_fields), &in, wire);
	for (ix = 0; ix < ARRAY_SIZE(service_wire); ix++)
		expect_bytes(test, wire + service_wire[ix].at,
			     service_wire[ix].bytes, 4);
	ib_unpack(service_fields, ARRAY_SIZE(service_fields), wire, &out);
	expect_bytes(test, &out, &in, sizeof(in));
}

#define FULL	BIT(FULLMEMBER_JOIN)
#define NON	BIT(NONMEMBER_JOIN)
#define SEND	BIT(SENDONLY_FULLMEMBER_JOIN)

static void tally_test(struct kunit *test)
{
	struct mc_tally tally = {};

	/* The first of each kind asks, the others share. */
	KUNIT_EXPECT_EQ(test, ofed_mc_missing(&tally, FULL), FULL);
	ofed_mc_joined(&tally, FULL);
	ofed_mc_admit(&tally, FULL);
	KUNIT_EXPECT_EQ(test, ofed_mc_missing(&tally, FULL), 0);
	ofed_mc_admit(&tally, FULL);
	KUNIT_EXPECT_EQ(test, ofed_mc_missing(&tally, FULL | NON), NON);
	ofed_mc_joined(&tally, FULL | NON | 0xf0);
	KUNIT_EXPECT_EQ(test, tally.joined, FULL | NON);
	ofed_mc_admit(&tally, FULL | NON);
	KUNIT_EXPECT_EQ(test, ofed_mc_surplus(&tally), 0);

	/* A kind is given back with its last member. */
	ofed_mc_depart(&tally, FULL);
	KUNIT_EXPECT_EQ(test, ofed_mc_surplus(&tally), 0);
	ofed_mc_depart(&tally, FULL | NON);
	KUNIT_EXPECT_EQ(test, ofed_mc_surplus(&tally), NON);
	ofed_mc_leaving(&tally, NON);
	KUNIT_EXPECT_EQ(test, tally.joined, FULL);
	ofed_mc_left(&tally);
	KUNIT_EXPECT_EQ(test, ofed_mc_surplus(&tally), 0);
	ofed_mc_depart(&tally, FULL);
	KUNIT_EXPECT_EQ(test, ofed_mc_surplus(&tally), FULL);
}

static void unsure_leave_test(struct kunit *test)
{
	struct mc_tally tally = {};

	ofed_mc_joined(&tally, FULL | SEND);
	KUNIT_EXPECT_EQ(test, ofed_mc_surplus(&tally), FULL | SEND);
	/* Not confirmed: to be told again, and not to be relied upon. */
	ofed_mc_leaving(&tally, FULL | SEND);
	KUNIT_EXPECT_EQ(test, ofed_mc_surplus(&tally), FULL | SEND);
	KUNIT_EXPECT_EQ(test, ofed_mc_missing(&tally, SEND), SEND);
	/* Another member joins meanwhile: what is left to tell is the rest. */
	ofed_mc_joined(&tally, SEND);
	ofed_mc_admit(&tally, SEND);
	KUNIT_EXPECT_EQ(test, ofed_mc_surplus(&tally), FULL);
	ofed_mc_leaving(&tally, FULL);
	ofed_mc_left(&tally);
	KUNIT_EXPECT_EQ(test, ofed_mc_surplus(&tally), 0);
	KUNIT_EXPECT_EQ(test, tally.joined, SEND);

	ofed_mc_depart(&tally, SEND);
	ofed_mc_lost(&tally);
	KUNIT_EXPECT_EQ(test, ofed_mc_surplus(&tally), 0);
	KUNIT_EXPECT_EQ(test, ofed_mc_missing(&tally, SEND), SEND);
}

static bool suits(const struct ib_sa_mcmember_rec *wanted, ib_sa_comp_mask mask)
{
	return ofed_mc_suits(&member, wanted, mask);
}

static void values_suit_test(struct kunit *test)
{
	struct ib_sa_mcmember_rec wanted = {};

	/* What is not asked for does not count, nor what is the member's own. */
	KUNIT_EXPECT_TRUE(test, suits(&wanted, 0));
	KUNIT_EXPECT_TRUE(test, suits(&wanted, IB_SA_MCMEMBER_REC_MGID |
				      IB_SA_MCMEMBER_REC_PORT_GID |
				      IB_SA_MCMEMBER_REC_JOIN_STATE |
				      IB_SA_MCMEMBER_REC_PROXY_JOIN));
	KUNIT_EXPECT_FALSE(test, suits(&wanted, IB_SA_MCMEMBER_REC_QKEY));
	KUNIT_EXPECT_FALSE(test, suits(&wanted, IB_SA_MCMEMBER_REC_MLID));
	KUNIT_EXPECT_FALSE(test, suits(&wanted, IB_SA_MCMEMBER_REC_PKEY));
	KUNIT_EXPECT_FALSE(test, suits(&wanted, IB_SA_MCMEMBER_REC_SL));
	KUNIT_EXPECT_FALSE(test, suits(&wanted, IB_SA_MCMEMBER_REC_SCOPE));
	KUNIT_EXPECT_FALSE(test, suits(&wanted, IB_SA_MCMEMBER_REC_FLOW_LABEL));
	KUNIT_EXPECT_FALSE(test, suits(&wanted, IB_SA_MCMEMBER_REC_HOP_LIMIT));
	KUNIT_EXPECT_FALSE(test, suits(&wanted,
				       IB_SA_MCMEMBER_REC_TRAFFIC_CLASS));
	wanted = member;
	KUNIT_EXPECT_TRUE(test, suits(&wanted, ~(__force ib_sa_comp_mask)0));
}

static void limits_suit_test(struct kunit *test)
{
	ib_sa_comp_mask mtu = IB_SA_MCMEMBER_REC_MTU |
			      IB_SA_MCMEMBER_REC_MTU_SELECTOR;
	ib_sa_comp_mask rate = IB_SA_MCMEMBER_REC_RATE |
			       IB_SA_MCMEMBER_REC_RATE_SELECTOR;
	struct ib_sa_mcmember_rec wanted = {
		.mtu = IB_MTU_2048, .mtu_selector = IB_SA_GT,
		.rate = IB_RATE_5_GBPS, .rate_selector = IB_SA_GT,
	};

	KUNIT_EXPECT_FALSE(test, suits(&wanted, mtu));
	/* A value without a selector says nothing. */
	KUNIT_EXPECT_TRUE(test, suits(&wanted, IB_SA_MCMEMBER_REC_MTU));
	wanted.mtu = IB_MTU_1024;
	KUNIT_EXPECT_TRUE(test, suits(&wanted, mtu));
	wanted.mtu_selector = IB_SA_LT;
	KUNIT_EXPECT_FALSE(test, suits(&wanted, mtu));
	wanted.mtu_selector = IB_SA_BEST;
	KUNIT_EXPECT_TRUE(test, suits(&wanted, mtu));

	/* 10 Gb/s is more than 5, though its code is less. */
	KUNIT_EXPECT_TRUE(test, suits(&wanted, rate));
	wanted.rate_selector = IB_SA_LT;
	KUNIT_EXPECT_FALSE(test, suits(&wanted, rate));
	wanted.rate_selector = IB_SA_EQ;
	KUNIT_EXPECT_FALSE(test, suits(&wanted, rate));
	wanted.rate = IB_RATE_10_GBPS;
	KUNIT_EXPECT_TRUE(test, suits(&wanted, rate));
}

static struct kunit_case sa_cases[] = {
	KUNIT_CASE(bits_test),
	KUNIT_CASE(widths_test),
	KUNIT_CASE(path_test),
	KUNIT_CASE(roce_path_test),
	KUNIT_CASE(member_test),
	KUNIT_CASE(guidinfo_test),
	KUNIT_CASE(service_test),
	KUNIT_CASE(tally_test),
	KUNIT_CASE(unsure_leave_test),
	KUNIT_CASE(values_suit_test),
	KUNIT_CASE(limits_suit_test),
	{}
};

static struct kunit_suite sa_suite = {
	.name = "ofed_sa",
	.test_cases = sa_cases,
};

kunit_test_suite(sa_suite);

MODULE_IMPORT_NS(EXPORTED_FOR_KUNIT_TESTING);
MODULE_DESCRIPTION("KUnit: records of the SA, multicast membership");
MODULE_LICENSE("GPL");
