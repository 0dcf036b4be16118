/* SPDX-License-Identifier: GPL-2.0 */
/*
 * track: the owners of objects, as `rdma resource` shows (restrack), the rdma cgroup,
 * and counters of ports and queue pairs. It may use the folders below it: device,
 * netlink, port, addr.
 */
#ifndef OFED_CORE_COUNTERS_H
#define OFED_CORE_COUNTERS_H

#include <rdma/ib_verbs.h>
#include <rdma/rdma_counter.h>

/* rdma cgroup: the device as a resource pool of its own. */
int ofed_cg_register_device(struct ib_device *device);
void ofed_cg_unregister_device(struct ib_device *device);

/* Tables of tracked resources; exit reports what a driver or ULP leaked. */
int ofed_restrack_init(struct ib_device *device);
void ofed_restrack_exit(struct ib_device *device);

static inline struct rdma_counter *to_counter(struct rdma_restrack_entry *entry)
{
	return container_of(entry, struct rdma_counter, res);
}

/* counter_port.c */
struct rdma_counter *ofed_counter_next(struct ib_device *dev, u32 port, u32 *id);

#endif /* OFED_CORE_COUNTERS_H */
