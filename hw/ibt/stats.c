// SPDX-License-Identifier: GPL-2.0
/* Counters of a device, as 'rdma statistic' and sysfs hw_counters show them. */
#include <linux/export.h>

#include "../soft/pma.h"
#include "../soft/stats.h"
#include "dev.h"
#include "link.h"
#include "port.h"
#include "stats.h"
#include "wire.h"

#define IBT_STAT_DESC(id, text) [IBT_STAT_##id] = { .name = text },

static const struct rdma_stat_desc descs[] = { IBT_STATS(IBT_STAT_DESC) };
static_assert(ARRAY_SIZE(descs) == IBT_STAT_NUM);

/* Ports share the counters of their device. */
static struct rdma_hw_stats *ibt_alloc_port_stats(struct ib_device *ib, u32 port)
{
	return rdma_alloc_hw_stats_struct(descs, ARRAY_SIZE(descs),
					  RDMA_HW_STATS_DEFAULT_LIFESPAN);
}

struct rdma_hw_stats *ibt_stats_of_counter(struct rdma_counter *counter)
{
	return rdma_alloc_hw_stats_struct(descs, ARRAY_SIZE(descs),
					  RDMA_HW_STATS_DEFAULT_LIFESPAN);
}

/* The core adds what counters of queue pairs have, those that are gone too. */
static int ibt_get_stats(struct ib_device *ib, struct rdma_hw_stats *stats,
			 u32 port, int index)
{
	struct ibt_dev *dev = to_ibt_dev(ib);
	u64 all, bound;
	int i;

	if (!port || !stats)
		return -EINVAL;
	for (i = 0; i < stats->num_counters; i++) {
		/* In this order, as what is bound is counted last. */
		bound = soft_stats_sum(&dev->bound_stats->count[i]);
		all = soft_stats_sum(&dev->stats->count[i]);
		/* Less only where the fault injection has taken packets. */
		stats->value[i] = all > bound ? all - bound : 0;
	}
	return stats->num_counters;
}

static u64 ibt_stats_sum(const struct ibt_dev *dev, enum ibt_stat stat)
{
	return soft_stats_sum(&dev->stats->count[stat]);
}

static void ibt_read_pma(struct ib_device *ib, u32 port_num,
			 struct soft_pma_counts *counts)
{
	struct ibt_dev *dev = to_ibt_dev(ib);

	counts->xmit_bytes = ibt_stats_sum(dev, IBT_STAT_TX_BYTES);
	counts->rcv_bytes = ibt_stats_sum(dev, IBT_STAT_RX_BYTES);
	counts->xmit_pkts = ibt_stats_sum(dev, IBT_STAT_TX_PKTS) +
			    ibt_stats_sum(dev, IBT_STAT_LOCAL_MSGS);
	counts->rcv_pkts = ibt_stats_sum(dev, IBT_STAT_RX_PKTS) +
			   ibt_stats_sum(dev, IBT_STAT_RX_LOCAL);
	counts->mcast_xmit_pkts = ibt_stats_sum(dev, IBT_STAT_TX_MCAST);
	counts->mcast_rcv_pkts = ibt_stats_sum(dev, IBT_STAT_MCAST_PKTS);
	counts->link_downed = atomic_read(&dev->ports[port_num - 1].downs);
	counts->rcv_errors = ibt_stats_sum(dev, IBT_STAT_RX_MALFORMED) +
			     ibt_stats_sum(dev, IBT_STAT_RX_ICRC) +
			     ibt_stats_sum(dev, IBT_STAT_RX_DROP);
	counts->rcv_constraint_errors = ibt_stats_sum(dev, IBT_STAT_RX_PKEY);
	counts->xmit_discards = ibt_stats_sum(dev, IBT_STAT_TX_ERROR);
}

/**
 * ibt_process_mad - process_mad() of a link without agents of its own
 * @ib: the device, of one port: ports share the counters of their device
 * @flags: enum ib_mad_flags
 * @port_num: port that is asked
 * @wc: of a MAD that came, NULL: sysfs asks
 * @grh: of that MAD
 * @in: the MAD
 * @out: the reply, if there is one
 * @out_size: bytes of it
 * @out_pkey_index: P_Key that it goes with
 *
 * A message that is delivered without packets counts as one packet.
 *
 * Context: any.
 * Return: enum ib_mad_result.
 */
int ibt_process_mad(struct ib_device *ib, int flags, u32 port_num,
		    const struct ib_wc *wc, const struct ib_grh *grh,
		    const struct ib_mad *in, struct ib_mad *out,
		    size_t *out_size, u16 *out_pkey_index)
{
	if (!ibt_dev_port(to_ibt_dev(ib), port_num))
		return IB_MAD_RESULT_FAILURE;
	return soft_pma(ib, port_num, in, out, ibt_read_pma);
}
EXPORT_SYMBOL_GPL(ibt_process_mad);

const struct ib_device_ops ibt_stats_ops = {
	.alloc_hw_port_stats = ibt_alloc_port_stats,
	.get_hw_stats = ibt_get_stats,
};
