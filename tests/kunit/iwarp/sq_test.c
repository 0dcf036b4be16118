// SPDX-License-Identifier: GPL-2.0
/*
 * The send queue of ofed_iwarp on its own: how many completions are made under one
 * lock, and in which order, with which status; and what is told of it.
 */
#include <kunit/test.h>
#include <linux/module.h>
#include <linux/skbuff.h>

#include "hw/iwarp/conn.h"
#include "hw/iwarp/cq.h"
#include "hw/iwarp/qp.h"
#include "hw/iwarp/qp_res.h"
#include "hw/iwarp/sq.h"

#define DEPTH	IW_MAX_QP_WR
/* Completions under one lock. */
#define MOST	64
/* Behind this one nothing has succeeded. */
#define BROKEN	1000

static struct {
	u64 wr_id;
	u32 num;
	u32 room;
	u32 good;
	u32 order;
	u32 kicks;
	u32 reposts;
} seen;

/* Of a program, which posts again whatever completes, and rings no doorbell. */
static struct siw_sqe ring[4];

static void program_posts(u64 wr_id)
{
	ring[wr_id % ARRAY_SIZE(ring)] = (struct siw_sqe){
		.id = wr_id, .opcode = SIW_OP_SEND, .flags = SIW_WQE_VALID | SIW_WQE_SIGNALLED,
	};
}

/* ---- what the send queue needs of others ------------------------------------------- */

int iw_ring_alloc(struct iw_ring *ring, u32 num, u32 bytes, u32 extra,
		  struct ib_ucontext *ucontext, u64 *key)
{
	return -ENOMEM;
}

void iw_ring_free(struct iw_ring *ring)
{
}

bool iw_cq_post_send(struct iw_cq *cq, const struct ib_wc *wc)
{
	if (seen.num == seen.room)
		return false;
	seen.order += wc->wr_id != seen.wr_id++;
	seen.good += wc->status == IB_WC_SUCCESS;
	seen.num++;
	if (seen.reposts) {
		seen.reposts--;
		program_posts(wc->wr_id + ARRAY_SIZE(ring));
	}
	return true;
}

void soft_hold_wait(struct soft_hold *hold)
{
	hold->delay = 1;
}

void iw_rq_flush(struct iw_qp *qp)
{
}

void iw_doorbell_user(struct iw_qp *qp)
{
}

void iw_tx_kick(struct iw_qp *qp)
{
	seen.kicks++;
}

struct iw_conn *iw_qp_conn(struct iw_qp *qp)
{
	return NULL;
}

void iw_conn_put(struct iw_conn *conn)
{
}

/* ---- a queue that is full ------------------------------------------------------------ */

static void post(struct kunit *test, struct iw_qp *qp, u64 wr_id)
{
	const struct ib_send_wr *bad, wr = {
		.wr_id = wr_id, .opcode = IB_WR_SEND, .send_flags = IB_SEND_SIGNALED,
	};

	KUNIT_ASSERT_EQ(test, iw_post_send(&qp->ib, &wr, &bad), 0);
}

static struct iw_qp *full_queue(struct kunit *test)
{
	struct ib_qp_init_attr init = { .cap.max_send_wr = DEPTH };
	struct iw_qp *qp = kunit_kzalloc(test, sizeof(*qp), GFP_KERNEL);
	struct iw_cq *cq = kunit_kzalloc(test, sizeof(*cq), GFP_KERNEL);
	u32 i;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, qp);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, cq);
	memset(&seen, 0, sizeof(seen));
	seen.room = U32_MAX;
	spin_lock_init(&qp->lock);
	qp->ib.send_cq = &cq->ib;
	qp->state = IW_RTS;
	KUNIT_ASSERT_EQ(test, iw_sq_alloc(qp, &init, NULL, NULL), 0);
	for (i = 0; i < DEPTH; i++)
		post(test, qp, i);
	return qp;
}

/* All that was posted was sent, and is done but for one. */
static void all_done_but(struct iw_qp *qp, u32 one)
{
	u32 i;

	qp->sq.next = qp->sq.head;
	for (i = 0; i < DEPTH; i++)
		if (i != one)
			iw_wqe_at(&qp->sq, i)->state = IW_SLOT_DONE;
}

/* Until all is complete; the most under one lock. */
static u32 complete_in_turns(struct iw_qp *qp)
{
	u32 most = 0, before;
	bool more;

	do {
		before = seen.num;
		spin_lock_irq(&qp->lock);
		more = iw_sq_complete(qp);
		spin_unlock_irq(&qp->lock);
		most = max(most, seen.num - before);
	} while (more);
	return most;
}

static void complete_test(struct kunit *test)
{
	struct iw_qp *qp = full_queue(test);

	all_done_but(qp, 0);
	KUNIT_EXPECT_EQ(test, complete_in_turns(qp), 0);
	iw_wqe_at(&qp->sq, 0)->state = IW_SLOT_DONE;
	KUNIT_EXPECT_EQ(test, complete_in_turns(qp), MOST);
	KUNIT_EXPECT_EQ(test, seen.num, DEPTH);
	KUNIT_EXPECT_EQ(test, seen.good, DEPTH);
	KUNIT_EXPECT_EQ(test, seen.order, 0);
	iw_sq_free(&qp->sq);
}

static bool claim(struct iw_qp *qp)
{
	bool claimed;

	spin_lock_irq(&qp->lock);
	qp->state = IW_ERROR;
	claimed = iw_sq_claim_flush(qp);
	spin_unlock_irq(&qp->lock);
	return claimed;
}

/* What is posted during a flush is flushed by it. */
static void flush_test(struct kunit *test)
{
	struct iw_qp *qp = full_queue(test);
	u32 most = 0, before;
	bool more;

	all_done_but(qp, BROKEN);
	KUNIT_ASSERT_TRUE(test, claim(qp));
	KUNIT_EXPECT_FALSE(test, claim(qp));
	do {
		before = seen.num;
		more = iw_sq_flush_some(qp);
		most = max(most, seen.num - before);
		if (before || !more)
			continue;
		before = seen.num;
		post(test, qp, DEPTH);
		KUNIT_EXPECT_EQ(test, seen.num, before);
		KUNIT_EXPECT_EQ(test, complete_in_turns(qp), 0);
	} while (more);
	KUNIT_EXPECT_EQ(test, most, MOST);
	KUNIT_EXPECT_EQ(test, seen.num, DEPTH + 1);
	KUNIT_EXPECT_EQ(test, seen.good, BROKEN);
	KUNIT_EXPECT_EQ(test, seen.order, 0);
	/* The flush is over: the poster flushes. */
	post(test, qp, DEPTH + 1);
	KUNIT_EXPECT_EQ(test, seen.num, DEPTH + 2);
	KUNIT_EXPECT_EQ(test, seen.good, BROKEN);
	iw_sq_free(&qp->sq);
}

/* A program's CQ has room for some; the rest waits, with its WQEs. */
static void full_cq_test(struct kunit *test)
{
	struct iw_qp *qp = full_queue(test);

	all_done_but(qp, BROKEN);
	seen.room = 100;
	complete_in_turns(qp);
	KUNIT_EXPECT_EQ(test, seen.num, 100);
	KUNIT_EXPECT_EQ(test, qp->sq.una, 100);
	KUNIT_EXPECT_TRUE(test, soft_hold_waits(&qp->sq.hold));
	seen.room = 150;
	complete_in_turns(qp);
	KUNIT_EXPECT_EQ(test, seen.num, 150);
	/* In the error state, too: in the middle of what was done, and behind it. */
	for (seen.room = 200; seen.num < DEPTH; seen.room += 777) {
		if (!claim(qp))
			break;
		while (iw_sq_flush_some(qp))
			;
		KUNIT_EXPECT_EQ(test, seen.num, min_t(u32, seen.room, DEPTH));
	}
	KUNIT_EXPECT_EQ(test, seen.num, DEPTH);
	KUNIT_EXPECT_FALSE(test, soft_hold_waits(&qp->sq.hold));
	KUNIT_EXPECT_EQ(test, seen.good, BROKEN);
	KUNIT_EXPECT_EQ(test, seen.order, 0);
	iw_sq_free(&qp->sq);
}

/* A call flushes some of what a program keeps posting, and has a work flush the rest. */
static void endless_flush_test(struct kunit *test)
{
	struct ib_qp_init_attr init = { .cap.max_send_wr = ARRAY_SIZE(ring) };
	struct iw_qp *qp = kunit_kzalloc(test, sizeof(*qp), GFP_KERNEL);
	struct iw_cq *cq = kunit_kzalloc(test, sizeof(*cq), GFP_KERNEL);
	u32 calls = 0, i;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, qp);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, cq);
	memset(&seen, 0, sizeof(seen));
	seen.room = U32_MAX;
	seen.reposts = 10 * ARRAY_SIZE(ring);
	spin_lock_init(&qp->lock);
	qp->ib.send_cq = &cq->ib;
	qp->state = IW_ERROR;
	KUNIT_ASSERT_EQ(test, iw_sq_alloc(qp, &init, NULL, NULL), 0);
	/* As if it were mapped: only that it is there matters. */
	qp->sq.ring = (struct iw_ring){
		.mem = ring, .num = ARRAY_SIZE(ring), .bytes = sizeof(*ring),
		.map = ERR_PTR(-ENODATA),
	};
	for (i = 0; i < ARRAY_SIZE(ring); i++)
		program_posts(i);
	do {
		seen.kicks = 0;
		iw_sq_flush(qp);
		calls++;
	} while (seen.kicks);
	KUNIT_EXPECT_EQ(test, seen.num, 11 * ARRAY_SIZE(ring));
	KUNIT_EXPECT_EQ(test, seen.good, 0);
	KUNIT_EXPECT_EQ(test, seen.order, 0);
	KUNIT_EXPECT_GT(test, calls, 1);
	iw_sq_free(&qp->sq);
}

/* A poster leaves its requests to the one that has tx.lock, which here only looks at them. */
static void look_test(struct kunit *test)
{
	struct sk_buff *msg = alloc_skb(PAGE_SIZE, GFP_KERNEL);
	struct iw_qp *qp = full_queue(test);

	KUNIT_ASSERT_NOT_NULL(test, msg);
	mutex_init(&qp->tx.lock);
	seen.kicks = 0;
	KUNIT_EXPECT_EQ(test, iw_res_ops.fill_res_qp_entry(msg, &qp->ib), 0);
	KUNIT_EXPECT_EQ(test, seen.kicks, 0);
	set_bit(0, &qp->tx.wanted);
	KUNIT_EXPECT_EQ(test, iw_res_ops.fill_res_qp_entry(msg, &qp->ib), 0);
	KUNIT_EXPECT_EQ(test, seen.kicks, 1);
	kfree_skb(msg);
	iw_sq_free(&qp->sq);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(complete_test),
	KUNIT_CASE(flush_test),
	KUNIT_CASE(full_cq_test),
	KUNIT_CASE(endless_flush_test),
	KUNIT_CASE(look_test),
	{}
};

static struct kunit_suite suite = {
	.name = "iw_sq",
	.test_cases = cases,
};

kunit_test_suites(&suite);
MODULE_DESCRIPTION("KUnit tests of the send queue of ofed_iwarp");
MODULE_LICENSE("GPL");
