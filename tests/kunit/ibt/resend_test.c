// SPDX-License-Identifier: GPL-2.0
/* Which packets are retransmitted alone: the pure functions, on a circle that wraps. */
#include <kunit/test.h>
#include <linux/module.h>

#include "hw/ibt/pkt.h"
#include "hw/ibt/resend.h"

/* Near the end of the circle. */
#define UNA	0xfffff0

static struct ibt_resend rs;

static u32 psn(u32 ahead)
{
	return ibt_psn_add(UNA, ahead);
}

static bool add(u32 first, u32 end)
{
	return ibt_resend_add(&rs, UNA, psn(first), psn(end));
}

static void the_oldest_comes_first(struct kunit *test)
{
	static const u32 order[] = { 3, 20, 21, 100, 511 };
	int i;

	ibt_resend_reset(&rs, UNA, true);
	KUNIT_EXPECT_TRUE(test, add(100, 101));
	KUNIT_EXPECT_TRUE(test, add(20, 22));
	KUNIT_EXPECT_TRUE(test, add(511, 512));
	KUNIT_EXPECT_TRUE(test, add(3, 4));
	for (i = 0; i < ARRAY_SIZE(order); i++) {
		KUNIT_EXPECT_EQ(test, rs.left, ARRAY_SIZE(order) - i);
		KUNIT_EXPECT_EQ(test, ibt_resend_first(&rs, UNA), psn(order[i]));
		ibt_resend_remove(&rs, psn(order[i]), psn(order[i] + 1));
	}
	KUNIT_EXPECT_EQ(test, rs.left, 0);
}

static void once_is_enough(struct kunit *test)
{
	ibt_resend_reset(&rs, UNA, true);
	KUNIT_EXPECT_TRUE(test, add(5, 10));
	KUNIT_EXPECT_FALSE(test, add(5, 10));
	KUNIT_EXPECT_FALSE(test, add(9, 9));
	KUNIT_EXPECT_TRUE(test, add(9, 11));
	KUNIT_EXPECT_EQ(test, rs.left, 6);
}

/* Of a gap that is longer, the part within it. */
static void the_span_bounds_it(struct kunit *test)
{
	ibt_resend_reset(&rs, UNA, true);
	KUNIT_EXPECT_TRUE(test, add(500, 100000));
	KUNIT_EXPECT_EQ(test, rs.left, 12);
	KUNIT_EXPECT_FALSE(test, add(512, 530));
	KUNIT_EXPECT_FALSE(test, add(1000, 2000));
	KUNIT_EXPECT_EQ(test, rs.left, 12);
	KUNIT_EXPECT_EQ(test, ibt_resend_first(&rs, UNA), psn(500));
	KUNIT_EXPECT_EQ(test, ibt_resend_run(&rs, UNA, psn(500)), U32_MAX);
}

/* What has an answer is not sent again, however many packets that is. */
static void progress_ends_it(struct kunit *test)
{
	ibt_resend_reset(&rs, UNA, true);
	add(0, 512);
	rs.marks = IBT_MARK_GAPS;
	ibt_resend_remove(&rs, psn(0), psn(30));
	KUNIT_EXPECT_EQ(test, rs.left, 482);
	KUNIT_EXPECT_EQ(test, ibt_resend_first(&rs, psn(30)), psn(30));
	KUNIT_EXPECT_EQ(test, rs.marks, IBT_MARK_GAPS);
	ibt_resend_remove(&rs, psn(30), psn(5000));
	KUNIT_EXPECT_EQ(test, rs.left, 0);
	KUNIT_EXPECT_EQ(test, rs.marks, 0);
}

static void the_first_response_tells(struct kunit *test)
{
	ibt_resend_reset(&rs, UNA, true);
	KUNIT_EXPECT_EQ(test, rs.marks, IBT_MARK_KEEPS);
	ibt_resend_learn(&rs, IBT_MARK_KEEPS);
	KUNIT_EXPECT_EQ(test, (int)rs.peer, (int)IBT_PEER_KEEPS);
	KUNIT_EXPECT_EQ(test, rs.marks, 0);
	/* Later ones have no mark. */
	ibt_resend_learn(&rs, 0);
	KUNIT_EXPECT_EQ(test, (int)rs.peer, (int)IBT_PEER_KEEPS);

	ibt_resend_reset(&rs, UNA, true);
	ibt_resend_learn(&rs, 0);
	KUNIT_EXPECT_EQ(test, (int)rs.peer, (int)IBT_PEER_DROPS);
	ibt_resend_learn(&rs, IBT_MARK_KEEPS);
	KUNIT_EXPECT_EQ(test, (int)rs.peer, (int)IBT_PEER_DROPS);

	ibt_resend_reset(&rs, UNA, false);
	KUNIT_EXPECT_EQ(test, rs.marks, 0);
	KUNIT_EXPECT_EQ(test, (int)rs.peer, (int)IBT_PEER_DROPS);
}

/* Packets of READ responses that came before their turn. */
static void what_is_here_is_not_missing(struct kunit *test)
{
	ibt_resend_reset(&rs, UNA, true);
	KUNIT_EXPECT_TRUE(test, ibt_resend_place(&rs, UNA, psn(5)));
	KUNIT_EXPECT_EQ(test, rs.top, psn(6));
	KUNIT_EXPECT_TRUE(test, add(0, 5));
	KUNIT_EXPECT_TRUE(test, ibt_resend_place(&rs, UNA, psn(3)));
	KUNIT_EXPECT_FALSE(test, ibt_resend_place(&rs, UNA, psn(3)));
	KUNIT_EXPECT_FALSE(test, ibt_resend_place(&rs, UNA, psn(512)));
	KUNIT_EXPECT_EQ(test, rs.top, psn(6));
	KUNIT_EXPECT_EQ(test, rs.left, 4);
	KUNIT_EXPECT_EQ(test, ibt_resend_run(&rs, UNA, psn(0)), 3U);
	KUNIT_EXPECT_EQ(test, ibt_resend_run(&rs, UNA, psn(4)), 1U);
	KUNIT_EXPECT_FALSE(test, add(3, 4));
	KUNIT_EXPECT_EQ(test, ibt_resend_next_placed(&rs, UNA), psn(3));
	ibt_resend_pass(&rs, psn(3));
	KUNIT_EXPECT_EQ(test, ibt_resend_next_placed(&rs, psn(4)), psn(5));
	ibt_resend_pass(&rs, psn(5));
	KUNIT_EXPECT_EQ(test, rs.placed, 0);
}

/* READ requests for gaps, sent in this order, while @high was the PSN of the next new request. */
static void note(u32 first, u32 end, u32 high)
{
	ibt_resend_note(&rs, psn(first), psn(end), psn(high));
}

static void a_later_response_tells_of_a_loss(struct kunit *test)
{
	ibt_resend_reset(&rs, UNA, true);
	note(40, 42, 128);
	note(10, 12, 128);
	note(70, 71, 128);
	/* A response to the first of them, and one that was requested before all. */
	KUNIT_EXPECT_FALSE(test, ibt_resend_overtaken(&rs, UNA, psn(40)));
	KUNIT_EXPECT_FALSE(test, ibt_resend_overtaken(&rs, UNA, psn(90)));
	/* Half of the first gap is here when the response to the last one comes. */
	KUNIT_EXPECT_TRUE(test, ibt_resend_place(&rs, UNA, psn(41)));
	KUNIT_EXPECT_TRUE(test, ibt_resend_overtaken(&rs, UNA, psn(70)));
	KUNIT_EXPECT_EQ(test, rs.left, 3);
	KUNIT_EXPECT_EQ(test, ibt_resend_first(&rs, UNA), psn(10));
	KUNIT_EXPECT_EQ(test, ibt_resend_run(&rs, UNA, psn(10)), 2U);
	KUNIT_EXPECT_EQ(test, ibt_resend_run(&rs, UNA, psn(40)), 1U);
	/* Once. */
	KUNIT_EXPECT_FALSE(test, ibt_resend_overtaken(&rs, UNA, psn(70)));
	KUNIT_EXPECT_EQ(test, rs.num_asks, 1);
}

static void a_new_request_overtakes_as_well(struct kunit *test)
{
	ibt_resend_reset(&rs, UNA, true);
	note(10, 12, 128);
	note(50, 51, 140);
	KUNIT_EXPECT_FALSE(test, ibt_resend_overtaken(&rs, UNA, psn(127)));
	KUNIT_EXPECT_TRUE(test, ibt_resend_overtaken(&rs, UNA, psn(139)));
	KUNIT_EXPECT_EQ(test, rs.left, 2);
	KUNIT_EXPECT_EQ(test, rs.num_asks, 1);
	/* What has its answer meanwhile is not missing. */
	KUNIT_EXPECT_FALSE(test, ibt_resend_overtaken(&rs, psn(60), psn(140)));
	KUNIT_EXPECT_EQ(test, rs.num_asks, 0);
}

/* The timers are there for what is not noted any more. */
static void the_oldest_of_many_is_forgotten(struct kunit *test)
{
	u32 i;

	ibt_resend_reset(&rs, UNA, true);
	for (i = 0; i <= IBT_RESEND_ASKS; i++)
		note(10 * i, 10 * i + 1, 300);
	KUNIT_EXPECT_EQ(test, rs.num_asks, IBT_RESEND_ASKS);
	KUNIT_EXPECT_TRUE(test, ibt_resend_overtaken(&rs, UNA, psn(300)));
	KUNIT_EXPECT_EQ(test, rs.left, IBT_RESEND_ASKS);
	KUNIT_EXPECT_EQ(test, ibt_resend_first(&rs, UNA), psn(10));
	/* All that was sent goes once more: nothing is lost alone. */
	note(200, 201, 300);
	ibt_resend_clear(&rs);
	KUNIT_EXPECT_FALSE(test, ibt_resend_overtaken(&rs, UNA, psn(300)));
}

static struct kunit_case resend_cases[] = {
	KUNIT_CASE(the_oldest_comes_first),
	KUNIT_CASE(once_is_enough),
	KUNIT_CASE(the_span_bounds_it),
	KUNIT_CASE(progress_ends_it),
	KUNIT_CASE(the_first_response_tells),
	KUNIT_CASE(what_is_here_is_not_missing),
	KUNIT_CASE(a_later_response_tells_of_a_loss),
	KUNIT_CASE(a_new_request_overtakes_as_well),
	KUNIT_CASE(the_oldest_of_many_is_forgotten),
	{}
};

static struct kunit_suite resend_suite = {
	.name = "ibt_resend",
	.test_cases = resend_cases,
};

kunit_test_suite(resend_suite);

MODULE_DESCRIPTION("Packets that are retransmitted alone");
MODULE_LICENSE("GPL");
