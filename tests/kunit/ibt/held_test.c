// SPDX-License-Identifier: GPL-2.0
/*
 * Packets that the link has taken and not sent: no timeout counts that time. The link tells how
 * far they have come, by numbers that wrap.
 */
#include <linux/delay.h>

#include "hw/ibt/early.h"
#include "hw/ibt/qp.h"
#include "engine.h"

enum {
	LEFT = 1000,		/* bytes in the link's queue */
	SOON = 14,		/* a timeout of 67 ms */
	OFTEN = 1200,		/* ms in which it is over many times */
	READ_REQUEST = 0x0c,	/* opcodes of RC */
	READ_RESPONSE_ONLY = 0x10,
};

static struct pair pair;

static int held_init(struct kunit *test)
{
	ends_defaults(&pair, test, IB_QPT_RC);
	pair.timeout = SOON;
	pair.retries = 1;
	fake_early = false;
	return fake_start();
}

static void held_exit(struct kunit *test)
{
	pair.test = test;
	ends_drop(&pair);
	fake_stop();
	fake_early = false;
}

static enum fake_fate lose_all(u32 number, const u8 *bth)
{
	return FAKE_DROP;
}

/* One WRITE, which is in the link's queue, and lost to the test. */
static void post_held(void)
{
	const struct job job = { IB_WR_RDMA_WRITE, 2, 0, 100 };

	fake.passage.taken = 500;
	fake.passage.gone = 500 - LEFT;
	fake_restart(lose_all);
	KUNIT_ASSERT_EQ(pair.test, ends_post(&pair, 0, &job), 0);
}

static void leave(void)
{
	WRITE_ONCE(fake.passage.gone, fake.passage.taken);
}

static void no_timeout_before_it_left(struct kunit *test)
{
	ktime_t left;

	ends_make(&pair);
	post_held();
	msleep(OFTEN);
	KUNIT_EXPECT_EQ(test, ends_counter(0, "local_ack_timeout_err"), 0ULL);
	leave();
	left = ktime_get();
	EXPECT_WC(&pair, pair.end[0].send_cq, 2, IB_WC_RETRY_EXC_ERR);
	KUNIT_EXPECT_EQ(test, ends_counter(0, "local_ack_timeout_err"), 2ULL);
	/* Two timeouts, of which the first begins within a quarter of one. */
	KUNIT_EXPECT_GE(test, ktime_ms_delta(ktime_get(), left), 2LL * 67);
}

/* It gets its answer, and what comes then has a time of its own. */
static void the_next_one_waits_too(struct kunit *test)
{
	ends_make(&pair);
	post_held();
	msleep(100);
	leave();
	fake_restart(NULL);
	EXPECT_WC(&pair, pair.end[0].send_cq, 2, IB_WC_SUCCESS);
	post_held();
	msleep(OFTEN);
	KUNIT_EXPECT_LE(test, ends_counter(0, "local_ack_timeout_err"), 1ULL);
	leave();
	EXPECT_WC(&pair, pair.end[0].send_cq, 2, IB_WC_RETRY_EXC_ERR);
}

/* Others fill the queue for ever: what is behind them now was not in front. */
static void a_full_queue_is_no_excuse(struct kunit *test)
{
	ends_make(&pair);
	post_held();
	WRITE_ONCE(fake.step, 700);
	EXPECT_WC(&pair, pair.end[0].send_cq, 2, IB_WC_RETRY_EXC_ERR);
	KUNIT_EXPECT_EQ(test, ends_counter(0, "local_ack_timeout_err"), 2ULL);
}

/* Nor does an early retransmission count it. */
static void nothing_early_before_it_left(struct kunit *test)
{
	const struct job job = { IB_WR_RDMA_WRITE, 1, 0, 10 };

	pair.timeout = 20;
	WRITE_ONCE(ibt_early, true);
	ends_make(&pair);
	KUNIT_ASSERT_EQ(test, ends_post(&pair, 0, &job), 0);
	EXPECT_WC(&pair, pair.end[0].send_cq, 1, IB_WC_SUCCESS);
	post_held();
	msleep(300);
	KUNIT_EXPECT_EQ(test, ends_counter(0, "early_retransmits"), 0ULL);
	leave();
	KUNIT_EXPECT_TRUE(test, ends_counted(0, "early_retransmits"));
	fake_restart(NULL);
	EXPECT_WC(&pair, pair.end[0].send_cq, 2, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, ends_counter(0, "local_ack_timeout_err"), 0ULL);
}

static atomic_t answers;

static enum fake_fate count_answers(u32 number, const u8 *bth)
{
	if (bth[0] == READ_RESPONSE_ONLY)
		atomic_inc(&answers);
	return FAKE_PASS;
}

/* The READ of post_read(), as its requester sends it when it has waited for too long. */
static void ask_again(void)
{
	u8 bytes[12 + 16 + 4] = { };

	put_reth(put_bth(bytes, READ_REQUEST, pair.end[1].qp->qp_num, pair.psn), &pair, 1, 0,
		 100);
	fake_inject(1, bytes, sizeof(bytes));
	msleep(20);
}

/* A second copy of an answer that is about to leave is of no use. */
static void no_answer_twice_before_it_left(struct kunit *test)
{
	const struct job job = { IB_WR_RDMA_READ, 2, 0, 100 };

	ends_make(&pair);
	fake.passage.taken = 500;
	fake.passage.gone = 500 - LEFT;
	atomic_set(&answers, 0);
	fake_restart(count_answers);
	KUNIT_ASSERT_EQ(test, ends_post(&pair, 0, &job), 0);
	EXPECT_WC(&pair, pair.end[0].send_cq, 2, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, atomic_read(&answers), 1);
	ask_again();
	KUNIT_EXPECT_EQ(test, atomic_read(&answers), 1);
	KUNIT_EXPECT_EQ(test, ends_counter(1, "duplicate_request"), 1ULL);
	leave();
	ask_again();
	KUNIT_EXPECT_EQ(test, atomic_read(&answers), 2);
}

static struct kunit_case held_cases[] = {
	KUNIT_CASE(no_timeout_before_it_left),
	KUNIT_CASE(the_next_one_waits_too),
	KUNIT_CASE(a_full_queue_is_no_excuse),
	KUNIT_CASE(nothing_early_before_it_left),
	KUNIT_CASE(no_answer_twice_before_it_left),
	{}
};

struct kunit_suite ibt_held_suite = {
	.name = "ibt_engine_held",
	.init = held_init,
	.exit = held_exit,
	.test_cases = held_cases,
};
