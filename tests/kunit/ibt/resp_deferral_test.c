// SPDX-License-Identifier: GPL-2.0
/*
 * What the responder does not give up, though it could not go on for a moment: a
 * message for memory that was out of reach, an answer that could not be sent, or
 * was put off, requests that come while an answer is made, or to a queue that is being
 * flushed. And what it refuses in its turn alone.
 *
 * Packets are made by hand and handed over by fake_inject(): each has been
 * executed, or not, when that returns.
 */
#include "hw/ibt/qp.h"
#include "hw/soft/mr_table.h"
#include "hw/soft/pages.h"
#include "engine.h"

/* First bytes of packets: opcodes. */
enum {
	SEND_FIRST = 0x00,
	SEND_MIDDLE = 0x01,
	SEND_LAST = 0x02,
	WRITE_FIRST = 0x06,
	WRITE_MIDDLE = 0x07,
	WRITE_LAST = 0x08,
	WRITE_ONLY = 0x0a,
};

static struct pair pair;

static int again_init(struct kunit *test)
{
	ends_defaults(&pair, test, IB_QPT_RC);
	return fake_start();
}

static void again_exit(struct kunit *test)
{
	pair.test = test;
	ends_drop(&pair);
	fake_stop();
}

static struct ibt_qp *responder(void)
{
	return to_ibt_qp(pair.end[1].qp);
}

/* ---- memory that is out of reach ------------------------------------------------------ */

/* A message of three packets, of which the second goes over the end of a page. */
enum {
	MTU = 256,
	REST = 100,
	BYTES = 2 * MTU + REST,
	PLACE = PAGE_SIZE - MTU - REST,
};

struct message {
	u8 opcodes[3];
	int dropped;	/* at first; it comes again */
};

/* Packet number @i, full of a letter of its own. */
static void forge_part(const struct message *message, int i)
{
	u8 bytes[12 + 16 + MTU + 4] = { };
	u32 length = i == 2 ? REST : MTU;
	u8 *at = put_bth(bytes, message->opcodes[i], pair.end[1].qp->qp_num,
			 pair.psn + i);

	if (message->opcodes[i] == WRITE_FIRST)
		at = put_reth(at, &pair, 1, PLACE, BYTES);
	memset(at, 'a' + i, length);
	fake_inject(1, bytes, at - bytes + length + 4);
}

/*
 * The key grants what it did, but behind the first page there is nothing, as if it
 * were registered anew between the copy and the look at the cause.
 */
static void forge_out_of_reach(const struct message *message, int i)
{
	struct soft_region *region = container_of(pair.end[1].mr,
						  struct soft_region, mr);
	u32 pages = region->pages->num;

	region->pages->num = 1;
	forge_part(message, i);
	region->pages->num = pages;
}

static void expect_part(int i)
{
	const u8 *at = pair.end[1].buf + PLACE + i * MTU;

	KUNIT_EXPECT_PTR_EQ(pair.test,
			    memchr_inv(at, 'a' + i, i == 2 ? REST : MTU), NULL);
}

static void post_place(void)
{
	struct ib_sge sge = {
		.addr = pair.end[1].mr->iova + PLACE,
		.length = BYTES,
		.lkey = pair.end[1].mr->lkey,
	};
	struct ib_recv_wr wr = { .wr_id = 6, .sg_list = &sge, .num_sge = 1 };

	KUNIT_ASSERT_EQ(pair.test, ib_post_recv(pair.end[1].qp, &wr, NULL), 0);
}

/* The peer hears nothing, comes again with the same packet, and all is well. */
static void expect_kept(const struct message *message)
{
	struct kunit *test = pair.test;
	u64 dropped, refused;
	int i;

	ends_make(&pair);
	post_place();
	dropped = ends_counter(1, "rx_dropped");
	refused = ends_counter(1, "sent_nak");
	for (i = 0; i < 3; i++) {
		if (i == message->dropped) {
			forge_out_of_reach(message, i);
			KUNIT_EXPECT_EQ(test, ends_counter(1, "rx_dropped"),
					dropped + 1);
		}
		forge_part(message, i);
	}
	KUNIT_EXPECT_EQ(test, ends_counter(1, "rx_dropped"), dropped + 1);
	KUNIT_EXPECT_EQ(test, ends_counter(1, "sent_nak"), refused);
	KUNIT_EXPECT_EQ(test, ends_state(&pair, 1), IB_QPS_RTS);
	KUNIT_EXPECT_EQ(test, responder()->resp.psn,
			(pair.psn + 3) & IBT_PSN_MASK);
	for (i = 0; i < 3; i++)
		expect_part(i);
	if (message->opcodes[0] == SEND_FIRST)
		EXPECT_WC(&pair, pair.end[1].recv_cq, 6, IB_WC_SUCCESS);
	ends_drop(&pair);
}

static void dropped_in_mid_message(struct kunit *test)
{
	static const struct message messages[] = {
		{ { SEND_FIRST, SEND_MIDDLE, SEND_LAST }, 1 },
		{ { SEND_FIRST, SEND_MIDDLE, SEND_LAST }, 2 },
		{ { WRITE_FIRST, WRITE_MIDDLE, WRITE_LAST }, 1 },
		{ { WRITE_FIRST, WRITE_MIDDLE, WRITE_LAST }, 2 },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(messages); i++)
		expect_kept(&messages[i]);
}

/* ---- an answer that could not be sent --------------------------------------------------- */

static void forge_write(u32 psn)
{
	u8 bytes[12 + 16 + 8 + 4] = { };

	put_reth(put_bth(bytes, WRITE_ONLY, pair.end[1].qp->qp_num, psn),
		 &pair, 1, 0, 8);
	fake_inject(1, bytes, sizeof(bytes));
}

/* As when a packet behind a gap came, and there was no memory for the NAK. */
static void owe_nak(void)
{
	struct ibt_resp *resp = &responder()->resp;

	spin_lock_bh(&resp->lock);
	resp->owed = true;
	resp->pending_psn = resp->psn;
	resp->pending_syndrome = IBT_NAK_PSN;
	resp->nak_sent = true;
	spin_unlock_bh(&resp->lock);
}

/* What the lack of memory has queued, in time. */
static void run_work(void)
{
	struct ibt_resp *resp = &responder()->resp;

	mod_delayed_work(ibt_qp_dev(responder())->queues.any, &resp->work, 0);
	flush_delayed_work(&resp->work);
}

/* So many answers have left, and this is the last. */
static void expect_answer(u32 number, u32 psn, u8 syndrome)
{
	const u8 *bth;

	fake_restart(NULL);
	KUNIT_ASSERT_EQ(pair.test, fake.num_kept, number);
	bth = fake.kept[number - 1]->data + FAKE_BYTES;
	KUNIT_EXPECT_EQ(pair.test, (u32)(bth[9] << 16 | bth[10] << 8 | bth[11]),
			psn & IBT_PSN_MASK);
	KUNIT_EXPECT_EQ(pair.test, bth[12], syndrome);
}

/*
 * The peer waits for the NAK: an ACK of something older, for a copy that the
 * network made, is not it.
 */
static void owed_nak_is_sent(struct kunit *test)
{
	const u8 ack = IBT_AETH_ACK | IBT_ACK_NO_CREDITS;

	ends_make(&pair);
	fake.keep = true;
	forge_write(pair.psn);
	expect_answer(1, pair.psn, ack);
	owe_nak();
	forge_write(pair.psn);
	expect_answer(2, pair.psn, ack);
	KUNIT_EXPECT_TRUE(test, responder()->resp.owed);
	run_work();
	expect_answer(3, pair.psn + 1, IBT_NAK_PSN);
	KUNIT_EXPECT_FALSE(test, responder()->resp.owed);

	/* What was missing comes by itself: there is nothing to be said any more. */
	owe_nak();
	forge_write(pair.psn + 1);
	expect_answer(4, pair.psn + 1, ack);
	KUNIT_EXPECT_FALSE(test, responder()->resp.owed);
	run_work();
	expect_answer(4, pair.psn + 1, ack);
	fake.keep = false;
}

/* ---- ACKs of what comes together --------------------------------------------------------- */

static struct {
	u32 psn;	/* of the next */
	u32 left;	/* that come together */
} burst;

static void burst_comes(struct tasklet_struct *unused)
{
	for (; burst.left; burst.left--)
		forge_write(burst.psn++);
}

static DECLARE_TASKLET(burst_tasklet, burst_comes);

/* @number requests that one softirq receives, after which so many answers have left. */
static void expect_acks(u32 number, u32 answers)
{
	burst.left = number;
	local_bh_disable();
	tasklet_schedule(&burst_tasklet);
	local_bh_enable();
	/* Both run before they are killed. */
	tasklet_kill(&burst_tasklet);
	tasklet_kill(&responder()->resp.ack_tasklet);
	expect_answer(answers, burst.psn - 1, IBT_AETH_ACK | IBT_ACK_NO_CREDITS);
}

/* One does for all, but a single request does not wait for others each time. */
static void acks_are_merged(struct kunit *test)
{
	ends_make(&pair);
	burst.psn = pair.psn;
	fake.keep = true;
	expect_acks(3, 1);
	expect_acks(2, 2);
	/* It was put off for nothing: the next eight are not. */
	expect_acks(1, 3);
	expect_acks(5, 8);
	expect_acks(3, 11);
	expect_acks(4, 12);
	/* That one was of use, so the next is put off as well. */
	expect_acks(2, 13);
	fake.keep = false;
}

/* ---- requests that come while a round has the lock --------------------------------------- */

/* As if a round had the lock from here on. */
static void open_box(void)
{
	atomic_set(&responder()->resp.task.state, SOFT_TASK_BUSY);
}

/* And to here; so many lie there. Another round follows, or has not begun. */
static void close_box(u32 number, bool seen)
{
	struct ibt_resp *resp = &responder()->resp;

	KUNIT_EXPECT_EQ(pair.test, skb_queue_len(&resp->inbox.skbs), number);
	atomic_set(&resp->task.state, SOFT_TASK_IDLE);
	if (seen)
		run_work();
}

static void requests_wait_in_box(struct kunit *test)
{
	const u8 ack = IBT_AETH_ACK | IBT_ACK_NO_CREDITS;
	int charged;
	u32 i;

	ends_make(&pair);
	fake.keep = true;
	charged = atomic_read(&ibt_qp_dev(responder())->queued);
	open_box();
	forge_write(pair.psn);
	forge_write(pair.psn + 1);
	KUNIT_EXPECT_EQ(test, responder()->resp.psn, pair.psn);
	close_box(2, true);
	KUNIT_EXPECT_EQ(test, responder()->resp.psn, pair.psn + 2);
	close_box(0, true);

	/* The next packet finds them there, and they are received before it. */
	open_box();
	forge_write(pair.psn + 2);
	close_box(1, false);
	forge_write(pair.psn + 3);
	close_box(0, true);
	expect_answer(4, pair.psn + 3, ack);
	KUNIT_EXPECT_EQ(test, ends_counter(1, "sent_nak"), 0ULL);

	/* What it has no room for waits for the lock. */
	open_box();
	for (i = 0; i < IBT_MAX_INBOX; i++)
		forge_write(pair.psn + 4 + i);
	KUNIT_EXPECT_EQ(test, responder()->resp.psn, pair.psn + 4);
	forge_write(pair.psn + 4 + i);
	KUNIT_EXPECT_EQ(test, responder()->resp.psn,
			(pair.psn + 5 + i) & IBT_PSN_MASK);
	close_box(0, true);
	KUNIT_EXPECT_EQ(test, ends_counter(1, "sent_nak"), 0ULL);
	KUNIT_EXPECT_EQ(test, atomic_read(&ibt_qp_dev(responder())->queued),
			charged);
	fake.keep = false;
}

/* ---- a queue that is filled while it is flushed ------------------------------------------- */

/* Two turns of the work make it empty, if no poster fills it. */
#define SLOTS	511

/* One in front of a last turn would do. */
#define REFILLS	3

/**
 * struct filler - a consumer that posts again what completes
 * @qp: in the error state
 * @refills: how often it will
 * @posted: their wr_id counts
 * @flushed: completions
 * @wrong: of these, those that were not expected
 */
static struct filler {
	struct ib_qp *qp;
	u32 refills;
	u64 posted;
	u64 flushed;
	u32 wrong;
} filler;

static void take_flushed(struct ib_cq *cq)
{
	struct ib_wc wc;

	while (ib_poll_cq(cq, 1, &wc) == 1) {
		filler.wrong += wc.wr_id != filler.flushed ||
				wc.status != IB_WC_WR_FLUSH_ERR;
		WRITE_ONCE(filler.flushed, filler.flushed + 1);
	}
}

static void fill(void)
{
	struct ib_recv_wr wr = { .wr_id = filler.posted };

	while (!ib_post_recv(filler.qp, &wr, NULL))
		wr.wr_id++;
	WRITE_ONCE(filler.posted, wr.wr_id);
}

/*
 * The tasklet of the CQ: it runs where the work has added completions, as soon as
 * that drops the lock, which is between two turns.
 */
static void refill(struct ib_cq *cq, void *context)
{
	do {
		take_flushed(cq);
	} while (ib_req_notify_cq(cq, IB_CQ_NEXT_COMP |
				  IB_CQ_REPORT_MISSED_EVENTS) > 0);
	if (!filler.refills)
		return;
	fill();
	/* What was posted is seen with it. */
	smp_store_release(&filler.refills, filler.refills - 1);
}

static bool all_flushed(void)
{
	/* Pairs with the release in refill(). */
	if (smp_load_acquire(&filler.refills))
		return false;
	return READ_ONCE(filler.flushed) == READ_ONCE(filler.posted);
}

/* Full before the work can look, and @refills times again. All of it is flushed. */
static void fill_and_wait(u32 refills)
{
	struct ibt_resp *resp = &to_ibt_qp(filler.qp)->resp;
	unsigned long deadline = jiffies + 20 * HZ;

	spin_lock_bh(&resp->lock);
	filler.refills = refills;
	fill();
	spin_unlock_bh(&resp->lock);
	while (!all_flushed() && time_before(jiffies, deadline))
		usleep_range(500, 1000);
	flush_delayed_work(&resp->work);
	KUNIT_EXPECT_EQ(pair.test, filler.refills, 0U);
	KUNIT_EXPECT_EQ(pair.test, filler.flushed, filler.posted);
	KUNIT_EXPECT_EQ(pair.test, filler.wrong, 0U);
}

static void make_filler(struct ib_cq *cq)
{
	struct ib_qp_init_attr init = {
		.qp_type = IB_QPT_RC,
		.send_cq = pair.end[1].send_cq,
		.recv_cq = cq,
		.cap = { .max_send_wr = 1, .max_recv_wr = SLOTS,
			 .max_send_sge = 1, .max_recv_sge = 1 },
	};
	struct ib_qp_attr attr = { .qp_state = IB_QPS_INIT, .port_num = 1 };

	filler = (struct filler){ };
	filler.qp = ib_create_qp(pair.end[1].pd, &init);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(pair.test, filler.qp);
	KUNIT_EXPECT_EQ(pair.test, init.cap.max_recv_wr, (u32)SLOTS);
	KUNIT_EXPECT_EQ(pair.test,
			ib_modify_qp(filler.qp, &attr, IB_QP_STATE | IB_QP_PORT |
				     IB_QP_PKEY_INDEX | IB_QP_ACCESS_FLAGS), 0);
	attr.qp_state = IB_QPS_ERR;
	KUNIT_EXPECT_EQ(pair.test, ib_modify_qp(filler.qp, &attr, IB_QP_STATE),
			0);
}

/*
 * A poster that fills it as fast as it is emptied has to wait. The delay of the work is
 * its trace: it grows when the queue is not empty after a last turn, only then.
 */
static void filled_while_flushed(struct kunit *test)
{
	struct ib_cq_init_attr cq_attr = { .cqe = 2 * SLOTS };
	struct ibt_resp *resp;
	unsigned long delay;
	struct ib_cq *cq;

	ends_make(&pair);
	cq = ib_create_cq(pair.end[1].ib, refill, NULL, NULL, &cq_attr);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, cq);
	make_filler(cq);
	resp = &to_ibt_qp(filler.qp)->resp;
	ib_req_notify_cq(cq, IB_CQ_NEXT_COMP);
	delay = resp->flush_delay;

	/* Filled once, it is empty after the last turn: no cause to wait. */
	fill_and_wait(0);
	KUNIT_EXPECT_EQ(test, filler.posted, (u64)SLOTS);
	KUNIT_EXPECT_EQ(test, resp->flush_delay, delay);

	/* Filled again between the turns, it is not. */
	fill_and_wait(REFILLS);
	KUNIT_EXPECT_GT(test, filler.posted, 2ULL * SLOTS);
	KUNIT_EXPECT_GT(test, resp->flush_delay, delay);

	filler.refills = 0;
	ib_destroy_qp(filler.qp);
	ib_destroy_cq(cq);
}

/* ---- opcodes that say nothing ------------------------------------------------------------------------ */

static void forge_unknown(u8 opcode, u32 psn)
{
	u8 bytes[12 + 16 + 4] = { };

	put_bth(bytes, opcode, pair.end[1].qp->qp_num, psn);
	fake_inject(1, bytes, sizeof(bytes));
}

static u8 last_syndrome(u32 number)
{
	fake_restart(NULL);
	KUNIT_EXPECT_EQ(pair.test, fake.num_kept, number);
	if (fake.num_kept != number)
		return 0;
	return fake.kept[(number - 1) % FAKE_KEPT]->data[FAKE_BYTES + 12];
}

/* Refused in their turn, and no sooner. */
static void unknown_is_refused(struct kunit *test)
{
	static const u8 opcodes[] = {
		0x15, 0x18, 0x19, 0x1a, 0x1b, 0x1e, 0x1f,
	};
	int i;

	fake.keep = true;
	for (i = 0; i < ARRAY_SIZE(opcodes); i++) {
		fake.num_kept = 0;
		ends_make(&pair);
		forge_unknown(opcodes[i], pair.psn - 1);
		fake_restart(NULL);
		KUNIT_EXPECT_EQ(test, fake.num_kept, 0U);
		forge_unknown(opcodes[i], pair.psn + 3);
		KUNIT_EXPECT_EQ(test, last_syndrome(1), IBT_NAK_PSN);
		KUNIT_EXPECT_EQ(test, ends_state(&pair, 1), IB_QPS_RTS);
		forge_unknown(opcodes[i], pair.psn);
		KUNIT_EXPECT_EQ(test, last_syndrome(2), IBT_NAK_INVALID);
		KUNIT_EXPECT_TRUE(test, ends_events(&pair, 1,
						    IB_EVENT_QP_REQ_ERR, 1));
		KUNIT_EXPECT_EQ(test, ends_state(&pair, 1), IB_QPS_ERR);
		ends_drop(&pair);
	}
	fake.keep = false;
}

static struct kunit_case again_cases[] = {
	KUNIT_CASE(dropped_in_mid_message),
	KUNIT_CASE(owed_nak_is_sent),
	KUNIT_CASE(acks_are_merged),
	KUNIT_CASE(requests_wait_in_box),
	KUNIT_CASE(filled_while_flushed),
	KUNIT_CASE(unknown_is_refused),
	{ }
};

struct kunit_suite ibt_again_suite = {
	.name = "ibt_engine_again",
	.init = again_init,
	.exit = again_exit,
	.test_cases = again_cases,
};
