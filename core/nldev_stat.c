// SPDX-License-Identifier: GPL-2.0
/* NLDEV: counters, as 'rdma statistic' shows them. */
#include <net/netlink.h>

#include "nldev.h"
#include "sysfs.h"

/* Counters that are optional and off have nothing to tell. */
static int put_counters(struct sk_buff *msg, const struct rdma_hw_stats *stats)
{
	struct nlattr *table;
	int i, ret;

	lockdep_assert_held(&stats->lock);
	table = nla_nest_start(msg, RDMA_NLDEV_ATTR_STAT_HWCOUNTERS);
	if (!table)
		return -EMSGSIZE;
	for (i = 0; i < stats->num_counters; i++) {
		if (test_bit(i, stats->is_disabled))
			continue;
		ret = rdma_nl_stat_hwcounter_entry(msg, stats->descs[i].name,
						   stats->value[i]);
		if (ret)
			return ret;
	}
	nla_nest_end(msg, table);
	return 0;
}

static int put_port_stats(struct sk_buff *msg, struct ib_device *device,
			  const struct nldev_ask *ask)
{
	struct rdma_hw_stats *stats;
	int ret;

	if (ask->port == NLDEV_NO_PORT || !rdma_is_port_valid(device, ask->port))
		return -EINVAL;
	stats = ofed_hw_stats_of_port(device, ask->port);
	if (!stats)
		return -EINVAL;
	if (ofed_nldev_put_handle(msg, device) ||
	    nla_put_u32(msg, RDMA_NLDEV_ATTR_PORT_INDEX, ask->port))
		return -EMSGSIZE;

	mutex_lock(&stats->lock);
	ret = ofed_hw_stats_refresh(device, stats, ask->port, 0);
	if (!ret)
		ret = put_counters(msg, stats);
	mutex_unlock(&stats->lock);
	return ret;
}

/*
 * The counters of a port. Those of single QPs are asked for by STAT_RES, and
 * no QP is bound to a counter of its own.
 */
int ofed_nldev_stat_get(struct sk_buff *skb, struct nlmsghdr *nlh,
			struct netlink_ext_ack *extack)
{
	struct ib_device *device;
	struct nldev_ask ask;
	int ret = -EINVAL;

	device = ofed_nldev_parse_device(&ask, skb, nlh, extack);
	if (IS_ERR(device))
		return PTR_ERR(device);
	if (!ask.tb[RDMA_NLDEV_ATTR_STAT_RES])
		ret = ofed_nldev_answer(&ask, device, put_port_stats);
	ib_device_put(device);
	return ret;
}
