// SPDX-License-Identifier: GPL-2.0
/* Table of devices by their network devices. */
#include <linux/hashtable.h>
#include <net/bonding.h>

#include "netdev.h"

/* Readers: RCU. Writers: roce_lock. */
static DEFINE_HASHTABLE(roce_table, 6);
atomic_t roce_generation = ATOMIC_INIT(0);

/* The device of exactly this network device, or NULL. Context: RCU reader. */
struct roce_dev *roce_at(const struct net_device *ndev)
{
	struct roce_dev *rd;

	hash_for_each_possible_rcu(roce_table, rd, by_ndev, (unsigned long)ndev)
		if (rcu_access_pointer(rd->ndev) == ndev)
			return rd;
	return NULL;
}

/* A bond receives by its slaves that are in use. */
static bool roce_carries(const struct net_device *lower)
{
	struct slave *slave;

	if (!netif_is_bond_slave(lower))
		return true;
	slave = bond_slave_get_rcu(lower);
	return slave && bond_is_active_slave(slave);
}

static int roce_try_lower(struct net_device *lower,
			  struct netdev_nested_priv *priv)
{
	struct roce_dev *rd = roce_at(lower);

	if (!rd || !roce_carries(lower))
		return 0;
	priv->data = rd;
	return 1;
}

/*
 * The device with the addresses of @ndev among its GIDs: that of @ndev itself,
 * or that of an interface below it (@ndev is a VLAN, a bond, …).
 *
 * The bond's own device is preferred, and a change of slaves does not affect
 * it. If the slaves have devices instead, the bond's addresses belong to that
 * of the active slave. When the active slave changes, the addresses move to the
 * other port, and queue pairs of the first receive nothing, as with a failover
 * between two ports of hardware. In modes with several active slaves a packet
 * does not tell which slave it is for, and the first slave with a device has
 * all addresses: there only the bond should have a device.
 *
 * Context: RCU reader.
 */
struct roce_dev *roce_below(struct net_device *ndev)
{
	struct netdev_nested_priv priv = { .data = roce_at(ndev) };

	if (!priv.data)
		netdev_walk_all_lower_dev_rcu(ndev, roce_try_lower, &priv);
	return priv.data;
}

/* The network device, referenced, or NULL: it is unregistered, or being so. */
struct net_device *roce_get_ndev(struct roce_dev *rd)
{
	struct net_device *ndev;

	rcu_read_lock();
	ndev = rcu_dereference(rd->ndev);
	dev_hold(ndev);
	rcu_read_unlock();
	return ndev;
}

/* Binds a device to its network device. With roce_lock. */
void roce_table_add(struct roce_dev *rd, struct net_device *ndev)
{
	lockdep_assert_held(&roce_lock);
	rcu_assign_pointer(rd->ndev, ndev);
	hash_add_rcu(roce_table, &rd->by_ndev, (unsigned long)ndev);
}

/* Undoes roce_table_add(), if it was called. With roce_lock. */
void roce_table_del(struct roce_dev *rd)
{
	lockdep_assert_held(&roce_lock);
	if (!rcu_access_pointer(rd->ndev))
		return;
	hash_del_rcu(&rd->by_ndev);
	RCU_INIT_POINTER(rd->ndev, NULL);
}
