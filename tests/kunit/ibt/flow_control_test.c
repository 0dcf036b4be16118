// SPDX-License-Identifier: GPL-2.0
/*
 * A peer that counts its receive requests, as NICs do. The responder is mute, and what it
 * would say is made by hand. Requests are counted as they pass; the MSN is that of the peer.
 */
#include <linux/delay.h>

#include "hw/ibt/pkt.h"
#include "hw/ibt/qp.h"
#include "engine.h"

enum {
	MTU = 256,
	SEND_FIRST = 0x00,
	SEND_ONLY = 0x04,
	WRITE_ONLY = 0x0a,
	ACKNOWLEDGE = 0x11,
	NO_CREDITS = 31,
	EIGHT = 6,		/* a code */
	MOST = 256,
};

static struct pair pair;

static struct {
	u32 num;
	u8 opcode[MOST];
	bool asks[MOST];
} said;

static int credits_init(struct kunit *test)
{
	ends_defaults(&pair, test, IB_QPT_RC);
	pair.psn = 0;
	/* Nothing comes again by itself. */
	pair.timeout = 0;
	return fake_start();
}

static void credits_exit(struct kunit *test)
{
	pair.test = test;
	ends_drop(&pair);
	fake_run_packets = 0;
	fake_stop();
}

static enum fake_fate note(u32 number, const u8 *bth)
{
	if ((bth[0] < 0x0d || bth[0] > 0x12) && said.num < MOST) {
		said.opcode[said.num] = bth[0];
		said.asks[said.num] = bth[8] & 0x80;
		WRITE_ONCE(said.num, said.num + 1);
	}
	return FAKE_DROP;
}

static void make(void)
{
	ends_make(&pair);
	said.num = 0;
	fake_restart(note);
}

static void post(enum ib_wr_opcode op, u64 id, u32 length)
{
	const struct job job = { op, id, 0, length };

	KUNIT_ASSERT_EQ(pair.test, ends_post(&pair, 0, &job), 0);
}

static void post_many(enum ib_wr_opcode op, u32 number, u32 length)
{
	while (number--)
		post(op, number, length);
}

static void ack(u32 psn, u8 syndrome, u32 msn)
{
	u8 bytes[12 + 4 + 4] = { };

	put32(put_bth(bytes, ACKNOWLEDGE, pair.end[0].qp->qp_num, psn),
	      syndrome << 24 | msn);
	fake_inject(0, bytes, sizeof(bytes));
}

/* So many packets in all, and not one more; the last asks for an answer. */
static void expect_said(u32 number)
{
	int i;

	for (i = 0; i < 200 && READ_ONCE(said.num) < number; i++)
		msleep(20);
	msleep(20);
	KUNIT_EXPECT_EQ(pair.test, said.num, number);
	if (said.num)
		KUNIT_EXPECT_TRUE(pair.test, said.asks[said.num - 1]);
}

/* Nothing is known of it at first; then two have room, then none. */
static void no_more_than_there_are(struct kunit *test)
{
	make();
	post(IB_WR_SEND, 1, 8);
	post(IB_WR_SEND, 2, 8);
	expect_said(2);
	ack(1, 2, 2);
	post_many(IB_WR_SEND, 8, 8);
	expect_said(4);
	/* Of these one was done, and no receive request has come: nothing may begin. */
	ack(2, 1, 3);
	expect_said(4);
	/* All are: one packet looks whether there is one after all. */
	ack(3, 0, 4);
	expect_said(5);
	ack(4, 0, 5);
	expect_said(6);
	/* There are. */
	ack(5, EIGHT, 6);
	expect_said(10);
	KUNIT_EXPECT_EQ(test, ends_counter(0, "rcvd_rnr_nak"), 0ULL);
}

/* One packet of a long one, and the rest when it is clear that it has a place. */
static void a_probe_is_one_packet(struct kunit *test)
{
	make();
	post(IB_WR_RDMA_WRITE, 1, 8);
	ack(0, 0, 1);
	post(IB_WR_SEND, 2, 4 * MTU);
	expect_said(2);
	KUNIT_EXPECT_EQ(test, said.opcode[1], SEND_FIRST);
	ack(1, 0, 1);
	expect_said(5);
	ack(4, 0, 2);
	EXPECT_WC(&pair, pair.end[0].send_cq, 1, IB_WC_SUCCESS);
	EXPECT_WC(&pair, pair.end[0].send_cq, 2, IB_WC_SUCCESS);
}

/* There is none: it comes again after the pause, one packet still. */
static void a_probe_may_fail(struct kunit *test)
{
	make();
	post(IB_WR_RDMA_WRITE, 1, 8);
	ack(0, 0, 1);
	post_many(IB_WR_SEND, 3, 8);
	expect_said(2);
	ack(1, IBT_AETH_RNR | 10, 1);
	expect_said(3);
	ack(1, EIGHT, 2);
	expect_said(5);
}

static void only_some_take_one(struct kunit *test)
{
	make();
	post(IB_WR_RDMA_WRITE, 1, 8);
	ack(0, 0, 1);
	post_many(IB_WR_RDMA_WRITE, 3, 8);
	expect_said(4);
	post(IB_WR_RDMA_WRITE_WITH_IMM, 5, 8);
	expect_said(4);
	ack(3, 0, 4);
	expect_said(5);
}

static void a_peer_may_not_count(struct kunit *test)
{
	make();
	post(IB_WR_RDMA_WRITE, 1, 8);
	ack(0, 0, 1);
	post(IB_WR_SEND, 2, 8);
	post_many(IB_WR_SEND, 6, 8);
	expect_said(2);
	ack(1, NO_CREDITS, 2);
	expect_said(8);
}

/* Messages that leave together are no more than there are receive requests. */
static void together_as_well(struct kunit *test)
{
	fake_run_packets = 16;
	make();
	post(IB_WR_RDMA_WRITE, 1, 8);
	expect_said(1);
	post(IB_WR_RDMA_WRITE, 2, 8);
	ack(0, 3, 1);
	post_many(IB_WR_SEND, 8, 8);
	/* Numbers 3 and 4, then 5 and 6 of the six that wait. */
	expect_said(4);
	ack(3, 2, 4);
	expect_said(6);
	ack(5, EIGHT, 6);
	expect_said(10);
	KUNIT_EXPECT_GE(test, fake.num_runs, 1U);
}

static struct kunit_case credits_cases[] = {
	KUNIT_CASE(no_more_than_there_are),
	KUNIT_CASE(a_probe_is_one_packet),
	KUNIT_CASE(a_probe_may_fail),
	KUNIT_CASE(only_some_take_one),
	KUNIT_CASE(a_peer_may_not_count),
	KUNIT_CASE(together_as_well),
	{}
};

struct kunit_suite ibt_credits_suite = {
	.name = "ibt_engine_credits",
	.init = credits_init,
	.exit = credits_exit,
	.test_cases = credits_cases,
};
