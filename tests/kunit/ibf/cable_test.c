// SPDX-License-Identifier: GPL-2.0
/*
 * What cables are asked to do to packets: which port counts it, that a seed repeats it, that
 * nothing is overtaken, and that no credit gets lost by it.
 */
#include <linux/delay.h>
#include <linux/ktime.h>

#include "ib_bench.h"

#define PACKETS	200

static void ask(const struct ibf_fault *fault)
{
	struct ibf_cable *cable = &ib_bench.cables[1];

	spin_lock_bh(&ibf_lock);
	cable->fault = *fault;
	ibf_cable_ask(cable, true);
	spin_unlock_bh(&ibf_lock);
	ib_bench_settle();
}

static u64 far_counted(enum ibf_count count)
{
	return atomic64_read(&ib_bench.far[1]->ports[1].count[count]);
}

static void send(int packets)
{
	while (packets--)
		ib_bench_arrive(2, 0, 0, 0xffff);
}

static void wait_until_got(u64 packets)
{
	int i;

	for (i = 0; i < 1000 && ib_bench_got(1) < packets; i++)
		msleep(20);
	ib_bench_settle();
}

static void errors_test(struct kunit *test)
{
	const struct ibf_fault always = { .errors = IBF_FAULT_SURE }, never = { };
	struct ibf_port *far;

	ib_bench_up(test);
	far = &ib_bench.far[1]->ports[1];
	far->info.thresholds = 0x30;
	ask(&always);
	send(9);
	KUNIT_EXPECT_EQ(test, ib_bench_got(1), 0);
	KUNIT_EXPECT_EQ(test, far_counted(IBF_SYMBOL_ERRORS), 9);
	KUNIT_EXPECT_EQ(test, far_counted(IBF_RCV_ERRORS), 9);
	/* Of every four more than three. */
	KUNIT_EXPECT_EQ(test, far_counted(IBF_INTEGRITY_ERRORS), 2);
	KUNIT_EXPECT_EQ(test, far_counted(IBF_LINK_RECOVERED), 2);
	KUNIT_EXPECT_EQ(test, far->phy_errors, 1);
	/* Their sender saw nothing of it. */
	KUNIT_EXPECT_EQ(test, ib_bench_counted(2, IBF_XMIT_PKTS), 9);
	KUNIT_EXPECT_EQ(test, ib_bench_counted(2, IBF_SYMBOL_ERRORS), 0);
	ask(&never);
	send(1);
	KUNIT_EXPECT_EQ(test, ib_bench_got(1), 1);
	KUNIT_EXPECT_FALSE(test, ib_bench.sw->ports[2].wire.active);
	ib_bench_down();
}

static void losses_test(struct kunit *test)
{
	const struct ibf_fault half = { .losses = IBF_FAULT_SURE / 2 };
	const struct ibf_fault both = { .errors = 300000, .losses = 400000 };
	u64 first, before;

	ib_bench_up(test);
	ask(&half);
	send(PACKETS);
	first = ib_bench_got(1);
	KUNIT_EXPECT_GT(test, first, 0);
	KUNIT_EXPECT_LT(test, first, PACKETS);
	KUNIT_EXPECT_EQ(test, far_counted(IBF_SYMBOL_ERRORS), PACKETS - first);
	KUNIT_EXPECT_EQ(test, far_counted(IBF_RCV_ERRORS), 0);
	/* The same seed, the same packets. */
	ask(&half);
	send(PACKETS);
	KUNIT_EXPECT_EQ(test, ib_bench_got(1), 2 * first);
	/* One packet suffers one thing: what is left is three of ten. */
	before = ib_bench_got(1);
	ask(&both);
	send(PACKETS);
	KUNIT_EXPECT_EQ(test, far_counted(IBF_SYMBOL_ERRORS) - 2 * (PACKETS - first),
			PACKETS - (ib_bench_got(1) - before));
	KUNIT_EXPECT_GT(test, far_counted(IBF_RCV_ERRORS), PACKETS * 15 / 100);
	KUNIT_EXPECT_LT(test, far_counted(IBF_RCV_ERRORS), PACKETS * 45 / 100);
	KUNIT_EXPECT_LT(test, ib_bench_got(1) - before, PACKETS * 45 / 100);
	ib_bench_down();
}

static void delay_test(struct kunit *test)
{
	/* Long enough for a host that has other things to do. */
	const struct ibf_fault slow = { .delay = 500000 }, never = { };
	atomic_t *used;
	ktime_t start;

	ib_bench_up(test);
	used = &ib_bench.far[1]->ports[1].used[0];
	ask(&slow);
	start = ktime_get();
	/* As many as the far end has credits for, and some. */
	send(IBF_CREDITS + 5);
	KUNIT_EXPECT_EQ(test, ib_bench_got(1), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(used), IBF_CREDITS);
	wait_until_got(IBF_CREDITS + 5);
	KUNIT_EXPECT_EQ(test, ib_bench_got(1), IBF_CREDITS + 5);
	/* The others began when the first had arrived. */
	KUNIT_EXPECT_GE(test, ktime_ms_delta(ktime_get(), start), 1000);
	KUNIT_EXPECT_EQ(test, atomic_read(used), 0);
	/* What follows does not overtake, even when there is no delay any more. */
	send(1);
	ask(&never);
	send(1);
	KUNIT_EXPECT_EQ(test, ib_bench_got(1), IBF_CREDITS + 5);
	wait_until_got(IBF_CREDITS + 7);
	KUNIT_EXPECT_EQ(test, ib_bench_got(1), IBF_CREDITS + 7);
	KUNIT_EXPECT_FALSE(test, ib_bench.sw->ports[2].wire.active);
	ib_bench_down();
}

/* Out of a cable that is pulled nothing comes any more. */
static void pull_test(struct kunit *test)
{
	const struct ibf_fault slow = { .delay = 1000000 };
	struct ibf_port *far;

	ib_bench_up(test);
	far = &ib_bench.far[1]->ports[1];
	ask(&slow);
	send(IBF_CREDITS + 5);
	spin_lock_bh(&ibf_lock);
	ibf_unplug(&ib_bench.cables[1]);
	spin_unlock_bh(&ibf_lock);
	KUNIT_EXPECT_EQ(test, atomic_read(&far->used[0]), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&ib_bench.sw->ports[1].used[0]), 0);
	KUNIT_EXPECT_EQ(test, ib_bench_counted(2, IBF_XMIT_DISCARDS), IBF_CREDITS + 5);
	ib_bench_plug(1);
	msleep(1100);
	ib_bench_settle();
	KUNIT_EXPECT_EQ(test, ib_bench_got(1), 0);
	ib_bench_down();
}

static void limit_test(struct kunit *test)
{
	const struct ibf_fault limit = { .limit = 1 };
	struct ibf_port *port;
	ktime_t start;

	ib_bench_up(test);
	port = &ib_bench.sw->ports[2];
	/* 4X SDR: 8 Gbit/s. */
	KUNIT_EXPECT_EQ(test, port->wire.byte_ps, 1000);
	ask(&limit);
	/* 24 bytes that take 5 ms: more than a burst may make up for. */
	port->wire.byte_ps = NSEC_PER_SEC / 200 / 24 * 1000;
	start = ktime_get();
	send(PACKETS);
	wait_until_got(PACKETS);
	KUNIT_EXPECT_EQ(test, ib_bench_got(1), PACKETS);
	KUNIT_EXPECT_GE(test, ktime_ms_delta(ktime_get(), start), PACKETS * 5 - 10);
	ib_bench_down();
}

/* Packets that are under way do not keep those behind them from being sent in time. */
static void limit_and_delay_test(struct kunit *test)
{
	const struct ibf_fault both = { .limit = 1, .delay = 500000 }, never = { };
	ktime_t start;

	ib_bench_up(test);
	ask(&both);
	/* 24 bytes that take 5 ms. */
	ib_bench.sw->ports[2].wire.byte_ps = NSEC_PER_SEC / 200 / 24 * 1000;
	start = ktime_get();
	send(8);
	wait_until_got(8);
	KUNIT_EXPECT_EQ(test, ib_bench_got(1), 8);
	KUNIT_EXPECT_GE(test, ktime_ms_delta(ktime_get(), start), 500);
	/* 540 ms on an idle host; one after the other they take 4 s. */
	KUNIT_EXPECT_LT(test, ktime_ms_delta(ktime_get(), start), 2000);
	/* The cable is that of later tests, too. */
	ask(&never);
	ib_bench_down();
}

static struct kunit_case ib_cables_cases[] = {
	KUNIT_CASE(errors_test),
	KUNIT_CASE(losses_test),
	KUNIT_CASE(delay_test),
	KUNIT_CASE(pull_test),
	KUNIT_CASE(limit_test),
	KUNIT_CASE(limit_and_delay_test),
	{}
};

struct kunit_suite ib_cables_suite = {
	.name = "ib_cables",
	.test_cases = ib_cables_cases,
};
