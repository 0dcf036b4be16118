// SPDX-License-Identifier: GPL-2.0
/* NLDEV: settings of the whole stack. */
#include <linux/export.h>
#include <net/netlink.h>
#include <ofed/nldev.h>
#include <ofed/refuse.h>

#include "../device/netns.h"
#include "nldev.h"

static bool privileged_qkey;

bool ofed_privileged_qkey_allowed(void)
{
	return READ_ONCE(privileged_qkey);
}
EXPORT_SYMBOL_GPL(ofed_privileged_qkey_allowed);

static int nldev_put_settings(struct sk_buff *msg, struct ib_device *device,
			      const struct nldev_req *req)
{
	if (nla_put_u8(msg, RDMA_NLDEV_SYS_ATTR_NETNS_MODE,
		       ofed_netns_is_shared()) ||
	    nla_put_u8(msg, RDMA_NLDEV_SYS_ATTR_PRIVILEGED_QKEY_MODE,
		       ofed_privileged_qkey_allowed()) ||
	    compat_nl_put_monitor(msg))
		return -EMSGSIZE;
	/* Pinned pages are copied at fork(), so ibv_fork_init() has no work. */
	return nla_put_u8(msg, RDMA_NLDEV_SYS_ATTR_COPY_ON_FORK, 1);
}

int ofed_nldev_sys_get(struct sk_buff *skb, struct nlmsghdr *nlh,
		       struct netlink_ext_ack *extack)
{
	struct nldev_req req;
	int ret;

	ret = ofed_nldev_parse(&req, skb, nlh, extack);
	return ret ?: ofed_nldev_reply(&req, NULL, nldev_put_settings);
}

/* One change a request: the first that is there, as in tree. */
int ofed_nldev_sys_set(struct sk_buff *skb, struct nlmsghdr *nlh,
		       struct netlink_ext_ack *extack)
{
	const struct nlattr *netns, *qkey;
	struct nldev_req req;

	if (ofed_nldev_parse(&req, skb, nlh, extack))
		return -EINVAL;
	netns = req.tb[RDMA_NLDEV_SYS_ATTR_NETNS_MODE];
	qkey = req.tb[RDMA_NLDEV_SYS_ATTR_PRIVILEGED_QKEY_MODE];
	if (!netns && !qkey)
		return ofed_refuse_call(-EINVAL, "nldev: nothing to set");
	/* A longer number is not what it seems. */
	if (nla_len(netns ?: qkey) != sizeof(u8) ||
	    nla_get_u8(netns ?: qkey) > 1)
		return ofed_refuse_call(-EINVAL, "nldev: a mode is 0 or 1");
	if (netns)
		return ofed_netns_set_shared(nla_get_u8(netns));
	WRITE_ONCE(privileged_qkey, nla_get_u8(qkey));
	return 0;
}
