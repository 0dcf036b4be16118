// SPDX-License-Identifier: GPL-2.0
/* What a device tells of itself and its ports, and the netdevs of the ports. */
#include <linux/inetdevice.h>
#include <linux/netdevice.h>
#include <ofed/refuse.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_verbs.h>

#include "../device/device.h"
#include "port.h"

union ib_gid zgid;
OFED_EXPORT(zgid);

/*
 * The array is found under RCU (ib_device_get_by_netdev), so its memory goes
 * after a grace period. @ports is indexed by the port number itself.
 */
struct port_array {
	struct rcu_head rcu;
	struct ib_port_data ports[];
};

int ofed_port_data_alloc(struct ib_device *device)
{
	struct port_array *array;
	u32 port;

	/* ib_device_set_netdev() before registration may have been first. */
	if (device->port_data)
		return 0;
	if (WARN_ON(!device->phys_port_cnt || device->phys_port_cnt == U32_MAX))
		return -EINVAL;

	array = kzalloc(struct_size(array, ports, rdma_end_port(device) + 1),
			GFP_KERNEL);
	if (!array)
		return -ENOMEM;
	rdma_for_each_port(device, port) {
		struct ib_port_data *data = &array->ports[port];

		data->ib_dev = device;
		spin_lock_init(&data->pkey_list_lock);
		spin_lock_init(&data->netdev_lock);
		INIT_LIST_HEAD(&data->pkey_list);
		INIT_HLIST_NODE(&data->ndev_hash_link);
	}
	/* Pairs with the address dependency of lookups under RCU. */
	smp_store_release(&device->port_data, array->ports);
	return 0;
}

/* The pointer stays: a lookup under RCU may have the device in hand still. */
void ofed_port_data_free(struct ib_device *device)
{
	struct port_array *array =
		container_of(device->port_data, struct port_array, ports[0]);

	kfree_rcu(array, rcu);
}

/* Returns what was attached before; its reference goes to the caller. */
static struct net_device *port_exchange_netdev(struct ib_port_data *data,
					       struct net_device *ndev)
{
	struct net_device *old;

	spin_lock(&data->netdev_lock);
	old = rcu_replace_pointer(data->netdev, ndev,
				  lockdep_is_held(&data->netdev_lock));
	spin_unlock(&data->netdev_lock);
	return old;
}

/**
 * ib_device_set_netdev - tell which netdev a port works on
 * @ib_dev: device, registered or not yet
 * @ndev: netdev, takes the place of another one; NULL to detach
 * @port: port number
 *
 * For drivers with a fixed netdev; others have ops.get_netdev. The core
 * holds a reference until it is detached or the device is unregistered.
 * Context: process, may sleep; the caller serialises calls for one device.
 *
 * Return: 0, -EINVAL (no such port), -ENOMEM.
 */
int ib_device_set_netdev(struct ib_device *ib_dev, struct net_device *ndev,
			 unsigned int port)
{
	struct net_device *old;
	int ret;

	ret = ofed_port_data_alloc(ib_dev);
	if (ret)
		return ret;
	if (!rdma_is_port_valid(ib_dev, port))
		return ofed_refuse_port(ib_dev, port);

	dev_hold(ndev);
	old = port_exchange_netdev(&ib_dev->port_data[port], ndev);
	dev_put(old);
	if (old == ndev || !ofed_device_is_registered(ib_dev))
		return 0;
	if (ndev)
		compat_nl_notify(ib_dev, port, NETDEV_ATTACH);
	else
		compat_nl_notify(ib_dev, port, NETDEV_DETACH);
	return 0;
}
OFED_EXPORT(ib_device_set_netdev);

void ofed_netdevs_detach(struct ib_device *device)
{
	u32 port;

	if (!device->port_data)
		return;
	rdma_for_each_port(device, port)
		dev_put(port_exchange_netdev(&device->port_data[port], NULL));
}

/**
 * ib_device_get_netdev - the netdev that a port works on
 * @ib_dev: device
 * @port: port number
 *
 * Context: process, may sleep (a driver's get_netdev may).
 * Return: the netdev with a reference (dev_put), or NULL: it has none, or the
 * netdev is being unregistered.
 */
struct net_device *ib_device_get_netdev(struct ib_device *ib_dev, u32 port)
{
	struct ib_port_data *data;
	struct net_device *ndev;

	if (!rdma_is_port_valid(ib_dev, port) || !ib_dev->port_data)
		return NULL;

	if (ib_dev->ops.get_netdev) {
		ndev = ib_dev->ops.get_netdev(ib_dev, port);
	} else {
		data = &ib_dev->port_data[port];
		spin_lock(&data->netdev_lock);
		ndev = rcu_dereference_protected(data->netdev,
				lockdep_is_held(&data->netdev_lock));
		dev_hold(ndev);
		spin_unlock(&data->netdev_lock);
	}
	if (ndev && ndev->reg_state != NETREG_REGISTERED) {
		dev_put(ndev);
		ndev = NULL;
	}
	return ndev;
}
OFED_EXPORT(ib_device_get_netdev);

static bool port_has_ipv4(const struct net_device *ndev)
{
	const struct in_device *in_dev;
	bool found;

	rcu_read_lock();
	in_dev = __in_dev_get_rcu(ndev);
	found = in_dev && rcu_access_pointer(in_dev->ifa_list);
	rcu_read_unlock();
	return found;
}

/* An iWARP port is as alive as its interface. */
static int port_query_iwarp_port(struct ib_device *device, u32 port,
				 struct ib_port_attr *attr)
{
	struct net_device *ndev = ib_device_get_netdev(device, port);

	if (!ndev)
		return ofed_refuse(device, -ENODEV, "port %u has no interface",
				   port);

	attr->max_mtu = IB_MTU_4096;
	attr->active_mtu = ib_mtu_int_to_enum(ndev->mtu);
	if (!netif_carrier_ok(ndev)) {
		attr->state = IB_PORT_DOWN;
		attr->phys_state = IB_PORT_PHYS_STATE_DISABLED;
	} else if (port_has_ipv4(ndev)) {
		attr->state = IB_PORT_ACTIVE;
		attr->phys_state = IB_PORT_PHYS_STATE_LINK_UP;
	} else {
		attr->state = IB_PORT_INIT;
		attr->phys_state =
			IB_PORT_PHYS_STATE_PORT_CONFIGURATION_TRAINING;
	}
	dev_put(ndev);
	return device->ops.query_port(device, port, attr);
}

/* The upper half of GID 0, as the port cache has it; 0 on ports without subnet. */
static u64 port_subnet_prefix(struct ib_device *device, u32 port)
{
	unsigned long flags;
	u64 prefix;

	read_lock_irqsave(&device->cache_lock, flags);
	prefix = device->port_data[port].cache.subnet_prefix;
	read_unlock_irqrestore(&device->cache_lock, flags);
	return prefix;
}

/**
 * ib_query_port - read the attributes of a port
 * @device: device
 * @port_num: port number
 * @port_attr: out; zeroed first
 *
 * Context: process, may sleep. The caller holds neither the rtnl nor anything
 * that is taken under it, and is no netdev notifier: drivers of Ethernet ports
 * take the rtnl in query_port (ib_get_eth_speed()).
 * Return: 0, -EINVAL (no such port), -ENODEV (iWARP port without interface),
 * or the driver's errno.
 */
int ib_query_port(struct ib_device *device, u32 port_num,
		  struct ib_port_attr *port_attr)
{
	int ret;

	if (!rdma_is_port_valid(device, port_num))
		return ofed_refuse_port(device, port_num);

	memset(port_attr, 0, sizeof(*port_attr));
	if (rdma_protocol_iwarp(device, port_num))
		return port_query_iwarp_port(device, port_num, port_attr);

	ret = device->ops.query_port(device, port_num, port_attr);
	if (ret || rdma_port_get_link_layer(device, port_num) !=
		   IB_LINK_LAYER_INFINIBAND)
		return ret;
	port_attr->subnet_prefix = port_subnet_prefix(device, port_num);
	return 0;
}
OFED_EXPORT(ib_query_port);

/**
 * ib_modify_device - change attributes of a device
 * @device: device
 * @device_modify_mask: IB_DEVICE_MODIFY_* bits
 * @device_modify: new values
 *
 * Context: process, may sleep. Return: 0, -EOPNOTSUPP, or the driver's errno.
 */
int ib_modify_device(struct ib_device *device, int device_modify_mask,
		     struct ib_device_modify *device_modify)
{
	if (!device->ops.modify_device)
		return ofed_refuse_op(device, "modify_device");
	return device->ops.modify_device(device, device_modify_mask,
					 device_modify);
}
OFED_EXPORT(ib_modify_device);

/**
 * ib_modify_port - change attributes of a port
 * @device: device
 * @port_num: port number
 * @port_modify_mask: IB_PORT_* modify bits
 * @port_modify: new values
 *
 * On RoCE there is no subnet manager to tell, so that switching the CM
 * capability on or off is success without a driver. Context: may sleep.
 * Return: 0, -EINVAL (no such port), -EOPNOTSUPP, or the driver's errno.
 */
int ib_modify_port(struct ib_device *device, u32 port_num,
		   int port_modify_mask, struct ib_port_modify *port_modify)
{
	u32 caps = port_modify->set_port_cap_mask |
		   port_modify->clr_port_cap_mask;

	if (!rdma_is_port_valid(device, port_num))
		return ofed_refuse_port(device, port_num);
	if (device->ops.modify_port)
		return device->ops.modify_port(device, port_num,
					       port_modify_mask, port_modify);
	if (rdma_protocol_roce(device, port_num) && !(caps & ~IB_PORT_CM_SUP))
		return 0;
	return ofed_refuse_op(device, "modify_port");
}
OFED_EXPORT(ib_modify_port);

/**
 * ib_get_device_fw_str - firmware version as text
 * @device: device
 * @str: out, IB_FW_VERSION_NAME_MAX bytes; empty when the driver has none
 */
void ib_get_device_fw_str(struct ib_device *device, char *str)
{
	str[0] = '\0';
	if (device->ops.get_dev_fw_str)
		device->ops.get_dev_fw_str(device, str);
}
OFED_EXPORT(ib_get_device_fw_str);

/**
 * ib_port_immutable_read - the attributes of a port that never change
 * @dev: device
 * @port: port number, valid
 *
 * Return: them, alive as long as the device.
 */
const struct ib_port_immutable *ib_port_immutable_read(struct ib_device *dev,
						       unsigned int port)
{
	WARN_ON(!rdma_is_port_valid(dev, port));
	return &dev->port_data[port].immutable;
}
OFED_EXPORT(ib_port_immutable_read);

static int port_netdev_params(struct ib_device *device, u32 port_num,
			      enum rdma_netdev_t type,
			      struct rdma_netdev_alloc_params *params)
{
	if (!device->ops.rdma_netdev_get_params)
		return ofed_refuse_op(device, "rdma_netdev_get_params");
	return device->ops.rdma_netdev_get_params(device, port_num, type,
						  params);
}

/**
 * rdma_alloc_netdev - allocate a netdev with a data path of the driver's
 * @device: device
 * @port_num: port number
 * @type: kind of netdev
 * @name: its name, as for alloc_netdev
 * @name_assign_type: where the name comes from
 * @setup: as for alloc_netdev
 *
 * Context: process, may sleep.
 * Return: the netdev, or ERR_PTR of -EOPNOTSUPP (no such help), -ENOMEM.
 */
struct net_device *rdma_alloc_netdev(struct ib_device *device, u32 port_num,
				     enum rdma_netdev_t type, const char *name,
				     unsigned char name_assign_type,
				     void (*setup)(struct net_device *))
{
	struct rdma_netdev_alloc_params params;
	struct net_device *ndev;
	int ret = port_netdev_params(device, port_num, type, &params);

	if (ret)
		return ERR_PTR(ret);
	ndev = alloc_netdev_mqs(params.sizeof_priv, name, name_assign_type,
				setup, params.txqs, params.rxqs);
	return ndev ?: ERR_PTR(-ENOMEM);
}
OFED_EXPORT(rdma_alloc_netdev);

/**
 * rdma_init_netdev - let the driver prepare a netdev of rdma_alloc_netdev()
 * @device: device
 * @port_num: port number
 * @type: kind of netdev
 * @name: unused, kept for the signature
 * @name_assign_type: unused, kept for the signature
 * @setup: unused, kept for the signature
 * @netdev: the netdev
 *
 * Context: process, may sleep. Return: 0, -EOPNOTSUPP, or the driver's errno.
 */
int rdma_init_netdev(struct ib_device *device, u32 port_num,
		     enum rdma_netdev_t type,
		     const char *name, unsigned char name_assign_type,
		     void (*setup)(struct net_device *),
		     struct net_device *netdev)
{
	struct rdma_netdev_alloc_params params;
	int ret = port_netdev_params(device, port_num, type, &params);

	if (ret)
		return ret;
	return params.initialize_rdma_netdev(device, port_num, netdev,
					     params.param);
}
OFED_EXPORT(rdma_init_netdev);
