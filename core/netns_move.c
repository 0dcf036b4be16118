// SPDX-License-Identifier: GPL-2.0
/*
 * RDMA devices and network namespaces.
 *
 * Shared mode: each device is at home in init_net, and every other namespace
 * has a copy of its sysfs tree. Exclusive mode: a device is in one namespace
 * and is not visible in others, and an administrator moves it.
 *
 * A copy is made from two sides, the device that is enabled and the namespace
 * that begins, and removed from two, in any order. device->compat_devs, by
 * ofed_net.id, says what is there: the first side to come makes or removes it.
 * A namespace that begins is in the table of namespaces before it looks for
 * devices, and a device is marked as registered before it looks for
 * namespaces, so that neither misses the other.
 *
 * Locks, outermost first:
 *   device->unregistration_lock	a device is moved
 *   ofed_nets_rwsem			see device/netns.h
 *   device->compat_devs_mutex		device->compat_devs and the life of copies
 */
#include <linux/netlink.h>
#include <net/sock.h>
#include <ofed/refuse.h>
#include <rdma/ib_verbs.h>

#include "device/device.h"
#include "netlink/netlink.h"
#include "netns_move.h"
#include "register.h"
#include "sysfs/sysfs.h"

/*
 * What other namespaces are shown of a device: the core's files and those of
 * the driver, but no counters of the device as a whole.
 */
struct device_copy {
	struct ib_core_device coredev;
	const struct attribute_group *groups[3];
};

/* device_release() frees both by the address of the first. */
static_assert(!offsetof(struct device_copy, coredev));

static struct ib_core_device *ofed_new_copy(struct ib_device *device,
					    struct net *net)
{
	struct device_copy *whole = kzalloc(sizeof(*whole), GFP_KERNEL);
	struct ib_core_device *copy = &whole->coredev;
	char name[IB_DEVICE_NAME_MAX];
	int ret;

	if (!whole)
		return ERR_PTR(-ENOMEM);
	whole->groups[0] = &ofed_device_attr_group;
	whole->groups[1] = device->ops.device_group;
	ofed_coredev_init(copy, device, net, whole->groups);
	copy->dev.parent = device->dev.parent;
	/*
	 * A rename under way may be read half done; it then finds the copy as
	 * soon as compat_devs_mutex is free, and renames it too.
	 */
	strscpy(name, device->name, sizeof(name));
	ret = dev_set_name(&copy->dev, "%s", name);
	if (ret)
		goto err_copy;
	/* udev there hears of it when its ports are there as well. */
	dev_set_uevent_suppress(&copy->dev, true);
	ret = device_add(&copy->dev);
	if (ret)
		goto err_copy;
	ret = ofed_sysfs_add_ports(copy);
	if (ret)
		goto err_device;
	dev_set_uevent_suppress(&copy->dev, false);
	kobject_uevent(&copy->dev.kobj, KOBJ_ADD);
	return copy;

err_device:
	device_del(&copy->dev);
err_copy:
	put_device(&copy->dev);
	return ERR_PTR(ret);
}

static void ofed_free_copy(struct ib_core_device *copy)
{
	ofed_sysfs_remove_ports(copy);
	device_del(&copy->dev);
	put_device(&copy->dev);
}

static int ofed_add_copy(struct ib_device *device, struct ofed_net *onet)
{
	struct net *net = read_pnet(&onet->net);
	struct ib_core_device *copy;
	int ret;

	lockdep_assert_held(&ofed_nets_rwsem);
	if (net_eq(net, read_pnet(&device->coredev.rdma_net)))
		return 0;

	mutex_lock(&device->compat_devs_mutex);
	ret = xa_insert(&device->compat_devs, onet->id, NULL, GFP_KERNEL);
	if (ret) {
		/* The other side (device or namespace) was first. */
		if (ret == -EBUSY)
			ret = 0;
		goto out;
	}
	copy = ofed_new_copy(device, net);
	if (IS_ERR(copy)) {
		xa_release(&device->compat_devs, onet->id);
		ret = PTR_ERR(copy);
		goto out;
	}
	xa_store(&device->compat_devs, onet->id, copy, GFP_KERNEL);
out:
	mutex_unlock(&device->compat_devs_mutex);
	return ret;
}

static void ofed_remove_copy(struct ib_device *device, u32 id)
{
	struct ib_core_device *copy;

	mutex_lock(&device->compat_devs_mutex);
	copy = xa_erase(&device->compat_devs, id);
	if (copy)
		ofed_free_copy(copy);
	mutex_unlock(&device->compat_devs_mutex);
}

int ofed_compat_devs_add(struct ib_device *device)
{
	struct ofed_net *onet;
	unsigned long id;
	int ret = 0;

	down_read(&ofed_nets_rwsem);
	if (ofed_netns_is_shared())
		xa_for_each(&ofed_nets, id, onet) {
			ret = ofed_add_copy(device, onet);
			if (ret)
				break;
		}
	up_read(&ofed_nets_rwsem);
	if (ret)
		ofed_compat_devs_remove(device);
	return ret;
}

void ofed_compat_devs_remove(struct ib_device *device)
{
	struct ib_core_device *copy;
	unsigned long id;

	mutex_lock(&device->compat_devs_mutex);
	xa_for_each(&device->compat_devs, id, copy) {
		xa_erase(&device->compat_devs, id);
		ofed_free_copy(copy);
	}
	mutex_unlock(&device->compat_devs_mutex);
}

static int ofed_change_net(struct ib_device *device, struct net *from,
			   struct net *to, bool must, const char *new_name)
{
	char name[IB_DEVICE_NAME_MAX];
	int ret;

	lockdep_assert_held(&device->unregistration_lock);
	strscpy(name, device->name, sizeof(name));
	write_pnet(&device->coredev.rdma_net, to);
	/* Even if the name stays, the class has another tag for sysfs now. */
	if (new_name && strcmp(new_name, name))
		ret = ofed_device_rename(device, new_name);
	else
		ret = device_rename(&device->dev, name);
	if (ret) {
		dev_err(&device->dev, "sysfs stays in the old namespace: %d\n",
			ret);
		if (!must)
			write_pnet(&device->coredev.rdma_net, from);
	}
	return ret;
}

/*
 * Move a device. The caller's thread has no reference of ib_device_try_get().
 * All clients, uverbs among them, lose the device and find it again in the
 * other namespace. With @must it leaves @from whatever happens: @from is about
 * to end. With @name it has that name afterwards.
 */
static int ofed_move_device(struct ib_device *device, struct net *from,
			    struct net *to, bool must, const char *name)
{
	int ret, ret_enable;

	mutex_lock(&device->unregistration_lock);
	/* Another thread may have moved or unregistered it meanwhile. */
	ret = -ENODEV;
	if (!net_eq(from, read_pnet(&device->coredev.rdma_net)))
		goto out;
	if (!refcount_read(&device->refcount)) {
		/* Could not be enabled once, but is in sysfs still. */
		if (must && device_is_registered(&device->dev))
			ofed_change_net(device, from, to, true, NULL);
		goto out;
	}
	/* Clients need not lose the device for a name that it does not get. */
	if (name && !ofed_device_may_have_name(device, name)) {
		ret = ofed_refuse(device, -EEXIST, "a device %s exists", name);
		goto out;
	}

	ofed_registry_uevent(device, KOBJ_REMOVE);
	ofed_device_disable(device);
	ret = ofed_change_net(device, from, to, must, name);
	ret_enable = ofed_device_enable(device);
	if (ret_enable)
		dev_err(&device->dev, "not usable after a move: %d\n",
			ret_enable);
	else
		ofed_registry_uevent(device, KOBJ_ADD);
	ret = ret ?: ret_enable;
out:
	mutex_unlock(&device->unregistration_lock);
	return ret;
}

int ofed_device_set_netns_put(struct ib_device *device, struct sk_buff *skb,
			      u32 ns_fd, const char *name)
{
	struct net *from = sock_net(skb->sk), *to;
	int ret;

	to = get_net_ns_by_fd(ns_fd);
	if (IS_ERR(to)) {
		ret = PTR_ERR(to);
		goto err_device;
	}
	if (!netlink_ns_capable(skb, to->user_ns, CAP_NET_ADMIN)) {
		ret = ofed_refuse(device, -EPERM,
				  "CAP_NET_ADMIN of the other namespace is required");
		goto err_net;
	}
	/* Without it, user space could hold up this call for ever. */
	if (!device->ops.disassociate_ucontext || ofed_netns_is_shared()) {
		ret = ofed_refuse(device, -EOPNOTSUPP,
				  "a driver without disassociate_ucontext, or shared mode");
		goto err_net;
	}

	get_device(&device->dev);
	ib_device_put(device);
	ret = ofed_move_device(device, from, to, false, name);
	put_device(&device->dev);
	put_net(to);
	return ret;

err_net:
	put_net(to);
err_device:
	ib_device_put(device);
	return ret;
}

static int ofed_copy_into_net(struct ib_device *device, void *ctx)
{
	int ret = 0;

	down_read(&ofed_nets_rwsem);
	if (ofed_netns_is_shared())
		ret = ofed_add_copy(device, ctx);
	up_read(&ofed_nets_rwsem);
	return ret;
}

/*
 * Devices that are being unregistered count as well: until they are out of
 * sysfs, their events go to the namespace that they are in.
 */
static void ofed_clear_net(struct net *net)
{
	struct ofed_net *onet = ofed_net_of(net);
	struct ib_device *device;
	unsigned long index = 0;

	while ((device = ofed_device_next(&index))) {
		ofed_remove_copy(device, onet->id);
		if (net_eq(net, read_pnet(&device->coredev.rdma_net)))
			ofed_move_device(device, net, &init_net, true, NULL);
		put_device(&device->dev);
		index++;
	}
}

/*
 * First nothing is added any more, then what is there goes. Only then may
 * another namespace get the id, under which the copies are kept.
 */
static void ofed_leave_nets(struct net *net)
{
	struct ofed_net *onet = ofed_net_of(net);

	down_write(&ofed_nets_rwsem);
	xa_store(&ofed_nets, onet->id, NULL, GFP_KERNEL);
	up_write(&ofed_nets_rwsem);
	ofed_clear_net(net);
	down_write(&ofed_nets_rwsem);
	xa_erase(&ofed_nets, onet->id);
	up_write(&ofed_nets_rwsem);
}

static int __net_init ofed_net_begins(struct net *net)
{
	struct ofed_net *onet = ofed_net_of(net);
	int ret;

	write_pnet(&onet->net, net);
	ret = ofed_nl_net_init(net);
	if (ret || net_eq(net, &init_net))
		return ret;

	down_write(&ofed_nets_rwsem);
	ret = xa_alloc(&ofed_nets, &onet->id, onet, xa_limit_32b, GFP_KERNEL);
	up_write(&ofed_nets_rwsem);
	if (ret)
		goto err_socket;
	ret = ofed_for_each_device(ofed_copy_into_net, onet);
	if (ret)
		goto err_nets;
	return 0;

err_nets:
	ofed_leave_nets(net);
err_socket:
	ofed_nl_net_exit(net);
	return ret;
}

static void __net_exit ofed_net_ends(struct net *net)
{
	if (!net_eq(net, &init_net))
		ofed_leave_nets(net);
	ofed_nl_net_exit(net);
}

static struct pernet_operations net_ops = {
	.init	= ofed_net_begins,
	.exit	= ofed_net_ends,
	.id	= &ofed_net_id,
	.size	= sizeof(struct ofed_net),
};

int ofed_netns_init(void)
{
	/* A pernet device: ends before sysfs and the uevent sockets do. */
	return register_pernet_device(&net_ops);
}

void ofed_netns_exit(void)
{
	unregister_pernet_device(&net_ops);
	xa_destroy(&ofed_nets);
}
