// SPDX-License-Identifier: GPL-2.0
/* Queue pairs: created, opened, destroyed. */
#include <linux/capability.h>
#include <linux/slab.h>
#include <ofed/nldev.h>
#include <ofed/verbs.h>
#include <rdma/ib_marshall.h>

#include "cmd.h"

static int uv_qp_destroy(struct ib_uobject *uobj, enum rdma_remove_reason why,
			 struct uverbs_attr_bundle *attrs)
{
	struct ib_uqp_object *uqp = uv_uqp(uobj);
	int ret;

	/* A program is told to detach. At the end of its file this does it. */
	if (why == RDMA_REMOVE_DESTROY && !list_empty(&uqp->mcast))
		return uv_refuse(uobj->ufile, -EBUSY,
				 "the QP is in multicast groups");
	uv_mcast_detach_all(uqp, uobj->object);
	ret = ib_destroy_qp_user(uobj->object, &attrs->driver_udata);
	if (ret)
		return ret;
	if (uqp->xrcd)
		atomic_dec(&uqp->xrcd->users);
	uv_source_end(&uqp->source);
	return 0;
}

static void uv_qp_hide(struct ib_uobject *uobj)
{
	ofed_hide_qp(uobj->object);
}

static void uv_qp_forget(struct ib_uobject *uobj)
{
	ofed_forget_qp(uobj->object);
	uv_source_end(uv_source(uobj));
}

UV_OBJ_TYPE(uv_type_qp, UVERBS_OBJECT_QP, struct ib_uqp_object, uv_qp_destroy,
	destroy_qp, .hide = uv_qp_hide, .forget = uv_qp_forget);

static void uv_qp_init(struct ib_uobject *uobj, u64 user_handle,
		       struct uv_async_file *async)
{
	struct ib_uqp_object *uqp = uv_uqp(uobj);

	uobj->user_handle = user_handle;
	uv_source_init(&uqp->source, async);
	mutex_init(&uqp->mcast_lock);
	INIT_LIST_HEAD(&uqp->mcast);
}

/* What a new QP is made of, each locked for reading or NULL. */
struct qp_parts {
	struct ib_uobject *xrcd;
	struct ib_uobject *pd;
	struct ib_uobject *srq;
	struct ib_uobject *table;
	struct ib_uobject *send_cq;
	struct ib_uobject *recv_cq;
};

static void *uv_part_get(struct ib_uobject **part, const struct uv_type *type,
			 u32 id, struct uverbs_attr_bundle *attrs)
{
	struct ib_uobject *uobj = uv_get_read(type, id, attrs);

	if (IS_ERR(uobj))
		return ERR_CAST(uobj);
	*part = uobj;
	return uobj->object;
}

static void uv_part_put(struct ib_uobject *part)
{
	if (part)
		uv_put_read(part);
}

static void uv_parts_put(struct qp_parts *parts)
{
	uv_part_put(parts->recv_cq);
	uv_part_put(parts->send_cq);
	uv_part_put(parts->table);
	uv_part_put(parts->srq);
	uv_part_put(parts->pd);
	uv_part_put(parts->xrcd);
}

static int uv_parts_get_recv(struct qp_parts *parts,
			     const struct ib_uverbs_ex_create_qp *cmd,
			     struct ib_qp_init_attr *init,
			     struct uverbs_attr_bundle *attrs)
{
	if (cmd->is_srq) {
		init->srq = uv_part_get(&parts->srq, &uv_type_srq,
					cmd->srq_handle, attrs);
		if (IS_ERR(init->srq))
			return PTR_ERR(init->srq);
		if (init->srq->srq_type == IB_SRQT_XRC)
			return uv_refuse(attrs->ufile, -EINVAL,
					 "create_qp: is_srq: an XRC SRQ");
	}
	if (init->rwq_ind_tbl)
		return 0;
	init->recv_cq = uv_part_get(&parts->recv_cq, &uv_type_cq,
				    cmd->recv_cq_handle, attrs);
	return PTR_ERR_OR_ZERO(init->recv_cq);
}

static int uv_parts_get(struct qp_parts *parts,
			const struct ib_uverbs_ex_create_qp *cmd,
			struct ib_qp_init_attr *init,
			struct uverbs_attr_bundle *attrs)
{
	void *pd;
	int ret;

	/*
	 * Of a target QP, pd_handle is that of the XRC domain. Wherever one is
	 * asked for, programs know -EINVAL alone for a bad handle of it.
	 */
	if (cmd->qp_type == IB_QPT_XRC_TGT) {
		init->xrcd = uv_part_get(&parts->xrcd, &uv_type_xrcd,
					 cmd->pd_handle, attrs);
		if (IS_ERR(init->xrcd))
			return uv_refuse(attrs->ufile, -EINVAL,
					 "create_qp: handle %u is no XRC domain",
					 cmd->pd_handle);
		return 0;
	}
	pd = uv_part_get(&parts->pd, &uv_type_pd, cmd->pd_handle, attrs);
	if (IS_ERR(pd))
		return PTR_ERR(pd);
	if (cmd->comp_mask & IB_UVERBS_CREATE_QP_MASK_IND_TABLE) {
		init->rwq_ind_tbl = uv_part_get(&parts->table, &uv_type_rwq,
						cmd->rwq_ind_tbl_handle, attrs);
		if (IS_ERR(init->rwq_ind_tbl))
			return PTR_ERR(init->rwq_ind_tbl);
	}
	if (cmd->qp_type != IB_QPT_XRC_INI) {
		ret = uv_parts_get_recv(parts, cmd, init, attrs);
		if (ret)
			return ret;
	}
	if (init->rwq_ind_tbl && !cmd->max_send_wr)
		return 0;
	init->send_cq = uv_part_get(&parts->send_cq, &uv_type_cq,
				    cmd->send_cq_handle, attrs);
	return PTR_ERR_OR_ZERO(init->send_cq);
}

/**
 * uv_qp_check - judge what is asked of a new QP before anything is looked up
 * @file: the file of the caller
 * @init: type, flags, source_qpn and sizes
 * @has_table: it receives through a table of WQs
 * @has_srq: it receives from an SRQ
 *
 * Return: 0, -EPERM (others' packets, or others' QP number), -EINVAL.
 */
int uv_qp_check(const struct ib_uverbs_file *file,
		const struct ib_qp_init_attr *init, bool has_table, bool has_srq)
{
	const u32 flags = IB_QP_CREATE_BLOCK_MULTICAST_LOOPBACK |
		IB_QP_CREATE_CROSS_CHANNEL | IB_QP_CREATE_MANAGED_SEND |
		IB_QP_CREATE_MANAGED_RECV | IB_QP_CREATE_SCATTER_FCS |
		IB_QP_CREATE_CVLAN_STRIPPING | IB_QP_CREATE_SOURCE_QPN |
		IB_QP_CREATE_PCI_WRITE_END_PADDING;
	const struct ib_qp_cap *cap = &init->cap;

	switch (init->qp_type) {
	case IB_QPT_RAW_PACKET:
		if (!uv_has_raw_cap(file))
			return uv_refuse(file, -EPERM,
					 "create_qp: a raw packet QP, CAP_NET_RAW is required");
		break;
	case IB_QPT_RC:
	case IB_QPT_UC:
	case IB_QPT_UD:
	case IB_QPT_XRC_INI:
	case IB_QPT_XRC_TGT:
	case IB_QPT_DRIVER:
		break;
	default:
		return uv_refuse(file, -EINVAL, "create_qp: qp_type: %u",
				 init->qp_type);
	}
	if (init->create_flags & ~flags)
		return uv_refuse(file, -EINVAL, "create_qp: create_flags 0x%x",
				 init->create_flags);
	if (init->create_flags & IB_QP_CREATE_SOURCE_QPN) {
		if (!uv_has_raw_cap(file))
			return uv_refuse(file, -EPERM,
					 "create_qp: source_qpn: CAP_NET_RAW is required");
	} else if (init->source_qpn) {
		return uv_refuse(file, -EINVAL,
				 "create_qp: source_qpn: %u without its flag",
				 init->source_qpn);
	}
	/* Either it receives itself or through the table. */
	if (has_table && (cap->max_recv_wr || cap->max_recv_sge || has_srq))
		return uv_refuse(file, -EINVAL,
				 "create_qp: a table, and receives of its own");
	if (has_table && !cap->max_send_wr && cap->max_send_sge)
		return uv_refuse(file, -EINVAL, "create_qp: max_send_sge: %u, without sends",
				 cap->max_send_sge);
	return 0;
}

static void uv_qp_use_xrcd(struct ib_uobject *uobj, struct ib_uobject *xrcd)
{
	struct ib_uqp_object *uqp = uv_uqp(uobj);

	uqp->xrcd = container_of(xrcd, struct uv_xrcd, uobj);
	atomic_inc(&uqp->xrcd->users);
}

/**
 * uv_qp_make - make a QP
 * @uobj: of the QP, from begin; its object is set on success
 * @params: what it shall be, checked by uv_qp_check(), and what it has become
 * @attrs: of the command
 *
 * Return: 0, -EOPNOTSUPP, -ENOMEM, or the driver's errno.
 */
int uv_qp_make(struct ib_uobject *uobj, struct uv_qp_params *params,
	       struct uverbs_attr_bundle *attrs)
{
	struct ib_qp_init_attr *init = &params->init;
	struct ib_qp *qp;

	uv_qp_init(uobj, params->user_handle, params->async);
	if (init->qp_type == IB_QPT_XRC_INI) {
		/* It does not receive. */
		init->cap.max_recv_sge = 0;
		init->cap.max_recv_wr = 0;
	}
	init->event_handler = uv_source_event;
	init->qp_context = uv_source(uobj);
	qp = ofed_create_user_qp(uobj->context->device, params->pd, init,
				 uv_uqp(uobj), &attrs->driver_udata);
	if (IS_ERR(qp)) {
		uv_source_end(uv_source(uobj));
		return PTR_ERR(qp);
	}
	uobj->object = qp;
	uv_uqp(uobj)->number = qp->qp_num;
	if (params->xrcd)
		uv_qp_use_xrcd(uobj, params->xrcd);
	return 0;
}

/* From what the handles of @cmd say. */
static int uv_do_qp_make(struct ib_uobject *uobj, struct uv_qp_params *params,
			 const struct ib_uverbs_ex_create_qp *cmd,
			 struct uverbs_attr_bundle *attrs)
{
	struct qp_parts parts = {};
	int ret;

	ret = uv_parts_get(&parts, cmd, &params->init, attrs);
	if (!ret) {
		params->pd = parts.pd ? parts.pd->object : NULL;
		params->xrcd = parts.xrcd;
		ret = uv_qp_make(uobj, params, attrs);
	}
	uv_parts_put(&parts);
	return ret;
}

/* On success the object is in attrs->uobject. */
static int uv_qp_create(const struct ib_uverbs_ex_create_qp *cmd,
			struct ib_uverbs_create_qp_resp *resp,
			struct uverbs_attr_bundle *attrs)
{
	struct uv_qp_params params = {
		.init.sq_sig_type = cmd->sq_sig_all ? IB_SIGNAL_ALL_WR :
						      IB_SIGNAL_REQ_WR,
		.init.qp_type = cmd->qp_type,
		.init.create_flags = cmd->create_flags,
		.init.source_qpn = cmd->source_qpn,
		.init.cap.max_inline_data = cmd->max_inline_data,
		.init.cap.max_recv_sge = cmd->max_recv_sge,
		.init.cap.max_recv_wr = cmd->max_recv_wr,
		.init.cap.max_send_sge = cmd->max_send_sge,
		.init.cap.max_send_wr = cmd->max_send_wr,
		.user_handle = cmd->user_handle,
	};
	const struct ib_qp_cap *cap = &params.init.cap;
	struct ib_uobject *uobj;
	int ret;

	ret = uv_qp_check(attrs->ufile, &params.init,
			  cmd->comp_mask & IB_UVERBS_CREATE_QP_MASK_IND_TABLE,
			  cmd->is_srq);
	if (ret)
		return ret;
	uobj = uv_uobj_begin(&uv_type_qp, attrs);
	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	attrs->uobject = uobj;
	ret = uv_do_qp_make(uobj, &params, cmd, attrs);
	if (ret)
		return ret;

	resp->qpn = ((struct ib_qp *)uobj->object)->qp_num;
	resp->qp_handle = uobj->id;
	resp->max_inline_data = cap->max_inline_data;
	resp->max_recv_sge = cap->max_recv_sge;
	resp->max_recv_wr = cap->max_recv_wr;
	resp->max_send_sge = cap->max_send_sge;
	resp->max_send_wr = cap->max_send_wr;
	return 0;
}

int uv_create_qp(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_create_qp_resp resp = {};
	struct ib_uverbs_ex_create_qp full = {};
	struct ib_uverbs_create_qp cmd;
	int ret;

	ret = uv_request(attrs, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	full.user_handle = cmd.user_handle;
	full.qp_type = cmd.qp_type;
	full.pd_handle = cmd.pd_handle;
	full.is_srq = cmd.is_srq;
	full.srq_handle = cmd.srq_handle;
	full.recv_cq_handle = cmd.recv_cq_handle;
	full.send_cq_handle = cmd.send_cq_handle;
	full.sq_sig_all = cmd.sq_sig_all;
	full.max_inline_data = cmd.max_inline_data;
	full.max_recv_sge = cmd.max_recv_sge;
	full.max_recv_wr = cmd.max_recv_wr;
	full.max_send_sge = cmd.max_send_sge;
	full.max_send_wr = cmd.max_send_wr;
	ret = uv_qp_create(&full, &resp, attrs);
	return ret ?: uv_reply(attrs, &resp, sizeof(resp));
}

int uv_ex_create_qp(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_ex_create_qp_resp resp = {};
	struct ib_uverbs_ex_create_qp cmd;
	int ret;

	ret = uv_request(attrs, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	if (cmd.comp_mask & ~IB_UVERBS_CREATE_QP_SUP_COMP_MASK || cmd.reserved)
		return uv_refuse(attrs->ufile, -EINVAL,
				 "create_qp: comp_mask 0x%x, reserved 0x%x",
				 cmd.comp_mask, cmd.reserved);
	ret = uv_qp_create(&cmd, &resp.base, attrs);
	if (ret)
		return ret;
	resp.response_length = uv_reply_length(attrs, sizeof(resp));
	return uv_reply(attrs, &resp, sizeof(resp));
}

static int uv_qp_open(struct ib_uobject *uobj,
		      const struct ib_uverbs_open_qp *cmd,
		      struct uverbs_attr_bundle *attrs)
{
	struct ib_qp_open_attr open = {
		.event_handler = uv_source_event,
		.qp_context = uv_source(uobj),
		.qp_num = cmd->qpn,
		.qp_type = cmd->qp_type,
	};
	struct ib_uobject *xrcd;
	struct ib_qp *qp;

	xrcd = uv_get_read(&uv_type_xrcd, cmd->pd_handle, attrs);
	if (IS_ERR(xrcd))
		return uv_refuse(attrs->ufile, -EINVAL,
				 "open_qp: handle %u is no XRC domain", cmd->pd_handle);
	uv_qp_init(uobj, cmd->user_handle, NULL);
	qp = ib_open_qp(xrcd->object, &open);
	if (IS_ERR(qp)) {
		uv_source_end(uv_source(uobj));
	} else {
		qp->uobject = uv_uqp(uobj);
		uobj->object = qp;
		uv_qp_use_xrcd(uobj, xrcd);
	}
	uv_put_read(xrcd);
	return PTR_ERR_OR_ZERO(qp);
}

int uv_open_qp(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_create_qp_resp resp = {};
	struct ib_uverbs_open_qp cmd;
	struct ib_uobject *uobj;
	int ret;

	ret = uv_request(attrs, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	uobj = uv_uobj_begin(&uv_type_qp, attrs);
	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	attrs->uobject = uobj;
	ret = uv_qp_open(uobj, &cmd, attrs);
	if (ret)
		return ret;
	resp.qp_handle = uobj->id;
	resp.qpn = cmd.qpn;
	return uv_reply(attrs, &resp, sizeof(resp));
}

int uv_destroy_qp(struct uverbs_attr_bundle *attrs)
{
	return uv_destroy_source(&uv_type_qp, attrs);
}
