// SPDX-License-Identifier: GPL-2.0
/*
 * A peer that acknowledges what asks for it, and nothing else, as the specification lets it
 * (IBA 9.7.5.1.2). There is no timeout here: whatever waits for all to be answered must have
 * asked for it.
 */
#include <linux/delay.h>

#include "hw/ibt/pkt.h"
#include "hw/ibt/qp.h"
#include "engine.h"

enum {
	MTU = 256,
	ACKNOWLEDGE = 0x11,
	NOTED = 4096,
};

static struct pair pair;
static bool asked[NOTED];	/* by PSN */
static u32 unasked;		/* ACKs that were lost for it */
static u32 to_lose;		/* PSN of a request, once; ~0: none */

static int asked_init(struct kunit *test)
{
	ends_defaults(&pair, test, IB_QPT_RC);
	pair.timeout = 0;
	memset(asked, 0, sizeof(asked));
	unasked = 0;
	to_lose = ~0;
	return fake_start();
}

static void asked_exit(struct kunit *test)
{
	pair.test = test;
	fake_run_packets = 0;
	ends_drop(&pair);
	fake_stop();
}

static enum fake_fate as_asked(u32 number, const u8 *bth)
{
	u32 psn = bth[9] << 16 | bth[10] << 8 | bth[11];

	if (bth[0] < 0x0d || bth[0] > 0x12) {
		asked[psn % NOTED] = bth[8] & 0x80;
		if (psn != to_lose)
			return FAKE_PASS;
		to_lose = ~0;
		return FAKE_DROP;
	}
	/* Of ACKs alone: a NAK is never asked for. */
	if (bth[0] != ACKNOWLEDGE || asked[psn % NOTED] || bth[12] & IBT_AETH_KIND)
		return FAKE_PASS;
	unasked++;
	return FAKE_DROP;
}

static void make(void)
{
	ends_make(&pair);
	fake_restart(as_asked);
}

static void post(const struct job *job)
{
	KUNIT_ASSERT_EQ(pair.test, ends_post(&pair, 0, job), 0);
}

static void post_writes(u32 number, u32 length)
{
	struct job job = { IB_WR_RDMA_WRITE, 0, 0, length };
	u32 i;

	for (i = 0; i < number; i++) {
		job.id = i;
		post(&job);
	}
}

static void expect_writes(u32 number)
{
	u32 i;

	for (i = 0; i < number; i++)
		EXPECT_WC(&pair, pair.end[0].send_cq, i, IB_WC_SUCCESS);
}

/* Longer than any window; whole, and from the middle on again. */
static void windows_ask(struct kunit *test)
{
	make();
	post_writes(2, 250 * MTU);
	expect_writes(2);
	to_lose = ibt_psn_add(pair.psn, 600);
	post_writes(2, 250 * MTU);
	expect_writes(2);
	KUNIT_EXPECT_EQ(test, to_lose, ~0U);
}

/* And packets, or messages, that leave together. */
static void runs_ask(struct kunit *test)
{
	fake_run_packets = 16;
	make();
	post_writes(2, 250 * MTU);
	expect_writes(2);
	post_writes(40, 16);
	expect_writes(40);
}

/* A request that may begin only when all in front of it is done. */
static void what_is_in_front_asks(struct kunit *test)
{
	struct job job = { IB_WR_LOCAL_INV, 40 };

	make();
	job.word = pair.end[0].mr->rkey;
	post_writes(40, 3 * MTU);
	post(&job);
	expect_writes(41);
}

static void what_is_drained_asks(struct kunit *test)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_SQD, .en_sqd_async_notify = 1 };

	make();
	post_writes(4, 250 * MTU);
	KUNIT_ASSERT_EQ(test, ib_modify_qp(pair.end[0].qp, &attr, IB_QP_STATE |
					   IB_QP_EN_SQD_ASYNC_NOTIFY), 0);
	KUNIT_EXPECT_TRUE(test, ends_events(&pair, 0, IB_EVENT_SQ_DRAINED, 1));
}

/* Messages take the way without packets when those with packets are answered. */
static void what_changes_its_way_asks(struct kunit *test)
{
	u64 local;

	make();
	post_writes(20, 5 * MTU);
	/* As if it had been resolved so. */
	WRITE_ONCE(to_ibt_qp(pair.end[0].qp)->path->local, ibt_dev_port(fake.dev[1], 1));
	local = ends_counter(0, "local_messages");
	post_writes(1, 100 * MTU);
	expect_writes(20);
	expect_writes(1);
	KUNIT_EXPECT_EQ(test, ends_counter(0, "local_messages"), local + 1);
}

static struct kunit_case asked_cases[] = {
	KUNIT_CASE(windows_ask),
	KUNIT_CASE(runs_ask),
	KUNIT_CASE(what_is_in_front_asks),
	KUNIT_CASE(what_is_drained_asks),
	KUNIT_CASE(what_changes_its_way_asks),
	{}
};

struct kunit_suite ibt_asked_suite = {
	.name = "ibt_engine_asked",
	.init = asked_init,
	.exit = asked_exit,
	.test_cases = asked_cases,
};
