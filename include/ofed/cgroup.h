/* SPDX-License-Identifier: GPL-2.0 */
/* The rdma cgroup controller: user objects are charged to their creator. */
#ifndef OFED_CGROUP_H
#define OFED_CGROUP_H

#include <linux/cgroup_rdma.h>
#include <rdma/ib_verbs.h>

int ofed_cg_charge(struct ib_rdmacg_object *cg_obj, struct ib_device *device,
		   enum rdmacg_resource_type type);
void ofed_cg_uncharge(struct ib_rdmacg_object *cg_obj,
		      struct ib_device *device, enum rdmacg_resource_type type);

#endif /* OFED_CGROUP_H */
