// SPDX-License-Identifier: GPL-2.0
/* Device memory. */
#include <ofed/refuse.h>

#include "std.h"

static int uv_dm_destroy(struct ib_uobject *uobj, enum rdma_remove_reason why,
			 struct uverbs_attr_bundle *attrs)
{
	struct ib_dm *dm = uobj->object;

	/* Regions are made of it. */
	if (atomic_read(&dm->usecnt))
		return ofed_refuse_busy(dm->device, "device memory",
					&dm->usecnt);
	return dm->device->ops.dealloc_dm(dm, attrs);
}

UV_OBJ_TYPE(uv_type_dm, UVERBS_OBJECT_DM, struct ib_uobject, uv_dm_destroy,
	    dealloc_dm);

static int UVERBS_HANDLER(UVERBS_METHOD_DM_ALLOC)(
	struct uverbs_attr_bundle *attrs)
{
	struct ib_uobject *uobj =
		uverbs_attr_get_uobject(attrs, UVERBS_ATTR_ALLOC_DM_HANDLE);
	struct ib_device *device = uobj->context->device;
	struct ib_dm_alloc_attr attr = {};
	struct ib_dm *dm;
	int ret;

	if (!device->ops.alloc_dm)
		return ofed_refuse_op(device, "alloc_dm");
	ret = uverbs_copy_from(&attr.length, attrs,
			       UVERBS_ATTR_ALLOC_DM_LENGTH) ?:
	      uverbs_copy_from(&attr.alignment, attrs,
			       UVERBS_ATTR_ALLOC_DM_ALIGNMENT);
	if (ret)
		return ret;
	dm = device->ops.alloc_dm(device, uobj->context, &attr, attrs);
	if (IS_ERR(dm))
		return PTR_ERR(dm);

	atomic_set(&dm->usecnt, 0);
	dm->device = device;
	dm->length = attr.length;
	dm->uobject = uobj;
	uobj->object = dm;
	uverbs_finalize_uobj_create(attrs, UVERBS_ATTR_ALLOC_DM_HANDLE);
	return 0;
}

DECLARE_UVERBS_NAMED_METHOD(UVERBS_METHOD_DM_ALLOC,
	UV_MAKES(UVERBS_ATTR_ALLOC_DM_HANDLE, UVERBS_OBJECT_DM),
	UV_GIVEN(UVERBS_ATTR_ALLOC_DM_ALIGNMENT, u32),
	UV_GIVEN(UVERBS_ATTR_ALLOC_DM_LENGTH, u64));

DECLARE_UVERBS_NAMED_METHOD_DESTROY(UVERBS_METHOD_DM_FREE,
	UV_ENDS(UVERBS_ATTR_FREE_DM_HANDLE, UVERBS_OBJECT_DM));

DECLARE_UVERBS_GLOBAL_METHODS(UVERBS_OBJECT_DM,
	&UVERBS_METHOD(UVERBS_METHOD_DM_ALLOC),
	&UVERBS_METHOD(UVERBS_METHOD_DM_FREE));

UV_DEF(uv_def_dm, UVERBS_OBJECT_DM);
