// SPDX-License-Identifier: GPL-2.0
/*
 * From netdev, inetaddr and inet6addr events to GID tables.
 *
 * An event only says "look again": one work item compares every RoCE port with
 * the interfaces as they are by then, retires what is not wanted any more and
 * adds what is missing. So events need no memory, can not be lost, may come in
 * any context, and a burst of them costs one pass. The work takes no RTNL: a
 * thread that waits for it may hold that.
 */
#include <linux/export.h>
#include <linux/inetdevice.h>
#include <linux/list.h>
#include <linux/netdevice.h>
#include <linux/notifier.h>
#include <linux/rwsem.h>
#include <linux/workqueue.h>
#include <net/addrconf.h>
#include <rdma/ib_verbs.h>

#include "gid.h"
#include "gid_table.h"

/*
 * Guards watched_ports. Held for reading during a pass, drivers' add_gid and
 * del_gid included; taken before ib_gid_table.change.
 */
static DECLARE_RWSEM(watch_rwsem);
static LIST_HEAD(watched_ports);

static struct workqueue_struct *gid_wq;
static void gid_pass(struct work_struct *work);
static DECLARE_DELAYED_WORK(gid_work, gid_pass);

#define GID_RETRY_JIFFIES (HZ / 10)

void ofed_gid_watch(struct ib_gid_table *table)
{
	down_write(&watch_rwsem);
	list_add_tail(&table->watch, &watched_ports);
	up_write(&watch_rwsem);
}

void ofed_gid_unwatch(struct ib_gid_table *table)
{
	down_write(&watch_rwsem);
	list_del_init(&table->watch);
	up_write(&watch_rwsem);
}

static bool gid_is_unwanted(const struct ofed_gid_entry *entry, const void *ctx)
{
	const struct list_head *candidates = ctx;
	const struct ofed_gid_candidate *cand;

	list_for_each_entry(cand, candidates, link)
		if (entry->is_default == cand->is_default &&
		    rcu_access_pointer(entry->attr.ndev) == cand->ndev &&
		    ofed_gid_equal(&entry->attr.gid, &cand->gid))
			return false;
	return true;
}

/* Full is told once in the life of a table: users can make it so at will. */
static void gid_insert_candidate(struct ib_gid_table *table,
				 const struct ofed_gid_candidate *cand)
{
	struct ofed_gid_key key = { .gid = cand->gid, .ndev = cand->ndev };
	unsigned long types = ofed_gid_type_mask(table->device, table->port);
	unsigned int type;
	int ret;

	for_each_set_bit(type, &types, IB_GID_TYPE_SIZE) {
		key.type = type;
		ret = ofed_gid_insert(table, &key, cand->is_default);
		if (ret == -ENOSPC && !cand->is_default && !table->told_full) {
			table->told_full = true;
			ibdev_warn(table->device,
				   "port %u: GID table is full, %pI6c and more left out\n",
				   table->port, cand->gid.raw);
		} else if (ret && ret != -ENOSPC) {
			ibdev_dbg(table->device,
				  "port %u: no GID for %pI6c: error %d\n",
				  table->port, cand->gid.raw, ret);
		}
	}
}

/**
 * ofed_gid_sync - make the table of a RoCE port hold what is wanted now
 * @table: the table
 *
 * What a driver refuses, or finds no slot, is left out and tried again at the
 * next event. Context: may sleep in the driver's add_gid and del_gid.
 * Return: 0, or -ENOMEM with the table as it was.
 */
int ofed_gid_sync(struct ib_gid_table *table)
{
	const struct ofed_gid_candidate *cand;
	struct net_device *port_ndev;
	LIST_HEAD(candidates);
	int ret = 0;

	might_sleep();
	/* Looking and changing are one step, or an older look could win. */
	mutex_lock(&table->change);
	if (table->closed)
		goto out;
	port_ndev = ib_device_get_netdev(table->device, table->port);
	if (port_ndev) {
		ret = ofed_roce_gid_candidates(table->device, port_ndev, &candidates);
		dev_put(port_ndev);
	}
	if (!ret) {
		ofed_gid_retire_if(table, gid_is_unwanted, &candidates);
		list_for_each_entry(cand, &candidates, link)
			gid_insert_candidate(table, cand);
	}
	ofed_gid_candidates_drop(&candidates);
out:
	mutex_unlock(&table->change);
	return ret;
}

static void gid_pass(struct work_struct *work)
{
	struct ib_gid_table *table;
	int ret = 0;

	down_read(&watch_rwsem);
	list_for_each_entry(table, &watched_ports, watch)
		if (ofed_gid_sync(table))
			ret = -ENOMEM;
	up_read(&watch_rwsem);
	if (ret)
		queue_delayed_work(gid_wq, &gid_work, GID_RETRY_JIFFIES);
}

void ofed_gid_events_kick(void)
{
	/* A retry that waits for its time is brought forward. */
	mod_delayed_work(gid_wq, &gid_work, 0);
}

void ofed_gid_events_flush(void)
{
	flush_delayed_work(&gid_work);
}

static void gid_sync_port(struct ib_device *device, u32 port)
{
	struct ib_gid_table *table = ofed_gid_table_of(device, port);

	if (table && rdma_protocol_roce(device, port) && ofed_gid_sync(table))
		ofed_gid_events_kick();
}

void ofed_gid_events_scan(struct ib_device *device)
{
	u32 port;

	rdma_for_each_port(device, port)
		gid_sync_port(device, port);
}

/**
 * rdma_roce_rescan_device - bring the GIDs of all RoCE ports up to date
 * @ibdev: device
 *
 * For a driver after the answer of its get_netdev has changed.
 * Context: process, may sleep in the driver's add_gid and del_gid.
 */
void rdma_roce_rescan_device(struct ib_device *ibdev)
{
	ofed_gid_events_scan(ibdev);
}
OFED_EXPORT(rdma_roce_rescan_device);

/**
 * rdma_roce_rescan_port - bring the GIDs of one RoCE port up to date
 * @ib_dev: device
 * @port: port
 *
 * Context: process, may sleep in the driver's add_gid and del_gid.
 */
void rdma_roce_rescan_port(struct ib_device *ib_dev, u32 port)
{
	gid_sync_port(ib_dev, port);
}
OFED_EXPORT(rdma_roce_rescan_port);

/**
 * roce_del_all_netdev_gids - remove the GIDs of a netdev from a port
 * @ib_dev: device
 * @port: port
 * @ndev: the netdev
 *
 * They come back with the next event if @ndev still belongs to the port.
 * Context: process, may sleep in the driver's del_gid.
 */
void roce_del_all_netdev_gids(struct ib_device *ib_dev, u32 port,
			      struct net_device *ndev)
{
	ofed_gid_del_netdev(ib_dev, port, ndev);
}
OFED_EXPORT(roce_del_all_netdev_gids);

static int gid_on_netdev(struct notifier_block *self, unsigned long event,
			 void *ptr)
{
	switch (event) {
	case NETDEV_REGISTER:
	case NETDEV_UNREGISTER:
	case NETDEV_UP:
	case NETDEV_DOWN:
	case NETDEV_CHANGEADDR:
	case NETDEV_CHANGEUPPER:
	case NETDEV_BONDING_FAILOVER:
		ofed_gid_events_kick();
		break;
	}
	return NOTIFY_DONE;
}

/* The inet6addr chain is atomic. */
static int gid_on_address(struct notifier_block *self, unsigned long event,
			  void *ptr)
{
	ofed_gid_events_kick();
	return NOTIFY_DONE;
}

static struct notifier_block netdev_notifier = { .notifier_call = gid_on_netdev };
static struct notifier_block inet_notifier = { .notifier_call = gid_on_address };
static struct notifier_block inet6_notifier = { .notifier_call = gid_on_address };

/**
 * ofed_gid_events_init - begin to listen
 *
 * Return: 0 or an errno, with nothing left to undo.
 */
int ofed_gid_events_init(void)
{
	int ret;

	gid_wq = alloc_ordered_workqueue("ofed_gid", 0);
	if (!gid_wq)
		return -ENOMEM;
	ret = register_inetaddr_notifier(&inet_notifier);
	if (ret)
		goto err_wq;
	ret = register_inet6addr_notifier(&inet6_notifier);
	if (ret)
		goto err_inet;
	ret = register_netdevice_notifier(&netdev_notifier);
	if (ret)
		goto err_inet6;
	return 0;

err_inet6:
	unregister_inet6addr_notifier(&inet6_notifier);
err_inet:
	unregister_inetaddr_notifier(&inet_notifier);
err_wq:
	cancel_delayed_work_sync(&gid_work);
	destroy_workqueue(gid_wq);
	return ret;
}

/**
 * ofed_gid_events_exit - stop listening
 *
 * No device is left, so no table either.
 */
void ofed_gid_events_exit(void)
{
	unregister_netdevice_notifier(&netdev_notifier);
	unregister_inet6addr_notifier(&inet6_notifier);
	unregister_inetaddr_notifier(&inet_notifier);
	cancel_delayed_work_sync(&gid_work);
	destroy_workqueue(gid_wq);
	/* Callbacks of entries that were retired last run this module's code. */
	rcu_barrier();
}
