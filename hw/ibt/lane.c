// SPDX-License-Identifier: GPL-2.0
/*
 * Lanes: runs are received on another processor than the one that has them.
 *
 * Between two ends on one host the softirq that brings a run is the sender's, on his
 * processor: checksum and copy of the one end would wait for those of the other. So a
 * run is put into a lane, of which there are a few for a device, and a work goes on
 * with it wherever the scheduler finds room. All packets of a queue pair take the same
 * lane, and those that come alone take it as well while there is somebody in it: they
 * stay in order. What comes from another host comes packet by packet, and stays where
 * the interface has brought it.
 */
#include <linux/cpumask.h>
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/sched/clock.h>
#include <linux/sched/stat.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include "ibt.h"

#define MOST_LANES	8	/* of a device */
#define LEAST		SZ_8K	/* bytes of a run; with fewer one is done before another wakes */
#define PATIENCE	(100 * NSEC_PER_USEC)	/* for the next, at most */
#define TURNS		16	/* runs before the work stands in line again */

/**
 * struct ibt_lane - packets that wait for another processor
 * @lock: guards @waiting and @busy, which may be read without
 * @waiting: struct kept
 * @busy: the work runs, or is about to
 * @work: receives them
 * @cpu: there; of who begins
 * @dev: whose it is
 */
struct ibt_lane {
	spinlock_t lock;
	struct list_head waiting;
	bool busy;
	struct work_struct work;
	int cpu;
	struct ibt_dev *dev;
};

/**
 * struct kept - an skb in a lane
 * @node: in ibt_lane.waiting
 * @port: where it came
 * @skb: as ibt_rx_run() has it
 * @size: see there; 0: it is one packet
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

static void kept_free(struct ibt_dev *dev, struct kept *kept)
{
	ibt_queue_uncharge(dev, kept->bytes);
	kfree(kept);
}

static struct kept *kept_new(struct ibt_port *port, struct sk_buff *skb,
			     u32 size, const struct ibt_rx_meta *meta)
{
	struct kept *kept;
	u32 bytes = skb->truesize;

	if (!ibt_queue_charge(port->dev, bytes))
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

/* The next in line. NULL: the lane is empty, and nobody's. */
static struct kept *next_of(struct ibt_lane *lane)
{
	struct kept *kept;

	spin_lock_bh(&lane->lock);
	kept = list_first_entry_or_null(&lane->waiting, struct kept, node);
	if (kept) {
		list_del(&kept->node);
	} else if (lane->busy) {
		WRITE_ONCE(lane->busy, false);
		atomic_dec(&lane->dev->busy_lanes);
	}
	spin_unlock_bh(&lane->lock);
	return kept;
}

/*
 * Wait for more, no longer than the last took since @begin: to sleep and be woken costs
 * both processors some of it. Whom it was for may need this one, though.
 */
static void linger(const struct ibt_lane *lane, u64 begin)
{
	u64 end = local_clock();
	u64 patience = min_t(u64, end - begin, PATIENCE);

	while (list_empty_careful(&lane->waiting) && single_task_running() &&
	       !need_resched() && local_clock() - end < patience)
		cpu_relax();
}

static void lane_work(struct work_struct *work)
{
	struct ibt_lane *lane = container_of(work, struct ibt_lane, work);
	struct kept *kept;
	int turns;
	u64 begin;

	for (turns = 0; turns < TURNS; turns++) {
		kept = next_of(lane);
		if (!kept)
			return;
		begin = local_clock();
		local_bh_disable();
		rcu_read_lock();
		ibt_rx_now(kept->port, kept->skb, kept->size, &kept->meta);
		rcu_read_unlock();
		local_bh_enable();
		kept_free(lane->dev, kept);
		cond_resched();
		linger(lane, begin);
	}
	queue_work_on(lane->cpu, lane->dev->lanes_wq, &lane->work);
}

/* By the queue pair that the first of them is for: the second word of a BTH. */
static struct ibt_lane *lane_of(const struct ibt_dev *dev,
				const struct sk_buff *skb)
{
	__be32 room;
	const __be32 *qpn = skb_header_pointer(skb, sizeof(room), sizeof(room),
					       &room);
	u32 bits = ilog2(dev->num_lanes);

	return &dev->lanes[qpn ? hash_32(be32_to_cpu(*qpn) & IBT_QPN_MASK,
					 bits) : 0];
}

/* Behind those that are there. */
static void add(struct ibt_lane *lane, struct kept *kept)
{
	bool begin;

	spin_lock_bh(&lane->lock);
	list_add_tail(&kept->node, &lane->waiting);
	begin = !lane->busy;
	if (begin) {
		WRITE_ONCE(lane->busy, true);
		atomic_inc(&lane->dev->busy_lanes);
	}
	spin_unlock_bh(&lane->lock);
	if (!begin)
		return;
	lane->cpu = soft_cpu_beside(lane->cpu);
	queue_work_on(lane->cpu, lane->dev->lanes_wq, &lane->work);
}

/**
 * ibt_lanes_worth - are there processors that so much can be divided among?
 * @dev: device
 * @bytes: of one message
 *
 * Context: any.
 */
bool ibt_lanes_worth(const struct ibt_dev *dev, u32 bytes)
{
	return dev->num_lanes && bytes >= LEAST && num_online_cpus() > 1;
}

/**
 * ibt_lane_take - is it to be received elsewhere?
 * @port: where it came
 * @skb: see ibt_rx_run(); consumed if so
 * @size: see there; 0: one packet
 * @meta: see there
 *
 * Context: softirqs disabled.
 *
 * Return: true: ibt_rx_now() will be called, unless there was no room (counted).
 */
bool ibt_lane_take(struct ibt_port *port, struct sk_buff *skb, u32 size,
		   const struct ibt_rx_meta *meta)
{
	struct ibt_dev *dev = port->dev;
	struct ibt_lane *lane;
	struct kept *kept;

	if (!dev->num_lanes)
		return false;
	/* Mostly nobody is in any lane. */
	if (!size && !atomic_read(&dev->busy_lanes))
		return false;
	lane = lane_of(dev, skb);
	if (!READ_ONCE(lane->busy) &&
	    (!size || !ibt_lanes_worth(dev, skb->len)))
		return false;
	kept = kept_new(port, skb, size, meta);
	if (kept) {
		ibt_count(dev, IBT_STAT_RX_LANES);
		add(lane, kept);
	} else {
		ibt_count(dev, IBT_STAT_RX_DROP);
		kfree_skb(skb);
	}
	return true;
}

/* ---- life -------------------------------------------------------------------------- */

static void lane_init(struct ibt_lane *lane, struct ibt_dev *dev)
{
	spin_lock_init(&lane->lock);
	INIT_LIST_HEAD(&lane->waiting);
	INIT_WORK(&lane->work, lane_work);
	lane->cpu = IBT_NO_CPU;
	lane->dev = dev;
}

int ibt_lanes_init(struct ibt_dev *dev)
{
	u32 i, num = min_t(u32, num_possible_cpus(), MOST_LANES);

	if (!dev->link->lanes || num < 2)
		return 0;
	num = roundup_pow_of_two(num);
	dev->lanes_wq = alloc_workqueue("ofed_%s_rx", WQ_MEM_RECLAIM |
					WQ_CPU_INTENSIVE | WQ_HIGHPRI, 0,
					dev->link->name);
	if (!dev->lanes_wq)
		return -ENOMEM;
	dev->lanes = kcalloc(num, sizeof(*dev->lanes), GFP_KERNEL);
	if (!dev->lanes) {
		destroy_workqueue(dev->lanes_wq);
		return -ENOMEM;
	}
	for (i = 0; i < num; i++)
		lane_init(&dev->lanes[i], dev);
	dev->num_lanes = num;
	return 0;
}

/* Nothing comes in any more, and no queue pair is left that could answer. */
void ibt_lanes_exit(struct ibt_dev *dev)
{
	struct kept *kept;
	u32 i;

	if (!dev->num_lanes)
		return;
	for (i = 0; i < dev->num_lanes; i++) {
		cancel_work_sync(&dev->lanes[i].work);
		while ((kept = next_of(&dev->lanes[i]))) {
			kfree_skb(kept->skb);
			kept_free(dev, kept);
		}
	}
	kfree(dev->lanes);
	destroy_workqueue(dev->lanes_wq);
	dev->num_lanes = 0;
}
