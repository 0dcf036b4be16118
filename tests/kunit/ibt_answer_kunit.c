// SPDX-License-Identifier: GPL-2.0
/*
 * Answers that there was no memory for: which of them are sent in the end. ack.c is
 * built into this module, and what it calls is played here.
 */
#include <kunit/test.h>
#include <linux/module.h>

#define ibt_path_put played_path_put

#include "../../hw/ibt/opcode.c"
/* Names of the rows there; headers have other uses for such letters. */
#undef F
#undef M
#undef L
#undef O
#undef BARE
#undef RECV
#undef RESP
#include "../../hw/ibt/dev.h"
#include "../../hw/ibt/qp.h"
#include "../../hw/ibt/responder.h"
#define ibt_resp_later played_later
static void played_later(struct ibt_qp *qp, unsigned long delay);
#include "../../hw/ibt/ack.c"

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
} stage;

struct ibt_path *ibt_qp_path(struct ibt_qp *qp)
{
	return &stage.path;
}

void played_path_put(struct ibt_path *path)
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

static void played_later(struct ibt_qp *qp, unsigned long delay)
{
	stage.works++;
}

void ibt_exec_failed(struct ibt_qp *qp, enum ibt_verdict verdict)
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
	stage.path.port = &stage.dev->ports[0];
	stage.qp->ib.device = &stage.dev->soft.ib;
	spin_lock_init(&stage.qp->resp.lock);
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
		ibt_resp_refuse(stage.qp, psn, IBT_SEQ);
		break;
	case AN_RNR:
		ibt_resp_refuse(stage.qp, psn, IBT_RNR);
		break;
	case AN_ATOMIC:
		stage.memory = true;
		ibt_resp_atomic(stage.qp, &stage.path,
				ibt_tx_alloc(&stage.path, 0, GFP_ATOMIC),
				&request, 0);
		break;
	case AN_READ:
		ibt_resp_told(&stage.qp->resp, psn);
		break;
	}
	spin_unlock_bh(&stage.qp->resp.lock);
}

static bool pay(bool memory)
{
	bool paid;

	stage.memory = memory;
	spin_lock_bh(&stage.qp->resp.lock);
	paid = ibt_resp_pay(stage.qp);
	spin_unlock_bh(&stage.qp->resp.lock);
	return paid;
}

/*
 * First @owed is wanted at @owed_psn, and there is no memory; then @then. What is
 * still due afterwards, if any, is @due.
 */
static const struct {
	enum what owed;
	u32 owed_psn;
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
		tell(rows[i].owed, rows[i].owed_psn, false);
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

static struct kunit_case answer_cases[] = {
	KUNIT_CASE(what_is_owed_is_paid),
	{ }
};

static struct kunit_suite answer_suite = {
	.name = "ibt_answer",
	.init = answer_init,
	.exit = answer_exit,
	.test_cases = answer_cases,
};
kunit_test_suite(answer_suite);

MODULE_DESCRIPTION("KUnit tests of answers without memory");
MODULE_LICENSE("GPL");
