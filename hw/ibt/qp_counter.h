/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counters of queue pairs: what 'rdma statistic qp' binds them to. What a queue pair that is bound
 * counts, it counts twice more: for its counter, and as what counters of the device have, which
 * those of a port leave out.
 */
#ifndef IBT_QP_COUNTER_H
#define IBT_QP_COUNTER_H

#include "dev.h"
#include "pkt.h"
#include "qp.h"
#include "stats.h"

/**
 * struct ibt_counter - counter of queue pairs of one port and one program
 * @stats: per CPU, since it was made
 */
struct ibt_counter {
	struct ibt_stats __percpu *stats;
};

void ibt_counter_add(const struct ibt_qp *qp, enum ibt_stat stat, u32 more);

/* As ibt_count_more(), of what a queue pair does. Context: any. */
static inline void ibt_qp_count_more(const struct ibt_qp *qp, enum ibt_stat stat, u32 more)
{
	ibt_count_more(ibt_qp_dev(qp), stat, more);
	if (unlikely(rcu_access_pointer(qp->counter)))
		ibt_counter_add(qp, stat, more);
}

static inline void ibt_qp_count(const struct ibt_qp *qp, enum ibt_stat stat)
{
	ibt_qp_count_more(qp, stat, 1);
}

/* Packets that have been sent, of @bytes from BTH to ICRC. Context: any. */
static inline void ibt_qp_count_tx(const struct ibt_qp *qp, u32 packets, u32 bytes)
{
	if (likely(!rcu_access_pointer(qp->counter)))
		return;
	ibt_counter_add(qp, IBT_STAT_TX_PKTS, packets);
	ibt_counter_add(qp, IBT_STAT_TX_BYTES, bytes);
}

/* A packet that has come, of @bytes from BTH to ICRC. Context: any. */
static inline void ibt_qp_count_rx(const struct ibt_qp *qp, u32 bytes)
{
	if (likely(!rcu_access_pointer(qp->counter)))
		return;
	ibt_counter_add(qp, IBT_STAT_RX_PKTS, 1);
	ibt_counter_add(qp, IBT_STAT_RX_BYTES, bytes);
}

static inline u32 ibt_pkt_bytes(const struct ibt_pkt *pkt)
{
	return pkt->op->length + pkt->length + pkt->pad + IBT_ICRC_BYTES;
}

extern const struct ib_device_ops ibt_counter_ops;

#endif /* IBT_QP_COUNTER_H */
