/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Inside of a GID table; only the gid*.c files look in here.
 *
 * An entry is born valid with one reference, the table's. To retire it is to
 * mark it dying, so that no lookup finds it any more, to take its address out
 * of the driver and to drop the table's reference. QPs, AHs and others may hold
 * it for longer: on a RoCE port its slot is free again only when the last of
 * them has let go, because packets carry what the index stood for when they
 * asked. On other ports the driver owns the indices, and a slot is reused at
 * once.
 */
#ifndef OFED_CORE_GID_TABLE_H
#define OFED_CORE_GID_TABLE_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/netdevice.h>
#include <linux/spinlock.h>
#include <rdma/ib_verbs.h>

/* The reference of an entry to its netdev, dropped a grace period later. */
struct ofed_gid_hold {
	struct rcu_head rcu;
	struct net_device *ndev;
};

/**
 * struct ofed_gid_entry - one address of a port
 * @attr: what users of the entry hold on to; ndev becomes NULL when the entry
 *	  is retired
 * @refs: one of the table while valid, one per rdma_hold_gid_attr()
 * @table: table that the entry is, or was, in
 * @hold: reference to the netdev while valid; NULL without netdev
 * @context: the driver's, from add_gid to del_gid
 * @dying: retired; guarded by the table's rwlock
 * @is_default: derived from the MAC, in a reserved slot
 */
struct ofed_gid_entry {
	struct ib_gid_attr attr;
	struct kref refs;
	struct ib_gid_table *table;
	struct ofed_gid_hold *hold;
	void *context;
	bool dying;
	bool is_default;
};

/**
 * struct ib_gid_table - the GIDs of one port
 * @device: owner, longer lived than the table
 * @port: number of the port
 * @size: number of slots
 * @defaults: that many slots in front are for default GIDs, one per type
 * @watch: in the list of RoCE ports that follow netdev events
 * @change: serialises writers: only its holder adds or retires entries and
 *	    calls the driver's add_gid and del_gid. Taken before @rwlock.
 * @closed: no more entries, the device goes away; guarded by @change
 * @told_full: one line about a full table has been logged; guarded by @change
 * @rwlock: guards @slot, @live, @starved and ofed_gid_entry.dying. Readers run
 *	    in any context, so all holders disable interrupts.
 * @starved: an address found no slot; the next free one calls for a new try
 * @live: entries that are not freed yet, dying ones without slot included
 * @slot: entries by index; NULL where free
 */
struct ib_gid_table {
	struct ib_device *device;
	u32 port;
	u32 size;
	u32 defaults;
	struct list_head watch;
	struct mutex change;
	bool closed;
	bool told_full;
	rwlock_t rwlock;
	bool starved;
	unsigned int live;
	struct ofed_gid_entry *slot[];
};

/* What names an entry. A NULL netdev matches any in lookups. */
struct ofed_gid_key {
	union ib_gid gid;
	enum ib_gid_type type;
	struct net_device *ndev;
};

static inline struct ofed_gid_entry *
ofed_gid_entry_of(const struct ib_gid_attr *attr)
{
	return container_of(attr, struct ofed_gid_entry, attr);
}

static inline bool ofed_gid_equal(const union ib_gid *a, const union ib_gid *b)
{
	return a->global.subnet_prefix == b->global.subnet_prefix &&
	       a->global.interface_id == b->global.interface_id;
}

static inline bool gid_table_is_roce(const struct ib_gid_table *table)
{
	return rdma_protocol_roce(table->device, table->port);
}

/* NULL for a port that does not exist and before setup. Any context. */
struct ib_gid_table *ofed_gid_table_of(struct ib_device *device, u32 port);

/* First valid entry with this key, or NULL. Caller holds @table->rwlock. */
struct ofed_gid_entry *ofed_gid_lookup(struct ib_gid_table *table,
				       const struct ofed_gid_key *key);

/* These two want @table->change held, and may sleep in the driver. */
int ofed_gid_insert(struct ib_gid_table *table,
		    const struct ofed_gid_key *key, bool is_default);
void ofed_gid_retire_if(struct ib_gid_table *table,
			bool (*doomed)(const struct ofed_gid_entry *entry,
				       const void *ctx),
			const void *ctx);

/* Drop a reference; any context. */
void ofed_gid_entry_put(struct ofed_gid_entry *entry);

/*
 * roce_gid_mgmt.c: make a RoCE port follow netdev events, or no longer. unwatch
 * returns when no event is being worked on. May sleep.
 */
void ofed_gid_watch(struct ib_gid_table *table);
void ofed_gid_unwatch(struct ib_gid_table *table);

/**
 * struct ofed_gid_candidate - an address that a port should have
 * @link: in the list of candidates
 * @gid: the address, of every type that the port can hold
 * @ndev: interface that owns it, referenced
 * @is_default: it belongs into the reserved slots
 */
struct ofed_gid_candidate {
	struct list_head link;
	union ib_gid gid;
	struct net_device *ndev;
	bool is_default;
};

/* roce_gid_candidates.c: what the interfaces of now ask for. Any context. */
int ofed_roce_gid_candidates(struct ib_device *device, struct net_device *port_ndev,
			     struct list_head *candidates);
void ofed_gid_candidates_drop(struct list_head *candidates);

/* roce_gid_mgmt.c: make the table hold what is wanted now. May sleep. */
int ofed_gid_sync(struct ib_gid_table *table);

#endif /* OFED_CORE_GID_TABLE_H */
