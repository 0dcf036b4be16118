// SPDX-License-Identifier: GPL-2.0
/*
 * The rdma cgroup controller. A device is one resource pool; an object is
 * charged to the cgroup of its creator, which the object remembers until it is
 * given back.
 */
#include <linux/export.h>
#include <ofed/cgroup.h>

#include "counters.h"

#ifdef CONFIG_CGROUP_RDMA

int ofed_cg_register_device(struct ib_device *device)
{
	/* Not dev_name(): a rename frees its string. */
	device->cg_device.name = device->name;
	rdmacg_register_device(&device->cg_device);
	return 0;
}

void ofed_cg_unregister_device(struct ib_device *device)
{
	rdmacg_unregister_device(&device->cg_device);
}

/**
 * ofed_cg_charge - charge an object to the current task's cgroup
 * @cg_obj: out: remembers the cgroup, with a reference
 * @device: device of the object
 * @type: RDMACG_RESOURCE_HCA_HANDLE or _HCA_OBJECT
 *
 * Context: process, may sleep.
 * Return: 0, -EAGAIN (the cgroup's limit is reached), -ENOMEM.
 */
int ofed_cg_charge(struct ib_rdmacg_object *cg_obj, struct ib_device *device,
		   enum rdmacg_resource_type type)
{
	return rdmacg_try_charge(&cg_obj->cg, &device->cg_device, type);
}
EXPORT_SYMBOL_GPL(ofed_cg_charge);

/**
 * ofed_cg_uncharge - give a charge back
 * @cg_obj: object charged by ofed_cg_charge()
 * @device: device of the object
 * @type: the type it was charged with
 *
 * A second call does nothing. Context: process, may sleep; any task.
 */
void ofed_cg_uncharge(struct ib_rdmacg_object *cg_obj,
		      struct ib_device *device, enum rdmacg_resource_type type)
{
	if (!cg_obj->cg)
		return;
	rdmacg_uncharge(cg_obj->cg, &device->cg_device, type);
	cg_obj->cg = NULL;
}
EXPORT_SYMBOL_GPL(ofed_cg_uncharge);

#else

int ofed_cg_register_device(struct ib_device *device)
{
	return 0;
}

void ofed_cg_unregister_device(struct ib_device *device)
{
}

int ofed_cg_charge(struct ib_rdmacg_object *cg_obj, struct ib_device *device,
		   enum rdmacg_resource_type type)
{
	return 0;
}
EXPORT_SYMBOL_GPL(ofed_cg_charge);

void ofed_cg_uncharge(struct ib_rdmacg_object *cg_obj,
		      struct ib_device *device, enum rdmacg_resource_type type)
{
}
EXPORT_SYMBOL_GPL(ofed_cg_uncharge);

#endif /* CONFIG_CGROUP_RDMA */
