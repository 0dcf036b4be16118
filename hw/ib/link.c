// SPDX-License-Identifier: GPL-2.0
/*
 * The link of the transport engine over InfiniBand: every packet has a Local Route
 * Header; packets of an address with a GRH have one, too.
 */
#include <linux/slab.h>
#include <ofed/refuse.h>
#include <rdma/ib_mad.h>

#include "fabric.h"
#include "hca.h"
#include "mad.h"
#include "node.h"
#include "packet.h"
#include "queue.h"
#include "sma.h"
#include "trap.h"

/**
 * struct ibf_path - path of the packets of one address
 * @path: the engine's part, first
 * @port: port that packets leave by
 * @generation: of @port when the path was resolved
 * @dlid: destination LID
 * @bits: path bits of the source LID
 * @sl: service level
 * @byte_ps: static rate in ps per byte, as in struct ibf_cb
 * @has_grh: packets have a GRH, made of the next four members
 * @sgid: source GID
 * @dgid: destination GID
 * @tclass_flow: first word of the GRH
 * @hop_limit: hop limit of the GRH
 */
struct ibf_path {
	struct ibt_path path;
	struct ibf_port *port;
	int generation;
	u16 dlid;
	u8 bits;
	u8 sl;
	u32 byte_ps;
	bool has_grh;
	union ib_gid sgid;
	union ib_gid dgid;
	u32 tclass_flow;
	u8 hop_limit;
};

static struct ibf_path *ibf_to_ibf_path(const struct ibt_path *path)
{
	return container_of(path, struct ibf_path, path);
}

static struct ibf_port *ibf_link_port_of(const struct ibt_port *port)
{
	struct ibf_node *node =
		*(struct ibf_node **)ibt_dev_priv(ibt_port_dev(port));

	return &node->ports[ibt_port_num(port)];
}

/* ---- paths ----------------------------------------------------------------------------- */

static void ibf_describe_grh(struct ibf_path *p, const struct rdma_ah_attr *attr)
{
	const struct ib_global_route *grh = rdma_ah_read_grh(attr);

	p->has_grh = true;
	p->sgid = grh->sgid_attr->gid;
	p->path.sgid = &p->sgid;
	p->dgid = grh->dgid;
	p->tclass_flow = IB_GRH_VERSION << IB_GRH_VERSION_SHIFT |
			 grh->traffic_class << IB_GRH_TCLASS_SHIFT |
			 (grh->flow_label & IB_GRH_FLOW_MASK);
	p->hop_limit = grh->hop_limit;
}

/* Rates are those of the wire: the first ones with 8b/10b, others with 64b/66b. */
static u32 ibf_byte_ps_of(u8 rate)
{
	int mbps = ib_rate_to_mbps(rate);

	if (rate == IB_RATE_PORT_CURRENT || mbps <= 0)
		return 0;
	return 8000000 / (rate <= IB_RATE_120_GBPS ? mbps / 10 * 8 : mbps / 66 * 64);
}

static struct ibt_path *ibf_path_resolve(struct ibt_port *ibt,
					 const struct rdma_ah_attr *attr,
					 gfp_t gfp)
{
	u32 dlid = rdma_ah_get_dlid(attr);
	struct ibf_port *port = ibf_link_port_of(ibt);
	struct ibf_path *p;

	if (attr->type != RDMA_AH_ATTR_TYPE_IB || !dlid || dlid > U16_MAX)
		return ofed_refuse(ibt_dev_ib(ibt_port_dev(ibt)), ERR_PTR(-EINVAL),
				   "address: dlid %u is no LID", dlid);
	p = kzalloc(sizeof(*p), gfp);
	if (!p)
		return ERR_PTR(-ENOMEM);
	refcount_set(&p->path.refs, 1);
	p->path.port = ibt;
	p->port = port;
	/* Read before all else, so that a change during the resolution is noticed. */
	p->generation = atomic_read_acquire(&port->generation);
	p->path.mtu = ib_mtu_enum_to_int(READ_ONCE(port->mtu));
	p->path.headroom = sizeof(struct ibf_lrh) + sizeof(struct ib_grh);
	p->dlid = dlid;
	p->bits = rdma_ah_get_path_bits(attr);
	p->sl = rdma_ah_get_sl(attr) & 0xf;
	p->byte_ps = ibf_byte_ps_of(rdma_ah_get_static_rate(attr));
	if (rdma_ah_get_ah_flags(attr) & IB_AH_GRH)
		ibf_describe_grh(p, attr);
	/* A path back to the same port has no switch that could see a packet. */
	if (ibf_owns(port, dlid) && READ_ONCE(port->state) == IBF_STATE_ACTIVE)
		p->path.local = ibt;
	return &p->path;
}

static bool ibf_path_valid(const struct ibt_path *path)
{
	const struct ibf_path *p = ibf_to_ibf_path(path);

	return p->generation == atomic_read(&p->port->generation);
}

static void ibf_path_free(struct ibt_path *path)
{
	kfree(ibf_to_ibf_path(path));
}

/* ---- headers --------------------------------------------------------------------------- */

/* Only SMPs may carry the permissive source LID, before a LID is set (14.2.2). */
static u16 ibf_source_lid(const struct ibf_path *p)
{
	const struct ibf_port *port = p->port;
	u16 mask = BIT(READ_ONCE(port->lmc)) - 1;

	if (p->dlid == IBF_LID_PERMISSIVE)
		return IBF_LID_PERMISSIVE;
	return READ_ONCE(port->lid) | (p->bits & mask);
}

static void ibf_link_fill_grh(struct ib_grh *grh, const struct ibf_path *p, u32 payload)
{
	grh->version_tclass_flow = cpu_to_be32(p->tclass_flow);
	grh->paylen = cpu_to_be16(payload);
	grh->next_hdr = IB_GRH_NEXT_HDR;
	grh->hop_limit = p->hop_limit;
	grh->sgid = p->sgid;
	grh->dgid = p->dgid;
}

/* Only QP0 sends to QP0 by VL15. */
static bool ibf_is_smp(const struct ibf_ud *ud)
{
	return ud->opcode == IBF_UD_SEND_ONLY &&
	       !(be32_to_cpu(ud->dqpn) & IBF_24) &&
	       !(be32_to_cpu(ud->sqpn) & IBF_24);
}

static void ibf_build(struct sk_buff *skb, struct ibt_path *path, u32 flow,
		      u32 size)
{
	const struct ibf_path *p = ibf_to_ibf_path(path);
	bool smp = skb_headlen(skb) >= sizeof(struct ibf_ud) &&
		   ibf_is_smp((void *)skb->data);
	u32 payload = skb->len;
	struct ibf_lrh *lrh;

	if (p->has_grh)
		ibf_link_fill_grh(skb_push(skb, sizeof(struct ib_grh)), p, payload);
	lrh = skb_push(skb, sizeof(*lrh));
	skb_reset_network_header(skb);
	lrh->vl = FIELD_PREP(IBF_LRH_VL, smp ? 15 : 0);
	lrh->sl = FIELD_PREP(IBF_LRH_SL, p->sl) |
		  (p->has_grh ? IBF_LNH_GLOBAL : IBF_LNH_LOCAL);
	lrh->dlid = cpu_to_be16(p->dlid);
	lrh->length = cpu_to_be16(skb->len / 4);
	lrh->slid = cpu_to_be16(ibf_source_lid(p));
}

static u32 ibf_link_seed(const struct sk_buff *skb, u32 index, u32 length)
{
	const struct ibf_lrh *lrh = (void *)skb_network_header(skb);
	bool global = FIELD_GET(IBF_LRH_LNH, lrh->sl) == IBF_LNH_GLOBAL;

	return ibf_icrc_seed(lrh, global ? (void *)(lrh + 1) : NULL);
}

static void ibf_meta(struct ibt_path *path, u32 length,
		     struct ibt_rx_meta *meta)
{
	const struct ibf_path *p = ibf_to_ibf_path(path);

	BUILD_BUG_ON(sizeof(struct ib_grh) != IBT_GRH_BYTES);
	memset(meta, 0, sizeof(*meta));
	meta->network = RDMA_NETWORK_IB;
	meta->slid = ibf_source_lid(p);
	meta->sl = p->sl;
	meta->dlid_path_bits = p->dlid & (BIT(READ_ONCE(p->port->lmc)) - 1);
	if (!p->has_grh)
		return;
	meta->has_grh = true;
	meta->sgid = p->sgid;
	meta->dgid = p->dgid;
	ibf_link_fill_grh((struct ib_grh *)meta->grh, p, length);
}

/* ---- to send --------------------------------------------------------------------------- */

/* Other queue pairs of the sending port may be members of the group. */
static void ibf_hear_group(struct ibf_port *port, const struct sk_buff *skb)
{
	struct sk_buff *copy = skb_copy(skb, GFP_ATOMIC);

	if (copy)
		ibf_enqueue_hca(port, copy, IBF_QUEUE_LOOP, 0);
}

/* Drops a packet before it reaches the port. Without a link no counter counts it. */
static int ibf_link_lose(struct sk_buff *skb)
{
	kfree_skb(skb);
	return 0;
}

static int ibf_xmit(struct sk_buff *skb, struct ibt_path *path)
{
	const struct ibf_path *p = ibf_to_ibf_path(path);
	struct ibf_port *port = p->port;
	u8 state = READ_ONCE(port->state);
	const struct ibf_lrh *lrh;
	u16 dlid;
	u8 vl;

	/* A packet that fault injection duplicates shares its headers with the copy. */
	if (skb_cow_head(skb, 0))
		return ibf_link_lose(skb);
	lrh = ibf_lrh(skb);
	dlid = be16_to_cpu(lrh->dlid);
	if (FIELD_GET(IBF_LRH_VL, lrh->vl) == 15) {
		if (state < IBF_STATE_INIT)
			return ibf_link_lose(skb);
		return ibf_enqueue_hca(port, skb, ibf_owns(port, dlid) ?
				       IBF_QUEUE_LOOP : IBF_QUEUE_VL15, 0);
	}
	vl = READ_ONCE(port->sl2vl[0][FIELD_GET(IBF_LRH_SL, lrh->sl)]);
	if (state != IBF_STATE_ACTIVE)
		return ibf_link_lose(skb);
	if (vl >= READ_ONCE(port->op_vls)) {
		ibf_count(port, IBF_XMIT_DISCARDS);
		return ibf_link_lose(skb);
	}
	if (ibf_owns(port, dlid))
		return ibf_enqueue_hca(port, skb, IBF_QUEUE_LOOP, 0);
	if (ibf_is_mcast(dlid))
		ibf_hear_group(port, skb);
	return ibf_enqueue_hca(port, skb, vl, p->byte_ps);
}

/* ---- the port ------------------------------------------------------------------------------ */

static u16 ibf_speed_of(const struct ibf_port_info *info)
{
	static const u16 ext[] = { IB_SPEED_FDR, IB_SPEED_EDR, IB_SPEED_HDR };
	u8 active = FIELD_GET(IBF_HIGH, info->ext_speed);

	/* The first three have the values of the attribute. */
	if (!active || active > IBF_EXT_HDR)
		return FIELD_GET(IBF_HIGH, info->speed);
	return ext[fls(active) - 1];
}

static int ibf_query_port(struct ibt_port *ibt, struct ib_port_attr *attr)
{
	struct ibf_port *port = ibf_link_port_of(ibt);
	struct ibf_port_info info;

	spin_lock_bh(&ibf_lock);
	ibf_port_info_get(port, &info);
	attr->state = port->state;
	attr->phys_state = port->phys;
	attr->lid = port->lid;
	attr->lmc = port->lmc;
	attr->active_mtu = port->mtu;
	spin_unlock_bh(&ibf_lock);
	attr->subnet_prefix = be64_to_cpu(info.gid_prefix);
	attr->max_mtu = IB_MTU_4096;
	attr->phys_mtu = ib_mtu_enum_to_int(attr->active_mtu);
	attr->gid_tbl_len = IBF_GUIDS;
	attr->port_cap_flags = be32_to_cpu(info.cap_mask);
	attr->sm_lid = be16_to_cpu(info.master_sm_lid);
	attr->sm_sl = FIELD_GET(IBF_LOW, info.mtu_smsl);
	attr->max_vl_num = IBF_VL_CODE_8;
	attr->subnet_timeout = info.timeout & IBF_TIMEOUT;
	attr->active_width = info.width_active;
	attr->active_speed = ibf_speed_of(&info);
	return 0;
}

static enum ib_mtu ibf_active_mtu(struct ibt_port *ibt)
{
	return READ_ONCE(ibf_link_port_of(ibt)->mtu);
}

/*
 * Nothing to do: the subnet manager's tables bring packets of the group to the port,
 * and the engine knows which queue pairs are attached.
 */
static int ibf_mcast_join(struct ibt_port *port, const union ib_gid *gid)
{
	return 0;
}

static void ibf_mcast_leave(struct ibt_port *port, const union ib_gid *gid)
{
}

static void ibf_bad_key(struct ibt_port *ibt, const struct ibt_bad_key *bad,
			const struct ibt_rx_meta *meta)
{
	struct ibf_port *port = ibf_link_port_of(ibt);
	const struct ibf_bad_key what = {
		.qkey = bad->qkey,
		.key = bad->key,
		.slid = meta->slid,
		.dlid = READ_ONCE(port->lid) | meta->dlid_path_bits,
		.sl = meta->sl,
		.sqpn = bad->src_qpn,
		.dqpn = bad->qpn,
		.grh = meta->has_grh ? (const void *)meta->grh : NULL,
	};

	ibf_trap_bad_key(port, &what);
}

const struct ibt_link_ops ibf_link = {
	.name		= "ib",
	.layer		= IB_LINK_LAYER_INFINIBAND,
	.max_mtu	= 4096,
	.offload	= &ibf_offload,
	.path_resolve	= ibf_path_resolve,
	.path_valid	= ibf_path_valid,
	.path_free	= ibf_path_free,
	.build		= ibf_build,
	.icrc_seed	= ibf_link_seed,
	.xmit		= ibf_xmit,
	.meta		= ibf_meta,
	.query_port	= ibf_query_port,
	.active_mtu	= ibf_active_mtu,
	.mcast_join	= ibf_mcast_join,
	.mcast_leave	= ibf_mcast_leave,
	.bad_key	= ibf_bad_key,
	.dealloc	= ibf_dealloc,
	.ib_ops		= &ibf_ib_ops,
};
