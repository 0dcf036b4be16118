// SPDX-License-Identifier: GPL-2.0
/* NLDEV: parts of devices, added and deleted. */
#include <net/netlink.h>
#include <ofed/refuse.h>

#include "nldev.h"

int ofed_nldev_newdev(struct sk_buff *skb, struct nlmsghdr *nlh,
		      struct netlink_ext_ack *extack)
{
	char name[IB_DEVICE_NAME_MAX];
	struct ib_device *parent;
	struct nldev_req req;
	int ret;
	u8 type;

	parent = ofed_nldev_parse_device(&req, skb, nlh, extack);
	if (IS_ERR(parent))
		return PTR_ERR(parent);
	if (req.tb[RDMA_NLDEV_ATTR_DEV_NAME] &&
	    req.tb[RDMA_NLDEV_ATTR_DEV_TYPE]) {
		nla_strscpy(name, req.tb[RDMA_NLDEV_ATTR_DEV_NAME],
			    sizeof(name));
		ret = ofed_nldev_check_link_name(name);
		if (ret)
			goto out;
		type = nla_get_u8(req.tb[RDMA_NLDEV_ATTR_DEV_TYPE]);
		ret = ib_add_sub_device(parent, type, name);
	} else {
		ret = ofed_refuse(parent, -EINVAL, "a part of a device without a name or a type");
	}
out:
	ib_device_put(parent);
	return ret;
}

int ofed_nldev_deldev(struct sk_buff *skb, struct nlmsghdr *nlh,
		      struct netlink_ext_ack *extack)
{
	struct ib_device *sub;
	struct nldev_req req;

	sub = ofed_nldev_parse_device(&req, skb, nlh, extack);
	if (IS_ERR(sub))
		return PTR_ERR(sub);
	return ib_del_sub_device_and_put(sub);
}
