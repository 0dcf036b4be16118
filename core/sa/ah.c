// SPDX-License-Identifier: GPL-2.0
/* Address vectors out of what the SA, or a RoCE path, says. */
#include <linux/etherdevice.h>
#include <linux/export.h>
#include <ofed/refuse.h>
#include <rdma/ib_cache.h>

#include "../addr/addr.h"
#include "priv.h"

/* Fill the GRH, with a reference on the source GID. */
static int sa_set_grh(struct ib_device *device, u32 port_num,
		      struct sa_path_rec *rec, struct rdma_ah_attr *av,
		      const struct ib_gid_attr *gid)
{
	if (gid)
		rdma_hold_gid_attr(gid);
	else
		gid = rdma_find_gid_by_port(device, &rec->sgid,
					    sa_conv_pathrec_to_gid_type(rec),
					    port_num, NULL);
	if (IS_ERR(gid))
		return PTR_ERR(gid);
	rdma_move_grh_sgid_attr(av, &rec->dgid, be32_to_cpu(rec->flow_label),
				rec->hop_limit, rec->traffic_class, gid);
	return 0;
}

/* The MAC of the path, or of the route to its GID; @av has its GRH. */
static int sa_set_dmac(struct ib_device *device, struct sa_path_rec *rec,
		       struct rdma_ah_attr *av)
{
	struct ib_global_route *grh = rdma_ah_retrieve_grh(av);
	int ret;

	if (!rec->roce.route_resolved) {
		ret = ofed_addr_resolve_l2(device, av);
		if (ret)
			return ret;
		/* The path knows better than the route, if it knows at all. */
		rec->hop_limit = rec->hop_limit ?: grh->hop_limit;
		grh->hop_limit = rec->hop_limit;
		sa_path_set_dmac(rec, av->roce.dmac);
		rec->roce.route_resolved = true;
	}
	ether_addr_copy(av->roce.dmac, rec->roce.dmac);
	return 0;
}

static int sa_from_roce(struct ib_device *device, u32 port_num,
			struct sa_path_rec *rec, struct rdma_ah_attr *av,
			const struct ib_gid_attr *gid)
{
	int ret;

	if (!rec->roce.route_resolved && !gid)
		return ofed_refuse(device, -EINVAL,
				   "port %u: a path with an unresolved route",
				   port_num);
	ret = sa_set_grh(device, port_num, rec, av, gid);
	if (ret)
		return ret;
	ret = sa_set_dmac(device, rec, av);
	if (ret)
		rdma_destroy_ah_attr(av);
	return ret;
}

static int sa_from_ib(struct ib_device *device, u32 port_num,
		      struct sa_path_rec *rec, struct rdma_ah_attr *av,
		      const struct ib_gid_attr *gid)
{
	u32 dlid = be32_to_cpu(sa_path_get_dlid(rec));
	u32 slid = be32_to_cpu(sa_path_get_slid(rec));

	rdma_ah_set_dlid(av, dlid);
	if (sa_path_is_opa(rec) && dlid == be16_to_cpu(IB_LID_PERMISSIVE))
		rdma_ah_set_make_grd(av, true);
	rdma_ah_set_path_bits(av, slid &
			      ofed_sa_src_path_mask(device, port_num));
	/* A path that may leave the subnet, or a port that needs a GRH. */
	return rec->hop_limit ? sa_set_grh(device, port_num, rec, av, gid) : 0;
}

/**
 * ib_init_ah_attr_from_path - make an address vector of a path
 * @device: device
 * @port_num: its port that the path begins at
 * @rec: the path; of a RoCE path that is not resolved yet, the MAC is looked up
 *	 and stored
 * @ah_attr: out: the address vector; where it has a GRH, it has a reference that
 *	     rdma_destroy_ah_attr() puts
 * @sgid_attr: source GID, or NULL to find it by @rec->sgid; needed for a RoCE
 *	       path that is not resolved yet
 *
 * Context: process, may sleep for as long as it takes to find a neighbour; any
 * for InfiniBand paths and for those that are resolved.
 * Return: 0, -EINVAL (path and port are of different kinds, or the GID is
 * missing), -ENOENT (the port has no such GID), or as ofed_addr_resolve_l2().
 */
int ib_init_ah_attr_from_path(struct ib_device *device, u32 port_num,
			      struct sa_path_rec *rec,
			      struct rdma_ah_attr *ah_attr,
			      const struct ib_gid_attr *sgid_attr)
{
	bool roce = sa_path_is_roce(rec);

	memset(ah_attr, 0, sizeof(*ah_attr));
	if (!rdma_is_port_valid(device, port_num) ||
	    roce != rdma_protocol_roce(device, port_num))
		return ofed_refuse(
			device, -EINVAL,
			"port %u does not exist or is of another link layer than the path",
			port_num);
	ah_attr->type = rdma_ah_find_type(device, port_num);
	rdma_ah_set_port_num(ah_attr, port_num);
	rdma_ah_set_static_rate(ah_attr, rec->rate);
	rdma_ah_set_sl(ah_attr, rec->sl);

	return roce ? sa_from_roce(device, port_num, rec, ah_attr, sgid_attr) :
		      sa_from_ib(device, port_num, rec, ah_attr, sgid_attr);
}
OFED_EXPORT(ib_init_ah_attr_from_path);

/**
 * ib_init_ah_from_mcmember - make an address vector of a group's record
 * @device: device
 * @port_num: its port that has joined
 * @rec: the record; its port_gid is the source
 * @ndev: interface of the source GID on RoCE; not read on InfiniBand
 * @gid_type: type of the source GID
 * @ah_attr: out: the address vector, with a GRH and a reference that
 *	     rdma_destroy_ah_attr() puts
 *
 * Context: any.
 * Return: 0, -EINVAL (neither InfiniBand nor RoCE), -ENOENT (the port has no
 * such GID).
 */
int ib_init_ah_from_mcmember(struct ib_device *device, u32 port_num,
			     struct ib_sa_mcmember_rec *rec,
			     struct net_device *ndev, enum ib_gid_type gid_type,
			     struct rdma_ah_attr *ah_attr)
{
	bool roce = rdma_protocol_roce(device, port_num);
	const struct ib_gid_attr *source;

	/* GIDs of InfiniBand ports have no interface. */
	if (!roce)
		ndev = NULL;
	if (!roce && !rdma_protocol_ib(device, port_num))
		return ofed_refuse(device, -EINVAL,
				   "port %u is neither of RoCE nor of InfiniBand",
				   port_num);
	source = rdma_find_gid_by_port(device, &rec->port_gid, gid_type,
				       port_num, ndev);
	if (IS_ERR(source))
		return ofed_refuse(device, PTR_ERR(source),
				   "port %u: %pI6c is no GID of it", port_num,
				   rec->port_gid.raw);

	memset(ah_attr, 0, sizeof(*ah_attr));
	ah_attr->type = rdma_ah_find_type(device, port_num);
	rdma_ah_set_port_num(ah_attr, port_num);
	rdma_ah_set_sl(ah_attr, rec->sl);
	rdma_ah_set_static_rate(ah_attr, rec->rate);
	rdma_ah_set_dlid(ah_attr, be16_to_cpu(rec->mlid));
	rdma_move_grh_sgid_attr(ah_attr, &rec->mgid,
				be32_to_cpu(rec->flow_label), rec->hop_limit,
				rec->traffic_class, source);
	return 0;
}
OFED_EXPORT(ib_init_ah_from_mcmember);
