// SPDX-License-Identifier: GPL-2.0
/* Counters of a device, as 'rdma statistic' and sysfs hw_counters show them. */
#include "iwarp.h"

#define IW_STAT_DESC(id, text) [IW_STAT_##id] = { .name = text },

static const struct rdma_stat_desc descs[] = { IW_STATS(IW_STAT_DESC) };
static_assert(ARRAY_SIZE(descs) == IW_STAT_NUM);

static struct rdma_hw_stats *alloc_port_stats(struct ib_device *ib, u32 port)
{
	return rdma_alloc_hw_stats_struct(descs, ARRAY_SIZE(descs),
					  RDMA_HW_STATS_DEFAULT_LIFESPAN);
}

static int get_stats(struct ib_device *ib, struct rdma_hw_stats *stats,
		     u32 port, int index)
{
	if (!port || !stats)
		return -EINVAL;
	return soft_stats_read(stats, to_iw_dev(ib)->stats->count);
}

const struct ib_device_ops iw_stats_ops = {
	.alloc_hw_port_stats = alloc_port_stats,
	.get_hw_stats = get_stats,
};
