// SPDX-License-Identifier: GPL-2.0
/*
 * Where sending goes on: the pure function against a table. Each row is a send
 * queue, written as a string of requests from the oldest on, and a PSN; the MTU is
 * 1024, so that a request of n packets has n KiB.
 */
#include <kunit/test.h>
#include <linux/module.h>

#include "hw/ibt/pkt.h"
#include "hw/ibt/qp.h"
#include "hw/ibt/retry.h"
#include "hw/ibt/sq.h"
#include "hw/ibt/wqe.h"

#define MTU	1024
#define SLOTS	8

/* In a row: D done, S sent (or half of it), W waiting, L carried out here. */
struct request {
	char kind;
	u8 packets;
};

struct row {
	const char *name;
	u32 first_psn;		/* of the oldest request */
	u32 una;		/* as a distance from it */
	u32 psn;		/* the same */
	u32 wqe;		/* expected, as a distance from tail */
	u32 offset;
	struct request queue[SLOTS + 1];
};

static const struct row rows[] = {
	{ "empty queue", 0, 0, 0, 0, 0, {} },
	{ "nothing was begun", 5, 0, 0, 0, 0, { { 'W', 0 }, { 'W', 0 } } },
	{ "the oldest, from its beginning", 5, 0, 0, 0, 0, { { 'S', 3 } } },
	{ "the oldest, in the middle", 5, 0, 2, 0, 2 * MTU, { { 'S', 3 } } },
	{ "its last packet", 5, 2, 2, 0, 2 * MTU, { { 'S', 3 } } },
	{ "the second", 5, 0, 3, 1, 0, { { 'S', 3 }, { 'S', 2 } } },
	{ "the second, una is in the first", 5, 2, 4, 1, MTU,
	  { { 'S', 3 }, { 'S', 2 } } },
	{ "what is done is passed over", 5, 4, 4, 2, 0,
	  { { 'D', 3 }, { 'D', 1 }, { 'S', 4 } } },
	{ "carried out here: not again", 5, 1, 1, 2, 0,
	  { { 'D', 1 }, { 'L', 0 }, { 'S', 1 } } },
	{ "between two that go out again", 5, 0, 0, 0, 0,
	  { { 'S', 1 }, { 'L', 0 }, { 'S', 1 } } },
	{ "behind everything that was sent", 5, 4, 4, 2, 0,
	  { { 'D', 2 }, { 'D', 2 }, { 'W', 0 } } },
	{ "all is done, nothing waits", 5, 4, 4, 2, 0,
	  { { 'D', 2 }, { 'D', 2 } } },
	{ "what waits comes before what is behind it", 5, 1, 1, 1, 0,
	  { { 'D', 1 }, { 'W', 0 }, { 'W', 0 } } },
	{ "wrap inside of the request", 0xfffffe, 0, 3, 0, 3 * MTU,
	  { { 'S', 5 } } },
	{ "wrap between two requests", 0xfffffe, 0, 2, 1, 0,
	  { { 'S', 2 }, { 'S', 2 } } },
	{ "wrap before una", 0xfffffe, 3, 4, 1, 2 * MTU,
	  { { 'D', 2 }, { 'S', 4 } } },
	{ "the rest of a READ after the wrap", 0xffffff, 1, 1, 0, MTU,
	  { { 'S', 200 } } },
	{ "the last PSN of the circle", 0xfffffe, 0, 1, 0, MTU,
	  { { 'S', 2 }, { 'W', 0 } } },
};

struct queue {
	struct ibt_sq sq;
	u32 head;
};

/* Not on the stack: with KASAN two of them are more than a frame may hold. */
static struct queue *build(struct kunit *test, const struct row *row, u32 tail)
{
	const struct request *r = row->queue;
	u32 psn = row->first_psn;
	struct ibt_wqe *wqe;
	struct queue *q;

	q = kunit_kzalloc(test, sizeof(*q), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, q);
	q->sq.stride = ALIGN(sizeof(struct ibt_wqe), 16);
	q->sq.mask = SLOTS - 1;
	q->sq.wqes = kunit_kzalloc(test, q->sq.stride * SLOTS, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, q->sq.wqes);
	q->sq.tail = tail;
	q->sq.una = ibt_psn_add(row->first_psn, row->una);
	for (q->head = tail; r->kind; r++, q->head++) {
		wqe = ibt_wqe_at(&q->sq, q->head);
		wqe->state = r->kind == 'S' ? IBT_WQE_SENT :
			      r->kind == 'W' ? IBT_WQE_POSTED :
					       IBT_WQE_DONE;
		wqe->length = r->packets * MTU;
		wqe->numbered = r->packets;
		wqe->first_psn = psn;
		wqe->last_psn = ibt_psn_add(psn, r->packets - 1);
		psn = ibt_psn_add(psn, r->packets);
	}
	return q;
}

static void check_row(struct kunit *test, const struct row *row, u32 tail)
{
	struct queue *q = build(test, row, tail);
	struct ibt_resend_pos at;

	at = ibt_resend_pos_of(&q->sq, q->head, MTU,
			       ibt_psn_add(row->first_psn, row->psn));
	KUNIT_EXPECT_EQ_MSG(test, at.wqe, tail + row->wqe, "%s", row->name);
	KUNIT_EXPECT_EQ_MSG(test, at.offset, row->offset, "%s", row->name);
}

/* Also where the queue's own indices run past its end, and past 2^32. */
static void retry_table(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		check_row(test, &rows[i], 0);
		check_row(test, &rows[i], SLOTS - 1);
		check_row(test, &rows[i], U32_MAX);
	}
}

/* Wherever the circle begins, and for every packet of every request. */
static void retry_everywhere(struct kunit *test)
{
	static const u32 starts[] = { 0, 1, 0x7ffffe, 0x800000, 0xfffff0 };
	static const struct row plan = {
		.queue = { { 'S', 3 }, { 'S', 1 }, { 'S', 7 }, { 'S', 5 } },
	};
	unsigned int i, r, p, n;
	struct row row;

	for (i = 0; i < ARRAY_SIZE(starts); i++) {
		row = plan;
		row.name = "everywhere";
		row.first_psn = starts[i];
		for (r = 0, n = 0; plan.queue[r].kind; r++) {
			for (p = 0; p < plan.queue[r].packets; p++, n++) {
				row.psn = n;
				row.wqe = r;
				row.offset = p * MTU;
				check_row(test, &row, 3);
			}
		}
	}
}

/* The largest message that there is, in the smallest packets. */
static void retry_largest(struct kunit *test)
{
	struct ibt_resend_pos at;
	struct row row = {
		.first_psn = 0xabcdef,
		.queue = { { 'S', 1 } },
	};
	struct queue *q = build(test, &row, 0);
	struct ibt_wqe *wqe;

	wqe = ibt_wqe_at(&q->sq, 0);
	wqe->length = IBT_MAX_MSG_BYTES;
	wqe->last_psn = ibt_psn_add(wqe->first_psn,
				    ibt_packets(wqe->length, 256) - 1);
	at = ibt_resend_pos_of(&q->sq, q->head, 256, wqe->last_psn);
	KUNIT_EXPECT_EQ(test, at.wqe, 0U);
	KUNIT_EXPECT_EQ(test, at.offset, IBT_MAX_MSG_BYTES - 256);
}

static void *copy_of(struct kunit *test, const void *from, size_t bytes)
{
	void *to = kunit_kzalloc(test, bytes, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, to);
	return memcpy(to, from, bytes);
}

/* It looks, and changes nothing. */
static void retry_is_pure(struct kunit *test)
{
	size_t bytes = ALIGN(sizeof(struct ibt_wqe), 16) * SLOTS;
	struct queue *q = build(test, &rows[6], 2);
	void *wqes, *before;

	wqes = copy_of(test, q->sq.wqes, bytes);
	before = copy_of(test, q, sizeof(*q));
	ibt_resend_pos_of(&q->sq, q->head, MTU, 7);
	KUNIT_EXPECT_EQ(test, memcmp(before, q, sizeof(*q)), 0);
	KUNIT_EXPECT_EQ(test, memcmp(wqes, q->sq.wqes, bytes), 0);
}

static struct kunit_case retry_cases[] = {
	KUNIT_CASE(retry_table),
	KUNIT_CASE(retry_everywhere),
	KUNIT_CASE(retry_largest),
	KUNIT_CASE(retry_is_pure),
	{}
};

static struct kunit_suite retry_suite = {
	.name = "ibt_retry",
	.test_cases = retry_cases,
};
kunit_test_suite(retry_suite);

MODULE_DESCRIPTION("KUnit tests of where a send queue goes on");
MODULE_LICENSE("GPL");
