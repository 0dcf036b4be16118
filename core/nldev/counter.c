// SPDX-License-Identifier: GPL-2.0
/* NLDEV: counters of single objects, and which QP has which. */
#include <compat/counter.h>
#include <net/netlink.h>
#include <ofed/refuse.h>
#include <rdma/rdma_counter.h>

#include "nldev.h"
#include "../track/counters.h"

static int nldev_put_mode(struct sk_buff *msg, const struct rdma_counter *counter)
{
	const struct rdma_counter_mode *mode = &counter->mode;

	if (nla_put_u32(msg, RDMA_NLDEV_ATTR_STAT_MODE, mode->mode))
		return -EMSGSIZE;
	if (mode->mode != RDMA_COUNTER_MODE_AUTO)
		return 0;
	if (mode->mask & RDMA_COUNTER_MASK_QP_TYPE &&
	    nla_put_u8(msg, RDMA_NLDEV_ATTR_RES_TYPE, mode->param.qp_type))
		return -EMSGSIZE;
	if (mode->mask & RDMA_COUNTER_MASK_PID)
		return ofed_nldev_put_owner(msg, &counter->res);
	return 0;
}

static int nldev_put_qp_number(struct sk_buff *msg, u32 number)
{
	struct nlattr *nest = nla_nest_start(msg, RDMA_NLDEV_ATTR_RES_QP_ENTRY);

	if (!nest)
		return -EMSGSIZE;
	if (nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_LQPN, number)) {
		nla_nest_cancel(msg, nest);
		return -EMSGSIZE;
	}
	nla_nest_end(msg, nest);
	return 0;
}

static int nldev_put_qps(struct sk_buff *msg, const struct rdma_counter *counter)
{
	struct nlattr *table = nla_nest_start(msg, RDMA_NLDEV_ATTR_RES_QP);
	struct ib_qp *qp;
	int ret = 0;
	u32 id;

	if (!table)
		return -EMSGSIZE;
	for (id = 0; !ret && (qp = ofed_nldev_next_qp(counter->device, &id));
	     id++) {
		if (READ_ONCE(qp->counter) == counter)
			ret = nldev_put_qp_number(msg, qp->qp_num);
		rdma_restrack_put(&qp->res);
		cond_resched();
	}
	if (ret)
		nla_nest_cancel(msg, table);
	else
		nla_nest_end(msg, table);
	return ret;
}

/* nldev_kind.fill of a counter that QPs are bound to */
static int nldev_put_counter(struct sk_buff *msg, struct rdma_restrack_entry *res,
			     const struct nldev_req *req)
{
	struct rdma_counter *counter =
		container_of(res, struct rdma_counter, res);

	if (req->port != NLDEV_NO_PORT && req->port != counter->port)
		return -EAGAIN;
	/* Values that the driver can not read now are told as they were. */
	ofed_counter_query_stats(counter);
	if (nla_put_u32(msg, RDMA_NLDEV_ATTR_PORT_INDEX, counter->port) ||
	    nla_put_u32(msg, RDMA_NLDEV_ATTR_STAT_COUNTER_ID, counter->id) ||
	    nldev_put_mode(msg, counter) || nldev_put_qps(msg, counter))
		return -EMSGSIZE;
	return ofed_nldev_put_hwstats(msg, counter->device, counter->stats, 0);
}

/* nldev_kind.fill of the statistics of an MR */
static int nldev_put_mr_stat(struct sk_buff *msg, struct rdma_restrack_entry *res,
			     const struct nldev_req *req)
{
	struct ib_mr *mr = container_of(res, struct ib_mr, res);

	if (nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_MRN, res->id))
		return -EMSGSIZE;
	if (!mr->device->ops.fill_stat_mr_entry)
		return 0;
	return mr->device->ops.fill_stat_mr_entry(msg, mr);
}

static const struct nldev_kind counter_kind = {
	.type = RDMA_RESTRACK_COUNTER,
	.table = RDMA_NLDEV_ATTR_STAT_COUNTER,
	.entry = RDMA_NLDEV_ATTR_STAT_COUNTER_ENTRY,
	.id = RDMA_NLDEV_ATTR_STAT_COUNTER_ID,
	.per_port = true,
	.fill = nldev_put_counter,
};

static const struct nldev_kind mr_stat_kind = {
	.type = RDMA_RESTRACK_MR,
	.table = RDMA_NLDEV_ATTR_RES_MR,
	.entry = RDMA_NLDEV_ATTR_RES_MR_ENTRY,
	.id = RDMA_NLDEV_ATTR_RES_MRN,
	.fill = nldev_put_mr_stat,
};

static const struct nldev_kind *nldev_kind_of(const struct nldev_req *req)
{
	const struct nlattr *res = req->tb[RDMA_NLDEV_ATTR_STAT_RES];

	if (!res)
		return NULL;
	switch (nla_get_u32(res)) {
	case RDMA_NLDEV_ATTR_RES_QP:
		return &counter_kind;
	case RDMA_NLDEV_ATTR_RES_MR:
		return &mr_stat_kind;
	default:
		return NULL;
	}
}

/* How QPs of a port are bound. */
static int nldev_put_port_mode(struct sk_buff *msg, struct ib_device *device,
			       const struct nldev_req *req)
{
	struct rdma_counter_mode mode;

	if (!req->tb[RDMA_NLDEV_ATTR_STAT_MODE] ||
	    !ofed_nldev_has_port(req, device))
		return ofed_refuse(device, -EINVAL,
				   "the mode of a port without a port, or without the attribute");
	ofed_counter_get_mode(device, req->port, &mode);
	if (ofed_nldev_put_port(msg, device, req->port) ||
	    nla_put_u32(msg, RDMA_NLDEV_ATTR_STAT_MODE, mode.mode))
		return -EMSGSIZE;
	if (mode.mode == RDMA_COUNTER_MODE_AUTO &&
	    (nla_put_u32(msg, RDMA_NLDEV_ATTR_STAT_AUTO_MODE_MASK, mode.mask) ||
	     compat_nl_put_opcnt(msg, &mode)))
		return -EMSGSIZE;
	return 0;
}

/* STAT_GET with STAT_RES; @req is the request. */
int ofed_nldev_stat_get_res(struct sk_buff *skb, struct nlmsghdr *nlh,
			    struct netlink_ext_ack *extack,
			    const struct nldev_req *req)
{
	const struct nldev_kind *kind = nldev_kind_of(req);

	if (!kind)
		return ofed_refuse_call(-EINVAL,
					"nldev: statistics of an unknown kind");
	if (kind == &counter_kind && !req->tb[RDMA_NLDEV_ATTR_STAT_COUNTER_ID])
		return ofed_nldev_reply_device(skb, nlh, extack,
					       nldev_put_port_mode);
	return ofed_nldev_one(skb, nlh, extack, kind);
}

int ofed_nldev_stat_get_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	const struct nldev_kind *kind;
	struct nldev_req req;
	int ret;

	ret = ofed_nldev_parse(&req, cb->skb, cb->nlh, cb->extack);
	if (ret)
		return ret;
	kind = nldev_kind_of(&req);
	if (!kind)
		return ofed_refuse_call(-EINVAL, "nldev: statistics of an unknown kind");
	return ofed_nldev_all(skb, cb, kind);
}

static bool nldev_is_about_qps(const struct nldev_req *req)
{
	return nldev_kind_of(req) == &counter_kind;
}

static int nldev_put_binding(struct sk_buff *msg, u32 counter, u32 qp_num)
{
	return nla_put_u32(msg, RDMA_NLDEV_ATTR_STAT_COUNTER_ID, counter) ?:
	       nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_LQPN, qp_num);
}

/* To the counter that is named, or to a new one. */
static int nldev_bind(struct sk_buff *msg, struct ib_device *device,
		      const struct nldev_req *req)
{
	const struct nlattr *counter = req->tb[RDMA_NLDEV_ATTR_STAT_COUNTER_ID];
	u32 qp_num, id = 0;
	int ret;

	if (!req->tb[RDMA_NLDEV_ATTR_RES_LQPN])
		return ofed_refuse(device, -EINVAL, "a binding without a QP");
	qp_num = nla_get_u32(req->tb[RDMA_NLDEV_ATTR_RES_LQPN]);
	if (counter) {
		id = nla_get_u32(counter);
		ret = ofed_counter_bind_qpn(device, req->port, qp_num, id);
	} else {
		ret = ofed_counter_bind_qpn_alloc(device, req->port, qp_num,
						  &id);
	}
	if (ret)
		return ret;
	ret = nldev_put_binding(msg, id, qp_num);
	if (ret)
		ofed_counter_unbind_qpn(device, req->port, qp_num, id);
	return ret;
}

static int nldev_set_mode(struct sk_buff *msg, struct ib_device *device,
			  const struct nldev_req *req)
{
	const struct nlattr *mask =
		req->tb[RDMA_NLDEV_ATTR_STAT_AUTO_MODE_MASK];

	if (!nldev_is_about_qps(req))
		return ofed_refuse(device, -EINVAL,
				   "a mode of statistics other than those of QPs");
	if (nla_get_u32(req->tb[RDMA_NLDEV_ATTR_STAT_MODE]) !=
	    RDMA_COUNTER_MODE_AUTO)
		return nldev_bind(msg, device, req);
	return ofed_counter_set_auto_mode(device, req->port,
					  mask ? nla_get_u32(mask) : 0,
					  compat_nl_opcnt(req->tb), req->extack);
}

static int nldev_set_and_put(struct sk_buff *msg, struct ib_device *device,
			     const struct nldev_req *req)
{
	const struct nlattr *optional =
		req->tb[RDMA_NLDEV_ATTR_STAT_HWCOUNTERS];
	const struct nlattr *mode = req->tb[RDMA_NLDEV_ATTR_STAT_MODE];
	int ret = 0;

	if (!ofed_nldev_has_port(req, device) || (!mode && !optional))
		return ofed_refuse(device, -EINVAL,
				   "statistics without a port, or without a mode or counters");
	if (ofed_nldev_put_port(msg, device, req->port))
		return -EMSGSIZE;
	if (mode)
		ret = nldev_set_mode(msg, device, req);
	if (!ret && optional)
		ret = ofed_nldev_set_optional(device, req->port, optional);
	return ret;
}

int ofed_nldev_stat_set(struct sk_buff *skb, struct nlmsghdr *nlh,
			struct netlink_ext_ack *extack)
{
	return ofed_nldev_reply_device(skb, nlh, extack, nldev_set_and_put);
}

static int nldev_unbind_and_put(struct sk_buff *msg, struct ib_device *device,
				const struct nldev_req *req)
{
	const struct nlattr *counter = req->tb[RDMA_NLDEV_ATTR_STAT_COUNTER_ID];
	const struct nlattr *number = req->tb[RDMA_NLDEV_ATTR_RES_LQPN];

	if (!ofed_nldev_has_port(req, device) || !nldev_is_about_qps(req) ||
	    !counter || !number)
		return ofed_refuse(device, -EINVAL,
				   "an unbinding without a port, a counter or a QP");
	if (ofed_nldev_put_port(msg, device, req->port) ||
	    nldev_put_binding(msg, nla_get_u32(counter), nla_get_u32(number)))
		return -EMSGSIZE;
	return ofed_counter_unbind_qpn(device, req->port, nla_get_u32(number),
				       nla_get_u32(counter));
}

int ofed_nldev_stat_del(struct sk_buff *skb, struct nlmsghdr *nlh,
			struct netlink_ext_ack *extack)
{
	return ofed_nldev_reply_device(skb, nlh, extack, nldev_unbind_and_put);
}
