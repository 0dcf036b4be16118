// SPDX-License-Identifier: GPL-2.0
/* Counters that each processor has for itself, summed up for who asks. */
#include <linux/export.h>
#include <linux/percpu.h>

#include "internal.h"

/**
 * soft_stats_read - for get_hw_stats() of a device: all of its counters
 * @stats: filled in, stats->num_counters of them
 * @counts: an array of so many, for each processor
 *
 * Whichever was asked for: the core's netlink asks for the first and shows all.
 *
 * Context: any.
 * Return: how many.
 */
int soft_stats_read(struct rdma_hw_stats *stats, const u64 __percpu *counts)
{
	int cpu, i;

	for (i = 0; i < stats->num_counters; i++) {
		u64 sum = 0;

		for_each_possible_cpu(cpu)
			sum += READ_ONCE(*per_cpu_ptr(counts + i, cpu));
		stats->value[i] = sum;
	}
	return stats->num_counters;
}
EXPORT_SYMBOL_GPL(soft_stats_read);
