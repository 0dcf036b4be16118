// SPDX-License-Identifier: GPL-2.0
/* Commands on the device: context, attributes, ports. */
#include <linux/slab.h>
#include <rdma/opa_addr.h>

#include "../uverbs.h"

/*
 * The answer goes out before the driver makes the context: there is no way back
 * from that.
 */
int uv_get_context(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_get_context_resp resp = {};
	struct ib_uverbs_get_context cmd;
	struct ib_ucontext *context;
	struct uv_async_file *async;
	struct ib_uobject *uobj;
	int ret;

	ret = uv_request(attrs, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	context = uv_context_alloc(attrs->ufile);
	if (IS_ERR(context))
		return PTR_ERR(context);
	attrs->context = context;
	uobj = uv_uobj_begin_fd(&uv_type_async, attrs, &uv_async_fops);
	if (IS_ERR(uobj)) {
		ret = PTR_ERR(uobj);
		goto err_free;
	}
	async = container_of(uobj, struct uv_async_file, uobj);
	uv_queue_init(&async->queue);

	resp.async_fd = uobj->id;
	resp.num_comp_vectors = attrs->ufile->device->num_comp_vectors;
	ret = uv_reply(attrs, &resp, sizeof(resp));
	if (ret)
		goto err_abort;
	ret = uv_context_create(attrs, context, async);
	if (ret)
		goto err_abort;
	uv_uobj_commit(uobj);
	return 0;

err_abort:
	uv_uobj_abort(uobj, attrs);
err_free:
	kfree(context);
	return ret;
}

static void uv_device_limits(struct ib_uverbs_query_device_resp *resp,
			     const struct ib_device_attr *attr)
{
	resp->max_mr_size = attr->max_mr_size;
	resp->max_mr = attr->max_mr;
	resp->max_mw = attr->max_mw;
	resp->max_pd = attr->max_pd;
	resp->max_ah = attr->max_ah;
	resp->max_cq = attr->max_cq;
	resp->max_cqe = attr->max_cqe;
	resp->max_qp = attr->max_qp;
	resp->max_qp_wr = attr->max_qp_wr;
	/* One number for both directions. */
	resp->max_sge = min(attr->max_recv_sge, attr->max_send_sge);
	resp->max_sge_rd = attr->max_sge_rd;
	resp->max_srq = attr->max_srq;
	resp->max_srq_wr = attr->max_srq_wr;
	resp->max_srq_sge = attr->max_srq_sge;
	resp->max_qp_rd_atom = attr->max_qp_rd_atom;
	resp->max_qp_init_rd_atom = attr->max_qp_init_rd_atom;
	resp->max_res_rd_atom = attr->max_res_rd_atom;
	resp->max_ee = attr->max_ee;
	resp->max_ee_rd_atom = attr->max_ee_rd_atom;
	resp->max_ee_init_rd_atom = attr->max_ee_init_rd_atom;
	resp->max_rdd = attr->max_rdd;
	resp->max_raw_ethy_qp = attr->max_raw_ethy_qp;
	resp->max_raw_ipv6_qp = attr->max_raw_ipv6_qp;
	resp->max_total_mcast_qp_attach = attr->max_total_mcast_qp_attach;
	resp->max_mcast_qp_attach = attr->max_mcast_qp_attach;
	resp->max_mcast_grp = attr->max_mcast_grp;
	resp->max_pkeys = attr->max_pkeys;
}

static void uv_device_attr(struct ib_uverbs_query_device_resp *resp,
			   const struct ib_device *ib_dev,
			   const struct ib_device_attr *attr)
{
	uv_device_limits(resp, attr);
	resp->phys_port_cnt = min_t(u32, ib_dev->phys_port_cnt, U8_MAX);
	resp->local_ca_ack_delay = attr->local_ca_ack_delay;
	resp->atomic_cap = attr->atomic_cap;
	resp->device_cap_flags = lower_32_bits(attr->device_cap_flags);
	resp->page_size_cap = attr->page_size_cap;
	resp->hw_ver = attr->hw_ver;
	resp->vendor_part_id = attr->vendor_part_id;
	resp->vendor_id = attr->vendor_id;
	resp->sys_image_guid = attr->sys_image_guid;
	resp->node_guid = ib_dev->node_guid;
	resp->fw_ver = attr->fw_ver;
}

int uv_query_device(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_query_device_resp resp = {};
	struct ib_ucontext *context = uv_file_context(attrs->ufile);
	struct ib_uverbs_query_device cmd;
	int ret;

	if (IS_ERR(context))
		return PTR_ERR(context);
	ret = uv_request(attrs, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	uv_device_attr(&resp, context->device, &context->device->attrs);
	return uv_reply(attrs, &resp, sizeof(resp));
}

static void uv_device_attr_odp(struct ib_uverbs_ex_query_device_resp *resp,
			       const struct ib_odp_caps *caps)
{
	resp->xrc_odp_caps = caps->per_transport_caps.xrc_odp_caps;
	resp->odp_caps.per_transport_caps.ud_odp_caps =
		caps->per_transport_caps.ud_odp_caps;
	resp->odp_caps.per_transport_caps.uc_odp_caps =
		caps->per_transport_caps.uc_odp_caps;
	resp->odp_caps.per_transport_caps.rc_odp_caps =
		caps->per_transport_caps.rc_odp_caps;
	resp->odp_caps.general_caps = caps->general_caps;
}

static void uv_device_attr_ex(struct ib_uverbs_ex_query_device_resp *resp,
			      const struct ib_device_attr *attr)
{
	const struct ib_rss_caps *rss = &attr->rss_caps;
	const struct ib_tm_caps *tm = &attr->tm_caps;

	uv_device_attr_odp(resp, &attr->odp_caps);
	resp->device_cap_flags_ex = attr->device_cap_flags;
	resp->hca_core_clock = attr->hca_core_clock;
	resp->timestamp_mask = attr->timestamp_mask;
	resp->max_dm_size = attr->max_dm_size;
	resp->raw_packet_caps = attr->raw_packet_caps;
	resp->max_wq_type_rq = attr->max_wq_type_rq;

	resp->rss_caps.max_rwq_indirection_table_size =
		rss->max_rwq_indirection_table_size;
	resp->rss_caps.max_rwq_indirection_tables =
		rss->max_rwq_indirection_tables;
	resp->rss_caps.supported_qpts = rss->supported_qpts;

	resp->tm_caps.max_sge = tm->max_sge;
	resp->tm_caps.max_ops = tm->max_ops;
	resp->tm_caps.flags = tm->flags;
	resp->tm_caps.max_num_tags = tm->max_num_tags;
	resp->tm_caps.max_rndv_hdr_size = tm->max_rndv_hdr_size;

	resp->cq_moderation_caps.max_cq_moderation_period =
		attr->cq_caps.max_cq_moderation_period;
	resp->cq_moderation_caps.max_cq_moderation_count =
		attr->cq_caps.max_cq_moderation_count;
}

int uv_ex_query_device(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_ex_query_device_resp resp = {};
	struct ib_ucontext *context = uv_file_context(attrs->ufile);
	struct ib_uverbs_ex_query_device cmd;
	struct ib_device_attr attr = {};
	int ret;

	if (IS_ERR(context))
		return PTR_ERR(context);
	ret = uv_request(attrs, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	if (cmd.comp_mask || cmd.reserved)
		return uv_refuse(attrs->ufile, -EINVAL,
				 "query_device: comp_mask 0x%x, reserved 0x%x",
				 cmd.comp_mask, cmd.reserved);

	attrs->context = context;
	ret = context->device->ops.query_device(context->device, &attr,
						&attrs->driver_udata);
	if (ret)
		return ret;
	uv_device_attr(&resp.base, context->device, &attr);
	uv_device_attr_ex(&resp, &attr);
	resp.response_length = uv_reply_length(attrs, sizeof(resp));
	return uv_reply(attrs, &resp, sizeof(resp));
}

static u16 uv_user_lid(struct ib_device *ib_dev, u32 port, u32 lid)
{
	if (rdma_cap_opa_ah(ib_dev, port))
		return OPA_TO_IB_UCAST_LID(lid);
	return ib_lid_cpu16(lid);
}

/* As QUERY_PORT says it, by write() and by ioctl(). */
void uv_port_attr(struct ib_uverbs_query_port_resp *resp,
		  struct ib_device *ib_dev, u32 port,
		  const struct ib_port_attr *attr)
{
	resp->link_layer = rdma_port_get_link_layer(ib_dev, port);
	resp->phys_state = attr->phys_state;
	resp->state = attr->state;
	/* The field is too small for what came after NDR. */
	resp->active_speed = min_t(u16, attr->active_speed, IB_SPEED_NDR);
	resp->active_width = attr->active_width;
	resp->active_mtu = attr->active_mtu;
	resp->max_mtu = attr->max_mtu;
	resp->max_msg_sz = attr->max_msg_sz;
	resp->max_vl_num = attr->max_vl_num;

	resp->lid = uv_user_lid(ib_dev, port, attr->lid);
	resp->lmc = attr->lmc;
	resp->sm_lid = uv_user_lid(ib_dev, port, attr->sm_lid);
	resp->sm_sl = attr->sm_sl;
	resp->subnet_timeout = attr->subnet_timeout;
	resp->init_type_reply = attr->init_type_reply;

	resp->gid_tbl_len = attr->gid_tbl_len;
	resp->pkey_tbl_len = attr->pkey_tbl_len;
	resp->qkey_viol_cntr = attr->qkey_viol_cntr;
	resp->bad_pkey_cntr = attr->bad_pkey_cntr;
	resp->port_cap_flags = attr->port_cap_flags;
	if (attr->ip_gids)
		resp->port_cap_flags |= IB_UVERBS_PCF_IP_BASED_GIDS;
	if (rdma_is_grh_required(ib_dev, port))
		resp->flags |= IB_UVERBS_QPF_GRH_REQUIRED;
}

int uv_query_port(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_query_port_resp resp = {};
	struct ib_ucontext *context = uv_file_context(attrs->ufile);
	struct ib_uverbs_query_port cmd;
	struct ib_port_attr attr;
	int ret;

	if (IS_ERR(context))
		return PTR_ERR(context);
	ret = uv_request(attrs, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	ret = ib_query_port(context->device, cmd.port_num, &attr);
	if (ret)
		return ret;
	uv_port_attr(&resp, context->device, cmd.port_num, &attr);
	return uv_reply(attrs, &resp, sizeof(resp));
}
