// SPDX-License-Identifier: GPL-2.0
/*
 * Entries of GID tables, their slots, and the driver's part in them (IBA vol. 1
 * sections 4.1 and 7.10; annexes A16 and A17 for RoCE). gid_table.h has the
 * life of an entry and the locks.
 */
#include <linux/bitops.h>
#include <linux/export.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <ofed/refuse.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_verbs.h>

#include "gid.h"
#include "gid_table.h"

/**
 * rdma_is_zero_gid - tell whether a GID is all zeroes, "none" that is
 * @gid: the GID
 *
 * Context: any. Return: true for the zero GID.
 */
bool rdma_is_zero_gid(const union ib_gid *gid)
{
	return !(gid->global.subnet_prefix | gid->global.interface_id);
}
OFED_EXPORT(rdma_is_zero_gid);

/**
 * ofed_gid_type_mask - GID types that a port can hold
 * @device: device with port_data
 * @port: valid port number
 *
 * Return: bit mask of enum ib_gid_type.
 */
unsigned long ofed_gid_type_mask(struct ib_device *device, u32 port)
{
	unsigned long mask = 0;

	if (rdma_protocol_roce_eth_encap(device, port))
		mask |= BIT(IB_GID_TYPE_ROCE);
	if (rdma_protocol_roce_udp_encap(device, port))
		mask |= BIT(IB_GID_TYPE_ROCE_UDP_ENCAP);
	return mask ?: BIT(IB_GID_TYPE_IB);
}

/**
 * ofed_gid_type_str - text of a GID type as sysfs shows it
 * @type: the type
 *
 * Return: a static string; InfiniBand and RoCE v1 share one.
 */
const char *ofed_gid_type_str(enum ib_gid_type type)
{
	return type == IB_GID_TYPE_ROCE_UDP_ENCAP ? "RoCE v2" : "IB/RoCE v1";
}

/**
 * ofed_gid_type_parse - GID type of a text
 * @text: one of ofed_gid_type_str(), a newline may follow
 *
 * Return: enum ib_gid_type (IB_GID_TYPE_ROCE for the shared text), or -EINVAL.
 */
int ofed_gid_type_parse(const char *text)
{
	if (sysfs_streq(text, ofed_gid_type_str(IB_GID_TYPE_ROCE_UDP_ENCAP)))
		return IB_GID_TYPE_ROCE_UDP_ENCAP;
	if (sysfs_streq(text, ofed_gid_type_str(IB_GID_TYPE_ROCE)))
		return IB_GID_TYPE_ROCE;
	return -EINVAL;
}

struct ib_gid_table *ofed_gid_table_of(struct ib_device *device, u32 port)
{
	if (!device->port_data || !rdma_is_port_valid(device, port))
		return NULL;
	return device->port_data[port].cache.gid;
}

static bool gid_driver_has_table(const struct ib_gid_table *table)
{
	return rdma_cap_roce_gid_table(table->device, table->port);
}

/* Users of a RoCE port learn of each change; elsewhere the driver tells. */
static void gid_tell_change(struct ib_gid_table *table)
{
	struct ib_event event = {
		.device = table->device,
		.event = IB_EVENT_GID_CHANGE,
		.element.port_num = table->port,
	};

	if (gid_table_is_roce(table) && !table->closed)
		ib_dispatch_event(&event);
}

static void gid_hold_release(struct ofed_gid_hold *hold)
{
	if (!hold)
		return;
	dev_put(hold->ndev);
	kfree(hold);
}

static void gid_hold_release_rcu(struct rcu_head *rcu)
{
	gid_hold_release(container_of(rcu, struct ofed_gid_hold, rcu));
}

static struct ofed_gid_hold *gid_hold_take(struct net_device *ndev)
{
	struct ofed_gid_hold *hold = kmalloc(sizeof(*hold), GFP_KERNEL);

	if (!hold)
		return NULL;
	dev_hold(ndev);
	hold->ndev = ndev;
	return hold;
}

static void gid_entry_last_put(struct kref *refs)
{
	struct ofed_gid_entry *entry =
		container_of(refs, struct ofed_gid_entry, refs);
	struct ib_gid_table *table = entry->table;
	unsigned long flags;
	bool hungry;

	write_lock_irqsave(&table->rwlock, flags);
	if (table->slot[entry->attr.index] == entry)
		table->slot[entry->attr.index] = NULL;
	hungry = table->starved;
	table->starved = false;
	/* From the unlock on the table may be gone. */
	table->live--;
	write_unlock_irqrestore(&table->rwlock, flags);

	if (hungry)
		ofed_gid_events_kick();
	kfree(entry);
}

void ofed_gid_entry_put(struct ofed_gid_entry *entry)
{
	kref_put(&entry->refs, gid_entry_last_put);
}

struct ofed_gid_entry *ofed_gid_lookup(struct ib_gid_table *table,
				       const struct ofed_gid_key *key)
{
	struct ofed_gid_entry *entry;
	u32 ix;

	lockdep_assert_held(&table->rwlock);
	for (ix = 0; ix < table->size; ix++) {
		entry = table->slot[ix];
		if (!entry || entry->dying ||
		    entry->attr.gid_type != key->type)
			continue;
		if (key->ndev &&
		    rcu_access_pointer(entry->attr.ndev) != key->ndev)
			continue;
		if (ofed_gid_equal(&entry->attr.gid, &key->gid))
			return entry;
	}
	return NULL;
}

/*
 * Entries that are valid stay so while the caller holds the change mutex; a
 * dying one can be freed as soon as the rwlock is released.
 */
static struct ofed_gid_entry *gid_valid_at(struct ib_gid_table *table, u32 ix)
{
	struct ofed_gid_entry *entry;

	lockdep_assert_held(&table->change);
	read_lock_irq(&table->rwlock);
	entry = table->slot[ix];
	if (entry && entry->dying)
		entry = NULL;
	read_unlock_irq(&table->rwlock);
	return entry;
}

static bool gid_key_present(struct ib_gid_table *table,
			    const struct ofed_gid_key *key)
{
	bool found;

	lockdep_assert_held(&table->change);
	read_lock_irq(&table->rwlock);
	found = ofed_gid_lookup(table, key);
	read_unlock_irq(&table->rwlock);
	return found;
}

/* The order of the types is that of their numbers: v1 in front of v2. */
static u32 gid_default_index(const struct ib_gid_table *table,
			     enum ib_gid_type type)
{
	unsigned long mask = ofed_gid_type_mask(table->device, table->port);

	return hweight_long(mask & (BIT(type) - 1));
}

static int gid_free_index(struct ib_gid_table *table, enum ib_gid_type type,
			  bool is_default)
{
	u32 ix = is_default ? gid_default_index(table, type) : table->defaults;
	u32 end = is_default ? min(ix + 1, table->defaults) : table->size;
	int found = -ENOSPC;

	lockdep_assert_held(&table->change);
	write_lock_irq(&table->rwlock);
	while (ix < end && table->slot[ix])
		ix++;
	if (ix < end)
		found = ix;
	else
		table->starved = true;
	write_unlock_irq(&table->rwlock);
	return found;
}

/* The slot @ix is free, and only the holder of the change mutex fills slots. */
static int gid_install(struct ib_gid_table *table, const struct ofed_gid_key *key,
		       u32 ix, bool is_default)
{
	struct ib_device *device = table->device;
	struct ofed_gid_entry *entry;
	int ret = -ENOMEM;

	lockdep_assert_held(&table->change);
	entry = kzalloc(sizeof(*entry), GFP_KERNEL);
	if (!entry)
		return -ENOMEM;
	if (key->ndev) {
		entry->hold = gid_hold_take(key->ndev);
		if (!entry->hold)
			goto err_entry;
	}
	kref_init(&entry->refs);
	entry->table = table;
	entry->is_default = is_default;
	entry->attr.device = device;
	entry->attr.port_num = table->port;
	entry->attr.index = ix;
	entry->attr.gid_type = key->type;
	entry->attr.gid = key->gid;
	RCU_INIT_POINTER(entry->attr.ndev, key->ndev);

	if (gid_driver_has_table(table)) {
		ret = device->ops.add_gid(&entry->attr, &entry->context);
		if (ret)
			goto err_hold;
	}
	write_lock_irq(&table->rwlock);
	table->slot[ix] = entry;
	table->live++;
	write_unlock_irq(&table->rwlock);
	return 0;

err_hold:
	gid_hold_release(entry->hold);
err_entry:
	kfree(entry);
	return ret;
}

static void gid_retire(struct ofed_gid_entry *entry)
{
	struct ib_gid_table *table = entry->table;
	struct ofed_gid_hold *hold = entry->hold;

	lockdep_assert_held(&table->change);
	write_lock_irq(&table->rwlock);
	entry->dying = true;
	if (!gid_table_is_roce(table))
		table->slot[entry->attr.index] = NULL;
	RCU_INIT_POINTER(entry->attr.ndev, NULL);
	write_unlock_irq(&table->rwlock);

	entry->hold = NULL;
	if (hold)
		call_rcu(&hold->rcu, gid_hold_release_rcu);
	if (gid_driver_has_table(table)) {
		table->device->ops.del_gid(&entry->attr, &entry->context);
		entry->context = NULL;
	}
	ofed_gid_entry_put(entry);
}

int ofed_gid_insert(struct ib_gid_table *table,
		    const struct ofed_gid_key *key, bool is_default)
{
	struct ofed_gid_entry *occupant;
	int ix, ret;

	lockdep_assert_held(&table->change);
	if (rdma_is_zero_gid(&key->gid))
		return ofed_refuse(table->device, -EINVAL,
				   "port %u: a GID of zeros", table->port);
	if (table->closed)
		return -ENODEV;
	/* A default GID is like any other to look-ups. */
	if (!is_default && gid_key_present(table, key))
		return 0;
	ix = gid_default_index(table, key->type);
	if (is_default && ix < table->defaults) {
		occupant = gid_valid_at(table, ix);
		if (occupant && ofed_gid_equal(&occupant->attr.gid, &key->gid) &&
		    rcu_access_pointer(occupant->attr.ndev) == key->ndev)
			return 0;
	}

	ix = gid_free_index(table, key->type, is_default);
	if (ix < 0)
		return ix;
	ret = gid_install(table, key, ix, is_default);
	if (!ret)
		gid_tell_change(table);
	return ret;
}

void ofed_gid_retire_if(struct ib_gid_table *table,
			bool (*doomed)(const struct ofed_gid_entry *entry,
				       const void *ctx),
			const void *ctx)
{
	struct ofed_gid_entry *entry;
	u32 ix;

	lockdep_assert_held(&table->change);
	for (ix = 0; ix < table->size; ix++) {
		entry = gid_valid_at(table, ix);
		if (!entry || !doomed(entry, ctx))
			continue;
		gid_retire(entry);
		gid_tell_change(table);
	}
}

static void gid_key_from_attr(struct ofed_gid_key *key, const union ib_gid *gid,
			      const struct ib_gid_attr *attr)
{
	key->gid = *gid;
	key->type = attr->gid_type;
	/* The caller holds the netdev of an attr that it made itself. */
	key->ndev = rcu_dereference_protected(attr->ndev, true);
}

/* Contract: gid.h */
int ofed_gid_add(struct ib_device *device, u32 port, const union ib_gid *gid,
		 const struct ib_gid_attr *attr, bool default_slot)
{
	struct ib_gid_table *table = ofed_gid_table_of(device, port);
	struct ofed_gid_key key;
	int ret;

	might_sleep();
	if (!table || !gid_table_is_roce(table))
		return ofed_refuse(device, -EINVAL,
				   "port %u has no GIDs of RoCE", port);
	gid_key_from_attr(&key, gid, attr);
	if (!(ofed_gid_type_mask(device, port) & BIT(key.type)))
		return ofed_refuse(device, -EINVAL,
				   "port %u has no GIDs of type %u", port,
				   key.type);
	mutex_lock(&table->change);
	ret = ofed_gid_insert(table, &key, default_slot);
	mutex_unlock(&table->change);
	return ret;
}

struct exact_entry {
	struct ofed_gid_key key;
	bool is_default;
};

static bool gid_is_exact(const struct ofed_gid_entry *entry, const void *ctx)
{
	const struct exact_entry *want = ctx;

	return entry->attr.gid_type == want->key.type &&
	       entry->is_default == want->is_default &&
	       rcu_access_pointer(entry->attr.ndev) == want->key.ndev &&
	       ofed_gid_equal(&entry->attr.gid, &want->key.gid);
}

static bool gid_is_of_netdev(const struct ofed_gid_entry *entry, const void *ctx)
{
	return rcu_access_pointer(entry->attr.ndev) == ctx;
}

/**
 * ofed_gid_del - take an entry out of the table of a RoCE port
 * @device: device
 * @port: port number
 * @gid: the address
 * @attr: gid_type and ndev are compared
 * @default_slot: the entry is in a reserved slot
 *
 * Context: may sleep.
 * Return: 0, also when there was none; -EINVAL for a port without RoCE.
 */
int ofed_gid_del(struct ib_device *device, u32 port, const union ib_gid *gid,
		 const struct ib_gid_attr *attr, bool default_slot)
{
	struct ib_gid_table *table = ofed_gid_table_of(device, port);
	struct exact_entry want = { .is_default = default_slot };

	might_sleep();
	if (!table || !gid_table_is_roce(table))
		return ofed_refuse(device, -EINVAL,
				   "port %u has no GIDs of RoCE", port);
	gid_key_from_attr(&want.key, gid, attr);
	mutex_lock(&table->change);
	ofed_gid_retire_if(table, gid_is_exact, &want);
	mutex_unlock(&table->change);
	return 0;
}

/**
 * ofed_gid_del_netdev - take all addresses of a netdev out of a table
 * @device: device
 * @port: port number
 * @ndev: the netdev
 *
 * Context: may sleep.
 */
void ofed_gid_del_netdev(struct ib_device *device, u32 port,
			 const struct net_device *ndev)
{
	struct ib_gid_table *table = ofed_gid_table_of(device, port);

	might_sleep();
	if (!table || !gid_table_is_roce(table))
		return;
	mutex_lock(&table->change);
	ofed_gid_retire_if(table, gid_is_of_netdev, ndev);
	mutex_unlock(&table->change);
}

/*
 * Some devices have more slots than addresses and answer zero for the rest:
 * those are empty. An address that did not change keeps its entry, and with it
 * the references of its users.
 */
static int gid_refresh_slot(struct ib_gid_table *table, u32 ix)
{
	struct ofed_gid_key key = { .type = IB_GID_TYPE_IB };
	struct ofed_gid_entry *old;
	int ret;

	ret = table->device->ops.query_gid(table->device, table->port, ix,
					   &key.gid);
	if (ret)
		return ret;
	old = gid_valid_at(table, ix);
	if (old && ofed_gid_equal(&old->attr.gid, &key.gid))
		return 0;
	if (old)
		gid_retire(old);
	if (rdma_is_zero_gid(&key.gid))
		return 0;
	return gid_install(table, &key, ix, false);
}

/**
 * ofed_gid_table_refresh - read the table of a port without RoCE again
 * @device: device
 * @port: port number
 *
 * Context: may sleep in the driver's query_gid.
 * Return: 0, also for a driver without query_gid; -EINVAL for a RoCE port;
 * -ENODEV when the device goes away; -ENOMEM; or the driver's errno.
 */
int ofed_gid_table_refresh(struct ib_device *device, u32 port)
{
	struct ib_gid_table *table = ofed_gid_table_of(device, port);
	int ret = 0;
	u32 ix;

	might_sleep();
	if (!table || gid_table_is_roce(table))
		return -EINVAL;
	if (!device->ops.query_gid)
		return 0;
	mutex_lock(&table->change);
	if (table->closed)
		ret = -ENODEV;
	for (ix = 0; !ret && ix < table->size; ix++)
		ret = gid_refresh_slot(table, ix);
	mutex_unlock(&table->change);
	return ret;
}
