/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Network namespaces. In shared mode every namespace sees every device, by a
 * copy of its sysfs tree (struct ib_core_device) in each; in exclusive mode a
 * device is in one namespace only.
 */
#ifndef OFED_CORE_NETNS_H
#define OFED_CORE_NETNS_H

#include <net/net_namespace.h>
#include <rdma/ib_verbs.h>

/**
 * struct ofed_net - what the core keeps per network namespace
 * @nl_sock: NETLINK_RDMA kernel socket
 * @net: the namespace, weak
 * @id: index in the registry of namespaces and in ib_device.compat_devs
 */
struct ofed_net {
	struct sock *nl_sock;
	possible_net_t net;
	u32 id;
};

int ofed_netns_init(void);
void ofed_netns_exit(void);

struct ofed_net *ofed_net_of(struct net *net);

/* True in shared mode (module parameter netns_mode, "rdma system set netns"). */
bool ofed_netns_is_shared(void);

/**
 * ofed_netns_set_shared - change the mode
 * @shared: mode to go to
 * Return: 0, or -EBUSY while a namespace other than init_net exists.
 */
int ofed_netns_set_shared(bool shared);

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
 *
 * Return: 0, -EBADF or -EINVAL (bad fd), -EPERM (no CAP_NET_ADMIN there),
 * -EOPNOTSUPP (shared mode, or a driver without disassociate_ucontext), -ENODEV
 * (unregistered or moved meanwhile), or the errno of device_rename or of the
 * driver's enable_driver.
 */
int ofed_device_set_netns_put(struct ib_device *device, struct sk_buff *skb,
			      u32 ns_fd);

#endif /* OFED_CORE_NETNS_H */
