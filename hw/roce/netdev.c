// SPDX-License-Identifier: GPL-2.0
/* Events of the network device of a device. */
#include <linux/rtnetlink.h>

#include "net.h"
#include "netdev.h"
#include "port.h"

static int roce_attach_locked(struct roce_dev *rd, struct net_device *ndev)
{
	struct roce_dev *other;

	ASSERT_RTNL();
	lockdep_assert_held(&roce_lock);
	if (ndev->reg_state != NETREG_REGISTERED || !net_eq(dev_net(ndev), rd->net))
		return -ENODEV;
	list_for_each_entry(other, &roce_devices, entry)
		if (rcu_access_pointer(other->ndev) == ndev)
			return -EEXIST;
	roce_table_add(rd, ndev);
	rd->up = roce_ndev_up(ndev);
	rd->mtu = roce_ndev_mtu(ndev);
	roce_net_hold(rd);
	roce_paths_stale();
	return 0;
}

/**
 * roce_attach - bind a device to its network device
 * @rd: the device
 * @ndev: the network device, held by the caller
 *
 * The device receives packets and follows the events of @ndev from now on.
 *
 * Context: process, may sleep; takes rtnl.
 * Return: 0, -EEXIST when @ndev has a device of this link already, -ENODEV when
 * @ndev is being unregistered.
 */
int roce_attach(struct roce_dev *rd, struct net_device *ndev)
{
	int ret;

	rtnl_lock();
	mutex_lock(&roce_lock);
	ret = roce_attach_locked(rd, ndev);
	mutex_unlock(&roce_lock);
	rtnl_unlock();
	return ret;
}

static void roce_detach_locked(struct roce_dev *rd)
{
	lockdep_assert_held(&roce_lock);
	roce_table_del(rd);
	roce_paths_stale();
}

/* No packet finds the device any more; after a grace period no reader uses it. */
void roce_detach(struct roce_dev *rd)
{
	mutex_lock(&roce_lock);
	roce_detach_locked(rd);
	mutex_unlock(&roce_lock);
}

/*
 * Called under rtnl, so a work unregisters the device. If the device is not registered
 * with the core yet, roce_publish() notices. That ib_device_try_get() fails is no reason
 * to skip it: the device may be on its way to another namespace, and be enabled there.
 */
static void roce_ndev_gone(struct roce_dev *rd)
{
	roce_detach_locked(rd);
	roce_groups_forget(rd);
	if (rd->registered)
		roce_unregister(rd);
}

/*
 * Raises an event if the state has changed: some notifications come without a change.
 * While the core has the device disabled there are no clients to notify;
 * roce_catch_up() does so when it is enabled.
 */
static void roce_ndev_changed(struct roce_dev *rd, struct net_device *ndev)
{
	enum ib_mtu mtu = roce_ndev_mtu(ndev);
	bool up = roce_ndev_up(ndev);

	lockdep_assert_held(&roce_lock);
	if ((up == rd->up && mtu == rd->mtu) || !rd->registered ||
	    !ib_device_try_get(rd->ib))
		return;
	rd->up = up;
	rd->mtu = mtu;
	ibt_port_event(rd->port, up ? IB_EVENT_PORT_ACTIVE : IB_EVENT_PORT_ERR);
	ib_device_put(rd->ib);
}

/* A later change causes a notification of its own. */
static bool roce_catch_up_locked(struct roce_dev *rd)
{
	struct net_device *ndev;

	ndev = rcu_dereference_protected(rd->ndev, lockdep_is_held(&roce_lock));
	if (ndev)
		roce_ndev_changed(rd, ndev);
	return ndev;
}

/**
 * roce_catch_up - raise the events that were missed while the device was disabled
 * @rd: the device, which the core enables for its clients
 *
 * After a move to another namespace the clients and the tables of the core learn of
 * the changes of the network device in this way.
 *
 * Context: process, may sleep.
 */
void roce_catch_up(struct roce_dev *rd)
{
	mutex_lock(&roce_lock);
	roce_catch_up_locked(rd);
	mutex_unlock(&roce_lock);
}

/**
 * roce_publish - mark a device as registered with the core
 * @rd: the device
 *
 * Context: process, may sleep.
 * Return: false when the network device went in the meantime.
 */
bool roce_publish(struct roce_dev *rd)
{
	bool there;

	mutex_lock(&roce_lock);
	rd->registered = true;
	/* The core may have read the state before the last change. */
	there = roce_catch_up_locked(rd);
	mutex_unlock(&roce_lock);
	return there;
}

static void roce_ndev_event(struct roce_dev *rd, struct net_device *ndev,
			    unsigned long event)
{
	switch (event) {
	case NETDEV_UNREGISTER:
		roce_ndev_gone(rd);
		break;
	case NETDEV_UP:
	case NETDEV_DOWN:
	case NETDEV_CHANGE:
	case NETDEV_CHANGEMTU:
		roce_groups_rejoin(rd, ndev);
		roce_ndev_changed(rd, ndev);
		break;
	}
}

static int roce_netdev_event(struct notifier_block *nb, unsigned long event,
			     void *ptr)
{
	struct net_device *ndev = netdev_notifier_info_to_dev(ptr);
	struct roce_dev *rd;

	mutex_lock(&roce_lock);
	list_for_each_entry(rd, &roce_devices, entry) {
		if (rcu_access_pointer(rd->ndev) == ndev) {
			roce_ndev_event(rd, ndev, event);
			break;
		}
	}
	mutex_unlock(&roce_lock);
	/*
	 * For all interfaces: an upper or lower interface may have another MAC now, or
	 * a bond another active slave.
	 */
	roce_paths_stale();
	return NOTIFY_DONE;
}

static struct notifier_block roce_notifier = {
	.notifier_call = roce_netdev_event,
};

int roce_netdev_init(void)
{
	return register_netdevice_notifier(&roce_notifier);
}

void roce_netdev_exit(void)
{
	unregister_netdevice_notifier(&roce_notifier);
}
