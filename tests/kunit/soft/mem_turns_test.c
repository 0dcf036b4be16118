// SPDX-License-Identifier: GPL-2.0
/* Which contexts wait for which at a region: cases with threads. */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/kthread.h>

#include "hw/soft/region_lock.h"
#include "mem.h"

/**
 * struct helper - a thread that waits for a region on a CPU of its own
 * @world: of the test
 * @to: (reader) copies to here
 * @from: (reader) from here; (writer) changed
 * @coming: it is about to ask for a region
 * @done: it has had it
 * @fault: of the copy
 * @end: the thread is through
 */
struct helper {
	struct world *world;
	struct ib_mr *to;
	struct ib_mr *from;
	bool coming;
	bool done;
	int fault;
	struct completion end;
};

static int copy_between(struct world *w, struct ib_mr *to, struct ib_mr *from)
{
	const struct ib_sge sge[] = {
		{ .addr = VA, .length = LEN, .lkey = to->lkey },
		{ .addr = VA, .length = LEN, .lkey = from->lkey },
	};
	struct soft_iter a, b;
	int fault;

	soft_iter_list(&a, w->mem, &w->pd, &sge[0], 1, LW);
	soft_iter_list(&b, w->mem, &w->pd, &sge[1], 1, 0);
	fault = soft_iter_copy(&a, &b, LEN);
	soft_iter_end(&a);
	soft_iter_end(&b);
	return fault;
}

/* As packets are received: the plain lock lets these pass a waiting writer. */
static int reader(void *data)
{
	struct helper *h = data;

	local_bh_disable();
	WRITE_ONCE(h->coming, true);
	h->fault = copy_between(h->world, h->to, h->from);
	WRITE_ONCE(h->done, true);
	local_bh_enable();
	complete(&h->end);
	return 0;
}

static int writer(void *data)
{
	struct helper *h = data;

	WRITE_ONCE(h->coming, true);
	soft_rereg_user_mr(h->from, IB_MR_REREG_ACCESS, 0, 0, 0, RW, NULL, NULL);
	WRITE_ONCE(h->done, true);
	complete(&h->end);
	return 0;
}

/* To be woken; on another CPU than this, from which the caller must not move. */
static struct task_struct *thread(struct kunit *test, struct helper *h,
				  int (*fn)(void *data))
{
	struct task_struct *task = kthread_create(fn, h, "mem_turns");

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, task);
	h->world = world(test);
	init_completion(&h->end);
	kthread_bind(task, cpumask_any_but(cpu_online_mask,
					   raw_smp_processor_id()));
	return task;
}

/* Its CPU may spin: no sleep here, which might need it. */
static bool seen(const bool *flag)
{
	int i;

	for (i = 0; i < 20000 && !READ_ONCE(*flag); i++)
		udelay(500);
	return READ_ONCE(*flag);
}

static struct soft_region *region_of(struct ib_mr *mr)
{
	return container_of(mr, struct soft_region, mr);
}

/* A reader is not done; a writer comes, and has the next turn. */
static void expect_turn(struct kunit *test, enum soft_gate_of which)
{
	struct helper h = { };
	struct soft_gate *gate;
	int i;

	h.from = user_mr(test, RW);
	gate = &region_of(h.from)->gates[which];
	migrate_disable();
	/* By no writer: a reader on a third CPU. */
	arch_read_lock(&gate->lock.raw_lock);
	wake_up_process(thread(test, &h, writer));
	for (i = 0; i < 20000 && !atomic_read(&gate->writers); i++)
		udelay(500);
	mdelay(50);
	KUNIT_EXPECT_EQ(test, atomic_read(&gate->writers), 1);
	KUNIT_EXPECT_FALSE(test, spin_trylock(&gate->turn));
	KUNIT_EXPECT_FALSE(test, READ_ONCE(h.done));
	arch_read_unlock(&gate->lock.raw_lock);
	migrate_enable();
	wait_for_completion(&h.end);
	KUNIT_EXPECT_EQ(test, atomic_read(&gate->writers), 0);
	dereg(test, h.from);
}

static void turn_is_taken(struct kunit *test)
{
	if (num_online_cpus() < 2)
		kunit_skip(test, "needs a second CPU");
	expect_turn(test, SOFT_GATE_ONE);
	expect_turn(test, SOFT_GATE_TWO);
}

/* A writer waits at @gate: no reader that comes after it is before it. */
static void expect_waits(struct kunit *test, struct soft_gate *gate,
			 struct ib_mr *to, struct ib_mr *from)
{
	struct helper h = { .to = to, .from = from };
	struct task_struct *task;
	unsigned long flags;

	migrate_disable();
	task = thread(test, &h, reader);
	atomic_inc(&gate->writers);
	spin_lock_irqsave(&gate->turn, flags);
	wake_up_process(task);
	KUNIT_EXPECT_TRUE(test, seen(&h.coming));
	mdelay(50);
	KUNIT_EXPECT_FALSE(test, READ_ONCE(h.done));
	atomic_dec(&gate->writers);
	spin_unlock_irqrestore(&gate->turn, flags);
	migrate_enable();
	wait_for_completion(&h.end);
	KUNIT_EXPECT_EQ(test, h.fault, (int)SOFT_OK);
}

static void turn_is_kept(struct kunit *test)
{
	struct ib_mr *a, *b;

	if (num_online_cpus() < 2)
		kunit_skip(test, "needs a second CPU");
	a = user_mr(test, RW);
	b = user_mr(test, RW);
	expect_waits(test, &region_of(a)->gates[SOFT_GATE_ONE], a, a);
	/* A copy locks its destination by gate ONE, its source by gate TWO. */
	expect_waits(test, &region_of(a)->gates[SOFT_GATE_ONE], a, b);
	expect_waits(test, &region_of(b)->gates[SOFT_GATE_TWO], a, b);
	dereg(test, a);
	dereg(test, b);
}

/**
 * struct crossing - copies back and forth for as long as the test likes
 * @h: from which to which
 * @copies: that were made
 * @faults: neither good nor cut short by a change of what the region grants
 */
struct crossing {
	struct helper h;
	u32 copies;
	u32 faults;
};

static int crossing(void *data)
{
	struct crossing *c = data;
	int fault;

	while (!kthread_should_stop()) {
		local_bh_disable();
		fault = copy_between(c->h.world, c->h.to, c->h.from);
		local_bh_enable();
		c->copies++;
		if (fault != SOFT_OK && fault != SOFT_ERR_KEY)
			c->faults++;
		cond_resched();
	}
	return 0;
}

/* Both directions at once, and both are changed all the time: no thread stands. */
static void turns_cross(struct kunit *test)
{
	struct ib_mr *mr[2] = { user_mr(test, RW), user_mr(test, RW) };
	struct task_struct *task[4];
	struct crossing c[4] = { };
	s64 longest = 0;
	ktime_t start;
	int i;

	for (i = 0; i < ARRAY_SIZE(c); i++) {
		c[i].h.world = world(test);
		c[i].h.to = mr[i & 1];
		c[i].h.from = mr[!(i & 1)];
		task[i] = kthread_run(crossing, &c[i], "mem_cross");
		KUNIT_ASSERT_NOT_ERR_OR_NULL(test, task[i]);
	}
	for (i = 0; i < 1000; i++) {
		start = ktime_get();
		KUNIT_EXPECT_PTR_EQ(test,
				    soft_rereg_user_mr(mr[i & 1],
						       IB_MR_REREG_ACCESS, 0, 0,
						       0, RW, NULL, NULL),
				    NULL);
		longest = max(longest, ktime_us_delta(ktime_get(), start));
		cond_resched();
	}
	kunit_info(test, "longest wait %lld us\n", longest);
	for (i = 0; i < ARRAY_SIZE(c); i++) {
		while (!READ_ONCE(c[i].copies))
			msleep(20);
		kthread_stop(task[i]);
		KUNIT_EXPECT_EQ(test, c[i].faults, 0U);
	}
	dereg(test, mr[0]);
	dereg(test, mr[1]);
}

static struct kunit_case soft_mem_turn_cases[] = {
	KUNIT_CASE(turn_is_taken),
	KUNIT_CASE(turn_is_kept),
	KUNIT_CASE(turns_cross),
	{}
};

struct kunit_suite soft_mem_turn_suite = {
	.name = "soft_mem_turn",
	.init = soft_mem_test_init,
	.exit = soft_mem_test_exit,
	.test_cases = soft_mem_turn_cases,
};
