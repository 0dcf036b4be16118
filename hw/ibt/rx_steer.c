// SPDX-License-Identifier: GPL-2.0
/*
 * Packets from the link: which processor receives them.
 *
 * Between two ends on one host the softirq that brings a GSO skb is on the sender's
 * processor: checksum and copy of the one end would wait for those of the other. So a GSO
 * skb is put into a lane, of which a device has a few, and another processor receives it,
 * if one seems to be free. All packets of a queue pair take the same lane, and packets
 * that come alone take the lane as well while it has packets: all stay in order. Packets
 * from another host come one by one, and stay where the interface has brought them.
 */
#include <linux/cpumask.h>
#include <linux/export.h>
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/slab.h>

#include "../soft/policy.h"
#include "../soft/task.h"
#include "dev.h"
#include "link.h"
#include "pkt.h"
#include "port.h"
#include "rx.h"
#include "rx_steer.h"
#include "stats.h"

/**
 * struct ibt_rx_backlog - packets that wait for another processor
 * @lock: guards @waiting and @busy, which may be read without
 * @waiting: struct kept
 * @busy: it has packets, or one of it is received
 * @task: receives them
 * @cpu: helped last, or SOFT_NO_CPU; a hint
 * @dev: device of the lane
 */
struct ibt_rx_backlog {
	spinlock_t lock;
	struct list_head waiting;
	bool busy;
	struct soft_task task;
	int cpu;
	struct ibt_dev *dev;
};

/**
 * struct kept - an skb in a lane
 * @node: in ibt_rx_backlog.waiting
 * @port: where it came
 * @skb: as ibt_rx_gso() has it
 * @size: bytes of each packet of a GSO skb, the last may be shorter; 0: @skb is one packet
 * @bytes: that the device is charged with
 * @meta: as the link said
 */
struct kept {
	struct list_head node;
	struct ibt_port *port;
	struct sk_buff *skb;
	u32 size;
	u32 bytes;
	struct ibt_rx_meta meta;
};

static void ibt_kept_free(struct ibt_dev *dev, struct kept *kept)
{
	ibt_queue_uncharge(dev, kept->bytes);
	kfree(kept);
}

static struct kept *ibt_kept_new(struct ibt_port *port, struct sk_buff *skb,
				 u32 size, const struct ibt_rx_meta *meta)
{
	struct kept *kept;
	u32 bytes = skb->truesize;

	if (!ibt_rx_mem_charge(port->dev, bytes))
		return NULL;
	kept = kmalloc(sizeof(*kept), GFP_ATOMIC);
	if (!kept) {
		ibt_queue_uncharge(port->dev, bytes);
		return NULL;
	}
	kept->port = port;
	kept->skb = skb;
	kept->size = size;
	kept->bytes = bytes;
	kept->meta = *meta;
	return kept;
}

/* The next in line. NULL: the lane is empty, and not busy. */
static struct kept *ibt_next_of(struct ibt_rx_backlog *lane)
{
	struct kept *kept;

	spin_lock_bh(&lane->lock);
	kept = list_first_entry_or_null(&lane->waiting, struct kept, node);
	if (kept) {
		list_del(&kept->node);
	} else if (lane->busy) {
		WRITE_ONCE(lane->busy, false);
		atomic_dec(&lane->dev->active_rx_queues);
	}
	spin_unlock_bh(&lane->lock);
	return kept;
}

static enum soft_task_left ibt_lane_round(struct soft_task *task)
{
	struct ibt_rx_backlog *lane = container_of(task, struct ibt_rx_backlog, task);
	struct kept *kept = ibt_next_of(lane);

	if (!kept)
		return SOFT_TASK_NOTHING;
	rcu_read_lock();
	ibt_rx_process(kept->port, kept->skb, kept->size, &kept->meta);
	rcu_read_unlock();
	ibt_kept_free(lane->dev, kept);
	return SOFT_TASK_MORE;
}

/* By the queue pair that the first of them is for: the second word of a BTH. */
static struct ibt_rx_backlog *ibt_lane_of(const struct ibt_dev *dev,
					  const struct sk_buff *skb)
{
	__be32 room;
	const __be32 *qpn = skb_header_pointer(skb, sizeof(room), sizeof(room),
					       &room);
	u32 bits = ilog2(dev->num_lanes);

	return &dev->lanes[qpn ? hash_32(be32_to_cpu(*qpn) & IBT_QPN_MASK,
					 bits) : 0];
}

/* Behind those that are there. Return: it is the first. */
static bool ibt_rx_steer_add(struct ibt_rx_backlog *lane, struct kept *kept)
{
	bool first;

	spin_lock_bh(&lane->lock);
	list_add_tail(&kept->node, &lane->waiting);
	first = !lane->busy;
	if (first) {
		WRITE_ONCE(lane->busy, true);
		atomic_inc(&lane->dev->active_rx_queues);
	}
	spin_unlock_bh(&lane->lock);
	return first;
}

/* Does another processor receive what comes next? */
static bool ibt_is_helped(const struct ibt_dev *dev, struct ibt_rx_backlog *lane,
			  const struct sk_buff *skb, u32 size)
{
	int cpu;

	/* Behind what came before. */
	if (READ_ONCE(lane->busy))
		return true;
	if (!size || !ibt_rx_steer_worthwhile(dev, skb->len))
		return false;
	cpu = soft_helper(READ_ONCE(lane->cpu));
	if (cpu == SOFT_NO_CPU)
		return false;
	WRITE_ONCE(lane->cpu, cpu);
	return true;
}

/* True: @skb is received later, by ibt_rx_process(), or was dropped (counted). */
static bool ibt_rx_steer(struct ibt_port *port, struct sk_buff *skb, u32 size,
			 const struct ibt_rx_meta *meta)
{
	struct ibt_dev *dev = port->dev;
	struct ibt_rx_backlog *lane;
	struct kept *kept;

	if (!dev->num_lanes)
		return false;
	/* Mostly all lanes are empty. */
	if (!size && !atomic_read(&dev->active_rx_queues))
		return false;
	lane = ibt_lane_of(dev, skb);
	if (!ibt_is_helped(dev, lane, skb, size))
		return false;
	kept = ibt_kept_new(port, skb, size, meta);
	if (!kept) {
		ibt_count(dev, IBT_STAT_RX_DROP);
		kfree_skb(skb);
		return true;
	}
	ibt_count(dev, IBT_STAT_RX_LANES);
	if (ibt_rx_steer_add(lane, kept))
		soft_task_queue_on(&lane->task, READ_ONCE(lane->cpu));
	else
		soft_task_call(&lane->task, SOFT_ROUNDS_SOFTIRQ);
	return true;
}

/* ---- what the link calls ------------------------------------------------------------ */

/**
 * ibt_rx - a packet came
 * @port: where
 * @skb: data at the BTH, network header set, ICRC at the tail, not shared. Any
 *	 bytes; consumed
 * @meta: what the link knows about it
 *
 * Context: softirq, or softirqs disabled; interrupts enabled; an RCU reader. No lock is held.
 */
void ibt_rx(struct ibt_port *port, struct sk_buff *skb,
	    const struct ibt_rx_meta *meta)
{
	if (!ibt_rx_steer(port, skb, 0, meta))
		ibt_rx_process(port, skb, 0, meta);
}
EXPORT_SYMBOL_GPL(ibt_rx);

/**
 * ibt_rx_gso - packets of one sender came together, for queue pairs, not for groups
 * @port: where
 * @skb: data at the first BTH, network header set, not shared. Any bytes; consumed
 * @size: of each packet from BTH to ICRC, but for the last, which may be shorter
 * @meta: what the link knows about all of them
 *
 * Context: softirq, or softirqs disabled; interrupts enabled; an RCU reader. No lock is held.
 */
void ibt_rx_gso(struct ibt_port *port, struct sk_buff *skb, u32 size,
		const struct ibt_rx_meta *meta)
{
	/* So short that there is none; and it would take for ever to tell so. */
	if (size < IBT_BTH_BYTES + IBT_ICRC_BYTES) {
		ibt_count(port->dev, IBT_STAT_RX_MALFORMED);
		kfree_skb(skb);
		return;
	}
	if (!ibt_rx_steer(port, skb, size, meta))
		ibt_rx_process(port, skb, size, meta);
}
EXPORT_SYMBOL_GPL(ibt_rx_gso);

/* ---- life -------------------------------------------------------------------------- */

static void ibt_lane_init(struct ibt_rx_backlog *lane, struct ibt_dev *dev)
{
	spin_lock_init(&lane->lock);
	INIT_LIST_HEAD(&lane->waiting);
	soft_task_init(&lane->task, ibt_lane_round, &dev->queues);
	lane->cpu = SOFT_NO_CPU;
	lane->dev = dev;
}

int ibt_rx_steer_init(struct ibt_dev *dev)
{
	u32 i, num = min_t(u32, num_possible_cpus(), SOFT_MOST_LANES);

	if (!dev->link->lanes || num < 2)
		return 0;
	num = roundup_pow_of_two(num);
	dev->lanes = kcalloc(num, sizeof(*dev->lanes), GFP_KERNEL);
	if (!dev->lanes)
		return -ENOMEM;
	for (i = 0; i < num; i++)
		ibt_lane_init(&dev->lanes[i], dev);
	dev->num_lanes = num;
	return 0;
}

static void ibt_lane_purge(struct ibt_rx_backlog *lane)
{
	struct kept *kept;

	while ((kept = ibt_next_of(lane))) {
		kfree_skb(kept->skb);
		ibt_kept_free(lane->dev, kept);
	}
}

/* The link delivers nothing any more, and no queue pair is left that could answer. */
void ibt_rx_steer_exit(struct ibt_dev *dev)
{
	u32 i;

	if (!dev->num_lanes)
		return;
	for (i = 0; i < dev->num_lanes; i++) {
		/* First, so that rounds leave nothing. */
		ibt_lane_purge(&dev->lanes[i]);
		soft_task_stop(&dev->lanes[i].task);
	}
	kfree(dev->lanes);
	dev->num_lanes = 0;
}
