/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sysfs: files below /sys/class/infiniband/DEVICE. It may use the folders below it:
 * device, netlink, port, addr, track, umem, verbs, mad, sa.
 */
#ifndef OFED_CORE_SYSFS_H
#define OFED_CORE_SYSFS_H

#include <rdma/ib_verbs.h>

/* Attributes of the device itself, for device->groups[0]. */
extern const struct attribute_group ofed_device_attr_group;

/*
 * ports/ of one core device: the device's own, or the copy of it that another
 * network namespace sees in shared mode. Port attribute groups of the driver
 * and the counters go into the device's own only.
 */
int ofed_sysfs_add_ports(struct ib_core_device *coredev);
void ofed_sysfs_remove_ports(struct ib_core_device *coredev);

/* hw_counters/ of the device and of its ports; NULL stats are no error. */
int ofed_hw_stats_setup(struct ib_device *device);
void ofed_hw_stats_release(struct ib_device *device);

/* The counters of a port, for netlink; refresh under their lock. */
struct rdma_hw_stats *ofed_hw_stats_of_port(struct ib_device *device,
					    u32 port_num);
int ofed_hw_stats_refresh(struct ib_device *device, struct rdma_hw_stats *stats,
			  u32 port_num, int index);

#endif /* OFED_CORE_SYSFS_H */
