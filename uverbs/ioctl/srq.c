// SPDX-License-Identifier: GPL-2.0
/* Methods of shared receive queues. */
#include "std.h"

/* What only some types of SRQs have. */
static int uv_srq_params_ext(struct uv_srq_params *params,
			     struct uverbs_attr_bundle *attrs)
{
	struct ib_srq_init_attr *init = &params->init;
	struct ib_uobject *xrcd;
	struct ib_cq *cq;

	if (ib_srq_has_cq(init->srq_type)) {
		cq = uverbs_attr_get_obj(attrs,
					 UVERBS_ATTR_CREATE_SRQ_CQ_HANDLE);
		if (IS_ERR(cq))
			return PTR_ERR(cq);
		init->ext.cq = cq;
	}
	switch (init->srq_type) {
	case IB_SRQT_BASIC:
		return 0;
	case IB_SRQT_TM:
		return uverbs_copy_from(&init->ext.tag_matching.max_num_tags,
					attrs,
					UVERBS_ATTR_CREATE_SRQ_MAX_NUM_TAGS);
	case IB_SRQT_XRC:
		xrcd = uverbs_attr_get_uobject(attrs,
					UVERBS_ATTR_CREATE_SRQ_XRCD_HANDLE);
		if (IS_ERR(xrcd))
			return PTR_ERR(xrcd);
		params->xrcd = xrcd;
		init->ext.xrc.xrcd = xrcd->object;
		return 0;
	default:
		return uv_refuse(attrs->ufile, -EINVAL,
				 "create_srq: srq_type: %u", init->srq_type);
	}
}

static int uv_do_srq_params(struct uv_srq_params *params,
			    struct uverbs_attr_bundle *attrs)
{
	struct ib_srq_attr *attr = &params->init.attr;

	params->pd = uverbs_attr_get_obj(attrs,
					 UVERBS_ATTR_CREATE_SRQ_PD_HANDLE);
	params->async = uv_attr_async(attrs, UVERBS_ATTR_CREATE_SRQ_EVENT_FD);
	return uverbs_copy_from(&params->user_handle, attrs,
				UVERBS_ATTR_CREATE_SRQ_USER_HANDLE) ?:
	       uverbs_copy_from(&attr->max_wr, attrs,
				UVERBS_ATTR_CREATE_SRQ_MAX_WR) ?:
	       uverbs_copy_from(&attr->max_sge, attrs,
				UVERBS_ATTR_CREATE_SRQ_MAX_SGE) ?:
	       uverbs_copy_from(&attr->srq_limit, attrs,
				UVERBS_ATTR_CREATE_SRQ_LIMIT) ?:
	       uverbs_get_const(&params->init.srq_type, attrs,
				UVERBS_ATTR_CREATE_SRQ_TYPE) ?:
	       uv_srq_params_ext(params, attrs);
}

static int uv_srq_answer(const struct ib_srq *srq, const struct ib_srq_attr *attr,
			 struct uverbs_attr_bundle *attrs)
{
	int ret;

	ret = uv_answer(attrs, UVERBS_ATTR_CREATE_SRQ_RESP_MAX_WR,
			&attr->max_wr) ?:
	      uv_answer(attrs, UVERBS_ATTR_CREATE_SRQ_RESP_MAX_SGE,
			&attr->max_sge);
	if (ret || srq->srq_type != IB_SRQT_XRC)
		return ret;
	return uv_answer(attrs, UVERBS_ATTR_CREATE_SRQ_RESP_SRQ_NUM,
			 &srq->ext.xrc.srq_num);
}

static int UVERBS_HANDLER(UVERBS_METHOD_SRQ_CREATE)(
	struct uverbs_attr_bundle *attrs)
{
	struct uv_srq_params params = {};
	struct ib_uobject *uobj;
	int ret;

	ret = uv_do_srq_params(&params, attrs);
	if (ret)
		return ret;
	uobj = uverbs_attr_get_uobject(attrs, UVERBS_ATTR_CREATE_SRQ_HANDLE);
	ret = uv_srq_make(uobj, &params, attrs);
	if (ret)
		return ret;
	uverbs_finalize_uobj_create(attrs, UVERBS_ATTR_CREATE_SRQ_HANDLE);
	return uv_srq_answer(uobj->object, &params.init.attr, attrs);
}

static int UVERBS_HANDLER(UVERBS_METHOD_SRQ_DESTROY)(
	struct uverbs_attr_bundle *attrs)
{
	return uv_answer_events(attrs, UVERBS_ATTR_DESTROY_SRQ_HANDLE,
				UVERBS_ATTR_DESTROY_SRQ_RESP);
}

DECLARE_UVERBS_NAMED_METHOD(UVERBS_METHOD_SRQ_CREATE,
	UV_MAKES(UVERBS_ATTR_CREATE_SRQ_HANDLE, UVERBS_OBJECT_SRQ),
	UV_USES(UVERBS_ATTR_CREATE_SRQ_PD_HANDLE, UVERBS_OBJECT_PD),
	UVERBS_ATTR_CONST_IN(UVERBS_ATTR_CREATE_SRQ_TYPE,
			     enum ib_uverbs_srq_type, UA_MANDATORY),
	UV_GIVEN(UVERBS_ATTR_CREATE_SRQ_MAX_WR, u32),
	UV_GIVEN(UVERBS_ATTR_CREATE_SRQ_MAX_SGE, u32),
	UV_GIVEN(UVERBS_ATTR_CREATE_SRQ_LIMIT, u32),
	UV_GIVEN(UVERBS_ATTR_CREATE_SRQ_USER_HANDLE, u64),
	UV_GIVEN_OPT(UVERBS_ATTR_CREATE_SRQ_MAX_NUM_TAGS, u32),
	UV_USES_OPT(UVERBS_ATTR_CREATE_SRQ_XRCD_HANDLE, UVERBS_OBJECT_XRCD),
	UV_USES_OPT(UVERBS_ATTR_CREATE_SRQ_CQ_HANDLE, UVERBS_OBJECT_CQ),
	UV_USES_FD_OPT(UVERBS_ATTR_CREATE_SRQ_EVENT_FD,
		       UVERBS_OBJECT_ASYNC_EVENT),
	UV_ANSWER(UVERBS_ATTR_CREATE_SRQ_RESP_MAX_WR, u32),
	UV_ANSWER(UVERBS_ATTR_CREATE_SRQ_RESP_MAX_SGE, u32),
	UV_ANSWER_OPT(UVERBS_ATTR_CREATE_SRQ_RESP_SRQ_NUM, u32),
	UVERBS_ATTR_UHW());

DECLARE_UVERBS_NAMED_METHOD(UVERBS_METHOD_SRQ_DESTROY,
	UV_ENDS(UVERBS_ATTR_DESTROY_SRQ_HANDLE, UVERBS_OBJECT_SRQ),
	UV_ANSWER(UVERBS_ATTR_DESTROY_SRQ_RESP,
		  struct ib_uverbs_destroy_srq_resp));

DECLARE_UVERBS_GLOBAL_METHODS(UVERBS_OBJECT_SRQ,
	&UVERBS_METHOD(UVERBS_METHOD_SRQ_CREATE),
	&UVERBS_METHOD(UVERBS_METHOD_SRQ_DESTROY));

UV_DEF(uv_def_srq, UVERBS_OBJECT_SRQ);
