// SPDX-License-Identifier: GPL-2.0
/*
 * The registry of devices: names, indices, lookups and references. register.c brings devices
 * here and takes them out.
 *
 * Locks: registry_rwsem is taken inside of device->unregistration_lock.
 */
#include <linux/xarray.h>
#include <ofed/refuse.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_netlink.h>
#include <compat/decls.h>

#include "device.h"
#include "netns.h"

/* Guards devices and last_index (writers), and the names of all devices. */
static DECLARE_RWSEM(registry_rwsem);
static DEFINE_XARRAY_FLAGS(devices, XA_FLAGS_ALLOC);
static u32 last_index;

static struct ib_device *device_find_by_name(const char *name)
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
static bool device_is_pattern(const char *name)
{
	const char *at = strchr(name, '%');

	return at && at[1] == 'd' && !strchr(at + 1, '%');
}

/* @name may hold one %d; the lowest number that makes it unused is taken. */
static int device_choose_name(struct ib_device *device, const char *name)
{
	char candidate[IB_DEVICE_NAME_MAX];
	int number;

	lockdep_assert_held_write(&registry_rwsem);
	if (strchr(name, '%') && !device_is_pattern(name))
		return ofed_refuse_call(-EINVAL,
					"ib_core: %s is no name of a device",
					name);
	for (number = 0; number < INT_MAX; number++) {
		if (snprintf(candidate, sizeof(candidate), name, number) >=
		    sizeof(candidate))
			return ofed_refuse_call(-ENAMETOOLONG,
						"ib_core: %s is too long a name",
						name);
		if (!device_find_by_name(candidate)) {
			strscpy(device->name, candidate,
				sizeof(device->name));
			return dev_set_name(&device->dev, "%s", candidate);
		}
		if (!strchr(name, '%'))
			break;
	}
	return ofed_refuse_call(-ENFILE, "ib_core: a device %s exists", name);
}

/**
 * ofed_registry_enter - give a device its name and its index
 * @device: device that is in no registry
 * @name: its name; one %d in it becomes the lowest free number
 *
 * Context: process, may sleep.
 * Return: 0, -ENFILE (name taken), -EINVAL (a name that is no pattern of one number),
 * -ENAMETOOLONG or -ENOMEM.
 */
int ofed_registry_enter(struct ib_device *device, const char *name)
{
	int ret;

	down_write(&registry_rwsem);
	ret = device_choose_name(device, name);
	if (!ret) {
		ret = xa_alloc_cyclic(&devices, &device->index, device,
				      xa_limit_31b, &last_index, GFP_KERNEL);
		ret = min(ret, 0);
	}
	up_write(&registry_rwsem);
	return ret;
}

/* Take a device out, if it is there: its number may belong to another one. */
void ofed_registry_leave(struct ib_device *device)
{
	down_write(&registry_rwsem);
	if (xa_load(&devices, device->index) == device)
		xa_erase(&devices, device->index);
	up_write(&registry_rwsem);
}

/* Lookups find the device, or do so no more. */
void ofed_registry_mark(struct ib_device *device, bool registered)
{
	down_write(&registry_rwsem);
	if (registered)
		xa_set_mark(&devices, device->index, OFED_DEVICE_REGISTERED);
	else
		xa_clear_mark(&devices, device->index, OFED_DEVICE_REGISTERED);
	up_write(&registry_rwsem);
}

/* Tell user space. The path has the name, which a rename frees. */
void ofed_registry_uevent(struct ib_device *device, enum kobject_action action)
{
	down_read(&registry_rwsem);
	kobject_uevent(&device->dev.kobj, action);
	up_read(&registry_rwsem);
}

void ofed_registry_exit(void)
{
	WARN_ON(!xa_empty(&devices));
	xa_destroy(&devices);
}

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

/* As ofed_device_next(), of one driver. */
struct ib_device *ofed_device_next_of_driver(enum rdma_driver_id driver_id,
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
OFED_EXPORT(ib_device_put);

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
	device = device_find_by_name(name);
	if (device && driver_id != RDMA_DRIVER_UNKNOWN &&
	    device->ops.driver_id != driver_id)
		device = NULL;
	if (device && !ib_device_try_get(device))
		device = NULL;
	up_read(&registry_rwsem);
	return device;
}
OFED_EXPORT(ib_device_get_by_name);

static bool device_has_netdev(struct ib_device *device, const struct net_device *ndev)
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
		    device_has_netdev(device, ndev) && ib_device_try_get(device)) {
			found = device;
			break;
		}
	rcu_read_unlock();
	return found;
}
OFED_EXPORT(ib_device_get_by_netdev);

static struct ib_device *device_next_registered(unsigned long *index)
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

	while (!ret && (device = device_next_registered(&index))) {
		ret = fn(device, ctx);
		ib_device_put(device);
		index++;
	}
	return ret;
}

static void device_rename_copies(struct ib_device *device)
{
	struct ib_core_device *coredev;
	unsigned long index;

	mutex_lock(&device->compat_devs_mutex);
	xa_for_each(&device->compat_devs, index, coredev)
		if (device_rename(&coredev->dev, dev_name(&device->dev)))
			dev_warn(&coredev->dev, "keeps its old name\n");
	mutex_unlock(&device->compat_devs_mutex);
}

bool ofed_device_may_have_name(struct ib_device *device, const char *name)
{
	struct ib_device *other;

	down_read(&registry_rwsem);
	other = device_find_by_name(name);
	up_read(&registry_rwsem);
	return !other || other == device;
}

int ofed_device_rename(struct ib_device *device, const char *name)
{
	int ret;

	down_write(&registry_rwsem);
	if (!strcmp(name, dev_name(&device->dev))) {
		ret = 0;
		goto out;
	}
	if (device_find_by_name(name)) {
		ret = ofed_refuse(device, -EEXIST, "a device %s exists", name);
		goto out;
	}
	ret = device_rename(&device->dev, name);
	if (ret)
		goto out;
	strscpy(device->name, name, sizeof(device->name));
	device_rename_copies(device);
	downgrade_write(&registry_rwsem);
	ofed_clients_renamed(device);
	up_read(&registry_rwsem);
	compat_nl_notify_rename(device, 0, RENAME);
	return 0;

out:
	up_write(&registry_rwsem);
	return ret;
}

void ofed_device_set_dim(struct ib_device *device, u8 use_dim)
{
	device->use_cq_dim = !!use_dim;
}
