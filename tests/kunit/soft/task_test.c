// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks: every state with every event and every result of a round; rounds that come in each
 * other's way; a processor that does not begin.
 */
#include <kunit/test.h>
#include <linux/kthread.h>
#include <linux/module.h>

#include "hw/soft/policy.h"
#include "hw/soft/task.h"

#define LONG		(10 * HZ)
#define CALLS		3000
#define CALLERS		3

/*
 * @left: what the next rounds leave; at its end SOFT_TASK_NOTHING
 * @was_late: a round was taken over
 * @inside: called by the next round
 * @wanted: what callers have asked for; @seen: of these, at the beginning of a round
 */
static struct {
	struct kunit *test;
	struct soft_task task;
	struct soft_task_queues queues;
	const enum soft_task_left *left;
	int num_left;
	void (*inside)(void);
	int rounds;
	int running;
	int most;
	bool was_late;
	atomic_t wanted;
	int seen;
} t;

static enum soft_task_left round(struct soft_task *task)
{
	enum soft_task_left left = SOFT_TASK_NOTHING;
	void (*inside)(void) = t.inside;

	t.inside = NULL;
	t.most = max(t.most, ++t.running);
	t.rounds++;
	t.was_late |= task->late;
	t.seen = atomic_read(&t.wanted);
	if (inside)
		inside();
	if (t.num_left) {
		left = *t.left++;
		t.num_left--;
	}
	if (left == SOFT_TASK_ELSEWHERE)
		WRITE_ONCE(task->cpu, raw_smp_processor_id());
	t.running--;
	return left;
}

static int state(void)
{
	return atomic_read(&t.task.state);
}

static void leave(const enum soft_task_left *left, int num)
{
	t.left = left;
	t.num_left = num;
}

static int task_init(struct kunit *test)
{
	memset(&t, 0, sizeof(t));
	t.test = test;
	soft_task_patience = UINT_MAX;
	KUNIT_ASSERT_EQ(test, soft_queues_init(&t.queues, "task_kunit"), 0);
	soft_task_init(&t.task, round, &t.queues);
	return 0;
}

static void task_exit(struct kunit *test)
{
	soft_task_stop(&t.task);
	soft_queues_exit(&t.queues);
}

static void settle(void)
{
	flush_work(&t.task.work);
	flush_work(&t.task.one_work);
	flush_work(&t.task.work);
}

/* Works seem to be queued already, and never begin. */
static void freeze(bool frozen)
{
	unsigned long *bits[] = {
		work_data_bits(&t.task.work), work_data_bits(&t.task.one_work),
	};
	int i;

	for (i = 0; i < 2; i++) {
		if (frozen)
			set_bit(WORK_STRUCT_PENDING_BIT, bits[i]);
		else
			clear_bit(WORK_STRUCT_PENDING_BIT, bits[i]);
	}
}

/* ---- each state with each event ----------------------------------------------------- */

enum event { CALL, CALL_LATE, CALL_HERE, QUEUE, QUEUE_ON, WORK, TIMER, TIMER_LATE };

static void happen(enum event event)
{
	t.task.cpu = SOFT_NO_CPU;
	t.task.since = ktime_get_mono_fast_ns();
	soft_task_patience = UINT_MAX;
	if (event == CALL_LATE || event == TIMER_LATE)
		t.task.since -= UINT_MAX;
	switch (event) {
	case CALL_HERE:
		t.task.cpu = raw_smp_processor_id();
		fallthrough;
	case CALL:
	case CALL_LATE:
		soft_task_call(&t.task, 1);
		break;
	case QUEUE:
		soft_task_queue(&t.task);
		break;
	case QUEUE_ON:
		soft_task_queue_on(&t.task, raw_smp_processor_id());
		break;
	case WORK:
		t.task.work.func(&t.task.work);
		break;
	case TIMER:
	case TIMER_LATE:
		local_bh_disable();
		soft_task_expired(&t.task.timer);
		local_bh_enable();
		break;
	}
}

/**
 * struct step - what an event makes of a state
 * @from: state before
 * @event: what happens
 * @left: by the round, if there is one
 * @to: state after
 * @rounds: that have run
 */
struct step {
	int from;
	enum event event;
	enum soft_task_left left;
	int to;
	int rounds;
};

#define I	SOFT_TASK_IDLE
#define A	SOFT_TASK_ARMED
#define B	SOFT_TASK_BUSY
#define BA	SOFT_TASK_BUSY_AGAIN
#define NO	SOFT_TASK_NOTHING
#define MORE	SOFT_TASK_MORE
#define ELSE	SOFT_TASK_ELSEWHERE

static const struct step steps[] = {
	{ I, CALL, NO, I, 1 }, { I, CALL, MORE, A, 1 }, { I, CALL, ELSE, A, 1 },
	{ I, CALL_LATE, NO, I, 1 }, { I, CALL_HERE, NO, I, 1 },
	{ I, QUEUE, NO, A, 0 }, { I, QUEUE_ON, NO, A, 0 },
	{ I, WORK, NO, I, 0 }, { I, TIMER, NO, I, 0 }, { I, TIMER_LATE, NO, I, 0 },

	{ A, CALL, NO, A, 0 }, { A, CALL_LATE, NO, I, 1 }, { A, CALL_LATE, MORE, A, 1 },
	{ A, CALL_LATE, ELSE, A, 1 }, { A, CALL_HERE, NO, I, 1 },
	{ A, QUEUE, NO, A, 0 }, { A, QUEUE_ON, NO, A, 0 },
	{ A, WORK, NO, I, 1 }, { A, WORK, ELSE, A, 1 },
	{ A, TIMER, NO, A, 0 }, { A, TIMER_LATE, NO, I, 1 },

	{ B, CALL, NO, BA, 0 }, { B, CALL_LATE, NO, BA, 0 }, { B, CALL_HERE, NO, BA, 0 },
	{ B, QUEUE, NO, BA, 0 }, { B, QUEUE_ON, NO, BA, 0 },
	{ B, WORK, NO, B, 0 }, { B, TIMER, NO, B, 0 }, { B, TIMER_LATE, NO, B, 0 },

	{ BA, CALL, NO, BA, 0 }, { BA, CALL_LATE, NO, BA, 0 }, { BA, CALL_HERE, NO, BA, 0 },
	{ BA, QUEUE, NO, BA, 0 }, { BA, QUEUE_ON, NO, BA, 0 },
	{ BA, WORK, NO, BA, 0 }, { BA, TIMER, NO, BA, 0 }, { BA, TIMER_LATE, NO, BA, 0 },
};

static void each_state_and_event(struct kunit *test)
{
	int i;

	freeze(true);
	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		const struct step *s = &steps[i];

		t.rounds = 0;
		leave(&s->left, 1);
		atomic_set(&t.task.state, s->from);
		happen(s->event);
		KUNIT_EXPECT_EQ_MSG(test, state(), s->to, "step %d", i);
		KUNIT_EXPECT_EQ_MSG(test, t.rounds, s->rounds, "step %d", i);
		hrtimer_cancel(&t.task.timer);
	}
	atomic_set(&t.task.state, SOFT_TASK_IDLE);
	freeze(false);
}

/* ---- rounds ------------------------------------------------------------------------- */

static const enum soft_task_left five[] = { MORE, MORE, MORE, MORE, MORE };

static void what_is_left_goes_to_a_work(struct kunit *test)
{
	leave(five, 5);
	soft_task_call(&t.task, 2);
	KUNIT_EXPECT_GE(test, t.rounds, 2);
	settle();
	KUNIT_EXPECT_EQ(test, t.rounds, 6);
	KUNIT_EXPECT_EQ(test, state(), SOFT_TASK_IDLE);
}

static void call_inside(void)
{
	soft_task_call(&t.task, 1);
}

static void queue_inside(void)
{
	soft_task_queue(&t.task);
}

static void what_comes_meanwhile_is_not_lost(struct kunit *test)
{
	t.inside = call_inside;
	soft_task_call(&t.task, 4);
	settle();
	KUNIT_EXPECT_EQ(test, t.rounds, 2);
	t.inside = queue_inside;
	soft_task_call(&t.task, 4);
	settle();
	KUNIT_EXPECT_EQ(test, t.rounds, 4);
	KUNIT_EXPECT_EQ(test, t.most, 1);
	KUNIT_EXPECT_EQ(test, state(), SOFT_TASK_IDLE);
}

static void elsewhere_is_begun_there(struct kunit *test)
{
	static const enum soft_task_left once[] = { ELSE };

	leave(once, 1);
	soft_task_call(&t.task, 4);
	settle();
	KUNIT_EXPECT_EQ(test, t.rounds, 2);
	KUNIT_EXPECT_EQ(test, state(), SOFT_TASK_IDLE);
	KUNIT_EXPECT_EQ(test, t.task.cpu, SOFT_NO_CPU);
}

static void a_settled_task_waits_for_nothing(struct kunit *test)
{
	freeze(true);
	leave(five, 3);
	soft_task_queue(&t.task);
	soft_task_settle(&t.task, 10);
	KUNIT_EXPECT_EQ(test, t.rounds, 4);
	KUNIT_EXPECT_EQ(test, state(), SOFT_TASK_IDLE);
	freeze(false);
}

/* ---- a work that does not begin -------------------------------------------------------- */

static bool becomes_idle(void)
{
	unsigned long end = jiffies + LONG;

	while (state() != SOFT_TASK_IDLE && time_before(jiffies, end))
		schedule_timeout_uninterruptible(1);
	return state() == SOFT_TASK_IDLE;
}

static void a_frozen_work_is_taken_over(struct kunit *test)
{
	freeze(true);
	soft_task_patience = NSEC_PER_MSEC;
	leave(five, 5);
	soft_task_queue(&t.task);
	KUNIT_EXPECT_TRUE(test, becomes_idle());
	KUNIT_EXPECT_EQ(test, t.rounds, 6);
	KUNIT_EXPECT_TRUE(test, t.was_late);
	freeze(false);
}

static void the_next_caller_takes_over(struct kunit *test)
{
	freeze(true);
	soft_task_queue(&t.task);
	soft_task_call(&t.task, 1);
	KUNIT_EXPECT_EQ(test, t.rounds, 0);
	t.task.since -= UINT_MAX;
	soft_task_call(&t.task, 1);
	KUNIT_EXPECT_EQ(test, t.rounds, 1);
	KUNIT_EXPECT_TRUE(test, t.was_late);
	KUNIT_EXPECT_EQ(test, state(), SOFT_TASK_IDLE);
	freeze(false);
}

/* ---- many callers ------------------------------------------------------------------------- */

static int caller(void *unused)
{
	int i;

	for (i = 0; i < CALLS; i++) {
		atomic_inc(&t.wanted);
		if (i & 1)
			soft_task_call(&t.task, 2);
		else
			soft_task_queue(&t.task);
		cond_resched();
	}
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

/* What each of them wanted was seen by a round that began later. */
static void no_call_is_lost(struct kunit *test)
{
	struct task_struct *callers[CALLERS];
	int i;

	soft_task_patience = NSEC_PER_MSEC;
	for (i = 0; i < CALLERS; i++) {
		callers[i] = kthread_run(caller, NULL, "soft_task %d", i);
		KUNIT_ASSERT_NOT_ERR_OR_NULL(test, callers[i]);
	}
	for (i = 0; i < CALLERS; i++)
		kthread_stop(callers[i]);
	KUNIT_EXPECT_TRUE(test, becomes_idle());
	KUNIT_EXPECT_EQ(test, t.most, 1);
	KUNIT_EXPECT_EQ(test, t.seen, atomic_read(&t.wanted));
}

/* ---- helpers ---------------------------------------------------------------------------------- */

static void a_late_helper_has_a_rest(struct kunit *test)
{
	int cpu = raw_smp_processor_id();
	struct soft_helper_state *h = per_cpu_ptr(&soft_helpers, cpu);

	h->pause = 0;
	KUNIT_EXPECT_TRUE(test, soft_is_free(cpu));
	soft_helper_began(cpu, SOFT_HELPER_PROMPT);
	KUNIT_EXPECT_FALSE(test, soft_is_free(cpu));
	KUNIT_EXPECT_EQ(test, h->pause, (unsigned long)SOFT_HELPER_LEAST);
	h->until = jiffies - 1;
	KUNIT_EXPECT_TRUE(test, soft_is_free(cpu));
	soft_helper_began(cpu, SOFT_HELPER_PROMPT);
	KUNIT_EXPECT_EQ(test, h->pause, 2UL * SOFT_HELPER_LEAST);
	while (h->pause < SOFT_HELPER_MOST)
		soft_helper_began(cpu, SOFT_HELPER_PROMPT);
	soft_helper_began(cpu, SOFT_HELPER_PROMPT);
	KUNIT_EXPECT_EQ(test, h->pause, (unsigned long)SOFT_HELPER_MOST);
	soft_helper_began(cpu, 0);
	KUNIT_EXPECT_TRUE(test, soft_is_free(cpu));
	soft_helper_began(SOFT_NO_CPU, SOFT_HELPER_PROMPT);
}

static void no_processor_helps_itself(struct kunit *test)
{
	int cpu;

	migrate_disable();
	cpu = raw_smp_processor_id();
	KUNIT_EXPECT_NE(test, soft_helper(cpu), cpu);
	if (num_online_cpus() == 1)
		KUNIT_EXPECT_FALSE(test, soft_task_help(&t.task, cpu));
	migrate_enable();
	settle();
}

static struct kunit_case task_cases[] = {
	KUNIT_CASE(each_state_and_event),
	KUNIT_CASE(what_is_left_goes_to_a_work),
	KUNIT_CASE(what_comes_meanwhile_is_not_lost),
	KUNIT_CASE(elsewhere_is_begun_there),
	KUNIT_CASE(a_settled_task_waits_for_nothing),
	KUNIT_CASE(a_frozen_work_is_taken_over),
	KUNIT_CASE(the_next_caller_takes_over),
	KUNIT_CASE(no_call_is_lost),
	KUNIT_CASE(a_late_helper_has_a_rest),
	KUNIT_CASE(no_processor_helps_itself),
	{ }
};

static struct kunit_suite task_suite = {
	.name = "soft_task",
	.init = task_init,
	.exit = task_exit,
	.test_cases = task_cases,
};
kunit_test_suite(task_suite);

MODULE_DESCRIPTION("tests of the tasks of software devices");
MODULE_LICENSE("GPL");
