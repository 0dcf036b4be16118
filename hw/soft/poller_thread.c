// SPDX-License-Identifier: GPL-2.0
/*
 * The thread that reads a page of doorbells.
 *
 * It runs only where nothing else wants to: single_task_running() and need_resched() are asked
 * between any two rounds, and all pollers together leave one processor free. Otherwise it
 * sleeps, and the program calls. It is a kernel thread in the cgroups of the process for which
 * it was made, so its time is charged there, and it runs on the processors of that cpuset.
 *
 * A program that was told not to call must not wait for a thread that does not run. So a timer
 * expires each soft_task_patience while the thread is awake, on the processor of the call that has
 * woken it. If the thread has not made a round meanwhile, the timer tells the program to call again,
 * and serves what has rung. The host of a virtual machine may take a processor away without a word:
 * a round that has found nothing and yet was long tells of that.
 */
#include <linux/cgroup.h>
#include <linux/cpumask.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/sched/stat.h>

#include "policy.h"
#include "poll.h"
#include "task.h"

static uint pollers;
module_param(pollers, uint, 0644);
MODULE_PARM_DESC(pollers,
		 "Programs' contexts that may have a thread which reads their doorbells (default 0: none, each doorbell is a call)");

static bool poll_always;
module_param(poll_always, bool, 0644);
MODULE_PARM_DESC(poll_always,
		 "For tests: such a thread is woken by the first call, and also where another task wants the processor (default N)");

static atomic_t soft_pollers = ATOMIC_INIT(0);
static atomic_t soft_pollers_awake = ATOMIC_INIT(0);

bool soft_pollers_wanted(void)
{
	return READ_ONCE(pollers);
}

/* The processor is another task's, and may be for longer. */
static void soft_poll_back_off(struct soft_poller *p)
{
	unsigned long pause = clamp(2 * READ_ONCE(p->pause), SOFT_POLL_PAUSE_LEAST,
				    SOFT_POLL_PAUSE_MOST);

	WRITE_ONCE(p->pause, pause);
	WRITE_ONCE(p->until, jiffies + pause);
}

/* ---- the timer -------------------------------------------------------------------------- */

/* On this processor, if it does not expire anyway. */
static void soft_poll_tick(struct soft_poller *p)
{
	spin_lock_bh(&p->lock);
	p->left = SOFT_POLL_REST;
	if (!p->ticking) {
		p->ticking = true;
		hrtimer_start(&p->timer, ns_to_ktime(READ_ONCE(soft_task_patience)),
			      HRTIMER_MODE_REL_PINNED_SOFT);
	}
	spin_unlock_bh(&p->lock);
}

/* Does it expire once more? @useful: it had something to do. */
static bool soft_poll_ticks(struct soft_poller *p, bool useful)
{
	bool ticks;

	spin_lock_bh(&p->lock);
	ticks = p->awake || (p->left && (useful || READ_ONCE(p->wanted)));
	/* Counted from when the thread is asleep: each word of the page has its turn. */
	if (p->awake)
		p->left = SOFT_POLL_REST;
	else if (p->left)
		p->left--;
	p->ticking = ticks;
	spin_unlock_bh(&p->lock);
	return ticks;
}

static enum hrtimer_restart soft_poll_expired(struct hrtimer *timer)
{
	struct soft_poller *p = container_of(timer, struct soft_poller, timer);
	u32 rounds = READ_ONCE(p->rounds);
	bool late = rounds == p->seen;
	bool useful = false;

	p->seen = rounds;
	if (READ_ONCE(p->awake) && late) {
		soft_poller_tell(p, false);
		soft_poll_back_off(p);
	}
	/* The thread may have lost the processor on its way to sleep, too. */
	if (!READ_ONCE(p->awake))
		useful = soft_rung_serve(p, 1);
	if (!soft_poll_ticks(p, useful))
		return HRTIMER_NORESTART;
	hrtimer_forward_now(timer, ns_to_ktime(READ_ONCE(soft_task_patience)));
	return HRTIMER_RESTART;
}

/* ---- the thread ------------------------------------------------------------------------ */

static bool soft_poll_goes_on(const struct soft_poller *p)
{
	if (kthread_should_stop() || !READ_ONCE(p->awake) || !soft_pollers_wanted())
		return false;
	if (READ_ONCE(poll_always)) {
		cond_resched();
		return true;
	}
	return single_task_running() && !need_resched();
}

/* A program that rings again soon after it was given up is worth more patience. */
static void soft_poll_adapt(struct soft_poller *p, u64 now)
{
	if (now - p->slept < SOFT_POLL_MOST)
		p->patience = min_t(u64, 2 * p->patience, SOFT_POLL_MOST);
	else
		p->patience = max_t(u64, p->patience / 2, SOFT_POLL_LEAST);
}

/* Why a thread goes to sleep. */
enum soft_poll_end {
	SOFT_POLL_IDLE,		/* nothing rings any more */
	SOFT_POLL_GIVEN_UP,	/* it has to */
	SOFT_POLL_HELD,		/* it had lost the processor */
};

static enum soft_poll_end soft_poll_rounds(struct soft_poller *p, u64 begin)
{
	u64 before, now = begin, last = begin;

	while ((s64)(now - last) <= (s64)p->patience) {
		if (!soft_poll_goes_on(p))
			return SOFT_POLL_GIVEN_UP;
		WRITE_ONCE(p->rounds, p->rounds + 1);
		before = now;
		if (soft_rung_serve(p, SOFT_POLL_ROUND)) {
			now = ktime_get_mono_fast_ns();
			last = now;
			continue;
		}
		cpu_relax();
		now = ktime_get_mono_fast_ns();
		if ((s64)(now - before) > SOFT_POLL_LONG && !READ_ONCE(poll_always))
			return SOFT_POLL_HELD;
	}
	return SOFT_POLL_IDLE;
}

static void soft_poll_awake(struct soft_poller *p)
{
	u64 begin = ktime_get_mono_fast_ns();
	enum soft_poll_end end;
	int i;

	soft_poll_adapt(p, begin);
	soft_poller_tell(p, true);
	soft_poll_tick(p);
	end = soft_poll_rounds(p, begin);
	soft_poller_tell(p, false);
	for (i = 0; i < OFED_DOORBELLS / SOFT_POLL_ROUND; i++) {
		if (!soft_rung_serve(p, SOFT_POLL_ROUND))
			break;
		cond_resched();
	}
	p->slept = ktime_get_mono_fast_ns();
	if (end == SOFT_POLL_IDLE ||
	    (end == SOFT_POLL_GIVEN_UP && p->slept - begin > SOFT_POLL_WORTH))
		WRITE_ONCE(p->pause, 0);
	if (end != SOFT_POLL_IDLE)
		soft_poll_back_off(p);
}

/* One processor is for the program. */
static bool soft_poll_is_free(int awake)
{
	return READ_ONCE(poll_always) || awake < (int)num_online_cpus();
}

static void soft_poll_turn(struct soft_poller *p)
{
	if (soft_poll_is_free(atomic_inc_return(&soft_pollers_awake)))
		soft_poll_awake(p);
	atomic_dec(&soft_pollers_awake);
}

static int soft_poll_fn(void *arg)
{
	struct soft_poller *p = arg;

	while (!kthread_should_stop()) {
		set_current_state(TASK_IDLE);
		if (!READ_ONCE(p->wanted) && !kthread_should_stop())
			schedule();
		__set_current_state(TASK_RUNNING);
		if (xchg(&p->wanted, false))
			soft_poll_turn(p);
	}
	return 0;
}

/* ---- its life ----------------------------------------------------------------------------- */

/* In the cgroups of the calling process. NULL: there is to be none. */
static struct task_struct *soft_poll_new(struct soft_poller *p)
{
	struct task_struct *task;

	if ((uint)atomic_inc_return(&soft_pollers) > READ_ONCE(pollers))
		goto err_count;
	task = kthread_create(soft_poll_fn, p, "ofed_poll/%d", task_tgid_nr(current));
	if (IS_ERR(task))
		goto err_count;
	if (cgroup_attach_task_all(current, task))
		goto err_task;
	set_user_nice(task, task_nice(current));
	return task;

err_task:
	kthread_stop(task);
err_count:
	atomic_dec(&soft_pollers);
	return NULL;
}

static void soft_poll_start(struct soft_poller *p)
{
	struct task_struct *task;

	mutex_lock(&p->start_lock);
	if (!p->thread && time_after_eq(jiffies, p->again)) {
		task = soft_poll_new(p);
		p->again = jiffies + SOFT_POLL_TRY;
		/* What it is made of is seen by those that read it without the lock. */
		smp_store_release(&p->thread, task);
	}
	mutex_unlock(&p->start_lock);
}

static void soft_poll_wake(struct soft_poller *p)
{
	struct task_struct *task = smp_load_acquire(&p->thread); /* soft_poll_start() */

	if (!task) {
		if (time_before(jiffies, READ_ONCE(p->again)))
			return;
		soft_poll_start(p);
		task = READ_ONCE(p->thread);
		if (!task)
			return;
	}
	WRITE_ONCE(p->wanted, true);
	soft_poll_tick(p);
	wake_up_process(task);
}

static bool soft_poll_may_begin(const struct soft_poller *p)
{
	return soft_pollers_wanted() && !READ_ONCE(p->awake) &&
	       soft_poll_is_free(atomic_read(&soft_pollers_awake) + 1) &&
	       (READ_ONCE(poll_always) || time_after_eq(jiffies, READ_ONCE(p->until)));
}

/**
 * soft_poller_called - a program has rung by a call
 * @p: poller of its context
 *
 * Context: process, may sleep. No lock is held that serving a doorbell takes.
 */
void soft_poller_called(struct soft_poller *p)
{
	u64 now = ktime_get_mono_fast_ns();
	u32 calls = 0;

	if (now - READ_ONCE(p->last_call) < SOFT_POLL_SHORT)
		calls = READ_ONCE(p->calls) + 1;
	WRITE_ONCE(p->last_call, now);
	WRITE_ONCE(p->calls, calls);
	if ((calls < SOFT_POLL_AGAIN && !READ_ONCE(poll_always)) || !soft_poll_may_begin(p))
		return;
	WRITE_ONCE(p->calls, 0);
	soft_poll_wake(p);
}

/* A new poller, asleep. */
void soft_poller_init(struct soft_poller *p)
{
	mutex_init(&p->start_lock);
	p->until = jiffies;
	p->again = jiffies;
	p->patience = SOFT_POLL_FIRST;
	hrtimer_setup(&p->timer, soft_poll_expired, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_PINNED_SOFT);
}

/* Nothing reads the page afterwards. Its context makes no call any more. Process context. */
void soft_poller_stop(struct soft_poller *p)
{
	if (p->thread) {
		kthread_stop(p->thread);
		atomic_dec(&soft_pollers);
	}
	hrtimer_cancel(&p->timer);
	mutex_destroy(&p->start_lock);
}
