// SPDX-License-Identifier: GPL-2.0
/*
 * NLDEV: the tables of objects. What is told of an object depends on its kind,
 * and is said elsewhere; how one is found, and how all are walked, is the same
 * for every kind.
 */
#include <linux/sched.h>
#include <net/netlink.h>
#include <net/sock.h>
#include <ofed/refuse.h>
#include <ofed/restrack.h>

#include "../device/device.h"
#include "nldev.h"

static const struct nldev_kind kinds[RDMA_NLDEV_NUM_OPS] = {
#define KIND(cmd, what, number, port, how)				\
	[RDMA_NLDEV_CMD_RES_##cmd] = {					\
		.type = RDMA_RESTRACK_##what,				\
		.table = RDMA_NLDEV_ATTR_RES_##what,			\
		.entry = RDMA_NLDEV_ATTR_RES_##what##_ENTRY,		\
		.id = RDMA_NLDEV_ATTR_RES_##number,			\
		.per_port = port, .fill = how }
	KIND(QP_GET, QP, LQPN, true, ofed_nldev_put_qp),
	KIND(QP_GET_RAW, QP, LQPN, true, ofed_nldev_put_qp_raw),
	KIND(CM_ID_GET, CM_ID, CM_IDN, true, ofed_nldev_put_cm_id),
	KIND(CQ_GET, CQ, CQN, false, ofed_nldev_put_cq),
	KIND(CQ_GET_RAW, CQ, CQN, false, ofed_nldev_put_cq_raw),
	KIND(MR_GET, MR, MRN, false, ofed_nldev_put_mr),
	KIND(MR_GET_RAW, MR, MRN, false, ofed_nldev_put_mr_raw),
	KIND(PD_GET, PD, PDN, false, ofed_nldev_put_pd),
	KIND(CTX_GET, CTX, CTXN, false, ofed_nldev_put_ctx),
	KIND(SRQ_GET, SRQ, SRQN, false, ofed_nldev_put_srq),
	COMPAT_SRQ_RAW(KIND(SRQ_GET_RAW, SRQ, SRQN, false,
			    ofed_nldev_put_srq_raw))
#undef KIND
};

int ofed_nldev_put_owner(struct sk_buff *msg,
			 const struct rdma_restrack_entry *res)
{
	pid_t pid;

	if (rdma_is_kernel_res(res))
		return nla_put_string(msg, RDMA_NLDEV_ATTR_RES_KERN_NAME,
				      res->kern_name ?: "");
	/* 0 in other PID namespaces than the owner's and its parents'. */
	pid = res->task ? task_pid_vnr(res->task) : 0;
	return pid ? nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_PID, pid) : 0;
}

/* A request for one object; ofed_nldev_reply() is handed @req. */
struct one_req {
	struct nldev_req req;
	const struct nldev_kind *kind;
};

static int nldev_put_one(struct sk_buff *msg, struct ib_device *device,
			 const struct nldev_req *req)
{
	const struct nldev_kind *kind =
		container_of(req, struct one_req, req)->kind;
	struct rdma_restrack_entry *res;
	int ret;

	res = rdma_restrack_get_byid(device, kind->type,
				     nla_get_u32(req->tb[kind->id]));
	if (IS_ERR(res))
		return PTR_ERR(res);
	ret = ofed_nldev_put_handle(msg, device);
	if (!ret)
		ret = kind->fill(msg, res, req);
	rdma_restrack_put(res);
	return ret;
}

static bool nldev_may_query_one(const struct one_req *one, struct ib_device *device)
{
	if (!one->req.tb[one->kind->id])
		return false;
	if (!one->kind->per_port)
		return one->req.port == NLDEV_NO_PORT;
	return ofed_nldev_has_port(&one->req, device);
}

int ofed_nldev_one(struct sk_buff *skb, struct nlmsghdr *nlh,
		   struct netlink_ext_ack *extack,
		   const struct nldev_kind *kind)
{
	struct one_req one = { .kind = kind };
	struct ib_device *device;
	int ret;

	device = ofed_nldev_parse_device(&one.req, skb, nlh, extack);
	if (IS_ERR(device))
		return PTR_ERR(device);
	if (nldev_may_query_one(&one, device))
		ret = ofed_nldev_reply(&one.req, device, nldev_put_one);
	else
		ret = ofed_refuse(device, -EINVAL, "an object without its number, or of a wrong port");
	ib_device_put(device);
	return ret;
}

/* Where a dump goes on: kept in netlink_callback.ctx between its parts. */
struct res_dump {
	u32 next_id;
	bool done;
};

/* A part of a dump; ofed_nldev_put_part() is handed @req. */
struct res_part {
	struct nldev_req req;
	const struct nldev_kind *kind;
	struct res_dump *state;
};

static int nldev_put_entry(struct sk_buff *msg, struct rdma_restrack_entry *res,
			   const struct res_part *part)
{
	struct nlattr *nest = nla_nest_start_noflag(msg, part->kind->entry);
	int ret;

	if (!nest)
		return -EMSGSIZE;
	ret = part->kind->fill(msg, res, &part->req);
	if (ret)
		nla_nest_cancel(msg, nest);
	else
		nla_nest_end(msg, nest);
	return ret;
}

/*
 * An entry that is too long even for a message of its own is left out: a dump
 * would never get past it.
 *
 * Return: 0 or -EMSGSIZE when there are more, -ENOENT when there are not.
 */
static int nldev_put_entries(struct sk_buff *msg, struct ib_device *device,
			     const struct res_part *part, int *count)
{
	u32 *id = &part->state->next_id;
	struct rdma_restrack_entry *res;
	int ret;

	while ((res = ofed_restrack_get_from(device, part->kind->type, id))) {
		if (part->req.details || !ofed_restrack_is_detail(res))
			ret = nldev_put_entry(msg, res, part);
		else
			ret = -EAGAIN;
		rdma_restrack_put(res);
		cond_resched();
		if (!ret)
			++*count;
		else if (ret != -EAGAIN && (ret != -EMSGSIZE || *count))
			return ret;
		if (!++*id)
			break;
	}
	return -ENOENT;
}

/* As many entries as there is room for. */
static int nldev_put_part(struct sk_buff *msg, struct ib_device *device,
			  const struct nldev_req *req)
{
	const struct res_part *part = container_of(req, struct res_part, req);
	struct nlattr *table;
	int count = 0;
	int ret;

	if (ofed_nldev_put_handle(msg, device))
		return -EMSGSIZE;
	table = nla_nest_start_noflag(msg, part->kind->table);
	if (!table)
		return -EMSGSIZE;
	ret = nldev_put_entries(msg, device, part, &count);
	if (ret == -ENOENT)
		part->state->done = true;
	else if (ret != -EMSGSIZE)
		return ret;
	if (!count)
		return ret;
	nla_nest_end(msg, table);
	return 0;
}

int ofed_nldev_all(struct sk_buff *skb, struct netlink_callback *cb,
		   const struct nldev_kind *kind)
{
	struct res_part part = {
		.kind = kind,
		.state = (struct res_dump *)cb->ctx,
	};
	struct ib_device *device;
	int ret;

	BUILD_BUG_ON(sizeof(struct res_dump) > sizeof(cb->ctx));
	ret = ofed_nldev_parse(&part.req, cb->skb, cb->nlh, cb->extack);
	if (ret)
		return ret;
	part.req.net = sock_net(skb->sk);
	device = ofed_nldev_device(&part.req);
	if (!device)
		return -EINVAL;

	if (part.req.port != NLDEV_NO_PORT &&
	    !rdma_is_port_valid(device, part.req.port))
		ret = ofed_refuse_port(device, part.req.port);
	else if (part.state->done)
		ret = -ENOENT;
	else
		ret = ofed_nldev_put_part(skb, device, &part.req, nldev_put_part);
	ib_device_put(device);
	if (ret == -ENOENT)
		return 0;
	return ret ?: skb->len;
}

int ofed_nldev_res_one(struct sk_buff *skb, struct nlmsghdr *nlh,
		       struct netlink_ext_ack *extack)
{
	return ofed_nldev_one(skb, nlh, extack,
			      &kinds[RDMA_NL_GET_OP(nlh->nlmsg_type)]);
}

int ofed_nldev_res_all(struct sk_buff *skb, struct netlink_callback *cb)
{
	return ofed_nldev_all(skb, cb,
			      &kinds[RDMA_NL_GET_OP(cb->nlh->nlmsg_type)]);
}
