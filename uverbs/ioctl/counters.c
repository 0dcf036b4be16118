// SPDX-License-Identifier: GPL-2.0
/* Counters that a program makes, and binds to steering rules by CREATE_FLOW. */
#include <linux/slab.h>
#include <ofed/refuse.h>

#include "std.h"

static int uv_counters_destroy(struct ib_uobject *uobj,
			       enum rdma_remove_reason why,
			       struct uverbs_attr_bundle *attrs)
{
	struct ib_counters *counters = uobj->object;
	int ret;

	if (atomic_read(&counters->usecnt))
		return ofed_refuse_busy(counters->device, "counters",
					&counters->usecnt);
	ret = counters->device->ops.destroy_counters(counters);
	if (!ret)
		kfree(counters);
	return ret;
}

UV_OBJ_TYPE(uv_type_counters, UVERBS_OBJECT_COUNTERS, struct ib_uobject,
	    uv_counters_destroy, destroy_counters, .forget = uv_uobj_forget);

static int UVERBS_HANDLER(UVERBS_METHOD_COUNTERS_CREATE)(
	struct uverbs_attr_bundle *attrs)
{
	struct ib_uobject *uobj =
		uverbs_attr_get_uobject(attrs,
					UVERBS_ATTR_CREATE_COUNTERS_HANDLE);
	struct ib_device *device = uobj->context->device;
	struct ib_counters *counters;
	int ret;

	if (!device->ops.create_counters)
		return ofed_refuse_op(device, "create_counters");
	counters = rdma_zalloc_drv_obj_gfp(device, ib_counters, GFP_KERNEL_ACCOUNT);
	if (!counters)
		return -ENOMEM;
	atomic_set(&counters->usecnt, 0);
	counters->device = device;
	counters->uobject = uobj;
	ret = device->ops.create_counters(counters, attrs);
	if (ret) {
		kfree(counters);
		return ret;
	}
	uobj->object = counters;
	uverbs_finalize_uobj_create(attrs, UVERBS_ATTR_CREATE_COUNTERS_HANDLE);
	return 0;
}

static int UVERBS_HANDLER(UVERBS_METHOD_COUNTERS_READ)(
	struct uverbs_attr_bundle *attrs)
{
	const u16 buffer = UVERBS_ATTR_READ_COUNTERS_BUFF;
	struct ib_counters *counters =
		uverbs_attr_get_obj(attrs, UVERBS_ATTR_READ_COUNTERS_HANDLE);
	struct ib_counters_read_attr to = {};
	int ret;

	if (!counters->device->ops.read_counters)
		return ofed_refuse_op(counters->device, "read_counters");
	/* Nothing counts yet. */
	if (!atomic_read(&counters->usecnt))
		return ofed_refuse(counters->device, -EINVAL,
				   "nothing counts yet");
	ret = uverbs_get_flags32(&to.flags, attrs,
				 UVERBS_ATTR_READ_COUNTERS_FLAGS,
				 IB_UVERBS_READ_COUNTERS_PREFER_CACHED);
	if (ret)
		return ret;
	ret = uverbs_attr_get_len(attrs, buffer);
	if (ret < 0)
		return ret;
	to.ncounters = ret / sizeof(*to.counters_buff);
	to.counters_buff = uverbs_kcalloc(attrs, to.ncounters,
					  sizeof(*to.counters_buff));
	if (IS_ERR(to.counters_buff))
		return PTR_ERR(to.counters_buff);
	ret = counters->device->ops.read_counters(counters, &to, attrs);
	return ret ?: uverbs_copy_to(attrs, buffer, to.counters_buff,
				     to.ncounters *
				     sizeof(*to.counters_buff));
}

DECLARE_UVERBS_NAMED_METHOD(UVERBS_METHOD_COUNTERS_CREATE,
	UV_MAKES(UVERBS_ATTR_CREATE_COUNTERS_HANDLE, UVERBS_OBJECT_COUNTERS));

DECLARE_UVERBS_NAMED_METHOD(UVERBS_METHOD_COUNTERS_READ,
	UV_USES(UVERBS_ATTR_READ_COUNTERS_HANDLE, UVERBS_OBJECT_COUNTERS),
	UVERBS_ATTR_FLAGS_IN(UVERBS_ATTR_READ_COUNTERS_FLAGS,
			     enum ib_uverbs_read_counters_flags),
	UVERBS_ATTR_PTR_OUT(UVERBS_ATTR_READ_COUNTERS_BUFF,
			    UVERBS_ATTR_MIN_SIZE(0), UA_MANDATORY));

DECLARE_UVERBS_NAMED_METHOD_DESTROY(UVERBS_METHOD_COUNTERS_DESTROY,
	UV_ENDS(UVERBS_ATTR_DESTROY_COUNTERS_HANDLE, UVERBS_OBJECT_COUNTERS));

DECLARE_UVERBS_GLOBAL_METHODS(UVERBS_OBJECT_COUNTERS,
	&UVERBS_METHOD(UVERBS_METHOD_COUNTERS_CREATE),
	&UVERBS_METHOD(UVERBS_METHOD_COUNTERS_READ),
	&UVERBS_METHOD(UVERBS_METHOD_COUNTERS_DESTROY));

UV_DEF(uv_def_counters, UVERBS_OBJECT_COUNTERS);
