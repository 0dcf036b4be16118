/* SPDX-License-Identifier: GPL-2.0 */
/*
 * device: registered devices and clients, their names, indexes and network namespaces;
 * the work queues and log functions of <rdma/ib_verbs.h>. This header is what the
 * other folders use of the registry. It is the lowest folder and uses no other.
 */
#ifndef OFED_CORE_DEVICE_H
#define OFED_CORE_DEVICE_H

#include <rdma/ib_verbs.h>
#include <ofed/client.h>

/* Registered devices carry this mark in the registry's xarray. */
#define OFED_DEVICE_REGISTERED XA_MARK_1

/* registry.c */
int ofed_registry_enter(struct ib_device *device, const char *name);
void ofed_registry_leave(struct ib_device *device);
void ofed_registry_mark(struct ib_device *device, bool registered);
void ofed_registry_uevent(struct ib_device *device, enum kobject_action action);
void ofed_registry_exit(void);
struct ib_device *ofed_device_next_of_driver(enum rdma_driver_id driver_id,
					     unsigned long *index);

/* ops.c */
bool ofed_has_kernel_verbs(const struct ib_device_ops *ops);

/* Unregistrations that their requester does not wait for. */
extern struct workqueue_struct *ofed_unreg_wq;
int ofed_workqueues_init(void);
void ofed_workqueues_exit(void);

/* nldev/monitor.c, where there are listeners */
void ofed_nldev_tell_of_new(struct ib_device *device);

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

/* Is that the name of @device, or of none? Context: process, may sleep. */
bool ofed_device_may_have_name(struct ib_device *device, const char *name);

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

#endif /* OFED_CORE_DEVICE_H */
