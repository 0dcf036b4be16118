// SPDX-License-Identifier: GPL-2.0
/* RES_CM_ID_GET: the ids of rdma_cm. */
#include <net/netlink.h>
#include <ofed/restrack.h>
#include <rdma/rdma_cm.h>

#include "cm_id.h"
#include "nldev.h"

/* Set before there is an entry, and not changed. */
static void (*cm_id_read)(struct rdma_restrack_entry *entry,
			  struct nldev_cm_id *line);

void ofed_nldev_cm_ids(void (*read)(struct rdma_restrack_entry *entry,
				    struct nldev_cm_id *line))
{
	WRITE_ONCE(cm_id_read, read);
}

static int nldev_put_address(struct sk_buff *msg, int attr,
			     const struct sockaddr_storage *addr)
{
	return addr->ss_family ? nla_put(msg, attr, sizeof(*addr), addr) : 0;
}

static int nldev_put_qp(struct sk_buff *msg, const struct nldev_cm_id *line)
{
	if (!line->qp_num)
		return 0;
	return nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_LQPN, line->qp_num) ?:
	       nla_put_u8(msg, RDMA_NLDEV_ATTR_RES_TYPE, line->pub->qp_type);
}

static int nldev_put_addresses(struct sk_buff *msg, const struct nldev_cm_id *line)
{
	const struct rdma_addr *addr = &line->pub->route.addr;
	int ret;

	ret = nldev_put_address(msg, RDMA_NLDEV_ATTR_RES_SRC_ADDR, &addr->src_addr);
	if (!ret && line->has_destination)
		ret = nldev_put_address(msg, RDMA_NLDEV_ATTR_RES_DST_ADDR,
					&addr->dst_addr);
	return ret;
}

/* nldev_kind.fill. The addresses may be in the making; they are shown as is. */
int ofed_nldev_put_cm_id(struct sk_buff *msg, struct rdma_restrack_entry *entry,
			 const struct nldev_req *req)
{
	const struct ofed_tracked *tracked =
		container_of(entry, struct ofed_tracked, entry);
	struct nldev_cm_id line;
	u32 port;

	READ_ONCE(cm_id_read)(entry, &line);
	port = line.pub->port_num;
	if (req->port != NLDEV_NO_PORT && req->port != port)
		return -EAGAIN;
	if ((port && nla_put_u32(msg, RDMA_NLDEV_ATTR_PORT_INDEX, port)) ||
	    nldev_put_qp(msg, &line) ||
	    nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_PS, line.pub->ps) ||
	    nla_put_u8(msg, RDMA_NLDEV_ATTR_RES_STATE, line.state) ||
	    nldev_put_addresses(msg, &line) ||
	    nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_CM_IDN, entry->id) ||
	    ofed_nldev_put_owner(msg, entry))
		return -EMSGSIZE;
	if (tracked->device->ops.fill_res_cm_id_entry)
		return tracked->device->ops.fill_res_cm_id_entry(msg, line.pub);
	return 0;
}
