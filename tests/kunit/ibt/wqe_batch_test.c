// SPDX-License-Identifier: GPL-2.0
/*
 * Messages that leave together: requests of one packet each, posted at once, are one
 * skb for the link and the same messages as ever for their receiver.
 */
#include <linux/prandom.h>

#include "hw/ibt/qp.h"
#include "engine.h"

#define MTU	256
#define MOST	12

static struct pair pair;

/* Requests as they passed. */
static struct {
	u8 opcode[64];
	u32 psn[64];
	bool asks[64];
	u32 num;
	u32 acks;
} seen;

static struct ib_rdma_wr wrs[MOST];
static struct ib_sge sges[MOST];

static int trains_init(struct kunit *test)
{
	ends_defaults(&pair, test, IB_QPT_RC);
	memset(&seen, 0, sizeof(seen));
	fake_run_packets = 16;
	return fake_start();
}

static void trains_exit(struct kunit *test)
{
	pair.test = test;
	ends_drop(&pair);
	fake_stop();
	runs_end(NULL);
}

static enum fake_fate note(u32 number, const u8 *bth)
{
	u32 i = seen.num % ARRAY_SIZE(seen.psn);

	if (bth[0] == 0x11) {
		seen.acks++;
		return FAKE_PASS;
	}
	seen.opcode[i] = bth[0];
	seen.asks[i] = bth[8] & 0x80;
	seen.psn[i] = bth[9] << 16 | bth[10] << 8 | bth[11];
	seen.num++;
	return FAKE_PASS;
}

static void make(void)
{
	struct rnd_state random;

	ends_make(&pair);
	prandom_seed_state(&random, 1);
	prandom_bytes_state(&random, pair.end[0].buf, END_BYTES);
	fake_restart(note);
}

/* @num requests of @length bytes each, from side by side to side by side. */
static void fill(enum ib_wr_opcode opcode, u32 num, u32 length)
{
	u32 i;

	memset(wrs, 0, sizeof(wrs));
	for (i = 0; i < num; i++) {
		sges[i].addr = (uintptr_t)pair.end[0].buf + i * length;
		sges[i].length = length;
		sges[i].lkey = pair.end[0].pd->local_dma_lkey;
		wrs[i].wr.wr_id = 1 + i;
		wrs[i].wr.sg_list = &sges[i];
		wrs[i].wr.num_sge = 1;
		wrs[i].wr.opcode = opcode;
		wrs[i].wr.send_flags = IB_SEND_SIGNALED;
		wrs[i].wr.next = i + 1 < num ? &wrs[i + 1].wr : NULL;
		wrs[i].remote_addr = pair.end[1].mr->iova + i * length;
		wrs[i].rkey = pair.end[1].mr->rkey;
	}
}

static void post(void)
{
	KUNIT_ASSERT_EQ(pair.test, ib_post_send(pair.end[0].qp, &wrs[0].wr, NULL), 0);
}

static void expect_done(u32 num)
{
	u32 i;

	for (i = 0; i < num; i++)
		EXPECT_WC(&pair, pair.end[0].send_cq, 1 + i, IB_WC_SUCCESS);
}

static void expect_same(u32 bytes)
{
	KUNIT_EXPECT_EQ(pair.test,
			memcmp(pair.end[0].buf, pair.end[1].buf, bytes), 0);
	ends_check_guards(&pair);
}

/* One after the other; only the last asks. */
static void expect_train(u32 from, u32 num, u8 opcode)
{
	u32 i;

	for (i = from; i < from + num; i++) {
		KUNIT_EXPECT_EQ(pair.test, seen.opcode[i], opcode);
		KUNIT_EXPECT_EQ(pair.test, seen.psn[i],
				(pair.psn + i) & 0xffffff);
		KUNIT_EXPECT_EQ(pair.test, seen.asks[i], i + 1 == from + num);
	}
}

static void writes_leave_together(struct kunit *test)
{
	make();
	fill(IB_WR_RDMA_WRITE, 10, 50);
	post();
	expect_done(10);
	expect_same(500);
	KUNIT_EXPECT_EQ(test, fake.num_runs, 1U);
	KUNIT_EXPECT_EQ(test, seen.num, 10U);
	expect_train(0, 10, 0x0a);
	KUNIT_EXPECT_EQ(test, seen.acks, 1U);
}

static void sends_leave_together(struct kunit *test)
{
	u32 i;

	make();
	for (i = 0; i < 10; i++)
		KUNIT_ASSERT_EQ(test, ends_recv(&pair, 1, 100 + i, i * MTU, MTU), 0);
	fill(IB_WR_SEND, 10, MTU);
	post();
	expect_done(10);
	for (i = 0; i < 10; i++)
		EXPECT_WC(&pair, pair.end[1].recv_cq, 100 + i, IB_WC_SUCCESS);
	expect_same(10 * MTU);
	KUNIT_EXPECT_EQ(test, fake.num_runs, 1U);
	expect_train(0, 10, 0x04);
}

/* Another length, another opcode, a fence: each begins anew. */
static void others_do_not_come_along(struct kunit *test)
{
	make();
	fill(IB_WR_RDMA_WRITE, 12, 40);
	sges[3].length = 36;
	wrs[6].wr.opcode = IB_WR_RDMA_WRITE_WITH_IMM;
	wrs[9].wr.send_flags |= IB_SEND_FENCE;
	KUNIT_ASSERT_EQ(test, ends_recv(&pair, 1, 100, 0x8000, 0), 0);
	post();
	expect_done(12);
	EXPECT_WC(&pair, pair.end[1].recv_cq, 100, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, memcmp(pair.end[0].buf, pair.end[1].buf, 3 * 40 + 36), 0);
	KUNIT_EXPECT_EQ(test, memcmp(pair.end[0].buf + 160, pair.end[1].buf + 160,
				     8 * 40), 0);
	/* 0-2, 3, 4-5, 6, 7-8, 9-11: single ones are no runs. */
	KUNIT_EXPECT_EQ(test, fake.num_runs, 4U);
	expect_train(0, 3, 0x0a);
	expect_train(3, 1, 0x0a);
	expect_train(4, 2, 0x0a);
	expect_train(6, 1, 0x0b);
	expect_train(7, 2, 0x0a);
	expect_train(9, 3, 0x0a);
	ends_check_guards(&pair);
}

/* Memory that is not there, in the middle: what is in front of it arrives. */
static void a_bad_one_ends_it(struct kunit *test)
{
	u32 i;

	make();
	fill(IB_WR_RDMA_WRITE, 10, 64);
	sges[4].lkey = 0xdead00;
	post();
	expect_done(4);
	EXPECT_WC(&pair, pair.end[0].send_cq, 5, IB_WC_LOC_PROT_ERR);
	for (i = 5; i < 10; i++)
		EXPECT_WC(&pair, pair.end[0].send_cq, 1 + i, IB_WC_WR_FLUSH_ERR);
	expect_same(4 * 64);
	KUNIT_EXPECT_EQ(test, seen.num, 4U);
	expect_train(0, 4, 0x0a);
}

/* One whose memory is not there is not on its way, and no round trip begins with it. */
static void a_bad_one_asks_nothing(struct kunit *test)
{
	const struct ibt_rtx *rtx;
	u32 asked;

	make();
	rtx = &to_ibt_qp(pair.end[0].qp)->rtx;
	asked = rtx->ask.psn;
	fill(IB_WR_RDMA_WRITE, 3, 64);
	sges[0].lkey = 0xdead00;
	post();
	EXPECT_WC(&pair, pair.end[0].send_cq, 1, IB_WC_LOC_PROT_ERR);
	EXPECT_WC(&pair, pair.end[0].send_cq, 2, IB_WC_WR_FLUSH_ERR);
	EXPECT_WC(&pair, pair.end[0].send_cq, 3, IB_WC_WR_FLUSH_ERR);
	KUNIT_EXPECT_EQ(test, seen.num, 0U);
	KUNIT_EXPECT_EQ(test, rtx->ask.psn, asked);
	KUNIT_EXPECT_EQ(test, rtx->rtt.state, IBT_RTT_IDLE);
}

static u32 lost;

/* One in the middle, once. */
static enum fake_fate lose_one(u32 number, const u8 *bth)
{
	enum fake_fate fate = note(number, bth);

	if (bth[0] == 0x11 || seen.num != 5 || lost++)
		return fate;
	return FAKE_DROP;
}

static void a_lost_one_comes_again(struct kunit *test)
{
	make();
	lost = 0;
	fake_restart(lose_one);
	fill(IB_WR_RDMA_WRITE, 10, 64);
	post();
	expect_done(10);
	expect_same(640);
	KUNIT_EXPECT_EQ(test, lost, 1U);
	/* From the fifth on. */
	KUNIT_EXPECT_EQ(test, seen.num, 16U);
	KUNIT_EXPECT_EQ(test, seen.psn[10], (pair.psn + 4) & 0xffffff);
}

/* UC: complete with the train, and no ACK is requested. */
static void unreliable_ones_too(struct kunit *test)
{
	u32 i;

	pair.type = IB_QPT_UC;
	make();
	for (i = 0; i < 10; i++)
		KUNIT_ASSERT_EQ(test, ends_recv(&pair, 1, 100 + i, i * 60, 60), 0);
	fill(IB_WR_SEND, 10, 60);
	post();
	expect_done(10);
	for (i = 0; i < 10; i++)
		EXPECT_WC(&pair, pair.end[1].recv_cq, 100 + i, IB_WC_SUCCESS);
	expect_same(600);
	KUNIT_EXPECT_EQ(test, fake.num_runs, 1U);
	for (i = 0; i < 10; i++)
		KUNIT_EXPECT_FALSE(test, seen.asks[i]);
}

static struct kunit_case trains_cases[] = {
	KUNIT_CASE(writes_leave_together),
	KUNIT_CASE(sends_leave_together),
	KUNIT_CASE(others_do_not_come_along),
	KUNIT_CASE(a_bad_one_ends_it),
	KUNIT_CASE(a_bad_one_asks_nothing),
	KUNIT_CASE(a_lost_one_comes_again),
	KUNIT_CASE(unreliable_ones_too),
	{}
};

struct kunit_suite ibt_trains_suite = {
	.name = "ibt_engine_trains",
	.init = trains_init,
	.exit = trains_exit,
	.test_cases = trains_cases,
};
