// SPDX-License-Identifier: GPL-2.0
/*
 * How work requests end: each status from its cause, datagrams and unreliable
 * connections, and queue pairs under hostile packets.
 */
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/prandom.h>

#include "engine.h"

static struct pair pair;

static int ends_init(struct kunit *test)
{
	ends_defaults(&pair, test, IB_QPT_RC);
	return fake_start();
}

static void ends_exit(struct kunit *test)
{
	pair.test = test;
	ends_drop(&pair);
	fake_stop();
}

static struct ib_cq *send_cq(int which)
{
	return pair.end[which].send_cq;
}

static struct ib_cq *recv_cq(int which)
{
	return pair.end[which].recv_cq;
}

static void post(struct kunit *test, int which, struct job job)
{
	KUNIT_ASSERT_EQ(test, ends_post(&pair, which, &job), 0);
}

/* Counts packets of one opcode, and drops all of them if told so. It outlives the
 * cases: packets may still be on their way.
 */
static struct tally {
	u8 opcode;
	bool drop;
	u32 seen;
} tally;

static enum fake_fate tally_up(u32 number, const u8 *bth)
{
	if (bth[0] != tally.opcode)
		return FAKE_PASS;
	tally.seen++;
	return tally.drop ? FAKE_DROP : FAKE_PASS;
}

static void tally_start(u8 opcode, bool drop)
{
	fake_restart(NULL);
	tally = (struct tally){ .opcode = opcode, .drop = drop };
	fake_restart(tally_up);
}

/* ---- receiver not ready, no receiver ------------------------------------------------ */

static void rnr_waits(struct kunit *test)
{
	ends_make(&pair);
	memcpy(pair.end[0].buf, "patience", 8);
	post(test, 0, (struct job){ .op = IB_WR_SEND, .id = 5, .length = 8 });
	KUNIT_EXPECT_TRUE(test, ends_counted(0, "rcvd_rnr_nak"));
	KUNIT_EXPECT_TRUE(test, ends_quiet(send_cq(0)));
	ends_recv(&pair, 1, 6, 0, 8);
	EXPECT_WC(&pair, send_cq(0), 5, IB_WC_SUCCESS);
	EXPECT_WC(&pair, recv_cq(1), 6, IB_WC_SUCCESS);
	KUNIT_EXPECT_TRUE(test, !memcmp(pair.end[1].buf, "patience", 8));
	KUNIT_EXPECT_GT(test, ends_counter(1, "sent_rnr_nak"), 0ULL);
}

static void rnr_gives_up(struct kunit *test)
{
	pair.rnr_retries = 2;
	ends_make(&pair);
	tally_start(0x04, false);	/* RC SEND ONLY */
	post(test, 0, (struct job){ .op = IB_WR_SEND, .id = 1, .length = 8 });
	post(test, 0, (struct job){ .op = IB_WR_RDMA_WRITE, .id = 2, .length = 8 });
	EXPECT_WC(&pair, send_cq(0), 1, IB_WC_RNR_RETRY_EXC_ERR);
	EXPECT_WC(&pair, send_cq(0), 2, IB_WC_WR_FLUSH_ERR);
	KUNIT_EXPECT_TRUE(test, ends_reaches(&pair, 0, IB_QPS_ERR));
	fake_restart(NULL);
	KUNIT_EXPECT_EQ(test, tally.seen, 3U);
	/* The other side has done nothing wrong. */
	KUNIT_EXPECT_EQ(test, ends_state(&pair, 1), IB_QPS_RTS);
	KUNIT_EXPECT_EQ(test, ends_counter(0, "rnr_retry_exceeded_err"), 1ULL);
}

static void retry_gives_up(struct kunit *test)
{
	pair.retries = 2;
	pair.timeout = 8;
	ends_make(&pair);
	tally_start(0x04, true);	/* RC SEND ONLY */
	ends_recv(&pair, 0, 7, 0, 8);
	post(test, 0, (struct job){ .op = IB_WR_SEND, .id = 1, .length = 8 });
	post(test, 0, (struct job){ .op = IB_WR_RDMA_WRITE, .id = 2, .length = 8 });
	EXPECT_WC(&pair, send_cq(0), 1, IB_WC_RETRY_EXC_ERR);
	EXPECT_WC(&pair, send_cq(0), 2, IB_WC_WR_FLUSH_ERR);
	EXPECT_WC(&pair, recv_cq(0), 7, IB_WC_WR_FLUSH_ERR);
	KUNIT_EXPECT_TRUE(test, ends_reaches(&pair, 0, IB_QPS_ERR));
	fake_restart(NULL);
	KUNIT_EXPECT_EQ(test, tally.seen, 3U);
	KUNIT_EXPECT_EQ(test, ends_counter(0, "retry_exceeded_err"), 1ULL);
	/* In the error state everything is flushed. */
	post(test, 0, (struct job){ .op = IB_WR_SEND, .id = 3, .length = 8 });
	EXPECT_WC(&pair, send_cq(0), 3, IB_WC_WR_FLUSH_ERR);
	ends_recv(&pair, 0, 8, 0, 8);
	EXPECT_WC(&pair, recv_cq(0), 8, IB_WC_WR_FLUSH_ERR);
}

/* ---- requests that the other side refuses ---------------------------------------------- */

static void send_too_long(struct kunit *test)
{
	ends_make(&pair);
	ends_recv(&pair, 1, 6, 0, 100);
	post(test, 0, (struct job){ .op = IB_WR_SEND, .id = 5, .length = 300 });
	EXPECT_WC(&pair, send_cq(0), 5, IB_WC_REM_INV_REQ_ERR);
	EXPECT_WC(&pair, recv_cq(1), 6, IB_WC_LOC_LEN_ERR);
	KUNIT_EXPECT_TRUE(test, ends_reaches(&pair, 0, IB_QPS_ERR));
	KUNIT_EXPECT_TRUE(test, ends_reaches(&pair, 1, IB_QPS_ERR));
}

/* Keys that grant nothing, ranges that leave the region. */
static void access_refused(struct kunit *test)
{
	static const struct job jobs[] = {
		{ .op = IB_WR_RDMA_WRITE, .length = 8, .rkey = 0x12345600 },
		{ .op = IB_WR_RDMA_READ, .length = 8, .rkey = 0x12345600 },
		{ .op = IB_WR_ATOMIC_FETCH_AND_ADD, .length = 8,
		  .rkey = 0x12345600 },
		{ .op = IB_WR_RDMA_WRITE, .length = 8,
		  .remote_at = END_BYTES - 7 },
		{ .op = IB_WR_RDMA_WRITE, .length = 8, .remote_at = -1 },
		{ .op = IB_WR_RDMA_WRITE, .length = 1000,
		  .remote_at = END_BYTES - 999 },
		{ .op = IB_WR_RDMA_READ, .length = 1000,
		  .remote_at = END_BYTES - 999 },
		{ .op = IB_WR_ATOMIC_CMP_AND_SWP, .length = 8,
		  .remote_at = END_BYTES },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(jobs); i++) {
		ends_make(&pair);
		post(test, 0, jobs[i]);
		EXPECT_WC(&pair, send_cq(0), 0, IB_WC_REM_ACCESS_ERR);
		KUNIT_EXPECT_TRUE(test, ends_reaches(&pair, 0, IB_QPS_ERR));
		KUNIT_EXPECT_GT(test, ends_counter(0, "rcvd_nak"), (u64)i);
		ends_drop(&pair);
	}
}

/* What the queue pair is not enabled for, and what can not be aligned. */
static void request_invalid(struct kunit *test)
{
	static const struct job jobs[] = {
		{ .op = IB_WR_RDMA_WRITE, .length = 8 },
		{ .op = IB_WR_RDMA_READ, .length = 8 },
		{ .op = IB_WR_ATOMIC_FETCH_AND_ADD, .length = 8 },
	};
	int i;

	pair.access = 0;
	for (i = 0; i < ARRAY_SIZE(jobs); i++) {
		ends_make(&pair);
		post(test, 0, jobs[i]);
		EXPECT_WC(&pair, send_cq(0), 0, IB_WC_REM_INV_REQ_ERR);
		ends_drop(&pair);
	}
	pair.access = IB_ACCESS_REMOTE_ATOMIC;
	ends_make(&pair);
	post(test, 0, (struct job){ .op = IB_WR_ATOMIC_FETCH_AND_ADD,
				    .length = 8, .remote_at = 4 });
	EXPECT_WC(&pair, send_cq(0), 0, IB_WC_REM_INV_REQ_ERR);
}

/* A local mistake ends the queue pair before anything is sent. */
static void local_protection(struct kunit *test)
{
	ends_make(&pair);
	fake_restart(NULL);
	post(test, 0, (struct job){ .op = IB_WR_RDMA_WRITE, .id = 1,
				    .length = 8, .lkey = 0x12345600 });
	EXPECT_WC(&pair, send_cq(0), 1, IB_WC_LOC_PROT_ERR);
	KUNIT_EXPECT_TRUE(test, ends_reaches(&pair, 0, IB_QPS_ERR));
	KUNIT_EXPECT_EQ(test, fake.number, 0U);
}

/* The first request is answered though the second is refused. */
static void order_of_failure(struct kunit *test)
{
	ends_make(&pair);
	post(test, 0, (struct job){ .op = IB_WR_RDMA_WRITE, .id = 1, .length = 600 });
	post(test, 0, (struct job){ .op = IB_WR_RDMA_READ, .id = 2, .at = 4096,
				    .length = 600 });
	post(test, 0, (struct job){ .op = IB_WR_RDMA_WRITE, .id = 3, .length = 8,
				    .rkey = 0x12345600 });
	post(test, 0, (struct job){ .op = IB_WR_RDMA_WRITE, .id = 4, .length = 8 });
	EXPECT_WC(&pair, send_cq(0), 1, IB_WC_SUCCESS);
	EXPECT_WC(&pair, send_cq(0), 2, IB_WC_SUCCESS);
	EXPECT_WC(&pair, send_cq(0), 3, IB_WC_REM_ACCESS_ERR);
	EXPECT_WC(&pair, send_cq(0), 4, IB_WC_WR_FLUSH_ERR);
}

static void remote_invalidation(struct kunit *test)
{
	u32 rkey;
	struct ib_wc wc = { };

	ends_make(&pair);
	rkey = pair.end[1].mr->rkey;
	ends_recv(&pair, 1, 6, 0, 100);
	post(test, 0, (struct job){ .op = IB_WR_SEND_WITH_INV, .id = 1,
				    .length = 20, .word = rkey });
	EXPECT_WC(&pair, send_cq(0), 1, IB_WC_SUCCESS);
	KUNIT_ASSERT_TRUE(test, ends_wait(recv_cq(1), &wc));
	KUNIT_EXPECT_EQ(test, wc.status, IB_WC_SUCCESS);
	KUNIT_EXPECT_TRUE(test, wc.wc_flags & IB_WC_WITH_INVALIDATE);
	KUNIT_EXPECT_EQ(test, wc.ex.invalidate_rkey, rkey);
	post(test, 0, (struct job){ .op = IB_WR_RDMA_WRITE, .id = 2, .length = 8 });
	EXPECT_WC(&pair, send_cq(0), 2, IB_WC_REM_ACCESS_ERR);
}

/* Inline bytes are taken when posted. */
static void inline_data(struct kunit *test)
{
	ends_make(&pair);
	ends_recv(&pair, 1, 6, 0, 100);
	memset(pair.end[0].buf, 0x11, 50);
	post(test, 0, (struct job){ .op = IB_WR_SEND, .id = 1, .length = 50,
				    .flags = IB_SEND_INLINE, .lkey = 0xbad });
	memset(pair.end[0].buf, 0x22, 50);
	EXPECT_WC(&pair, send_cq(0), 1, IB_WC_SUCCESS);
	EXPECT_WC(&pair, recv_cq(1), 6, IB_WC_SUCCESS);
	KUNIT_EXPECT_PTR_EQ(test, memchr_inv(pair.end[1].buf, 0x11, 50), NULL);
}

/* ---- unreliable ------------------------------------------------------------------------ */

/* A message that lost a packet is no message; its receive request serves again. */
static void uc_loses_whole_messages(struct kunit *test)
{
	static const u8 parts[] = { 0x20, 0x21, 0x22 };	/* SEND FIRST, ... */
	struct ib_wc wc = { };
	int i;

	ends_defaults(&pair, test, IB_QPT_UC);
	ends_make(&pair);
	ends_recv(&pair, 1, 6, 0, 1000);
	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		memset(pair.end[0].buf, 0x10 + i, 600);
		tally_start(parts[i], true);
		post(test, 0, (struct job){ .op = IB_WR_SEND, .id = i,
					    .length = 600 });
		EXPECT_WC(&pair, send_cq(0), i, IB_WC_SUCCESS);
		fake_restart(NULL);
		KUNIT_EXPECT_TRUE(test, ends_quiet(recv_cq(1)));
		KUNIT_EXPECT_EQ(test, tally.seen, 1U);
	}
	fake_restart(NULL);
	memset(pair.end[0].buf, 0x77, 600);
	post(test, 0, (struct job){ .op = IB_WR_SEND, .id = 9, .length = 600 });
	EXPECT_WC(&pair, send_cq(0), 9, IB_WC_SUCCESS);
	KUNIT_ASSERT_TRUE(test, ends_wait(recv_cq(1), &wc));
	KUNIT_EXPECT_EQ(test, wc.wr_id, 6ULL);
	KUNIT_EXPECT_EQ(test, wc.byte_len, 600U);
	KUNIT_EXPECT_PTR_EQ(test, memchr_inv(pair.end[1].buf, 0x77, 600), NULL);
	KUNIT_EXPECT_EQ(test, ends_state(&pair, 1), IB_QPS_RTS);
}

static void datagrams(struct kunit *test)
{
	struct rdma_ah_attr attr = { .type = RDMA_AH_ATTR_TYPE_IB };
	struct job job = { .op = IB_WR_SEND, .length = 100, .qkey = 0x11111111 };
	struct ib_wc wc = { };

	ends_defaults(&pair, test, IB_QPT_UD);
	ends_make(&pair);
	rdma_ah_set_dlid(&attr, 2);
	rdma_ah_set_port_num(&attr, 1);
	job.ah = rdma_create_ah(pair.end[0].pd, &attr, 0);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, job.ah);
	memset(pair.end[0].buf, 0x33, 100);

	/* No requester waits for it: gone. */
	post(test, 0, job);
	EXPECT_WC(&pair, send_cq(0), 0, IB_WC_SUCCESS);
	fake_restart(NULL);
	ends_recv(&pair, 1, 6, 0, 140);
	KUNIT_EXPECT_TRUE(test, ends_quiet(recv_cq(1)));

	job.qkey = 0x22222222;
	post(test, 0, job);
	EXPECT_WC(&pair, send_cq(0), 0, IB_WC_SUCCESS);
	fake_restart(NULL);
	KUNIT_EXPECT_TRUE(test, ends_quiet(recv_cq(1)));
	KUNIT_EXPECT_EQ(test, ends_counter(1, "rx_qkey_errors"), 1ULL);

	job.qkey = 0x11111111;
	post(test, 0, job);
	EXPECT_WC(&pair, send_cq(0), 0, IB_WC_SUCCESS);
	KUNIT_EXPECT_TRUE(test, ends_wait(recv_cq(1), &wc));
	KUNIT_EXPECT_EQ(test, wc.status, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, wc.byte_len, 140U);
	KUNIT_EXPECT_EQ(test, wc.src_qp, pair.end[0].qp->qp_num);
	KUNIT_EXPECT_EQ(test, wc.slid, 1U);
	KUNIT_EXPECT_PTR_EQ(test, memchr_inv(pair.end[1].buf + 40, 0x33, 100),
			    NULL);
	rdma_destroy_ah(job.ah, 0);
}

/* ---- hostile packets ---------------------------------------------------------------------- */

/* Real ones, to begin with: requests and answers of every kind. */
static void gather(struct kunit *test)
{
	static const struct job jobs[] = {
		{ .op = IB_WR_SEND, .length = 600 },
		{ .op = IB_WR_RDMA_WRITE, .length = 600 },
		{ .op = IB_WR_RDMA_WRITE_WITH_IMM, .length = 8 },
		{ .op = IB_WR_RDMA_READ, .length = 600 },
		{ .op = IB_WR_ATOMIC_FETCH_AND_ADD, .length = 8 },
		{ .op = IB_WR_ATOMIC_CMP_AND_SWP, .length = 8 },
		{ .op = IB_WR_ATOMIC_WRITE, .length = 8 },
	};
	int i;

	for (i = 0; i < 16; i++)
		ends_recv(&pair, 1, 0, 0x1000, 1024);
	fake.keep = true;
	for (i = 0; i < ARRAY_SIZE(jobs); i++) {
		post(test, 0, jobs[i]);
		EXPECT_WC(&pair, send_cq(0), 0, IB_WC_SUCCESS);
	}
	fake_restart(NULL);
	fake.keep = false;
	KUNIT_ASSERT_LE(test, fake.num_kept, (u32)FAKE_KEPT);
}

static u32 mutate(struct rnd_state *random, const struct sk_buff *skb,
		  u8 *bytes, u32 room)
{
	u32 length = skb->len - FAKE_BYTES;
	u32 i, changes = prandom_u32_state(random) % 5;

	memcpy(bytes, skb->data + FAKE_BYTES, length);
	/* Near the PSN that is expected, now and then. */
	if (prandom_u32_state(random) % 2)
		bytes[11] += prandom_u32_state(random) % 64;
	for (i = 0; i < changes; i++) {
		u32 at = prandom_u32_state(random) % min(length, 48U);

		if (at >= 5 && at <= 7)
			continue;	/* the QPN */
		bytes[at] = prandom_u32_state(random);
	}
	switch (prandom_u32_state(random) % 8) {
	case 0:
		return prandom_u32_state(random) % (length + 1);
	case 1:
		i = prandom_u32_state(random) % 64 * 4;
		memset(bytes + length, 0x5c, i);
		return length + i;
	default:
		return length;
	}
}

static bool both_work(void)
{
	return ends_state(&pair, 0) == IB_QPS_RTS &&
	       ends_state(&pair, 1) == IB_QPS_RTS;
}

static void hostile_packets(struct kunit *test)
{
	struct rnd_state random;
	struct ib_wc wc;
	int round, i, lives = 0;
	u8 *bytes;

	bytes = kunit_kmalloc(test, 8192, GFP_KERNEL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, bytes);
	prandom_seed_state(&random, 4711);
	for (round = 0; round < 200; round++) {
		if (!pair.end[0].qp || !both_work()) {
			ends_drop(&pair);
			fake.num_kept = 0;
			ends_make(&pair);
			gather(test);
			lives++;
		}
		for (i = 0; i < 100; i++) {
			u32 which = prandom_u32_state(&random) % fake.num_kept;
			const struct sk_buff *skb = fake.kept[which];
			u32 length = mutate(&random, skb, bytes, 8192);

			fake_inject(skb->data[4], bytes, length);
		}
		/* Requests in flight meet forged answers. */
		for (i = 0; i < 4; i++)
			ends_post(&pair, 0, &(struct job){
				.op = i & 1 ? IB_WR_RDMA_READ : IB_WR_RDMA_WRITE,
				.length = 600 });
		while (ib_poll_cq(send_cq(0), 1, &wc) == 1 ||
		       ib_poll_cq(recv_cq(1), 1, &wc) == 1)
			;
		ends_check_guards(&pair);
	}
	/* It is worth something only if most packets met a live queue pair. */
	KUNIT_EXPECT_LT(test, lives, 150);
	ends_drop(&pair);
	ends_make(&pair);
	gather(test);
}

static struct kunit_case ends_cases[] = {
	KUNIT_CASE(rnr_waits),
	KUNIT_CASE(rnr_gives_up),
	KUNIT_CASE(retry_gives_up),
	KUNIT_CASE(send_too_long),
	KUNIT_CASE(access_refused),
	KUNIT_CASE(request_invalid),
	KUNIT_CASE(local_protection),
	KUNIT_CASE(order_of_failure),
	KUNIT_CASE(remote_invalidation),
	KUNIT_CASE(inline_data),
	KUNIT_CASE(uc_loses_whole_messages),
	KUNIT_CASE(datagrams),
	KUNIT_CASE(hostile_packets),
	{ }
};

struct kunit_suite ibt_ends_suite = {
	.name = "ibt_engine_ends",
	.init = ends_init,
	.exit = ends_exit,
	.test_cases = ends_cases,
};

struct kunit_suite ibt_ends_runs_suite = {
	.name = "ibt_engine_ends_runs",
	.suite_init = runs_begin,
	.suite_exit = runs_end,
	.init = ends_init,
	.exit = ends_exit,
	.test_cases = ends_cases,
};

kunit_test_suites(&ibt_wire_suite, &ibt_ends_suite, &ibt_words_suite,
		  &ibt_send_suite, &ibt_recv_suite, &ibt_again_suite,
		  &ibt_limits_suite, &ibt_early_suite, &ibt_congestion_suite,
		  &ibt_apm_suite, &ibt_runs_suite,
		  &ibt_lanes_suite, &ibt_held_suite, &ibt_order_suite,
		  &ibt_answers_suite,
		  &ibt_trains_suite, &ibt_asked_suite, &ibt_unsignaled_suite,
		  &ibt_credits_suite, &ibt_calls_suite,
		  &ibt_selective_suite, &ibt_wire_selective_suite,
		  &ibt_wire_runs_suite, &ibt_send_runs_suite,
		  &ibt_recv_runs_suite, &ibt_ends_runs_suite,
		  &ibt_crowd_suite, &ibt_crowd_runs_suite,
		  &ibt_qp_end_suite, &ibt_qp_end_runs_suite, &ibt_paging_suite,
		  &ibt_flush_suite, &ibt_tm_fetch_suite);

MODULE_DESCRIPTION("The InfiniBand transport engine on a fake link");
MODULE_LICENSE("GPL");
