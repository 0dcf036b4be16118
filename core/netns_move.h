/* SPDX-License-Identifier: GPL-2.0 */
/* Devices in network namespaces: copies of their sysfs tree, and moves. */
#ifndef OFED_CORE_NETNS_MOVE_H
#define OFED_CORE_NETNS_MOVE_H

#include <rdma/ib_verbs.h>

#include "device/netns.h"

int ofed_netns_init(void);
void ofed_netns_exit(void);

/* Copies of one device in all other namespaces (shared mode). */
int ofed_compat_devs_add(struct ib_device *device);
void ofed_compat_devs_remove(struct ib_device *device);

/**
 * ofed_device_set_netns_put - move a device (exclusive mode)
 * @device: held by the caller by ib_device_try_get(); the reference is put in
 *	    any case, since the move waits for the last one
 * @skb: the requester's message: its namespace has to be the device's, and its
 *	 credentials are checked
 * @ns_fd: file descriptor of the namespace to go to
 * @name: name that it has there, or NULL: that which it has
 *
 * Return: 0, -EBADF or -EINVAL (bad fd), -EPERM (no CAP_NET_ADMIN there),
 * -EOPNOTSUPP (shared mode, or a driver without disassociate_ucontext), -ENODEV
 * (unregistered or moved meanwhile), -EEXIST (another device has @name), or the errno of device_rename or of the
 * driver's enable_driver.
 */
int ofed_device_set_netns_put(struct ib_device *device, struct sk_buff *skb,
			      u32 ns_fd, const char *name);

#endif /* OFED_CORE_NETNS_MOVE_H */
