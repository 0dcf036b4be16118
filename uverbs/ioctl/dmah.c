// SPDX-License-Identifier: GPL-2.0
/* DMA handles, and regions that have one. */
#include <linux/cpumask.h>
#include <linux/sched.h>
#include <ofed/dmah.h>
#include <ofed/refuse.h>
#include <ofed/verbs.h>

#include "std.h"

static int uv_dmah_destroy(struct ib_uobject *uobj, enum rdma_remove_reason why,
			   struct uverbs_attr_bundle *attrs)
{
	return ofed_dealloc_dmah(uobj->object, attrs);
}

UV_OBJ_TYPE(uv_type_dmah, UVERBS_OBJECT_DMAH, struct ib_uobject, uv_dmah_destroy, dealloc_dmah,
	    .forget = uv_uobj_forget);

/* A processor that the program may run on. */
static int uv_dmah_cpu(struct ib_dmah *hints, struct uverbs_attr_bundle *attrs)
{
	const u16 id = UVERBS_ATTR_ALLOC_DMAH_CPU_ID;
	int ret;

	if (!uverbs_attr_is_valid(attrs, id))
		return 0;
	ret = uverbs_copy_from(&hints->cpu_id, attrs, id);
	if (ret)
		return ret;
	if (hints->cpu_id >= nr_cpu_ids)
		return uv_refuse(attrs->ufile, -EINVAL, "alloc_dmah: processor %u", hints->cpu_id);
	if (!cpumask_test_cpu(hints->cpu_id, current->cpus_ptr))
		return uv_refuse(attrs->ufile, -EPERM, "alloc_dmah: processor %u", hints->cpu_id);
	hints->valid_fields |= BIT(IB_DMAH_CPU_ID_EXISTS);
	return 0;
}

static int uv_dmah_mem_type(struct ib_dmah *hints, struct uverbs_attr_bundle *attrs)
{
	const u16 id = UVERBS_ATTR_ALLOC_DMAH_TPH_MEM_TYPE;
	int type;

	if (!uverbs_attr_is_valid(attrs, id))
		return 0;
	type = uverbs_attr_get_enum_id(attrs, id);
	if (type < 0)
		return type;
	hints->mem_type = type;
	hints->valid_fields |= BIT(IB_DMAH_MEM_TYPE_EXISTS);
	return 0;
}

/* PCI Express 6.2, 2.2.7.1.1: a processing hint has two bits. */
static int uv_dmah_ph(struct ib_dmah *hints, struct uverbs_attr_bundle *attrs)
{
	const u16 id = UVERBS_ATTR_ALLOC_DMAH_PH;
	int ret;

	if (!uverbs_attr_is_valid(attrs, id))
		return 0;
	ret = uverbs_copy_from(&hints->ph, attrs, id);
	if (ret)
		return ret;
	if (hints->ph > 3)
		return uv_refuse(attrs->ufile, -EINVAL, "alloc_dmah: hint %u", hints->ph);
	hints->valid_fields |= BIT(IB_DMAH_PH_EXISTS);
	return 0;
}

static int UVERBS_HANDLER(UVERBS_METHOD_DMAH_ALLOC)(
	struct uverbs_attr_bundle *attrs)
{
	struct ib_uobject *uobj =
		uverbs_attr_get_uobject(attrs, UVERBS_ATTR_ALLOC_DMAH_HANDLE);
	struct ib_dmah hints = {}, *dmah;
	int ret;

	ret = uv_dmah_cpu(&hints, attrs) ?: uv_dmah_mem_type(&hints, attrs) ?:
	      uv_dmah_ph(&hints, attrs);
	if (ret)
		return ret;
	dmah = ofed_alloc_dmah(uobj->context->device, uobj, &hints, attrs);
	if (IS_ERR(dmah))
		return PTR_ERR(dmah);
	uobj->object = dmah;
	uverbs_finalize_uobj_create(attrs, UVERBS_ATTR_ALLOC_DMAH_HANDLE);
	return 0;
}

/* The type is all that the attribute has. */
static const struct uverbs_attr_spec uv_dmah_mem_types[] = {
	[TPH_MEM_TYPE_VM] = { .type = UVERBS_ATTR_TYPE_PTR_IN, UVERBS_ATTR_NO_DATA() },
	[TPH_MEM_TYPE_PM] = { .type = UVERBS_ATTR_TYPE_PTR_IN, UVERBS_ATTR_NO_DATA() },
};

DECLARE_UVERBS_NAMED_METHOD(UVERBS_METHOD_DMAH_ALLOC,
	UV_MAKES(UVERBS_ATTR_ALLOC_DMAH_HANDLE, UVERBS_OBJECT_DMAH),
	UV_GIVEN_OPT(UVERBS_ATTR_ALLOC_DMAH_CPU_ID, u32),
	UVERBS_ATTR_ENUM_IN(UVERBS_ATTR_ALLOC_DMAH_TPH_MEM_TYPE, uv_dmah_mem_types, UA_OPTIONAL),
	UV_GIVEN_OPT(UVERBS_ATTR_ALLOC_DMAH_PH, u8));

DECLARE_UVERBS_NAMED_METHOD_DESTROY(UVERBS_METHOD_DMAH_FREE,
	UV_ENDS(UVERBS_ATTR_FREE_DMA_HANDLE, UVERBS_OBJECT_DMAH));

DECLARE_UVERBS_GLOBAL_METHODS(UVERBS_OBJECT_DMAH,
	&UVERBS_METHOD(UVERBS_METHOD_DMAH_ALLOC),
	&UVERBS_METHOD(UVERBS_METHOD_DMAH_FREE));

/* Regions of all kinds by one method: of the program's memory, or of a dma-buf. */

/**
 * struct uv_reg_mr - what a region is made of
 * @start: address, or offset in the dma-buf
 * @length: bytes
 * @iova: address that work requests use for it
 * @access: enum ib_access_flags
 * @is_dmabuf: it is of a dma-buf
 * @fd: of the dma-buf
 * @dmah: DMA handle, or NULL
 */
struct uv_reg_mr {
	u64 start;
	u64 length;
	u64 iova;
	u32 access;
	bool is_dmabuf;
	int fd;
	struct ib_dmah *dmah;
};

static int uv_reg_mr_start(struct uv_reg_mr *mr, const struct ib_device *device,
			   struct uverbs_attr_bundle *attrs)
{
	bool offset = uverbs_attr_is_valid(attrs, UVERBS_ATTR_REG_MR_FD_OFFSET);
	bool addr = uverbs_attr_is_valid(attrs, UVERBS_ATTR_REG_MR_ADDR);
	int ret;

	mr->is_dmabuf = uverbs_attr_is_valid(attrs, UVERBS_ATTR_REG_MR_FD);
	/* Said before anything that is asked for is judged. */
	if (mr->is_dmabuf && !device->ops.reg_user_mr_dmabuf)
		return ofed_refuse_op(device, "reg_user_mr_dmabuf");
	if (mr->is_dmabuf != offset || mr->is_dmabuf == addr)
		return uv_refuse(attrs->ufile, -EINVAL,
				 "reg_mr: an address, or an offset in a dma-buf, is wanted");
	if (!mr->is_dmabuf)
		return uverbs_copy_from(&mr->start, attrs, UVERBS_ATTR_REG_MR_ADDR);
	ret = uverbs_get_raw_fd(&mr->fd, attrs, UVERBS_ATTR_REG_MR_FD);
	return ret ?: uverbs_copy_from(&mr->start, attrs, UVERBS_ATTR_REG_MR_FD_OFFSET);
}

static int uv_reg_mr_parse(struct uv_reg_mr *mr, const struct ib_device *device,
			   struct uverbs_attr_bundle *attrs)
{
	struct ib_uobject *dmah = uv_attr_uobject(attrs, UVERBS_ATTR_REG_MR_DMA_HANDLE);
	int ret;

	mr->dmah = dmah ? dmah->object : NULL;
	ret = uv_reg_mr_start(mr, device, attrs) ?:
	      uverbs_copy_from(&mr->length, attrs, UVERBS_ATTR_REG_MR_LENGTH) ?:
	      uverbs_copy_from(&mr->iova, attrs, UVERBS_ATTR_REG_MR_IOVA);
	return ret ?: uv_get_access(&mr->access, attrs, UVERBS_ATTR_REG_MR_ACCESS_FLAGS,
				    IB_ACCESS_SUPPORTED);
}

static int UVERBS_HANDLER(UVERBS_METHOD_REG_MR)(
	struct uverbs_attr_bundle *attrs)
{
	struct ib_uobject *uobj =
		uverbs_attr_get_uobject(attrs, UVERBS_ATTR_REG_MR_HANDLE);
	struct ib_pd *pd =
		uverbs_attr_get_obj(attrs, UVERBS_ATTR_REG_MR_PD_HANDLE);
	struct uv_reg_mr wanted = {};
	struct ib_mr *mr;
	int ret;

	ret = uv_reg_mr_parse(&wanted, pd->device, attrs);
	if (ret)
		return ret;
	if (wanted.is_dmabuf)
		mr = ofed_reg_dmabuf_mr(pd, wanted.start, wanted.length, wanted.iova, wanted.fd,
					wanted.access, wanted.dmah, uobj, attrs);
	else
		mr = ofed_reg_user_mr(pd, wanted.start, wanted.length, wanted.iova, wanted.access,
				      wanted.dmah, uobj, &attrs->driver_udata);
	if (IS_ERR(mr))
		return PTR_ERR(mr);
	uobj->object = mr;
	uverbs_finalize_uobj_create(attrs, UVERBS_ATTR_REG_MR_HANDLE);
	return uv_answer(attrs, UVERBS_ATTR_REG_MR_RESP_LKEY, &mr->lkey) ?:
	       uv_answer(attrs, UVERBS_ATTR_REG_MR_RESP_RKEY, &mr->rkey);
}

DECLARE_UVERBS_NAMED_METHOD(UVERBS_METHOD_REG_MR,
	UV_MAKES(UVERBS_ATTR_REG_MR_HANDLE, UVERBS_OBJECT_MR),
	UV_USES(UVERBS_ATTR_REG_MR_PD_HANDLE, UVERBS_OBJECT_PD),
	UV_USES_OPT(UVERBS_ATTR_REG_MR_DMA_HANDLE, UVERBS_OBJECT_DMAH),
	UV_GIVEN(UVERBS_ATTR_REG_MR_IOVA, u64),
	UV_GIVEN(UVERBS_ATTR_REG_MR_LENGTH, u64),
	UVERBS_ATTR_FLAGS_IN(UVERBS_ATTR_REG_MR_ACCESS_FLAGS, enum ib_access_flags, UA_MANDATORY),
	UV_GIVEN_OPT(UVERBS_ATTR_REG_MR_ADDR, u64),
	UV_GIVEN_OPT(UVERBS_ATTR_REG_MR_FD_OFFSET, u64),
	UVERBS_ATTR_RAW_FD(UVERBS_ATTR_REG_MR_FD, UA_OPTIONAL),
	UV_ANSWER(UVERBS_ATTR_REG_MR_RESP_LKEY, u32),
	UV_ANSWER(UVERBS_ATTR_REG_MR_RESP_RKEY, u32),
	UVERBS_ATTR_UHW());

ADD_UVERBS_METHODS(uv_reg_mr_tree, UVERBS_OBJECT_MR, &UVERBS_METHOD(UVERBS_METHOD_REG_MR));

const struct uapi_definition uv_def_dmah[] = {
	UAPI_DEF_CHAIN_OBJ_TREE_NAMED(UVERBS_OBJECT_DMAH),
	UAPI_DEF_CHAIN_OBJ_TREE(UVERBS_OBJECT_MR, &uv_reg_mr_tree),
	{}
};
