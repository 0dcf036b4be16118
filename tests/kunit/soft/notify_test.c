// SPDX-License-Identifier: GPL-2.0
/*
 * Calls of the consumer of a completion queue: without the CQ's lock, one at a time, and
 * none after the end, which waits for the one that runs.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/kthread.h>
#include <linux/module.h>

#include "hw/soft/notify.h"

#define LONG	(20 * HZ)
#define ROUNDS	2000

/*
 * @entered, @go_on: the handler waits between the two, if @waits
 * @running: handlers, now; @most: at a time
 */
static struct {
	struct soft_notify n;
	struct ib_cq cq;
	spinlock_t lock;
	bool waits;
	struct task_struct *caller;
	struct completion entered;
	struct completion go_on;
	struct completion called;
	struct completion ended;
	atomic_t running;
	int most;
	int calls;
	int errors;
	int calls_at_end;
	bool running_at_end;
} cq;

static void enter(void)
{
	int running = atomic_inc_return(&cq.running);

	/* Not with the lock held. */
	spin_lock_bh(&cq.lock);
	cq.most = max(cq.most, running);
	spin_unlock_bh(&cq.lock);
}

static void on_completion(struct ib_cq *ibcq, void *context)
{
	enter();
	if (cq.waits) {
		complete(&cq.entered);
		wait_for_completion_timeout(&cq.go_on, LONG);
	}
	WRITE_ONCE(cq.calls, cq.calls + 1);
	atomic_dec(&cq.running);
	complete(&cq.called);
}

static void on_event(struct ib_event *event, void *context)
{
	enter();
	cq.errors += event->event == IB_EVENT_CQ_ERR;
	atomic_dec(&cq.running);
}

static int notify_init(struct kunit *test)
{
	memset(&cq, 0, sizeof(cq));
	spin_lock_init(&cq.lock);
	init_completion(&cq.entered);
	init_completion(&cq.go_on);
	init_completion(&cq.called);
	init_completion(&cq.ended);
	cq.cq.comp_handler = on_completion;
	cq.cq.event_handler = on_event;
	soft_notify_init(&cq.n, &cq.cq, &cq.lock);
	return 0;
}

static bool ask(enum soft_notice notice, bool now)
{
	bool call;

	spin_lock_bh(&cq.lock);
	call = soft_notify_ask(&cq.n, notice, now);
	spin_unlock_bh(&cq.lock);
	return call;
}

static void notify_now(struct kunit *test)
{
	KUNIT_ASSERT_TRUE(test, ask(SOFT_NOTICE_WC, true));
	KUNIT_EXPECT_EQ(test, cq.calls, 0);
	soft_notify_call(&cq.n, SOFT_NOTICE_WC);
	KUNIT_EXPECT_EQ(test, cq.calls, 1);
	soft_notify_end(&cq.n);
	KUNIT_EXPECT_EQ(test, cq.calls, 1);
}

/* A kernel consumer is called by the tasklet, never by the caller. */
static void notify_later(struct kunit *test)
{
	local_bh_disable();
	KUNIT_EXPECT_FALSE(test, ask(SOFT_NOTICE_WC, false));
	KUNIT_EXPECT_FALSE(test, ask(SOFT_NOTICE_ERROR, false));
	KUNIT_EXPECT_EQ(test, cq.calls, 0);
	local_bh_enable();
	KUNIT_EXPECT_TRUE(test, wait_for_completion_timeout(&cq.called, LONG));
	soft_notify_end(&cq.n);
	KUNIT_EXPECT_EQ(test, cq.calls, 1);
	KUNIT_EXPECT_EQ(test, cq.errors, 1);
	KUNIT_EXPECT_FALSE(test, ask(SOFT_NOTICE_WC, true));
	KUNIT_EXPECT_FALSE(test, ask(SOFT_NOTICE_WC, false));
	KUNIT_EXPECT_EQ(test, cq.calls, 1);
}

static int until_stopped(void)
{
	while (!kthread_should_stop())
		schedule_timeout_interruptible(HZ);
	return 0;
}

static int call_thread(void *unused)
{
	soft_notify_call(&cq.n, SOFT_NOTICE_WC);
	return until_stopped();
}

static int end_thread(void *unused)
{
	soft_notify_end(&cq.n);
	cq.running_at_end = atomic_read(&cq.running);
	cq.calls_at_end = READ_ONCE(cq.calls);
	complete(&cq.ended);
	return until_stopped();
}

static struct task_struct *begin(struct kunit *test, int (*fn)(void *unused))
{
	struct task_struct *thread = kthread_run(fn, NULL, "soft_notify");

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, thread);
	return thread;
}

/* In a thread of its own, until it is in the handler. */
static void begin_call(struct kunit *test)
{
	cq.waits = true;
	KUNIT_ASSERT_TRUE(test, ask(SOFT_NOTICE_WC, true));
	cq.caller = begin(test, call_thread);
	KUNIT_ASSERT_TRUE(test, wait_for_completion_timeout(&cq.entered, LONG));
}

static void end_call(struct kunit *test)
{
	cq.waits = false;
	complete(&cq.go_on);
	KUNIT_EXPECT_TRUE(test, wait_for_completion_timeout(&cq.called, LONG));
	kthread_stop(cq.caller);
}

/* What comes during a call is told after it. */
static void notify_meanwhile(struct kunit *test)
{
	begin_call(test);
	KUNIT_EXPECT_FALSE(test, ask(SOFT_NOTICE_WC, true));
	KUNIT_EXPECT_FALSE(test, ask(SOFT_NOTICE_ERROR, false));
	KUNIT_EXPECT_EQ(test, cq.errors, 0);
	end_call(test);
	KUNIT_EXPECT_TRUE(test, wait_for_completion_timeout(&cq.called, LONG));
	soft_notify_end(&cq.n);
	KUNIT_EXPECT_EQ(test, cq.calls, 2);
	KUNIT_EXPECT_EQ(test, cq.errors, 1);
	KUNIT_EXPECT_EQ(test, cq.most, 1);
}

static bool has_ended(void)
{
	bool ended;

	spin_lock_bh(&cq.lock);
	ended = cq.n.ended;
	spin_unlock_bh(&cq.lock);
	return ended;
}

static void notify_end_waits(struct kunit *test)
{
	unsigned long until = jiffies + LONG;
	struct task_struct *ender;

	begin_call(test);
	ender = begin(test, end_thread);
	while (!has_ended() && time_before(jiffies, until))
		schedule_timeout_uninterruptible(1);
	KUNIT_EXPECT_TRUE(test, has_ended());
	KUNIT_EXPECT_FALSE(test, completion_done(&cq.ended));
	KUNIT_EXPECT_FALSE(test, ask(SOFT_NOTICE_WC, false));
	end_call(test);
	KUNIT_EXPECT_TRUE(test, wait_for_completion_timeout(&cq.ended, LONG));
	kthread_stop(ender);
	KUNIT_EXPECT_FALSE(test, cq.running_at_end);
	KUNIT_EXPECT_EQ(test, cq.calls_at_end, 1);
	KUNIT_EXPECT_EQ(test, cq.calls, 1);
}

static int post_thread(void *unused)
{
	while (!kthread_should_stop()) {
		if (ask(SOFT_NOTICE_WC, true))
			soft_notify_call(&cq.n, SOFT_NOTICE_WC);
		ask(SOFT_NOTICE_ERROR, false);
		cond_resched();
	}
	return 0;
}

/* Destroy against completion: on two processors both at any point of the other. */
static void notify_end_races(struct kunit *test)
{
	struct task_struct *poster;
	int round, calls;

	for (round = 0; round < ROUNDS; round++) {
		notify_init(test);
		poster = begin(test, post_thread);
		wait_for_completion_timeout(&cq.called, LONG);
		soft_notify_end(&cq.n);
		calls = READ_ONCE(cq.calls) + atomic_read(&cq.running) * ROUNDS;
		kthread_stop(poster);
		if (cq.calls != calls || cq.most != 1)
			break;
	}
	KUNIT_EXPECT_EQ(test, round, ROUNDS);
}

static struct kunit_case notify_cases[] = {
	KUNIT_CASE(notify_now),
	KUNIT_CASE(notify_later),
	KUNIT_CASE(notify_meanwhile),
	KUNIT_CASE(notify_end_waits),
	KUNIT_CASE(notify_end_races),
	{}
};

static struct kunit_suite notify_suite = {
	.name = "soft_notify",
	.init = notify_init,
	.test_cases = notify_cases,
};
kunit_test_suite(notify_suite);

MODULE_DESCRIPTION("KUnit: calls of the consumer of a completion queue");
MODULE_LICENSE("GPL");
