// SPDX-License-Identifier: GPL-2.0
/*
 * The GIDs of version 1 that the core has given to the port. An Ethernet frame
 * is for the port if its GRH has one of them. The core's own search of the GID
 * table takes a lock and walks through the whole table, so the port keeps a
 * hash table.
 */
#include <linux/rculist.h>
#include <linux/slab.h>

#include "port.h"

/**
 * struct roce_gid - a GID of version 1
 * @node: in roce_dev.gids
 * @gid: the GID; two interfaces may have the same one, each with an entry
 * @rcu: for kfree_rcu()
 */
struct roce_gid {
	struct hlist_node node;
	union ib_gid gid;
	struct rcu_head rcu;
};

/* Context: RCU reader. */
bool roce_gid_is_ours(struct roce_dev *rd, const union ib_gid *gid)
{
	struct roce_gid *own;

	hash_for_each_possible_rcu(rd->gids, own, node, roce_gid_hash(gid))
		if (!memcmp(&own->gid, gid, sizeof(*gid)))
			return true;
	return false;
}

/**
 * roce_gid_add - add a GID of version 1 to the port
 * @attr: the GID
 * @context: out: for roce_gid_del()
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int roce_gid_add(const struct ib_gid_attr *attr, void **context)
{
	struct roce_dev *rd = roce_of_gid(attr);
	struct roce_gid *own;

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

/* Context: as roce_gid_add(). */
void roce_gid_del(const struct ib_gid_attr *attr, void **context)
{
	struct roce_dev *rd = roce_of_gid(attr);
	struct roce_gid *own = *context;

	*context = NULL;
	if (!own)
		return;
	spin_lock(&rd->gids_lock);
	hash_del_rcu(&own->node);
	spin_unlock(&rd->gids_lock);
	kfree_rcu(own, rcu);
}
