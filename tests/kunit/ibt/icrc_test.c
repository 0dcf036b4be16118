// SPDX-License-Identifier: GPL-2.0
/* The invariant CRC, which is linked with this: of single packets, and of runs. */
#include <kunit/test.h>
#include <linux/crc32.h>
#include <linux/module.h>
#include <linux/prandom.h>

#include "hw/ibt/crc.h"
#include "hw/ibt/icrc.h"
#include "hw/ibt/pkt.h"
#include "ibt_skb.h"

/*
 * Packets with the ICRC of another implementation. @masked: eight bytes of
 * ones for the LRH that is not there, then IPv4 and UDP headers with TOS, TTL
 * and both checksums as ones (annex A17.3.3).
 */
static const struct {
	const char *name;
	u8 masked[36];
	u8 length;
	u8 bytes[40];
} vectors[] = { {
	/* A congestion notification that a ConnectX-4 Lx sent. */
	.name = "captured CNP",
	.masked = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
		    0x45, 0xff, 0x00, 0x3c, 0x71, 0x8c, 0x40, 0x00,
		    0xff, 0x11, 0xff, 0xff, 0x0a, 0x00, 0x11, 0x01,
		    0x0a, 0x00, 0x12, 0x01,
		    0x00, 0x00, 0x12, 0xb7, 0x00, 0x28, 0xff, 0xff },
	.length = 32,
	.bytes = { 0x81, 0x00, 0xff, 0xff, 0x40, 0x00, 0x01, 0x18,
		   0x00, 0x00, 0x00, 0x00, 0, 0, 0, 0, 0, 0, 0, 0,
		   0, 0, 0, 0, 0, 0, 0, 0, 0x82, 0xfd, 0x00, 0x2a },
}, {
	/* Widely used as an example: 192.168.0.7 to itself. */
	.name = "UC SEND ONLY",
	.masked = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
		    0x45, 0xff, 0x00, 0x40, 0x04, 0x78, 0x40, 0x00,
		    0xff, 0x11, 0xff, 0xff, 0xc0, 0xa8, 0x00, 0x07,
		    0xc0, 0xa8, 0x00, 0x07,
		    0xc0, 0x00, 0x12, 0xb7, 0x00, 0x2c, 0xff, 0xff },
	.length = 36,
	.bytes = { 0x24, 0x60, 0xff, 0xff, 0x00, 0x00, 0x00, 0xd3,
		   0x00, 0xcf, 0x17, 0x10, 0x46, 0x30, 0x81, 0x8b,
		   0xe2, 0x89, 0x35, 0xd9, 0x0e, 0x9a, 0x95, 0x50,
		   0x54, 0x01, 0xbe, 0x88, 0x5e, 0x50, 0x00, 0x00,
		   0x78, 0xf3, 0x53, 0xf3 },
} };

static void icrc_of_known_packets(struct kunit *test)
{
	struct sk_buff *skb;
	u32 seed, piece;
	__le32 icrc;
	int i;

	for (i = 0; i < ARRAY_SIZE(vectors); i++) {
		seed = crc32_le(~0, vectors[i].masked, sizeof(vectors[i].masked));
		for (piece = 0; piece < vectors[i].length; piece++) {
			skb = skb_of(test, vectors[i].bytes, vectors[i].length,
				     piece);
			icrc = ibt_icrc(skb, 0, skb->len, seed);
			KUNIT_EXPECT_TRUE_MSG(test,
				!memcmp(&icrc, vectors[i].bytes +
					vectors[i].length - 4, 4),
				"%s, pieces of %u", vectors[i].name, piece);
			KUNIT_EXPECT_TRUE(test, ibt_icrc_ok(skb, 0, skb->len, seed));
			kfree_skb(skb);
		}
	}
}

/* A list of skbs, as reassembly leaves it. */
static void icrc_over_a_list(struct kunit *test)
{
	u32 seed = crc32_le(~0, vectors[1].masked, sizeof(vectors[1].masked));
	struct sk_buff *head, *rest;
	u32 cut;

	for (cut = 1; cut < vectors[1].length; cut++) {
		head = skb_of(test, vectors[1].bytes, cut, 0);
		rest = skb_of(test, vectors[1].bytes + cut,
			      vectors[1].length - cut, cut % 3 ? 0 : 7);
		skb_shinfo(head)->frag_list = rest;
		head->len += rest->len;
		head->data_len += rest->len;
		KUNIT_EXPECT_TRUE_MSG(test, ibt_icrc_ok(head, 0, head->len, seed), "cut at %u",
				      cut);
		kfree_skb(head);
	}
}

static void icrc_sees_every_bit(struct kunit *test)
{
	u32 seed = crc32_le(~0, vectors[1].masked, sizeof(vectors[1].masked));
	struct sk_buff *skb = skb_of(test, vectors[1].bytes, vectors[1].length, 0);
	u32 bit;

	for (bit = 0; bit < vectors[1].length * 8; bit++) {
		skb->data[bit / 8] ^= BIT(bit % 8);
		/* Routers may change resv8a. */
		KUNIT_EXPECT_EQ_MSG(test, ibt_icrc_ok(skb, 0, skb->len, seed), bit / 8 == 4,
				    "bit %u", bit);
		skb->data[bit / 8] ^= BIT(bit % 8);
	}
	KUNIT_EXPECT_FALSE(test, ibt_icrc_ok(skb, 0, skb->len, seed ^ 1));
	skb_trim(skb, 15);
	KUNIT_EXPECT_FALSE(test, ibt_icrc_ok(skb, 0, skb->len, seed));
	kfree_skb(skb);
}

/* ---- of runs ----------------------------------------------------------------------- */

#define RUN_SIZE	200	/* bytes of a packet */
#define RUN_PACKETS	11

/* Of the headers that a packet of a run has in front: they differ. */
static u32 run_seed(const struct sk_buff *skb, u32 index, u32 length)
{
	return ~(index * 3 + length);
}

/* Packets of any bytes with their ICRCs, one by one; the last has only a part. */
static void fill_run(u8 *bytes)
{
	struct rnd_state rnd;
	__le32 icrc;
	u32 i;

	prandom_seed_state(&rnd, 9);
	prandom_bytes_state(&rnd, bytes, RUN_PACKETS * RUN_SIZE);
	for (i = 0; i < RUN_PACKETS; i++, bytes += RUN_SIZE) {
		icrc = ibt_icrc_of(bytes, RUN_SIZE, run_seed(NULL, i, RUN_SIZE));
		memcpy(bytes + RUN_SIZE - sizeof(icrc), &icrc, sizeof(icrc));
	}
}

/* Which packets are intact, as far as is found out together. */
static u32 look(struct kunit *test, const struct sk_buff *skb, u32 *looked_at)
{
	u32 index = 0, intact = 0;
	u32 n, left;
	u8 ok;

	for (*looked_at = 0; index * RUN_SIZE < skb->len; index += n) {
		n = ibt_icrc_batch_check(skb, index * RUN_SIZE, RUN_SIZE, index, run_seed, &ok);
		left = skb->len / RUN_SIZE - index;
		KUNIT_ASSERT_LE(test, n, min_t(u32, left, IBT_ICRCS));
		KUNIT_EXPECT_EQ(test, n ? ok >> n : 0, 0);
		if (n)
			intact |= ok << index;
		*looked_at += n;
		n = max(n, 1U);
	}
	return intact;
}

/* Each packet's is found to be wrong for itself, and for no other. */
static void choose(const char *way)
{
	char name[16];

	strscpy(name, way, sizeof(name));
	ibt_crc_choose(name, sizeof(name));
}

static void run_sees_each_packet(struct kunit *test)
{
	u8 *bytes = kunit_kzalloc(test, RUN_PACKETS * RUN_SIZE, GFP_KERNEL);
	u32 all = BIT(RUN_PACKETS) - 1;
	struct sk_buff *skb;
	u32 i, looked_at;

	KUNIT_ASSERT_NOT_NULL(test, bytes);
	fill_run(bytes);
	choose("slices");
	for (i = 0; i <= RUN_PACKETS; i++) {
		if (i < RUN_PACKETS)
			bytes[i * RUN_SIZE + 12 + i * 17] ^= BIT(i % 8);
		/* A page has three of them. */
		skb = skb_of(test, bytes, RUN_PACKETS * RUN_SIZE, 3 * RUN_SIZE);
		KUNIT_EXPECT_EQ(test, look(test, skb, &looked_at), all & ~BIT(i));
		KUNIT_EXPECT_EQ(test, looked_at, RUN_PACKETS);
		kfree_skb(skb);
		if (i < RUN_PACKETS)
			bytes[i * RUN_SIZE + 12 + i * 17] ^= BIT(i % 8);
	}
	choose("table");
}

/* What lies in two pieces, and what is not a whole packet, is left to others. */
static void run_leaves_what_is_cut(struct kunit *test)
{
	u8 *bytes = kunit_kzalloc(test, RUN_PACKETS * RUN_SIZE, GFP_KERNEL);
	u32 piece, index, n, most, looked_at;
	struct sk_buff *skb;
	u8 ok;

	KUNIT_ASSERT_NOT_NULL(test, bytes);
	fill_run(bytes);
	choose("slices");
	for (piece = RUN_SIZE - 1; piece < 4 * RUN_SIZE; piece += 7) {
		skb = skb_of(test, bytes, 5 * RUN_SIZE - 1, piece);
		for (index = 0; index < 5; index++) {
			n = ibt_icrc_batch_check(skb, index * RUN_SIZE, RUN_SIZE, index, run_seed,
						 &ok);
			most = 4 - index;
			/* The first of them is whole: a page has both of its ends. */
			if (index * RUN_SIZE / piece != ((index + 1) * RUN_SIZE - 1) / piece)
				most = 0;
			KUNIT_EXPECT_LE(test, n, most);
			KUNIT_EXPECT_EQ(test, !n, !most);
			KUNIT_EXPECT_EQ(test, n ? ok : 0, BIT(n) - 1);
		}
		kfree_skb(skb);
	}
	choose("table");
	/* Where it is no faster nothing is looked at together. */
	skb = skb_of(test, bytes, RUN_PACKETS * RUN_SIZE, 3 * RUN_SIZE);
	look(test, skb, &looked_at);
	KUNIT_EXPECT_EQ(test, looked_at, 0);
	kfree_skb(skb);
}

/* As they are sent. */
static void run_is_filled_in(struct kunit *test)
{
	u8 *bytes = kunit_kzalloc(test, RUN_PACKETS * RUN_SIZE, GFP_KERNEL);
	struct ibt_icrc_batch icrcs;
	__le32 one;
	u32 n, i;

	KUNIT_ASSERT_NOT_NULL(test, bytes);
	fill_run(bytes);
	choose("slices");
	for (n = 0; n <= IBT_ICRCS; n++) {
		icrcs.n = 0;
		for (i = 0; i < n; i++)
			ibt_icrcs_add(&icrcs, bytes + i * RUN_SIZE,
				      run_seed(NULL, i, RUN_SIZE));
		ibt_icrcs_end(&icrcs, RUN_SIZE);
		for (i = 0; i < n; i++) {
			one = ibt_icrcs_of(&icrcs, i);
			KUNIT_EXPECT_TRUE(test, !memcmp(bytes + (i + 1) * RUN_SIZE - 4, &one, 4));
		}
	}
	choose("table");
}

static struct kunit_case cases[] = {
	KUNIT_CASE(icrc_of_known_packets),
	KUNIT_CASE(icrc_over_a_list),
	KUNIT_CASE(icrc_sees_every_bit),
	KUNIT_CASE(run_sees_each_packet),
	KUNIT_CASE(run_leaves_what_is_cut),
	KUNIT_CASE(run_is_filled_in),
	{ }
};

static struct kunit_suite suite = {
	.name = "ibt_icrc",
	.test_cases = cases,
};
kunit_test_suite(suite);

MODULE_DESCRIPTION("The invariant CRC of packets");
MODULE_LICENSE("GPL");
