// SPDX-License-Identifier: GPL-2.0
/*
 * In which order a responder answers. A requester that gets an answer before that of an older
 * READ or atomic takes the latter for lost. The requests are made by hand, as those of a NIC
 * that has hundreds outstanding.
 */
#include <linux/completion.h>
#include <linux/delay.h>

#include "hw/ibt/pkt.h"
#include "hw/ibt/qp.h"
#include "hw/soft/mr_table.h"
#include "engine.h"

enum {
	MTU = 256,
	LONG = 128,		/* packets of the long READ's answer */
	MOST = 2048,
};

/* First bytes of packets: opcodes. */
enum {
	SEND_ONLY = 0x04,
	WRITE_ONLY = 0x0a,
	READ_REQUEST = 0x0c,
	READ_FIRST = 0x0d,
	READ_LAST = 0x0f,
	READ_ONLY = 0x10,
	ACKNOWLEDGE = 0x11,
	ATOMIC_ACK = 0x12,
	FETCH_ADD = 0x14,
};

static struct pair pair;

/* What the responder said, in that order; nothing passes before the gate opens. */
static struct {
	u32 num;
	u8 opcode[MOST];
	u32 psn[MOST];
	struct completion open;
} heard;

static int answers_init(struct kunit *test)
{
	ends_defaults(&pair, test, IB_QPT_RC);
	pair.psn = 0xffffc0;
	return fake_start();
}

static void answers_exit(struct kunit *test)
{
	pair.test = test;
	complete_all(&heard.open);
	ends_drop(&pair);
	fake_stop();
}

static enum fake_fate hear(u32 number, const u8 *bth)
{
	wait_for_completion_timeout(&heard.open, 30 * HZ);
	if (heard.num < MOST) {
		heard.opcode[heard.num] = bth[0];
		heard.psn[heard.num] = bth[9] << 16 | bth[10] << 8 | bth[11];
		heard.num++;
	}
	return FAKE_DROP;
}

/* The link has room for four packets at a time, and moves when the gate opens. */
static void listen(void)
{
	heard.num = 0;
	init_completion(&heard.open);
	fake_restart(hear);
	fake.limit = 4;
}

static struct ibt_resp *resp(void)
{
	return &to_ibt_qp(pair.end[1].qp)->resp;
}

/* Until the responder expects @psn and owes nothing. */
static void finish(u32 psn)
{
	unsigned long deadline = jiffies + 20 * HZ;

	psn &= IBT_PSN_MASK;
	complete_all(&heard.open);
	while ((READ_ONCE(resp()->psn) != psn || READ_ONCE(resp()->reading.active) ||
		READ_ONCE(resp()->parked) || READ_ONCE(resp()->owed)) &&
	       time_before(jiffies, deadline))
		usleep_range(500, 1000);
	KUNIT_EXPECT_EQ(pair.test, READ_ONCE(resp()->psn), psn);
	KUNIT_EXPECT_FALSE(pair.test, READ_ONCE(resp()->owed));
	fake_restart(NULL);
}

/* ---- requests made by hand ---------------------------------------------------------------- */

static void forge(u8 opcode, u32 psn, u32 offset, u32 length)
{
	u8 bytes[12 + 28 + 8 + 4] = { };
	u8 *at = put_bth(bytes, opcode, pair.end[1].qp->qp_num, psn);

	if (opcode != SEND_ONLY)
		at = put_reth(at, &pair, 1, offset, length);
	if (opcode == FETCH_ADD)
		/* An AtomicETH has a key where a RETH has it, then what is added. */
		at = put32(put32(put32(put32(at - 4, 0), 1), 0), 0);
	else if (opcode != READ_REQUEST)
		at += 8;
	fake_inject(1, bytes, at - bytes + 4);
}

/* PSNs of what follows the long READ. */
enum { AT_WRITE = LONG, AT_SEND, AT_ADD, AT_READ, AT_ADD_TOO, AT_LAST, AT_END };

static void ask_all(u32 psn)
{
	KUNIT_ASSERT_EQ(pair.test, ends_recv(&pair, 1, 5, 0, 64), 0);
	forge(READ_REQUEST, psn, 0, LONG * MTU);
	forge(WRITE_ONLY, psn + AT_WRITE, 0, 8);
	forge(SEND_ONLY, psn + AT_SEND, 0, 8);
	forge(FETCH_ADD, psn + AT_ADD, 0, 8);
	forge(READ_REQUEST, psn + AT_READ, 0, 8);
	forge(FETCH_ADD, psn + AT_ADD_TOO, 0, 8);
	forge(WRITE_ONLY, psn + AT_LAST, 0, 8);
}

/* ---- what was heard ----------------------------------------------------------------------- */

static bool is_data(u8 opcode)
{
	return (opcode >= READ_FIRST && opcode <= READ_ONLY) || opcode == ATOMIC_ACK;
}

/* PSNs never go back, and READs and atomics are all there. */
static void expect_in_order(u32 first, u32 last, u32 data)
{
	u32 i, seen = 0;

	KUNIT_ASSERT_GT(pair.test, heard.num, 0U);
	KUNIT_EXPECT_EQ(pair.test, heard.psn[0], first & IBT_PSN_MASK);
	KUNIT_EXPECT_EQ(pair.test, heard.psn[heard.num - 1], last & IBT_PSN_MASK);
	for (i = 0; i < heard.num; i++) {
		seen += is_data(heard.opcode[i]);
		if (i)
			KUNIT_EXPECT_GE_MSG(pair.test,
					    ibt_psn_diff(heard.psn[i], heard.psn[i - 1]), 0,
					    "number %u, opcode %x behind %x", i,
					    heard.opcode[i], heard.opcode[i - 1]);
	}
	KUNIT_EXPECT_EQ(pair.test, seen, data);
}

static u32 find(u8 opcode, u32 from)
{
	while (from < heard.num && heard.opcode[from] != opcode)
		from++;
	return from;
}

static void new_ones_in_order(struct kunit *test)
{
	ends_make(&pair);
	listen();
	ask_all(pair.psn);
	KUNIT_EXPECT_EQ(test, resp()->psn, (pair.psn + LONG) & IBT_PSN_MASK);
	finish(pair.psn + AT_END);
	expect_in_order(pair.psn, pair.psn + AT_LAST, LONG + 3);
	KUNIT_EXPECT_EQ(test, ends_counter(1, "sent_nak"), 0ULL);
}

/* A NAK, too, for what is missing behind it. */
static void naks_in_order(struct kunit *test)
{
	ends_make(&pair);
	listen();
	ask_all(pair.psn);
	forge(WRITE_ONLY, pair.psn + AT_END + 1, 0, 8);
	finish(pair.psn + AT_END);
	expect_in_order(pair.psn, pair.psn + AT_END, LONG + 3);
	KUNIT_EXPECT_EQ(test, ends_counter(1, "sent_nak"), 1ULL);
}

/* All of it was answered, and is lost: the peer begins anew, and has something new behind. */
static void duplicates_in_order(struct kunit *test)
{
	ends_make(&pair);
	listen();
	ask_all(pair.psn);
	finish(pair.psn + AT_END);
	listen();
	ask_all(pair.psn);
	forge(WRITE_ONLY, pair.psn + AT_END, 0, 8);
	finish(pair.psn + AT_END + 1);
	expect_in_order(pair.psn, pair.psn + AT_END, LONG + 3);
	KUNIT_EXPECT_EQ(test, ends_counter(1, "sent_nak"), 0ULL);
}

/*
 * An ACK that waits for the end of its softirq, or for memory, is younger than the READ that
 * is asked again meanwhile, and waits for the answer of that as well.
 */
static void owed_waits_for_read(struct kunit *test)
{
	u32 last, ack;

	ends_make(&pair);
	listen();
	forge(READ_REQUEST, pair.psn, 0, LONG * MTU);
	forge(WRITE_ONLY, pair.psn + AT_WRITE, 0, 8);
	finish(pair.psn + AT_WRITE + 1);
	listen();
	spin_lock_bh(&resp()->lock);
	resp()->owed = true;
	resp()->pending_psn = (pair.psn + AT_WRITE) & IBT_PSN_MASK;
	resp()->pending_syndrome = IBT_AETH_ACK | IBT_ACK_NO_CREDITS;
	spin_unlock_bh(&resp()->lock);
	forge(READ_REQUEST, pair.psn, 0, LONG * MTU);
	KUNIT_EXPECT_TRUE(test, READ_ONCE(resp()->reading.active));
	local_bh_disable();
	tasklet_schedule(&resp()->ack_tasklet);
	local_bh_enable();
	finish(pair.psn + AT_WRITE + 1);
	last = find(READ_LAST, 0);
	ack = find(ACKNOWLEDGE, 0);
	KUNIT_EXPECT_EQ(test, last, (u32)LONG - 1);
	KUNIT_EXPECT_EQ(test, ack, last + 1);
	KUNIT_EXPECT_EQ(test, heard.num, ack + 1);
}

/* ---- as many as half the circle of PSNs has ------------------------------------------------- */

/* The longest READ in the smallest packets: the limit of what is outstanding is the peer's. */
static void a_read_of_half_the_circle(struct kunit *test)
{
	struct soft_region *region;
	u32 half = pair.psn + BIT(23);

	ends_make(&pair);
	/* Of its memory the first packets are there, and more of them do not leave. */
	region = container_of(pair.end[1].mr, struct soft_region, mr);
	region->length = IBT_MAX_MSG_BYTES;
	listen();
	forge(READ_REQUEST, pair.psn, 0, IBT_MAX_MSG_BYTES);
	KUNIT_EXPECT_EQ(test, resp()->psn, half & IBT_PSN_MASK);
	KUNIT_EXPECT_EQ(test, resp()->reading.left + (resp()->reading.psn - pair.psn) * MTU,
			IBT_MAX_MSG_BYTES);
	forge(WRITE_ONLY, half, 0, 8);
	KUNIT_EXPECT_EQ(test, skb_queue_len(&resp()->backlog), 1U);
	/* The last packet is asked for again, which is behind what leaves, then nearly all. */
	forge(READ_REQUEST, half - 1, IBT_MAX_MSG_BYTES - MTU, MTU);
	KUNIT_EXPECT_EQ(test, resp()->reading.psn, (half - 1) & IBT_PSN_MASK);
	forge(READ_REQUEST, pair.psn + 2, 2 * MTU, IBT_MAX_MSG_BYTES - 2 * MTU);
	KUNIT_EXPECT_EQ(test, resp()->reading.left, IBT_MAX_MSG_BYTES - 2 * MTU);
	KUNIT_EXPECT_EQ(test, ends_counter(1, "sent_nak"), 0ULL);
	KUNIT_EXPECT_EQ(test, ends_state(&pair, 1), IB_QPS_RTS);
}

/* The last PSN that is of the future, and the first that is of the past. */
static void half_the_circle_ahead(struct kunit *test)
{
	ends_make(&pair);
	listen();
	forge(WRITE_ONLY, pair.psn + BIT(23) - 1, 0, 8);
	forge(WRITE_ONLY, pair.psn + BIT(23), 0, 8);
	KUNIT_EXPECT_EQ(test, ends_counter(1, "sent_nak"), 1ULL);
	KUNIT_EXPECT_EQ(test, ends_counter(1, "duplicate_request"), 1ULL);
	finish(pair.psn);
	KUNIT_EXPECT_EQ(test, heard.psn[0], pair.psn & IBT_PSN_MASK);
}

static void forge_data(u8 opcode, u32 psn)
{
	u8 bytes[12 + 4 + MTU + 4] = { };
	u8 *at = put_bth(bytes, opcode, pair.end[0].qp->qp_num, psn);

	if (opcode != READ_FIRST + 1)
		at = put32(at, (IBT_AETH_ACK | IBT_ACK_NO_CREDITS) << 24);
	if (opcode != ACKNOWLEDGE)
		at += MTU;
	fake_inject(0, bytes, at - bytes + 4);
}

/* As if the READ that is outstanding were of so many bytes. */
static void make_longest(struct ibt_sq *sq)
{
	struct ibt_wqe *wqe = sq->wqes + (size_t)(sq->tail & sq->mask) * sq->stride;

	spin_lock_bh(&sq->lock);
	wqe->length = IBT_MAX_MSG_BYTES;
	wqe->last_psn = ibt_psn_add(wqe->first_psn, BIT(23) - 1);
	sq->psn = ibt_psn_add(wqe->first_psn, BIT(23));
	sq->high = sq->psn;
	sq->cur_psn = sq->psn;
	spin_unlock_bh(&sq->lock);
}

/* Its requester: packets of the answer count, and an ACK for the last one asks again. */
static void the_requester_of_it(struct kunit *test)
{
	const struct job job = { IB_WR_RDMA_READ, 3, 0, 16 * MTU };
	struct ibt_sq *sq;

	pair.timeout = 0;
	ends_make(&pair);
	listen();
	complete_all(&heard.open);
	sq = &to_ibt_qp(pair.end[0].qp)->sq;
	KUNIT_ASSERT_EQ(test, ends_post(&pair, 0, &job), 0);
	make_longest(sq);
	forge_data(READ_FIRST, pair.psn);
	forge_data(READ_FIRST + 1, pair.psn + 1);
	KUNIT_EXPECT_EQ(test, sq->una, ibt_psn_add(pair.psn, 2));
	KUNIT_EXPECT_EQ(test, ends_counter(0, "packet_seq_err"), 0ULL);
	forge_data(ACKNOWLEDGE, pair.psn + BIT(23) - 1);
	KUNIT_EXPECT_EQ(test, sq->una, ibt_psn_add(pair.psn, 2));
	KUNIT_EXPECT_EQ(test, ends_counter(0, "packet_seq_err"), 1ULL);
	KUNIT_EXPECT_EQ(test, ends_state(&pair, 0), IB_QPS_RTS);
}

static struct kunit_case answers_cases[] = {
	KUNIT_CASE(new_ones_in_order),
	KUNIT_CASE(naks_in_order),
	KUNIT_CASE(duplicates_in_order),
	KUNIT_CASE(owed_waits_for_read),
	KUNIT_CASE(a_read_of_half_the_circle),
	KUNIT_CASE(half_the_circle_ahead),
	KUNIT_CASE(the_requester_of_it),
	{}
};

struct kunit_suite ibt_answers_suite = {
	.name = "ibt_engine_answers",
	.init = answers_init,
	.exit = answers_exit,
	.test_cases = answers_cases,
};
