// SPDX-License-Identifier: GPL-2.0
/* FLUSH of persistent memory (annex A19): a large range takes several rounds of the responder. */
#include <asm/unaligned.h>

#include "hw/ibt/qp.h"
#include "hw/soft/flush.h"

#include "engine.h"

/* First bytes of packets: opcodes. */
enum { FLUSH = 0x1c, WRITE_ONLY = 0x0a, ANSWERED = 0x10, ACK = 0x11 };

enum { PERSISTENT = 2, AT_ONCE = 4096, LONG = 5 * AT_ONCE };

static struct pair pair;

static int flush_init(struct kunit *test)
{
	ends_defaults(&pair, test, IB_QPT_RC);
	pair.access |= IB_ACCESS_FLUSH_PERSISTENT;
	soft_flush_at_once = AT_ONCE;
	return fake_start();
}

static void flush_exit(struct kunit *test)
{
	pair.test = test;
	ends_drop(&pair);
	fake_stop();
	soft_flush_at_once = SOFT_FLUSH_AT_ONCE;
}

static struct ibt_resp *responder(void)
{
	return &to_ibt_qp(pair.end[1].qp)->resp;
}

/* No memory here persists, so that none could be registered. */
static void prepare(void)
{
	ends_make(&pair);
	container_of(pair.end[1].mr, struct soft_region, mr)->access |= IB_ACCESS_FLUSH_PERSISTENT;
	fake_restart(NULL);
	fake.keep = true;
}

static void forge_flush(u32 psn, u32 length)
{
	u8 bytes[12 + 4 + 16 + 4];
	u8 *at = put_bth(bytes, FLUSH, pair.end[1].qp->qp_num, psn);

	put_reth(put32(at, PERSISTENT), &pair, 1, 0, length);
	fake_inject(1, bytes, sizeof(bytes));
}

static void forge_write(u32 psn)
{
	u8 bytes[12 + 16 + 8 + 4];
	u8 *at = put_bth(bytes, WRITE_ONLY, pair.end[1].qp->qp_num, psn);

	at = put_reth(at, &pair, 1, 0x100, 8);
	memset(at, 'f', 8);
	fake_inject(1, bytes, sizeof(bytes));
}

/* So many packets have left the responder, within 20 s. */
static bool answers(u32 wanted)
{
	unsigned long deadline = jiffies + 20 * HZ;

	while (READ_ONCE(fake.num_kept) < wanted && time_before(jiffies, deadline))
		msleep(20);
	return fake.num_kept == wanted;
}

static void expect_answer(u32 number, u8 opcode, u32 psn)
{
	const u8 *bth = fake.kept[number]->data + FAKE_BYTES;

	KUNIT_EXPECT_EQ(pair.test, bth[0], opcode);
	KUNIT_EXPECT_EQ(pair.test, get_unaligned_be32(bth + 8) & 0xffffff, psn & 0xffffff);
}

/* The context that the packet comes in does one part. What follows is not answered before. */
static void long_flush(struct kunit *test)
{
	prepare();
	local_bh_disable();
	forge_flush(pair.psn, LONG);
	forge_write(pair.psn + 1);
	KUNIT_EXPECT_EQ(test, responder()->psn, pair.psn);
	KUNIT_EXPECT_EQ(test, responder()->flushing.done, (u64)AT_ONCE);
	KUNIT_EXPECT_TRUE(test, responder()->flushing.more);
	KUNIT_EXPECT_EQ(test, pair.end[1].buf[0x100], 0);
	local_bh_enable();

	KUNIT_ASSERT_TRUE(test, answers(2));
	expect_answer(0, ANSWERED, pair.psn);
	expect_answer(1, ACK, pair.psn + 1);
	KUNIT_EXPECT_EQ(test, responder()->flushing.done, 0ULL);
	KUNIT_EXPECT_EQ(test, pair.end[1].buf[0x100], 'f');

	/* A copy of it is answered, and not executed. */
	forge_flush(pair.psn, LONG);
	KUNIT_ASSERT_TRUE(test, answers(3));
	expect_answer(2, ANSWERED, pair.psn);
	/* And what is short is done at once. */
	local_bh_disable();
	forge_flush(pair.psn + 2, AT_ONCE);
	KUNIT_EXPECT_EQ(test, responder()->psn, (pair.psn + 3) & 0xffffff);
	local_bh_enable();
	KUNIT_ASSERT_TRUE(test, answers(4));
	expect_answer(3, ANSWERED, pair.psn + 2);
}

/* The right goes in the middle of it. */
static void long_flush_refused(struct kunit *test)
{
	prepare();
	local_bh_disable();
	forge_flush(pair.psn, LONG);
	container_of(pair.end[1].mr, struct soft_region, mr)->access &= ~IB_ACCESS_FLUSH_PERSISTENT;
	local_bh_enable();
	KUNIT_ASSERT_TRUE(test, answers(1));
	expect_answer(0, ACK, pair.psn);
	KUNIT_EXPECT_TRUE(test, ends_reaches(&pair, 1, IB_QPS_ERR));
	KUNIT_EXPECT_EQ(test, responder()->flushing.done, 0ULL);
}

/* The queue pair goes in the middle of it. */
static void long_flush_ended(struct kunit *test)
{
	prepare();
	local_bh_disable();
	forge_flush(pair.psn, LONG);
	local_bh_enable();
	KUNIT_EXPECT_EQ(test, ib_destroy_qp(pair.end[1].qp), 0);
	pair.end[1].qp = NULL;
}

static struct kunit_case flush_cases[] = {
	KUNIT_CASE(long_flush),
	KUNIT_CASE(long_flush_refused),
	KUNIT_CASE(long_flush_ended),
	{}
};

struct kunit_suite ibt_flush_suite = {
	.name = "ibt_flush",
	.init = flush_init,
	.exit = flush_exit,
	.test_cases = flush_cases,
};

MODULE_IMPORT_NS(EXPORTED_FOR_KUNIT_TESTING);
