// SPDX-License-Identifier: GPL-2.0
/* Counters of a device, as 'rdma statistic' and sysfs hw_counters show them. */
#include "../soft/pma.h"
#include "../soft/stats.h"
#include "dev.h"
#include "stats.h"

#define IW_STAT_DESC(id, text) [IW_STAT_##id] = { .name = text },

static const struct rdma_stat_desc descs[] = { IW_STATS(IW_STAT_DESC) };
static_assert(ARRAY_SIZE(descs) == IW_STAT_NUM);

static struct rdma_hw_stats *iw_alloc_port_stats(struct ib_device *ib, u32 port)
{
	return rdma_alloc_hw_stats_struct(descs, ARRAY_SIZE(descs),
					  RDMA_HW_STATS_DEFAULT_LIFESPAN);
}

static int iw_get_stats(struct ib_device *ib, struct rdma_hw_stats *stats,
			u32 port, int index)
{
	if (!port || !stats)
		return -EINVAL;
	return soft_get_hw_stats(stats, to_iw_dev(ib)->stats->count);
}

static u64 iw_stats_sum(const struct iw_dev *dev, enum iw_stat stat)
{
	return soft_stats_sum(&dev->stats->count[stat]);
}

/* An FPDU is the packet of this transport. */
static void iw_read_pma(struct ib_device *ib, u32 port,
			struct soft_pma_counts *counts)
{
	const struct iw_dev *dev = to_iw_dev(ib);

	counts->xmit_bytes = iw_stats_sum(dev, IW_STAT_TX_BYTES);
	counts->rcv_bytes = iw_stats_sum(dev, IW_STAT_RX_BYTES);
	counts->xmit_pkts = iw_stats_sum(dev, IW_STAT_TX_FPDUS);
	counts->rcv_pkts = iw_stats_sum(dev, IW_STAT_RX_FPDUS);
	counts->link_downed = READ_ONCE(dev->downs);
	counts->rcv_errors = iw_stats_sum(dev, IW_STAT_RX_CRC) +
			     iw_stats_sum(dev, IW_STAT_RX_MALFORMED);
}

/* There are no MADs on this transport, but sysfs asks for ports/1/counters by them. */
static int iw_process_mad(struct ib_device *ib, int flags, u32 port,
			  const struct ib_wc *wc, const struct ib_grh *grh,
			  const struct ib_mad *in, struct ib_mad *out,
			  size_t *out_size, u16 *out_pkey_index)
{
	if (port != 1)
		return IB_MAD_RESULT_FAILURE;
	return soft_pma(ib, port, in, out, iw_read_pma);
}

const struct ib_device_ops iw_stats_ops = {
	.process_mad = iw_process_mad,
	.alloc_hw_port_stats = iw_alloc_port_stats,
	.get_hw_stats = iw_get_stats,
};
