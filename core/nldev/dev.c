// SPDX-License-Identifier: GPL-2.0
/* NLDEV: devices, their character devices, the summary of their objects. */
#include <linux/kdev_t.h>
#include <kunit/visibility.h>
#include <net/netlink.h>
#include <ofed/refuse.h>
#include <rdma/restrack.h>

#include "../device/device.h"
#include "../netns_move.h"
#include "nldev.h"

/* The name iproute2 knows; NULL if there is none. Told from the first port. */
static const char *nldev_protocol_of(struct ib_device *device)
{
	u32 port = rdma_start_port(device);

	if (rdma_protocol_roce(device, port))
		return "roce";
	if (rdma_protocol_iwarp(device, port))
		return "iw";
	if (rdma_protocol_usnic(device, port))
		return "usnic";
	if (!rdma_protocol_ib(device, port))
		return NULL;
	return rdma_cap_opa_mad(device, port) ? "opa" : "ib";
}

static int nldev_put_guids(struct sk_buff *msg, struct ib_device *device)
{
	u64 node = be64_to_cpu(device->node_guid);
	u64 image = be64_to_cpu(device->attrs.sys_image_guid);

	if (nla_put_u64_64bit(msg, RDMA_NLDEV_ATTR_NODE_GUID, node,
			      RDMA_NLDEV_ATTR_PAD) ||
	    nla_put_u64_64bit(msg, RDMA_NLDEV_ATTR_SYS_IMAGE_GUID, image,
			      RDMA_NLDEV_ATTR_PAD))
		return -EMSGSIZE;
	return 0;
}

static int nldev_put_firmware(struct sk_buff *msg, struct ib_device *device)
{
	char firmware[IB_FW_VERSION_NAME_MAX] = "";

	ib_get_device_fw_str(device, firmware);
	return *firmware ?
	       nla_put_string(msg, RDMA_NLDEV_ATTR_FW_VERSION, firmware) : 0;
}

static int nldev_put_protocol(struct sk_buff *msg, struct ib_device *device)
{
	const char *protocol = nldev_protocol_of(device);

	return protocol ?
	       nla_put_string(msg, RDMA_NLDEV_ATTR_DEV_PROTOCOL, protocol) : 0;
}

int ofed_nldev_put_device(struct sk_buff *msg, struct ib_device *device,
			  const struct nldev_req *req)
{
	/* PORT_INDEX is the number of ports here, and CAP_FLAGS 64 bits. */
	if (ofed_nldev_put_handle(msg, device) ||
	    nla_put_u32(msg, RDMA_NLDEV_ATTR_PORT_INDEX,
			rdma_end_port(device)) ||
	    nla_put_u64_64bit(msg, RDMA_NLDEV_ATTR_CAP_FLAGS,
			      device->attrs.device_cap_flags,
			      RDMA_NLDEV_ATTR_PAD) ||
	    nldev_put_firmware(msg, device) || nldev_put_guids(msg, device) ||
	    nla_put_u8(msg, RDMA_NLDEV_ATTR_DEV_NODE_TYPE, device->node_type) ||
	    nla_put_u8(msg, RDMA_NLDEV_ATTR_DEV_DIM, device->use_cq_dim) ||
	    compat_nl_put_subdev(msg, device) || nldev_put_protocol(msg, device))
		return -EMSGSIZE;
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(ofed_nldev_put_device);

int ofed_nldev_get(struct sk_buff *skb, struct nlmsghdr *nlh,
		   struct netlink_ext_ack *extack)
{
	return ofed_nldev_reply_device(skb, nlh, extack,
				       ofed_nldev_put_device);
}

int ofed_nldev_get_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return ofed_nldev_dump_devices(skb, cb, ofed_nldev_put_device);
}

static int nldev_set_name(struct ib_device *device, const struct nlattr *attr)
{
	char name[IB_DEVICE_NAME_MAX];

	nla_strscpy(name, attr, sizeof(name));
	return ofed_nldev_check_name(name) ?: ofed_device_rename(device, name);
}

static int nldev_set_dim(struct ib_device *device, u8 use_dim)
{
	if (use_dim > 1)
		return ofed_refuse(device, -EINVAL, "adaptive moderation: %u",
				   use_dim);
	ofed_device_set_dim(device, use_dim);
	return 0;
}

/* With a name, the device has that in the other namespace. The reference on it is put. */
static int nldev_set_netns_put(struct ib_device *device, struct sk_buff *skb,
			       const struct nldev_req *req)
{
	const struct nlattr *attr = req->tb[RDMA_NLDEV_ATTR_DEV_NAME];
	u32 fd = nla_get_u32(req->tb[RDMA_NLDEV_NET_NS_FD]);
	char name[IB_DEVICE_NAME_MAX];
	int ret;

	if (!attr)
		return ofed_device_set_netns_put(device, skb, fd, NULL);
	nla_strscpy(name, attr, sizeof(name));
	ret = ofed_nldev_check_name(name);
	if (!ret)
		return ofed_device_set_netns_put(device, skb, fd, name);
	ib_device_put(device);
	return ret;
}

/* One change a request, but for a move with a new name: the first that is there, as in tree. */
int ofed_nldev_set(struct sk_buff *skb, struct nlmsghdr *nlh,
		   struct netlink_ext_ack *extack)
{
	struct ib_device *device;
	struct nldev_req req;
	int ret = 0;

	device = ofed_nldev_parse_device(&req, skb, nlh, extack);
	if (IS_ERR(device))
		return PTR_ERR(device);

	if (req.tb[RDMA_NLDEV_NET_NS_FD]) {
		return nldev_set_netns_put(device, skb, &req);
	} else if (req.tb[RDMA_NLDEV_ATTR_DEV_NAME]) {
		ret = nldev_set_name(device, req.tb[RDMA_NLDEV_ATTR_DEV_NAME]);
	} else if (req.tb[RDMA_NLDEV_ATTR_DEV_DIM]) {
		ret = nldev_set_dim(device,
				    nla_get_u8(req.tb[RDMA_NLDEV_ATTR_DEV_DIM]));
	}
	ib_device_put(device);
	return ret;
}

static int nldev_put_chardev(struct sk_buff *msg, struct ib_device *device,
			     const struct nldev_req *req)
{
	char client[RDMA_NLDEV_ATTR_CHARDEV_TYPE_SIZE];
	struct ib_client_nl_info info = {
		.nl_msg = msg,
		.port = req->port == NLDEV_NO_PORT ? -1 : req->port,
	};
	int ret;

	nla_strscpy(client, req->tb[RDMA_NLDEV_ATTR_CHARDEV_TYPE],
		    sizeof(client));
	ret = ofed_client_nl_info(device, client, &info);
	if (ret)
		return ret == -ENOENT ? -EOPNOTSUPP : ret;
	if (nla_put_u64_64bit(msg, RDMA_NLDEV_ATTR_CHARDEV,
			      huge_encode_dev(info.cdev->devt),
			      RDMA_NLDEV_ATTR_PAD) ||
	    nla_put_u64_64bit(msg, RDMA_NLDEV_ATTR_CHARDEV_ABI, info.abi,
			      RDMA_NLDEV_ATTR_PAD) ||
	    nla_put_string(msg, RDMA_NLDEV_ATTR_CHARDEV_NAME,
			   dev_name(info.cdev)))
		ret = -EMSGSIZE;
	put_device(info.cdev);
	return ret;
}

int ofed_nldev_get_chardev(struct sk_buff *skb, struct nlmsghdr *nlh,
			   struct netlink_ext_ack *extack)
{
	struct ib_device *device;
	struct nldev_req req;
	int ret;

	if (ofed_nldev_parse(&req, skb, nlh, extack) ||
	    !req.tb[RDMA_NLDEV_ATTR_CHARDEV_TYPE])
		return ofed_refuse_call(-EINVAL,
					"nldev: a node without its type");
	/* Without a device: the one node of a client, which has no ports. */
	if (!req.tb[RDMA_NLDEV_ATTR_DEV_INDEX])
		return req.port == NLDEV_NO_PORT ?
		       ofed_nldev_reply(&req, NULL, nldev_put_chardev) :
		       ofed_refuse_call(-EINVAL, "nldev: a port without a device");

	device = ofed_nldev_device(&req);
	if (!device)
		return -EINVAL;
	if (req.port != NLDEV_NO_PORT && !rdma_is_port_valid(device, req.port))
		ret = ofed_refuse_port(device, req.port);
	else
		ret = ofed_nldev_reply(&req, device, nldev_put_chardev);
	ib_device_put(device);
	return ret;
}

/* Names that iproute2 shows; kinds that it does not know are not counted. */
static const struct {
	enum rdma_restrack_type type;
	const char *name;
} summary[] = {
	{ RDMA_RESTRACK_PD, "pd" },
	{ RDMA_RESTRACK_CQ, "cq" },
	{ RDMA_RESTRACK_QP, "qp" },
	{ RDMA_RESTRACK_CM_ID, "cm_id" },
	{ RDMA_RESTRACK_MR, "mr" },
	{ RDMA_RESTRACK_CTX, "ctx" },
	{ RDMA_RESTRACK_SRQ, "srq" },
};

/* The most that a device can have of a kind; 0 if it does not say. */
static u64 nldev_limit_of(const struct ib_device *device, enum rdma_restrack_type type)
{
	const struct ib_device_attr *attrs = &device->attrs;

	switch (type) {
	case RDMA_RESTRACK_PD:
		return max(attrs->max_pd, 0);
	case RDMA_RESTRACK_CQ:
		return max(attrs->max_cq, 0);
	case RDMA_RESTRACK_QP:
		return max(attrs->max_qp, 0);
	case RDMA_RESTRACK_MR:
		return max(attrs->max_mr, 0);
	case RDMA_RESTRACK_SRQ:
		return max(attrs->max_srq, 0);
	default:
		return 0;
	}
}

static int nldev_put_count(struct sk_buff *msg, const char *name, u64 count, u64 limit)
{
	struct nlattr *nest;

	nest = nla_nest_start_noflag(msg, RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY);
	if (!nest)
		return -EMSGSIZE;
	if (nla_put_string(msg, RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_NAME, name) ||
	    nla_put_u64_64bit(msg, RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_CURR,
			      count, RDMA_NLDEV_ATTR_PAD) ||
	    compat_nl_put_summary_max(msg, limit))
		return -EMSGSIZE;
	nla_nest_end(msg, nest);
	return 0;
}

/* On failure the caller drops the whole message, open nests with it. */
static int nldev_put_summary(struct sk_buff *msg, struct ib_device *device,
			     const struct nldev_req *req)
{
	enum rdma_restrack_type type;
	struct nlattr *nest;
	size_t i;

	if (ofed_nldev_put_handle(msg, device))
		return -EMSGSIZE;
	nest = nla_nest_start_noflag(msg, RDMA_NLDEV_ATTR_RES_SUMMARY);
	if (!nest)
		return -EMSGSIZE;
	for (i = 0; i < ARRAY_SIZE(summary); i++) {
		type = summary[i].type;
		if (nldev_put_count(msg, summary[i].name,
				    rdma_restrack_count(device, type, req->details),
				    nldev_limit_of(device, type)))
			return -EMSGSIZE;
	}
	nla_nest_end(msg, nest);
	return 0;
}

int ofed_nldev_res_get(struct sk_buff *skb, struct nlmsghdr *nlh,
		       struct netlink_ext_ack *extack)
{
	return ofed_nldev_reply_device(skb, nlh, extack, nldev_put_summary);
}

int ofed_nldev_res_get_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return ofed_nldev_dump_devices(skb, cb, nldev_put_summary);
}
