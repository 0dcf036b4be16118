// SPDX-License-Identifier: GPL-2.0
/*
 * The device registry: allocation, two-stage registration, unregistration.
 *
 * A device passes through these states; nothing goes backwards except the
 * move to another network namespace, which disables and enables again:
 *
 *   allocated   ib_alloc_device. Only the driver knows it.
 *   set up      In the registry, index and name taken, attributes and tables
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
 *   registry_rwsem		   membership and marks of devices, and names
 */
#include <linux/xarray.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_counter.h>
#include <rdma/uverbs_ioctl.h>

#include "../track/counters.h"
#include "../verbs/cq_pool.h"
#include "device.h"
#include "../port/gid.h"
#include "netns.h"
#include "../port/cache.h"
#include "../subdev.h"
#include "../sysfs/sysfs.h"
#include "../umem/umem.h"

/* Guards devices and last_index (writers), and the names of all devices. */
static DECLARE_RWSEM(registry_rwsem);
static DEFINE_XARRAY_FLAGS(devices, XA_FLAGS_ALLOC);
static u32 last_index;

static void unregister_work(struct work_struct *work);

static void device_release(struct device *dev)
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

static int device_uevent(compat_class_device *dev, struct kobj_uevent_env *env)
{
	return add_uevent_var(env, "NAME=%s", dev_name(dev)) ? -ENOMEM : 0;
}

static const void *device_namespace(compat_class_device *dev)
{
	const struct ib_core_device *coredev =
		container_of(dev, struct ib_core_device, dev);

	return read_pnet(&coredev->rdma_net);
}

struct class ofed_ib_class = {
	.name		= "infiniband",
	.dev_release	= device_release,
	.dev_uevent	= device_uevent,
	.ns_type	= &net_ns_type_operations,
	.namespace	= device_namespace,
};

int ofed_device_init(void)
{
	return class_register(&ofed_ib_class);
}

void ofed_device_exit(void)
{
	class_unregister(&ofed_ib_class);
	WARN_ON(!xa_empty(&devices));
	xa_destroy(&devices);
	/* device_release() may have queued the last kfree_rcu() just now. */
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

static void init_locks(struct ib_device *device)
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
 * _ib_alloc_device - allocate the memory of an RDMA device
 * @size: size of the driver's struct, which begins with struct ib_device
 *
 * Drivers call it through ib_alloc_device(). Zeroed; freed by
 * ib_dealloc_device(). Context: process, may sleep.
 *
 * Return: the device, or NULL.
 */
struct ib_device *_ib_alloc_device(size_t size)
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

	init_locks(device);
	/* A client may store NULL as its data: slots must be able to hold it. */
	xa_init_flags(&device->client_data, XA_FLAGS_ALLOC);
	xa_init_flags(&device->compat_devs, XA_FLAGS_ALLOC);
	init_completion(&device->unreg_completion);
	INIT_WORK(&device->unregistration_work, unregister_work);
	compat_subdev_init(device);
	device->uverbs_cmd_mask =
		GENMASK_ULL(IB_USER_VERBS_CMD_OPEN_QP, 0) & ~DATA_PATH_CMDS;
	device->groups[0] = &ofed_device_attr_group;
	ofed_coredev_init(&device->coredev, device, &init_net, device->groups);
	return device;
}
EXPORT_SYMBOL(_ib_alloc_device);

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

	down_write(&registry_rwsem);
	if (xa_load(&devices, device->index) == device)
		xa_erase(&devices, device->index);
	up_write(&registry_rwsem);

	ofed_netdevs_detach(device);
	WARN_ON(!xa_empty(&device->compat_devs));
	WARN_ON(!xa_empty(&device->client_data));
	WARN_ON(refcount_read(&device->refcount));
	ofed_umems_free_left(device);
	ofed_leftovers_free(device);
	ofed_restrack_exit(device);
	put_device(&device->dev);
}
EXPORT_SYMBOL(ib_dealloc_device);

static struct ib_device *find_by_name(const char *name)
{
	struct ib_device *device;
	unsigned long index;

	lockdep_assert_held(&registry_rwsem);
	xa_for_each(&devices, index, device)
		if (!strcmp(name, dev_name(&device->dev)))
			return device;
	return NULL;
}

/* A format of anything but one number would be filled with what is not there. */
static bool is_pattern(const char *name)
{
	const char *at = strchr(name, '%');

	return at && at[1] == 'd' && !strchr(at + 1, '%');
}

/* @name may hold one %d; the lowest number that makes it unused is taken. */
static int choose_name(struct ib_device *device, const char *name)
{
	char candidate[IB_DEVICE_NAME_MAX];
	int number;

	lockdep_assert_held_write(&registry_rwsem);
	if (strchr(name, '%') && !is_pattern(name))
		return -EINVAL;
	for (number = 0; number < INT_MAX; number++) {
		if (snprintf(candidate, sizeof(candidate), name, number) >=
		    sizeof(candidate))
			return -ENAMETOOLONG;
		if (!find_by_name(candidate)) {
			strscpy(device->name, candidate,
				sizeof(device->name));
			return dev_set_name(&device->dev, "%s", candidate);
		}
		if (!strchr(name, '%'))
			break;
	}
	return -ENFILE;
}

static int enter_registry(struct ib_device *device, const char *name)
{
	int ret;

	down_write(&registry_rwsem);
	ret = choose_name(device, name);
	if (!ret) {
		ret = xa_alloc_cyclic(&devices, &device->index, device,
				      xa_limit_31b, &last_index, GFP_KERNEL);
		ret = min(ret, 0);
	}
	up_write(&registry_rwsem);
	return ret;
}

static void leave_registry(struct ib_device *device)
{
	down_write(&registry_rwsem);
	xa_erase(&devices, device->index);
	up_write(&registry_rwsem);
}

static int read_attributes(struct ib_device *device)
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

static int set_up_tables(struct ib_device *device)
{
	int ret;

	ret = ofed_port_data_alloc(device);
	if (ret)
		return ret;
	ret = read_attributes(device);
	if (ret)
		return ret;
	ret = ofed_gid_tables_setup(device);
	if (ret)
		return ret;
	ret = ofed_port_cache_setup(device);
	if (ret)
		goto err_gids;
	rdma_counter_init(device);
	return 0;

err_gids:
	ofed_gid_tables_cleanup(device);
	return ret;
}

static void tear_down_tables(struct ib_device *device)
{
	rdma_counter_release(device);
	ofed_port_cache_cleanup(device);
	ofed_gid_tables_cleanup(device);
}

static int add_to_sysfs(struct ib_device *device)
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

static void remove_from_sysfs(struct ib_device *device)
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
	down_write(&registry_rwsem);
	xa_set_mark(&devices, device->index, OFED_DEVICE_REGISTERED);
	up_write(&registry_rwsem);

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

	down_write(&registry_rwsem);
	xa_clear_mark(&devices, device->index, OFED_DEVICE_REGISTERED);
	up_write(&registry_rwsem);

	compat_subdevs_remove(device);
	ofed_clients_remove(device);
	ofed_cq_pool_cleanup(device);
	ib_device_put(device);
	wait_for_completion(&device->unreg_completion);
	/* No namespace gains a copy any more: the mark is gone. */
	ofed_compat_devs_remove(device);
}

/* Caller holds unregistration_lock. The device stays in the registry. */
static void tear_down(struct ib_device *device)
{
	lockdep_assert_held(&device->unregistration_lock);
	/* One that a move to another namespace left unusable is disabled. */
	if (refcount_read(&device->refcount))
		ofed_device_disable(device);
	compat_subdev_leave(device);
	compat_nl_notify(device, 0, UNREGISTER);
	ofed_netdevs_detach(device);
	remove_from_sysfs(device);
	ofed_cg_unregister_device(device);
	ofed_events_flush();
	tear_down_tables(device);
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

	ret = enter_registry(device, name);
	if (ret)
		return ret;
	compat_subdev_lockdep(device);
	device->dma_device = dma_device;
	device->kverbs_provider = ofed_has_kernel_verbs(&device->ops);

	mutex_lock(&device->unregistration_lock);
	ret = set_up_tables(device);
	if (ret)
		goto err_registry;
	ret = ofed_cg_register_device(device);
	if (ret)
		goto err_tables;
	ret = add_to_sysfs(device);
	if (ret)
		goto err_cgroup;
	ret = ofed_device_enable(device);
	if (ret)
		goto err_sysfs;
	dev_set_uevent_suppress(&device->dev, false);
	kobject_uevent(&device->dev.kobj, KOBJ_ADD);
	compat_nl_tell_of_new(device);
	mutex_unlock(&device->unregistration_lock);
	return 0;

err_sysfs:
	/* Still without uevents: user space has not been told of it. */
	remove_from_sysfs(device);
err_cgroup:
	ofed_cg_unregister_device(device);
err_tables:
	tear_down_tables(device);
err_registry:
	mutex_unlock(&device->unregistration_lock);
	leave_registry(device);
	return ret;
}
EXPORT_SYMBOL(ib_register_device);

/*
 * The caller holds a reference of device->dev. A second caller waits, and finds
 * the directory in sysfs gone: nothing is left to do.
 */
static void unregister(struct ib_device *device)
{
	bool registered;

	might_sleep();
	mutex_lock(&device->unregistration_lock);
	registered = device_is_registered(&device->dev);
	if (registered)
		tear_down(device);
	/* Under the lock: see ib_unregister_driver(). */
	if (registered && device->ops.dealloc_driver)
		ib_dealloc_device(device);
	mutex_unlock(&device->unregistration_lock);
}

static void unregister_work(struct work_struct *work)
{
	struct ib_device *device =
		container_of(work, struct ib_device, unregistration_work);

	unregister(device);
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
	unregister(device);
	put_device(&device->dev);
}
EXPORT_SYMBOL(ib_unregister_device);

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
	unregister(device);
	put_device(&device->dev);
}
EXPORT_SYMBOL(ib_unregister_device_and_put);

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
EXPORT_SYMBOL(ib_unregister_device_queued);

struct ib_device *ofed_device_next(unsigned long *index)
{
	struct ib_device *device;

	down_read(&registry_rwsem);
	device = xa_find(&devices, index, ULONG_MAX, XA_PRESENT);
	if (device)
		get_device(&device->dev);
	up_read(&registry_rwsem);
	return device;
}

static struct ib_device *next_of_driver(enum rdma_driver_id driver_id,
					unsigned long *index)
{
	struct ib_device *device, *found = NULL;

	down_read(&registry_rwsem);
	xa_for_each_start(&devices, *index, device, *index)
		if (device->ops.driver_id == driver_id) {
			get_device(&device->dev);
			found = device;
			break;
		}
	up_read(&registry_rwsem);
	return found;
}

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
	while ((device = next_of_driver(driver_id, &index))) {
		WARN_ON(!device->ops.dealloc_driver);
		unregister(device);
		put_device(&device->dev);
		index++;
	}
}
EXPORT_SYMBOL(ib_unregister_driver);

/**
 * ib_device_put - put a reference of ib_device_try_get() or ib_device_get_by_*
 * @device: device
 *
 * Context: any.
 */
void ib_device_put(struct ib_device *device)
{
	if (refcount_dec_and_test(&device->refcount))
		complete(&device->unreg_completion);
}
EXPORT_SYMBOL(ib_device_put);

bool ofed_device_is_registered(const struct ib_device *device)
{
	return xa_load(&devices, device->index) == device &&
	       xa_get_mark(&devices, device->index, OFED_DEVICE_REGISTERED);
}

struct ib_device *ofed_device_get_by_index(const struct net *net, u32 index)
{
	struct ib_device *device;

	rcu_read_lock();
	device = xa_load(&devices, index);
	if (device && (!rdma_dev_access_netns(device, net) ||
		       !ib_device_try_get(device)))
		device = NULL;
	rcu_read_unlock();
	return device;
}

/**
 * ib_device_get_by_name - find a registered device by its name
 * @name: name
 * @driver_id: driver it must be of, or RDMA_DRIVER_UNKNOWN for any
 *
 * Context: process, may sleep. Return: the device with a reference, or NULL.
 */
struct ib_device *ib_device_get_by_name(const char *name,
					enum rdma_driver_id driver_id)
{
	struct ib_device *device;

	down_read(&registry_rwsem);
	device = find_by_name(name);
	if (device && driver_id != RDMA_DRIVER_UNKNOWN &&
	    device->ops.driver_id != driver_id)
		device = NULL;
	if (device && !ib_device_try_get(device))
		device = NULL;
	up_read(&registry_rwsem);
	return device;
}
EXPORT_SYMBOL(ib_device_get_by_name);

static bool has_netdev(struct ib_device *device, const struct net_device *ndev)
{
	u32 port;

	rdma_for_each_port(device, port)
		if (rcu_access_pointer(device->port_data[port].netdev) == ndev)
			return true;
	return false;
}

/**
 * ib_device_get_by_netdev - find the device that works on a netdev
 * @ndev: netdev that ib_device_set_netdev() attached to it
 * @driver_id: driver it must be of, or RDMA_DRIVER_UNKNOWN for any
 *
 * Context: any. Return: the device with a reference, or NULL.
 */
struct ib_device *ib_device_get_by_netdev(struct net_device *ndev,
					  enum rdma_driver_id driver_id)
{
	struct ib_device *device, *found = NULL;
	unsigned long index;

	rcu_read_lock();
	xa_for_each_marked(&devices, index, device, OFED_DEVICE_REGISTERED)
		if ((driver_id == RDMA_DRIVER_UNKNOWN ||
		     device->ops.driver_id == driver_id) &&
		    has_netdev(device, ndev) && ib_device_try_get(device)) {
			found = device;
			break;
		}
	rcu_read_unlock();
	return found;
}
EXPORT_SYMBOL(ib_device_get_by_netdev);

static struct ib_device *next_registered(unsigned long *index)
{
	struct ib_device *device, *found = NULL;

	rcu_read_lock();
	for (device = xa_find(&devices, index, ULONG_MAX,
			      OFED_DEVICE_REGISTERED);
	     device;
	     device = xa_find_after(&devices, index, ULONG_MAX,
				    OFED_DEVICE_REGISTERED))
		if (ib_device_try_get(device)) {
			found = device;
			break;
		}
	rcu_read_unlock();
	return found;
}

int ofed_for_each_device(int (*fn)(struct ib_device *device, void *ctx),
			 void *ctx)
{
	struct ib_device *device;
	unsigned long index = 0;
	int ret = 0;

	while (!ret && (device = next_registered(&index))) {
		ret = fn(device, ctx);
		ib_device_put(device);
		index++;
	}
	return ret;
}

static void rename_copies(struct ib_device *device)
{
	struct ib_core_device *coredev;
	unsigned long index;

	mutex_lock(&device->compat_devs_mutex);
	xa_for_each(&device->compat_devs, index, coredev)
		if (device_rename(&coredev->dev, dev_name(&device->dev)))
			dev_warn(&coredev->dev, "keeps its old name\n");
	mutex_unlock(&device->compat_devs_mutex);
}

int ofed_device_rename(struct ib_device *device, const char *name)
{
	int ret;

	down_write(&registry_rwsem);
	if (!strcmp(name, dev_name(&device->dev))) {
		ret = 0;
		goto out;
	}
	if (find_by_name(name)) {
		ret = -EEXIST;
		goto out;
	}
	ret = device_rename(&device->dev, name);
	if (ret)
		goto out;
	strscpy(device->name, name, sizeof(device->name));
	rename_copies(device);
	downgrade_write(&registry_rwsem);
	ofed_clients_renamed(device);
	up_read(&registry_rwsem);
	return 0;

out:
	up_write(&registry_rwsem);
	return ret;
}

void ofed_device_set_dim(struct ib_device *device, u8 use_dim)
{
	device->use_cq_dim = !!use_dim;
}
