/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cm/iw: connections of iWARP devices (<rdma/iw_cm.h>) and the client of the port
 * mapper (<rdma/iw_portmap.h>). It may use cm/ib and the folders below that:
 * device, netlink, port, addr, track, umem, verbs, mad, sa, sysfs.
 */
#ifndef OFED_CM_IW_CM_H
#define OFED_CM_IW_CM_H

int ofed_iw_cm_init(void);
void ofed_iw_cm_exit(void);

#endif /* OFED_CM_IW_CM_H */
