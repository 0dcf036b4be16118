// SPDX-License-Identifier: GPL-2.0
/* Methods of queue pairs. */
#include "std.h"

static bool uv_has_any(const struct uverbs_attr_bundle *attrs, const u16 *ids,
		       size_t count)
{
	while (count--)
		if (uverbs_attr_is_valid(attrs, ids[count]))
			return true;
	return false;
}

static int uv_parts_of_target(struct uv_qp_params *params,
			      struct uverbs_attr_bundle *attrs)
{
	static const u16 others[] = {
		UVERBS_ATTR_CREATE_QP_PD_HANDLE,
		UVERBS_ATTR_CREATE_QP_IND_TABLE_HANDLE,
		UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE,
		UVERBS_ATTR_CREATE_QP_RECV_CQ_HANDLE,
	};
	struct ib_uobject *xrcd;

	/* It has nothing to do with those. */
	if (uv_has_any(attrs, others, ARRAY_SIZE(others)))
		return uv_refuse(attrs->ufile, -EINVAL,
				 "create_qp: a target QP with a PD, a table or a CQ");
	xrcd = uverbs_attr_get_uobject(attrs,
				       UVERBS_ATTR_CREATE_QP_XRCD_HANDLE);
	if (IS_ERR(xrcd))
		return PTR_ERR(xrcd);
	params->xrcd = xrcd;
	params->init.xrcd = xrcd->object;
	return 0;
}

static int uv_parts_of_table(struct ib_qp_init_attr *init,
			     struct uverbs_attr_bundle *attrs)
{
	/* It receives through the table alone. */
	if (uverbs_attr_is_valid(attrs, UVERBS_ATTR_CREATE_QP_RECV_CQ_HANDLE))
		return uv_refuse(attrs->ufile, -EINVAL,
				 "create_qp: a table and a receive CQ");
	if (!init->cap.max_send_wr)
		return 0;
	init->send_cq = uverbs_attr_get_obj(attrs,
					UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE);
	return PTR_ERR_OR_ZERO(init->send_cq);
}

static int uv_parts_of_queues(struct ib_qp_init_attr *init,
			      struct uverbs_attr_bundle *attrs)
{
	init->send_cq = uverbs_attr_get_obj(attrs,
					UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE);
	if (IS_ERR(init->send_cq))
		return PTR_ERR(init->send_cq);
	if (init->qp_type == IB_QPT_XRC_INI)
		return 0;
	init->recv_cq = uverbs_attr_get_obj(attrs,
					UVERBS_ATTR_CREATE_QP_RECV_CQ_HANDLE);
	return PTR_ERR_OR_ZERO(init->recv_cq);
}

static int uv_parts_with_pd(struct uv_qp_params *params,
			struct uverbs_attr_bundle *attrs)
{
	struct ib_qp_init_attr *init = &params->init;
	struct ib_uobject *table, *srq;
	int ret;

	srq = uv_attr_uobject(attrs, UVERBS_ATTR_CREATE_QP_SRQ_HANDLE);
	if (uverbs_attr_is_valid(attrs, UVERBS_ATTR_CREATE_QP_XRCD_HANDLE) ||
	    (srq && init->qp_type == IB_QPT_XRC_INI))
		return uv_refuse(
			attrs->ufile, -EINVAL,
			"create_qp: an XRC domain that is not of a target, or an SRQ of an initiator");
	params->pd = uverbs_attr_get_obj(attrs,
					 UVERBS_ATTR_CREATE_QP_PD_HANDLE);
	if (IS_ERR(params->pd))
		return PTR_ERR(params->pd);

	table = uv_attr_uobject(attrs, UVERBS_ATTR_CREATE_QP_IND_TABLE_HANDLE);
	init->rwq_ind_tbl = table ? table->object : NULL;
	ret = table ? uv_parts_of_table(init, attrs) : uv_parts_of_queues(init, attrs);
	if (ret || !srq)
		return ret;
	init->srq = srq->object;
	if (init->srq->srq_type == IB_SRQT_XRC)
		return uv_refuse(attrs->ufile, -EINVAL, "create_qp: an XRC SRQ");
	return 0;
}

static int uv_qp_parts(struct uv_qp_params *params,
		       struct uverbs_attr_bundle *attrs)
{
	struct ib_uobject *srq;
	int ret;

	params->async = uv_attr_async(attrs, UVERBS_ATTR_CREATE_QP_EVENT_FD);
	if (params->init.qp_type != IB_QPT_XRC_TGT)
		return uv_parts_with_pd(params, attrs);
	ret = uv_parts_of_target(params, attrs);
	srq = uv_attr_uobject(attrs, UVERBS_ATTR_CREATE_QP_SRQ_HANDLE);
	if (ret || !srq)
		return ret;
	params->init.srq = srq->object;
	if (params->init.srq->srq_type != IB_SRQT_XRC)
		return uv_refuse(attrs->ufile, -EINVAL,
				 "create_qp: a target QP and an SRQ that is not of XRC");
	return 0;
}

/* Of the flags that a program may ask for here, each is for some types only. */
static int uv_check_flags(const struct ib_uverbs_file *file,
			  enum ib_qp_type type, u32 flags)
{
	const u32 raw_only = IB_UVERBS_QP_CREATE_SCATTER_FCS |
			     IB_UVERBS_QP_CREATE_CVLAN_STRIPPING;

	switch (type) {
	case IB_QPT_RAW_PACKET:
	case IB_QPT_DRIVER:
		return 0;
	case IB_QPT_UD:
		flags &= raw_only;
		break;
	default:
		break;
	}
	if (flags)
		return uv_refuse(file, -EINVAL,
				 "create_qp: flags 0x%x of a QP of type %u", flags, type);
	return 0;
}

static int uv_get_flags(struct ib_qp_init_attr *init,
			struct uverbs_attr_bundle *attrs)
{
	const u32 all_signaled = IB_UVERBS_QP_CREATE_SQ_SIG_ALL;
	u32 flags;
	int ret;

	ret = uverbs_get_flags32(&flags, attrs, UVERBS_ATTR_CREATE_QP_FLAGS,
				 IB_UVERBS_QP_CREATE_BLOCK_MULTICAST_LOOPBACK |
				 IB_UVERBS_QP_CREATE_SCATTER_FCS |
				 IB_UVERBS_QP_CREATE_CVLAN_STRIPPING |
				 IB_UVERBS_QP_CREATE_PCI_WRITE_END_PADDING |
				 all_signaled);
	if (ret)
		return ret;
	init->sq_sig_type = flags & all_signaled ? IB_SIGNAL_ALL_WR :
						   IB_SIGNAL_REQ_WR;
	flags &= ~all_signaled;
	ret = uv_check_flags(attrs->ufile, init->qp_type, flags);
	if (ret)
		return ret;
	/* The rest have the same values. */
	init->create_flags = flags;
	if (!uverbs_attr_is_valid(attrs, UVERBS_ATTR_CREATE_QP_SOURCE_QPN))
		return 0;
	init->create_flags |= IB_QP_CREATE_SOURCE_QPN;
	return uverbs_copy_from(&init->source_qpn, attrs,
				UVERBS_ATTR_CREATE_QP_SOURCE_QPN);
}

static int uv_do_qp_params(struct uv_qp_params *params,
			   struct uverbs_attr_bundle *attrs)
{
	struct ib_qp_init_attr *init = &params->init;
	struct ib_uverbs_qp_cap cap;
	int ret;

	ret = uverbs_copy_from_or_zero(&cap, attrs,
				       UVERBS_ATTR_CREATE_QP_CAP) ?:
	      uverbs_copy_from(&params->user_handle, attrs,
			       UVERBS_ATTR_CREATE_QP_USER_HANDLE) ?:
	      uverbs_get_const(&init->qp_type, attrs,
			       UVERBS_ATTR_CREATE_QP_TYPE) ?:
	      uv_get_flags(init, attrs);
	if (ret)
		return ret;
	init->cap.max_inline_data = cap.max_inline_data;
	init->cap.max_recv_sge = cap.max_recv_sge;
	init->cap.max_recv_wr = cap.max_recv_wr;
	init->cap.max_send_sge = cap.max_send_sge;
	init->cap.max_send_wr = cap.max_send_wr;
	ret = uv_qp_check(attrs->ufile, init,
			  uverbs_attr_is_valid(attrs,
				UVERBS_ATTR_CREATE_QP_IND_TABLE_HANDLE),
			  uverbs_attr_is_valid(attrs,
				UVERBS_ATTR_CREATE_QP_SRQ_HANDLE));
	return ret ?: uv_qp_parts(params, attrs);
}

static int uv_qp_answer(const struct ib_qp *qp, const struct ib_qp_cap *made,
			struct uverbs_attr_bundle *attrs)
{
	const struct ib_uverbs_qp_cap cap = {
		.max_inline_data = made->max_inline_data,
		.max_recv_sge = made->max_recv_sge,
		.max_recv_wr = made->max_recv_wr,
		.max_send_sge = made->max_send_sge,
		.max_send_wr = made->max_send_wr,
	};

	return uverbs_copy_to_struct_or_zero(attrs,
					     UVERBS_ATTR_CREATE_QP_RESP_CAP,
					     &cap, sizeof(cap)) ?:
	       uv_answer(attrs, UVERBS_ATTR_CREATE_QP_RESP_QP_NUM,
			 &qp->qp_num);
}

static int UVERBS_HANDLER(UVERBS_METHOD_QP_CREATE)(
	struct uverbs_attr_bundle *attrs)
{
	struct uv_qp_params params = {};
	struct ib_uobject *uobj;
	int ret;

	ret = uv_do_qp_params(&params, attrs);
	if (ret)
		return ret;
	uobj = uverbs_attr_get_uobject(attrs, UVERBS_ATTR_CREATE_QP_HANDLE);
	ret = uv_qp_make(uobj, &params, attrs);
	if (ret)
		return ret;
	uverbs_finalize_uobj_create(attrs, UVERBS_ATTR_CREATE_QP_HANDLE);
	return uv_qp_answer(uobj->object, &params.init.cap, attrs);
}

static int UVERBS_HANDLER(UVERBS_METHOD_QP_DESTROY)(
	struct uverbs_attr_bundle *attrs)
{
	return uv_answer_events(attrs, UVERBS_ATTR_DESTROY_QP_HANDLE,
				UVERBS_ATTR_DESTROY_QP_RESP);
}

DECLARE_UVERBS_NAMED_METHOD(UVERBS_METHOD_QP_CREATE,
	UV_MAKES(UVERBS_ATTR_CREATE_QP_HANDLE, UVERBS_OBJECT_QP),
	UVERBS_ATTR_CONST_IN(UVERBS_ATTR_CREATE_QP_TYPE, enum ib_uverbs_qp_type,
			     UA_MANDATORY),
	UVERBS_ATTR_PTR_IN(UVERBS_ATTR_CREATE_QP_CAP,
			   UVERBS_ATTR_STRUCT(struct ib_uverbs_qp_cap,
					      max_inline_data),
			   UA_MANDATORY),
	UV_GIVEN(UVERBS_ATTR_CREATE_QP_USER_HANDLE, u64),
	UV_GIVEN_OPT(UVERBS_ATTR_CREATE_QP_SOURCE_QPN, u32),
	UVERBS_ATTR_FLAGS_IN(UVERBS_ATTR_CREATE_QP_FLAGS,
			     enum ib_uverbs_qp_create_flags, UA_OPTIONAL),
	UV_USES_OPT(UVERBS_ATTR_CREATE_QP_PD_HANDLE, UVERBS_OBJECT_PD),
	UV_USES_OPT(UVERBS_ATTR_CREATE_QP_XRCD_HANDLE, UVERBS_OBJECT_XRCD),
	UV_USES_OPT(UVERBS_ATTR_CREATE_QP_SRQ_HANDLE, UVERBS_OBJECT_SRQ),
	UV_USES_OPT(UVERBS_ATTR_CREATE_QP_IND_TABLE_HANDLE,
		    UVERBS_OBJECT_RWQ_IND_TBL),
	UV_USES_OPT(UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE, UVERBS_OBJECT_CQ),
	UV_USES_OPT(UVERBS_ATTR_CREATE_QP_RECV_CQ_HANDLE, UVERBS_OBJECT_CQ),
	UV_USES_FD_OPT(UVERBS_ATTR_CREATE_QP_EVENT_FD,
		       UVERBS_OBJECT_ASYNC_EVENT),
	UVERBS_ATTR_PTR_OUT(UVERBS_ATTR_CREATE_QP_RESP_CAP,
			    UVERBS_ATTR_STRUCT(struct ib_uverbs_qp_cap,
					       max_inline_data),
			    UA_MANDATORY),
	UV_ANSWER(UVERBS_ATTR_CREATE_QP_RESP_QP_NUM, u32),
	UVERBS_ATTR_UHW());

DECLARE_UVERBS_NAMED_METHOD(UVERBS_METHOD_QP_DESTROY,
	UV_ENDS(UVERBS_ATTR_DESTROY_QP_HANDLE, UVERBS_OBJECT_QP),
	UV_ANSWER(UVERBS_ATTR_DESTROY_QP_RESP,
		  struct ib_uverbs_destroy_qp_resp));

DECLARE_UVERBS_GLOBAL_METHODS(UVERBS_OBJECT_QP,
	&UVERBS_METHOD(UVERBS_METHOD_QP_CREATE),
	&UVERBS_METHOD(UVERBS_METHOD_QP_DESTROY));

UV_DEF(uv_def_qp, UVERBS_OBJECT_QP);
