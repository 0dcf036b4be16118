// SPDX-License-Identifier: GPL-2.0
/* Round trips: what is measured, what is not, and how long is waited. */
#include <kunit/test.h>
#include <linux/module.h>

#include "hw/ibt/pkt.h"
#include "hw/ibt/rtt.h"

#define MS	((u64)NSEC_PER_MSEC)

static struct ibt_rtt rtt;
static u64 now;

static int rtt_init(struct kunit *test)
{
	ibt_rtt_reset(&rtt, 0);
	now = 1000 * MS;
	return 0;
}

/* A packet is sent and answered after @ns. */
static void trip(u32 psn, u64 ns)
{
	ibt_rtt_sent(&rtt, psn, now);
	now += ns;
	ibt_rtt_answered(&rtt, psn + 1, now);
}

static void nothing_is_known_at_first(struct kunit *test)
{
	KUNIT_EXPECT_FALSE(test, ibt_rtt_known(&rtt));
	ibt_rtt_answered(&rtt, 5, now);
	KUNIT_EXPECT_FALSE(test, ibt_rtt_known(&rtt));
	ibt_rtt_sent(&rtt, 5, now);
	KUNIT_EXPECT_FALSE(test, ibt_rtt_known(&rtt));
}

static void the_wait_has_a_floor(struct kunit *test)
{
	trip(1, 1000);
	KUNIT_EXPECT_TRUE(test, ibt_rtt_known(&rtt));
	KUNIT_EXPECT_EQ(test, ibt_rtt_wait(&rtt, false), MS);
}

/* Before the first one the wait is a guess, which losses double. */
static void the_first_wait_is_there(struct kunit *test)
{
	u64 wait = ibt_rtt_wait(&rtt, false);

	KUNIT_EXPECT_GE(test, wait, MS);
	KUNIT_EXPECT_LE(test, wait, 100 * MS);
	KUNIT_EXPECT_EQ(test, ibt_rtt_wait(&rtt, true), wait);
	ibt_rtt_unanswered(&rtt, 5);
	KUNIT_EXPECT_EQ(test, ibt_rtt_wait(&rtt, false), 2 * wait);
	ibt_rtt_answered(&rtt, 5, now);
	KUNIT_EXPECT_EQ(test, ibt_rtt_wait(&rtt, false), wait);
}

/* No peer delays the answer to what follows a NAK. */
static void a_prompt_answer_takes_less(struct kunit *test)
{
	u32 psn;

	for (psn = 1; psn < 100; psn++)
		trip(psn, 5 * MS);
	KUNIT_EXPECT_GE(test, ibt_rtt_wait(&rtt, true), 9 * MS);
	KUNIT_EXPECT_LE(test, ibt_rtt_wait(&rtt, true), 11 * MS);
	for (psn = 100; psn < 200; psn++)
		trip(psn, psn & 1 ? 10 * MS : MS / 10);
	KUNIT_EXPECT_GE(test, ibt_rtt_wait(&rtt, true), 12 * MS);
	for (psn = 200; psn < 300; psn++)
		trip(psn, MS / 10);
	KUNIT_EXPECT_EQ(test, ibt_rtt_wait(&rtt, true), MS);
}

static void the_wait_follows_the_trips(struct kunit *test)
{
	u32 psn;

	for (psn = 1; psn < 100; psn++)
		trip(psn, 5 * MS);
	KUNIT_EXPECT_GE(test, ibt_rtt_wait(&rtt, false), 19 * MS);
	KUNIT_EXPECT_LE(test, ibt_rtt_wait(&rtt, false), 21 * MS);
	/* A peer that answers at once or after 10 ms: longer than the longest. */
	for (psn = 100; psn < 200; psn++)
		trip(psn, psn & 1 ? 10 * MS : MS / 10);
	KUNIT_EXPECT_GE(test, ibt_rtt_wait(&rtt, false), 20 * MS);
	/* And it comes down again. */
	for (psn = 200; psn < 300; psn++)
		trip(psn, MS / 10);
	KUNIT_EXPECT_EQ(test, ibt_rtt_wait(&rtt, false), MS);
}

/* RFC 6298 section 3: of two that look alike the answer may be that to the first. */
static void what_is_sent_again_says_nothing(struct kunit *test)
{
	u64 wait;

	trip(1, 2 * MS);
	wait = ibt_rtt_wait(&rtt, false);
	ibt_rtt_sent(&rtt, 2, now);
	ibt_rtt_unanswered(&rtt, 3);
	KUNIT_EXPECT_EQ(test, ibt_rtt_wait(&rtt, false), 2 * wait);
	ibt_rtt_sent(&rtt, 2, now);
	ibt_rtt_unanswered(&rtt, 3);
	KUNIT_EXPECT_EQ(test, ibt_rtt_wait(&rtt, false), 4 * wait);
	now += 500 * MS;
	ibt_rtt_answered(&rtt, 3, now);
	KUNIT_EXPECT_EQ(test, ibt_rtt_wait(&rtt, false), wait);
}

/* The responder has dropped what is behind a NAK: only the next copy is answered. */
static void what_a_nak_refuses_is_measured(struct kunit *test)
{
	u64 wait;

	trip(1, 2 * MS);
	wait = ibt_rtt_wait(&rtt, false);
	ibt_rtt_sent(&rtt, 9, now);
	now += 50 * MS;
	ibt_rtt_answered(&rtt, 4, now);
	ibt_rtt_refused(&rtt, 4);
	KUNIT_EXPECT_EQ(test, ibt_rtt_wait(&rtt, false), wait);
	trip(9, 2 * MS);
	KUNIT_EXPECT_EQ(test, rtt.smooth, (u32)(2 * MS));
	/* A wait without an answer makes all unclear that was sent. */
	ibt_rtt_unanswered(&rtt, 20);
	trip(19, 50 * MS);
	KUNIT_EXPECT_EQ(test, rtt.smooth, (u32)(2 * MS));
	trip(20, 4 * MS);
	KUNIT_EXPECT_GT(test, rtt.smooth, (u32)(2 * MS));
}

static void the_wait_is_bounded(struct kunit *test)
{
	u64 wait;
	int i;

	trip(1, 1000);
	wait = ibt_rtt_wait(&rtt, false);
	for (i = 0; i < 300; i++)
		ibt_rtt_unanswered(&rtt, 2);
	KUNIT_EXPECT_EQ(test, ibt_rtt_wait(&rtt, false), wait << 10);
	/* An hour without an answer is no number that does not fit. */
	trip(2, 3600 * 1000 * MS);
	KUNIT_EXPECT_GT(test, ibt_rtt_wait(&rtt, false), MS);
	KUNIT_EXPECT_LE(test, ibt_rtt_wait(&rtt, false), 20000 * MS);
}

static void one_packet_is_measured_at_a_time(struct kunit *test)
{
	ibt_rtt_sent(&rtt, 10, now);
	ibt_rtt_sent(&rtt, 11, now + 5 * MS);
	now += 6 * MS;
	/* An answer to what is before it. */
	ibt_rtt_answered(&rtt, 10, now);
	KUNIT_EXPECT_FALSE(test, ibt_rtt_known(&rtt));
	ibt_rtt_answered(&rtt, 12, now);
	KUNIT_EXPECT_EQ(test, rtt.smooth, (u32)(6 * MS));
}

static void numbers_wrap(struct kunit *test)
{
	ibt_rtt_reset(&rtt, IBT_PSN_MASK);
	ibt_rtt_sent(&rtt, IBT_PSN_MASK, now);
	now += 2 * MS;
	ibt_rtt_answered(&rtt, 0, now);
	KUNIT_EXPECT_EQ(test, rtt.smooth, (u32)(2 * MS));
}

/* Four timeouts are the most, and losses change nothing. */
static void long_trips_make_the_timeout_longer(struct kunit *test)
{
	unsigned long timeout = msecs_to_jiffies(100);
	u32 psn;

	KUNIT_EXPECT_EQ(test, ibt_rtt_timeout(&rtt, timeout), timeout);
	for (psn = 1; psn < 100; psn++)
		trip(psn, 20 * MS);
	KUNIT_EXPECT_EQ(test, ibt_rtt_timeout(&rtt, timeout), timeout);
	for (psn = 100; psn < 200; psn++)
		trip(psn, 60 * MS);
	KUNIT_EXPECT_GE(test, ibt_rtt_timeout(&rtt, timeout), msecs_to_jiffies(230));
	KUNIT_EXPECT_LE(test, ibt_rtt_timeout(&rtt, timeout), msecs_to_jiffies(260));
	ibt_rtt_unanswered(&rtt, psn);
	ibt_rtt_unanswered(&rtt, psn);
	KUNIT_EXPECT_LE(test, ibt_rtt_timeout(&rtt, timeout), msecs_to_jiffies(260));
	for (psn = 200; psn < 300; psn++)
		trip(psn, 600 * MS);
	KUNIT_EXPECT_EQ(test, ibt_rtt_timeout(&rtt, timeout), 4 * timeout);
}

static struct kunit_case rtt_cases[] = {
	KUNIT_CASE(nothing_is_known_at_first),
	KUNIT_CASE(the_wait_has_a_floor),
	KUNIT_CASE(the_first_wait_is_there),
	KUNIT_CASE(a_prompt_answer_takes_less),
	KUNIT_CASE(the_wait_follows_the_trips),
	KUNIT_CASE(what_is_sent_again_says_nothing),
	KUNIT_CASE(what_a_nak_refuses_is_measured),
	KUNIT_CASE(the_wait_is_bounded),
	KUNIT_CASE(one_packet_is_measured_at_a_time),
	KUNIT_CASE(numbers_wrap),
	KUNIT_CASE(long_trips_make_the_timeout_longer),
	{ }
};

static struct kunit_suite rtt_suite = {
	.name = "ibt_rtt",
	.init = rtt_init,
	.test_cases = rtt_cases,
};
kunit_test_suite(rtt_suite);

MODULE_DESCRIPTION("tests of round trips");
MODULE_LICENSE("GPL");
