/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counters of queue pairs. Since 7.x the driver's ops are told the port, the driver may have members
 * of its own behind struct rdma_counter, and binds optional counters too if it is asked to. Drop when
 * 7.x is the oldest kernel.
 */
#ifndef OFED_COMPAT_COUNTER_H
#define OFED_COMPAT_COUNTER_H

#include <net/netlink.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_counter.h>
#include <rdma/rdma_netlink.h>

#ifdef COMPAT_HAVE_COUNTER_OPCNT
#define COMPAT_NL_OPCNT_POLICY \
	[RDMA_NLDEV_ATTR_STAT_OPCOUNTER_ENABLED] = { .type = NLA_U8 },
#define compat_counter_bind_qp(counter, qp) \
	((qp)->device->ops.counter_bind_qp((counter), (qp), (counter)->port))
#define compat_counter_unbind_qp(counter, qp) \
	((qp)->device->ops.counter_unbind_qp((qp), (counter)->port))
#define compat_counter_size(dev) \
	max_t(size_t, (dev)->ops.size_rdma_counter, sizeof(struct rdma_counter))
#define compat_counter_init(counter) do { \
	if ((counter)->device->ops.counter_init) \
		(counter)->device->ops.counter_init(counter); \
} while (0)
#define compat_counter_opcnt(mode) ((mode)->bind_opcnt)
#define compat_counter_set_opcnt(mode, value) ((mode)->bind_opcnt = (value))
#define compat_nl_opcnt(tb) \
	((tb)[RDMA_NLDEV_ATTR_STAT_OPCOUNTER_ENABLED] && \
	 nla_get_u8((tb)[RDMA_NLDEV_ATTR_STAT_OPCOUNTER_ENABLED]))
#define compat_nl_put_opcnt(msg, mode) \
	((mode)->bind_opcnt && \
	 nla_put_u8((msg), RDMA_NLDEV_ATTR_STAT_OPCOUNTER_ENABLED, 1))
#else
#define COMPAT_NL_OPCNT_POLICY
#define compat_counter_bind_qp(counter, qp) \
	((qp)->device->ops.counter_bind_qp((counter), (qp)))
#define compat_counter_unbind_qp(counter, qp) \
	((void)(counter), (qp)->device->ops.counter_unbind_qp(qp))
#define compat_counter_size(dev) ((void)(dev), sizeof(struct rdma_counter))
#define compat_counter_init(counter) do { } while (0)
#define compat_counter_opcnt(mode) ((void)(mode), false)
#define compat_counter_set_opcnt(mode, value) ((void)(value))
#define compat_nl_opcnt(tb) ((void)(tb), false)
#define compat_nl_put_opcnt(msg, mode) ((void)(msg), (void)(mode), false)
#endif

#endif /* OFED_COMPAT_COUNTER_H */
