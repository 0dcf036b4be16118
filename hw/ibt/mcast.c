// SPDX-License-Identifier: GPL-2.0
/*
 * Multicast groups: which queue pairs receive a copy. A group exists while it has
 * members, and the link receives its packets for as long. Readers hold RCU. Changes
 * are made with ibt_dev.groups_lock held, which also orders the calls to the link.
 *
 * A work delivers the packets of a group with many members, and holds that lock:
 * thousands of copies would block the softirq for too long.
 */
#include <linux/module.h>
#include <linux/rculist.h>
#include <linux/slab.h>

#include "../soft/iter.h"
#include "dev.h"
#include "objref.h"
#include "limits.h"
#include "link.h"
#include "mcast.h"
#include "pkt.h"
#include "port.h"
#include "qp.h"
#include "stats.h"
#include "ud_recv.h"

/* Up to so many members the softirq that receives a packet delivers it. */
#define MCAST_INLINE_QPS		32

/* Packets that may wait for the work, and copies between two calls of cond_resched(). */
#define MAX_MCAST_BACKLOG	64
#define CROWD_STEPS	32

struct ibt_group_key {
	union ib_gid gid;
	u32 port_num;
};

/**
 * struct ibt_group - a multicast group on one port
 * @node: in ibt_dev.groups
 * @key: MGID and port
 * @members: list of struct ibt_member, RCU
 * @count: number of members
 * @rcu: for kfree_rcu()
 */
struct ibt_group {
	struct rhash_head node;
	struct ibt_group_key key;
	struct list_head members;
	u32 count;
	struct rcu_head rcu;
};

/*
 * Member of a group. The core detaches a queue pair from all groups before it destroys
 * it; readers may still find the member for a grace period.
 */
struct ibt_member {
	struct list_head node;
	struct ibt_ref *life;	/* of the queue pair */
	u32 attached;		/* attach calls without a detach */
	struct rcu_head rcu;
};

static const struct rhashtable_params ibt_group_params = {
	.key_len = sizeof(struct ibt_group_key),
	.key_offset = offsetof(struct ibt_group, key),
	.head_offset = offsetof(struct ibt_group, node),
	.automatic_shrinking = true,
};

/* ---- groups ------------------------------------------------------------------ */

static struct ibt_group *ibt_group_find(struct ibt_dev *dev,
					const struct ibt_group_key *key)
{
	return rhashtable_lookup_fast(&dev->groups, key, ibt_group_params);
}

static struct ibt_group *ibt_group_new(struct ibt_dev *dev,
				       const struct ibt_group_key *key)
{
	struct ibt_port *port = ibt_dev_port(dev, key->port_num);
	struct ibt_group *group;
	int ret;

	lockdep_assert_held(&dev->groups_lock);
	if (dev->num_groups == IBT_MAX_GROUPS)
		return ERR_PTR(-ENOMEM);
	group = kzalloc(sizeof(*group), GFP_KERNEL_ACCOUNT);
	if (!group)
		return ERR_PTR(-ENOMEM);
	group->key = *key;
	INIT_LIST_HEAD(&group->members);
	ret = rhashtable_insert_fast(&dev->groups, &group->node,
				     ibt_group_params);
	if (ret)
		goto err_group;
	ret = dev->link->mcast_join(port, &key->gid);
	if (ret)
		goto err_insert;
	dev->num_groups++;
	return group;

err_insert:
	rhashtable_remove_fast(&dev->groups, &group->node, ibt_group_params);
err_group:
	kfree_rcu(group, rcu);
	return ERR_PTR(ret);
}

static void ibt_group_end(struct ibt_dev *dev, struct ibt_group *group)
{
	lockdep_assert_held(&dev->groups_lock);
	dev->link->mcast_leave(ibt_dev_port(dev, group->key.port_num),
			       &group->key.gid);
	rhashtable_remove_fast(&dev->groups, &group->node, ibt_group_params);
	dev->num_groups--;
	kfree_rcu(group, rcu);
}

/* ---- members ------------------------------------------------------------------ */

static struct ibt_member *ibt_member_find(struct ibt_group *group,
					  const struct ibt_qp *qp)
{
	struct ibt_member *member;

	list_for_each_entry(member, &group->members, node)
		if (member->life == qp->life)
			return member;
	return NULL;
}

static struct ibt_member *ibt_member_new(struct ibt_group *group,
					 struct ibt_qp *qp)
{
	struct ibt_member *member;

	lockdep_assert_held(&ibt_qp_dev(qp)->groups_lock);
	if (group->count == IBT_MAX_MCAST_QP)
		return NULL;
	member = kzalloc(sizeof(*member), GFP_KERNEL_ACCOUNT);
	if (!member)
		return NULL;
	member->life = qp->life;
	list_add_tail_rcu(&member->node, &group->members);
	WRITE_ONCE(group->count, group->count + 1);
	return member;
}

/*
 * A caller may attach a queue pair to one MGID under several LIDs. Each attach needs a
 * detach of its own, while the queue pair receives one copy of a packet.
 */
static int ibt_member_add(struct ibt_group *group, struct ibt_qp *qp)
{
	struct ibt_dev *dev = ibt_qp_dev(qp);
	struct ibt_member *member;

	lockdep_assert_held(&dev->groups_lock);
	if (dev->num_members == IBT_MAX_MEMBERS)
		return -ENOMEM;
	member = ibt_member_find(group, qp) ?: ibt_member_new(group, qp);
	if (!member)
		return -ENOMEM;
	member->attached++;
	dev->num_members++;
	return 0;
}

static void ibt_member_drop(struct ibt_dev *dev, struct ibt_group *group,
			    struct ibt_member *member)
{
	lockdep_assert_held(&dev->groups_lock);
	dev->num_members--;
	if (--member->attached)
		return;
	list_del_rcu(&member->node);
	WRITE_ONCE(group->count, group->count - 1);
	kfree_rcu(member, rcu);
}

/*
 * A queue pair without a port may attach on a device with only one port.
 */
static int ibt_group_key(struct ibt_group_key *key, struct ibt_qp *qp,
			 const union ib_gid *gid)
{
	u32 port_num = READ_ONCE(qp->attr.port_num);

	if (!port_num && ibt_qp_dev(qp)->num_ports == 1)
		port_num = 1;
	if (!port_num)
		return -EINVAL;
	memset(key, 0, sizeof(*key));
	key->gid = *gid;
	key->port_num = port_num;
	return 0;
}

static int ibt_attach_locked(struct ibt_qp *qp,
			     const struct ibt_group_key *key)
{
	struct ibt_dev *dev = ibt_qp_dev(qp);
	struct ibt_group *group = ibt_group_find(dev, key);
	int ret;

	if (!group)
		group = ibt_group_new(dev, key);
	if (IS_ERR(group))
		return PTR_ERR(group);
	ret = ibt_member_add(group, qp);
	if (!group->count)
		ibt_group_end(dev, group);
	return ret;
}

static int ibt_attach_mcast(struct ib_qp *ib, union ib_gid *gid, u16 lid)
{
	struct ibt_dev *dev = to_ibt_dev(ib->device);
	struct ibt_group_key key;
	int ret;

	ret = ibt_group_key(&key, to_ibt_qp(ib), gid);
	if (ret)
		return ret;
	mutex_lock(&dev->groups_lock);
	ret = ibt_attach_locked(to_ibt_qp(ib), &key);
	mutex_unlock(&dev->groups_lock);
	return ret;
}

static int ibt_detach_locked(struct ibt_qp *qp,
			     const struct ibt_group_key *key)
{
	struct ibt_dev *dev = ibt_qp_dev(qp);
	struct ibt_group *group = ibt_group_find(dev, key);
	struct ibt_member *member;

	member = group ? ibt_member_find(group, qp) : NULL;
	if (!member)
		return -EINVAL;
	ibt_member_drop(dev, group, member);
	if (!group->count)
		ibt_group_end(dev, group);
	return 0;
}

/* The port of the queue pair may have changed since: tries the groups of all ports. */
static int ibt_detach_mcast(struct ib_qp *ib, union ib_gid *gid, u16 lid)
{
	struct ibt_dev *dev = to_ibt_dev(ib->device);
	struct ibt_group_key key = { .gid = *gid };
	int ret = -EINVAL;

	mutex_lock(&dev->groups_lock);
	for (key.port_num = 1; ret && key.port_num <= dev->num_ports;
	     key.port_num++)
		ret = ibt_detach_locked(to_ibt_qp(ib), &key);
	mutex_unlock(&dev->groups_lock);
	return ret;
}

/* ---- receive ---------------------------------------------------------------------- */

/* Faults of a packet. Each kind counts once, however many members refuse the packet. */
struct ibt_refusals {
	bool seen[IBT_UD_QKEY + 1];
};

static void ibt_refusals_count(struct ibt_port *port,
			       const struct ibt_refusals *refusals,
			       const struct ibt_pkt *pkt,
			       const struct ibt_rx_meta *meta)
{
	int fault;

	for (fault = 0; fault < ARRAY_SIZE(refusals->seen); fault++)
		if (refusals->seen[fault])
			ibt_ud_refused(port, fault, pkt, meta);
}

static void ibt_mcast_copy(struct ibt_qp *qp, const struct ibt_pkt *pkt,
			   struct sk_buff *skb, const struct ibt_rx_meta *meta,
			   struct ibt_refusals *refusals)
{
	struct soft_iter from;

	soft_iter_skb(&from, skb, pkt->payload, pkt->length);
	refusals->seen[ibt_ud_try(qp, pkt, &from, meta)] = true;
	soft_iter_end(&from);
}

/**
 * struct ibt_crowd - a packet with too many receivers for a softirq
 * @node: in ibt_dev.crowd
 * @port: port that received it
 * @skb: the packet
 * @bytes: memory charged for it
 * @meta: its meta data of the link
 */
struct ibt_crowd {
	struct list_head node;
	struct ibt_port *port;
	struct sk_buff *skb;
	u32 bytes;
	struct ibt_rx_meta meta;
};

static void ibt_crowd_free(struct ibt_dev *dev, struct ibt_crowd *crowd)
{
	ibt_queue_uncharge(dev, crowd->bytes);
	kfree_skb(crowd->skb);
	kfree(crowd);
}

/* Queues a packet for the work, which looks up the group again. False: no room. */
static bool ibt_mcast_backlog_add(struct ibt_port *port, struct sk_buff *skb,
				  const struct ibt_rx_meta *meta)
{
	struct ibt_dev *dev = port->dev;
	u32 bytes = skb->truesize;
	struct ibt_crowd *crowd;
	bool room;

	if (!ibt_rx_mem_charge(dev, bytes))
		return false;
	crowd = kmalloc(sizeof(*crowd), GFP_ATOMIC);
	if (!crowd) {
		ibt_queue_uncharge(dev, bytes);
		return false;
	}
	crowd->port = port;
	crowd->skb = skb_get(skb);
	crowd->bytes = bytes;
	crowd->meta = *meta;
	spin_lock_bh(&dev->mcast_backlog_lock);
	room = dev->num_crowd < MAX_MCAST_BACKLOG;
	if (room) {
		dev->num_crowd++;
		list_add_tail(&crowd->node, &dev->crowd);
	}
	spin_unlock_bh(&dev->mcast_backlog_lock);
	if (room)
		queue_work(dev->queues.any, &dev->mcast_backlog_work);
	else
		ibt_crowd_free(dev, crowd);
	return room;
}

static struct ibt_crowd *ibt_crowd_next(struct ibt_dev *dev)
{
	struct ibt_crowd *crowd;

	spin_lock_bh(&dev->mcast_backlog_lock);
	crowd = list_first_entry_or_null(&dev->crowd, struct ibt_crowd, node);
	if (crowd) {
		list_del(&crowd->node);
		dev->num_crowd--;
	}
	spin_unlock_bh(&dev->mcast_backlog_lock);
	return crowd;
}

/* With groups_lock held no member leaves, and none is freed. */
static void ibt_mcast_backlog_deliver(struct ibt_dev *dev, struct ibt_crowd *crowd)
{
	const struct ibt_group_key key = {
		.gid = crowd->meta.dgid,
		.port_num = crowd->port->num,
	};
	struct ibt_refusals refusals = {};
	struct ibt_member *member;
	struct ibt_group *group;
	struct ibt_pkt pkt = {};
	u32 copies = 0;

	lockdep_assert_held(&dev->groups_lock);
	group = ibt_group_find(dev, &key);
	/* The receive path has parsed the headers before, so this does not fail. */
	if (!group || ibt_hdr_parse(&pkt, crowd->skb, 0, crowd->skb->len))
		return;
	list_for_each_entry(member, &group->members, node) {
		if (!ibt_ref_get(member->life))
			continue;
		ibt_mcast_copy(member->life->of, &pkt, crowd->skb,
			       &crowd->meta, &refusals);
		ibt_ref_put(member->life);
		if (++copies % CROWD_STEPS == 0)
			cond_resched();
	}
	ibt_refusals_count(crowd->port, &refusals, &pkt, &crowd->meta);
}

/*
 * Delivers one packet per execution, so a thread that attaches or detaches waits for the
 * lock for one packet at most.
 */
static void ibt_crowd_work(struct work_struct *work)
{
	struct ibt_dev *dev = container_of(work, struct ibt_dev, mcast_backlog_work);
	struct ibt_crowd *crowd = ibt_crowd_next(dev);

	if (!crowd)
		return;
	mutex_lock(&dev->groups_lock);
	ibt_mcast_backlog_deliver(dev, crowd);
	mutex_unlock(&dev->groups_lock);
	ibt_crowd_free(dev, crowd);
	queue_work(dev->queues.any, &dev->mcast_backlog_work);
}

static void ibt_mcast_few(struct ibt_port *port, struct ibt_group *group,
			  const struct ibt_pkt *pkt, struct sk_buff *skb,
			  const struct ibt_rx_meta *meta)
{
	struct ibt_refusals refusals = {};
	struct ibt_member *member;

	list_for_each_entry_rcu(member, &group->members, node) {
		if (!ibt_ref_get(member->life))
			continue;
		ibt_mcast_copy(member->life->of, pkt, skb, meta, &refusals);
		ibt_ref_put(member->life);
	}
	ibt_refusals_count(port, &refusals, pkt, meta);
}

void ibt_mcast_receive(struct ibt_port *port, const struct ibt_pkt *pkt,
		       struct sk_buff *skb, const struct ibt_rx_meta *meta)
{
	struct ibt_group_key key = {
		.gid = meta->dgid,
		.port_num = port->num,
	};
	struct ibt_group *group;

	rcu_read_lock();
	group = rhashtable_lookup(&port->dev->groups, &key, ibt_group_params);
	if (group && READ_ONCE(group->count) <= MCAST_INLINE_QPS)
		ibt_mcast_few(port, group, pkt, skb, meta);
	else if (group && !ibt_mcast_backlog_add(port, skb, meta))
		ibt_count(port->dev, IBT_STAT_RX_DROP);
	rcu_read_unlock();
}

/* ---- life ---------------------------------------------------------------------------- */

int ibt_groups_init(struct ibt_dev *dev)
{
	INIT_LIST_HEAD(&dev->crowd);
	spin_lock_init(&dev->mcast_backlog_lock);
	INIT_WORK(&dev->mcast_backlog_work, ibt_crowd_work);
	return rhashtable_init(&dev->groups, &ibt_group_params);
}

/* Called when no packet is received any more. */
void ibt_groups_exit(struct ibt_dev *dev)
{
	struct ibt_crowd *crowd;

	cancel_work_sync(&dev->mcast_backlog_work);
	while ((crowd = ibt_crowd_next(dev)))
		ibt_crowd_free(dev, crowd);
	rhashtable_destroy(&dev->groups);
}

const struct ib_device_ops ibt_mcast_ops = {
	.attach_mcast = ibt_attach_mcast,
	.detach_mcast = ibt_detach_mcast,
};
