// SPDX-License-Identifier: GPL-2.0
/*
 * Which of several ways is the fastest is a matter of the processor, and of what
 * emulates it. It is measured once, as the module is loaded.
 */
#include <linux/export.h>
#include <linux/ktime.h>
#include <linux/minmax.h>

#include "soft.h"

#define TRIALS	16

/**
 * soft_time_of - how long does something take at best
 * @what: to be done, some times
 * @with: for @what
 *
 * What else the processor does meanwhile is not asked for.
 *
 * Context: that of @what.
 *
 * Return: the least time, in nanoseconds.
 */
u64 soft_time_of(void (*what)(void *with), void *with)
{
	u64 start, least = U64_MAX;
	u32 i;

	for (i = 0; i < TRIALS; i++) {
		start = ktime_get_ns();
		what(with);
		least = min(least, ktime_get_ns() - start);
	}
	return least;
}
EXPORT_SYMBOL_GPL(soft_time_of);
