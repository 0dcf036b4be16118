// SPDX-License-Identifier: GPL-2.0
/*
 * rdma_cm: 'rdma resource show cm_id'. A line is an id with a device, or one
 * device of an id that listens on all.
 */
#include <linux/export.h>
#include <net/netlink.h>
#include <ofed/restrack.h>

#include "../../device/device.h"
#include "../../nldev/nldev.h"
#include "cma.h"

static struct rcm_res *res_of(const struct rdma_restrack_entry *entry)
{
	return container_of(entry, struct rcm_res, entry);
}

void rcm_res_init(struct rcm_res *res, struct rcm_id *id)
{
	ofed_restrack_new(&res->entry, RDMA_RESTRACK_CM_ID);
	res->id = id;
}

/* Called once. Context: process, may sleep. */
void rcm_res_add(struct rcm_res *res, struct ib_device *device)
{
	res->device = device;
	ofed_restrack_add(&res->entry);
}

/*
 * Take a line away, added or not. Returns when no reader uses it.
 * rcm_res_show() or rcm_res_forget() follows. Context: process, may sleep.
 */
void rcm_res_hide(struct rcm_res *res)
{
	ofed_restrack_begin_del(&res->entry);
}

void rcm_res_show(struct rcm_res *res)
{
	ofed_restrack_abort_del(&res->entry);
}

/* No reader uses the line's owner any more; the device still exists. */
void rcm_res_forget(struct rcm_res *res)
{
	ofed_restrack_commit_del(&res->entry);
	res->device = NULL;
}

/* Both, for a line that no other has its owner from. */
void rcm_res_del(struct rcm_res *res)
{
	rcm_res_hide(res);
	rcm_res_forget(res);
}

/**
 * ofed_cma_res_device - device of an entry of type RDMA_RESTRACK_CM_ID
 * @entry: entry
 *
 * Context: any. Return: the device, NULL before there is one.
 */
struct ib_device *ofed_cma_res_device(const struct rdma_restrack_entry *entry)
{
	return res_of(entry)->device;
}

/**
 * rdma_res_to_id - id of an entry of the table of resources
 * @res: entry of type RDMA_RESTRACK_CM_ID
 *
 * For drivers that add to an answer (fill_res_cm_id_entry). Context: any.
 * Return: the id.
 */
struct rdma_cm_id *rdma_res_to_id(struct rdma_restrack_entry *res)
{
	return &res_of(res)->id->pub;
}
EXPORT_SYMBOL(rdma_res_to_id);

static int put_address(struct sk_buff *msg, int attr,
		       const struct sockaddr_storage *addr)
{
	return addr->ss_family ? nla_put(msg, attr, sizeof(*addr), addr) : 0;
}

/* A listener on all devices has no destination on any of them. */
static int put_destination(struct sk_buff *msg, const struct rcm_res *res)
{
	if (res != &res->id->res)
		return 0;
	return put_address(msg, RDMA_NLDEV_ATTR_RES_DST_ADDR,
			   &res->id->pub.route.addr.dst_addr);
}

static int put_qp(struct sk_buff *msg, const struct rcm_id *id)
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
	struct rcm_res *res = res_of(entry);
	struct ib_device *device = res->device;
	struct rcm_id *id = res->id;
	u32 port = id->pub.port_num;

	if (ask->port != NLDEV_NO_PORT && ask->port != port)
		return -EAGAIN;
	if ((port && nla_put_u32(msg, RDMA_NLDEV_ATTR_PORT_INDEX, port)) ||
	    put_qp(msg, id) ||
	    nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_PS, id->pub.ps) ||
	    nla_put_u8(msg, RDMA_NLDEV_ATTR_RES_STATE, rcm_state_of(id)) ||
	    put_address(msg, RDMA_NLDEV_ATTR_RES_SRC_ADDR,
			&id->pub.route.addr.src_addr) ||
	    put_destination(msg, res) ||
	    nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_CM_IDN, entry->id) ||
	    ofed_nldev_put_owner(msg, entry))
		return -EMSGSIZE;
	if (device->ops.fill_res_cm_id_entry)
		return device->ops.fill_res_cm_id_entry(msg, &id->pub);
	return 0;
}
