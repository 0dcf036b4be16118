// SPDX-License-Identifier: GPL-2.0
/* Congestion control without queue pairs: when a CNP is due, and what the rate becomes. */
#include <kunit/test.h>
#include <linux/module.h>

#include "hw/ibt/congestion.h"
#include "hw/ibt/dcqcn.h"

#define US	((u64)NSEC_PER_USEC)
#define MS	((u64)NSEC_PER_MSEC)
#define START	(1000 * MS)
#define RATE	8000000ULL

/* Bytes in a second, by a path with round trips of 1 ms. */
static void start(struct ibt_dcqcn *d)
{
	*d = (struct ibt_dcqcn){ .period = MS };
	ibt_dcqcn_begin(d, RATE, START);
}

/* Marks at these times, and whether each draws a CNP. */
static void one_cnp_in_an_interval(struct kunit *test)
{
	static const struct {
		u64 at;
		bool due;
	} marks[] = {
		{ 1, true },
		{ 2, false },
		{ 49 * US, false },
		{ 50 * US, false },
		{ 50 * US + 1, true },
		{ 100 * US, false },
		{ 100 * US + 1, true },
		{ 900 * US, true },
		/* The clock of another processor may be a little behind. */
		{ 899 * US, false },
		{ 949 * US, false },
		{ 950 * US, true },
	};
	struct ibt_congestion congestion = { };
	int i;

	for (i = 0; i < ARRAY_SIZE(marks); i++)
		KUNIT_EXPECT_EQ_MSG(test, ibt_cnp_due(&congestion, marks[i].at),
				    marks[i].due, "mark %d", i);
}

/* One event after the other, and all that is known then: computed apart, by hand and awk. */
static void the_rate_follows_the_table(struct kunit *test)
{
	static const struct {
		enum ibt_dcqcn_event event;
		u32 at;		/* us */
		u32 bytes;
		u64 rate;
		u64 target;
		u32 alpha;
		u32 time_stages;
		u32 byte_stages;
	} steps[] = {
		/* The first halves the rate, one in the same round trip does nothing. */
		{ IBT_DCQCN_CNP, 0, 0, 4000000, 8000000, 1024, 0, 0 },
		{ IBT_DCQCN_CNP, 500, 0, 4000000, 8000000, 1024, 0, 0 },
		{ IBT_DCQCN_TIME, 1000, 0, 6000000, 8000000, 960, 1, 0 },
		{ IBT_DCQCN_TIME, 2000, 0, 7000000, 8000000, 900, 2, 0 },
		{ IBT_DCQCN_TIME, 5000, 0, 7875000, 8000000, 743, 5, 0 },
		{ IBT_DCQCN_TIME, 6000, 0, 7970268, 8065536, 697, 6, 0 },
		{ IBT_DCQCN_CNP, 6200, 0, 5257731, 7970268, 717, 0, 0 },
		{ IBT_DCQCN_CNP, 7100, 0, 5257731, 7970268, 717, 0, 0 },
		{ IBT_DCQCN_QUEUE, 7200, 0, 3306999, 4960500, 694, 0, 0 },
		{ IBT_DCQCN_LOSS, 7300, 0, 3306999, 4960500, 694, 0, 0 },
		{ IBT_DCQCN_LOSS, 8200, 0, 3617031, 4960500, 651, 1, 0 },
		{ IBT_DCQCN_SENT, 8200, 1048575, 3617031, 4960500, 651, 1, 0 },
		{ IBT_DCQCN_SENT, 8200, 1, 4288765, 4960500, 651, 1, 1 },
		{ IBT_DCQCN_SENT, 8300, 5242880, 4972276, 5026036, 651, 1, 6 },
		{ IBT_DCQCN_TIME, 12200, 0, 5223380, 5288180, 505, 5, 6 },
		{ IBT_DCQCN_TIME, 13200, 0, 5583460, 5943540, 474, 6, 6 },
		{ IBT_DCQCN_TIME, 14200, 0, 6091180, 6598900, 445, 7, 6 },
	};
	struct ibt_dcqcn d;
	int i;

	start(&d);
	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		ibt_dcqcn(&d, steps[i].event, START + steps[i].at * US,
			  steps[i].bytes);
		KUNIT_EXPECT_EQ_MSG(test, d.rate, steps[i].rate, "step %d", i);
		KUNIT_EXPECT_EQ_MSG(test, d.target, steps[i].target, "step %d", i);
		KUNIT_EXPECT_EQ_MSG(test, d.alpha, steps[i].alpha, "step %d", i);
		KUNIT_EXPECT_EQ_MSG(test, d.time_stages, steps[i].time_stages,
				    "step %d", i);
		KUNIT_EXPECT_EQ_MSG(test, d.byte_stages, steps[i].byte_stages,
				    "step %d", i);
	}
}

/* So is it after a forged one: 31/32 of the rate are back five round trips later. */
static void one_cnp_is_soon_over(struct kunit *test)
{
	struct ibt_dcqcn d;

	start(&d);
	ibt_dcqcn(&d, IBT_DCQCN_CNP, START, 0);
	KUNIT_EXPECT_EQ(test, d.rate, RATE / 2);
	ibt_dcqcn(&d, IBT_DCQCN_TIME, START + 5 * MS, 0);
	KUNIT_EXPECT_GE(test, d.rate, RATE * 31 / 32 - IBT_RATE_FAST);
}

/* Forged CNPs do not stop a sender: after a second of them it recovers in a sixth of one. */
static void a_flood_leaves_a_floor(struct kunit *test)
{
	struct ibt_dcqcn d;
	u64 now;

	start(&d);
	for (now = START; now < START + 1000 * MS; now += 50 * US) {
		ibt_dcqcn(&d, IBT_DCQCN_CNP, now, 0);
		KUNIT_ASSERT_GE(test, d.rate, IBT_RATE_LEAST);
	}
	KUNIT_EXPECT_LE(test, d.rate, 2 * IBT_RATE_LEAST);
	for (; now < START + 1150 * MS; now += MS)
		ibt_dcqcn(&d, IBT_DCQCN_TIME, now, 0);
	KUNIT_EXPECT_GE(test, d.rate, RATE);
}

/* More bytes than these have gone without a sign of congestion: there is no limit then. */
static void a_limit_ends(struct kunit *test)
{
	struct ibt_dcqcn d;
	int i;

	start(&d);
	ibt_dcqcn(&d, IBT_DCQCN_CNP, START, 0);
	for (i = 0; i < 300 && d.rate; i++)
		ibt_dcqcn(&d, IBT_DCQCN_SENT, START + i * MS, IBT_RATE_BYTES);
	KUNIT_EXPECT_EQ(test, d.rate, 0ULL);
	KUNIT_EXPECT_GT(test, i, 20);
}

/* Of a long pause a part counts, and clocks that differ count for nothing. */
static void time_may_jump(struct kunit *test)
{
	struct ibt_dcqcn d;
	u64 rate;

	start(&d);
	ibt_dcqcn(&d, IBT_DCQCN_CNP, START, 0);
	rate = d.rate;
	ibt_dcqcn(&d, IBT_DCQCN_TIME, START - 100 * US, 0);
	KUNIT_EXPECT_EQ(test, d.rate, rate);
	ibt_dcqcn(&d, IBT_DCQCN_TIME, START + 3600000 * MS, 0);
	KUNIT_EXPECT_EQ(test, d.time_stages, IBT_PERIODS_SEEN);
	KUNIT_EXPECT_LE(test, d.rate, RATE + IBT_PERIODS_SEEN * IBT_RATE_STEP);
}

/* The slower of two that share a queue gains on the faster one with each cut of both. */
static void two_become_alike(struct kunit *test)
{
	struct ibt_dcqcn fast, slow;
	u64 now = START;
	int i;

	start(&fast);
	start(&slow);
	slow.rate = slow.target = RATE / 8;
	for (i = 0; i < 200; i++, now += 12 * MS) {
		ibt_dcqcn(&fast, IBT_DCQCN_QUEUE, now, 0);
		ibt_dcqcn(&slow, IBT_DCQCN_QUEUE, now, 0);
	}
	KUNIT_EXPECT_LE(test, fast.rate, slow.rate + slow.rate / 10);
}

static struct kunit_case congestion_cases[] = {
	KUNIT_CASE(one_cnp_in_an_interval),
	KUNIT_CASE(the_rate_follows_the_table),
	KUNIT_CASE(one_cnp_is_soon_over),
	KUNIT_CASE(a_flood_leaves_a_floor),
	KUNIT_CASE(a_limit_ends),
	KUNIT_CASE(time_may_jump),
	KUNIT_CASE(two_become_alike),
	{ }
};

static struct kunit_suite congestion_suite = {
	.name = "ibt_congestion",
	.test_cases = congestion_cases,
};
kunit_test_suite(congestion_suite);

MODULE_DESCRIPTION("tests of congestion control");
MODULE_LICENSE("GPL");
