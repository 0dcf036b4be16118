// SPDX-License-Identifier: GPL-2.0
/*
 * Packets that leave together: on a link that takes several in one skb, what comes
 * out at the other end is what single packets would have been.
 */
#include <linux/delay.h>
#include <linux/prandom.h>

#include "hw/ibt/dev.h"
#include "hw/ibt/inject.h"
#include "hw/ibt/qp.h"
#include "engine.h"

#define MTU	256

static struct pair pair;

/* What was seen of requests, or of answers: opcodes of RC. */
static struct {
	u8 opcode[512];
	u32 psn[512];
	u32 num;
	u32 acks;
} seen;

/* For all cases of a suite. */
int runs_begin(struct kunit_suite *suite)
{
	fake_run_packets = 16;
	return 0;
}

void runs_end(struct kunit_suite *suite)
{
	fake_run_packets = 0;
	fake_run_whole = false;
}

static int runs_init(struct kunit *test)
{
	ends_defaults(&pair, test, IB_QPT_RC);
	memset(&seen, 0, sizeof(seen));
	fake_run_packets = 16;
	return fake_start();
}

static void runs_exit(struct kunit *test)
{
	pair.test = test;
	ends_drop(&pair);
	fake_stop();
	runs_end(NULL);
}

static void note(const u8 *bth)
{
	u32 i = seen.num++ % ARRAY_SIZE(seen.psn);

	seen.opcode[i] = bth[0];
	seen.psn[i] = bth[9] << 16 | bth[10] << 8 | bth[11];
}

static enum fake_fate note_requests(u32 number, const u8 *bth)
{
	if (bth[0] < 0x0c)
		note(bth);
	return FAKE_PASS;
}

static enum fake_fate note_answers(u32 number, const u8 *bth)
{
	if (bth[0] >= 0x0d && bth[0] <= 0x10)
		note(bth);
	return FAKE_PASS;
}

/* No answer comes back. */
static enum fake_fate note_mute(u32 number, const u8 *bth)
{
	if (bth[0] == 0x11)
		return FAKE_DROP;
	return note_requests(number, bth);
}

static void fill(u8 *at, u32 bytes)
{
	struct rnd_state random;

	prandom_seed_state(&random, bytes);
	prandom_bytes_state(&random, at, bytes);
}

static void expect_same(u32 bytes)
{
	KUNIT_EXPECT_EQ(pair.test,
			memcmp(pair.end[0].buf, pair.end[1].buf, bytes), 0);
	ends_check_guards(&pair);
}

/* Numbered one after the other, with opcodes that make one message. */
static void expect_message(u32 packets, u8 first, u8 middle, u8 last)
{
	u32 i;

	KUNIT_ASSERT_EQ(pair.test, seen.num, packets);
	for (i = 0; i < packets; i++) {
		KUNIT_EXPECT_EQ(pair.test, seen.psn[i],
				(pair.psn + i) & 0xffffff);
		KUNIT_EXPECT_EQ(pair.test, seen.opcode[i], i == 0 ? first :
				i == packets - 1 ? last : middle);
	}
}

static void write_one(u32 bytes)
{
	const struct job job = { IB_WR_RDMA_WRITE, 7, 0, bytes };

	fill(pair.end[0].buf, bytes);
	KUNIT_ASSERT_EQ(pair.test, ends_post(&pair, 0, &job), 0);
	EXPECT_WC(&pair, pair.end[0].send_cq, 7, IB_WC_SUCCESS);
	expect_same(bytes);
}

static void no_errors(struct kunit *test)
{
	int i;

	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_EQ(test, ends_counter(i, "rx_icrc_errors"), 0ULL);
		KUNIT_EXPECT_EQ(test, ends_counter(i, "rx_malformed"), 0ULL);
		KUNIT_EXPECT_EQ(test, ends_counter(i, "tx_packets"),
				ends_counter(!i, "rx_packets"));
	}
}

/*
 * The first one of a WRITE has a RETH and goes alone, then 16 and 3. And 16 of which
 * the last has a byte, with its pad.
 */
static void writes_leave_together(struct kunit *test)
{
	ends_make(&pair);
	fake_restart(note_requests);
	write_one(20 * MTU);
	expect_message(20, 0x06, 0x07, 0x08);
	KUNIT_EXPECT_EQ(test, fake.num_runs, 2U);

	memset(&seen, 0, sizeof(seen));
	pair.psn += 20;
	fake_restart(note_requests);
	write_one(16 * MTU + 1);
	expect_message(17, 0x06, 0x07, 0x08);
	KUNIT_EXPECT_EQ(test, fake.num_runs, 3U);
	no_errors(test);
}

/* Nothing of a SEND differs in length, but a full last one with immediate data. */
static void sends_leave_together(struct kunit *test)
{
	struct job job = { IB_WR_SEND, 7, 0, 16 * MTU };

	ends_make(&pair);
	fill(pair.end[0].buf, 16 * MTU);
	KUNIT_ASSERT_EQ(test, ends_recv(&pair, 1, 1, 0, 16 * MTU), 0);
	fake_restart(note_requests);
	KUNIT_ASSERT_EQ(test, ends_post(&pair, 0, &job), 0);
	EXPECT_WC(&pair, pair.end[0].send_cq, 7, IB_WC_SUCCESS);
	EXPECT_WC(&pair, pair.end[1].recv_cq, 1, IB_WC_SUCCESS);
	expect_message(16, 0x00, 0x01, 0x02);
	KUNIT_EXPECT_EQ(test, fake.num_runs, 1U);
	expect_same(16 * MTU);

	memset(&seen, 0, sizeof(seen));
	pair.psn += 16;
	job.op = IB_WR_SEND_WITH_IMM;
	job.length = 2 * MTU;
	KUNIT_ASSERT_EQ(test, ends_recv(&pair, 1, 1, 0, 16 * MTU), 0);
	fake_restart(note_requests);
	KUNIT_ASSERT_EQ(test, ends_post(&pair, 0, &job), 0);
	EXPECT_WC(&pair, pair.end[0].send_cq, 7, IB_WC_SUCCESS);
	EXPECT_WC(&pair, pair.end[1].recv_cq, 1, IB_WC_SUCCESS);
	expect_message(2, 0x00, 0x01, 0x03);
	KUNIT_EXPECT_EQ(test, fake.num_runs, 1U);
	no_errors(test);
}

/* First and last of an answer have an AETH: only the middle is a run. */
static void answers_leave_together(struct kunit *test)
{
	const struct job job = { IB_WR_RDMA_READ, 7, 0, 12 * MTU };

	ends_make(&pair);
	fill(pair.end[1].buf, 12 * MTU);
	fake_restart(note_answers);
	KUNIT_ASSERT_EQ(test, ends_post(&pair, 0, &job), 0);
	EXPECT_WC(&pair, pair.end[0].send_cq, 7, IB_WC_SUCCESS);
	expect_message(12, 0x0d, 0x0e, 0x0f);
	KUNIT_EXPECT_EQ(test, fake.num_runs, 1U);
	expect_same(12 * MTU);
	no_errors(test);
}

/* Without an answer no more than the window leaves, however it leaves. */
static void window_is_kept(struct kunit *test)
{
	const struct job job = { IB_WR_RDMA_WRITE, 7, 0, END_BYTES };

	BUILD_BUG_ON(END_BYTES / MTU <= IBT_WINDOW);
	fake_run_packets = 100;
	ends_make(&pair);
	fake_restart(note_mute);
	KUNIT_ASSERT_EQ(test, ends_post(&pair, 0, &job), 0);
	msleep(200);
	fake_restart(note_requests);
	KUNIT_EXPECT_EQ(test, seen.num, (u32)IBT_WINDOW);
	KUNIT_EXPECT_GT(test, fake.num_runs, 0U);
	EXPECT_WC(&pair, pair.end[0].send_cq, 7, IB_WC_SUCCESS);
}

/* Injection has to see single packets. */
static void injection_sees_each(struct kunit *test)
{
	struct ibt_fault *fault;

	ends_make(&pair);
	fault = to_ibt_dev(fake_ib(0))->fault;
	WRITE_ONCE(fault->active, true);
	write_one(20 * MTU);
	KUNIT_EXPECT_EQ(test, fake.num_runs, 0U);
	WRITE_ONCE(fault->active, false);
	write_one(20 * MTU);
	KUNIT_EXPECT_EQ(test, fake.num_runs, 2U);
}

/* Whatever is not in the middle of long messages goes as before. */
static void short_ones_go_alone(struct kunit *test)
{
	ends_make(&pair);
	write_one(1);
	write_one(MTU);
	write_one(2 * MTU);
	KUNIT_EXPECT_EQ(test, fake.num_runs, 0U);
	write_one(3 * MTU);
	KUNIT_EXPECT_EQ(test, fake.num_runs, 1U);
}

/* They come as they left; what has to wait behind a READ answer gets memory of its
 * own, and what is not in order is asked for.
 */
static void runs_arrive_whole(struct kunit *test)
{
	static const struct job jobs[] = {
		{ IB_WR_RDMA_READ, 1, 0x8000, 40 * MTU, 0x8000 },
		{ IB_WR_RDMA_WRITE, 2, 0, 20 * MTU },
		{ IB_WR_RDMA_READ, 3, 0x8000, 40 * MTU, 0x8000 },
		{ IB_WR_RDMA_WRITE, 4, 20 * MTU, 20 * MTU + 7, 20 * MTU },
	};
	int i, round;

	fake_run_whole = true;
	ends_make(&pair);
	for (round = 0; round < 20; round++) {
		fill(pair.end[0].buf, 41 * MTU);
		fill(pair.end[1].buf + 0x8000, 40 * MTU);
		for (i = 0; i < ARRAY_SIZE(jobs); i++)
			KUNIT_ASSERT_EQ(test, ends_post(&pair, 0, &jobs[i]), 0);
		for (i = 0; i < ARRAY_SIZE(jobs); i++)
			EXPECT_WC(&pair, pair.end[0].send_cq, i + 1,
				  IB_WC_SUCCESS);
		expect_same(40 * MTU + 7);
		KUNIT_EXPECT_EQ(test, memcmp(pair.end[0].buf + 0x8000,
					     pair.end[1].buf + 0x8000,
					     40 * MTU), 0);
	}
	KUNIT_EXPECT_GT(test, fake.num_runs, 40U);
	no_errors(test);
	KUNIT_EXPECT_EQ(test, ends_counter(0, "packet_seq_err"), 0ULL);
}

/* Whatever a stranger says about sizes: counted, and nothing else. */
static void hostile_runs_are_counted(struct kunit *test)
{
	static const u32 sizes[] = { 0, 1, 15, 16, 17, 20, 64, 4000, 65535 };
	struct ibt_port *port;
	struct ibt_rx_meta meta = { };
	struct rnd_state random;
	struct sk_buff *skb;
	u64 before, after;
	int i, round;

	ends_make(&pair);
	port = ibt_dev_port(fake.dev[1], 1);
	prandom_seed_state(&random, 1);
	before = ends_counter(1, "rx_malformed") +
		 ends_counter(1, "rx_icrc_errors");
	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		for (round = 0; round < 50; round++) {
			skb = alloc_skb(600, GFP_KERNEL);
			KUNIT_ASSERT_NOT_ERR_OR_NULL(test, skb);
			skb_put(skb, FAKE_BYTES);
			skb_reset_network_header(skb);
			skb_pull(skb, FAKE_BYTES);
			skb_shinfo(skb)->gso_size = sizes[i];
			prandom_bytes_state(&random, skb_put(skb, 500), 500);
			/* An opcode that there is, mostly. */
			skb->data[0] = round % 32;
			skb->data[1] &= 0xf0;
			local_bh_disable();
			rcu_read_lock();
			ibt_rx_gso(port, skb, sizes[i], &meta);
			rcu_read_unlock();
			local_bh_enable();
		}
	after = ends_counter(1, "rx_malformed") +
		ends_counter(1, "rx_icrc_errors");
	KUNIT_EXPECT_GE(test, after - before, 50ULL * ARRAY_SIZE(sizes));
	KUNIT_EXPECT_EQ(test, ends_counter(1, "rx_packets"), 0ULL);
	write_one(3 * MTU);
}

static struct kunit_case runs_cases[] = {
	KUNIT_CASE(writes_leave_together),
	KUNIT_CASE(sends_leave_together),
	KUNIT_CASE(answers_leave_together),
	KUNIT_CASE(window_is_kept),
	KUNIT_CASE(injection_sees_each),
	KUNIT_CASE(short_ones_go_alone),
	KUNIT_CASE(runs_arrive_whole),
	KUNIT_CASE(hostile_runs_are_counted),
	{}
};

struct kunit_suite ibt_runs_suite = {
	.name = "ibt_engine_runs",
	.init = runs_init,
	.exit = runs_exit,
	.test_cases = runs_cases,
};
