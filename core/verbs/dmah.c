// SPDX-License-Identifier: GPL-2.0
/*
 * DMA handles: hints of PCI (TLP processing hints) for the DMA of regions, as to which processor's
 * cache the data is for.
 */
#include <ofed/dmah.h>
#include <ofed/refuse.h>
#include <ofed/restrack.h>
#include <rdma/ib_verbs.h>

/**
 * ofed_alloc_dmah - make a DMA handle for a user
 * @device: device
 * @uobject: of the handle
 * @hints: cpu_id, mem_type, ph and valid_fields of it are taken
 * @attrs: of the command
 *
 * Context: process, may sleep.
 *
 * Return: the handle, or -EOPNOTSUPP (driver has none), -ENOMEM, or the driver's errno.
 */
struct ib_dmah *ofed_alloc_dmah(struct ib_device *device, struct ib_uobject *uobject,
				const struct ib_dmah *hints, struct uverbs_attr_bundle *attrs)
{
	struct ib_dmah *dmah;
	int ret;

	if (!device->ops.alloc_dmah)
		return ERR_PTR(ofed_refuse_op(device, "alloc_dmah"));
	dmah = rdma_zalloc_drv_obj_gfp(device, ib_dmah, GFP_KERNEL_ACCOUNT);
	if (!dmah)
		return ERR_PTR(-ENOMEM);
	dmah->device = device;
	dmah->uobject = uobject;
	dmah->cpu_id = hints->cpu_id;
	dmah->mem_type = hints->mem_type;
	dmah->ph = hints->ph;
	dmah->valid_fields = hints->valid_fields;
	atomic_set(&dmah->usecnt, 0);
	ofed_restrack_new(&dmah->res, RDMA_RESTRACK_DMAH);
	ofed_restrack_set_name(&dmah->res, NULL);
	ret = device->ops.alloc_dmah(dmah, attrs);
	if (ret) {
		rdma_restrack_put(&dmah->res);
		kfree(dmah);
		return ERR_PTR(ret);
	}
	ofed_restrack_add(&dmah->res);
	return dmah;
}
EXPORT_SYMBOL_GPL(ofed_alloc_dmah);

/**
 * ofed_dealloc_dmah - free a DMA handle
 * @dmah: the handle; freed on success
 * @attrs: of the command
 *
 * Context: process, may sleep.
 *
 * Return: 0, -EBUSY (a region has it), or the driver's errno: then it lives on.
 */
int ofed_dealloc_dmah(struct ib_dmah *dmah, struct uverbs_attr_bundle *attrs)
{
	int ret;

	if (atomic_read(&dmah->usecnt))
		return ofed_refuse_busy(dmah->device, "DMA handle", &dmah->usecnt);
	ofed_restrack_begin_del(&dmah->res);
	ret = dmah->device->ops.dealloc_dmah(dmah, attrs);
	if (ret) {
		ofed_restrack_abort_del(&dmah->res);
		return ret;
	}
	ofed_restrack_commit_del(&dmah->res);
	kfree(dmah);
	return 0;
}
EXPORT_SYMBOL_GPL(ofed_dealloc_dmah);
