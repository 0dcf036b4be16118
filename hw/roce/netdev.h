/* SPDX-License-Identifier: GPL-2.0 */
/* Devices and their network devices. */
#ifndef ROCE_NETDEV_H
#define ROCE_NETDEV_H

#include <linux/atomic.h>
#include <linux/netdevice.h>
#include <rdma/ib_addr.h>

#include "dev.h"

/* Changes with every change of an interface or device: makes paths stale. */
extern atomic_t roce_generation;

static inline void roce_paths_stale(void)
{
	/* The change, then the generation: pairs with path_describe(). */
	smp_mb__before_atomic();
	atomic_inc(&roce_generation);
}

static inline bool roce_ndev_up(const struct net_device *ndev)
{
	return netif_running(ndev) && netif_carrier_ok(ndev);
}

static inline enum ib_mtu roce_ndev_mtu(const struct net_device *ndev)
{
	return iboe_get_mtu(READ_ONCE(ndev->mtu)) ?: IB_MTU_256;
}

/* netdev_table.c */
struct roce_dev *roce_at(const struct net_device *ndev);
struct roce_dev *roce_below(struct net_device *ndev);
struct net_device *roce_get_ndev(struct roce_dev *rd);
void roce_table_add(struct roce_dev *rd, struct net_device *ndev);
void roce_table_del(struct roce_dev *rd);

/* netdev.c */
int roce_attach(struct roce_dev *rd, struct net_device *ndev);
bool roce_publish(struct roce_dev *rd);
void roce_catch_up(struct roce_dev *rd);
void roce_detach(struct roce_dev *rd);
int roce_netdev_init(void);
void roce_netdev_exit(void);

#endif /* ROCE_NETDEV_H */
