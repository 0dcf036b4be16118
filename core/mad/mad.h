/* SPDX-License-Identifier: GPL-2.0 */
/*
 * mad: management datagrams and RMPP. Agents use <rdma/ib_mad.h>; this header is what
 * the rest of ofed_core calls. It may use the folders below it: device, netlink, port,
 * addr, track, umem, verbs.
 */
#ifndef OFED_CORE_MAD_H
#define OFED_CORE_MAD_H

/*
 * A client of every device with MADs. The first of the clients: the agents of
 * the others are gone when it gives a device up.
 */
int ofed_mad_init(void);
void ofed_mad_exit(void);

#endif /* OFED_CORE_MAD_H */
