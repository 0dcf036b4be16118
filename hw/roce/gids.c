// SPDX-License-Identifier: GPL-2.0
/*
 * The GIDs of version 1 that the port has, as the core tells: in an Ethernet
 * frame nothing but the GID says that a packet is for this port. What the core
 * itself offers to search its table takes a lock, and a walk through all of it.
 */
#include <linux/jhash.h>
#include <linux/rculist.h>
#include <linux/slab.h>

#include "roce.h"

/**
 * struct roce_gid - a GID
 * @node: in roce_dev.gids
 * @gid: which; the same one may be there twice, of two interfaces
 * @rcu: readers may still look at it
 */
struct roce_gid {
	struct hlist_node node;
	union ib_gid gid;
	struct rcu_head rcu;
};

u32 roce_gid_hash(const union ib_gid *gid)
{
	return jhash(gid->raw, sizeof(gid->raw), 0);
}

/* RCU. */
bool roce_gid_is_ours(struct roce_dev *rd, const union ib_gid *gid)
{
	struct roce_gid *own;

	hash_for_each_possible_rcu(rd->gids, own, node, roce_gid_hash(gid))
		if (!memcmp(&own->gid, gid, sizeof(*gid)))
			return true;
	return false;
}

static struct roce_dev *roce_of_gid(const struct ib_gid_attr *attr)
{
	return roce_of_port(ibt_dev_port(ibt_dev_of(attr->device),
					 attr->port_num));
}

/* Version 2 finds its device by the IP address, in the namespace that has it. */
int roce_add_gid(const struct ib_gid_attr *attr, void **context)
{
	struct roce_dev *rd = roce_of_gid(attr);
	struct roce_gid *own;

	if (attr->gid_type != IB_GID_TYPE_ROCE)
		return roce_guest_add(rd, attr, context);
	own = kmalloc(sizeof(*own), GFP_KERNEL);
	if (!own)
		return -ENOMEM;
	own->gid = attr->gid;
	spin_lock(&rd->gids_lock);
	hash_add_rcu(rd->gids, &own->node, roce_gid_hash(&own->gid));
	spin_unlock(&rd->gids_lock);
	*context = own;
	return 0;
}

int roce_del_gid(const struct ib_gid_attr *attr, void **context)
{
	struct roce_dev *rd = roce_of_gid(attr);
	struct roce_gid *own = *context;

	if (attr->gid_type != IB_GID_TYPE_ROCE) {
		roce_guest_del(context);
		return 0;
	}
	*context = NULL;
	if (!own)
		return 0;
	spin_lock(&rd->gids_lock);
	hash_del_rcu(&own->node);
	spin_unlock(&rd->gids_lock);
	kfree_rcu(own, rcu);
	return 0;
}
