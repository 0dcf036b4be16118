// SPDX-License-Identifier: GPL-2.0
/* rdma_cm: its start and end, and the devices that come and go. */
#include <linux/slab.h>
#include <ofed/cma.h>

#include "../../port/gid.h"
#include "cma.h"
#include "trace.h"

/* That of the next device; under cma_mutex. */
static u64 next_seq;

static u8 cma_preferred_gid_type(struct ib_device *device, u32 port)
{
	unsigned long mask = ofed_gid_type_mask(device, port);

	if (mask & BIT(IB_GID_TYPE_ROCE_UDP_ENCAP))
		return IB_GID_TYPE_ROCE_UDP_ENCAP;
	return __ffs(mask);
}

static int cma_add_device(struct ib_device *device)
{
	u32 count = rdma_end_port(device) - rdma_start_port(device) + 1;
	struct cma_dev *cdev;
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
		cma_port_config(cdev, port)->gid_type =
			cma_preferred_gid_type(device, port);

	mutex_lock(&cma_listen_mutex);
	mutex_lock(&cma_mutex);
	cdev->seq = next_seq++;
	list_add_tail(&cdev->list, &cma_devices);
	mutex_unlock(&cma_mutex);
	cma_listen_on_new_device(cdev, &doomed);
	mutex_unlock(&cma_listen_mutex);
	cma_end_listeners(&doomed);
	trace_cm_add_one(device);
	return 0;
}

/* An id that ends meanwhile leaves @ids by itself. */
static struct cma_id *cma_take_one_id(struct list_head *ids)
{
	struct cma_id *id;

	mutex_lock(&cma_mutex);
	id = list_first_entry_or_null(ids, struct cma_id, on_dev);
	if (id) {
		list_del_init(&id->on_dev);
		cma_id_get(id);
	}
	mutex_unlock(&cma_mutex);
	return id;
}

/* Return: the device, referenced, which takes no more of them; or NULL. */
static struct cma_dev *cma_take_programs(struct ib_device *device,
					 struct list_head *ids)
{
	struct cma_id *id, *next;
	struct cma_dev *cdev;

	mutex_lock(&cma_mutex);
	cdev = cma_dev_of_locked(device);
	if (cdev) {
		refcount_inc(&cdev->refs);
		cdev->closing = true;
		list_for_each_entry_safe(id, next, &cdev->ids, on_dev)
			if (!rdma_is_kernel_res(&id->res.tracked.entry))
				list_move_tail(&id->on_dev, ids);
	}
	mutex_unlock(&cma_mutex);
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
	struct cma_dev *cdev;
	struct cma_id *id;
	LIST_HEAD(ids);

	cdev = cma_take_programs(device, &ids);
	if (!cdev)
		return;
	while ((id = cma_take_one_id(&ids)))
		cma_id_removed_put(id);
	cma_dev_put(cdev);
}
EXPORT_SYMBOL_GPL(ofed_cma_close_to_programs);

/*
 * First the device is taken off the list, so that look-ups do not find it. Then
 * its listens end; until they have, they may still add ids to it. Then the ids
 * are told. Their consumers destroy them, and the last one drops the last
 * reference.
 */
static void cma_remove_device(struct ib_device *device, void *client_data)
{
	struct cma_dev *cdev;
	struct cma_id *id;

	trace_cm_remove_one(device);
	mutex_lock(&cma_mutex);
	cdev = cma_dev_of_locked(device);
	if (cdev) {
		list_del(&cdev->list);
		cdev->gone = true;
	}
	mutex_unlock(&cma_mutex);
	if (WARN_ON(!cdev))
		return;

	cma_listeners_off_device(cdev);
	while ((id = cma_take_one_id(&cdev->ids)))
		cma_id_removed_put(id);

	cma_dev_put(cdev);
	wait_for_completion(&cdev->unused);
	kfree(cdev);
}

static struct ib_client client = {
	.name = "cma",
	.add = cma_add_device,
	.remove = cma_remove_device,
};

/* Without device and configfs, which may call us as soon as they are there. */
static int cma_start_inner_parts(void)
{
	int ret;

	cma_wq = alloc_workqueue("ofed_rdma_cm", WQ_MEM_RECLAIM | WQ_UNBOUND,
				 0);
	if (!cma_wq)
		return -ENOMEM;
	ret = cma_ports_init();
	if (ret)
		goto err_wq;
	ret = cma_netdev_init();
	if (ret)
		goto err_ports;
	ib_sa_register_client(&cma_sa_client);
	return 0;

err_ports:
	cma_ports_exit();
err_wq:
	destroy_workqueue(cma_wq);
	return ret;
}

static void cma_stop_inner_parts(void)
{
	ib_sa_unregister_client(&cma_sa_client);
	cma_netdev_exit();
	cma_ports_exit();
	destroy_workqueue(cma_wq);
}

/**
 * ofed_cma_init - start rdma_cm
 *
 * Return: 0 or an errno.
 */
int ofed_cma_init(void)
{
	int ret;

	cma_res_start();
	ret = cma_start_inner_parts();
	if (ret)
		return ret;
	ret = ib_register_client(&client);
	if (ret)
		goto err_inner;
	ret = cma_configfs_init();
	if (ret)
		goto err_client;
	return 0;

err_client:
	ib_unregister_client(&client);
err_inner:
	cma_stop_inner_parts();
	return ret;
}

/**
 * ofed_cma_exit - end rdma_cm
 *
 * All ids have been destroyed: their owners used symbols of this module.
 */
void ofed_cma_exit(void)
{
	cma_configfs_exit();
	ib_unregister_client(&client);
	cma_stop_inner_parts();
}
