// SPDX-License-Identifier: GPL-2.0
/*
 * Selective recovery: what is lost comes again alone, and towards a peer that does not know of
 * it all is as the specification has it. Packets are counted on the link.
 */
#include <linux/delay.h>

#include "hw/ibt/early.h"
#include "hw/ibt/qp.h"
#include "hw/ibt/recovery.h"
#include "hw/ibt/wire.h"
#include "engine.h"

#define MTU	256
#define PACKETS	40U

enum {
	WRITE_ONLY	= 0x0a,
	ACK		= 0x11,
};

static struct pair pair;

/* PSNs, from the first packet of the message on, that are lost; each as often as it is there. */
static struct {
	u32 psn[16];
	u32 num;
	u32 naks;		/* are lost */
	bool answers;		/* it is packets of answers that are lost */
	bool mute;		/* all of them */
	u32 responses;
	u32 requests;
	u32 marked;		/* of these, with any mark */
	u32 asked;		/* with that of a peer that asks */
	u32 end;		/* PSN of the first packet */
} wire;

static int selective_init(struct kunit *test)
{
	ends_defaults(&pair, test, IB_QPT_RC);
	memset(&wire, 0, sizeof(wire));
	fake_early = true;
	fake_selective = true;
	return fake_start();
}

static void selective_exit(struct kunit *test)
{
	pair.test = test;
	ends_drop(&pair);
	fake_stop();
	fake_early = false;
	fake_selective = false;
}

static u32 marks_of(const u8 *bth)
{
	return bth[8] & (IBT_BTH_MARKS >> 24);
}

static enum fake_fate lose_request(u32 psn)
{
	u32 i;

	for (i = 0; i < wire.num; i++) {
		if (ibt_psn_add(wire.end, wire.psn[i]) != psn)
			continue;
		wire.psn[i] = wire.psn[--wire.num];
		return FAKE_DROP;
	}
	return FAKE_PASS;
}

static enum fake_fate lose_some(u32 number, const u8 *bth)
{
	u32 psn = bth[9] << 16 | bth[10] << 8 | bth[11];

	if (bth[0] == ACK) {
		if ((bth[12] & IBT_AETH_KIND) != IBT_AETH_NAK || !wire.naks)
			return FAKE_PASS;
		wire.naks--;
		return FAKE_DROP;
	}
	if (fake_slid(bth) % 2 == 0) {
		wire.responses++;
		if (wire.mute)
			return FAKE_DROP;
		return wire.answers ? lose_request(psn) : FAKE_PASS;
	}
	wire.requests++;
	wire.marked += marks_of(bth) != 0;
	wire.asked += marks_of(bth) & IBT_MARK_KEEPS;
	return wire.answers ? FAKE_PASS : lose_request(psn);
}

static struct ibt_qp *requester(void)
{
	return to_ibt_qp(pair.end[0].qp);
}

static struct ibt_qp *responder(void)
{
	return to_ibt_qp(pair.end[1].qp);
}

static void do_one(enum ib_wr_opcode op, u64 id, u32 length)
{
	const struct job job = { op, id, 0, length };

	KUNIT_ASSERT_EQ(pair.test, ends_post(&pair, 0, &job), 0);
	EXPECT_WC(&pair, pair.end[0].send_cq, id, IB_WC_SUCCESS);
}

/* Both ends know of each other. */
static void make(void)
{
	ends_make(&pair);
	do_one(IB_WR_RDMA_WRITE, 1, 10);
	wire.end = requester()->sq.psn;
	fake_restart(lose_some);
}

/* What follows is found out by responses. A timer of a machine that is busy may be early. */
static void make_untimed(void)
{
	make();
	WRITE_ONCE(ibt_early, false);
}

static void write_all(struct kunit *test)
{
	memset(pair.end[0].buf, 0xa5, PACKETS * MTU);
	do_one(IB_WR_RDMA_WRITE, 2, PACKETS * MTU);
	fake_restart(NULL);
	KUNIT_EXPECT_EQ(test, memcmp(pair.end[0].buf, pair.end[1].buf, PACKETS * MTU), 0);
	KUNIT_EXPECT_EQ(test, wire.num, 0U);
	KUNIT_EXPECT_EQ(test, wire.naks, 0U);
	KUNIT_EXPECT_TRUE(test, skb_queue_empty(&responder()->resp.ooo.skbs));
	KUNIT_EXPECT_EQ(test, (int)requester()->rtx.recovery, (int)IBT_STEADY);
	KUNIT_EXPECT_EQ(test, requester()->rtx.resend.left, 0);
	KUNIT_EXPECT_EQ(test, ends_counter(0, "local_ack_timeout_err"), 0ULL);
	KUNIT_EXPECT_EQ(test, atomic_read(&ibt_qp_dev(responder())->queued), 0);
}

static void lose(u32 psn)
{
	wire.psn[wire.num++] = psn;
}

static void one_comes_again_alone(struct kunit *test)
{
	make_untimed();
	lose(10);
	write_all(test);
	KUNIT_EXPECT_EQ(test, wire.requests, PACKETS + 1);
	KUNIT_EXPECT_EQ(test, wire.marked, 0U);
	KUNIT_EXPECT_EQ(test, ends_counter(0, "packet_seq_err"), 1ULL);
	KUNIT_EXPECT_EQ(test, ends_counter(1, "sent_nak"), 1ULL);
	KUNIT_EXPECT_EQ(test, ends_counter(0, "early_retransmits"), 0ULL);
	KUNIT_EXPECT_EQ(test, ends_counter(1, "duplicate_request"), 0ULL);
}

/* Three gaps, one of two packets: each is named once. */
static void so_do_several(struct kunit *test)
{
	make_untimed();
	lose(0);
	lose(7);
	lose(8);
	lose(30);
	write_all(test);
	KUNIT_EXPECT_EQ(test, wire.requests, PACKETS + 4);
	KUNIT_EXPECT_EQ(test, ends_counter(1, "sent_nak"), 3ULL);
	/* The window is halved for the first alone. */
	KUNIT_EXPECT_EQ(test, ends_counter(0, "packet_seq_err"), 1ULL);
}

/* Many messages, so that gaps are between and inside of them, and a READ request is lost. */
static void messages_come_in_order(struct kunit *test)
{
	struct job job = { .op = IB_WR_SEND, .length = 600 };
	struct ib_wc wc = { };
	int i;

	make();
	for (i = 0; i < 20; i++)
		KUNIT_ASSERT_EQ(test, ends_recv(&pair, 1, i, i * 1024, 1024), 0);
	lose(2);
	lose(3);
	lose(15);
	lose(18);
	for (i = 0; i < 10; i++) {
		job.id = i;
		job.at = i * 1024;
		pair.end[0].buf[job.at] = 'a' + i;
		job.op = i == 5 ? IB_WR_RDMA_READ : IB_WR_SEND;
		job.remote_at = 32768;
		KUNIT_ASSERT_EQ(test, ends_post(&pair, 0, &job), 0);
	}
	for (i = 0; i < 10; i++)
		EXPECT_WC(&pair, pair.end[0].send_cq, i, IB_WC_SUCCESS);
	for (i = 0; i < 9; i++) {
		KUNIT_ASSERT_TRUE(test, ends_wait(pair.end[1].recv_cq, &wc));
		KUNIT_EXPECT_EQ(test, wc.wr_id, (u64)i);
		KUNIT_EXPECT_EQ(test, pair.end[1].buf[i * 1024], 'a' + i + (i > 4));
	}
	fake_restart(NULL);
	KUNIT_EXPECT_EQ(test, wire.num, 0U);
	KUNIT_EXPECT_EQ(test, ends_counter(0, "local_ack_timeout_err"), 0ULL);
}

/* @num READs at a time, of so many packets. */
static void read_all(struct kunit *test, int num, u32 packets)
{
	struct job job = { .op = IB_WR_RDMA_READ, .length = packets * MTU };
	int i;

	for (i = 0; i < num * packets * MTU; i++)
		pair.end[1].buf[i] = i / MTU + i;
	wire.answers = true;
	for (i = 0; i < num; i++) {
		job.id = i;
		job.at = i * packets * MTU;
		job.remote_at = job.at;
		KUNIT_ASSERT_EQ(test, ends_post(&pair, 0, &job), 0);
	}
	for (i = 0; i < num; i++)
		EXPECT_WC(&pair, pair.end[0].send_cq, i, IB_WC_SUCCESS);
	fake_restart(NULL);
	KUNIT_EXPECT_EQ(test, memcmp(pair.end[0].buf, pair.end[1].buf, num * packets * MTU), 0);
	KUNIT_EXPECT_EQ(test, wire.num, 0U);
	KUNIT_EXPECT_EQ(test, requester()->rtx.resend.left, 0);
	KUNIT_EXPECT_EQ(test, requester()->rtx.resend.placed, 0);
	KUNIT_EXPECT_EQ(test, ends_counter(0, "local_ack_timeout_err"), 0ULL);
}

/* A gap of a READ's response is requested again, and nothing behind it. */
static void a_gap_of_an_answer_too(struct kunit *test)
{
	make_untimed();
	lose(10);
	lose(11);
	read_all(test, 1, PACKETS);
	KUNIT_EXPECT_EQ(test, wire.responses, PACKETS + 2);
	KUNIT_EXPECT_EQ(test, wire.requests, 2U);
	KUNIT_EXPECT_EQ(test, ends_counter(0, "early_retransmits"), 0ULL);
}

/* Gaps in several READs, and over the end of one. */
static void and_of_several(struct kunit *test)
{
	make_untimed();
	lose(3);
	lose(PACKETS - 1);
	lose(PACKETS);
	lose(2 * PACKETS + 7);
	lose(2 * PACKETS + 20);
	read_all(test, 4, PACKETS);
	KUNIT_EXPECT_LT(test, wire.responses, 4 * PACKETS + PACKETS / 2);
}

/* A part is lost again: the response to a later request shows it, and no timer. */
static void a_part_is_lost_again(struct kunit *test)
{
	make_untimed();
	lose(10);
	lose(10);
	lose(20);
	lose(30);
	read_all(test, 1, PACKETS);
	KUNIT_EXPECT_EQ(test, wire.responses, PACKETS + 4);
	KUNIT_EXPECT_EQ(test, wire.requests, 5U);
	KUNIT_EXPECT_EQ(test, ends_counter(0, "early_retransmits"), 0ULL);
}

/* All of a READ's response but for the packets of others. */
static void a_whole_answer_is_lost(struct kunit *test)
{
	u32 i;

	make_untimed();
	for (i = 0; i < 8; i++)
		lose(8 + i);
	read_all(test, 3, 8);
	KUNIT_EXPECT_LT(test, wire.responses, 24U + 8U + 8U);
}

/* Its end: nothing shows it but time. */
static void the_end_of_an_answer_is_lost(struct kunit *test)
{
	make();
	lose(PACKETS - 1);
	lose(PACKETS - 2);
	read_all(test, 1, PACKETS);
	KUNIT_EXPECT_GE(test, ends_counter(0, "early_retransmits"), 1ULL);
	KUNIT_EXPECT_LE(test, wire.responses,
			PACKETS + 2 * ends_counter(0, "early_retransmits"));
}

/* The requester learns by a timer that something is missing still. */
static void it_is_lost_again(struct kunit *test)
{
	make();
	lose(10);
	lose(10);
	lose(20);
	write_all(test);
	KUNIT_EXPECT_GE(test, ends_counter(0, "early_retransmits"), 1ULL);
	KUNIT_EXPECT_LT(test, wire.requests, PACKETS + 12);
}

static void the_nak_is_lost(struct kunit *test)
{
	make();
	lose(10);
	lose(20);
	wire.naks = 2;
	write_all(test);
	KUNIT_EXPECT_GE(test, ends_counter(0, "early_retransmits"), 1ULL);
	/* The oldest as a probe, the other as it is named. */
	KUNIT_EXPECT_LT(test, wire.requests, PACKETS + 12);
}

/* There is nothing behind that could show it. */
static void the_end_is_lost(struct kunit *test)
{
	u32 i;

	make();
	for (i = PACKETS - 12; i < PACKETS; i++)
		lose(i);
	write_all(test);
	KUNIT_EXPECT_GE(test, ends_counter(0, "early_retransmits"), 1ULL);
	/* All of them are named at once: not one for each wait. */
	KUNIT_EXPECT_LT(test, ends_counter(0, "early_retransmits"), 6ULL);
}

/*
 * READs of a window each, as many as may be without a response, while none comes: the packets of
 * all their responses.
 */
static u32 read_ahead(struct kunit *test)
{
	struct job job = { .op = IB_WR_RDMA_READ, .length = IBT_WINDOW * MTU };
	u32 ahead;

	wire.mute = true;
	for (job.id = 0; job.id < 4; job.id++)
		KUNIT_ASSERT_EQ(test, ends_post(&pair, 0, &job), 0);
	msleep(50);
	ahead = ibt_psn_ahead(READ_ONCE(requester()->sq.high), wire.end);
	wire.mute = false;
	for (job.id = 0; job.id < 4; job.id++)
		EXPECT_WC(&pair, pair.end[0].send_cq, job.id, IB_WC_SUCCESS);
	fake_restart(NULL);
	return ahead;
}

static void reads_go_ahead(struct kunit *test)
{
	make();
	KUNIT_EXPECT_EQ(test, read_ahead(test), IBT_WINDOW_READS * IBT_WINDOW);
}

static void not_towards_a_plain_peer(struct kunit *test)
{
	ibt_selective = false;
	make();
	KUNIT_EXPECT_EQ(test, read_ahead(test), IBT_WINDOW);
	ibt_selective = true;
}

/* The peer is one that has never heard of it. */
static void a_plain_peer_gets_all_again(struct kunit *test)
{
	ends_make(&pair);
	ibt_selective = false;
	wire.end = requester()->sq.psn;
	fake_restart(lose_some);
	do_one(IB_WR_RDMA_WRITE, 1, 10);
	KUNIT_EXPECT_GE(test, wire.asked, 1U);
	KUNIT_EXPECT_EQ(test, (int)requester()->rtx.resend.peer, (int)IBT_PEER_DROPS);
	KUNIT_EXPECT_EQ(test, (int)responder()->resp.ooo.state, (int)IBT_OOO_DROP);
	wire.requests = 0;
	wire.marked = 0;
	lose(11);
	write_all(test);
	KUNIT_EXPECT_GT(test, wire.requests, PACKETS + 5);
	KUNIT_EXPECT_EQ(test, wire.marked, 0U);
	ibt_selective = true;
}

/* @num requests by hand, from @psn on, each of one packet. */
static void forge(u32 psn, u32 num, u32 marks)
{
	u8 bytes[12 + 16 + 16 + 4];
	u8 *at;

	for (; num--; psn++) {
		memset(bytes, 0, sizeof(bytes));
		at = put_bth(bytes, WRITE_ONLY, pair.end[1].qp->qp_num, psn & IBT_PSN_MASK);
		bytes[8] |= marks;
		put_reth(at, &pair, 1, 0, 16);
		fake_inject(1, bytes, sizeof(bytes));
	}
}

/* Within 20 s: a task executes what is too much for one packet's softirq. */
static bool comes_to(const struct ibt_resp *resp, u32 psn)
{
	int left = 20000;

	while (READ_ONCE(resp->psn) != psn && left--)
		usleep_range(1000, 2000);
	return left > 0;
}

/* A requester that never closes the gap, and sends what it likes. */
static void what_is_kept_has_a_bound(struct kunit *test)
{
	struct ibt_resp *resp;

	ends_make(&pair);
	resp = &responder()->resp;
	forge(pair.psn + 1, 300, IBT_MARK_KEEPS);
	KUNIT_EXPECT_EQ(test, skb_queue_len(&resp->ooo.skbs), 256U);
	/* The same once more, and from the other end. */
	forge(pair.psn + 1, 10, IBT_MARK_KEEPS | IBT_MARK_GAPS);
	KUNIT_EXPECT_EQ(test, skb_queue_len(&resp->ooo.skbs), 256U);
	KUNIT_EXPECT_EQ(test, resp->psn, pair.psn);
	/* It closes: all that was kept is executed, in its turn. */
	forge(pair.psn, 1, 0);
	KUNIT_EXPECT_TRUE(test, comes_to(resp, ibt_psn_add(pair.psn, 257)));
	KUNIT_EXPECT_EQ(test, skb_queue_len(&resp->ooo.skbs), 0U);
	KUNIT_EXPECT_EQ(test, atomic_read(&ibt_qp_dev(responder())->queued), 0);
	/* The queue pair goes while something is kept: fake_stop() looks for leaks. */
	forge(pair.psn + 300, 5, IBT_MARK_KEEPS);
	KUNIT_EXPECT_EQ(test, skb_queue_len(&resp->ooo.skbs), 5U);
	KUNIT_EXPECT_GT(test, atomic_read(&ibt_qp_dev(responder())->queued), 0);
}

/*
 * A requester is never as far ahead of what it has no response for. Such a packet is forged by a
 * sender that does not know the PSN, and it must not be executed when its PSN is expected.
 */
static void what_is_far_ahead_is_not_kept(struct kunit *test)
{
	struct ibt_resp *resp;

	ends_make(&pair);
	resp = &responder()->resp;
	forge(pair.psn + IBT_RESEND_SPAN - 1, 1, IBT_MARK_KEEPS);
	KUNIT_EXPECT_EQ(test, skb_queue_len(&resp->ooo.skbs), 1U);
	forge(pair.psn + IBT_RESEND_SPAN, 1, IBT_MARK_KEEPS);
	forge(pair.psn + BIT(22), 1, IBT_MARK_KEEPS);
	KUNIT_EXPECT_EQ(test, skb_queue_len(&resp->ooo.skbs), 1U);
	KUNIT_EXPECT_EQ(test, ends_counter(1, "sent_nak"), 2ULL);
}

/* Without the mark a responder drops what is out of order. */
static void nothing_is_kept_for_others(struct kunit *test)
{
	ends_make(&pair);
	forge(pair.psn + 1, 10, 0);
	KUNIT_EXPECT_EQ(test, skb_queue_len(&responder()->resp.ooo.skbs), 0U);
	KUNIT_EXPECT_EQ(test, ends_counter(1, "sent_nak"), 1ULL);
}

static struct kunit_case selective_cases[] = {
	KUNIT_CASE(one_comes_again_alone),
	KUNIT_CASE(so_do_several),
	KUNIT_CASE(messages_come_in_order),
	KUNIT_CASE(a_gap_of_an_answer_too),
	KUNIT_CASE(and_of_several),
	KUNIT_CASE(a_part_is_lost_again),
	KUNIT_CASE(a_whole_answer_is_lost),
	KUNIT_CASE(the_end_of_an_answer_is_lost),
	KUNIT_CASE(it_is_lost_again),
	KUNIT_CASE(the_nak_is_lost),
	KUNIT_CASE(the_end_is_lost),
	KUNIT_CASE(reads_go_ahead),
	KUNIT_CASE(not_towards_a_plain_peer),
	KUNIT_CASE(a_plain_peer_gets_all_again),
	KUNIT_CASE(what_is_kept_has_a_bound),
	KUNIT_CASE(what_is_far_ahead_is_not_kept),
	KUNIT_CASE(nothing_is_kept_for_others),
	{}
};

struct kunit_suite ibt_selective_suite = {
	.name = "ibt_engine_selective",
	.init = selective_init,
	.exit = selective_exit,
	.test_cases = selective_cases,
};

/* suite_init, suite_exit: other suites with selective recovery. */
int selective_begin(struct kunit_suite *suite)
{
	fake_selective = true;
	return 0;
}

void selective_end(struct kunit_suite *suite)
{
	fake_selective = false;
}
