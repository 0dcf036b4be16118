/* SPDX-License-Identifier: GPL-2.0 */
/*
 * RoCE: the link of the transport engine over Ethernet interfaces. Version 2 is
 * UDP over IPv4 or IPv6 (annex A17), version 1 an Ethertype (annex A16). A
 * device has one port, on one network device.
 *
 * Locks: Documentation/design/locking.md.
 *
 * The data path takes no lock. It finds a device under RCU, in softirq or with
 * softirqs disabled. A device leaves the table and roce_generation changes a grace
 * period before the engine frees its part of the device. So a path that path_valid()
 * finds valid may use ibt_path.local until softirqs are enabled again.
 */
#ifndef ROCE_DEV_H
#define ROCE_DEV_H

#include <linux/hashtable.h>
#include <linux/mutex.h>
#include <linux/netdevice.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>

#include "../ibt/link.h"
#include "../soft/ident.h"

/**
 * struct roce_dev - a device of this link
 * @refs: 1 of the device until roce_reap(), 1 of each path, 1 of @end when queued
 * @dev: device of the engine
 * @port: its only port
 * @ib: device of the core; a reference is held until roce_reap()
 * @net: namespace of the network device; its exit waits for the device to go
 * @ndev: network device; NULL from its unregistration on
 * @held: the same network device, referenced until the core has released the device,
 *	  which is a child of the network device's parent in sysfs
 * @counted: the device counts in the users of @net
 * @listening: the device counts in the listeners of @net
 * @tx: socket that owns the packets being sent
 * @write_space: default sk_write_space of @tx
 * @tx_full: bit 0: xmit() has returned -EAGAIN, a call of ibt_tx_wake() is pending
 * @taken: bytes charged to @tx so far, per CPU
 * @groups: number of multicast groups joined
 * @joined: table of those groups, struct roce_group (rtnl)
 * @gids: table of struct roce_gid (RCU)
 * @gids_lock: serialises writers of @gids
 * @up: port state of the last event
 * @mtu: active MTU at the last event
 * @registered: the device is registered with the core
 * @announced: the log has reported the new device
 * @guid: reservation of its node GUID
 * @by_ndev: entry of the table by network device
 * @entry: list of devices
 * @end: work that unregisters the device when the network device is gone
 * @reap: work that finishes the removal after dealloc
 * @rcu: for kfree_rcu()
 */
struct roce_dev {
	refcount_t refs;
	struct ibt_dev *dev;
	struct ibt_port *port;
	struct ib_device *ib;
	struct net *net;
	struct net_device __rcu *ndev;
	struct net_device *held;
	bool counted;
	bool listening;
	struct socket *tx;
	void (*write_space)(struct sock *sk);
	unsigned long tx_full;
	unsigned long __percpu *taken;
	atomic_t groups;
	DECLARE_HASHTABLE(joined, 6);
	DECLARE_HASHTABLE(gids, 6);
	spinlock_t gids_lock;
	bool up;
	enum ib_mtu mtu;
	bool registered;
	bool announced;
	struct soft_guid guid;
	struct hlist_node by_ndev;
	struct list_head entry;
	struct work_struct end;
	struct work_struct reap;
	struct rcu_head rcu;
};

static inline struct roce_dev *roce_of_port(const struct ibt_port *port)
{
	return *(struct roce_dev **)ibt_dev_priv(ibt_port_dev(port));
}

extern struct mutex roce_lock;
extern struct list_head roce_devices;
void roce_put(struct roce_dev *rd);
void roce_dev_add(struct roce_dev *rd);
void roce_unregister(struct roce_dev *rd);
void roce_reap(struct roce_dev *rd);
void roce_end_all(void);
int roce_devs_init(void);
void roce_devs_exit(void);

#endif /* ROCE_DEV_H */
