// SPDX-License-Identifier: GPL-2.0
/*
 * Answers that there was no memory for, or that have to wait for those in front of them:
 * which of them are sent in the end. ack.c and tx_order.c are linked with this, and what
 * they call is played here.
 */
#include <kunit/test.h>
#include <linux/module.h>

#include "hw/ibt/ack.h"
#include "hw/ibt/dev.h"
#include "hw/ibt/exec.h"
#include "hw/ibt/link.h"
#include "hw/ibt/opcode.h"
#include "hw/ibt/path.h"
#include "hw/ibt/pkt.h"
#include "hw/ibt/port.h"
#include "hw/ibt/qp.h"
#include "hw/ibt/qp_counter.h"
#include "hw/ibt/resp_res.h"
#include "hw/ibt/stats.h"
#include "hw/ibt/tx.h"
#include "hw/ibt/tx_order.h"
#include "ack_played.h"

/* One test at a time. */
static struct stage {
	struct ibt_dev *dev;
	struct ibt_qp *qp;
	struct ibt_path path;
	bool memory;
	u32 works;	/* times that the work was asked for */
	u32 sent;
	u32 psn;	/* of the last packet */
	u8 syndrome;
	bool tx_in_flight;
	bool parked;	/* the answer of a READ in front of all */
	int queued_on;
} stage;

int played_cpu;

static bool played_under_way(const struct ibt_port *port)
{
	return stage.tx_in_flight;
}

static const struct ibt_link_ops played_link = { .tx_in_flight = played_under_way };

struct ibt_port *ibt_dev_port(struct ibt_dev *dev, u32 num)
{
	return &dev->ports[0];
}

void soft_task_queue_on(struct soft_task *task, int cpu)
{
	stage.queued_on = cpu;
}

bool ibt_replay_due_before(const struct ibt_resp *resp, u32 psn)
{
	return stage.parked;
}

struct ibt_path *ibt_qp_path(struct ibt_qp *qp)
{
	return &stage.path;
}

void ibt_path_put(struct ibt_path *path)
{
}

struct sk_buff *ibt_tx_alloc(const struct ibt_path *path, u32 length, gfp_t gfp)
{
	return stage.memory ? alloc_skb(64, gfp) : NULL;
}

int ibt_tx(struct ibt_path *path, struct sk_buff *skb, struct ibt_pkt *pkt,
	   u32 flow)
{
	stage.sent++;
	stage.psn = pkt->psn;
	stage.syndrome = pkt->syndrome;
	kfree_skb(skb);
	return 0;
}

/* No queue pair here has a counter. */
void ibt_counter_add(const struct ibt_qp *qp, enum ibt_stat stat, u32 more)
{
}

void played_resp_schedule(struct ibt_qp *qp, unsigned long delay)
{
	stage.works++;
}

void ibt_exec_failed(struct ibt_qp *qp, enum ibt_exec_status verdict)
{
}

static int answer_init(struct kunit *test)
{
	memset(&stage, 0, sizeof(stage));
	stage.dev = kunit_kzalloc(test, struct_size(stage.dev, ports, 1),
				  GFP_KERNEL);
	stage.qp = kunit_kzalloc(test, sizeof(*stage.qp), GFP_KERNEL);
	KUNIT_ASSERT_TRUE(test, stage.dev && stage.qp);
	stage.dev->stats = alloc_percpu(struct ibt_stats);
	KUNIT_ASSERT_TRUE(test, stage.dev->stats);
	stage.dev->link = &played_link;
	stage.dev->ports[0].dev = stage.dev;
	stage.path.port = &stage.dev->ports[0];
	played_cpu = HERE;
	stage.qp->ib.device = &stage.dev->soft.ib;
	spin_lock_init(&stage.qp->resp.lock);
	stage.qp->resp.cpu = SOFT_NO_CPU;
	return 0;
}

static void answer_exit(struct kunit *test)
{
	free_percpu(stage.dev->stats);
}

/* What the peer is told, with or without memory for it. */
enum what { AN_ACK, AN_SEQ, AN_RNR, AN_ATOMIC, AN_READ };

static void tell(enum what what, u32 psn, bool memory)
{
	static const struct ibt_opcode add = { .verb = IBT_FETCH_ADD };
	const struct ibt_pkt request = { .op = &add, .psn = psn };

	stage.memory = memory;
	spin_lock_bh(&stage.qp->resp.lock);
	switch (what) {
	case AN_ACK:
		ibt_resp_ack(stage.qp, psn);
		break;
	case AN_SEQ:
		ibt_resp_nak(stage.qp, psn, IBT_EXEC_PSN_ERR);
		break;
	case AN_RNR:
		ibt_resp_nak(stage.qp, psn, IBT_RNR);
		break;
	case AN_ATOMIC:
		stage.memory = true;
		ibt_resp_atomic(stage.qp, &stage.path,
				ibt_tx_alloc(&stage.path, 0, GFP_ATOMIC),
				&request, 0);
		break;
	case AN_READ:
		ibt_resp_ack_sent(&stage.qp->resp, psn);
		break;
	}
	spin_unlock_bh(&stage.qp->resp.lock);
}

static bool pay(bool memory)
{
	bool paid;

	stage.memory = memory;
	spin_lock_bh(&stage.qp->resp.lock);
	paid = ibt_resp_send_pending_ack(stage.qp);
	spin_unlock_bh(&stage.qp->resp.lock);
	return paid;
}

/*
 * First @owed is wanted at @pending_psn, and there is no memory; then @then. What is
 * still due afterwards, if any, is @due.
 */
static const struct {
	enum what owed;
	u32 pending_psn;
	enum what then;
	u32 psn;
	bool memory;
	int due;	/* syndrome, or -1 */
} rows[] = {
	/* Of duplicates: they say less. */
	{ AN_SEQ, 20, AN_ACK, 15, true, IBT_NAK_PSN },
	{ AN_SEQ, 20, AN_ACK, 15, false, IBT_NAK_PSN },
	{ AN_SEQ, 20, AN_ACK, 19, true, IBT_NAK_PSN },
	{ AN_SEQ, 20, AN_ATOMIC, 15, true, IBT_NAK_PSN },
	{ AN_SEQ, 20, AN_READ, 15, true, IBT_NAK_PSN },
	{ AN_RNR, 20, AN_ACK, 15, true, IBT_AETH_RNR },
	{ AN_RNR, 20, AN_ACK, 15, false, IBT_AETH_RNR },
	{ AN_RNR, 20, AN_READ, 19, true, IBT_AETH_RNR },
	{ AN_ACK, 20, AN_ACK, 15, true, IBT_ACK_NO_CREDITS },
	{ AN_ACK, 20, AN_READ, 15, true, IBT_ACK_NO_CREDITS },
	{ AN_SEQ, 3, AN_ACK, 0xfffffe, true, IBT_NAK_PSN },
	/* These say as much, or more. */
	{ AN_ACK, 20, AN_ACK, 20, true, -1 },
	{ AN_ACK, 20, AN_ACK, 25, true, -1 },
	{ AN_ACK, 20, AN_SEQ, 21, true, -1 },
	{ AN_ACK, 20, AN_ATOMIC, 21, true, -1 },
	{ AN_ACK, 20, AN_READ, 22, true, -1 },
	{ AN_ACK, 0xfffffe, AN_ACK, 3, true, -1 },
	{ AN_ACK, 20, AN_ACK, 25, false, IBT_ACK_NO_CREDITS },
	{ AN_ACK, 20, AN_RNR, 21, false, IBT_AETH_RNR },
	/* It came again: in vain, and well. */
	{ AN_SEQ, 20, AN_RNR, 20, true, -1 },
	{ AN_SEQ, 20, AN_RNR, 20, false, IBT_AETH_RNR },
	{ AN_RNR, 20, AN_ACK, 20, true, -1 },
	{ AN_SEQ, 20, AN_ATOMIC, 20, true, -1 },
};

static void what_is_owed_is_paid(struct kunit *test)
{
	struct ibt_resp *resp = &stage.qp->resp;
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		resp->owed = false;
		stage.works = 0;
		tell(rows[i].owed, rows[i].pending_psn, false);
		KUNIT_EXPECT_TRUE(test, resp->owed);
		KUNIT_EXPECT_EQ(test, stage.works, 1U);
		tell(rows[i].then, rows[i].psn, rows[i].memory);
		KUNIT_EXPECT_EQ_MSG(test, resp->owed, rows[i].due >= 0,
				    "row %d", i);

		KUNIT_EXPECT_EQ(test, pay(false), rows[i].due < 0);
		stage.sent = 0;
		KUNIT_EXPECT_TRUE(test, pay(true));
		KUNIT_EXPECT_EQ_MSG(test, stage.sent, (u32)(rows[i].due >= 0),
				    "row %d", i);
		if (rows[i].due >= 0)
			KUNIT_EXPECT_EQ_MSG(test, (int)stage.syndrome,
					    rows[i].due, "row %d", i);
		KUNIT_EXPECT_TRUE(test, pay(true));
		KUNIT_EXPECT_EQ(test, stage.sent, (u32)(rows[i].due >= 0));
	}
}

/*
 * An answer with PSN 20, made HERE. What was sent with data was sent on @cpu. The answer of a
 * READ has left up to @reading, and another waits if @parked.
 */
static const struct turn {
	int cpu;
	bool tx_in_flight;
	bool late;
	int reading;	/* -1: none */
	bool parked;
	bool leaves;
	int then;	/* resp.cpu */
	int queued_on;
} turns[] = {
	{ SOFT_NO_CPU, true, false, -1, false, true, SOFT_NO_CPU, SOFT_NO_CPU },
	{ HERE, true, false, -1, false, true, HERE, SOFT_NO_CPU },
	{ THERE, true, false, -1, false, false, THERE, THERE },
	{ THERE, false, false, -1, false, true, SOFT_NO_CPU, SOFT_NO_CPU },
	{ THERE, true, true, -1, false, true, SOFT_NO_CPU, SOFT_NO_CPU },
	{ OFFLINE, true, false, -1, false, true, SOFT_NO_CPU, SOFT_NO_CPU },
	/* The task goes on with the READ by itself. */
	{ HERE, false, false, 15, false, false, HERE, SOFT_NO_CPU },
	{ HERE, false, true, 15, false, false, HERE, SOFT_NO_CPU },
	{ THERE, true, false, 15, false, false, THERE, SOFT_NO_CPU },
	{ HERE, false, false, 0xfffff0, false, false, HERE, SOFT_NO_CPU },
	{ HERE, false, false, 20, false, true, HERE, SOFT_NO_CPU },
	{ HERE, false, false, 25, false, true, HERE, SOFT_NO_CPU },
	{ THERE, true, false, 25, false, false, THERE, THERE },
	{ HERE, false, false, -1, true, false, HERE, SOFT_NO_CPU },
	{ HERE, false, false, 25, true, false, HERE, SOFT_NO_CPU },
};

static void set_turn(const struct turn *turn)
{
	struct ibt_resp *resp = &stage.qp->resp;

	resp->cpu = turn->cpu;
	resp->late = turn->late;
	resp->reading.active = turn->reading >= 0;
	resp->reading.psn = turn->reading;
	resp->parked = turn->parked;
	resp->owed = false;
	stage.parked = turn->parked;
	stage.tx_in_flight = turn->tx_in_flight;
	stage.queued_on = SOFT_NO_CPU;
	stage.sent = 0;
}

/* Nor does it get lost: when nothing is in front of it any more it leaves. */
static void none_overtakes(struct kunit *test)
{
	static const enum what kinds[] = { AN_ACK, AN_SEQ, AN_RNR };
	struct ibt_resp *resp = &stage.qp->resp;
	const struct turn *turn;
	int i;

	for (i = 0; i < ARRAY_SIZE(turns) * ARRAY_SIZE(kinds); i++) {
		turn = &turns[i / ARRAY_SIZE(kinds)];
		set_turn(turn);
		tell(kinds[i % ARRAY_SIZE(kinds)], 20, true);
		KUNIT_EXPECT_EQ_MSG(test, stage.sent,
				    (u32)turn->leaves, "row %d", i);
		KUNIT_EXPECT_EQ_MSG(test, resp->owed,
				    !turn->leaves, "row %d", i);
		KUNIT_EXPECT_EQ_MSG(test, resp->cpu,
				    turn->then, "row %d", i);
		KUNIT_EXPECT_EQ_MSG(test, stage.queued_on,
				    turn->queued_on, "row %d", i);
		KUNIT_EXPECT_EQ_MSG(test, pay(true), !resp->owed, "row %d", i);
		resp->reading.active = false;
		resp->parked = 0;
		stage.tx_in_flight = false;
		KUNIT_EXPECT_TRUE(test, pay(true));
		KUNIT_EXPECT_EQ_MSG(test, stage.sent, 1U, "row %d", i);
	}
}

/* What comes behind the answer of an atomic goes where that went. */
static void atomics_are_not_overtaken(struct kunit *test)
{
	struct ibt_resp *resp = &stage.qp->resp;

	stage.tx_in_flight = true;
	tell(AN_ATOMIC, 20, true);
	KUNIT_EXPECT_EQ(test, resp->cpu, (int)HERE);
	stage.sent = 0;
	played_cpu = THERE;
	tell(AN_ACK, 21, true);
	KUNIT_EXPECT_EQ(test, stage.sent, 0U);
	KUNIT_EXPECT_EQ(test, stage.queued_on, (int)HERE);
	resp->late = true;
	KUNIT_EXPECT_TRUE(test, pay(true));
	KUNIT_EXPECT_EQ(test, stage.sent, 1U);
}

static struct kunit_case answer_cases[] = {
	KUNIT_CASE(what_is_owed_is_paid),
	KUNIT_CASE(none_overtakes),
	KUNIT_CASE(atomics_are_not_overtaken),
	{ }
};

static struct kunit_suite answer_suite = {
	.name = "ibt_answer",
	.init = answer_init,
	.exit = answer_exit,
	.test_cases = answer_cases,
};
kunit_test_suite(answer_suite);

MODULE_DESCRIPTION("KUnit tests of answers that wait");
MODULE_LICENSE("GPL");
