// SPDX-License-Identifier: GPL-2.0
/* NLDEV: events of devices, for listeners of RDMA_NL_GROUP_NOTIFY. */
#include <linux/netdevice.h>
#include <net/netlink.h>
#include <rdma/rdma_netlink.h>

#include "../device/device.h"
#include "nldev.h"

static int nldev_put_event(struct sk_buff *msg, struct ib_device *device, u32 port,
			   enum rdma_nl_notify_event_type type, const struct net *net)
{
	int ret = ofed_nldev_put_handle(msg, device);

	if (ret)
		return ret;
	if (type == RDMA_NETDEV_ATTACH_EVENT || type == RDMA_NETDEV_DETACH_EVENT ||
	    compat_nl_is_netdev_rename(type)) {
		ret = nla_put_u32(msg, RDMA_NLDEV_ATTR_PORT_INDEX, port) ?:
		      ofed_nldev_put_netdev(msg, device, port, net);
		if (ret)
			return ret;
	}
	return nla_put_u8(msg, RDMA_NLDEV_ATTR_EVENT_TYPE, type);
}

/* With a reference; NULL when it ends, and the device is about to leave it. */
static struct net *nldev_net_of(struct ib_device *device)
{
	struct net *net;

	rcu_read_lock();
	net = maybe_get_net(read_pnet(&device->coredev.rdma_net));
	rcu_read_unlock();
	return net;
}

/**
 * rdma_nl_notify_event - tell listeners what happened to a device
 * @ib: the device
 * @port_num: port that it happened to; 0 for the device as a whole
 * @type: what happened
 *
 * Listeners of the namespace that the device is in hear of it. Context:
 * process, may sleep.
 * Return: 0, also without a listener; -ENOMEM, -EMSGSIZE, or an errno of
 * rdma_nl_multicast().
 */
int rdma_nl_notify_event(struct ib_device *ib, u32 port_num,
			 enum rdma_nl_notify_event_type type)
{
	struct net *net = nldev_net_of(ib);
	struct nlmsghdr *nlh;
	struct sk_buff *msg;
	int ret = -ENOMEM;

	if (!net)
		return 0;
	msg = nlmsg_new(NLMSG_DEFAULT_SIZE, GFP_KERNEL);
	if (!msg)
		goto out;
	ret = -EMSGSIZE;
	nlh = nlmsg_put(msg, 0, 0, RDMA_NL_GET_TYPE(RDMA_NL_NLDEV,
						    RDMA_NLDEV_CMD_MONITOR),
			0, 0);
	if (!nlh)
		goto err_msg;
	ret = nldev_put_event(msg, ib, port_num, type, net);
	if (ret)
		goto err_msg;
	nlmsg_end(msg, nlh);
	ret = rdma_nl_multicast(net, msg, RDMA_NL_GROUP_NOTIFY, GFP_KERNEL);
	/* The group has no listener. */
	if (ret == -ESRCH)
		ret = 0;
	goto out;

err_msg:
	nlmsg_free(msg);
out:
	put_net(net);
	return ret;
}

/* Tells listeners of a new device and of the netdevs it has. */
void ofed_nldev_tell_of_new(struct ib_device *device)
{
	struct net_device *ndev;
	u32 port;

	rdma_nl_notify_event(device, 0, RDMA_REGISTER_EVENT);
	rdma_for_each_port(device, port) {
		ndev = ib_device_get_netdev(device, port);
		if (!ndev)
			continue;
		rdma_nl_notify_event(device, port, RDMA_NETDEV_ATTACH_EVENT);
		dev_put(ndev);
	}
}
