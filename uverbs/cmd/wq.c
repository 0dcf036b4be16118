// SPDX-License-Identifier: GPL-2.0
/* Work queues, and the tables that spread what arrives over them. */
#include <linux/slab.h>
#include <ofed/verbs.h>

#include "cmd.h"

static int uv_wq_destroy(struct ib_uobject *uobj, enum rdma_remove_reason why,
			 struct uverbs_attr_bundle *attrs)
{
	int ret = ib_destroy_wq_user(uobj->object, &attrs->driver_udata);

	if (!ret)
		uv_source_end(uv_source(uobj));
	return ret;
}

/* The WQ itself is the driver's. */
static void uv_wq_forget(struct ib_uobject *uobj)
{
	uv_source_end(uv_source(uobj));
}

UV_OBJ_TYPE(uv_type_wq, UVERBS_OBJECT_WQ, struct ib_uwq_object, uv_wq_destroy,
	destroy_wq, .forget = uv_wq_forget);

/**
 * uv_wq_make - make a WQ
 * @uobj: of the WQ, from begin; its object is set on success
 * @params: what it shall be, and what it has become
 * @attrs: of the command
 *
 * Return: 0, -EOPNOTSUPP, or the driver's errno.
 */
int uv_wq_make(struct ib_uobject *uobj, struct uv_wq_params *params,
	       struct uverbs_attr_bundle *attrs)
{
	struct ib_wq *wq;

	uobj->user_handle = params->user_handle;
	uv_source_init(uv_source(uobj), params->async);
	params->init.event_handler = uv_source_event;
	params->init.wq_context = uv_source(uobj);
	wq = ofed_create_user_wq(params->pd, &params->init, uv_uwq(uobj),
				 &attrs->driver_udata);
	if (IS_ERR(wq)) {
		uv_source_end(uv_source(uobj));
		return PTR_ERR(wq);
	}
	uobj->object = wq;
	return 0;
}

/* From what the handles of @cmd say. */
static int uv_do_wq_make(struct ib_uobject *uobj, struct uv_wq_params *params,
			 const struct ib_uverbs_ex_create_wq *cmd,
			 struct uverbs_attr_bundle *attrs)
{
	struct ib_uobject *pd __free(uv_put_read) = NULL;
	struct ib_uobject *cq __free(uv_put_read) = NULL;

	pd = uv_get_read(&uv_type_pd, cmd->pd_handle, attrs);
	if (IS_ERR(pd))
		return PTR_ERR(pd);
	cq = uv_get_read(&uv_type_cq, cmd->cq_handle, attrs);
	if (IS_ERR(cq))
		return PTR_ERR(cq);
	params->pd = pd->object;
	params->init.cq = cq->object;
	return uv_wq_make(uobj, params, attrs);
}

int uv_ex_create_wq(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_ex_create_wq_resp resp = {};
	struct ib_uverbs_ex_create_wq cmd;
	struct uv_wq_params params = {};
	struct ib_uobject *uobj;
	int ret;

	ret = uv_request(attrs, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	if (cmd.comp_mask || cmd.reserved)
		return uv_refuse(attrs->ufile, -EOPNOTSUPP,
				 "create_wq: comp_mask 0x%x, reserved 0x%x",
				 cmd.comp_mask, cmd.reserved);
	uobj = uv_uobj_begin(&uv_type_wq, attrs);
	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	attrs->uobject = uobj;
	params.user_handle = cmd.user_handle;
	params.init.create_flags = cmd.create_flags;
	params.init.wq_type = cmd.wq_type;
	params.init.max_sge = cmd.max_sge;
	params.init.max_wr = cmd.max_wr;
	ret = uv_do_wq_make(uobj, &params, &cmd, attrs);
	if (ret)
		return ret;

	resp.wqn = ((struct ib_wq *)uobj->object)->wq_num;
	resp.wq_handle = uobj->id;
	resp.max_sge = params.init.max_sge;
	resp.max_wr = params.init.max_wr;
	resp.response_length = uv_reply_length(attrs, sizeof(resp));
	return uv_reply(attrs, &resp, sizeof(resp));
}

int uv_ex_modify_wq(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_ex_modify_wq cmd;
	struct ib_wq_attr attr = {};
	struct ib_wq *wq;
	int ret;

	ret = uv_request(attrs, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	if (!cmd.attr_mask || cmd.attr_mask &
	    ~(IB_WQ_STATE | IB_WQ_CUR_STATE | IB_WQ_FLAGS))
		return uv_refuse(attrs->ufile, -EINVAL,
				 "modify_wq: attr_mask 0x%x", cmd.attr_mask);
	if (cmd.attr_mask & IB_WQ_STATE && cmd.wq_state > IB_WQS_ERR)
		return uv_refuse(attrs->ufile, -EINVAL, "modify_wq: wq_state: %u",
				 cmd.wq_state);
	if (cmd.attr_mask & IB_WQ_CUR_STATE && cmd.curr_wq_state > IB_WQS_ERR)
		return uv_refuse(attrs->ufile, -EINVAL,
				 "modify_wq: curr_wq_state: %u", cmd.curr_wq_state);
	wq = uv_read_obj(struct ib_wq, &uv_type_wq, cmd.wq_handle, attrs);
	if (IS_ERR(wq))
		return PTR_ERR(wq);
	attr.wq_state = cmd.attr_mask & IB_WQ_STATE ? cmd.wq_state :
						      wq->state;
	attr.curr_wq_state = cmd.attr_mask & IB_WQ_CUR_STATE ?
		cmd.curr_wq_state : wq->state;
	attr.flags_mask = cmd.flags_mask;
	attr.flags = cmd.flags;
	ret = ofed_modify_wq(wq, &attr, cmd.attr_mask, &attrs->driver_udata);
	uv_put_wq(wq);
	return ret;
}

int uv_ex_destroy_wq(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_ex_destroy_wq_resp resp = {};
	struct ib_uverbs_ex_destroy_wq cmd;
	struct ib_uobject *uobj;
	int ret;

	ret = uv_request(attrs, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	if (cmd.comp_mask)
		return uv_refuse(attrs->ufile, -EOPNOTSUPP,
				 "destroy_wq: comp_mask 0x%x", cmd.comp_mask);
	uobj = uv_get_destroyed(&uv_type_wq, cmd.wq_handle, attrs);
	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	resp.events_reported = uv_source(uobj)->reported;
	resp.response_length = uv_reply_length(attrs, sizeof(resp));
	uv_uobj_put(uobj);
	return uv_reply(attrs, &resp, sizeof(resp));
}

static int uv_table_destroy(struct ib_uobject *uobj, enum rdma_remove_reason why,
			    struct uverbs_attr_bundle *attrs)
{
	return ofed_destroy_rwq_ind_table(uobj->object);
}

static void uv_table_forget(struct ib_uobject *uobj)
{
	ofed_forget_rwq_ind_table(uobj->object);
}

UV_OBJ_TYPE(uv_type_rwq, UVERBS_OBJECT_RWQ_IND_TBL, struct ib_uobject,
	uv_table_destroy, destroy_rwq_ind_table, .forget = uv_table_forget);

static void uv_wqs_put(struct ib_wq **wqs, u32 count)
{
	while (count--)
		uv_put_wq(wqs[count]);
}

/* All of @wqs or none. */
static int uv_wqs_find(struct ib_wq **wqs, const u32 *handles, u32 count,
		       struct uverbs_attr_bundle *attrs)
{
	u32 i;

	for (i = 0; i < count; i++) {
		wqs[i] = uv_read_obj(struct ib_wq, &uv_type_wq, handles[i],
				     attrs);
		if (IS_ERR(wqs[i])) {
			uv_wqs_put(wqs, i);
			return PTR_ERR(wqs[i]);
		}
	}
	return 0;
}

/* The whole request is read before any of its handles is looked for. */
static int uv_wqs_get(struct uv_reader *reader, struct ib_wq **wqs, u32 count,
		      struct uverbs_attr_bundle *attrs)
{
	u32 *handles = kcalloc(count, sizeof(*handles), GFP_KERNEL_ACCOUNT);
	int ret;

	if (!handles)
		return -ENOMEM;
	ret = uv_read(reader, handles, count * sizeof(*handles)) ?:
	      uv_read_end(reader) ?:
	      uv_wqs_find(wqs, handles, count, attrs);
	kfree(handles);
	return ret;
}

/* uobj->object is set on success. */
static int uv_table_make(struct ib_uobject *uobj, struct uv_reader *reader,
			 u32 log_size, struct uverbs_attr_bundle *attrs)
{
	struct ib_rwq_ind_table_init_attr init = {
		.log_ind_tbl_size = log_size,
	};
	struct ib_rwq_ind_table *table;
	u32 count = 1U << log_size;
	int ret;

	init.ind_tbl = kcalloc(count, sizeof(*init.ind_tbl),
			       GFP_KERNEL_ACCOUNT);
	if (!init.ind_tbl)
		return -ENOMEM;
	ret = uv_wqs_get(reader, init.ind_tbl, count, attrs);
	if (ret)
		goto out_free;
	table = ofed_create_rwq_ind_table(uobj->context->device, &init, uobj,
					  &attrs->driver_udata);
	if (IS_ERR(table))
		ret = PTR_ERR(table);
	else
		uobj->object = table;
	uv_wqs_put(init.ind_tbl, count);
out_free:
	kfree(init.ind_tbl);
	return ret;
}

int uv_ex_create_rwq_ind_table(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_ex_create_rwq_ind_table_resp resp = {};
	struct ib_uverbs_ex_create_rwq_ind_table cmd;
	struct ib_uobject *uobj;
	struct uv_reader reader;
	int ret;

	ret = uv_read_start(&reader, attrs, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	if (cmd.comp_mask)
		return uv_refuse(attrs->ufile, -EOPNOTSUPP,
				 "create_rwq_ind_table: comp_mask 0x%x",
				 cmd.comp_mask);
	if (cmd.log_ind_tbl_size > IB_USER_VERBS_MAX_LOG_IND_TBL_SIZE)
		return uv_refuse(attrs->ufile, -EINVAL,
				 "create_rwq_ind_table: log_ind_tbl_size: %u, at most %u",
				 cmd.log_ind_tbl_size,
				 IB_USER_VERBS_MAX_LOG_IND_TBL_SIZE);
	uobj = uv_uobj_begin(&uv_type_rwq, attrs);
	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	ret = uv_table_make(uobj, &reader, cmd.log_ind_tbl_size, attrs);
	if (ret) {
		uv_uobj_abort(uobj, attrs);
		return ret;
	}

	attrs->uobject = uobj;
	resp.ind_tbl_num =
		((struct ib_rwq_ind_table *)uobj->object)->ind_tbl_num;
	resp.ind_tbl_handle = uobj->id;
	resp.response_length = uv_reply_length(attrs, sizeof(resp));
	return uv_reply(attrs, &resp, sizeof(resp));
}

int uv_ex_destroy_rwq_ind_table(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_ex_destroy_rwq_ind_table cmd;
	int ret;

	ret = uv_request(attrs, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	if (cmd.comp_mask)
		return uv_refuse(attrs->ufile, -EOPNOTSUPP,
				 "destroy_rwq_ind_table: comp_mask 0x%x",
				 cmd.comp_mask);
	return uv_destroy(&uv_type_rwq, cmd.ind_tbl_handle, attrs);
}
