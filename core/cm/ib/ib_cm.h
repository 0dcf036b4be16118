/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cm/ib: connections over the management datagrams of InfiniBand and RoCE
 * (<rdma/ib_cm.h>). It may use the folders below it: device, netlink, port, addr,
 * track, umem, verbs, mad, sa, sysfs.
 */
#ifndef OFED_CM_IB_CM_H
#define OFED_CM_IB_CM_H

#include <rdma/ib_cm.h>

struct mem_cgroup;
struct ofed_cm_owner;

int ofed_ib_cm_init(void);
void ofed_ib_cm_exit(void);

/* For cm/rdma, which knows the program that a request is for: owner.c, state.c. */
struct ofed_cm_owner *ofed_cm_owner_get(void);
void ofed_cm_owner_put(struct ofed_cm_owner *owner);
int ofed_cm_charge(struct ib_cm_id *cm_id, struct ofed_cm_owner *owner);
/* listen.c */
struct ib_cm_id *ofed_cm_insert_listen(struct ib_device *device, ib_cm_handler cm_handler,
				       __be64 service_id, struct mem_cgroup *memcg);

#endif /* OFED_CM_IB_CM_H */
