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

/* counters.c */
int ofed_counter_bind_qp_auto(struct ib_qp *qp, u32 port);
int ofed_counter_unbind_qp(struct ib_qp *qp, bool force);
int ofed_counter_bind_qpn(struct ib_device *dev, u32 port, u32 qp_num, u32 counter_id);
int ofed_counter_bind_qpn_alloc(struct ib_device *dev, u32 port, u32 qp_num, u32 *counter_id);
int ofed_counter_unbind_qpn(struct ib_device *dev, u32 port, u32 qp_num, u32 counter_id);

/* counter_port.c */
void ofed_counter_init(struct ib_device *dev);
void ofed_counter_release(struct ib_device *dev);
int ofed_counter_query_stats(struct rdma_counter *counter);
int ofed_counter_set_auto_mode(struct ib_device *dev, u32 port, enum rdma_nl_counter_mask mask,
			       bool bind_opcnt, struct netlink_ext_ack *extack);
void ofed_counter_get_mode(struct ib_device *dev, u32 port, struct rdma_counter_mode *mode);
u64 ofed_counter_get_hwstat_value(struct ib_device *dev, u32 port, u32 index);
int ofed_counter_modify(struct ib_device *dev, u32 port, unsigned int index, bool enable);
struct rdma_counter *ofed_counter_next(struct ib_device *dev, u32 port, u32 *id);

#endif /* OFED_CORE_COUNTERS_H */
