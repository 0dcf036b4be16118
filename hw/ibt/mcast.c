// SPDX-License-Identifier: GPL-2.0
/*
 * Multicast groups: which queue pairs get a copy. A group exists while it has
 * members, and the link listens for it as long. Readers hold RCU; changes are
 * made with ibt_dev.groups_lock held, which also orders the calls to the link.
 */
#include <linux/module.h>
#include <linux/rculist.h>
#include <linux/slab.h>

#include "ibt.h"

struct ibt_group_key {
	union ib_gid gid;
	u32 port_num;
};

/**
 * struct ibt_group - one group on one port
 * @node: in ibt_dev.groups
 * @key: which
 * @members: struct ibt_member.node, RCU
 * @count: of them
 * @rcu: readers may still look at it
 */
struct ibt_group {
	struct rhash_head node;
	struct ibt_group_key key;
	struct list_head members;
	u32 count;
	struct rcu_head rcu;
};

/* The core detaches a queue pair from every group before it destroys it. */
struct ibt_member {
	struct list_head node;
	struct ibt_qp *qp;
	struct rcu_head rcu;
};

static const struct rhashtable_params ibt_group_params = {
	.key_len = sizeof(struct ibt_group_key),
	.key_offset = offsetof(struct ibt_group, key),
	.head_offset = offsetof(struct ibt_group, node),
	.automatic_shrinking = true,
};

int ibt_groups_init(struct ibt_dev *dev)
{
	return rhashtable_init(&dev->groups, &ibt_group_params);
}

void ibt_groups_exit(struct ibt_dev *dev)
{
	rhashtable_destroy(&dev->groups);
}

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
	group = kzalloc(sizeof(*group), GFP_KERNEL);
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
	kfree_rcu(group, rcu);
}

/* ---- members ------------------------------------------------------------------ */

static struct ibt_member *ibt_member_find(struct ibt_group *group,
					  const struct ibt_qp *qp)
{
	struct ibt_member *member;

	list_for_each_entry(member, &group->members, node)
		if (member->qp == qp)
			return member;
	return NULL;
}

static int ibt_member_add(struct ibt_group *group, struct ibt_qp *qp)
{
	struct ibt_member *member;

	if (group->count == IBT_MAX_MCAST_QP)
		return -ENOMEM;
	member = kmalloc(sizeof(*member), GFP_KERNEL);
	if (!member)
		return -ENOMEM;
	member->qp = qp;
	list_add_tail_rcu(&member->node, &group->members);
	group->count++;
	return 0;
}

static void ibt_member_end(struct ibt_group *group, struct ibt_member *member)
{
	list_del_rcu(&member->node);
	group->count--;
	kfree_rcu(member, rcu);
}

/*
 * A QP that has not been given its port may attach on a device that has only
 * one. Attaching twice is once.
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
	if (ibt_member_find(group, qp))
		return 0;
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
	ibt_member_end(group, member);
	if (!group->count)
		ibt_group_end(dev, group);
	return 0;
}

/* Its port may have changed since: then it is in the group of another. */
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

static void ibt_mcast_copy(struct ibt_qp *qp, const struct ibt_pkt *pkt,
			   struct sk_buff *skb, const struct ibt_rx_meta *meta)
{
	struct soft_iter from;

	soft_iter_skb(&from, skb, pkt->payload, pkt->length);
	ibt_ud_receive(qp, pkt, &from, meta);
	soft_iter_end(&from);
}

void ibt_mcast_receive(struct ibt_port *port, const struct ibt_pkt *pkt,
		       struct sk_buff *skb, const struct ibt_rx_meta *meta)
{
	struct ibt_group_key key = {
		.gid = meta->dgid,
		.port_num = port->num,
	};
	struct ibt_member *member;
	struct ibt_group *group;

	rcu_read_lock();
	group = rhashtable_lookup(&port->dev->groups, &key, ibt_group_params);
	if (group) {
		list_for_each_entry_rcu(member, &group->members, node) {
			if (!ibt_qp_get(member->qp))
				continue;
			ibt_mcast_copy(member->qp, pkt, skb, meta);
			ibt_qp_put(member->qp);
		}
	}
	rcu_read_unlock();
}

const struct ib_device_ops ibt_mcast_ops = {
	.attach_mcast = ibt_attach_mcast,
	.detach_mcast = ibt_detach_mcast,
};
