/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the core remembers of a port, so that it can be read without sleeping:
 * P_Key table, LMC, state, subnet prefix. device->cache_lock guards the values
 * in struct ib_port_cache.
 */
#ifndef OFED_CORE_PORT_CACHE_H
#define OFED_CORE_PORT_CACHE_H

#include <rdma/ib_verbs.h>

int ofed_port_cache_setup(struct ib_device *device);
void ofed_port_cache_cleanup(struct ib_device *device);
void ofed_port_cache_release(struct ib_device *device);

/* Read a port again (and its GIDs, unless RoCE). May sleep. */
int ofed_port_cache_update(struct ib_device *device, u32 port,
			   bool update_gids, bool update_pkeys);

/*
 * The first reader of every event: refreshes the cache where the event says
 * that a port has changed, then hands the event to the registered handlers.
 * ib_dispatch_event is defined beside it; callable from any context.
 */
int ofed_events_init(void);
void ofed_events_exit(void);
/* Wait until every event dispatched so far has been delivered. */
void ofed_events_flush(void);

int ofed_cached_subnet_prefix(struct ib_device *device, u32 port,
			      u64 *prefix);

#endif /* OFED_CORE_PORT_CACHE_H */
