// SPDX-License-Identifier: GPL-2.0
/* NLDEV: ports, and the links of software devices. */
#include <linux/kmod.h>
#include <linux/netdevice.h>
#include <linux/rculist.h>
#include <linux/srcu.h>
#include <kunit/visibility.h>
#include <net/netlink.h>
#include <net/sock.h>
#include <ofed/refuse.h>

#include "nldev.h"

/* Guards link_types (writers). */
static DEFINE_MUTEX(link_types_lock);
/*
 * Read side of link_types, also around nldev_newlink(), which may sleep for long:
 * unregistering a type waits for it. It is not held while a module is loaded,
 * since the module's init registers a type.
 */
DEFINE_STATIC_SRCU(link_types_srcu);
static LIST_HEAD(link_types);
/* A driver hears that a link goes from one thread at a time. */
static DEFINE_MUTEX(dellink_mutex);

static struct rdma_link_ops *nldev_find_link_type(const char *type)
{
	struct rdma_link_ops *ops;

	list_for_each_entry_srcu(ops, &link_types, list,
				 srcu_read_lock_held(&link_types_srcu) ||
				 lockdep_is_held(&link_types_lock))
		if (!strcmp(ops->type, type))
			return ops;
	return NULL;
}

/**
 * rdma_link_register - offer "rdma link add ... type ..."
 * @ops: the type's name and nldev_newlink(); valid until rdma_link_unregister()
 *
 * A name that is taken is a bug of the caller. Context: process, may sleep.
 */
void rdma_link_register(struct rdma_link_ops *ops)
{
	mutex_lock(&link_types_lock);
	if (!WARN_ON(nldev_find_link_type(ops->type)))
		list_add_rcu(&ops->list, &link_types);
	mutex_unlock(&link_types_lock);
}
OFED_EXPORT(rdma_link_register);

/**
 * rdma_link_unregister - take a type of link back
 * @ops: registered type
 *
 * Returns when no nldev_newlink() is running. Context: process, may sleep; not from
 * within nldev_newlink().
 */
void rdma_link_unregister(struct rdma_link_ops *ops)
{
	mutex_lock(&link_types_lock);
	list_del_rcu(&ops->list);
	mutex_unlock(&link_types_lock);
	synchronize_srcu(&link_types_srcu);
}
OFED_EXPORT(rdma_link_unregister);

/* False when no such type is registered; @result is what the driver returned. */
static bool nldev_try_newlink(const char *type, const char *name,
			      struct net_device *ndev, int *result)
{
	struct rdma_link_ops *ops;
	int idx;

	idx = srcu_read_lock(&link_types_srcu);
	ops = nldev_find_link_type(type);
	if (ops)
		*result = ops->newlink(name, ndev);
	srcu_read_unlock(&link_types_srcu, idx);
	return ops;
}

/* nldev_newlink() has no extack: what its errno means here. */
static void nldev_explain_newlink(int err, struct netlink_ext_ack *extack)
{
	switch (err) {
	case -EINVAL:
		NL_SET_ERR_MSG(extack,
			       "The interface cannot carry a link of this type");
		break;
	case -EEXIST:
		NL_SET_ERR_MSG(extack,
			       "The interface has a link of this type already");
		break;
	case -ENFILE:
		NL_SET_ERR_MSG(extack, "A device of this name exists");
		break;
	case -EADDRINUSE:
		NL_SET_ERR_MSG(extack,
			       "UDP port 4791 is in use, perhaps by rdma_rxe");
		break;
	}
}

static int nldev_newlink(const char *type, const char *name, struct net_device *ndev,
			 struct netlink_ext_ack *extack)
{
	int ret;

	if (!nldev_try_newlink(type, name, ndev, &ret)) {
		request_module("rdma-link-%s", type);
		if (!nldev_try_newlink(type, name, ndev, &ret)) {
			NL_SET_ERR_MSG(extack,
				       "Unknown link type, or its module may not be loaded (see dmesg)");
			return -EINVAL;
		}
	}
	nldev_explain_newlink(ret, extack);
	return ret;
}

int ofed_nldev_newlink(struct sk_buff *skb, struct nlmsghdr *nlh,
		       struct netlink_ext_ack *extack)
{
	char name[IB_DEVICE_NAME_MAX], netdev[IFNAMSIZ], type[IFNAMSIZ];
	struct net_device *ndev;
	struct nldev_req req;
	int ret;

	if (ofed_nldev_parse(&req, skb, nlh, extack) ||
	    !req.tb[RDMA_NLDEV_ATTR_NDEV_NAME] ||
	    !req.tb[RDMA_NLDEV_ATTR_LINK_TYPE] ||
	    !req.tb[RDMA_NLDEV_ATTR_DEV_NAME])
		return ofed_refuse_call(-EINVAL,
					"nldev: a link without a name, a type or an interface");
	nla_strscpy(name, req.tb[RDMA_NLDEV_ATTR_DEV_NAME], sizeof(name));
	ret = ofed_nldev_check_link_name(name);
	if (ret) {
		NL_SET_ERR_MSG(extack, "Not a name for a device");
		return ret;
	}
	nla_strscpy(netdev, req.tb[RDMA_NLDEV_ATTR_NDEV_NAME], sizeof(netdev));
	nla_strscpy(type, req.tb[RDMA_NLDEV_ATTR_LINK_TYPE], sizeof(type));

	ndev = dev_get_by_name(req.net, netdev);
	if (!ndev) {
		NL_SET_ERR_MSG(extack,
			       "No such interface in this network namespace");
		return -ENODEV;
	}
	ret = nldev_newlink(type, name, ndev, extack);
	dev_put(ndev);
	return ret;
}

int ofed_nldev_dellink(struct sk_buff *skb, struct nlmsghdr *nlh,
		       struct netlink_ext_ack *extack)
{
	struct ib_device *device;
	struct nldev_req req;
	int ret;

	device = ofed_nldev_parse_device(&req, skb, nlh, extack);
	if (IS_ERR(device))
		return PTR_ERR(device);
	/* A device with hardware comes and goes with its bus. */
	if (!(device->attrs.kernel_cap_flags & IBK_ALLOW_USER_UNREG)) {
		ret = ofed_refuse(device, -EINVAL,
				  "the device is not of a link");
		ib_device_put(device);
		return ret;
	}
	mutex_lock(&dellink_mutex);
	ret = compat_link_dellink(device);
	mutex_unlock(&dellink_mutex);
	if (ret) {
		ib_device_put(device);
		return ret;
	}
	ib_unregister_device_and_put(device);
	return 0;
}

/* What an InfiniBand port has beyond a state. */
static int nldev_put_ib_port(struct sk_buff *msg, const struct ib_port_attr *attr)
{
	u64 caps = attr->port_cap_flags | (u64)attr->port_cap_flags2 << 32;

	if (nla_put_u64_64bit(msg, RDMA_NLDEV_ATTR_CAP_FLAGS, caps,
			      RDMA_NLDEV_ATTR_PAD) ||
	    nla_put_u64_64bit(msg, RDMA_NLDEV_ATTR_SUBNET_PREFIX,
			      attr->subnet_prefix, RDMA_NLDEV_ATTR_PAD) ||
	    nla_put_u32(msg, RDMA_NLDEV_ATTR_LID, attr->lid) ||
	    nla_put_u32(msg, RDMA_NLDEV_ATTR_SM_LID, attr->sm_lid) ||
	    nla_put_u8(msg, RDMA_NLDEV_ATTR_LMC, attr->lmc))
		return -EMSGSIZE;
	return 0;
}

int ofed_nldev_put_port_attr(struct sk_buff *msg, struct ib_device *device,
			     u32 port, const struct ib_port_attr *attr)
{
	if (ofed_nldev_put_port(msg, device, port))
		return -EMSGSIZE;
	if (rdma_protocol_ib(device, port) && nldev_put_ib_port(msg, attr))
		return -EMSGSIZE;
	if (nla_put_u8(msg, RDMA_NLDEV_ATTR_PORT_STATE, attr->state) ||
	    nla_put_u8(msg, RDMA_NLDEV_ATTR_PORT_PHYS_STATE, attr->phys_state))
		return -EMSGSIZE;
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(ofed_nldev_put_port_attr);

/* A netdev of another namespace is none of the asker's business. */
int ofed_nldev_put_netdev(struct sk_buff *msg, struct ib_device *device,
			  u32 port, const struct net *net)
{
	struct net_device *ndev = ib_device_get_netdev(device, port);
	char name[IFNAMSIZ];
	int ret = 0;

	if (!ndev)
		return 0;
	if (net_eq(dev_net(ndev), net)) {
		/* The array stays where it is while the netdev is renamed. */
		strscpy(name, ndev->name, sizeof(name));
		if (nla_put_u32(msg, RDMA_NLDEV_ATTR_NDEV_INDEX,
				ndev->ifindex) ||
		    nla_put_string(msg, RDMA_NLDEV_ATTR_NDEV_NAME, name))
			ret = -EMSGSIZE;
	}
	dev_put(ndev);
	return ret;
}

static int nldev_put_port(struct sk_buff *msg, struct ib_device *device,
			  const struct nldev_req *req)
{
	struct ib_port_attr attr;
	int ret;

	if (!ofed_nldev_has_port(req, device))
		return ofed_refuse_port(device, req->port);
	ret = ib_query_port(device, req->port, &attr);
	if (ret)
		return ret;
	ret = ofed_nldev_put_port_attr(msg, device, req->port, &attr);
	if (ret)
		return ret;
	return ofed_nldev_put_netdev(msg, device, req->port, req->net);
}

int ofed_nldev_port_get(struct sk_buff *skb, struct nlmsghdr *nlh,
			struct netlink_ext_ack *extack)
{
	return ofed_nldev_reply_device(skb, nlh, extack, nldev_put_port);
}

/* Where a dump of ports goes on: kept in netlink_callback.ctx. */
struct port_dump {
	u32 ports_done;
};

/* All ports of the device that DEV_INDEX names. */
int ofed_nldev_port_get_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct port_dump *state = (struct port_dump *)cb->ctx;
	struct ib_device *device;
	struct nldev_req req;
	int ret;

	BUILD_BUG_ON(sizeof(*state) > sizeof(cb->ctx));
	ret = ofed_nldev_parse(&req, cb->skb, cb->nlh, cb->extack);
	if (ret)
		return ret;
	req.net = sock_net(skb->sk);
	device = ofed_nldev_device(&req);
	if (!device)
		return -EINVAL;

	while (!ret) {
		req.port = (u64)rdma_start_port(device) + state->ports_done;
		if (req.port > rdma_end_port(device))
			break;
		ret = ofed_nldev_put_part(skb, device, &req, nldev_put_port);
		if (!ret)
			state->ports_done++;
	}
	ib_device_put(device);
	return skb->len ? skb->len : ret;
}
