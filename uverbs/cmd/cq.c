// SPDX-License-Identifier: GPL-2.0
/* Completion queues. */
#include <linux/uaccess.h>
#include <rdma/opa_addr.h>
#include <ofed/restrack.h>
#include <ofed/verbs.h>

#include "cmd.h"

static int uv_cq_destroy(struct ib_uobject *uobj, enum rdma_remove_reason why,
			 struct uverbs_attr_bundle *attrs)
{
	int ret = ib_destroy_cq_user(uobj->object, &attrs->driver_udata);

	if (ret)
		return ret;
	uv_cq_forget_comp(uv_ucq(uobj));
	uv_source_end(uv_source(uobj));
	return 0;
}

static void uv_cq_hide(struct ib_uobject *uobj)
{
	struct ib_cq *cq = uobj->object;

	ofed_restrack_del(&cq->res);
}

static void uv_cq_forget(struct ib_uobject *uobj)
{
	uv_cq_forget_comp(uv_ucq(uobj));
	uv_source_forget(uobj);
}

UV_OBJ_TYPE(uv_type_cq, UVERBS_OBJECT_CQ, struct ib_ucq_object, uv_cq_destroy,
	destroy_cq, .hide = uv_cq_hide, .forget = uv_cq_forget);

/**
 * uv_cq_make - make a CQ
 * @uobj: of the CQ, from begin; its object is set on success
 * @params: what it shall be
 * @attrs: of the command
 *
 * Return: 0, -EINVAL (completion vector), -ENOMEM, or the driver's errno.
 */
int uv_cq_make(struct ib_uobject *uobj, const struct uv_cq_params *params,
	       struct uverbs_attr_bundle *attrs)
{
	struct ib_ucq_object *ucq = uv_ucq(uobj);
	struct ib_cq *cq;

	uobj->user_handle = params->user_handle;
	INIT_LIST_HEAD(&ucq->comp_node);
	uv_source_init(&ucq->source, params->async);
	if (params->channel)
		uv_uobj_get(&params->channel->uobj);
	ucq->channel = params->channel;

	cq = ofed_create_user_cq(uobj->context->device, &params->init,
				 uv_cq_completed, uv_source_event, ucq, ucq,
				 attrs);
	if (IS_ERR(cq)) {
		uv_cq_forget_comp(ucq);
		uv_source_end(&ucq->source);
		return PTR_ERR(cq);
	}
	uobj->object = cq;
	return 0;
}

static int uv_cq_create(const struct ib_uverbs_ex_create_cq *cmd,
			struct ib_uverbs_create_cq_resp *resp,
			struct uverbs_attr_bundle *attrs)
{
	struct uv_cq_params params = {
		.init.cqe = cmd->cqe,
		.init.comp_vector = cmd->comp_vector,
		.init.flags = cmd->flags,
		.user_handle = cmd->user_handle,
	};
	struct ib_uobject *uobj, *channel = NULL;
	int ret;

	uobj = uv_uobj_begin(&uv_type_cq, attrs);
	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	attrs->uobject = uobj;
	if (cmd->comp_channel >= 0) {
		channel = uv_get_read_fd(&uv_type_comp, cmd->comp_channel,
					 attrs);
		if (IS_ERR(channel))
			return PTR_ERR(channel);
		params.channel = uv_comp_file(channel);
	}
	ret = uv_cq_make(uobj, &params, attrs);
	if (channel)
		uv_put_read_fd(channel);
	if (ret)
		return ret;
	resp->cq_handle = uobj->id;
	resp->cqe = ((struct ib_cq *)uobj->object)->cqe;
	return 0;
}

int uv_create_cq(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_create_cq_resp resp = {};
	struct ib_uverbs_ex_create_cq full = {};
	struct ib_uverbs_create_cq cmd;
	int ret;

	ret = uv_request(attrs, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	full.user_handle = cmd.user_handle;
	full.comp_channel = cmd.comp_channel;
	full.comp_vector = cmd.comp_vector;
	full.cqe = cmd.cqe;
	ret = uv_cq_create(&full, &resp, attrs);
	return ret ?: uv_reply(attrs, &resp, sizeof(resp));
}

int uv_ex_create_cq(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_ex_create_cq_resp resp = {};
	struct ib_uverbs_ex_create_cq cmd;
	int ret;

	ret = uv_request(attrs, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	if (cmd.comp_mask || cmd.reserved)
		return uv_refuse(attrs->ufile, -EINVAL,
				 "create_cq: comp_mask 0x%x, reserved 0x%x",
				 cmd.comp_mask, cmd.reserved);
	ret = uv_cq_create(&cmd, &resp.base, attrs);
	if (ret)
		return ret;
	resp.response_length = uv_reply_length(attrs, sizeof(resp));
	return uv_reply(attrs, &resp, sizeof(resp));
}

int uv_resize_cq(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_resize_cq_resp resp = {};
	struct ib_uverbs_resize_cq cmd;
	struct ib_cq *cq;
	int ret;

	ret = uv_request(attrs, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	cq = uv_read_obj(struct ib_cq, &uv_type_cq, cmd.cq_handle, attrs);
	if (IS_ERR(cq))
		return PTR_ERR(cq);
	ret = ofed_resize_user_cq(cq, cmd.cqe, &attrs->driver_udata);
	if (!ret) {
		resp.cqe = cq->cqe;
		ret = uv_reply(attrs, &resp, sizeof(resp));
	}
	uv_put_cq(cq);
	return ret;
}

/*
 * The number of a QP that may be gone: other threads destroy it, and some drivers
 * leave its completions in the CQ. Return: the number, or 0.
 */
static u32 uv_wc_qp_num(struct ib_uverbs_file *file, const struct ib_qp *qp)
{
	struct ib_uobject *uobj;
	u32 number = 0;

	spin_lock(&file->uobjects_lock);
	list_for_each_entry(uobj, &file->uobjects, list)
		if (uobj->uapi_object == &uv_type_qp.api && uobj->object == qp) {
			number = uv_uqp(uobj)->number;
			break;
		}
	spin_unlock(&file->uobjects_lock);
	return number;
}

static void uv_wc_to_user(const struct ib_wc *wc, struct ib_cq *cq,
			  struct ib_uverbs_wc *to)
{
	memset(to, 0, sizeof(*to));
	to->wr_id = wc->wr_id;
	to->opcode = wc->opcode;
	to->status = wc->status;
	to->vendor_err = wc->vendor_err;
	to->byte_len = wc->byte_len;
	to->ex.imm_data = wc->ex.imm_data;
	to->wc_flags = wc->wc_flags;
	to->qp_num = uv_wc_qp_num(cq->uobject->source.uobj.ufile, wc->qp);
	to->src_qp = wc->src_qp;
	to->port_num = wc->port_num;
	to->pkey_index = wc->pkey_index;
	to->dlid_path_bits = wc->dlid_path_bits;
	to->sl = wc->sl;
	/* Drivers fill the port in when it matters to a switch, if at all. */
	if (rdma_is_port_valid(cq->device, wc->port_num) &&
	    rdma_cap_opa_ah(cq->device, wc->port_num))
		to->slid = OPA_TO_IB_UCAST_LID(wc->slid);
	else
		to->slid = wc->slid;
}

/* One at a time: what was taken from a CQ has to reach the user. */
static int uv_cq_drain(struct ib_cq *cq, struct ib_uverbs_wc __user *to, u32 max)
{
	struct ib_uverbs_wc out;
	struct ib_wc wc = {};
	u32 count;
	int ret;

	for (count = 0; count < max; count++) {
		ret = ib_poll_cq(cq, 1, &wc);
		if (ret < 0)
			return ret;
		if (!ret)
			break;
		uv_wc_to_user(&wc, cq, &out);
		if (copy_to_user(to + count, &out, sizeof(out)))
			return -EFAULT;
		cond_resched();
	}
	return count;
}

int uv_poll_cq(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_poll_cq_resp resp = {};
	struct ib_uverbs_poll_cq cmd;
	struct ib_cq *cq;
	size_t room;
	int ret;

	ret = uv_request(attrs, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	if (attrs->ucore.outlen < sizeof(resp))
		return uv_refuse(attrs->ufile, -ENOSPC,
				 "poll_cq: no room for a response");
	room = (attrs->ucore.outlen - sizeof(resp)) /
	       sizeof(struct ib_uverbs_wc);
	if (cmd.ne && !room)
		return uv_refuse(attrs->ufile, -ENOSPC,
				 "poll_cq: no room for a completion");
	/* out_words of a library that asks for thousands has overflowed. */
	cmd.ne = min_t(size_t, cmd.ne, room);
	cq = uv_read_obj(struct ib_cq, &uv_type_cq, cmd.cq_handle, attrs);
	if (IS_ERR(cq))
		return PTR_ERR(cq);

	ret = uv_cq_drain(cq, attrs->ucore.outbuf + sizeof(resp), cmd.ne);
	uv_put_cq(cq);
	if (ret < 0)
		return ret;
	resp.count = ret;
	return copy_to_user(attrs->ucore.outbuf, &resp, sizeof(resp)) ?
		-EFAULT : 0;
}

int uv_req_notify_cq(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_req_notify_cq cmd;
	struct ib_cq *cq;
	int ret;

	ret = uv_request(attrs, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	cq = uv_read_obj(struct ib_cq, &uv_type_cq, cmd.cq_handle, attrs);
	if (IS_ERR(cq))
		return PTR_ERR(cq);
	ret = ib_req_notify_cq(cq, cmd.solicited_only ? IB_CQ_SOLICITED :
							IB_CQ_NEXT_COMP);
	uv_put_cq(cq);
	return ret < 0 ? ret : 0;
}

/* @uobj is what is left of a CQ, so that the counts are final. */
void uv_cq_events(struct ib_uobject *uobj,
		  struct ib_uverbs_destroy_cq_resp *resp)
{
	resp->comp_events_reported = uv_ucq(uobj)->comp_reported;
	resp->async_events_reported = uv_source(uobj)->reported;
}

int uv_destroy_cq(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_destroy_cq_resp resp = {};
	struct ib_uverbs_destroy_cq cmd;
	struct ib_uobject *uobj;
	int ret;

	ret = uv_request(attrs, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	uobj = uv_get_destroyed(&uv_type_cq, cmd.cq_handle, attrs);
	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	uv_cq_events(uobj, &resp);
	uv_uobj_put(uobj);
	return uv_reply(attrs, &resp, sizeof(resp));
}

int uv_ex_modify_cq(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_ex_modify_cq cmd;
	struct ib_cq *cq;
	int ret;

	ret = uv_request(attrs, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	if (!cmd.attr_mask || cmd.reserved)
		return uv_refuse(attrs->ufile, -EINVAL,
				 "modify_cq: attr_mask 0x%x, reserved 0x%x",
				 cmd.attr_mask, cmd.reserved);
	if (cmd.attr_mask & ~IB_CQ_MODERATE)
		return uv_refuse(attrs->ufile, -EOPNOTSUPP,
				 "modify_cq: attr_mask 0x%x", cmd.attr_mask);
	cq = uv_read_obj(struct ib_cq, &uv_type_cq, cmd.cq_handle, attrs);
	if (IS_ERR(cq))
		return PTR_ERR(cq);
	ret = rdma_set_cq_moderation(cq, cmd.attr.cq_count,
				     cmd.attr.cq_period);
	uv_put_cq(cq);
	return ret;
}
