/* SPDX-License-Identifier: GPL-2.0 */
/* Which of several ways to do the same is the fastest here? */
#ifndef OFED_SOFT_TRIAL_H
#define OFED_SOFT_TRIAL_H

#include <linux/types.h>

/* Bytes to try a way of doing something with: a packet's. */
#define SOFT_BENCH_BYTES	4096

/**
 * struct soft_bench_fn - one of several to do the same
 * @go: does it
 * @with: given to @go
 * @least: nanoseconds that it took at best
 */
struct soft_bench_fn {
	void (*go)(void *with);
	void *with;
	u64 least;
};

void soft_bench(struct soft_bench_fn *ways, u32 n);

#endif /* OFED_SOFT_TRIAL_H */
