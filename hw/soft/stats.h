/* SPDX-License-Identifier: GPL-2.0 */
/* Counters of a device: an array per processor. */
#ifndef OFED_SOFT_STATS_H
#define OFED_SOFT_STATS_H

#include <linux/types.h>

struct rdma_hw_stats;

/* get_hw_stats() of a device with an array of counters per processor. */
u64 soft_stats_sum(const u64 __percpu *count);
int soft_get_hw_stats(struct rdma_hw_stats *stats, const u64 __percpu *counts);

#endif /* OFED_SOFT_STATS_H */
