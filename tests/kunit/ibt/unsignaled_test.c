// SPDX-License-Identifier: GPL-2.0
/*
 * Requests that are not signaled: few of them ask for an ACK, and whatever waits for their
 * responses asks then. The timeout of the queue pair is hours, so nothing else helps.
 */
#include <linux/delay.h>

#include "hw/ibt/early.h"
#include "hw/ibt/qp.h"
#include "engine.h"

enum {
	MTU = 256,
	WRITE_ONLY = 0x0a,
	DEPTH = 64,		/* of the send queue, see qp_pair.c */
	QUARTER = DEPTH / 4,
	NONE = ~0U,
};

static struct pair pair;
static u32 requests;
static u32 asking;		/* requests with AckReq */
static u32 to_lose;		/* number of a request, once */

static int unsignaled_init(struct kunit *test)
{
	ends_defaults(&pair, test, IB_QPT_RC);
	pair.timeout = 31;
	fake_early = true;
	return fake_start();
}

static void unsignaled_exit(struct kunit *test)
{
	pair.test = test;
	ends_drop(&pair);
	fake_stop();
	fake_early = false;
}

static enum fake_fate note(u32 number, const u8 *bth)
{
	if (bth[0] >= 0x0d && bth[0] <= 0x12)
		return FAKE_PASS;
	asking += !!(bth[8] & 0x80);
	return requests++ == to_lose ? FAKE_DROP : FAKE_PASS;
}

static struct ibt_qp *requester(void)
{
	return to_ibt_qp(pair.end[0].qp);
}

static void write_one(u32 at, u32 length, bool unsignaled)
{
	const struct job job = {
		.op = IB_WR_RDMA_WRITE,
		.at = at,
		.remote_at = at,
		.length = length,
		.unsignaled = unsignaled,
	};

	KUNIT_ASSERT_EQ(pair.test, ends_post(&pair, 0, &job), 0);
}

/* Round trips are known from here on, and what the peer keeps; the jiffy does not end. */
static void make(u32 lose)
{
	u32 i;

	ends_make(&pair);
	for (i = 0; i < 4; i++) {
		write_one(0, 10, false);
		EXPECT_WC(&pair, pair.end[0].send_cq, 0, IB_WC_SUCCESS);
	}
	requests = 0;
	asking = 0;
	to_lose = lose;
	fake_restart(note);
	requester()->rtx.ask.tick = jiffies + 1000 * HZ;
	get_random_bytes(pair.end[0].buf, END_BYTES);
}

static void write_unsignaled(u32 number)
{
	u32 i;

	for (i = 0; i < number; i++)
		write_one(i * MTU, MTU, true);
}

static bool all_answered(void)
{
	struct ibt_sq *sq = &requester()->sq;
	bool all;

	spin_lock_bh(&sq->lock);
	all = sq->una == sq->psn;
	spin_unlock_bh(&sq->lock);
	return all;
}

/* All have a response, and none of the time that a retry counts has passed. */
static void expect_all(u32 number)
{
	struct ibt_rtx *rtx = &requester()->rtx;
	u32 i;

	for (i = 0; i < 20000 && !all_answered(); i++)
		usleep_range(1000, 1100);
	KUNIT_EXPECT_TRUE(pair.test, all_answered());
	KUNIT_EXPECT_EQ(pair.test, memcmp(pair.end[0].buf, pair.end[1].buf, number * MTU), 0);
	KUNIT_EXPECT_EQ(pair.test, ends_counter(0, "local_ack_timeout_err"), 0ULL);
	KUNIT_EXPECT_EQ(pair.test, rtx->retries, rtx->retry_cnt);
	KUNIT_EXPECT_EQ(pair.test, (int)rtx->recovery, (int)IBT_STEADY);
	KUNIT_EXPECT_TRUE(pair.test, ends_quiet(pair.end[0].send_cq));
}

/* A few ask for nothing; then the one that is signaled does, for all of them. */
static void the_signaled_one_asks(struct kunit *test)
{
	make(NONE);
	WRITE_ONCE(ibt_early, false);
	write_unsignaled(QUARTER - 2);
	KUNIT_EXPECT_FALSE(test, all_answered());
	write_one((QUARTER - 2) * MTU, MTU, false);
	EXPECT_WC(&pair, pair.end[0].send_cq, 0, IB_WC_SUCCESS);
	expect_all(QUARTER - 1);
	KUNIT_EXPECT_EQ(test, requests, QUARTER - 1U);
	KUNIT_EXPECT_EQ(test, asking, 1U);
}

/* Nothing comes behind them: the last one is sent again, and asks. */
static void the_last_one_asks_later(struct kunit *test)
{
	make(NONE);
	write_unsignaled(QUARTER - 1);
	expect_all(QUARTER - 1);
	KUNIT_EXPECT_EQ(test, ends_counter(0, "early_retransmits"), 0ULL);
	KUNIT_EXPECT_GE(test, requests, (u32)QUARTER);
}

/* As nothing is known to be lost, it counts as no loss. */
static void a_lost_end_comes_again(struct kunit *test)
{
	make(QUARTER - 2);
	write_unsignaled(QUARTER - 1);
	expect_all(QUARTER - 1);
	KUNIT_EXPECT_EQ(test, ends_counter(0, "early_retransmits"), 0ULL);
}

/* What is in front of it is named by the peer. */
static void a_lost_one_comes_again(struct kunit *test)
{
	make(3);
	write_unsignaled(QUARTER - 1);
	expect_all(QUARTER - 1);
	KUNIT_EXPECT_EQ(test, ends_counter(0, "early_retransmits"), 0ULL);
}

/* Messages of several packets. */
static void so_does_one_of_a_message(struct kunit *test)
{
	make(5);
	write_one(0, 4 * MTU, true);
	write_one(4 * MTU, 6 * MTU, true);
	expect_all(10);
}

/* A consumer that signals nothing posts more than its queue holds. */
static void a_full_queue_gets_room(struct kunit *test)
{
	struct job job = { .op = IB_WR_RDMA_WRITE, .length = MTU, .unsignaled = true };
	u32 posted, tries;

	make(NONE);
	WRITE_ONCE(ibt_early, false);
	for (posted = tries = 0; posted < 3 * DEPTH && tries < 20000; ) {
		/* The jiffy does not end after a request that asks, either. */
		WRITE_ONCE(requester()->rtx.ask.tick, jiffies + 1000 * HZ);
		if (!ends_post(&pair, 0, &job))
			posted++;
		else if (++tries)
			usleep_range(1000, 1100);
	}
	KUNIT_EXPECT_EQ(test, posted, 3U * DEPTH);
	KUNIT_EXPECT_GE(test, asking, 3U);
}

/* A request that may begin only when those in front of it are done. */
static void what_waits_for_them_asks(struct kunit *test)
{
	struct job job = { .op = IB_WR_LOCAL_INV, .id = 7 };

	make(NONE);
	WRITE_ONCE(ibt_early, false);
	job.word = pair.end[0].mr->rkey;
	write_unsignaled(QUARTER - 1);
	KUNIT_ASSERT_EQ(test, ends_post(&pair, 0, &job), 0);
	EXPECT_WC(&pair, pair.end[0].send_cq, 7, IB_WC_SUCCESS);
	expect_all(QUARTER - 1);
	KUNIT_EXPECT_EQ(test, requests, (u32)QUARTER);
}

static struct kunit_case unsignaled_cases[] = {
	KUNIT_CASE(the_signaled_one_asks),
	KUNIT_CASE(the_last_one_asks_later),
	KUNIT_CASE(a_lost_end_comes_again),
	KUNIT_CASE(a_lost_one_comes_again),
	KUNIT_CASE(so_does_one_of_a_message),
	KUNIT_CASE(a_full_queue_gets_room),
	KUNIT_CASE(what_waits_for_them_asks),
	{}
};

struct kunit_suite ibt_unsignaled_suite = {
	.name = "ibt_engine_unsignaled",
	.init = unsignaled_init,
	.exit = unsignaled_exit,
	.test_cases = unsignaled_cases,
};
