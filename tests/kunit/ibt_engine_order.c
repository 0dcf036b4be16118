// SPDX-License-Identifier: GPL-2.0
/*
 * A queue pair sends on one processor as long as what it sent may be overtaken, and
 * wherever it is asked to at other times. A reliable one knows by the answers; of
 * others, of READ answers, and of what has no payload, the link can tell.
 */
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/workqueue.h>

#include "ibt_engine.h"

#define MTU	256

static struct pair pair;
static u32 requests;

static int order_init(struct kunit *test)
{
	ends_defaults(&pair, test, IB_QPT_RC);
	requests = 0;
	return fake_start();
}

static void order_exit(struct kunit *test)
{
	pair.test = test;
	ends_drop(&pair);
	fake_stop();
}

/* No answer comes back. */
static enum fake_fate mute(u32 number, const u8 *bth)
{
	/* READ responses and ACKs. */
	if (bth[0] >= 0x0d && bth[0] <= 0x11)
		return FAKE_DROP;
	WRITE_ONCE(requests, requests + 1);
	return FAKE_PASS;
}

static long post(void *job)
{
	return ends_post(&pair, 0, job);
}

static void post_on(int cpu, u64 id, u32 length)
{
	struct job job = { IB_WR_RDMA_WRITE, id, 0, length };

	KUNIT_ASSERT_EQ(pair.test, work_on_cpu(cpu, post, &job), 0L);
}

static void ask_on(int cpu, u64 id)
{
	struct job job = { IB_WR_RDMA_READ, id, 0, 10 };

	KUNIT_ASSERT_EQ(pair.test, work_on_cpu(cpu, post, &job), 0L);
}

static void expect_requests(u32 wanted)
{
	int i;

	for (i = 0; i < 500 && READ_ONCE(requests) < wanted; i++)
		msleep(20);
	KUNIT_EXPECT_EQ(pair.test, READ_ONCE(requests), wanted);
}

/* Two processors, or the test is skipped. */
static void two_cpus(struct kunit *test, int *first, int *second)
{
	*first = cpumask_first(cpu_online_mask);
	*second = cpumask_next(*first, cpu_online_mask);
	if (*second >= nr_cpu_ids)
		kunit_skip(test, "one processor");
}

/* One request is posted on @cpu, the others on @other. Nothing is answered. */
static void expect_all_on(int cpu, int other)
{
	int i;

	fake_restart(mute);
	fake.cpus[0] = 0;
	post_on(cpu, 1, 2 * MTU);
	for (i = 0; i < 10; i++)
		post_on(other, 2 + i, 2 * MTU);
	expect_requests(22);
	KUNIT_EXPECT_EQ(pair.test, fake.cpus[0], BIT(cpu));
}

static void stays_until_answered(struct kunit *test)
{
	int first, second;

	two_cpus(test, &first, &second);
	ends_make(&pair);
	expect_all_on(second, first);
}

static void unreliable_stays_under_way(struct kunit *test)
{
	int first, second;

	two_cpus(test, &first, &second);
	pair.type = IB_QPT_UC;
	ends_make(&pair);
	fake.under_way = true;
	expect_all_on(second, first);
	WRITE_ONCE(fake.under_way, false);
	post_on(first, 12, 2 * MTU);
	expect_requests(24);
	KUNIT_EXPECT_EQ(test, fake.cpus[0], BIT(first) | BIT(second));
}

static void moves_when_answered(struct kunit *test)
{
	int first, second;

	two_cpus(test, &first, &second);
	ends_make(&pair);
	fake.cpus[0] = 0;
	post_on(second, 1, 10);
	EXPECT_WC(&pair, pair.end[0].send_cq, 1, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, fake.cpus[0], BIT(second));
	post_on(first, 2, 10);
	EXPECT_WC(&pair, pair.end[0].send_cq, 2, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, fake.cpus[0], BIT(first) | BIT(second));
}

/* All that is in front of a question arrives before it does. */
static void questions_move(struct kunit *test)
{
	int first, second;

	two_cpus(test, &first, &second);
	ends_make(&pair);
	fake_restart(mute);
	fake.cpus[0] = 0;
	fake.under_way = true;
	ask_on(second, 1);
	ask_on(first, 2);
	expect_requests(2);
	KUNIT_EXPECT_EQ(test, fake.cpus[0], BIT(second));
	WRITE_ONCE(fake.under_way, false);
	ask_on(first, 3);
	expect_requests(3);
	KUNIT_EXPECT_EQ(test, fake.cpus[0], BIT(first) | BIT(second));

	/* A message may be received still when the link has no more of it. */
	fake.cpus[0] = 0;
	post_on(second, 4, 10);
	ask_on(first, 5);
	expect_requests(5);
	KUNIT_EXPECT_EQ(test, fake.cpus[0], BIT(second));
}

/* Too long for one burst: works go on, wherever they run. */
static void answers_stay(struct kunit *test)
{
	const struct job job = { IB_WR_RDMA_READ, 7, 0, 120 * MTU };
	int first, second, i;

	two_cpus(test, &first, &second);
	ends_make(&pair);
	fake.under_way = true;
	fake.cpus[1] = 0;
	for (i = 0; i < 50; i++) {
		KUNIT_ASSERT_EQ(test, ends_post(&pair, 0, &job), 0);
		EXPECT_WC(&pair, pair.end[0].send_cq, 7, IB_WC_SUCCESS);
	}
	KUNIT_EXPECT_EQ(test, hweight_long(fake.cpus[1]), 1UL);
}

static struct kunit_case order_cases[] = {
	KUNIT_CASE(stays_until_answered),
	KUNIT_CASE(moves_when_answered),
	KUNIT_CASE(unreliable_stays_under_way),
	KUNIT_CASE(questions_move),
	KUNIT_CASE(answers_stay),
	{}
};

struct kunit_suite ibt_order_suite = {
	.name = "ibt_engine_order",
	.init = order_init,
	.exit = order_exit,
	.test_cases = order_cases,
};
