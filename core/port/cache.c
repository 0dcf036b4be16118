// SPDX-License-Identifier: GPL-2.0
/*
 * What the core caches of a port: P_Key table (IBA vol. 1 section 10.9), LMC,
 * state and subnet prefix. Values change under device->cache_lock. Readers in
 * any context take it too, so all holders disable interrupts.
 */
#include <linux/export.h>
#include <linux/slab.h>
#include <ofed/refuse.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_verbs.h>
#include <compat/decls.h>

#include "gid.h"
#include "cache.h"

/* Bit 15 is full membership; the rest names the partition (10.9.1.1). */
#define PKEY_FULL_MEMBER 0x8000
#define PKEY_BASE 0x7fff

struct ib_pkey_cache {
	unsigned int count;
	u16 pkey[];
};

/**
 * ib_query_pkey - ask the driver for an entry of a P_Key table
 * @device: device
 * @port_num: port
 * @index: index in the table
 * @pkey: out: the P_Key
 *
 * Context: may sleep.
 * Return: 0, -EINVAL when there is no such port, -EOPNOTSUPP when the device
 * has no P_Keys, or the driver's errno.
 */
int ib_query_pkey(struct ib_device *device, u32 port_num, u16 index, u16 *pkey)
{
	const struct ib_device_ops *ops = &device->ops;

	if (!rdma_is_port_valid(device, port_num))
		return ofed_refuse_port(device, port_num);
	return ops->query_pkey ?
	       ops->query_pkey(device, port_num, index, pkey) : -EOPNOTSUPP;
}
OFED_EXPORT(ib_query_pkey);

static bool port_same_partition(u16 a, u16 b)
{
	return !((a ^ b) & PKEY_BASE);
}

/**
 * ib_find_pkey - find a P_Key in the table of the driver
 * @device: device
 * @port_num: port
 * @pkey: P_Key; membership does not count, but a full member is preferred
 * @index: out: index in the table
 *
 * Context: may sleep.
 * Return: 0, -ENOENT when the port is not in the partition, or the errno of
 * ib_query_pkey().
 */
int ib_find_pkey(struct ib_device *device,
		 u32 port_num, u16 pkey, u16 *index)
{
	int limited = -ENOENT;
	int len, ix, ret;
	u16 entry;

	if (!rdma_is_port_valid(device, port_num))
		return ofed_refuse_port(device, port_num);
	len = device->port_data[port_num].immutable.pkey_tbl_len;
	for (ix = 0; ix < len; ix++) {
		ret = ib_query_pkey(device, port_num, ix, &entry);
		if (ret)
			return ret;
		if (!port_same_partition(entry, pkey))
			continue;
		if (entry & PKEY_FULL_MEMBER) {
			*index = ix;
			return 0;
		}
		if (limited < 0)
			limited = ix;
	}
	if (limited < 0)
		return limited;
	*index = limited;
	return 0;
}
OFED_EXPORT(ib_find_pkey);

/**
 * ib_get_cached_pkey - read an entry of a P_Key table
 * @device_handle: device
 * @port_num: port
 * @index: index in the table
 * @pkey: out: the P_Key
 *
 * Context: any. Return: 0, or -EINVAL when there is no such port or index.
 */
int ib_get_cached_pkey(struct ib_device *device_handle, u32 port_num,
		       int index, u16 *pkey)
{
	const struct ib_pkey_cache *cache;
	unsigned long flags;
	int ret = -EINVAL;

	if (!rdma_is_port_valid(device_handle, port_num))
		return ofed_refuse_port(device_handle, port_num);
	read_lock_irqsave(&device_handle->cache_lock, flags);
	cache = device_handle->port_data[port_num].cache.pkey;
	if (cache && index >= 0 && index < cache->count) {
		*pkey = cache->pkey[index];
		ret = 0;
	}
	read_unlock_irqrestore(&device_handle->cache_lock, flags);
	return ret;
}
OFED_EXPORT(ib_get_cached_pkey);

static int port_find_partition(const struct ib_pkey_cache *cache, u16 pkey)
{
	int limited = -ENOENT;
	int ix;

	for (ix = 0; ix < cache->count; ix++) {
		if (!port_same_partition(cache->pkey[ix], pkey))
			continue;
		if (cache->pkey[ix] & PKEY_FULL_MEMBER)
			return ix;
		if (limited < 0)
			limited = ix;
	}
	return limited;
}

static int port_find_exact(const struct ib_pkey_cache *cache, u16 pkey)
{
	int ix;

	for (ix = 0; ix < cache->count; ix++)
		if (cache->pkey[ix] == pkey)
			return ix;
	return -ENOENT;
}

static int port_find_in_cache(struct ib_device *device, u32 port, u16 pkey,
			      u16 *index,
			      int (*find)(const struct ib_pkey_cache *cache,
					  u16 pkey))
{
	const struct ib_pkey_cache *cache;
	unsigned long flags;
	int ix = -EINVAL;

	if (!rdma_is_port_valid(device, port))
		return ofed_refuse_port(device, port);
	read_lock_irqsave(&device->cache_lock, flags);
	cache = device->port_data[port].cache.pkey;
	if (cache)
		ix = find(cache, pkey);
	read_unlock_irqrestore(&device->cache_lock, flags);

	/* Callers print the index of a P_Key that is not there as 0xffff. */
	*index = ix < 0 ? 0xffff : ix;
	return ix < 0 ? ix : 0;
}

/**
 * ib_find_cached_pkey - find a P_Key, whatever its membership
 * @device: device
 * @port_num: port
 * @pkey: P_Key; membership does not count, but a full member is preferred
 * @index: out: index in the table, 0xffff when it is not there
 *
 * Context: any.
 * Return: 0, -ENOENT when the port is not in the partition, -EINVAL when there
 * is no such port or it has no P_Keys.
 */
int ib_find_cached_pkey(struct ib_device *device, u32 port_num, u16 pkey,
			u16 *index)
{
	return port_find_in_cache(device, port_num, pkey, index, port_find_partition);
}
OFED_EXPORT(ib_find_cached_pkey);

/**
 * ib_find_exact_cached_pkey - find a P_Key, membership included
 * @device: device
 * @port_num: port
 * @pkey: all 16 bits of the P_Key
 * @index: out: index in the table, 0xffff when it is not there
 *
 * Context: any.
 * Return: 0, -ENOENT when it is not in the table, -EINVAL when there is no such
 * port or it has no P_Keys.
 */
int ib_find_exact_cached_pkey(struct ib_device *device, u32 port_num, u16 pkey,
			      u16 *index)
{
	return port_find_in_cache(device, port_num, pkey, index, port_find_exact);
}
OFED_EXPORT(ib_find_exact_cached_pkey);

/**
 * ib_get_cached_lmc - read the LMC of a port
 * @device: device
 * @port_num: port
 * @lmc: out: number of low LID bits that do not count
 *
 * Context: any. Return: 0, or -EINVAL when there is no such port.
 */
int ib_get_cached_lmc(struct ib_device *device, u32 port_num, u8 *lmc)
{
	const struct ib_port_cache *cache;
	unsigned long flags;

	if (!rdma_is_port_valid(device, port_num))
		return ofed_refuse_port(device, port_num);
	cache = &device->port_data[port_num].cache;
	read_lock_irqsave(&device->cache_lock, flags);
	*lmc = cache->lmc;
	read_unlock_irqrestore(&device->cache_lock, flags);
	return 0;
}
OFED_EXPORT(ib_get_cached_lmc);

/**
 * ib_get_cached_port_state - read the state of a port
 * @device: device
 * @port_num: port
 * @port_active: out: state as of the last event
 *
 * Context: any. Return: 0, or -EINVAL when there is no such port.
 */
int ib_get_cached_port_state(struct ib_device *device, u32 port_num,
			     enum ib_port_state *port_active)
{
	unsigned long flags;

	if (!rdma_is_port_valid(device, port_num))
		return ofed_refuse_port(device, port_num);
	read_lock_irqsave(&device->cache_lock, flags);
	*port_active = device->port_data[port_num].cache.port_state;
	read_unlock_irqrestore(&device->cache_lock, flags);
	return 0;
}
OFED_EXPORT(ib_get_cached_port_state);

/* NULL, and no error, for a port without P_Keys. */
static struct ib_pkey_cache *port_read_pkeys(struct ib_device *device, u32 port,
					     unsigned int count)
{
	struct ib_pkey_cache *cache;
	unsigned int ix;
	int ret;

	if (!count || rdma_protocol_iwarp(device, port) ||
	    !device->ops.query_pkey)
		return NULL;
	cache = kvmalloc(struct_size(cache, pkey, count), GFP_KERNEL);
	if (!cache)
		return ERR_PTR(-ENOMEM);
	cache->count = count;
	for (ix = 0; ix < count; ix++) {
		ret = ib_query_pkey(device, port, ix, &cache->pkey[ix]);
		if (ret) {
			kvfree(cache);
			return ERR_PTR(ret);
		}
	}
	return cache;
}

static u64 port_read_subnet_prefix(struct ib_device *device, u32 port)
{
	union ib_gid gid;

	if (!rdma_protocol_ib(device, port) ||
	    rdma_query_gid(device, port, 0, &gid))
		return 0;
	return be64_to_cpu(gid.global.subnet_prefix);
}

/*
 * Read a port again, its GIDs too unless it is a RoCE port, and its P_Keys.
 * Updates of one port must not run at the same time: setup runs before the
 * device has events, and events of a device come one after the other. May
 * sleep. On an error the old values stay in place.
 */
static int port_cache_update(struct ib_device *device, u32 port,
			     bool update_gids, bool update_pkeys)
{
	struct ib_port_cache *cache = &device->port_data[port].cache;
	struct ib_pkey_cache *pkeys = NULL;
	struct ib_port_attr attr;
	u64 prefix;
	int ret;

	might_sleep();
	ret = ib_query_port(device, port, &attr);
	if (ret)
		return ret;
	if (update_gids && !rdma_protocol_roce(device, port)) {
		ret = ofed_gid_table_refresh(device, port);
		if (ret)
			return ret;
	}
	if (update_pkeys) {
		pkeys = port_read_pkeys(device, port, attr.pkey_tbl_len);
		if (IS_ERR(pkeys))
			return PTR_ERR(pkeys);
	}
	prefix = port_read_subnet_prefix(device, port);

	write_lock_irq(&device->cache_lock);
	if (update_pkeys)
		swap(cache->pkey, pkeys);
	cache->lmc = attr.lmc;
	cache->port_state = attr.state;
	cache->subnet_prefix = prefix;
	write_unlock_irq(&device->cache_lock);

	kvfree(pkeys);
	return 0;
}

/*
 * A handler must not read older values than the event tells of. An event of a
 * port that cannot be read is delivered all the same. GIDs of RoCE ports have
 * changed before their event was dispatched.
 */
static void port_cache_on_event(const struct ib_event *event)
{
	struct ib_device *device = event->device;
	u32 port = event->element.port_num;
	bool gids, pkeys;

	switch (event->event) {
	case IB_EVENT_GID_CHANGE:
	case IB_EVENT_PKEY_CHANGE:
	case IB_EVENT_PORT_ACTIVE:
	case IB_EVENT_PORT_ERR:
	case IB_EVENT_LID_CHANGE:
	case IB_EVENT_CLIENT_REREGISTER:
		break;
	default:
		return;
	}
	if (!device->port_data || !rdma_is_port_valid(device, port))
		return;
	gids = event->event == IB_EVENT_GID_CHANGE;
	pkeys = event->event == IB_EVENT_PKEY_CHANGE;
	if (gids && rdma_protocol_roce(device, port))
		return;
	port_cache_update(device, port, gids, pkeys);
}

/**
 * ofed_port_cache_init - read ports again at their events
 *
 * Return: 0 or -ENOMEM.
 */
int ofed_port_cache_init(void)
{
	return ofed_events_init(port_cache_on_event);
}

/**
 * ofed_port_cache_exit - end of the events
 *
 * No device is left.
 */
void ofed_port_cache_exit(void)
{
	ofed_events_exit();
}

/**
 * ofed_port_cache_setup - read all ports of a device
 * @device: not visible yet; after ofed_gid_tables_setup()
 *
 * Context: may sleep. Return: 0 or an errno, with nothing left to clean up but
 * what ofed_port_cache_release() frees.
 */
int ofed_port_cache_setup(struct ib_device *device)
{
	u32 port;
	int ret;

	rdma_for_each_port(device, port) {
		ret = port_cache_update(device, port, true, true);
		if (ret)
			return ret;
	}
	return 0;
}

/**
 * ofed_port_cache_cleanup - end of the updates
 * @device: the driver dispatches no more events
 *
 * The values stay readable. Context: may sleep.
 */
void ofed_port_cache_cleanup(struct ib_device *device)
{
	ofed_events_flush();
}

/**
 * ofed_port_cache_release - free what is remembered
 * @device: the caller alone uses it; may be without a cache
 */
void ofed_port_cache_release(struct ib_device *device)
{
	u32 port;

	rdma_for_each_port(device, port) {
		kvfree(device->port_data[port].cache.pkey);
		device->port_data[port].cache.pkey = NULL;
	}
}
