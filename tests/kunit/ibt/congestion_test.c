// SPDX-License-Identifier: GPL-2.0
/*
 * Congestion on the way: a marked packet draws a CNP, and the CNP is what annex A17.9.3 says.
 * One of the peer limits the rate of requests and of READ answers, and so does a loss; what
 * comes from another address than the peer's changes nothing.
 */
#include <asm/unaligned.h>
#include <linux/delay.h>

#include "hw/ibt/qp.h"
#include "engine.h"

#define MTU	256
#define CNP	0x81

static struct pair pair;
static u8 marked_opcode;
static u32 marks_left;

static int congestion_init(struct kunit *test)
{
	ends_defaults(&pair, test, IB_QPT_RC);
	marks_left = 0;
	fake_congestion = true;
	return fake_start();
}

static void congestion_exit(struct kunit *test)
{
	pair.test = test;
	ends_drop(&pair);
	fake_stop();
	fake_congestion = false;
}

static struct ibt_congestion *congestion_of(int which)
{
	return &container_of(pair.end[which].qp, struct ibt_qp, ib)->congestion;
}

static enum fake_fate mark_some(u32 number, const u8 *bth)
{
	if (bth[0] != marked_opcode || !marks_left)
		return FAKE_PASS;
	marks_left--;
	return FAKE_MARK;
}

static void mark(u8 opcode, u32 number)
{
	marked_opcode = opcode;
	marks_left = number;
	fake_restart(mark_some);
	fake.num_kept = 0;
	fake.keep = true;
}

static void do_one(enum ib_wr_opcode op, u64 id, u32 length)
{
	const struct job job = { op, id, 0, length };

	KUNIT_ASSERT_EQ(pair.test, ends_post(&pair, 0, &job), 0);
	EXPECT_WC(&pair, pair.end[0].send_cq, id, IB_WC_SUCCESS);
}

/* The first packet of an opcode that passed, as a script gets it; or NULL. */
static const u8 *passed(u8 opcode)
{
	u32 i;

	fake_restart(NULL);
	for (i = 0; i < min_t(u32, fake.num_kept, FAKE_KEPT); i++)
		if (fake.kept[i] && fake.kept[i]->data[FAKE_BYTES] == opcode)
			return fake.kept[i]->data + FAKE_BYTES;
	return NULL;
}

static u32 word_at(const u8 *bytes)
{
	return get_unaligned_be32(bytes);
}

static void a_mark_draws_a_cnp(struct kunit *test)
{
	const u8 zeros[16] = { };
	const u8 *cnp;

	ends_make(&pair);
	mark(0x0a, 1);
	do_one(IB_WR_RDMA_WRITE, 1, 10);
	cnp = passed(CNP);
	KUNIT_ASSERT_NOT_NULL(test, cnp);
	/* Neither SE, MigReq, pad nor version; P_Key; BECN and the peer's number; PSN 0. */
	KUNIT_EXPECT_EQ(test, word_at(cnp), 0x8100ffffU);
	KUNIT_EXPECT_EQ(test, word_at(cnp + 4), BIT(30) | pair.end[0].qp->qp_num);
	KUNIT_EXPECT_EQ(test, word_at(cnp + 8), 0U);
	KUNIT_EXPECT_EQ(test, memcmp(cnp + 12, zeros, sizeof(zeros)), 0);
	KUNIT_EXPECT_EQ(test, fake_slid(cnp), 2);
	KUNIT_EXPECT_EQ(test, fake_dlid(cnp), 1);
	KUNIT_EXPECT_EQ(test, ends_counter(1, "np_ecn_marked_roce_packets"), 1ULL);
	KUNIT_EXPECT_EQ(test, ends_counter(1, "np_cnp_sent"), 1ULL);
	KUNIT_EXPECT_EQ(test, ends_counter(0, "rp_cnp_handled"), 1ULL);
	KUNIT_EXPECT_EQ(test, ends_counter(0, "rp_cnp_ignored"), 0ULL);
}

static void so_does_a_marked_answer(struct kunit *test)
{
	ends_make(&pair);
	mark(0x10, 1);
	do_one(IB_WR_RDMA_READ, 1, 10);
	KUNIT_EXPECT_NOT_NULL(test, passed(CNP));
	KUNIT_EXPECT_EQ(test, ends_counter(0, "np_cnp_sent"), 1ULL);
	KUNIT_EXPECT_EQ(test, ends_counter(1, "rp_cnp_handled"), 1ULL);
}

/* One in 50 us, of 200 marks: 200 packets take longer, but not 200 times that. */
static void many_marks_draw_few(struct kunit *test)
{
	struct ibt_congestion *congestion;
	s64 now;

	ends_make(&pair);
	congestion = congestion_of(1);
	mark(0x07, 1);
	/* None is due for long. */
	now = ktime_get_mono_fast_ns();
	atomic64_set(&congestion->cnp_at, now + NSEC_PER_SEC * 1000LL);
	do_one(IB_WR_RDMA_WRITE, 1, 200 * MTU);
	KUNIT_EXPECT_GE(test, ends_counter(1, "np_ecn_marked_roce_packets"), 1ULL);
	KUNIT_EXPECT_EQ(test, ends_counter(1, "np_cnp_sent"), 0ULL);
	/* And now one is. */
	atomic64_set(&congestion->cnp_at, now - IBT_CNP_INTERVAL);
	mark(0x0a, 1);
	do_one(IB_WR_RDMA_WRITE, 2, 10);
	KUNIT_EXPECT_EQ(test, ends_counter(1, "np_cnp_sent"), 1ULL);
}

static void nothing_without_control(struct kunit *test)
{
	ends_make(&pair);
	ibt_congestion = IBT_CONGESTION_OFF;
	mark(0x0a, 1);
	do_one(IB_WR_RDMA_WRITE, 1, 10);
	KUNIT_EXPECT_NULL(test, passed(CNP));
	KUNIT_EXPECT_EQ(test, ends_counter(1, "np_ecn_marked_roce_packets"), 1ULL);
	KUNIT_EXPECT_EQ(test, ends_counter(1, "np_cnp_sent"), 0ULL);
}

/* ---- CNPs -------------------------------------------------------------------------- */

static void inject_cnp(int slid, u32 qpn)
{
	u8 bytes[12 + 16 + 4] = { CNP, 0, 0xff, 0xff };

	put32(bytes + 4, BIT(30) | qpn);
	fake_inject_from(slid, bytes, sizeof(bytes));
}

/* Address 2 is that of the peer, 4 another one of its host. */
static void strangers_are_ignored(struct kunit *test)
{
	u32 qpn;

	ends_make(&pair);
	qpn = pair.end[0].qp->qp_num;
	inject_cnp(4, qpn);
	inject_cnp(2, qpn + 1);
	inject_cnp(2, 1);
	inject_cnp(2, 0xffffff);
	KUNIT_EXPECT_EQ(test, ends_counter(0, "rp_cnp_ignored"), 4ULL);
	KUNIT_EXPECT_EQ(test, ends_counter(0, "rp_cnp_handled"), 0ULL);
	KUNIT_EXPECT_FALSE(test, congestion_of(0)->limited);
	inject_cnp(2, qpn);
	KUNIT_EXPECT_TRUE(test, congestion_of(0)->limited);
	KUNIT_EXPECT_EQ(test, ends_counter(0, "rp_cnp_handled"), 1ULL);
	ibt_congestion = IBT_CONGESTION_OFF;
	inject_cnp(2, qpn);
	KUNIT_EXPECT_EQ(test, ends_counter(0, "rp_cnp_handled"), 1ULL);
	KUNIT_EXPECT_EQ(test, ends_counter(0, "rp_cnp_ignored"), 5ULL);
}

/* ---- the rate ----------------------------------------------------------------------- */

/* As if it had met congestion for long: bytes in a second. */
static void limit(int which, u64 rate)
{
	struct ibt_congestion *c = congestion_of(which);

	inject_cnp(which ? 1 : 2, pair.end[which].qp->qp_num);
	spin_lock_bh(&c->lock);
	KUNIT_EXPECT_TRUE(pair.test, c->limited);
	c->dcqcn.rate = rate;
	c->dcqcn.target = rate;
	spin_unlock_bh(&c->lock);
}

/* How long it takes, ms. */
static s64 time_of(enum ib_wr_opcode op, u64 id, u32 length)
{
	ktime_t begin = ktime_get();

	do_one(op, id, length);
	return ktime_ms_delta(ktime_get(), begin);
}

static void a_cnp_halves_the_rate(struct kunit *test)
{
	struct ibt_congestion *c;
	u64 rate;

	ends_make(&pair);
	limit(0, 8000000);
	c = congestion_of(0);
	/* One in a round trip: the latest was before limit() gave the rate. */
	spin_lock_bh(&c->lock);
	c->dcqcn.cut_at -= IBT_PERIOD_MOST;
	c->dcqcn.alpha = IBT_ALPHA_ONE;
	/* All of the rate is used. */
	c->before = 8000000 / HZ;
	c->dcqcn.alpha_at = c->dcqcn.stage_at = ktime_get_mono_fast_ns();
	spin_unlock_bh(&c->lock);
	inject_cnp(2, pair.end[0].qp->qp_num);
	rate = READ_ONCE(c->dcqcn.rate);
	KUNIT_EXPECT_LE(test, rate, 5000000ULL);
	KUNIT_EXPECT_GE(test, rate, 4000000ULL);
}

/* 60 KiB at 0.4 MB/s, which becomes a little more meanwhile, with 64 bytes of headers each. */
static void requests_leave_at_the_rate(struct kunit *test)
{
	ends_make(&pair);
	limit(0, 400000);
	KUNIT_EXPECT_GE(test, time_of(IB_WR_RDMA_WRITE, 1, 60 * 1024), 25LL);
	KUNIT_EXPECT_EQ(test, ends_counter(0, "local_ack_timeout_err"), 0ULL);
}

static void answers_leave_at_the_rate(struct kunit *test)
{
	ends_make(&pair);
	limit(1, 400000);
	KUNIT_EXPECT_GE(test, time_of(IB_WR_RDMA_READ, 1, 60 * 1024), 25LL);
	KUNIT_EXPECT_EQ(test, memcmp(pair.end[0].buf, pair.end[1].buf, 60 * 1024), 0);
}

static enum fake_fate lose_one(u32 number, const u8 *bth)
{
	return number == 3 ? FAKE_DROP : FAKE_PASS;
}

static void a_loss_limits_it(struct kunit *test)
{
	ends_make(&pair);
	fake_restart(lose_one);
	do_one(IB_WR_RDMA_WRITE, 1, 20 * MTU);
	KUNIT_EXPECT_TRUE(test, congestion_of(0)->limited);
}

static void and_does_not_without_control(struct kunit *test)
{
	ends_make(&pair);
	ibt_congestion = IBT_CONGESTION_OFF;
	fake_restart(lose_one);
	do_one(IB_WR_RDMA_WRITE, 1, 20 * MTU);
	KUNIT_EXPECT_FALSE(test, congestion_of(0)->limited);
}

/* A connection that begins anew knows nothing of the one before. */
static void it_ends_with_the_connection(struct kunit *test)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_RESET };
	int i;

	ends_make(&pair);
	limit(0, 1000000);
	for (i = 0; i < 2; i++)
		KUNIT_ASSERT_EQ(test, ib_modify_qp(pair.end[i].qp, &attr,
						   IB_QP_STATE), 0);
	for (i = 0; i < 2; i++)
		KUNIT_ASSERT_EQ(test, ends_connect(&pair, i), 0);
	KUNIT_EXPECT_FALSE(test, congestion_of(0)->limited);
	do_one(IB_WR_RDMA_WRITE, 1, 20 * MTU);
}

static struct kunit_case congestion_cases[] = {
	KUNIT_CASE(a_mark_draws_a_cnp),
	KUNIT_CASE(so_does_a_marked_answer),
	KUNIT_CASE(many_marks_draw_few),
	KUNIT_CASE(nothing_without_control),
	KUNIT_CASE(strangers_are_ignored),
	KUNIT_CASE(a_cnp_halves_the_rate),
	KUNIT_CASE(requests_leave_at_the_rate),
	KUNIT_CASE(answers_leave_at_the_rate),
	KUNIT_CASE(a_loss_limits_it),
	KUNIT_CASE(and_does_not_without_control),
	KUNIT_CASE(it_ends_with_the_connection),
	{}
};

struct kunit_suite ibt_congestion_suite = {
	.name = "ibt_engine_congestion",
	.init = congestion_init,
	.exit = congestion_exit,
	.test_cases = congestion_cases,
};
