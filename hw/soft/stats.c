// SPDX-License-Identifier: GPL-2.0
/* Counters of each processor, summed up when they are read. */
#include <linux/export.h>
#include <linux/percpu.h>
#include <rdma/ib_verbs.h>

#include "stats.h"

/**
 * soft_stats_sum - what all processors have counted
 * @count: a counter, of each processor
 *
 * Context: any.
 * Return: the sum.
 */
u64 soft_stats_sum(const u64 __percpu *count)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(*per_cpu_ptr(count, cpu));
	return sum;
}
EXPORT_SYMBOL_GPL(soft_stats_sum);

/**
 * soft_get_hw_stats - for get_hw_stats() of a device: all of its counters
 * @stats: filled in, stats->num_counters of them
 * @counts: an array of so many, for each processor
 *
 * Whichever was asked for: the core's netlink asks for the first and shows all.
 *
 * Context: any.
 * Return: how many.
 */
int soft_get_hw_stats(struct rdma_hw_stats *stats, const u64 __percpu *counts)
{
	int i;

	for (i = 0; i < stats->num_counters; i++)
		stats->value[i] = soft_stats_sum(counts + i);
	return stats->num_counters;
}
EXPORT_SYMBOL_GPL(soft_get_hw_stats);
