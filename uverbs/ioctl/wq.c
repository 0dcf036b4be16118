// SPDX-License-Identifier: GPL-2.0
/* Methods of work queues. */
#include "std.h"

static int uv_do_wq_params(struct uv_wq_params *params,
			   struct uverbs_attr_bundle *attrs)
{
	const u64 flags = IB_UVERBS_WQ_FLAGS_CVLAN_STRIPPING |
			  IB_UVERBS_WQ_FLAGS_SCATTER_FCS |
			  IB_UVERBS_WQ_FLAGS_DELAY_DROP |
			  IB_UVERBS_WQ_FLAGS_PCI_WRITE_END_PADDING;
	struct ib_wq_init_attr *init = &params->init;

	params->pd = uverbs_attr_get_obj(attrs,
					 UVERBS_ATTR_CREATE_WQ_PD_HANDLE);
	params->async = uv_attr_async(attrs, UVERBS_ATTR_CREATE_WQ_EVENT_FD);
	init->cq = uverbs_attr_get_obj(attrs, UVERBS_ATTR_CREATE_WQ_CQ_HANDLE);
	return uverbs_copy_from(&params->user_handle, attrs,
				UVERBS_ATTR_CREATE_WQ_USER_HANDLE) ?:
	       uverbs_copy_from(&init->max_wr, attrs,
				UVERBS_ATTR_CREATE_WQ_MAX_WR) ?:
	       uverbs_copy_from(&init->max_sge, attrs,
				UVERBS_ATTR_CREATE_WQ_MAX_SGE) ?:
	       uverbs_get_flags32(&init->create_flags, attrs,
				  UVERBS_ATTR_CREATE_WQ_FLAGS, flags) ?:
	       uverbs_get_const(&init->wq_type, attrs,
				UVERBS_ATTR_CREATE_WQ_TYPE);
}

static int UVERBS_HANDLER(UVERBS_METHOD_WQ_CREATE)(
	struct uverbs_attr_bundle *attrs)
{
	struct uv_wq_params params = {};
	struct ib_uobject *uobj;
	struct ib_wq *wq;
	int ret;

	ret = uv_do_wq_params(&params, attrs);
	if (ret)
		return ret;
	if (params.init.wq_type != IB_WQT_RQ)
		return uv_refuse(attrs->ufile, -EINVAL,
				 "create_wq: wq_type: %u", params.init.wq_type);
	uobj = uverbs_attr_get_uobject(attrs, UVERBS_ATTR_CREATE_WQ_HANDLE);
	ret = uv_wq_make(uobj, &params, attrs);
	if (ret)
		return ret;
	uverbs_finalize_uobj_create(attrs, UVERBS_ATTR_CREATE_WQ_HANDLE);
	wq = uobj->object;
	/* The number is optional, but a call without it fails, as ever. */
	return uv_answer(attrs, UVERBS_ATTR_CREATE_WQ_RESP_MAX_WR,
			 &params.init.max_wr) ?:
	       uv_answer(attrs, UVERBS_ATTR_CREATE_WQ_RESP_MAX_SGE,
			 &params.init.max_sge) ?:
	       uv_answer(attrs, UVERBS_ATTR_CREATE_WQ_RESP_WQ_NUM,
			 &wq->wq_num);
}

static int UVERBS_HANDLER(UVERBS_METHOD_WQ_DESTROY)(
	struct uverbs_attr_bundle *attrs)
{
	return uv_answer_events(attrs, UVERBS_ATTR_DESTROY_WQ_HANDLE,
				UVERBS_ATTR_DESTROY_WQ_RESP);
}

DECLARE_UVERBS_NAMED_METHOD(UVERBS_METHOD_WQ_CREATE,
	UV_MAKES(UVERBS_ATTR_CREATE_WQ_HANDLE, UVERBS_OBJECT_WQ),
	UV_USES(UVERBS_ATTR_CREATE_WQ_PD_HANDLE, UVERBS_OBJECT_PD),
	UV_USES(UVERBS_ATTR_CREATE_WQ_CQ_HANDLE, UVERBS_OBJECT_CQ),
	UVERBS_ATTR_CONST_IN(UVERBS_ATTR_CREATE_WQ_TYPE, enum ib_wq_type,
			     UA_MANDATORY),
	UVERBS_ATTR_FLAGS_IN(UVERBS_ATTR_CREATE_WQ_FLAGS,
			     enum ib_uverbs_wq_flags, UA_MANDATORY),
	UV_GIVEN(UVERBS_ATTR_CREATE_WQ_MAX_WR, u32),
	UV_GIVEN(UVERBS_ATTR_CREATE_WQ_MAX_SGE, u32),
	UV_GIVEN(UVERBS_ATTR_CREATE_WQ_USER_HANDLE, u64),
	UV_USES_FD_OPT(UVERBS_ATTR_CREATE_WQ_EVENT_FD,
		       UVERBS_OBJECT_ASYNC_EVENT),
	UV_ANSWER(UVERBS_ATTR_CREATE_WQ_RESP_MAX_WR, u32),
	UV_ANSWER(UVERBS_ATTR_CREATE_WQ_RESP_MAX_SGE, u32),
	UV_ANSWER_OPT(UVERBS_ATTR_CREATE_WQ_RESP_WQ_NUM, u32),
	UVERBS_ATTR_UHW());

DECLARE_UVERBS_NAMED_METHOD(UVERBS_METHOD_WQ_DESTROY,
	UV_ENDS(UVERBS_ATTR_DESTROY_WQ_HANDLE, UVERBS_OBJECT_WQ),
	UV_ANSWER(UVERBS_ATTR_DESTROY_WQ_RESP, u32));

DECLARE_UVERBS_GLOBAL_METHODS(UVERBS_OBJECT_WQ,
	&UVERBS_METHOD(UVERBS_METHOD_WQ_CREATE),
	&UVERBS_METHOD(UVERBS_METHOD_WQ_DESTROY));

UV_DEF(uv_def_wq, UVERBS_OBJECT_WQ);
