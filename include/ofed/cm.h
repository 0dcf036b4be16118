/* SPDX-License-Identifier: GPL-2.0 */
/* The InfiniBand CM, as ofed_ucm sees it besides <rdma/ib_cm.h>. */
#ifndef OFED_CM_H
#define OFED_CM_H

#include <rdma/ib_cm.h>

struct mem_cgroup;

int ofed_cm_listen(struct ib_cm_id *cm_id, __be64 service_id, struct mem_cgroup *memcg);

#endif /* OFED_CM_H */
