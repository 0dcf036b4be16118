/* SPDX-License-Identifier: GPL-2.0 */
/* Regions on demand: how they come and go, and how their pages are brought in. */
#ifndef OFED_SOFT_ODP_H
#define OFED_SOFT_ODP_H

#include <linux/err.h>
#include <rdma/ib_verbs.h>

#include "odp_table.h"

#ifdef CONFIG_INFINIBAND_ON_DEMAND_PAGING
/* advise_mr: of a transport that waits for pages. */
extern const struct ib_device_ops soft_odp_ops;

struct soft_odp *soft_odp_get(struct soft_region *region, struct ib_device *device, u64 start,
			      u64 length, int access);
void soft_odp_put(struct soft_odp *odp);
int soft_odp_bring_in(const struct soft_want *want, void (*go_on)(void *arg), void *arg);
#else
static const struct ib_device_ops soft_odp_ops __maybe_unused;

static inline struct soft_odp *soft_odp_get(struct soft_region *region,
					    struct ib_device *device, u64 start, u64 length,
					    int access)
{
	return ERR_PTR(-EOPNOTSUPP);
}

static inline void soft_odp_put(struct soft_odp *odp)
{
}

static inline int soft_odp_bring_in(const struct soft_want *want, void (*go_on)(void *arg),
				    void *arg)
{
	return -EOPNOTSUPP;
}
#endif

#endif /* OFED_SOFT_ODP_H */
