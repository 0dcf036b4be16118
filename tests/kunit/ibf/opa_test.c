// SPDX-License-Identifier: GPL-2.0
/*
 * Packets of Omni-Path that carry Ethernet: bytes that were computed elsewhere, from the format
 * in the kernel's document about OPA VNIC; what is refused; switches that forward them.
 */
#include <linux/etherdevice.h>
#include <linux/skbuff.h>

#include "hw/ib/opa.h"
#include "ib_bench.h"

#define FRAME	61
#define BODY	(sizeof(struct ibf_opa_header) + FRAME)

/* Byte i of the frame is 3 * i + 1. */
static const u8 bytes[] = {
	0x45, 0x23, 0xb1, 0x00, 0x9a, 0x78, 0x56, 0xc7, 0x78, 0xa3, 0x01, 0x80,
	0x5a, 0x00, 0x00, 0x00, 0x00, 0x00, 0xbc, 0x0a, 0x01, 0x04, 0x07, 0x0a,
	0x0d, 0x10, 0x13, 0x16, 0x19, 0x1c, 0x1f, 0x22, 0x25, 0x28, 0x2b, 0x2e,
	0x31, 0x34, 0x37, 0x3a, 0x3d, 0x40, 0x43, 0x46, 0x49, 0x4c, 0x4f, 0x52,
	0x55, 0x58, 0x5b, 0x5e, 0x61, 0x64, 0x67, 0x6a, 0x6d, 0x70, 0x73, 0x76,
	0x79, 0x7c, 0x7f, 0x82, 0x85, 0x88, 0x8b, 0x8e, 0x91, 0x94, 0x97, 0x9a,
	0x9d, 0xa0, 0xa3, 0xa6, 0xa9, 0xac, 0xaf, 0xb2, 0xb5, 0x00, 0x00, 0x3c,
	0xe5, 0x74, 0x90, 0x42,
};

static struct sk_buff *opa_skb(struct kunit *test, const void *data, u32 length)
{
	struct sk_buff *skb = alloc_skb(2048, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, skb);
	skb_put_data(skb, data, length);
	return skb;
}

static void opa_open_test(struct kunit *test)
{
	struct sk_buff *skb = opa_skb(test, bytes, sizeof(bytes));
	struct ibf_opa opa;
	u32 i;

	KUNIT_ASSERT_EQ(test, ibf_opa_open(skb, &opa), 0);
	KUNIT_EXPECT_EQ(test, opa.slid, 0x312345);
	KUNIT_EXPECT_EQ(test, opa.dlid, 0xa6789a);
	KUNIT_EXPECT_EQ(test, opa.sc, 0x15);
	KUNIT_EXPECT_EQ(test, opa.pkey, 0x8001);
	KUNIT_EXPECT_EQ(test, opa.vesw, 0x0abc);
	KUNIT_ASSERT_EQ(test, skb->len, FRAME);
	for (i = 0; i < FRAME; i++)
		KUNIT_EXPECT_EQ(test, skb->data[i], (u8)(3 * i + 1));
	kfree_skb(skb);
}

static void opa_close_test(struct kunit *test)
{
	struct sk_buff *skb = opa_skb(test, bytes, BODY);
	u32 i;

	ibf_opa_close(skb);
	KUNIT_ASSERT_EQ(test, skb->len, sizeof(bytes));
	for (i = 0; i < sizeof(bytes); i++)
		KUNIT_EXPECT_EQ_MSG(test, skb->data[i], bytes[i], "byte %u", i);
	kfree_skb(skb);
}

/* Each bit but the two that switches may set, and each length but its own. */
static void opa_refused_test(struct kunit *test)
{
	struct sk_buff *skb;
	struct ibf_opa opa;
	bool free_bit;
	u32 bit, n;

	for (bit = 0; bit < sizeof(bytes) * 8; bit++) {
		free_bit = bit == 31 || bit == 60;
		skb = opa_skb(test, bytes, sizeof(bytes));
		skb->data[bit / 8] ^= BIT(bit % 8);
		KUNIT_EXPECT_EQ_MSG(test, !ibf_opa_open(skb, &opa), free_bit, "bit %u", bit);
		kfree_skb(skb);
	}
	for (n = 0; n < sizeof(bytes); n++) {
		skb = opa_skb(test, bytes, n);
		KUNIT_EXPECT_EQ_MSG(test, ibf_opa_open(skb, &opa), -EINVAL, "%u bytes", n);
		kfree_skb(skb);
	}
}

static void opa_lengths_test(struct kunit *test)
{
	struct ibf_opa_header header;
	struct sk_buff *skb;
	struct ibf_opa opa;
	u32 length, whole;

	memcpy(&header, bytes, sizeof(header));
	for (length = ETH_HLEN; length <= 1600; length++) {
		whole = ALIGN(sizeof(header) + length + IBF_OPA_END, 8);
		le32p_replace_bits(&header.source, whole / 8, IBF_OPA_LENGTH);
		skb = opa_skb(test, &header, sizeof(header));
		memset(skb_put(skb, length), length, length);
		ibf_opa_close(skb);
		KUNIT_EXPECT_EQ(test, skb->len, whole);
		KUNIT_EXPECT_EQ(test, ibf_opa_open(skb, &opa), 0);
		KUNIT_EXPECT_EQ(test, skb->len, length);
		kfree_skb(skb);
	}
}

static void opa_lids_test(struct kunit *test)
{
	static const struct {
		u32 dlid;
		u16 lid;
	} rows[] = {
		{ 0, 0 }, { 1, 1 }, { 0xbfff, 0xbfff }, { 0xc000, 0 }, { 0xffff, 0 },
		{ 0x10001, 0 }, { 0xefffff, 0 }, { 0xf00000, 0xc000 }, { 0xf00001, 0xc001 },
		{ 0xf03ffe, 0xfffe }, { 0xf03fff, 0 }, { 0xf80001, 0 }, { 0xffffff, 0 },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		KUNIT_EXPECT_EQ_MSG(test, ibf_opa_to_lid(rows[i].dlid), rows[i].lid,
				    "DLID 0x%x", rows[i].dlid);
}

/* A raw packet comes in by port 1 of the switch. */
static void opa_arrive(struct kunit *test, u16 dlid, u8 vl)
{
	const struct ibf_raw raw = {
		.lrh.vl = vl << 4,
		.lrh.sl = IBF_LNH_RAW,
		.lrh.dlid = cpu_to_be16(dlid),
		.lrh.length = cpu_to_be16((sizeof(raw) + sizeof(bytes)) / 4),
		.lrh.slid = cpu_to_be16(1),
		.type = htons(IBF_RAW_TYPE),
	};
	struct sk_buff *skb = opa_skb(test, &raw, sizeof(raw));

	skb_put_data(skb, bytes, sizeof(bytes));
	ib_bench_receive(skb);
}

/* A switch goes by the LRH, and where it enforces partitions by the P_Key, 0x8001. */
static void opa_switch_test(struct kunit *test)
{
	struct ibf_port *ports;

	ib_bench_up(test);
	ports = ib_bench.sw->ports;
	opa_arrive(test, 2, 0);
	KUNIT_EXPECT_EQ(test, ib_bench_got(1), 1);
	opa_arrive(test, 0xc000, 0);
	KUNIT_EXPECT_EQ(test, ib_bench_got(1), 2);
	KUNIT_EXPECT_EQ(test, ib_bench_got(2), 1);
	ports[1].enforce = IBF_ENFORCE_IN;
	ports[1].pkeys[0] = 0x8002;
	opa_arrive(test, 2, 0);
	KUNIT_EXPECT_EQ(test, ib_bench_counted(1, IBF_RCV_CONSTRAINT), 1);
	ports[1].pkeys[0] = 0x8001;
	ports[2].enforce = IBF_ENFORCE_OUT;
	ports[2].pkeys[0] = 0x8002;
	opa_arrive(test, 2, 0);
	KUNIT_EXPECT_EQ(test, ib_bench_counted(2, IBF_XMIT_CONSTRAINT), 1);
	ports[2].pkeys[0] = 0x0001;
	opa_arrive(test, 2, 0);
	KUNIT_EXPECT_EQ(test, ib_bench_got(1), 3);
	/* It is no MAD, wherever it goes. */
	opa_arrive(test, 0xffff, 15);
	KUNIT_EXPECT_EQ(test, ib_bench_counted(1, IBF_RCV_MALFORMED), 1);
	ib_bench_down();
}

static struct kunit_case ib_opa_cases[] = {
	KUNIT_CASE(opa_open_test),
	KUNIT_CASE(opa_close_test),
	KUNIT_CASE(opa_refused_test),
	KUNIT_CASE(opa_lengths_test),
	KUNIT_CASE(opa_lids_test),
	KUNIT_CASE(opa_switch_test),
	{}
};

struct kunit_suite ib_opa_suite = {
	.name = "ib_opa",
	.test_cases = ib_opa_cases,
};
