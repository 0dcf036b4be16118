// SPDX-License-Identifier: GPL-2.0
/* RES_CM_ID_GET: the ids of rdma_cm. */
#include <net/netlink.h>

#include "../cm/rdma/cma.h"
#include "nldev.h"

static int nldev_put_address(struct sk_buff *msg, int attr,
			     const struct sockaddr_storage *addr)
{
	return addr->ss_family ? nla_put(msg, attr, sizeof(*addr), addr) : 0;
}

/* A listener on all devices has no destination on any of them. */
static int nldev_put_destination(struct sk_buff *msg, const struct cma_res *res)
{
	if (res != &res->id->res)
		return 0;
	return nldev_put_address(msg, RDMA_NLDEV_ATTR_RES_DST_ADDR,
				 &res->id->pub.route.addr.dst_addr);
}

static int nldev_put_qp(struct sk_buff *msg, const struct cma_id *id)
{
	if (!id->qp_num)
		return 0;
	return nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_LQPN, id->qp_num) ?:
	       nla_put_u8(msg, RDMA_NLDEV_ATTR_RES_TYPE, id->pub.qp_type);
}

/* nldev_kind.fill. The addresses may be in the making; they are shown as is. */
int ofed_nldev_put_cm_id(struct sk_buff *msg, struct rdma_restrack_entry *entry,
			 const struct nldev_ask *ask)
{
	struct cma_res *res = container_of(entry, struct cma_res, tracked.entry);
	struct ib_device *device = res->tracked.device;
	struct cma_id *id = res->id;
	u32 port = id->pub.port_num;

	if (ask->port != NLDEV_NO_PORT && ask->port != port)
		return -EAGAIN;
	if ((port && nla_put_u32(msg, RDMA_NLDEV_ATTR_PORT_INDEX, port)) ||
	    nldev_put_qp(msg, id) ||
	    nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_PS, id->pub.ps) ||
	    nla_put_u8(msg, RDMA_NLDEV_ATTR_RES_STATE, cma_state_of(id)) ||
	    nldev_put_address(msg, RDMA_NLDEV_ATTR_RES_SRC_ADDR,
			      &id->pub.route.addr.src_addr) ||
	    nldev_put_destination(msg, res) ||
	    nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_CM_IDN, entry->id) ||
	    ofed_nldev_put_owner(msg, entry))
		return -EMSGSIZE;
	if (device->ops.fill_res_cm_id_entry)
		return device->ops.fill_res_cm_id_entry(msg, &id->pub);
	return 0;
}
