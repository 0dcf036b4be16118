// SPDX-License-Identifier: GPL-2.0
/*
 * Address handles (IBA vol. 1 chapter 11), and the address vectors that
 * they are made of.
 *
 * Locking: none of its own. An AH belongs to its creator; the GID
 * entries are reference counted by the GID table. Whatever is not marked as
 * sleeping below may be called from any context.
 */
#include <linux/bitfield.h>
#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <ofed/refuse.h>
#include <ofed/verbs.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_verbs.h>

#include "../addr/addr.h"
#include "ah.h"

#define NO_VLAN		0xffff
#define MAX_HOPS	0xff

/* version_tclass_flow of a GRH, in host order */
#define GRH_TCLASS	GENMASK(27, 20)
#define GRH_FLOW	GENMASK(19, 0)

static bool ah_av_names_its_gid(const struct rdma_ah_attr *av)
{
	const struct ib_gid_attr *gid = av->grh.sgid_attr;

	return !gid || (gid->port_num == av->port_num &&
			gid->index == av->grh.sgid_index);
}

static bool ah_av_needs_grh(struct ib_device *device,
			    const struct rdma_ah_attr *av)
{
	return av->type == RDMA_AH_ATTR_TYPE_ROCE ||
	       rdma_is_grh_required(device, av->port_num);
}

int ofed_av_take(struct ib_device *device, struct rdma_ah_attr *av)
{
	const struct ib_gid_attr *gid = NULL;

	if (!rdma_is_port_valid(device, av->port_num))
		return ofed_refuse_port(device, av->port_num);
	if (!ah_av_names_its_gid(av))
		return ofed_refuse(device, -EINVAL,
				   "sgid_index %u of port %u: the GID is another",
				   av->grh.sgid_index, av->port_num);

	if (av->ah_flags & IB_AH_GRH) {
		gid = av->grh.sgid_attr;
		if (gid)
			rdma_hold_gid_attr(gid);
		else
			gid = rdma_get_gid_attr(device, av->port_num,
						av->grh.sgid_index);
		if (IS_ERR(gid))
			return ofed_refuse(device, PTR_ERR(gid),
					   "sgid_index %u of port %u: no GID",
					   av->grh.sgid_index, av->port_num);
	} else if (ah_av_needs_grh(device, av)) {
		return ofed_refuse(device, -EINVAL,
				   "address of port %u: a GRH is needed",
				   av->port_num);
	}

	av->grh.sgid_attr = gid;
	return 0;
}

/**
 * rdma_copy_ah_attr - copy an address vector, with a reference of its own
 * @dest: overwritten, whatever it held
 * @src: stays as it is
 *
 * Context: any.
 */
void rdma_copy_ah_attr(struct rdma_ah_attr *dest,
		       const struct rdma_ah_attr *src)
{
	if (src->grh.sgid_attr)
		rdma_hold_gid_attr(src->grh.sgid_attr);
	*dest = *src;
}
OFED_EXPORT(rdma_copy_ah_attr);

/**
 * rdma_replace_ah_attr - put one address vector in the place of another
 * @old: its reference is dropped, then it is a copy of @new
 * @new: stays as it is
 *
 * Context: any.
 */
void rdma_replace_ah_attr(struct rdma_ah_attr *old,
			  const struct rdma_ah_attr *new)
{
	struct rdma_ah_attr copy;

	/* Both may share their last reference: take before dropping. */
	rdma_copy_ah_attr(&copy, new);
	rdma_destroy_ah_attr(old);
	*old = copy;
}
OFED_EXPORT(rdma_replace_ah_attr);

/**
 * rdma_move_ah_attr - move an address vector and its reference
 * @dest: its reference is dropped, then it is what @src was
 * @src: keeps its values, but no reference
 *
 * Context: any.
 */
void rdma_move_ah_attr(struct rdma_ah_attr *dest, struct rdma_ah_attr *src)
{
	struct rdma_ah_attr moved = *src;

	src->grh.sgid_attr = NULL;
	rdma_destroy_ah_attr(dest);
	*dest = moved;
}
OFED_EXPORT(rdma_move_ah_attr);

/**
 * rdma_destroy_ah_attr - drop the reference that an address vector holds
 * @ah_attr: filled by one of the functions that hand out a reference
 *
 * Context: any. A second call does nothing.
 */
void rdma_destroy_ah_attr(struct rdma_ah_attr *ah_attr)
{
	const struct ib_gid_attr *gid = ah_attr->grh.sgid_attr;

	ah_attr->grh.sgid_attr = NULL;
	if (gid)
		rdma_put_gid_attr(gid);
}
OFED_EXPORT(rdma_destroy_ah_attr);

/**
 * rdma_move_grh_sgid_attr - fill the GRH of an address vector
 * @attr: gets the GRH flag; what its grh held before is overwritten
 * @dgid: destination, or NULL to keep the one in @attr
 * @flow_label: 20 bits
 * @hop_limit: hops
 * @traffic_class: class
 * @sgid_attr: source; the caller's reference goes to @attr
 *
 * Context: any.
 */
void rdma_move_grh_sgid_attr(struct rdma_ah_attr *attr, union ib_gid *dgid,
			     u32 flow_label, u8 hop_limit, u8 traffic_class,
			     const struct ib_gid_attr *sgid_attr)
{
	rdma_ah_set_grh(attr, dgid, flow_label, sgid_attr->index, hop_limit,
			traffic_class);
	rdma_ah_retrieve_grh(attr)->sgid_attr = sgid_attr;
}
OFED_EXPORT(rdma_move_grh_sgid_attr);

/* @av comes from ofed_av_take; on success its reference is the AH's. */
static struct ib_ah *ah_create(struct ib_pd *pd, struct rdma_ah_attr *av,
			       u32 flags, struct ib_udata *udata)
{
	const bool sleepable = flags & RDMA_CREATE_AH_SLEEPABLE;
	const struct ib_device_ops *ops = &pd->device->ops;
	struct rdma_ah_init_attr init = { .ah_attr = av, .flags = flags };
	struct ib_ah *ah;
	int ret;

	might_sleep_if(sleepable);
	ah = rdma_zalloc_drv_obj_gfp(pd->device, ib_ah,
				     sleepable ? GFP_KERNEL_ACCOUNT :
						 GFP_ATOMIC);
	if (!ah)
		return ERR_PTR(-ENOMEM);

	ah->pd = pd;
	ah->device = pd->device;
	ah->sgid_attr = av->grh.sgid_attr;
	ah->type = av->type;
	ret = udata ? ops->create_user_ah(ah, &init, udata) :
		      ops->create_ah(ah, &init, NULL);
	if (ret) {
		kfree(ah);
		return ERR_PTR(ret);
	}

	atomic_inc(&pd->usecnt);
	return ah;
}

/**
 * rdma_create_ah - create an address handle for a kernel consumer
 * @pd: protection domain; busy until the handle is destroyed
 * @ah_attr: where to; RoCE vectors bring their destination MAC
 * @flags: RDMA_CREATE_AH_SLEEPABLE when the caller may sleep
 *
 * IBA vol. 1 chapter 11, Create Address Handle. Context: any without the flag.
 * Return: the handle, or -EOPNOTSUPP (driver has none), -EINVAL (port, or no
 * GRH where one is needed), -ENOMEM, the GID table's or the driver's errno.
 */
struct ib_ah *rdma_create_ah(struct ib_pd *pd, struct rdma_ah_attr *ah_attr,
			     u32 flags)
{
	struct rdma_ah_attr av = *ah_attr;
	struct ib_ah *ah;
	int ret;

	if (!pd->device->ops.create_ah)
		return ERR_PTR(ofed_refuse_op(pd->device, "create_ah"));
	ret = ofed_av_take(pd->device, &av);
	if (ret)
		return ERR_PTR(ret);

	ah = ah_create(pd, &av, flags, NULL);
	if (IS_ERR(ah))
		rdma_destroy_ah_attr(&av);
	return ah;
}
OFED_EXPORT(rdma_create_ah);

/**
 * rdma_create_user_ah - create an address handle for a user
 * @pd: protection domain; busy until the handle is destroyed
 * @ah_attr: where to; the destination MAC of a RoCE vector is looked up
 * @udata: the driver's data
 *
 * Context: process, sleeps until a neighbour has answered.
 * Return: as rdma_create_ah(), or the errno of ofed_addr_resolve_l2().
 */
struct ib_ah *rdma_create_user_ah(struct ib_pd *pd,
				  struct rdma_ah_attr *ah_attr,
				  struct ib_udata *udata)
{
	struct rdma_ah_attr av = *ah_attr;
	struct ib_ah *ah;
	int ret;

	might_sleep();
	if (!pd->device->ops.create_user_ah)
		return ERR_PTR(ofed_refuse_op(pd->device, "create_user_ah"));
	ret = ofed_av_take(pd->device, &av);
	if (ret)
		return ERR_PTR(ret);

	if (av.type == RDMA_AH_ATTR_TYPE_ROCE)
		ret = ofed_addr_resolve_l2(pd->device, &av);
	ah = ret ? ERR_PTR(ret) :
		   ah_create(pd, &av, RDMA_CREATE_AH_SLEEPABLE, udata);
	if (IS_ERR(ah))
		rdma_destroy_ah_attr(&av);
	return ah;
}
OFED_EXPORT(rdma_create_user_ah);

/**
 * rdma_modify_ah - give an address handle another address vector
 * @ah: the handle
 * @ah_attr: the new vector, as for rdma_create_ah()
 *
 * IBA vol. 1 chapter 11, Modify Address Handle. Context: any. The caller
 * ensures that no other thread modifies or destroys @ah meanwhile. On failure
 * @ah is unchanged.
 * Return: 0, -EOPNOTSUPP, -EINVAL, the GID table's or the driver's errno.
 */
int rdma_modify_ah(struct ib_ah *ah, struct rdma_ah_attr *ah_attr)
{
	const struct ib_gid_attr *before = ah->sgid_attr;
	struct rdma_ah_attr av = *ah_attr;
	int ret;

	if (!ah->device->ops.modify_ah)
		return ofed_refuse_op(ah->device, "modify_ah");
	ret = ofed_av_take(ah->device, &av);
	if (ret)
		return ret;

	ret = ah->device->ops.modify_ah(ah, &av);
	if (ret) {
		rdma_destroy_ah_attr(&av);
		return ret;
	}

	ah->sgid_attr = av.grh.sgid_attr;
	if (before)
		rdma_put_gid_attr(before);
	return 0;
}
OFED_EXPORT(rdma_modify_ah);

/**
 * rdma_query_ah - read the address vector of a handle
 * @ah: the handle
 * @ah_attr: filled by the driver; holds no reference
 *
 * IBA vol. 1 chapter 11, Query Address Handle. Context: any.
 * Return: 0, -EOPNOTSUPP, or the driver's errno.
 */
int rdma_query_ah(struct ib_ah *ah, struct rdma_ah_attr *ah_attr)
{
	if (!ah->device->ops.query_ah)
		return ofed_refuse_op(ah->device, "query_ah");

	rdma_ah_retrieve_grh(ah_attr)->sgid_attr = NULL;
	return ah->device->ops.query_ah(ah, ah_attr);
}
OFED_EXPORT(rdma_query_ah);

/**
 * rdma_destroy_ah_user - destroy an address handle
 * @ah: the handle; freed on success
 * @flags: RDMA_DESTROY_AH_SLEEPABLE when the caller may sleep
 * @udata: of the user's request, or NULL
 *
 * IBA vol. 1 chapter 11, Destroy Address Handle. Context: any without the flag.
 * Return: 0, or the driver's errno: then the handle lives on.
 */
int rdma_destroy_ah_user(struct ib_ah *ah, u32 flags, struct ib_udata *udata)
{
	const struct ib_gid_attr *gid = ah->sgid_attr;
	struct ib_pd *pd = ah->pd;
	int ret;

	might_sleep_if(flags & RDMA_DESTROY_AH_SLEEPABLE);
	ret = ah->device->ops.destroy_ah(ah, flags);
	if (ret)
		return ret;

	kfree(ah);
	if (gid)
		rdma_put_gid_attr(gid);
	atomic_dec(&pd->usecnt);
	return 0;
}
OFED_EXPORT(rdma_destroy_ah_user);

/**
 * ofed_forget_ah - free an address handle that its driver never destroyed
 * @ah: the handle; its device is gone
 */
void ofed_forget_ah(struct ib_ah *ah)
{
	if (ah->sgid_attr)
		rdma_put_gid_attr(ah->sgid_attr);
	kfree(ah);
}
EXPORT_SYMBOL_GPL(ofed_forget_ah);

/**
 * ib_get_rdma_header_version - tell an IPv4 from an IPv6 or global route header
 * @hdr: the 40 bytes in front of a received datagram
 *
 * The first 20 bytes in front of an IPv4 header are undefined and may look
 * like version 6; then the header checksum decides. Context: any.
 * Return: 4, 6, or 0 for neither.
 */
int ib_get_rdma_header_version(const union rdma_network_hdr *hdr)
{
	const struct ipv6hdr *six = (const struct ipv6hdr *)&hdr->ibgrh;
	struct iphdr four;

	memcpy(&four, &hdr->roce4grh, sizeof(four));
	if (six->version != 6)
		return four.version == 4 ? 4 : 0;

	/* RoCEv2 has no IP options (annex A17). */
	if (four.version != 4 || four.ihl != sizeof(four) / 4)
		return 6;
	return ip_fast_csum((u8 *)&four, four.ihl) ? 6 : 4;
}
OFED_EXPORT(ib_get_rdma_header_version);

/**
 * ib_get_gids_from_rdma_hdr - read both GIDs of a received header
 * @hdr: the 40 bytes in front of a received datagram
 * @net_type: what the header is
 * @sgid: out: GID of the sender
 * @dgid: out: GID it was sent to
 *
 * Context: any. Return: 0, or -EINVAL (type unknown, or no room given).
 */
int ib_get_gids_from_rdma_hdr(const union rdma_network_hdr *hdr,
			      enum rdma_network_type net_type,
			      union ib_gid *sgid, union ib_gid *dgid)
{
	if (!sgid || !dgid)
		return -EINVAL;

	switch (net_type) {
	case RDMA_NETWORK_IPV4:
		ipv6_addr_set_v4mapped(hdr->roce4grh.daddr,
				       (struct in6_addr *)dgid);
		ipv6_addr_set_v4mapped(hdr->roce4grh.saddr,
				       (struct in6_addr *)sgid);
		return 0;
	case RDMA_NETWORK_IB:
	case RDMA_NETWORK_ROCE_V1:
	case RDMA_NETWORK_IPV6:
		memcpy(dgid, &hdr->ibgrh.dgid, sizeof(*dgid));
		memcpy(sgid, &hdr->ibgrh.sgid, sizeof(*sgid));
		return 0;
	}
	return -EINVAL;
}
OFED_EXPORT(ib_get_gids_from_rdma_hdr);

static enum rdma_network_type ah_wc_net_type(struct ib_device *device, u32 port,
					     const struct ib_wc *wc,
					     const struct ib_grh *grh)
{
	if (!rdma_cap_eth_ah(device, port) || rdma_protocol_ib(device, port))
		return RDMA_NETWORK_IB;
	if (wc->wc_flags & IB_WC_WITH_NETWORK_HDR_TYPE)
		return wc->network_hdr_type;
	if (ib_get_rdma_header_version((const void *)grh) == 4)
		return RDMA_NETWORK_IPV4;
	return grh->next_hdr == IPPROTO_UDP ? RDMA_NETWORK_IPV6 :
					      RDMA_NETWORK_ROCE_V1;
}

struct eth_gid_want {
	enum ib_gid_type type;
	u16 vlan;
};

/* Called by the GID table, under its lock. */
static bool ah_eth_gid_matches(const union ib_gid *gid,
			       const struct ib_gid_attr *attr, void *ctx)
{
	const struct eth_gid_want *want = ctx;
	struct net_device *ndev;
	u16 vlan = NO_VLAN;

	if (attr->gid_type != want->type)
		return false;

	rcu_read_lock();
	ndev = rcu_dereference(attr->ndev);
	if (ndev && is_vlan_dev(ndev))
		vlan = vlan_dev_vlan_id(ndev);
	rcu_read_unlock();
	return vlan == want->vlan;
}

static void ah_av_answer_grh(struct rdma_ah_attr *av, const struct ib_grh *grh,
			     union ib_gid *sender, u8 hops,
			     const struct ib_gid_attr *gid)
{
	u32 word = be32_to_cpu(grh->version_tclass_flow);

	rdma_move_grh_sgid_attr(av, sender, FIELD_GET(GRH_FLOW, word), hops,
				FIELD_GET(GRH_TCLASS, word), gid);
}

static int ah_av_answer_eth(struct ib_device *device, const struct ib_wc *wc,
			    const struct ib_grh *grh, struct rdma_ah_attr *av)
{
	struct eth_gid_want want = { .vlan = NO_VLAN };
	enum rdma_network_type net;
	const struct ib_gid_attr *gid;
	union ib_gid from, to;
	int ret;

	if (!(wc->wc_flags & IB_WC_GRH))
		return ofed_refuse(device, -EPROTOTYPE,
				   "port %u: no GRH to reply to", av->port_num);

	net = ah_wc_net_type(device, av->port_num, wc, grh);
	ret = ib_get_gids_from_rdma_hdr((const void *)grh, net, &from, &to);
	if (ret)
		return ret;

	want.type = ib_network_to_gid_type(net);
	if (wc->wc_flags & IB_WC_WITH_VLAN && wc->vlan_id < VLAN_N_VID)
		want.vlan = wc->vlan_id;
	gid = rdma_find_gid_by_filter(device, &to, av->port_num,
				      ah_eth_gid_matches, &want);
	if (IS_ERR(gid))
		return ofed_refuse(device, PTR_ERR(gid),
				   "port %u: destination %pI6c is no GID of it",
				   av->port_num, to.raw);

	ah_av_answer_grh(av, grh, &from, 0, gid);
	ret = ofed_addr_resolve_l2(device, av);
	if (ret)
		rdma_destroy_ah_attr(av);
	else if (!av->grh.hop_limit)
		av->grh.hop_limit = MAX_HOPS;
	return ret;
}

static int ah_av_answer_ib(struct ib_device *device, const struct ib_wc *wc,
			   const struct ib_grh *grh, struct rdma_ah_attr *av)
{
	const struct ib_gid_attr *gid;
	union ib_gid from, to;
	int ret;

	rdma_ah_set_path_bits(av, wc->dlid_path_bits);
	rdma_ah_set_dlid(av, wc->slid);
	if (!(wc->wc_flags & IB_WC_GRH))
		return 0;

	ret = ib_get_gids_from_rdma_hdr((const void *)grh, RDMA_NETWORK_IB,
					&from, &to);
	if (ret)
		return ret;

	/* The well-known GUID means the SA: any GID of the port answers. */
	if (to.global.interface_id == cpu_to_be64(IB_SA_WELL_KNOWN_GUID))
		gid = rdma_get_gid_attr(device, av->port_num, 0);
	else
		gid = rdma_find_gid_by_port(device, &to, IB_GID_TYPE_IB,
					    av->port_num, NULL);
	if (IS_ERR(gid))
		return ofed_refuse(device, PTR_ERR(gid),
				   "port %u: destination %pI6c is no GID of it",
				   av->port_num, to.raw);

	ah_av_answer_grh(av, grh, &from, MAX_HOPS, gid);
	return 0;
}

/**
 * ib_init_ah_attr_from_wc - make the address vector that answers a datagram
 * @device: device it came in by
 * @port_num: port it came in by
 * @wc: its completion
 * @grh: the first 40 bytes of the receive buffer, valid if @wc says so
 * @ah_attr: out; holds a reference on its source GID where it has a GRH, for
 *	     rdma_destroy_ah_attr()
 *
 * Context: process, sleeps until a RoCE neighbour has answered.
 * Return: 0, -EPROTOTYPE (RoCE datagram without GRH), -EINVAL (header unknown),
 * the errno of the GID table or of ofed_addr_resolve_l2().
 */
int ib_init_ah_attr_from_wc(struct ib_device *device, u32 port_num,
			    const struct ib_wc *wc, const struct ib_grh *grh,
			    struct rdma_ah_attr *ah_attr)
{
	might_sleep();

	memset(ah_attr, 0, sizeof(*ah_attr));
	rdma_ah_set_port_num(ah_attr, port_num);
	rdma_ah_set_sl(ah_attr, wc->sl);
	ah_attr->type = rdma_ah_find_type(device, port_num);
	return rdma_protocol_roce(device, port_num) ?
	       ah_av_answer_eth(device, wc, grh, ah_attr) :
	       ah_av_answer_ib(device, wc, grh, ah_attr);
}
OFED_EXPORT(ib_init_ah_attr_from_wc);

/**
 * ib_create_ah_from_wc - make the address handle that answers a datagram
 * @pd: protection domain of the handle
 * @wc: completion of the datagram
 * @grh: the first 40 bytes of the receive buffer, valid if @wc says so
 * @port_num: port to send by
 *
 * Context: process, sleeps.
 * Return: the handle, or an errno of ib_init_ah_attr_from_wc() or
 * rdma_create_ah().
 */
struct ib_ah *ib_create_ah_from_wc(struct ib_pd *pd, const struct ib_wc *wc,
				   const struct ib_grh *grh, u32 port_num)
{
	struct rdma_ah_attr av;
	struct ib_ah *ah;
	int ret;

	ret = ib_init_ah_attr_from_wc(pd->device, port_num, wc, grh, &av);
	if (ret)
		return ERR_PTR(ret);

	ah = rdma_create_ah(pd, &av, RDMA_CREATE_AH_SLEEPABLE);
	rdma_destroy_ah_attr(&av);
	return ah;
}
OFED_EXPORT(ib_create_ah_from_wc);
