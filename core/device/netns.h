/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Network namespaces. In shared mode every namespace sees every device, by a
 * copy of its sysfs tree (struct ib_core_device) in each; in exclusive mode a
 * device is in one namespace only.
 */
#ifndef OFED_CORE_NETNS_H
#define OFED_CORE_NETNS_H

#include <linux/rwsem.h>
#include <linux/xarray.h>
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

/*
 * Guards ofed_nets and the mode (writers). A reader may sleep. Taken inside of
 * device->unregistration_lock, outside of device->compat_devs_mutex.
 */
extern struct rw_semaphore ofed_nets_rwsem;
/* Namespaces other than init_net: struct ofed_net by id. */
extern struct xarray ofed_nets;
extern unsigned int ofed_net_id;

struct ofed_net *ofed_net_of(struct net *net);

/* True in shared mode (module parameter netns_mode, "rdma system set netns"). */
bool ofed_netns_is_shared(void);

/**
 * ofed_netns_set_shared - change the mode
 * @shared: mode to go to
 * Return: 0, or -EBUSY while a namespace other than init_net exists.
 */
int ofed_netns_set_shared(bool shared);

#endif /* OFED_CORE_NETNS_H */
