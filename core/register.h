/* SPDX-License-Identifier: GPL-2.0 */
/* Devices that come and go: their class, enabling and disabling. */
#ifndef OFED_CORE_REGISTER_H
#define OFED_CORE_REGISTER_H

#include <rdma/ib_verbs.h>

int ofed_device_init(void);
void ofed_device_exit(void);

/* Class "infiniband"; its devices are the dev members of ib_core_device. */
extern struct class ofed_ib_class;

/**
 * ofed_coredev_init - prepare the class device of @device that @net sees
 * @coredev: zeroed memory; device_initialize() is called, so it is put_device()
 *	     that frees it from here on
 * @device: the device it shows
 * @net: the namespace it is shown in
 * @groups: files of its directory; read when it is added to sysfs and when it
 *	    is taken out
 */
void ofed_coredev_init(struct ib_core_device *coredev,
		       struct ib_device *device, struct net *net,
		       const struct attribute_group **groups);

/**
 * ofed_device_disable - take a registered device away from all its users
 * @device: caller holds device->unregistration_lock, and no ib_device_try_get
 *	    reference of its own
 *
 * Lookups stop finding it, clients are removed in reverse order, then waits
 * until the last reference is put. May sleep for long.
 */
void ofed_device_disable(struct ib_device *device);

/**
 * ofed_device_enable - make a set-up device visible and add the clients
 * @device: caller holds device->unregistration_lock
 *
 * Return: 0 or the errno of the driver's enable_driver; the device is disabled
 * again then. A client that fails to add is skipped, as it always was.
 */
int ofed_device_enable(struct ib_device *device);

#endif /* OFED_CORE_REGISTER_H */
