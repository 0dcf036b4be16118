// SPDX-License-Identifier: GPL-2.0
/* Completion counters, and queue pairs that have some. */
#include <ofed/comp_cntr.h>
#include <ofed/refuse.h>

#include "std.h"

static int uv_cntr_destroy(struct ib_uobject *uobj, enum rdma_remove_reason why,
			   struct uverbs_attr_bundle *attrs)
{
	return ofed_destroy_comp_cntr(uobj->object);
}

UV_OBJ_TYPE(uv_type_comp_cntr, UVERBS_OBJECT_COMP_CNTR, struct ib_uobject, uv_cntr_destroy,
	    destroy_comp_cntr, .forget = uv_uobj_forget);

static int UVERBS_HANDLER(UVERBS_METHOD_COMP_CNTR_CREATE)(
	struct uverbs_attr_bundle *attrs)
{
	struct ib_uobject *uobj =
		uverbs_attr_get_uobject(attrs, UVERBS_ATTR_CREATE_COMP_CNTR_HANDLE);
	struct ib_comp_cntr *cntr = ofed_create_comp_cntr(uobj->context->device, uobj, attrs);

	if (IS_ERR(cntr))
		return PTR_ERR(cntr);
	uobj->object = cntr;
	uverbs_finalize_uobj_create(attrs, UVERBS_ATTR_CREATE_COMP_CNTR_HANDLE);
	return 0;
}

/* Of entries and changes the driver judges, as it does of kinds of completions. */

static int UVERBS_HANDLER(UVERBS_METHOD_COMP_CNTR_MODIFY)(
	struct uverbs_attr_bundle *attrs)
{
	struct ib_comp_cntr *cntr =
		uverbs_attr_get_obj(attrs, UVERBS_ATTR_MODIFY_COMP_CNTR_HANDLE);
	u32 entry, op;
	u64 value;
	int ret;

	if (!cntr->device->ops.modify_comp_cntr)
		return ofed_refuse_op(cntr->device, "modify_comp_cntr");
	ret = uverbs_get_const(&entry, attrs, UVERBS_ATTR_MODIFY_COMP_CNTR_ENTRY) ?:
	      uverbs_copy_from(&value, attrs, UVERBS_ATTR_MODIFY_COMP_CNTR_VALUE);
	if (!ret)
		ret = uverbs_get_const(&op, attrs, UVERBS_ATTR_MODIFY_COMP_CNTR_OP);
	if (ret)
		return ret;
	return cntr->device->ops.modify_comp_cntr(cntr, entry, op, value);
}

static int UVERBS_HANDLER(UVERBS_METHOD_COMP_CNTR_READ)(
	struct uverbs_attr_bundle *attrs)
{
	struct ib_comp_cntr *cntr =
		uverbs_attr_get_obj(attrs, UVERBS_ATTR_READ_COMP_CNTR_HANDLE);
	u64 value = 0;
	u32 entry;
	int ret;

	if (!cntr->device->ops.read_comp_cntr)
		return ofed_refuse_op(cntr->device, "read_comp_cntr");
	ret = uverbs_get_const(&entry, attrs, UVERBS_ATTR_READ_COMP_CNTR_ENTRY) ?:
	      cntr->device->ops.read_comp_cntr(cntr, entry, &value);
	return ret ?: uv_answer(attrs, UVERBS_ATTR_READ_COMP_CNTR_RESP_VALUE, &value);
}

DECLARE_UVERBS_NAMED_METHOD(UVERBS_METHOD_COMP_CNTR_CREATE,
	UV_MAKES(UVERBS_ATTR_CREATE_COMP_CNTR_HANDLE, UVERBS_OBJECT_COMP_CNTR));

DECLARE_UVERBS_NAMED_METHOD_DESTROY(UVERBS_METHOD_COMP_CNTR_DESTROY,
	UV_ENDS(UVERBS_ATTR_DESTROY_COMP_CNTR_HANDLE, UVERBS_OBJECT_COMP_CNTR));

DECLARE_UVERBS_NAMED_METHOD(UVERBS_METHOD_COMP_CNTR_MODIFY,
	UV_USES(UVERBS_ATTR_MODIFY_COMP_CNTR_HANDLE, UVERBS_OBJECT_COMP_CNTR),
	UV_NUMBER(UVERBS_ATTR_MODIFY_COMP_CNTR_ENTRY, enum ib_uverbs_comp_cntr_entry),
	UV_NUMBER(UVERBS_ATTR_MODIFY_COMP_CNTR_OP, enum ib_uverbs_comp_cntr_modify_op),
	UV_GIVEN(UVERBS_ATTR_MODIFY_COMP_CNTR_VALUE, u64));

DECLARE_UVERBS_NAMED_METHOD(UVERBS_METHOD_COMP_CNTR_READ,
	UV_USES(UVERBS_ATTR_READ_COMP_CNTR_HANDLE, UVERBS_OBJECT_COMP_CNTR),
	UV_NUMBER(UVERBS_ATTR_READ_COMP_CNTR_ENTRY, enum ib_uverbs_comp_cntr_entry),
	UV_ANSWER(UVERBS_ATTR_READ_COMP_CNTR_RESP_VALUE, u64));

DECLARE_UVERBS_GLOBAL_METHODS(UVERBS_OBJECT_COMP_CNTR,
	&UVERBS_METHOD(UVERBS_METHOD_COMP_CNTR_CREATE),
	&UVERBS_METHOD(UVERBS_METHOD_COMP_CNTR_DESTROY),
	&UVERBS_METHOD(UVERBS_METHOD_COMP_CNTR_MODIFY),
	&UVERBS_METHOD(UVERBS_METHOD_COMP_CNTR_READ));

static int UVERBS_HANDLER(UVERBS_METHOD_QUERY_COMP_CNTR_CAPS)(
	struct uverbs_attr_bundle *attrs)
{
	struct ib_ucontext *context = ib_uverbs_get_ucontext(attrs);
	struct ib_comp_cntr_caps caps = {};
	int ret;

	if (IS_ERR(context))
		return PTR_ERR(context);
	if (!context->device->ops.query_comp_cntr_caps)
		return ofed_refuse_op(context->device, "query_comp_cntr_caps");
	ret = context->device->ops.query_comp_cntr_caps(context->device, &caps, attrs);
	if (ret)
		return ret;
	return uv_answer_opt(attrs, UVERBS_ATTR_QUERY_COMP_CNTR_CAPS_MAX_COUNTERS,
			     &caps.max_counters) ?:
	       uv_answer_opt(attrs, UVERBS_ATTR_QUERY_COMP_CNTR_CAPS_MAX_VALUE,
			     &caps.max_value) ?:
	       uv_answer_opt(attrs, UVERBS_ATTR_QUERY_COMP_CNTR_CAPS_SUPPORTED_QP_ATTACH_OPS,
			     &caps.supported_qp_attach_ops);
}

DECLARE_UVERBS_NAMED_METHOD(UVERBS_METHOD_QUERY_COMP_CNTR_CAPS,
	UV_ANSWER_OPT(UVERBS_ATTR_QUERY_COMP_CNTR_CAPS_MAX_COUNTERS, u32),
	UV_ANSWER_OPT(UVERBS_ATTR_QUERY_COMP_CNTR_CAPS_MAX_VALUE, u64),
	UV_ANSWER_OPT(UVERBS_ATTR_QUERY_COMP_CNTR_CAPS_SUPPORTED_QP_ATTACH_OPS, u32));

ADD_UVERBS_METHODS(uv_cntr_caps_tree, UVERBS_OBJECT_DEVICE,
		   &UVERBS_METHOD(UVERBS_METHOD_QUERY_COMP_CNTR_CAPS));

static int UVERBS_HANDLER(UVERBS_METHOD_QP_ATTACH_COMP_CNTR)(
	struct uverbs_attr_bundle *attrs)
{
	struct ib_qp *qp =
		uverbs_attr_get_obj(attrs, UVERBS_ATTR_QP_ATTACH_COMP_CNTR_HANDLE);
	struct ib_comp_cntr *cntr =
		uverbs_attr_get_obj(attrs, UVERBS_ATTR_QP_ATTACH_COMP_CNTR_CNTR_HANDLE);
	const u32 known = IB_UVERBS_QP_ATTACH_COMP_CNTR_OP_SEND |
			  IB_UVERBS_QP_ATTACH_COMP_CNTR_OP_RECV |
			  IB_UVERBS_QP_ATTACH_COMP_CNTR_OP_RDMA_READ |
			  IB_UVERBS_QP_ATTACH_COMP_CNTR_OP_REMOTE_RDMA_READ |
			  IB_UVERBS_QP_ATTACH_COMP_CNTR_OP_RDMA_WRITE |
			  IB_UVERBS_QP_ATTACH_COMP_CNTR_OP_REMOTE_RDMA_WRITE;
	u32 op_mask;
	int ret;

	ret = uverbs_get_flags32(&op_mask, attrs, UVERBS_ATTR_QP_ATTACH_COMP_CNTR_OP_MASK, known);
	return ret ?: ofed_qp_attach_comp_cntr(qp, cntr, op_mask);
}

DECLARE_UVERBS_NAMED_METHOD(UVERBS_METHOD_QP_ATTACH_COMP_CNTR,
	UVERBS_ATTR_IDR(UVERBS_ATTR_QP_ATTACH_COMP_CNTR_HANDLE, UVERBS_OBJECT_QP,
			UVERBS_ACCESS_WRITE, UA_MANDATORY),
	UV_USES(UVERBS_ATTR_QP_ATTACH_COMP_CNTR_CNTR_HANDLE, UVERBS_OBJECT_COMP_CNTR),
	UVERBS_ATTR_FLAGS_IN(UVERBS_ATTR_QP_ATTACH_COMP_CNTR_OP_MASK,
			     enum ib_uverbs_qp_attach_comp_cntr_op));

ADD_UVERBS_METHODS(uv_cntr_attach_tree, UVERBS_OBJECT_QP,
		   &UVERBS_METHOD(UVERBS_METHOD_QP_ATTACH_COMP_CNTR));

const struct uapi_definition uv_def_comp_cntr[] = {
	UAPI_DEF_CHAIN_OBJ_TREE_NAMED(UVERBS_OBJECT_COMP_CNTR),
	UAPI_DEF_CHAIN_OBJ_TREE(UVERBS_OBJECT_DEVICE, &uv_cntr_caps_tree),
	UAPI_DEF_CHAIN_OBJ_TREE(UVERBS_OBJECT_QP, &uv_cntr_attach_tree),
	{}
};
