// SPDX-License-Identifier: GPL-2.0
/* Queue pairs, and the multicast groups that they are in. */
#include <linux/capability.h>
#include <linux/slab.h>
#include <ofed/nldev.h>
#include <ofed/verbs.h>
#include <rdma/ib_marshall.h>

#include "cmd.h"

#define QKEY_CONTROLLED BIT(31)

/* A group that a QP is attached to. */
struct uv_mcast {
	struct list_head node;
	union ib_gid gid;
	u16 lid;
};

/* At the end of a file, when no command uses @uqp: no lock is needed. */
static void uv_mcast_detach_all(struct ib_uqp_object *uqp, struct ib_qp *qp)
{
	struct uv_mcast *mcast, *next;

	list_for_each_entry_safe(mcast, next, &uqp->mcast, node) {
		ofed_end_mcast(qp, &mcast->gid, mcast->lid);
		list_del(&mcast->node);
		kfree(mcast);
	}
}

static int uv_qp_destroy(struct ib_uobject *uobj, enum rdma_remove_reason why,
			 struct uverbs_attr_bundle *attrs)
{
	struct ib_uqp_object *uqp = uv_uqp(uobj);
	int ret;

	/* A program is told to detach. At the end of its file this does it. */
	if (why == RDMA_REMOVE_DESTROY && !list_empty(&uqp->mcast))
		return -EBUSY;
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
			return -EINVAL;
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
		return IS_ERR(init->xrcd) ? -EINVAL : 0;
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
 * @init: type, flags, source_qpn and sizes
 * @has_table: it receives through a table of WQs
 * @has_srq: it receives from an SRQ
 *
 * Return: 0, -EPERM (others' packets, or others' QP number), -EINVAL.
 */
int uv_qp_check(const struct ib_qp_init_attr *init, bool has_table,
		bool has_srq)
{
	const u32 flags = IB_QP_CREATE_BLOCK_MULTICAST_LOOPBACK |
		IB_QP_CREATE_CROSS_CHANNEL | IB_QP_CREATE_MANAGED_SEND |
		IB_QP_CREATE_MANAGED_RECV | IB_QP_CREATE_SCATTER_FCS |
		IB_QP_CREATE_CVLAN_STRIPPING | IB_QP_CREATE_SOURCE_QPN |
		IB_QP_CREATE_PCI_WRITE_END_PADDING;
	const struct ib_qp_cap *cap = &init->cap;

	switch (init->qp_type) {
	case IB_QPT_RAW_PACKET:
		if (!capable(CAP_NET_RAW))
			return -EPERM;
		break;
	case IB_QPT_RC:
	case IB_QPT_UC:
	case IB_QPT_UD:
	case IB_QPT_XRC_INI:
	case IB_QPT_XRC_TGT:
	case IB_QPT_DRIVER:
		break;
	default:
		return -EINVAL;
	}
	if (init->create_flags & ~flags)
		return -EINVAL;
	if (init->create_flags & IB_QP_CREATE_SOURCE_QPN) {
		if (!capable(CAP_NET_RAW))
			return -EPERM;
	} else if (init->source_qpn) {
		return -EINVAL;
	}
	/* Either it receives itself or through the table. */
	if (has_table && (cap->max_recv_wr || cap->max_recv_sge || has_srq))
		return -EINVAL;
	return has_table && !cap->max_send_wr && cap->max_send_sge ? -EINVAL :
								     0;
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

	ret = uv_qp_check(&params.init,
			  cmd->comp_mask & IB_UVERBS_CREATE_QP_MASK_IND_TABLE,
			  cmd->is_srq);
	if (ret)
		return ret;
	uobj = uv_obj_begin(&uv_type_qp, attrs);
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
		return -EINVAL;
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
		return -EINVAL;
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
	uobj = uv_obj_begin(&uv_type_qp, attrs);
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

static void uv_av_to_user(struct ib_device *device, struct rdma_ah_attr *av,
			  struct ib_uverbs_qp_dest *to)
{
	struct ib_uverbs_ah_attr user;

	ib_copy_ah_attr_to_user(device, &user, av);
	memcpy(to->dgid, user.grh.dgid, sizeof(to->dgid));
	to->flow_label = user.grh.flow_label;
	to->sgid_index = user.grh.sgid_index;
	to->hop_limit = user.grh.hop_limit;
	to->traffic_class = user.grh.traffic_class;
	to->dlid = user.dlid;
	to->sl = user.sl;
	to->src_path_bits = user.src_path_bits;
	to->static_rate = user.static_rate;
	to->is_global = user.is_global;
	to->port_num = user.port_num;
}

static void uv_qp_attr_to_user(const struct ib_qp_attr *attr,
			       const struct ib_qp_init_attr *init,
			       struct ib_uverbs_query_qp_resp *to)
{
	to->cur_qp_state = attr->cur_qp_state;
	to->qp_state = attr->qp_state;
	to->sq_draining = attr->sq_draining;
	to->qp_access_flags = attr->qp_access_flags;
	to->path_mig_state = attr->path_mig_state;
	to->path_mtu = attr->path_mtu;
	to->port_num = attr->port_num;
	to->pkey_index = attr->pkey_index;
	to->timeout = attr->timeout;
	to->alt_port_num = attr->alt_port_num;
	to->alt_pkey_index = attr->alt_pkey_index;
	to->alt_timeout = attr->alt_timeout;
	to->dest_qp_num = attr->dest_qp_num;
	to->qkey = attr->qkey;
	to->sq_psn = attr->sq_psn;
	to->rq_psn = attr->rq_psn;
	to->max_dest_rd_atomic = attr->max_dest_rd_atomic;
	to->max_rd_atomic = attr->max_rd_atomic;
	to->min_rnr_timer = attr->min_rnr_timer;
	to->rnr_retry = attr->rnr_retry;
	to->retry_cnt = attr->retry_cnt;
	to->max_inline_data = init->cap.max_inline_data;
	to->max_recv_sge = init->cap.max_recv_sge;
	to->max_recv_wr = init->cap.max_recv_wr;
	to->max_send_sge = init->cap.max_send_sge;
	to->max_send_wr = init->cap.max_send_wr;
	to->sq_sig_all = init->sq_sig_type == IB_SIGNAL_ALL_WR;
}

int uv_query_qp(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_query_qp_resp resp = {};
	struct ib_qp_init_attr init = {};
	struct ib_uverbs_query_qp cmd;
	struct ib_qp_attr attr = {};
	struct ib_qp *qp;
	int ret;

	ret = uv_request(attrs, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	qp = uv_read_obj(struct ib_qp, &uv_type_qp, cmd.qp_handle, attrs);
	if (IS_ERR(qp))
		return PTR_ERR(qp);
	ret = ib_query_qp(qp, &attr, cmd.attr_mask, &init);
	if (!ret) {
		uv_qp_attr_to_user(&attr, &init, &resp);
		uv_av_to_user(qp->device, &attr.alt_ah_attr, &resp.alt_dest);
		uv_av_to_user(qp->device, &attr.ah_attr, &resp.dest);
		ret = uv_reply(attrs, &resp, sizeof(resp));
	}
	uv_put_qp(qp);
	return ret;
}

static void uv_qp_av_from_user(struct ib_device *device, struct rdma_ah_attr *av,
			       const struct ib_uverbs_qp_dest *dest)
{
	av->type = rdma_ah_find_type(device, dest->port_num);
	rdma_ah_set_make_grd(av, false);
	rdma_ah_set_port_num(av, dest->port_num);
	rdma_ah_set_static_rate(av, dest->static_rate);
	rdma_ah_set_path_bits(av, dest->src_path_bits);
	rdma_ah_set_dlid(av, dest->dlid);
	rdma_ah_set_sl(av, dest->sl);
	if (!dest->is_global)
		return;
	rdma_ah_set_grh(av, NULL, dest->flow_label, dest->sgid_index,
			dest->hop_limit, dest->traffic_class);
	rdma_ah_set_dgid_raw(av, (void *)dest->dgid);
}

/*
 * The port of the primary path is that of the QP: on the way to RTR it is
 * known since Init, in SQD the QP moves with the path.
 */
static int uv_modify_path_port(const struct ib_qp *qp,
			       struct ib_uverbs_modify_qp *cmd)
{
	u32 mask = cmd->attr_mask;

	if (!(mask & IB_QP_AV))
		return 0;
	if (mask & IB_QP_STATE && cmd->qp_state == IB_QPS_RTR)
		return cmd->dest.port_num == qp->real_qp->port ? 0 : -EINVAL;
	if (mask & IB_QP_PORT)
		return cmd->dest.port_num == cmd->port_num ? 0 : -EINVAL;
	cmd->attr_mask |= IB_QP_PORT;
	cmd->port_num = cmd->dest.port_num;
	return 0;
}

/* What the core and the drivers take for granted. */
static int uv_modify_check(struct ib_device *device,
			   const struct ib_uverbs_modify_qp *cmd)
{
	u32 mask = cmd->attr_mask;

	if (mask & IB_QP_PORT && !rdma_is_port_valid(device, cmd->port_num))
		return -EINVAL;
	if (mask & IB_QP_AV && !rdma_is_port_valid(device, cmd->dest.port_num))
		return -EINVAL;
	if (mask & IB_QP_ALT_PATH &&
	    (!rdma_is_port_valid(device, cmd->alt_port_num) ||
	     cmd->alt_dest.port_num != cmd->alt_port_num))
		return -EINVAL;
	if (mask & IB_QP_CUR_STATE && cmd->cur_qp_state > IB_QPS_ERR)
		return -EINVAL;
	if (mask & IB_QP_STATE && cmd->qp_state > IB_QPS_ERR)
		return -EINVAL;
	/* IBA vol. 1 section 10.2.5: a controlled Q_Key needs a privilege. */
	if (mask & IB_QP_QKEY && cmd->qkey & QKEY_CONTROLLED &&
	    !ofed_privileged_qkey_allowed() && !capable(CAP_NET_RAW))
		return -EPERM;
	return 0;
}

static void uv_modify_attr(struct ib_device *device,
			   const struct ib_uverbs_ex_modify_qp *ex,
			   struct ib_qp_attr *attr)
{
	const struct ib_uverbs_modify_qp *cmd = &ex->base;
	u32 mask = cmd->attr_mask;

	attr->cur_qp_state = cmd->cur_qp_state;
	attr->qp_state = cmd->qp_state;
	attr->en_sqd_async_notify = cmd->en_sqd_async_notify;
	attr->qp_access_flags = cmd->qp_access_flags;
	attr->path_mig_state = cmd->path_mig_state;
	attr->path_mtu = cmd->path_mtu;
	attr->port_num = cmd->port_num;
	attr->pkey_index = cmd->pkey_index;
	attr->timeout = cmd->timeout;
	attr->alt_port_num = cmd->alt_port_num;
	attr->alt_pkey_index = cmd->alt_pkey_index;
	attr->alt_timeout = cmd->alt_timeout;
	attr->dest_qp_num = cmd->dest_qp_num;
	attr->qkey = cmd->qkey;
	attr->sq_psn = cmd->sq_psn;
	attr->rq_psn = cmd->rq_psn;
	attr->max_dest_rd_atomic = cmd->max_dest_rd_atomic;
	attr->max_rd_atomic = cmd->max_rd_atomic;
	attr->min_rnr_timer = cmd->min_rnr_timer;
	attr->rnr_retry = cmd->rnr_retry;
	attr->retry_cnt = cmd->retry_cnt;
	attr->rate_limit = ex->rate_limit;
	if (mask & IB_QP_ALT_PATH)
		uv_qp_av_from_user(device, &attr->alt_ah_attr,
				   &cmd->alt_dest);
	if (mask & IB_QP_AV)
		uv_qp_av_from_user(device, &attr->ah_attr, &cmd->dest);
}

/* Programs name for half a QP of XRC what they name for RC. */
static u32 uv_modify_mask(const struct ib_qp *qp, u32 mask)
{
	switch (qp->qp_type) {
	case IB_QPT_XRC_TGT:
		return mask & ~(IB_QP_RNR_RETRY | IB_QP_RETRY_CNT |
				IB_QP_MAX_QP_RD_ATOMIC);
	case IB_QPT_XRC_INI:
		return mask & ~(IB_QP_MIN_RNR_TIMER |
				IB_QP_MAX_DEST_RD_ATOMIC);
	default:
		return mask;
	}
}

static int uv_qp_modify(struct ib_uverbs_ex_modify_qp *cmd,
			struct uverbs_attr_bundle *attrs)
{
	struct ib_qp_attr *attr;
	struct ib_qp *qp;
	int ret;

	/* Charged, as each call may raise an event that is. */
	attr = kzalloc(sizeof(*attr), GFP_KERNEL_ACCOUNT);
	if (!attr)
		return -ENOMEM;
	qp = uv_read_obj(struct ib_qp, &uv_type_qp, cmd->base.qp_handle,
			 attrs);
	if (IS_ERR(qp)) {
		ret = PTR_ERR(qp);
		goto out_free;
	}
	ret = uv_modify_check(qp->device, &cmd->base);
	if (!ret)
		ret = uv_modify_path_port(qp, &cmd->base);
	if (!ret) {
		uv_modify_attr(qp->device, cmd, attr);
		ret = ib_modify_qp_with_udata(qp, attr,
					      uv_modify_mask(qp,
							     cmd->base.attr_mask),
					      &attrs->driver_udata);
	}
	uv_put_qp(qp);
out_free:
	kfree(attr);
	return ret;
}

int uv_modify_qp(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_ex_modify_qp cmd = {};
	int ret;

	ret = uv_request(attrs, &cmd.base, sizeof(cmd.base));
	if (ret)
		return ret;
	if (cmd.base.attr_mask & ~IB_QP_ATTR_STANDARD_BITS)
		return -EOPNOTSUPP;
	return uv_qp_modify(&cmd, attrs);
}

int uv_ex_modify_qp(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_ex_modify_qp_resp resp = {};
	struct ib_uverbs_ex_modify_qp cmd;
	int ret;

	ret = uv_request(attrs, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	if (cmd.base.attr_mask &
	    ~(IB_QP_ATTR_STANDARD_BITS | IB_QP_RATE_LIMIT))
		return -EOPNOTSUPP;
	ret = uv_qp_modify(&cmd, attrs);
	if (ret)
		return ret;
	resp.response_length = uv_reply_length(attrs, sizeof(resp));
	return uv_reply(attrs, &resp, sizeof(resp));
}

int uv_destroy_qp(struct uverbs_attr_bundle *attrs)
{
	return uv_destroy_source(&uv_type_qp, attrs);
}

/*
 * Ethernet has no LIDs: a driver knows a group by its GID alone, and could not
 * leave it twice.
 */
static struct uv_mcast *uv_mcast_find(struct ib_qp *qp, const union ib_gid *gid,
				      u16 lid)
{
	struct ib_uqp_object *uqp = qp->uobject;
	bool by_gid = rdma_protocol_roce(qp->device, qp->port ?:
					 rdma_start_port(qp->device));
	struct uv_mcast *mcast;

	lockdep_assert_held(&uqp->mcast_lock);
	list_for_each_entry(mcast, &uqp->mcast, node)
		if ((by_gid || mcast->lid == lid) &&
		    !memcmp(&mcast->gid, gid, sizeof(*gid)))
			return mcast;
	return NULL;
}

/* Again is fine: the driver hears of a group once. */
static int uv_mcast_attach(struct ib_qp *qp, union ib_gid *gid, u16 lid)
{
	struct ib_uqp_object *uqp = qp->uobject;
	struct uv_mcast *mcast;
	int ret;

	guard(mutex)(&uqp->mcast_lock);
	if (uv_mcast_find(qp, gid, lid))
		return 0;
	mcast = kzalloc(sizeof(*mcast), GFP_KERNEL_ACCOUNT);
	if (!mcast)
		return -ENOMEM;
	ret = ib_attach_mcast(qp, gid, lid);
	if (ret) {
		kfree(mcast);
		return ret;
	}
	mcast->gid = *gid;
	mcast->lid = lid;
	list_add_tail(&mcast->node, &uqp->mcast);
	return 0;
}

static int uv_mcast_detach(struct ib_qp *qp, union ib_gid *gid, u16 lid)
{
	struct ib_uqp_object *uqp = qp->uobject;
	struct uv_mcast *mcast;
	int ret;

	guard(mutex)(&uqp->mcast_lock);
	mcast = uv_mcast_find(qp, gid, lid);
	if (!mcast)
		return -EINVAL;
	ret = ib_detach_mcast(qp, gid, mcast->lid);
	if (ret)
		return ret;
	list_del(&mcast->node);
	kfree(mcast);
	return 0;
}

static int uv_mcast_do(struct uverbs_attr_bundle *attrs,
		       int (*change)(struct ib_qp *, union ib_gid *, u16))
{
	struct ib_uverbs_attach_mcast cmd;
	union ib_gid gid;
	struct ib_qp *qp;
	int ret;

	ret = uv_request(attrs, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	qp = uv_read_obj(struct ib_qp, &uv_type_qp, cmd.qp_handle, attrs);
	if (IS_ERR(qp))
		return PTR_ERR(qp);
	memcpy(&gid, cmd.gid, sizeof(gid));
	ret = change(qp, &gid, cmd.mlid);
	uv_put_qp(qp);
	return ret;
}

int uv_attach_mcast(struct uverbs_attr_bundle *attrs)
{
	return uv_mcast_do(attrs, uv_mcast_attach);
}

int uv_detach_mcast(struct uverbs_attr_bundle *attrs)
{
	static_assert(sizeof(struct ib_uverbs_detach_mcast) ==
		      sizeof(struct ib_uverbs_attach_mcast));
	return uv_mcast_do(attrs, uv_mcast_detach);
}
