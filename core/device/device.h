/* SPDX-License-Identifier: GPL-2.0 */
/* The device registry, as the rest of ofed_core sees it. */
#ifndef OFED_CORE_DEVICE_H
#define OFED_CORE_DEVICE_H

#include <rdma/ib_verbs.h>
#include <ofed/client.h>

/* Registered devices carry this mark in the registry's xarray. */
#define OFED_DEVICE_REGISTERED XA_MARK_1

int ofed_device_init(void);
void ofed_device_exit(void);

/* ops.c */
bool ofed_has_kernel_verbs(const struct ib_device_ops *ops);

/* Unregistrations that their requester does not wait for. */
extern struct workqueue_struct *ofed_unreg_wq;
int ofed_workqueues_init(void);
void ofed_workqueues_exit(void);

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
/* nldev/monitor.c, where there are listeners */
void ofed_nldev_tell_of_new(struct ib_device *device);

/**
 * ofed_device_enable - make a set-up device visible and add the clients
 * @device: caller holds device->unregistration_lock
 *
 * Return: 0 or the errno of the driver's enable_driver; the device is disabled
 * again then. A client that fails to add is skipped, as it always was.
 */
int ofed_device_enable(struct ib_device *device);

/**
 * ofed_device_is_registered - is a device there for its users?
 * @device: device
 *
 * Context: any. Return: true from its enabling to its disabling.
 */
bool ofed_device_is_registered(const struct ib_device *device);

/**
 * ofed_device_get_by_index - find a registered device visible from @net
 * @net: network namespace of the asker
 * @index: index shown as RDMA_NLDEV_ATTR_DEV_INDEX
 *
 * Return: the device with a reference (ib_device_put), or NULL.
 * Context: process, may sleep.
 */
struct ib_device *ofed_device_get_by_index(const struct net *net, u32 index);

/**
 * ofed_for_each_device - walk the registered devices in order of their index
 * @fn: called with a reference on the device; a nonzero return ends the walk
 * @ctx: handed to @fn
 *
 * No lock is held during @fn: it may sleep and take the rtnl. It must not
 * wait for the unregistration of the device it is called with.
 * Return: the last value of @fn.
 */
int ofed_for_each_device(int (*fn)(struct ib_device *device, void *ctx),
			 void *ctx);

/**
 * ofed_device_next - walk all devices in the registry, whatever their state
 * @index: where to begin; out: index of the device found
 *
 * Finds devices that are being unregistered too, until ib_dealloc_device().
 * Return: the device with a reference of get_device(), or NULL.
 * Context: process, may sleep.
 */
struct ib_device *ofed_device_next(unsigned long *index);

/**
 * ofed_device_rename - give a registered device another name
 * @device: held by the caller
 * @name: new name, at most IB_DEVICE_NAME_MAX - 1 characters
 *
 * Return: 0, -EEXIST when the name is taken, or an errno of device_rename.
 */
int ofed_device_rename(struct ib_device *device, const char *name);

/**
 * ofed_device_set_dim - switch adaptive CQ moderation for new CQs
 * @device: held by the caller
 * @use_dim: 0 or 1
 */
void ofed_device_set_dim(struct ib_device *device, u8 use_dim);

/**
 * ofed_client_nl_info - ask the client @client_name for its character device
 * @device: device, or NULL for the client's global one
 * @client_name: "uverbs", "umad", "issm", "rdma_cm", ...
 * @res: filled by the client; cdev carries a reference the caller puts
 *
 * Loads the module "rdma-client-<name>" when no such client is registered.
 * Return: 0, -ENOENT (no such client), -EOPNOTSUPP (it has none to show).
 */
int ofed_client_nl_info(struct ib_device *device, const char *client_name,
			struct ib_client_nl_info *res);

/* client.c. The caller holds device->unregistration_lock. */
void ofed_clients_add(struct ib_device *device);
void ofed_clients_remove(struct ib_device *device);
void ofed_clients_renamed(struct ib_device *device);

/* track/leftover.c */
void ofed_leftovers_free(struct ib_device *device);

/* port/query.c: the netdevs that ib_device_set_netdev attached. */
int ofed_port_data_alloc(struct ib_device *device);
void ofed_port_data_free(struct ib_device *device);
void ofed_netdevs_detach(struct ib_device *device);

#endif /* OFED_CORE_DEVICE_H */
