// SPDX-License-Identifier: GPL-2.0
/* rdma_cm: its start and end, and the devices that come and go. */
#include <linux/slab.h>
#include <linux/string.h>
#include <ofed/cma.h>

#include "../../port/gid.h"
#include "cma.h"
#include "trace.h"

/* Brings events to consumers; their handlers may sleep. */
struct workqueue_struct *rcm_wq;
struct ib_sa_client rcm_sa_client;

/* Guards what the head of cma.h lists. */
DEFINE_MUTEX(rcm_mutex);
/* Held while wildcard listens and devices meet. */
DEFINE_MUTEX(rcm_listen_mutex);

/* All devices in order of their seq; under rcm_mutex. */
LIST_HEAD(rcm_devices);
static u64 next_seq;

void rcm_dev_put(struct rcm_dev *cdev)
{
	if (refcount_dec_and_test(&cdev->refs))
		complete(&cdev->unused);
}

struct rcm_dev *rcm_dev_of_locked(const struct ib_device *device)
{
	struct rcm_dev *cdev;

	lockdep_assert_held(&rcm_mutex);
	list_for_each_entry(cdev, &rcm_devices, list)
		if (cdev->device == device)
			return cdev;
	return NULL;
}

/**
 * rcm_dev_next - walk the devices without a lock over the walk
 * @seq: where to begin; out: where to go on
 *
 * Context: process, may sleep. Return: a device with a reference, or NULL.
 */
struct rcm_dev *rcm_dev_next(u64 *seq)
{
	struct rcm_dev *cdev, *found = NULL;

	mutex_lock(&rcm_mutex);
	list_for_each_entry(cdev, &rcm_devices, list)
		if (cdev->seq >= *seq) {
			*seq = cdev->seq + 1;
			refcount_inc(&cdev->refs);
			found = cdev;
			break;
		}
	mutex_unlock(&rcm_mutex);
	return found;
}

/* Return: the device of that name with a reference, or NULL. May sleep. */
struct rcm_dev *rcm_dev_by_name(const char *name)
{
	struct rcm_dev *cdev, *found = NULL;

	mutex_lock(&rcm_mutex);
	list_for_each_entry(cdev, &rcm_devices, list)
		if (!strncmp(cdev->device->name, name, IB_DEVICE_NAME_MAX)) {
			refcount_inc(&cdev->refs);
			found = cdev;
			break;
		}
	mutex_unlock(&rcm_mutex);
	return found;
}

/* @fn is called under rcm_mutex with each id that has a device. */
void rcm_for_each_id(void (*fn)(struct rcm_id *id, void *ctx), void *ctx)
{
	struct rcm_dev *cdev;
	struct rcm_id *id;

	mutex_lock(&rcm_mutex);
	list_for_each_entry(cdev, &rcm_devices, list)
		list_for_each_entry(id, &cdev->ids, on_dev)
			fn(id, ctx);
	mutex_unlock(&rcm_mutex);
}

static u8 preferred_gid_type(struct ib_device *device, u32 port)
{
	unsigned long mask = ofed_gid_type_mask(device, port);

	if (mask & BIT(IB_GID_TYPE_ROCE_UDP_ENCAP))
		return IB_GID_TYPE_ROCE_UDP_ENCAP;
	return __ffs(mask);
}

static int add_device(struct ib_device *device)
{
	u32 count = rdma_end_port(device) - rdma_start_port(device) + 1;
	struct rcm_dev *cdev;
	LIST_HEAD(doomed);
	u32 port;

	cdev = kzalloc(struct_size(cdev, ports, count), GFP_KERNEL);
	if (!cdev)
		return -ENOMEM;
	cdev->device = device;
	refcount_set(&cdev->refs, 1);
	init_completion(&cdev->unused);
	INIT_LIST_HEAD(&cdev->ids);
	INIT_LIST_HEAD(&cdev->listeners);
	rdma_for_each_port(device, port)
		rcm_port_config(cdev, port)->gid_type =
			preferred_gid_type(device, port);

	mutex_lock(&rcm_listen_mutex);
	mutex_lock(&rcm_mutex);
	cdev->seq = next_seq++;
	list_add_tail(&cdev->list, &rcm_devices);
	mutex_unlock(&rcm_mutex);
	rcm_listen_on_new_device(cdev, &doomed);
	mutex_unlock(&rcm_listen_mutex);
	rcm_end_listeners(&doomed);
	trace_cm_add_one(device);
	return 0;
}

/* An id that ends meanwhile leaves @ids by itself. */
static struct rcm_id *take_one_id(struct list_head *ids)
{
	struct rcm_id *id;

	mutex_lock(&rcm_mutex);
	id = list_first_entry_or_null(ids, struct rcm_id, on_dev);
	if (id) {
		list_del_init(&id->on_dev);
		rcm_id_get(id);
	}
	mutex_unlock(&rcm_mutex);
	return id;
}

/* Return: the device, referenced, which takes no more of them; or NULL. */
static struct rcm_dev *take_programs(struct ib_device *device,
				     struct list_head *ids)
{
	struct rcm_id *id, *next;
	struct rcm_dev *cdev;

	mutex_lock(&rcm_mutex);
	cdev = rcm_dev_of_locked(device);
	if (cdev) {
		refcount_inc(&cdev->refs);
		cdev->closing = true;
		list_for_each_entry_safe(id, next, &cdev->ids, on_dev)
			if (!rdma_is_kernel_res(&id->res.tracked.entry))
				list_move_tail(&id->on_dev, ids);
	}
	mutex_unlock(&rcm_mutex);
	return cdev;
}

/**
 * ofed_cma_close_to_programs - a device goes, and programs hear of it
 * @device: device; it is not used by an id of a program again
 *
 * Each id of a program gets DEVICE_REMOVAL. For a client that is told before
 * that of uverbs, which may wait until programs have closed the device:
 * rdma_cm's own client, one of the first, is told after it.
 *
 * Context: process, may sleep; in remove() of a client.
 */
void ofed_cma_close_to_programs(struct ib_device *device)
{
	struct rcm_dev *cdev;
	struct rcm_id *id;
	LIST_HEAD(ids);

	cdev = take_programs(device, &ids);
	if (!cdev)
		return;
	while ((id = take_one_id(&ids)))
		rcm_id_removed_put(id);
	rcm_dev_put(cdev);
}
EXPORT_SYMBOL_GPL(ofed_cma_close_to_programs);

/*
 * First the device is taken off the list, so that look-ups do not find it. Then
 * its listens end; until they have, they may still add ids to it. Then the ids
 * are told. Their consumers destroy them, and the last one drops the last
 * reference.
 */
static void remove_device(struct ib_device *device, void *client_data)
{
	struct rcm_dev *cdev;
	struct rcm_id *id;

	trace_cm_remove_one(device);
	mutex_lock(&rcm_mutex);
	cdev = rcm_dev_of_locked(device);
	if (cdev) {
		list_del(&cdev->list);
		cdev->gone = true;
	}
	mutex_unlock(&rcm_mutex);
	if (WARN_ON(!cdev))
		return;

	rcm_listeners_off_device(cdev);
	while ((id = take_one_id(&cdev->ids)))
		rcm_id_removed_put(id);

	rcm_dev_put(cdev);
	wait_for_completion(&cdev->unused);
	kfree(cdev);
}

static struct ib_client client = {
	.name = "cma",
	.add = add_device,
	.remove = remove_device,
};

/* Without device and configfs, which may call us as soon as they are there. */
static int start_inner_parts(void)
{
	int ret;

	rcm_wq = alloc_workqueue("ofed_rdma_cm", WQ_MEM_RECLAIM | WQ_UNBOUND,
				 0);
	if (!rcm_wq)
		return -ENOMEM;
	ret = rcm_ports_init();
	if (ret)
		goto err_wq;
	ret = rcm_netdev_init();
	if (ret)
		goto err_ports;
	ib_sa_register_client(&rcm_sa_client);
	return 0;

err_ports:
	rcm_ports_exit();
err_wq:
	destroy_workqueue(rcm_wq);
	return ret;
}

static void stop_inner_parts(void)
{
	ib_sa_unregister_client(&rcm_sa_client);
	rcm_netdev_exit();
	rcm_ports_exit();
	destroy_workqueue(rcm_wq);
}

/**
 * ofed_cma_init - start rdma_cm
 *
 * Return: 0 or an errno.
 */
int ofed_cma_init(void)
{
	int ret = start_inner_parts();

	if (ret)
		return ret;
	ret = ib_register_client(&client);
	if (ret)
		goto err_inner;
	ret = rcm_configfs_init();
	if (ret)
		goto err_client;
	return 0;

err_client:
	ib_unregister_client(&client);
err_inner:
	stop_inner_parts();
	return ret;
}

/**
 * ofed_cma_exit - end rdma_cm
 *
 * All ids have been destroyed: their owners used symbols of this module.
 */
void ofed_cma_exit(void)
{
	rcm_configfs_exit();
	ib_unregister_client(&client);
	stop_inner_parts();
}
