// SPDX-License-Identifier: GPL-2.0
/*
 * What IPoIB leaves to an HCA: bytes that were computed elsewhere, from RFC 791, 768, 9293
 * and 4391.
 */
#include <linux/skbuff.h>

#include "hw/ib/hca.h"
#include "ib_bench.h"

#define HEADER		44	/* encapsulation, IPv4, TCP */
#define TCP_PACKETS	3
#define MSS		4

/* Ten bytes from sequence number 0xfffffffe on, cut by four; FIN, PSH, ACK and CWR. */
static const u8 tcp_bytes[TCP_PACKETS][HEADER + MSS] = { {
	0x08, 0x00, 0x00, 0x00, 0x45, 0x00, 0x00, 0x2c, 0xff, 0xff, 0x40, 0x00,
	0x40, 0x06, 0x26, 0xb8, 0x0a, 0x09, 0x00, 0x01, 0x0a, 0x09, 0x00, 0x02,
	0x13, 0x89, 0x9c, 0x40, 0xff, 0xff, 0xff, 0xfe, 0x01, 0x02, 0x03, 0x04,
	0x50, 0x90, 0x72, 0x10, 0xb0, 0x96, 0x00, 0x00, 0x61, 0x62, 0x63, 0x64,
}, {
	0x08, 0x00, 0x00, 0x00, 0x45, 0x00, 0x00, 0x2c, 0x00, 0x00, 0x40, 0x00,
	0x40, 0x06, 0x26, 0xb8, 0x0a, 0x09, 0x00, 0x01, 0x0a, 0x09, 0x00, 0x02,
	0x13, 0x89, 0x9c, 0x40, 0x00, 0x00, 0x00, 0x02, 0x01, 0x02, 0x03, 0x04,
	0x50, 0x10, 0x72, 0x10, 0xa9, 0x0b, 0x00, 0x00, 0x65, 0x66, 0x67, 0x68,
}, {
	0x08, 0x00, 0x00, 0x00, 0x45, 0x00, 0x00, 0x2a, 0x00, 0x01, 0x40, 0x00,
	0x40, 0x06, 0x26, 0xb9, 0x0a, 0x09, 0x00, 0x01, 0x0a, 0x09, 0x00, 0x02,
	0x13, 0x89, 0x9c, 0x40, 0x00, 0x00, 0x00, 0x06, 0x01, 0x02, 0x03, 0x04,
	0x50, 0x19, 0x72, 0x10, 0x0c, 0x65, 0x00, 0x00, 0x69, 0x6a,
} };

/* Its sum is zero, which is sent as ones. */
static const u8 udp_bytes[] = {
	0x08, 0x00, 0x00, 0x00, 0x45, 0x00, 0x00, 0x1e, 0x00, 0x07, 0x40, 0x00,
	0x40, 0x11, 0x26, 0xb4, 0x0a, 0x09, 0x00, 0x01, 0x0a, 0x09, 0x00, 0x02,
	0x00, 0x35, 0x04, 0x00, 0x00, 0x0a, 0xff, 0xff, 0xe7, 0x90,
};

static u32 tcp_length(int i)
{
	return i < TCP_PACKETS - 1 ? HEADER + MSS : HEADER + 2;
}

/* As the network stack leaves it: one packet, with a sum that is a part of one. */
static void whole_header(u8 *data)
{
	memcpy(data, tcp_bytes[0], HEADER);
	data[7] = 40 + 10;
	data[37] = 0x99;
	data[14] = 0x11;
	data[40] = 0x22;
}

static void segment_test(struct kunit *test)
{
	u8 data[HEADER + MSS];
	int i;

	for (i = 0; i < TCP_PACKETS; i++) {
		u32 length = tcp_length(i);

		whole_header(data);
		memcpy(data + HEADER, tcp_bytes[i] + HEADER, MSS);
		ibf_offload.segment(data, length, HEADER, i * MSS, i, i == TCP_PACKETS - 1);
		ibf_offload.sum(data, length);
		KUNIT_EXPECT_EQ_MSG(test, memcmp(data, tcp_bytes[i], length), 0, "packet %d", i);
	}
}

static void sum_test(struct kunit *test)
{
	u8 data[sizeof(udp_bytes)];

	memcpy(data, udp_bytes, sizeof(data));
	data[30] = 0x12;
	data[31] = 0x34;
	ibf_offload.sum(data, sizeof(data));
	KUNIT_EXPECT_EQ(test, memcmp(data, udp_bytes, sizeof(data)), 0);
}

/* Where nothing is known, nothing is written, and never behind the end. */
static void unknown_test(struct kunit *test)
{
	static const struct { u8 at, value; } changes[] = {
		{ 0, 0x86 },		/* another protocol */
		{ 4, 0x65 },		/* IPv6 by its version */
		{ 4, 0x44 },		/* a header of 16 bytes */
		{ 4, 0x4f },		/* options up to behind the end */
		{ 7, 0x31 },		/* longer than it is */
		{ 7, 0x27 },		/* no place for a TCP header */
		{ 10, 0x20 },		/* a fragment, */
		{ 11, 0x01 },		/* and a later one */
		{ 13, 0x84 },		/* SCTP */
	};
	u8 data[HEADER + MSS], before[HEADER + MSS];
	int i;

	for (i = 0; i < ARRAY_SIZE(changes); i++) {
		memcpy(data, tcp_bytes[1], sizeof(data));
		data[changes[i].at] = changes[i].value;
		memcpy(before, data, sizeof(data));
		ibf_offload.sum(data, sizeof(data));
		KUNIT_EXPECT_EQ_MSG(test, memcmp(data, before, sizeof(data)), 0, "change %d", i);
	}
	for (i = 0; i < HEADER; i++) {
		memcpy(data, tcp_bytes[1], sizeof(data));
		data[7] = i > 4 ? i - 4 : 0;
		memcpy(before, data, sizeof(data));
		ibf_offload.sum(data, i);
		ibf_offload.segment(data, i, min(i, 24), 4, 1, false);
		/* The length of all, in the header, may have been set. */
		before[6] = data[6];
		before[7] = data[7];
		KUNIT_EXPECT_EQ_MSG(test, memcmp(data, before, sizeof(data)), 0, "%d bytes", i);
	}
}

static bool sums_ok(struct kunit *test, const u8 *data, u32 length)
{
	struct sk_buff *skb = alloc_skb(length + 8, GFP_KERNEL);
	bool ok;

	KUNIT_ASSERT_NOT_NULL(test, skb);
	skb_put_data(skb, "front", 5);
	skb_put_data(skb, data, length);
	ok = ibf_offload.sums_ok(skb, 5, length);
	kfree_skb(skb);
	return ok;
}

/* Each bit but those of the encapsulation that mean nothing. */
static void sums_ok_test(struct kunit *test)
{
	u8 data[HEADER + MSS];
	int i;

	for (i = 0; i < TCP_PACKETS; i++)
		KUNIT_EXPECT_TRUE(test, sums_ok(test, tcp_bytes[i], tcp_length(i)));
	KUNIT_EXPECT_TRUE(test, sums_ok(test, udp_bytes, sizeof(udp_bytes)));
	for (i = 0; i < 8 * sizeof(data); i++) {
		if (i >= 16 && i < 32)
			continue;
		memcpy(data, tcp_bytes[1], sizeof(data));
		data[i / 8] ^= 0x80 >> (i % 8);
		KUNIT_EXPECT_FALSE_MSG(test, sums_ok(test, data, sizeof(data)), "bit %d", i);
	}
	for (i = 0; i < sizeof(data); i++)
		KUNIT_EXPECT_FALSE_MSG(test, sums_ok(test, tcp_bytes[1], i), "%d bytes", i);
	/* Without a sum there is nothing that could be right. */
	memcpy(data, udp_bytes, sizeof(udp_bytes));
	data[30] = 0;
	data[31] = 0;
	KUNIT_EXPECT_FALSE(test, sums_ok(test, data, sizeof(udp_bytes)));
}

static struct kunit_case ib_offload_cases[] = {
	KUNIT_CASE(segment_test),
	KUNIT_CASE(sum_test),
	KUNIT_CASE(unknown_test),
	KUNIT_CASE(sums_ok_test),
	{}
};

struct kunit_suite ib_offload_suite = {
	.name = "ib_offload",
	.test_cases = ib_offload_cases,
};
