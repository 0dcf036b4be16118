// SPDX-License-Identifier: GPL-2.0
/*
 * The way out of the engine: ibt_tx() over a link that writes down what it gets,
 * and fault injection there. tx.c and inject.c are linked with this.
 *
 *	send_one() -> ibt_tx() -> (injection) -> note_xmit() -> wire[]
 *
 * The link's header is 8 bytes: "LINK" and the flow.
 */
#include <kunit/test.h>
#include <linux/crc32.h>
#include <linux/module.h>

#include "hw/ibt/dev.h"
#include "hw/ibt/icrc.h"
#include "hw/ibt/inject.h"
#include "hw/ibt/link.h"
#include "hw/ibt/pkt.h"
#include "hw/ibt/port.h"
#include "hw/ibt/stats.h"
#include "hw/ibt/tx.h"
#include "hw/ibt/wire.h"

#define LINK_BYTES 8
#define SEED 0x12345678
#define MANY 1000

struct note {
	u32 psn;
	u32 payload;
	bool good;
	struct ibt_path *path;
};

/* One test at a time. */
static struct note wire[2 * MANY];
static int noted;
static int xmit_says;
static struct sk_buff *last_skb;
static int freed_paths;

void ibt_path_put(struct ibt_path *path)
{
	if (path && refcount_dec_and_test(&path->refs))
		freed_paths++;
}

static void note_build(struct sk_buff *skb, struct ibt_path *path, u32 flow,
		       u32 size)
{
	u8 *at = skb_push(skb, LINK_BYTES);

	memcpy(at, "LINK", 4);
	memcpy(at + 4, &flow, 4);
	/* What a link leaves here must not be disturbed. */
	memset(skb->cb, 0xa5, sizeof(skb->cb));
}

static u32 note_seed(const struct sk_buff *skb, u32 index, u32 length)
{
	return memcmp(skb->data - LINK_BYTES, "LINK", 4) ? 0 : SEED;
}

static int note_xmit(struct sk_buff *skb, struct ibt_path *path)
{
	struct note *note = &wire[noted];
	struct ibt_pkt pkt = { };
	int i;

	for (i = 0; i < sizeof(skb->cb); i++)
		if ((u8)skb->cb[i] != 0xa5)
			pr_err("skb->cb changed between build and xmit\n");
	if (noted < ARRAY_SIZE(wire) - 1)
		noted++;
	skb_pull(skb, LINK_BYTES);
	note->good = ibt_icrc_ok(skb, 0, skb->len,
				 note_seed(skb, 0, skb->len));
	if (ibt_hdr_parse(&pkt, skb, 0, skb->len))
		note->good = false;
	note->psn = pkt.psn;
	note->payload = pkt.length;
	note->path = path;
	kfree_skb(last_skb);
	last_skb = skb;
	return xmit_says;
}

static const struct ibt_link_ops note_link = {
	.name = "note",
	.build = note_build,
	.icrc_seed = note_seed,
	.xmit = note_xmit,
};

struct bench {
	struct ibt_dev *dev;
	struct ibt_path path;
	struct ibt_path other;
};

static int make_bench(struct kunit *test)
{
	struct bench *b = kunit_kzalloc(test, sizeof(*b), GFP_KERNEL);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, b);
	b->dev = kunit_kzalloc(test, struct_size(b->dev, ports, 1), GFP_KERNEL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, b->dev);
	b->dev->link = &note_link;
	b->dev->ports[0].dev = b->dev;
	b->dev->soft.ib.dev.init_name = "ibt_fault_kunit";
	b->dev->stats = alloc_percpu(struct ibt_stats);
	KUNIT_ASSERT_TRUE(test, b->dev->stats);
	b->path.port = &b->dev->ports[0];
	b->other.port = &b->dev->ports[0];
	b->path.headroom = LINK_BYTES;
	b->other.headroom = LINK_BYTES;
	refcount_set(&b->path.refs, 1);
	refcount_set(&b->other.refs, 1);
	noted = 0;
	xmit_says = 0;
	freed_paths = 0;
	test->priv = b;
	return ibt_fault_init(b->dev);
}

static void drop_bench(struct kunit *test)
{
	struct bench *b = test->priv;

	if (b->dev->fault)
		ibt_fault_exit(b->dev);
	free_percpu(b->dev->stats);
	kfree_skb(last_skb);
	last_skb = NULL;
}

static int send_along(struct ibt_path *path, u32 psn, u32 length)
{
	struct ibt_pkt pkt = {
		.op = &ibt_opcodes[0x04], .opcode = 0x04, .psn = psn,
		.qpn = 0x11, .pkey = 0xffff,
	};
	struct sk_buff *skb = ibt_tx_alloc(path, length, GFP_KERNEL);
	u32 i;

	if (!skb)
		return -ENOMEM;
	for (i = 0; i < length; i++)
		skb->data[i] = psn + i;
	return ibt_tx(path, skb, &pkt, 0x5a5a);
}

static int send_one(struct bench *b, u32 psn)
{
	return send_along(&b->path, psn, 13);
}

static u64 counted(struct bench *b, enum ibt_stat stat)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += per_cpu_ptr(b->dev->stats, cpu)->count[stat];
	return sum;
}

static void set(struct kunit *test, enum ibt_fault_kind kind, u32 chance)
{
	struct bench *b = test->priv;

	KUNIT_ASSERT_EQ(test, ibt_chance_set(&b->dev->fault->knobs[kind], chance), 0);
}

/* ---- without injection ------------------------------------------------------- */

static void every_length_is_framed(struct kunit *test)
{
	struct bench *b = test->priv;
	u32 length, i;

	for (length = 0; length < 70; length++) {
		KUNIT_ASSERT_EQ(test, send_along(&b->path, length, length), 0);
		KUNIT_EXPECT_TRUE(test, wire[length].good);
		KUNIT_EXPECT_EQ(test, wire[length].payload, length);
		KUNIT_EXPECT_EQ(test, last_skb->len,
				12 + ALIGN(length, 4) + 4);
		for (i = length; i < ALIGN(length, 4); i++)
			KUNIT_EXPECT_EQ(test, last_skb->data[12 + i], 0);
		KUNIT_EXPECT_EQ(test, (u32)skb_transport_offset(last_skb), 0U);
	}
	KUNIT_EXPECT_EQ(test, counted(b, IBT_STAT_TX_PKTS), 70ULL);
	KUNIT_EXPECT_EQ(test, counted(b, IBT_STAT_TX_BUSY), 0ULL);
}

static void busy_link_is_told(struct kunit *test)
{
	struct bench *b = test->priv;

	xmit_says = -EAGAIN;
	KUNIT_EXPECT_EQ(test, send_one(b, 1), -EAGAIN);
	KUNIT_EXPECT_EQ(test, counted(b, IBT_STAT_TX_BUSY), 1ULL);
	set(test, IBT_FAULT_DUPLICATE, IBT_FAULT_SURE);
	KUNIT_EXPECT_EQ(test, send_one(b, 2), -EAGAIN);
	KUNIT_EXPECT_EQ(test, noted, 3);
}

/* ---- with it ------------------------------------------------------------------ */

static void off_is_off(struct kunit *test)
{
	struct bench *b = test->priv;

	KUNIT_EXPECT_FALSE(test, ibt_fault_active(b->dev));
	set(test, IBT_FAULT_DROP, 1);
	KUNIT_EXPECT_TRUE(test, ibt_fault_active(b->dev));
	set(test, IBT_FAULT_DROP, 0);
	KUNIT_EXPECT_FALSE(test, ibt_fault_active(b->dev));
	KUNIT_EXPECT_EQ(test, ibt_chance_set(&b->dev->fault->knobs[0], 10001), -EINVAL);
	KUNIT_EXPECT_EQ(test, ibt_seed_set(b->dev->fault, 1ULL << 32), -EINVAL);
}

static void drop_drops(struct kunit *test)
{
	struct bench *b = test->priv;
	u32 psn;

	set(test, IBT_FAULT_DROP, IBT_FAULT_SURE);
	for (psn = 0; psn < 10; psn++)
		KUNIT_EXPECT_EQ(test, send_one(b, psn), 0);
	KUNIT_EXPECT_EQ(test, noted, 0);
	KUNIT_EXPECT_EQ(test, counted(b, IBT_STAT_TX_PKTS), 0ULL);
}

static void duplicate_doubles(struct kunit *test)
{
	struct bench *b = test->priv;
	u32 psn;

	set(test, IBT_FAULT_DUPLICATE, IBT_FAULT_SURE);
	for (psn = 0; psn < 10; psn++)
		send_one(b, psn);
	KUNIT_ASSERT_EQ(test, noted, 20);
	for (psn = 0; psn < 20; psn++) {
		KUNIT_EXPECT_EQ(test, wire[psn].psn, psn / 2);
		KUNIT_EXPECT_TRUE(test, wire[psn].good);
	}
}

static void reorder_swaps(struct kunit *test)
{
	static const u32 order[] = { 1, 0, 3, 2, 5, 4 };
	struct bench *b = test->priv;
	u32 psn;

	set(test, IBT_FAULT_REORDER, IBT_FAULT_SURE);
	for (psn = 0; psn < 7; psn++)
		send_along(psn % 2 ? &b->path : &b->other, psn, 13);
	KUNIT_ASSERT_EQ(test, noted, 6);
	for (psn = 0; psn < 6; psn++) {
		KUNIT_EXPECT_EQ(test, wire[psn].psn, order[psn]);
		KUNIT_EXPECT_PTR_EQ(test, wire[psn].path,
				    order[psn] % 2 ? &b->path : &b->other);
	}
	/* The one that is held leaves with the last knob, not with another. */
	set(test, IBT_FAULT_DROP, 1);
	set(test, IBT_FAULT_REORDER, 0);
	KUNIT_EXPECT_EQ(test, noted, 6);
	set(test, IBT_FAULT_DROP, 0);
	KUNIT_ASSERT_EQ(test, noted, 7);
	KUNIT_EXPECT_EQ(test, wire[6].psn, 6U);
	KUNIT_EXPECT_EQ(test, refcount_read(&b->path.refs), 1);
	KUNIT_EXPECT_EQ(test, refcount_read(&b->other.refs), 1);
}

/* A device that goes takes what it holds along. */
static void exit_frees_the_held(struct kunit *test)
{
	struct bench *b = test->priv;

	set(test, IBT_FAULT_REORDER, IBT_FAULT_SURE);
	send_one(b, 0);
	KUNIT_EXPECT_EQ(test, refcount_read(&b->path.refs), 2);
	ibt_fault_exit(b->dev);
	KUNIT_EXPECT_EQ(test, refcount_read(&b->path.refs), 1);
	KUNIT_EXPECT_EQ(test, noted, 0);
	KUNIT_EXPECT_FALSE(test, ibt_fault_active(b->dev));
	send_one(b, 1);
	KUNIT_EXPECT_EQ(test, noted, 1);
}

static void corrupt_is_noticed(struct kunit *test)
{
	struct bench *b = test->priv;
	u32 psn;

	set(test, IBT_FAULT_CORRUPT, IBT_FAULT_SURE);
	for (psn = 0; psn < MANY; psn++) {
		send_one(b, psn);
		KUNIT_ASSERT_FALSE(test, wire[psn].good);
		KUNIT_ASSERT_TRUE(test, !memcmp(last_skb->head +
			skb_headroom(last_skb) - LINK_BYTES, "LINK", 4));
	}
	KUNIT_EXPECT_EQ(test, noted, MANY);
}

static int bits_between(const struct sk_buff *a, const struct sk_buff *b)
{
	int i, bits = 0;

	for (i = 0; i < a->len; i++)
		bits += hweight8(a->data[i] ^ b->data[i]);
	return bits;
}

static void damage_is_one_bit(struct kunit *test)
{
	struct sk_buff *skb, *clone, *copy;
	u32 number;

	for (number = 0; number < 400; number++) {
		skb = alloc_skb(64, GFP_KERNEL);
		KUNIT_ASSERT_NOT_ERR_OR_NULL(test, skb);
		skb_put_zero(skb, 40);
		copy = skb_copy(skb, GFP_KERNEL);
		/* A clone shares its bytes. */
		clone = skb_clone(skb, GFP_KERNEL);
		skb = ibt_fault_damage(skb, LINK_BYTES, number * 7919);
		KUNIT_EXPECT_EQ(test, bits_between(skb, copy), 1);
		/* Neither the link's bytes nor what the ICRC does not cover. */
		KUNIT_EXPECT_TRUE(test, !memcmp(skb->data, copy->data,
						LINK_BYTES + 5));
		KUNIT_EXPECT_EQ(test, bits_between(clone, copy), 0);
		kfree_skb(skb);
		kfree_skb(clone);
		kfree_skb(copy);
	}
}

/* ---- the sequence --------------------------------------------------------------- */

/* What MANY packets became, as one number, and which of them arrived at all. */
static u32 fate(struct bench *b, u32 seed, unsigned long *arrived)
{
	u32 hash = ~0, psn;
	int i;

	ibt_seed_set(b->dev->fault, seed);
	noted = 0;
	for (psn = 0; psn < MANY; psn++)
		send_one(b, psn);
	bitmap_zero(arrived, MANY);
	for (i = 0; i < noted; i++) {
		u32 word[2] = { wire[i].good ? wire[i].psn : ~0, wire[i].good };

		hash = crc32_le(hash, (u8 *)word, sizeof(word));
		if (wire[i].good)
			set_bit(wire[i].psn, arrived);
	}
	return hash;
}

static void seed_decides(struct kunit *test)
{
	struct bench *b = test->priv;
	DECLARE_BITMAP(all, MANY);
	DECLARE_BITMAP(drops, MANY);
	u32 first;
	int lost;

	set(test, IBT_FAULT_DROP, 500);
	set(test, IBT_FAULT_CORRUPT, 500);
	set(test, IBT_FAULT_DUPLICATE, 500);
	first = fate(b, 1, all);
	KUNIT_EXPECT_EQ(test, first, fate(b, 1, all));
	KUNIT_EXPECT_NE(test, first, fate(b, 2, all));

	/* Which packets are dropped does not depend on other knobs. */
	set(test, IBT_FAULT_CORRUPT, 0);
	fate(b, 1, all);
	set(test, IBT_FAULT_DUPLICATE, 0);
	fate(b, 1, drops);
	KUNIT_EXPECT_TRUE(test, bitmap_equal(all, drops, MANY));
	/* 5 % of 1000, give or take six sigma. */
	lost = MANY - bitmap_weight(drops, MANY);
	KUNIT_EXPECT_GT(test, lost, 50 - 42);
	KUNIT_EXPECT_LT(test, lost, 50 + 42);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(every_length_is_framed),
	KUNIT_CASE(busy_link_is_told),
	KUNIT_CASE(off_is_off),
	KUNIT_CASE(drop_drops),
	KUNIT_CASE(duplicate_doubles),
	KUNIT_CASE(reorder_swaps),
	KUNIT_CASE(exit_frees_the_held),
	KUNIT_CASE(corrupt_is_noticed),
	KUNIT_CASE(damage_is_one_bit),
	KUNIT_CASE(seed_decides),
	{ }
};

static struct kunit_suite suite = {
	.name = "ibt_fault",
	.init = make_bench,
	.exit = drop_bench,
	.test_cases = cases,
};
kunit_test_suite(suite);

MODULE_DESCRIPTION("Sending packets, and fault injection");
MODULE_LICENSE("GPL");
