// SPDX-License-Identifier: GPL-2.0
/*
 * Retransmission before the timeout of the queue pair, which is 4 s here: what is lost at the
 * end of a message comes again in time, and counts against no limit.
 */
#include "hw/ibt/qp.h"
#include "engine.h"

#define MTU	256

static struct pair pair;
static u32 to_lose;
static u32 lost;
static u32 from_opcode;
static u32 requests;

static int early_init(struct kunit *test)
{
	ends_defaults(&pair, test, IB_QPT_RC);
	to_lose = 0;
	lost = 0;
	requests = 0;
	fake_early = true;
	return fake_start();
}

static void early_exit(struct kunit *test)
{
	pair.test = test;
	ends_drop(&pair);
	fake_stop();
	fake_early = false;
}

/* The first packets of an opcode, from the next on. */
static enum fake_fate lose_some(u32 number, const u8 *bth)
{
	if (bth[0] < 0x0d || bth[0] > 0x11)
		requests++;
	if (bth[0] != from_opcode || lost == to_lose)
		return FAKE_PASS;
	lost++;
	return FAKE_DROP;
}

static void lose(u32 opcode, u32 number)
{
	from_opcode = opcode;
	to_lose = number;
	lost = 0;
	requests = 0;
	fake_restart(lose_some);
}

static void do_one(enum ib_wr_opcode op, u64 id, u32 length)
{
	const struct job job = { op, id, 0, length };

	KUNIT_ASSERT_EQ(pair.test, ends_post(&pair, 0, &job), 0);
	EXPECT_WC(&pair, pair.end[0].send_cq, id, IB_WC_SUCCESS);
}

static void make(void)
{
	ends_make(&pair);
	/* Round trips are known from here on. */
	do_one(IB_WR_RDMA_WRITE, 1, 10);
}

/* No timeout of the queue pair was over, and it has all of its retries. */
static void expect_early(struct kunit *test, u64 least)
{
	struct ibt_rtx *rtx = &container_of(pair.end[0].qp, struct ibt_qp, ib)->rtx;

	KUNIT_EXPECT_EQ(test, lost, to_lose);
	KUNIT_EXPECT_GE(test, ends_counter(0, "early_retransmits"), least);
	KUNIT_EXPECT_EQ(test, ends_counter(0, "local_ack_timeout_err"), 0ULL);
	KUNIT_EXPECT_EQ(test, rtx->retries, rtx->retry_cnt);
	KUNIT_EXPECT_EQ(test, (int)rtx->recovery, (int)IBT_STEADY);
}

static void a_lost_write_comes_again(struct kunit *test)
{
	make();
	lose(0x0a, 1);
	do_one(IB_WR_RDMA_WRITE, 2, 100);
	expect_early(test, 1);
}

/* Nothing was measured yet. */
static void the_first_packet_comes_again(struct kunit *test)
{
	ends_make(&pair);
	lose(0x0a, 1);
	do_one(IB_WR_RDMA_WRITE, 1, 100);
	expect_early(test, 1);
}

/* More often than retry_cnt says. */
static void and_again(struct kunit *test)
{
	pair.retries = 1;
	make();
	lose(0x0a, 5);
	do_one(IB_WR_RDMA_WRITE, 2, 100);
	expect_early(test, 5);
}

static void a_lost_ack_comes_again(struct kunit *test)
{
	make();
	lose(0x11, 1);
	do_one(IB_WR_RDMA_WRITE, 2, 100);
	expect_early(test, 1);
}

static void the_last_packet_comes_again(struct kunit *test)
{
	make();
	lose(0x08, 1);
	do_one(IB_WR_RDMA_WRITE, 2, 20 * MTU);
	expect_early(test, 1);
	KUNIT_EXPECT_EQ(test, memcmp(pair.end[0].buf, pair.end[1].buf, 20 * MTU), 0);
}

static void a_lost_read_is_asked_again(struct kunit *test)
{
	make();
	lose(0x0c, 2);
	do_one(IB_WR_RDMA_READ, 2, 20 * MTU);
	expect_early(test, 2);
	/* And its answer's last packet. */
	lose(0x0f, 1);
	do_one(IB_WR_RDMA_READ, 3, 20 * MTU);
	expect_early(test, 3);
}

/* All that is sent while nothing comes back is one packet at a time. */
static void it_probes(struct kunit *test)
{
	make();
	lose(0x11, 3);
	do_one(IB_WR_RDMA_WRITE, 2, 64 * MTU);
	expect_early(test, 1);
	/* 64, and a few more: not 64 for each loss. */
	KUNIT_EXPECT_LT(test, requests, 64U + 20U);
}

/* Without an answer ever the timeout of the queue pair decides, as before. */
static void a_silent_peer_fails(struct kunit *test)
{
	const struct job job = { IB_WR_RDMA_WRITE, 2, 0, 100 };

	pair.timeout = 14;
	pair.retries = 2;
	make();
	lose(0x0a, U32_MAX);
	KUNIT_ASSERT_EQ(test, ends_post(&pair, 0, &job), 0);
	EXPECT_WC(&pair, pair.end[0].send_cq, 2, IB_WC_RETRY_EXC_ERR);
	KUNIT_EXPECT_EQ(test, ends_counter(0, "local_ack_timeout_err"), 3ULL);
	/* 67 ms each, and waits that double: few packets. */
	KUNIT_EXPECT_GE(test, ends_counter(0, "early_retransmits"), 1ULL);
	KUNIT_EXPECT_LT(test, ends_counter(0, "early_retransmits"), 30ULL);
}

static struct kunit_case early_cases[] = {
	KUNIT_CASE(a_lost_write_comes_again),
	KUNIT_CASE(the_first_packet_comes_again),
	KUNIT_CASE(and_again),
	KUNIT_CASE(a_lost_ack_comes_again),
	KUNIT_CASE(the_last_packet_comes_again),
	KUNIT_CASE(a_lost_read_is_asked_again),
	KUNIT_CASE(it_probes),
	KUNIT_CASE(a_silent_peer_fails),
	{}
};

struct kunit_suite ibt_early_suite = {
	.name = "ibt_engine_early",
	.init = early_init,
	.exit = early_exit,
	.test_cases = early_cases,
};
