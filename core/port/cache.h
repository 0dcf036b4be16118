/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the core remembers of a port, so that it can be read without sleeping:
 * P_Key table, LMC, state, subnet prefix. device->cache_lock guards the values
 * in struct ib_port_cache.
 */
#ifndef OFED_CORE_PORT_CACHE_H
#define OFED_CORE_PORT_CACHE_H

#include <rdma/ib_verbs.h>

/* With the events: the cache is their first reader. */
int ofed_port_cache_init(void);
void ofed_port_cache_exit(void);

int ofed_port_cache_setup(struct ib_device *device);
void ofed_port_cache_cleanup(struct ib_device *device);
void ofed_port_cache_release(struct ib_device *device);

/*
 * event.c. @first is called with each event before the registered handlers.
 * ib_dispatch_event is defined beside it; callable from any context.
 */
int ofed_events_init(void (*first)(const struct ib_event *event));
void ofed_events_exit(void);
/* Wait until every event dispatched so far has been delivered. */
void ofed_events_flush(void);

#endif /* OFED_CORE_PORT_CACHE_H */
