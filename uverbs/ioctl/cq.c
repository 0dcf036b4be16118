// SPDX-License-Identifier: GPL-2.0
/* Methods of completion queues. */
#include "std.h"

static int uv_do_cq_params(struct uv_cq_params *params,
			   struct uverbs_attr_bundle *attrs)
{
	const u64 flags = IB_UVERBS_CQ_FLAGS_TIMESTAMP_COMPLETION |
			  IB_UVERBS_CQ_FLAGS_IGNORE_OVERRUN;
	struct ib_uobject *channel =
		uv_attr_uobject(attrs, UVERBS_ATTR_CREATE_CQ_COMP_CHANNEL);

	params->channel = channel ? uv_comp_file(channel) : NULL;
	params->async = uv_attr_async(attrs, UVERBS_ATTR_CREATE_CQ_EVENT_FD);
	return uverbs_copy_from(&params->user_handle, attrs,
				UVERBS_ATTR_CREATE_CQ_USER_HANDLE) ?:
	       uverbs_copy_from(&params->init.cqe, attrs,
				UVERBS_ATTR_CREATE_CQ_CQE) ?:
	       uverbs_copy_from(&params->init.comp_vector, attrs,
				UVERBS_ATTR_CREATE_CQ_COMP_VECTOR) ?:
	       uverbs_get_flags32(&params->init.flags, attrs,
				  UVERBS_ATTR_CREATE_CQ_FLAGS, flags);
}

static int UVERBS_HANDLER(UVERBS_METHOD_CQ_CREATE)(
	struct uverbs_attr_bundle *attrs)
{
	struct uv_cq_params params = {};
	struct ib_uobject *uobj;
	struct ib_cq *cq;
	u32 cqe;
	int ret;

	ret = uv_do_cq_params(&params, attrs);
	if (ret)
		return ret;
	uobj = uverbs_attr_get_uobject(attrs, UVERBS_ATTR_CREATE_CQ_HANDLE);
	ret = uv_cq_make(uobj, &params, attrs);
	if (ret)
		return ret;
	uverbs_finalize_uobj_create(attrs, UVERBS_ATTR_CREATE_CQ_HANDLE);
	cq = uobj->object;
	cqe = cq->cqe;
	return uv_answer(attrs, UVERBS_ATTR_CREATE_CQ_RESP_CQE, &cqe);
}

static int UVERBS_HANDLER(UVERBS_METHOD_CQ_DESTROY)(
	struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_destroy_cq_resp resp = {};

	uv_cq_events(uverbs_attr_get_uobject(attrs,
					     UVERBS_ATTR_DESTROY_CQ_HANDLE),
		     &resp);
	return uv_answer(attrs, UVERBS_ATTR_DESTROY_CQ_RESP, &resp);
}

DECLARE_UVERBS_NAMED_METHOD(UVERBS_METHOD_CQ_CREATE,
	UV_MAKES(UVERBS_ATTR_CREATE_CQ_HANDLE, UVERBS_OBJECT_CQ),
	UV_GIVEN(UVERBS_ATTR_CREATE_CQ_CQE, u32),
	UV_GIVEN(UVERBS_ATTR_CREATE_CQ_COMP_VECTOR, u32),
	UV_GIVEN(UVERBS_ATTR_CREATE_CQ_USER_HANDLE, u64),
	UVERBS_ATTR_FLAGS_IN(UVERBS_ATTR_CREATE_CQ_FLAGS,
			     enum ib_uverbs_ex_create_cq_flags),
	UV_USES_FD_OPT(UVERBS_ATTR_CREATE_CQ_COMP_CHANNEL,
		       UVERBS_OBJECT_COMP_CHANNEL),
	UV_USES_FD_OPT(UVERBS_ATTR_CREATE_CQ_EVENT_FD,
		       UVERBS_OBJECT_ASYNC_EVENT),
	UV_ANSWER(UVERBS_ATTR_CREATE_CQ_RESP_CQE, u32),
	UVERBS_ATTR_UHW());

DECLARE_UVERBS_NAMED_METHOD(UVERBS_METHOD_CQ_DESTROY,
	UV_ENDS(UVERBS_ATTR_DESTROY_CQ_HANDLE, UVERBS_OBJECT_CQ),
	UV_ANSWER(UVERBS_ATTR_DESTROY_CQ_RESP,
		  struct ib_uverbs_destroy_cq_resp));

DECLARE_UVERBS_GLOBAL_METHODS(UVERBS_OBJECT_CQ,
	&UVERBS_METHOD(UVERBS_METHOD_CQ_CREATE),
	&UVERBS_METHOD(UVERBS_METHOD_CQ_DESTROY));

UV_DEF(uv_def_cq, UVERBS_OBJECT_CQ);
