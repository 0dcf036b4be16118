// SPDX-License-Identifier: GPL-2.0
/* The GID tables of a device: made when it comes, emptied and freed when it goes. */
#include <linux/bitops.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_verbs.h>

#include "gid.h"
#include "gid_table.h"
#include "cache.h"

static struct ib_gid_table *gid_table_alloc(struct ib_device *device, u32 port)
{
	int size = max(device->port_data[port].immutable.gid_tbl_len, 0);
	struct ib_gid_table *table;

	table = kvzalloc(struct_size(table, slot, size), GFP_KERNEL);
	if (!table)
		return NULL;
	table->device = device;
	table->port = port;
	table->size = size;
	INIT_LIST_HEAD(&table->watch);
	mutex_init(&table->change);
	rwlock_init(&table->rwlock);
	if (gid_table_is_roce(table))
		table->defaults =
			min_t(u32, size,
			      hweight_long(ofed_gid_type_mask(device, port)));
	return table;
}

/**
 * ofed_gid_tables_setup - make the empty tables of a device
 * @device: not visible yet; port_data with immutable data in place
 *
 * RoCE ports follow netdev events from here on; ofed_gid_events_scan() reads
 * what has been before. Context: may sleep.
 * Return: 0 or -ENOMEM, with nothing left to clean up.
 */
int ofed_gid_tables_setup(struct ib_device *device)
{
	struct ib_gid_table *table;
	u32 port;

	/* A registration that failed may have left tables behind. */
	ofed_gid_tables_release(device);
	rdma_for_each_port(device, port) {
		table = gid_table_alloc(device, port);
		if (!table)
			goto err_tables;
		device->port_data[port].cache.gid = table;
	}
	rdma_for_each_port(device, port) {
		table = device->port_data[port].cache.gid;
		if (gid_table_is_roce(table))
			ofed_gid_watch(table);
	}
	return 0;

err_tables:
	ofed_gid_tables_release(device);
	return -ENOMEM;
}

static bool gid_is_any(const struct ofed_gid_entry *entry, const void *ctx)
{
	return true;
}

/**
 * ofed_gid_tables_cleanup - empty the tables for good
 * @device: no client is left
 *
 * The driver's del_gid is called for every entry. When this returns, no netdev
 * is held and no GID event is under way. Entries that are still referenced can
 * be read and put until ofed_gid_tables_release(). Context: may sleep.
 */
void ofed_gid_tables_cleanup(struct ib_device *device)
{
	struct ib_gid_table *table;
	u32 port;

	rdma_for_each_port(device, port) {
		table = device->port_data[port].cache.gid;
		if (!table)
			continue;
		ofed_gid_unwatch(table);
		mutex_lock(&table->change);
		table->closed = true;
		ofed_gid_retire_if(table, gid_is_any, NULL);
		mutex_unlock(&table->change);
	}
	/* Both a driver that unloads next and a netdev that goes rely on it. */
	rcu_barrier();
	ofed_events_flush();
}

static bool gid_table_is_leaked(struct ib_gid_table *table)
{
	unsigned int live;

	read_lock_irq(&table->rwlock);
	live = table->live;
	read_unlock_irq(&table->rwlock);
	if (live)
		dev_err(&table->device->dev,
			"port %u: %u GIDs are still in use, memory is lost\n",
			table->port, live);
	return live;
}

/**
 * ofed_gid_tables_release - free the tables
 * @device: the caller alone uses it; may be without tables
 */
void ofed_gid_tables_release(struct ib_device *device)
{
	struct ib_gid_table *table;
	u32 port;

	rdma_for_each_port(device, port) {
		table = device->port_data[port].cache.gid;
		device->port_data[port].cache.gid = NULL;
		/* A holder may yet put its entry: better lost than misused. */
		if (table && !gid_table_is_leaked(table))
			kvfree(table);
	}
}
