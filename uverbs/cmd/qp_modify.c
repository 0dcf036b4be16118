// SPDX-License-Identifier: GPL-2.0
/* State and attributes of queue pairs: queried, modified. */
#include <linux/capability.h>
#include <linux/slab.h>
#include <ofed/nldev.h>
#include <ofed/raw_cap.h>
#include <ofed/refuse.h>
#include <rdma/ib_marshall.h>

#include "cmd.h"

#define QKEY_CONTROLLED BIT(31)

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

static int uv_modify_same_port(const struct ib_qp *qp, u32 port, u32 qp_port)
{
	if (port == qp_port)
		return 0;
	return ofed_refuse(qp->device, -EINVAL,
			   "ah_attr: an address of port %u, the QP is of port %u",
			   port, qp_port);
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
		return uv_modify_same_port(qp, cmd->dest.port_num,
					   qp->real_qp->port);
	if (mask & IB_QP_PORT)
		return uv_modify_same_port(qp, cmd->dest.port_num, cmd->port_num);
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
		return ofed_refuse_port(device, cmd->port_num);
	if (mask & IB_QP_AV && !rdma_is_port_valid(device, cmd->dest.port_num))
		return ofed_refuse_port(device, cmd->dest.port_num);
	if (mask & IB_QP_ALT_PATH &&
	    (!rdma_is_port_valid(device, cmd->alt_port_num) ||
	     cmd->alt_dest.port_num != cmd->alt_port_num))
		return ofed_refuse(device, -EINVAL,
				   "alt_port_num: %u, its address is of port %u",
				   cmd->alt_port_num, cmd->alt_dest.port_num);
	if (mask & IB_QP_CUR_STATE && cmd->cur_qp_state > IB_QPS_ERR)
		return ofed_refuse(device, -EINVAL, "cur_qp_state: %u",
				   cmd->cur_qp_state);
	if (mask & IB_QP_STATE && cmd->qp_state > IB_QPS_ERR)
		return ofed_refuse(device, -EINVAL, "qp_state: %u", cmd->qp_state);
	/* IBA vol. 1 section 10.2.5: a controlled Q_Key needs a privilege. */
	if (mask & IB_QP_QKEY && cmd->qkey & QKEY_CONTROLLED &&
	    !ofed_privileged_qkey_allowed() && !ofed_has_raw_cap(device))
		return ofed_refuse(device, -EPERM,
				   "qkey: 0x%x is controlled, CAP_NET_RAW is required",
				   cmd->qkey);
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
		return uv_refuse(attrs->ufile, -EOPNOTSUPP,
				 "modify_qp: attr_mask 0x%x",
				 cmd.base.attr_mask);
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
		return uv_refuse(attrs->ufile, -EOPNOTSUPP,
				 "modify_qp: attr_mask 0x%x",
				 cmd.base.attr_mask);
	ret = uv_qp_modify(&cmd, attrs);
	if (ret)
		return ret;
	resp.response_length = uv_reply_length(attrs, sizeof(resp));
	return uv_reply(attrs, &resp, sizeof(resp));
}
