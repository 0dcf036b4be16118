/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cm/ib: connections over the management datagrams of InfiniBand and RoCE
 * (<rdma/ib_cm.h>). It may use the folders below it: device, netlink, port, addr,
 * track, umem, verbs, mad, sa, sysfs.
 */
#ifndef OFED_CM_IB_CM_H
#define OFED_CM_IB_CM_H

int ofed_ib_cm_init(void);
void ofed_ib_cm_exit(void);

#endif /* OFED_CM_IB_CM_H */
