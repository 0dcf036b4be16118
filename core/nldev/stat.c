// SPDX-License-Identifier: GPL-2.0
/* NLDEV: counters of ports, as 'rdma statistic' shows them. */
#include <linux/bitmap.h>
#include <net/netlink.h>
#include <ofed/refuse.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_counter.h>

#include "nldev.h"
#include "../sysfs/sysfs.h"
#include "../track/counters.h"

/* Tell the port that @req is about. Return: its counters, or an ERR_PTR. */
static struct rdma_hw_stats *nldev_stat_put_port(struct sk_buff *msg,
						 struct ib_device *device,
						 const struct nldev_req *req)
{
	struct rdma_hw_stats *stats;

	if (!ofed_nldev_has_port(req, device))
		return ERR_PTR(ofed_refuse_port(device, req->port));
	stats = ofed_hw_stats_of_port(device, req->port);
	if (!stats)
		return ofed_refuse(device, ERR_PTR(-EINVAL),
				   "port %llu has no counters", req->port);
	if (ofed_nldev_put_port(msg, device, req->port))
		return ERR_PTR(-EMSGSIZE);
	return stats;
}

/*
 * Counters that are optional and off have nothing to tell. With @port, what QP
 * counters of the port have counted is added: the driver leaves that out.
 */
int ofed_nldev_put_hwstats(struct sk_buff *msg, struct ib_device *device,
			   const struct rdma_hw_stats *stats, u32 port)
{
	struct nlattr *table;
	u64 value;
	int i;

	table = nla_nest_start(msg, RDMA_NLDEV_ATTR_STAT_HWCOUNTERS);
	if (!table)
		return -EMSGSIZE;
	for (i = 0; i < stats->num_counters; i++) {
		if (test_bit(i, stats->is_disabled))
			continue;
		value = stats->value[i];
		if (port)
			value += ofed_counter_get_hwstat_value(device, port, i);
		if (rdma_nl_stat_hwcounter_entry(msg, stats->descs[i].name,
						 value))
			goto err_table;
	}
	nla_nest_end(msg, table);
	return 0;

err_table:
	nla_nest_cancel(msg, table);
	return -EMSGSIZE;
}

static int nldev_put_port_stats(struct sk_buff *msg, struct ib_device *device,
				const struct nldev_req *req)
{
	struct rdma_hw_stats *stats = nldev_stat_put_port(msg, device, req);
	int ret;

	if (IS_ERR(stats))
		return PTR_ERR(stats);
	mutex_lock(&stats->lock);
	ret = ofed_hw_stats_refresh(device, stats, req->port,
				    stats->num_counters);
	if (!ret)
		ret = ofed_nldev_put_hwstats(msg, device, stats, req->port);
	mutex_unlock(&stats->lock);
	return ret;
}

/* The counters of a port, or with STAT_RES those of its objects. */
int ofed_nldev_stat_get(struct sk_buff *skb, struct nlmsghdr *nlh,
			struct netlink_ext_ack *extack)
{
	struct nldev_req req;
	int ret;

	ret = ofed_nldev_parse(&req, skb, nlh, extack);
	if (ret)
		return ret;
	if (req.tb[RDMA_NLDEV_ATTR_STAT_RES])
		return ofed_nldev_stat_get_res(skb, nlh, extack, &req);
	return ofed_nldev_reply_device(skb, nlh, extack, nldev_put_port_stats);
}

/* The name of a counter, and whether it is on if that can be chosen. */
static int nldev_put_status(struct sk_buff *msg, const struct rdma_hw_stats *stats,
			    int index)
{
	const struct rdma_stat_desc *desc = &stats->descs[index];
	struct nlattr *nest;

	nest = nla_nest_start(msg, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY);
	if (!nest)
		return -EMSGSIZE;
	if (nla_put_string(msg, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_NAME,
			   desc->name) ||
	    nla_put_u32(msg, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_INDEX, index) ||
	    (desc->flags & IB_STAT_FLAG_OPTIONAL &&
	     nla_put_u8(msg, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_DYNAMIC,
			!test_bit(index, stats->is_disabled)))) {
		nla_nest_cancel(msg, nest);
		return -EMSGSIZE;
	}
	nla_nest_end(msg, nest);
	return 0;
}

static int nldev_put_port_status(struct sk_buff *msg, struct ib_device *device,
				 const struct nldev_req *req)
{
	struct rdma_hw_stats *stats = nldev_stat_put_port(msg, device, req);
	struct nlattr *table;
	int ret = 0;
	int i;

	if (IS_ERR(stats))
		return PTR_ERR(stats);
	table = nla_nest_start(msg, RDMA_NLDEV_ATTR_STAT_HWCOUNTERS);
	if (!table)
		return -EMSGSIZE;
	mutex_lock(&stats->lock);
	for (i = 0; !ret && i < stats->num_counters; i++)
		ret = nldev_put_status(msg, stats, i);
	mutex_unlock(&stats->lock);
	nla_nest_end(msg, table);
	return ret;
}

int ofed_nldev_stat_status(struct sk_buff *skb, struct nlmsghdr *nlh,
			   struct netlink_ext_ack *extack)
{
	return ofed_nldev_reply_device(skb, nlh, extack, nldev_put_port_status);
}

static int nldev_read_optional(const struct rdma_hw_stats *stats,
			       const struct nlattr *table, unsigned long *wanted)
{
	struct nlattr *entry;
	u32 index;
	int rest;

	nla_for_each_nested(entry, table, rest) {
		if (nla_len(entry) < sizeof(u32))
			return ofed_refuse_call(-EINVAL,
						"nldev: an index of a counter of %d bytes",
						nla_len(entry));
		index = nla_get_u32(entry);
		if (index >= stats->num_counters ||
		    !(stats->descs[index].flags & IB_STAT_FLAG_OPTIONAL))
			return ofed_refuse_call(-EINVAL,
						"nldev: counter %u is not optional",
						index);
		__set_bit(index, wanted);
	}
	return 0;
}

/* The optional counters of @port that @table has are to be on, others off. */
int ofed_nldev_set_optional(struct ib_device *device, u32 port,
			    const struct nlattr *table)
{
	struct rdma_hw_stats *stats = ofed_hw_stats_of_port(device, port);
	unsigned long *wanted;
	int ret, i;

	/* Tools that know this one mark their nests. */
	if (!stats || !(table->nla_type & NLA_F_NESTED))
		return ofed_refuse(device, -EINVAL,
				   "port %u has no counters, or their list is no nest",
				   port);
	wanted = bitmap_zalloc(stats->num_counters, GFP_KERNEL);
	if (!wanted)
		return -ENOMEM;
	ret = nldev_read_optional(stats, table, wanted);
	for (i = 0; !ret && i < stats->num_counters; i++)
		if (stats->descs[i].flags & IB_STAT_FLAG_OPTIONAL)
			ret = ofed_counter_modify(device, port, i,
						  test_bit(i, wanted));
	bitmap_free(wanted);
	return ret;
}
