// SPDX-License-Identifier: GPL-2.0
/* Shared receive queues. */
#include <ofed/restrack.h>
#include <ofed/verbs.h>

#include "cmd.h"

static int uv_srq_destroy(struct ib_uobject *uobj, enum rdma_remove_reason why,
			  struct uverbs_attr_bundle *attrs)
{
	struct ib_usrq_object *usrq = uv_usrq(uobj);
	int ret = ib_destroy_srq_user(uobj->object, &attrs->driver_udata);

	if (ret)
		return ret;
	if (usrq->xrcd)
		atomic_dec(&usrq->xrcd->users);
	uv_source_end(&usrq->source);
	return 0;
}

static void uv_srq_hide(struct ib_uobject *uobj)
{
	struct ib_srq *srq = uobj->object;

	ofed_restrack_del(&srq->res);
}

UV_OBJ_TYPE(uv_type_srq, UVERBS_OBJECT_SRQ, struct ib_usrq_object,
	uv_srq_destroy, destroy_srq, .hide = uv_srq_hide,
	.forget = uv_source_forget);

/**
 * uv_srq_make - make an SRQ
 * @uobj: of the SRQ, from begin; its object is set on success
 * @params: what it shall be, and what it has become
 * @attrs: of the command
 *
 * Return: 0, -ENOMEM, or the driver's errno.
 */
int uv_srq_make(struct ib_uobject *uobj, struct uv_srq_params *params,
		struct uverbs_attr_bundle *attrs)
{
	struct ib_usrq_object *usrq = uv_usrq(uobj);
	struct ib_srq *srq;

	uobj->user_handle = params->user_handle;
	uv_source_init(&usrq->source, params->async);
	params->init.event_handler = uv_source_event;
	params->init.srq_context = &usrq->source;
	srq = ib_create_srq_user(params->pd, &params->init, usrq,
				 &attrs->driver_udata);
	if (IS_ERR(srq)) {
		uv_source_end(&usrq->source);
		return PTR_ERR(srq);
	}
	uobj->object = srq;
	if (params->xrcd) {
		usrq->xrcd = container_of(params->xrcd, struct uv_xrcd, uobj);
		atomic_inc(&usrq->xrcd->users);
	}
	return 0;
}

/* From what the handles of @cmd say. */
static int uv_do_srq_make(struct ib_uobject *uobj, struct uv_srq_params *params,
			  const struct ib_uverbs_create_xsrq *cmd,
			  struct uverbs_attr_bundle *attrs)
{
	struct ib_uobject *xrcd __free(uv_put_read) = NULL;
	struct ib_uobject *cq __free(uv_put_read) = NULL;
	struct ib_uobject *pd __free(uv_put_read) = NULL;

	if (cmd->srq_type == IB_SRQT_XRC) {
		/* As for QPs: programs know no other errno for a bad one. */
		xrcd = uv_get_read(&uv_type_xrcd, cmd->xrcd_handle, attrs);
		if (IS_ERR(xrcd))
			return uv_refuse(attrs->ufile, -EINVAL,
					 "create_srq: handle %u is no XRC domain",
					 cmd->xrcd_handle);
		params->xrcd = xrcd;
		params->init.ext.xrc.xrcd = xrcd->object;
	} else if (cmd->srq_type == IB_SRQT_TM) {
		params->init.ext.tag_matching.max_num_tags = cmd->max_num_tags;
	}
	if (ib_srq_has_cq(cmd->srq_type)) {
		cq = uv_get_read(&uv_type_cq, cmd->cq_handle, attrs);
		if (IS_ERR(cq))
			return PTR_ERR(cq);
		params->init.ext.cq = cq->object;
	}
	pd = uv_get_read(&uv_type_pd, cmd->pd_handle, attrs);
	if (IS_ERR(pd))
		return PTR_ERR(pd);
	params->pd = pd->object;
	return uv_srq_make(uobj, params, attrs);
}

static int uv_srq_create(const struct ib_uverbs_create_xsrq *cmd,
			 struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_create_srq_resp resp = {};
	struct uv_srq_params params = {
		.init.srq_type = cmd->srq_type,
		.init.attr.max_wr = cmd->max_wr,
		.init.attr.max_sge = cmd->max_sge,
		.init.attr.srq_limit = cmd->srq_limit,
		.user_handle = cmd->user_handle,
	};
	struct ib_uobject *uobj;
	int ret;

	if (cmd->srq_type > IB_SRQT_TM)
		return uv_refuse(attrs->ufile, -EINVAL,
				 "create_srq: srq_type: %u", cmd->srq_type);
	uobj = uv_uobj_begin(&uv_type_srq, attrs);
	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	attrs->uobject = uobj;
	ret = uv_do_srq_make(uobj, &params, cmd, attrs);
	if (ret)
		return ret;
	resp.srq_handle = uobj->id;
	resp.max_wr = params.init.attr.max_wr;
	resp.max_sge = params.init.attr.max_sge;
	if (cmd->srq_type == IB_SRQT_XRC)
		resp.srqn = ((struct ib_srq *)uobj->object)->ext.xrc.srq_num;
	return uv_reply(attrs, &resp, sizeof(resp));
}

int uv_create_srq(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_create_xsrq full = { .srq_type = IB_SRQT_BASIC };
	struct ib_uverbs_create_srq cmd;
	int ret;

	ret = uv_request(attrs, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	full.user_handle = cmd.user_handle;
	full.pd_handle = cmd.pd_handle;
	full.srq_limit = cmd.srq_limit;
	full.max_sge = cmd.max_sge;
	full.max_wr = cmd.max_wr;
	return uv_srq_create(&full, attrs);
}

int uv_create_xsrq(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_create_xsrq cmd;
	int ret;

	ret = uv_request(attrs, &cmd, sizeof(cmd));
	return ret ?: uv_srq_create(&cmd, attrs);
}

int uv_modify_srq(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_modify_srq cmd;
	struct ib_srq_attr attr = {};
	struct ib_srq *srq;
	int ret;

	ret = uv_request(attrs, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	srq = uv_read_obj(struct ib_srq, &uv_type_srq, cmd.srq_handle, attrs);
	if (IS_ERR(srq))
		return PTR_ERR(srq);
	attr.srq_limit = cmd.srq_limit;
	attr.max_wr = cmd.max_wr;
	ret = ofed_modify_user_srq(srq, &attr, cmd.attr_mask,
				   &attrs->driver_udata);
	uv_put_srq(srq);
	return ret;
}

int uv_query_srq(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_query_srq_resp resp = {};
	struct ib_uverbs_query_srq cmd;
	struct ib_srq_attr attr = {};
	struct ib_srq *srq;
	int ret;

	ret = uv_request(attrs, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	srq = uv_read_obj(struct ib_srq, &uv_type_srq, cmd.srq_handle, attrs);
	if (IS_ERR(srq))
		return PTR_ERR(srq);
	ret = ib_query_srq(srq, &attr);
	uv_put_srq(srq);
	if (ret)
		return ret;
	resp.srq_limit = attr.srq_limit;
	resp.max_sge = attr.max_sge;
	resp.max_wr = attr.max_wr;
	return uv_reply(attrs, &resp, sizeof(resp));
}

int uv_destroy_srq(struct uverbs_attr_bundle *attrs)
{
	return uv_destroy_source(&uv_type_srq, attrs);
}
