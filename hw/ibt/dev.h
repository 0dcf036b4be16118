/* SPDX-License-Identifier: GPL-2.0 */
/* A device: its tables, its counters, memory of received packets. */
#ifndef IBT_DEV_H
#define IBT_DEV_H

#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/rhashtable.h>

#include "../soft/dev.h"
#include "../soft/task.h"
#include "limits.h"
#include "link.h"
#include "port.h"
#include "stats.h"

struct ibt_fault;
struct ibt_rx_backlog;

/* A power of 2. */
#define IBT_RECENT	8

/**
 * struct ibt_recent - queue pairs that packets were for last, as one CPU knows them
 * @of: by the low bits of their numbers; without a reference (RCU)
 */
struct ibt_recent {
	struct ibt_ref __rcu *of[IBT_RECENT];
};

/**
 * struct ibt_stats - counters, as one CPU has them
 * @count: since the device was made
 */
struct ibt_stats {
	u64 count[IBT_STAT_NUM];
};

/**
 * struct ibt_dev - a device
 * @soft: first; @soft.ib is the core's
 * @link: its kind of link
 * @qps: QPN -> struct ibt_ref of a queue pair
 * @ahs: number -> struct ibt_av of an address handle of user space
 * @srqs: number -> struct ibt_ref of a shared receive queue
 * @next_qpn: where the search for a free QPN begins
 * @next_ah: where the search for a free number in @ahs begins
 * @next_srq: where the search for a free number in @srqs begins
 * @groups: multicast groups (mcast.c)
 * @num_groups: of them
 * @num_members: attachments to all of them
 * @groups_lock: one attach or detach at a time
 * @crowd: packets for large groups
 * @num_crowd: entries of @crowd
 * @mcast_backlog_lock: guards @crowd and @num_crowd
 * @mcast_backlog_work: delivers the packets of @crowd
 * @queued: bytes of received packets that wait, of IBT_MAX_QUEUED_BYTES
 * @queues: what was too much for the context it came up in
 * @lanes: runs that wait for another processor (rx_steer.c), @num_lanes of them
 * @num_lanes: a power of 2, or 0: none
 * @active_rx_queues: that have packets
 * @stats: per CPU
 * @recent: per CPU: queue pairs that packets were for last (qp_table.c)
 * @bound_stats: of these, what counters of queue pairs have
 * @counters: number -> struct ibt_counter
 * @fault: injection (inject.c), NULL: none
 * @priv: the link's
 * @sys_image_guid: of the system it is a part of; 0: of itself
 * @link_caps: IBK_* of the link
 * @num_ports: entries of @ports
 * @ports: port 1 is the first
 */
struct ibt_dev {
	struct soft_dev soft;
	const struct ibt_link_ops *link;
	struct xarray qps;
	struct xarray ahs;
	struct xarray srqs;
	u32 next_qpn;
	u32 next_ah;
	u32 next_srq;
	struct rhashtable groups;
	u32 num_groups;
	u32 num_members;
	struct mutex groups_lock;
	struct list_head crowd;
	u32 num_crowd;
	spinlock_t mcast_backlog_lock;
	struct work_struct mcast_backlog_work;
	atomic_t queued;
	struct soft_task_queues queues;
	struct ibt_rx_backlog *lanes;
	u32 num_lanes;
	atomic_t active_rx_queues;
	struct ibt_stats __percpu *stats;
	struct ibt_recent __percpu *recent;
	struct ibt_stats __percpu *bound_stats;
	struct xarray counters;
	struct ibt_fault *fault;
	void *priv;
	__be64 sys_image_guid;
	u64 link_caps;
	u32 num_ports;
	struct ibt_port ports[];
};

static inline struct ibt_dev *to_ibt_dev(struct ib_device *ib)
{
	return container_of(ib, struct ibt_dev, soft.ib);
}

static inline void ibt_count_more(struct ibt_dev *dev, enum ibt_stat stat,
				  u32 more)
{
	this_cpu_add(dev->stats->count[stat], more);
}

static inline void ibt_count(struct ibt_dev *dev, enum ibt_stat stat)
{
	ibt_count_more(dev, stat, 1);
}

/* Before a received packet of so many bytes is kept for later. False: drop it. */
static inline bool ibt_rx_mem_charge(struct ibt_dev *dev, u32 bytes)
{
	if (atomic_add_return(bytes, &dev->queued) <= IBT_MAX_QUEUED_BYTES)
		return true;
	atomic_sub(bytes, &dev->queued);
	return false;
}

/*
 * As ibt_rx_mem_charge(), of a packet that stays for as long as a peer or a program likes: half of
 * the memory is for other uses.
 */
static inline bool ibt_rx_mem_charge_half(struct ibt_dev *dev, u32 bytes)
{
	return atomic_read(&dev->queued) < IBT_MAX_QUEUED_BYTES / 2 &&
	       ibt_rx_mem_charge(dev, bytes);
}

static inline void ibt_queue_uncharge(struct ibt_dev *dev, u32 bytes)
{
	atomic_sub(bytes, &dev->queued);
}

#endif /* IBT_DEV_H */
