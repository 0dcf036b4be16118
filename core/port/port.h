/* SPDX-License-Identifier: GPL-2.0 */
/*
 * port: the ports of a device: attributes, GID tables, the cache of P_Keys and LMC,
 * events. This header has the data of each port. It may use the folders below it:
 * device, netlink.
 */
#ifndef OFED_CORE_PORT_H
#define OFED_CORE_PORT_H

#include <rdma/ib_verbs.h>

/*
 * query.c. The array of a device is allocated once: by its registration, or by an earlier
 * ib_device_set_netdev().
 */
int ofed_port_data_alloc(struct ib_device *device);
void ofed_port_data_free(struct ib_device *device);
void ofed_netdevs_detach(struct ib_device *device);

/* speed.c */
int ofed_port_rate(const struct ib_port_attr *attr, const char **name);

/* netdev_state.c, where the kernel has it */
int ofed_port_state_init(void);
void ofed_port_state_exit(void);

#endif /* OFED_CORE_PORT_H */
