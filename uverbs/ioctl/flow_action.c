// SPDX-License-Identifier: GPL-2.0
/*
 * What steering rules do to packets besides delivering them. The actions of
 * the standard were those of IPsec, which drivers no longer have; what is left
 * is the end of those that a driver's own methods make.
 */
#include <ofed/refuse.h>

#include "std.h"

static int uv_action_destroy(struct ib_uobject *uobj, enum rdma_remove_reason why,
			     struct uverbs_attr_bundle *attrs)
{
	struct ib_flow_action *action = uobj->object;

	if (atomic_read(&action->usecnt))
		return ofed_refuse_busy(action->device, "flow action",
					&action->usecnt);
	return action->device->ops.destroy_flow_action(action);
}

UV_OBJ_TYPE(uv_type_flow_action, UVERBS_OBJECT_FLOW_ACTION, struct ib_uobject,
	    uv_action_destroy, destroy_flow_action);

UV_DEF_DESTROY(uv_def_flow_action, UVERBS_OBJECT_FLOW_ACTION,
	       UVERBS_METHOD_FLOW_ACTION_DESTROY,
	       UVERBS_ATTR_DESTROY_FLOW_ACTION_HANDLE);
