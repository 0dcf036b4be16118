// SPDX-License-Identifier: GPL-2.0
/* A device and its network device. */
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>

#include "dev.h"

/* The network device with a reference, or NULL: it is going, or gone. */
struct net_device *iw_get_ndev(struct iw_dev *dev)
{
	struct net_device *ndev;

	rcu_read_lock();
	ndev = rcu_dereference(dev->ndev);
	dev_hold(ndev);
	rcu_read_unlock();
	return ndev;
}

/*
 * Its namespace, referenced, or NULL. A namespace that ends unregisters its
 * network devices first.
 */
struct net *iw_get_net(struct iw_dev *dev)
{
	struct net_device *ndev;
	struct net *net = NULL;

	rcu_read_lock();
	ndev = rcu_dereference(dev->ndev);
	if (ndev)
		net = maybe_get_net(dev_net(ndev));
	rcu_read_unlock();
	return net;
}

static bool iw_is_up(const struct net_device *ndev)
{
	return netif_running(ndev) && netif_carrier_ok(ndev);
}

static int iw_attach_locked(struct iw_dev *dev, struct net_device *ndev)
{
	struct iw_dev *other;

	ASSERT_RTNL();
	lockdep_assert_held(&iw_lock);
	if (ndev->reg_state != NETREG_REGISTERED)
		return -ENODEV;
	list_for_each_entry(other, &iw_devices, entry)
		if (rcu_access_pointer(other->ndev) == ndev)
			return -EEXIST;
	rcu_assign_pointer(dev->ndev, ndev);
	dev->up = iw_is_up(ndev);
	list_add_tail(&dev->entry, &iw_devices);
	return 0;
}

/**
 * iw_attach - tie a device to its network device, and list it
 * @dev: the device
 * @ndev: the network device, held by the caller
 *
 * Context: process, may sleep; takes rtnl.
 * Return: 0, -EEXIST when @ndev has a device of this kind already, -ENODEV when
 * it is on its way out.
 */
int iw_attach(struct iw_dev *dev, struct net_device *ndev)
{
	int ret;

	rtnl_lock();
	mutex_lock(&iw_lock);
	ret = iw_attach_locked(dev, ndev);
	mutex_unlock(&iw_lock);
	rtnl_unlock();
	return ret;
}

/* Has no network device any more. */
void iw_detach(struct iw_dev *dev)
{
	mutex_lock(&iw_lock);
	RCU_INIT_POINTER(dev->ndev, NULL);
	mutex_unlock(&iw_lock);
}

/*
 * Dispatch a port event if the state has changed: notifiers come without a change, too.
 * A device that is not registered, or is being unregistered, has no consumers.
 */
static void iw_netdev_changed(struct iw_dev *dev, const struct net_device *ndev)
{
	struct ib_event event = {
		.device = &dev->soft.ib,
		.element.port_num = 1,
	};
	bool up = iw_is_up(ndev);

	lockdep_assert_held(&iw_lock);
	if (up == dev->up || !dev->registered ||
	    !ib_device_try_get(&dev->soft.ib))
		return;
	dev->up = up;
	if (!up)
		WRITE_ONCE(dev->downs, dev->downs + 1);
	event.event = up ? IB_EVENT_PORT_ACTIVE : IB_EVENT_PORT_ERR;
	ib_dispatch_event(&event);
	ib_device_put(&dev->soft.ib);
}

/**
 * iw_publish - the core knows a device from now on
 * @dev: the device
 *
 * Context: process, may sleep.
 * Return: false when the network device went in the meantime.
 */
bool iw_publish(struct iw_dev *dev)
{
	struct net_device *ndev;

	mutex_lock(&iw_lock);
	dev->registered = true;
	ndev = rcu_dereference_protected(dev->ndev, lockdep_is_held(&iw_lock));
	if (ndev)
		iw_netdev_changed(dev, ndev);
	mutex_unlock(&iw_lock);
	return ndev;
}

/*
 * Under rtnl, so the removal itself is left to a work. When the core does not
 * know the device yet, iw_publish() finds out.
 */
static void iw_netdev_gone(struct iw_dev *dev)
{
	lockdep_assert_held(&iw_lock);
	RCU_INIT_POINTER(dev->ndev, NULL);
	if (dev->registered)
		iw_unregister(dev);
}

static int iw_netdev_event(struct notifier_block *nb, unsigned long event, void *ptr)
{
	struct net_device *ndev = netdev_notifier_info_to_dev(ptr);
	struct iw_dev *dev;

	mutex_lock(&iw_lock);
	list_for_each_entry(dev, &iw_devices, entry) {
		if (rcu_access_pointer(dev->ndev) != ndev)
			continue;
		if (event == NETDEV_UNREGISTER)
			iw_netdev_gone(dev);
		else
			iw_netdev_changed(dev, ndev);
		break;
	}
	mutex_unlock(&iw_lock);
	return NOTIFY_DONE;
}

static struct notifier_block notifier = {
	.notifier_call = iw_netdev_event,
};

int iw_netdev_init(void)
{
	return register_netdevice_notifier(&notifier);
}

void iw_netdev_exit(void)
{
	unregister_netdevice_notifier(&notifier);
}
