// SPDX-License-Identifier: GPL-2.0
/*
 * rdma_cm: 'rdma resource show cm_id'. A line is an id with a device, or one
 * device of an id that listens on all.
 */
#include <linux/export.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <net/netlink.h>
#include <net/sock.h>
#include <ofed/restrack.h>

#include "../device.h"
#include "../nldev.h"
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
 * Take a line away, added or not. Returns when nobody reads it. rcm_res_show() or
 * rcm_res_forget() follows. Context: process, may sleep.
 */
void rcm_res_hide(struct rcm_res *res)
{
	ofed_restrack_begin_del(&res->entry);
}

void rcm_res_show(struct rcm_res *res)
{
	ofed_restrack_abort_del(&res->entry);
}

/* Nobody looks at it any more to learn whose it is; the device is there. */
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

static int put_owner(struct sk_buff *msg, const struct rdma_restrack_entry *res)
{
	pid_t pid;

	if (rdma_is_kernel_res(res))
		return nla_put_string(msg, RDMA_NLDEV_ATTR_RES_KERN_NAME,
				      res->kern_name ?: "");
	/* 0 in other PID namespaces than the owner's and its parents'. */
	pid = res->task ? task_pid_vnr(res->task) : 0;
	return pid ? nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_PID, pid) : 0;
}

static int put_address(struct sk_buff *msg, int attr,
		       const struct sockaddr_storage *addr)
{
	return addr->ss_family ? nla_put(msg, attr, sizeof(*addr), addr) : 0;
}

/* Who listens on every device has no destination on any of them. */
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

/* The addresses may be in the making; they are shown as they are. */
static int put_line(struct sk_buff *msg, struct rcm_res *res)
{
	struct ib_device *device = res->device;
	struct rcm_id *id = res->id;
	u32 port = id->pub.port_num;

	if ((port && nla_put_u32(msg, RDMA_NLDEV_ATTR_PORT_INDEX, port)) ||
	    nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_CM_IDN, res->entry.id) ||
	    nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_PS, id->pub.ps) ||
	    nla_put_u8(msg, RDMA_NLDEV_ATTR_RES_STATE, rcm_state_of(id)) ||
	    put_address(msg, RDMA_NLDEV_ATTR_RES_SRC_ADDR,
			&id->pub.route.addr.src_addr) ||
	    put_destination(msg, res) ||
	    put_qp(msg, id) ||
	    put_owner(msg, &res->entry))
		return -EMSGSIZE;
	if (device->ops.fill_res_cm_id_entry)
		return device->ops.fill_res_cm_id_entry(msg, &id->pub);
	return 0;
}

/* Objects of other PID namespaces are not shown, nor those of the kernel there. */
static bool is_shown(const struct rdma_restrack_entry *res)
{
	if (rdma_is_kernel_res(res))
		return task_active_pid_ns(current) == &init_pid_ns;
	return res->task && task_pid_vnr(res->task);
}

static int put_one(struct sk_buff *msg, struct ib_device *device,
		   const struct nldev_ask *ask)
{
	u32 id = nla_get_u32(ask->tb[RDMA_NLDEV_ATTR_RES_CM_IDN]);
	struct rdma_restrack_entry *entry;
	int ret = -ENOENT;

	if (ofed_nldev_put_handle(msg, device))
		return -EMSGSIZE;
	entry = rdma_restrack_get_byid(device, RDMA_RESTRACK_CM_ID, id);
	if (IS_ERR(entry))
		return PTR_ERR(entry);
	if (is_shown(entry))
		ret = put_line(msg, res_of(entry));
	rdma_restrack_put(entry);
	return ret;
}

/* One line, named by RES_CM_IDN. */
int ofed_nldev_res_cm_id(struct sk_buff *skb, struct nlmsghdr *nlh,
			 struct netlink_ext_ack *extack)
{
	struct ib_device *device;
	struct nldev_ask ask;
	int ret = -EINVAL;

	device = ofed_nldev_parse_device(&ask, skb, nlh, extack);
	if (IS_ERR(device))
		return PTR_ERR(device);
	if (ask.tb[RDMA_NLDEV_ATTR_RES_CM_IDN])
		ret = ofed_nldev_answer(&ask, device, put_one);
	ib_device_put(device);
	return ret;
}

/* Where a dump goes on: kept in netlink_callback.ctx between its parts. */
struct cm_id_dump {
	u32 next_id;
};

/* A part of a dump; put_part() is handed @ask. */
struct cm_id_part {
	struct nldev_ask ask;
	struct cm_id_dump *state;
};

static bool is_asked_for(const struct nldev_ask *ask,
			 const struct rdma_restrack_entry *entry)
{
	return (ask->port == NLDEV_NO_PORT ||
		ask->port == res_of(entry)->id->pub.port_num) &&
	       is_shown(entry);
}

static int put_entry(struct sk_buff *msg, struct rdma_restrack_entry *entry)
{
	struct nlattr *nest;
	int ret;

	nest = nla_nest_start_noflag(msg, RDMA_NLDEV_ATTR_RES_CM_ID_ENTRY);
	if (!nest)
		return -EMSGSIZE;
	ret = put_line(msg, res_of(entry));
	if (ret)
		nla_nest_cancel(msg, nest);
	else
		nla_nest_end(msg, nest);
	return ret;
}

/* As many lines as there is room for. Return: -ENOENT when there are no more. */
static int put_part(struct sk_buff *msg, struct ib_device *device,
		    const struct nldev_ask *ask)
{
	struct cm_id_dump *state =
		container_of(ask, struct cm_id_part, ask)->state;
	struct rdma_restrack_entry *entry;
	struct nlattr *table;
	int ret = -ENOENT;
	int count = 0;
	u32 id;

	if (ofed_nldev_put_handle(msg, device))
		return -EMSGSIZE;
	table = nla_nest_start_noflag(msg, RDMA_NLDEV_ATTR_RES_CM_ID);
	if (!table)
		return -EMSGSIZE;
	for (id = state->next_id;
	     (entry = ofed_restrack_get_from(device, RDMA_RESTRACK_CM_ID, &id));
	     state->next_id = ++id) {
		ret = is_asked_for(ask, entry) ? put_entry(msg, entry) : 0;
		rdma_restrack_put(entry);
		if (ret)
			break;
		count++;
	}
	if (!count)
		return ret;
	nla_nest_end(msg, table);
	return 0;
}

/* All lines of the device that DEV_INDEX names. */
int ofed_nldev_res_cm_id_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct cm_id_part part = { .state = (struct cm_id_dump *)cb->ctx };
	struct ib_device *device;
	int ret;

	BUILD_BUG_ON(sizeof(struct cm_id_dump) > sizeof(cb->ctx));
	ret = ofed_nldev_parse(&part.ask, cb->skb, cb->nlh, cb->extack);
	if (ret)
		return ret;
	part.ask.net = sock_net(skb->sk);
	device = ofed_nldev_device(&part.ask);
	if (!device)
		return -EINVAL;
	ret = ofed_nldev_put_part(skb, device, &part.ask, put_part);
	ib_device_put(device);
	if (ret == -ENOENT)
		return 0;
	return ret ?: skb->len;
}
