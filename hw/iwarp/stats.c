// SPDX-License-Identifier: GPL-2.0
/* Counters of a device, as 'rdma statistic' and sysfs hw_counters show them. */
#include <linux/cpumask.h>

#include "iwarp.h"

#define IW_STAT_DESC(id, text) [IW_STAT_##id] = { .name = text },

static const struct rdma_stat_desc descs[] = { IW_STATS(IW_STAT_DESC) };
static_assert(ARRAY_SIZE(descs) == IW_STAT_NUM);

static struct rdma_hw_stats *alloc_port_stats(struct ib_device *ib, u32 port)
{
	return rdma_alloc_hw_stats_struct(descs, ARRAY_SIZE(descs),
					  RDMA_HW_STATS_DEFAULT_LIFESPAN);
}

static u64 sum_of(const struct iw_dev *dev, int stat)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu_ptr(dev->stats, cpu)->count[stat]);
	return sum;
}

static int get_stats(struct ib_device *ib, struct rdma_hw_stats *stats,
		     u32 port, int index)
{
	const struct iw_dev *dev = to_iw_dev(ib);
	int i;

	if (!port || !stats)
		return -EINVAL;
	if (index < ARRAY_SIZE(descs) && index >= 0) {
		stats->value[index] = sum_of(dev, index);
		return 1;
	}
	for (i = 0; i < ARRAY_SIZE(descs); i++)
		stats->value[i] = sum_of(dev, i);
	return i;
}

const struct ib_device_ops iw_stats_ops = {
	.alloc_hw_port_stats = alloc_port_stats,
	.get_hw_stats = get_stats,
};
