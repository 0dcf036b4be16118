/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A task: something that is done in rounds, by one context at a time, and by any that finds
 * it idle.
 *
 *             call                        round: nothing left
 *      IDLE --------> BUSY --------------------------------> IDLE
 *        |             ^ |  ^ call or queue: BUSY, and another round is due
 *  queue |       begin | | round: more is left, or another one is due
 *        v             | v
 *        +----------> ARMED       the work, the next caller that finds it late, a timer
 *
 * Each round runs with softirqs disabled, so nothing but an interrupt keeps it from its end.
 * Between rounds the task is ARMED. ARMED is late after 1 ms: a processor that was to go on
 * may belong to another task meanwhile. Then the next caller begins, or the timer does.
 *
 * The fields of struct soft_task have no lock: @state moves by cmpxchg, and the one context
 * that moved it to BUSY owns the others until it moves it on.
 */
#ifndef OFED_SOFT_TASK_H
#define OFED_SOFT_TASK_H

#include <linux/atomic.h>
#include <linux/hrtimer.h>
#include <linux/workqueue.h>

struct ib_qp;

#define SOFT_NO_CPU	(-1)

enum soft_task_state {
	SOFT_TASK_IDLE,
	SOFT_TASK_ARMED,	/* a round is due, and nothing runs */
	SOFT_TASK_BUSY,
	SOFT_TASK_BUSY_AGAIN,	/* and another round is due after this one */
};

/* What a round leaves. */
enum soft_task_left {
	SOFT_TASK_NOTHING,
	SOFT_TASK_MORE,
	SOFT_TASK_ELSEWHERE,	/* more, which processor soft_task.cpu is to do */
};

/**
 * struct soft_task_queues - where a task goes on that nothing runs
 * @any: unbound
 * @one: of one processor
 * @pages: no tasks: works that bring in pages of programs (pager.h)
 */
struct soft_task_queues {
	struct workqueue_struct *any;
	struct workqueue_struct *one;
	struct workqueue_struct *pages;
};

/**
 * struct soft_task - see above
 * @state: enum soft_task_state
 * @round: does a part, softirqs disabled
 * @queues: of the device
 * @qp: the queue pair it is a part of, or NULL. Tracepoints name it
 * @since: when it was armed, ns of CLOCK_MONOTONIC
 * @cpu: the processor that is to begin, or SOFT_NO_CPU: any. Written by a round that
 *	 returns SOFT_TASK_ELSEWHERE, and when the task is armed
 * @late: (BUSY) the processor that was to begin has not
 * @work: begins, on @queues->any
 * @one_work: begins, on processor @cpu
 * @timer: begins when neither has
 */
struct soft_task {
	atomic_t state;
	enum soft_task_left (*round)(struct soft_task *task);
	const struct soft_task_queues *queues;
	const struct ib_qp *qp;
	u64 since;
	int cpu;
	bool late;
	struct work_struct work;
	struct work_struct one_work;
	struct hrtimer timer;
};

extern unsigned int soft_task_patience;	/* ns */

void soft_task_init(struct soft_task *task,
		    enum soft_task_left (*round)(struct soft_task *task),
		    const struct soft_task_queues *queues);
void soft_task_call(struct soft_task *task, int rounds);
void soft_task_queue(struct soft_task *task);
void soft_task_queue_on(struct soft_task *task, int cpu);
bool soft_task_help(struct soft_task *task, int cpu);
void soft_task_settle(struct soft_task *task, int rounds);
void soft_task_stop(struct soft_task *task);

int soft_queues_init(struct soft_task_queues *queues, const char *name);
void soft_queues_exit(struct soft_task_queues *queues);

/* Is a round running? Any context. */
static inline bool soft_task_is_busy(const struct soft_task *task)
{
	return atomic_read(&task->state) >= SOFT_TASK_BUSY;
}

/* ---- helper.c: which processor may help ------------------------------------------------ */

/**
 * struct soft_helper_state - what is known of a processor
 * @until: jiffies: it is not asked before
 * @pause: how long that was the last time; 0: it was prompt
 *
 * Without a lock: they are hints.
 */
struct soft_helper_state {
	unsigned long until;
	unsigned long pause;
};

int soft_helper(int cpu);
void soft_helper_began(int cpu, u64 delay);

#if IS_ENABLED(CONFIG_KUNIT)
enum hrtimer_restart soft_task_expired(struct hrtimer *timer);
DECLARE_PER_CPU(struct soft_helper_state, soft_helpers);
bool soft_is_free(int cpu);
#endif

#endif /* OFED_SOFT_TASK_H */
