// SPDX-License-Identifier: GPL-2.0
/* Tasks: task.h has the states. */
#include <kunit/visibility.h>
#include <linux/export.h>
#include <linux/interrupt.h>
#include <linux/ktime.h>
#include <linux/sched.h>

#include "faults.h"
#include "policy.h"
#include "task.h"
#include "task_trace.h"

/* ns; a variable for tests, which freeze a worker. */
unsigned int soft_task_patience = SOFT_PATIENCE;
EXPORT_SYMBOL_GPL(soft_task_patience);

/* How long it has been armed; 0: a clock is behind another's. */
static u64 soft_task_age(const struct soft_task *task)
{
	s64 age = ktime_get_mono_fast_ns() - READ_ONCE(task->since);

	return max(age, 0LL);
}

static bool soft_is_late(const struct soft_task *task)
{
	return soft_task_age(task) >= READ_ONCE(soft_task_patience);
}

/* May a caller begin what was armed for others? */
static bool soft_is_takeable(const struct soft_task *task)
{
	return READ_ONCE(task->cpu) == raw_smp_processor_id() || soft_is_late(task);
}

static bool soft_task_move(struct soft_task *task, int from, int to)
{
	return atomic_try_cmpxchg(&task->state, &from, to);
}

static void soft_begun_late(struct soft_task *task, enum soft_task_by by)
{
	trace_soft_task_late(task, by);
	soft_helper_began(task->cpu, soft_task_age(task));
}

/* False: something else runs, or is to run, another round. Softirqs are disabled. */
static bool soft_begin_call(struct soft_task *task, enum soft_task_by by)
{
	/* What the caller wants looked at, then the state: pairs with soft_begin_armed(). */
	smp_mb();
	for (;;) {
		switch (atomic_read(&task->state)) {
		case SOFT_TASK_IDLE:
			if (!soft_task_move(task, SOFT_TASK_IDLE, SOFT_TASK_BUSY))
				continue;
			task->late = false;
			return true;
		case SOFT_TASK_ARMED:
			if (!soft_is_takeable(task))
				return false;
			if (!soft_task_move(task, SOFT_TASK_ARMED, SOFT_TASK_BUSY))
				continue;
			task->late = soft_is_late(task);
			if (task->late)
				soft_begun_late(task, by);
			return true;
		case SOFT_TASK_BUSY:
			if (soft_task_move(task, SOFT_TASK_BUSY, SOFT_TASK_BUSY_AGAIN))
				return false;
			continue;
		default:
			return false;
		}
	}
}

/* False: it is not armed any more. */
static bool soft_begin_armed(struct soft_task *task, enum soft_task_by by)
{
	if (!soft_task_move(task, SOFT_TASK_ARMED, SOFT_TASK_BUSY))
		return false;
	task->late = soft_is_late(task);
	if (task->late)
		trace_soft_task_late(task, by);
	return true;
}

/* One round, and what it leaves. The state is IDLE or ARMED then. */
static enum soft_task_left soft_do_round(struct soft_task *task)
{
	enum soft_task_left left = task->round(task);

	task->late = false;
	if (left != SOFT_TASK_ELSEWHERE)
		WRITE_ONCE(task->cpu, SOFT_NO_CPU);
	if (left == SOFT_TASK_NOTHING &&
	    soft_task_move(task, SOFT_TASK_BUSY, SOFT_TASK_IDLE))
		return left;
	WRITE_ONCE(task->since, ktime_get_mono_fast_ns());
	atomic_set_release(&task->state, SOFT_TASK_ARMED);
	return left == SOFT_TASK_NOTHING ? SOFT_TASK_MORE : left;
}

static void soft_start_timer(struct soft_task *task)
{
	hrtimer_start(&task->timer, ns_to_ktime(READ_ONCE(soft_task_patience)),
		      HRTIMER_MODE_REL_PINNED_SOFT);
}

/* What is armed now is begun, if only by the timer, which expires on this processor. */
static void soft_hand_over(struct soft_task *task, int cpu)
{
	trace_soft_task_queue(task, cpu);
	if (cpu == SOFT_NO_CPU)
		queue_work(task->queues->any, &task->work);
	else
		queue_work_on(cpu, task->queues->one, &task->one_work);
	/* Armed, then whether the timer is: pairs with soft_task_expired(). */
	smp_mb();
	if (!hrtimer_is_queued(&task->timer))
		soft_start_timer(task);
}

/* State is BUSY, softirqs are disabled; they, and of a work other tasks, run between rounds. */
static void soft_task_run(struct soft_task *task, int rounds, bool is_work)
{
	enum soft_task_left left;

	for (;;) {
		left = soft_do_round(task);
		if (left == SOFT_TASK_NOTHING)
			return;
		if (left == SOFT_TASK_ELSEWHERE || !--rounds)
			break;
		local_bh_enable();
		if (is_work)
			cond_resched();
		local_bh_disable();
		/* Another context may have gone on. */
		if (!soft_begin_armed(task, is_work ? SOFT_TASK_BY_WORK :
						 SOFT_TASK_BY_CALL))
			return;
	}
	soft_hand_over(task, left == SOFT_TASK_ELSEWHERE ? READ_ONCE(task->cpu) :
						      SOFT_NO_CPU);
}

static void soft_task_run_here(struct soft_task *task, int rounds,
			       enum soft_task_by by)
{
	local_bh_disable();
	if (soft_begin_call(task, by))
		soft_task_run(task, rounds, false);
	local_bh_enable();
}

/**
 * soft_task_call - have a round run from now on
 * @task: task
 * @rounds: at most, here; what is left then goes to a work
 *
 * It runs here if nothing else runs it. The round that is running may have seen everything
 * there was already; so another one follows.
 *
 * Context: interrupts enabled, any but hard interrupt; no lock that a round takes is held.
 */
void soft_task_call(struct soft_task *task, int rounds)
{
	soft_task_run_here(task, rounds, SOFT_TASK_BY_CALL);
}
EXPORT_SYMBOL_GPL(soft_task_call);

/* Return: it was idle. */
static bool soft_task_arm(struct soft_task *task, int cpu)
{
	/* As soft_begin_call(). */
	smp_mb();
	for (;;) {
		switch (atomic_read(&task->state)) {
		case SOFT_TASK_IDLE:
			WRITE_ONCE(task->since, ktime_get_mono_fast_ns());
			WRITE_ONCE(task->cpu, cpu);
			if (soft_task_move(task, SOFT_TASK_IDLE, SOFT_TASK_ARMED))
				return true;
			continue;
		case SOFT_TASK_BUSY:
			if (soft_task_move(task, SOFT_TASK_BUSY, SOFT_TASK_BUSY_AGAIN))
				return false;
			continue;
		default:
			return false;
		}
	}
}

/**
 * soft_task_queue - have a round run by a work
 * @task: task
 *
 * Context: any, with any lock held.
 */
void soft_task_queue(struct soft_task *task)
{
	if (soft_task_arm(task, SOFT_NO_CPU))
		soft_hand_over(task, SOFT_NO_CPU);
}
EXPORT_SYMBOL_GPL(soft_task_queue);

/**
 * soft_task_queue_on - have a round run by one processor, or a late one by any
 * @task: task
 * @cpu: processor
 *
 * Context: any, with any lock held.
 */
void soft_task_queue_on(struct soft_task *task, int cpu)
{
	if (soft_task_arm(task, cpu))
		soft_hand_over(task, cpu);
}
EXPORT_SYMBOL_GPL(soft_task_queue_on);

/**
 * soft_task_help - have a round run by another processor, if one seems to be free
 * @task: task
 * @cpu: which it was last, or SOFT_NO_CPU
 *
 * Context: any, with any lock held.
 *
 * Return: false: none does, or it has not begun, and soft_task_call() is what is left.
 */
bool soft_task_help(struct soft_task *task, int cpu)
{
	int state = atomic_read(&task->state);

	if (state == SOFT_TASK_ARMED && soft_is_takeable(task))
		return false;
	if (state == SOFT_TASK_IDLE) {
		cpu = soft_helper(cpu);
		if (cpu == SOFT_NO_CPU)
			return false;
	}
	soft_task_queue_on(task, cpu);
	return true;
}
EXPORT_SYMBOL_GPL(soft_task_help);

static void soft_task_attend(struct soft_task *task)
{
	local_bh_disable();
	if (soft_begin_armed(task, SOFT_TASK_BY_WORK))
		soft_task_run(task, SOFT_ROUNDS_WORK, true);
	local_bh_enable();
}

static void soft_work_fn(struct work_struct *work)
{
	soft_task_attend(container_of(work, struct soft_task, work));
}

static void soft_one_work_fn(struct work_struct *work)
{
	struct soft_task *task = container_of(work, struct soft_task, one_work);

	if (READ_ONCE(task->cpu) == raw_smp_processor_id())
		soft_helper_began(raw_smp_processor_id(), soft_task_age(task));
	soft_task_attend(task);
}

VISIBLE_IF_KUNIT enum hrtimer_restart soft_task_expired(struct hrtimer *timer)
{
	struct soft_task *task = container_of(timer, struct soft_task, timer);

	/* Not queued any more, then whether it is armed: pairs with soft_hand_over(). */
	smp_mb();
	switch (atomic_read(&task->state)) {
	case SOFT_TASK_IDLE:
		break;
	case SOFT_TASK_ARMED:
		if (soft_is_late(task)) {
			soft_task_run_here(task, SOFT_ROUNDS_TIMER,
					   SOFT_TASK_BY_TIMER);
			break;
		}
		fallthrough;
	default:
		/* A work between two rounds may lose its processor, too. */
		soft_start_timer(task);
	}
	return HRTIMER_NORESTART;
}

/**
 * soft_task_settle - do what a task is armed for here and now
 * @task: task
 * @rounds: at most
 *
 * Context: process, sleeps.
 */
void soft_task_settle(struct soft_task *task, int rounds)
{
	while (atomic_read(&task->state) != SOFT_TASK_IDLE && rounds--) {
		local_bh_disable();
		if (soft_begin_armed(task, SOFT_TASK_BY_CALL))
			soft_task_run(task, 1, false);
		local_bh_enable();
		cond_resched();
	}
}
EXPORT_SYMBOL_GPL(soft_task_settle);

/**
 * soft_task_stop - the end of a task
 * @task: task; its rounds leave nothing any more, and it is neither called nor queued
 *
 * Context: process, sleeps.
 */
void soft_task_stop(struct soft_task *task)
{
	might_sleep();
	/*
	 * The timer may queue a work, and a work may start the timer; but once. A round that is
	 * wanted once more hands over to @work, whichever work runs it.
	 */
	hrtimer_cancel(&task->timer);
	cancel_work_sync(&task->one_work);
	cancel_work_sync(&task->work);
	hrtimer_cancel(&task->timer);
}
EXPORT_SYMBOL_GPL(soft_task_stop);

/**
 * soft_task_init - a new task, idle
 * @task: task
 * @round: does a part of what there is to do, and says what it leaves. Softirqs disabled
 * @queues: as long as @task is
 *
 * Context: any.
 */
void soft_task_init(struct soft_task *task,
		    enum soft_task_left (*round)(struct soft_task *task),
		    const struct soft_task_queues *queues)
{
	atomic_set(&task->state, SOFT_TASK_IDLE);
	task->round = round;
	task->queues = queues;
	task->qp = NULL;
	task->cpu = SOFT_NO_CPU;
	task->late = false;
	INIT_WORK(&task->work, soft_work_fn);
	INIT_WORK(&task->one_work, soft_one_work_fn);
	hrtimer_setup(&task->timer, soft_task_expired, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_PINNED_SOFT);
}
EXPORT_SYMBOL_GPL(soft_task_init);

/**
 * soft_queues_init - queues for the tasks of a device
 * @queues: queues
 * @name: of its kind
 *
 * A page fault takes as long as a program's file system likes (FUSE), and a queue has a number of
 * works that it runs at most: hence a queue for page faults alone, of which no user has all
 * (faults.c).
 *
 * Context: process, sleeps.
 *
 * Return: 0 or -ENOMEM.
 */
int soft_queues_init(struct soft_task_queues *queues, const char *name)
{
	queues->any = alloc_workqueue("ofed_%s", WQ_MEM_RECLAIM | WQ_UNBOUND |
				      WQ_HIGHPRI, 0, name);
	if (!queues->any)
		return -ENOMEM;
	queues->one = alloc_workqueue("ofed_%s_cpu", WQ_MEM_RECLAIM |
				      WQ_CPU_INTENSIVE | WQ_HIGHPRI | WQ_PERCPU,
				      0, name);
	if (!queues->one)
		goto err_any;
	queues->pages = alloc_workqueue("ofed_%s_pages", WQ_MEM_RECLAIM | WQ_UNBOUND |
					WQ_HIGHPRI, SOFT_FAULTS_MOST, name);
	if (!queues->pages)
		goto err_one;
	return 0;

err_one:
	destroy_workqueue(queues->one);
err_any:
	destroy_workqueue(queues->any);
	return -ENOMEM;
}
EXPORT_SYMBOL_GPL(soft_queues_init);

/**
 * soft_queues_exit - the end of queues
 * @queues: queues; all tasks have stopped
 *
 * Context: process, sleeps.
 */
void soft_queues_exit(struct soft_task_queues *queues)
{
	destroy_workqueue(queues->pages);
	destroy_workqueue(queues->one);
	destroy_workqueue(queues->any);
}
EXPORT_SYMBOL_GPL(soft_queues_exit);
