// SPDX-License-Identifier: GPL-2.0
/* Where messages and data of a connection go. */
#include <rdma/ib_cache.h>
#include <rdma/ib_sa.h>

#include "core.h"

void cm_dest_drop(struct cm_dest *dest)
{
	rdma_destroy_ah_attr(&dest->ah);
	dest->port = NULL;
}

/* Do both lead to the same port? */
bool cm_same_address(const struct rdma_ah_attr *a, const struct rdma_ah_attr *b)
{
	if (a->type != b->type)
		return false;
	if (a->ah_flags & b->ah_flags & IB_AH_GRH)
		return !memcmp(&a->grh.dgid, &b->grh.dgid, sizeof(a->grh.dgid));
	return a->type == RDMA_AH_ATTR_TYPE_IB && a->ib.dlid == b->ib.dlid;
}

/* Context: any; the id's lock is held, or the caller alone can reach the id. */
void cm_id_drop_paths(struct cm_id *id)
{
	cm_dest_drop(&id->av.to);
	cm_dest_drop(&id->alt_av.to);
	cm_dest_drop(&id->reply);
}

/*
 * The source GID of @path, with a reference. @sgid_attr is what the caller
 * knows of it; a path that a peer wrote may name another GID of that port.
 */
static const struct ib_gid_attr *
cm_source_of(struct ib_device *device, struct sa_path_rec *path,
	     const struct ib_gid_attr *sgid_attr)
{
	if (!sgid_attr)
		return rdma_find_gid(device, &path->sgid,
				     sa_conv_pathrec_to_gid_type(path), NULL);
	if (!memcmp(&sgid_attr->gid, &path->sgid, sizeof(path->sgid))) {
		rdma_hold_gid_attr(sgid_attr);
		return sgid_attr;
	}
	return rdma_find_gid_by_port(device, &path->sgid, sgid_attr->gid_type,
				     sgid_attr->port_num, NULL);
}

/*
 * @path: path, from here to there; a RoCE path comes back with the MAC
 * @sgid_attr: its source, or NULL to look it up
 * @av: out; with references on success, untouched else
 *
 * Context: process, sleeps until a RoCE neighbour has answered.
 * Return: 0, -EINVAL (no CM on the port), or the errno of the GID or P_Key
 * table or of ib_init_ah_attr_from_path().
 */
int cm_av_from_path(struct cm_dev *dev, struct sa_path_rec *path,
		    const struct ib_gid_attr *sgid_attr, struct cm_av *av)
{
	/* A round trip; 5 bits of a QP's attribute. */
	struct cm_av made = { .timeout = min(path->packet_life_time + 1, 31) };
	const struct ib_gid_attr *source;
	int ret;

	might_sleep();
	source = cm_source_of(dev->device, path, sgid_attr);
	if (IS_ERR(source))
		return PTR_ERR(source);

	made.to.port = cm_dev_port(dev, source->port_num);
	if (!made.to.port) {
		ret = -EINVAL;
		goto out;
	}
	ret = ib_find_cached_pkey(dev->device, made.to.port->num,
				  be16_to_cpu(path->pkey),
				  &made.to.pkey_index);
	if (ret)
		goto out;
	ret = ib_init_ah_attr_from_path(dev->device, made.to.port->num, path,
					&made.to.ah, source);
	if (!ret)
		*av = made;
out:
	rdma_put_gid_attr(source);
	return ret;
}

/*
 * @gid: out: source GID of @rx
 *
 * Only a RoCE source identifies the sender: its GID is an IP or link address
 * that another host can not use as its own. On InfiniBand the GRH is optional
 * and the LID may change: the peer may have moved to its alternate path
 * unnoticed.
 *
 * Return: true if @gid is set, which identifies the sender.
 */
bool cm_rx_source(const struct cm_rx *rx, union ib_gid *gid)
{
	const void *header = rx->wc->recv_buf.grh;
	const struct ib_wc *wc = rx->wc->wc;
	enum rdma_network_type type;
	union ib_gid to;

	if (!(wc->wc_flags & IB_WC_GRH) ||
	    !rdma_protocol_roce(rx->port->dev->device, rx->port->num))
		return false;
	if (wc->wc_flags & IB_WC_WITH_NETWORK_HDR_TYPE)
		type = wc->network_hdr_type;
	else if (ib_get_rdma_header_version(header) == 4)
		type = RDMA_NETWORK_IPV4;
	else if (ib_get_rdma_header_version(header) == 6)
		type = RDMA_NETWORK_IPV6;
	else
		return false;
	return !ib_get_gids_from_rdma_hdr(header, type, gid, &to);
}

/*
 * @dest: out; the address that @rx came from
 *
 * Context: process, sleeps until a RoCE neighbour has answered.
 * Return: 0, -ENODEV (the device is being removed and sends nothing any more),
 * or the errno of ib_init_ah_attr_from_wc().
 */
int cm_dest_from_rx(const struct cm_rx *rx, struct cm_dest *dest)
{
	const struct ib_wc *wc = rx->wc->wc;
	int ret;

	if (!rcu_access_pointer(rx->port->agent))
		return -ENODEV;
	ret = ib_init_ah_attr_from_wc(rx->port->dev->device, rx->port->num, wc,
				      rx->wc->recv_buf.grh, &dest->ah);
	if (ret)
		return ret;
	dest->port = rx->port;
	dest->pkey_index = wc->pkey_index;
	return 0;
}
