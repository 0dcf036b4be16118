// SPDX-License-Identifier: GPL-2.0
/* Commands on protection domains. */
#include <ofed/restrack.h>
#include <ofed/verbs.h>

#include "cmd.h"

static int uv_pd_destroy(struct ib_uobject *uobj, enum rdma_remove_reason why,
			 struct uverbs_attr_bundle *attrs)
{
	return ib_dealloc_pd_user(uobj->object, &attrs->driver_udata);
}

static void uv_pd_hide(struct ib_uobject *uobj)
{
	struct ib_pd *pd = uobj->object;

	ofed_restrack_del(&pd->res);
}

UV_OBJ_TYPE(uv_type_pd, UVERBS_OBJECT_PD, struct ib_uobject, uv_pd_destroy,
	    dealloc_pd, .hide = uv_pd_hide, .forget = uv_uobj_forget);

int uv_alloc_pd(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_alloc_pd_resp resp = {};
	struct ib_uverbs_alloc_pd cmd;
	struct ib_uobject *uobj;
	struct ib_pd *pd;
	int ret;

	ret = uv_request(attrs, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	uobj = uv_uobj_begin(&uv_type_pd, attrs);
	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	attrs->uobject = uobj;

	pd = ofed_alloc_user_pd(uobj->context->device, uobj,
				&attrs->driver_udata);
	if (IS_ERR(pd))
		return PTR_ERR(pd);
	uobj->object = pd;
	resp.pd_handle = uobj->id;
	return uv_reply(attrs, &resp, sizeof(resp));
}

int uv_dealloc_pd(struct uverbs_attr_bundle *attrs)
{
	return uv_destroy_request(&uv_type_pd, attrs);
}
