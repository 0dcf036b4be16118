// SPDX-License-Identifier: GPL-2.0
/*
 * Questions to the GID tables: <rdma/ib_cache.h>. Drivers ask from the receive
 * path, so nothing here sleeps, and every lock is held with interrupts off.
 */
#include <linux/export.h>
#include <linux/if_vlan.h>
#include <linux/netdevice.h>
#include <ofed/refuse.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_verbs.h>

#include "gid.h"
#include "gid_table.h"

/**
 * rdma_query_gid - read a GID by its index
 * @device: device
 * @port_num: port
 * @index: index in the port's table
 * @gid: out: the GID; untouched on failure
 *
 * Context: any.
 * Return: 0, -EINVAL when there is no such port or index, -ENOENT when the slot
 * is empty.
 */
int rdma_query_gid(struct ib_device *device, u32 port_num, int index,
		   union ib_gid *gid)
{
	struct ib_gid_table *table = ofed_gid_table_of(device, port_num);
	const struct ofed_gid_entry *entry;
	unsigned long flags;
	int ret = -ENOENT;

	if (!table || index < 0 || index >= table->size)
		return ofed_refuse(device, -EINVAL, "port %u has no GID %d",
				   port_num, index);
	read_lock_irqsave(&table->rwlock, flags);
	entry = table->slot[index];
	if (entry && !entry->dying) {
		*gid = entry->attr.gid;
		ret = 0;
	}
	read_unlock_irqrestore(&table->rwlock, flags);
	return ret;
}
OFED_EXPORT(rdma_query_gid);

/**
 * rdma_get_gid_attr - take a reference to an entry by its index
 * @device: device
 * @port_num: port
 * @index: index in the port's table
 *
 * Context: any.
 * Return: the entry's attributes, to be given back with rdma_put_gid_attr();
 * or ERR_PTR: -EINVAL when there is no such port or index, -ENODATA when the
 * slot is empty.
 */
const struct ib_gid_attr *rdma_get_gid_attr(struct ib_device *device,
					    u32 port_num, int index)
{
	struct ib_gid_table *table = ofed_gid_table_of(device, port_num);
	const struct ib_gid_attr *attr = ERR_PTR(-ENODATA);
	struct ofed_gid_entry *entry;
	unsigned long flags;

	if (!table || index < 0 || index >= table->size)
		return ofed_refuse(device, ERR_PTR(-EINVAL),
				   "port %u has no GID %d", port_num, index);
	read_lock_irqsave(&table->rwlock, flags);
	entry = table->slot[index];
	if (entry && !entry->dying) {
		kref_get(&entry->refs);
		attr = &entry->attr;
	}
	read_unlock_irqrestore(&table->rwlock, flags);
	return attr;
}
OFED_EXPORT(rdma_get_gid_attr);

/**
 * rdma_hold_gid_attr - take one more reference
 * @attr: entry that the caller has a reference to
 *
 * Context: any.
 */
void rdma_hold_gid_attr(const struct ib_gid_attr *attr)
{
	kref_get(&ofed_gid_entry_of(attr)->refs);
}
OFED_EXPORT(rdma_hold_gid_attr);

/**
 * rdma_put_gid_attr - give a reference back
 * @attr: entry from rdma_get_gid_attr() or one of the rdma_find_gid functions
 *
 * The last one of an address that was removed frees its index. Context: any.
 */
void rdma_put_gid_attr(const struct ib_gid_attr *attr)
{
	ofed_gid_entry_put(ofed_gid_entry_of(attr));
}
OFED_EXPORT(rdma_put_gid_attr);

static const struct ib_gid_attr *gid_get_by_key(struct ib_gid_table *table,
						const struct ofed_gid_key *key)
{
	struct ofed_gid_entry *entry;
	unsigned long flags;

	read_lock_irqsave(&table->rwlock, flags);
	entry = ofed_gid_lookup(table, key);
	if (entry)
		kref_get(&entry->refs);
	read_unlock_irqrestore(&table->rwlock, flags);
	return entry ? &entry->attr : ERR_PTR(-ENOENT);
}

/**
 * rdma_find_gid_by_port - find an entry of one port
 * @ib_dev: device
 * @gid: address looked for
 * @gid_type: its type
 * @port: port
 * @ndev: the interface that has the address, or NULL for any
 *
 * Context: any, the receive path included.
 * Return: the entry with a reference, or ERR_PTR(-ENOENT).
 */
const struct ib_gid_attr *rdma_find_gid_by_port(struct ib_device *ib_dev,
						const union ib_gid *gid,
						enum ib_gid_type gid_type,
						u32 port,
						struct net_device *ndev)
{
	struct ib_gid_table *table = ofed_gid_table_of(ib_dev, port);
	const struct ofed_gid_key key = {
		.gid = *gid, .type = gid_type, .ndev = ndev,
	};

	return table ? gid_get_by_key(table, &key) : ERR_PTR(-ENOENT);
}
OFED_EXPORT(rdma_find_gid_by_port);

/**
 * rdma_find_gid - find an entry on any port of a device
 * @device: device
 * @gid: address looked for
 * @gid_type: its type
 * @ndev: the interface that has the address, or NULL for any
 *
 * Context: any.
 * Return: the entry with a reference, or ERR_PTR(-ENOENT).
 */
const struct ib_gid_attr *rdma_find_gid(struct ib_device *device,
					const union ib_gid *gid,
					enum ib_gid_type gid_type,
					struct net_device *ndev)
{
	const struct ib_gid_attr *attr;
	u32 port;

	rdma_for_each_port(device, port) {
		attr = rdma_find_gid_by_port(device, gid, gid_type, port,
					     ndev);
		if (!IS_ERR(attr))
			return attr;
	}
	return ERR_PTR(-ENOENT);
}
OFED_EXPORT(rdma_find_gid);

/**
 * rdma_find_gid_by_filter - find the first entry of a port that suits
 * @device: device
 * @gid: address looked for
 * @port_num: port
 * @filter: called for each entry with this address; true takes it. It runs
 *	    under a lock with interrupts off
 * @context: handed to @filter
 *
 * Context: any.
 * Return: the entry with a reference, or ERR_PTR: -EINVAL when there is no such
 * port, -ENOENT when none suits.
 */
const struct ib_gid_attr *
rdma_find_gid_by_filter(struct ib_device *device, const union ib_gid *gid,
			u32 port_num,
			bool (*filter)(const union ib_gid *gid,
				       const struct ib_gid_attr *attr,
				       void *context),
			void *context)
{
	struct ib_gid_table *table = ofed_gid_table_of(device, port_num);
	const struct ib_gid_attr *found = ERR_PTR(-ENOENT);
	struct ofed_gid_entry *entry;
	unsigned long flags;
	u32 ix;

	if (!table)
		return ERR_PTR(ofed_refuse_port(device, port_num));
	read_lock_irqsave(&table->rwlock, flags);
	for (ix = 0; ix < table->size; ix++) {
		entry = table->slot[ix];
		if (entry && !entry->dying &&
		    ofed_gid_equal(&entry->attr.gid, gid) &&
		    filter(gid, &entry->attr, context)) {
			kref_get(&entry->refs);
			found = &entry->attr;
			break;
		}
	}
	read_unlock_irqrestore(&table->rwlock, flags);
	return found;
}

/**
 * ib_find_gid - find port and index of a GID on InfiniBand ports
 * @device: device
 * @gid: the GID
 * @port_num: out: port
 * @index: out: index in its table; may be NULL
 *
 * RoCE ports are left out: there, an address alone does not name an entry.
 * Context: any. Return: 0, or -ENOENT.
 */
int ib_find_gid(struct ib_device *device, union ib_gid *gid,
		u32 *port_num, u16 *index)
{
	const struct ib_gid_attr *attr;
	u32 port;

	rdma_for_each_port(device, port) {
		if (!rdma_protocol_ib(device, port))
			continue;
		attr = rdma_find_gid_by_port(device, gid, IB_GID_TYPE_IB, port,
					     NULL);
		if (IS_ERR(attr))
			continue;
		*port_num = port;
		if (index)
			*index = attr->index;
		rdma_put_gid_attr(attr);
		return 0;
	}
	return -ENOENT;
}
OFED_EXPORT(ib_find_gid);

static void gid_entry_to_user(struct ib_uverbs_gid_entry *to,
			      const struct ofed_gid_entry *entry)
{
	const struct net_device *ndev;

	memset(to, 0, sizeof(*to));
	memcpy(to->gid, &entry->attr.gid, sizeof(to->gid));
	to->gid_index = entry->attr.index;
	to->port_num = entry->attr.port_num;
	to->gid_type = entry->attr.gid_type;
	ndev = rcu_dereference_protected(entry->attr.ndev,
				lockdep_is_held(&entry->table->rwlock));
	if (ndev)
		to->netdev_ifindex = ndev->ifindex;
}

static ssize_t gid_query_one_table(struct ib_gid_table *table,
				   struct ib_uverbs_gid_entry *entries, size_t room)
{
	const struct ofed_gid_entry *entry;
	unsigned long flags;
	ssize_t count = 0;
	u32 ix;

	read_lock_irqsave(&table->rwlock, flags);
	for (ix = 0; ix < table->size; ix++) {
		entry = table->slot[ix];
		if (!entry || entry->dying)
			continue;
		if (count == room) {
			count = -EINVAL;
			break;
		}
		gid_entry_to_user(&entries[count++], entry);
	}
	read_unlock_irqrestore(&table->rwlock, flags);
	return count;
}

/**
 * rdma_query_gid_table - read all GIDs of a device
 * @device: device
 * @entries: out: one struct per entry in use, by port and index
 * @max_entries: room in @entries
 *
 * Ports that are neither InfiniBand nor RoCE are left out. Context: any.
 * Return: number of entries, or -EINVAL when the room is too small.
 */
ssize_t rdma_query_gid_table(struct ib_device *device,
			     struct ib_uverbs_gid_entry *entries,
			     size_t max_entries)
{
	struct ib_gid_table *table;
	ssize_t count, sum = 0;
	u32 port;

	rdma_for_each_port(device, port) {
		table = ofed_gid_table_of(device, port);
		if (!table || !rdma_ib_or_roce(device, port))
			continue;
		count = gid_query_one_table(table, entries + sum,
					    max_entries - sum);
		if (count < 0)
			return count;
		sum += count;
	}
	return sum;
}
OFED_EXPORT(rdma_query_gid_table);

/**
 * rdma_read_gid_hw_context - what the driver's add_gid stored with an entry
 * @attr: entry that the caller has a reference to
 *
 * Context: any. Return: the driver's pointer, NULL when there is none.
 */
void *rdma_read_gid_hw_context(const struct ib_gid_attr *attr)
{
	return ofed_gid_entry_of(attr)->context;
}
OFED_EXPORT(rdma_read_gid_hw_context);

/**
 * rdma_read_gid_attr_ndev_rcu - interface of an entry
 * @attr: entry that the caller has a reference to
 *
 * Context: any, under rcu_read_lock(), which keeps the interface.
 * Return: the interface, or ERR_PTR(-ENODEV) when the entry has none or the
 * address was removed.
 */
struct net_device *rdma_read_gid_attr_ndev_rcu(const struct ib_gid_attr *attr)
{
	struct net_device *ndev = rcu_dereference(attr->ndev);

	return ndev ?: ERR_PTR(-ENODEV);
}
OFED_EXPORT(rdma_read_gid_attr_ndev_rcu);

static int gid_vlan_of_lower(struct net_device *lower, struct netdev_nested_priv *p)
{
	u16 *vlan_id = p->data;

	if (!is_vlan_dev(lower))
		return 0;
	*vlan_id = vlan_dev_vlan_id(lower);
	return 1;
}

/**
 * rdma_read_gid_l2_fields - VLAN and MAC that packets from an entry carry
 * @attr: entry that the caller has a reference to
 * @vlan_id: out: VLAN of the interface or of one below it, 0xffff without;
 *	     may be NULL
 * @smac: out: MAC of the interface; may be NULL
 *
 * Context: any. Return: 0, or -ENODEV when the entry has no interface.
 */
int rdma_read_gid_l2_fields(const struct ib_gid_attr *attr,
			    u16 *vlan_id, u8 *smac)
{
	struct netdev_nested_priv priv = { .data = vlan_id };
	struct net_device *ndev;
	int ret = 0;

	rcu_read_lock();
	ndev = rdma_read_gid_attr_ndev_rcu(attr);
	if (IS_ERR(ndev)) {
		ret = PTR_ERR(ndev);
		goto out;
	}
	if (smac)
		memcpy(smac, ndev->dev_addr, ETH_ALEN);
	if (vlan_id) {
		*vlan_id = rdma_vlan_dev_vlan_id(ndev);
		/* A macvlan over a VLAN, say, has that VLAN's tag. */
		if (*vlan_id == 0xffff)
			netdev_walk_all_lower_dev_rcu(ndev, gid_vlan_of_lower,
						      &priv);
	}
out:
	rcu_read_unlock();
	return ret;
}
OFED_EXPORT(rdma_read_gid_l2_fields);
