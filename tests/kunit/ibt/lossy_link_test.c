// SPDX-License-Identifier: GPL-2.0
/*
 * A reliable connection must not show what happens to its packets: one mix of
 * operations is run again and again, and each time something else is lost,
 * doubled, swapped or damaged. Data, completions and atomics must come out the
 * same.
 */
#include <linux/delay.h>
#include <linux/prandom.h>

#include "engine.h"

/* Places in the memory of side 0 (S: source, D: destination) and side 1. */
enum {
	S_DATA		= 0x0000,
	D_READ		= 0x2000,
	D_READ_BACK	= 0x2800,
	D_ATOMIC	= 0x3000,
	D_RECV		= 0x4000,
	D_RECV_IMM	= 0x4800,
	D_WRITE		= 0x5000,
	D_WRITE_IMM	= 0x6000,
	S_READ		= 0x7000,
	COUNTER		= 0x8000,
	D_WORD		= 0x8800,
};

enum { STEP_ADD = 5, STEP_SWAP = 1000 };

/*
 * Ack timeout where something gets lost, 268 ms: long enough that a starved
 * machine answers within eight of them, short enough to wait for often.
 */
#define SOON 16

static struct pair pair;
static struct rnd_state random_bytes;

static void mix_prepare(struct pair *p)
{
	u8 *a = p->end[0].buf, *b = p->end[1].buf;

	prandom_bytes_state(&random_bytes, a + S_DATA, 0x1000);
	prandom_bytes_state(&random_bytes, b + S_READ, 0x1000);
	memset(a + D_READ, 0, D_RECV - D_READ);
	memset(b + D_RECV, 0, S_READ - D_RECV);
	KUNIT_ASSERT_EQ(p->test, ends_recv(p, 1, 100, D_RECV, 700), 0);
	KUNIT_ASSERT_EQ(p->test, ends_recv(p, 1, 101, 0, 0), 0);
	KUNIT_ASSERT_EQ(p->test, ends_recv(p, 1, 102, D_RECV_IMM, 8), 0);
}

static void mix_post(struct pair *p, u64 count)
{
	const struct job jobs[] = {
		{ .op = IB_WR_SEND, .at = S_DATA, .length = 600 },
		{ .op = IB_WR_RDMA_WRITE, .at = S_DATA + 0x100, .length = 700,
		  .remote_at = D_WRITE },
		{ .op = IB_WR_RDMA_WRITE_WITH_IMM, .at = S_DATA + 0x200,
		  .length = 300, .remote_at = D_WRITE_IMM, .word = 0xabcd },
		{ .op = IB_WR_RDMA_READ, .at = D_READ, .length = 600,
		  .remote_at = S_READ },
		{ .op = IB_WR_ATOMIC_FETCH_AND_ADD, .at = D_ATOMIC, .length = 8,
		  .remote_at = COUNTER, .add = STEP_ADD },
		{ .op = IB_WR_ATOMIC_CMP_AND_SWP, .at = D_ATOMIC + 8,
		  .length = 8, .remote_at = COUNTER, .add = count + STEP_ADD,
		  .swap = count + STEP_SWAP },
		{ .op = IB_WR_ATOMIC_WRITE, .at = S_DATA + 0x400, .length = 8,
		  .remote_at = D_WORD },
		{ .op = IB_WR_SEND_WITH_IMM, .at = S_DATA + 0x300, .length = 8,
		  .word = 0x1234, .flags = IB_SEND_SOLICITED },
		{ .op = IB_WR_RDMA_READ, .at = D_READ_BACK, .length = 100,
		  .remote_at = D_WRITE },
	};
	struct job job;
	int i;

	for (i = 0; i < ARRAY_SIZE(jobs); i++) {
		job = jobs[i];
		job.id = i;
		KUNIT_ASSERT_EQ(p->test, ends_post(p, 0, &job), 0);
	}
	/* After the first failure nothing would be learned any more. */
	for (i = 0; i < ARRAY_SIZE(jobs); i++) {
		struct ib_wc wc = { };

		KUNIT_ASSERT_TRUE(p->test, ends_wait(p->end[0].send_cq, &wc));
		KUNIT_ASSERT_EQ(p->test, wc.wr_id, (u64)i);
		KUNIT_ASSERT_STREQ(p->test, ib_wc_status_msg(wc.status),
				   ib_wc_status_msg(IB_WC_SUCCESS));
	}
}

static void expect_recv(struct pair *p, u64 id, enum ib_wc_opcode opcode,
			u32 bytes, u32 imm)
{
	struct ib_wc wc = { };

	KUNIT_ASSERT_TRUE(p->test, ends_wait(p->end[1].recv_cq, &wc));
	KUNIT_EXPECT_EQ(p->test, wc.wr_id, id);
	KUNIT_EXPECT_EQ(p->test, wc.status, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(p->test, wc.opcode, opcode);
	KUNIT_EXPECT_EQ(p->test, wc.byte_len, bytes);
	KUNIT_EXPECT_EQ(p->test, !!(wc.wc_flags & IB_WC_WITH_IMM), imm != 0);
	if (imm)
		KUNIT_EXPECT_EQ(p->test, be32_to_cpu(wc.ex.imm_data), imm);
}

static void mix_check(struct pair *p, u64 count)
{
	const u8 *a = p->end[0].buf, *b = p->end[1].buf;
	const u64 *originals = (const u64 *)(a + D_ATOMIC);

	expect_recv(p, 100, IB_WC_RECV, 600, 0);
	expect_recv(p, 101, IB_WC_RECV_RDMA_WITH_IMM, 300, 0xabcd);
	expect_recv(p, 102, IB_WC_RECV, 8, 0x1234);
	KUNIT_EXPECT_TRUE(p->test, !memcmp(b + D_RECV, a + S_DATA, 600));
	KUNIT_EXPECT_PTR_EQ(p->test, memchr_inv(b + D_RECV + 600, 0, 100), NULL);
	KUNIT_EXPECT_TRUE(p->test, !memcmp(b + D_WRITE, a + S_DATA + 0x100, 700));
	KUNIT_EXPECT_PTR_EQ(p->test, memchr_inv(b + D_WRITE + 700, 0, 100), NULL);
	KUNIT_EXPECT_TRUE(p->test,
			  !memcmp(b + D_WRITE_IMM, a + S_DATA + 0x200, 300));
	KUNIT_EXPECT_TRUE(p->test, !memcmp(a + D_READ, b + S_READ, 600));
	KUNIT_EXPECT_PTR_EQ(p->test, memchr_inv(a + D_READ + 600, 0, 100), NULL);
	KUNIT_EXPECT_TRUE(p->test, !memcmp(b + D_RECV_IMM, a + S_DATA + 0x300, 8));
	KUNIT_EXPECT_TRUE(p->test, !memcmp(a + D_READ_BACK, b + D_WRITE, 100));
	KUNIT_EXPECT_EQ(p->test, originals[0], count);
	KUNIT_EXPECT_EQ(p->test, originals[1], count + STEP_ADD);
	KUNIT_EXPECT_EQ(p->test, *(const u64 *)(b + COUNTER), count + STEP_SWAP);
	KUNIT_EXPECT_TRUE(p->test, !memcmp(b + D_WORD, a + S_DATA + 0x400, 8));
	KUNIT_EXPECT_PTR_EQ(p->test, memchr_inv(b + D_WORD + 8, 0, 100), NULL);
}

static void mix(struct pair *p)
{
	u64 count = *(const u64 *)(p->end[1].buf + COUNTER);

	mix_prepare(p);
	mix_post(p, count);
	mix_check(p, count);
}

/* ---- what happens to packets --------------------------------------------------------- */

/* Contexts of scripts outlive the cases: packets may still be on their way. */
static struct pick {
	u32 number;
	enum fake_fate fate;
} pick;

static enum fake_fate one_of_them(u32 number, const u8 *bth)
{
	return number == pick.number ? pick.fate : FAKE_PASS;
}

static enum fake_fate all_of_them(u32 number, const u8 *bth)
{
	return pick.fate;
}

static struct rnd_state dice;
static const u8 percent[] = {
	[FAKE_DROP] = 4, [FAKE_TWICE] = 4, [FAKE_LATER] = 4, [FAKE_DAMAGE] = 2,
};

static enum fake_fate by_chance(u32 number, const u8 *bth)
{
	u32 roll = prandom_u32_state(&dice) % 100;
	int fate;

	for (fate = FAKE_DROP; fate <= FAKE_DAMAGE; fate++) {
		if (roll < percent[fate])
			return fate;
		roll -= percent[fate];
	}
	return FAKE_PASS;
}

/* ---- the cases -------------------------------------------------------------------------- */

static int wire_init(struct kunit *test)
{
	prandom_seed_state(&random_bytes, 4711);
	ends_defaults(&pair, test, IB_QPT_RC);
	return fake_start();
}

static void wire_exit(struct kunit *test)
{
	pair.test = test;
	ends_drop(&pair);
	fake_stop();
}

/* Long enough for the PSNs to wrap. */
static void nothing_happens(struct kunit *test)
{
	int i;

	ends_make(&pair);
	for (i = 0; i < 10; i++)
		mix(&pair);
	KUNIT_EXPECT_EQ(test, ends_counter(0, "packet_seq_err"), 0ULL);
	KUNIT_EXPECT_EQ(test, ends_counter(1, "out_of_sequence"), 0ULL);
	KUNIT_EXPECT_EQ(test, ends_counter(1, "duplicate_request"), 0ULL);
	KUNIT_EXPECT_EQ(test, ends_counter(1, "sent_nak"), 0ULL);
	KUNIT_EXPECT_EQ(test, ends_counter(0, "tx_packets"),
			ends_counter(1, "rx_packets"));
}

static void without_packets(struct kunit *test)
{
	int i;

	fake.local = true;
	ends_make(&pair);
	fake_restart(NULL);
	for (i = 0; i < 10; i++)
		mix(&pair);
	KUNIT_EXPECT_EQ(test, fake.number, 0U);
	KUNIT_EXPECT_EQ(test, ends_counter(0, "local_messages"), 90ULL);
}

/* Each packet of the mix in turn, and a few numbers more for retries. */
static void each_in_turn(enum fake_fate fate)
{
	u32 packets;

	pick.fate = fate;
	if (fate != FAKE_TWICE)
		pair.timeout = SOON;
	ends_make(&pair);
	fake_restart(NULL);
	mix(&pair);
	fake_restart(NULL);
	pick.number = ~0;
	fake_restart(one_of_them);
	mix(&pair);
	packets = fake.number;
	KUNIT_ASSERT_GE(pair.test, packets, 15U);
	for (pick.number = 0; pick.number < packets + 2; pick.number++) {
		fake_restart(one_of_them);
		mix(&pair);
	}
}

static void each_lost(struct kunit *test)
{
	each_in_turn(FAKE_DROP);
	KUNIT_EXPECT_GT(test, ends_counter(0, "packet_seq_err") +
			ends_counter(0, "local_ack_timeout_err"), 0ULL);
}

static void each_doubled(struct kunit *test)
{
	each_in_turn(FAKE_TWICE);
	KUNIT_EXPECT_GT(test, ends_counter(1, "duplicate_request"), 0ULL);
	KUNIT_EXPECT_EQ(test, ends_counter(0, "local_ack_timeout_err"), 0ULL);
}

static void each_late(struct kunit *test)
{
	each_in_turn(FAKE_LATER);
	KUNIT_EXPECT_GT(test, ends_counter(1, "out_of_sequence"), 0ULL);
}

static void each_damaged(struct kunit *test)
{
	each_in_turn(FAKE_DAMAGE);
	/* How many of the packets are answers depends on the speed of both ends. */
	KUNIT_EXPECT_GT(test, ends_counter(1, "rx_icrc_errors"), 4ULL);
	KUNIT_EXPECT_GT(test, ends_counter(0, "rx_icrc_errors"), 1ULL);
	KUNIT_EXPECT_GE(test, ends_counter(0, "rx_icrc_errors") +
			ends_counter(1, "rx_icrc_errors"), 15ULL);
}

static void all_doubled(struct kunit *test)
{
	int i;

	pick.fate = FAKE_TWICE;
	ends_make(&pair);
	fake_restart(all_of_them);
	for (i = 0; i < 20; i++)
		mix(&pair);
}

static void all_swapped(struct kunit *test)
{
	int i;

	pair.timeout = SOON;
	pick.fate = FAKE_LATER;
	ends_make(&pair);
	fake_restart(all_of_them);
	for (i = 0; i < 5; i++)
		mix(&pair);
}

static void by_dice(struct kunit *test)
{
	int i;

	pair.timeout = SOON;
	prandom_seed_state(&dice, 815);
	ends_make(&pair);
	fake_restart(by_chance);
	for (i = 0; i < 60; i++)
		mix(&pair);
	fake_restart(NULL);
	mix(&pair);
}

/* A link that is full again and again. */
static void little_room(struct kunit *test)
{
	u32 limit;

	ends_make(&pair);
	for (limit = 1; limit < 6; limit++) {
		fake.limit = limit;
		mix(&pair);
	}
	KUNIT_EXPECT_GT(test, ends_counter(0, "tx_no_room"), 0ULL);
	KUNIT_EXPECT_EQ(test, ends_counter(0, "local_ack_timeout_err"), 0ULL);
}

/* Sizes around the MTU and the acknowledgement window, there and back. */
static void sizes(struct kunit *test)
{
	static const u32 lengths[] = {
		0, 1, 3, 4, 5, 255, 256, 257, 511, 512, 513, 1024, 4095, 4096,
		4097, 8192, 16384 - 1, 16384, 30000,
	};
	static const enum ib_mtu mtus[] = {
		IB_MTU_256, IB_MTU_512, IB_MTU_1024, IB_MTU_2048, IB_MTU_4096,
	};
	int m, i;

	for (m = 0; m < ARRAY_SIZE(mtus); m++) {
		pair.mtu = mtus[m];
		ends_make(&pair);
		prandom_bytes_state(&random_bytes, pair.end[0].buf, 32768);
		for (i = 0; i < ARRAY_SIZE(lengths); i++) {
			u8 *b = pair.end[1].buf, *a = pair.end[0].buf;
			u32 length = lengths[i];
			struct ib_wc wc = { };

			memset(b, 0, 32768);
			ends_recv(&pair, 1, 9, 0, length);
			ends_post(&pair, 0, &(struct job){
				.op = IB_WR_SEND, .id = 1, .length = length });
			ends_post(&pair, 0, &(struct job){
				.op = IB_WR_RDMA_READ, .id = 2, .at = 32768,
				.length = length });
			EXPECT_WC(&pair, pair.end[0].send_cq, 1, IB_WC_SUCCESS);
			EXPECT_WC(&pair, pair.end[0].send_cq, 2, IB_WC_SUCCESS);
			KUNIT_EXPECT_TRUE(test, ends_wait(pair.end[1].recv_cq, &wc));
			KUNIT_EXPECT_EQ(test, wc.byte_len, length);
			KUNIT_EXPECT_TRUE(test, !memcmp(a, b, length));
			KUNIT_EXPECT_TRUE(test, !memcmp(a, a + 32768, length));
			KUNIT_EXPECT_EQ(test, b[length], 0);
		}
		ends_drop(&pair);
	}
}

static struct kunit_case wire_cases[] = {
	KUNIT_CASE(nothing_happens),
	KUNIT_CASE(without_packets),
	KUNIT_CASE(sizes),
	KUNIT_CASE(little_room),
	KUNIT_CASE(each_doubled),
	KUNIT_CASE(each_lost),
	KUNIT_CASE(each_late),
	KUNIT_CASE(each_damaged),
	KUNIT_CASE(all_doubled),
	KUNIT_CASE(all_swapped),
	KUNIT_CASE(by_dice),
	{ }
};

struct kunit_suite ibt_wire_suite = {
	.name = "ibt_engine_wire",
	.init = wire_init,
	.exit = wire_exit,
	.test_cases = wire_cases,
};

struct kunit_suite ibt_wire_runs_suite = {
	.name = "ibt_engine_wire_runs",
	.suite_init = runs_begin,
	.suite_exit = runs_end,
	.init = wire_init,
	.exit = wire_exit,
	.test_cases = wire_cases,
};

struct kunit_suite ibt_wire_selective_suite = {
	.name = "ibt_engine_wire_selective",
	.suite_init = selective_begin,
	.suite_exit = selective_end,
	.init = wire_init,
	.exit = wire_exit,
	.test_cases = wire_cases,
};
