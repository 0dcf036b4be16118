// SPDX-License-Identifier: GPL-2.0
/* How long a reader of a completion channel spins: what one wait tells the next. */
#include <kunit/test.h>
#include <linux/time64.h>

#include "uverbs/spin.h"

#define US	NSEC_PER_USEC
#define MOST	(50 * (u32)US)

static void an_event_in_time_leads_to_the_bound(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, uv_spin_next(MOST, 0, MOST), MOST);
	KUNIT_EXPECT_EQ(test, uv_spin_next(MOST, 49 * US, MOST), MOST);
	KUNIT_EXPECT_EQ(test, uv_spin_next(10 * US, 9 * US, MOST), MOST);
}

static void each_miss_halves(struct kunit *test)
{
	u32 ns = MOST;
	int misses = 0;

	KUNIT_EXPECT_EQ(test, uv_spin_next(MOST, MOST + 1, MOST), MOST / 2);
	for (; ns && misses < 32; misses++)
		ns = uv_spin_next(ns, NSEC_PER_SEC, MOST);
	KUNIT_EXPECT_EQ(test, ns, 0);
	KUNIT_EXPECT_EQ(test, misses, 5);
}

static void a_file_of_rare_events_never_spins(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, uv_spin_next(0, 2 * MOST, MOST), 0);
	KUNIT_EXPECT_EQ(test, uv_spin_next(0, U64_MAX, MOST), 0);
}

static void a_peer_that_slept_is_waited_for_again(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, uv_spin_next(0, 2 * MOST - 1, MOST), MOST);
	/* That one has spun, and to no avail. */
	KUNIT_EXPECT_EQ(test, uv_spin_next(MOST, 2 * MOST - 1, MOST), MOST / 2);
}

static void the_bound_may_move(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, uv_spin_next(MOST, NSEC_PER_SEC, MOST / 5), MOST / 10);
	KUNIT_EXPECT_EQ(test, uv_spin_next(0, 1, 0), 0);
	KUNIT_EXPECT_LE(test, uv_spin_most(), (u32)NSEC_PER_MSEC);
}

static struct kunit_case spin_cases[] = {
	KUNIT_CASE(an_event_in_time_leads_to_the_bound),
	KUNIT_CASE(each_miss_halves),
	KUNIT_CASE(a_file_of_rare_events_never_spins),
	KUNIT_CASE(a_peer_that_slept_is_waited_for_again),
	KUNIT_CASE(the_bound_may_move),
	{ }
};

static struct kunit_suite spin_suite = {
	.name = "uv_spin",
	.test_cases = spin_cases,
};
kunit_test_suite(spin_suite);

MODULE_DESCRIPTION("tests of spinning before sleeping");
MODULE_LICENSE("GPL");
