// SPDX-License-Identifier: GPL-2.0
/* Devices by their network devices. */
#include <linux/hashtable.h>
#include <net/bonding.h>

#include "netdev.h"

/* Readers: RCU. Writers: roce_lock. */
static DEFINE_HASHTABLE(roce_table, 6);
atomic_t roce_generation = ATOMIC_INIT(0);

/* RCU. The device of exactly this network device, or NULL. */
struct roce_dev *roce_at(const struct net_device *ndev)
{
	struct roce_dev *rd;

	hash_for_each_possible_rcu(roce_table, rd, by_ndev, (unsigned long)ndev)
		if (rcu_access_pointer(rd->ndev) == ndev)
			return rd;
	return NULL;
}

/* What a bond receives belongs to a slave that it uses. */
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
 * RCU. The device whose port the addresses of @ndev belong to: its own, or the
 * one of an interface that @ndev (a VLAN, a bond, …) lies upon.
 *
 * A bond's own device is found first, and outlives any change of slaves. Where
 * each slave has a device instead, the bond's addresses are those of the slave
 * in use: when that changes, so does the port that they belong to, and queue
 * pairs of the other hear no more, as with two ports of hardware. In modes that
 * use all slaves at once nothing in a packet says which of them was meant, and
 * the first with a device has them all: there only the bond should have one.
 */
struct roce_dev *roce_below(struct net_device *ndev)
{
	struct netdev_nested_priv priv = { .data = roce_at(ndev) };

	if (!priv.data)
		netdev_walk_all_lower_dev_rcu(ndev, roce_try_lower, &priv);
	return priv.data;
}

/* The network device with a reference, or NULL: it is going, or gone. */
struct net_device *roce_get_ndev(struct roce_dev *rd)
{
	struct net_device *ndev;

	rcu_read_lock();
	ndev = rcu_dereference(rd->ndev);
	dev_hold(ndev);
	rcu_read_unlock();
	return ndev;
}

/* Ties a device to its network device. With roce_lock. */
void roce_table_add(struct roce_dev *rd, struct net_device *ndev)
{
	lockdep_assert_held(&roce_lock);
	rcu_assign_pointer(rd->ndev, ndev);
	hash_add_rcu(roce_table, &rd->by_ndev, (unsigned long)ndev);
}

/* Unties it, if it is tied to one. With roce_lock. */
void roce_table_del(struct roce_dev *rd)
{
	lockdep_assert_held(&roce_lock);
	if (!rcu_access_pointer(rd->ndev))
		return;
	hash_del_rcu(&rd->by_ndev);
	RCU_INIT_POINTER(rd->ndev, NULL);
}
