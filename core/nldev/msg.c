// SPDX-License-Identifier: GPL-2.0
/* NLDEV: requests and replies, as all ops have them. */
#include <linux/string.h>
#include <compat/counter.h>
#include <kunit/visibility.h>
#include <net/netlink.h>
#include <net/sock.h>
#include <ofed/refuse.h>

#include "../device/device.h"
#include "nldev.h"

/*
 * What a request may carry. Attributes that only replies have are not looked
 * at, so they need no entry. A string's length is without its NUL; a name that is
 * one too long is cut, as it always was.
 */
static const struct nla_policy policy[RDMA_NLDEV_ATTR_MAX] = {
	/* which device and port */
	[RDMA_NLDEV_ATTR_DEV_INDEX] = { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_PORT_INDEX] = { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_DRIVER_DETAILS] = { .type = NLA_U8 },
	/* SET */
	[RDMA_NLDEV_ATTR_DEV_DIM] = { .type = NLA_U8 },
	[RDMA_NLDEV_NET_NS_FD] = { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_DEV_NAME] = {
		.type = NLA_NUL_STRING, .len = IB_DEVICE_NAME_MAX },
	/* NEWLINK */
	[RDMA_NLDEV_ATTR_LINK_TYPE] = {
		.type = NLA_NUL_STRING, .len = IFNAMSIZ - 1 },
	[RDMA_NLDEV_ATTR_NDEV_NAME] = {
		.type = NLA_NUL_STRING, .len = IFNAMSIZ - 1 },
	/* GET_CHARDEV */
	[RDMA_NLDEV_ATTR_CHARDEV_TYPE] = {
		.type = NLA_NUL_STRING,
		.len = RDMA_NLDEV_ATTR_CHARDEV_TYPE_SIZE - 1 },
	/* NEWDEV */
	COMPAT_SUBDEV([RDMA_NLDEV_ATTR_DEV_TYPE] = { .type = NLA_U8 })
	/* RES_*_GET */
	[RDMA_NLDEV_ATTR_RES_LQPN] = { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_RES_CM_IDN] = { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_RES_CQN] = { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_RES_MRN] = { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_RES_PDN] = { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_RES_CTXN] = { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_RES_SRQN] = { .type = NLA_U32 },
	/* STAT_GET, STAT_SET, STAT_DEL */
	[RDMA_NLDEV_ATTR_STAT_RES] = { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_STAT_MODE] = { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_STAT_AUTO_MODE_MASK] = { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_STAT_COUNTER_ID] = { .type = NLA_U32 },
	COMPAT_NL_OPCNT_POLICY
	[RDMA_NLDEV_ATTR_STAT_HWCOUNTERS] = { .type = NLA_NESTED },
	/* FRMR_POOLS_SET */
	COMPAT_FRMR([RDMA_NLDEV_ATTR_FRMR_POOLS_AGING_PERIOD] = { .type = NLA_U32 })
	COMPAT_FRMR([RDMA_NLDEV_ATTR_FRMR_POOL_PINNED_HANDLES] = { .type = NLA_U32 })
	COMPAT_FRMR([RDMA_NLDEV_ATTR_FRMR_POOL_KEY] = NLA_POLICY_NESTED(ofed_nldev_frmr_key))
	/* SYS_SET */
	[RDMA_NLDEV_SYS_ATTR_NETNS_MODE] = { .type = NLA_U8 },
	[RDMA_NLDEV_SYS_ATTR_PRIVILEGED_QKEY_MODE] = { .type = NLA_U8 },
};

int ofed_nldev_parse(struct nldev_req *req, const struct sk_buff *skb,
		     const struct nlmsghdr *nlh, struct netlink_ext_ack *extack)
{
	const struct nlattr *port, *details;

	req->net = sock_net(skb->sk);
	req->portid = NETLINK_CB(skb).portid;
	req->nlh = nlh;
	req->extack = extack;
	req->admin = netlink_capable(skb, CAP_NET_ADMIN);
	/* Old tools do not mark nests, so not strict. */
	if (nlmsg_parse_deprecated(nlh, 0, req->tb, RDMA_NLDEV_ATTR_MAX - 1,
				   policy, extack))
		return ofed_refuse_call(-EINVAL, "nldev: op %u is malformed",
					nlh->nlmsg_type);
	port = req->tb[RDMA_NLDEV_ATTR_PORT_INDEX];
	req->port = port ? nla_get_u32(port) : NLDEV_NO_PORT;
	details = req->tb[RDMA_NLDEV_ATTR_DRIVER_DETAILS];
	req->details = details && nla_get_u8(details);
	return 0;
}

int ofed_nldev_check_strict(const struct nlmsghdr *nlh, struct netlink_ext_ack *extack)
{
	return __nla_validate(nlmsg_attrdata(nlh, 0), nlmsg_attrlen(nlh, 0),
			      RDMA_NLDEV_ATTR_MAX - 1, policy,
			      NL_VALIDATE_STRICT & ~NL_VALIDATE_UNSPEC, extack);
}

struct ib_device *ofed_nldev_device(const struct nldev_req *req)
{
	const struct nlattr *index = req->tb[RDMA_NLDEV_ATTR_DEV_INDEX];

	struct ib_device *device;

	if (!index)
		return ofed_refuse_call(NULL, "nldev: op %u without an index of a device",
					req->nlh->nlmsg_type);
	device = ofed_device_get_by_index(req->net, nla_get_u32(index));
	return device ?: ofed_refuse_call(NULL, "nldev: there is no device %u here",
					  nla_get_u32(index));
}

struct ib_device *ofed_nldev_parse_device(struct nldev_req *req,
					  const struct sk_buff *skb,
					  const struct nlmsghdr *nlh,
					  struct netlink_ext_ack *extack)
{
	int ret = ofed_nldev_parse(req, skb, nlh, extack);

	if (ret)
		return ERR_PTR(ret);
	return ofed_nldev_device(req) ?: ERR_PTR(-EINVAL);
}

int ofed_nldev_put_part(struct sk_buff *skb, struct ib_device *device,
			const struct nldev_req *req, nldev_fill fill)
{
	struct nlmsghdr *nlh;
	int ret;

	nlh = nlmsg_put(skb, req->portid, req->nlh->nlmsg_seq,
			req->nlh->nlmsg_type, 0, NLM_F_MULTI);
	if (!nlh)
		return -EMSGSIZE;
	ret = fill(skb, device, req);
	if (ret)
		nlmsg_cancel(skb, nlh);
	else
		nlmsg_end(skb, nlh);
	return ret;
}

int ofed_nldev_reply(const struct nldev_req *req, struct ib_device *device,
		     nldev_fill fill)
{
	struct sk_buff *msg;
	struct nlmsghdr *nlh;
	int ret;

	msg = nlmsg_new(NLMSG_DEFAULT_SIZE, GFP_KERNEL);
	if (!msg)
		return -ENOMEM;
	/* A reply has the type of its request. */
	nlh = nlmsg_put(msg, req->portid, req->nlh->nlmsg_seq,
			req->nlh->nlmsg_type, 0, 0);
	if (!nlh) {
		ret = -EMSGSIZE;
		goto err_msg;
	}
	ret = fill(msg, device, req);
	if (ret)
		goto err_msg;
	nlmsg_end(msg, nlh);
	return rdma_nl_unicast(req->net, msg, req->portid);

err_msg:
	nlmsg_free(msg);
	return ret;
}

int ofed_nldev_reply_device(struct sk_buff *skb, struct nlmsghdr *nlh,
			    struct netlink_ext_ack *extack, nldev_fill fill)
{
	struct ib_device *device;
	struct nldev_req req;
	int ret;

	device = ofed_nldev_parse_device(&req, skb, nlh, extack);
	if (IS_ERR(device))
		return PTR_ERR(device);
	ret = ofed_nldev_reply(&req, device, fill);
	ib_device_put(device);
	return ret;
}

/* Where a dump goes on: kept in netlink_callback.ctx between its parts. */
struct dump_state {
	u32 next_index;
};

struct dump_walk {
	struct sk_buff *skb;
	struct dump_state *state;
	struct nldev_req *req;
	nldev_fill fill;
};

static int nldev_dump_device(struct ib_device *device, void *ctx)
{
	struct dump_walk *walk = ctx;
	int ret;

	if (device->index < walk->state->next_index ||
	    !rdma_dev_access_netns(device, walk->req->net))
		return 0;
	ret = ofed_nldev_put_part(walk->skb, device, walk->req, walk->fill);
	if (ret)
		return ret;
	walk->state->next_index = device->index + 1;
	return 0;
}

int ofed_nldev_dump_devices(struct sk_buff *skb, struct netlink_callback *cb,
			    nldev_fill fill)
{
	struct nldev_req req;
	struct dump_walk walk = {
		.skb = skb,
		.state = (struct dump_state *)cb->ctx,
		.req = &req,
		.fill = fill,
	};
	int ret;

	BUILD_BUG_ON(sizeof(struct dump_state) > sizeof(cb->ctx));
	ret = ofed_nldev_parse(&req, cb->skb, cb->nlh, cb->extack);
	if (ret)
		return ret;
	req.net = sock_net(skb->sk);
	ret = ofed_for_each_device(nldev_dump_device, &walk);
	/* A full part is not the end: another call brings the next one. */
	return skb->len ? skb->len : ret;
}

int ofed_nldev_put_handle(struct sk_buff *msg, struct ib_device *device)
{
	char name[IB_DEVICE_NAME_MAX];

	/* A rename may be under way; the array at least stays where it is. */
	strscpy(name, device->name, sizeof(name));
	if (nla_put_u32(msg, RDMA_NLDEV_ATTR_DEV_INDEX, device->index) ||
	    nla_put_string(msg, RDMA_NLDEV_ATTR_DEV_NAME, name))
		return -EMSGSIZE;
	return 0;
}

int ofed_nldev_put_port(struct sk_buff *msg, struct ib_device *device, u32 port)
{
	return ofed_nldev_put_handle(msg, device) ?:
	       nla_put_u32(msg, RDMA_NLDEV_ATTR_PORT_INDEX, port);
}

/* It becomes a directory in sysfs. */
int ofed_nldev_check_name(const char *name)
{
	if (!*name || strchr(name, '/') || !strcmp(name, ".") ||
	    !strcmp(name, ".."))
		return ofed_refuse_call(-EINVAL,
					"nldev: %s is no name of a device",
					name);
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(ofed_nldev_check_name);

int ofed_nldev_check_link_name(const char *name)
{
	if (strchr(name, '%'))
		return ofed_refuse_call(-EINVAL, "nldev: %s is a pattern", name);
	return ofed_nldev_check_name(name);
}
EXPORT_SYMBOL_IF_KUNIT(ofed_nldev_check_link_name);
