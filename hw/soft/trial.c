// SPDX-License-Identifier: GPL-2.0
/*
 * Which of several ways is the fastest is a matter of the processor, and of what
 * emulates it. It is measured once, as the module is loaded.
 */
#include <linux/export.h>
#include <linux/ktime.h>
#include <linux/minmax.h>

#include "trial.h"

#define TRIALS	64

/**
 * soft_bench - how long does each of several ways take at best
 * @ways: @least of each is filled in
 * @n: of them
 *
 * They take turns, so that what happens to the processor meanwhile happens to all.
 *
 * Context: that of the ways.
 */
void soft_bench(struct soft_bench_fn *ways, u32 n)
{
	u64 start;
	u32 i, k;

	for (k = 0; k < n; k++)
		ways[k].least = U64_MAX;
	for (i = 0; i < TRIALS; i++)
		for (k = 0; k < n; k++) {
			start = ktime_get_ns();
			ways[k].go(ways[k].with);
			ways[k].least = min(ways[k].least,
					    ktime_get_ns() - start);
		}
}
EXPORT_SYMBOL_GPL(soft_bench);
