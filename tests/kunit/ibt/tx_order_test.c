// SPDX-License-Identifier: GPL-2.0
/*
 * A queue pair sends on one processor as long as what it sent may be overtaken, which the
 * link can tell, and wherever it is asked to at other times. A processor that does not begin
 * is not waited for.
 */
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/workqueue.h>

#include "hw/ibt/qp.h"
#include "engine.h"

#define MTU	256

static struct pair pair;
static u32 requests;

static int order_init(struct kunit *test)
{
	ends_defaults(&pair, test, IB_QPT_RC);
	requests = 0;
	/* No processor is late, however slow this machine is. */
	soft_task_patience = UINT_MAX;
	return fake_start();
}

static void order_exit(struct kunit *test)
{
	pair.test = test;
	soft_task_patience = NSEC_PER_MSEC;
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

static void stays_under_way(struct kunit *test, enum ib_qp_type type)
{
	int first, second;

	two_cpus(test, &first, &second);
	pair.type = type;
	ends_make(&pair);
	fake.tx_in_flight = true;
	expect_all_on(second, first);
	WRITE_ONCE(fake.tx_in_flight, false);
	post_on(first, 12, 2 * MTU);
	expect_requests(24);
	KUNIT_EXPECT_EQ(test, fake.cpus[0], BIT(first) | BIT(second));
}

static void reliable_stays_under_way(struct kunit *test)
{
	stays_under_way(test, IB_QPT_RC);
}

static void unreliable_stays_under_way(struct kunit *test)
{
	stays_under_way(test, IB_QPT_UC);
}

static void questions_stay_under_way(struct kunit *test)
{
	int first, second;

	two_cpus(test, &first, &second);
	ends_make(&pair);
	fake_restart(mute);
	fake.cpus[0] = 0;
	fake.tx_in_flight = true;
	ask_on(second, 1);
	ask_on(first, 2);
	expect_requests(2);
	KUNIT_EXPECT_EQ(test, fake.cpus[0], BIT(second));
	WRITE_ONCE(fake.tx_in_flight, false);
	ask_on(first, 3);
	expect_requests(3);
	KUNIT_EXPECT_EQ(test, fake.cpus[0], BIT(first) | BIT(second));
}

/* The work that is to go on there does not begin: another context goes on. */
static void a_late_one_is_not_waited_for(struct kunit *test)
{
	struct soft_task *task;
	int first, second;

	two_cpus(test, &first, &second);
	ends_make(&pair);
	fake_restart(mute);
	fake.cpus[0] = 0;
	fake.tx_in_flight = true;
	post_on(second, 1, 2 * MTU);
	expect_requests(2);
	task = &container_of(pair.end[0].qp, struct ibt_qp, ib)->sq.task;
	/* As if it was queued there already: nothing queues it again, and it never runs. */
	KUNIT_ASSERT_FALSE(test, test_and_set_bit(WORK_STRUCT_PENDING_BIT,
						  work_data_bits(&task->one_work)));
	soft_task_patience = NSEC_PER_MSEC;
	post_on(first, 2, 2 * MTU);
	expect_requests(4);
	clear_bit(WORK_STRUCT_PENDING_BIT, work_data_bits(&task->one_work));
	/* The timer that was not waited for expires on the first. */
	KUNIT_EXPECT_EQ(test, fake.cpus[0], BIT(first) | BIT(second));
}

/* Too long for one burst: works go on, wherever they run. */
static void answers_stay(struct kunit *test)
{
	const struct job job = { IB_WR_RDMA_READ, 7, 0, 120 * MTU };
	int first, second, i;

	two_cpus(test, &first, &second);
	ends_make(&pair);
	fake.tx_in_flight = true;
	fake.cpus[1] = 0;
	for (i = 0; i < 50; i++) {
		KUNIT_ASSERT_EQ(test, ends_post(&pair, 0, &job), 0);
		EXPECT_WC(&pair, pair.end[0].send_cq, 7, IB_WC_SUCCESS);
	}
	KUNIT_EXPECT_EQ(test, hweight_long(fake.cpus[1]), 1UL);
}

static struct kunit_case order_cases[] = {
	KUNIT_CASE(reliable_stays_under_way),
	KUNIT_CASE(unreliable_stays_under_way),
	KUNIT_CASE(questions_stay_under_way),
	KUNIT_CASE(a_late_one_is_not_waited_for),
	KUNIT_CASE(answers_stay),
	{}
};

struct kunit_suite ibt_order_suite = {
	.name = "ibt_engine_order",
	.init = order_init,
	.exit = order_exit,
	.test_cases = order_cases,
};
