// SPDX-License-Identifier: GPL-2.0
/*
 * Kernel structs in the shape that programs know (<rdma/ib_marshall.h>). All
 * functions may be called from any context.
 */
#include <linux/export.h>
#include <linux/string.h>
#include <ofed/cm.h>
#include <rdma/ib_marshall.h>
#include <rdma/opa_addr.h>
#include <compat/decls.h>

/* A 32 bit LID of OPA has no room: a GID carries it. */
static bool uv_needs_opa_gid(struct ib_device *device,
			     const struct rdma_ah_attr *av)
{
	return av->type == RDMA_AH_ATTR_TYPE_OPA &&
	       rdma_ah_get_dlid(av) >= be16_to_cpu(IB_MULTICAST_LID_BASE);
}

/**
 * ib_copy_ah_attr_to_user - show an address vector to a program
 * @device: device of the vector
 * @dst: out
 * @src: the vector
 */
void ib_copy_ah_attr_to_user(struct ib_device *device,
			     struct ib_uverbs_ah_attr *dst,
			     struct rdma_ah_attr *src)
{
	const bool opa_gid = uv_needs_opa_gid(device, src);
	struct ib_global_route grh = {};

	if (rdma_ah_get_ah_flags(src) & IB_AH_GRH)
		grh = *rdma_ah_read_grh(src);
	if (opa_gid)
		grh.dgid.global.interface_id =
			OPA_MAKE_ID(rdma_ah_get_dlid(src));

	memset(dst, 0, sizeof(*dst));
	dst->port_num = rdma_ah_get_port_num(src);
	dst->sl = rdma_ah_get_sl(src);
	dst->static_rate = rdma_ah_get_static_rate(src);
	dst->src_path_bits = rdma_ah_get_path_bits(src);
	dst->dlid = opa_gid ? 0 : rdma_ah_get_dlid(src);
	dst->is_global = opa_gid || rdma_ah_get_ah_flags(src) & IB_AH_GRH;
	if (!dst->is_global)
		return;

	memcpy(dst->grh.dgid, &grh.dgid, sizeof(dst->grh.dgid));
	dst->grh.sgid_index = grh.sgid_index;
	dst->grh.hop_limit = grh.hop_limit;
	dst->grh.traffic_class = grh.traffic_class;
	dst->grh.flow_label = grh.flow_label;
}
OFED_EXPORT(ib_copy_ah_attr_to_user);

/**
 * ib_copy_qp_attr_to_user - show the attributes of a QP to a program
 * @device: device of the QP
 * @dst: out; all but qp_attr_mask
 * @src: the attributes
 */
void ib_copy_qp_attr_to_user(struct ib_device *device,
			     struct ib_uverbs_qp_attr *dst,
			     struct ib_qp_attr *src)
{
	ib_copy_ah_attr_to_user(device, &dst->ah_attr, &src->ah_attr);
	ib_copy_ah_attr_to_user(device, &dst->alt_ah_attr, &src->alt_ah_attr);

	dst->cur_qp_state = src->cur_qp_state;
	dst->qp_state = src->qp_state;
	dst->path_mig_state = src->path_mig_state;
	dst->path_mtu = src->path_mtu;
	dst->qp_access_flags = src->qp_access_flags;
	dst->dest_qp_num = src->dest_qp_num;
	dst->qkey = src->qkey;
	dst->sq_psn = src->sq_psn;
	dst->rq_psn = src->rq_psn;

	dst->max_inline_data = src->cap.max_inline_data;
	dst->max_recv_sge = src->cap.max_recv_sge;
	dst->max_recv_wr = src->cap.max_recv_wr;
	dst->max_send_sge = src->cap.max_send_sge;
	dst->max_send_wr = src->cap.max_send_wr;

	dst->port_num = src->port_num;
	dst->pkey_index = src->pkey_index;
	dst->timeout = src->timeout;
	dst->alt_port_num = src->alt_port_num;
	dst->alt_pkey_index = src->alt_pkey_index;
	dst->alt_timeout = src->alt_timeout;
	dst->retry_cnt = src->retry_cnt;
	dst->rnr_retry = src->rnr_retry;
	dst->min_rnr_timer = src->min_rnr_timer;
	dst->max_dest_rd_atomic = src->max_dest_rd_atomic;
	dst->max_rd_atomic = src->max_rd_atomic;
	dst->sq_draining = src->sq_draining;
	dst->en_sqd_async_notify = src->en_sqd_async_notify;
	memset(dst->reserved, 0, sizeof(dst->reserved));
}
OFED_EXPORT(ib_copy_qp_attr_to_user);

/* What a path record and its copy for a program call the same. */
#define uv_copy_path_members(dst, src)					\
do {									\
	(dst)->preference = (src)->preference;				\
	(dst)->packet_life_time = (src)->packet_life_time;		\
	(dst)->packet_life_time_selector = (src)->packet_life_time_selector; \
	(dst)->rate = (src)->rate;					\
	(dst)->rate_selector = (src)->rate_selector;			\
	(dst)->mtu = (src)->mtu;					\
	(dst)->mtu_selector = (src)->mtu_selector;			\
	(dst)->sl = (src)->sl;						\
	(dst)->pkey = (src)->pkey;					\
	(dst)->numb_path = (src)->numb_path;				\
	(dst)->reversible = (src)->reversible;				\
	(dst)->traffic_class = (src)->traffic_class;			\
	(dst)->hop_limit = (src)->hop_limit;				\
	(dst)->flow_label = (src)->flow_label;				\
} while (0)

static void uv_path_to_user(struct ib_user_path_rec *dst,
			    struct sa_path_rec *src)
{
	memcpy(dst->sgid, &src->sgid, sizeof(dst->sgid));
	memcpy(dst->dgid, &src->dgid, sizeof(dst->dgid));
	dst->slid = htons(ntohl(sa_path_get_slid(src)));
	dst->dlid = htons(ntohl(sa_path_get_dlid(src)));
	dst->raw_traffic = sa_path_get_raw_traffic(src);
	uv_copy_path_members(dst, src);
}

/**
 * ib_copy_path_rec_to_user - show a path record to a program
 * @dst: out
 * @src: the record; one of OPA is converted
 */
void ib_copy_path_rec_to_user(struct ib_user_path_rec *dst,
			      struct sa_path_rec *src)
{
	struct sa_path_rec ib;

	if (src->rec_type == SA_PATH_REC_TYPE_OPA) {
		sa_convert_path_opa_to_ib(&ib, src);
		src = &ib;
	}
	uv_path_to_user(dst, src);
}
OFED_EXPORT(ib_copy_path_rec_to_user);

/**
 * ib_copy_path_rec_from_user - take a path record from a program
 * @dst: out; an InfiniBand one
 * @src: copied from the program, unchecked
 */
void ib_copy_path_rec_from_user(struct sa_path_rec *dst,
				struct ib_user_path_rec *src)
{
	memset(dst, 0, sizeof(*dst));
	dst->rec_type = SA_PATH_REC_TYPE_IB;
	memcpy(&dst->sgid, src->sgid, sizeof(dst->sgid));
	memcpy(&dst->dgid, src->dgid, sizeof(dst->dgid));
	sa_path_set_slid(dst, be16_to_cpu(src->slid));
	sa_path_set_dlid(dst, be16_to_cpu(src->dlid));
	sa_path_set_raw_traffic(dst, src->raw_traffic);
	uv_copy_path_members(dst, src);
}
OFED_EXPORT(ib_copy_path_rec_from_user);

/**
 * ofed_path_rec_from_user - ib_copy_path_rec_from_user(), which 7.x does not export any more
 * @dst: out: path record of InfiniBand
 * @src: what the program gave
 *
 * Context: any.
 */
void ofed_path_rec_from_user(struct sa_path_rec *dst, struct ib_user_path_rec *src)
{
	ib_copy_path_rec_from_user(dst, src);
}
EXPORT_SYMBOL_GPL(ofed_path_rec_from_user);
