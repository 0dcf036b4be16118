// SPDX-License-Identifier: GPL-2.0
/*
 * Which duplicates a responder can answer, and what it may acknowledge: the store
 * of READs and atomics by itself, with every PSN around the end of the circle.
 */
#include <kunit/test.h>
#include <linux/module.h>

#include "hw/ibt/limits.h"
#include "hw/ibt/opcode.h"
#include "hw/ibt/pkt.h"
#include "hw/ibt/resp.h"
#include "hw/ibt/resp_res.h"

#define MTU	1024
#define RKEY	0x1234
#define VA	0x100000
#define END	0xffffff

static const struct ibt_opcode op_read = { .verb = IBT_READ };
static const struct ibt_opcode op_swap = { .verb = IBT_CMP_SWAP };
static const struct ibt_opcode op_add = { .verb = IBT_FETCH_ADD };

static struct ibt_resp *new_store(struct kunit *test, u32 entries)
{
	struct ibt_resp *resp = kunit_kzalloc(test, sizeof(*resp), GFP_KERNEL);
	struct ibt_resp_res *ring = NULL;

	KUNIT_ASSERT_NOT_NULL(test, resp);
	if (entries)
		ring = kunit_kcalloc(test, entries, sizeof(*ring), GFP_KERNEL);
	KUNIT_ASSERT_TRUE(test, ring || !entries);
	KUNIT_EXPECT_NULL(test, ibt_replay_swap(resp, ring, entries));
	return resp;
}

/* As the responder does it: @packets of answer, from resp->psn on. */
static void did_read(struct ibt_resp *resp, u32 packets)
{
	const struct ibt_resp_res entry = {
		.verb = IBT_READ,
		.first_psn = resp->psn,
		.last_psn = ibt_psn_add(resp->psn, packets - 1),
		.va = VA,
		.rkey = RKEY,
		.length = packets * MTU,
	};

	ibt_replay_add(resp, &entry);
	resp->psn = ibt_psn_add(resp->psn, packets);
}

static void did_atomic(struct ibt_resp *resp, u8 verb, u64 original)
{
	const struct ibt_resp_res entry = {
		.verb = verb,
		.first_psn = resp->psn,
		.last_psn = resp->psn,
		.va = VA,
		.rkey = RKEY,
		.original = original,
	};

	ibt_replay_add(resp, &entry);
	resp->psn = ibt_psn_add(resp->psn, 1);
}

static void did_sends(struct ibt_resp *resp, u32 packets)
{
	resp->psn = ibt_psn_add(resp->psn, packets);
}

/* Packets @skip … @skip + @packets - 1 of a READ that began at @first. */
static bool again(const struct ibt_resp *resp, u32 first, u32 skip,
		  u32 packets)
{
	const struct ibt_pkt pkt = {
		.op = &op_read,
		.psn = ibt_psn_add(first, skip),
		.va = VA + skip * MTU,
		.rkey = RKEY,
		.dma_length = packets * MTU,
	};

	return ibt_replay_read(resp, &pkt, MTU);
}

static const struct ibt_resp_res *
atomic_again(const struct ibt_resp *resp, const struct ibt_opcode *op, u32 psn)
{
	const struct ibt_pkt pkt = {
		.op = op,
		.psn = psn,
		.va = VA,
		.rkey = RKEY,
	};

	return ibt_replay_atomic(resp, &pkt);
}

/* Every part of a READ of eight packets, wherever the circle ends in it. */
static void read_parts(struct kunit *test)
{
	struct ibt_resp *resp = new_store(test, 4);
	u32 start, skip, packets;

	for (start = END - 10; start != 3; start = ibt_psn_add(start, 1)) {
		ibt_replay_clear(resp);
		resp->psn = start;
		did_read(resp, 8);
		for (skip = 0; skip < 8; skip++) {
			for (packets = 1; packets <= 9; packets++)
				KUNIT_EXPECT_EQ(test, again(resp, start, skip,
							    packets),
						skip + packets <= 8);
		}
		KUNIT_EXPECT_FALSE(test, again(resp, resp->psn, 0, 1));
		KUNIT_EXPECT_FALSE(test, again(resp,
					       ibt_psn_add(start, END), 0, 1));
	}
}

struct ask {
	const char *name;
	u32 psn;
	u64 va;
	u32 rkey;
	u32 length;
	bool found;
};

/* The READ: PSNs 100 to 103, 3 * MTU + 10 bytes. */
static const struct ask asks[] = {
	{ "as it was", 100, VA, RKEY, 3 * MTU + 10, true },
	{ "its beginning", 100, VA, RKEY, MTU, true },
	{ "less than a packet", 100, VA, RKEY, 1, true },
	{ "the last packet", 103, VA + 3 * MTU, RKEY, 10, true },
	{ "nothing of it", 101, VA + MTU, RKEY, 0, true },
	{ "one byte more", 100, VA, RKEY, 3 * MTU + 11, false },
	{ "one byte more at the end", 103, VA + 3 * MTU, RKEY, 11, false },
	{ "another key", 100, VA, RKEY + 1, MTU, false },
	{ "before it", 100, VA - 1, RKEY, MTU, false },
	{ "behind it", 100, VA + 3 * MTU + 11, RKEY, 0, false },
	{ "far behind it", 100, VA + (1ULL << 32), RKEY, 1, false },
	{ "wraps", 100, U64_MAX, RKEY, 2, false },
	{ "a packet too far", 103, VA, RKEY, MTU + 1, false },
	{ "2^31 bytes", 100, VA, RKEY, IBT_MAX_MSG_BYTES, false },
	{ "all that a length can say", 100, VA, RKEY, U32_MAX, false },
	{ "the PSN before", 99, VA, RKEY, MTU, false },
	{ "the PSN behind", 104, VA, RKEY, MTU, false },
	{ "half a circle away", 100 + (1 << 23), VA, RKEY, MTU, false },
};

static void read_asks(struct kunit *test)
{
	struct ibt_resp *resp = new_store(test, 1);
	const struct ibt_resp_res entry = {
		.verb = IBT_READ,
		.first_psn = 100,
		.last_psn = 103,
		.va = VA,
		.rkey = RKEY,
		.length = 3 * MTU + 10,
	};
	u32 i;

	ibt_replay_add(resp, &entry);
	for (i = 0; i < ARRAY_SIZE(asks); i++) {
		const struct ask *ask = &asks[i];
		const struct ibt_pkt pkt = {
			.op = &op_read,
			.psn = ask->psn,
			.va = ask->va,
			.rkey = ask->rkey,
			.dma_length = ask->length,
		};

		KUNIT_EXPECT_EQ_MSG(test, !!ibt_replay_read(resp, &pkt, MTU),
				    ask->found, "%s", ask->name);
	}
	KUNIT_EXPECT_NULL(test, atomic_again(resp, &op_swap, 100));
}

/* The longest READ takes half of the circle. */
static void read_longest(struct kunit *test)
{
	struct ibt_resp *resp = new_store(test, 1);
	const struct ibt_resp_res entry = {
		.verb = IBT_READ,
		.first_psn = 7,
		.last_psn = 7 + (1 << 23) - 1,
		.va = VA,
		.rkey = RKEY,
		.length = IBT_MAX_MSG_BYTES,
	};
	struct ibt_pkt pkt = {
		.op = &op_read,
		.psn = 7,
		.va = VA,
		.rkey = RKEY,
		.dma_length = IBT_MAX_MSG_BYTES,
	};

	ibt_replay_add(resp, &entry);
	KUNIT_EXPECT_NOT_NULL(test, ibt_replay_read(resp, &pkt, 256));
	pkt.psn = entry.last_psn;
	pkt.va = VA + IBT_MAX_MSG_BYTES - 256;
	pkt.dma_length = 256;
	KUNIT_EXPECT_NOT_NULL(test, ibt_replay_read(resp, &pkt, 256));
	pkt.psn++;
	KUNIT_EXPECT_NULL(test, ibt_replay_read(resp, &pkt, 256));
}

static void atomics(struct kunit *test)
{
	struct ibt_resp *resp = new_store(test, 2);
	const struct ibt_resp_res *entry;

	resp->psn = END;
	did_atomic(resp, IBT_CMP_SWAP, 0x1111);
	did_atomic(resp, IBT_FETCH_ADD, 0x2222);

	entry = atomic_again(resp, &op_swap, END);
	KUNIT_ASSERT_NOT_NULL(test, entry);
	KUNIT_EXPECT_EQ(test, entry->original, 0x1111ULL);
	entry = atomic_again(resp, &op_add, 0);
	KUNIT_ASSERT_NOT_NULL(test, entry);
	KUNIT_EXPECT_EQ(test, entry->original, 0x2222ULL);

	/* Not what was executed under this PSN. */
	KUNIT_EXPECT_NULL(test, atomic_again(resp, &op_add, END));
	KUNIT_EXPECT_NULL(test, atomic_again(resp, &op_swap, 1));
	KUNIT_EXPECT_FALSE(test, again(resp, 0, 0, 1));

	/* The third takes the place of the first. */
	did_atomic(resp, IBT_CMP_SWAP, 0x3333);
	KUNIT_EXPECT_NULL(test, atomic_again(resp, &op_swap, END));
	KUNIT_EXPECT_NOT_NULL(test, atomic_again(resp, &op_add, 0));
	KUNIT_EXPECT_NOT_NULL(test, atomic_again(resp, &op_swap, 1));
}

/* The same PSN a turn of the circle later: the newer one counts. */
static void newest_first(struct kunit *test)
{
	struct ibt_resp *resp = new_store(test, 3);
	const struct ibt_resp_res *entry;

	did_atomic(resp, IBT_CMP_SWAP, 1);
	resp->psn = 0;
	did_atomic(resp, IBT_CMP_SWAP, 2);
	entry = atomic_again(resp, &op_swap, 0);
	KUNIT_ASSERT_NOT_NULL(test, entry);
	KUNIT_EXPECT_EQ(test, entry->original, 2ULL);
}

/* What an ACK for a duplicate may name: nothing that lacks its own answer. */
static void ack_stops(struct kunit *test)
{
	struct ibt_resp *resp = new_store(test, 2);
	u32 start, psn;

	for (start = END - 12; start != 2; start = ibt_psn_add(start, 1)) {
		ibt_replay_clear(resp);
		resp->psn = start;
		did_sends(resp, 3);	/* 0, 1, 2 */
		for (psn = 0; psn < 3; psn++)
			KUNIT_EXPECT_EQ(test,
				ibt_replay_ack_psn(resp,
						   ibt_psn_add(start, psn)),
				ibt_psn_add(start, 2));
		did_read(resp, 4);	/* 3 to 6 */
		did_sends(resp, 2);	/* 7, 8 */
		did_atomic(resp, IBT_FETCH_ADD, 0);	/* 9 */
		did_sends(resp, 1);	/* 10 */
		KUNIT_EXPECT_EQ(test, ibt_replay_ack_psn(resp, start),
				ibt_psn_add(start, 2));
		KUNIT_EXPECT_EQ(test,
				ibt_replay_ack_psn(resp, ibt_psn_add(start, 7)),
				ibt_psn_add(start, 8));
		KUNIT_EXPECT_EQ(test,
				ibt_replay_ack_psn(resp,
						   ibt_psn_add(start, 10)),
				ibt_psn_add(start, 10));
	}
}

/* modify_qp changes how many are kept: the newest stay, in order. */
static void resize(struct kunit *test)
{
	struct ibt_resp_res *rings[] = { NULL, NULL, NULL };
	struct ibt_resp *resp = new_store(test, 4);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rings); i++) {
		rings[i] = kunit_kcalloc(test, 8, sizeof(*rings[i]),
					 GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, rings[i]);
	}
	for (i = 0; i < 6; i++)
		did_atomic(resp, IBT_CMP_SWAP, i);	/* 2 to 5 are kept */

	ibt_replay_swap(resp, rings[0], 8);
	KUNIT_EXPECT_EQ(test, resp->replay_used, 4U);
	for (i = 0; i < 6; i++)
		KUNIT_EXPECT_EQ(test, !!atomic_again(resp, &op_swap, i), i > 1);
	did_atomic(resp, IBT_CMP_SWAP, 6);
	KUNIT_EXPECT_NOT_NULL(test, atomic_again(resp, &op_swap, 2));

	ibt_replay_swap(resp, rings[1], 2);
	for (i = 0; i < 7; i++)
		KUNIT_EXPECT_EQ(test, !!atomic_again(resp, &op_swap, i), i > 4);
	did_atomic(resp, IBT_CMP_SWAP, 7);
	KUNIT_EXPECT_NULL(test, atomic_again(resp, &op_swap, 5));
	KUNIT_EXPECT_NOT_NULL(test, atomic_again(resp, &op_swap, 6));

	KUNIT_EXPECT_PTR_EQ(test, ibt_replay_swap(resp, NULL, 0), rings[1]);
	KUNIT_EXPECT_NULL(test, atomic_again(resp, &op_swap, 7));
}

/* An answer of the READ that covers @psn is due, from there on. */
static void park(struct ibt_resp *resp, u32 psn, bool again)
{
	const struct ibt_read_resp reading = {
		.active = true,
		.again = again,
		.psn = psn,
	};

	ibt_resp_res_defer(resp, ibt_resp_res_lookup(resp, psn), &reading);
}

static void expect_due(struct kunit *test, struct ibt_resp *resp, u32 psn)
{
	struct ibt_read_resp reading = { };

	KUNIT_EXPECT_TRUE(test, ibt_resp_res_next_deferred(resp, &reading));
	KUNIT_EXPECT_TRUE(test, reading.active);
	KUNIT_EXPECT_EQ(test, reading.psn, psn);
}

/* The oldest goes first; of each request only the last word counts. */
static void answers_due(struct kunit *test)
{
	struct ibt_resp *resp = new_store(test, 4);
	struct ibt_read_resp reading;
	u32 i;

	resp->psn = END - 15;
	for (i = 0; i < 6; i++)
		did_read(resp, 4);	/* the last four from END - 7 on */
	KUNIT_EXPECT_FALSE(test, ibt_resp_res_next_deferred(resp, &reading));

	for (i = 0; i < 1000; i++) {
		park(resp, 6, true);
		park(resp, END - 7, true);
		park(resp, 0, true);
		park(resp, END - 5, true);
	}
	KUNIT_EXPECT_EQ(test, resp->parked, 3U);
	KUNIT_EXPECT_FALSE(test, ibt_replay_unfinished(resp));
	park(resp, 6, false);
	KUNIT_EXPECT_TRUE(test, ibt_replay_unfinished(resp));
	expect_due(test, resp, END - 5);
	expect_due(test, resp, 0);
	expect_due(test, resp, 6);
	KUNIT_EXPECT_FALSE(test, ibt_resp_res_next_deferred(resp, &reading));
	KUNIT_EXPECT_EQ(test, resp->parked, 0U);
}

/* What is no longer kept is no longer due. */
static void answers_forgotten(struct kunit *test)
{
	struct ibt_resp *resp = new_store(test, 4);
	struct ibt_resp_res *ring;
	struct ibt_read_resp reading;
	u32 i;

	ring = kunit_kcalloc(test, 2, sizeof(*ring), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, ring);
	for (i = 0; i < 4; i++)
		did_read(resp, 2);
	for (i = 0; i < 8; i++)
		park(resp, i, true);
	KUNIT_EXPECT_EQ(test, resp->parked, 4U);
	did_atomic(resp, IBT_CMP_SWAP, 1);
	KUNIT_EXPECT_EQ(test, resp->parked, 3U);
	ibt_replay_swap(resp, ring, 2);
	KUNIT_EXPECT_EQ(test, resp->parked, 1U);
	expect_due(test, resp, 7);
	park(resp, 6, true);
	ibt_replay_clear(resp);
	KUNIT_EXPECT_EQ(test, resp->parked, 0U);
	KUNIT_EXPECT_FALSE(test, ibt_resp_res_next_deferred(resp, &reading));
}

/* Parts leave in the order that they were requested in, each once, and not too many. */
static void parts_due(struct kunit *test)
{
	struct ibt_resp *resp = new_store(test, 4);
	struct ibt_read_resp part = { .active = true, .part = true };
	u32 i;

	for (i = 0; i < IBT_READ_PARTS + 3; i++) {
		part.psn = ibt_psn_add(END, 2 * i);
		KUNIT_EXPECT_EQ(test, ibt_read_part_add(&resp->parts, &part),
				i < IBT_READ_PARTS);
		KUNIT_EXPECT_FALSE(test, ibt_read_part_add(&resp->parts, &part));
	}
	KUNIT_EXPECT_FALSE(test, ibt_read_part_due_before(&resp->parts, END));
	KUNIT_EXPECT_TRUE(test, ibt_read_part_due_before(&resp->parts, ibt_psn_add(END, 1)));
	for (i = 0; i < IBT_READ_PARTS; i++) {
		KUNIT_EXPECT_TRUE(test, ibt_read_part_take(&resp->parts, &part));
		KUNIT_EXPECT_EQ(test, part.psn, ibt_psn_add(END, 2 * i));
	}
	KUNIT_EXPECT_FALSE(test, ibt_read_part_take(&resp->parts, &part));
	ibt_read_part_add(&resp->parts, &part);
	ibt_replay_clear(resp);
	KUNIT_EXPECT_EQ(test, resp->parts.num, 0);
}

/* max_dest_rd_atomic 0: nothing is kept, nothing is found. */
static void nothing_kept(struct kunit *test)
{
	struct ibt_resp *resp = new_store(test, 0);
	struct ibt_resp_res *ring = NULL;

	KUNIT_EXPECT_EQ(test, ibt_replay_alloc(&ring, 0), 0);
	KUNIT_EXPECT_NULL(test, ring);
	did_read(resp, 3);
	did_atomic(resp, IBT_CMP_SWAP, 1);
	KUNIT_EXPECT_FALSE(test, again(resp, 0, 0, 1));
	KUNIT_EXPECT_NULL(test, atomic_again(resp, &op_swap, 3));
	KUNIT_EXPECT_EQ(test, ibt_replay_ack_psn(resp, 0), 3U);
}

static struct kunit_case replay_cases[] = {
	KUNIT_CASE(read_parts),
	KUNIT_CASE(read_asks),
	KUNIT_CASE(read_longest),
	KUNIT_CASE(atomics),
	KUNIT_CASE(newest_first),
	KUNIT_CASE(ack_stops),
	KUNIT_CASE(resize),
	KUNIT_CASE(answers_due),
	KUNIT_CASE(answers_forgotten),
	KUNIT_CASE(parts_due),
	KUNIT_CASE(nothing_kept),
	{}
};

static struct kunit_suite replay_suite = {
	.name = "ibt_resp_res",
	.test_cases = replay_cases,
};
kunit_test_suite(replay_suite);

MODULE_DESCRIPTION("KUnit tests of answers to duplicate requests");
MODULE_LICENSE("GPL");
