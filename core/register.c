// SPDX-License-Identifier: GPL-2.0
/*
 * Devices: allocation, registration in two stages, unregistration.
 *
 * A device passes through these states; nothing goes backwards except the
 * move to another network namespace, which disables and enables again:
 *
 *   allocated   ib_alloc_device. Only the driver knows it.
 *   set up      In the registry (device/registry.c), index and name taken, attributes and tables
 *               read, sysfs there. Still only the driver uses it.
 *   enabled     Marked REGISTERED, refcount 1 or more: lookups find it,
 *               clients are added one by one.
 *   disabled    Mark gone, clients removed, refcount has come to 0.
 *   torn down   sysfs, cgroup and tables gone. It stays in the registry until
 *               ib_dealloc_device, for ib_unregister_driver(): a thread that
 *               finds it there can wait for another one that still calls its
 *               ops.
 *
 * Locks, outermost first:
 *   device->unregistration_lock   enabling, disabling and teardown of one
 *				   device; held while clients come and go
 *   registry_rwsem		   inside of it (device/registry.c)
 */
#include <rdma/ib_verbs.h>
#include <rdma/rdma_counter.h>
#include <rdma/uverbs_ioctl.h>

#include "device/device.h"
#include "netns_move.h"
#include "port/cache.h"
#include "port/gid.h"
#include "port/port.h"
#include "register.h"
#include "subdev.h"
#include "sysfs/sysfs.h"
#include "track/counters.h"
#include "umem/umem.h"
#include "verbs/cq_pool.h"

static void ofed_unregister_work(struct work_struct *work);

static void ofed_device_release(struct device *dev)
{
	struct ib_core_device *coredev =
		container_of(dev, struct ib_core_device, dev);
	struct ib_device *device = coredev->owner;

	if (coredev != &device->coredev) {
		kfree(coredev);
		return;
	}
	if (device->port_data) {
		ofed_port_cache_release(device);
		ofed_gid_tables_release(device);
		ofed_port_data_free(device);
	}
	ofed_hw_stats_release(device);
	mutex_destroy(&device->unregistration_lock);
	mutex_destroy(&device->compat_devs_mutex);
	xa_destroy(&device->compat_devs);
	xa_destroy(&device->client_data);
	/* Lookups by index and by netdev run under RCU only. */
	kfree_rcu(device, rcu_head);
}

static int ofed_device_uevent(compat_class_device *dev, struct kobj_uevent_env *env)
{
	return add_uevent_var(env, "NAME=%s", dev_name(dev)) ? -ENOMEM : 0;
}

static const compat_class_ns *ofed_device_namespace(compat_class_device *dev)
{
	const struct ib_core_device *coredev =
		container_of(dev, struct ib_core_device, dev);

	return compat_class_ns_of(read_pnet(&coredev->rdma_net));
}

struct class ofed_ib_class = {
	.name		= "infiniband",
	.dev_release	= ofed_device_release,
	.dev_uevent	= ofed_device_uevent,
	.ns_type	= &net_ns_type_operations,
	.namespace	= ofed_device_namespace,
};

int ofed_device_init(void)
{
	return class_register(&ofed_ib_class);
}

void ofed_device_exit(void)
{
	class_unregister(&ofed_ib_class);
	ofed_registry_exit();
	/* ofed_device_release() may have queued the last kfree_rcu() just now. */
	rcu_barrier();
}

void ofed_coredev_init(struct ib_core_device *coredev,
		       struct ib_device *device, struct net *net,
		       const struct attribute_group **groups)
{
	device_initialize(&coredev->dev);
	coredev->dev.class = &ofed_ib_class;
	coredev->dev.groups = groups;
	coredev->owner = device;
	INIT_LIST_HEAD(&coredev->port_list);
	write_pnet(&coredev->rdma_net, net);
}

/*
 * What uverbs offers unless the driver asks for more: everything but the data
 * path, which most drivers serve from user space.
 */
#define DATA_PATH_CMDS						\
	(BIT_ULL(IB_USER_VERBS_CMD_POLL_CQ) |			\
	 BIT_ULL(IB_USER_VERBS_CMD_REQ_NOTIFY_CQ) |		\
	 BIT_ULL(IB_USER_VERBS_CMD_POST_SEND) |			\
	 BIT_ULL(IB_USER_VERBS_CMD_POST_RECV) |			\
	 BIT_ULL(IB_USER_VERBS_CMD_POST_SRQ_RECV))

static void ofed_init_locks(struct ib_device *device)
{
	int i;

	INIT_LIST_HEAD(&device->event_handler_list);
	init_rwsem(&device->event_handler_rwsem);
	spin_lock_init(&device->qp_open_list_lock);
	init_rwsem(&device->client_data_rwsem);
	mutex_init(&device->unregistration_lock);
	mutex_init(&device->compat_devs_mutex);
	rwlock_init(&device->cache_lock);
	spin_lock_init(&device->cq_pools_lock);
	for (i = 0; i < ARRAY_SIZE(device->cq_pools); i++)
		INIT_LIST_HEAD(&device->cq_pools[i]);
}

/**
 * ofed_alloc_device - allocate the memory of an RDMA device
 * @size: size of the driver's struct, which begins with struct ib_device
 * @net: namespace that the device is at home in
 *
 * Zeroed; freed by ib_dealloc_device(). Context: process, may sleep.
 *
 * Return: the device, or NULL.
 */
static struct ib_device *ofed_alloc_device(size_t size, struct net *net)
{
	struct ib_device *device;

	if (WARN_ON(size < sizeof(*device)))
		return NULL;
	device = kzalloc(size, GFP_KERNEL);
	if (!device)
		return NULL;
	if (ofed_restrack_init(device)) {
		kfree(device);
		return NULL;
	}

	ofed_init_locks(device);
	/* A client may store NULL as its data: slots must be able to hold it. */
	xa_init_flags(&device->client_data, XA_FLAGS_ALLOC);
	xa_init_flags(&device->compat_devs, XA_FLAGS_ALLOC);
	init_completion(&device->unreg_completion);
	INIT_WORK(&device->unregistration_work, ofed_unregister_work);
	compat_subdev_init(device);
	device->uverbs_cmd_mask =
		GENMASK_ULL(IB_USER_VERBS_CMD_OPEN_QP, 0) & ~DATA_PATH_CMDS;
	device->groups[0] = &ofed_device_attr_group;
	ofed_coredev_init(&device->coredev, device, net, device->groups);
	return device;
}

/* Drivers call it through ib_alloc_device(). Before 7.x the namespace is init_net. */
struct ib_device *_ib_alloc_device(COMPAT_ALLOC_DEVICE_PARAMS)
{
	return ofed_alloc_device(size, COMPAT_ALLOC_DEVICE_NET);
}
OFED_EXPORT(_ib_alloc_device);

/**
 * ib_dealloc_device - free a device that is not, or no longer, registered
 * @device: device from ib_alloc_device()
 *
 * Calls the driver's dealloc_driver, the last op that is ever called.
 * Context: process, may sleep.
 */
void ib_dealloc_device(struct ib_device *device)
{
	if (device->ops.dealloc_driver)
		device->ops.dealloc_driver(device);

	ofed_registry_leave(device);
	ofed_netdevs_detach(device);
	WARN_ON(!xa_empty(&device->compat_devs));
	WARN_ON(!xa_empty(&device->client_data));
	WARN_ON(refcount_read(&device->refcount));
	ofed_umems_free_left(device);
	ofed_leftovers_free(device);
	ofed_restrack_exit(device);
	put_device(&device->dev);
}
OFED_EXPORT(ib_dealloc_device);

static int ofed_read_attributes(struct ib_device *device)
{
	/* Drivers may climb from the udata to the bundle around it. */
	struct uverbs_attr_bundle bundle = {};
	u32 port;
	int ret;

	memset(&device->attrs, 0, sizeof(device->attrs));
	ret = device->ops.query_device(device, &device->attrs,
				       &bundle.driver_udata);
	if (ret)
		return ret;

	rdma_for_each_port(device, port) {
		ret = device->ops.get_port_immutable(device, port,
				&device->port_data[port].immutable);
		if (ret)
			return ret;
		if (!device->port_data[port].immutable.core_cap_flags &&
		    !rdma_protocol_raw_packet(device, port))
			ibdev_dbg(device, "port %u has no protocol\n", port);
	}
	return 0;
}

static int ofed_set_up_tables(struct ib_device *device)
{
	int ret;

	ret = ofed_port_data_alloc(device);
	if (ret)
		return ret;
	ret = ofed_read_attributes(device);
	if (ret)
		return ret;
	ret = ofed_gid_tables_setup(device);
	if (ret)
		return ret;
	ret = ofed_port_cache_setup(device);
	if (ret)
		goto err_gids;
	ofed_counter_init(device);
	return 0;

err_gids:
	ofed_gid_tables_cleanup(device);
	return ret;
}

static void ofed_tear_down_tables(struct ib_device *device)
{
	ofed_counter_release(device);
	ofed_port_cache_cleanup(device);
	ofed_gid_tables_cleanup(device);
}

static int ofed_add_to_sysfs(struct ib_device *device)
{
	int ret;

	device->groups[1] = device->ops.device_group;
	device->hw_stats_attr_index = device->ops.device_group ? 2 : 1;
	ret = ofed_hw_stats_setup(device);
	if (ret)
		return ret;

	/* udev hears of the device when it can be used, not before. */
	dev_set_uevent_suppress(&device->dev, true);
	ret = device_add(&device->dev);
	if (ret)
		return ret;
	ret = ofed_sysfs_add_ports(&device->coredev);
	if (ret)
		goto err_device;
	return 0;

err_device:
	device_del(&device->dev);
	return ret;
}

static void ofed_remove_from_sysfs(struct ib_device *device)
{
	ofed_sysfs_remove_ports(&device->coredev);
	device_del(&device->dev);
}

int ofed_device_enable(struct ib_device *device)
{
	int ret;

	lockdep_assert_held(&device->unregistration_lock);

	reinit_completion(&device->unreg_completion);
	refcount_set(&device->refcount, 1);
	ofed_registry_mark(device, true);

	/* Events reach the device from here on; what came before is read now. */
	ofed_gid_events_scan(device);
	if (device->ops.enable_driver) {
		ret = device->ops.enable_driver(device);
		if (ret)
			goto err_disable;
	}
	ofed_clients_add(device);
	ret = ofed_compat_devs_add(device);
	if (ret)
		goto err_disable;
	return 0;

err_disable:
	ofed_device_disable(device);
	return ret;
}

void ofed_device_disable(struct ib_device *device)
{
	lockdep_assert_held(&device->unregistration_lock);
	WARN_ON(!refcount_read(&device->refcount));

	ofed_registry_mark(device, false);

	compat_subdevs_remove(device);
	ofed_clients_remove(device);
	ofed_cq_pool_cleanup(device);
	ib_device_put(device);
	wait_for_completion(&device->unreg_completion);
	/* No namespace gains a copy any more: the mark is gone. */
	ofed_compat_devs_remove(device);
}

/* Caller holds unregistration_lock. The device stays in the registry. */
static void ofed_tear_down(struct ib_device *device)
{
	lockdep_assert_held(&device->unregistration_lock);
	/* One that a move to another namespace left unusable is disabled. */
	if (refcount_read(&device->refcount))
		ofed_device_disable(device);
	compat_subdev_leave(device);
	compat_nl_notify(device, 0, UNREGISTER);
	ofed_netdevs_detach(device);
	ofed_remove_from_sysfs(device);
	ofed_cg_unregister_device(device);
	ofed_events_flush();
	ofed_tear_down_tables(device);
}

/**
 * ib_register_device - make a device known to clients and users
 * @device: device from ib_alloc_device() with ops, node_type, phys_port_cnt
 *	    and node_guid set
 * @name: its name; one %d in it becomes the lowest free number
 * @dma_device: device to map its memory with; NULL when the driver works on
 *		virtual addresses
 *
 * Everything is in place before the first client's add() is called. On failure
 * the device stays allocated, also when the driver has dealloc_driver.
 * Context: process, may sleep; no lock that a client's add() may take is held.
 *
 * Return: 0, -ENFILE (name taken), -EINVAL (no query_device or
 * get_port_immutable, or no ports), -ENOMEM, or the errno of a driver op.
 */
int ib_register_device(struct ib_device *device, const char *name,
		       struct device *dma_device)
{
	int ret;

	if (WARN_ON(!device->ops.query_device ||
		    !device->ops.get_port_immutable))
		return -EINVAL;

	ret = ofed_registry_enter(device, name);
	if (ret)
		return ret;
	compat_subdev_lockdep(device);
	device->dma_device = dma_device;
	device->kverbs_provider = ofed_has_kernel_verbs(&device->ops);

	mutex_lock(&device->unregistration_lock);
	ret = ofed_set_up_tables(device);
	if (ret)
		goto err_registry;
	ret = ofed_cg_register_device(device);
	if (ret)
		goto err_tables;
	ret = ofed_add_to_sysfs(device);
	if (ret)
		goto err_cgroup;
	ret = ofed_device_enable(device);
	if (ret)
		goto err_sysfs;
	dev_set_uevent_suppress(&device->dev, false);
	ofed_registry_uevent(device, KOBJ_ADD);
	compat_nl_tell_of_new(device);
	mutex_unlock(&device->unregistration_lock);
	return 0;

err_sysfs:
	/* Still without uevents: user space has not been told of it. */
	ofed_remove_from_sysfs(device);
err_cgroup:
	ofed_cg_unregister_device(device);
err_tables:
	ofed_tear_down_tables(device);
err_registry:
	mutex_unlock(&device->unregistration_lock);
	ofed_registry_leave(device);
	return ret;
}
OFED_EXPORT(ib_register_device);

/*
 * The caller holds a reference of device->dev. A second caller waits, and finds
 * the directory in sysfs gone: nothing is left to do.
 */
static void ofed_unregister(struct ib_device *device)
{
	bool registered;

	might_sleep();
	mutex_lock(&device->unregistration_lock);
	registered = device_is_registered(&device->dev);
	if (registered)
		ofed_tear_down(device);
	/* Under the lock: see ib_unregister_driver(). */
	if (registered && device->ops.dealloc_driver)
		ib_dealloc_device(device);
	mutex_unlock(&device->unregistration_lock);
}

static void ofed_unregister_work(struct work_struct *work)
{
	struct ib_device *device =
		container_of(work, struct ib_device, unregistration_work);

	ofed_unregister(device);
	put_device(&device->dev);
}

/**
 * ib_unregister_device - take a device out of use
 * @device: device, or one that another thread unregisters already
 *
 * Returns when nothing can call into the driver through this device any more.
 * The device is usable until then. With dealloc_driver in its ops it is freed
 * too. Context: process, may sleep for long.
 */
void ib_unregister_device(struct ib_device *device)
{
	get_device(&device->dev);
	ofed_unregister(device);
	put_device(&device->dev);
}
OFED_EXPORT(ib_unregister_device);

/**
 * ib_unregister_device_and_put - unregister a device that the caller holds
 * @device: device with an ib_device_try_get() reference, which is put
 *
 * Only for drivers with dealloc_driver. Context: process, may sleep for long.
 */
void ib_unregister_device_and_put(struct ib_device *device)
{
	WARN_ON(!device->ops.dealloc_driver);
	get_device(&device->dev);
	ib_device_put(device);
	ofed_unregister(device);
	put_device(&device->dev);
}
OFED_EXPORT(ib_unregister_device_and_put);

/**
 * ib_unregister_device_queued - unregister a device without waiting for it
 * @device: registered device, held by the caller while it calls
 *
 * For contexts that must not wait, under the rtnl for one. Only for drivers
 * with dealloc_driver; before module unload ib_unregister_driver() collects
 * what is still under way.
 */
void ib_unregister_device_queued(struct ib_device *device)
{
	WARN_ON(!refcount_read(&device->refcount));
	WARN_ON(!device->ops.dealloc_driver);
	get_device(&device->dev);
	if (!queue_work(ofed_unreg_wq, &device->unregistration_work))
		put_device(&device->dev);
}
OFED_EXPORT(ib_unregister_device_queued);

/**
 * ib_unregister_driver - unregister all devices of a driver
 * @driver_id: the driver
 *
 * No new ones may be registered meanwhile. When it returns, no op of the driver
 * is running for any of them, even if another thread unregisters the device.
 * Context: process, may sleep for long.
 */
void ib_unregister_driver(enum rdma_driver_id driver_id)
{
	struct ib_device *device;
	unsigned long index = 0;

	/*
	 * A device leaves the registry after its dealloc_driver, and the lock of
	 * its unregistration is held from before its first op until then.
	 */
	while ((device = ofed_device_next_of_driver(driver_id, &index))) {
		WARN_ON(!device->ops.dealloc_driver);
		ofed_unregister(device);
		put_device(&device->dev);
		index++;
	}
}
OFED_EXPORT(ib_unregister_driver);
