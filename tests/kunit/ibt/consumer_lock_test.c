// SPDX-License-Identifier: GPL-2.0
/*
 * A kernel consumer is never called inside of a call of its own: its handlers may take
 * the lock that it holds while it posts.
 */
#include "consumer.h"
#include "engine.h"

#define REQUESTS	200

static struct pair pair;
static struct consumer consumer;

/* An unreliable WRITE is complete when it is sent: in the call that posts it. */
static int post(u64 id)
{
	const struct job job = { .op = IB_WR_RDMA_WRITE, .length = 64, .id = id };

	return ends_post(&pair, 0, &job);
}

static int calls_init(struct kunit *test)
{
	ends_defaults(&pair, test, IB_QPT_UC);
	consumer_init(&consumer, post, REQUESTS);
	return fake_start();
}

static void calls_exit(struct kunit *test)
{
	pair.test = test;
	ends_drop(&pair);
	fake_stop();
}

static void expect_all(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, consumer_over(&consumer));
	KUNIT_EXPECT_EQ(test, consumer.nested, 0);
	KUNIT_EXPECT_EQ(test, consumer.failed, 0);
	KUNIT_EXPECT_EQ(test, consumer.done, REQUESTS);
	KUNIT_EXPECT_EQ(test, consumer.events, 0);
}

static void calls_softirqs_disabled(struct kunit *test)
{
	struct ib_cq *cq;

	ends_make(&pair);
	cq = pair.end[0].send_cq;
	consumer_attach(&consumer, cq, pair.end[0].qp);
	ib_req_notify_cq(cq, IB_CQ_NEXT_COMP);
	consumer_post_all(&consumer);
	expect_all(test);
}

static void calls_interrupts_disabled(struct kunit *test)
{
	struct ib_cq *cq;

	ends_make(&pair);
	cq = pair.end[0].send_cq;
	consumer_attach(&consumer, cq, pair.end[0].qp);
	consumer_post_first(&consumer, cq);
	expect_all(test);
}

/* A CQ that is not polled: both events come later, and none inside of post_send. */
static void calls_overrun(struct kunit *test)
{
	struct ib_cq *cq;

	ends_make(&pair);
	cq = pair.end[0].send_cq;
	consumer_attach(&consumer, cq, pair.end[0].qp);
	/* The handler is not called; all of them are posted. */
	consumer.done = cq->cqe + 1;
	consumer.wanted = cq->cqe + 1;
	consumer_post_all(&consumer);
	KUNIT_EXPECT_TRUE(test, consumer_over(&consumer));
	KUNIT_EXPECT_TRUE(test, ends_reaches(&pair, 0, IB_QPS_ERR));
	KUNIT_EXPECT_TRUE(test, consumer_over(&consumer));
	KUNIT_EXPECT_EQ(test, consumer.nested, 0);
	KUNIT_EXPECT_EQ(test, consumer.failed, 0);
	KUNIT_EXPECT_EQ(test, consumer.events, 2);
}

static struct kunit_case calls_cases[] = {
	KUNIT_CASE(calls_softirqs_disabled),
	KUNIT_CASE(calls_interrupts_disabled),
	KUNIT_CASE(calls_overrun),
	{ }
};

struct kunit_suite ibt_calls_suite = {
	.name = "ibt_engine_calls",
	.init = calls_init,
	.exit = calls_exit,
	.test_cases = calls_cases,
};
