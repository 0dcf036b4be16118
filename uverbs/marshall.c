// SPDX-License-Identifier: GPL-2.0
/* Kernel structs in the layout that user space knows, and back. */
#include <linux/export.h>
#include <linux/string.h>
#include <rdma/ib_marshall.h>
#include <rdma/opa_addr.h>

static u32 user_ah_flags(const struct rdma_ah_attr *src)
{
	return rdma_ah_get_ah_flags(src) & IB_AH_GRH ? 1 : 0;
}

/**
 * ib_copy_ah_attr_to_user - address vector in the layout of user space
 * @device: device of the vector
 * @dst: out: for user space, no byte left as it was
 * @src: the vector
 *
 * A LID of Omni-Path that does not fit into 16 bits goes into the GID: that is
 * where user space of InfiniBand finds it. Context: any.
 */
void ib_copy_ah_attr_to_user(struct ib_device *device,
			     struct ib_uverbs_ah_attr *dst,
			     struct rdma_ah_attr *src)
{
	const struct ib_global_route *grh = rdma_ah_read_grh(src);
	u32 dlid = rdma_ah_get_dlid(src);
	union ib_gid dgid = grh->dgid;
	u8 global = user_ah_flags(src);

	memset(dst, 0, sizeof(*dst));
	if (src->type == RDMA_AH_ATTR_TYPE_OPA &&
	    dlid >= be16_to_cpu(IB_MULTICAST_LID_BASE)) {
		dgid.global.interface_id = OPA_MAKE_ID(dlid);
		global = 1;
	}

	dst->is_global = global;
	dst->dlid = dlid;
	dst->port_num = rdma_ah_get_port_num(src);
	dst->static_rate = rdma_ah_get_static_rate(src);
	dst->src_path_bits = rdma_ah_get_path_bits(src);
	dst->sl = rdma_ah_get_sl(src);
	if (!global)
		return;

	memcpy(dst->grh.dgid, &dgid, sizeof(dgid));
	dst->grh.traffic_class = grh->traffic_class;
	dst->grh.hop_limit = grh->hop_limit;
	dst->grh.sgid_index = grh->sgid_index;
	dst->grh.flow_label = grh->flow_label;
}
EXPORT_SYMBOL(ib_copy_ah_attr_to_user);

/**
 * ib_copy_qp_attr_to_user - QP attributes in the layout of user space
 * @device: device of the QP
 * @dst: out: for user space; the attribute mask is left to the caller
 * @src: the attributes
 *
 * Context: any.
 */
void ib_copy_qp_attr_to_user(struct ib_device *device,
			     struct ib_uverbs_qp_attr *dst,
			     struct ib_qp_attr *src)
{
	const struct ib_qp_cap *cap = &src->cap;

	ib_copy_ah_attr_to_user(device, &dst->alt_ah_attr, &src->alt_ah_attr);
	ib_copy_ah_attr_to_user(device, &dst->ah_attr, &src->ah_attr);

	dst->max_inline_data = cap->max_inline_data;
	dst->max_recv_sge = cap->max_recv_sge;
	dst->max_recv_wr = cap->max_recv_wr;
	dst->max_send_sge = cap->max_send_sge;
	dst->max_send_wr = cap->max_send_wr;

	dst->cur_qp_state = src->cur_qp_state;
	dst->qp_state = src->qp_state;
	dst->sq_draining = src->sq_draining;
	dst->en_sqd_async_notify = src->en_sqd_async_notify;
	dst->qp_access_flags = src->qp_access_flags;
	dst->path_mig_state = src->path_mig_state;

	dst->port_num = src->port_num;
	dst->pkey_index = src->pkey_index;
	dst->path_mtu = src->path_mtu;
	dst->timeout = src->timeout;
	dst->alt_port_num = src->alt_port_num;
	dst->alt_pkey_index = src->alt_pkey_index;
	dst->alt_timeout = src->alt_timeout;

	dst->dest_qp_num = src->dest_qp_num;
	dst->qkey = src->qkey;
	dst->sq_psn = src->sq_psn;
	dst->rq_psn = src->rq_psn;
	dst->max_dest_rd_atomic = src->max_dest_rd_atomic;
	dst->max_rd_atomic = src->max_rd_atomic;
	dst->rnr_retry = src->rnr_retry;
	dst->retry_cnt = src->retry_cnt;
	dst->min_rnr_timer = src->min_rnr_timer;
	memset(dst->reserved, 0, sizeof(dst->reserved));
}
EXPORT_SYMBOL(ib_copy_qp_attr_to_user);

/**
 * ib_copy_path_rec_to_user - path record in the layout of user space
 * @dst: out: for user space
 * @src: the record
 *
 * Context: any.
 */
void ib_copy_path_rec_to_user(struct ib_user_path_rec *dst,
			      struct sa_path_rec *src)
{
	memcpy(dst->sgid, &src->sgid, sizeof(dst->sgid));
	memcpy(dst->dgid, &src->dgid, sizeof(dst->dgid));
	dst->slid = htons(ntohl(sa_path_get_slid(src)));
	dst->dlid = htons(ntohl(sa_path_get_dlid(src)));
	dst->raw_traffic = sa_path_get_raw_traffic(src);

	dst->traffic_class = src->traffic_class;
	dst->hop_limit = src->hop_limit;
	dst->flow_label = src->flow_label;
	dst->pkey = src->pkey;
	dst->sl = src->sl;
	dst->numb_path = src->numb_path;
	dst->reversible = src->reversible;
	dst->preference = src->preference;

	dst->mtu = src->mtu;
	dst->mtu_selector = src->mtu_selector;
	dst->rate = src->rate;
	dst->rate_selector = src->rate_selector;
	dst->packet_life_time = src->packet_life_time;
	dst->packet_life_time_selector = src->packet_life_time_selector;
}
EXPORT_SYMBOL(ib_copy_path_rec_to_user);

/* User space of Omni-Path has its long LIDs in the GIDs. */
static void path_lids_from_user(struct sa_path_rec *dst,
				const struct ib_user_path_rec *src)
{
	if (ib_is_opa_gid(&dst->sgid) || ib_is_opa_gid(&dst->dgid)) {
		dst->rec_type = SA_PATH_REC_TYPE_OPA;
		sa_path_set_slid(dst, opa_get_lid_from_gid(&dst->sgid));
		sa_path_set_dlid(dst, opa_get_lid_from_gid(&dst->dgid));
		return;
	}
	dst->rec_type = SA_PATH_REC_TYPE_IB;
	sa_path_set_slid(dst, ntohs(src->slid));
	sa_path_set_dlid(dst, ntohs(src->dlid));
}

/**
 * ib_copy_path_rec_from_user - path record from the layout of user space
 * @dst: out: the record, of InfiniBand or Omni-Path
 * @src: from user space
 *
 * Context: any.
 */
void ib_copy_path_rec_from_user(struct sa_path_rec *dst,
				struct ib_user_path_rec *src)
{
	memset(dst, 0, sizeof(*dst));
	memcpy(&dst->sgid, src->sgid, sizeof(dst->sgid));
	memcpy(&dst->dgid, src->dgid, sizeof(dst->dgid));
	path_lids_from_user(dst, src);
	sa_path_set_raw_traffic(dst, src->raw_traffic);

	dst->traffic_class = src->traffic_class;
	dst->hop_limit = src->hop_limit;
	dst->flow_label = src->flow_label;
	dst->pkey = src->pkey;
	dst->sl = src->sl;
	dst->numb_path = src->numb_path;
	dst->reversible = src->reversible;
	dst->preference = src->preference;

	dst->mtu = src->mtu;
	dst->mtu_selector = src->mtu_selector;
	dst->rate = src->rate;
	dst->rate_selector = src->rate_selector;
	dst->packet_life_time = src->packet_life_time;
	dst->packet_life_time_selector = src->packet_life_time_selector;
}
EXPORT_SYMBOL(ib_copy_path_rec_from_user);
