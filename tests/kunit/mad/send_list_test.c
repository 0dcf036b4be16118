// SPDX-License-Identifier: GPL-2.0
/*
 * The sends of an agent without a device: timeouts, responses and segments of RMPP, in any
 * order.
 */
#include <kunit/test.h>
#include <linux/module.h>

#include "core/mad/priv.h"

#define NOW	1000UL

static struct mad_send *new_send(struct kunit *test, u64 tid)
{
	struct mad_send *send = kunit_kzalloc(test, sizeof(*send), GFP_KERNEL);
	struct ib_mad *mad = kunit_kzalloc(test, sizeof(*mad), GFP_KERNEL);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, send);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, mad);
	mad->mad_hdr.mgmt_class = 3;
	mad->mad_hdr.tid = cpu_to_be64(tid);
	send->buf.mad = mad;
	INIT_LIST_HEAD(&send->node);
	return send;
}

/* A transfer of @segments; its data are not looked at. */
static struct mad_send *new_transfer(struct kunit *test, u64 tid, int segments)
{
	struct mad_send *send = new_send(test, tid);

	send->chunks = kunit_kzalloc(test, sizeof(void *), GFP_KERNEL);
	send->buf.seg_count = segments;
	return send;
}

static bool any_address(const struct mad_send *send, const void *ctx)
{
	return true;
}

static bool no_address(const struct mad_send *send, const void *ctx)
{
	return false;
}

static struct mad_send *answered_by(struct mad_send_list *sends, u8 class, u64 tid)
{
	struct ib_mad_hdr hdr = {
		.mgmt_class = class,
		.tid = cpu_to_be64(tid),
	};

	return mad_sends_find(sends, &hdr, any_address, NULL);
}

/* Nothing is left behind, in any of the structures. */
static void expect_empty(struct kunit *test, struct mad_send_list *sends)
{
	unsigned long delay;

	KUNIT_EXPECT_TRUE(test, list_empty(&sends->live));
	KUNIT_EXPECT_TRUE(test, list_empty(&sends->finished));
	KUNIT_EXPECT_TRUE(test, hash_empty(sends->by_tid));
	KUNIT_EXPECT_FALSE(test, mad_sends_delay(sends, NOW, &delay));
}

static void plain_send_test(struct kunit *test)
{
	struct mad_send *send = new_send(test, 1);
	struct mad_send_list sends;

	mad_sends_init(&sends);
	KUNIT_EXPECT_EQ(test, mad_sends_modify(&sends, send, 5, NOW), -EINVAL);
	KUNIT_EXPECT_EQ(test, mad_sends_post(&sends, send, 0, 0),
			MAD_TRANSMIT);
	/* No response is wanted, so none is found. */
	KUNIT_EXPECT_NULL(test, answered_by(&sends, 3, 1));
	KUNIT_EXPECT_EQ(test, mad_sends_sent(&sends, send, IB_WC_SUCCESS, 0,
					     NOW), MAD_FINISH);
	KUNIT_EXPECT_EQ(test, send->status, IB_WC_SUCCESS);
	KUNIT_EXPECT_FALSE(test, send->posted);
	KUNIT_EXPECT_EQ(test, mad_sends_modify(&sends, send, 0, NOW), -EINVAL);
	expect_empty(test, &sends);

	/* The same buffer again; this time the hardware fails. */
	mad_sends_post(&sends, send, 10, 3);
	KUNIT_EXPECT_EQ(test, mad_sends_sent(&sends, send,
					     IB_WC_LOC_PROT_ERR, 17, NOW),
			MAD_FINISH);
	KUNIT_EXPECT_EQ(test, send->status, IB_WC_LOC_PROT_ERR);
	KUNIT_EXPECT_EQ(test, send->vendor_err, 17);
	expect_empty(test, &sends);
}

static void match_test(struct kunit *test)
{
	struct ib_mad_hdr hdr = { .mgmt_class = 3, .tid = cpu_to_be64(7) };
	struct mad_send *first = new_send(test, 7), *second = new_send(test, 7);
	struct mad_send *other = new_send(test, 8);
	struct mad_send_list sends;

	mad_sends_init(&sends);
	mad_sends_post(&sends, first, 10, 0);
	mad_sends_post(&sends, other, 10, 0);
	KUNIT_EXPECT_PTR_EQ(test, answered_by(&sends, 3, 7), first);
	KUNIT_EXPECT_PTR_EQ(test, answered_by(&sends, 3, 8), other);
	KUNIT_EXPECT_NULL(test, answered_by(&sends, 4, 7));
	KUNIT_EXPECT_NULL(test, answered_by(&sends, 3, 7ULL << 32));
	KUNIT_EXPECT_NULL(test, mad_sends_find(&sends, &hdr, no_address, NULL));

	/* Once decided, the next answer goes to another agent, or to none. */
	KUNIT_EXPECT_TRUE(test, mad_sends_decide(&sends, first, IB_WC_SUCCESS,
						 0));
	KUNIT_EXPECT_FALSE(test, mad_sends_decide(&sends, first,
						  IB_WC_WR_FLUSH_ERR, 0));
	KUNIT_EXPECT_NULL(test, answered_by(&sends, 3, 7));
	mad_sends_post(&sends, second, 10, 0);
	KUNIT_EXPECT_PTR_EQ(test, answered_by(&sends, 3, 7), second);
	KUNIT_EXPECT_EQ(test, first->status, IB_WC_SUCCESS);
}

/* The handler is called once, whatever comes first. */
static void answer_order_test(struct kunit *test)
{
	struct mad_send *send = new_send(test, 1);
	struct mad_send_list sends;

	mad_sends_init(&sends);
	/* The answer comes before the completion, and is slow to handle. */
	mad_sends_post(&sends, send, 10, 0);
	mad_sends_decide(&sends, send, IB_WC_SUCCESS, 0);
	send->busy = true;
	KUNIT_EXPECT_EQ(test, mad_sends_sent(&sends, send, IB_WC_SUCCESS, 0,
					     NOW), MAD_NOTHING);
	send->busy = false;
	KUNIT_EXPECT_EQ(test, mad_sends_take(send), MAD_FINISH);
	expect_empty(test, &sends);

	/* The same, and quick to handle. */
	mad_sends_post(&sends, send, 10, 0);
	mad_sends_decide(&sends, send, IB_WC_SUCCESS, 0);
	send->busy = true;
	send->busy = false;
	KUNIT_EXPECT_EQ(test, mad_sends_take(send), MAD_NOTHING);
	KUNIT_EXPECT_EQ(test, mad_sends_sent(&sends, send, IB_WC_SUCCESS, 0,
					     NOW), MAD_FINISH);
	KUNIT_EXPECT_EQ(test, send->status, IB_WC_SUCCESS);
	expect_empty(test, &sends);

	/* Cancelled while the answer is handled: too late. */
	mad_sends_post(&sends, send, 10, 0);
	mad_sends_sent(&sends, send, IB_WC_SUCCESS, 0, NOW);
	mad_sends_decide(&sends, send, IB_WC_SUCCESS, 0);
	send->busy = true;
	KUNIT_EXPECT_EQ(test, mad_sends_modify(&sends, send, 0, NOW), -EINVAL);
	mad_sends_flush(&sends);
	KUNIT_EXPECT_TRUE(test, list_empty(&sends.finished));
	send->busy = false;
	KUNIT_EXPECT_EQ(test, mad_sends_take(send), MAD_FINISH);
	expect_empty(test, &sends);
}

/* Posting fails at last: only if no handler was told anything else meanwhile. */
static void failed_post_test(struct kunit *test)
{
	struct mad_send *send = new_send(test, 1), *found;
	struct mad_send_list sends;

	mad_sends_init(&sends);
	mad_sends_post(&sends, send, 10, 0);
	KUNIT_EXPECT_TRUE(test, mad_sends_unpost(&sends, send));
	KUNIT_EXPECT_FALSE(test, send->posted);
	expect_empty(test, &sends);

	/* An answer is being handled. */
	mad_sends_post(&sends, send, 10, 0);
	mad_sends_decide(&sends, send, IB_WC_SUCCESS, 0);
	send->busy = true;
	KUNIT_EXPECT_FALSE(test, mad_sends_unpost(&sends, send));
	KUNIT_EXPECT_TRUE(test, send->posted);
	KUNIT_EXPECT_EQ(test, mad_sends_due(&sends, NOW, &found), MAD_NOTHING);
	send->busy = false;
	KUNIT_EXPECT_EQ(test, mad_sends_take(send), MAD_FINISH);
	KUNIT_EXPECT_EQ(test, send->status, IB_WC_SUCCESS);
	expect_empty(test, &sends);

	/* It was handled already. */
	mad_sends_post(&sends, send, 10, 0);
	mad_sends_decide(&sends, send, IB_WC_SUCCESS, 0);
	KUNIT_EXPECT_EQ(test, mad_sends_take(send), MAD_NOTHING);
	KUNIT_EXPECT_FALSE(test, mad_sends_unpost(&sends, send));
	KUNIT_EXPECT_EQ(test, mad_sends_due(&sends, NOW, &found), MAD_FINISH);
	KUNIT_EXPECT_PTR_EQ(test, found, send);
	expect_empty(test, &sends);

	/* Cancelled: that has been promised. */
	mad_sends_post(&sends, send, 10, 0);
	KUNIT_EXPECT_EQ(test, mad_sends_modify(&sends, send, 0, NOW), 0);
	KUNIT_EXPECT_FALSE(test, mad_sends_unpost(&sends, send));
	KUNIT_EXPECT_EQ(test, mad_sends_due(&sends, NOW, &found), MAD_FINISH);
	KUNIT_EXPECT_EQ(test, send->status, IB_WC_WR_FLUSH_ERR);
	expect_empty(test, &sends);
}

static void timeout_test(struct kunit *test)
{
	struct mad_send *send = new_send(test, 1), *found;
	struct mad_send_list sends;
	unsigned long delay;

	mad_sends_init(&sends);
	mad_sends_post(&sends, send, 10, 2);
	/* Its time begins when it is sent. */
	KUNIT_EXPECT_FALSE(test, mad_sends_delay(&sends, NOW, &delay));
	mad_sends_sent(&sends, send, IB_WC_SUCCESS, 0, NOW);
	KUNIT_EXPECT_TRUE(test, mad_sends_delay(&sends, NOW + 1, &delay));
	KUNIT_EXPECT_EQ(test, delay, 9);
	KUNIT_EXPECT_EQ(test, mad_sends_due(&sends, NOW + 9, &found),
			MAD_NOTHING);

	KUNIT_EXPECT_EQ(test, mad_sends_due(&sends, NOW + 10, &found),
			MAD_TRANSMIT);
	KUNIT_EXPECT_PTR_EQ(test, found, send);
	KUNIT_EXPECT_EQ(test, mad_sends_due(&sends, NOW + 99, &found),
			MAD_NOTHING);
	mad_sends_sent(&sends, send, IB_WC_SUCCESS, 0, NOW + 20);
	KUNIT_EXPECT_EQ(test, mad_sends_due(&sends, NOW + 30, &found),
			MAD_TRANSMIT);
	mad_sends_sent(&sends, send, IB_WC_SUCCESS, 0, NOW + 40);
	KUNIT_EXPECT_EQ(test, mad_sends_due(&sends, NOW + 50, &found),
			MAD_FINISH);
	KUNIT_EXPECT_EQ(test, send->status, IB_WC_RESP_TIMEOUT_ERR);
	KUNIT_EXPECT_EQ(test, send->buf.retries, 2);
	expect_empty(test, &sends);
}

/* Deadlines on both sides of the point where jiffies wrap. */
static void wrap_test(struct kunit *test)
{
	struct mad_send *late = new_send(test, 1), *soon = new_send(test, 2);
	const unsigned long now = -5UL;
	struct mad_send *found = NULL;
	struct mad_send_list sends;
	unsigned long delay;

	mad_sends_init(&sends);
	mad_sends_post(&sends, late, 20, 0);
	mad_sends_post(&sends, soon, 2, 0);
	mad_sends_sent(&sends, late, IB_WC_SUCCESS, 0, now);
	mad_sends_sent(&sends, soon, IB_WC_SUCCESS, 0, now);
	KUNIT_EXPECT_TRUE(test, mad_sends_delay(&sends, now, &delay));
	KUNIT_EXPECT_EQ(test, delay, 2);
	KUNIT_EXPECT_EQ(test, mad_sends_due(&sends, now + 6, &found),
			MAD_FINISH);
	KUNIT_EXPECT_PTR_EQ(test, found, soon);
	KUNIT_EXPECT_EQ(test, mad_sends_due(&sends, now + 6, &found),
			MAD_NOTHING);
	KUNIT_EXPECT_EQ(test, mad_sends_due(&sends, now + 20, &found),
			MAD_FINISH);
	KUNIT_EXPECT_PTR_EQ(test, found, late);
	expect_empty(test, &sends);
}

static void modify_test(struct kunit *test)
{
	struct mad_send *send = new_send(test, 1), *found;
	struct mad_send_list sends;
	unsigned long delay;

	mad_sends_init(&sends);
	mad_sends_post(&sends, send, 10, 0);
	/* Before it is sent, and after. */
	KUNIT_EXPECT_EQ(test, mad_sends_modify(&sends, send, 50, NOW), 0);
	mad_sends_sent(&sends, send, IB_WC_SUCCESS, 0, NOW);
	mad_sends_delay(&sends, NOW, &delay);
	KUNIT_EXPECT_EQ(test, delay, 50);
	KUNIT_EXPECT_EQ(test, mad_sends_modify(&sends, send, 7, NOW + 20), 0);
	mad_sends_delay(&sends, NOW + 20, &delay);
	KUNIT_EXPECT_EQ(test, delay, 7);

	/* Cancelled: another context calls the handler, and at once. */
	KUNIT_EXPECT_EQ(test, mad_sends_modify(&sends, send, 0, NOW), 0);
	KUNIT_EXPECT_EQ(test, mad_sends_modify(&sends, send, 0, NOW), -EINVAL);
	KUNIT_EXPECT_TRUE(test, mad_sends_delay(&sends, NOW, &delay));
	KUNIT_EXPECT_EQ(test, delay, 0);
	KUNIT_EXPECT_NULL(test, answered_by(&sends, 3, 1));
	KUNIT_EXPECT_EQ(test, mad_sends_due(&sends, NOW, &found), MAD_FINISH);
	KUNIT_EXPECT_EQ(test, send->status, IB_WC_WR_FLUSH_ERR);
	expect_empty(test, &sends);
}

static void flush_test(struct kunit *test)
{
	struct mad_send *flying = new_send(test, 1), *timed = new_send(test, 2);
	struct mad_send *found = NULL;
	struct mad_send_list sends;

	mad_sends_init(&sends);
	mad_sends_post(&sends, flying, 10, 5);
	mad_sends_post(&sends, timed, 10, 5);
	mad_sends_sent(&sends, timed, IB_WC_SUCCESS, 0, NOW);
	mad_sends_flush(&sends);
	mad_sends_flush(&sends);
	KUNIT_EXPECT_EQ(test, mad_sends_due(&sends, NOW, &found), MAD_FINISH);
	KUNIT_EXPECT_PTR_EQ(test, found, timed);
	KUNIT_EXPECT_EQ(test, mad_sends_due(&sends, NOW + 99, &found),
			MAD_NOTHING);
	KUNIT_EXPECT_EQ(test, mad_sends_sent(&sends, flying, IB_WC_SUCCESS, 0,
					     NOW), MAD_FINISH);
	KUNIT_EXPECT_EQ(test, flying->status, IB_WC_WR_FLUSH_ERR);
	expect_empty(test, &sends);
}

static void hold_test(struct kunit *test)
{
	struct mad_send *send = new_send(test, 1), *found;
	struct mad_send_list sends;

	mad_sends_init(&sends);
	/* Delayed. */
	mad_sends_post(&sends, send, 0, 0);
	mad_sends_hold(&sends, send, false, NOW + 5);
	KUNIT_EXPECT_EQ(test, mad_sends_modify(&sends, send, 1, NOW), 0);
	KUNIT_EXPECT_EQ(test, mad_sends_due(&sends, NOW + 4, &found),
			MAD_NOTHING);
	KUNIT_EXPECT_EQ(test, mad_sends_due(&sends, NOW + 5, &found),
			MAD_TRANSMIT_NOW);
	mad_sends_modify(&sends, send, 0, NOW);
	KUNIT_EXPECT_EQ(test, mad_sends_sent(&sends, send, IB_WC_SUCCESS, 0,
					     NOW), MAD_FINISH);
	expect_empty(test, &sends);

	/* Dropped, and cancelled meanwhile. */
	mad_sends_post(&sends, send, 9, 0);
	mad_sends_hold(&sends, send, true, NOW);
	KUNIT_EXPECT_EQ(test, mad_sends_due(&sends, NOW, &found),
			MAD_SAY_SENT);
	mad_sends_sent(&sends, send, IB_WC_SUCCESS, 0, NOW);
	mad_sends_modify(&sends, send, 0, NOW);
	KUNIT_EXPECT_EQ(test, mad_sends_due(&sends, NOW, &found), MAD_FINISH);
	expect_empty(test, &sends);

	/* Cancelled before it was held. */
	mad_sends_post(&sends, send, 9, 0);
	mad_sends_modify(&sends, send, 0, NOW);
	mad_sends_hold(&sends, send, true, NOW + 1000);
	KUNIT_EXPECT_EQ(test, mad_sends_due(&sends, NOW, &found), MAD_FINISH);
	expect_empty(test, &sends);

	/* Twice. */
	mad_sends_post(&sends, send, 0, 0);
	send->again = true;
	KUNIT_EXPECT_EQ(test, mad_sends_sent(&sends, send, IB_WC_SUCCESS, 0,
					     NOW), MAD_TRANSMIT_NOW);
	KUNIT_EXPECT_EQ(test, mad_sends_sent(&sends, send, IB_WC_SUCCESS, 0,
					     NOW), MAD_FINISH);
	expect_empty(test, &sends);
}

static enum mad_action ack(struct mad_send_list *sends, struct mad_send *send,
			   u32 segment, u32 window, unsigned long now)
{
	u8 status;

	return mad_sends_acked(sends, send,
			       rmpp_out_ack(&send->out, segment, window,
					    &status), now);
}

static void all_sent(struct mad_send_list *sends, struct mad_send *send)
{
	while (mad_sends_sent(sends, send, IB_WC_SUCCESS, 0, NOW) ==
	       MAD_TRANSMIT_NEXT)
		;
}

/* No ACK for @all: all from @first on is sent again twice, then by a retry. */
static void no_ack(struct kunit *test, struct mad_send_list *sends,
		   struct mad_send *send, unsigned long all, u32 first)
{
	const unsigned long waits[] = { all / 8, all / 4, all * 5 / 8 };
	const int retries = send->buf.retries;
	struct mad_send *found;
	int i;

	for (i = 0; i < ARRAY_SIZE(waits); i++) {
		KUNIT_EXPECT_EQ(test, mad_sends_due(sends, NOW + waits[i] - 1,
						    &found), MAD_NOTHING);
		KUNIT_EXPECT_EQ(test, mad_sends_due(sends, NOW + waits[i],
						    &found), MAD_TRANSMIT_NEXT);
		KUNIT_EXPECT_EQ(test, send->segment, first);
		KUNIT_EXPECT_EQ(test, send->buf.retries, retries + (i == 2));
		all_sent(sends, send);
	}
}

static void transfer_test(struct kunit *test)
{
	struct mad_send *send = new_transfer(test, 1, 3), *found;
	struct mad_send_list sends;

	mad_sends_init(&sends);
	/* A time limit that is shorter than the one for ACKs. */
	KUNIT_EXPECT_EQ(test, mad_sends_post(&sends, send, 80, 1),
			MAD_TRANSMIT_NEXT);
	KUNIT_EXPECT_EQ(test, send->segment, 1);
	/* Acknowledged before its completion is here. */
	KUNIT_EXPECT_EQ(test, ack(&sends, send, 1, 9, NOW), MAD_NOTHING);
	KUNIT_EXPECT_EQ(test, mad_sends_sent(&sends, send, IB_WC_SUCCESS, 0,
					     NOW), MAD_TRANSMIT_NEXT);
	KUNIT_EXPECT_EQ(test, send->segment, 2);
	mad_sends_sent(&sends, send, IB_WC_SUCCESS, 0, NOW);
	KUNIT_EXPECT_EQ(test, send->segment, 3);
	KUNIT_EXPECT_EQ(test, mad_sends_sent(&sends, send, IB_WC_SUCCESS, 0,
					     NOW), MAD_NOTHING);

	/* No ACK: once more from 2 on. */
	no_ack(test, &sends, send, 80, 2);
	KUNIT_EXPECT_EQ(test, ack(&sends, send, 2, 9, NOW), MAD_NOTHING);
	/* That was progress, so there is another retry. */
	no_ack(test, &sends, send, 80, 3);
	KUNIT_EXPECT_EQ(test, ack(&sends, send, 3, 9, NOW), MAD_NOTHING);

	/* It is all there; now only the response can be late. */
	KUNIT_EXPECT_EQ(test, mad_sends_due(&sends, NOW + 79, &found),
			MAD_NOTHING);
	KUNIT_EXPECT_EQ(test, mad_sends_due(&sends, NOW + 80, &found),
			MAD_FINISH);
	KUNIT_EXPECT_EQ(test, send->status, IB_WC_RESP_TIMEOUT_ERR);
	KUNIT_EXPECT_EQ(test, send->buf.retries, 2);
	expect_empty(test, &sends);
}

/* Most receivers wait for a second: one lost segment is sent again before that. */
static void lost_segment_test(struct kunit *test)
{
	struct mad_send *send = new_transfer(test, 1, 3), *found;
	struct mad_send_list sends;

	mad_sends_init(&sends);
	mad_sends_post(&sends, send, 0, 3);
	ack(&sends, send, 1, 9, NOW);
	all_sent(&sends, send);
	KUNIT_EXPECT_EQ(test, mad_sends_due(&sends, NOW + HZ / 4, &found),
			MAD_TRANSMIT_NEXT);
	KUNIT_EXPECT_EQ(test, send->segment, 2);
	/* The third was there already. */
	ack(&sends, send, 3, 9, NOW);
	KUNIT_EXPECT_EQ(test, mad_sends_sent(&sends, send, IB_WC_SUCCESS, 0,
					     NOW), MAD_FINISH);
	KUNIT_EXPECT_EQ(test, send->buf.retries, 0);
	expect_empty(test, &sends);
}

static void one_way_transfer_test(struct kunit *test)
{
	struct mad_send *send = new_transfer(test, 1, 1), *found;
	struct mad_send_list sends;

	mad_sends_init(&sends);
	/* Without a response, too, its ACK is waited for, and found. */
	mad_sends_post(&sends, send, 0, 0);
	KUNIT_EXPECT_EQ(test, mad_sends_sent(&sends, send, IB_WC_SUCCESS, 0,
					     NOW), MAD_NOTHING);
	KUNIT_EXPECT_PTR_EQ(test, answered_by(&sends, 3, 1), send);
	KUNIT_EXPECT_EQ(test, ack(&sends, send, 0, 1, NOW), MAD_NOTHING);
	KUNIT_EXPECT_EQ(test, ack(&sends, send, 1, 1, NOW), MAD_FINISH);
	KUNIT_EXPECT_EQ(test, send->status, IB_WC_SUCCESS);
	expect_empty(test, &sends);

	/* The ACK is faster than the completion. */
	mad_sends_post(&sends, send, 0, 0);
	KUNIT_EXPECT_EQ(test, ack(&sends, send, 1, 1, NOW), MAD_NOTHING);
	KUNIT_EXPECT_EQ(test, mad_sends_sent(&sends, send, IB_WC_SUCCESS, 0,
					     NOW), MAD_FINISH);
	expect_empty(test, &sends);

	/* There is none. */
	mad_sends_post(&sends, send, 0, 1);
	mad_sends_sent(&sends, send, IB_WC_SUCCESS, 0, NOW);
	no_ack(test, &sends, send, 2 * HZ, 1);
	send->resends = 2;
	KUNIT_EXPECT_EQ(test, mad_sends_due(&sends, NOW + 60 * HZ, &found),
			MAD_FINISH);
	KUNIT_EXPECT_EQ(test, send->status, IB_WC_RESP_TIMEOUT_ERR);
	expect_empty(test, &sends);
}

static struct kunit_case mad_send_cases[] = {
	KUNIT_CASE(plain_send_test),
	KUNIT_CASE(match_test),
	KUNIT_CASE(answer_order_test),
	KUNIT_CASE(failed_post_test),
	KUNIT_CASE(timeout_test),
	KUNIT_CASE(wrap_test),
	KUNIT_CASE(modify_test),
	KUNIT_CASE(flush_test),
	KUNIT_CASE(hold_test),
	KUNIT_CASE(transfer_test),
	KUNIT_CASE(lost_segment_test),
	KUNIT_CASE(one_way_transfer_test),
	{}
};

static struct kunit_suite mad_send_suite = {
	.name = "ofed_mad_sends",
	.test_cases = mad_send_cases,
};

kunit_test_suite(mad_send_suite);

MODULE_IMPORT_NS(EXPORTED_FOR_KUNIT_TESTING);
MODULE_DESCRIPTION("KUnit: what becomes of a send of the MAD layer");
MODULE_LICENSE("GPL");
