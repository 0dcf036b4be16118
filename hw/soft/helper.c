// SPDX-License-Identifier: GPL-2.0
/*
 * Which processor helps: one that has begun soon when it was asked last.
 *
 * The kernel has no word for modules on whether a processor is idle. But it shows: a worker
 * on an idle one begins at once. One that was late is not asked for a while, each time
 * for twice as long.
 */
#include <kunit/visibility.h>
#include <linux/cpumask.h>
#include <linux/export.h>
#include <linux/jiffies.h>
#include <linux/percpu.h>
#include <linux/sched/isolation.h>
#include <linux/smp.h>

#include "policy.h"
#include "task.h"

VISIBLE_IF_KUNIT DEFINE_PER_CPU(struct soft_helper_state, soft_helpers);

VISIBLE_IF_KUNIT bool soft_is_free(int cpu)
{
	const struct soft_helper_state *h = per_cpu_ptr(&soft_helpers, cpu);

	return !READ_ONCE(h->pause) ||
	       time_after_eq(jiffies, READ_ONCE(h->until));
}

/**
 * soft_helper - a processor for what need not wait for this one
 * @cpu: which it was last, or SOFT_NO_CPU
 *
 * Context: any; the answer is a hint.
 *
 * Return: one of those for such work (housekeeping), or SOFT_NO_CPU.
 */
int soft_helper(int cpu)
{
	const struct cpumask *usual = housekeeping_cpumask(HK_TYPE_WQ);
	int here = raw_smp_processor_id();
	int i;

	if (cpu != SOFT_NO_CPU && cpu != here && cpu_online(cpu) && soft_is_free(cpu))
		return cpu;
	cpu = here;
	for (i = 0; i < SOFT_HELPER_LOOKS; i++) {
		cpu = cpumask_next_and(cpu, usual, cpu_online_mask);
		if (cpu >= nr_cpu_ids)
			cpu = cpumask_first_and(usual, cpu_online_mask);
		if (cpu >= nr_cpu_ids || cpu == here)
			break;
		if (soft_is_free(cpu))
			return cpu;
	}
	return SOFT_NO_CPU;
}
EXPORT_SYMBOL_GPL(soft_helper);

/**
 * soft_helper_began - a processor that was asked has begun, or another one in its place
 * @cpu: that was asked, or SOFT_NO_CPU
 * @delay: since then, ns
 *
 * Context: any.
 */
void soft_helper_began(int cpu, u64 delay)
{
	unsigned long pause;
	struct soft_helper_state *h;

	if (cpu == SOFT_NO_CPU)
		return;
	h = per_cpu_ptr(&soft_helpers, cpu);
	pause = READ_ONCE(h->pause);
	if (delay < SOFT_HELPER_PROMPT) {
		if (pause)
			WRITE_ONCE(h->pause, 0);
		return;
	}
	pause = clamp(2 * pause, (unsigned long)SOFT_HELPER_LEAST,
		      (unsigned long)SOFT_HELPER_MOST);
	WRITE_ONCE(h->pause, pause);
	WRITE_ONCE(h->until, jiffies + pause);
}
EXPORT_SYMBOL_GPL(soft_helper_began);
